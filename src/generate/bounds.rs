//! Hostile schemas: what they may cost, counted in effort, and what is said of them.

use super::instances::counted;
use super::shared::{EFFORT, MOST_EFFORT};
use super::{GenerateVerdict, Generated, Options};
use crate::schema::SchemaView;
use crate::schema::judge::Formats;
use serde_json::{Map, Value, json};

fn run(schema: &Value, count: usize, invalid: usize) -> (Generated, u64) {
    let options = Options { seed: "", name: "", count, invalid, formats: Formats::Annotate };
    counted(&SchemaView::new(schema), &options)
}

fn names(prefix: &str, n: usize) -> Vec<String> {
    (0..n).map(|i| format!("{prefix}{i}")).collect()
}

fn object(keys: &[String], property: impl Fn(usize) -> Value) -> Value {
    let properties: Map<String, Value> =
        keys.iter().enumerate().map(|(i, k)| (k.clone(), property(i))).collect();
    json!({"type": "object", "required": keys, "properties": properties})
}

/// `n` pairs of which one key each is required.
fn pairs(n: usize) -> Value {
    let pair =
        |i: usize| json!({"anyOf": [{"required": [format!("a{i}")]}, {"required": [format!("b{i}")]}]});
    Value::from((0..n).map(pair).collect::<Vec<_>>())
}

fn why(schema: &Value) -> String {
    let (got, effort) = run(schema, 1, 5);
    assert!(got.valid.is_empty(), "{schema}");
    assert!(effort < EFFORT / 10, "{effort}");
    got.reason.unwrap_or_default()
}

#[test]
fn what_is_too_big_is_said_at_once() {
    let array = |items: Value| json!({"type": "array", "minItems": 300, "items": items});
    let block = array(array(array(json!({"type": "string"}))));
    let schema = json!({"type": "object", "required": ["a"], "properties": {"a": block}});
    assert_eq!(
        why(&schema),
        "satisfiable in principle, but too big to write: a value of at least 27090302 parts"
    );
    let billion = json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "array", "minItems": 1_000_000_000}}});
    assert!(why(&billion).ends_with("at least 1000000002 parts"));
    let untyped = json!({"minItems": 1_000_000_000, "allOf": [{"type": "array"}]});
    assert!(why(&untyped).ends_with("an array of at least 1000000000 items"));
    let long = json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "minLength": 10_000_000}}});
    assert!(why(&long).contains("too big to write"), "{}", why(&long));
    let mut doubled = json!({"$ref": "#/$defs/d0", "$defs": {"d30": {"type": "null"}}});
    for i in 0..30 {
        let next = json!({"$ref": format!("#/$defs/d{}", i + 1)});
        doubled["$defs"][format!("d{i}")] =
            json!({"type": "object", "required": ["l", "r"], "properties": {"l": next, "r": next}});
    }
    assert!(why(&doubled).contains("2147483647 parts"), "{}", why(&doubled));
}

#[test]
fn twice_the_keys_cost_twice_the_effort() {
    type Family = fn(usize) -> Value;
    let families: [(&str, Family); 4] = [
        ("required", |n| object(&names("k", n), |_| json!({"type": "string", "minLength": 1}))),
        ("patterns", |n| {
            object(&names("k", n), |i| json!({"type": "string", "pattern": format!("^[a-z]{{3}}x{i}$")}))
        }),
        ("optional", |n| {
            let mut schema = object(&names("k", n), |_| json!({"enum": ["a", "b", "c"]}));
            schema["required"] = json!(["k1"]);
            schema
        }),
        ("branches", |n| {
            let branches: Vec<Value> =
                names("k", n).iter().map(|k| json!({"type": "object", "required": [k]})).collect();
            json!({"type": "object", "anyOf": branches})
        }),
    ];
    for (name, family) in families {
        let [small, large] = [100, 200].map(|n| run(&family(n), 2, 5).1);
        assert!(large < small * 5 / 2, "{name}: {small}, then {large}");
    }
}

#[test]
fn hostile_schemas_stay_within_the_effort() {
    let pigeons: Vec<Value> = (0..13)
        .map(|i| json!({"anyOf": (0..12).map(|j| json!({"required": [format!("a{j}_{i}")]})).collect::<Vec<_>>()}))
        .collect();
    let conditions: Vec<Value> = (0..200)
        .map(|i| {
            json!({"if": {"properties": {"a": {"minimum": i}}}, "then": {"required": [format!("k{i}")]},
                "else": {"required": [format!("m{i}")]}})
        })
        .collect();
    let keyed: Vec<Value> = names("k", 20)
        .iter()
        .map(|k| json!({"contains": {"type": "object", "required": [k], "maxProperties": 1}}))
        .collect();
    let many: Map<String, Value> =
        (0..600).map(|i| (format!("^[a-z]{{{}}}x{i}$", i % 40 + 1), json!({"type": "string"}))).collect();
    let schemas = [
        (
            "demands beyond counting",
            json!({"contains": {"const": 1}, "minContains": 1e300, "maxContains": 0}),
        ),
        ("pairs", json!({"type": "object", "maxProperties": 39, "allOf": pairs(40)})),
        ("unions", json!({"type": "object", "allOf": pairs(200)})),
        ("pigeons", json!({"type": "object", "maxProperties": 12, "allOf": pigeons})),
        (
            "conditions",
            json!({"type": "object", "required": ["a"], "maxProperties": 100, "allOf": conditions}),
        ),
        ("contains", json!({"type": "array", "maxItems": 19, "allOf": keyed})),
        (
            "names",
            json!({"type": "object", "minProperties": 600, "additionalProperties": false, "patternProperties": many}),
        ),
        (
            "long texts",
            json!({"type": "array", "minItems": 9_000, "items": {"type": "string", "pattern": "^a{90000}$"}}),
        ),
        (
            "distinct",
            json!({"type": "array", "uniqueItems": true, "minItems": 39, "items": {"type": "array",
            "minItems": 2, "maxItems": 2, "items": {"enum": [1, 2, 3, 4, 5, 6]}, "uniqueItems": true}}),
        ),
        (
            "bounds",
            json!({"type": "number", "multipleOf": 1e-308, "minimum": 1e300, "maximum": 1.000_000_1e300}),
        ),
    ];
    for (name, schema) in schemas {
        let (got, effort) = run(&schema, 1, 5);
        // What begins within the bound ends a little beyond it.
        assert!(effort <= (EFFORT + MOST_EFFORT) * 11 / 10, "{name}: {effort}");
        assert!(
            !got.valid.is_empty() || got.reason.is_some() || got.verdict == GenerateVerdict::Unsatisfiable,
            "{name}"
        );
    }
}

#[test]
fn unions_beside_each_other_are_solved_without_multiplying_them() {
    let (got, effort) = run(&json!({"type": "object", "allOf": pairs(200)}), 1, 0);
    assert_eq!(got.valid.first().and_then(Value::as_object).map(Map::len), Some(200));
    assert!(effort < 100_000, "{effort}");
}
