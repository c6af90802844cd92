//! MCP-SCHEMA-UNSATISFIABLE.

use super::{place, required_undeclared};
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView, say};
use crate::schema::empty::{self, Contradiction};
use crate::schema::witness;
use serde_json::Value;

pub struct Unsatisfiable;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-UNSATISFIABLE",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "no arguments at all are valid: the tool cannot be called",
    rationale: "The keywords at the root of the schema contradict each other, so every call is refused, whatever the \
        agent sends. The schema algebra *proves* this; the finding names the keywords that conflict, and shows the \
        arguments that an agent would try, which the judge refuses.\n\n\
        A contradiction inside one parameter is reported at that parameter (MCP-SCHEMA-PARAMETER-UNSATISFIABLE), a \
        required name that a closed object forbids by MCP-SCHEMA-REQUIRED-UNDECLARED.",
    help: "Relax or delete one of the keywords that the message names",
    bad: r#"{"tools": [{"name": "move", "description": "Move a file.", "inputSchema": {"type": "object",
        "properties": {"from": {"type": "string"}, "to": {"type": "string"}}, "required": ["from", "to"],
        "maxProperties": 1}}]}"#,
    good: r#"{"tools": [{"name": "move", "description": "Move a file.", "inputSchema": {"type": "object",
        "properties": {"from": {"type": "string"}, "to": {"type": "string"}}, "required": ["from", "to"]}}]}"#,
    sources: &["jsonschema crate, schema canonicalisation: the proof"],
};

impl Rule for Unsatisfiable {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        let forbidden = required_undeclared::forbidden(site);
        for contradiction in empty::contradictions(&site.view) {
            if !site.view.reach().is_about_the_root(contradiction.node)
                || forbidden.contains(&contradiction.node)
            {
                continue;
            }
            let Some(node) = site.view.nodes().get(contradiction.node) else { continue };
            let fatal = is_fatal(site, contradiction.node);
            let so = match (fatal, site.is_input) {
                (true, true) => "no arguments are valid, so the tool cannot be called",
                (true, false) => "no output is valid, so the tool cannot answer",
                (false, _) => "nothing satisfies this part of the schema",
            };
            let message = format!("{so}: {}", because(site, &contradiction));
            let witness = attempt(site, contradiction.node);
            let finding = out.emit_with_witness(site.at(&node.pointer), message, witness);
            if !fatal {
                finding.severity = Severity::Warning;
            }
        }
    }
}

/// "`minimum` and `maximum` exclude each other", or what `required` demands in vain.
pub(super) fn because(site: &SchemaSite<'_>, contradiction: &Contradiction) -> String {
    let Some(node) = site.view.nodes().get(contradiction.node) else { return String::new() };
    let required = node.schema.get("required").and_then(Value::as_array);
    let forbidden =
        required.into_iter().flatten().filter_map(Value::as_str).find(|name| {
            node.schema.get("properties").and_then(|p| p.get(*name)).is_some_and(empty::is_never)
        });
    if let Some(name) = forbidden {
        return format!("`required` names {}, whose schema admits no value", say::quoted(name));
    }
    let parts = place::conflict(&node.pointer, &contradiction.parts);
    let one = contradiction.parts.iter().map(|(_, k)| k.len().max(1)).sum::<usize>() == 1;
    if one { format!("{parts} admits nothing") } else { format!("{parts} exclude each other") }
}

/// Whether the emptiness of `node` empties everything around it, up to the root.
pub(super) fn is_fatal(site: &SchemaSite<'_>, node: usize) -> bool {
    let empty = site.view.empty_subschemas();
    let is_empty = |i: usize| site.view.nodes().get(i).is_some_and(|n| empty.contains_key(&n.pointer));
    site.view.reach().way(node).is_some_and(|way| way.iter().all(|(from, _)| is_empty(*from)))
}

/// The arguments that an agent would try, which the judge refuses.
pub(super) fn attempt(site: &SchemaSite<'_>, node: usize) -> Option<Value> {
    let schema = site.view.nodes().get(node)?.schema;
    let value = witness::plausible(&site.view, schema, 0);
    witness::refused(&site.view, node, &value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::json;

    fn found(schema: Value) -> Vec<(String, String, Option<Value>)> {
        check(&Unsatisfiable, &json!([{"name": "a", "inputSchema": schema}]))
            .into_iter()
            .map(|f| (f.pointer, f.message, f.witness))
            .collect()
    }

    #[test]
    fn fires_with_an_attempt() {
        let all = found(
            json!({"type": "object", "properties": {"from": {"type": "string"}, "to": {"type": "string"}},
            "required": ["from", "to"], "maxProperties": 1}),
        );
        let (at, message, witness) = &all[0];
        assert_eq!(at, "/tools/0/inputSchema");
        assert!(message.contains("`required`") && message.contains("`maxProperties`"), "{message}");
        assert_eq!(witness, &Some(json!({"from": "example", "to": "example"})));
    }

    #[test]
    fn a_required_parameter_that_admits_nothing_is_named() {
        let all = found(json!({"type": "object", "properties": {"x": {"not": {}}}, "required": ["x"]}));
        assert!(all[0].1.contains("`required` names `x`"), "{}", all[0].1);
    }

    #[test]
    fn is_quiet() {
        assert!(
            found(
                json!({"type": "object", "properties": {"x": {"minimum": 2, "maximum": 1, "type": "number"}},
            "required": ["x"]})
            )
            .is_empty(),
            "the parameter's rule says so"
        );
        assert!(
            found(json!({"type": "object", "properties": {"a": {}}, "required": ["a"], "maxProperties": 1}))
                .is_empty()
        );
    }
}
