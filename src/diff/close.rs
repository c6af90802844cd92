//! Schemas made of schemas, to ask the algebra and the generator about: only what was declared; undeclared keys
//! tolerated; accepted here and refused there.

use super::places::{self, At, Place};
use crate::schema::judge::{Algebra, Formats, Proof};
use crate::schema::{Dialect, references};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Subschemas beyond which nothing is made.
const MAX_NODES: usize = 4_000;
const MAX_DEPTH: usize = 64;

/// `schema` with every object closed to what is declared in its place; `None` where that cannot be written.
pub(super) fn closed(schema: &Value) -> Option<Value> {
    let mut close = Close { root: schema, left: MAX_NODES, only_definitions: true };
    let place = Place::root(schema);
    let out = close.place(&place, schema, 0)?;
    // Where a schema was wrapped, pointers through it lead elsewhere.
    let moved = !close.only_definitions;
    (!moved || refers_to_definitions_alone(schema)).then_some(out)
}

struct Close<'s> {
    root: &'s Value,
    left: usize,
    /// No schema was wrapped.
    only_definitions: bool,
}

impl<'s> Close<'s> {
    /// `schema`, which stands alone for a place of an instance.
    fn place(&mut self, place: &Place<'s>, schema: &'s Value, depth: usize) -> Option<Value> {
        let Value::Object(mut members) = self.inside(place, schema, depth)? else {
            return Some(schema.clone());
        };
        if place.is_map() || place.is_free() {
            return Some(Value::Object(members));
        }
        let is_simple = place.all.len() == 1;
        if is_simple {
            // Names that are required and described nowhere stay possible.
            let patterns: Vec<&String> = schema
                .get("patternProperties")
                .and_then(Value::as_object)
                .into_iter()
                .flat_map(Map::keys)
                .collect();
            for name in place.demanded() {
                if !patterns.iter().any(|pattern| places::matches(pattern, name)) {
                    let properties = members.entry("properties").or_insert_with(|| json!({}));
                    if let Some(properties) = properties.as_object_mut() {
                        properties.entry(name).or_insert_with(|| json!({}));
                    }
                }
            }
            members.insert("additionalProperties".to_string(), Value::Bool(false));
            return Some(Value::Object(members));
        }
        self.only_definitions = false;
        let mut out = Map::new();
        for keyword in ["$schema", "$defs", "definitions"] {
            if let Some(value) = members.shift_remove(keyword) {
                out.insert(keyword.to_string(), value);
            }
        }
        let names = place.names().into_iter().chain(place.demanded());
        let names = names.map(|n| (n.to_string(), json!({}))).collect();
        let patterns =
            place.all.iter().flat_map(|at| at.schema.get("patternProperties").and_then(Value::as_object));
        let patterns: Map<String, Value> = patterns.flatten().map(|(p, _)| (p.clone(), json!({}))).collect();
        out.insert("allOf".to_string(), json!([members]));
        out.insert("properties".to_string(), Value::Object(names));
        if !patterns.is_empty() {
            out.insert("patternProperties".to_string(), Value::Object(patterns));
        }
        out.insert("additionalProperties".to_string(), Value::Bool(false));
        Some(Value::Object(out))
    }

    /// `schema` with the places below it closed, itself left as it is. `place` is where it stands.
    fn inside(&mut self, place: &Place<'s>, schema: &'s Value, depth: usize) -> Option<Value> {
        let Value::Object(members) = schema else { return Some(schema.clone()) };
        self.left = self.left.checked_sub(1)?;
        if depth > MAX_DEPTH {
            return None;
        }
        let mut out = Map::new();
        for (keyword, value) in members {
            let value = match (keyword.as_str(), value) {
                ("properties", Value::Object(members)) => self.each(members, |close, name, schema| {
                    close.place(&place.member(name), schema, depth + 1)
                })?,
                ("$defs" | "definitions", Value::Object(members)) => {
                    self.each(members, |close, _, schema| {
                        let alone = Place::of(close.root, At { pointer: String::new(), schema });
                        close.inside(&alone, schema, depth + 1)
                    })?
                }
                ("patternProperties", Value::Object(members)) => self.each(members, |close, _, schema| {
                    let alone = Place::of(close.root, At { pointer: String::new(), schema });
                    close.place(&alone, schema, depth + 1)
                })?,
                ("additionalProperties" | "items", schema @ Value::Object(_)) => {
                    let alone = Place::of(self.root, At { pointer: String::new(), schema });
                    self.place(&alone, schema, depth + 1)?
                }
                ("allOf" | "anyOf" | "oneOf", Value::Array(items)) => {
                    let items: Option<Vec<Value>> =
                        items.iter().map(|schema| self.inside(place, schema, depth + 1)).collect();
                    Value::Array(items?)
                }
                ("prefixItems" | "items", Value::Array(items)) => {
                    let close = |schema| {
                        let alone = Place::of(self.root, At { pointer: String::new(), schema });
                        self.place(&alone, schema, depth + 1)
                    };
                    let items: Option<Vec<Value>> = items.iter().map(close).collect();
                    Value::Array(items?)
                }
                (_, value) => value.clone(),
            };
            out.insert(keyword.clone(), value);
        }
        Some(Value::Object(out))
    }

    fn each(
        &mut self,
        members: &'s Map<String, Value>,
        mut work: impl FnMut(&mut Self, &str, &'s Value) -> Option<Value>,
    ) -> Option<Value> {
        let mut out = Map::new();
        for (name, schema) in members {
            out.insert(name.clone(), work(self, name, schema)?);
        }
        Some(Value::Object(out))
    }
}

/// `schema` with closed objects opened, where that only adds values.
pub(super) fn opened(schema: &Value, depth: usize) -> Value {
    let Value::Object(members) = schema else { return schema.clone() };
    if depth > MAX_DEPTH {
        return schema.clone();
    }
    let mut out = Map::new();
    for (keyword, value) in members {
        let value = match (keyword.as_str(), value) {
            ("additionalProperties" | "unevaluatedProperties", Value::Bool(false)) => continue,
            ("properties" | "patternProperties" | "$defs" | "definitions", Value::Object(members)) => {
                Value::Object(members.iter().map(|(k, v)| (k.clone(), opened(v, depth + 1))).collect())
            }
            ("items" | "additionalProperties", Value::Object(_)) => opened(value, depth + 1),
            ("items" | "prefixItems", Value::Array(items)) => {
                Value::Array(items.iter().map(|v| opened(v, depth + 1)).collect())
            }
            (_, value) => value.clone(),
        };
        out.insert(keyword.clone(), value);
    }
    Value::Object(out)
}

/// Values in a schema once every local reference is written out, beyond which the algebra is not asked to compare it.
/// Definitions that name the next one twice double with each.
const MAX_UNFOLDED: u64 = 100_000;

/// Whether `schema` stays small when its local references are written out; one that comes back to itself counts once.
pub(super) fn unfolds_small(schema: &Value) -> bool {
    fn size<'s>(root: &'s Value, at: &'s Value, known: &mut BTreeMap<&'s str, u64>, depth: usize) -> u64 {
        if depth > 4 * MAX_DEPTH {
            return MAX_UNFOLDED;
        }
        let below: u64 = match at {
            Value::Object(members) => members
                .iter()
                .filter(|(key, _)| !matches!(key.as_str(), "$defs" | "definitions"))
                .fold(0, |sum, (_, value)| sum.saturating_add(size(root, value, known, depth + 1))),
            Value::Array(items) => {
                items.iter().fold(0, |sum, item| sum.saturating_add(size(root, item, known, depth + 1)))
            }
            _ => 0,
        };
        let Some(reference) = at.get("$ref").and_then(Value::as_str) else { return below.saturating_add(1) };
        let there = match known.get(reference) {
            Some(there) => *there,
            None => {
                known.insert(reference, 1);
                let target = references::local(root, reference);
                let there = target.map_or(1, |target| size(root, target, known, depth + 1));
                known.insert(reference, there);
                there
            }
        };
        below.saturating_add(there)
    }
    size(schema, schema, &mut BTreeMap::new(), 0) <= MAX_UNFOLDED
}

/// A schema of what `from` accepts and `to` refuses; `None` where references forbid to embed them.
pub(super) fn difference(from: &Value, to: &Value) -> Option<Value> {
    let mut out = json!({"allOf": [moved(from, "#/allOf/0", 0)?, {"not": moved(to, "#/allOf/1/not", 0)?}]});
    if let (Some(out), Some(dialect)) = (out.as_object_mut(), from.get("$schema")) {
        out.insert("$schema".to_string(), dialect.clone());
    }
    Some(out)
}

/// `schema` for another place in a document. Data that looks like a reference only costs the attempt.
fn moved(schema: &Value, to: &str, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    Some(match schema {
        Value::Object(members) => {
            let mut out = Map::new();
            for (keyword, value) in members {
                let value = match (keyword.as_str(), value) {
                    ("$schema", Value::String(_)) => continue,
                    (
                        "$id" | "id" | "$anchor" | "$dynamicRef" | "$dynamicAnchor" | "$recursiveRef",
                        Value::String(_),
                    ) => {
                        return None;
                    }
                    ("$ref", Value::String(reference)) => {
                        let pointer = reference.strip_prefix('#')?;
                        if !pointer.is_empty() && !pointer.starts_with('/') {
                            return None;
                        }
                        Value::String(format!("{to}{pointer}"))
                    }
                    (_, value) => moved(value, to, depth + 1)?,
                };
                out.insert(keyword.clone(), value);
            }
            Value::Object(out)
        }
        Value::Array(items) => {
            let items: Option<Vec<Value>> = items.iter().map(|v| moved(v, to, depth + 1)).collect();
            Value::Array(items?)
        }
        other => other.clone(),
    })
}

fn refers_to_definitions_alone(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members.iter().all(|(keyword, value)| match (keyword.as_str(), value) {
            ("$ref", Value::String(reference)) => {
                reference.starts_with("#/$defs/") || reference.starts_with("#/definitions/")
            }
            ("$id" | "$anchor" | "$dynamicRef" | "$recursiveRef", Value::String(_)) => false,
            (_, value) => refers_to_definitions_alone(value),
        }),
        Value::Array(items) => items.iter().all(refers_to_definitions_alone),
        _ => true,
    }
}

/// Whether `schema` means the same in every dialect: then two dialects can be compared.
pub(super) fn is_portable(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members.iter().all(|(keyword, value)| {
            let differs = match keyword.as_str() {
                "items" => value.is_array(),
                "exclusiveMinimum" | "exclusiveMaximum" => !value.is_number(),
                "$ref" => members.len() > 1 && value.is_string(),
                "prefixItems"
                | "additionalItems"
                | "unevaluatedItems"
                | "unevaluatedProperties"
                | "contains"
                | "dependencies"
                | "dependentRequired"
                | "dependentSchemas"
                | "if"
                | "$id"
                | "id"
                | "$dynamicRef"
                | "$anchor"
                | "$recursiveRef" => !value.is_object() || keyword != "id",
                _ => false,
            };
            !differs && is_portable(value)
        }),
        Value::Array(items) => items.iter().all(is_portable),
        _ => true,
    }
}

/// The dialect in which both can be compared.
pub(super) fn common_dialect(one: &Value, two: &Value) -> Option<Dialect> {
    let (a, b) = (Dialect::of(one), Dialect::of(two));
    let same = a == b || is_portable(one) && is_portable(two);
    same.then_some(b)
}

/// `schema` without its own `$schema`, so that the caller says which dialect holds.
pub(super) fn undeclared_dialect(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(members) = schema.as_object_mut() {
        members.shift_remove("$schema");
    }
    schema
}

/// Whether `to` provably accepts all that `from` accepts, or all objects of it.
pub(super) fn covers(
    to: &Value,
    from: &Value,
    dialect: Dialect,
    only_objects: bool,
) -> Result<Proof, String> {
    if !unfolds_small(to) || !unfolds_small(from) {
        return Err(
            "its definitions name each other so often that no comparison of all cases ends".to_string()
        );
    }
    let set = |schema: &Value| {
        let schema = undeclared_dialect(schema);
        Algebra::of(&schema, dialect, Formats::Annotate).map_err(|e| e.to_string())
    };
    let (to, mut from) = (set(to)?, set(from)?);
    if only_objects {
        from = from.and(&set(&json!({"type": "object"}))?).unwrap_or(from);
    }
    Ok(to.covers(&from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_closed_in_their_places() {
        let schema = json!({"properties": {"a": {"properties": {"b": {}}}, "free": {"type": "object"}}});
        let expected = json!({"properties": {"a": {"properties": {"b": {"additionalProperties": false}}, "additionalProperties": false},
            "free": {"type": "object"}}, "additionalProperties": false});
        let closed = closed(&schema).unwrap();
        assert_eq!(closed["properties"]["a"]["additionalProperties"], false);
        assert_eq!(closed["properties"]["free"], expected["properties"]["free"]);
        assert_eq!(closed["additionalProperties"], false);
        assert!(closed["properties"]["a"]["properties"]["b"].get("additionalProperties").is_none());
    }

    #[test]
    fn unions_are_closed_from_outside() {
        let schema = json!({"anyOf": [{"properties": {"a": {}}}, {"$ref": "#/$defs/b"}],
            "$defs": {"b": {"properties": {"b": {}}}}});
        let closed = closed(&schema).unwrap();
        assert_eq!(closed["additionalProperties"], false);
        assert_eq!(closed["properties"], json!({"a": {}, "b": {}}));
        assert_eq!(closed["$defs"], schema["$defs"]);
    }

    #[test]
    fn references_move_with_their_schema() {
        let made =
            difference(&json!({"$ref": "#/$defs/a", "$defs": {"a": {}}}), &json!({"$ref": "#"})).unwrap();
        assert_eq!(made["allOf"][0]["$ref"], "#/allOf/0/$defs/a");
        assert_eq!(made["allOf"][1]["not"]["$ref"], "#/allOf/1/not");
        assert!(difference(&json!({"$ref": "other.json"}), &json!({})).is_none());
    }
}
