//! MCP-SCHEMA-REF-DANGLING.

use super::place;
use crate::finding::{Confidence, Impact, Severity};
use crate::pointer;
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView, say};
use crate::schema::SchemaView;
use crate::schema::refs::{Reference, Target};
use serde_json::Value;

pub struct RefDangling;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-REF-DANGLING",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "a `$ref` leads to nothing in this schema",
    rationale: "Each `inputSchema` and `outputSchema` is a document of its own: `#/…` starts at *its* root, not at the \
        file's. A reference that leads nowhere makes the schema uncompilable: clients drop the tool, or the \
        constraint. It usually comes from a schema that was cut out of a larger one (OpenAPI's \
        `#/components/schemas/…`), or from definitions that were stripped.\n\n\
        Resolved as the judge does it: escaped and percent-encoded pointers, anchors, `$id`.",
    help: "Put the definition under `$defs` in the same schema and point at it (#/$defs/Name), or inline it",
    bad: r##"{"tools": [{"name": "add", "description": "Add a contact.", "inputSchema": {"type": "object",
        "properties": {"address": {"$ref": "#/components/schemas/Address"}}}}]}"##,
    good: r##"{"tools": [{"name": "add", "description": "Add a contact.", "inputSchema": {"type": "object",
        "properties": {"address": {"$ref": "#/$defs/Address"}},
        "$defs": {"Address": {"type": "object", "properties": {"city": {"type": "string"}}}},
        "additionalProperties": false}}]}"##,
    sources: &["MCP 2026-07-28, basic, JSON Schema Usage: unresolvable references SHOULD be refused"],
};

impl Rule for RefDangling {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        for reference in site.view.references().iter().filter(|r| r.target == Target::Nowhere) {
            let Some(node) = site.view.nodes().get(reference.node) else { continue };
            let used = site.view.reach().is_used(reference.node);
            let of = if used {
                format!(", so {} cannot be checked", place::name(site, reference.node))
            } else {
                String::new()
            };
            let why = why(&site.view, reference);
            let finding = out.emit(
                site.at(&pointer::child(&node.pointer, reference.keyword)),
                format!("`{}` {} {why}{of}", reference.keyword, say::quoted(reference.uri)),
            );
            if !used {
                finding.severity = Severity::Warning;
            }
            if let Some(meant) = meant(&site.view, reference.uri) {
                finding.help = meant;
            }
        }
    }
}

/// Definitions among which a guess is made.
const MAX_NAMES: usize = 300;

fn why(view: &SchemaView<'_>, reference: &Reference<'_>) -> String {
    match reference.uri.strip_prefix('#').and_then(|p| view.schema.pointer(p)) {
        Some(value) => format!("leads to {}, not to a schema", say::kind(value)),
        None => "leads to nothing in this schema".to_string(),
    }
}

/// A definition of the same name, or where OpenAPI's components go.
fn meant(view: &SchemaView<'_>, uri: &str) -> Option<String> {
    let (_, name) = pointer::split_last(uri.split_once('#').map_or("", |(_, p)| p))
        .or_else(|| uri.strip_prefix('#').map(|anchor| ("", anchor.to_string())))?;
    for container in ["$defs", "definitions"] {
        let names = view.schema.get(container).and_then(Value::as_object);
        let names = names.filter(|n| n.len() <= MAX_NAMES);
        let near = names.and_then(|n| crate::suggest::closest(&name, n.keys().map(String::as_str)));
        if let Some(near) = near {
            let target = pointer::child(&format!("/{container}"), near);
            return Some(format!("Did you mean `#{target}`?"));
        }
    }
    uri.starts_with("#/components/").then(|| {
        format!(
            "OpenAPI's `components` do not exist here: copy `{name}` to `$defs` of this schema and write \
             \"$ref\": \"#/$defs/{name}\""
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::json;

    #[test]
    fn fires_once_a_reference() {
        let tool = json!([{"name": "a", "inputSchema": {"type": "object", "properties": {
            "x": {"$ref": "#/$defs/Adress"}, "y": {"$ref": "#nowhere"}, "z": {"$ref": "#/components/schemas/Z"}},
            "$defs": {"Address": {"type": "string"}, "Unused": {"$ref": "#/none"}}}}]);
        let found = check(&RefDangling, &tool);
        let at: Vec<_> = found.iter().map(|f| (f.pointer.as_str(), f.severity)).collect();
        assert_eq!(
            at,
            [
                ("/tools/0/inputSchema/properties/x/$ref", Severity::Error),
                ("/tools/0/inputSchema/properties/y/$ref", Severity::Error),
                ("/tools/0/inputSchema/properties/z/$ref", Severity::Error),
                ("/tools/0/inputSchema/$defs/Unused/$ref", Severity::Warning)
            ]
        );
        assert!(found[0].help.contains("`#/$defs/Address`"), "{}", found[0].help);
        assert!(found[2].help.contains("OpenAPI"), "{}", found[2].help);
    }

    #[test]
    fn is_quiet() {
        let tool = json!([{"name": "a", "inputSchema": {"type": "object", "properties": {
            "x": {"$ref": "#/$defs/a~1b"}, "y": {"$ref": "#"}, "z": {"$ref": "#/odd/place"},
            "$ref": {"type": "string"}, "d": {"default": {"$ref": "#/nothing"}}, "e": {"$ref": "http://example.org/x"}},
            "odd": {"place": {"type": "string"}}, "$defs": {"a/b": true}}}]);
        assert!(check(&RefDangling, &tool).is_empty());
    }
}
