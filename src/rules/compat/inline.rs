//! Definitions written where they are used.

use super::split;
use crate::schema::{Dialect, vocabulary};
use serde_json::{Map, Value};

/// Bound on what is written in place of references, in values of JSON: what is larger than this helps no agent.
const MAX_VALUES: usize = 4_000;
/// Nesting of a schema, and of references in what references lead to.
const MAX_DEPTH: usize = 64;

/// Writes every local definition where it is used and takes the definitions away; not where one refers to
/// itself, where what stands beside a `$ref` says something else, or where the schema has names of its own for places.
pub(super) fn refs(schema: &mut Value, _: &str, _: Dialect) -> bool {
    let mut left = MAX_VALUES;
    let Some(mut out) = written(schema, schema, 0, &mut left) else { return false };
    let Some(members) = out.as_object_mut() else { return false };
    members.shift_remove("$defs");
    members.shift_remove("definitions");
    let changed = out != *schema;
    *schema = out;
    changed
}

/// `value`, a part of `root`, without references.
fn written(root: &Value, value: &Value, depth: usize, left: &mut usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None; // a definition that leads back to itself gets here
    }
    *left = left.checked_sub(1)?;
    match value {
        Value::Object(members) => {
            let mut out = Map::new();
            for (keyword, value) in members {
                // Definitions of the root go away; data is no schema.
                let is_kept = depth == 0 && matches!(keyword.as_str(), "$defs" | "definitions")
                    || matches!(keyword.as_str(), "const" | "enum" | "default" | "example" | "examples");
                let value = if is_kept { value.clone() } else { written(root, value, depth + 1, left)? };
                out.insert(keyword.clone(), value);
            }
            let Some(reference) = members.get("$ref").and_then(Value::as_str) else {
                return Some(Value::Object(out));
            };
            let target = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer))?;
            beside(&out, written(root, target, depth + 1, left)?)
        }
        Value::Array(items) => {
            let items: Option<Vec<Value>> = items.iter().map(|v| written(root, v, depth + 1, left)).collect();
            items.map(Value::Array)
        }
        other => Some(other.clone()),
    }
}

/// The definition with what stands beside the `$ref` to it. A text of the place itself stands for that of the
/// definition, as it does for who reads both.
fn beside(members: &Map<String, Value>, definition: Value) -> Option<Value> {
    if members.len() == 1 {
        return Some(definition);
    }
    let Value::Object(mut definition) = definition else { return None };
    let mut out = Map::new();
    for (keyword, value) in members {
        if keyword == "$ref" {
            for (keyword, value) in std::mem::take(&mut definition) {
                let is_said =
                    vocabulary::ANNOTATIONS.contains(&keyword.as_str()) && members.contains_key(&keyword);
                if !is_said && !split::merge_member(&mut out, &keyword, &value) {
                    return None;
                }
            }
        } else if !split::merge_member(&mut out, keyword, value) {
            return None;
        }
    }
    Some(Value::Object(out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn inlined(mut schema: Value) -> Option<Value> {
        refs(&mut schema, "", Dialect::Draft202012).then_some(schema)
    }

    #[test]
    fn definitions_go_where_they_are_used() {
        let schema = json!({"properties": {"a": {"$ref": "#/$defs/x"}, "b": {"items": {"$ref": "#/$defs/y"}}},
            "$defs": {"x": {"type": "string"}, "y": {"properties": {"z": {"$ref": "#/$defs/x"}}}}});
        let expected = json!({"properties": {"a": {"type": "string"}, "b": {"items": {"properties": {"z": {"type": "string"}}}}}});
        assert_eq!(inlined(schema), Some(expected));
    }

    #[test]
    fn what_stands_beside_is_kept() {
        let schema = json!({"properties": {"a": {"description": "here", "$ref": "#/$defs/x", "minLength": 2}},
            "$defs": {"x": {"type": "string", "description": "there"}}});
        let expected =
            json!({"properties": {"a": {"description": "here", "type": "string", "minLength": 2}}});
        assert_eq!(inlined(schema), Some(expected));
        let clash = json!({"properties": {"a": {"pattern": "a", "$ref": "#/$defs/x"}}, "$defs": {"x": {"pattern": "b"}}});
        assert_eq!(inlined(clash), None);
    }

    #[test]
    fn loops_stay() {
        assert_eq!(inlined(json!({"properties": {"a": {"$ref": "#"}}})), None);
        let two = json!({"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/b"}}, "b": {"items": {"$ref": "#/$defs/a"}}}});
        assert_eq!(inlined(two), None);
    }
}
