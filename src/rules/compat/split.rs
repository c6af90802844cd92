//! A schema that allows several types, written as an alternative a type.

use crate::pointer;
use crate::schema::judge::JsonType;
use crate::schema::{Dialect, vocabulary};
use serde_json::{Map, Value};

/// Writes the schema that holds the `type` (or `enum`) at `at` as an `anyOf` with one type each. What tells readers
/// of the value as a whole stays where it is. `false` where more than types, an enum and keywords about one type each
/// would have to be told apart.
pub(super) fn types(schema: &mut Value, at: &str, _: Dialect) -> bool {
    let at = ["/type", "/enum"].into_iter().find_map(|end| at.strip_suffix(end)).unwrap_or(at);
    let Some(members) = schema.pointer_mut(at).and_then(Value::as_object_mut) else { return false };
    let Some(alternatives) = alternatives(members) else { return false };
    let stays = |keyword: &String| {
        vocabulary::ANNOTATIONS.contains(&keyword.as_str())
            || !vocabulary::is_keyword(keyword)
            || matches!(keyword.as_str(), "$defs" | "definitions")
    };
    let mut out: Map<String, Value> = Map::new();
    let mut once = Some(alternatives);
    for (keyword, value) in members.iter() {
        if stays(keyword) {
            out.insert(keyword.clone(), value.clone());
        } else if let Some(alternatives) = once.take() {
            // Where the first of the keywords stood that go.
            match <[Map<String, Value>; 1]>::try_from(alternatives) {
                Ok([one]) => out.extend(one),
                Err(several) => {
                    drop(out.insert("anyOf".to_string(), several.into_iter().map(Value::Object).collect()))
                }
            }
        }
    }
    *members = out;
    true
}

/// The alternatives that the schema is made of, in the order of its types.
fn alternatives(members: &Map<String, Value>) -> Option<Vec<Map<String, Value>>> {
    let values = match members.get("enum") {
        Some(values) => Some(values.as_array()?),
        None => None,
    };
    let types: Vec<String> = match (members.get("type"), values) {
        (Some(Value::Array(types)), _) => {
            types.iter().filter_map(Value::as_str).map(str::to_string).collect()
        }
        (None, Some(values)) => of_values(values)?,
        _ => return None,
    };
    let is_plain = |keyword: &String| {
        matches!(keyword.as_str(), "type" | "enum" | "format" | "$defs" | "definitions")
            || vocabulary::about(keyword).is_some()
            || vocabulary::ANNOTATIONS.contains(&keyword.as_str())
            || !vocabulary::is_keyword(keyword)
    };
    if types.len() < 2 || !members.keys().all(is_plain) {
        return None;
    }
    let mut out = Vec::new();
    for name in &types {
        let mut one = Map::new();
        one.insert("type".to_string(), Value::from(name.as_str()));
        if let Some(values) = values {
            let own: Vec<Value> = values.iter().filter(|v| is_of(v, name, &types)).cloned().collect();
            match (own.is_empty(), name.as_str()) {
                (true, _) => continue,
                // There is one null, and two booleans.
                (false, "null") => {}
                (false, "boolean") if own.len() == 2 => {}
                _ => drop(one.insert("enum".to_string(), Value::Array(own))),
            }
        }
        let about = members.iter().filter(|(k, _)| is_about(k, name));
        one.extend(about.map(|(k, v)| (k.clone(), v.clone())));
        out.push(one);
    }
    (!out.is_empty()).then_some(out)
}

/// The types of an enum's values, in their order; `None` where a list or an object is among them.
fn of_values(values: &[Value]) -> Option<Vec<String>> {
    let mut types: Vec<String> = Vec::new();
    for value in values {
        let name = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) | Value::Object(_) => return None,
        };
        if types.iter().all(|t| t != name) {
            types.push(name.to_string());
        }
    }
    Some(types)
}

/// Whether the value is one of type `name`; an integer beside `number` is a number.
fn is_of(value: &Value, name: &str, types: &[String]) -> bool {
    match (name, value) {
        ("null", Value::Null) | ("boolean", Value::Bool(_)) | ("string", Value::String(_)) => true,
        ("array", Value::Array(_)) | ("object", Value::Object(_)) | ("number", Value::Number(_)) => true,
        ("integer", Value::Number(n)) => {
            types.iter().all(|t| t != "number") && n.as_f64().is_some_and(|n| n.fract() == 0.0)
        }
        _ => false,
    }
}

/// Whether the keyword says something of values of type `name`.
fn is_about(keyword: &str, name: &str) -> bool {
    match vocabulary::about(keyword) {
        Some(JsonType::String) => name == "string",
        Some(JsonType::Number) => matches!(name, "number" | "integer"),
        Some(JsonType::Array) => name == "array",
        Some(JsonType::Object) => name == "object",
        Some(_) => false,
        None => keyword == "format" && matches!(name, "string" | "number" | "integer"),
    }
}

/// Takes the `allOf` at `at` away by writing what its schemas say beside it; `false` where two of them say something
/// of one keyword that cannot be written once.
pub(super) fn merge_all_of(schema: &mut Value, at: &str) -> bool {
    let Some((parent, _)) = pointer::split_last(at) else { return false };
    let Some(members) = schema.pointer_mut(parent).and_then(Value::as_object_mut) else { return false };
    let Some(Value::Array(parts)) = members.get("allOf").cloned() else { return false };
    let mut out = members.clone();
    out.shift_remove("allOf");
    for part in &parts {
        let Value::Object(part) = part else { return false };
        for (keyword, value) in part {
            if !merge_member(&mut out, keyword, value) {
                return false;
            }
        }
    }
    *members = out;
    true
}

/// Adds what a second schema says of one keyword.
pub(super) fn merge_member(out: &mut Map<String, Value>, keyword: &str, value: &Value) -> bool {
    match (keyword, out.get_mut(keyword), value) {
        (_, None, _) => {
            out.insert(keyword.to_string(), value.clone());
            true
        }
        (_, Some(same), value) if same == value => true,
        ("required", Some(Value::Array(names)), Value::Array(more)) => {
            let new: Vec<Value> = more.iter().filter(|name| !names.contains(name)).cloned().collect();
            names.extend(new);
            true
        }
        ("properties", Some(Value::Object(all)), Value::Object(more)) => {
            more.iter().all(|(name, schema)| match all.get(name) {
                None => all.insert(name.clone(), schema.clone()).is_none(),
                Some(same) => same == schema,
            })
        }
        ("minimum" | "minLength" | "minItems", Some(Value::Number(bound)), Value::Number(other)) => {
            if other.as_f64() > bound.as_f64() {
                *bound = other.clone();
            }
            true
        }
        ("maximum" | "maxLength" | "maxItems", Some(Value::Number(bound)), Value::Number(other)) => {
            if other.as_f64() < bound.as_f64() {
                *bound = other.clone();
            }
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn split(mut schema: Value, at: &str) -> Option<Value> {
        types(&mut schema, at, Dialect::Draft202012).then_some(schema)
    }

    #[test]
    fn each_type_takes_what_is_about_it() {
        let schema = json!({"description": "d", "type": ["string", "integer", "null"], "minLength": 1, "minimum": 0,
            "default": null});
        let expected = json!({"description": "d", "anyOf": [{"type": "string", "minLength": 1},
            {"type": "integer", "minimum": 0}, {"type": "null"}], "default": null});
        assert_eq!(split(schema, "/type"), Some(expected));
    }

    #[test]
    fn values_go_to_their_types() {
        let schema = json!({"type": ["string", "null", "boolean"], "enum": ["a", null, "b"]});
        let expected = json!({"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}]});
        assert_eq!(split(schema, "/enum"), Some(expected));
        assert_eq!(
            split(json!({"enum": ["a", 1]}), "/enum"),
            Some(json!({"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "number", "enum": [1]}]}))
        );
        assert_eq!(
            split(json!({"type": ["string", "null"], "enum": ["a"]}), "/type"),
            Some(json!({"type": "string", "enum": ["a"]})),
            "null was never allowed"
        );
    }

    #[test]
    fn what_cannot_be_told_apart_stays() {
        for schema in [
            json!({"type": ["string", "null"], "$ref": "#/$defs/a"}),
            json!({"type": ["string", "null"], "not": {"const": "a"}}),
            json!({"type": "string"}),
            json!({"enum": [1, 2]}),
            json!({"enum": [{}, 2]}),
        ] {
            assert_eq!(split(schema, "/type"), None);
        }
    }

    #[test]
    fn demands_are_written_once() {
        let merged = |schema: &Value| {
            let mut schema = schema.clone();
            merge_all_of(&mut schema, "/allOf").then_some(schema)
        };
        let schema = json!({"description": "d", "allOf": [{"type": "object", "properties": {"a": {}}, "required": ["a"]},
            {"properties": {"b": {}}, "required": ["b", "a"]}]});
        let expected = json!({"description": "d", "type": "object", "properties": {"a": {}, "b": {}}, "required": ["a", "b"]});
        assert_eq!(merged(&schema), Some(expected));
        assert_eq!(merged(&json!({"minimum": 1, "allOf": [{"minimum": 3}]})), Some(json!({"minimum": 3})));
        assert_eq!(merged(&json!({"pattern": "a", "allOf": [{"pattern": "b"}]})), None);
        assert_eq!(merged(&json!({"allOf": [true]})), None);
    }
}
