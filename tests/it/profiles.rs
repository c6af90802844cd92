//! The limits of clients, through the command line.

use crate::support::verity;
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

/// A legal tool that OpenAI refuses for its dot and Gemini for its union.
fn listing() -> Value {
    json!({"tools": [{"name": "rooms.find", "description": "Find a free room in a building.",
        "inputSchema": {"type": "object", "properties": {"floor": {"type": ["integer", "null"], "description": "Floor; null for any."}},
            "required": ["floor"], "additionalProperties": false},
        "annotations": {"readOnlyHint": true}}]})
}

/// (rule, profile, severity) of every COMPAT finding.
fn compat(flags: &[&str]) -> Vec<(String, String, String)> {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("tools.json");
    fs::write(&file, listing().to_string()).unwrap();
    let mut command = verity();
    let out = command.args(["lint", "--format", "json", "--fail-on", "never"]).args(flags).arg(&file);
    let out = out.assert().success().get_output().stdout.clone();
    let report: Value = serde_json::from_slice(&out).unwrap();
    let text = |f: &Value, k: &str| f[k].as_str().unwrap_or("").to_string();
    report["manifests"][0]["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|f| f["rule"].as_str().unwrap().starts_with("MCP-COMPAT-"))
        .map(|f| (text(f, "rule"), text(f, "profile"), text(f, "severity")))
        .collect()
}

fn owned(rows: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
    rows.iter().map(|(a, b, c)| ((*a).into(), (*b).into(), (*c).into())).collect()
}

#[test]
fn only_who_asks_is_told() {
    assert_eq!(compat(&[]), []);
    assert_eq!(
        compat(&["--profile", "openai"]),
        owned(&[("MCP-COMPAT-OPENAI-NAME-PATTERN", "openai", "error")])
    );
    let gemini = compat(&["--profile", "gemini"]);
    let expected = [
        ("MCP-COMPAT-GEMINI-SINGLE-TYPE", "gemini", "error"),
        ("MCP-COMPAT-GEMINI-KEYWORD", "gemini", "warning"),
    ];
    assert_eq!(
        gemini,
        owned(&expected),
        "a dot is fine there; additionalProperties is stripped by most clients"
    );
}

#[test]
fn a_limit_that_is_handed_down_names_who_was_asked_for() {
    assert_eq!(
        compat(&["--profile", "codex"]),
        owned(&[("MCP-COMPAT-OPENAI-NAME-PATTERN", "codex", "error")])
    );
    let both = compat(&["--profile", "codex,openai"]);
    assert_eq!(
        both,
        owned(&[("MCP-COMPAT-OPENAI-NAME-PATTERN", "openai", "error")]),
        "once, by its own name"
    );
}

#[test]
fn a_limit_runs_by_its_id_alone() {
    let found = compat(&["--only", "mcp-compat-bedrock-name-pattern"]);
    assert_eq!(found, owned(&[("MCP-COMPAT-BEDROCK-NAME-PATTERN", "bedrock", "error")]));
}

#[test]
fn a_profile_of_ones_own() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("house.yaml");
    let text = "name: house\ntitle: Our client\nabout: Built here.\nobserved: 2026-11-01\nlimits:\n  - id: SHORT\n    \
        check: {name-length: {max: 5}}\n    severity: warning\n    impact: tool\n    kind: source\n    sources: [\"https://example.org\"]\n    \
        summary: a long name\n    why: Our client has short names.\n    help: Shorten it\n";
    fs::write(&file, text).unwrap();
    let found = compat(&["--profile", file.to_str().unwrap()]);
    assert_eq!(found, owned(&[("MCP-COMPAT-HOUSE-SHORT", "house", "warning")]));
    fs::write(&file, text.replace("name-length", "name-lenght")).unwrap();
    let mut command = verity();
    let run = command.args(["lint", "--profile", file.to_str().unwrap(), "fixtures/mcp/tools_v1.json"]);
    let stderr = run.assert().code(2).get_output().stderr.clone();
    let stderr = String::from_utf8(stderr).unwrap();
    assert!(
        stderr.contains("house.yaml:7:13: unknown limit `name-lenght`: did you mean `name-length`?"),
        "{stderr}"
    );
}

/// As everywhere else: one error with its place, exit code 2, and nothing is written.
#[test]
fn a_limit_that_nobody_knows_stops_every_command() {
    let dir = TempDir::new().unwrap();
    let put = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    put("tools.json", &listing().to_string());
    put("old.json", &listing().to_string());
    put("verity.yaml", "profiles: [./house.yaml]\n");
    put(
        "house.yaml",
        "name: house\ntitle: Our client\nabout: Built here.\nobserved: 2026-11-01\nlimits:\n  - id: MANY\n    \
         check:\n      tools-count: {max: 5}\n    severity: warning\n    impact: tool\n    kind: source\n    \
         sources: [x]\n    summary: s\n    why: w\n    help: h\n",
    );
    for args in [
        &["lint", "tools.json", "--format", "json=report.json"][..],
        &["diff", "old.json", "tools.json", "--format", "json=report.json"],
        &["gate", "tools.json", "--old", "old.json", "--format", "json=report.json"],
    ] {
        let out = verity().current_dir(dir.path()).args(args).assert().code(2).get_output().clone();
        let stderr = String::from_utf8(out.stderr).unwrap();
        assert!(
            stderr.contains("house.yaml:8:7: unknown limit `tools-count`: did you mean `tool-count`?"),
            "{args:?}: {stderr}"
        );
        assert_eq!(stderr.matches("error: ").count(), 1, "{stderr}");
        assert!(out.stdout.is_empty() && !dir.path().join("report.json").exists(), "{args:?}");
    }
}

#[test]
fn old_data_says_so() {
    let years_later = |args: &[&str]| {
        let out = verity().env("SOURCE_DATE_EPOCH", "1890000000").args(args).assert();
        let out = out.get_output();
        String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr)
    };
    let said = "more than a year ago";
    assert!(years_later(&["profiles"]).contains(said));
    assert!(years_later(&["lint", "--profile", "zed", "fixtures/mcp/tools_v1.json"]).contains(said));
    let now = verity().env("SOURCE_DATE_EPOCH", "1796000000").arg("profiles").assert().success();
    assert!(!String::from_utf8_lossy(&now.get_output().stdout).contains(said));
}

#[test]
fn profiles_are_listed() {
    let out = verity().args(["profiles", "--format", "json"]).assert().success().get_output().stdout.clone();
    let list: Value = serde_json::from_slice(&out).unwrap();
    let names: Vec<&str> =
        list["profiles"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"openai-strict") && names.len() >= 21, "{names:?}");
    let one = verity().args(["profiles", "cursor"]).assert().success().get_output().stdout.clone();
    assert!(String::from_utf8(one).unwrap().contains("MCP-COMPAT-CURSOR-PREFIXED-NAME"));
    let slip = verity().args(["profiles", "cursr"]).assert().code(2).get_output().stderr.clone();
    assert!(String::from_utf8(slip).unwrap().contains("did you mean `cursor`?"));
}
