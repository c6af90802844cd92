//! Whether the grading can fail, and drafts from good runs.

use super::*;
use crate::support;
use std::fs;
use verity::expect::init;
use verity::grade::mutate;
use verity::grade::verdict::Outcome;
use verity::trace::Edit;
use verity::yaml;

fn booking() -> Trace {
    transcript(&[
        says("user", "Book {{two}} seats"),
        calls(&[
            ("a", "find", json!({"day": "Monday", "filter": {"$type": "string"}})),
            ("b", "prices", json!({})),
        ]),
        result("b", json!({"seat": 12})),
        result("a", json!({"trains": [{"id": "T1"}]})),
        calls(&[("c", "book", json!({"train": "T1", "seats": 2, "quiet": true}))]),
        result("c", json!("booked")),
        says("assistant", "Done."),
    ])
}

fn order(yaml: &str) -> Order {
    let raws = expect::parse(yaml).unwrap();
    let sessions = raws.iter().map(|r| expect::bind::bind(r, &BTreeMap::new(), false).unwrap()).collect();
    Order { sessions: Sessions::All(sessions), ..Order::default() }
}

fn draft(trace: &Trace) -> String {
    yaml::write(&init::session(trace, "draft").unwrap()).unwrap()
}

#[test]
fn a_draft_passes_on_its_recording_and_notices_every_change() {
    let (trace, yaml) = (booking(), draft(&booking()));
    let verdict = calls::judge(&trace, &order(&yaml));
    assert_eq!((verdict.outcome(), open(&verdict)), (Outcome::Passed, vec![]), "{yaml}");
    let mutation = mutate::run(&trace, &order(&yaml));
    assert_eq!(mutation.survivors, [], "{yaml}");
    // Two, none and three values changed; two and three arguments left out; one added, three times; three dropped, doubled, flipped,
    // lost; the last two change places, and the first two were made at once.
    assert_eq!(mutation.total(), 5 + 5 + 3 + 4 * 3 + 1);
}

#[test]
fn what_an_expectation_does_not_look_at_survives() {
    let loose = "session: s\nbehaviors: [{actor: assistant, action: calls, target: book, with: {train: T1}}]";
    let mutation = mutate::run(&booking(), &order(loose));
    let survivors: Vec<_> =
        mutation.survivors.iter().filter(|m| m.call == 3).map(|m| (m.kind, m.detail.as_str())).collect();
    assert_eq!(
        survivors,
        [
            ("double-write", "call 3 to `book` is made twice"),
            ("change-value", "call 3 sends 3 for 2 at `/seats`"),
            ("change-value", "call 3 sends false for true at `/quiet`"),
            ("remove-argument", "call 3 leaves out `seats`"),
            ("remove-argument", "call 3 leaves out `quiet`"),
            ("add-argument", "call 3 sends `unexpected_0` as well"),
        ]
    );
    // The final answer has a score of its own: nothing asks for it.
    let answer = mutation.answer.as_deref().unwrap();
    let kinds: Vec<_> = answer.survivors.iter().map(|m| m.kind).collect();
    assert_eq!((answer.killed, kinds), (0, vec!["drop-answer", "claim-success"]));
    let strict = format!("{loose}\nevaluations: [{{type: exact_match, value: Done.}}]");
    let answer = mutate::run(&booking(), &order(&strict)).answer.unwrap();
    assert_eq!((answer.killed, answer.survivors), (2, vec![]));
    assert_eq!(mutate::check(&mutation, 0.0).status, Status::Passed);
    assert_eq!(mutate::check(&mutation, 0.99).status, Status::Failed);
}

#[test]
fn edits_are_what_they_say() {
    let trace = log(&[("a", json!({"n": 1}), ok()), ("b", json!({}), ok()), ("c", json!({}), Value::Null)]);
    let tools = |edit: &Edit| {
        trace
            .edited(edit)
            .unwrap()
            .calls()
            .map(|c| format!("{}{}", c.tool(), c.outcome().word()))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(tools(&Edit::Drop(1)), "aok cmissing");
    assert_eq!(tools(&Edit::Double(0)), "aok aok bok cmissing");
    assert_eq!(tools(&Edit::Swap(1)), "aok cmissing bok");
    assert_eq!(tools(&Edit::Lose(0)), "amissing bok cmissing");
    assert_eq!(trace.edited(&Edit::Drop(3)).map(|t| t.len()), None);
    // The order of events stays one: every number once, and calls in order.
    for edit in [Edit::Double(0), Edit::Double(2), Edit::Swap(0), Edit::Swap(1)] {
        let made: Vec<u32> = trace.edited(&edit).unwrap().calls().map(|c| c.made()).collect();
        assert!(made.windows(2).all(|w| w[0] < w[1]), "{edit:?} {made:?}");
    }
    let changed = trace.edited(&Edit::Arguments(0, json!({"n": 2}))).unwrap();
    assert_eq!(
        (changed.call(0).unwrap().arguments_text(), trace.call(0).unwrap().arguments_text()),
        ("{\"n\":2}", "{\"n\":1}")
    );
}

#[test]
fn no_draft_is_made_of_a_bad_run() {
    let failed = log(&[("a", json!({}), json!({"error": {"code": 1, "message": "no"}}))]);
    assert!(init::session(&failed, "s").unwrap_err().contains("call 1 to `a`"));
    assert!(init::session(&transcript(&[says("user", "hi")]), "s").unwrap_err().contains("no call"));
}

#[test]
fn the_commands_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let messages = [calls(&[("a", "t", json!({"n": 1}))]), result("a", json!("ok")), says("assistant", "x")];
    fs::write(folder.path().join("run.json"), json!({ "messages": messages }).to_string()).unwrap();
    let run = |args: &[&str]| support::verity().args(args).current_dir(folder.path()).output().unwrap();
    assert_eq!(run(&["expect", "init", "run.json", "-o", "e.yaml"]).status.code(), Some(0));
    assert_eq!(run(&["expect", "init", "run.json", "-o", "run.json"]).status.code(), Some(2));
    let out =
        run(&["grade", "run.json", "--expect", "e.yaml", "--min-mutation-score", "1", "--format", "json"]);
    assert_eq!(out.status.code(), Some(0));
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    support::check_schema("grade-report.schema.json", &report);
    assert_eq!((&report["mutation"]["score"], &report["mutation"]["survivors"]), (&json!(1.0), &json!([])));
    fs::write(
        folder.path().join("loose.yaml"),
        "session: s\nbehaviors: [{actor: assistant, action: calls, target: t}]",
    )
    .unwrap();
    let out = run(&["grade", "run.json", "--expect", "loose.yaml", "--min-mutation-score", "0.9"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(String::from_utf8(out.stdout).unwrap().contains("not noticed: call 1 sends 2 for 1 at `/n`"));
    fs::write(
        folder.path().join("wrong.yaml"),
        "session: s\nbehaviors: [{actor: assistant, action: calls, target: u}]",
    )
    .unwrap();
    let out = run(&["grade", "run.json", "--expect", "wrong.yaml", "--mutate", "--format", "json"]);
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!((out.status.code(), &report["mutation"]), (Some(1), &Value::Null));
}
