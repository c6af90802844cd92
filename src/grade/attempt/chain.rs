//! The hash chain over a recording's rows: each link is the SHA-256 of the link before it, a line feed, and the canonical
//! text of its row. Whoever changes a row changes every link from there on.

use crate::contract::canonical;
use crate::sha256;
use serde_json::{Map, Number, Value};

/// The member of a line in `rows.jsonl` that holds its link.
const LINK: &str = "sha256";

/// The links of rows, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chain {
    count: usize,
    last: String,
}

impl Chain {
    /// The chain over all of `rows`.
    #[must_use]
    pub fn of(rows: impl IntoIterator<Item = Value>) -> Chain {
        let mut chain = Chain::default();
        for row in rows {
            chain.add(&row);
        }
        chain
    }

    /// Append `row`; the link that it gets.
    pub fn add(&mut self, row: &Value) -> &str {
        let text = format!("{}\n{}", self.last, canonical::text(&exact(row)));
        self.last = sha256::prefixed(text.as_bytes());
        self.count += 1;
        &self.last
    }

    /// As [`Chain::add`]; the line of `rows.jsonl`.
    pub fn line(&mut self, row: Value) -> String {
        let link = self.add(&row).to_string();
        let mut row = row;
        if let Value::Object(members) = &mut row {
            members.insert(LINK.to_string(), Value::String(link));
        }
        format!("{row}\n")
    }

    /// How many rows there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The last link; empty where there is no row.
    #[must_use]
    pub fn last(&self) -> &str {
        &self.last
    }
}

/// The row of a line of `rows.jsonl`, and its link.
#[must_use]
pub fn of_line(line: &str) -> Option<(Value, String)> {
    let Ok(Value::Object(mut members)) = serde_json::from_str::<Value>(line) else { return None };
    let link = members.shift_remove(LINK)?.as_str()?.to_string();
    Some((Value::Object(members), link))
}

/// The digest of a value's canonical text, in which no number is rounded.
#[must_use]
pub fn digest(value: &Value) -> String {
    canonical::digest(&exact(value))
}

/// `value` with the integers that RFC 8785 would round (ids of 17 digits, say) as `{"$integer": "…"}`: two that differ
/// must not have one digest.
fn exact(value: &Value) -> Value {
    match value {
        Value::Number(n) if is_rounded(n) => {
            Value::Object(Map::from_iter([("$integer".to_string(), Value::String(n.to_string()))]))
        }
        Value::Array(items) => items.iter().map(exact).collect(),
        Value::Object(members) => members.iter().map(|(k, v)| (k.clone(), exact(v))).collect(),
        other => other.clone(),
    }
}

fn is_rounded(n: &Number) -> bool {
    !n.is_f64() && !canonical::is_in_domain(n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_link_is_what_sha256sum_says() {
        // printf '\n{"a":1}' | sha256sum; printf 'sha256:<that>\n{"b":2}' | sha256sum
        let mut chain = Chain::default();
        let first = chain.add(&json!({"a": 1.0})).to_string();
        assert_eq!(first, FIRST);
        assert_eq!(chain.add(&json!({"b": 2})), SECOND);
        assert_eq!(chain.count(), 2);
    }

    const FIRST: &str = "sha256:7395dc66860499cb2b8970e17094ec53ed1ff54e7067ad619f884917096166b0";
    const SECOND: &str = "sha256:6086e17d504f6f4895f61a7b8eea1ef7753ebd822100cacc625e284269d7e590";

    #[test]
    fn every_row_counts_and_so_does_their_order() {
        let rows = [json!({"a": 1}), json!({"a": 2}), json!({"n": 9_007_199_254_740_993_u64})];
        let last = |rows: &[Value]| Chain::of(rows.iter().cloned()).last().to_string();
        let whole = last(&rows);
        let others = [
            vec![rows[1].clone(), rows[0].clone(), rows[2].clone()],
            rows[..2].to_vec(),
            vec![rows[0].clone(), rows[1].clone(), json!({"n": 9_007_199_254_740_992_u64})],
        ];
        for other in others {
            assert_ne!(last(&other), whole, "{other:?}");
        }
        assert_eq!(last(&[json!({"b": 1, "a": 1.0})]), last(&[json!({"a": 1, "b": 1})]));
    }

    #[test]
    fn lines_hold_their_link() {
        let mut chain = Chain::default();
        let line = chain.line(json!({"row": "text", "text": "a"}));
        let (row, link) = of_line(&line).unwrap();
        assert_eq!((row, link.as_str()), (json!({"row": "text", "text": "a"}), chain.last()));
        assert_eq!(of_line("{\"row\": 1}"), None);
    }
}
