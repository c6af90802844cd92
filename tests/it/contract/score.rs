//! `verity score`: probes that qualify, oracles over recorded calls, and what a run comes to.

use super::{Edit, edited, gone, lending_desk, set};
use crate::support::{check_schema, verity};
use serde_json::{Value, json};
use verity::contract::audit::{IsolationManifest, PreflightVerdict, ScoringPolicy};
use verity::contract::oracles::{self, State};
use verity::contract::probe::Probe;
use verity::contract::record::RunRecord;
use verity::contract::score::{Detection, Inputs, Score, Triggered, Verdict, score};
use verity::contract::{Contract, canonical, qualify};

pub(super) fn digest(of: char) -> String {
    format!("sha256:{}", of.to_string().repeat(64))
}

fn artifact() -> Value {
    json!({"storage": "private", "path": null, "privateRef": "opaque-1", "digest": digest('a')})
}

/// A loan that was made and cannot be read back: the desk answers for another title.
pub(super) fn probe() -> Value {
    let nobody: Value = json!({"path": null, "query": null, "header": null, "body": null, "argument": null, "option": null,
        "environment": null, "stdin": null, "arguments": {"loanId": {"matcher": "any"}}});
    json!({"schemaVersion": 5, "parentDigest": null, "revisionCount": 0, "probeId": "P-001", "probeClass": "defect", "behaviorId": "B-001",
        "systemId": "desk", "implementationDigest": digest('b'), "artifactDigest": digest('c'), "commitDigest": digest('d'),
        "rationale": "A write that reports success and changes nothing.",
        "qualification": {"route": "controlled-mutation", "mutationSource": "own", "mutationOperator": "drop-write", "targetArtifact": artifact(),
            "expectedObservableFailure": "Another title.", "baselinePassEvidence": artifact(), "mutatedFailEvidence": artifact(), "rollbackVerified": true},
        "expectedClean": false,
        "defects": [{"defectId": "D-001", "behaviorId": "B-001", "summary": "Loans are not stored.", "severity": "critical", "oracleEvidence": [],
            "source": "controlled-mutation", "manifestationWitness": null}],
        "defectSignature": {"interfaceKind": "mcp", "toolName": "get_loan", "observableChannel": "response-body", "condition": {
            "selector": {"inputBinding": nobody},
            "predicate": {"op": "equality", "operands": [{"pointer": "/interactions/observed/response-body/title"}, {"literal": "(none)"}]}}}})
}

pub(super) fn evaluator() -> Value {
    json!({"schemaVersion": 1, "parentDigest": null, "revisionCount": 0, "sealedBriefDigest": digest('e'), "evaluatorIdentity": "opaque",
        "modelSnapshot": "m-1", "systemPromptDigest": digest('f'), "decodingParameters": {"temperature": 0}, "toolInventory": [], "permissionInventory": [],
        "budgets": {"maxToolCalls": 30, "maxWallClockMinutes": 10, "maxCostUsd": "1.50"}, "seed": null, "judgeConfiguration": null})
}

pub(super) fn policy() -> Value {
    json!({"schemaVersion": 2, "parentDigest": null, "revisionCount": 0, "policyId": "default", "severityFloor": "material", "confidenceThreshold": 0.7,
        "minimumTrialCount": 1, "reExecutionCap": 2, "remediationCap": 3, "regexMatchStepBudget": 1_000_000, "catchThreshold": 0.5})
}

pub(super) fn preflight(passed: bool) -> Value {
    let outcome = if passed { "satisfied" } else { "failed" };
    json!({"schemaVersion": 1, "parentDigest": null, "revisionCount": 0, "runId": "pre-1", "fixtureDigest": digest('9'), "passed": passed,
        "checks": [{"kind": "state-reset", "operationId": null, "outcome": outcome, "note": null}]})
}

pub(super) fn isolation() -> Value {
    let withheld = |name: &str| (name.to_string(), json!({"withheld": true, "note": null}));
    let accounting: serde_json::Map<String, Value> =
        verity::contract::FORBIDDEN_INPUTS.iter().map(|n| withheld(n)).collect();
    let used =
        json!({"toolCalls": 3, "inputTokens": 1, "outputTokens": 1, "wallClockSeconds": 1.5, "costUsd": "0"});
    json!({"schemaVersion": 1, "parentDigest": null, "revisionCount": 0, "runId": "run-1", "contractId": "lending-desk", "conditionArm": "mutated",
        "modelSnapshot": "m-1", "systemPromptDigest": digest('f'), "contractDigest": canonical::digest(&lending_desk()),
        "evaluatorConfigurationDigest": canonical::digest(&evaluator()), "workspaceIdentity": "w", "allowedMounts": [], "observedMounts": [],
        "networkAllowlist": [], "observedNetworkTargets": [], "toolAllowlist": ["get_loan"], "observedToolCalls": ["get_loan"],
        "resourceCeilings": {"maxToolCalls": 30, "maxInputTokens": 9, "maxOutputTokens": 9, "maxWallClockMinutes": 10, "maxCostUsd": "1.5"},
        "actualResourceUse": used, "forbiddenInputAccounting": accounting, "violation": null})
}

fn call(id: &str, sequence: u64, operation: &str, arguments: Value, body: Value) -> Value {
    json!({"observationId": id, "sequence": sequence, "interfaceId": "desk", "operationId": operation, "provenance": "evaluator-chosen",
        "principal": "reader", "callInputs": {"path": null, "query": null, "header": null, "body": null, "argument": null, "option": null,
        "environment": null, "stdin": null, "arguments": arguments}, "responseBody": body, "responseHeaders": null, "responseStatus": 0,
        "stdout": {"kind": "absent"}, "stderr": {"kind": "absent"}, "exitCode": null, "artifacts": {}})
}

pub(super) fn finding(id: &str, cites: &str, quote: &str) -> Value {
    json!({"findingType": "defect", "findingId": id, "oracleId": "O-001", "probeId": "P-001", "behaviorId": "B-001", "severity": "critical",
        "summary": "The loan is not there.", "confidence": 0.9, "observationIds": [cites], "evidenceArtifacts": [],
        "quotedEvidence": [{"quote": quote, "channel": "response-body", "artifactId": null}]})
}

/// A loan, its read-back, and the list, recorded out of order.
pub(super) fn record() -> Value {
    let disposition = |n: u8| json!({"oracleId": format!("O-00{n}"), "disposition": "held", "observationIds": ["obs-find"], "note": null});
    json!({"schemaVersion": 7, "parentDigest": null, "revisionCount": 0, "runId": "run-1", "conditionArm": "mutated", "mode": "contract-scoring",
        "trialIndex": 1, "contractDigest": canonical::digest(&lending_desk()), "sealedBriefDigest": digest('e'),
        "evaluatorConfigurationDigest": canonical::digest(&evaluator()), "evaluatorRecommendation": "FAIL",
        "oracleDispositions": (1..=5).map(disposition).collect::<Vec<_>>(),
        "findings": [finding("F-001", "obs-find", "(none)")],
        "observations": [
            call("obs-list", 9, "list-loans", json!({"member": "ann"}), json!({"loans": [{"title": "Emma"}], "total": 1})),
            call("obs-find", 5, "get-loan", json!({"loanId": "L-7"}), json!({"loanId": "L-7", "title": "(none)", "open": true})),
            call("obs-borrow", 2, "borrow-book", json!({"member": "r", "title": "Emma"}), json!({"accepted": true, "loanId": "L-7"})),
        ],
        "judgeResults": [], "actionsArtifact": artifact(), "isolationManifestArtifact": artifact(),
        "resourceUse": {"toolCalls": 3, "inputTokens": 1, "outputTokens": 1, "wallClockSeconds": 1.5, "costUsd": "0"},
        "evidenceDisclosure": {"truncationBound": null, "reportedIncomplete": false}, "invalidReason": null})
}

/// A document with these places set.
pub(super) fn with(mut document: Value, edits: &[(&str, Value)]) -> Value {
    for (at, value) in edits {
        *document.pointer_mut(at).unwrap_or_else(|| panic!("{at}")) = value.clone();
    }
    document
}

fn scored(record: &Value, probe: &Value) -> Score {
    scored_with(
        record,
        probe,
        Some(preflight(true)),
        Some(isolation()),
        Some(evaluator()),
        Some(&digest('8')),
    )
}

fn scored_with(
    record: &Value,
    probe: &Value,
    pre: Option<Value>,
    iso: Option<Value>,
    evaluator: Option<Value>,
    corpus: Option<&str>,
) -> Score {
    let contract = Contract::read(&lending_desk()).unwrap();
    let record = RunRecord::read(record).unwrap();
    let probes = Probe::read_all(probe).unwrap();
    let policy_value = policy();
    let policy = ScoringPolicy::read(&policy_value).unwrap();
    let pre = pre.map(|v| PreflightVerdict::read(&v).unwrap());
    let iso = iso.map(|v| IsolationManifest::read(&v).unwrap());
    let inputs = Inputs {
        contract: &contract,
        record: &record,
        probe: &probes[0],
        policy: (&policy, &policy_value),
        preflight: pre.as_ref(),
        isolation: iso.as_ref(),
        evaluator: evaluator.as_ref(),
        corpus_digest: corpus,
    };
    score(&inputs).unwrap()
}

#[test]
fn a_defect_that_struck_and_was_seen() {
    let seen = scored(&record(), &probe());
    assert_eq!((seen.result, seen.detection), (Triggered::Triggered, Detection::Caught));
    assert_eq!(seen.calls.satisfying, ["obs-find"]);
    assert_eq!(seen.invalid, Vec::<String>::new());
    assert_eq!(
        (seen.verdict, seen.basis.as_slice()),
        (Some(Verdict::Pass), &[][..]),
        "the contract did what it is for"
    );
    // Every input of the version is there, and decides it.
    let other = scored_with(
        &record(),
        &probe(),
        Some(preflight(true)),
        Some(isolation()),
        Some(evaluator()),
        Some(&digest('7')),
    );
    assert!(seen.scoring_version.is_some() && seen.scoring_version != other.scoring_version);
    assert_eq!(scored(&record(), &probe()), seen);
}

#[test]
fn what_was_not_seen_not_there_or_not_to_be_seen() {
    let missed = scored(&with(record(), &[("/findings", json!([]))]), &probe());
    assert_eq!(
        (missed.result, missed.detection, missed.verdict),
        (Triggered::Triggered, Detection::Missed, Some(Verdict::Fail))
    );
    assert_eq!(missed.basis, ["P-001 was triggered and no finding says so"]);
    let low = with(probe(), &[("/defects/0/severity", json!("low"))]);
    assert_eq!(scored(&with(record(), &[("/findings", json!([]))]), &low).verdict, Some(Verdict::Concerns));
    let fine = [("/observations/1/responseBody/title", json!("Emma")), ("/findings", json!([]))];
    let quiet = scored(&with(record(), &fine), &probe());
    assert_eq!(
        (quiet.result, quiet.detection, quiet.verdict),
        (Triggered::NotTriggered, Detection::NothingToSee, Some(Verdict::Pass))
    );
    assert_eq!(quiet.calls.refuting, ["obs-find"]);
    // A claim of a call on which it did not strike is no discovery.
    let claim = scored(
        &with(
            record(),
            &[
                ("/observations/1/responseBody/title", json!("Emma")),
                ("/findings/0/quotedEvidence/0/quote", json!("Emma")),
            ],
        ),
        &probe(),
    );
    assert_eq!((claim.detection, claim.verdict), (Detection::UnwitnessedClaim, None));
    // One of other calls is another discovery, which is not about this signature.
    let other = scored(
        &with(
            record(),
            &[
                ("/findings/0/observationIds", json!(["obs-list"])),
                ("/findings/0/quotedEvidence/0/quote", json!("Emma")),
            ],
        ),
        &probe(),
    );
    assert_eq!((other.detection, other.verdict), (Detection::Missed, Some(Verdict::Fail)));
    // The tool was never called by the evaluator.
    let baseline = scored(
        &with(record(), &[("/observations/1/provenance", json!("baseline")), ("/findings", json!([]))]),
        &probe(),
    );
    assert_eq!(
        (baseline.result, baseline.verdict),
        (Triggered::InsufficientEvidence, Some(Verdict::Concerns))
    );
    assert!(baseline.basis.iter().any(|b| b.contains("never called")), "{:?}", baseline.basis);
    // Selected calls only; a call that the selector does not admit is not looked at.
    let selector = "/defectSignature/condition/selector/inputBinding/arguments/loanId";
    let elsewhere = scored(
        &with(record(), &[("/findings", json!([]))]),
        &with(probe(), &[(selector, json!({"literal": "L-8"}))]),
    );
    assert_eq!(elsewhere.result, Triggered::NotTriggered);
    // Nothing that could be examined is no evidence, and no verdict.
    let listed = json!({"op": "for-any", "collection": {"pointer": "/interactions/observed/response-body/notes"}, "predicate": {"op": "existence", "operands": [{"pointer": "@/"}]}});
    let vacuous = scored(
        &with(record(), &[("/findings", json!([]))]),
        &with(probe(), &[("/defectSignature/condition/predicate", listed)]),
    );
    assert_eq!((vacuous.result, vacuous.verdict), (Triggered::InsufficientEvidence, None));
    assert_eq!(vacuous.calls.inconclusive, ["obs-find"]);
    assert!(
        vacuous.notes.iter().any(|n| n.contains("reads `notes`") && n.contains("hides the defect")),
        "{:?}",
        vacuous.notes
    );
}

#[test]
fn records_that_cannot_be_trusted_have_no_verdict() {
    let why = |score: &Score| {
        assert_eq!(score.verdict, None);
        score.invalid.join("\n")
    };
    let bare = scored_with(&record(), &probe(), None, None, None, None);
    let said = why(&bare);
    for missing in [
        "no pre-flight verdict",
        "no isolation manifest",
        "no evaluator configuration",
        "corpus is not named",
    ] {
        assert!(said.contains(missing), "{missing}: {said}");
    }
    assert_eq!(bare.scoring_version, None);
    let failed = scored_with(
        &record(),
        &probe(),
        Some(preflight(false)),
        Some(isolation()),
        Some(evaluator()),
        Some(&digest('8')),
    );
    assert!(why(&failed).contains("did not pass (state-reset)"));
    let leaky = with(
        isolation(),
        &[
            ("/forbiddenInputAccounting/source-code/withheld", json!(false)),
            ("/observedToolCalls", json!(["shell"])),
            ("/runId", json!("run-2")),
            ("/violation", json!("A mount.")),
        ],
    );
    let said = why(&scored_with(
        &record(),
        &probe(),
        Some(preflight(true)),
        Some(leaky),
        Some(evaluator()),
        Some(&digest('8')),
    ));
    for found in [
        "`source-code` was not withheld",
        "the tool `shell` was used",
        "another run: run-2, not run-1",
        "not isolated: A mount.",
    ] {
        assert!(said.contains(found), "{found}: {said}");
    }
    let edits: [(&str, Value, &str); 9] = [
        ("/contractDigest", json!(digest('0')), "of another contract"),
        ("/evaluatorConfigurationDigest", json!(digest('0')), "of another evaluator configuration"),
        ("/invalidReason", json!("The network was down."), "says that the run is invalid"),
        ("/findings/0/quotedEvidence/0/quote", json!("never said"), "F-001 quotes `never said`"),
        (
            "/findings/0/observationIds",
            json!(["obs-find", "obs-gone"]),
            "F-001 cites the observation obs-gone",
        ),
        ("/oracleDispositions/0/observationIds", json!(["obs-lost"]), "O-001 cites the observation obs-lost"),
        (
            "/oracleDispositions/4",
            json!({"oracleId": "O-001", "disposition": "held", "observationIds": [], "note": null}),
            "says nothing of O-005",
        ),
        ("/observations/0/observationId", json!("obs-find"), "observation obs-find occurs twice"),
        (
            "/judgeResults",
            json!([{"rubricId": "R-001", "criterionId": "RC-001", "score": null, "note": null}]),
            "the judge gave R-001/RC-001 no score",
        ),
    ];
    for (at, value, found) in edits {
        let said = why(&scored(&with(record(), &[(at, value)]), &probe()));
        assert!(said.contains(found), "{found}: {said}");
    }
    let unqualified = scored(&record(), &with(probe(), &[("/qualification/rollbackVerified", json!(false))]));
    assert!(why(&unqualified).contains("qualification-evidence-unverified"));
    assert_eq!(
        (unqualified.result, unqualified.calls.satisfying.len()),
        (Triggered::InsufficientEvidence, 0)
    );
    // In production, what an oracle shows of the system counts.
    let production = scored(&with(record(), &[("/mode", json!("production"))]), &probe());
    assert_eq!(production.verdict, Some(Verdict::Fail));
    assert_eq!(production.basis, ["O-003 is violated"]);
    let unsure = scored(
        &with(record(), &[("/findings/0/confidence", json!(0.5)), ("/findings/0/oracleId", json!(null))]),
        &probe(),
    );
    assert_eq!((unsure.verdict, unsure.basis.len()), (Some(Verdict::Concerns), 2));
}

#[test]
fn probes_qualify_or_every_reason_is_said() {
    let contract = Contract::read(&lending_desk()).unwrap();
    let codes = |edits: &[(&str, Value)]| {
        let probe = &Probe::read_all(&with(probe(), edits)).unwrap()[0];
        let home = probe.signature.as_ref().and_then(|s| qualify::home(s, &contract)).map(|(_, o)| o);
        let qualified = qualify::qualify(probe, home);
        assert_eq!(qualified.qualified, qualified.failures.is_empty());
        qualified.failures.into_iter().map(|f| f.code).collect::<Vec<_>>()
    };
    let predicate = |value: Value| [("/defectSignature/condition/predicate", value)];
    let exists = |pointer: &str| json!({"op": "existence", "operands": [{"pointer": pointer}]});
    let body = "/interactions/observed/response-body/title";
    let none: [&str; 0] = [];
    assert_eq!(codes(&[]), none);
    assert_eq!(
        codes(&[("/qualification/rollbackVerified", json!(false))]),
        ["qualification-evidence-unverified"]
    );
    assert_eq!(codes(&[("/defects/0/source", json!("natural"))]), ["qualification-route-incompatible"]);
    assert_eq!(codes(&[("/defects", json!([]))]), ["qualification-route-incompatible"]);
    assert_eq!(codes(&[("/probeClass", json!("gameability"))]), ["qualification-route-incompatible"]);
    let mut natural = probe()["defects"][0].clone();
    natural["source"] = json!("natural");
    assert_eq!(
        codes(&[("/defects", json!([probe()["defects"][0], natural]))]),
        ["qualification-defect-sources-mixed", "qualification-route-incompatible"]
    );
    assert_eq!(codes(&[("/defectSignature", json!(null))]), ["signature-absent"]);
    let canary = json!({"route": "canary", "indicts": "fixture", "nonDetectionEvidence": artifact()});
    assert_eq!(
        codes(&[("/probeClass", json!("canary")), ("/qualification", canary.clone())]),
        ["signature-present-on-canary"]
    );
    assert_eq!(
        codes(&[
            ("/probeClass", json!("canary")),
            ("/qualification", canary),
            ("/defectSignature", json!(null))
        ]),
        none
    );
    assert_eq!(
        codes(&[("/defectSignature/observableChannel", json!("call-inputs"))]),
        ["signature-observable-channel-not-response-side", "condition-channels-underspecified"]
    );
    assert_eq!(
        codes(&[("/defectSignature/observableChannel", json!("stdout"))]),
        ["condition-text-channel-on-api", "condition-channels-underspecified"]
    );
    assert_eq!(
        codes(&[("/defectSignature/observableChannel", json!("response-status"))]),
        ["condition-channels-underspecified"]
    );
    // Two channels, one of them what came back.
    let echo = json!({"op": "equality", "operands": [{"pointer": body}, {"pointer": "/interactions/observed/call-inputs/arguments/loanId"}]});
    assert_eq!(
        codes(&[
            ("/defectSignature/observableChannel", json!("response-status")),
            ("/defectSignature/condition/predicate", echo)
        ]),
        none
    );
    assert_eq!(
        codes(&predicate(exists("/interactions/observed/call-inputs/arguments/loanId"))),
        ["condition-channels-underspecified"]
    );
    let sent = exists("/interactions/observed/call-inputs/arguments/loanId");
    assert_eq!(
        codes(&predicate(json!({"op": "any", "operands": [exists(body), sent]}))),
        ["condition-disjunct-without-response-channel"]
    );
    assert_eq!(codes(&predicate(json!({"op": "all", "operands": [exists(body), sent]}))), none);
    assert_eq!(
        codes(&predicate(
            json!({"op": "all", "operands": [exists(body), exists("/interactions/find/response-body/title")]})
        )),
        ["condition-pointer-not-observation-rooted"]
    );
    assert_eq!(
        codes(&predicate(
            json!({"op": "all", "operands": [exists(body), exists("/interactions/observed/artifact/log")]})
        )),
        ["condition-artifact-channel-contract-local"]
    );
    assert_eq!(
        codes(&predicate(
            json!({"op": "all", "operands": [exists(body), exists("/interactions/observed/stderr")]})
        )),
        ["condition-text-channel-on-api", "condition-pointer-unwritable"]
    );
    assert_eq!(
        codes(&predicate(
            json!({"op": "set-membership", "operands": [{"pointer": body}, {"referenceSet": "catalogue"}]})
        )),
        ["condition-reference-set-operand"]
    );
    assert_eq!(
        codes(&predicate(json!({"op": "regex", "operands": [{"pointer": body}], "pattern": "^a|b$"}))),
        ["condition-regex-illegal"]
    );
    assert_eq!(
        codes(&predicate(
            json!({"op": "all", "operands": [exists(body), {"op": "existence", "operands": [{"literal": 1}]}]})
        )),
        ["condition-operand-illegal"]
    );
    assert_eq!(
        codes(&predicate(json!({"op": "all", "operands": [exists(body), exists("@/x")]}))),
        ["condition-bound-element-outside-quantifier"]
    );
    let each =
        |of: &str, holds: Value| json!({"op": "for-all", "collection": {"pointer": of}, "predicate": holds});
    assert_eq!(codes(&predicate(each(body, exists("@/")))), ["condition-quantifier-over-non-collection"]);
    let notes = "/interactions/observed/response-body/notes";
    assert_eq!(codes(&predicate(each(notes, each("@/x", exists("@/"))))), ["condition-quantifier-nesting"]);
    // Elements come from what came back, too.
    assert_eq!(
        codes(&predicate(each(notes, json!({"op": "any", "operands": [exists("@/a"), exists("@/b")]})))),
        none
    );
    assert_eq!(
        codes(&predicate(exists("/interactions/observed/response-body/author"))),
        ["condition-pointer-unwritable"]
    );
    let selector = |binding: Value| [("/defectSignature/condition/selector/inputBinding/arguments", binding)];
    assert_eq!(
        codes(&selector(json!({"number": {"matcher": "any"}}))),
        ["condition-selector-key-undeclared"]
    );
    assert_eq!(codes(&selector(json!({"loanId": {"matcher": "type-violating"}}))), none);
    // Without the operation, what depends on its declarations is not checked, and that is said.
    let lost = Probe::read_all(&with(
        probe(),
        &[
            ("/defectSignature/toolName", json!("get_loans")),
            ("/defectSignature/condition/predicate", exists("/interactions/observed/response-body/author")),
        ],
    ))
    .unwrap();
    let unchecked = qualify::qualify(&lost[0], None);
    assert!(unchecked.qualified && !unchecked.declarations_checked);
    let mut api = probe();
    api["defectSignature"] = json!({"interfaceKind": "api", "method": "GET", "pathTemplate": "/x", "observableChannel": "response-body", "condition": api["defectSignature"]["condition"]});
    assert_eq!(
        qualify::qualify(&Probe::read_all(&api).unwrap()[0], None).failures[0].code,
        "signature-interface-kind-unsupported"
    );
}

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

#[test]
fn documents_are_read_strictly() {
    let broken = |at: &str, value: Value| {
        RunRecord::read(&with(record(), &[(at, value)])).map(|_| ()).map_err(|f| f.code.as_str()).unwrap_err()
    };
    assert_eq!(broken("/observations/0/sequence", json!(2)), "parse");
    assert_eq!(broken("/observations/0/sequence", json!(0)), "parse");
    assert_eq!(broken("/findings/0/observationIds", json!([])), "parse");
    assert_eq!(broken("/findings/0/confidence", json!(1.5)), "parse");
    assert_eq!(broken("/mode", json!("practice")), "parse");
    assert_eq!(broken("/resourceUse/wallClockSeconds", json!(-1)), "parse");
    assert_eq!(broken("/actionsArtifact/path", json!("x")), "parse");
    assert_eq!(broken("/schemaVersion", json!(4)), "schema-version-mismatch");
    assert!(ScoringPolicy::read(&with(policy(), &[("/confidenceThreshold", json!(2))])).is_err());
    assert!(
        IsolationManifest::read(&with(isolation(), &[("/resourceCeilings/maxCostUsd", json!("0.00"))]))
            .is_err()
    );
    assert!(PreflightVerdict::read(&with(preflight(true), &[("/checks/0/kind", json!("weather"))])).is_err());
    let mut clean = probe();
    clean["expectedClean"] = json!(true);
    assert!(Probe::read_all(&clean).is_err(), "a clean probe has no signature");
    clean.as_object_mut().unwrap().shift_remove("defectSignature");
    assert!(Probe::read_all(&clean).is_err(), "and no defect");
}

#[test]
fn the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let write =
        |name: &str, value: &Value| std::fs::write(folder.path().join(name), value.to_string()).unwrap();
    for (name, value) in [
        ("c.json", lending_desk()),
        ("record.json", record()),
        ("probe.json", probe()),
        ("policy.json", policy()),
        ("pre.json", preflight(true)),
        ("iso.json", isolation()),
        ("eval.json", evaluator()),
    ] {
        write(name, &value);
    }
    let corpus = digest('8');
    let whole = [
        "--preflight",
        "pre.json",
        "--isolation",
        "iso.json",
        "--evaluator",
        "eval.json",
        "--corpus-digest",
        &corpus,
    ];
    let run = |more: &[&str]| {
        let base = [
            "score",
            "--contract",
            "c.json",
            "--record",
            "record.json",
            "--probe",
            "probe.json",
            "--policy",
            "policy.json",
        ];
        let out = verity().current_dir(folder.path()).args(base).args(more).output().unwrap();
        (
            out.status.code().unwrap(),
            String::from_utf8(out.stdout).unwrap(),
            String::from_utf8(out.stderr).unwrap(),
        )
    };
    let (code, stdout, stderr) = run(&[&whole[..], &["--format", "json", "--out", "evidence.json"]].concat());
    assert_eq!((code, stderr.as_str()), (0, ""));
    let report: Value = serde_json::from_str(&stdout).unwrap();
    check_schema("score-report.schema.json", &report);
    assert_eq!((&report["result"], &report["verdict"]), (&json!("triggered"), &json!("CONCERNS")));
    // The trial passes; what the contract leaves unlooked-at is a concern.
    let basis = report["basis"].as_array().unwrap();
    assert!(basis.iter().all(|line| line.as_str().unwrap().starts_with("coverage: ")), "{basis:?}");
    assert_eq!((&report["outcome"], &report["exit_code"]), (&json!("caught"), &json!(0)));
    assert_eq!(report["trials"]["completed"], 1);
    let said = report["statements"].as_array().unwrap();
    assert_eq!(said.len(), lending_desk()["oracles"].as_array().unwrap().len());
    assert_eq!(std::fs::read_to_string(folder.path().join("evidence.json")).unwrap(), stdout);
    let (code, stdout, _) = run(&whole);
    assert_eq!(code, 0);
    assert!(
        stdout.starts_with("P-001: triggered (obs-find); a finding cites it\n")
            && stdout.ends_with("\nCONCERNS\n"),
        "{stdout}"
    );
    let (code, stdout, _) = run(&["--format", "json"]);
    assert_eq!(code, 2);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    check_schema("score-report.schema.json", &report);
    let of = |key: &str| report[key].clone();
    assert_eq!(
        (of("outcome"), of("exit_code"), of("comparability_key")),
        (json!("infrastructure-error"), json!(2), json!(null))
    );
    write("record.json", &with(record(), &[("/findings", json!([]))]));
    let (code, stdout, _) = run(&[&whole[..], &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &report["outcome"], &report["exit_code"]), (1, &json!("missed"), &json!(1)));
    write("record.json", &with(record(), &[("/findings/0/confidence", json!(0.1))]));
    assert_eq!((run(&whole).0, run(&[&whole[..], &["--strict"]].concat()).0), (0, 1));
    write("probe.json", &json!([probe(), with(probe(), &[("/probeId", json!("P-002"))])]));
    let (code, _, stderr) = run(&whole);
    assert!(code == 2 && stderr.contains("name it with --probe-id (there are P-001, P-002)"), "{stderr}");
    assert_eq!(run(&[&whole[..], &["--probe-id", "P-001"]].concat()).0, 0);
    write("record.json", &with(record(), &[("/mode", json!("practice"))]));
    let (code, _, stderr) = run(&whole);
    assert!(
        code == 2 && stderr.starts_with("verity: parse: record.json:1:") && stderr.contains(" /mode: "),
        "{stderr}"
    );
}
