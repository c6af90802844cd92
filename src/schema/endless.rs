//! Recursion without an end: a definition whose every value must hold another value of the same
//! definition. Only an infinite value could satisfy it.

use super::SchemaView;
use super::judge;
use super::walk::Via;
use std::collections::BTreeSet;

/// The most recursive definitions that are asked about.
const MAX_ASKED: usize = 50;

/// Walk indices of definitions (or the root) that refer to themselves and provably admit nothing, though no
/// subschema of theirs is empty by itself. The outermost of several that need each other.
#[must_use]
pub fn definitions(view: &SchemaView<'_>) -> Vec<usize> {
    let recursive = recursive(view);
    if recursive.is_empty() || view.judge().is_err() {
        return Vec::new();
    }
    let nodes = view.nodes();
    let places: Vec<&str> =
        recursive.iter().filter_map(|i| nodes.get(*i)).map(|n| n.pointer.as_str()).collect();
    let nothing = judge::accept_nothing(view.schema, view.dialect, &places).unwrap_or_default();
    let known = view.empty_subschemas();
    let mut found: Vec<usize> = Vec::new();
    for (i, _) in recursive.into_iter().zip(nothing).filter(|(_, nothing)| *nothing) {
        let is_known = nodes.get(i).is_none_or(|n| known.contains_key(&n.pointer));
        let needed = found.iter().any(|f| reaches(view, *f, i));
        if !is_known && !needed {
            found.push(i);
        }
    }
    found
}

/// Targets of references that lead back to themselves, by way of the values below.
fn recursive(view: &SchemaView<'_>) -> Vec<usize> {
    let nodes = view.nodes();
    let candidates: Vec<usize> = nodes
        .iter()
        .enumerate()
        .filter(|(i, n)| {
            matches!(n.via, Via::Definition(_) | Via::Root) && !view.links().referrers(*i).is_empty()
        })
        .filter(|(i, n)| {
            view.reach().is_used(*i) && n.schema.get("required").is_some()
                || n.schema.get("minItems").is_some()
        })
        .map(|(i, _)| i)
        .take(MAX_ASKED)
        .collect();
    candidates.into_iter().filter(|i| reaches(view, *i, *i)).collect()
}

/// Whether `to` is reached from `from` in at least one step, over children and references.
fn reaches(view: &SchemaView<'_>, from: usize, to: usize) -> bool {
    let links = view.links();
    let mut seen = BTreeSet::new();
    let mut queue = vec![from];
    while let Some(at) = queue.pop() {
        for next in links.children(at).iter().chain(links.targets(at)) {
            if *next == to {
                return true;
            }
            if seen.insert(*next) {
                queue.push(*next);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn found(schema: &Value) -> Vec<String> {
        let view = SchemaView::new(schema);
        definitions(&view).into_iter().map(|i| view.nodes()[i].pointer.clone()).collect()
    }

    fn tool(node: Value) -> Value {
        json!({"type": "object", "properties": {"tree": {"$ref": "#/$defs/n"}}, "required": ["tree"], "$defs": {"n": node}})
    }

    #[test]
    fn without_an_end() {
        let list =
            json!({"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#/$defs/n"}}});
        assert_eq!(found(&tool(list)), ["/$defs/n"]);
        let items = json!({"type": "object", "required": ["l"],
            "properties": {"l": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/n"}}}});
        assert_eq!(found(&tool(items)), ["/$defs/n"]);
    }

    #[test]
    fn with_an_end() {
        for node in [
            json!({"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}}),
            json!({"type": "object", "required": ["next"], "properties": {"next": {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]}}}),
            json!({"type": "object", "required": ["l"], "properties": {"l": {"type": "array", "items": {"$ref": "#/$defs/n"}}}}),
        ] {
            assert!(found(&tool(node.clone())).is_empty(), "{node}");
        }
    }
}
