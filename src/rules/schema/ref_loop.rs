//! MCP-SCHEMA-REF-LOOP.

use crate::finding::{Confidence, Impact, Severity};
use crate::pointer;
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView, say};
use crate::schema::refs;

pub struct RefLoop;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-REF-LOOP",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "references lead back to themselves without a step into the value",
    rationale: "A recursive schema is fine as long as each turn goes one property or item deeper: a tree of nodes. A \
        ring of `$ref`, `allOf`, `anyOf` and the like that comes back to the same value describes nothing: the \
        specification leaves it undefined, some validators recurse until they crash, others accept everything.",
    help: "Break the ring: let one of its members say what the value is, or move the reference into a property",
    bad: r##"{"tools": [{"name": "add", "description": "Add a node.", "inputSchema": {"type": "object",
        "properties": {"node": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}}]}"##,
    good: r##"{"tools": [{"name": "add", "description": "Add a node.", "inputSchema": {"type": "object",
        "properties": {"node": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"type": "object", "properties": {"child": {"$ref": "#/$defs/A"}}}},
        "additionalProperties": false}}]}"##,
    sources: &["JSON Schema 2020-12 core, 9.4.1: schemas MUST NOT run into infinite recursion"],
};

/// Rings that are reported for one schema; a hostile schema has as many as it likes.
const MOST: usize = 20;

impl Rule for RefLoop {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        let references = site.view.references();
        if references.is_empty() {
            return;
        }
        for ring in refs::rings(site.view.nodes(), references).into_iter().take(MOST) {
            let members: Vec<_> = ring.iter().filter_map(|r| references.get(*r)).collect();
            let Some(first) = members.first() else { continue };
            let Some(node) = site.view.nodes().get(first.node) else { continue };
            let uris: Vec<String> = members.iter().map(|r| say::quoted(r.uri)).collect();
            let message = match members.len() {
                1 => format!("`{}` {} leads back to itself", first.keyword, say::quoted(first.uri)),
                n => format!("{n} references lead round in a ring: {}", say::list(&uris, 4)),
            };
            out.emit(
                site.at(&pointer::child(&node.pointer, first.keyword)),
                format!("{message}, without a step into a property or an item"),
            );
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
        let ring = json!([{"name": "a", "inputSchema": {"type": "object", "properties": {"x": {"$ref": "#/$defs/A"}},
            "$defs": {"A": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/B"}]}, "B": {"$ref": "#/$defs/A"}}}}]);
        assert_eq!(check(&RefLoop, &ring).len(), 1);
        let own = json!([{"name": "a", "inputSchema": {"type": "object", "$ref": "#"}}]);
        assert_eq!(check(&RefLoop, &own)[0].pointer, "/tools/0/inputSchema/$ref");
    }

    #[test]
    fn is_quiet() {
        let tree = json!([{"name": "a", "inputSchema": {"type": "object", "properties": {"x": {"$ref": "#/$defs/A"}},
            "$defs": {"A": {"anyOf": [{"type": "null"}, {"type": "object", "additionalProperties": {"$ref": "#/$defs/A"}},
                {"items": {"$ref": "#"}}]}}}}]);
        assert!(check(&RefLoop, &tree).is_empty());
    }

    #[test]
    fn a_ring_of_ten_thousand_costs_no_stack() {
        let defs: serde_json::Map<_, _> = (0..10_000)
            .map(|i| (format!("d{i}"), json!({"$ref": format!("#/$defs/d{}", (i + 1) % 10_000)})))
            .collect();
        let tool = json!([{"name": "a", "inputSchema": {"type": "object", "$defs": defs}}]);
        assert_eq!(check(&RefLoop, &tool).len(), 1);
    }
}
