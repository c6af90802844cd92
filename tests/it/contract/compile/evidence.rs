//! Evidence that an oracle can reach, artifacts, and values that are captured.

use super::*;

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
