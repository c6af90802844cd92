//! MCP-SCHEMA-DEFAULT-REFUSED.

use super::sample_refused;
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView};

pub struct DefaultRefused;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-DEFAULT-REFUSED",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "a `default` that its own schema refuses",
    rationale: "Agents copy defaults into their calls, and some clients fill them in by themselves: a default that \
        does not validate turns a good call into a refused one. The usual ones: `null` under `type: string` (the \
        field is optional, not nullable), `\"\"` beside an `enum`, a number in quotes.\n\n\
        The judge decides, in the schema's own context (references resolved); `format` is not asserted. The witness \
        is a call that carries the default.",
    help: "Leave `default` out (an optional parameter needs none), correct its value, or allow it: \
        \"type\": [\"string\", \"null\"]",
    bad: r#"{"tools": [{"name": "list_runs", "description": "List runs.", "inputSchema": {"type": "object",
        "properties": {"project": {"type": "string", "default": null}}}}]}"#,
    good: r#"{"tools": [{"name": "list_runs", "description": "List runs.", "inputSchema": {"type": "object",
        "properties": {"project": {"type": ["string", "null"], "default": null}},
        "additionalProperties": false}}]}"#,
    sources: &["JSON Schema 2020-12 validation, 9.2: default SHOULD be valid against its schema"],
};

impl Rule for DefaultRefused {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        sample_refused::report(site, sample_refused::Kind::Default, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::{Value, json};

    fn found(property: Value) -> Vec<Option<Value>> {
        let tool = json!([{"name": "a", "inputSchema": {"type": "object", "required": ["id"],
            "properties": {"id": {"type": "integer"}, "p": property}, "$defs": {"n": {"type": "number"}}}}]);
        check(&DefaultRefused, &tool)
            .into_iter()
            .map(|f| {
                assert!(f.pointer.ends_with("/default"), "{}", f.pointer);
                f.witness
            })
            .collect()
    }

    #[test]
    fn fires_with_a_call() {
        assert_eq!(found(json!({"type": "string", "default": null})), [Some(json!({"p": null, "id": 1}))]);
        assert_eq!(found(json!({"enum": ["a", "b"], "default": ""})), [Some(json!({"p": "", "id": 1}))]);
        assert_eq!(found(json!({"$ref": "#/$defs/n", "default": "5"})), [Some(json!({"p": "5", "id": 1}))]);
        assert_eq!(
            found(json!({"type": "array", "items": {"type": "string", "default": 3}})),
            [Some(json!({"p": [3], "id": 1}))]
        );
        assert_eq!(
            found(json!({"anyOf": [{"type": "string"}, {"type": "null"}], "default": 5})),
            [Some(json!({"p": 5, "id": 1}))]
        );
        assert_eq!(
            found(json!({"type": "integer", "minimum": 1, "default": 0})),
            [Some(json!({"p": 0, "id": 1}))]
        );
    }

    #[test]
    fn is_quiet() {
        for property in [
            json!({"type": "string", "default": ""}),
            json!({"type": ["string", "null"], "default": null}),
            json!({"type": "string", "format": "date", "default": "today"}),
            json!({"default": 5}),
            json!({"type": "object", "properties": {"default": {"type": "string"}}}),
            json!({"const": {"type": "string", "default": 5}}),
            json!({"type": "integer", "default": 1.0}),
        ] {
            assert!(found(property.clone()).is_empty(), "{property}");
        }
    }
}
