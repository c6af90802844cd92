//! MCP-SCHEMA-REF-EXTERNAL.

use super::place;
use crate::finding::{Confidence, Impact, Severity};
use crate::pointer;
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView, say};
use crate::schema::refs::Target;
use serde_json::Value;

pub struct RefExternal;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-REF-EXTERNAL",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "a `$ref` leads to another document",
    rationale: "Clients must not fetch references over the network, and have no folder in which a relative file would \
        lie. So whatever stands behind an external `$ref` is unknown to agent and validator: the tool is refused, \
        or the value goes unchecked. Fetching would also hand whoever owns that address the power to change the \
        tool later.\n\nVerity fetches nothing either.",
    help: "Copy the definition under `$defs` of this schema and write \"$ref\": \"#/$defs/Name\"",
    bad: r#"{"tools": [{"name": "place_order", "description": "Place an order.", "inputSchema": {"type": "object",
        "properties": {"order": {"$ref": "https://schemas.example.com/order.json"}}}}]}"#,
    good: r##"{"tools": [{"name": "place_order", "description": "Place an order.", "inputSchema": {"type": "object",
        "properties": {"order": {"$ref": "#/$defs/Order"}},
        "$defs": {"Order": {"type": "object", "properties": {"sku": {"type": "string"}}}},
        "additionalProperties": false}}]}"##,
    sources: &[
        "MCP 2026-07-28, basic, JSON Schema Usage: implementations MUST NOT fetch network references by default",
    ],
};

impl Rule for RefExternal {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        for reference in site.view.references().iter().filter(|r| r.target == Target::Elsewhere) {
            let Some(node) = site.view.nodes().get(reference.node) else { continue };
            let finding = out.emit(
                site.at(&pointer::child(&node.pointer, reference.keyword)),
                format!(
                    "`{}` {} leads out of this schema, and clients fetch nothing: {} is unchecked or refused",
                    reference.keyword,
                    say::quoted(reference.uri),
                    place::name(site, reference.node)
                ),
            );
            let local = ["$defs", "definitions"].into_iter().find(|container| {
                site.view
                    .schema
                    .get(*container)
                    .and_then(Value::as_object)
                    .is_some_and(|d| d.contains_key(reference.uri))
            });
            if let Some(container) = local {
                let target = pointer::child(&format!("/{container}"), reference.uri);
                finding.help =
                    format!("Did you mean `#{target}`? A bare name is the address of another document");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::json;

    #[test]
    fn fires() {
        let tool = json!([{"name": "a", "inputSchema": {"type": "object", "properties": {
            "x": {"$ref": "https://example.org/x.json#/a"}, "y": {"$ref": "file:///etc/passwd"}, "z": {"$ref": "Address"}},
            "$defs": {"Address": {"type": "string"}}}}]);
        let found = check(&RefExternal, &tool);
        assert_eq!(found.len(), 3);
        assert!(found[2].help.contains("`#/$defs/Address`"), "{}", found[2].help);
    }

    #[test]
    fn is_quiet() {
        let tool = json!([{"name": "a", "inputSchema": {"$id": "https://example.org/tool.json", "type": "object",
            "properties": {"x": {"$ref": "https://example.org/tool.json#/$defs/a"}, "y": {"$ref": "tool.json#/$defs/a"},
                "m": {"$ref": "https://json-schema.org/draft/2020-12/schema"}, "u": {"const": {"$ref": "http://x.example"}}},
            "$defs": {"a": {"type": "string"}}}}]);
        assert!(check(&RefExternal, &tool).is_empty());
    }
}
