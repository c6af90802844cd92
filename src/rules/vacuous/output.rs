//! MCP-VACUOUS-OUTPUT.

use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView, say};
use serde_json::json;

pub struct Output;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-VACUOUS-OUTPUT",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Agent,
    summary: "an `outputSchema` that promises nothing",
    rationale: "With an `outputSchema` the server must send `structuredContent`, and clients check it. A schema that \
        accepts every object obliges the server and tells the agent nothing about what comes back: the cost without \
        the benefit. *Proven* by the schema algebra; the witness is an absurd result that it accepts.",
    help: "Describe the result (properties with types, `required`), or leave `outputSchema` out",
    bad: r#"{"tools": [{"name": "get_profile", "description": "Get the profile.", "inputSchema": {"type": "object",
        "additionalProperties": false}, "outputSchema": {"type": "object"}}]}"#,
    good: r#"{"tools": [{"name": "get_profile", "description": "Get the profile.", "inputSchema": {"type": "object",
        "additionalProperties": false}, "outputSchema": {"type": "object", "properties": {"name": {"type": "string"}},
        "required": ["name"]}}]}"#,
    sources: &[
        "MCP 2026-07-28, server/tools, Output Schema: servers MUST return conforming structuredContent",
    ],
};

impl Rule for Output {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, tool: &ToolView<'_>, out: &mut Sink<'_>) {
        if site.is_input || !site.view.verdict().vacuous {
            return;
        }
        let absurd = json!({"no_such_field": [null, {"": -1}]});
        if !site.view.judge().is_ok_and(|judge| judge.accepts(&absurd)) {
            return;
        }
        out.emit_with_witness(
            site.at(""),
            format!("the `outputSchema` of {} accepts every object: it promises nothing", say::tool(tool)),
            Some(absurd),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::Value;

    fn fires(schema: Value) -> bool {
        !check(&Output, &json!([{"name": "a", "inputSchema": {"type": "object"}, "outputSchema": schema}]))
            .is_empty()
    }

    #[test]
    fn promises_nothing() {
        for schema in [
            json!({"type": "object"}),
            json!({}),
            json!({"type": "object", "properties": {"data": {}}}),
            json!({"type": "object", "additionalProperties": true, "description": "The result."}),
        ] {
            assert!(fires(schema.clone()), "{schema}");
        }
    }

    #[test]
    fn promises_something() {
        for schema in [
            json!({"type": "object", "properties": {"n": {"type": "string"}}}),
            json!({"type": "array", "items": {}}),
            json!({"type": "object", "required": ["n"]}),
            json!({"type": "object", "additionalProperties": false}),
        ] {
            assert!(!fires(schema.clone()), "{schema}");
        }
    }
}
