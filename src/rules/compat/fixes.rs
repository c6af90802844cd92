//! The repairs that profiles name in `fix`: other words for the same, in which the client has no trouble.

use crate::pointer;
use crate::rules::fix::{self, FixKind, Fixer};
use crate::rules::schema::boolean_as_object;
use crate::schema::{Dialect, walk};
use serde_json::{Map, Value, json};

/// The repair of that name.
pub(super) fn named(name: &str) -> Option<Fixer> {
    let (does, apply): (_, fn(&mut Value, &str, Dialect) -> bool) = match name {
        "add-properties" => ("add an empty `properties`", add_properties),
        "add-items" => ("add an empty `items`", add_items),
        "add-type" => ("add the type that all values of the `enum` have", add_type),
        "boolean-schema" => ("write `{}` for `true`, `{\"not\": {}}` for `false`", boolean_as_object),
        "inline-refs" => ("write each local definition where it is used", inline_refs),
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

/// `const` as an `enum` of one value, `oneOf` as `anyOf`, an excluded bound of an integer as the next one.
/// Whether it is the same is for the algebra to say.
fn replace_keyword(schema: &mut Value, at: &str, _: Dialect) -> bool {
    let Some((members, keyword)) = fix::holder(schema, at) else { return false };
    let is_integer = members.get("type").is_some_and(|t| t == "integer");
    let bound = members.get(&keyword).and_then(Value::as_i64);
    match (keyword.as_str(), bound) {
        ("const", _) => {
            let Some(value) = members.get("const").cloned() else { return false };
            fix::rename(members, "const", "enum") && {
                members.insert("enum".to_string(), json!([value]));
                true
            }
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
        ("$ref" | "$defs" | "definitions", _) => inline_refs(schema, at, Dialect::Draft202012),
        _ => false,
    }
}

/// Bound on the size of a schema whose references are written out, in bytes of JSON.
const MAX_INLINED: usize = 256 << 10;

/// Writes every local definition where it is used and takes the definitions away; not where one refers to
/// itself, where a `$ref` stands beside other keywords, or where the schema has names of its own for places.
fn inline_refs(schema: &mut Value, _: &str, dialect: Dialect) -> bool {
    let mut out = schema.clone();
    for _ in 0..64 {
        let next = walk::walk(&out, dialect).iter().find_map(|node| {
            let target = node.schema.get("$ref")?.as_str()?;
            Some((node.pointer.clone(), target.to_string()))
        });
        let Some((place, target)) = next else {
            let Some(members) = out.as_object_mut() else { return false };
            members.shift_remove("$defs");
            members.shift_remove("definitions");
            let changed = out != *schema;
            *schema = out;
            return changed;
        };
        let Some(definition) = target.strip_prefix('#').filter(|p| !pointer::is_within(&place, p)) else {
            return false;
        };
        let Some(definition) = out.pointer(definition).cloned() else { return false };
        let Some(here) = out.pointer_mut(&place) else { return false };
        if here.as_object().is_none_or(|o| o.len() != 1) {
            return false;
        }
        *here = definition;
        if out.to_string().len() > MAX_INLINED {
            return false;
        }
    }
    false
}
