//! `verity gate`: one verdict on lint, diff and pack, and nothing half written.

use crate::support::{fixture, verity};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A tool with nothing to find in it; `limit` is at most `most`.
fn sound(most: u64) -> Value {
    json!({"tools": [{"name": "search_orders", "description": "Search the orders of the shop by a word in them.",
        "inputSchema": {"type": "object", "additionalProperties": false, "required": ["query"], "properties": {
            "query": {"type": "string", "minLength": 1, "description": "Words to look for."},
            "limit": {"type": "integer", "minimum": 1, "maximum": most, "description": "How many orders."}}},
        "annotations": {"readOnlyHint": true}}]})
}

/// A folder with `sound(100)` as tools.json, and this verity.yaml if it says anything.
fn bench(config: &str) -> TempDir {
    let dir = TempDir::new().unwrap();
    put(dir.path(), "tools.json", &sound(100));
    if !config.is_empty() {
        fs::write(dir.path().join("verity.yaml"), config).unwrap();
    }
    dir
}

fn put(dir: &Path, name: &str, value: &Value) {
    fs::write(dir.join(name), value.to_string()).unwrap();
}

struct Run {
    code: i32,
    out: String,
    err: String,
}

fn gate(dir: &Path, args: &[&str]) -> Run {
    let out = verity().current_dir(dir).arg("gate").args(args).output().unwrap();
    Run {
        code: out.status.code().unwrap(),
        out: String::from_utf8(out.stdout).unwrap(),
        err: String::from_utf8(out.stderr).unwrap(),
    }
}

/// Exit code, report, and the status of lint, diff and pack.
fn judged(dir: &Path, args: &[&str]) -> (i32, Value, [String; 3]) {
    let run = gate(dir, &[&["--format", "json"], args].concat());
    let report: Value =
        serde_json::from_str(&run.out).unwrap_or_else(|e| panic!("{e}: {}{}", run.out, run.err));
    crate::support::check_schema("gate-report.schema.json", &report);
    let status = |i: usize| report["parts"][i]["status"].as_str().unwrap_or("none").to_string();
    let statuses = [status(0), status(1), status(2)];
    (run.code, report, statuses)
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn without_a_configuration_it_works_on_defaults_and_says_what_it_skips() {
    let dir = bench("");
    let run = gate(dir.path(), &[]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.err.contains("no input was named: reading ./tools.json"), "{}", run.err);
    assert!(run.out.contains("diff skipped: no released listing was named"), "{}", run.out);
    assert!(
        run.out.contains("pack passed: 1 task; every solution passes and every control fails"),
        "{}",
        run.out
    );
    assert_eq!(run.out.lines().last(), Some("gate passed (diff skipped)"));
    assert_eq!(names(dir.path()), ["tools.json"], "the pack was tested in memory");
}

#[test]
fn the_configuration_says_what_is_asked_and_where_it_goes() {
    let dir = bench(
        "gate:\n  old: released.json\n  pack: packs/orders\n  reports: [json=out/gate.json, sarif=out/verity.sarif, markdown=out/gate.md, junit=out/junit.xml]\n",
    );
    put(dir.path(), "released.json", &sound(100));
    fs::create_dir_all(dir.path().join("out")).unwrap();
    let below = dir.path().join("a/b");
    fs::create_dir_all(&below).unwrap();
    // Paths start from the configuration, not from where the command runs; `manifest` is not stated.
    let run = gate(&below, &["../../tools.json"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("diff passed: no change in meaning since ../../released.json"), "{}", run.out);
    assert_eq!(run.out.lines().last(), Some("gate passed"));
    assert_eq!(names(&dir.path().join("out")), ["gate.json", "gate.md", "junit.xml", "verity.sarif"]);
    let report: Value =
        serde_json::from_str(&fs::read_to_string(dir.path().join("out/gate.json")).unwrap()).unwrap();
    assert_eq!(report["verdict"], "passed");
    assert_eq!(report["packs"][0]["out"], "../../packs/orders");
    // The very pack that agent-tasks writes.
    let other = dir.path().join("other");
    let same = verity()
        .current_dir(dir.path())
        .args(["agent-tasks", "tools.json", "-o"])
        .arg(&other)
        .output()
        .unwrap();
    assert!(same.status.success());
    for name in ["README.md", "search_orders.yaml"] {
        let read = |folder: &Path| fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(read(&dir.path().join("packs/orders")), read(&other), "{name}");
    }
}

#[test]
fn findings_fail_it_and_stop_the_pack() {
    let dir = bench("gate:\n  pack: packs/shop\n");
    fs::copy(fixture("mcp/tools_poisoned.json"), dir.path().join("tools.json")).unwrap();
    let (code, report, statuses) = judged(dir.path(), &[]);
    assert_eq!((code, statuses), (1, ["failed", "skipped", "failed"].map(String::from)));
    assert_eq!(report["parts"][0]["reasons"][0]["tool"], "get_weather");
    assert_eq!(report["error"]["code"], "findings");
    assert_eq!(names(dir.path()), ["tools.json", "verity.yaml"], "no pack was written");
    // Who lets no finding fail the run gets the pack, less the flagged tools.
    let (code, report, statuses) = judged(dir.path(), &["--fail-on", "never"]);
    assert_eq!((code, statuses), (0, ["passed", "skipped", "passed"].map(String::from)));
    assert_eq!(report["packs"][0]["tasks"], 2);
}

#[test]
fn warnings_fail_it_where_they_are_told_to() {
    let dir = bench("fail_on: warning\n");
    let tools = json!({"tools": [{"name": "book", "inputSchema": {"type": "object", "additionalProperties": false,
        "properties": {"n": {"type": "integer", "description": "How many."}}, "required": ["n"]}}]});
    put(dir.path(), "tools.json", &tools);
    let (code, report, statuses) = judged(dir.path(), &[]);
    assert_eq!((code, statuses), (1, ["failed", "skipped", "passed"].map(String::from)));
    assert_eq!(report["parts"][0]["reasons"][0]["rule"], "MCP-TOOL-DESCRIPTION-MISSING");
    assert_eq!(judged(dir.path(), &["--fail-on", "error"]).0, 0);
}

#[test]
fn a_breaking_change_fails_it_in_every_report() {
    let dir = bench("");
    put(dir.path(), "old.json", &sound(200));
    let (code, report, statuses) = judged(dir.path(), &["--old", "old.json"]);
    assert_eq!((code, statuses), (1, ["passed", "failed", "passed"].map(String::from)));
    assert_eq!(report["parts"][1]["reasons"][0]["rule"], "MCP-DIFF-INPUT-NARROWED");
    assert_eq!(report["diff"]["required_bump"], "major");
    let run = |format: &str| gate(dir.path(), &["--old", "old.json", "--format", format]);
    let human = run("human").out;
    assert!(human.contains("next: verity diff old.json tools.json"), "{human}");
    assert_eq!(human.lines().last(), Some("gate failed: diff"));
    assert!(run("markdown").out.starts_with("## verity gate: failed: diff\n"));
    let sarif: Value = serde_json::from_str(&run("sarif").out).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&json!("MCP-DIFF-INPUT-NARROWED"), &json!("error")));
    assert!(result["properties"]["witness"]["limit"].as_u64().unwrap() > 100);
    let junit = run("junit").out;
    assert!(junit.contains("failures=\"1\"") && junit.contains("search_orders: DIFF"), "{junit}");
    assert!(run("github").out.starts_with("::error file=tools.json,line=1,"), "{}", run("github").out);
    // The change fails the gate however little of lint does, and JUnit says so too.
    let never = gate(dir.path(), &["--old", "old.json", "--fail-on", "never", "--format", "junit"]);
    assert!(never.code == 1 && never.out.contains("failures=\"1\""), "{}", never.out);
}

#[test]
fn a_lint_report_has_no_case_for_a_comparison_that_was_not_made() {
    let dir = bench("");
    let junit = gate(dir.path(), &["--format", "junit"]).out;
    assert!(junit.contains("search_orders: SCHEMA") && !junit.contains(": DIFF"), "{junit}");
}

#[test]
fn the_release_may_be_a_revision_or_a_lock() {
    let dir = bench("");
    let git = |args: &[&str]| {
        let ran = Command::new("git").current_dir(dir.path()).args(args).output();
        ran.is_ok_and(|out| out.status.success())
    };
    if !git(&["init", "-q"]) {
        return eprintln!("skipped: there is no git");
    }
    assert!(git(&["add", "."]));
    assert!(git(&["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "release"]));
    let lock =
        verity().current_dir(dir.path()).args(["lock", "tools.json", "-o", "verity.lock"]).output().unwrap();
    assert!(lock.status.success());
    for old in ["git:HEAD:tools.json", "verity.lock"] {
        assert_eq!(judged(dir.path(), &["--old", old]).0, 0, "{old}");
    }
    put(dir.path(), "tools.json", &sound(50));
    assert_eq!(judged(dir.path(), &["--old", "git:HEAD:tools.json"]).0, 1);
    let run = gate(dir.path(), &["--old", "git:v9:tools.json"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("git:v9:tools.json: git has no such file"), "{}", run.err);
    assert!(run.out.ends_with("gate not passed: diff could not be judged\n"), "{}", run.out);
}

#[test]
fn an_old_that_cannot_be_compared_is_never_a_pass() {
    let dir = bench("");
    put(dir.path(), "config.json", &json!({"mcpServers": {"orders": {"command": "orders"}}}));
    fs::write(dir.path().join("notes.txt"), "not a listing").unwrap();
    for (old, part) in [
        ("config.json", "it says how to start servers"),
        ("notes.txt", "notes.txt"),
        ("absent.json", "absent.json"),
        ("./tools.json", "OLD and NEW are the same file"),
        ("git:tools.json", "the revision has no path"),
    ] {
        let (code, report, statuses) = judged(dir.path(), &["--old", old]);
        assert_eq!((code, statuses), (2, ["passed", "not-judged", "passed"].map(String::from)), "{old}");
        let reason = report["parts"][1]["reasons"][0]["message"].as_str().unwrap();
        assert!(reason.contains(part), "{old}: {reason}");
        assert!(gate(dir.path(), &["--old", old]).err.contains(part), "{old}: said on stderr as well");
    }
}

#[test]
fn nothing_gradeable_is_never_green() {
    let dir = bench("gate:\n  pack: packs/x\n");
    let tools = json!({"tools": [{"name": "list_regions", "description": "List the regions that orders are shipped to.",
        "inputSchema": {"type": "object"}}]});
    put(dir.path(), "tools.json", &tools);
    let (code, report, statuses) = judged(dir.path(), &[]);
    assert_eq!((code, statuses), (2, ["passed", "skipped", "not-judged"].map(String::from)));
    assert_eq!(report["error"]["code"], "nothing-gradeable");
    assert!(report["parts"][2]["reasons"][1]["message"].as_str().unwrap().starts_with("vacuous"));
    assert!(!dir.path().join("packs").exists());
}

#[test]
fn a_listing_that_goes_on_is_not_judged() {
    let dir = bench("");
    let mut tools = sound(100);
    tools["nextCursor"] = json!("page2");
    put(dir.path(), "tools.json", &tools);
    put(dir.path(), "old.json", &sound(100));
    let (code, report, statuses) = judged(dir.path(), &["--old", "old.json"]);
    assert_eq!((code, statuses), (2, ["not-judged", "not-judged", "not-judged"].map(String::from)));
    assert_eq!(report["error"]["code"], "incomplete");
    assert_eq!(judged(dir.path(), &["--old", "old.json", "--allow-incomplete"]).0, 0);
}

#[test]
fn what_cannot_begin_leaves_no_trace() {
    let dir = bench("");
    fs::write(dir.path().join("bad.yaml"), "gate:\n  olds: x\n").unwrap();
    fs::write(dir.path().join("reports.yaml"), "gate:\n  reports: [jsn=x.json]\n").unwrap();
    let before = names(dir.path());
    for (args, part) in [
        (&["--config", "bad.yaml"][..], "bad.yaml:2:3: unknown member `olds`: did you mean `old`?"),
        (&["--config", "reports.yaml"], "unknown format `jsn`: did you mean `json`?"),
        (&["--config", "none.yaml"], "none.yaml: there is no such file"),
        (&["--format", "json=a.json", "--format", "sarif=./a.json"], "two reports to one file"),
        (&["--format", "json=a.json", "--format", "sarif=no/b.sarif"], "there is no folder"),
        (&["--format", "json=a.json", "--format", "sarif=tools.json/b"], "is a file, not a folder"),
        (&["--format", "json=tools.json"], "would replace what is read"),
        (&["--profile", "opnai"], "did you mean `openai`?"),
        (&["--baseline", "tools.json"], "the file is no baseline"),
        (&["--summary=no/summary.md"], "no/summary.md: cannot write the summary"),
        (&["--summary=s.md", "--format", "json=no/a.json"], "there is no folder"),
        (&["--summary=s.md", "--baseline", "tools.json"], "the file is no baseline"),
        (&["-", "--old", "-"], "standard input cannot be both"),
    ] {
        let run = gate(dir.path(), &[args, &["--pack", "packs/x"]].concat());
        assert_eq!(run.code, 2, "{args:?}: {}", run.out);
        assert!(run.err.contains(part), "{args:?}: {}", run.err);
        assert_eq!(names(dir.path()), before, "{args:?}");
    }
}

#[test]
fn a_pack_does_not_replace_what_verity_did_not_write() {
    let dir = bench("");
    fs::create_dir(dir.path().join("mine")).unwrap();
    fs::write(dir.path().join("mine/notes.txt"), "mine").unwrap();
    let (code, _, statuses) = judged(dir.path(), &["--pack", "mine"]);
    assert_eq!((code, statuses), (2, ["passed", "skipped", "not-judged"].map(String::from)));
    assert_eq!(names(&dir.path().join("mine")), ["notes.txt"]);
}

#[test]
fn the_summary_is_added_to_the_step() {
    let dir = bench("");
    let file = dir.path().join("step.md");
    fs::write(&file, "before\n").unwrap();
    let mut command = verity();
    command.current_dir(dir.path()).env("GITHUB_STEP_SUMMARY", &file);
    assert!(command.args(["gate", "--summary"]).output().unwrap().status.success());
    assert!(
        fs::read_to_string(&file).unwrap().starts_with("before\n## verity gate: passed (diff skipped)\n")
    );
    let run = gate(dir.path(), &["--summary"]);
    assert_eq!(run.code, 0);
    assert!(run.err.contains("GITHUB_STEP_SUMMARY is not set"), "{}", run.err);
}

#[test]
fn several_servers_have_a_pack_each() {
    let dir = bench("");
    let of = |most| sound(most)["tools"].clone();
    put(dir.path(), "tools.json", &json!({"orders": {"tools": of(10)}, "shop": {"tools": of(20)}}));
    let (code, report, _) = judged(dir.path(), &["--pack", "packs"]);
    assert_eq!(code, 0, "{report:#}");
    let out: Vec<_> = report["packs"].as_array().unwrap().iter().map(|p| p["out"].clone()).collect();
    assert_eq!(out, ["packs/orders", "packs/shop"]);
    assert_eq!(names(&dir.path().join("packs")), ["orders", "shop"]);
}

#[test]
fn what_is_in_the_baseline_does_not_stop_the_pack() {
    let dir = bench("");
    let mut poisoned = sound(100);
    poisoned["tools"][0]["description"] =
        json!("Search the orders.\u{1b}[2K Search the orders of the shop by a word in them.");
    put(dir.path(), "tools.json", &poisoned);
    assert_eq!(judged(dir.path(), &[]).2, ["failed", "skipped", "failed"].map(String::from));
    let lint = verity()
        .current_dir(dir.path())
        .args(["lint", "tools.json", "--write-baseline", "known.json"])
        .output()
        .unwrap();
    assert!(lint.status.success());
    let (code, _, statuses) = judged(dir.path(), &["--baseline", "known.json"]);
    assert_eq!((code, statuses), (0, ["passed", "skipped", "passed"].map(String::from)));
    fs::write(dir.path().join("verity.yaml"), "baseline: known.json\n").unwrap();
    let export =
        verity().current_dir(dir.path()).args(["agent-tasks", "tools.json", "-o", "pack"]).output().unwrap();
    assert!(export.status.success(), "{}", String::from_utf8_lossy(&export.stderr));
}

#[test]
fn nothing_that_is_read_is_written_over() {
    let dir = bench("");
    let listing = fs::read(dir.path().join("tools.json")).unwrap();
    for args in [
        &["gate", "tools.json", "--summary=tools.json"][..],
        &["gate", "tools.json", "--summary=s.md", "--format", "json=s.md"],
        &["lint", "tools.json", "--write-baseline", "tools.json"],
        &["lint", "tools.json", "--write-baseline", "k.json", "--format", "json=k.json"],
    ] {
        let out = verity().current_dir(dir.path()).args(args).output().unwrap();
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert_eq!(fs::read(dir.path().join("tools.json")).unwrap(), listing, "{args:?}");
        assert_eq!(names(dir.path()), ["tools.json"], "{args:?}");
    }
}

#[test]
fn what_verity_yaml_names_is_seen_from_its_folder_and_its_reports_are_written() {
    let dir = bench("");
    let git = |args: &[&str], at: &Path| {
        Command::new("git").current_dir(at).args(args).output().is_ok_and(|out| out.status.success())
    };
    let commit = ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "release"];
    if !git(&["init", "-q"], dir.path()) {
        return eprintln!("skipped: there is no git");
    }
    assert!(git(&["add", "."], dir.path()) && git(&commit, dir.path()));
    let other = dir.path().join("other");
    fs::create_dir(&other).unwrap();
    assert!(git(&["init", "-q"], &other));
    put(&other, "tools.json", &json!({"tools": []}));
    assert!(git(&["add", "."], &other) && git(&commit, &other));
    fs::write(
        dir.path().join("verity.yaml"),
        "gate:\n  old: git:HEAD:tools.json\n  reports: [sarif=out.sarif, json=gate.json]\n",
    )
    .unwrap();
    let run = gate(&other, &["../tools.json", "--config", "../verity.yaml", "--format", "sarif=mine.sarif"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("no change in meaning since git:HEAD:tools.json"), "{}", run.out);
    let is_there = |name: &str| dir.path().join(name).is_file();
    assert!(is_there("gate.json") && is_there("other/mine.sarif") && !is_there("out.sarif"));
}
