//! The interaction plan of a contract, live: a write is read back.

use crate::support::{check_schema, verity};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

const CONTRACT: &str = "\
contract: notes
tools:
  add_note:
    changes: true
    arguments: {title: string}
    result: {accepted: boolean, id: string?}
    witness: {calls: [{title: bread}, {title: a title that is far too long}], differ: /accepted}
  get_note:
    arguments: {id: string}
    result: {found: boolean, title: string}
    witness: {calls: [{id: n-1}, {id: n-2}], differ: /title}
behaviors:
  - says: A note that is added is there.
    criterion: It can be read back.
    requirements: [local:NOTES-1]
    oracles: [O-001, O-002, O-003]
steps:
  add: {tool: add_note, with: {title: rye bread}}
  find: {tool: get_note, with: {id: $add/id}, after: add}
  other: {tool: get_note, with: {id: {matcher: any}}}
oracles:
  - check: {equality: [$add/accepted, true]}
  - check: {all: [{equality: [$find/found, true]}, {equality: [$find/title, rye bread]}]}
  - check: {equality: [$other/title, milk]}
";

/// The same over a server that returns JSON in a text, and nothing else.
fn over_text() -> String {
    let mut text = CONTRACT.to_string();
    for key in ["result: {accepted: boolean, id: string?}", "result: {found: boolean, title: string}"] {
        text = text.replace(&format!("    {key}\n"), "");
    }
    text = text
        .replace("differ: /accepted", "differ: .json/accepted")
        .replace("differ: /title", "differ: .text");
    for step in ["add", "find", "other"] {
        text = text.replace(&format!("${step}/"), &format!("${step}.json/"));
    }
    text + "  - check: {regex: $find.text, pattern: '^.*\"rye bread\".*$'}\n  - check: {containment: [$add.text, '\"id\"']}\n"
}

struct Run {
    code: Option<i32>,
    report: Value,
    err: String,
    /// Names and arguments, in the order in which the server took the calls.
    calls: Vec<String>,
}

impl Run {
    fn outcome(&self, oracle: &str) -> (&str, &str) {
        let checks = self.report["checks"].as_array().unwrap();
        let check =
            checks.iter().find(|c| c["operationId"] == oracle).unwrap_or_else(|| panic!("{}", self.report));
        assert_eq!(check["kind"], "oracle");
        (check["outcome"].as_str().unwrap(), check["note"].as_str().unwrap_or_default())
    }
}

fn probe(dir: &Path, contract: &str, mode: &str, tools: &[&str], flags: &[&str]) -> Run {
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/live/notes.py");
    let entry = json!({"interfaceId": "notes", "target": "python3", "targetArgs": [server, mode, dir.join("calls")],
        "tools": tools, "cwd": dir, "serverEnvironment": {"DESK": "desk-of-the-night", "SHELF": "rye bread"}, "maxElapsedMs": 120_000, "maxOutputBytes": 1_000_000});
    std::fs::write(dir.join("notes.yaml"), contract).unwrap();
    std::fs::write(dir.join("policy.json"), json!({"authorizations": [entry]}).to_string()).unwrap();
    let mut command = verity();
    command.env("WRITER", "ann-of-the-desk").env("SEAT", "7");
    command.current_dir(dir).args(["probe", "--contract", "notes.yaml", "--format", "json"]);
    if !flags.contains(&"--observations") {
        command.args(["--policy", "policy.json"]);
    }
    let out = command.args(flags).output().unwrap();
    let calls = std::fs::read_to_string(dir.join("calls")).unwrap_or_default();
    let _ = std::fs::remove_file(dir.join("calls"));
    let (text, err) = (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap());
    let report = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}{err}"));
    check_schema("probe-report.schema.json", &report);
    Run { code: out.status.code(), report, err, calls: calls.lines().map(str::to_string).collect() }
}

const BOTH: [&str; 2] = ["add_note", "get_note"];

#[test]
fn a_write_is_read_back() {
    let dir = TempDir::new().unwrap();
    let run = probe(dir.path(), CONTRACT, "ok", &BOTH, &[]);
    assert_eq!((run.code, &run.report["passed"]), (Some(0), &json!(true)), "{} {}", run.report, run.err);
    for oracle in ["O-001", "O-002", "O-003"] {
        assert_eq!(run.outcome(oracle), ("satisfied", ""));
    }
    assert_eq!(run.report["oracles"][1]["selected"], json!({"find": ["find"]}));
    // The plan comes last, in one session: what was added there is there, under the id that the write returned.
    let steps: Vec<&str> = run.calls.iter().rev().take(3).rev().map(String::as_str).collect();
    let wanted = [
        r#"["add_note", {"title": "rye bread"}]"#,
        r#"["get_note", {"id": "n-3"}]"#,
        r#"["get_note", {"id": "n-1"}]"#,
    ];
    assert_eq!(steps, wanted);
    // The server says that it was done, and nobody would know but for the step that looks.
    let run = probe(dir.path(), CONTRACT, "forgetful", &BOTH, &[]);
    assert_eq!((run.code, &run.report["passed"]), (Some(1), &json!(false)), "{}", run.err);
    assert_eq!(run.outcome("O-001"), ("satisfied", ""));
    assert_eq!(run.outcome("O-002"), ("failed", "it is violated"));
    assert_eq!(run.outcome("O-003"), ("satisfied", ""));
}

#[test]
fn a_value_that_is_not_there_cannot_be_captured() {
    let dir = TempDir::new().unwrap();
    let run = probe(dir.path(), CONTRACT, "unnamed", &BOTH, &[]);
    assert_eq!(run.code, Some(1));
    let (outcome, note) = run.outcome("O-002");
    assert_eq!(outcome, "failed");
    assert!(note.contains("`find` was not made") && note.contains("is not there to be captured"), "{note}");
}

#[test]
fn what_the_policy_does_not_name_is_not_called() {
    let dir = TempDir::new().unwrap();
    // The pre-flight calls both tools; without one of them nothing is begun.
    let run = probe(dir.path(), CONTRACT, "ok", &["get_note"], &[]);
    assert_eq!((run.code, &run.report["fault"]["code"]), (Some(3), &json!("forbidden-target")));
    assert_eq!(run.calls, Vec::<String>::new());
    // A tool that takes nothing has no witness, and so no leg: its step is left out, and said to be.
    let contract = CONTRACT
        .replace("behaviors:", "  count_notes:\n    result: {count: number}\nbehaviors:")
        .replace(
            "oracles:\n  -",
            "  count: {tool: count_notes}\noracles:\n  - check: {equality: [$count/count, 3]}\n  -",
        )
        .replace("[O-001, O-002, O-003]", "[O-001]");
    let run = probe(dir.path(), &contract, "ok", &BOTH, &[]);
    assert_eq!(run.outcome("O-001").0, "exempt", "{}", run.report);
    assert!(run.outcome("O-001").1.contains("the policy does not allow `count_notes`"));
    assert_eq!(run.outcome("O-003"), ("satisfied", ""));
}

#[test]
fn texts_are_looked_at_where_there_is_nothing_else() {
    let dir = TempDir::new().unwrap();
    let run = probe(dir.path(), &over_text(), "ok-text", &BOTH, &[]);
    assert_eq!(run.code, Some(0), "{} {}", run.report, run.err);
    for oracle in ["O-001", "O-002", "O-003", "O-004", "O-005"] {
        assert_eq!(run.outcome(oracle), ("satisfied", ""), "{oracle}");
    }
    let run = probe(dir.path(), &over_text(), "forgetful-text", &BOTH, &[]);
    assert_eq!((run.code, run.outcome("O-002").0, run.outcome("O-004").0), (Some(1), "failed", "failed"));
    // By version 5 a text is no result: the same server shows nothing.
    let run = probe(dir.path(), CONTRACT, "ok-text", &BOTH, &[]);
    assert_eq!(run.code, Some(1));
    assert!(run.err.contains("the interaction plan was not run"), "{}", run.err);
    assert_eq!(run.report.get("oracles"), None);
}

#[test]
fn a_recorded_plan_is_judged_again() {
    for (contract, mode) in
        [(CONTRACT.to_string(), "forgetful"), (over_text(), "forgetful-text"), (over_text(), "ok-text")]
    {
        let dir = TempDir::new().unwrap();
        let live = probe(dir.path(), &contract, mode, &BOTH, &["--record", "seen.json"]);
        let again = probe(dir.path(), &contract, mode, &BOTH, &["--observations", "seen.json"]);
        assert_eq!((again.code, &again.report), (live.code, &live.report), "{mode}");
        assert_eq!(again.calls, Vec::<String>::new());
        let seen = std::fs::read_to_string(dir.path().join("seen.json")).unwrap();
        assert_eq!(seen.contains("\"text\":"), mode.ends_with("-text"), "eval-quality knows no texts");
        std::fs::write(dir.path().join("seen.json"), seen.replace("rye bread", "white bread")).unwrap();
        let other = probe(dir.path(), &contract, mode, &BOTH, &["--observations", "seen.json"]);
        assert_eq!(
            (other.code, &other.report["fault"]["code"]),
            (Some(3), &json!("port-contract-violation"))
        );
    }
}

#[test]
fn the_full_document_says_that_it_looks_at_texts() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("notes.yaml");
    let check = |file: &Path| {
        let out = verity().args(["contract", "check"]).arg(file).output().unwrap();
        (out.status.code(), String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap())
    };
    std::fs::write(&file, CONTRACT).unwrap();
    let (code, full, err) = check(&file);
    assert_eq!(code, Some(0), "{err}");
    assert!(full.contains("\"schemaVersion\":5"), "{full}");
    std::fs::write(&file, over_text()).unwrap();
    let (code, full, err) = check(&file);
    assert_eq!(code, Some(0), "{err}");
    assert!(full.contains("\"schemaVersion\":\"5+text\""), "{full}");
    // It is read back as it is, and refused as a document of version 5.
    let json = dir.path().join("notes.json");
    std::fs::write(&json, &full).unwrap();
    assert_eq!(check(&json).1, full);
    std::fs::write(&json, full.replace("\"5+text\"", "5")).unwrap();
    let (code, _, err) = check(&json);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.starts_with("verity: parse: ") && err.contains("reads the text of an answer"), "{err}");
}

/// The same, with an author: whoever the principal is here.
fn by_principals() -> String {
    let text = CONTRACT
        .replace("arguments: {title: string}", "arguments: {title: string, author: string?, page: number?}")
        .replace(
            "result: {found: boolean, title: string}",
            "result: {found: boolean, title: string, author: string?}",
        )
        .replace(
            "{title: rye bread}}",
            "{title: rye bread, author: {principal: writer}, page: {principal: seat}}}",
        );
    text + "  - check: {equality: [$find/author, $add.arguments/author]}
testData: {setup: null, cleanup: null, principals: {writer: {kind: account}, seat: {kind: number}}, resources: null}
"
}

#[test]
fn steps_are_made_as_a_principal() {
    let dir = TempDir::new().unwrap();
    let contract = by_principals();
    // Nobody said who that is: what depends on it is open, the rest is judged.
    let run = probe(dir.path(), &contract, "ok", &BOTH, &[]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let (outcome, why) = run.outcome("O-004");
    assert_eq!(outcome, "exempt");
    assert!(
        why.contains("nothing is known to send for the principal `") && why.contains("--principal"),
        "{why}"
    );
    assert_eq!(run.outcome("O-003"), ("satisfied", ""));
    // Said, the call is made with it, in the argument's type, and the value is in no file.
    let flags = ["--principal", "writer=WRITER", "--principal", "seat=SEAT", "--record", "seen.json"];
    let run = probe(dir.path(), &contract, "ok", &BOTH, &flags);
    assert_eq!((run.code, &run.report["passed"]), (Some(0), &json!(true)), "{} {}", run.report, run.err);
    let added = r#"["add_note", {"author": "ann-of-the-desk", "page": 7, "title": "rye bread"}]"#;
    assert!(run.calls.iter().any(|call| call == added), "{:?}", run.calls);
    assert_eq!(run.outcome("O-004"), ("satisfied", ""));
    let seen = std::fs::read_to_string(dir.path().join("seen.json")).unwrap();
    assert!(!format!("{seen}{}{}", run.report, run.err).contains("ann-of"), "{seen}");
    assert!(seen.contains("rye bread") && seen.contains("\"author\": \"***\""), "{seen}");
    // What was recorded is judged again, and comes out the same.
    let again = probe(dir.path(), &contract, "ok", &BOTH, &["--observations", "seen.json"]);
    assert_eq!(again.report, run.report, "{}", again.err);
    // A name that the contract does not declare would leave a step out without a word.
    let out = verity()
        .current_dir(dir.path())
        .args(["probe", "--contract", "notes.yaml", "--policy", "policy.json", "--principal", "writr=WRITER"])
        .output()
        .unwrap();
    let err = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(2), "{err}");
    assert!(err.contains("principal `writr`") && err.contains("`writer`"), "{err}");
}

/// What the policy gives a server to keep is in no file, but for what the contract itself says.
#[test]
fn what_the_policy_declares_is_not_recorded() {
    let dir = TempDir::new().unwrap();
    let contract =
        CONTRACT.replace("found: boolean, title: string", "found: boolean, title: string, author: string?");
    let contract = contract + "  - check: {existence: $find/author}\n";
    let run = probe(dir.path(), &contract, "signed", &BOTH, &["--record", "seen.json"]);
    assert_eq!((run.code, &run.report["passed"]), (Some(0), &json!(true)), "{} {}", run.report, run.err);
    assert_eq!(run.outcome("O-004"), ("satisfied", ""));
    let seen = std::fs::read_to_string(dir.path().join("seen.json")).unwrap();
    assert!(!format!("{seen}{}{}", run.report, run.err).contains("desk-of"), "{seen}");
    assert!(seen.contains("\"author\": \"***, rye bread\""), "{seen}");
    let again = probe(dir.path(), &contract, "signed", &BOTH, &["--observations", "seen.json"]);
    assert_eq!((again.code, &again.report), (Some(0), &run.report), "{}", again.err);
    // What cannot be written down is no success.
    let run = probe(dir.path(), CONTRACT, "ok", &BOTH, &["--record", "no/such/folder/seen.json"]);
    assert_eq!(run.code, Some(2), "{}", run.err);
}
