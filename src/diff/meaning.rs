//! A schema without what refuses nothing, for a first look whether anything changed, and for digests.

use serde_json::{Map, Value};

/// Nesting beyond which schemas are taken as they are.
const MAX_DEPTH: usize = 256;

/// Keywords that refuse nothing.
const SILENT: &[&str] = &[
    "title",
    "description",
    "default",
    "example",
    "examples",
    "$comment",
    "deprecated",
    "readOnly",
    "writeOnly",
    "format",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "$schema",
];

/// `schema` without texts and other keywords that refuse nothing, lists without an order sorted.
pub(super) fn of(schema: &Value) -> Value {
    strip(schema, 0)
}

/// The same as text: equal where [`of`] is.
pub(super) fn key(schema: &Value) -> String {
    sorted_text(&of(schema))
}

/// A value as text, whatever the order of its members.
pub(super) fn sorted_text(value: &Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    value.to_string()
}

fn strip(schema: &Value, depth: usize) -> Value {
    let Value::Object(members) = schema else { return schema.clone() };
    if depth > MAX_DEPTH {
        return schema.clone();
    }
    let mut out = Map::new();
    for (keyword, value) in members {
        if SILENT.contains(&keyword.as_str()) || keyword.starts_with("x-") {
            continue;
        }
        let value = match (keyword.as_str(), value) {
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                Value::Object(members),
            ) => Value::Object(members.iter().map(|(k, v)| (k.clone(), strip(v, depth + 1))).collect()),
            ("allOf" | "anyOf" | "oneOf" | "prefixItems" | "items", Value::Array(items)) => {
                Value::Array(items.iter().map(|v| strip(v, depth + 1)).collect())
            }
            ("required" | "enum" | "type", Value::Array(items)) => sorted(items),
            (
                "items"
                | "additionalItems"
                | "unevaluatedItems"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "propertyNames"
                | "contains"
                | "not"
                | "if"
                | "then"
                | "else",
                value,
            ) => strip(value, depth + 1),
            (_, value) => value.clone(),
        };
        out.insert(keyword.clone(), value);
    }
    Value::Object(out)
}

fn sorted(items: &[Value]) -> Value {
    let mut items = items.to_vec();
    items.sort_by_cached_key(Value::to_string);
    Value::Array(items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_and_order_mean_nothing() {
        let one = json!({"type": "object", "title": "T", "properties": {"title": {"type": ["string", "null"], "description": "d"}},
            "required": ["b", "a"]});
        let two = json!({"required": ["a", "b"], "properties": {"title": {"type": ["null", "string"]}}, "type": "object"});
        assert_eq!(of(&one), of(&two));
        assert_ne!(of(&one), of(&json!({"type": "object", "properties": {}, "required": ["a", "b"]})));
    }

    #[test]
    fn data_is_left_alone() {
        let schema = json!({"enum": [{"title": "a"}], "const": {"description": "b"}});
        assert_eq!(of(&schema), schema);
    }
}
