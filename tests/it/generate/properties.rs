//! Random schemas: the solver against the judge both ways, and schemas that say the same in other words.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};
use verity::generate::{GenerateVerdict, Generated, Options, generate};
use verity::schema::SchemaView;
use verity::schema::judge::{Formats, Judge};

const KEYS: [&str; 4] = ["a", "b", "ab", "x1"];
const PATTERNS: [&str; 8] = ["^a", "b$", "^[a-c]+$", "^.{2}$", "^(ab)*$", "[0-9]", "^x|y$", "^(?!a)"];

fn value() -> impl Strategy<Value = Value> + Clone {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..12).prop_map(Value::from),
        prop::sample::select(vec![0.5, 1.5, 2.0, -0.5]).prop_map(Value::from),
        prop::sample::select(vec!["", "a", "b", "ab", "abab", "c1", "xy", "zz"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(prop::sample::select(KEYS.to_vec()), inner, 0..3)
                .prop_map(|m| Value::Object(m.into_iter().map(|(k, v)| (k.to_string(), v)).collect())),
        ]
    })
}

/// One keyword with its value.
fn leaf_keyword() -> impl Strategy<Value = (String, Value)> + Clone {
    let types = vec!["string", "integer", "number", "object", "array", "boolean", "null"];
    let keyword = |k: &'static str| move |v: Value| (k.to_string(), v);
    let small = 0u64..4;
    prop_oneof![
        prop::sample::select(types).prop_map(Value::from).prop_map(keyword("type")),
        prop::collection::vec(value(), 1..4).prop_map(Value::from).prop_map(keyword("enum")),
        value().prop_map(keyword("const")),
        (-3i64..9).prop_map(Value::from).prop_map(keyword("minimum")),
        (-3i64..9).prop_map(Value::from).prop_map(keyword("exclusiveMaximum")),
        prop::sample::select(vec![json!(1), json!(2), json!(3), json!(0.5), json!(1.5)])
            .prop_map(keyword("multipleOf")),
        small.clone().prop_map(Value::from).prop_map(keyword("minLength")),
        small.clone().prop_map(Value::from).prop_map(keyword("maxLength")),
        prop::sample::select(PATTERNS.to_vec()).prop_map(Value::from).prop_map(keyword("pattern")),
        small.clone().prop_map(Value::from).prop_map(keyword("minItems")),
        small.clone().prop_map(Value::from).prop_map(keyword("maxProperties")),
        prop::sample::subsequence(KEYS.to_vec(), 1..3).prop_map(|k| ("required".to_string(), json!(k))),
        Just(("uniqueItems".to_string(), json!(true))),
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        9 => prop::collection::vec(leaf_keyword(), 0..4).prop_map(object),
        1 => any::<bool>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let one = |k: &'static str| inner.clone().prop_map(move |s| (k.to_string(), s));
        let list = |k: &'static str| {
            prop::collection::vec(inner.clone(), 1..4).prop_map(move |s| (k.to_string(), Value::from(s)))
        };
        let named = |k: &'static str, names: Vec<&'static str>| {
            prop::collection::btree_map(prop::sample::select(names), inner.clone(), 1..3).prop_map(move |m| {
                (k.to_string(), Value::Object(m.into_iter().map(|(k, v)| (k.to_string(), v)).collect()))
            })
        };
        let keyword = prop_oneof![
            3 => leaf_keyword(),
            2 => named("properties", KEYS.to_vec()),
            1 => named("patternProperties", PATTERNS.to_vec()),
            1 => one("additionalProperties"),
            1 => Just(("additionalProperties".to_string(), json!(false))),
            1 => one("propertyNames"),
            1 => named("dependentSchemas", KEYS.to_vec()),
            1 => one("items"),
            1 => list("prefixItems"),
            1 => one("contains"),
            1 => (0u64..3).prop_map(|n| ("maxContains".to_string(), json!(n))),
            1 => list("allOf"),
            1 => list("anyOf"),
            1 => list("oneOf"),
            1 => one("not"),
            1 => one("if"),
            1 => one("then"),
            1 => one("else"),
            1 => Just(("unevaluatedProperties".to_string(), json!(false))),
        ];
        prop::collection::vec(keyword, 1..5).prop_map(object)
    })
}

fn object(members: Vec<(String, Value)>) -> Value {
    Value::Object(members.into_iter().collect())
}

fn solve(schema: &Value, count: usize, invalid: usize) -> Generated {
    let options = Options { seed: "p", name: "p", count, invalid, formats: Formats::Annotate };
    generate(&SchemaView::new(schema), &options)
}

fn judge(schema: &Value) -> Judge {
    Judge::compile(schema, verity::schema::Dialect::Draft202012, Formats::Annotate).unwrap()
}

/// The same cases every time; `VERITY_CASES=100` asks for that many times as many, `VERITY_SEED=7` for others
/// (with `RUST_MIN_STACK=268435456`: the program has such a stack, the threads of tests have not).
fn check<S: Strategy>(cases: u32, strategy: &S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let of = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u32>().ok());
    let cases = cases * of("VERITY_CASES").unwrap_or(1);
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 2_000, ..Config::default() };
    let mut seed = [0u8; 32];
    seed[..4].copy_from_slice(&of("VERITY_SEED").unwrap_or(0).to_le_bytes());
    let rng = proptest::test_runner::TestRng::from_seed(proptest::test_runner::RngAlgorithm::ChaCha, &seed);
    let worker = || {
        let mut runner = TestRunner::new_with_rng(config.clone(), rng.clone());
        runner.run(strategy, &test).map_err(|e| e.to_string())
    };
    if let Err(e) = worker() {
        panic!("{e}");
    }
}

/// Members in the opposite order, all the way down.
fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            Value::Object(members.iter().rev().map(|(k, v)| (k.clone(), reversed(v))).collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.iter().map(reversed).collect()),
        other => other.clone(),
    }
}

fn contradict(a: GenerateVerdict, b: GenerateVerdict) -> bool {
    let unsatisfiable = |v| v == GenerateVerdict::Unsatisfiable;
    let satisfiable = |v| matches!(v, GenerateVerdict::Satisfiable | GenerateVerdict::Vacuous);
    unsatisfiable(a) && satisfiable(b) || satisfiable(a) && unsatisfiable(b)
}

#[test]
fn what_is_generated_is_accepted_and_what_is_refused_has_no_value() {
    let strategy = (schema(), prop::collection::vec(value(), 60));
    check(400, &strategy, |(schema, values)| {
        let judge = judge(&schema);
        let got = solve(&schema, 4, 0);
        for instance in &got.valid {
            prop_assert!(judge.accepts(instance), "{schema} does not accept {instance}");
        }
        if got.verdict == GenerateVerdict::Unsatisfiable {
            for value in &values {
                prop_assert!(!judge.accepts(value), "{schema} is called empty and accepts {value}");
            }
        }
        if got.valid.is_empty() && got.verdict != GenerateVerdict::Unsatisfiable {
            for value in &values {
                prop_assert!(!judge.accepts(value), "nothing was found for {schema}, which accepts {value}");
            }
        }
        Ok(())
    });
}

#[test]
fn mutants_break_one_keyword_at_its_place() {
    check(150, &schema(), |schema| {
        let judge = judge(&schema);
        let got = solve(&schema, 1, 30);
        let named = got.invalid.len() + got.redundant.len() + got.unisolated.len();
        prop_assert!(named <= got.sites, "{schema}");
        for mutant in &got.invalid {
            let violations = judge.violations(&mutant.instance);
            prop_assert!(!violations.is_empty(), "{schema} accepts {}", mutant.instance);
            for v in violations {
                prop_assert_eq!(&v.keyword, &mutant.keyword);
                prop_assert_eq!(&v.schema_pointer, &mutant.pointer);
            }
        }
        Ok(())
    });
}

#[test]
fn documents_that_are_missing_are_told_of_in_the_same_words_every_time() {
    let refs: Vec<Value> = (0..8).map(|n| json!({"$ref": format!("https://example.org/{n}.json")})).collect();
    let schema = json!({ "allOf": refs });
    let first = solve(&schema, 1, 1);
    assert!(first.reason.as_ref().is_some_and(|r| r.contains("another document")), "{:?}", first.reason);
    for _ in 0..20 {
        assert_eq!(solve(&schema, 1, 1), first);
    }
}

#[test]
fn a_keyword_that_makes_its_schema_wider_is_not_redundant() {
    // With `minContains` of 0 every array is accepted; without it, those alone that hold a 1.
    let schema = json!({"type": "array", "contains": {"const": 1}, "minContains": 0});
    assert_eq!(solve(&schema, 1, 8).redundant, Vec::<String>::new());
    let schema = json!({"type": "array", "contains": {"const": 1}, "minContains": 1});
    assert_eq!(solve(&schema, 1, 8).redundant, ["/minContains"]);
}

#[test]
fn the_same_set_in_other_words_has_the_same_verdict() {
    check(200, &schema(), |schema| {
        let verdict = solve(&schema, 1, 0).verdict;
        let by_reference = json!({"$defs": {"s": schema}, "$ref": "#/$defs/s"});
        let others = [
            json!({"allOf": [schema, schema]}),
            json!({"not": {"not": schema}}),
            json!({"anyOf": [schema, false]}),
            reversed(&schema),
            by_reference,
        ];
        for other in others {
            let theirs = solve(&other, 1, 0).verdict;
            prop_assert!(!contradict(verdict, theirs), "{verdict:?} {schema}, {theirs:?} {other}");
        }
        Ok(())
    });
}

#[test]
fn a_reference_says_what_its_target_says() {
    check(150, &(schema(), schema()), |(outer, inner)| {
        let around = |part: &Value| {
            json!({"allOf": [{"anyOf": [outer, part]}], "properties": {"a": part, "b": {"not": part}}, "items": part,
                "contains": {"oneOf": [part, {"type": "null"}]}})
        };
        let mut referring = around(&json!({"$ref": "#/$defs/d"}));
        referring["$defs"] = json!({"d": inner});
        let inlined = around(&inner);
        let (a, b) = (solve(&inlined, 1, 0).verdict, solve(&referring, 1, 0).verdict);
        prop_assert!(!contradict(a, b), "{a:?} {inlined}, {b:?} {referring}");
        Ok(())
    });
}

#[test]
fn the_laws_of_de_morgan_hold() {
    check(150, &(schema(), schema()), |(s, t)| {
        let pairs = [
            (json!({"not": {"anyOf": [s, t]}}), json!({"allOf": [{"not": s}, {"not": t}]})),
            (json!({"not": {"allOf": [s, t]}}), json!({"anyOf": [{"not": s}, {"not": t}]})),
            (json!({"if": s, "then": t, "else": false}), json!({"allOf": [t, s]})),
            (
                json!({"oneOf": [s, t]}),
                json!({"anyOf": [{"allOf": [s, {"not": t}]}, {"allOf": [t, {"not": s}]}]}),
            ),
        ];
        for (one, other) in pairs {
            let (a, b) = (solve(&one, 1, 0), solve(&other, 1, 0));
            prop_assert!(!contradict(a.verdict, b.verdict), "{:?} {one}, {:?} {other}", a.verdict, b.verdict);
            // A value of the one is a value of the other: unevaluated properties aside, which see branches.
            if !one.to_string().contains("unevaluated") {
                for value in &a.valid {
                    prop_assert!(judge(&other).accepts(value), "{value} is in {one} and not in {other}");
                }
            }
        }
        Ok(())
    });
}

#[test]
fn every_dialect_and_recursion() {
    let dialects = vec![
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
    ];
    let strategy = (schema(), prop::sample::select(dialects), prop::collection::vec(value(), 40));
    check(250, &strategy, |(part, dialect, values)| {
        let schema = json!({"$schema": dialect, "allOf": [part], "properties": {"ab": {"$ref": "#"}}, "items": {"$ref": "#"}});
        // Drafts before 6 know no schema `true`, and 4 no numeric `exclusiveMaximum`: those do not compile.
        let Ok(judge) = Judge::compile(&schema, verity::schema::Dialect::of(&schema), Formats::Annotate)
        else {
            return Ok(());
        };
        let got = solve(&schema, 3, 10);
        for instance in &got.valid {
            prop_assert!(judge.accepts(instance), "{schema} does not accept {instance}");
        }
        for mutant in &got.invalid {
            prop_assert!(
                judge.breaks_only(&mutant.instance, &mutant.keyword, &mutant.pointer),
                "{schema} {mutant:?}"
            );
        }
        if got.verdict == GenerateVerdict::Unsatisfiable {
            for value in &values {
                prop_assert!(!judge.accepts(value), "{schema} is called empty and accepts {value}");
            }
        }
        Ok(())
    });
}

#[test]
fn names_that_others_ask_for_are_broken_alone() {
    let schema = json!({"type": "object", "dependentRequired": {"object": ["group", "kind"]},
        "propertyNames": {"type": "string", "maxLength": 8}, "properties": {"object": {"type": "string"}}});
    let got = solve(&schema, 1, 20);
    let broken: Vec<&str> = got.invalid.iter().map(|m| m.pointer.as_str()).collect();
    assert_eq!(
        broken,
        ["/type", "/dependentRequired", "/propertyNames/maxLength", "/properties/object/type"]
    );
    assert_eq!(got.redundant, ["/propertyNames/type"], "every name is a string");
    let closed =
        json!({"type": "object", "propertyNames": {"type": "string"}, "additionalProperties": false});
    let broken = solve(&closed, 1, 5).invalid;
    assert_eq!(broken.last().map(|m| m.keyword.as_str()), Some("additionalProperties"), "{broken:?}");
    let old = json!({"$schema": "http://json-schema.org/draft-07/schema#", "dependencies": {"a": ["b"]}});
    assert_eq!(solve(&old, 1, 5).invalid.first().map(|m| m.keyword.clone()).as_deref(), Some("dependencies"));
}

/// Every listed value, branch and optional key occurs, and what is called covered did occur.
#[test]
fn many_instances_cover_the_schema() {
    let schema = json!({"type": "object", "required": ["kind"], "additionalProperties": false, "properties": {
        "kind": {"enum": ["a", "b", "c"]}, "size": {"type": "integer", "minimum": 3, "maximum": 90},
        "to": {"anyOf": [{"type": "string", "maxLength": 9}, {"type": "integer", "minimum": 1}, {"type": "null"}]},
        "never": {"not": {}}, "inner": {"type": "object", "properties": {"deep": {"$ref": "#/$defs/flag"}}}},
        "$defs": {"flag": {"type": "boolean"}, "unused": {"type": "string"}}});
    let got = solve(&schema, 40, 0);
    assert_eq!(got.valid.len(), 40);
    let has = |test: &dyn Fn(&Value) -> bool| got.valid.iter().any(test);
    for kind in ["a", "b", "c"] {
        assert!(has(&|v| v["kind"] == kind), "{kind}");
    }
    for key in ["size", "to", "inner"] {
        assert!(has(&|v| v.get(key).is_some()) && has(&|v| v.get(key).is_none()), "{key}");
    }
    assert!(has(&|v| v["size"] == 3) && has(&|v| v["size"] == 90), "bounds");
    assert!(
        has(&|v| v["to"].is_string())
            && has(&|v| v["to"].is_number())
            && has(&|v| v.get("to") == Some(&Value::Null))
    );
    assert!(has(&|v| v["inner"]["deep"].is_boolean()));
    for pointer in [
        "/properties/kind/enum/2",
        "/properties/to/anyOf/1",
        "/$defs/flag",
        "/properties/inner/properties/deep",
    ] {
        assert!(got.covered.iter().any(|p| p == pointer), "{pointer}");
    }
    for pointer in ["/properties/never", "/$defs/unused"] {
        assert!(!got.covered.iter().any(|p| p == pointer), "{pointer} cannot occur");
    }
    let open = solve(&json!({"type": "object"}), 5, 0);
    assert_eq!((open.valid.len(), open.reason), (5, None));
    let few = solve(&json!({"enum": [1, 2]}), 5, 0);
    assert_eq!(few.reason.as_deref(), Some("2 different instances were found, 5 asked for"));
    let one = solve(&json!({"const": 1}), 5, 0);
    assert_eq!(one.reason.as_deref(), Some("only one instance was found, 5 asked for"));
}

#[test]
fn threads_change_nothing() {
    let schema = json!({"type": "object", "required": ["name", "items"], "properties": {
        "name": {"type": "string"}, "items": {"type": "array", "items": {"enum": ["a", "b", "c"]}, "minItems": 2},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50}}});
    let here = solve(&schema, 12, 12);
    let there: Vec<Generated> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(|| solve(&schema, 12, 12))).collect();
        workers.into_iter().map(|w| w.join().unwrap()).collect()
    });
    for other in there {
        assert_eq!(here, other);
    }
}
