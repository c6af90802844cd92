//! Interaction plans and rubrics.

use super::*;

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
