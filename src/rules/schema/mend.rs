//! The repair of schemas that are not valid: only what can have been meant in one way.

use super::meant::json_type;
use crate::pointer;
use crate::rules::fix;
use crate::schema::Dialect;
use serde_json::{Map, Value, json};

/// Mends the fault at `at`, where the value of a keyword (or an item of it) is refused.
pub(super) fn apply(schema: &mut Value, at: &str, dialect: Dialect) -> bool {
    let Some((parent, keyword)) = pointer::split_last(at) else { return false };
    if let Some((above, "type")) = pointer::split_last(parent).as_ref().map(|(a, k)| (*a, k.as_str())) {
        // An item of a list of types.
        return apply(schema, &pointer::child(above, "type"), dialect);
    }
    if keyword == "required" && schema.pointer(at).is_some_and(Value::is_boolean) {
        return required_flag(schema, parent, at);
    }
    let Some((members, _)) = fix::holder(schema, at) else { return false };
    let Some(value) = members.get(&keyword).cloned() else { return false };
    match (keyword.as_str(), &value) {
        ("type", Value::String(name)) => match json_type(name) {
            Some(kind) if kind != name => put(members, "type", Value::from(kind)),
            _ => false,
        },
        ("type", Value::Array(names)) => types(members, names),
        ("required", Value::Array(names)) if names.is_empty() => members.shift_remove("required").is_some(),
        ("required", Value::Array(names)) => put(members, "required", unique(names)),
        ("enum", Value::Array(values)) => put(members, "enum", unique(values)),
        ("items", Value::Array(_)) if dialect > Dialect::Draft201909 => tuple(members),
        ("properties", Value::Array(list)) if list.is_empty() => put(members, "properties", json!({})),
        ("exclusiveMinimum", Value::Bool(flag)) => bound(members, "exclusiveMinimum", "minimum", *flag),
        ("exclusiveMaximum", Value::Bool(flag)) => bound(members, "exclusiveMaximum", "maximum", *flag),
        (_, Value::String(text)) if takes_a_number(&keyword) => match serde_json::from_str(text.trim()) {
            Ok(number @ Value::Number(_)) => put(members, &keyword, number),
            _ => false,
        },
        ("uniqueItems", Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" => put(members, "uniqueItems", Value::Bool(true)),
            "false" => put(members, "uniqueItems", Value::Bool(false)),
            _ => false,
        },
        _ => false,
    }
}

fn put(members: &mut Map<String, Value>, keyword: &str, value: Value) -> bool {
    members.insert(keyword.to_string(), value.clone()) != Some(value)
}

fn takes_a_number(keyword: &str) -> bool {
    matches!(
        keyword,
        "minLength"
            | "maxLength"
            | "minItems"
            | "maxItems"
            | "minProperties"
            | "maxProperties"
            | "minContains"
            | "maxContains"
            | "minimum"
            | "maximum"
            | "exclusiveMinimum"
            | "exclusiveMaximum"
            | "multipleOf"
    )
}

/// The list without what stood in it before.
fn unique(values: &[Value]) -> Value {
    let mut kept: Vec<Value> = Vec::new();
    for value in values {
        if !kept.contains(value) {
            kept.push(value.clone());
        }
    }
    Value::Array(kept)
}

fn types(members: &mut Map<String, Value>, names: &[Value]) -> bool {
    let kinds: Option<Vec<Value>> =
        names.iter().map(|n| n.as_str().and_then(json_type).map(Value::from)).collect();
    match kinds.as_deref().map(unique) {
        Some(Value::Array(kinds)) if !kinds.is_empty() => put(members, "type", Value::Array(kinds)),
        _ => false,
    }
}

/// A list in `items` is `prefixItems` since 2020-12, and what was `additionalItems` is `items`.
fn tuple(members: &mut Map<String, Value>) -> bool {
    if members.get("items").and_then(Value::as_array).is_none_or(Vec::is_empty) {
        return false;
    }
    fix::rename(members, "items", "prefixItems") && {
        fix::rename(members, "additionalItems", "items");
        true
    }
}

/// Draft 4: the bound stands in `minimum`, and a flag says that it is excluded.
fn bound(members: &mut Map<String, Value>, exclusive: &str, plain: &str, flag: bool) -> bool {
    if !flag {
        return members.shift_remove(exclusive).is_some();
    }
    match members.get(plain).cloned() {
        Some(number @ Value::Number(_)) => {
            members.shift_remove(plain);
            put(members, exclusive, number)
        }
        _ => false,
    }
}

/// Draft 3: `required: true` inside a property of `…/properties/NAME`.
fn required_flag(schema: &mut Value, property: &str, at: &str) -> bool {
    let is_required = schema.pointer(at) == Some(&Value::Bool(true));
    let Some((list, name)) = pointer::split_last(property) else { return false };
    let Some((object, "properties")) = pointer::split_last(list).as_ref().map(|(o, k)| (*o, k.as_str()))
    else {
        return false;
    };
    if is_required {
        let Some(holder) = schema.pointer_mut(object).and_then(Value::as_object_mut) else { return false };
        match holder.get_mut("required") {
            None => {
                holder.insert("required".to_string(), json!([name]));
            }
            Some(Value::Array(names)) if names.iter().all(Value::is_string) => {
                if !names.contains(&Value::from(name.as_str())) {
                    names.push(Value::from(name));
                }
            }
            Some(_) => return false,
        }
    }
    fix::remove(schema, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(schema: Value, at: &str) -> Option<Value> {
        let mut mended = schema;
        apply(&mut mended, at, Dialect::Draft202012).then_some(mended)
    }

    #[test]
    fn what_was_meant() {
        let object = |p: Value, required: Value| json!({"properties": {"p": p}, "required": required});
        for (bad, at, good) in [
            (json!({"type": "float"}), "/type", Some(json!({"type": "number"}))),
            (json!({"type": "any"}), "/type", None),
            (json!({"type": "date"}), "/type", None),
            (
                json!({"type": ["str", "none", "string"]}),
                "/type/0",
                Some(json!({"type": ["string", "null"]})),
            ),
            (json!({"type": ["str", "what"]}), "/type/0", None),
            (json!({"minLength": "3"}), "/minLength", Some(json!({"minLength": 3}))),
            (json!({"minLength": "three"}), "/minLength", None),
            (
                json!({"items": [{}], "additionalItems": false}),
                "/items",
                Some(json!({"prefixItems": [{}], "items": false})),
            ),
            (
                json!({"minimum": 1, "exclusiveMinimum": true}),
                "/exclusiveMinimum",
                Some(json!({"exclusiveMinimum": 1})),
            ),
            (
                json!({"minimum": 1, "exclusiveMinimum": false}),
                "/exclusiveMinimum",
                Some(json!({"minimum": 1})),
            ),
            (json!({"exclusiveMinimum": true}), "/exclusiveMinimum", None),
            (json!({"required": ["a", "b", "a"]}), "/required", Some(json!({"required": ["a", "b"]}))),
            (
                object(json!({"required": true}), json!(["q"])),
                "/properties/p/required",
                Some(object(json!({}), json!(["q", "p"]))),
            ),
            (
                object(json!({"required": false}), json!(["q"])),
                "/properties/p/required",
                Some(object(json!({}), json!(["q"]))),
            ),
            (object(json!({"required": true}), json!("q")), "/properties/p/required", None),
        ] {
            assert_eq!(mended(bad.clone(), at), good, "{bad}");
        }
    }
}
