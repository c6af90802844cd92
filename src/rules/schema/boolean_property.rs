//! MCP-SCHEMA-BOOLEAN-PROPERTY.

use crate::finding::{Confidence, Impact, Severity};
use crate::manifest::Revision;
use crate::pointer;
use crate::rules::fix::{FixKind, Fixer};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use crate::schema::Dialect;
use serde_json::{Value, json};

pub struct BooleanProperty;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-BOOLEAN-PROPERTY",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Server,
    summary: "a property schema is `true` or `false`, which MCP up to 2025-11-25 does not allow",
    rationale: "JSON Schema lets a schema be `true` or `false`. The Tool definition of MCP up to 2025-11-25 wants \
        each value of the root `properties` to be an *object*, and SDKs built on it refuse the listing. From \
        2026-07-28 on booleans are allowed.",
    help: "Write {} instead of true (or better, say what the value is), {\"not\": {}} instead of false",
    bad: r#"{"protocolVersion": "2025-11-25", "tools": [{"name": "put", "description": "Store a value.",
        "inputSchema": {"type": "object", "properties": {"value": true}}}]}"#,
    good: r#"{"protocolVersion": "2025-11-25", "tools": [{"name": "put", "description": "Store a value.",
        "inputSchema": {"type": "object", "properties": {"value": {"type": "string"}},
        "additionalProperties": false}}]}"#,
    sources: &[
        "MCP 2025-11-25 schema.json: Tool.inputSchema.properties.additionalProperties.type is \"object\"",
    ],
};

impl Rule for BooleanProperty {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn fixer(&self) -> Option<Fixer> {
        Some(Fixer {
            kind: FixKind::Equal,
            does: "write `{}` for `true`, `{\"not\": {}}` for `false`",
            apply: boolean_as_object,
        })
    }

    fn tool(&self, tool: &ToolView<'_>, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let revision = manifest.revision();
        if revision >= Revision::V2026_07_28 {
            return;
        }
        for site in tool.schemas() {
            if !site.is_input && revision < Revision::V2025_06_18 {
                continue;
            }
            let properties = site.view.schema.get("properties").and_then(|p| p.as_object());
            for (name, schema) in properties.into_iter().flatten().filter(|(_, s)| s.is_boolean()) {
                out.emit(
                    site.at(&pointer::child("/properties", name)),
                    format!(
                        "the schema of {} is `{schema}`; in MCP {} it must be an object",
                        say::quoted(name),
                        revision.as_str()
                    ),
                );
            }
        }
    }
}

/// The object that says what a boolean schema says.
pub(in crate::rules) fn boolean_as_object(schema: &mut Value, at: &str, _: Dialect) -> bool {
    let said = match schema.pointer(at) {
        Some(Value::Bool(true)) => json!({}),
        Some(Value::Bool(false)) => json!({"not": {}}),
        _ => return false,
    };
    schema.pointer_mut(at).is_some_and(|place| {
        *place = said;
        true
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, check_in};

    #[test]
    fn fires_by_revision() {
        let tool = json!([{"name": "a", "inputSchema": {"type": "object", "properties": {"v": true,
            "w": {"type": "object", "properties": {"deep": true}}}}}]);
        let found = check_in(&BooleanProperty, Revision::V2025_06_18, &tool);
        assert_eq!(
            found.iter().map(|f| f.pointer.as_str()).collect::<Vec<_>>(),
            ["/tools/0/inputSchema/properties/v"]
        );
        assert!(check(&BooleanProperty, &tool).is_empty());
    }
}
