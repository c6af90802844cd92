//! MCP-SCHEMA-FOREIGN-KEYWORD.

use super::place;
use crate::finding::{Confidence, Impact, Part, Severity};
use crate::pointer;
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView};
use crate::schema::{vocabulary, witness};
use serde_json::{Map, Value};

pub struct ForeignKeyword;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-FOREIGN-KEYWORD",
    severity: Severity::Info,
    confidence: Confidence::High,
    impact: Impact::Constraint,
    summary: "an OpenAPI keyword, which JSON Schema ignores",
    rationale: "Schemas that were made from OpenAPI carry keywords that JSON Schema does not have. `nullable: true` \
        does *not* allow `null`: a client that sends it is refused. `example` and `discriminator` are not read. \
        Shown for information; the fix is mechanical.",
    help: "`nullable: true` becomes \"type\": [\"string\", \"null\"], `example` becomes `examples` (a list), \
        `discriminator` can be left out",
    bad: r#"{"tools": [{"name": "note", "description": "Set or clear a note.", "inputSchema": {"type": "object",
        "properties": {"text": {"type": "string", "nullable": true}}}}]}"#,
    good: r#"{"tools": [{"name": "note", "description": "Set or clear a note.", "inputSchema": {"type": "object",
        "properties": {"text": {"type": ["string", "null"]}},
        "additionalProperties": false}}]}"#,
    sources: &["OpenAPI 3.0.3, Schema Object; OpenAPI 3.1 dropped `nullable`"],
};

impl Rule for ForeignKeyword {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        for (i, node) in site.view.nodes().iter().enumerate() {
            let Some(members) = node.schema.as_object() else { continue };
            for (keyword, value) in members {
                let Some(help) = foreign(keyword, value, members) else { continue };
                let witness =
                    (keyword == "nullable").then(|| witness::refused(&site.view, i, &Value::Null)).flatten();
                if keyword == "nullable" && witness.is_none() {
                    continue; // null is allowed all the same
                }
                let effect = if keyword == "nullable" {
                    ": null is refused all the same"
                } else {
                    " and has no effect"
                };
                let finding = out.emit_with_witness(
                    site.at(&pointer::child(&node.pointer, keyword)),
                    format!("`{keyword}` of {} is OpenAPI's{effect}", place::name(site, i)),
                    witness,
                );
                finding.part = Part::Key;
                finding.help = help.to_string();
            }
        }
    }
}

fn foreign(keyword: &str, value: &Value, members: &Map<String, Value>) -> Option<&'static str> {
    let is_schema = members.keys().any(|k| vocabulary::is_keyword(k) && k != "example");
    match keyword {
        "nullable" if value == &Value::Bool(true) => {
            Some("Write \"type\": [\"string\", \"null\"] (with the type at hand)")
        }
        "example" if is_schema => Some("Write \"examples\": [ … ], a list"),
        "discriminator" | "xml" | "externalDocs" if value.is_object() => {
            Some("Leave it out: nothing reads it here")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::json;

    fn found(property: Value) -> Vec<String> {
        let tool = json!([{"name": "a", "inputSchema": {"type": "object", "properties": {"p": property}}}]);
        check(&ForeignKeyword, &tool)
            .into_iter()
            .map(|f| f.pointer.replace("/tools/0/inputSchema/properties/p/", ""))
            .collect()
    }

    #[test]
    fn fires() {
        assert_eq!(
            found(json!({"type": "string", "nullable": true, "example": "x"})),
            ["nullable", "example"]
        );
    }

    #[test]
    fn is_quiet() {
        for property in [
            json!({"type": ["string", "null"], "nullable": true}),
            json!({"type": "string", "nullable": false}),
            json!({"type": "object", "properties": {"nullable": {"type": "boolean"}, "example": {"type": "string"}}}),
        ] {
            assert!(found(property.clone()).is_empty(), "{property}");
        }
    }
}
