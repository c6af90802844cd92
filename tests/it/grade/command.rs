//! The command: its reports, exit codes, datasets and judgements.

use super::*;
use crate::support;
use std::fs;
use std::path::Path;

const EXPECT: &str =
    "session: look\nbehaviors:\n  - {actor: assistant, action: calls, target: look, with: {q: '{{q}}'}}\n";

fn folder(files: &[(&str, String)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn chat(all: &[(&str, &str, Value)], last: &str) -> String {
    let mut messages = vec![calls(all)];
    messages.extend(all.iter().map(|(id, _, _)| result(id, json!("ok"))));
    messages.push(says("assistant", last));
    json!({ "messages": messages }).to_string()
}

/// Exit code, stdout, stderr.
fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let out = support::verity().arg("grade").args(args).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
}

fn json_of(folder: &Path, args: &[&str]) -> (i32, Value) {
    let args: Vec<&str> = args.iter().copied().chain(["--format", "json"]).collect();
    let (code, out, _) = run(folder, &args);
    let report: Value = serde_json::from_str(&out).unwrap();
    support::check_schema("grade-report.schema.json", &report);
    (code, report)
}

#[test]
fn three_ways_to_end() {
    let folder = folder(&[
        ("t.json", chat(&[("1", "look", json!({"q": 5}))], "done")),
        ("e.yaml", EXPECT.to_string()),
    ]);
    let args = |var: &'static str| vec!["t.json", "--expect", "e.yaml", "--var", var];
    let (code, report) = json_of(folder.path(), &args("q=5"));
    assert_eq!((code, &report["status"], &report["error"]), (0, &json!("passed"), &Value::Null));
    assert_eq!(report["checks"][0]["calls"], json!([1]));
    let (code, report) = json_of(folder.path(), &args("q=\"5\""));
    assert_eq!((code, &report["status"]), (1, &json!("failed")));
    assert_eq!(report["checks"][0]["expected"], json!({"q": "5"}));
    assert_eq!(report["checks"][0]["actual"], json!({"q": 5}));
    let (code, report) = json_of(folder.path(), &["t.json", "--expect", "e.yaml"]);
    assert_eq!(
        (code, &report["status"], &report["error"]["code"]),
        (2, &json!("error"), &json!("not-an-expectation"))
    );
    assert_eq!((&report["error"]["line"], &report["error"]["path"]), (&json!(3), &json!("e.yaml")));
    let (code, _, stderr) = run(folder.path(), &["t.json", "--row", "1"]);
    assert!(code == 2 && stderr.contains("--expect"), "{stderr}");
}

#[test]
fn reports_for_people_and_for_ci() {
    let folder = folder(&[
        ("t.json", chat(&[("1", "lo\u{1b}[31mok", json!({"q": "<b>&\u{202e}"}))], "x")),
        ("e.yaml", EXPECT.replace("look", "lo\\u001bok").replace('\'', "\"")),
    ]);
    let (code, out, _) = run(
        folder.path(),
        &[
            "t.json",
            "--expect",
            "e.yaml",
            "--var",
            "q=x",
            "--format",
            "human",
            "--format",
            "junit=j.xml",
            "--format",
            "markdown=m.md",
        ],
    );
    assert_eq!(code, 1);
    assert!(
        out.contains("× step 1: assistant calls")
            && out.contains("Failed: 4 of 5 checks passed, 1 failed; call quality: clean."),
        "{out}"
    );
    let junit = fs::read_to_string(folder.path().join("j.xml")).unwrap();
    assert!(junit.contains("tests=\"5\" failures=\"1\""), "{junit}");
    let markdown = fs::read_to_string(folder.path().join("m.md")).unwrap();
    assert!(markdown.contains("| step-1 | failed |"), "{markdown}");
    for text in [&out, &junit, &markdown] {
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    }
    assert!(!markdown.contains("<b>") && !junit.contains("<b>"));
}

#[test]
fn rows_of_a_dataset_are_runs_of_a_recording() {
    let line = |q: i64| chat(&[("1", "look", json!({"q": q}))], "x");
    let expect = EXPECT.replace("{{q}}", "{{d.q}}") + "dataset: {id: d, path: rows.jsonl}\n";
    let folder = folder(&[
        ("two.jsonl", format!("{}\n{}\n", line(1), line(2))),
        ("one.jsonl", line(2)),
        ("rows.jsonl", "{\"q\": 1}\n{\"q\": 2}\n".to_string()),
        ("e.yaml", expect),
    ]);
    assert_eq!(json_of(folder.path(), &["two.jsonl", "--expect", "e.yaml"]).0, 0);
    let (code, _, stderr) = run(folder.path(), &["one.jsonl", "--expect", "e.yaml"]);
    assert!(code == 2 && stderr.contains("--row"), "{stderr}");
    assert_eq!(json_of(folder.path(), &["one.jsonl", "--expect", "e.yaml", "--row", "2"]).0, 0);
    assert_eq!(json_of(folder.path(), &["one.jsonl", "--expect", "e.yaml", "--row", "1"]).0, 1);
    assert_eq!(json_of(folder.path(), &["one.jsonl", "--expect", "e.yaml", "--row", "3"]).0, 2);
}

#[test]
fn a_recorded_judgement_stands_in_for_a_model_and_for_nothing_else() {
    let expect = "session: s\nbehaviors:\n  - {actor: assistant, action: calls, target: other}\n  - actor: assistant\n    action: informs\n    evaluations: [{type: llm_judge, criteria: kind}]\n";
    let folder = folder(&[
        ("t.json", chat(&[("1", "look", json!({}))], "x")),
        ("e.yaml", expect.to_string()),
        ("right.yaml", expect.replace("other", "look")),
        ("j.json", json!({"step-2/eval-1": {"passed": true, "reason": "polite"}}).to_string()),
        ("none.json", "{}".to_string()),
    ]);
    assert_eq!(
        json_of(folder.path(), &["t.json", "--expect", "right.yaml"]).1["error"]["code"],
        "not-judged"
    );
    assert_eq!(
        json_of(folder.path(), &["t.json", "--expect", "right.yaml", "--judgements", "none.json"]).0,
        2
    );
    assert_eq!(json_of(folder.path(), &["t.json", "--expect", "right.yaml", "--judgements", "j.json"]).0, 0);
    let (code, report) = json_of(folder.path(), &["t.json", "--expect", "e.yaml", "--judgements", "j.json"]);
    assert_eq!((code, &report["status"]), (1, &json!("failed")), "a call that is missing stays missing");
    // Nor can it name a check that the recording decides.
    fs::write(
        folder.path().join("wrong.json"),
        json!({"step-2/eval-1": {"passed": true}, "step-1": {"passed": true}}).to_string(),
    )
    .unwrap();
    let (code, report) =
        json_of(folder.path(), &["t.json", "--expect", "e.yaml", "--judgements", "wrong.json"]);
    let message = report["error"]["message"].as_str().unwrap();
    assert!(code == 2 && message.contains("check that needs a judgement `step-1`"), "{message}");
}

#[test]
fn the_listing_comes_from_a_file_or_from_the_recording() {
    let tool = json!({"name": "look", "inputSchema": {"type": "object", "required": ["q"]}});
    let page = json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool]}});
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "look", "arguments": {}}});
    let answer = json!({"jsonrpc": "2.0", "id": 2, "result": {"content": []}});
    let folder = folder(&[
        ("t.jsonl", format!("{list}\n{page}\n{call}\n{answer}\n")),
        ("plain.jsonl", format!("{call}\n{answer}\n")),
        ("tools.json", json!({"tools": [tool]}).to_string()),
        ("part.json", json!({"tools": [tool], "nextCursor": "x"}).to_string()),
        ("empty.jsonl", format!("{list}\n{page}\n")),
    ]);
    let quality = |args: &[&str]| json_of(folder.path(), args).1["call_quality"]["status"].clone();
    assert_eq!(quality(&["t.jsonl"]), "warning");
    assert_eq!(quality(&["plain.jsonl"]), "clean");
    assert_eq!(quality(&["plain.jsonl", "--tools", "tools.json"]), "warning");
    assert_eq!(
        json_of(folder.path(), &["plain.jsonl", "--tools", "part.json"]).1["error"]["code"],
        "incomplete"
    );
    assert_eq!(json_of(folder.path(), &["empty.jsonl"]).1["error"]["code"], "not-judged");
}
