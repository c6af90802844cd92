//! MCP-SCHEMA-OUTPUT-NOT-OBJECT.

use super::place;
use crate::finding::{Confidence, Impact, Severity};
use crate::manifest::Revision;
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use serde_json::Value;

pub struct OutputNotObject;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-OUTPUT-NOT-OBJECT",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Server,
    summary: "`outputSchema` has a root that this revision of MCP does not allow",
    rationale: "Up to 2025-11-25 the root of `outputSchema` must say `\"type\": \"object\"`, and clients check it \
        while they parse the listing: one tool that breaks it costs all tools of the server. Since 2026-07-28 it \
        may be any JSON Schema, but still an *object* in the JSON text: `null` or `true` is refused.",
    help: "Wrap the output: {\"type\": \"object\", \"properties\": {\"result\": …}}; leave `outputSchema` out where \
        nothing is promised",
    bad: r#"{"tools": [{"name": "stats", "description": "Get statistics.", "inputSchema": {"type": "object"},
        "outputSchema": null}]}"#,
    good: r#"{"tools": [{"name": "stats", "description": "Get statistics.", "inputSchema": {"type": "object"},
        "outputSchema": {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}}]}"#,
    sources: &[
        "MCP 2025-11-25 schema.json: Tool.outputSchema.type is const \"object\"",
        "SEP-2106 (2026-07-28): outputSchema may be any JSON Schema",
    ],
};

impl Rule for OutputNotObject {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let revision = manifest.revision();
        let Some(schema) = tool.tool.output_schema().filter(|_| revision >= Revision::V2025_06_18) else {
            return;
        };
        let at = tool.at("/outputSchema");
        let who = say::tool(tool);
        let Some(members) = schema.as_object() else {
            out.emit(at, format!("the `outputSchema` of {who} is {}, not a schema", say::kind(schema)));
            return;
        };
        if revision >= Revision::V2026_07_28 || members.get("type").and_then(Value::as_str) == Some("object")
        {
            return;
        }
        let revision = revision.as_str();
        match members.get("type") {
            Some(kind) => out.emit(
                format!("{at}/type"),
                format!("the `outputSchema` of {who} has type {} at its root; in MCP {revision} it must be \"object\"", place::value(kind)),
            ),
            None => out.emit(
                at,
                format!("the `outputSchema` of {who} has no `type: \"object\"` at its root, which MCP {revision} demands"),
            ),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, check_in};
    use serde_json::json;

    fn tool(output: Value) -> Value {
        json!([{"name": "a", "inputSchema": {"type": "object"}, "outputSchema": output}])
    }

    #[test]
    fn fires() {
        assert_eq!(check(&OutputNotObject, &tool(json!(null))).len(), 1);
        assert_eq!(check(&OutputNotObject, &tool(json!(true))).len(), 1);
        let old = Revision::V2025_11_25;
        assert_eq!(
            check_in(&OutputNotObject, old, &tool(json!({"properties": {}})))[0].pointer,
            "/tools/0/outputSchema"
        );
        assert_eq!(
            check_in(&OutputNotObject, old, &tool(json!({"type": "array"})))[0].pointer,
            "/tools/0/outputSchema/type"
        );
    }

    #[test]
    fn is_quiet() {
        assert!(check(&OutputNotObject, &tool(json!({"type": "array"}))).is_empty());
        assert!(
            check_in(&OutputNotObject, Revision::V2025_06_18, &tool(json!({"type": "object"}))).is_empty()
        );
        assert!(
            check_in(&OutputNotObject, Revision::V2025_03_26, &tool(json!(null))).is_empty(),
            "not yet a field"
        );
    }
}
