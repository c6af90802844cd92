//! `verity score`: probes that qualify, oracles over recorded calls, and what a run comes to.

mod command;
mod defects;
mod probes;
mod selection;
mod trust;

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
