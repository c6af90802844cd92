//! Three values: what every operator says of evidence that is there, not there, and empty.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use verity::contract::evaluate::{Evidence, Introduction, Resolution, Tree, resolve};
use verity::contract::expression::Expression;
use verity::contract::observation::{Call, ToolResult};
use verity::contract::pointer::Pointer;
use verity::contract::{Code, Contract, Failure, Node};

/// What `check` resolves to, where `s` answered `body` and `/rows` is declared a list.
fn tree_of(check: &Value, body: ToolResult, is_witness: bool) -> Result<Tree, Failure> {
    let check = Expression::read(&Node::root(check)).unwrap();
    let arguments: Map<String, Value> = json!({"q": "x", "none": []}).as_object().unwrap().clone();
    let call = Call::new(arguments, body, false);
    let sets = Contract::read(&super::edited(&[super::set(
        "/referenceSets/nobody",
        json!({"keys": ["title"], "members": [], "commentary": null}),
    )]))
    .unwrap();
    let evidence = Evidence {
        calls: BTreeMap::from([("s", &call)]),
        reference_sets: sets.reference_sets.as_ref(),
        is_collection: &|pointer: &Pointer| pointer.text.ends_with("/response-body/rows"),
        is_witness,
    };
    resolve(&check, &evidence)
}

fn says(check: &Value, body: &Value) -> &'static str {
    tree_of(check, ToolResult::Json(body.clone()), false).unwrap().resolution.name()
}

const IE: &str = "insufficient-evidence";

fn at(tail: &str) -> Value {
    json!({"pointer": format!("/interactions/s/response-body{tail}")})
}

fn lit(value: Value) -> Value {
    json!({"literal": value})
}

fn op(name: &str, operands: Vec<Value>) -> Value {
    json!({"op": name, "operands": operands})
}

fn leaf(name: &str, operand: Value, more: Value) -> Value {
    let mut node = op(name, vec![operand]);
    node.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    node
}

fn body() -> Value {
    json!({"text": "one two", "n": 2, "null": null, "list": [1, "a", {"k": [1]}, [1, 2]], "empty": [], "object": {"a": 1, "b": "x"},
        "sorted": [{"k": 1}, {"k": 1.0}, {"k": 3}], "names": [{"k": "\u{ff61}"}, {"k": "\u{1f600}"}],
        "titles": [{"t": "Ulysses"}, {"t": "Emma"}]})
}

fn check_all(cases: &[(Value, &str)]) {
    for (check, wanted) in cases {
        assert_eq!(says(check, &body()), *wanted, "{check}");
    }
}

#[test]
fn equality() {
    check_all(&[
        (op("equality", vec![at("/n"), lit(json!(2.0))]), "true"),
        (op("equality", vec![at("/n"), lit(json!("2"))]), "false"),
        (op("equality", vec![at("/null"), lit(json!(null))]), "true"),
        (op("equality", vec![at("/gone"), lit(json!(null))]), "false"),
        (op("equality", vec![at("/gone"), at("/gone")]), "false"),
        (op("equality", vec![at("/object"), lit(json!({"b": "x", "a": 1}))]), "true"),
        (op("equality", vec![at("/list/3"), lit(json!([2, 1]))]), "false"),
        (op("deep-equality", vec![at("/list/2"), lit(json!({"k": [1.0]}))]), "true"),
        (op("deep-equality", vec![at("/gone"), lit(json!(null))]), "false"),
        // A list with nothing in it, on whichever side, examines nothing.
        (op("equality", vec![at("/empty"), lit(json!([]))]), IE),
        (op("deep-equality", vec![at("/list"), lit(json!([]))]), IE),
        (op("deep-equality", vec![at("/empty"), at("/gone")]), IE),
        (op("equality", vec![at("/rows"), lit(json!([1]))]), IE),
    ]);
}

#[test]
fn membership() {
    check_all(&[
        (op("containment", vec![at("/list"), lit(json!("a"))]), "true"),
        (op("containment", vec![at("/list"), lit(json!({"k": [1]}))]), "true"),
        // A list is read as a set, never as one element.
        (op("containment", vec![at("/list"), lit(json!([1, 2]))]), "false"),
        (op("containment", vec![at("/list"), lit(json!(["a", 1]))]), "true"),
        (op("containment", vec![at("/text"), lit(json!("e t"))]), "true"),
        (op("containment", vec![at("/text"), lit(json!(1))]), "false"),
        (op("containment", vec![at("/text"), lit(json!(["one"]))]), "false"),
        (op("containment", vec![at("/object"), lit(json!("a"))]), "false"),
        (op("containment", vec![at("/gone"), lit(json!("a"))]), "false"),
        (op("containment", vec![at("/list"), at("/gone")]), "false"),
        (op("containment", vec![at("/empty"), lit(json!("a"))]), IE),
        (op("containment", vec![at("/list"), json!({"referenceSet": "nobody"})]), IE),
        (op("set-membership", vec![at("/n"), lit(json!([1, 2]))]), "true"),
        (op("set-membership", vec![at("/n"), lit(json!([[2]]))]), "false"),
        (op("set-membership", vec![at("/gone"), lit(json!([1]))]), "false"),
        // The one key is read off each member.
        (op("set-membership", vec![at("/titles/1/t"), json!({"referenceSet": "catalogue"})]), "true"),
        (op("set-membership", vec![at("/titles/1"), json!({"referenceSet": "catalogue"})]), "false"),
        (op("set-membership", vec![at("/n"), json!({"referenceSet": "nobody"})]), IE),
    ]);
}

#[test]
fn presence_patterns_and_shapes() {
    let shape = |required: Value, permitted: Value, types: Value, of: &str| {
        leaf(
            "shape",
            at(of),
            json!({"descriptor": {"requiredKeys": required, "permittedKeys": permitted, "types": types}}),
        )
    };
    let regex = |of: &str, pattern: &str| leaf("regex", at(of), json!({"pattern": pattern}));
    check_all(&[
        (op("existence", vec![at("/null")]), "true"),
        (op("existence", vec![at("/empty")]), "true"),
        (op("existence", vec![at("/gone")]), "false"),
        (op("existence", vec![at("/text/0")]), "false"),
        (op("absence", vec![at("/list/-")]), "true"),
        (op("absence", vec![at("/null")]), "false"),
        // A list that is declared and not there.
        (op("existence", vec![at("/rows")]), IE),
        (op("absence", vec![at("/rows")]), IE),
        (op("existence", vec![json!({"pointer": "/interactions/s/response-status"})]), "true"),
        (op("equality", vec![json!({"pointer": "/interactions/s/response-status"}), lit(json!(0))]), "true"),
        (
            op(
                "equality",
                vec![json!({"pointer": "/interactions/s/call-inputs/arguments/q"}), lit(json!("x"))],
            ),
            "true",
        ),
        (op("existence", vec![json!({"pointer": "/interactions/other/response-body"})]), "false"),
        (op("existence", vec![json!({"pointer": "/interactions/s/response-headers/x"})]), "false"),
        (regex("/text", "^one .*$"), "true"),
        (regex("/text", "^one$"), "false"),
        (regex("/n", "^2$"), "false"),
        (regex("/gone", "^.*$"), "false"),
        (regex("/empty", "^.*$"), IE),
        (shape(json!(["a"]), json!(["a", "b"]), json!({"a": "number", "b": "string"}), "/object"), "true"),
        (shape(json!(["a"]), json!(["a"]), json!({}), "/object"), "false"),
        (shape(json!(["c"]), json!(["a", "b", "c"]), json!({}), "/object"), "false"),
        (shape(json!([]), json!(["a", "b"]), json!({"b": "number"}), "/object"), "false"),
        (shape(json!([]), json!(["a", "b"]), json!({"b": null}), "/object"), "true"),
        (shape(json!([]), json!(["a", "b"]), json!({}), "/list"), "false"),
        (shape(json!([]), json!([]), json!({}), "/empty"), IE),
    ]);
}

#[test]
fn lists() {
    let order = |of: &str, order: &str| leaf("ordering", at(of), json!({"key": "k", "order": order}));
    let count = |of: &str, expected: u64, tolerance: u64, relative: bool| {
        leaf(
            "count-tolerance",
            at(of),
            json!({"expected": expected, "tolerance": tolerance, "relative": relative}),
        )
    };
    let covers = |actual: Value, set: &str| json!({"op": "covers-by-key", "operands": [{"referenceSet": set}, actual], "expectedKey": "title", "actualKey": "t"});
    check_all(&[
        (order("/sorted", "ascending"), "true"),
        (order("/sorted", "descending"), "false"),
        // U+FF61 comes after the surrogates of U+1F600 in UTF-16, and before it by code points.
        (order("/names", "ascending"), "false"),
        (order("/names", "descending"), "true"),
        (order("/list", "ascending"), "false"),
        (order("/empty", "ascending"), IE),
        (order("/gone", "ascending"), "false"),
        (order("/rows", "ascending"), IE),
        // The one that answers where the others abstain.
        (count("/empty", 0, 0, false), "true"),
        (count("/empty", 1, 0, false), "false"),
        (count("/list", 5, 1, false), "true"),
        (count("/list", 6, 1, false), "false"),
        (count("/list", 5, 20, true), "true"),
        (count("/list", 5, 19, true), "false"),
        (count("/gone", 0, 5, false), "false"),
        (count("/rows", 0, 0, false), IE),
        (covers(at("/titles"), "catalogue"), "true"),
        (covers(at("/sorted"), "catalogue"), "false"),
        (covers(at("/gone"), "catalogue"), "false"),
        (covers(at("/rows"), "catalogue"), "false"),
        (covers(at("/text"), "catalogue"), "false"),
        (covers(at("/empty"), "catalogue"), IE),
        (covers(at("/titles"), "nobody"), IE),
    ]);
    for (titles, wanted) in [
        (json!(["Emma", "Ulysses"]), "true"),
        (json!(["Emma"]), "false"),
        (json!(["Emma", "Ulysses", "Ulysses"]), "false"),
        (json!(["Emma", "Ulysses", "Persuasion"]), "false"),
    ] {
        let actual: Vec<Value> = titles.as_array().unwrap().iter().map(|t| json!({"t": t})).collect();
        assert_eq!(says(&covers(at("/x"), "catalogue"), &json!({"x": actual})), wanted, "{titles}");
    }
    assert_eq!(
        says(&leaf("ordering", at("/x"), json!({"key": "k", "order": "ascending"})), &json!({"x": [7]})),
        "true"
    );
}

#[test]
fn quantifiers() {
    let over = |name: &str, of: &str, predicate: Value| json!({"op": name, "collection": at(of), "predicate": predicate});
    let small = || op("set-membership", vec![json!({"pointer": "@/k"}), lit(json!([1]))]);
    check_all(&[
        (over("for-all", "/sorted", small()), "false"),
        (over("for-any", "/sorted", small()), "true"),
        (over("for-all", "/empty", small()), IE),
        (over("for-any", "/gone", small()), IE),
        (over("for-all", "/object", small()), IE),
        (over("for-any", "/text", small()), IE),
        (over("for-all", "/list", op("existence", vec![json!({"pointer": "@/"})])), "true"),
        // One element abstains: a false still decides for all, a true does not for any.
        (over("for-all", "/list", op("containment", vec![json!({"pointer": "@/k"}), lit(json!([]))])), IE),
    ]);
    let rows = json!({"x": [{"v": [1]}, {"v": []}]});
    let has = |wanted: u64| op("containment", vec![json!({"pointer": "@/v"}), lit(json!(wanted))]);
    assert_eq!(says(&over("for-all", "/x", has(2)), &rows), "false");
    assert_eq!(says(&over("for-all", "/x", has(1)), &rows), IE);
    assert_eq!(says(&over("for-any", "/x", has(1)), &rows), IE);
    // An element's member is never a declared list, whatever its name.
    let absent = over("for-all", "/x", op("existence", vec![json!({"pointer": "@/rows"})]));
    assert_eq!(says(&absent, &rows), "false");
}

#[test]
fn truth_tables() {
    let (t, f, i) = (
        op("existence", vec![at("/n")]),
        op("absence", vec![at("/n")]),
        op("equality", vec![at("/empty"), lit(json!(1))]),
    );
    let of = |name: &str| match name {
        "true" => t.clone(),
        "false" => f.clone(),
        _ => i.clone(),
    };
    for (value, negated) in [("true", "false"), ("false", "true"), (IE, IE)] {
        assert_eq!(says(&op("not", vec![of(value)]), &body()), negated);
    }
    let table = [
        ("true", "true", "true", "true"),
        ("true", "false", "false", "true"),
        ("true", IE, IE, IE),
        ("false", "false", "false", "false"),
        ("false", IE, "false", IE),
        (IE, IE, IE, IE),
    ];
    for (a, b, all, any) in table {
        for (a, b) in [(a, b), (b, a)] {
            assert_eq!(says(&op("all", vec![of(a), of(b)]), &body()), all, "all {a} {b}");
            assert_eq!(says(&op("any", vec![of(a), of(b)]), &body()), any, "any {a} {b}");
        }
    }
}

#[test]
fn the_tree_says_who_abstained() {
    let empty = op("equality", vec![at("/empty"), lit(json!(1))]);
    let check = op("all", vec![op("not", vec![empty]), op("existence", vec![at("/gone")])]);
    let tree = tree_of(&check, ToolResult::Json(body()), false).unwrap();
    let wanted = json!({"resolution": "false", "introductionCondition": null, "children": [
        {"resolution": "insufficient-evidence", "introductionCondition": null, "children": [
            {"resolution": "insufficient-evidence", "introductionCondition": "empty-collection", "children": []}]},
        {"resolution": "false", "introductionCondition": null, "children": []}]});
    assert_eq!(serde_json::to_value(&tree).unwrap(), wanted);
}

#[test]
fn results_without_structure_have_nothing_below() {
    let resolution = |check: &Value, result: ToolResult| tree_of(check, result, false).unwrap().resolution;
    let whole = op("existence", vec![at("")]);
    assert_eq!(resolution(&whole, ToolResult::Absent), Resolution::False);
    assert_eq!(resolution(&whole, ToolResult::Json(json!(null))), Resolution::True);
    assert_eq!(
        resolution(&op("equality", vec![at(""), lit(json!("hi"))]), ToolResult::Text("hi".into())),
        Resolution::True
    );
    assert_eq!(
        resolution(&op("existence", vec![at("/0")]), ToolResult::Text("hi".into())),
        Resolution::False
    );
}

#[test]
fn a_witness_that_compares_nothing_with_nothing_has_seen_nothing() {
    let differ = op("not", vec![op("deep-equality", vec![at("/total"), at("/total")])]);
    let of = |check: &Value, is_witness| tree_of(check, ToolResult::Absent, is_witness).unwrap();
    assert_eq!(of(&differ, false).resolution, Resolution::True, "as eval-quality has it");
    let abstains = of(&differ, true);
    assert_eq!(abstains.resolution, Resolution::InsufficientEvidence);
    assert_eq!(abstains.children[0].introduction_condition, Some(Introduction::AbsentOperand));
    assert_eq!(of(&op("absence", vec![at("/total")]), true).resolution, Resolution::True);
    assert_eq!(of(&op("existence", vec![at("/total")]), true).resolution, Resolution::False);
    // Every other operator, an element's missing member included.
    let shape = json!({"descriptor": {"requiredKeys": [], "permittedKeys": [], "types": {}}});
    let count = json!({"expected": 0, "tolerance": 0, "relative": false});
    for check in [
        op("equality", vec![at("/total"), lit(json!(1))]),
        op("containment", vec![at("/total"), lit(json!(1))]),
        op("set-membership", vec![at("/total"), lit(json!([1]))]),
        leaf("regex", at("/total"), json!({"pattern": "^a$"})),
        leaf("ordering", at("/total"), json!({"key": "k", "order": "ascending"})),
        leaf("count-tolerance", at("/total"), count),
        leaf("shape", at("/total"), shape),
        json!({"op": "covers-by-key", "operands": [{"referenceSet": "catalogue"}, at("/total")], "expectedKey": "title", "actualKey": "t"}),
    ] {
        assert_eq!(of(&check, true).resolution, Resolution::InsufficientEvidence, "{check}");
    }
    let element = json!({"op": "for-all", "collection": at("/x"), "predicate": op("equality", vec![json!({"pointer": "@/gone"}), lit(json!(1))])});
    let seen = tree_of(&element, ToolResult::Json(json!({"x": [{}]})), true).unwrap();
    assert_eq!(seen.resolution, Resolution::InsufficientEvidence);
}

#[test]
fn budgets() {
    let code = |check: &Value, body: Value| {
        tree_of(check, ToolResult::Json(body), false).map(|t| t.resolution).map_err(|f| f.code)
    };
    let nested = leaf("regex", at("/x"), json!({"pattern": "^(a+)+$"}));
    assert_eq!(code(&nested, json!({"x": "a"})), Err(Code::BudgetExhausted));
    // No text, nothing to match.
    assert_eq!(code(&nested, json!({"x": 1})), Ok(Resolution::False));
    let long = leaf("regex", at("/x"), json!({"pattern": "^a*b*c*$"}));
    assert_eq!(code(&long, json!({"x": "a".repeat(250_000)})), Ok(Resolution::True));
    assert_eq!(code(&long, json!({"x": "a".repeat(250_001)})), Err(Code::BudgetExhausted));
    // Lists in lists are compared so often and no more.
    let each = json!({"op": "for-all", "collection": at("/x"), "predicate": op("containment", vec![at("/x"), json!({"pointer": "@/"})])});
    let numbers = |n: u64| json!({"x": (0..n).collect::<Vec<_>>()});
    assert_eq!(code(&each, numbers(1_000)), Ok(Resolution::True));
    assert_eq!(code(&each, numbers(10_000)), Err(Code::BudgetExhausted));
}

/// Checks over a body whose members hold every kind of value.
fn checks() -> impl Strategy<Value = Value> {
    let place = prop::sample::select(vec![
        "",
        "/n",
        "/null",
        "/empty",
        "/list",
        "/gone",
        "/rows",
        "/text",
        "/object/a",
    ]);
    let leaf = (
        place.clone(),
        place,
        prop::sample::select(vec!["equality", "deep-equality", "containment", "existence", "absence"]),
    )
        .prop_map(|(a, b, name)| {
            op(name, if name.ends_with("ence") { vec![at(a)] } else { vec![at(a), at(b)] })
        });
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|child| op("not", vec![child])),
            prop::collection::vec(inner.clone(), 2..4).prop_map(|children| op("all", children)),
            prop::collection::vec(inner, 2..4).prop_map(|children| op("any", children)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn laws(x in checks(), y in checks(), z in checks()) {
        let of = |check: &Value| says(check, &body());
        let not = |check: &Value| op("not", vec![check.clone()]);
        prop_assert_eq!(of(&not(&not(&x))), of(&x));
        // Order does not count, nor does saying a thing twice.
        let (mut forth, mut back) = (vec![x.clone(), y.clone(), z.clone()], vec![z.clone(), y.clone(), x.clone()]);
        for name in ["all", "any"] {
            prop_assert_eq!(of(&op(name, forth.clone())), of(&op(name, back.clone())));
            prop_assert_eq!(of(&op(name, vec![x.clone(), x.clone()])), of(&x));
            prop_assert_eq!(of(&op(name, vec![x.clone(), op(name, vec![y.clone(), z.clone()])])), of(&op(name, forth.clone())));
        }
        forth.push(x.clone());
        back.push(x.clone());
        prop_assert_eq!(of(&op("any", forth)), of(&op("any", back)));
        // De Morgan holds but where one side abstains and another decides: `all` lets a false win, `any` no true.
        let values = [of(&x), of(&y)];
        if !values.contains(&IE) {
            let none = not(&op("any", vec![x.clone(), y.clone()]));
            let all = op("all", vec![not(&x), not(&y)]);
            prop_assert_eq!(of(&none), of(&all));
        }
        // Nothing that abstains makes an `any` hold or an `all` hold.
        if values.contains(&IE) {
            prop_assert_eq!(of(&op("any", vec![x.clone(), y.clone()])), IE);
            prop_assert_ne!(of(&op("all", vec![x.clone(), y.clone()])), "true");
        }
    }

    /// Members of an object in another order, and integers as doubles, change nothing.
    #[test]
    fn representation_does_not_count(x in checks()) {
        let mut other = Map::new();
        for (key, value) in body().as_object().unwrap().iter().rev() {
            other.insert(key.clone(), value.as_i64().map_or(value.clone(), |n| json!(n as f64)));
        }
        prop_assert_eq!(says(&x, &body()), says(&x, &Value::Object(other)));
    }
}
