//! What documents mean for recordings.

use super::*;
use verity::grade::verdict::Outcome;

/// Look up an order and its stock at once, answered in the other order; refund; a last word.
fn shop() -> Trace {
    transcript(&[
        says("user", "Refund order 17, please."),
        calls(&[
            ("a", "get_order", json!({"id": 17, "opts": {"lang": "en", "deep": true}})),
            ("b", "get_stock", json!({"sku": "K-1"})),
        ]),
        result("b", json!({"units": 4})),
        result("a", json!({"status": "shipped", "lines": [{"sku": "K-1", "n": 1}, {"sku": "K-2", "n": 2}]})),
        says("assistant", "One moment."),
        calls(&[("c", "refund", json!({"order": 17, "amount": 12.50, "reason": "damaged"}))]),
        result("c", json!({"refund": "R-9"})),
        says("assistant", "Refund R-9 of 12.50 is on its way."),
    ])
}

const ALL: &str = "
session: refund
behaviors:
  - {actor: user, action: says, content: refund}
  - {actor: assistant, action: calls, target: get_order, with: {id: 17.0, opts: {deep: true}}}
  - actor: assistant
    action: calls
    target: get_stock
    with_only: {sku: K-1}
  - {actor: tool, action: responds, target: get_order, content: {status: any, lines: [{sku: x, n: 0}]}}
  - {actor: tool, action: responds, target: get_stock, content: {units: 0}}
  - {actor: assistant, action: calls, target: refund, with: {order: 17, amount: {$range: [12, 13]}}}
  - {actor: assistant, action: informs, content: done, evaluations: [{type: contains, value: r-9}, {type: regex, pattern: '[0-9]+\\.50'}]}
";

#[test]
fn a_session_that_was_followed_passes() {
    let verdict = judge(ALL, &shop());
    assert_eq!(open(&verdict), []);
    assert_eq!(verdict.outcome(), Outcome::Passed);
    // Six steps beside the user's, two evaluations, four checks of the calls.
    assert_eq!(verdict.checks.len(), 12);
    let last = verdict.checks.iter().find(|c| c.id == "step-6").unwrap();
    assert_eq!(last.calls, [3]);
}

#[test]
fn each_way_to_differ_fails_its_own_check() {
    let fails = |from: &str, to: &str, ids: &[&str]| {
        assert!(ALL.contains(from), "{from}");
        let verdict = judge(&ALL.replace(from, to), &shop());
        let failed: Vec<_> = open(&verdict).into_iter().map(|(id, _)| id).collect();
        assert_eq!(failed, ids, "{to}: {:#?}", verdict.checks);
        assert_eq!(verdict.outcome(), Outcome::Failed);
    };
    fails("deep: true", "deep: false", &["step-2", "step-4"]);
    fails("deep: true", "deeper: true", &["step-2", "step-4"]);
    fails("id: 17.0", "id: '17'", &["step-2", "step-4"]);
    fails("{sku: K-1}\n", "{}\n", &["step-3", "step-5"]);
    fails("status: any", "status: 1", &["step-4"]);
    fails("n: 0", "n: none", &["step-4"]);
    fails("units: 0", "unit: 0", &["step-5"]);
    fails("[12, 13]", "[13, 14]", &["step-6"]);
    fails("value: r-9", "value: r-8", &["step-7/eval-1"]);
    fails("[0-9]+\\.50", "^[0-9]+\\.50", &["step-7/eval-2"]);
}

#[test]
fn a_call_that_is_missing_is_told_with_the_nearest() {
    let expect =
        |behavior: &str| format!("session: s\nbehaviors: [{{actor: assistant, action: calls, {behavior}}}]");
    let said = |behavior: &str| message(&judge(&expect(behavior), &shop()), "step-1").to_string();
    assert_eq!(
        said("target: refund, with: {order: 17, amount: 12.51}"),
        "no call to `refund` is as expected; nearest is call 3: `/amount` is 12.5; expected 12.51 (another number)"
    );
    assert_eq!(said("target: refunds"), "`refunds` was not called; `refund` was");
    assert!(
        said("target: zzz")
            .starts_with("`zzz` was not called; called were `get_order`, `get_stock`, `refund`")
    );
    let order = "session: s\nbehaviors:\n- {actor: assistant, action: calls, target: refund}\n- {actor: assistant, action: calls, target: get_stock}";
    assert_eq!(
        message(&judge(order, &shop()), "step-2"),
        "call 2 fits, but comes before what has to come before it"
    );
    let twice = "session: s\nbehaviors:\n- {actor: assistant, action: calls, target: refund}\n- {actor: assistant, action: calls, target: refund}";
    assert!(
        message(&judge(twice, &shop()), "step-2")
            .starts_with("one call too few: call 3, which fits, is step 1")
    );
}

#[test]
fn calls_in_any_order_are_matched_as_many_as_possible() {
    let group = |rest: &str| {
        format!(
            "session: s\nbehaviors:\n- {{actor: assistant, action: calls, target: t}}\n- {{actor: assistant, action: calls, target: t, with: {{a: 1}}, evaluations: [{{type: tool_call, ordered: false}}]}}\n{rest}"
        )
    };
    let trace = |arguments: &[Value]| {
        let rows: Vec<_> = arguments
            .iter()
            .map(|a| (if a.get("u").is_some() { "u" } else { "t" }, a.clone(), ok()))
            .collect();
        log(&rows)
    };
    for two in [[json!({"a": 1}), json!({"b": 1})], [json!({"b": 1}), json!({"a": 1})]] {
        assert_eq!(open(&judge(&group(""), &trace(&two))), []);
    }
    let one = judge(&group(""), &trace(&[json!({"a": 1})]));
    assert_eq!(
        open(&one),
        [("step-2", Status::Failed), ("step-2/eval-1", Status::Failed)],
        "one call is not two"
    );
    // What follows the group follows all of it.
    let after = group("- {actor: user, action: says}\n- {actor: assistant, action: calls, target: u}");
    assert_eq!(open(&judge(&after, &trace(&[json!({"a": 1}), json!({"b": 1}), json!({"u": 1})]))), []);
    assert_eq!(
        open(&judge(&after, &trace(&[json!({"a": 1}), json!({"u": 1}), json!({"b": 1})]))),
        [("step-4", Status::Failed)]
    );
    // The group takes no more of the run than it needs.
    assert_eq!(
        open(&judge(&after, &trace(&[json!({"a": 1}), json!({"b": 1}), json!({"u": 1}), json!({"a": 1})]))),
        []
    );
}

#[test]
fn a_retry_that_succeeds_is_the_call_that_is_meant() {
    let refused = json!({"result": {"isError": true, "content": [{"type": "text", "text": "busy"}]}});
    let good = json!({"result": {"content": [{"type": "text", "text": "{\"n\": 1}"}]}});
    let trace = log(&[("t", json!({"a": 1}), refused), ("t", json!({"a": 1}), good)]);
    let yaml = "session: s\nx-verity: {faults: {t: refused}}\nbehaviors:\n- {actor: assistant, action: calls, target: t, with: {a: 1}}\n- {actor: tool, action: responds, target: t, content: {n: 5}}";
    let verdict = judge(yaml, &trace);
    assert_eq!(open(&verdict), []);
    assert_eq!(verdict.checks[0].calls, [2]);
}

#[test]
fn optional_steps_may_be_left_out_and_take_others_with_them() {
    let yaml = "
session: s
behaviors:
  - {id: ask, actor: assistant, action: calls, target: confirm, optional: true}
  - {actor: assistant, action: calls, target: log, requires: ask}
  - {actor: assistant, action: calls, target: send}
evaluations:
  - {type: expected, behavior: ask, when: '{{must}} == true', after: {actor: assistant, action: calls, target: look}}
";
    let run = |tools: &[&str], must: bool| {
        let rows: Vec<_> = tools.iter().map(|t| (*t, json!({}), ok())).collect();
        let verdict = judge_with(yaml, &log(&rows), &[("must", json!(must))], None);
        open(&verdict).iter().map(|(id, s)| format!("{id} {}", s.word())).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(run(&["send"], false), "step-1 skipped, step-2 skipped, session/eval-1 skipped");
    assert_eq!(run(&["confirm", "log", "send"], false), "session/eval-1 skipped");
    // An optional step that comes too late must not take the place of one that has to come.
    assert_eq!(run(&["send", "confirm"], false), "step-1 skipped, step-2 skipped, session/eval-1 skipped");
    assert_eq!(run(&["confirm", "send"], false), "step-1 skipped, step-2 skipped, session/eval-1 skipped");
    assert_eq!(run(&["look", "confirm", "log", "send"], true), "");
    assert_eq!(run(&["confirm", "log", "send"], true), "session/eval-1 failed");
    assert_eq!(run(&["send"], true), "step-1 skipped, step-2 skipped, session/eval-1 failed");
}

#[test]
fn evaluations_of_the_whole_session() {
    let passes = |evaluation: &str| {
        let yaml =
            format!("session: s\nbehaviors: [{{actor: user, action: says}}]\nevaluations: [{evaluation}]");
        let verdict = judge(&yaml, &shop());
        verdict.checks[0].status == Status::Passed
    };
    let call = |target: &str| format!("{{actor: assistant, action: calls, target: {target}}}");
    for good in [
        format!("{{type: eventually, match: {}}}", call("refund")),
        format!("{{type: never, match: {}}}", call("delete")),
        "{type: count, match: {actor: assistant, action: calls}, min: 3, max: 3}".to_string(),
        "{type: count, match: {actor: tool, action: responds}, min: 3}".to_string(),
        "{type: count, match: {actor: assistant, action: informs}, max: 2}".to_string(),
        format!("{{type: sequence, order: [{}, {{actor: assistant, action: says}}, {}]}}", call("get_stock"), call("refund")),
        format!("{{type: within, after: {}, match: {{actor: tool, target: get_order}}, max_steps: 3}}", call("get_order")),
        "{type: tool_call, target: get_order, with: {id: 17}}".to_string(),
        "{type: tool_call, target: get_order, with: {id: 17}, every: true}".to_string(),
        "{type: contains, value: on its way}".to_string(),
        "{type: any_of, evaluations: [{type: contains, value: nope}, {type: contains, value: R-9}]}".to_string(),
        "{type: none_of, evaluations: [{type: contains, value: nope}, {type: contains, value: nix}]}".to_string(),
        "{type: all_of, threshold: 0.5, evaluations: [{type: contains, value: nope}, {type: contains, value: R-9}]}".to_string(),
    ] {
        assert!(passes(&good), "{good}");
    }
    for bad in [
        format!("{{type: eventually, match: {}}}", call("delete")),
        format!("{{type: never, match: {}}}", call("refund")),
        "{type: count, match: {actor: assistant, action: calls}, max: 2}".to_string(),
        format!("{{type: sequence, order: [{}, {}]}}", call("refund"), call("get_stock")),
        format!("{{type: within, after: {}, match: {}, max_steps: 3}}", call("get_order"), call("refund")),
        "{type: tool_call, target: get_order, with: {id: 18}}".to_string(),
        "{type: tool_call, target: get_order, with_only: {id: 17}}".to_string(),
        "{type: contains, value: One moment}".to_string(),
        "{type: all_of, evaluations: [{type: contains, value: nope}, {type: contains, value: R-9}]}"
            .to_string(),
        "{type: none_of, evaluations: [{type: contains, value: nope}, {type: contains, value: R-9}]}"
            .to_string(),
        "{type: any_of, evaluations: [{type: contains, value: nope}]}".to_string(),
    ] {
        assert!(!passes(&bad), "{bad}");
    }
}

#[test]
fn evaluations_of_steps_look_at_what_the_step_was() {
    let verdict = |evaluation: &str| {
        let yaml = format!(
            "session: s\nbehaviors:\n- {{actor: assistant, action: calls, target: refund, evaluations: [{evaluation}]}}\n- {{actor: tool, action: responds, target: refund, evaluations: [{{type: schema, schema: {{required: [refund], properties: {{refund: {{pattern: '^R-'}}}}, additionalProperties: false}}}}]}}"
        );
        judge(&yaml, &shop())
    };
    assert_eq!(open(&verdict("{type: exact_match, value: {reason: damaged, order: 17, amount: 12.5}}")), []);
    assert_eq!(
        open(&verdict("{type: schema, schema: {required: [order], properties: {amount: {maximum: 12}}}}")),
        [("step-1/eval-1", Status::Failed)]
    );
    let said = verdict("{type: schema, schema: {properties: {amount: {maximum: 12}}}}");
    assert!(message(&said, "step-1/eval-1").contains("`maximum` at /amount"), "{said:#?}");
}

#[test]
fn placeholders_keep_the_type_of_their_value() {
    let yaml = "
session: s
behaviors:
  - {actor: user, action: says, content: 'order {{order}}', capture: {reason: damaged}}
  - actor: assistant
    action: calls
    target: refund
    with: {order: '{{order}}', reason: '{{reason}}'}
  - actor: assistant
    action: informs
    evaluations: [{type: contains, value: 'R-{{n}}'}]
evaluations: [{type: variable_consistency, variable: reason}, {type: variable_consistency, variable: order}]
";
    let with = |order: Value| judge_with(yaml, &shop(), &[("order", order), ("n", json!(9))], None);
    assert_eq!(open(&with(json!(17))), []);
    assert_eq!(
        open(&with(json!("17"))).iter().map(|(id, _)| *id).collect::<Vec<_>>(),
        ["step-2", "session/eval-1", "session/eval-2"]
    );
}

#[test]
fn what_depends_on_a_blocking_failure_is_not_called_wrong() {
    let yaml = "
session: s
behaviors:
  - actor: tool
    action: responds
    target: refund
    capture: {refund: R-9}
    evaluations: [{type: contains, value: nope, blocking: true}]
  - actor: assistant
    action: calls
    target: notify
    with: {id: '{{refund}}'}
  - {actor: assistant, action: calls, target: other}
";
    let verdict = judge(yaml, &shop());
    assert_eq!(
        open(&verdict),
        [("step-1/eval-1", Status::Failed), ("step-2", Status::Inconclusive), ("step-3", Status::Failed)]
    );
}

#[test]
fn fragments_and_several_documents() {
    let yaml = "
session: first
fragments:
  look: [{actor: assistant, action: calls, target: get_order}, {include: more}]
  more: [{actor: assistant, action: calls, target: get_stock}]
behaviors: [{include: look}, {actor: assistant, action: calls, target: refund}]
---
session: \"second --- part\"
behaviors: [{actor: assistant, action: calls, target: refunds}]
---
";
    let verdict = judge(yaml, &shop());
    let checks: Vec<_> = verdict
        .checks
        .iter()
        .filter_map(|c| Some((c.session.as_deref()?, c.id.as_str(), c.status)))
        .collect();
    assert_eq!(
        checks,
        [
            ("first", "step-1", Status::Passed),
            ("first", "step-2", Status::Passed),
            ("first", "step-3", Status::Passed),
            ("second --- part", "step-1", Status::Failed)
        ]
    );
}

#[test]
fn calls_beside_the_expected_ones() {
    let yaml = |settings: &str| {
        format!(
            "session: s\nx-verity: {{{settings}}}\nbehaviors: [{{actor: assistant, action: calls, target: Refunds}}]"
        )
    };
    let tools = [
        json!({"name": "get_order", "annotations": {"readOnlyHint": true}}),
        json!({"name": "get_stock"}),
        json!({"name": "refund"}),
    ];
    let of = |settings: &str| {
        open(&judge_with(&yaml(settings), &shop(), &[], Some(Listing::new(&tools))))
            .iter()
            .map(|(id, _)| id.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("tools: {Refunds: refund}"), Vec::<String>::new());
    assert_eq!(of("tools: {Refunds: refund}, extra_calls: forbid"), ["extra-calls"]);
    assert_eq!(
        of("tools: {Refunds: refund}, extra_calls: allow-readonly"),
        ["extra-calls"],
        "get_stock is not marked read-only"
    );
    let verdict = judge_with(&yaml(""), &shop(), &[], Some(Listing::new(&tools)));
    assert_eq!(verdict.notes.len(), 1);
    assert!(verdict.notes[0].contains("did you mean `refund`"), "{:?}", verdict.notes);
}

#[test]
fn what_the_recording_does_not_hold_is_no_failure_and_no_pass() {
    let span = |arguments: Option<&str>| {
        let mut attributes = vec![
            json!({"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}}),
            json!({"key": "gen_ai.tool.name", "value": {"stringValue": "t"}}),
        ];
        attributes.extend(
            arguments.map(|a| json!({"key": "gen_ai.tool.call.arguments", "value": {"stringValue": a}})),
        );
        let spans = json!([{"traceId": "1", "spanId": "2", "name": "execute_tool t", "startTimeUnixNano": "1", "endTimeUnixNano": "2", "attributes": attributes}]);
        let text = json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).to_string();
        trace::read("log", text.as_bytes(), &Fixtures::new()).unwrap()
    };
    let yaml = "session: s\nbehaviors: [{actor: assistant, action: calls, target: t, with: {a: 1}}]";
    let unknown = judge(yaml, &span(None));
    assert_eq!((unknown.outcome(), open(&unknown)), (Outcome::Error, vec![("step-1", Status::Inconclusive)]));
    assert_eq!(judge(yaml, &span(Some("{\"a\": 2}"))).outcome(), Outcome::Failed);
    assert_eq!(judge(yaml, &span(Some("{\"a\": 1}"))).outcome(), Outcome::Passed);
    // Spans hold no texts, so that there was none cannot be told.
    let says = "session: s\nbehaviors: [{actor: assistant, action: informs}]\nevaluations: [{type: never, match: {actor: assistant, action: says}}]";
    let verdict = judge(says, &span(None));
    assert_eq!(open(&verdict), [("step-1", Status::Inconclusive), ("session/eval-1", Status::Inconclusive)]);
}

#[test]
fn each_run_of_a_recording_is_judged_by_itself() {
    let row = |n: i64| json!({"response": {"output": [{"type": "function", "id": "c", "function": {"name": "t", "arguments": json!({"n": n}).to_string()}}]}});
    let text = json!({"evalId": "e", "results": {"version": 3, "results": [row(1), row(2)]}}).to_string();
    let trace = trace::read("log", text.as_bytes(), &Fixtures::new()).unwrap();
    let verdict =
        judge("session: s\nbehaviors: [{actor: assistant, action: calls, target: t, with: {n: 1}}]", &trace);
    let steps: Vec<_> =
        verdict.checks.iter().filter(|c| c.id == "step-1").map(|c| (c.run.as_deref(), c.status)).collect();
    assert_eq!(steps, [(Some("row 1"), Status::Passed), (Some("row 2"), Status::Failed)]);
}

/// The documented verdicts beside the repository.
#[test]
fn shared_cases_are_judged_as_documented() {
    let Some(path) = crate::support::shared("traces/match-cases.jsonl") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let cases: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let mut judged = 0;
    for case in cases.iter().filter(|c| c.get("trace").is_some() && c["status"] != "error") {
        let trace = trace::read("log", case["trace"].to_string().as_bytes(), &Fixtures::new()).unwrap();
        let variables: Vec<(&str, Value)> =
            case["vars"].as_object().into_iter().flatten().map(|(k, v)| (k.as_str(), v.clone())).collect();
        let verdict = judge_with(&case["expect"].to_string(), &trace, &variables, None);
        assert_eq!(
            verdict.outcome().word(),
            case["status"].as_str().unwrap(),
            "{}: {:#?}",
            case["id"],
            verdict.checks
        );
        judged += 1;
    }
    assert!(judged > 15);
}

/// Calls to `a`, `b` and `c`, in the order of `called`; each with its answer.
fn called(called: &[&str]) -> Trace {
    let rows: Vec<_> =
        called.iter().map(|tool| (*tool, json!({"n": 1, "stamp": tool.len()}), ok())).collect();
    log(&rows)
}

#[test]
fn the_calls_as_a_whole_under_the_names_that_others_use() {
    use verity::grade::verdict::Outcome;
    let passes = |matching: &str, trace: &[&str]| {
        let yaml = format!(
            "session: s\nx-verity: {{matching: {matching}}}\nbehaviors:\n  - {{actor: assistant, action: calls, target: a}}\n  - {{actor: tool, action: responds, target: a, content: done}}\n  - {{actor: assistant, action: calls, target: b, with: {{n: 1}}}}\n"
        );
        judge(&yaml, &called(trace)).outcome() == Outcome::Passed
    };
    let runs: [&[&str]; 6] =
        [&["a", "b"], &["b", "a"], &["a", "c", "b"], &["b", "c", "a"], &["a"], &["a", "a"]];
    let wanted = [
        (["strict", "exact-order"], [true, false, false, false, false, false]),
        (["in_order", "contains-in-order"], [true, false, true, false, false, false]),
        (["unordered", "same-tools"], [true, true, false, false, false, false]),
        (["subset", "no-others"], [true, true, false, false, true, false]),
        (["superset", "at-least"], [true, true, true, true, false, false]),
    ];
    for (names, wanted) in wanted {
        for name in names {
            let got = runs.map(|run| passes(name, run));
            assert_eq!(got, wanted, "{name}");
        }
    }
    // The loose one gives way to the strict one, whatever their order.
    let yaml = "session: s\nx-verity: {matching: superset}\nbehaviors:\n  - {actor: assistant, action: calls, target: a}\n  - {actor: assistant, action: calls, target: a, with: {n: 1}}\n";
    let trace = log(&[("a", json!({"n": 1}), ok()), ("a", json!({"n": 2}), ok())]);
    assert_eq!(judge(yaml, &trace).outcome(), Outcome::Passed);
    // What a document says of extra calls goes before what its matching implies.
    let yaml = "session: s\nx-verity: {matching: strict, extra_calls: allow}\nbehaviors: [{actor: assistant, action: calls, target: a}]";
    assert_eq!(judge(yaml, &called(&["a", "c"])).outcome(), Outcome::Passed);
}

#[test]
fn places_that_are_not_compared_and_defaults_of_the_listing() {
    use verity::grade::verdict::Outcome;
    let judge = |settings: &str, with: &str, sent: Value| {
        let yaml = format!(
            "session: s\nx-verity: {{{settings}}}\nbehaviors: [{{actor: assistant, action: calls, target: t, {with}}}]"
        );
        let schema = json!({"type": "object", "properties": {"q": {"type": "string"}, "limit": {"type": "integer", "default": 10},
            "page": {"type": "object", "properties": {"size": {"default": 5}}}}});
        let listing = Listing::new(&[json!({"name": "t", "inputSchema": schema})]);
        judge_with(&yaml, &log(&[("t", sent, ok())]), &[], Some(listing)).outcome() == Outcome::Passed
    };
    let exact = "with_only: {q: x, request: {id: 1, kind: y}}";
    let sent = json!({"q": "x", "request": {"id": 2, "kind": "y"}});
    assert!(!judge("", exact, sent.clone()));
    for place in ["/request/id", "/request/*", "/**/id", "/*/id"] {
        assert!(judge(&format!("ignore: ['{place}']"), exact, sent.clone()), "{place}");
    }
    assert!(!judge("ignore: ['/id']", exact, sent.clone()));
    // What is ignored may be missing, or be there unasked.
    assert!(judge("ignore: ['/request']", "with_only: {q: x}", sent));
    assert!(judge("ignore: [/items/*/at]", "with: {items: [{n: 1, at: 5}]}", json!({"items": [{"n": 1}]})));
    let defaults = "defaults: true";
    assert!(!judge("", "with: {q: x, limit: 10}", json!({"q": "x"})));
    assert!(judge(defaults, "with: {q: x, limit: 10}", json!({"q": "x"})));
    assert!(judge(defaults, "with_only: {q: x}", json!({"q": "x", "limit": 10})));
    assert!(!judge(defaults, "with_only: {q: x}", json!({"q": "x", "limit": 11})));
    assert!(!judge(defaults, "with: {q: x, limit: 11}", json!({"q": "x"})));
    assert!(judge(defaults, "with: {q: x}", json!({"q": "x", "limit": 11})), "not asked for");
    assert!(judge(defaults, "with_only: {page: {}}", json!({"page": {"size": 5}})), "at every depth");
}
