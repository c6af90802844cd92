//! Attempts: what is recorded, judged again, changed on purpose and changed in secret.

use super::*;
use crate::support;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const EXPECT: &str = "session: pay\ndataset: {id: d, path: rows/one.jsonl}\nbehaviors:\n  - {actor: assistant, action: calls, target: look, with: {q: '{{d.q}}'}}\n  - {actor: assistant, action: calls, target: pay, with_only: {amount: 20, to: '{{who}}'}}\n  - {actor: assistant, action: informs}\n";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let messages = [
        says("user", "Pay Ann."),
        calls(&[("1", "look", json!({"q": "Ann"}))]),
        result("1", json!({"id": 9_007_199_254_740_993_u64})),
        calls(&[("2", "pay", json!({"amount": 20, "to": 9_007_199_254_740_993_u64}))]),
        result("2", json!("paid")),
        says("assistant", "Paid."),
    ];
    let put = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    put("run.json", json!({ "messages": messages }).to_string());
    put("pay.yaml", EXPECT.to_string());
    fs::create_dir(folder.path().join("rows")).unwrap();
    put("rows/one.jsonl", "{\"q\": \"Ann\"}\n".to_string());
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    put("tools.json", json!({"tools": [tool("look"), tool("pay")]}).to_string());
    folder
}

fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let out = support::verity().args(args).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
}

const GRADE: [&str; 7] =
    ["grade", "run.json", "--expect", "pay.yaml", "--tools", "tools.json", "--var=who=9007199254740993"];

fn record(folder: &Path, more: &[&str]) -> (i32, String, String) {
    let args: Vec<&str> = GRADE.iter().chain(&["--record", "at/one"]).chain(more).copied().collect();
    run(folder, &args)
}

fn replay(folder: &Path, args: &[&str]) -> (i32, Value) {
    let args: Vec<&str> = ["replay", "at/one", "--format", "json"].iter().chain(args).copied().collect();
    let (code, out, err) = run(folder, &args);
    let report: Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out} {err}"));
    support::check_schema("replay-report.schema.json", &report);
    (code, report["attempts"][0].clone())
}

fn names(folder: &Path) -> Vec<String> {
    let mut all: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    all.sort();
    all
}

#[test]
fn an_unchanged_attempt_gives_the_same_verdict_wherever_it_lies() {
    let folder = folder();
    let (code, out, err) = record(folder.path(), &[]);
    assert_eq!(code, 0, "{out} {err}");
    assert_eq!(
        names(&folder.path().join("at/one")),
        ["attempt.json", "expectation", "listing.json", "recording", "rows.jsonl", "verdict.json"]
    );
    assert_eq!(names(&folder.path().join("at")), ["one"], "nothing else is left");
    let manifest = fs::read_to_string(folder.path().join("at/one/attempt.json")).unwrap();
    support::check_schema("attempt.schema.json", &serde_json::from_str(&manifest).unwrap());
    let copy = fs::read(folder.path().join("at/one/recording")).unwrap();
    assert_eq!(copy, fs::read(folder.path().join("run.json")).unwrap());
    // Nothing but the folder is needed.
    for name in ["run.json", "pay.yaml", "tools.json", "rows/one.jsonl"] {
        fs::remove_file(folder.path().join(name)).unwrap();
    }
    let (code, attempt) = replay(folder.path(), &[]);
    assert_eq!((code, &attempt["replay"], &attempt["status"]), (0, &json!("same"), &json!("passed")));
    assert_eq!(attempt["recorded"]["recording"], "run.json");
    let digest = attempt["digest"].as_str().unwrap();
    assert!(out.contains(digest), "{out}");
    assert_eq!(replay(folder.path(), &["--digest", digest]).0, 0);
    assert_eq!(replay(folder.path(), &["--digest", "sha256:0"]).0, 2);
    let (code, out, _) = run(folder.path(), &["replay", "at/one"]);
    assert!(code == 0 && out.starts_with("✓ at/one: same verdict"), "{out}");
    // The rows are a recording, and the same one.
    let (code, out, err) = run(folder.path(), &["trace", "at/one/rows.jsonl"]);
    assert!(
        code == 0 && err.contains("2 calls, openai-chat") && out.contains("9007199254740993"),
        "{out} {err}"
    );
}

#[test]
fn the_same_recording_gives_the_same_bytes() {
    let folder = folder();
    record(folder.path(), &[]);
    let first = fs::read_to_string(folder.path().join("at/one/attempt.json")).unwrap();
    assert_eq!(record(folder.path(), &[]).0, 2, "it is there already");
    assert_eq!(record(folder.path(), &["--force"]).0, 0);
    assert_eq!(fs::read_to_string(folder.path().join("at/one/attempt.json")).unwrap(), first);
    fs::create_dir(folder.path().join("mine")).unwrap();
    fs::write(folder.path().join("mine/notes.txt"), "mine").unwrap();
    let args: Vec<&str> = GRADE.iter().chain(&["--record", "mine", "--force"]).copied().collect();
    let (code, _, err) = run(folder.path(), &args);
    assert!(code == 2 && err.contains("this folder is none"), "{err}");
    assert_eq!(names(&folder.path().join("mine")), ["notes.txt"]);
}

#[test]
fn a_failed_attempt_is_failed_again_and_nothing_is_left_of_one_that_cannot_be_judged() {
    let folder = folder();
    fs::write(folder.path().join("rows/one.jsonl"), "{\"q\": \"Bob\"}\n").unwrap();
    assert_eq!(record(folder.path(), &[]).0, 1);
    let (code, attempt) = replay(folder.path(), &[]);
    assert_eq!((code, &attempt["replay"], &attempt["status"]), (1, &json!("same"), &json!("failed")));
    let args: Vec<&str> = GRADE.iter().take(6).chain(&["--record", "new/two"]).copied().collect();
    assert_eq!(run(folder.path(), &args).0, 2, "a placeholder without a value");
    assert!(!folder.path().join("new").exists());
}

#[test]
fn a_part_that_is_missing_or_changed_is_an_error_and_no_verdict() {
    let folder = folder();
    record(folder.path(), &[]);
    let at = folder.path().join("at/one");
    let error = |what: &str| {
        let (code, attempt) = replay(folder.path(), &[]);
        assert_eq!((code, &attempt["replay"], &attempt["status"]), (2, &json!("error"), &json!("error")));
        assert_eq!(attempt["error"]["code"], "broken-attempt");
        let message = attempt["error"]["message"].as_str().unwrap();
        assert!(message.contains(what), "{message}");
    };
    let files = [
        "recording",
        "rows.jsonl",
        "listing.json",
        "verdict.json",
        "attempt.json",
        "expectation/document.yaml",
        "expectation/rows/one.jsonl",
    ];
    for name in files {
        let path = at.join(name);
        let text = fs::read_to_string(&path).unwrap();
        fs::remove_file(&path).unwrap();
        error(if name == "attempt.json" { "there is no attempt.json" } else { "is missing" });
        fs::write(&path, format!("{text} ")).unwrap();
        // White space after a manifest says nothing else.
        if name != "attempt.json" {
            error("was changed");
        }
        fs::write(&path, &text).unwrap();
    }
    let manifest = fs::read_to_string(at.join("attempt.json")).unwrap();
    fs::write(at.join("attempt.json"), manifest.replace("\"passed\"", "\"failed\"")).unwrap();
    error("attempt.json: it was changed");
    fs::write(at.join("attempt.json"), "{\"schema_version\": 1").unwrap();
    error("not JSON");
    fs::write(at.join("attempt.json"), manifest).unwrap();
    // Which row of a changed recording is another one: its 17th digit is enough.
    let recording = fs::read_to_string(at.join("recording")).unwrap();
    let other = recording.replacen("\\\"to\\\":9007199254740993", "\\\"to\\\":9007199254740992", 1);
    assert_ne!(other, recording);
    fs::write(at.join("recording"), other).unwrap();
    error("row 4: `/arguments/to` is 9007199254740992; expected 9007199254740993");
    fs::write(at.join("recording"), "").unwrap();
    error("it cannot be read any more");
    fs::write(at.join("recording"), recording).unwrap();
    assert_eq!(replay(folder.path(), &[]).0, 0);
    assert_eq!(run(folder.path(), &["replay", "nowhere"]).0, 2);
}

#[test]
fn another_verdict_is_told_check_by_check() {
    let folder = folder();
    record(folder.path(), &[]);
    // As an older version would have judged: its verdict and its digests, all in order.
    let at = folder.path().join("at/one");
    let verdict = fs::read_to_string(at.join("verdict.json")).unwrap();
    let other = verdict.replacen("\"passed\"", "\"failed\"", 2);
    fs::write(at.join("verdict.json"), &other).unwrap();
    let text = fs::read_to_string(at.join("attempt.json")).unwrap();
    let mut manifest: verity::grade::attempt::Manifest = serde_json::from_str(&text).unwrap();
    let part = manifest.parts.iter_mut().find(|p| p.file == "verdict.json").unwrap();
    (part.sha256, part.bytes) = (verity::sha256::prefixed(other.as_bytes()), other.len() as u64);
    manifest.verity = "0.0.9".to_string();
    fs::write(at.join("attempt.json"), serde_json::to_string(&manifest.sealed()).unwrap()).unwrap();
    let (code, attempt) = replay(folder.path(), &[]);
    assert_eq!((code, &attempt["replay"], &attempt["status"]), (1, &json!("changed"), &json!("passed")));
    assert_eq!(
        attempt["changes"],
        json!([{"what": "status", "was": "failed", "is": "passed"}, {"what": "step-1", "was": "failed (calls 1)", "is": "passed (calls 1)"}])
    );
}

#[test]
fn a_control_changes_what_it_states_and_names_the_check_that_notices() {
    let folder = folder();
    record(folder.path(), &[]);
    let rows = fs::read_to_string(folder.path().join("at/one/rows.jsonl")).unwrap();
    let last: Value = serde_json::from_str(rows.lines().last().unwrap()).unwrap();
    let control = |check: &str, patch: Value| {
        let control =
            json!({"reason": "another sum", "parent": last["sha256"], "check": check, "patch": patch});
        support::check_schema("control.schema.json", &control);
        fs::write(folder.path().join("c.json"), control.to_string()).unwrap();
        replay(folder.path(), &["--control", "c.json", "--derived", "changed.jsonl"])
    };
    // Row 0 says what was recorded; then the user's text, a call, its answer, and the second call.
    let amount = json!([{"op": "test", "path": "/4/tool", "value": "pay"}, {"op": "replace", "path": "/4/arguments/amount", "value": 21}]);
    let (code, attempt) = control("step-2", amount.clone());
    assert_eq!((code, &attempt["controls"][0]["holds"]), (0, &json!(true)), "{attempt:#}");
    assert_eq!(attempt["controls"][0]["others"], json!([]));
    // The changed recording is one by itself, and fails by itself.
    let args = ["grade", "changed.jsonl", "--expect", "pay.yaml", "--var=who=9007199254740993"];
    let (code, out, _) = run(folder.path(), &args);
    assert!(code == 1 && out.contains("`/amount` is 21;"), "{out}");
    let (code, attempt) = control("step-1", amount);
    assert_eq!(
        (code, &attempt["controls"][0]["holds"], &attempt["status"]),
        (1, &json!(false), &json!("passed"))
    );
    // The final answer, apart from the calls.
    let (code, attempt) = control("step-3", json!([{"op": "remove", "path": "/6"}]));
    assert_eq!((code, &attempt["controls"][0]["holds"]), (0, &json!(true)), "{attempt:#}");
    // A call goes with its answer.
    let (code, attempt) =
        control("step-1", json!([{"op": "remove", "path": "/3"}, {"op": "remove", "path": "/2"}]));
    assert_eq!((code, &attempt["controls"][0]["holds"]), (0, &json!(true)), "{attempt:#}");
    let (code, attempt) = control("step-1", json!([{"op": "remove", "path": "/2"}]));
    assert_eq!(code, 2);
    assert!(
        attempt["error"]["message"].as_str().unwrap().contains("row 2): an answer to call 1"),
        "{attempt:#}"
    );
    assert_eq!(control("step-9", json!([{"op": "remove", "path": "/6"}])).0, 2);
    // Of another recording.
    let other = json!({"reason": "r", "parent": "sha256:00", "check": "step-1", "patch": [{"op": "remove", "path": "/6"}]});
    fs::write(folder.path().join("o.json"), other.to_string()).unwrap();
    let (code, attempt) = replay(folder.path(), &["--control", "o.json"]);
    assert_eq!((code, &attempt["error"]["code"]), (2, &json!("not-a-control")));
    // Nothing is written into it, or over what is read.
    for to in ["at/one/rows.jsonl", "at/one/new.json"] {
        let (code, _, err) = run(folder.path(), &["replay", "at/one", "--format", &format!("json={to}")]);
        assert!(code == 2 && err.contains("into an attempt"), "{err}");
    }
    let over = ["replay", "at/one", "--control", "c.json", "--derived", "c.json"];
    assert_eq!(run(folder.path(), &over).0, 2);
    let (code, _, err) = record(folder.path(), &["--force", "--format", "html=at/one/page.html"]);
    assert!(code == 2 && err.contains("into the attempt's folder"), "{err}");
    // The attempt is as it was.
    assert_eq!(replay(folder.path(), &[]).0, 0);
    assert_eq!(
        run(folder.path(), &["replay", "at/one", "--control", "c.json", "--derived", "at/one/rows.jsonl"]).0,
        2
    );
}

/// Rows of a simulator: (tool, arguments, exit code).
fn simulator(rows: &[(&str, Value, i64)]) -> String {
    let row = |(tool, arguments, code): &(&str, Value, i64)| {
        format!(
            "{}\n",
            json!({"tool": tool, "arguments": arguments, "result": {"exit_code": code, "stdout": "ok", "stderr": ""}})
        )
    };
    rows.iter().map(row).collect()
}

#[test]
fn the_models_own_stream_has_to_agree_call_for_call() {
    let folder = folder();
    let recorded = |amount: i64| {
        simulator(&[
            ("look", json!({"q": "Ann"}), 0),
            ("pay", json!({"amount": amount, "to": 9_007_199_254_740_993_u64}), 0),
        ])
    };
    let put = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    put("same.jsonl", recorded(20));
    put("other.jsonl", recorded(21));
    put("less.jsonl", simulator(&[("look", json!({"q": "Ann"}), 0)]));
    put(
        "failed.jsonl",
        simulator(&[
            ("look", json!({"q": "Ann"}), 1),
            ("pay", json!({"amount": 20, "to": 9_007_199_254_740_993_u64}), 0),
        ]),
    );
    let check = |trace: &str| {
        let (code, out, err) = run(
            folder.path(),
            &["grade", trace, "--against", "run.json", "--fault", "look=refused", "--format", "json"],
        );
        let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
        let checks = report["checks"].as_array().unwrap();
        let check = checks.iter().find(|c| c["id"] == "streams-agree").unwrap().clone();
        (code, check["status"].as_str().unwrap().to_string(), check["message"].as_str().unwrap().to_string())
    };
    assert_eq!(check("same.jsonl").0, 0);
    let (code, status, message) = check("other.jsonl");
    assert_eq!((code, status.as_str()), (1, "failed"));
    assert!(
        message.contains("call 2 of the recording is `pay`")
            && message.contains("`/amount` is 20; expected 21"),
        "{message}"
    );
    let (_, _, message) = check("less.jsonl");
    assert!(
        message.starts_with("call 2 of the model's own stream, `pay`")
            && message.ends_with("was not recorded"),
        "{message}"
    );
    assert!(check("failed.jsonl").2.contains("it ended as `ok` there, and as `error` here"));
    // What the model says in its stream is the final answer of a recording that has none.
    let args = [
        "grade",
        "same.jsonl",
        "--against",
        "run.json",
        "--expect",
        "pay.yaml",
        "--var=who=9007199254740993",
        "--record",
        "at/one",
    ];
    let (code, out, err) = run(folder.path(), &args);
    assert_eq!(code, 0, "{out} {err}");
    let (code, attempt) = replay(folder.path(), &[]);
    assert_eq!((code, &attempt["replay"]), (0, &json!("same")));
    assert_eq!(replay(folder.path(), &["--against", "run.json"]).0, 2, "the attempt has a stream");
}

#[test]
fn a_final_answer_may_come_from_a_file_of_its_own() {
    let folder = folder();
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    put("calls.jsonl", &simulator(&[("publish", json!({"n": 1}), 5)]));
    put("open.txt", "I could not confirm that it was published.\n");
    put("done.txt", "Published.\n");
    put("empty.txt", " \n");
    let grade = |answer: &str, more: &[&str]| {
        let args =
            ["grade", "calls.jsonl", "--fault", "publish=lost", "--answer", answer, "--format", "json"];
        let (code, out, err) = run(folder.path(), &args.iter().chain(more).copied().collect::<Vec<_>>());
        (code, serde_json::from_str::<Value>(&out).unwrap_or_else(|_| panic!("{err}")))
    };
    let answered = |report: &Value| {
        let checks = report["checks"].as_array().unwrap();
        checks.iter().find(|c| c["id"] == "final-answer").map(|c| c["status"].clone())
    };
    let (code, report) = grade("open.txt", &["--record", "at/one"]);
    assert_eq!((code, answered(&report)), (0, Some(json!("passed"))));
    let (code, report) = grade("done.txt", &[]);
    assert_eq!((code, answered(&report)), (1, Some(json!("failed"))));
    assert_eq!(grade("empty.txt", &[]).0, 2);
    // It is bound with the calls, and read back with them.
    let (code, attempt) = replay(folder.path(), &[]);
    assert_eq!(
        (code, &attempt["replay"], answered(&attempt["report"])),
        (0, &json!("same"), Some(json!("passed")))
    );
    let (code, _, err) = run(folder.path(), &["grade", "run.json", "--answer", "open.txt"]);
    assert!(code == 2 && err.contains("for recordings of calls alone"), "{err}");
}

#[test]
fn calls_made_at_once_have_no_order_and_a_clients_own_tools_are_not_the_servers() {
    let stream = transcript(&[
        calls(&[("1", "a", json!({"n": 1})), ("2", "a", json!({"n": 2}))]),
        result("1", json!("x")),
        result("2", json!("x")),
        calls(&[("3", "b", json!({}))]),
        result("3", json!("x")),
    ]);
    let agree = |rows: &[(&str, Value, i64)]| {
        let recording = trace::read("r", simulator(rows).as_bytes(), &Fixtures::new()).unwrap();
        verity::grade::streams::agree(&recording, &stream).status
    };
    let (one, two, b) = (("a", json!({"n": 1.0}), 0), ("a", json!({"n": 2}), 0), ("b", json!({}), 0));
    assert_eq!(agree(&[two.clone(), one.clone(), b.clone()]), Status::Passed);
    assert_eq!(agree(&[one.clone(), two.clone(), b.clone()]), Status::Passed);
    assert_eq!(agree(&[one.clone(), b.clone(), two.clone()]), Status::Failed);
    assert_eq!(agree(&[one.clone(), one.clone(), b.clone()]), Status::Failed);
    assert_eq!(agree(&[one, two, b.clone(), b]), Status::Failed);
    let line = |name: &str, id: &str| json!({"type": "assistant", "session_id": "s", "message": {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": name, "input": {}}]}});
    let claude = format!("{}\n{}\n", line("TodoWrite", "1"), line("mcp__srv__a", "2"));
    let claude = trace::read("c", claude.as_bytes(), &Fixtures::new()).unwrap();
    let check = verity::grade::streams::agree(&log(&[("a", json!({}), ok())]), &claude);
    assert_eq!(check.status, Status::Passed, "{}", check.message);
    assert!(check.message.contains("`TodoWrite`"), "{}", check.message);
    assert_eq!(
        verity::grade::streams::agree(&log(&[("b", json!({}), ok())]), &claude).status,
        Status::Failed
    );
}

/// Every format's rows are read back as what they were made of.
#[test]
fn rows_are_the_recording() {
    let Some(folder) = support::shared("traces") else { return };
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if ["expected.json", "match-cases.jsonl"].contains(&name.as_str()) {
            continue;
        }
        let trace = trace::read(&name, &fs::read(&path).unwrap(), &Fixtures::new()).unwrap();
        let text: String = trace.rows().map(|row| format!("{row}\n")).collect();
        let again = trace::read("rows", text.as_bytes(), &Fixtures::new()).unwrap();
        assert_eq!((again.format, again.sessions()), (trace.format, trace.sessions()), "{name}");
        assert!(again.rows().eq(trace.rows()), "{name}");
        let verdict = |trace: &Trace| calls::judge(trace, &calls::Order::default());
        assert_eq!(verdict(&again), verdict(&trace), "{name}");
        seen += 1;
    }
    assert!(seen >= 10, "{seen}");
}
