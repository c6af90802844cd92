//! Files, revisions, locks; and what cannot be compared.

use super::{diff_with, kinds, run, tool};
use crate::support::{fixture, verity};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;
use verity::schema::judge::Formats;
use verity::schema::{Dialect, Judge};

fn listing() -> Value {
    tool(json!({"type": "object", "properties": {"a": {"type": "integer", "description": "A number."}}}))
}

fn write(dir: &Path, name: &str, value: &Value) {
    fs::write(dir.join(name), value.to_string()).unwrap();
}

/// Exit code 2, one error on stderr that says `needle`, and one in JSON with `code`.
fn refused(dir: &Path, args: &[&str], code: &str, needle: &str) {
    let (exit, report) = run(dir, args);
    assert_eq!((exit, report["error"]["code"].as_str()), (2, Some(code)), "{args:?}: {report}");
    let out = verity().current_dir(dir).arg("diff").args(args).output().unwrap();
    let stderr = String::from_utf8(out.stderr).unwrap();
    assert!(stderr.contains(needle) && out.stdout.is_empty(), "{args:?}: {stderr}");
    assert_eq!(stderr.matches("error: ").count(), 1, "{stderr}");
}

#[test]
fn what_cannot_be_compared_is_one_clear_error() {
    let dir = TempDir::new().unwrap();
    write(dir.path(), "a.json", &listing());
    write(dir.path(), "package.json", &json!({"name": "x", "version": "1.0.0", "dependencies": {}}));
    write(dir.path(), "old.lock", &json!({"verity_lock": 2, "servers": []}));
    write(dir.path(), "bad.lock", &json!({"verity_lock": 1, "servers": [{"tools": 3}]}));
    let mut part = listing();
    part["nextCursor"] = json!("more");
    write(dir.path(), "part.json", &part);
    refused(dir.path(), &["a.json", "./a.json"], "usage", "same file");
    refused(dir.path(), &["-", "-"], "usage", "same file");
    refused(dir.path(), &["missing.json", "a.json"], "unreadable", "missing.json");
    refused(dir.path(), &["package.json", "a.json"], "not-a-manifest", "package.json");
    refused(dir.path(), &["old.lock", "a.json"], "not-a-manifest", "version 2");
    refused(dir.path(), &["bad.lock", "a.json"], "not-a-manifest", "damaged");
    refused(dir.path(), &["a.json", "part.json"], "incomplete", "nextCursor");
    refused(dir.path(), &["git:HEAD:a.json", "a.json"], "unreadable", "git");
    refused(dir.path(), &["git:--output=x:a.json", "a.json"], "usage", "no revision");
    refused(dir.path(), &["git:HEAD", "a.json"], "usage", "no path");
    assert!(!dir.path().join("x").exists());
}

#[test]
fn an_old_revision_is_read() {
    let dir = TempDir::new().unwrap();
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(dir.path()).args(["-c", "user.name=t", "-c", "user.email=t@example.org"]).args(args);
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null").output()
    };
    if git(&["init", "-q"]).is_err() {
        eprintln!("skipped: no git");
        return;
    }
    write(dir.path(), "tools.json", &listing());
    git(&["add", "."]).unwrap();
    assert!(git(&["commit", "-qm", "first"]).unwrap().status.success());
    let mut new = listing();
    new["tools"][0]["inputSchema"]["required"] = json!(["a"]);
    write(dir.path(), "tools.json", &new);
    let (code, report) = run(dir.path(), &["git:HEAD:tools.json", "tools.json"]);
    assert_eq!((code, kinds(&report)), (1, vec![("breaking".to_string(), "ARGUMENT-REQUIRED".to_string())]));
    refused(dir.path(), &["git:v9:tools.json", "tools.json"], "unreadable", "v9");
    refused(dir.path(), &["git:HEAD:other.json", "tools.json"], "unreadable", "other.json");
}

#[test]
fn a_lock_tells_which_part_changed() {
    let dir = TempDir::new().unwrap();
    write(dir.path(), "tools.json", &listing());
    let lock = || verity().current_dir(dir.path()).args(["lock", "tools.json"]).output().unwrap().stdout;
    fs::write(dir.path().join("verity.lock"), lock()).unwrap();
    let compare = |new: &Value| {
        write(dir.path(), "tools.json", new);
        run(dir.path(), &["verity.lock", "tools.json"])
    };
    let same = json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"annotations": {"readOnlyHint": false}, "name": "find",
        "inputSchema": {"properties": {"a": {"description": "A number.", "type": "integer"}}, "type": "object"}, "description": "Find items."}]}});
    assert_eq!(compare(&same).1["changes"], json!([]));
    let changed = |pointer: &str, value: Value| {
        let mut new = listing();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let parent = new.pointer_mut(parent).unwrap();
        match parent.as_array_mut() {
            Some(items) => items.push(value),
            None => parent[key] = value,
        }
        let (code, report) = compare(&new);
        let all: Vec<_> = report["changes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| (c["class"].clone(), c["pointer"].clone()))
            .collect();
        (code, all)
    };
    // What was approved is not what is there: that fails, whatever the part.
    let one = |at: &str| (1, vec![(json!("security"), json!(at))]);
    for (pointer, value, at) in [
        ("/tools/0/description", json!("Find all."), "/tools/0/description"),
        ("/tools/0/annotations", json!({"readOnlyHint": true}), "/tools/0/annotations"),
        ("/tools/0/inputSchema/required", json!(["a"]), "/tools/0/inputSchema"),
        ("/tools/0/inputSchema/properties/a/description", json!("N."), "/tools/0/inputSchema"),
        ("/tools/0/execution", json!({"taskSupport": "required"}), "/tools/0"),
        ("/instructions", json!("Find before you buy."), "/instructions"),
        (
            "/tools/1",
            json!({"name": "sell", "description": "Sell an item.", "inputSchema": {"type": "object"}}),
            "/tools/1",
        ),
    ] {
        assert_eq!(changed(pointer, value), one(at), "{pointer}");
    }
    let (code, all) = changed("/tools/0/name", json!("seek"));
    assert_eq!((code, all.len()), (1, 2), "gone and new");
    refused(dir.path(), &["tools.json", "verity.lock"], "not-a-manifest", "NEW is a lock");
}

#[test]
fn reports_hold_their_schema() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/diff-report.schema.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let judge = Judge::compile(&schema, Dialect::of(&schema), Formats::Annotate).unwrap();
    let check = |report: &Value| assert_eq!(judge.violations(report), [], "{report:#}");
    let mut new = listing();
    new["tools"][0]["inputSchema"]["required"] = json!(["a"]);
    new["tools"].as_array_mut().unwrap().push(json!({"name": "b", "inputSchema": {"type": "object"}}));
    check(&diff_with(&listing(), &new, &[]).1);
    check(&diff_with(&listing(), &listing(), &[]).1);
    let dir = TempDir::new().unwrap();
    check(&run(dir.path(), &["a", "b"]).1);
    assert!(!judge.accepts(&json!({"schema_version": 1})));
    assert!(!judge.accepts(&json!({"schema_version": 1, "verity": "0", "old": "", "new": "", "verdict": "bad", "required_bump": "none", "changes": []})));
}

#[test]
fn hostile_text_stays_text() {
    let name = "a](https://e.org) <b>|`x` \u{1b}[31m\u{202e}";
    let of = |text: &str| json!({"tools": [{"name": name, "description": text, "inputSchema": {"type": "object", "properties": {name: {"enum": [name, text]}}}}]});
    let dir = TempDir::new().unwrap();
    write(dir.path(), "old.json", &of("One."));
    write(dir.path(), "new.json", &of("Two."));
    for format in ["human", "markdown"] {
        let out = verity()
            .current_dir(dir.path())
            .args(["diff", "old.json", "new.json", "--format", format])
            .output()
            .unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
        if format == "markdown" {
            assert!(!text.contains("<b>") && !text.contains("](http"), "{text}");
            assert!(
                text.lines().filter(|l| l.starts_with("| ")).all(|l| l
                    .replace("\\|", "")
                    .matches('|')
                    .count()
                    == 6),
                "{text}"
            );
        }
    }
}

#[test]
fn a_person_reads_what_broke() {
    let dir = TempDir::new().unwrap();
    let mut new: Value =
        serde_json::from_str(&fs::read_to_string(fixture("mcp/tools_v1.json")).unwrap()).unwrap();
    write(dir.path(), "old.json", &new);
    new["tools"][0]["inputSchema"]["properties"]["limit"]["maximum"] = json!(50);
    new["tools"][2]["description"] = json!("List the countries.");
    write(dir.path(), "new.json", &new);
    let out = verity().current_dir(dir.path()).args(["diff", "old.json", "new.json"]).output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    let last = text.lines().last().unwrap();
    assert_eq!(last, "1 breaking, 1 routing: verdict breaking, required bump: major.", "{text}");
    let at = |needle: &str| text.find(needle).unwrap_or_else(|| panic!("{needle} in {text}"));
    assert!(at("search_orders\n") < at("breaking[MCP-DIFF-INPUT-NARROWED]"));
    assert!(at("witness: {\"query\"") < at("list_regions\n"), "{text}");
}

#[test]
fn one_run_writes_several_reports_or_none() {
    let dir = TempDir::new().unwrap();
    write(dir.path(), "old.json", &listing());
    let mut new = listing();
    new["tools"][0]["name"] = json!("seek");
    write(dir.path(), "new.json", &new);
    let run = |formats: &[&str]| {
        let given = formats.iter().flat_map(|f| ["--format", f]);
        verity().current_dir(dir.path()).args(["diff", "old.json", "new.json"]).args(given).output().unwrap()
    };
    let out = run(&["human", "json=diff.json", "markdown=diff.md"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(String::from_utf8(out.stdout).unwrap().starts_with("old.json → new.json\n"));
    let read = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
    let report: Value = serde_json::from_str(&read("diff.json")).unwrap();
    assert_eq!(report["required_bump"], "major");
    assert!(read("diff.md").starts_with("## verity diff\n"));
    for (formats, part) in [
        (&["human", "json=a.json", "markdown=no/b.md"][..], "there is no folder"),
        (&["json=a.json", "markdown=a.json"], "two reports to one file"),
        (&["json=new.json"], "would replace what is read"),
        (&["sarif"], "unknown format `sarif`"),
    ] {
        let out = run(formats);
        assert_eq!(out.status.code(), Some(2), "{formats:?}");
        assert!(String::from_utf8(out.stderr).unwrap().contains(part), "{formats:?}");
        assert!(!dir.path().join("a.json").exists());
    }
}
