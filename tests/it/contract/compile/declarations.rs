//! What a contract declares, the order of the rules, and documents as large as they may be.

use super::*;

#[test]
fn declarations() {
    check_all(&[
        (
            "duplicate-interface-identifier",
            "/permittedInterfaces/1/logicalId",
            vec![set("/permittedInterfaces/-", interface("desk", "mcp"))],
        ),
        (
            "duplicate-interface-identifier",
            "/permittedInterfaces/1/logicalId",
            vec![set("/permittedInterfaces/-", interface("desk", "api"))],
        ),
        ("", "", vec![set("/permittedInterfaces/-", interface("archive", "mcp"))]),
        (
            "missing-requirement-linkage",
            "/behaviors/0",
            vec![set("/behaviors/0/requirementLinks", json!([]))],
        ),
        ("missing-requirement-linkage", "/behaviors/1", vec![set("/behaviors/1/riskLinks", json!([]))]),
        (
            "",
            "",
            vec![
                set("/behaviors/0/requirementLinks", json!([])),
                set("/behaviors/0/riskLinks", json!([{"scheme": "x", "id": "1"}])),
            ],
        ),
        (
            "no-observable-success-criterion",
            "/behaviors/0/observableSuccessCriterion",
            vec![set("/behaviors/0/observableSuccessCriterion", json!(null))],
        ),
        (
            "no-observable-success-criterion",
            "/behaviors/1/observableSuccessCriterion",
            vec![set("/behaviors/1/observableSuccessCriterion", json!(null))],
        ),
        ("", "", vec![set("/behaviors/0/oracles", json!([]))]),
        ("forbidden-input-floor-incomplete", "/forbiddenInputs", vec![gone("/forbiddenInputs/6")]),
        ("forbidden-input-floor-incomplete", "/forbiddenInputs", vec![set("/forbiddenInputs", json!([]))]),
        ("", "", vec![set("/forbiddenInputs/-", json!("human-labels"))]),
        (
            "scoped-reference-resolves-forbidden",
            "/scopedResources/0/reference",
            vec![set("/scopedResources", json!([{"reference": "wiki", "kind": "page"}]))],
        ),
        (
            "scoped-reference-resolves-forbidden",
            "/testData/resources/dump",
            vec![set("/testData/resources", json!({"dump": {"kind": "file"}}))],
        ),
        ("", "", vec![set("/scopedResources", json!([])), set("/testData/resources", json!({}))]),
        ("waiver-incomplete", "/waivers/0/rule", vec![set("/waivers/0/rule", json!(null))]),
        (
            "waiver-incomplete",
            "/waivers/0/rationale",
            vec![set("/waivers/0/rationale", json!(null)), set("/waivers/0/expiresAt", json!(null))],
        ),
        ("waiver-incomplete", "/waivers/0/approval", vec![set("/waivers/0/approval", json!(null))]),
        ("waiver-incomplete", "/waivers/0/expiresAt", vec![set("/waivers/0/expiresAt", json!(null))]),
        ("", "", vec![set("/waivers/0/condition", json!("total > 0"))]),
        (
            "unsupported-interface-kind",
            "/permittedInterfaces/1/kind",
            vec![set("/permittedInterfaces/-", interface("shell", "cli"))],
        ),
        (
            "unsupported-interface-kind",
            "/permittedInterfaces/1/kind",
            vec![set("/permittedInterfaces/-", interface("page", "web"))],
        ),
        (
            "unsupported-interface-kind",
            "/permittedInterfaces/0/kind",
            vec![set("/permittedInterfaces/0/kind", json!("api")), set("/fixtureReset", json!(null))],
        ),
    ]);
}

/// Where two rules are broken, the earlier one speaks: each pair in the order of the rules.
#[test]
fn the_first_rule_speaks() {
    let broken: Vec<(&str, Vec<Edit>)> = vec![
        ("duplicate-interface-identifier", vec![set("/permittedInterfaces/-", interface("desk", "mcp"))]),
        ("missing-requirement-linkage", vec![set("/behaviors/0/requirementLinks", json!([]))]),
        (
            "no-observable-success-criterion",
            vec![set("/behaviors/0/observableSuccessCriterion", json!(null))],
        ),
        (
            "unresolved-artifact-reference",
            vec![set("/rubrics/0/criteria/0/evidence", json!("/interactions/find/artifact/x"))],
        ),
        (
            "unreachable-check-evidence",
            vec![set(
                "/oracles/0/check/operands/0/operands/0/pointer",
                json!("/interactions/borrow/exit-code"),
            )],
        ),
        ("malformed-operator-expression", vec![set("/oracles/4/check/pattern", json!("^a|b$"))]),
        (
            "quantifier-over-non-collection",
            vec![set("/oracles/1/check/collection/pointer", json!("/interactions/list/response-body/total"))],
        ),
        ("unresolved-reference-set", vec![set("/oracles/2/check/operands/1/referenceSet", json!("catalog"))]),
        (
            "duplicate-operation-signature",
            vec![set("/permittedInterfaces/0/operations/3/toolName", json!("get_loan"))],
        ),
        (
            "undeclared-mandatory-input",
            vec![set("/interactionPlan/2/inputBinding/arguments", json!({"limit": {"matcher": "any"}}))],
        ),
        ("oracle-missing-channel", vec![set("/oracles/3/direction", json!(null))]),
        ("unsupported-interface-kind", vec![set("/permittedInterfaces/-", interface("shell", "cli"))]),
        ("nested-temporal-clause", vec![set("/interactionPlan/2/after", json!("find"))]),
        (
            "binding-cycle",
            vec![set(
                "/interactionPlan/0/inputBinding/arguments/title",
                json!({"captured": "/interactions/borrow/response-body/dueAt"}),
            )],
        ),
        ("rubric-unanchored", vec![set("/rubrics/0/maxLength", json!(null))]),
        ("forbidden-input-floor-incomplete", vec![set("/forbiddenInputs", json!([]))]),
        (
            "scoped-reference-resolves-forbidden",
            vec![set("/testData/resources", json!({"a": {"kind": "b"}}))],
        ),
        ("waiver-incomplete", vec![set("/waivers/0/rule", json!(null))]),
        ("malformed-operator-expression", vec![set("/fixtureReset/legId", json!("find"))]),
    ];
    for pair in broken.windows(2) {
        let [(first, a), (second, b)] = pair else { unreachable!() };
        let both: Vec<Edit> = b.iter().chain(a).cloned().collect();
        // A witness that reads an artifact is unreachable in its own rule, later: the pair stands as it is.
        assert_eq!(outcome(&edited(&both)).0, *first, "{first} before {second}");
        assert_eq!(outcome(&edited(b)).0, *second);
    }
}

/// Documents as large as are read, in the shapes that could cost the square of their size.
#[test]
fn hostile_documents_are_bounded() {
    let many = |n: usize| 0..n;
    let operations: Vec<Value> =
        many(3_000).map(|i| operation(&format!("o-{i}"), &format!("t_{i}"))).collect();
    let steps: Vec<Value> =
        many(20_000).map(|i| step(&format!("s-{i}"), "reset-desk", json!(null))).collect();
    let keys: Vec<String> = many(20_000).map(|i| format!("k{i}")).collect();
    let bound: serde_json::Map<String, Value> =
        keys.iter().map(|k| (k.clone(), json!({"matcher": "any"}))).collect();
    let long = format!("/interactions/list/response-body/{}", "x".repeat(2_000));
    let children: Vec<Value> = many(20_000)
        .map(|i| json!({"op": "existence", "operands": [{"pointer": format!("@/{i}")}]}))
        .collect();
    let members: Vec<Value> = many(5_000).map(|i| json!({"title": i})).collect();
    let lookups: Vec<Value> = many(5_000).map(|_| json!({"op": "set-membership", "operands": [{"pointer": "/interactions/find/response-body/title"}, {"referenceSet": "catalogue"}]})).collect();
    check_all(&[
        (
            "plan-exceeds-scripting-bound",
            "/interactionPlan",
            vec![
                set("/oracles", json!([])),
                set("/rubrics", json!([])),
                set("/interactionPlan", json!(steps)),
                set(
                    "/permittedInterfaces/-",
                    json!({"logicalId": "other", "kind": "mcp", "operations": operations}),
                ),
            ],
        ),
        (
            "",
            "",
            vec![
                set("/permittedInterfaces/0/operations/0/requestShape/arguments/permittedKeys", json!(keys)),
                set("/interactionPlan/2/inputBinding/arguments", json!(bound)),
            ],
        ),
        ("parse", "/oracles/4/check/operands/0/pointer", reads(&long)),
        (
            "",
            "",
            check(
                json!({"op": "for-any", "collection": {"pointer": "/interactions/list/response-body/loans"}, "predicate": {"op": "any", "operands": children}}),
                "for-any",
            ),
        ),
        (
            "",
            "",
            with(
                check(json!({"op": "all", "operands": lookups}), "all"),
                set("/referenceSets/catalogue/members", json!(members)),
            ),
        ),
    ]);
}
