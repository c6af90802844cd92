//! No rule may claim what the judge refutes: random schemas against random values.

use super::{check, tool};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use verity::finding::Severity;
use verity::schema::SchemaView;
use verity::schema::judge::PlaceJudges;

const KEYS: [&str; 5] = ["a", "b", "c", "kind", "x/y"];
const PATTERNS: [&str; 7] = ["^a+$", "^[a-z]{2,4}$", "b", "^(?!a)", "^(a|b)*$", "[^a]", "^$"];

fn key() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(&KEYS[..])
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2..6i64).prop_map(Value::from),
        (0..9i32).prop_map(|n| json!(f64::from(n) / 2.0)),
        proptest::sample::select(vec!["", "a", "ab", "abc", "b", "kind"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(key().prop_map(str::to_string), inner, 0..4)
                .prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

/// One keyword with its value.
fn leaf_keyword() -> BoxedStrategy<(&'static str, Value)> {
    let types = ["string", "integer", "number", "object", "array", "boolean", "null"];
    prop_oneof![
        proptest::sample::select(types.to_vec()).prop_map(|t| ("type", json!(t))),
        Just(("type", json!(["string", "null"]))),
        proptest::collection::vec(value(), 0..4).prop_map(|v| ("enum", Value::from(v))),
        value().prop_map(|v| ("const", v)),
        (0..5u32).prop_map(|n| ("minimum", json!(n))),
        (0..5u32).prop_map(|n| ("maximum", json!(f64::from(n) / 2.0))),
        (0..4u32).prop_map(|n| ("minLength", json!(n))),
        (0..4u32).prop_map(|n| ("maxLength", json!(n))),
        proptest::sample::select(&PATTERNS[..]).prop_map(|p| ("pattern", json!(p))),
        (0..3u32).prop_map(|n| ("minItems", json!(n))),
        (0..3u32).prop_map(|n| ("maxItems", json!(n))),
        Just(("uniqueItems", json!(true))),
        proptest::sample::subsequence(KEYS.to_vec(), 0..3).prop_map(|k| ("required", json!(k))),
        (0..3u32).prop_map(|n| ("maxProperties", json!(n))),
        Just(("additionalProperties", json!(false))),
        (0..3u32).prop_map(|i| ("$ref", json!(format!("#/$defs/d{i}")))),
        value().prop_map(|v| ("default", v)),
        (key(), key()).prop_map(|(a, b)| ("dependentRequired", json!({a: [b]}))),
    ]
    .boxed()
}

fn schema() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        1 => Just(json!({"not": {}})),
        1 => any::<bool>().prop_map(Value::from),
        8 => proptest::collection::vec(leaf_keyword(), 0..4).prop_map(object),
    ];
    leaf.prop_recursive(4, 40, 3, |inner| {
        let list = proptest::collection::vec(inner.clone(), 1..4).prop_map(Value::from);
        let by_key = proptest::collection::btree_map(key().prop_map(str::to_string), inner.clone(), 0..4)
            .prop_map(|m| Value::Object(m.into_iter().collect()));
        let keyword = prop_oneof![
            4 => by_key.prop_map(|v| ("properties", v)),
            1 => inner.clone().prop_map(|v| ("additionalProperties", v)),
            1 => inner.clone().prop_map(|v| ("propertyNames", v)),
            2 => inner.clone().prop_map(|v| ("items", v)),
            1 => inner.clone().prop_map(|v| ("contains", v)),
            2 => list.clone().prop_map(|v| ("anyOf", v)),
            2 => list.clone().prop_map(|v| ("oneOf", v)),
            1 => list.prop_map(|v| ("allOf", v)),
            1 => inner.clone().prop_map(|v| ("not", v)),
            1 => inner.clone().prop_map(|v| ("if", v)),
            1 => inner.clone().prop_map(|v| ("then", v)),
            1 => inner.prop_map(|v| ("else", v)),
            4 => leaf_keyword(),
        ];
        proptest::collection::vec(keyword, 0..5).prop_map(object)
    })
    .boxed()
}

fn object(members: Vec<(&'static str, Value)>) -> Value {
    Value::Object(members.into_iter().map(|(k, v)| (k.to_string(), v)).collect())
}

fn root() -> impl Strategy<Value = Value> {
    (schema(), proptest::collection::vec(schema(), 3)).prop_map(|(root, definitions)| {
        let mut root = root.as_object().cloned().unwrap_or_default();
        root.insert("type".to_string(), json!("object"));
        let definitions: Map<String, Value> =
            definitions.into_iter().enumerate().map(|(i, d)| (format!("d{i}"), d)).collect();
        root.insert("$defs".to_string(), Value::Object(definitions));
        Value::Object(root)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn claims_hold_against_the_judge(schema in root(), values in proptest::collection::vec(value(), 40)) {
        let found = check(&tool(schema.clone()));
        let view = SchemaView::new(&schema);
        let Ok(judge) = view.judge() else { return Ok(()) };
        let places: Vec<&str> = view.nodes().iter().map(|n| n.pointer.as_str()).collect();
        let judges = PlaceJudges::compile(&schema, view.dialect, &places).unwrap();
        let node = |pointer: &str| view.nodes().iter().position(|n| n.pointer == pointer).unwrap();
        for finding in found {
            let at = finding.pointer.strip_prefix("/tools/0/inputSchema").unwrap();
            let says = format!("{}: {}", finding.rule, finding.message);
            match finding.rule.as_str() {
                "MCP-SCHEMA-UNSATISFIABLE" | "MCP-SCHEMA-PARAMETER-UNSATISFIABLE" => {
                    let i = node(at);
                    prop_assert!(!values.iter().any(|v| judges.accepts(i, v)), "{says}");
                    if finding.severity == Severity::Error {
                        prop_assert!(!values.iter().any(|v| judge.accepts(v)), "the tool can be called: {says}");
                    }
                }
                "MCP-SCHEMA-DEAD-BRANCH" => {
                    let (i, always) = (node(at), finding.message.contains("always holds"));
                    let around = view.nodes()[i].parent.unwrap();
                    let alive = |v: &&Value| judges.accepts(around, v) && judges.accepts(i, v) != always;
                    prop_assert!(values.iter().find(alive).is_none(), "{says}");
                }
                "MCP-VACUOUS-TOOL" => {
                    prop_assert!(values.iter().all(|v| !v.is_object() || judge.accepts(v)), "{says}");
                }
                "MCP-VACUOUS-PARAMETER" => {
                    let (i, any) = (node(at), finding.message.contains("every value"));
                    prop_assert!(values.iter().all(|v| !any && !v.is_object() || judges.accepts(i, v)), "{says}");
                }
                _ => {}
            }
            if let Some(witness) = &finding.witness {
                let accepted = match witness {
                    Value::Array(all) => all.iter().all(|w| judge.accepts(w)),
                    one => judge.accepts(one),
                };
                let shows_acceptance = finding.rule.starts_with("MCP-VACUOUS")
                    || matches!(finding.rule.as_str(), "MCP-SCHEMA-KEYWORD-WITHOUT-EFFECT" | "MCP-SCHEMA-PATTERN-UNANCHORED");
                prop_assert_eq!(accepted, shows_acceptance, "witness of {}", says);
            }
        }
    }
}
