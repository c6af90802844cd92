//! An `anyOf` by itself: what stands beside it, written into its alternatives.

use super::split::merge_member;
use crate::schema::Dialect;
use serde_json::{Map, Value};

/// Members that speak of the document, or that only the root can have.
const STAY: &[&str] =
    &["$schema", "$id", "id", "$defs", "definitions", "$vocabulary", "$anchor", "$dynamicAnchor"];

/// Writes what stands beside the `anyOf` of the schema at `at` into each alternative; a `default` and `examples` into
/// the first one of their type. `false` where two would say something of one keyword that cannot be written once, or
/// where nothing would have left.
pub(super) fn into(schema: &mut Value, at: &str, _: Dialect) -> bool {
    let Some(members) = schema.pointer_mut(at).and_then(Value::as_object_mut) else { return false };
    let Some(Value::Array(branches)) = members.get("anyOf").cloned() else { return false };
    let mut out = Map::new();
    let mut beside = Vec::new();
    for (keyword, value) in members.iter().filter(|(keyword, _)| *keyword != "anyOf") {
        match STAY.contains(&keyword.as_str()) {
            true => drop(out.insert(keyword.clone(), value.clone())),
            false => beside.push((keyword, value)),
        }
    }
    if beside.is_empty() {
        return false;
    }
    let mut filled = Vec::new();
    for branch in branches {
        // Older drafts ignore what stands beside a reference.
        let Value::Object(mut branch) = branch else { return false };
        if branch.contains_key("$ref") {
            return false;
        }
        let everywhere = beside.iter().filter(|(keyword, _)| !is_of_one(keyword));
        if !everywhere.into_iter().all(|(keyword, value)| merge_member(&mut branch, keyword, value)) {
            return false;
        }
        filled.push(branch);
    }
    for (keyword, value) in beside.iter().filter(|(keyword, _)| is_of_one(keyword)) {
        let sample = match (keyword.as_str(), value) {
            ("examples", Value::Array(all)) => all.first(),
            _ => Some(*value),
        };
        let home = filled.iter_mut().find(|branch| sample.is_some_and(|v| is_of_type(v, branch.get("type"))));
        let Some(home) = home else { return false };
        if !merge_member(home, keyword, value) {
            return false;
        }
    }
    out.insert("anyOf".to_string(), filled.into_iter().map(Value::Object).collect());
    *members = out;
    true
}

/// Whether the keyword holds a value, which need not be one of every alternative.
fn is_of_one(keyword: &str) -> bool {
    matches!(keyword, "default" | "example" | "examples")
}

fn is_of_type(value: &Value, kind: Option<&Value>) -> bool {
    let is = |name: &Value| match (name.as_str(), value) {
        (Some("null"), Value::Null)
        | (Some("boolean"), Value::Bool(_))
        | (Some("string"), Value::String(_))
        | (Some("number"), Value::Number(_))
        | (Some("array"), Value::Array(_))
        | (Some("object"), Value::Object(_)) => true,
        (Some("integer"), Value::Number(n)) => n.is_i64() || n.is_u64(),
        _ => false,
    };
    match kind {
        Some(Value::Array(names)) => names.iter().any(is),
        Some(name) => is(name),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn done(schema: Value) -> Option<Value> {
        let mut schema = json!({"properties": {"a": schema}});
        into(&mut schema, "/properties/a", Dialect::Draft202012).then(|| schema["properties"]["a"].take())
    }

    #[test]
    fn what_stands_beside_goes_into_each_alternative() {
        let optional =
            json!({"title": "Town", "anyOf": [{"type": "string"}, {"type": "null"}], "default": null});
        let expected = json!({"anyOf": [{"type": "string", "title": "Town"}, {"type": "null", "title": "Town", "default": null}]});
        assert_eq!(done(optional), Some(expected));
        let bounded = json!({"type": "string", "maxLength": 9, "anyOf": [{"pattern": "^a"}, {"maxLength": 3, "type": "string"}]});
        let expected = json!({"anyOf": [{"pattern": "^a", "type": "string", "maxLength": 9}, {"maxLength": 3, "type": "string"}]});
        assert_eq!(done(bounded), Some(expected));
    }

    #[test]
    fn what_would_be_said_twice_stays() {
        for schema in [
            json!({"description": "Both.", "anyOf": [{"type": "string", "description": "One."}]}),
            json!({"title": "T", "anyOf": [{"$ref": "#/$defs/a"}]}),
            json!({"default": 3, "anyOf": [{"type": "string"}, {"type": "null"}]}),
            json!({"title": "T", "anyOf": [true]}),
            json!({"anyOf": [{"type": "string"}]}),
            json!({"title": "T"}),
        ] {
            assert_eq!(done(schema.clone()), None, "{schema}");
        }
    }
}
