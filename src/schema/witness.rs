//! Witnesses: whole argument objects that show a defect. Each is judged before it leaves this room.

use super::reach::Step;
use super::walk::Node;
use super::{SchemaView, Violation};
use crate::pointer;
use serde_json::{Map, Value, json};

/// A value in its place: the whole arguments, and where in them the value stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    pub arguments: Value,
    /// Pointer of the value in `arguments`.
    pub pointer: String,
}

/// Arguments that hold `value` where the subschema `node` constrains it; `filled`: with plausible
/// values for what is required beside it. Not judged.
#[must_use]
pub fn place(view: &SchemaView<'_>, node: usize, value: Value, filled: bool) -> Option<Placed> {
    let way = view.reach().way(node)?;
    let mut value = value;
    let mut pointer = String::new();
    for (at, step) in way.into_iter().rev() {
        let around = view.nodes().get(at)?;
        let key = match step {
            Step::Same | Step::Inverse => {
                if filled {
                    fill_required(view, around, &mut value);
                }
                continue;
            }
            Step::Key(key) => key,
            Step::KeyLike(pattern) => key_like(&pattern, around)?,
            Step::OtherKey => other_key(around),
            Step::Name => {
                value = json!({value.as_str()?: null});
                pointer = String::new();
                continue;
            }
            Step::Item(i) | Step::ItemBehind(i) => {
                let mut items: Vec<Value> = (0..i).map(|n| filler_item(view, around, n)).collect();
                items.push(value);
                value = Value::Array(items);
                pointer = format!("/{i}{pointer}");
                continue;
            }
        };
        pointer = format!("{}{pointer}", pointer::child("", &key));
        value = Value::Object(Map::from_iter([(key, value)]));
        if filled {
            fill_required(view, around, &mut value);
        }
    }
    // Under a root that is an object, nothing but an object shows anything of the place itself.
    let wants_object = view.schema.get("type").is_some_and(|t| t == "object");
    (value.is_object() || !wants_object).then_some(Placed { arguments: value, pointer })
}

/// Arguments that the judge refuses because of `value` at the place of `node`: the same arguments
/// are accepted (where that can be shown) once the value is gone, or nothing but it is refused.
#[must_use]
pub fn refused(view: &SchemaView<'_>, node: usize, value: &Value) -> Option<Value> {
    let judge = view.judge().ok()?;
    let mut fallback = None;
    for filled in [true, false] {
        let Some(placed) = place(view, node, value.clone(), filled) else { continue };
        let violations = judge.violations(&placed.arguments);
        let about_value = |v: &Violation| {
            pointer::is_within(&v.instance_pointer, &placed.pointer)
                // An `anyOf` above the value speaks for what is below it.
                || (matches!(v.keyword.as_str(), "anyOf" | "oneOf" | "contains")
                    && pointer::is_within(&placed.pointer, &v.instance_pointer))
        };
        match violations.iter().filter(|v| about_value(v)).count() {
            0 => {}
            n if n == violations.len() => return Some(placed.arguments),
            _ => fallback = fallback.or(Some(placed.arguments)),
        }
    }
    fallback
}

/// As [`refused`], with nothing added to `value` itself: for what is refused because something is missing.
#[must_use]
pub fn refused_as_is(view: &SchemaView<'_>, node: usize, value: &Value) -> Option<Value> {
    let arguments = place(view, node, value.clone(), false)?.arguments;
    view.judge().is_ok_and(|judge| !judge.accepts(&arguments)).then_some(arguments)
}

/// Arguments with `value` at the place of `node` that the judge accepts.
#[must_use]
pub fn accepted(view: &SchemaView<'_>, node: usize, value: &Value) -> Option<Value> {
    let judge = view.judge().ok()?;
    [true, false]
        .into_iter()
        .filter_map(|filled| place(view, node, value.clone(), filled))
        .map(|placed| placed.arguments)
        .find(|arguments| judge.accepts(arguments))
}

/// Adds what `around` requires and `value` lacks.
fn fill_required(view: &SchemaView<'_>, around: &Node<'_>, value: &mut Value) {
    let Some(object) = value.as_object_mut() else { return };
    for name in around.schema.get("required").and_then(Value::as_array).into_iter().flatten() {
        let Some(name) = name.as_str() else { continue };
        if !object.contains_key(name) {
            let schema = around.schema.get("properties").and_then(|p| p.get(name)).unwrap_or(&Value::Null);
            object.insert(name.to_string(), plausible(view, schema, 0));
        }
    }
}

fn filler_item(view: &SchemaView<'_>, around: &Node<'_>, n: usize) -> Value {
    let prefix = around.schema.get("prefixItems").or_else(|| around.schema.get("items"));
    let schema = prefix.and_then(|p| p.get(n)).unwrap_or(&Value::Null);
    plausible(view, schema, 0)
}

/// A key that `around` neither declares nor matches by a pattern that is easily met.
fn other_key(around: &Node<'_>) -> String {
    let declared = around.schema.get("properties").and_then(Value::as_object);
    ["other", "anything", "verity_other"]
        .into_iter()
        .find(|k| declared.is_none_or(|d| !d.contains_key(*k)))
        .unwrap_or("verity_other_key")
        .to_string()
}

/// A short key that matches `pattern`, if one of a few does.
fn key_like(pattern: &str, around: &Node<'_>) -> Option<String> {
    const KEYS: [&str; 12] = ["a", "x-a", "key", "name", "0", "1", "id", "A", "KEY", "a1", "abc", "user_1"];
    if pattern.len() > 1_000 {
        return None;
    }
    let regex = regress::Regex::with_flags(pattern, "u").ok()?;
    let declared = around.schema.get("properties").and_then(Value::as_object);
    let free = |k: &&str| declared.is_none_or(|d| !d.contains_key(*k));
    KEYS.into_iter().filter(free).find(|k| regex.find(k).is_some()).map(str::to_string)
}

/// A few values that `branch`, one of the alternatives of `around`, may well accept: for objects also
/// with everything that is declared, not only what is required.
#[must_use]
pub fn candidates(view: &SchemaView<'_>, branch: &Value, around: &Value) -> Vec<Value> {
    let mut values = vec![plausible(view, branch, 0)];
    for schema in [branch, around] {
        let listed = ["enum", "examples"].into_iter().filter_map(|k| schema.get(k).and_then(Value::as_array));
        values.extend(listed.flatten().take(20).cloned());
    }
    let both = [resolved(view.schema, around), resolved(view.schema, branch)];
    let mut object = Map::new();
    let mut full = Map::new();
    for schema in both {
        let required = schema.get("required").and_then(Value::as_array);
        let properties = schema.get("properties").and_then(Value::as_object);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            let property = both.iter().rev().find_map(|s| s.get("properties").and_then(|p| p.get(name)));
            object.insert(name.to_string(), plausible(view, property.unwrap_or(&Value::Null), 1));
        }
        for (name, property) in properties.into_iter().flatten() {
            full.insert(name.clone(), plausible(view, property, 1));
        }
    }
    for (name, value) in &object {
        full.entry(name.clone()).or_insert_with(|| value.clone());
    }
    values.push(Value::Object(object));
    values.push(Value::Object(full));
    let kinds =
        [json!(0), json!(0.5), json!(""), json!("example"), Value::Null, json!(true), json!([]), json!({})];
    values.extend(kinds);
    values
}

/// `schema`, or what its local `$ref` leads to.
fn resolved<'v>(root: &'v Value, schema: &'v Value) -> &'v Value {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix('#'));
    target.and_then(|t| root.pointer(t)).unwrap_or(schema)
}

/// A value that the schema may well accept; a guess, never shown unjudged.
#[must_use]
pub fn plausible(view: &SchemaView<'_>, schema: &Value, depth: usize) -> Value {
    const DEEPEST: usize = 6;
    let Some(members) = schema.as_object() else { return json!("example") };
    if depth > DEEPEST {
        return Value::Null;
    }
    for keyword in ["const", "default"] {
        if let Some(v) = members.get(keyword) {
            return v.clone();
        }
    }
    for keyword in ["enum", "examples"] {
        if let Some(v) = members.get(keyword).and_then(|l| l.get(0)) {
            return v.clone();
        }
    }
    if let Some(target) = members.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix('#')) {
        return view.schema.pointer(target).map_or(Value::Null, |t| plausible(view, t, depth + 1));
    }
    let kind = match members.get("type") {
        Some(Value::String(kind)) => kind.as_str(),
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str).unwrap_or("string"),
        _ if members.contains_key("properties") => "object",
        _ => "",
    };
    match kind {
        "string" => string(members),
        "integer" | "number" => number(members),
        "boolean" => json!(true),
        "null" => Value::Null,
        "array" => {
            let item = members.get("items").unwrap_or(&Value::Null);
            let n = members.get("minItems").and_then(Value::as_u64).unwrap_or(0).min(8);
            (0..n).map(|_| plausible(view, item, depth + 1)).collect()
        }
        "object" => {
            let mut object = Map::new();
            for name in members.get("required").and_then(Value::as_array).into_iter().flatten() {
                let Some(name) = name.as_str() else { continue };
                let schema = members.get("properties").and_then(|p| p.get(name)).unwrap_or(&Value::Null);
                object.insert(name.to_string(), plausible(view, schema, depth + 1));
            }
            Value::Object(object)
        }
        _ => ["anyOf", "oneOf", "allOf"]
            .into_iter()
            .find_map(|k| members.get(k).and_then(|l| l.get(0)))
            .map_or_else(|| json!("example"), |branch| plausible(view, branch, depth + 1)),
    }
}

fn string(members: &Map<String, Value>) -> Value {
    let text = match members.get("format").and_then(Value::as_str) {
        Some("email") => "ada@example.org",
        Some("uri" | "url") => "https://example.org/",
        Some("date") => "2026-01-31",
        Some("date-time") => "2026-01-31T12:00:00Z",
        Some("uuid") => "123e4567-e89b-12d3-a456-426614174000",
        _ => "example",
    };
    let length = |k| members.get(k).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    let (least, most) = (length("minLength").unwrap_or(0), length("maxLength").unwrap_or(usize::MAX));
    let mut text: String = text.chars().take(most).collect();
    let short = least.min(1_000).saturating_sub(text.chars().count());
    text.extend(std::iter::repeat_n('x', short));
    Value::String(text)
}

fn number(members: &Map<String, Value>) -> Value {
    let bound = |k| members.get(k).and_then(Value::as_f64);
    if let Some(least) = members.get("minimum") {
        return least.clone();
    }
    if let Some(above) = bound("exclusiveMinimum") {
        return json!((above + 1.0).floor());
    }
    match (members.get("maximum"), bound("exclusiveMaximum")) {
        (Some(most), _) if most.as_f64().is_some_and(|m| m < 1.0) => most.clone(),
        (_, Some(below)) if below <= 1.0 => json!((below - 1.0).ceil()),
        _ => json!(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(view: &SchemaView<'_>, pointer: &str) -> usize {
        view.nodes().iter().position(|n| n.pointer == pointer).unwrap()
    }

    #[test]
    fn required_siblings_are_filled_in() {
        let schema = json!({"type": "object", "required": ["id"], "additionalProperties": false, "properties": {
            "id": {"type": "string", "minLength": 9}, "opt": {"$ref": "#/$defs/o"}},
            "$defs": {"o": {"type": "object", "required": ["n"],
                "properties": {"n": {"type": "integer", "minimum": 3}, "list": {"items": {"type": "string"}}}}}});
        let view = SchemaView::new(&schema);
        let item = node(&view, "/$defs/o/properties/list/items");
        assert_eq!(
            refused(&view, item, &json!(5)),
            Some(json!({"opt": {"list": [5], "n": 3}, "id": "examplexx"}))
        );
        assert_eq!(refused(&view, item, &json!("five")), None);
        assert_eq!(
            accepted(&view, item, &json!("five")),
            Some(json!({"opt": {"list": ["five"], "n": 3}, "id": "examplexx"}))
        );
    }
}
