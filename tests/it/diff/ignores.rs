//! Changes that are meant: ignores of verity.yaml reach what a release breaks.

use super::kinds;
use crate::support::{check_schema, fixture, verity};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// The breaking change of the second release, and the one that someone has to review.
const MEANT: &str = "ignores:\n\
    - {rule: MCP-DIFF-INPUT-NARROWED, tool: search_*, pointer: /inputSchema/properties/limit, reason: pages of 100 timed out}\n\
    - {rule: MCP-DIFF-HINT-RELAXED, tool: cancel_order, reason: 'restorable <b>since</b> 1.9', expires: 2099-12-31}\n";

/// A folder with both releases and this verity.yaml.
fn bench(config: &str) -> TempDir {
    let dir = TempDir::new().unwrap();
    for (name, from) in [("old.json", "mcp/tools_v1.json"), ("new.json", "mcp/tools_v2.json")] {
        fs::copy(fixture(from), dir.path().join(name)).unwrap();
    }
    fs::write(dir.path().join("verity.yaml"), config).unwrap();
    dir
}

/// Exit code, standard output and standard error.
fn run(dir: &Path, args: &[&str]) -> (i32, String, String) {
    let out = verity().current_dir(dir).args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
}

fn json(dir: &Path, args: &[&str]) -> (i32, Value) {
    let (code, out, err) = run(dir, &[args, &["--format", "json"]].concat());
    (code, serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}{err}")))
}

const DIFF: &[&str] = &["diff", "old.json", "new.json"];
const GATE: &[&str] = &["gate", "new.json", "--old", "old.json"];

#[test]
fn what_is_meant_stays_in_the_report_and_fails_nothing() {
    let dir = bench("");
    let (code, before) = json(dir.path(), DIFF);
    assert_eq!((code, &before["fails"], &before["suppressed"]), (1, &true.into(), &0.into()));
    fs::write(dir.path().join("verity.yaml"), MEANT).unwrap();
    let (code, after) = json(dir.path(), DIFF);
    check_schema("diff-report.schema.json", &before);
    check_schema("diff-report.schema.json", &after);
    assert_eq!((code, &after["fails"], &after["suppressed"]), (0, &false.into(), &2.into()));
    assert_eq!(kinds(&before), kinds(&after), "no change is lost");
    assert_eq!((&after["verdict"], &after["required_bump"]), (&"breaking".into(), &"major".into()));
    let reasons: Vec<_> = after["changes"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|c| Some((c["rule"].as_str()?, c["suppressed"].as_str()?)))
        .collect();
    assert_eq!(
        reasons,
        [
            ("MCP-DIFF-INPUT-NARROWED", "pages of 100 timed out"),
            ("MCP-DIFF-HINT-RELAXED", "restorable <b>since</b> 1.9")
        ]
    );
}

#[test]
fn every_format_of_diff_says_so() {
    let dir = bench(MEANT);
    let (code, out, err) = run(dir.path(), DIFF);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("\n    suppressed: pages of 100 timed out\n"), "{out}");
    assert!(out.contains("(2 suppressed): verdict breaking, required"), "{out}");
    let (code, out, _) = run(dir.path(), &[DIFF, &["--format", "markdown"]].concat());
    let row = out.lines().find(|l| l.contains("HINT-RELAXED")).unwrap();
    assert_eq!(code, 0);
    assert!(row.starts_with("| security |"), "it is not set in bold: {row}");
    assert!(row.contains("(suppressed: restorable") && !row.contains("<b>"), "{row}");
    let (code, out, _) = run(dir.path(), &[DIFF, &["--format", "html"]].concat());
    assert_eq!((code, out.matches(">Suppressed</p>").count()), (0, 2));
    assert!(out.contains("class=\"verdict passed\"") && out.contains("(2 suppressed)"));
    assert!(!out.contains("<b>since"), "a reason is text");
}

#[test]
fn the_gate_passes_and_still_states_the_bump() {
    let dir = bench("");
    assert_eq!(json(dir.path(), GATE).0, 1);
    fs::write(dir.path().join("verity.yaml"), MEANT).unwrap();
    let (code, report) = json(dir.path(), GATE);
    check_schema("gate-report.schema.json", &report);
    assert_eq!((code, &report["verdict"]), (0, &"passed".into()));
    assert_eq!(
        report["parts"][1]["summary"],
        "5 changes since old.json (2 suppressed), required bump: major"
    );
    assert_eq!(report["diff"]["suppressed"], 2);
    // In formats that know findings alone, a suppressed change is a suppressed finding.
    let (_, sarif, _) = run(dir.path(), &[GATE, &["--format", "sarif"]].concat());
    let sarif: Value = serde_json::from_str(&sarif).unwrap_or_else(|e| panic!("{e}: {sarif}"));
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let narrowed = results.iter().find(|r| r["ruleId"] == "MCP-DIFF-INPUT-NARROWED").unwrap();
    assert_eq!(narrowed["suppressions"][0]["justification"], "pages of 100 timed out");
    let (_, junit, _) = run(dir.path(), &[GATE, &["--format", "junit"]].concat());
    assert!(
        junit.contains("<property name=\"suppressed\" value=\"2\"/>") && !junit.contains("<failure"),
        "{junit}"
    );
    assert!(junit.contains("(suppressed: pages of 100 timed out)"), "{junit}");
}

#[test]
fn what_is_not_covered_fails_as_before() {
    for (ignore, why) in [
        ("{rule: MCP-DIFF-INPUT-NARROWED, tool: list_*, reason: r}", "another tool"),
        ("{rule: MCP-DIFF-INPUT-NARROWED, pointer: /inputSchema/properties/lim, reason: r}", "another place"),
        ("{rule: MCP-DIFF-INPUT-CLOSED, reason: r}", "another rule"),
        ("{rule: MCP-DIFF-INPUT-NARROWED, reason: r, expires: 2020-01-31}", "over"),
        ("{rule: MCP-DIFF-INPUT-NARROWED, reason: r}", "one of two"),
    ] {
        let dir = bench(&format!("ignores:\n- {ignore}\n"));
        assert_eq!((json(dir.path(), DIFF).0, json(dir.path(), GATE).0), (1, 1), "{why}");
    }
    let dir = bench("ignores:\n- {rule: MCP-DIFF-*, reason: everything was announced}\n");
    let (code, report) = json(dir.path(), DIFF);
    assert_eq!((code, &report["suppressed"], &report["required_bump"]), (0, &5.into(), &"major".into()));
}

/// The findings of the configuration, wherever the run says them.
fn own(dir: &Path, args: &[&str]) -> Vec<String> {
    let (_, out, err) = run(dir, args);
    let said = |line: &&str| line.contains("suppresses nothing") || line.contains("expired after");
    (out + &err).lines().filter(said).map(str::to_string).collect()
}

#[test]
fn an_ignore_is_called_unused_by_who_could_have_used_it() {
    let dir = bench(&format!(
        "{MEANT}- {{rule: MCP-DIFF-TOOL-REMOVED, tool: find_*, reason: r}}\n- {{rule: MCP-TOOL-DESCRIPTION-MISSING, reason: r}}\n"
    ));
    let change = "verity.yaml:4: the ignore of MCP-DIFF-TOOL-REMOVED in tool `find_*` suppresses nothing";
    let finding = "verity.yaml:5: the ignore of MCP-TOOL-DESCRIPTION-MISSING suppresses nothing";
    assert_eq!(own(dir.path(), DIFF), [format!("note: {change} [MCP-CONFIG-IGNORE-UNUSED]")]);
    let wide = |args: &[&str]| own(dir.path(), &[args, &["--format", "github"]].concat()).join("\n");
    let lint = wide(&["lint", "new.json"]);
    assert!(lint.contains(finding) && !lint.contains("MCP-DIFF"), "{lint}");
    let gate = wide(GATE);
    assert!(gate.contains(finding) && gate.contains(change) && !gate.contains("INPUT-NARROWED"), "{gate}");
    let first = wide(&["gate", "new.json"]);
    assert!(first.contains(finding) && !first.contains("MCP-DIFF"), "nothing was compared: {first}");
}

#[test]
fn digests_cannot_say_that_an_ignore_has_no_use() {
    let dir = bench(MEANT);
    let (code, ..) = run(dir.path(), &["lock", "old.json", "-o", "verity.lock"]);
    assert_eq!(code, 0);
    assert_eq!(own(dir.path(), &["diff", "verity.lock", "new.json"]), [""; 0]);
}

#[test]
fn an_ignore_that_is_over_says_so() {
    let dir = bench(
        "ignores:\n- {rule: MCP-DIFF-INPUT-NARROWED, reason: r, expires: 2020-01-31}\n- {rule: MCP-TOOL-INVALID, reason: r, expires: 2020-01-31}\n",
    );
    let said = "note: verity.yaml:2: the ignore of MCP-DIFF-INPUT-NARROWED expired after 2020-01-31 [MCP-CONFIG-IGNORE-EXPIRED]";
    assert_eq!(own(dir.path(), DIFF), [said]);
}

#[test]
fn an_ignore_for_a_tool_of_another_file_is_not_called_unused() {
    let dir = bench(
        "ignores:\n- {rule: MCP-TOOL-*, tool: elsewhere, reason: r}\n- {rule: MCP-TOOL-*, tool: list_*, reason: r}\n",
    );
    let named = own(dir.path(), &["lint", "new.json", "--format", "github"]).join("\n");
    assert!(!named.contains("elsewhere"), "a commit hook names the files that changed: {named}");
    std::fs::write(
        dir.path().join("verity.yaml"),
        "manifest: new.json\nignores:\n- {rule: MCP-TOOL-*, tool: elsewhere, reason: r}\n",
    )
    .unwrap();
    let whole = own(dir.path(), &["lint", "--format", "github"]).join("\n");
    assert!(whole.contains("elsewhere"), "{whole}");
}
