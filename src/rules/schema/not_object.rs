//! MCP-INPUT-SCHEMA-NOT-OBJECT.

use super::place;
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::fix::{FixKind, Fixer};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use crate::schema::Dialect;
use serde_json::Value;

pub struct NotObject;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-INPUT-SCHEMA-NOT-OBJECT",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Server,
    summary: "`inputSchema` is not an object schema with `type: \"object\"` at its root",
    rationale: "Tool arguments are always a JSON object, and every revision of MCP demands the literal \
        `\"type\": \"object\"` at the root of `inputSchema`. SDKs check it while they parse the listing: one \
        tool that breaks it, and clients drop *all* tools of the server.\n\n\
        `{}`, `true`, `null`, a root that is only `anyOf`, `oneOf`, `allOf` or `$ref`, and a `type` that is a list \
        are refused alike. From 2026-07-28 on those keywords may stand *beside* `type: \"object\"`, not instead of it.",
    help: "Write \"type\": \"object\" at the root of the schema, beside any other keyword. For a tool without \
        parameters: {\"type\": \"object\", \"additionalProperties\": false}",
    bad: r#"{"tools": [{"name": "list_projects", "description": "List the projects.", "inputSchema": {}}]}"#,
    good: r#"{"tools": [{"name": "list_projects", "description": "List the projects.",
        "inputSchema": {"type": "object", "additionalProperties": false}}]}"#,
    sources: &[
        "MCP 2026-07-28, server/tools, Data Types › Tool: root type object",
        "MCP schema.json of every revision: Tool.inputSchema.type is const \"object\"",
        "SEP-2106: composition beside type object",
    ],
};

impl Rule for NotObject {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn fixer(&self) -> Option<Fixer> {
        Some(Fixer {
            kind: FixKind::EqualObjects,
            does: "write `\"type\": \"object\"` at the root",
            apply: write_type,
        })
    }

    fn tool(&self, tool: &ToolView<'_>, _: &ManifestView<'_>, out: &mut Sink<'_>) {
        let Some(schema) = tool.tool.input_schema() else { return };
        let at = tool.at("/inputSchema");
        let who = say::tool(tool);
        let Some(members) = schema.as_object() else {
            out.emit(
                at,
                format!("the `inputSchema` of {who} is {}, not an object schema", say::kind(schema)),
            );
            return;
        };
        match members.get("type") {
            Some(Value::String(kind)) if kind == "object" => {}
            Some(kind) => {
                let shown = place::value(kind);
                out.emit(
                    format!("{at}/type"),
                    format!("the `inputSchema` of {who} has type {shown} at its root; it must be \"object\""),
                );
            }
            None if members.is_empty() => {
                out.emit(at, format!("the `inputSchema` of {who} is `{{}}`, without the `type: \"object\"` that MCP demands"));
            }
            None => {
                let instead =
                    ["$ref", "anyOf", "oneOf", "allOf"].into_iter().find(|k| members.contains_key(*k));
                let but = instead.map(|k| format!(", only `{k}`")).unwrap_or_default();
                out.emit(
                    at,
                    format!("the `inputSchema` of {who} has no `type: \"object\"` at its root{but}"),
                );
            }
        }
    }
}

/// Writes the type that MCP demands, first; beside a `$ref` only where the dialect reads both.
fn write_type(schema: &mut Value, _: &str, dialect: Dialect) -> bool {
    if *schema == Value::Bool(true) {
        *schema = serde_json::json!({"type": "object"});
        return true;
    }
    let Some(members) = schema.as_object_mut() else { return false };
    if dialect.ref_hides_siblings() && members.contains_key("$ref") {
        return false;
    }
    let object = Value::from("object");
    match members.get_mut("type") {
        Some(Value::Array(kinds)) if kinds.contains(&object) => {
            members.insert("type".to_string(), object);
        }
        Some(_) => return false,
        None => {
            members.shift_insert(0, "type".to_string(), object);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::json;

    fn found(schema: Value) -> Vec<String> {
        check(&NotObject, &json!([{"name": "a", "inputSchema": schema}]))
            .into_iter()
            .map(|f| f.pointer)
            .collect()
    }

    #[test]
    fn fires() {
        for schema in [
            json!({}),
            json!(null),
            json!(true),
            json!([]),
            json!("object"),
            json!({"properties": {}}),
            json!({"anyOf": [{"type": "object"}]}),
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}}),
        ] {
            assert_eq!(found(schema.clone()), ["/tools/0/inputSchema"], "{schema}");
        }
        for schema in [json!({"type": "array"}), json!({"type": ["object"]}), json!({"type": "Object"})] {
            assert_eq!(found(schema.clone()), ["/tools/0/inputSchema/type"], "{schema}");
        }
    }

    #[test]
    fn is_quiet() {
        assert!(found(json!({"type": "object", "anyOf": [{"required": ["a"]}]})).is_empty());
    }
}
