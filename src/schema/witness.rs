//! Witnesses: whole argument objects that show a defect. Each is judged before it leaves this room.

mod guess;

use super::reach::Step;
use super::walk::Node;
use super::{SchemaView, Violation};
use crate::pointer;
use guess::Guess;
use serde_json::{Map, Value, json};

/// A value in its place: the whole arguments, and where in them the value stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    pub arguments: Value,
    /// Pointer of the value in `arguments`.
    pub pointer: String,
}

/// Arguments that hold `value` where the subschema `node` constrains it; `filled`: with plausible
/// values for what is required beside it. Not judged. `None` where that takes more values than anyone
/// would read.
#[must_use]
pub fn place(view: &SchemaView<'_>, node: usize, value: Value, filled: bool) -> Option<Placed> {
    let way = view.reach().way(node)?;
    let mut guess = Guess::of(view, MOST_VALUES);
    let mut value = value;
    let mut pointer = String::new();
    for (at, step) in way.into_iter().rev() {
        let around = view.nodes().get(at)?;
        let key = match step {
            Step::Same | Step::Inverse => {
                if filled {
                    guess.fill_required(around, &mut value);
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
                guess.spend(i)?;
                let mut items: Vec<Value> = (0..i).map(|n| guess.item(around, n)).collect();
                items.push(value);
                value = Value::Array(items);
                pointer = format!("/{i}{pointer}");
                continue;
            }
        };
        pointer = format!("{}{pointer}", pointer::child("", &key));
        value = Value::Object(Map::from_iter([(key, value)]));
        if filled {
            guess.fill_required(around, &mut value);
        }
    }
    // Under a root that is an object, nothing but an object shows anything of the place itself.
    let wants_object = view.schema.get("type").is_some_and(|t| t == "object");
    guess.spend(1)?;
    (value.is_object() || !wants_object).then_some(Placed { arguments: value, pointer })
}

/// Arguments that the judge refuses because of `value` at the place of `node`: the same arguments
/// are accepted (where that can be shown) once the value is gone, or nothing but it is refused.
#[must_use]
pub fn refused(view: &SchemaView<'_>, node: usize, value: &Value) -> Option<Value> {
    /// An object may lack thousands of members; whoever has seen these knows enough.
    const MOST: usize = 2_000;
    let judge = view.judge().ok()?;
    let mut fallback = None;
    for filled in [true, false] {
        let Some(placed) = place(view, node, value.clone(), filled) else { continue };
        let violations = judge.first_violations(&placed.arguments, MOST);
        let about_value = |v: &Violation| {
            pointer::is_within(&v.instance_pointer, &placed.pointer)
                // An `anyOf` above the value speaks for what is below it.
                || (matches!(v.keyword.as_str(), "anyOf" | "oneOf" | "contains")
                    && pointer::is_within(&placed.pointer, &v.instance_pointer))
        };
        match violations.iter().filter(|v| about_value(v)).count() {
            0 => {}
            n if n == violations.len() && n < MOST => return Some(placed.arguments),
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
    let mut guess = Guess::of(view, MOST_VALUES);
    let mut values = vec![guess.value(branch, 0)];
    for schema in [branch, around] {
        let listed = ["enum", "examples"].into_iter().filter_map(|k| schema.get(k).and_then(Value::as_array));
        values.extend(listed.flatten().take(20).map(|v| guess.copy(v)));
    }
    let both = [resolved(view.schema, around), resolved(view.schema, branch)];
    let mut object = Map::new();
    let mut full = Map::new();
    for schema in both {
        let required = schema.get("required").and_then(Value::as_array);
        let properties = schema.get("properties").and_then(Value::as_object);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            if guess.left == 0 {
                break;
            }
            let property = both.iter().rev().find_map(|s| s.get("properties").and_then(|p| p.get(name)));
            object.insert(name.to_string(), guess.value(property.unwrap_or(&Value::Null), 1));
        }
        for (name, property) in properties.into_iter().flatten() {
            if guess.left == 0 {
                break;
            }
            full.insert(name.clone(), guess.value(property, 1));
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

/// Values in one guess: more than that helps nobody, and a rule may guess for each of many places.
const MOST_VALUES: usize = 1_000;
/// Values in the one guess for a whole schema.
const MOST_VALUES_OF_ALL: usize = 200_000;

/// A value that the schema may well accept; a guess, never shown unjudged.
#[must_use]
pub fn plausible(view: &SchemaView<'_>, schema: &Value, depth: usize) -> Value {
    Guess::of(view, MOST_VALUES).value(schema, depth)
}

/// As [`plausible`], for the whole schema, however much it requires.
#[must_use]
pub fn plausible_whole(view: &SchemaView<'_>) -> Value {
    Guess::of(view, MOST_VALUES_OF_ALL).value(view.schema, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values_in(value: &Value) -> usize {
        guess::weight(value, usize::MAX)
    }

    #[test]
    fn guesses_are_bounded() {
        let names: Vec<String> = (0..10).map(|i| format!("p{i}")).collect();
        let properties: Map<String, Value> =
            names.iter().map(|n| (n.clone(), json!({"$ref": "#/$defs/n"}))).collect();
        let node = json!({"type": "object", "required": names, "properties": properties});
        let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}}, "required": ["a"], "$defs": {"n": node}});
        let view = SchemaView::new(&schema);
        // Ten to the sixth power, if nobody counted.
        assert!(values_in(&plausible(&view, &schema, 0)) <= 2 * MOST_VALUES);
        assert!(values_in(&plausible_whole(&view)) <= 2 * MOST_VALUES_OF_ALL);
    }

    #[test]
    fn a_witness_that_would_be_huge_is_left_out() {
        let schema = |n: usize| {
            let properties: Map<String, Value> =
                (0..n).map(|i| (format!("p{i}"), json!({"type": "integer"}))).collect();
            let names: Vec<&String> = properties.keys().collect();
            json!({"type": "object", "required": names, "properties": properties})
        };
        let (some, many) = (schema(1_500), schema(5_000));
        let view = SchemaView::new(&some);
        let p0 = node(&view, "/properties/p0");
        assert_eq!(place(&view, p0, json!(1), true), None);
        assert_eq!(refused(&view, p0, &json!("x")), Some(json!({"p0": "x"})), "unfilled: refused for more");
        let view = SchemaView::new(&many);
        assert_eq!(refused(&view, p0, &json!("x")), None, "too much else is wrong");
        let whole = plausible_whole(&view);
        assert_eq!(whole.as_object().map(Map::len), Some(5_000));
    }

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
