//! MCP-SCHEMA-PROPERTY-FORBIDDEN.

use super::place;
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView, say};
use crate::schema::{Node, SchemaView, Via, witness};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

pub struct PropertyForbidden;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-PROPERTY-FORBIDDEN",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "a declared property that a closed part of the same object forbids",
    rationale: "`additionalProperties: false` knows only the `properties` beside it, not those in `allOf` or behind \
        `$ref`. A schema that extends a closed base, or closes itself over a base, therefore offers the agent properties \
        that it refuses.\n\nThe witness is a call that gives the property; the judge refuses it for that reason.",
    help: "Close the outermost schema with \"unevaluatedProperties\": false instead (2019-09 on), or repeat the names \
        in the `properties` beside `additionalProperties`",
    bad: r##"{"tools": [{"name": "add", "description": "Add a user.", "inputSchema": {"type": "object",
        "allOf": [{"$ref": "#/$defs/Base"}], "properties": {"name": {"type": "string"}}, "required": ["name"],
        "additionalProperties": false, "$defs": {"Base": {"properties": {"note": {"type": "string"}}}}}}]}"##,
    good: r##"{"tools": [{"name": "add", "description": "Add a user.", "inputSchema": {"type": "object",
        "allOf": [{"$ref": "#/$defs/Base"}], "properties": {"name": {"type": "string"}}, "required": ["name"],
        "unevaluatedProperties": false, "$defs": {"Base": {"properties": {"note": {"type": "string"}}}}}}]}"##,
    sources: &["JSON Schema, Understanding JSON Schema: Extending closed schemas"],
};

impl Rule for PropertyForbidden {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        let view = &site.view;
        if view.judge().is_err() {
            return;
        }
        let mut said = BTreeSet::new();
        for (top, closed, declared) in forbidden(view) {
            if said.len() >= MOST {
                return;
            }
            let Some((property, node)) =
                view.nodes().get(declared).and_then(|n| Some((n, view.nodes().get(closed)?)))
            else {
                continue;
            };
            let Via::Property(name) = &property.via else { continue };
            // Once a property is tried, it is done: each try costs a judgement of the whole.
            if !said.insert(declared) {
                continue;
            }
            let Some(witness) = witness_of(view, top, node, (name, property.schema)) else { continue };
            let at =
                if node.pointer.is_empty() { "the root".to_string() } else { say::quoted(&node.pointer) };
            out.emit_with_witness(
                site.at(&property.pointer),
                format!(
                    "{} can never be given: `additionalProperties: false` at {at} does not know {}",
                    place::name(site, declared),
                    say::quoted(name)
                ),
                Some(witness),
            );
        }
    }
}

/// Properties of one schema that are tried at most.
const MOST: usize = 200;
/// Declared properties that are held against closed subschemas at most.
const MOST_LOOKS: usize = 200_000;

/// A node where `allOf` or references join several parts, a closed one among them, and a property that
/// another part declares: walk indices.
fn forbidden(view: &SchemaView<'_>) -> Vec<(usize, usize, usize)> {
    let nodes = view.nodes();
    let is_closed = |i: &usize| {
        nodes.get(*i).is_some_and(|n| n.schema.get("additionalProperties") == Some(&Value::Bool(false)))
    };
    if !(0..nodes.len()).any(|i| is_closed(&i)) {
        return Vec::new();
    }
    let (mut found, mut looks) = (Vec::new(), 0);
    for (top, node) in nodes.iter().enumerate() {
        let reach = view.reach();
        if !reach.is_used(top) || reach.is_inverse(top) || view.empty_subschemas().contains_key(&node.pointer)
        {
            continue;
        }
        let parts = parts(view, top);
        for (c, closed) in parts.iter().filter(|i| is_closed(i)).filter_map(|c| Some((*c, nodes.get(*c)?))) {
            let declared = closed.schema.get("properties").and_then(Value::as_object);
            // Whether `patternProperties` has a place for the name is the judge's to say.
            let knows = |name: &str| declared.is_some_and(|d| d.contains_key(name));
            for child in parts.iter().filter(|o| **o != c).flat_map(|other| view.links().children(*other)) {
                looks += 1;
                if looks > MOST_LOOKS {
                    return found;
                }
                let name = nodes.get(*child).and_then(|n| match &n.via {
                    Via::Property(name) => Some(name),
                    _ => None,
                });
                if name.is_some_and(|name| !knows(name)) {
                    found.push((top, c, *child));
                }
            }
        }
    }
    found
}

/// Arguments that the closed subschema refuses for nothing but the property: where it can be shown, the same
/// object is accepted without it.
fn witness_of(
    view: &SchemaView<'_>,
    top: usize,
    closed: &Node<'_>,
    (name, property): (&str, &Value),
) -> Option<Value> {
    let judge = view.judge().ok()?;
    let plausible = witness::plausible(view, view.nodes().get(top)?.schema, 0);
    let full = plausible.as_object().filter(|_| witness::accepted(view, top, &plausible).is_some());
    let refuses = format!("{}/additionalProperties", closed.pointer);
    full.into_iter().cloned().chain([Map::new()]).find_map(|mut object| {
        object.insert(name.to_string(), witness::plausible(view, property, 0));
        let arguments = witness::place(view, top, Value::Object(object), true)?.arguments;
        judge.violations(&arguments).iter().any(|v| v.schema_pointer == refuses).then_some(arguments)
    })
}

/// `top` and what must hold of the same value with it: through `allOf` and references.
fn parts(view: &SchemaView<'_>, top: usize) -> BTreeSet<usize> {
    const MOST: usize = 100;
    let nodes = view.nodes();
    let mut parts = BTreeSet::from([top]);
    let mut queue = vec![top];
    while let Some(i) = queue.pop() {
        let all_of = view
            .links()
            .children(i)
            .iter()
            .filter(|c| nodes.get(**c).is_some_and(|n| matches!(n.via, Via::AllOf(_))));
        let next: Vec<usize> = all_of.chain(view.links().targets(i)).copied().collect();
        queue.extend(next.into_iter().filter(|n| parts.insert(*n)));
        if parts.len() > MOST {
            return BTreeSet::new();
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::json;

    fn found(schema: Value) -> Vec<(String, Option<Value>)> {
        check(&PropertyForbidden, &json!([{"name": "a", "inputSchema": schema}]))
            .into_iter()
            .map(|f| (f.pointer.replace("/tools/0/inputSchema", ""), f.witness))
            .collect()
    }

    #[test]
    fn fires() {
        let over_a_base = json!({"type": "object", "allOf": [{"$ref": "#/$defs/Base"}], "properties": {"name": {"type": "string"}},
            "additionalProperties": false, "$defs": {"Base": {"properties": {"note": {"type": "string"}}}}});
        assert_eq!(
            found(over_a_base),
            [("/$defs/Base/properties/note".into(), Some(json!({"note": "example"})))]
        );
        let closed_base = json!({"type": "object", "properties": {"o": {"allOf": [
            {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false},
            {"properties": {"b": {"type": "integer"}}}]}}});
        assert_eq!(
            found(closed_base),
            [("/properties/o/allOf/1/properties/b".into(), Some(json!({"o": {"b": 1}})))]
        );
    }

    #[test]
    fn is_quiet() {
        for schema in [
            json!({"type": "object", "allOf": [{"properties": {"a": {}}}], "properties": {"a": {}, "b": {}}, "additionalProperties": false}),
            json!({"type": "object", "allOf": [{"properties": {"a": {}}}], "properties": {"b": {}}, "unevaluatedProperties": false}),
            json!({"type": "object", "oneOf": [{"properties": {"a": {}}, "additionalProperties": false}, {"properties": {"b": {}}, "additionalProperties": false}]}),
            json!({"type": "object", "properties": {"o": {"type": "object", "properties": {"x": {}}, "additionalProperties": false}}, "additionalProperties": false}),
            json!({"type": "object", "allOf": [{"patternProperties": {"^x-": {}}, "additionalProperties": false, "properties": {"x-a": {}}}]}),
        ] {
            assert!(found(schema.clone()).is_empty(), "{schema}");
        }
    }
}
