//! The model of the packs' grader against Python's `jsonschema`, on the official test suite's schemas
//! and on schemas made to hurt.

use super::readers::{python, python_has};
use crate::support::shared;
use serde_json::{Map, Value, json};
use verity::schema::{SchemaView, grader};

/// Values of every type, among them those that graders are known to disagree on.
fn odd_values() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(1.0),
        json!(-1),
        json!(0.5),
        json!(1e300),
        json!(9_007_199_254_740_993_i64),
        json!(9_007_199_254_740_992.0),
        json!(u64::MAX),
        json!(0.0075),
        json!(19.99),
        json!(12_391_239_123_i64),
        json!(1e308),
        json!(""),
        json!("a"),
        json!("foo"),
        json!("foo\n"),
        json!("٣"),
        json!("é"),
        json!("\u{1f4a9}"),
        json!("12"),
        json!([]),
        json!([1]),
        json!([1, 1.0]),
        json!([[1], [true]]),
        json!([[1], [true], [1]]),
        json!([1, true]),
        json!([0, false]),
        json!(["a", 1]),
        json!([{"a": 1}, {"a": true}]),
        json!([1, 2, 3, 4]),
        json!({}),
        json!({"a": 1}),
        json!([{"foo": "x"}]),
    ]
}

/// Names that a schema uses as keys, so that its objects can be met.
fn names(schema: &Value, all: &mut Vec<String>) {
    match schema {
        Value::Object(members) => members.iter().for_each(|(key, value)| {
            if !key.starts_with('$') && all.len() < 7 && !all.contains(key) {
                all.push(key.clone());
            }
            names(value, all);
        }),
        Value::Array(items) => items.iter().for_each(|v| {
            if let Value::String(text) = v
                && all.len() < 7
                && !all.contains(text)
            {
                all.push(text.clone());
            }
            names(v, all);
        }),
        _ => {}
    }
}

/// Scalars and arrays that stand in the schema itself: what `enum`, `const` and bounds speak of.
fn spoken_of(schema: &Value, all: &mut Vec<Value>) {
    if all.len() < 40 {
        all.push(schema.clone());
    }
    match schema {
        Value::Object(members) => members.values().for_each(|v| spoken_of(v, all)),
        Value::Array(items) => items.iter().for_each(|v| spoken_of(v, all)),
        _ => {}
    }
}

pub fn instances(schema: &Value) -> Vec<Value> {
    let mut all = odd_values();
    spoken_of(schema, &mut all);
    let (mut keys, odd) = (Vec::new(), odd_values());
    names(schema, &mut keys);
    for (i, key) in keys.iter().enumerate() {
        // Each name meets a third of the values, the next name the next third.
        for value in odd.iter().skip(i % 3).step_by(3) {
            all.push(json!({ key.as_str(): value }));
        }
        for other in keys.iter().skip(i + 1) {
            for value in [json!(1), json!("foo"), json!({"a": "b"}), json!([1, "x"])] {
                all.push(json!({ key.as_str(): value, other.as_str(): value }));
                all.push(json!({ key.as_str(): { other.as_str(): value } }));
                all.push(json!([{ key.as_str(): value }, { other.as_str(): value }]));
            }
        }
    }
    all.push(Value::Object(keys.iter().map(|k| (k.clone(), json!("foo"))).collect::<Map<_, _>>()));
    all
}

/// Disagreements, how many answers the model gave of how many, and how many schemas it refused.
struct Compared {
    wrong: Vec<String>,
    sure: usize,
    all: usize,
    refused: usize,
}

fn compare(schemas: &[(String, Value)]) -> Compared {
    let lines: String = schemas.iter().map(|(_, s)| format!("{}\n", json!([s, instances(s)]))).collect();
    let answers = python("python_jsonschema.py", &lines);
    let mut compared = Compared { wrong: Vec::new(), sure: 0, all: 0, refused: 0 };
    for ((id, schema), answer) in schemas.iter().zip(answers.lines()) {
        let answer: Value = serde_json::from_str(answer).unwrap();
        let view = SchemaView::new(schema);
        if grader::refusal(&view).is_some()
            || !view.metaschema_violations().is_empty()
            || view.judge().is_err()
        {
            compared.refused += 1;
            continue;
        }
        let Some(answers) = answer.as_array() else {
            compared.wrong.push(format!("{id}: Python cannot use {schema}"));
            continue;
        };
        for (instance, python) in instances(schema).iter().zip(answers) {
            compared.all += 1;
            let Some(ours) = grader::agreed(&view, instance) else { continue };
            compared.sure += 1;
            if python != &json!(ours) {
                let ours = if ours { "accepts" } else { "refuses" };
                compared
                    .wrong
                    .push(format!("{id}: we say it {ours} {instance}, Python says {python}: {schema}"));
            }
        }
    }
    compared
}

fn assert_right(compared: &Compared) {
    let shown = compared.wrong.iter().take(25).map(|w| w.chars().take(500).collect::<String>());
    assert!(
        compared.wrong.is_empty(),
        "{} wrong:\n{}",
        compared.wrong.len(),
        shown.collect::<Vec<_>>().join("\n")
    );
}

#[test]
fn the_model_agrees_on_the_official_suite() {
    let (Some(suite), true) = (shared("gen/suite.jsonl"), python_has("jsonschema")) else { return };
    let mut schemas = Vec::new();
    for line in std::fs::read_to_string(suite).unwrap().lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let (id, mut schema) = (case["id"].as_str().unwrap().to_string(), case["schema"].clone());
        if case["draft"] == "d7"
            && let Some(members) = schema.as_object_mut()
        {
            members.entry("$schema").or_insert(json!("http://json-schema.org/draft-07/schema#"));
        }
        if schema.is_object() {
            schemas.push((id, schema));
        }
    }
    let compared = compare(&schemas);
    assert_right(&compared);
    let refused = compared.refused;
    assert!(refused * 4 < schemas.len(), "{refused} of {} schemas are refused", schemas.len());
    assert!(compared.sure * 100 > compared.all * 97, "sure of {} of {} answers", compared.sure, compared.all);
}

/// Schemas at the places where Python's `jsonschema` has its own ideas.
fn hurting() -> Vec<Value> {
    let d4 = "http://json-schema.org/draft-04/schema#";
    let d7 = "http://json-schema.org/draft-07/schema#";
    let d19 = "https://json-schema.org/draft/2019-09/schema";
    vec![
        json!({"allOf": [{"additionalProperties": {"type": "string"}}], "unevaluatedProperties": false}),
        json!({"allOf": [{"properties": {"a": {"type": "integer"}}}], "unevaluatedProperties": false}),
        json!({"properties": {"a": true}, "unevaluatedProperties": {"type": "string"}}),
        json!({"allOf": [{"unevaluatedProperties": {"type": "integer"}}], "unevaluatedProperties": false}),
        json!({"$ref": "#/$defs/x", "unevaluatedProperties": false, "$defs": {"x": {"properties": {"a": true}}}}),
        json!({"if": {"properties": {"a": {"const": 1}}, "required": ["a"]}, "then": {"properties": {"foo": true}}, "unevaluatedProperties": false}),
        json!({"dependentSchemas": {"a": {"properties": {"foo": true}}}, "unevaluatedProperties": false, "properties": {"a": true}}),
        json!({"anyOf": [{"properties": {"a": {"type": "integer"}}}, {"properties": {"foo": true}}], "unevaluatedProperties": false}),
        json!({"not": {"properties": {"a": true}}, "unevaluatedProperties": false}),
        json!({"propertyNames": {"pattern": "^a$"}, "unevaluatedProperties": false}),
        json!({"patternProperties": {"^a$": true}, "unevaluatedProperties": false}),
        json!({"prefixItems": [{"type": "integer"}], "unevaluatedItems": false}),
        json!({"contains": {"type": "integer"}, "unevaluatedItems": false}),
        json!({"allOf": [{"prefixItems": [true]}, {"items": {"type": "integer"}}], "unevaluatedItems": false}),
        json!({"anyOf": [{"prefixItems": [true, {"type": "string"}]}], "unevaluatedItems": {"type": "integer"}}),
        json!({"allOf": [{"items": true}], "unevaluatedItems": false}),
        json!({"$schema": d19, "items": [true], "additionalItems": {"type": "integer"}, "unevaluatedItems": false}),
        json!({"$schema": d19, "items": [true], "unevaluatedItems": false}),
        json!({"$schema": d19, "contains": {"type": "integer"}, "unevaluatedItems": false}),
        json!({"$schema": d19, "dependencies": {"a": ["foo"]}}),
        json!({"$schema": d4, "type": "integer"}),
        json!({"$schema": d4, "properties": {"a": {"type": "integer"}}}),
        json!({"$schema": d4, "minimum": 1, "exclusiveMinimum": true}),
        json!({"$schema": d4, "type": ["object", "string"], "enum": ["foo", {"a": 1}]}),
        json!({"$schema": d4, "id": "http://example.org/root", "definitions": {"a": {"type": "string"}}, "properties": {"a": {"$ref": "#/definitions/a"}}}),
        json!({"$schema": "https://json-schema.org/draft-07/schema#", "items": [{"type": "integer"}]}),
        json!({"$schema": "https://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"type": "integer"}}}),
        json!({"$schema": "https://json-schema.org/draft-07/schema#", "properties": {"a": {"$ref": "#/definitions/x", "minLength": 3}}, "definitions": {"x": {"type": "string"}}}),
        json!({"$schema": "http://json-schema.org/draft-07/schema", "properties": {"a": {"$ref": "#/definitions/x", "minLength": 3}}, "definitions": {"x": {"type": "string"}}}),
        json!({"$schema": "http://json-schema.org/schema#", "properties": {"a": {"type": "integer"}}}),
        json!({"$schema": "http://json-schema.org/draft-03/schema#", "properties": {"a": {"type": "integer", "required": true}}}),
        json!({"$schema": "HTTP://json-schema.org/draft-07/schema#", "items": [{"type": "integer"}]}),
        json!({"$schema": d7, "contentEncoding": "base64", "contentMediaType": "application/json"}),
        json!({"properties": {"a": {"$schema": d7, "items": [{"type": "integer"}]}}}),
        json!({"patternProperties": {"": {"type": "integer"}}, "additionalProperties": false}),
        json!({"patternProperties": {"^a$": {"type": "integer"}, "^f(o)\\1$": true}, "additionalProperties": false}),
        json!({"patternProperties": {"(a)\\1": true, "(f)o\\1": true}, "additionalProperties": false}),
        json!({"patternProperties": {"(?P<n>a)": true, "(?P<n>f)": true}, "additionalProperties": false}),
        json!({"patternProperties": {"b": true, "(?i)A": true}, "additionalProperties": false}),
        json!({"patternProperties": {"\\p{L}": true}}),
        json!({"pattern": "^\\d+$"}),
        json!({"pattern": "^[a-z]+$"}),
        json!({"pattern": "^\\S+$"}),
        json!({"pattern": "(?<y>a)"}),
        json!({"not": {"pattern": "^foo$"}}),
        json!({"propertyNames": {"pattern": "^foo$"}}),
        json!({"multipleOf": 0.01}),
        json!({"multipleOf": 0.0001}),
        json!({"multipleOf": 3}),
        json!({"multipleOf": 1e-308}),
        json!({"uniqueItems": true}),
        json!({"items": {"uniqueItems": true}}),
        json!({"const": [1]}),
        json!({"const": {"a": true}}),
        json!({"enum": [1, false, [true]]}),
        json!({"const": 9_007_199_254_740_993_i64}),
        json!({"minimum": 9_007_199_254_740_993_i64}),
        json!({"maximum": 1e300}),
        json!({"type": "integer"}),
        json!({"type": "number", "exclusiveMaximum": 1}),
        json!({"$ref": "#/$defs/a%25b", "$defs": {"a%b": {"type": "integer"}}}),
        json!({"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "integer"}}}),
        json!({"$ref": "#/unknown/x", "unknown": {"x": {"type": "integer", "pattern": "\\p{L}"}}}),
        json!({"$ref": "#/unknown/x", "unknown": {"x": {"type": "integer"}}}),
        json!({"properties": {"a": {"$ref": "#/properties/foo"}, "foo": {"type": "string"}}}),
        json!({"$ref": "#/$defs/missing"}),
        json!({"$ref": "other.json"}),
        json!({"properties": {"a": {"$ref": "other.json"}}}),
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}}}),
        json!({"$ref": "http://json-schema.org/draft-07/schema#"}),
        json!({"$id": "http://example.org/x", "$ref": "#/$defs/a", "$defs": {"a": {"type": "integer"}}}),
        json!({"$id": "http://example.org/x", "properties": {"a": {"$ref": "y"}}, "$defs": {"y": {"$id": "y", "type": "integer"}}}),
        json!({"$ref": "#foo", "$defs": {"a": {"$anchor": "foo", "type": "integer"}}}),
        json!({"$dynamicRef": "#foo", "$defs": {"a": {"$dynamicAnchor": "foo", "type": "integer"}}}),
        json!({"$schema": d7, "properties": {"a": {"$ref": "#/definitions/x", "type": "string"}}, "definitions": {"x": {"$id": "#x", "type": "integer"}}}),
        json!({"$schema": d7, "properties": {"a": {"$ref": "#x"}}, "definitions": {"x": {"$id": "#x", "type": "integer"}}}),
        json!({"$schema": d7, "dependencies": {"a": {"required": ["foo"]}, "b": ["a"], "foo": []}}),
        json!({"$schema": d7, "if": {"type": "integer"}, "then": {"minimum": 1}, "else": {"type": "string"}}),
        json!({"contains": {"type": "integer"}, "minContains": 0, "maxContains": 1}),
        json!({"minContains": 2}),
        json!({"contains": true, "minContains": 2}),
        json!({"type": "strng"}),
        json!({"required": true}),
        json!({"items": [true]}),
        json!({"pattern": "["}),
        json!({"minLength": 1.0}),
        json!({"maxItems": 2.0}),
        json!({"properties": {"$ref": {"type": "integer"}, "a": {"enum": [{"$ref": "#/nowhere"}]}}}),
        json!({"const": {"$id": "http://example.org/z", "$ref": "nowhere"}}),
        json!({"definitions": {"x": {"type": "nonsense"}}}),
        json!({"$defs": {"x": {"pattern": "\\p{L}"}}}),
        json!({"default": {"pattern": "\\p{L}"}, "x-mine": {"pattern": "\\p{L}"}}),
        json!({"format": "regex"}),
        json!({"format": "date-time", "type": "string"}),
    ]
}

/// Schemas that nest `levels` deep, by keyword.
fn deep(levels: usize) -> Vec<Value> {
    let wraps: [fn(Value) -> Value; 8] = [
        |s| json!({"properties": {"a": s}, "type": "object", "required": ["a"]}),
        |s| json!({ "items": s }),
        |s| json!({"allOf": [s]}),
        |s| json!({"anyOf": [{"type": "null"}, s]}),
        |s| json!({ "not": s }),
        |s| json!({"if": true, "then": s}),
        |s| json!({"$defs": {"a": s}, "$ref": "#"}),
        |s| json!({"additionalProperties": {"oneOf": [s]}}),
    ];
    wraps.into_iter().map(|wrap| (0..levels).fold(json!({"type": "string"}), |s, _| wrap(s))).collect()
}

#[test]
fn the_model_agrees_where_python_has_its_own_ideas() {
    if !python_has("jsonschema") {
        return;
    }
    let schemas: Vec<(String, Value)> = hurting()
        .into_iter()
        .chain([24, 44, 48, 60].into_iter().flat_map(deep))
        .enumerate()
        .map(|(i, s)| (format!("hurting {i}"), s))
        .collect();
    let compared = compare(&schemas);
    assert_right(&compared);
    assert!(compared.sure * 100 > compared.all * 90, "sure of {} of {} answers", compared.sure, compared.all);
}
