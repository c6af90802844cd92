//! Three-valued verdicts: satisfiable, unsatisfiable or unknown; and vacuous or not.

use super::judge::{self, Judge, Proof};
use super::{SchemaView, witness};
use serde_json::{Map, Value, json};

/// Whether any argument object is accepted. `Unknown` says why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Satisfiability {
    Yes,
    /// Proven by the algebra.
    No,
    Unknown(String),
}

/// What is known of a schema as a set of argument objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub satisfiability: Satisfiability,
    /// Proven: every JSON object is accepted. `false` covers "not proven".
    pub vacuous: bool,
    /// Why `vacuous` is not proven either way: no refused object is known, and the algebra cannot tell.
    pub vacuity_unknown: Option<String>,
}

const UNDECIDED: &str = "the schema algebra could not decide";

/// Decide by a few values that the judge itself accepts or refuses, and where they do not settle it, by
/// the algebra, which costs a hundred times as much.
#[must_use]
pub fn decide(view: &SchemaView<'_>) -> Verdict {
    let judge = match view.judge() {
        Ok(judge) => judge,
        Err(e) => {
            let satisfiability = Satisfiability::Unknown(e.to_string());
            return Verdict { satisfiability, vacuous: false, vacuity_unknown: None };
        }
    };
    let (vacuous, vacuity_unknown) = vacuity(view, judge);
    let accepts_easily = || {
        let tries = [json!({}), witness::plausible_whole(view), json!([]), json!(""), json!(0)];
        tries.iter().any(|v| judge.accepts(v))
    };
    let satisfiability = if vacuous || accepts_easily() {
        Satisfiability::Yes
    } else {
        match view.algebra().map(judge::Algebra::satisfiable) {
            Ok(Proof::Yes) => Satisfiability::Yes,
            Ok(Proof::No) => Satisfiability::No,
            Ok(Proof::Unknown) => Satisfiability::Unknown(UNDECIDED.to_string()),
            Err(e) => Satisfiability::Unknown(e.to_string()),
        }
    };
    Verdict { satisfiability, vacuous, vacuity_unknown }
}

/// Whether every object is accepted, and else why that could not be told.
fn vacuity(view: &SchemaView<'_>, judge: &Judge) -> (bool, Option<String>) {
    if refuses_an_object(view, judge) {
        return (false, None);
    }
    match view.algebra().map(|a| a.covers_plain(&json!({"type": "object"}))) {
        Ok(Proof::Yes) => (true, None),
        Ok(Proof::No) => (false, None),
        Ok(Proof::Unknown) => (false, Some(UNDECIDED.to_string())),
        Err(e) => (false, Some(e.to_string())),
    }
}

/// Whether the judge refuses one of some odd objects: then the schema does not accept every object.
fn refuses_an_object(view: &SchemaView<'_>, judge: &Judge) -> bool {
    const MOST: usize = 50;
    let odd = [json!(null), json!("verity"), json!(-0.5), json!([[null]]), json!({"": [null]})];
    let declared = view.schema.get("properties").and_then(Value::as_object);
    let names = declared.into_iter().flatten().map(|(k, _)| k.as_str()).take(MOST);
    let one = |name: &str, value: &Value| Value::Object(Map::from_iter([(name.to_string(), value.clone())]));
    !judge.accepts(&json!({}))
        || std::iter::once("verity").chain(names).any(|n| odd.iter().any(|v| !judge.accepts(&one(n, v))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(schema: &Value) -> Verdict {
        SchemaView::new(schema).verdict().clone()
    }

    #[test]
    fn vacuity_is_proven_not_guessed() {
        assert!(verdict(&json!({"type": "object"})).vacuous);
        assert!(verdict(&json!({"type": "object", "properties": {"a": {}}})).vacuous);
        assert!(verdict(&json!({"type": "object", "anyOf": [true]})).vacuous);
        assert!(!verdict(&json!({"type": "object", "additionalProperties": false})).vacuous);
        assert!(!verdict(&json!({"type": "object", "properties": {"a": {"type": "string"}}})).vacuous);
    }

    #[test]
    fn conflicts_are_proven() {
        let schema = json!({"type": "object", "required": ["p"],
            "properties": {"p": {"type": "integer", "minimum": 5, "maximum": 4}}});
        assert_eq!(verdict(&schema).satisfiability, Satisfiability::No);
    }
}
