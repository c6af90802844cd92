//! References by name (`$anchor`, `$dynamicRef`, `$recursiveRef`, the schema's own `$id`) written as pointers. Within
//! one resource they lead to the same place, and pointers are what the rest of this room follows.

use crate::pointer;
use crate::schema::Dialect;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Nesting beyond which a schema is taken as it is.
const MAX_DEPTH: usize = 256;

/// `schema` with plain references alone; as it is where it has none of another kind, where it holds a second resource
/// (a `$ref` may then lead elsewhere, and a `$dynamicRef` does so by the way that led to it), or one cannot be told.
pub(super) fn written_out(schema: &Value) -> Cow<'_, Value> {
    let dialect = Dialect::of(schema);
    if !mentions(schema, 0) || !matches!(dialect, Dialect::Draft201909 | Dialect::Draft202012) {
        return Cow::Borrowed(schema);
    }
    let own = schema.get("$id").and_then(Value::as_str).map(|id| id.trim_end_matches('#'));
    let mut names = BTreeMap::new();
    if !anchors(schema, "", &mut names, 0) {
        return Cow::Borrowed(schema);
    }
    let written = Rewrite { own, names, dialect }.schema(schema, 0);
    written.map_or(Cow::Borrowed(schema), Cow::Owned)
}

/// Whether anything in it is named otherwise than by a pointer. Data that looks like it only costs the attempt.
fn mentions(value: &Value, depth: usize) -> bool {
    match value {
        _ if depth > MAX_DEPTH => false,
        Value::Object(members) => members.iter().any(|(key, value)| match key.as_str() {
            "$dynamicRef" | "$recursiveRef" | "$anchor" | "$dynamicAnchor" => true,
            "$ref" => value.as_str().is_some_and(|r| r != "#" && !r.starts_with("#/")),
            _ => mentions(value, depth + 1),
        }),
        Value::Array(items) => items.iter().any(|item| mentions(item, depth + 1)),
        _ => false,
    }
}

/// The keywords whose value is data, whatever it looks like.
fn is_data(keyword: &str) -> bool {
    matches!(keyword, "const" | "enum" | "default" | "example" | "examples")
}

/// Collects what is named where. Whether each name is of one place, and the schema one resource.
fn anchors(schema: &Value, at: &str, out: &mut BTreeMap<String, String>, depth: usize) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    match schema {
        Value::Object(members) => members.iter().all(|(key, value)| match (key.as_str(), value) {
            ("$anchor" | "$dynamicAnchor", Value::String(name)) => {
                let before = out.insert(name.clone(), at.to_string());
                before.is_none_or(|before| before == at)
            }
            ("$id", Value::String(_)) if !at.is_empty() => false,
            (key, _) if is_data(key) => true,
            (key, value) => anchors(value, &pointer::child(at, key), out, depth + 1),
        }),
        Value::Array(items) => {
            items.iter().enumerate().all(|(i, item)| anchors(item, &pointer::index(at, i), out, depth + 1))
        }
        _ => true,
    }
}

struct Rewrite<'s> {
    own: Option<&'s str>,
    names: BTreeMap<String, String>,
    dialect: Dialect,
}

impl Rewrite<'_> {
    fn schema(&self, schema: &Value, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        let Value::Object(members) = schema else {
            return match schema {
                Value::Array(items) => {
                    let items: Option<Vec<Value>> =
                        items.iter().map(|item| self.schema(item, depth + 1)).collect();
                    items.map(Value::Array)
                }
                other => Some(other.clone()),
            };
        };
        let mut out = Map::new();
        for (key, value) in members {
            let (key, value) = match (key.as_str(), value.as_str()) {
                ("$anchor" | "$dynamicAnchor", Some(_)) => continue,
                ("$recursiveAnchor", None) if value.is_boolean() => continue,
                ("$id", Some(_)) if depth == 0 => continue,
                (key, Some(reference)) if self.refers(key, reference) => {
                    ("$ref", Value::String(self.target(reference)?))
                }
                (key, _) if is_data(key) => (key, value.clone()),
                (key, _) => (key, self.schema(value, depth + 1)?),
            };
            // Two references in one object would be two demands.
            if out.insert(key.to_string(), value).is_some() {
                return None;
            }
        }
        Some(Value::Object(out))
    }

    /// Whether the dialect reads the keyword as a reference.
    fn refers(&self, keyword: &str, reference: &str) -> bool {
        match keyword {
            "$ref" => true,
            "$dynamicRef" => self.dialect == Dialect::Draft202012,
            "$recursiveRef" => self.dialect == Dialect::Draft201909 && reference == "#",
            _ => false,
        }
    }

    /// The place that `reference` names, as a reference by pointer.
    fn target(&self, reference: &str) -> Option<String> {
        let (base, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        if !base.is_empty() && self.own != Some(base) {
            return None;
        }
        if fragment.is_empty() || fragment.starts_with('/') {
            return Some(format!("#{fragment}"));
        }
        let place = self.names.get(fragment)?;
        // A percent sign or a character that a fragment cannot hold would have to be encoded.
        place.bytes().all(|b| b.is_ascii_graphic() && b != b'%').then(|| format!("#{place}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_become_pointers() {
        let schema = json!({"$id": "https://x.example/a", "$defs": {"x": {"$anchor": "n", "type": "string"},
            "y": {"$dynamicAnchor": "m", "properties": {"z": {"$dynamicRef": "#m"}}}}, "properties": {
            "a": {"$ref": "#n"}, "b": {"$dynamicRef": "#n", "title": "B"}, "c": {"$ref": "https://x.example/a#/$defs/x"}},
            "default": {"$ref": "#n"}});
        let expected = json!({"$defs": {"x": {"type": "string"}, "y": {"properties": {"z": {"$ref": "#/$defs/y"}}}},
            "properties": {"a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/$defs/x", "title": "B"}, "c": {"$ref": "#/$defs/x"}},
            "default": {"$ref": "#n"}});
        assert_eq!(written_out(&schema).into_owned(), expected);
        let old = json!({"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveAnchor": true,
            "properties": {"a": {"$recursiveRef": "#"}}});
        assert_eq!(written_out(&old)["properties"]["a"], json!({"$ref": "#"}));
    }

    #[test]
    fn what_cannot_be_told_stays() {
        for schema in [
            json!({"properties": {"a": {"$ref": "#/properties/b"}}}),
            json!({"$ref": "#none"}),
            json!({"$ref": "https://elsewhere.example/a#n", "$defs": {"x": {"$anchor": "n"}}}),
            json!({"$ref": "#n", "$defs": {"x": {"$anchor": "n"}, "y": {"$anchor": "n"}}}),
            json!({"$ref": "#n", "$defs": {"x": {"$anchor": "n", "$id": "other"}}}),
            json!({"$ref": "#n", "$dynamicRef": "#n", "$defs": {"x": {"$anchor": "n"}}}),
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"$dynamicRef": "#n"}},
                "$defs": {"x": {"$anchor": "n"}}}),
        ] {
            assert_eq!(written_out(&schema).into_owned(), schema);
        }
    }
}
