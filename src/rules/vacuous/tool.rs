//! MCP-VACUOUS-TOOL.

use super::odd_arguments;
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView, say};
use serde_json::{Map, Value};

pub struct Tool;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-VACUOUS-TOOL",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Agent,
    summary: "a tool whose schema accepts every argument object",
    rationale: "The schema says nothing: any object at all is a valid call, so the agent is told neither what to send \
        nor that it sent nonsense, and no benchmark can tell a good call from a bad one (such a tool is left out of \
        packs). *Proven*: the schema algebra shows that the schema covers `{\"type\": \"object\"}`; the witness holds \
        two absurd calls, both accepted.\n\n\
        A tool that declares parameters and constrains none, or says `additionalProperties: true`, is a warning. A \
        tool without any parameter is common and legal (`{\"type\": \"object\"}`): that is for information only, and \
        closing it costs one keyword. A *closed* tool without parameters is not vacuous.",
    help: "Declare the parameters with their types; for a tool without parameters write \
        {\"type\": \"object\", \"additionalProperties\": false}",
    bad: r#"{"tools": [{"name": "update_settings", "description": "Update the settings.", "inputSchema": {
        "type": "object", "additionalProperties": true}}]}"#,
    good: r#"{"tools": [{"name": "update_settings", "description": "Update the settings.", "inputSchema": {
        "type": "object", "properties": {"theme": {"type": "string", "enum": ["light", "dark"]}},
        "required": ["theme"], "additionalProperties": false}}]}"#,
    sources: &[
        "MCP 2026-07-28, server/tools: {\"type\":\"object\",\"additionalProperties\":false} is recommended for no-parameter tools",
    ],
};

impl Rule for Tool {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, tool: &ToolView<'_>, out: &mut Sink<'_>) {
        let root = site.view.schema.as_object();
        let Some(members) = root.filter(|m| site.is_input && m.get("type").is_some_and(|t| t == "object"))
        else {
            return; // not an object schema: MCP-INPUT-SCHEMA-NOT-OBJECT
        };
        if !site.view.verdict().vacuous {
            return;
        }
        let parameters = members.get("properties").and_then(Value::as_object).map_or(0, Map::len);
        let open = members.get("additionalProperties").is_some();
        let message = match (parameters, open) {
            (0, false) => {
                format!("{} declares no parameter and accepts any arguments all the same", say::tool(tool))
            }
            (0, true) => format!("{} accepts any arguments and says nothing about them", say::tool(tool)),
            (n, _) => format!(
                "{} declares {} and constrains none: every object is accepted",
                say::tool(tool),
                say::count(n, "parameter")
            ),
        };
        let Some(witness) = odd_arguments(&site.view) else { return };
        let finding = out.emit_with_witness(site.at(""), message, Some(witness));
        if parameters == 0 && !open {
            finding.severity = Severity::Info;
            finding.help = "For a tool without parameters write {\"type\": \"object\", \"additionalProperties\": false}; \
                else declare them"
                .to_string();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::json;

    fn found(schema: Value) -> Option<Severity> {
        let found = check(&Tool, &json!([{"name": "a", "inputSchema": schema}]));
        assert!(found.len() < 2);
        found.first().map(|f| {
            assert_eq!(f.witness.as_ref().and_then(Value::as_array).map(Vec::len), Some(2));
            f.severity
        })
    }

    #[test]
    fn fires() {
        assert_eq!(found(json!({"type": "object", "additionalProperties": true})), Some(Severity::Warning));
        assert_eq!(
            found(json!({"type": "object", "properties": {"x": {}, "y": {"description": "why"}}})),
            Some(Severity::Warning)
        );
        assert_eq!(
            found(
                json!({"type": "object", "properties": {"x": {"anyOf": [{"type": "string"}, {"not": {"type": "string"}}]}}})
            ),
            Some(Severity::Warning)
        );
        assert_eq!(found(json!({"type": "object"})), Some(Severity::Info));
        assert_eq!(found(json!({"type": "object", "properties": {}, "required": []})), Some(Severity::Info));
    }

    #[test]
    fn is_quiet() {
        for schema in [
            json!({"type": "object", "additionalProperties": false}),
            json!({"type": "object", "properties": {"properties": {"type": "string"}}}),
            json!({"type": "object", "required": ["x"]}),
            json!({}),
            json!({"type": "object", "properties": {"type": {"const": "object"}}}),
            json!({"type": "object", "maxProperties": 3}),
            json!({"type": "object", "properties": {"required": {"type": "boolean"}}}),
        ] {
            assert_eq!(found(schema.clone()), None, "{schema}");
        }
    }
}
