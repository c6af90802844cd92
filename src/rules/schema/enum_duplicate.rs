//! MCP-SCHEMA-ENUM-DUPLICATE.

use super::place;
use crate::finding::{Confidence, Impact, Severity};
use crate::pointer;
use crate::rules::fix::{self, FixKind, Fixer};
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView};
use serde_json::Value;
use std::collections::BTreeMap;

pub struct EnumDuplicate;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-ENUM-DUPLICATE",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Constraint,
    summary: "an `enum` that holds a value twice",
    rationale: "JSON Schema says that the values SHOULD be unique; draft-04 and draft-06 validators refuse the schema, \
        Gemini refuses the tool. It is usually a slip of the pen for a value that is missing now.\n\n\
        Equal as JSON Schema has it: `1` and `1.0` are one value, and so are objects whose members stand in another \
        order.",
    help: "Delete the repeated value, or write the one that was meant",
    bad: r#"{"tools": [{"name": "sort", "description": "Sort the list.", "inputSchema": {"type": "object",
        "properties": {"order": {"type": "string", "enum": ["asc", "desc", "asc"]}}}}]}"#,
    good: r#"{"tools": [{"name": "sort", "description": "Sort the list.", "inputSchema": {"type": "object",
        "properties": {"order": {"type": "string", "enum": ["asc", "desc"]}},
        "additionalProperties": false}}]}"#,
    sources: &["JSON Schema 2020-12 validation, 6.1.2"],
};

impl Rule for EnumDuplicate {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn fixer(&self) -> Option<Fixer> {
        Some(Fixer { kind: FixKind::Equal, does: "delete the repeated value", apply: delete_repeated })
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        for (i, node) in site.view.nodes().iter().enumerate() {
            let Some(values) = node.schema.get("enum").and_then(Value::as_array) else { continue };
            let at = pointer::child(&node.pointer, "enum");
            if site.view.metaschema_violations().iter().any(|v| v.instance_pointer == at) {
                continue; // drafts 4 and 6 refuse it by their metaschema
            }
            let mut first: BTreeMap<String, usize> = BTreeMap::new();
            for (n, value) in values.iter().enumerate() {
                let Some(before) = first.get(&key(value)).copied() else {
                    first.insert(key(value), n);
                    continue;
                };
                let finding = out.emit(
                    site.at(&pointer::index(&at, n)),
                    format!(
                        "{} stands twice in the `enum` of {} (first at position {})",
                        place::value(value),
                        place::name(site, i),
                        before + 1
                    ),
                );
                finding.evidence = Some(place::value(value));
            }
        }
    }
}

/// A text that is equal for values that JSON Schema calls equal.
fn key(value: &Value) -> String {
    match value {
        // 1.0 is 1, -0.0 is 0; every other double prints as what it is.
        Value::Number(n) => match n.as_f64().filter(|_| n.is_f64()) {
            Some(f) if f.fract() == 0.0 => format!("n{:.0}", f + 0.0),
            _ => format!("n{n}"),
        },
        Value::Array(items) => format!("[{}]", items.iter().map(key).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let mut parts: Vec<String> = members.iter().map(|(k, v)| format!("{k:?}:{}", key(v))).collect();
            parts.sort();
            format!("{{{}}}", parts.join(","))
        }
        other => other.to_string(),
    }
}

/// Deletes the value, if an earlier one equals it.
fn delete_repeated(schema: &mut Value, at: &str, _: crate::schema::Dialect) -> bool {
    let Some((list, last)) = pointer::split_last(at) else { return false };
    let (Some(values), Ok(n)) = (schema.pointer(list).and_then(Value::as_array), last.parse::<usize>())
    else {
        return false;
    };
    let Some(value) = values.get(n) else { return false };
    values.iter().take(n).any(|before| key(before) == key(value)) && fix::remove(schema, at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::json;

    fn found(values: Value) -> Vec<String> {
        let tool =
            json!([{"name": "a", "inputSchema": {"type": "object", "properties": {"p": {"enum": values}}}}]);
        check(&EnumDuplicate, &tool)
            .into_iter()
            .map(|f| f.pointer.replace("/tools/0/inputSchema/properties/p/enum", ""))
            .collect()
    }

    #[test]
    fn fires() {
        assert_eq!(found(json!(["a", "b", "a", "a"])), ["/2", "/3"]);
        assert_eq!(found(json!([1, 1.0])), ["/1"]);
        assert_eq!(found(json!([{"a": 1, "b": 2}, {"b": 2, "a": 1}])), ["/1"]);
        assert_eq!(found(json!([0, -0.0])), ["/1"]);
    }

    #[test]
    fn is_quiet() {
        assert!(found(json!(["a", "A", 1, "1", true, null, "null", [1], [2], 1.5])).is_empty());
        assert!(found(json!([9_007_199_254_740_993_u64, 9_007_199_254_740_992_u64])).is_empty());
    }
}
