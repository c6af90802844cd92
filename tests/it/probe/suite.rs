//! A probe without a contract, over a server whose tools each have one fault.

use crate::support::{check_schema, verity};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tempfile::TempDir;

struct Run {
    code: Option<i32>,
    out: String,
    err: String,
    /// The calls that the server took, by tool.
    calls: BTreeMap<String, Vec<Value>>,
}

impl Run {
    fn report(&self) -> Value {
        let report =
            serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}{}", self.out, self.err));
        check_schema("probe-report.schema.json", &report);
        report
    }
}

/// `verity probe FLAGS --format json -- tools.py LOG MODE`, with `files` in the working folder. As much time as a slow
/// machine may need, unless the flags say otherwise.
fn probe(flags: &[&str], mode: &str, files: &[(&str, Value)]) -> Run {
    let dir = TempDir::new().unwrap();
    for (name, value) in files {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/live/tools.py");
    let mut command = verity();
    let timeout: &[&str] = if flags.contains(&"--timeout") { &[] } else { &["--timeout", "120"] };
    command.current_dir(dir.path()).arg("probe").args(timeout).args(flags);
    if !flags.iter().any(|f| f.starts_with("--format")) {
        command.args(["--format", "json"]);
    }
    let out =
        command.arg("--").arg("python3").arg(server).arg("calls").args(mode.split(' ')).output().unwrap();
    let log = std::fs::read_to_string(dir.path().join("calls")).unwrap_or_default();
    let mut calls: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in log.lines() {
        let call: Value = serde_json::from_str(line).unwrap();
        calls.entry(call[0].as_str().unwrap().to_string()).or_default().push(call[1].clone());
    }
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: out.status.code(), out: text(out.stdout), err: text(out.stderr), calls }
}

/// Severity and short name of every rule that fired, by tool.
fn found(report: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for finding in report["findings"].as_array().unwrap() {
        let rule = finding["rule"].as_str().unwrap().replace("MCP-PROBE-", "");
        let what = format!("{} {rule}", finding["severity"].as_str().unwrap());
        found.entry(finding["tool"].as_str().unwrap_or("").to_string()).or_default().insert(what);
    }
    found
}

fn check<'r>(report: &'r Value, tool: &str, kind: &str) -> &'r str {
    let checks = report["checks"].as_array().unwrap();
    let found = checks.iter().find(|c| c["kind"] == kind && c["operationId"] == tool);
    found.map_or("none", |c| c["outcome"].as_str().unwrap())
}

#[test]
fn each_tool_is_found_at_its_own_fault() {
    // A call that never ends is told from one that takes its time on a slow machine: which is given more, then.
    let is_late = |run: &Run| {
        let late =
            |(tool, rules): (String, BTreeSet<String>)| tool != "hangs" && rules.contains("error NO-ANSWER");
        run.code == Some(3) || found(&run.report()).into_iter().any(late)
    };
    let runs = ["3", "15", "90"].map(|timeout| move || probe(&["--timeout", timeout], "hangs", &[]));
    let run = runs.iter().map(|run| run()).find(|run| !is_late(run)).expect("some time is enough");
    let report = run.report();
    assert_eq!((run.code, &report["passed"]), (Some(1), &json!(false)), "{}", run.err);
    // (Those without parameters are closed and take any: an info beside their fault.)
    let expected: &[(&str, &[&str])] = &[
        ("bare", &["error OUTPUT-SCHEMA", "info ALL-IGNORED"]),
        ("brittle", &["warning INVALID-INTERNAL"]),
        ("broken_promise", &["error OUTPUT-SCHEMA"]),
        ("deaf", &["info ARGUMENT-IGNORED"]),
        ("falls_over", &["error CRASH"]),
        ("hangs", &["error NO-ANSWER"]),
        ("huge", &["info INVALID-ACCEPTED", "warning RESULT-OUTSIZED"]),
        ("odd_shape", &["error RESULT-SHAPE"]),
        ("poisoned", &["error RESULT-POISON", "info INVALID-ACCEPTED"]),
        ("restless", &["info INVALID-ACCEPTED", "info UNSTABLE"]),
        ("stone", &["info ALL-IGNORED"]),
        ("strict", &["info INVALID-PROTOCOL-ERROR"]),
        ("trusting", &["info INVALID-ACCEPTED", "warning INVALID-ACCEPTED"]),
    ];
    let expected: BTreeMap<String, BTreeSet<String>> = expected
        .iter()
        .map(|(tool, rules)| ((*tool).to_string(), rules.iter().map(|r| (*r).to_string()).collect()))
        .collect();
    assert_eq!(found(&report), expected);
    for kind in
        ["answers", "output-schema", "clean-results", "repeatable", "arguments-matter", "refuses-invalid"]
    {
        assert_eq!(check(&report, "sound", kind), "satisfied", "{kind}");
    }
    // A tool of which no call succeeded is no tool that passed.
    assert_eq!(check(&report, "never", "answers"), "exempt");
    assert_eq!(check(&report, "never", "refuses-invalid"), "exempt");
    assert_eq!(check(&report, "write_note", "answers"), "exempt");
    assert_eq!(run.calls.get("write_note"), None, "it is no read-only tool");
    assert_eq!(run.calls["hangs"].len(), 2, "a tool that hurts is let be");
    assert_eq!(report["calls"], run.calls.values().map(Vec::len).sum::<usize>());
}

#[test]
fn findings_show_the_calls_that_prove_them() {
    let run = probe(&[], "", &[]);
    let report = run.report();
    let of = |tool: &str| {
        let all = report["findings"].as_array().unwrap();
        all.iter().find(|f| f["tool"] == tool).unwrap().clone()
    };
    let deaf = of("deaf");
    let calls = deaf["witness"]["calls"].as_array().unwrap();
    let (first, second) = (&calls[0]["arguments"], &calls[1]["arguments"]);
    assert_eq!((&first["n"], calls.len()), (&second["n"], 2));
    assert_ne!(first.get("unit"), second.get("unit"), "the two calls differ in this argument alone");
    assert_eq!(calls[0]["answer"], calls[1]["answer"]);
    assert_eq!(deaf["pointer"], "/tools/1/inputSchema/properties/unit");
    assert!(deaf["span"]["line"].as_u64().unwrap() > 1);
    let trusting = of("trusting");
    let last = trusting["witness"]["calls"].as_array().unwrap().last().unwrap();
    assert_eq!(last["answer"]["content"][0]["type"], "text");
    assert!(trusting["pointer"].as_str().unwrap().starts_with("/tools/3/inputSchema/"));
    assert!(of("poisoned")["evidence"].is_string());
    let again = probe(&[], "", &[]);
    assert_eq!(again.calls, run.calls, "the same seed makes the same calls");
    assert_eq!(again.out, run.out);
    assert_ne!(probe(&["--seed", "other"], "", &[]).calls, run.calls);
}

#[test]
fn writes_are_made_as_often_as_they_are_allowed() {
    let run = probe(&["--allow-writes", "write_note"], "", &[]);
    assert_eq!(run.calls["write_note"].len(), 1);
    let run = probe(&["--allow-writes", "write_note=3"], "", &[]);
    assert_eq!(run.calls["write_note"].len(), 3);
    for (wrong, said) in [("write_nots", "did you mean `write_note`?"), ("write_note=x", "NAME=TIMES")] {
        let run = probe(&["--allow-writes", wrong], "", &[]);
        assert_eq!(run.code, Some(2), "{}", run.err);
        assert!(run.err.contains(said), "{}", run.err);
        assert_eq!(run.calls.len(), 0);
    }
}

#[test]
fn arguments_of_ones_own_come_first_and_weigh_more() {
    let own = json!({"deaf": [{"n": 4, "unit": "km"}], "stone": {"n": 5}});
    let run = probe(&["--args", "own.json"], "", &[("own.json", own)]);
    assert_eq!(
        (&run.calls["deaf"][0], &run.calls["stone"][0]),
        (&json!({"n": 4, "unit": "km"}), &json!({"n": 5}))
    );
    let found = found(&run.report());
    assert_eq!(found["deaf"], BTreeSet::from(["warning ARGUMENT-IGNORED".to_string()]));
    assert_eq!(found["stone"], BTreeSet::from(["warning ALL-IGNORED".to_string()]));
    let run = probe(&["--args", "own.json"], "", &[("own.json", json!({"deaf": [3]}))]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("`deaf`: a list of argument objects"), "{}", run.err);
}

#[test]
fn calls_are_bounded() {
    let run = probe(&["--max-calls", "5"], "", &[]);
    assert_eq!(run.calls.values().map(Vec::len).sum::<usize>(), 5);
    assert!(run.err.contains("--max-calls was reached"), "{}", run.err);
    assert_eq!(run.report()["calls"], 5);
    let run = probe(&["--max-calls", "0"], "", &[]);
    assert_eq!((run.code, &run.report()["passed"]), (Some(2), &json!(false)), "nothing was judged");
    assert!(run.err.contains("no tool was called"), "{}", run.err);
}

#[test]
fn a_listing_that_changes_after_the_first_call() {
    let changed = |mode: &str| {
        let run = probe(&["--max-calls", "3"], mode, &[]);
        let found: BTreeMap<String, BTreeSet<String>> = found(&run.report())
            .into_iter()
            .filter(|(_, r)| r.iter().any(|r| r.contains("LISTING")))
            .collect();
        (found, check(&run.report(), "", "listing-stable").to_string())
    };
    let rule = |severity: &str| BTreeSet::from([format!("{severity} LISTING-CHANGED")]);
    let both =
        |severity| BTreeMap::from([("sound".into(), rule(severity)), ("write_note".into(), rule(severity))]);
    assert_eq!(changed("rug-pull").0, both("error"));
    assert_eq!(changed("announce").0, both("warning"));
    assert_eq!(changed("").0, BTreeMap::new());
}

#[test]
fn reports_ignores_and_severities_are_those_of_lint() {
    let config = "severities:\n  MCP-PROBE-UNSTABLE: error\nignores:\n  - rule: MCP-PROBE-CRASH\n    tool: falls_over\n    \
                  reason: known, and being repaired\n";
    let flags = ["--format", "json", "--format", "sarif=out.sarif", "--format", "junit=out.xml"];
    let run = probe(&flags, "", &[("verity.yaml", json!(config))]);
    let report = run.report();
    let of = |tool: &str| {
        report["findings"].as_array().unwrap().iter().find(|f| f["tool"] == tool).unwrap().clone()
    };
    assert_eq!(of("restless")["severity"], "error");
    assert_eq!(of("falls_over")["suppressed"], "known, and being repaired");
    let human = probe(&["--format", "human", "--fail-on", "never"], "", &[]);
    assert_eq!(human.code, Some(0), "{}", human.err);
    assert!(
        human.out.contains("error[MCP-PROBE-CRASH]: a call of tool `falls_over` ends the session: the"),
        "{}",
        human.out
    );
    assert!(human.out.contains(
        "\n  sound  answers, output-schema, clean-results, repeatable, arguments-matter, refuses-invalid\n"
    ));
    assert!(
        human.out.contains("    open  answers: not called: it is not read-only by its own hint"),
        "{}",
        human.out
    );
}

#[test]
fn faults_of_the_server_itself_end_the_probe() {
    let said = |args: &[&str]| {
        let out = verity().args(["probe", "--format", "json"]).args(args).output().unwrap();
        let report: Value = serde_json::from_slice(&out.stdout).unwrap();
        (out.status.code(), report)
    };
    let (code, report) = said(&["--", "no-such-command-here"]);
    assert_eq!((code, &report["fault"]["code"]), (Some(3), &json!("port-failure")));
    let (code, report) = said(&["--timeout", "1", "--", "sleep", "60"]);
    assert_eq!((code, &report["fault"]["code"]), (Some(3), &json!("budget-exhausted")));
    let (code, report) = said(&[]);
    assert_eq!((code, &report["error"]["code"]), (Some(2), &json!("usage")));
}
