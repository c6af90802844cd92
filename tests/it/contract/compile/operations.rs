//! Operations with their inputs and witnesses, and fixture resets.

use super::*;

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
