//! Answers to packs: the runner's scores, several agents, answers from recordings.

use super::*;
use crate::support;
use std::fs;
use tempfile::TempDir;

/// A pack of two tasks, `find` and `drop`, exported by the command.
fn pack() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let tool = |name: &str, key: &str| {
        json!({"name": name, "description": "Works with the things of the shop.", "inputSchema": {"type": "object", "required": [key],
            "additionalProperties": false, "properties": {key: {"type": "string", "minLength": 2, "description": "Which."}}}})
    };
    let listing = json!({"tools": [tool("find", "query"), tool("drop", "id")]});
    fs::write(folder.path().join("shop.json"), listing.to_string()).unwrap();
    support::verity()
        .args(["agent-tasks", "shop.json", "-o", "pack"])
        .current_dir(folder.path())
        .assert()
        .success();
    folder
}

fn run(folder: &TempDir, args: &[&str]) -> (i32, String, String) {
    let out = support::verity()
        .args(["grade", "--pack", "pack"])
        .args(args)
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
}

fn json_of(folder: &TempDir, args: &[&str]) -> (i32, Value) {
    let args: Vec<&str> = args.iter().copied().chain(["--format", "json"]).collect();
    let (code, out, err) = run(folder, &args);
    let report: Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out} {err}"));
    support::check_schema("answers-report.schema.json", &report);
    (code, report)
}

fn put(folder: &TempDir, path: &str, text: &str) {
    let path = folder.path().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Task, status and score of an agent's answers.
fn scores(report: &Value, agent: usize) -> Vec<(String, String, f64)> {
    let one = |t: &Value| {
        (
            t["task"].as_str().unwrap().to_string(),
            t["status"].as_str().unwrap().to_string(),
            t["score"].as_f64().unwrap(),
        )
    };
    report["agents"][agent]["tasks"].as_array().unwrap().iter().map(one).collect()
}

#[test]
fn scores_of_several_agents_are_the_runners() {
    let folder = pack();
    put(
        &folder,
        "good.jsonl",
        "{\"task\": \"shop/find\", \"arguments\": {\"query\": \"lamps\"}}\n{\"task\": \"drop\", \"arguments\": {\"id\": \"17\"}}\n",
    );
    put(&folder, "poor/find/call.json", "{\"query\": \"x\"}");
    put(&folder, "poor/shop/drop/call.json", "{\"id\": ");
    let (code, report) = json_of(&folder, &["--answers", "best=good.jsonl", "--answers", "poor"]);
    assert_eq!(
        (code, &report["status"], &report["agents"][0]["name"], &report["agents"][1]["name"]),
        (1, &json!("failed"), &json!("best"), &json!("poor"))
    );
    let all = |agent| {
        scores(&report, agent)
            .into_iter()
            .map(|(task, status, score)| format!("{task} {status} {score:.3}"))
            .collect::<Vec<_>>()
    };
    assert_eq!(all(0), ["shop/drop passed 1.000", "shop/find passed 1.000"]);
    assert_eq!(all(1), ["shop/drop failed 0.333", "shop/find failed 0.333"]);
    let reason = report["agents"][1]["tasks"][1]["assertions"][1]["reason"].as_str().unwrap();
    assert_eq!(reason, "call.json breaks `minLength` at /query");
    assert_eq!(
        (&report["agents"][0]["above_floor"], &report["agents"][1]["above_floor"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(report["floor"]["tasks"], 2);
    let (_, text, _) = run(&folder, &["--answers", "best=good.jsonl", "--answers", "poor"]);
    assert!(text.contains("best   poor\n") && text.contains("1.000  0.333"), "{text}");
    assert!(text.contains("poor, find: call.json breaks `minLength` at /query"), "{text}");
    assert!(text.contains("poor: 0 of 2 tasks passed, mean score 0.333; that is no more than"), "{text}");
    let (code, _, _) =
        run(&folder, &["--answers", "good.jsonl", "--format", "junit=j.xml", "--format", "markdown=m.md"]);
    assert_eq!(code, 0);
    assert!(fs::read_to_string(folder.path().join("j.xml")).unwrap().contains("tests=\"2\" failures=\"0\""));
    assert!(fs::read_to_string(folder.path().join("m.md")).unwrap().contains("| find | 1.000 |"));
}

#[test]
fn answers_come_from_recordings_too() {
    let folder = pack();
    let messages = [
        calls(&[("1", "find", json!({}))]),
        result("1", json!("bad arguments")),
        calls(&[("2", "find", json!({"query": "lamps"})), ("3", "other", json!({}))]),
    ];
    put(&folder, "run.json", &json!({ "messages": messages }).to_string());
    let (code, report) = json_of(&folder, &["--answers-from", "run.json"]);
    let all = scores(&report, 0);
    assert_eq!(
        all,
        [
            ("shop/drop".to_string(), "missing".to_string(), 0.0),
            ("shop/find".to_string(), "passed".to_string(), 1.0)
        ]
    );
    assert_eq!(code, 1);
}

#[test]
fn bad_answers_are_told_with_their_place() {
    let folder = pack();
    let error = |text: &str, what: &str| {
        put(&folder, "a.jsonl", text);
        let (code, _, err) = run(&folder, &["--answers", "a.jsonl"]);
        assert!(code == 2 && err.contains(what), "{code} {err}");
    };
    error("{\"task\": \"shop/fnd\", \"arguments\": {}}\n", "did you mean `shop/find`");
    error(
        "{\"task\": \"find\", \"arguments\": {}}\n{\"task\": \"shop/find\", \"arguments\": {}}\n",
        "a.jsonl:2:1: a second answer",
    );
    error("{\"arguments\": {}}\n", "does not name its task");
    error("{\"task\": ", "a.jsonl:1:");
    fs::create_dir(folder.path().join("none")).unwrap();
    let (code, _, err) = run(&folder, &["--answers", "none"]);
    assert!(code == 2 && err.contains("no answer in the folder"), "{err}");
    let (code, _, err) = run(&folder, &[]);
    assert!(code == 2 && err.contains("--answers"), "{err}");
    put(&folder, "pack/broken.yaml", "id: x\n");
    put(&folder, "a.jsonl", "{\"task\": \"find\", \"arguments\": {}}\n");
    let (code, _, err) = run(&folder, &["--answers", "a.jsonl"]);
    assert!(code == 2 && err.contains("broken.yaml"), "{err}");
}
