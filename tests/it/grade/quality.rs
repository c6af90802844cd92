//! How calls went: the named checks, and the diagnostics beside them.

use super::*;
use verity::expect::Injected;
use verity::grade::verdict::{Outcome, Severity};

fn tools() -> Listing {
    let send = json!({"type": "object", "required": ["to"], "properties": {"to": {"type": "string"}}, "additionalProperties": false});
    Listing::new(&[
        json!({"name": "send", "inputSchema": send}),
        json!({"name": "put", "inputSchema": send, "annotations": {"idempotentHint": true}}),
        json!({"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true},
            "outputSchema": {"type": "object", "required": ["n"]}}),
    ])
}

fn looked() -> Value {
    json!({"result": {"content": [], "structuredContent": {"n": 1}}})
}

fn bad() -> Value {
    json!({"error": {"code": -32602, "message": "Invalid params"}})
}

fn refused() -> Value {
    json!({"result": {"isError": true, "content": [{"type": "text", "text": "not allowed"}]}})
}

fn to(name: &str) -> Value {
    json!({ "to": name })
}

/// A diagnostic: category, severity, calls.
type Told = (&'static str, Severity, Vec<usize>);

/// Status, quality, and the diagnostics: category, severity, calls.
fn of(rows: &[(&str, Value, Value)], faults: &[(&str, Injected)]) -> (Outcome, &'static str, Vec<Told>) {
    let faults = faults.iter().map(|(tool, fault)| ((*tool).to_string(), *fault)).collect();
    let verdict = calls::judge(&log(rows), &Order { listing: Some(tools()), faults, ..Order::default() });
    let told =
        verdict.quality.diagnostics.iter().map(|d| (d.category, d.severity, d.calls.clone())).collect();
    (verdict.outcome(), verdict.quality.word(), told)
}

#[test]
fn only_a_call_that_was_not_sent_can_be_put_right() {
    use Severity::{Failure, Warning};
    let row = |tool, arguments, answer| (tool, arguments, answer);
    assert_eq!(of(&[row("send", to("a"), ok())], &[]), (Outcome::Passed, "clean", vec![]));
    assert_eq!(
        of(
            &[row("send", json!({}), bad()), row("look", json!({}), looked()), row("send", to("a"), ok())],
            &[]
        ),
        (Outcome::Passed, "warning", vec![("call-recovery", Warning, vec![1, 3])])
    );
    // A refusal by the server that is no protocol error says the same of arguments that it never takes.
    assert_eq!(
        of(&[row("send", json!({"to": 1}), refused()), row("send", to("a"), ok())], &[]).0,
        Outcome::Passed
    );
    assert_eq!(
        of(
            &[
                row("send", json!({}), bad()),
                row("look", json!({}), looked()),
                row("send", json!({"x": 1}), bad()),
                row("send", to("a"), ok())
            ],
            &[]
        ),
        (Outcome::Failed, "failed", vec![("call-recovery", Failure, vec![1, 3])])
    );
    assert_eq!(
        of(&[row("send", json!({}), bad()), row("put", to("a"), ok())], &[]),
        (Outcome::Failed, "failed", vec![("call-recovery", Failure, vec![1])])
    );
    assert_eq!(of(&[row("sent", to("a"), bad()), row("send", to("a"), ok())], &[]).1, "warning");
    assert_eq!(
        of(&[row("sent", to("a"), bad()), row("put", to("a"), ok())], &[]).0,
        Outcome::Failed,
        "another tool than was meant"
    );
    // The server took what its schema refuses: it was sent.
    assert_eq!(
        of(&[row("send", json!({}), ok())], &[]),
        (Outcome::Passed, "warning", vec![("schema-violation", Warning, vec![1])])
    );
}

#[test]
fn undeclared_failures_fail_and_declared_ones_are_told() {
    use Severity::{Failure, Info};
    let send = |answer: Value| ("send", to("a"), answer);
    for answer in [refused(), bad(), Value::Null] {
        assert_eq!(of(&[send(answer)], &[]).0, Outcome::Failed);
    }
    let (lost, no) = (("send", Injected::Lost), ("send", Injected::Refused));
    assert_eq!(
        of(&[send(Value::Null)], &[lost]),
        (Outcome::Passed, "clean", vec![("uncertain-write", Info, vec![1])])
    );
    assert_eq!(of(&[send(Value::Null)], &[no]).0, Outcome::Failed, "declared was another fault");
    assert_eq!(
        of(&[send(refused())], &[no]),
        (Outcome::Passed, "clean", vec![("expected-error", Info, vec![1])])
    );
    assert_eq!(of(&[send(bad())], &[no]).0, Outcome::Failed, "a protocol error is no refusal");
    assert_eq!(
        of(&[send(Value::Null), ("look", json!({}), looked()), send(ok())], &[lost]),
        (Outcome::Failed, "failed", vec![("uncertain-write", Failure, vec![1, 3])])
    );
    // To another place is another write; and some tools may be called again.
    assert_eq!(of(&[send(Value::Null), ("send", to("b"), ok())], &[lost]).0, Outcome::Passed);
    assert_eq!(
        of(&[("put", to("a"), Value::Null), ("put", to("a"), ok())], &[("put", Injected::Lost)]).0,
        Outcome::Passed
    );
    assert_eq!(
        of(&[send(refused()), ("look", json!({}), looked()), ("send", to("b"), ok())], &[no]),
        (Outcome::Failed, "failed", vec![("expected-error", Failure, vec![1, 3])])
    );
}

#[test]
fn results_and_repetitions() {
    use Severity::Warning;
    let look = |answer: Value| ("look", json!({"a": 1.0}), answer);
    let (outcome, word, told) = of(&[look(ok())], &[]);
    assert_eq!(
        (outcome, word, told),
        (Outcome::Failed, "warning", vec![("schema-violation", Warning, vec![1])]),
        "a result that is not what was promised is none"
    );
    assert_eq!(
        of(&[look(looked()), ("look", json!({"a": 1}), looked())], &[]),
        (Outcome::Passed, "warning", vec![("repeated-call", Warning, vec![1, 2])])
    );
    assert_eq!(of(&[look(looked()), ("send", to("a"), ok()), look(looked())], &[]).1, "clean");
    let messages = |word: &str| {
        [
            calls(&[("1", "look", json!({}))]),
            result("1", json!({"n": 1, "town": "Uppsala"})),
            says("assistant", word),
        ]
    };
    let unused = |word: &str| {
        let verdict =
            calls::judge(&transcript(&messages(word)), &Order { listing: Some(tools()), ..Order::default() });
        verdict.quality.diagnostics.iter().map(|d| d.category).collect::<Vec<_>>()
    };
    assert_eq!(unused("It is in UPPSALA."), Vec::<&str>::new());
    assert_eq!(unused("I do not know."), ["unused-result"]);
}

#[test]
fn without_a_listing_no_rejection_can_be_told() {
    let order = || Order::default();
    let verdict = calls::judge(&log(&[("send", json!({}), bad()), ("send", to("a"), ok())]), &order());
    assert_eq!(open(&verdict), [("tool-results", Status::Failed)]);
    assert!(
        message(&verdict, "tool-results")
            .contains("call 1 to `send` was answered by a protocol error (`-32602: Invalid params`)")
    );
    let row = |code: i64| json!({"tool": "t", "arguments": {}, "result": {"exit_code": code, "stdout": "", "stderr": ""}});
    let text = format!("{}\n{}\n", row(4), row(0));
    let trace = trace::read("log", text.as_bytes(), &Fixtures::new()).unwrap();
    assert_eq!(
        calls::judge(&trace, &order()).quality.word(),
        "warning",
        "the simulator says itself that nothing was sent"
    );
}

fn publishing(answer: Option<&str>, more: &[Value]) -> Verdict {
    let write = json!({"name": "publish", "inputSchema": {"type": "object"}});
    let read =
        json!({"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}});
    let mut messages = vec![calls(&[("1", "publish", json!({"n": 1}))])];
    messages.extend(more.iter().cloned());
    messages.extend(answer.map(|text| says("assistant", text)));
    // A transcript goes on after a call that was never answered.
    messages.push(says("user", "Thanks."));
    messages.push(says("assistant", answer.unwrap_or_default()));
    let trace = transcript(&messages);
    let order = calls::Order {
        listing: Some(Listing::new(&[write, read])),
        faults: BTreeMap::from([("publish".to_string(), Injected::Lost)]),
        ..calls::Order::default()
    };
    calls::judge(&trace, &order)
}

/// How the check of the final answer ended.
fn answered(verdict: &Verdict) -> Option<Status> {
    verdict.checks.iter().find(|c| c.id == "final-answer").map(|c| c.status)
}

#[test]
fn a_lost_write_is_reported_as_unresolved() {
    let of = |answer: &str| answered(&publishing(Some(answer), &[]));
    assert_eq!(of("I could not confirm that the note was published."), Some(Status::Passed));
    assert_eq!(of("The note was published."), Some(Status::Failed));
    assert_eq!(publishing(Some("The note was published."), &[]).outcome(), Outcome::Failed);
    // What words do not tell is no false alarm.
    for unclear in ["Die Notiz ist da.", "Published, but see for yourself.", "42"] {
        let verdict = publishing(Some(unclear), &[]);
        assert_eq!(
            (answered(&verdict), verdict.outcome()),
            (Some(Status::Skipped), Outcome::Passed),
            "{unclear}"
        );
    }
    assert_eq!(answered(&publishing(None, &[])), Some(Status::Skipped));
    // A look-up may have shown it; the same sent again and answered leaves nothing open.
    let look = [calls(&[("2", "look", json!({}))]), result("2", json!("it is there"))];
    assert_eq!(answered(&publishing(Some("The note was published."), &look)), Some(Status::Skipped));
    let again = [calls(&[("2", "publish", json!({"n": 1}))]), result("2", json!("ok"))];
    assert_eq!(answered(&publishing(Some("The note was published."), &again)), None);
    // An answer that the outputSchema refuses was seen: what the agent says of it is its own.
    let strict =
        json!({"name": "publish", "inputSchema": {}, "outputSchema": {"type": "object", "required": ["id"]}});
    let seen = transcript(&[
        calls(&[("1", "publish", json!({}))]),
        result("1", json!({"ok": true})),
        says("assistant", "The note was published."),
    ]);
    let order = calls::Order { listing: Some(Listing::new(&[strict])), ..calls::Order::default() };
    let verdict = calls::judge(&seen, &order);
    assert_eq!((answered(&verdict), verdict.outcome()), (None, Outcome::Failed));
    // Nothing lost, nothing to report.
    let fine =
        transcript(&[calls(&[("1", "a", json!({}))]), result("1", json!("x")), says("assistant", "Done.")]);
    assert_eq!(answered(&calls::judge(&fine, &calls::Order::default())), None);
}
