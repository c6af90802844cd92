//! Pre-flight: which calls are planned, and what their observations establish.

use super::{Edit, edited, lending_desk, set};
use crate::support::{shared, verity};
use serde_json::{Value, json};
use verity::contract::observation::{Observation, ToolResult};
use verity::contract::preflight::{self, Outcome, Purpose, Verdict};
use verity::contract::probe::Probe;
use verity::contract::{Code, Contract, Failure};

fn digest(of: char) -> String {
    format!("sha256:{}", of.to_string().repeat(64))
}

fn artifact() -> Value {
    json!({"storage": "public", "path": "evidence/log.txt", "privateRef": null, "digest": digest('a')})
}

/// A probe of one seeded defect: a loan is accepted, and is not there afterwards.
fn probe(witness: Value) -> Value {
    json!({"schemaVersion": 5, "parentDigest": null, "revisionCount": 0, "probeId": "P-001", "probeClass": "defect",
        "behaviorId": "B-001", "systemId": "desk", "implementationDigest": digest('b'), "artifactDigest": digest('c'),
        "commitDigest": digest('d'), "rationale": "A write that reports success and changes nothing.",
        "qualification": {"route": "controlled-mutation", "mutationSource": "own", "mutationOperator": "drop-write", "targetArtifact": artifact(),
            "expectedObservableFailure": "The loan is not found.", "baselinePassEvidence": artifact(), "mutatedFailEvidence": artifact(), "rollbackVerified": true},
        "expectedClean": false,
        "defects": [{"defectId": "D-001", "behaviorId": "B-001", "summary": "Loans are not stored.", "severity": "critical", "oracleEvidence": [artifact()],
            "source": "controlled-mutation", "manifestationWitness": witness}],
        "defectSignature": null})
}

fn lost_loan() -> Value {
    json!({"legId": "lost-loan", "interfaceId": "desk", "operationId": "get-loan", "inputs": {"arguments": {"loanId": "L-9"}},
        "relation": {"op": "equality", "operands": [{"pointer": "/interactions/lost-loan/response-body/open"}, {"literal": false}]}})
}

fn contract(edits: &[Edit]) -> Contract {
    Contract::read(&edited(edits)).unwrap()
}

/// What the desk answers; `broken` may answer otherwise.
fn observe(
    contract: &Contract,
    probes: &[Probe],
    broken: impl Fn(&str) -> Option<(ToolResult, bool)>,
) -> Result<Verdict, Failure> {
    let plan = preflight::plan(contract, probes)?;
    let answer = |id: &str, tool: &str, arguments: &Value| -> (ToolResult, bool) {
        if let Some(answer) = broken(id) {
            return answer;
        }
        let result = match tool {
            "list_loans" => {
                json!({"loans": [{"title": "Emma", "of": arguments["member"]}], "total": 1, "asOf": id})
            }
            "get_loan" => {
                json!({"loanId": arguments["loanId"], "title": arguments["loanId"], "open": arguments["loanId"] != "L-9"})
            }
            "borrow_book" => json!({"accepted": arguments["title"] == "Emma", "loanId": "L-1", "dueAt": id}),
            _ => json!({"done": true}),
        };
        (ToolResult::Json(result), false)
    };
    let observations: Vec<Observation> = plan
        .legs
        .iter()
        .map(|leg| {
            let (result, is_error) = answer(&leg.id, leg.tool(), &Value::Object(leg.arguments.clone()));
            Observation {
                probe_id: leg.id.clone(),
                interface_id: leg.interface.to_string(),
                operation_id: leg.operation.id.clone(),
                is_error,
                result,
                text: None,
            }
        })
        .collect();
    preflight::verdict(&plan, &observations, "run-1")
}

fn outcomes(verdict: &Verdict) -> Vec<(&str, &str, Outcome)> {
    verdict.checks.iter().map(|c| (c.kind, c.operation_id.as_deref().unwrap_or(""), c.outcome)).collect()
}

/// The checks that failed, with what is said of them.
fn failed(verdict: &Verdict) -> Vec<(&str, &str)> {
    let failed = verdict.checks.iter().filter(|c| c.outcome == Outcome::Failed);
    failed.map(|c| (c.kind, c.note.as_deref().unwrap_or_default())).collect()
}

#[test]
fn legs_are_planned_in_order() {
    let desk = contract(&[]);
    let probes = Probe::read_all(&json!([probe(lost_loan())])).unwrap();
    let plan = preflight::plan(&desk, &probes).unwrap();
    let legs: Vec<(&str, Purpose, &str)> =
        plan.legs.iter().map(|leg| (leg.id.as_str(), leg.purpose, leg.tool())).collect();
    assert_eq!(
        legs,
        [
            ("list-a", Purpose::Sensitivity, "list_loans"),
            ("list-b", Purpose::Sensitivity, "list_loans"),
            ("get-a", Purpose::Sensitivity, "get_loan"),
            ("get-b", Purpose::Sensitivity, "get_loan"),
            ("borrow-a", Purpose::Sensitivity, "borrow_book"),
            ("borrow-b", Purpose::Sensitivity, "borrow_book"),
            ("preflight-control-observe", Purpose::ControlObserve, "list_loans"),
            ("preflight-control-mutate", Purpose::ControlMutate, "borrow_book"),
            ("desk-reset", Purpose::ControlReset, "reset_desk"),
            ("preflight-control-observe-2", Purpose::ControlObserve, "list_loans"),
            ("lost-loan", Purpose::SeededFault, "get_loan"),
        ]
    );
    // A control reads as the witness's first leg does.
    assert_eq!(json!(plan.legs[6].arguments), json!({"member": "ann"}));
    assert_eq!(json!(plan.legs[7].arguments), json!({"member": "ann", "title": "Emma"}));
}

#[test]
fn minted_ids_avoid_those_that_are_taken() {
    let taken = contract(&[
        set("/fixtureReset", json!(null)),
        set("/interactionPlan/1/stepId", json!("preflight-control-observe")),
        set(
            "/permittedInterfaces/0/operations/1/sensitivityWitness/legs/0/legId",
            json!("preflight-control-observe-2"),
        ),
    ]);
    let plan = preflight::plan(&taken, &[]).unwrap();
    let minted: Vec<&str> =
        plan.legs.iter().filter(|l| l.purpose == Purpose::ControlObserve).map(|l| l.id.as_str()).collect();
    assert_eq!(minted, ["preflight-control-observe-3", "preflight-control-observe-4"]);
}

#[test]
fn a_fixture_that_is_fit_passes() {
    let desk = contract(&[]);
    let probes = Probe::read_all(&probe(lost_loan())).unwrap();
    let verdict = observe(&desk, &probes, |_| None).unwrap();
    assert_eq!(failed(&verdict), []);
    assert!(verdict.passed);
    assert_eq!(
        outcomes(&verdict),
        [
            ("interface-present", "list-loans", Outcome::Satisfied),
            ("interface-present", "get-loan", Outcome::Satisfied),
            ("interface-present", "borrow-book", Outcome::Satisfied),
            ("interface-present", "reset-desk", Outcome::Satisfied),
            ("input-sensitivity", "list-loans", Outcome::Satisfied),
            ("input-sensitivity", "get-loan", Outcome::Satisfied),
            ("input-sensitivity", "borrow-book", Outcome::Satisfied),
            ("input-sensitivity", "reset-desk", Outcome::Exempt),
            ("state-reset", "", Outcome::Satisfied),
            ("clean-control", "", Outcome::Satisfied),
            ("seeded-faults-scoped", "get-loan", Outcome::Satisfied),
            ("seeded-fault-fired", "get-loan", Outcome::Satisfied),
        ]
    );
    let report = serde_json::to_value(&verdict).unwrap();
    assert_eq!(
        report["checks"][0],
        json!({"kind": "interface-present", "operationId": "list-loans", "outcome": "satisfied", "note": null})
    );
    let keys: Vec<&String> = report.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["schemaVersion", "parentDigest", "revisionCount", "runId", "fixtureDigest", "passed", "checks"]
    );
    // The digest is of what was seen: volatile parts and the run's name are not in it.
    let again = observe(&desk, &probes, |_| None).unwrap();
    assert_eq!(again.fixture_digest, verdict.fixture_digest);
    let other = observe(&desk, &probes, |id| {
        (id == "get-a").then(|| (ToolResult::Json(json!({"title": "Persuasion"})), false))
    })
    .unwrap();
    assert_ne!(other.fixture_digest, verdict.fixture_digest);
}

#[test]
fn what_is_not_fit_fails() {
    let desk = contract(&[]);
    let probes = Probe::read_all(&probe(lost_loan())).unwrap();
    let json = |value: Value| Some((ToolResult::Json(value), false));
    let check =
        |broken: &dyn Fn(&str) -> Option<(ToolResult, bool)>| observe(&desk, &probes, broken).unwrap();
    // The same answer whatever the arguments; a text; nothing: each is no evidence that arguments matter.
    let same = check(&|id| {
        if id.starts_with("list-") { json(json!({"loans": [{"title": "Emma"}], "total": 1})) } else { None }
    });
    assert_eq!(failed(&same), [("input-sensitivity", "the witness's relation resolves to false")]);
    let none =
        check(&|id| if id.starts_with("list-") { json(json!({"loans": [], "total": 0})) } else { None });
    assert_eq!(
        failed(&none),
        [("input-sensitivity", "the witness's relation resolves to insufficient evidence")]
    );
    for silent in [ToolResult::Absent, ToolResult::Text("a loan".into())] {
        let seen = check(&|id| id.starts_with("get-").then(|| (silent.clone(), false)));
        assert_eq!(
            failed(&seen),
            [("input-sensitivity", "the witness's relation resolves to insufficient evidence")]
        );
    }
    // What both legs fail in is not sensitivity, though they are no control legs.
    let errors =
        check(&|id| id.starts_with("borrow-").then(|| (ToolResult::Json(json!({"error": id})), true)));
    assert_eq!(
        failed(&errors),
        [("input-sensitivity", "the witness's relation resolves to insufficient evidence")]
    );
    // The write shows in the second read.
    let kept = check(&|id| {
        if id == "preflight-control-observe-2" {
            json(json!({"loans": [{"title": "Ulysses"}], "total": 1}))
        } else {
            None
        }
    });
    assert_eq!(
        failed(&kept),
        [(
            "state-reset",
            "`preflight-control-observe` and `preflight-control-observe-2` do not show the same"
        )]
    );
    let error = check(&|id| (id == "desk-reset").then_some((ToolResult::Absent, true)));
    assert_eq!(failed(&error), [("clean-control", "the tool answered `desk-reset` with an error")]);
    // The defect is everywhere, or nowhere.
    let everywhere = check(&|id| {
        if id == "get-b" { json(json!({"loanId": "L-2", "title": "x", "open": false})) } else { None }
    });
    assert_eq!(
        failed(&everywhere),
        [("seeded-faults-scoped", "D-001: its witness fires on the clean leg `get-b`, too")]
    );
    let nowhere = check(&|id| if id == "lost-loan" { json(json!({"open": true})) } else { None });
    assert_eq!(
        failed(&nowhere),
        [("seeded-fault-fired", "D-001: its witness resolves to false on its own leg")]
    );
    let absent = check(&|id| (id == "lost-loan").then_some((ToolResult::Absent, false)));
    assert_eq!(
        failed(&absent),
        [("seeded-fault-fired", "D-001: its witness resolves to insufficient-evidence on its own leg")]
    );
    assert!(!absent.passed);
}

#[test]
fn what_the_port_owes() {
    let desk = contract(&[]);
    let plan = preflight::plan(&desk, &[]).unwrap();
    let observation = |id: &str, operation: &str| Observation {
        probe_id: id.into(),
        interface_id: "desk".into(),
        operation_id: operation.into(),
        is_error: false,
        result: ToolResult::Json(json!({"total": 1})),
        text: None,
    };
    let code = |observations: &[Observation]| {
        preflight::verdict(&plan, observations, "r").map(|_| ()).map_err(|f| f.code)
    };
    assert_eq!(code(&[]), Err(Code::PortContractViolation));
    assert_eq!(code(&[observation("elsewhere", "get-loan")]), Err(Code::PortContractViolation));
    assert_eq!(
        code(&[observation("get-a", "get-loan"), observation("get-a", "get-loan")]),
        Err(Code::PortContractViolation)
    );
    let verdict = preflight::verdict(&plan, &[observation("get-a", "list-loans")], "r").unwrap();
    let get = verdict
        .checks
        .iter()
        .find(|c| c.kind == "interface-present" && c.operation_id.as_deref() == Some("get-loan"))
        .unwrap();
    assert_eq!(
        get.note.as_deref(),
        Some("the leg `get-a` was answered for operation `list-loans` of interface `desk`")
    );
    // A file of them, in either form.
    let one = observation("get-a", "get-loan");
    for file in [json!([one.to_json()]), json!({"observations": [one.to_json()]})] {
        assert_eq!(Observation::read_all(&file).unwrap(), std::slice::from_ref(&one));
    }
    let mut api = one.to_json();
    api["kind"] = json!("api");
    assert_eq!(
        Observation::read_all(&json!([api])).map_err(|f| (f.code, f.pointer)),
        Err((Code::PortContractViolation, "/0/kind".to_string()))
    );
    let mut short = one.to_json();
    short.as_object_mut().unwrap().shift_remove("isError");
    assert_eq!(Observation::read_all(&json!([short])).map_err(|f| f.code), Err(Code::Parse));
}

#[test]
fn defects_that_do_not_fit_are_refused() {
    let desk = contract(&[]);
    let refused = |key: &str, value: Value| {
        let mut witness = lost_loan();
        *witness.pointer_mut(key).unwrap() = value;
        let probes = Probe::read_all(&probe(witness)).unwrap();
        preflight::plan(&desk, &probes).map(|_| ()).map_err(|f| (f.code, f.pointer)).unwrap_err()
    };
    let at = |code, below: &str| (code, format!("/defects/0/manifestationWitness{below}"));
    assert_eq!(refused("/operationId", json!("lose-loan")), at(Code::UnreachableCheckEvidence, ""));
    assert_eq!(refused("/inputs/arguments", json!({})), at(Code::UndeclaredMandatoryInput, "/inputs"));
    let pointer = "/relation/operands/0/pointer";
    assert_eq!(
        refused(pointer, json!("/interactions/get-a/response-body/open")),
        at(Code::UnreachableCheckEvidence, "/relation/operands/0")
    );
    assert_eq!(
        refused(pointer, json!("/interactions/lost-loan/response-body/closed")),
        at(Code::UnreachableCheckEvidence, "/relation/operands/0")
    );
    assert_eq!(
        refused(pointer, json!("@/open")),
        at(Code::MalformedOperatorExpression, "/relation/operands/0")
    );
    assert_eq!(
        refused("/legId", json!("get-a")).0,
        Code::UnreachableCheckEvidence,
        "its relation reads another leg then"
    );
    let mut twice = lost_loan().to_string();
    twice = twice.replace("lost-loan", "get-a");
    let probes = Probe::read_all(&probe(serde_json::from_str(&twice).unwrap())).unwrap();
    assert_eq!(
        preflight::plan(&desk, &probes).map(|_| ()).map_err(|f| f.code),
        Err(Code::MalformedOperatorExpression)
    );
    // A defect that nothing shows is recorded as one that did not strike.
    let unseen = Probe::read_all(&probe(json!(null))).unwrap();
    let verdict = observe(&desk, &unseen, |_| None).unwrap();
    assert_eq!(failed(&verdict).len(), 1);
    assert_eq!(failed(&verdict)[0].0, "seeded-fault-fired");
}

#[test]
fn without_a_reset_the_read_is_made_twice_and_without_operations_nothing_is_planned() {
    let desk = contract(&[set("/fixtureReset", json!(null))]);
    let verdict = observe(&desk, &[], |_| None).unwrap();
    assert!(verdict.passed, "{:?}", failed(&verdict));
    let changing = observe(&desk, &[], |id| {
        id.starts_with("preflight-control")
            .then(|| (ToolResult::Json(json!({"loans": [{"title": id}], "total": 1})), false))
    });
    assert_eq!(failed(&changing.unwrap())[0].0, "state-reset");
    let mut empty = lending_desk();
    for (at, value) in [
        ("permittedInterfaces", json!([])),
        ("interactionPlan", json!([])),
        ("oracles", json!([])),
        ("rubrics", json!([])),
        ("fixtureReset", json!(null)),
    ] {
        empty[at] = value;
    }
    let nothing = Contract::read(&empty).unwrap();
    assert_eq!(
        preflight::plan(&nothing, &[]).map(|_| ()).map_err(|f| f.code),
        Err(Code::UnreachableCheckEvidence)
    );
}

/// The answers of a small server in its modes, as a reference run recorded them.
#[test]
fn the_example_contract_is_judged_as_the_reference_run_was() {
    let Some(path) = shared("live/mcp-contract.json") else { return };
    let example: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let example = Contract::read(&example).unwrap();
    let result = |matches: Value| {
        let count = matches.as_array().unwrap().len();
        ToolResult::Json(json!({"ok": true, "matches": matches, "totalCount": count}))
    };
    let sensitivity = |a: (ToolResult, bool), b: (ToolResult, bool)| {
        let verdict =
            observe(&example, &[], |id| Some(if id == "search-witness-b" { b.clone() } else { a.clone() }))
                .unwrap();
        verdict.checks.iter().find(|c| c.kind == "input-sensitivity").unwrap().outcome
    };
    let alpha = || result(json!(["alpha one", "alpha two"]));
    assert_eq!(sensitivity((alpha(), false), (result(json!(["beta one"])), false)), Outcome::Satisfied);
    assert_eq!(sensitivity((alpha(), false), (alpha(), false)), Outcome::Failed);
    assert_eq!(sensitivity((ToolResult::Absent, false), (ToolResult::Absent, false)), Outcome::Failed);
    let error = ToolResult::Json(json!({"ok": false, "matches": [], "totalCount": 0}));
    assert_eq!(sensitivity((error.clone(), true), (error, true)), Outcome::Failed);
    let rpc = ToolResult::Json(json!({"code": -32602, "message": "Unknown tool"}));
    assert_eq!(sensitivity((rpc.clone(), true), (rpc, true)), Outcome::Failed);
}

/// What is wrong with a probe is said with the probe's file and place.
#[test]
fn a_fault_of_a_probe_names_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut witness = lost_loan();
    witness["inputs"] = json!({"arguments": {}});
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("probe.json"), probe(witness).to_string()).unwrap();
    std::fs::write(at("desk.json"), lending_desk().to_string()).unwrap();
    let flags = [
        "probe",
        "--contract",
        &at("desk.json"),
        "--probes",
        &at("probe.json"),
        "--observations",
        "none.json",
    ];
    let out = verity().args(flags).output().unwrap();
    let err = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(1), "{err}");
    assert!(
        err.contains("probe.json:1:") && err.contains(" /defects/0/manifestationWitness/inputs: "),
        "{err}"
    );
}
