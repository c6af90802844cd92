//! MCP-SCHEMA-DEAD-VALUE.

use super::place;
use crate::finding::{Confidence, Impact, Severity};
use crate::pointer;
use crate::rules::fix::{self, FixKind, Fixer};
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView};
use crate::schema::{probe, vocabulary, witness};
use serde_json::Value;

pub struct DeadValue;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-DEAD-VALUE",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "an `enum` value that another keyword forbids",
    rationale: "The agent is offered the value in the list, picks it, and is refused: `enum` and `type`, `pattern` or \
        `minLength` must *all* accept a value. The usual ones: `null` in an `enum` of strings, numbers in quotes \
        under `type: integer`, a value that the `pattern` was not written for.\n\n\
        The judge decides on each value, with the `enum` taken out. Where no value is left, \
        MCP-SCHEMA-PARAMETER-UNSATISFIABLE says so instead.",
    help: "Take the value out of `enum`, or allow it: add its type to `type`, widen the pattern",
    bad: r#"{"tools": [{"name": "sort", "description": "Sort the list.", "inputSchema": {"type": "object",
        "properties": {"order": {"type": "string", "enum": ["asc", "desc", null]}}}}]}"#,
    good: r#"{"tools": [{"name": "sort", "description": "Sort the list.", "inputSchema": {"type": "object",
        "properties": {"order": {"type": ["string", "null"], "enum": ["asc", "desc", null]}},
        "additionalProperties": false}}]}"#,
    sources: &["JSON Schema 2020-12 validation, 6.1.2"],
};

/// The most values of one schema that are tried.
const MAX_VALUES: usize = 5_000;

impl Rule for DeadValue {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn fixer(&self) -> Option<Fixer> {
        Some(Fixer {
            kind: FixKind::Equal,
            does: "delete the value that is refused anyway",
            apply: |schema, at, _| fix::remove(schema, at),
        })
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        let view = &site.view;
        let mut asked: Vec<(usize, &[Value])> = Vec::new();
        let mut probes = None;
        for (i, node) in view.nodes().iter().enumerate() {
            let Some(values) = node.schema.get("enum").and_then(Value::as_array) else { continue };
            if !may_refuse(node.schema, values)
                || node.dialect.ref_hides_siblings() && node.schema.get("$ref").is_some()
            {
                continue;
            }
            let Some(probes) = probes.get_or_insert_with(|| probe::Probes::new(view)) else { return };
            probes.add(probe::without(node.schema, &["enum"]));
            asked.push((i, values));
        }
        let Some(judges) = probes.flatten().filter(|_| view.judge().is_ok()).and_then(|p| p.judges().ok())
        else {
            return;
        };
        for (question, (i, values)) in asked.into_iter().enumerate() {
            let Some(node) = view.nodes().get(i) else { continue };
            let dead: Vec<usize> = values
                .iter()
                .take(MAX_VALUES)
                .enumerate()
                .filter(|(_, v)| !judges.accepts(question, v))
                .map(|(n, _)| n)
                .collect();
            if dead.len() == values.len() {
                continue;
            }
            for n in dead {
                let Some(value) = values.get(n) else { continue };
                let violations = out.unless_full(|| Some(judges.violations(question, value)));
                let keyword = violations.unwrap_or_default().first().map(|v| v.keyword.clone());
                let witness = out.unless_full(|| witness::refused(view, i, value));
                let by = keyword.map(|k| format!(" by `{k}`")).unwrap_or_default();
                out.emit_with_witness(
                    site.at(&pointer::index(&pointer::child(&node.pointer, "enum"), n)),
                    format!(
                        "{} stands in the `enum` of {} and is refused{by} beside it",
                        place::value(value),
                        place::name(site, i)
                    ),
                    witness,
                );
            }
        }
    }
}

/// Whether it is worth asking: there is a keyword beside `enum`, and it is not just a `type` that all
/// the values plainly have. (Only whether to ask; the judge answers.)
fn may_refuse(schema: &Value, values: &[Value]) -> bool {
    let Some(members) = schema.as_object() else { return false };
    let mut others = members.keys().filter(|k| *k != "enum" && vocabulary::asserts(k)).peekable();
    if others.peek().is_none() {
        return false;
    }
    if others.any(|k| k != "type") {
        return true;
    }
    let strings = members.get("type").and_then(Value::as_str) == Some("string");
    !(strings && values.iter().all(Value::is_string))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::json;

    fn found(property: Value) -> Vec<(String, Option<Value>)> {
        let tool = json!([{"name": "a", "inputSchema": {"type": "object", "properties": {"p": property}}}]);
        check(&DeadValue, &tool)
            .into_iter()
            .map(|f| (f.pointer.replace("/tools/0/inputSchema/properties/p", ""), f.witness))
            .collect()
    }

    #[test]
    fn fires_for_each_dead_value() {
        assert_eq!(
            found(json!({"type": "string", "enum": ["a", null, 3]})),
            [("/enum/1".into(), Some(json!({"p": null}))), ("/enum/2".into(), Some(json!({"p": 3})))]
        );
        assert_eq!(found(json!({"type": "integer", "enum": [1, "2"]})).len(), 1);
        assert_eq!(
            found(json!({"enum": ["ab", "abc"], "minLength": 3})),
            [("/enum/0".into(), Some(json!({"p": "ab"})))]
        );
        assert_eq!(
            found(json!({"type": "string", "enum": ["on", "off", "Off"], "pattern": "^[a-z]+$"})).len(),
            1
        );
    }

    #[test]
    fn is_quiet() {
        for property in [
            json!({"type": "string", "enum": ["a", "b"]}),
            json!({"enum": [1, "x", null]}),
            json!({"type": "number", "enum": [1, 2.5]}),
            json!({"type": "string", "enum": [1, 2]}),
            json!({"type": "object", "properties": {"enum": {"type": "string"}}}),
            json!({"default": {"type": "string", "enum": ["a", 1]}}),
        ] {
            assert!(found(property.clone()).is_empty(), "{property}");
        }
    }
}
