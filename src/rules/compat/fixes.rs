//! The repairs that profiles name in `fix`: other words for the same, in which the client has no trouble.

use super::{branches, inline, split};
use crate::rules::fix::{self, FixKind, Fixer};
use crate::rules::schema::boolean_as_object;
use crate::schema::Dialect;
use serde_json::{Map, Value, json};

/// The repair of that name.
pub(super) fn named(name: &str) -> Option<Fixer> {
    let (does, apply): (_, fn(&mut Value, &str, Dialect) -> bool) = match name {
        "add-properties" => ("add an empty `properties`", add_properties),
        "add-items" => ("add an empty `items`", add_items),
        "add-type" => ("add the type that all values of the `enum` have", add_type),
        "boolean-schema" => ("write `{}` for `true`, `{\"not\": {}}` for `false`", boolean_as_object),
        "inline-refs" => ("write each local definition where it is used", inline::refs),
        "split-types" => ("write an alternative (`anyOf`) for each type", split::types),
        "into-branches" => ("write what stands beside `anyOf` into each alternative", branches::into),
        "replace-keyword" => ("write it with keywords that the client has", replace_keyword),
        _ => return None,
    };
    Some(Fixer { kind: FixKind::Equal, does, apply })
}

fn object<'v>(schema: &'v mut Value, at: &str) -> Option<&'v mut Map<String, Value>> {
    schema.pointer_mut(at)?.as_object_mut()
}

fn add_properties(schema: &mut Value, at: &str, _: Dialect) -> bool {
    let Some(members) = object(schema, at) else { return false };
    !members.contains_key("properties") && members.insert("properties".to_string(), json!({})).is_none()
}

fn add_items(schema: &mut Value, at: &str, _: Dialect) -> bool {
    let Some(members) = object(schema, at) else { return false };
    !members.contains_key("items") && members.insert("items".to_string(), json!({})).is_none()
}

/// The one type of all values; integers are numbers where one of them is.
fn add_type(schema: &mut Value, at: &str, _: Dialect) -> bool {
    let at = at.strip_suffix("/enum").unwrap_or(at);
    let Some(members) = object(schema, at) else { return false };
    let Some(values) = members.get("enum").and_then(Value::as_array).filter(|v| !v.is_empty()) else {
        return false;
    };
    let kind = if values.iter().all(Value::is_string) {
        "string"
    } else if values.iter().all(|v| v.is_i64() || v.is_u64()) {
        "integer"
    } else if values.iter().all(Value::is_number) {
        "number"
    } else {
        return false;
    };
    if members.contains_key("type") {
        return false;
    }
    members.shift_insert(0, "type".to_string(), Value::from(kind));
    true
}

/// Whether a schema of keys, or of what stands under undeclared ones, refuses none.
fn takes_every_key(schema: &Value) -> bool {
    *schema == json!(true) || *schema == json!({}) || *schema == json!({"type": "string"})
}

/// `const` as an `enum` of one value, `oneOf` as `anyOf`, an excluded bound of an integer as the next one, `allOf` as
/// one schema, and what refuses nothing left out. Whether it is the same is for the algebra to say.
fn replace_keyword(schema: &mut Value, at: &str, dialect: Dialect) -> bool {
    let Some((members, keyword)) = fix::holder(schema, at) else { return false };
    let is_integer = members.get("type").is_some_and(|t| t == "integer");
    let bound = members.get(&keyword).and_then(Value::as_i64);
    match (keyword.as_str(), bound) {
        ("const", _) => {
            let Some(value) = members.get("const").cloned() else { return false };
            if !fix::rename(members, "const", "enum") {
                return false;
            }
            members.insert("enum".to_string(), json!([value]));
            // Who wants no `const` often wants a type beside an `enum`.
            let place = at.strip_suffix("/const").unwrap_or_default();
            add_type(schema, place, dialect);
            true
        }
        ("oneOf", _) => fix::rename(members, "oneOf", "anyOf"),
        ("exclusiveMinimum", Some(n)) if is_integer => {
            let Some(n) = n.checked_add(1) else { return false };
            fix::rename(members, "exclusiveMinimum", "minimum")
                && members.insert("minimum".to_string(), json!(n)).is_some()
        }
        ("exclusiveMaximum", Some(n)) if is_integer => {
            let Some(n) = n.checked_sub(1) else { return false };
            fix::rename(members, "exclusiveMaximum", "maximum")
                && members.insert("maximum".to_string(), json!(n)).is_some()
        }
        // These refuse nothing, and say nothing.
        ("additionalProperties" | "unevaluatedProperties" | "propertyNames", _)
            if members.get(&keyword).is_some_and(takes_every_key) =>
        {
            members.shift_remove(&keyword).is_some()
        }
        ("$schema", _) => members.shift_remove("$schema").is_some(),
        ("allOf", _) => split::merge_all_of(schema, at),
        ("$ref" | "$defs" | "definitions", _) => inline::refs(schema, at, dialect),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::REPAIRS;

    #[test]
    fn every_repair_that_a_profile_may_name_is_one() {
        assert!(REPAIRS.iter().all(|name| named(name).is_some()));
        assert!(named("add-item").is_none());
    }
}
