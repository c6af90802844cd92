//! Operands, patterns and quantifiers, and the oracles that are made of them.

use super::*;

#[test]
fn operands_and_patterns() {
    let malformed = |at: &'static str, op: &str, expression: Value| {
        ("malformed-operator-expression", at, check(expression, op))
    };
    let title = || json!({"pointer": "/interactions/find/response-body/title"});
    let set_ = || json!({"referenceSet": "catalogue"});
    let literal = || json!({"literal": "Emma"});
    let first = "/oracles/4/check/operands/0";
    let second = "/oracles/4/check/operands/1";
    check_all(&[
        malformed(first, "existence", json!({"op": "existence", "operands": [{"pointer": "@/title"}]})),
        malformed(first, "existence", json!({"op": "existence", "operands": [literal()]})),
        malformed(first, "absence", json!({"op": "absence", "operands": [set_()]})),
        malformed(second, "equality", json!({"op": "equality", "operands": [title(), set_()]})),
        malformed(first, "deep-equality", json!({"op": "deep-equality", "operands": [set_(), title()]})),
        malformed(first, "containment", json!({"op": "containment", "operands": [literal(), title()]})),
        ("", "", check(json!({"op": "containment", "operands": [title(), set_()]}), "containment")),
        ("", "", check(json!({"op": "equality", "operands": [literal(), title()]}), "equality")),
        malformed(first, "regex", json!({"op": "regex", "operands": [literal()], "pattern": "^a$"})),
        malformed(
            first,
            "set-membership",
            json!({"op": "set-membership", "operands": [literal(), {"literal": ["Emma"]}]}),
        ),
        malformed(
            first,
            "count-tolerance",
            json!({"op": "count-tolerance", "operands": [{"literal": []}], "expected": 0, "tolerance": 0, "relative": false}),
        ),
        malformed(
            first,
            "shape",
            json!({"op": "shape", "operands": [set_()], "descriptor": {"requiredKeys": [], "permittedKeys": [], "types": {}}}),
        ),
        malformed(
            first,
            "covers-by-key",
            json!({"op": "covers-by-key", "operands": [title(), title()], "expectedKey": "title", "actualKey": "title"}),
        ),
        malformed(
            second,
            "covers-by-key",
            json!({"op": "covers-by-key", "operands": [set_(), {"literal": []}], "expectedKey": "title", "actualKey": "title"}),
        ),
        malformed(
            "/oracles/4/check/collection",
            "for-all",
            json!({"op": "for-all", "collection": {"literal": [1]}, "predicate": {"op": "existence", "operands": [{"pointer": "@/"}]}}),
        ),
        malformed(
            first,
            "ordering",
            json!({"op": "ordering", "operands": [{"pointer": "/interactions/list/call-inputs/arguments"}], "key": "title", "order": "ascending"}),
        ),
        (
            "",
            "",
            check(
                json!({"op": "ordering", "operands": [{"pointer": "/interactions/list/response-body/loans"}], "key": "title", "order": "descending"}),
                "ordering",
            ),
        ),
        // Inside a quantifier `@/` is the element, and outside it is nothing, wherever it hides.
        (
            "",
            "",
            check(
                json!({"op": "not", "operands": [{"op": "for-all", "collection": {"pointer": "/interactions/list/response-body/loans"}, "predicate": {"op": "existence", "operands": [{"pointer": "@/title"}]}}]}),
                "for-all",
            ),
        ),
        malformed(
            "/oracles/4/check/operands/1/operands/0",
            "all",
            json!({"op": "all", "operands": [{"op": "existence", "operands": [title()]}, {"op": "existence", "operands": [{"pointer": "@/"}]}]}),
        ),
    ]);
    let pattern = |text: &str| vec![set("/oracles/4/check/pattern", json!(text))];
    let refused = |text: &str| ("malformed-operator-expression", "/oracles/4/check/pattern", pattern(text));
    check_all(&[
        refused("^(a)\\1$"),
        refused("^(?<=L)-1$"),
        refused("^a|b$"),
        refused("L-[0-9]+"),
        refused("^L-\\$"),
        refused("^(L$"),
        ("", "", pattern("^(?:L|M)-[0-9]{1,8}$")),
        ("", "", pattern("^(?=L).*$")),
    ]);
    // What is read off a reference set is there, and tells its members apart.
    let members = |members: Value| vec![set("/referenceSets/catalogue/members", members)];
    check_all(&[
        (
            "malformed-operator-expression",
            "/oracles/2/check/operands/1",
            vec![set("/referenceSets/catalogue/keys", json!(["title", "isbn"]))],
        ),
        (
            "malformed-operator-expression",
            "/referenceSets/catalogue/members/1",
            members(json!([{"title": "Emma"}, {"isbn": "1"}])),
        ),
        (
            "malformed-operator-expression",
            "/referenceSets/catalogue/members/1/title",
            members(json!([{"title": "Emma"}, {"title": "Emma"}])),
        ),
        ("", "", members(json!([{"title": 1}, {"title": "1"}]))),
    ]);
}

#[test]
fn quantifiers() {
    let over = |pointer: &str, predicate: Value| {
        check(json!({"op": "for-all", "collection": {"pointer": pointer}, "predicate": predicate}), "for-all")
    };
    let present = || json!({"op": "existence", "operands": [{"pointer": "@/title"}]});
    let loans = "/interactions/list/response-body/loans";
    let at = "/oracles/4/check/collection";
    check_all(&[
        ("quantifier-over-non-collection", at, over("/interactions/list/response-body/total", present())),
        ("quantifier-over-non-collection", at, over("/interactions/find/response-body/title", present())),
        (
            "quantifier-over-non-collection",
            at,
            over("/interactions/list/call-inputs/arguments/member", present()),
        ),
        ("", "", over(loans, present())),
        ("", "", over("/interactions/find/response-body/notes", present())),
        (
            "quantifier-nesting-exceeded",
            "/oracles/4/check/predicate",
            over(
                loans,
                json!({"op": "for-any", "collection": {"pointer": "@/copies"}, "predicate": {"op": "existence", "operands": [{"pointer": "@/"}]}}),
            ),
        ),
        (
            "quantifier-nesting-exceeded",
            "/oracles/4/check/predicate/operands/0",
            over(
                loans,
                json!({"op": "not", "operands": [{"op": "covers-by-key", "operands": [{"referenceSet": "catalogue"}, {"pointer": "@/copies"}], "expectedKey": "title", "actualKey": "title"}]}),
            ),
        ),
        // Two beside each other are not nested.
        (
            "",
            "",
            check(
                json!({"op": "any", "operands": [
            {"op": "for-all", "collection": {"pointer": loans}, "predicate": present()},
            {"op": "for-any", "collection": {"pointer": loans}, "predicate": present()}]}),
                "any",
            ),
        ),
    ]);
    check_all(&[
        (
            "unresolved-reference-set",
            "/oracles/2/check/operands/1",
            vec![set("/oracles/2/check/operands/1/referenceSet", json!("catalog"))],
        ),
        ("unresolved-reference-set", "/oracles/2/check/operands/1", vec![set("/referenceSets", json!(null))]),
        ("unresolved-reference-set", "/oracles/2/check/operands/1", vec![set("/referenceSets", json!({}))]),
        ("", "", vec![set("/oracles/2/check/operands/1", json!({"literal": ["Emma"]}))]),
    ]);
    // Of a witness, too.
    let relation = "/permittedInterfaces/0/operations/0/sensitivityWitness/relation";
    let of_witness = json!({"op": "all", "operands": [
        {"op": "for-all", "collection": {"pointer": "/interactions/list-a/response-body/total"}, "predicate": present()},
        {"op": "existence", "operands": [{"pointer": "/interactions/list-b/response-body/total"}]}]});
    check_all(&[(
        "quantifier-over-non-collection",
        "/permittedInterfaces/0/operations/0/sensitivityWitness/relation/operands/0/collection",
        vec![set(relation, of_witness)],
    )]);
}

#[test]
fn oracles() {
    check_all(&[
        ("oracle-missing-channel", "/oracles/0/direction", vec![set("/oracles/0/direction", json!(null))]),
        ("oracle-missing-channel", "/oracles/3/check", vec![set("/oracles/3/check", json!(null))]),
        ("", "", vec![set("/oracles", json!([]))]),
        (
            "direction-check-misaligned",
            "/oracles/0/direction/evidenceTargets/0",
            vec![set(
                "/oracles/0/direction/evidenceTargets/0",
                json!("/interactions/borrow/response-body/loanId"),
            )],
        ),
        (
            "direction-check-misaligned",
            "/oracles/0/direction/relation",
            vec![set("/oracles/0/direction/relation", json!("any"))],
        ),
        (
            "direction-check-misaligned",
            "/oracles/0/direction/polarity",
            vec![set("/oracles/0/polarity", json!("expects-violation"))],
        ),
        (
            "direction-check-misaligned",
            "/oracles/3/direction/polarity",
            vec![set("/oracles/3/direction/polarity", json!("expects-hold"))],
        ),
        // A subset of what the check reads, and any operator in it.
        (
            "",
            "",
            vec![
                set("/oracles/0/direction/evidenceTargets", json!([])),
                set("/oracles/0/direction/relation", json!("existence")),
            ],
        ),
        // The element of a quantifier counts by the list it comes from.
        (
            "direction-check-misaligned",
            "/oracles/1/direction/evidenceTargets/0",
            vec![set(
                "/oracles/1/direction/evidenceTargets/0",
                json!("/interactions/list/response-body/loans/0/title"),
            )],
        ),
    ]);
}
