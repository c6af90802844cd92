//! Every rule of compiling: what breaks it, and what comes near and does not.

use super::{Edit, check_all, edited, gone, lending_desk, outcome, set};
use serde_json::{Value, json};

const OPERATIONS: &str = "/permittedInterfaces/0/operations";

fn interface(id: &str, kind: &str) -> Value {
    json!({"logicalId": id, "kind": kind, "operations": []})
}

/// Another tool, declared in full.
fn operation(id: &str, tool: &str) -> Value {
    json!({"operationId": id, "toolName": tool, "stateChangeMarker": false,
        "requestShape": {"arguments": {"requiredKeys": [], "permittedKeys": [], "types": {}}},
        "descriptorChannel": {"kind": "structured-result"},
        "responseDescriptor": {"requiredKeys": ["done"], "permittedKeys": ["done"], "types": {"done": "boolean"},
            "successIndicator": null, "channelRoles": null, "collectionLocations": null},
        "volatilePointers": [], "sensitivityWitness": null})
}

fn step(id: &str, operation: &str, after: Value) -> Value {
    json!({"stepId": id, "interfaceId": "desk", "operationId": operation, "inputBinding": {"arguments": null},
        "after": after, "cardinality": "any"})
}

/// The check of O-005, and a direction that fits it.
fn check(expression: Value, relation: &str) -> Vec<Edit> {
    vec![
        set("/oracles/4/check", expression),
        set("/oracles/4/direction/relation", json!(relation)),
        set("/oracles/4/direction/evidenceTargets", json!([])),
    ]
}

fn with(mut edits: Vec<Edit>, more: Edit) -> Vec<Edit> {
    edits.push(more);
    edits
}

/// `existence` of a pointer, as the check of O-005.
fn reads(pointer: &str) -> Vec<Edit> {
    check(json!({"op": "existence", "operands": [{"pointer": pointer}]}), "existence")
}

/// The first operand of the list witness reads this.
fn witness_reads(pointer: &str) -> Vec<Edit> {
    vec![set(
        "/permittedInterfaces/0/operations/0/sensitivityWitness/relation/operands/0/operands/0/pointer",
        json!(pointer),
    )]
}

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

#[test]
fn evidence_that_cannot_be_there() {
    let unreachable =
        |pointer: &str| ("unreachable-check-evidence", "/oracles/4/check/operands/0", reads(pointer));
    let fine = |pointer: &str| ("", "", reads(pointer));
    check_all(&[
        unreachable("/interactions/nowhere/response-body/title"),
        unreachable("/interactions/find/response-body/author"),
        unreachable("/interactions/find/response-body/title/0"),
        unreachable("/interactions/find/response-body/0"),
        unreachable("/interactions/find/response-headers"),
        unreachable("/interactions/find/stdout"),
        unreachable("/interactions/find/stderr/x"),
        unreachable("/interactions/find/exit-code"),
        unreachable("/interactions/find/call-inputs/arguments/title"),
        unreachable("/interactions/find/call-inputs/arguments/loanId/x"),
        unreachable("/interactions/find/call-inputs/body/loanId"),
        unreachable("/interactions/find/call-inputs/query"),
        fine("/interactions/find/response-body"),
        fine("/interactions/find/response-body/title"),
        // Declared without a type, or a list: what is below is not known.
        fine("/interactions/find/response-body/notes/0/text"),
        fine("/interactions/list/response-body/loans/3/title"),
        fine("/interactions/find/response-status"),
        fine("/interactions/find/call-inputs/arguments"),
        fine("/interactions/find/call-inputs/arguments/loanId"),
    ]);
    // A step whose operation, or whose id, leads nowhere.
    let find = "/interactions/find/response-body/title";
    check_all(&[
        (
            "unreachable-check-evidence",
            "/oracles/0/check/operands/1/operands/0",
            vec![set("/interactionPlan/1/operationId", json!("get-book"))],
        ),
        (
            "unreachable-check-evidence",
            "/oracles/0/check/operands/1/operands/0",
            vec![set("/interactionPlan/1/interfaceId", json!("shelf"))],
        ),
        (
            "unreachable-check-evidence",
            "/oracles/0/check/operands/1/operands/0",
            vec![set("/interactionPlan/-", step("find", "reset-desk", json!(null)))],
        ),
    ]);
    // A step need not say its interface where its operation is declared once.
    let of_another =
        json!({"logicalId": "other", "kind": "mcp", "operations": [operation("get-loan", "other_loan")]});
    check_all(&[
        ("", "", vec![gone("/interactionPlan/1/interfaceId")]),
        (
            "unreachable-check-evidence",
            "/oracles/0/check/operands/1/operands/0",
            vec![gone("/interactionPlan/1/interfaceId"), set("/permittedInterfaces/-", of_another)],
        ),
        (
            "unreachable-check-evidence",
            "/oracles/0/check/operands/1/operands/0",
            vec![
                gone("/interactionPlan/1/interfaceId"),
                set("/interactionPlan/1/operationId", json!("get-book")),
            ],
        ),
    ]);
    // Items of a result that is a list as a whole, up to the most that it may have.
    let listed = |pointer: &str, cardinality: Value| {
        with(
            reads(pointer),
            set(
                "/permittedInterfaces/0/operations/1/responseDescriptor/collectionLocations",
                json!([{"pointer": "", "referenceSet": null, "expectedCardinality": cardinality}]),
            ),
        )
    };
    check_all(&[
        ("", "", listed("/interactions/find/response-body/1", json!({"mode": "exact", "count": 2}))),
        (
            "unreachable-check-evidence",
            "/oracles/4/check/operands/0",
            listed("/interactions/find/response-body/2", json!({"mode": "exact", "count": 2})),
        ),
        (
            "unreachable-check-evidence",
            "/oracles/4/check/operands/0",
            listed("/interactions/find/response-body/20", json!({"mode": "page-bounded", "max": 20})),
        ),
        ("", "", listed(find, json!({"mode": "at-most", "max": 0}))),
    ]);
}

#[test]
fn artifacts() {
    let artifact = "/interactions/find/artifact/receipt";
    check_all(&[
        ("unresolved-artifact-reference", "/oracles/4/check/operands/0", reads(artifact)),
        (
            "unresolved-artifact-reference",
            "/oracles/4/check/operands/0",
            reads("/interactions/nowhere/artifact/receipt/total"),
        ),
        (
            "unresolved-artifact-reference",
            "/oracles/4/direction/evidenceTargets/0",
            vec![set("/oracles/4/direction/evidenceTargets/0", json!(artifact))],
        ),
        (
            "unresolved-artifact-reference",
            "/rubrics/0/criteria/0/evidence",
            vec![set("/rubrics/0/criteria/0/evidence", json!(artifact))],
        ),
        (
            "unresolved-artifact-reference",
            "/permittedInterfaces/0/operations/0/sensitivityWitness/relation/operands/0/operands/0",
            witness_reads("/interactions/list-a/artifact/receipt"),
        ),
    ]);
}

#[test]
fn captured_values() {
    let at = "/interactionPlan/1/inputBinding/arguments/loanId";
    let captured =
        |pointer: &str| set("/interactionPlan/1/inputBinding/arguments/loanId", json!({"captured": pointer}));
    check_all(&[
        ("unreachable-check-evidence", at, vec![captured("/interactions/lend/response-body/loanId")]),
        ("unreachable-check-evidence", at, vec![captured("/interactions/borrow/response-body/number")]),
        ("unreachable-check-evidence", at, vec![captured("/interactions/borrow/response-body")]),
        ("unreachable-check-evidence", at, vec![captured("/interactions/list/response-body/loans")]),
        ("unreachable-check-evidence", at, vec![captured("/interactions/list/response-body/loans/0")]),
        // Declared without a type, and of another type than the argument.
        ("unreachable-check-evidence", at, vec![captured("/interactions/list/response-body/asOf")]),
        ("unreachable-check-evidence", at, vec![captured("/interactions/borrow/response-body/accepted")]),
        ("", "", vec![captured("/interactions/borrow/response-body/dueAt")]),
        ("captured-channel-undeclared", at, vec![captured("/interactions/borrow/response-status")]),
        (
            "captured-channel-undeclared",
            at,
            vec![captured("/interactions/borrow/call-inputs/arguments/title")],
        ),
        ("captured-channel-undeclared", at, vec![captured("/interactions/borrow/response-headers/id")]),
        // An unknown step outranks the channel.
        ("unreachable-check-evidence", at, vec![captured("/interactions/lend/response-status")]),
    ]);
    // The argument has no type to be compared with.
    let untyped =
        set("/permittedInterfaces/0/operations/1/requestShape/arguments/types", json!({"loanId": null}));
    check_all(&[("unreachable-check-evidence", at, vec![untyped])]);
}

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
fn operations_and_inputs() {
    let bind = |keys: Value| vec![set("/interactionPlan/2/inputBinding/arguments", keys)];
    check_all(&[
        (
            "duplicate-operation-signature",
            "/permittedInterfaces/0/operations/4/toolName",
            vec![set("/permittedInterfaces/0/operations/-", operation("again", "get_loan"))],
        ),
        (
            "duplicate-operation-signature",
            "/permittedInterfaces/1/operations/0/toolName",
            vec![set(
                "/permittedInterfaces/-",
                json!({"logicalId": "other", "kind": "mcp", "operations": [operation("x", "reset_desk")]}),
            )],
        ),
        (
            "duplicate-operation-signature",
            "/permittedInterfaces/0/operations/4/operationId",
            vec![set("/permittedInterfaces/0/operations/-", operation("reset-desk", "reset_all"))],
        ),
        // An id is unique in its interface only, and a name's spelling counts.
        (
            "",
            "",
            vec![set(
                "/permittedInterfaces/-",
                json!({"logicalId": "other", "kind": "mcp", "operations": [operation("get-loan", "Get_loan")]}),
            )],
        ),
        (
            "undeclared-mandatory-input",
            "/interactionPlan/2/inputBinding/arguments/limit",
            bind(json!({"limit": {"literal": 3}})),
        ),
        (
            "undeclared-mandatory-input",
            "/interactionPlan/2/inputBinding/arguments/member",
            bind(json!({"member": {"principal": "writer"}})),
        ),
        (
            "undeclared-mandatory-input",
            "/interactionPlan/0/inputBinding/arguments/member",
            vec![set("/testData/principals", json!(null))],
        ),
        (
            "undeclared-mandatory-input",
            "/interactionPlan/2/inputBinding/query/member",
            vec![set(
                "/interactionPlan/2/inputBinding",
                json!({"path": null, "query": {"member": {"literal": "ann"}}, "header": null, "body": null}),
            )],
        ),
        ("", "", bind(json!({"page": {"matcher": "type-violating"}}))),
        (
            "",
            "",
            vec![set(
                "/interactionPlan/2/inputBinding",
                json!({"path": null, "query": null, "header": null, "body": null}),
            )],
        ),
    ]);
    let inputs = "/permittedInterfaces/0/operations/0/sensitivityWitness/legs/1/inputs";
    check_all(&[
        (
            "undeclared-mandatory-input",
            "/permittedInterfaces/0/operations/0/sensitivityWitness",
            vec![set("/permittedInterfaces/0/operations/0/sensitivityWitness", json!(null))],
        ),
        ("undeclared-mandatory-input", inputs, vec![set(inputs, json!({"arguments": {"page": 2}}))]),
        (
            "undeclared-mandatory-input",
            "/permittedInterfaces/0/operations/0/sensitivityWitness/legs/1/inputs/arguments/limit",
            vec![set(inputs, json!({"arguments": {"member": "bob", "limit": 2}}))],
        ),
        (
            "undeclared-mandatory-input",
            inputs,
            vec![set(
                inputs,
                json!({"path": {}, "query": {"member": "bob"}, "header": {}, "body": {"kind": "absent"}}),
            )],
        ),
        (
            "undeclared-mandatory-input",
            inputs,
            vec![set(
                inputs,
                json!({"argument": {}, "option": {}, "environment": {}, "stdin": {"kind": "text", "value": "x"}}),
            )],
        ),
        ("", "", vec![set(inputs, json!({"arguments": {"member": "bob", "page": 2}}))]),
        // Keys that are only typed are keys all the same: such an operation needs a witness.
        (
            "undeclared-mandatory-input",
            "/permittedInterfaces/0/operations/3/sensitivityWitness",
            vec![set(
                "/permittedInterfaces/0/operations/3/requestShape/arguments/types",
                json!({"hard": "boolean"}),
            )],
        ),
    ]);
    assert_eq!(lending_desk().pointer(OPERATIONS).unwrap().as_array().unwrap().len(), 4);
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

#[test]
fn plans() {
    check_all(&[
        (
            "nested-temporal-clause",
            "/interactionPlan/2/after",
            vec![set("/interactionPlan/2/after", json!("find"))],
        ),
        (
            "nested-temporal-clause",
            "/interactionPlan/0/after",
            vec![set("/interactionPlan/0/after", json!("list"))],
        ),
        ("", "", vec![set("/interactionPlan/2/after", json!("unheard-of"))]),
        // Three steps after one.
        (
            "plan-exceeds-scripting-bound",
            "/interactionPlan",
            vec![set("/interactionPlan/-", step("third", "reset-desk", json!("borrow")))],
        ),
        ("", "", vec![set("/interactionPlan/-", step("third", "reset-desk", json!(null)))]),
    ]);
    let plan = |pairs: usize, singles: usize, fans: usize| {
        let mut steps = lending_desk()["interactionPlan"].as_array().unwrap().clone();
        for i in 0..pairs {
            steps.push(step(&format!("p{i}"), "reset-desk", json!(null)));
            steps.push(step(&format!("q{i}"), "reset-desk", json!(format!("p{i}"))));
        }
        for i in 0..fans {
            steps.push(step(&format!("f{i}"), "reset-desk", json!(null)));
            steps.push(step(&format!("g{i}"), "reset-desk", json!(format!("f{i}"))));
            steps.push(step(&format!("h{i}"), "reset-desk", json!(format!("f{i}"))));
        }
        for i in 0..singles {
            steps.push(step(&format!("s{i}"), "reset-desk", json!(null)));
        }
        vec![set("/interactionPlan", json!(steps))]
    };
    check_all(&[
        ("", "", plan(4, 0, 0)),
        ("plan-exceeds-scripting-bound", "/interactionPlan", plan(5, 0, 0)),
        ("", "", plan(0, 13, 0)),
        ("plan-exceeds-scripting-bound", "/interactionPlan", plan(0, 14, 0)),
        ("", "", plan(0, 0, 1)),
        ("plan-exceeds-scripting-bound", "/interactionPlan", plan(0, 0, 2)),
    ]);
}

#[test]
fn circles_of_captured_values() {
    // `borrow` takes its title from `find`, which takes its loan from `borrow`.
    let title =
        |pointer: &str| set("/interactionPlan/0/inputBinding/arguments/title", json!({"captured": pointer}));
    let at = "/interactionPlan/0/inputBinding/arguments/title";
    check_all(&[
        ("binding-cycle", at, vec![title("/interactions/find/response-body/title")]),
        ("binding-cycle", at, vec![title("/interactions/borrow/response-body/dueAt")]),
        // By way of `after` alone.
        (
            "binding-cycle",
            at,
            vec![
                title("/interactions/find/response-body/title"),
                set("/interactionPlan/1/inputBinding/arguments/loanId", json!({"literal": "L-1"})),
            ],
        ),
        (
            "",
            "",
            vec![
                title("/interactions/find/response-body/title"),
                set("/interactionPlan/1/inputBinding/arguments/loanId", json!({"literal": "L-1"})),
                set("/interactionPlan/1/after", json!(null)),
            ],
        ),
    ]);
}

#[test]
fn rubrics() {
    let criterion = |text: &str| vec![set("/rubrics/0/criteria/0/text", json!(text))];
    let prose = |text: &str| ("rubric-scores-reasoning-prose", "/rubrics/0/criteria/0/text", criterion(text));
    check_all(&[
        ("rubric-unanchored", "/rubrics/1/id", vec![set("/rubrics/-", lending_desk()["rubrics"][0].clone())]),
        (
            "rubric-unanchored",
            "/rubrics/0/criteria/1/id",
            vec![set("/rubrics/0/criteria/-", lending_desk()["rubrics"][0]["criteria"][0].clone())],
        ),
        ("rubric-unanchored", "/rubrics/0/scaleLevels", vec![set("/rubrics/0/scaleLevels", json!(null))]),
        ("rubric-unanchored", "/rubrics/0/scaleLevels", vec![set("/rubrics/0/scaleLevels", json!([]))]),
        (
            "rubric-unanchored",
            "/rubrics/0/scaleLevels/1/level",
            vec![set("/rubrics/0/scaleLevels/1/level", json!(0))],
        ),
        (
            "rubric-unanchored",
            "/rubrics/0/scaleLevels/0/anchor",
            vec![set("/rubrics/0/scaleLevels/0/anchor", json!(" \u{200b}"))],
        ),
        ("rubric-unanchored", "/rubrics/0/maxLength", vec![set("/rubrics/0/maxLength", json!(null))]),
        (
            "rubric-unanchored",
            "/rubrics/0/failureModePenalties",
            vec![set("/rubrics/0/failureModePenalties", json!(null))],
        ),
        (
            "rubric-unanchored",
            "/rubrics/0/failureModePenalties",
            vec![set("/rubrics/0/failureModePenalties", json!([]))],
        ),
        (
            "rubric-unanchored",
            "/rubrics/0/failureModePenalties/0/name",
            vec![set("/rubrics/0/failureModePenalties/0/name", json!("  "))],
        ),
        ("rubric-unanchored", "/rubrics/0/criteria/0/text", criterion("\u{feff}")),
        ("", "", vec![set("/rubrics/0/criteria", json!([]))]),
        prose("Is the model's chain-of-thought sound?"),
        prose("Is the stated rationale plausible?"),
        prose("Does the thinking  process mention the loan?"),
        (
            "rubric-scores-reasoning-prose",
            "/rubrics/0/scaleLevels/1/anchor",
            vec![set("/rubrics/0/scaleLevels/1/anchor", json!("The Reasoning is sound."))],
        ),
        (
            "rubric-scores-reasoning-prose",
            "/rubrics/0/failureModePenalties/0/description",
            vec![set("/rubrics/0/failureModePenalties/0/description", json!("An inner monologue is shown."))],
        ),
        (
            "",
            "",
            criterion(
                "Does the error message explain why the title is not lent? Is it a reasonable explanation?",
            ),
        ),
        (
            "rubric-evidence-unreachable",
            "/rubrics/0/criteria/0/evidence",
            vec![set("/rubrics/0/criteria/0/evidence", json!("/interactions/find/response-body/author"))],
        ),
        (
            "rubric-evidence-unreachable",
            "/rubrics/0/criteria/0/evidence",
            vec![set("/rubrics/0/criteria/0/evidence", json!("/interactions/lend/response-status"))],
        ),
        ("", "", vec![set("/rubrics/0/criteria/0/evidence", json!("/interactions/find/response-status"))]),
    ]);
}

#[test]
fn steps_that_nothing_tells_apart() {
    let twin = |binding: Value| {
        vec![
            set(
                "/interactionPlan/-",
                json!({"stepId": "look", "interfaceId": "desk", "operationId": "list-loans", "inputBinding": {"arguments": binding}, "after": null, "cardinality": "any"}),
            ),
            set(
                "/oracles/4/check",
                json!({"op": "equality", "operands": [{"pointer": "/interactions/list/response-body/total"}, {"pointer": "/interactions/look/response-body/total"}]}),
            ),
            set("/oracles/4/direction/relation", json!("equality")),
            set(
                "/oracles/4/direction/evidenceTargets",
                json!(["/interactions/list/response-body/total", "/interactions/look/response-body/total"]),
            ),
        ]
    };
    let list = |binding: Value| set("/interactionPlan/2/inputBinding/arguments", binding);
    let at = "/oracles/4/direction/evidenceTargets";
    check_all(&[
        ("irreducible-step-reference", at, twin(json!({"member": {"matcher": "any"}}))),
        ("", "", twin(json!({"member": {"literal": "ann"}}))),
        ("", "", twin(json!({"page": {"matcher": "any"}}))),
        (
            "irreducible-step-reference",
            at,
            with(twin(json!({"page": {"literal": 1.0}})), list(json!({"page": {"literal": 1}}))),
        ),
        // A malformed input is all that an evaluator is told of.
        (
            "irreducible-step-reference",
            at,
            with(
                twin(json!({"page": {"matcher": "type-violating"}, "member": {"literal": "ann"}})),
                list(json!({"page": {"matcher": "type-violating"}, "member": {"literal": "bob"}})),
            ),
        ),
        (
            "",
            "",
            with(
                twin(json!({"member": {"principal": "reader"}})),
                list(json!({"member": {"captured": "/interactions/find/response-body/title"}})),
            ),
        ),
        // The direction names one of them only.
        (
            "",
            "",
            with(
                twin(json!({"member": {"matcher": "any"}})),
                set(
                    "/oracles/4/direction/evidenceTargets",
                    json!(["/interactions/list/response-body/total"]),
                ),
            ),
        ),
    ]);
}

#[test]
fn witnesses() {
    let witness = "/permittedInterfaces/0/operations/0/sensitivityWitness";
    let place = |below: &str| -> &'static str { Box::leak(format!("{witness}{below}").into_boxed_str()) };
    let operand = place("/relation/operands/0/operands/0");
    let unreachable = |pointer: &str| ("unreachable-check-evidence", operand, witness_reads(pointer));
    check_all(&[
        ("malformed-operator-expression", place("/channel"), vec![set(place("/channel"), json!("body"))]),
        ("malformed-operator-expression", place("/channel"), vec![set(place("/channel"), json!("option"))]),
        (
            "malformed-operator-expression",
            place("/legs"),
            vec![set(place("/legs/1/inputs/arguments"), json!({"member": "ann"}))],
        ),
        // The same in another order and another spelling.
        (
            "malformed-operator-expression",
            place("/legs"),
            vec![
                set(place("/legs/0/inputs/arguments"), json!({"member": "ann", "page": 1})),
                set(place("/legs/1/inputs/arguments"), json!({"page": 1.0, "member": "ann"})),
            ],
        ),
        unreachable("/interactions/list/response-body/loans"),
        unreachable("/interactions/get-a/response-body/loans"),
        unreachable("/interactions/list-a/response-headers/x"),
        unreachable("/interactions/list-a/response-body/pages"),
        unreachable("/interactions/list-a/response-body/total/x"),
        unreachable("/interactions/list-a/call-inputs/arguments/limit"),
        unreachable("/interactions/list-a/response-body/asOf"),
        unreachable("/interactions/list-a/response-body/asOf/day"),
        ("", "", witness_reads("/interactions/list-a/response-body")),
        ("", "", witness_reads("/interactions/list-a/response-status")),
        (
            "malformed-operator-expression",
            place("/relation"),
            witness_reads("/interactions/list-b/response-body/loans"),
        ),
        ("malformed-operator-expression", place("/relation/operands/0/operands/0"), witness_reads("@/loans")),
        (
            "malformed-operator-expression",
            place("/legs/1/legId"),
            vec![set(place("/legs/1/legId"), json!("list-a"))],
        ),
        (
            "malformed-operator-expression",
            place("/legs/0/legId"),
            vec![set(place("/legs/0/legId"), json!("borrow"))],
        ),
        (
            "malformed-operator-expression",
            "/permittedInterfaces/0/operations/1/sensitivityWitness/legs/0/legId",
            vec![set("/permittedInterfaces/0/operations/1/sensitivityWitness/legs/0/legId", json!("list-b"))],
        ),
        // The relation may say that the tool does not care.
        (
            "",
            "",
            vec![set(
                place("/relation"),
                lending_desk().pointer(place("/relation/operands/0")).unwrap().clone(),
            )],
        ),
    ]);
}

#[test]
fn fixture_resets() {
    let reset = |key: &'static str, value: Value| vec![set(key, value)];
    check_all(&[
        (
            "unreachable-check-evidence",
            "/fixtureReset",
            reset("/fixtureReset/operationId", json!("reset-all")),
        ),
        ("unreachable-check-evidence", "/fixtureReset", reset("/fixtureReset/interfaceId", json!("shelf"))),
        (
            "malformed-operator-expression",
            "/fixtureReset/operationId",
            reset("/fixtureReset/operationId", json!("get-loan")),
        ),
        (
            "malformed-operator-expression",
            "/fixtureReset/legId",
            reset("/fixtureReset/legId", json!("get-a")),
        ),
        ("malformed-operator-expression", "/fixtureReset/legId", reset("/fixtureReset/legId", json!("find"))),
        (
            "undeclared-mandatory-input",
            "/fixtureReset/inputs/arguments/hard",
            reset("/fixtureReset/inputs/arguments", json!({"hard": true})),
        ),
        (
            "undeclared-mandatory-input",
            "/fixtureReset/inputs",
            reset("/fixtureReset/operationId", json!("borrow-book")),
        ),
        ("", "", reset("/fixtureReset", json!(null))),
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
