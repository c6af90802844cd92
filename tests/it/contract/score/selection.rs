//! Oracles look at the calls that their steps select.

use super::*;

/// What became of an oracle of a contract, over these calls.
fn state(edits: &[Edit], calls: &Value, oracle: &str) -> State {
    let contract = Contract::read(&edited(edits)).unwrap();
    let record = RunRecord::read(&with(record(), &[("/observations", calls.clone())])).unwrap();
    let found = oracles::resolve(&contract, &record.calls).into_iter().find(|r| r.oracle == oracle).unwrap();
    found.state
}

#[test]
fn oracles_look_at_the_calls_that_steps_select() {
    let borrow = |id: &str, sequence: u64, loan: &str| {
        call(
            id,
            sequence,
            "borrow-book",
            json!({"member": "r", "title": "Emma"}),
            json!({"accepted": true, "loanId": loan}),
        )
    };
    let find = |id: &str, sequence: u64, loan: &str, title: &str| {
        call(
            id,
            sequence,
            "get-loan",
            json!({"loanId": loan}),
            json!({"loanId": loan, "title": title, "open": true}),
        )
    };
    let of = |calls: Vec<Value>, oracle: &str| state(&[], &json!(calls), oracle);
    // Read back: the loan that was made, after it was made.
    assert_eq!(of(vec![find("f", 2, "L-1", "Emma"), borrow("b", 1, "L-1")], "O-003"), State::Holds);
    assert_eq!(of(vec![borrow("b", 1, "L-1"), find("f", 2, "L-1", "(none)")], "O-003"), State::Violated);
    assert_eq!(
        of(vec![borrow("b", 1, "L-1"), find("f", 2, "L-2", "Emma")], "O-003"),
        State::Unreached,
        "another loan"
    );
    assert_eq!(
        of(vec![borrow("b", 3, "L-1"), find("f", 2, "L-1", "Emma")], "O-003"),
        State::Unreached,
        "read before it was made"
    );
    assert_eq!(
        of(vec![borrow("b", 1, "L-1"), find("f", 2, "L-1", "Emma"), find("g", 3, "L-1", "Emma")], "O-003"),
        State::Ambiguous
    );
    // Two loans: it is not known which one is meant, so nothing comes after it.
    assert_eq!(
        of(vec![borrow("b", 1, "L-1"), borrow("c", 2, "L-2"), find("f", 3, "L-1", "Emma")], "O-003"),
        State::Unreached
    );
    assert_eq!(
        of(vec![borrow("b", 1, "L-1"), borrow("c", 2, "L-2"), find("f", 3, "L-1", "Emma")], "O-001"),
        State::Ambiguous
    );
    // A bound literal, a principal, a type.
    let other = with(borrow("c", 2, "L-2"), &[("/callInputs/arguments/title", json!("Ulysses"))]);
    assert_eq!(of(vec![borrow("b", 1, "L-1"), other, find("f", 3, "L-1", "Emma")], "O-001"), State::Holds);
    let stranger = with(borrow("c", 2, "L-2"), &[("/principal", json!("writer"))]);
    assert_eq!(of(vec![borrow("b", 1, "L-1"), stranger, find("f", 3, "L-1", "Emma")], "O-001"), State::Holds);
    let malformed = [
        set("/interactionPlan/1/inputBinding/arguments/loanId", json!({"matcher": "type-violating"})),
        set("/interactionPlan/1/after", json!(null)),
    ];
    let calls = json!([
        borrow("b", 1, "L-1"),
        find("f", 2, "L-1", "Emma"),
        with(find("g", 3, "x", "Ulysses"), &[("/callInputs/arguments/loanId", json!(7))])
    ]);
    assert_eq!(state(&malformed, &calls, "O-003"), State::Holds);
    // Several, where several may be: the earliest after the loan is read.
    let list = |id: &str, sequence: u64, title: &str| {
        call(
            id,
            sequence,
            "list-loans",
            json!({"member": "ann"}),
            json!({"loans": [{"title": title}], "total": 1}),
        )
    };
    let lists = |first: &str, second: &str| {
        vec![list("a", 1, "Emma"), borrow("b", 2, "L-1"), list("c", 4, second), list("d", 3, first)]
    };
    assert_eq!(of(lists("Emma", "Ulysses"), "O-002"), State::Holds);
    assert_eq!(of(lists("Ulysses", "Emma"), "O-002"), State::Violated);
    let empty = with(list("c", 4, "x"), &[("/responseBody/loans", json!([]))]);
    assert_eq!(of(vec![borrow("b", 2, "L-1"), empty], "O-002"), State::InsufficientEvidence);
    // An `any` step that selects nothing leaves a declared list absent.
    assert_eq!(of(vec![borrow("b", 2, "L-1")], "O-002"), State::InsufficientEvidence);
    // An oracle that expects a violation holds where its check does not.
    assert_eq!(of(vec![borrow("b", 2, "L-1"), list("c", 3, "Emma")], "O-004"), State::Holds);
    // Without an interface, in both, the operation decides.
    let mut anonymous = json!([borrow("b", 1, "L-1"), find("f", 2, "L-1", "Emma")]);
    anonymous
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .for_each(|c| drop(c.as_object_mut().unwrap().shift_remove("interfaceId")));
    assert_eq!(state(&[gone("/interactionPlan/1/interfaceId")], &anonymous, "O-003"), State::Holds);
    let elsewhere = json!([
        borrow("b", 1, "L-1"),
        with(find("f", 2, "L-1", "Emma"), &[("/interfaceId", json!("other"))])
    ]);
    assert_eq!(state(&[], &elsewhere, "O-003"), State::Unreached);
}
