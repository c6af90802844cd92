//! SARIF against the schema of the format and the limits of GitHub code scanning.

use super::{HOSTILE, hostile, lint};
use crate::support::{fixture, verity};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use verity::error::{ErrorCode, InputError};
use verity::finding::Severity;
use verity::lint::{LintedFile, Options};
use verity::manifest::Input;
use verity::report::sarif;
use verity::schema::{Dialect, Judge, judge::Formats};

/// The schema of SARIF 2.1.0, which npm's `@microsoft/sarif-multitool-linux` brings along (`.ci/run` puts it there);
/// `None` where it is not, aloud.
fn schema() -> Option<Judge> {
    let path = std::env::var_os("VERITY_SARIF_SCHEMA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("target/sarif/sarif-2.1.0.json"),
        PathBuf::from,
    );
    let Ok(text) = fs::read_to_string(&path) else {
        eprintln!("skipped: no schema of SARIF at {}", path.display());
        return None;
    };
    let schema: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap();
    Some(Judge::compile(&schema, Dialect::of(&schema), Formats::Annotate).unwrap())
}

/// A listing with one finding of each severity at least.
fn linted() -> LintedFile {
    let text = fs::read(fixture("mcp/tools_poisoned.json")).unwrap();
    let input = Input::of_document(verity::source::parse("/repo/a b/tools.json", text).unwrap()).unwrap();
    verity::lint::inputs(vec![input], &Options::default()).pop().unwrap().unwrap()
}

#[test]
fn every_kind_of_report_holds_the_schema_of_the_format() {
    let Some(schema) = schema() else { return };
    let check = |text: &str| {
        let log: Value = serde_json::from_str(text).unwrap();
        assert_eq!(schema.violations(&log), [], "{log:#}");
        log
    };
    let dir = TempDir::new().unwrap();
    hostile(dir.path());
    let log = check(&lint(dir.path(), &["--format", "sarif", "--profile", "all"]));
    // A test that cannot fail proves nothing.
    let mut wrong = log;
    wrong["runs"][0]["results"][0]["level"] = json!("grave");
    assert!(!schema.accepts(&wrong));

    let config = "ignores:\n  - rule: '*'\n    reason: a [link](https://e.org) to follow\n";
    fs::write(dir.path().join("verity.yaml"), config).unwrap();
    let log = check(&lint(dir.path(), &["--format", "sarif"]));
    assert_eq!(log["runs"][0]["results"][0]["suppressions"][0]["status"], "accepted");
    fs::remove_file(dir.path().join("verity.yaml")).unwrap();

    fs::copy(fixture("mcp/tools_v1.json"), dir.path().join("old.json")).unwrap();
    let run = |args: &[&str]| {
        let out = verity().current_dir(dir.path()).args(args).output().unwrap();
        String::from_utf8(out.stdout).unwrap()
    };
    let changed = run(&["gate", "tools.json", "--old", "old.json", "--format", "sarif"]);
    assert!(changed.contains("MCP-DIFF-TOOL-REMOVED"), "{changed}");
    check(&changed);
    let not_judged = check(&run(&["gate", "absent.json", "--old", HOSTILE, "--format", "sarif"]));
    let invocation = &not_judged["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert!(invocation["toolExecutionNotifications"].as_array().unwrap().len() >= 3, "{invocation:#}");
    check(&sarif::render(&[], &[], ""));
}

#[test]
fn no_run_has_more_results_than_code_scanning_takes_and_the_gravest_stay() {
    let mut file = linted();
    let one = |severity| {
        let mut finding = file.manifests[0].findings[0].clone();
        finding.severity = severity;
        finding
    };
    let findings = [
        vec![one(Severity::Info); 20_000],
        vec![one(Severity::Error); 3_000],
        vec![one(Severity::Warning); 10_000],
        vec![one(Severity::Info); 15_000],
    ];
    file.manifests[0].findings = findings.concat();
    let log: Value = serde_json::from_str(&sarif::render(&[file], &[], "/repo")).unwrap();
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    let count = |level: &str| results.iter().filter(|r| r["level"] == level).count();
    assert_eq!(
        (results.len(), count("error"), count("warning"), count("note")),
        (25_000, 3_000, 10_000, 12_000)
    );
    let said = run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"].as_str().unwrap();
    assert!(said.starts_with("25000 of 48000 findings are here"), "{said}");
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn results_have_relative_paths_stable_fingerprints_and_security_severities() {
    let file = linted();
    let log = |files: &[LintedFile], base: &str| -> Value {
        let error = InputError::new(ErrorCode::Unreadable, "gone").at("x.json");
        serde_json::from_str(&sarif::render(files, &[error], base)).unwrap()
    };
    let whole = log(std::slice::from_ref(&file), "/repo");
    let results = whole["runs"][0]["results"].as_array().unwrap();
    let rules = whole["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let mut prints = Vec::new();
    for result in results {
        let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert_eq!(uri, "a%20b/tools.json", "relative to the repository, and a URI");
        prints.push(result["partialFingerprints"]["verity/v1"].as_str().unwrap().to_string());
    }
    let before = prints.len();
    prints.sort();
    prints.dedup();
    assert_eq!(prints.len(), before, "one fingerprint a finding");
    for rule in rules {
        let score = rule["properties"]["security-severity"].as_str().map(|s| s.parse::<f32>().unwrap());
        let is_poison = rule["id"].as_str().unwrap().starts_with("MCP-POISON-");
        assert_eq!(score.is_some(), is_poison, "{rule:#}");
        assert!(score.is_none_or(|s| (0.1..=10.0).contains(&s)), "{rule:#}");
        assert!(rule["help"]["markdown"].as_str().unwrap().len() > 100);
    }
    assert_eq!(whole["runs"][0]["invocations"][0]["executionSuccessful"], false);
}
