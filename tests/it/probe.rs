//! `verity probe`: contracts judged against live servers. Needs python3.

mod answers;
mod caps;
mod resume;
mod steps;
mod suite;
mod writes;

use crate::capture::server;
use crate::support::{check_schema, verity};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

const FLOOR: [&str; 7] = [
    "original-spec",
    "source-code",
    "repository",
    "builder-transcript",
    "implementation-logs",
    "comparator-results",
    "human-labels",
];

/// A contract over the tool `add`: two sums have to differ.
fn contract() -> Value {
    let leg = |id: &str, a: u32| json!({"legId": id, "inputs": {"arguments": {"a": a, "b": 1}}});
    let sum = |leg: &str| json!({"pointer": format!("/interactions/{leg}/response-body/sum")});
    let equal = json!({"op": "equality", "operands": [sum("sum-one"), sum("sum-two")]});
    let operation = json!({
        "operationId": "add", "toolName": "add", "stateChangeMarker": false,
        "requestShape": {"arguments": {"requiredKeys": ["a", "b"], "permittedKeys": ["a", "b"],
            "types": {"a": "number", "b": "number"}}},
        "descriptorChannel": {"kind": "structured-result"},
        "responseDescriptor": {"requiredKeys": ["sum"], "permittedKeys": ["sum"], "types": {"sum": "number"},
            "successIndicator": null, "channelRoles": null, "collectionLocations": null},
        "volatilePointers": [],
        "sensitivityWitness": {"witnessId": "sums-differ", "channel": "arguments",
            "legs": [leg("sum-one", 1), leg("sum-two", 2)], "relation": {"op": "not", "operands": [equal]}},
    });
    let behavior = json!({"id": "B-001", "description": "Sums are right.", "severity": "material",
        "observableSuccessCriterion": "The sum of both numbers comes back.",
        "requirementLinks": [{"scheme": "local", "id": "REQ-1"}], "riskLinks": [], "oracles": []});
    json!({
        "schemaVersion": 5, "contractId": "sums", "parentDigest": null, "revisionCount": 0, "sourceSpecDigest": null,
        "behaviors": [behavior], "oracles": [], "rubrics": [], "waivers": [], "referenceSets": null,
        "siblingGroups": null, "interactionPlan": [], "scopedResources": null, "forbiddenInputs": FLOOR,
        "testData": {"setup": null, "cleanup": null, "principals": null, "resources": null},
        "budgets": {"maxToolCalls": 9, "maxWallClockMinutes": 1, "maxCostUsd": "0"},
        "safetyLimits": [], "requiredEvidence": [], "probeStepBound": null, "fixtureReset": null,
        "permittedInterfaces": [{"logicalId": "sum-server", "kind": "mcp", "operations": [operation]}],
    })
}

fn policy(mode: &str, dir: &Path) -> Value {
    json!({"interfaceId": "sum-server", "target": "python3", "targetArgs": [server(), mode, dir.join("calls")],
        "tools": ["add"], "cwd": dir, "serverEnvironment": {}, "maxElapsedMs": 120_000, "maxOutputBytes": 1_000_000})
}

struct Run {
    code: Option<i32>,
    report: Value,
    err: String,
    /// The arguments of every call that the server took.
    calls: Vec<String>,
}

fn probe(mode: &str, change: Value, flags: &[&str]) -> Run {
    let dir = TempDir::new().unwrap();
    let mut entry = policy(mode, dir.path());
    entry.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    let file = |name: &str, value: Value| std::fs::write(dir.path().join(name), value.to_string()).unwrap();
    file("contract.json", contract());
    file("policy.json", json!({"authorizations": [entry]}));
    let mut command = verity();
    command.current_dir(dir.path()).args(["probe", "--contract", "contract.json", "--format", "json"]);
    let out = command.args(["--policy", "policy.json"]).args(flags).output().unwrap();
    let calls = std::fs::read_to_string(dir.path().join("calls")).unwrap_or_default();
    let (report, err) = (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap());
    let report = serde_json::from_str(&report).unwrap_or_else(|e| panic!("{e}: {report}{err}"));
    check_schema("probe-report.schema.json", &report);
    Run { code: out.status.code(), report, err, calls: calls.lines().map(str::to_string).collect() }
}

fn outcome<'r>(report: &'r Value, kind: &str) -> &'r str {
    let checks = report["checks"].as_array().unwrap();
    checks.iter().find(|c| c["kind"] == kind).unwrap()["outcome"].as_str().unwrap()
}

#[test]
fn a_server_that_does_what_it_says() {
    let run = probe("call", json!({}), &[]);
    assert_eq!(run.code, Some(0), "{} {}", run.report, run.err);
    assert_eq!(run.report["passed"], true);
    for kind in ["interface-present", "input-sensitivity", "state-reset", "clean-control"] {
        assert_eq!(outcome(&run.report, kind), "satisfied", "{kind}");
    }
    // Two legs of the witness, then the control call twice with the first leg's arguments.
    let sums = [r#"{"a": 1, "b": 1}"#, r#"{"a": 2, "b": 1}"#, r#"{"a": 1, "b": 1}"#, r#"{"a": 1, "b": 1}"#];
    assert_eq!(run.calls, sums);
}

#[test]
fn servers_that_do_not() {
    for (mode, failed) in [
        ("call-ignores", &["input-sensitivity"][..]),
        ("call-prose", &["input-sensitivity"]),
        ("call-rpc-error", &["input-sensitivity", "clean-control"]),
    ] {
        let run = probe(mode, json!({}), &[]);
        assert_eq!((run.code, &run.report["passed"]), (Some(1), &json!(false)), "{mode}: {}", run.report);
        for kind in ["interface-present", "input-sensitivity", "state-reset", "clean-control"] {
            let expected = if failed.contains(&kind) { "failed" } else { "satisfied" };
            assert_eq!(outcome(&run.report, kind), expected, "{mode}: {kind}");
        }
    }
    // An error that differs with the arguments is still an answer to them, but no clean control.
    let run = probe("call-error", json!({}), &[]);
    assert_eq!(
        (outcome(&run.report, "input-sensitivity"), outcome(&run.report, "clean-control")),
        ("satisfied", "failed")
    );
}

#[test]
fn faults_end_the_run() {
    let quick = || json!({"maxElapsedMs": 1500});
    for (mode, change, code) in [
        ("call-slow", quick(), "budget-exhausted"),
        ("hang", quick(), "budget-exhausted"),
        ("call-flood", json!({}), "budget-exhausted"),
        ("call-flood-log", json!({}), "budget-exhausted"),
        ("call-many-values", json!({"maxOutputBytes": 30_000_000}), "budget-exhausted"),
        ("refuses", json!({}), "port-failure"),
        ("newest", json!({}), "port-failure"),
        ("chatter", json!({}), "port-failure"),
        ("die", json!({}), "port-failure"),
        ("call", json!({"target": "no-such-command"}), "port-failure"),
        ("call", json!({"cwd": "no/such/folder"}), "port-failure"),
        ("call", json!({"tools": ["other"]}), "forbidden-target"),
        ("call", json!({"interfaceId": "other"}), "forbidden-target"),
    ] {
        let run = probe(mode, change, &[]);
        assert_eq!(run.code, Some(3), "{mode}: {}", run.report);
        assert_eq!(run.report["fault"]["code"], code, "{mode}: {}", run.report);
        assert!(!run.report["fault"]["detail"].as_str().unwrap().is_empty());
        assert_eq!(run.calls, Vec::<String>::new(), "{mode}: nothing was added");
    }
}

#[test]
fn what_was_recorded_is_judged_again() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    let run = probe(
        "call",
        json!({}),
        &["--record", &at("seen.json"), "--out", &at("verdict.json"), "--run-id", "run-7"],
    );
    assert_eq!(run.code, Some(0), "{}", run.err);
    let verdict: Value = serde_json::from_str(&std::fs::read_to_string(at("verdict.json")).unwrap()).unwrap();
    assert_eq!(
        (&verdict["runId"], &verdict["passed"], &verdict["schemaVersion"]),
        (&json!("run-7"), &json!(true), &json!(1))
    );
    std::fs::write(at("contract.json"), contract().to_string()).unwrap();
    let mut seen: Value = serde_json::from_str(&std::fs::read_to_string(at("seen.json")).unwrap()).unwrap();
    let again = |seen: &Value| {
        std::fs::write(at("seen.json"), seen.to_string()).unwrap();
        let flags = ["--observations", &at("seen.json"), "--out", &at("again.json"), "--run-id", "run-7"];
        let out = verity().args(["probe", "--contract", &at("contract.json")]).args(flags).output().unwrap();
        (out.status.code(), String::from_utf8(out.stdout).unwrap())
    };
    let (code, human) = again(&seen);
    assert_eq!(code, Some(0), "{human}");
    assert!(human.ends_with("sums: the pre-flight passed (4 checks).\n"), "{human}");
    let repeated: Value = serde_json::from_str(&std::fs::read_to_string(at("again.json")).unwrap()).unwrap();
    assert_eq!(repeated, verdict);
    check_schema("preflight-verdict.schema.json", &verdict);
    // Both sums the same: the arguments do not matter.
    seen["observations"][1]["result"] = seen["observations"][0]["result"].clone();
    let (code, human) = again(&seen);
    assert_eq!(code, Some(1), "{human}");
    assert!(
        human.starts_with("satisfied  interface-present  add\nFAILED     input-sensitivity  add\n"),
        "{human}"
    );
    // A leg that nobody answered.
    seen["observations"].as_array_mut().unwrap().remove(1);
    assert_eq!(again(&seen).0, Some(1));
}

#[test]
fn what_cannot_be_judged() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    std::fs::write(at("contract.json"), contract().to_string()).unwrap();
    std::fs::write(at("broken.json"), "{\"authorizations\": 3}").unwrap();
    let run = |args: &[&str]| {
        let out = verity().args(["probe", "--contract", &at("contract.json")]).args(args).output().unwrap();
        (out.status.code(), String::from_utf8(out.stderr).unwrap())
    };
    let (code, err) = run(&["--policy", &at("broken.json")]);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.starts_with("verity: parse: ") && err.contains("/authorizations"), "{err}");
    let (code, err) = run(&["--observations", &at("missing.json")]);
    assert_eq!(code, Some(2), "{err}");
    let (code, err) = run(&[]);
    assert_eq!(code, Some(2), "{err}");
    std::fs::write(at("none.json"), "[]").unwrap();
    let (code, err) = run(&["--observations", &at("none.json")]);
    assert_eq!(code, Some(3), "{err}");
    assert!(err.contains("no observation answers any of the 4 legs"), "{err}");
}
