//! What a schema gets wrong by its dialect's metaschema, each fault once and at its exact place.
//!
//! A metaschema says `anyOf` at `items` for a misspelt type three levels below, and repeats one fault
//! for each vocabulary. So each subschema is held against the metaschema alone, with the
//! subschemas below it replaced by `{}`: what is said then is about its own keywords.

use super::dialect::Dialect;
use super::judge::{self, Violation};
use super::refs::Links;
use super::walk::Node;
use crate::pointer;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The most subschemas of one schema that are looked at one by one.
const MAX_NODES: usize = 5_000;

/// Every fault: keyword of the metaschema, place (as `instance_pointer`) and message; in document order.
#[must_use]
pub fn faults(schema: &Value, dialect: Dialect, nodes: &[Node<'_>]) -> Vec<Violation> {
    let embedded = nodes.iter().any(|n| n.dialect != dialect);
    let whole = judge::metaschema_violations(schema, dialect);
    if whole.is_empty() && !embedded {
        return whole;
    }
    let mut found: Vec<Violation> = Vec::new();
    let links = Links::of(nodes, &[]);
    for (i, node) in nodes.iter().enumerate().take(MAX_NODES) {
        let Some(members) = node.schema.as_object() else { continue };
        let below: BTreeSet<&str> =
            links.children(i).iter().filter_map(|c| nodes.get(*c)).map(|c| c.pointer.as_str()).collect();
        let alone = hollow(members, &node.pointer, &below);
        for mut v in judge::metaschema_violations(&alone, node.dialect) {
            v.instance_pointer = format!("{}{}", node.pointer, v.instance_pointer);
            found.push(v);
        }
    }
    if found.is_empty() && !embedded {
        found = whole;
    }
    once_a_place(found)
}

/// The members of a schema, with each subschema directly below replaced by `{}`.
fn hollow(members: &Map<String, Value>, at: &str, below: &BTreeSet<&str>) -> Value {
    let mut alone = Map::new();
    for (keyword, value) in members {
        let place = pointer::child(at, keyword);
        let value = if below.contains(place.as_str()) {
            Value::Object(Map::new())
        } else {
            match value {
                Value::Object(entries) => Value::Object(
                    entries
                        .iter()
                        .map(|(k, v)| (k.clone(), hollow_entry(v, &pointer::child(&place, k), below)))
                        .collect(),
                ),
                Value::Array(entries) => Value::Array(
                    entries
                        .iter()
                        .enumerate()
                        .map(|(i, v)| hollow_entry(v, &pointer::index(&place, i), below))
                        .collect(),
                ),
                other => other.clone(),
            }
        };
        alone.insert(keyword.clone(), value);
    }
    Value::Object(alone)
}

fn hollow_entry(value: &Value, place: &str, below: &BTreeSet<&str>) -> Value {
    if below.contains(place) { Value::Object(Map::new()) } else { value.clone() }
}

/// The first violation at each place; places in document order already.
fn once_a_place(found: Vec<Violation>) -> Vec<Violation> {
    let mut seen = BTreeSet::new();
    found.into_iter().filter(|v| seen.insert(v.instance_pointer.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::walk::walk;
    use serde_json::json;

    fn places(schema: &Value) -> Vec<String> {
        let dialect = Dialect::of(schema);
        faults(schema, dialect, &walk(schema, dialect)).into_iter().map(|v| v.instance_pointer).collect()
    }

    #[test]
    fn each_fault_once_at_its_place() {
        let schema = json!({"type": "object", "properties": {
            "p": {"type": "float"},
            "q": {"required": true, "type": "string"},
            "r": {"type": "array", "items": [{}]},
            "s": {"type": ["string", "string"]},
            "t": "string",
            "type": {"exclusiveMinimum": true}}});
        assert_eq!(
            places(&schema),
            [
                "/properties/t",
                "/properties/p/type",
                "/properties/q/required",
                "/properties/r/items",
                "/properties/s/type",
                "/properties/type/exclusiveMinimum"
            ]
        );
    }

    #[test]
    fn below_an_any_of_of_the_metaschema() {
        let schema = json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
            "properties": {"p": {"type": "array", "items": {"type": "float"}}}});
        assert_eq!(places(&schema), ["/properties/p/items/type"]);
    }

    #[test]
    fn by_the_dialect_that_a_subschema_declares() {
        let old = "http://json-schema.org/draft-07/schema#";
        let tuple = |declares: bool| {
            let mut a = json!({"items": [{"type": "string"}], "minimum": "x"});
            if declares {
                a["$schema"] = json!(old);
            }
            json!({"properties": {"a": a}})
        };
        assert_eq!(places(&tuple(true)), ["/properties/a/minimum"]);
        assert_eq!(places(&tuple(false)), ["/properties/a/items", "/properties/a/minimum"]);
    }

    #[test]
    fn valid_schemas_have_none() {
        assert!(places(&json!({"properties": {"type": {"type": "string"}, "required": true}})).is_empty());
    }
}
