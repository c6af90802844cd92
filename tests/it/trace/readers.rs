//! What is particular to one format.

use super::{lines, printed, read};
use serde_json::{Value, json};
use verity::trace::{self, Arguments, Fixtures, Outcome};

fn rpc(id: i64, tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

fn answer(id: i64, text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": text}]}})
}

#[test]
fn an_mcp_log_keeps_the_ways_to_fail_apart() {
    let trace = read(&lines(&[
        rpc(1, "a", json!({})),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"isError": true, "content": [{"type": "text", "text": "no stock"}]}}),
        rpc(2, "b", json!({})),
        json!({"jsonrpc": "2.0", "id": 2, "error": {"code": -32602, "message": "bad"}}),
        rpc(3, "c", json!({})),
        rpc(4, "d", json!({})),
        json!({"jsonrpc": "2.0", "id": 4, "result": {"content": [], "structuredContent": {"n": 1}}}),
    ]))
    .unwrap();
    let outcomes: Vec<_> = trace.calls().map(|c| (c.outcome(), c.text())).collect();
    assert_eq!(
        outcomes,
        [
            (Outcome::Refused, "no stock"),
            (Outcome::Protocol, "-32602: bad"),
            (Outcome::Lost, ""),
            (Outcome::Ok, "")
        ]
    );
    assert_eq!(trace.call(3).unwrap().payload(), Some(json!({"n": 1})));
    assert_eq!(trace.call(2).unwrap().payload(), None);
}

#[test]
fn an_mcp_log_has_sessions_directions_and_wrappers() {
    let start = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}});
    // The server asks the client under an id that the client uses as well, and ids begin anew with each session.
    let trace = read(&lines(&[
        start.clone(),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"serverInfo": {}}}),
        json!({"ts": 5, "direction": "out", "message": rpc(2, "ask", json!({"q": 1}))}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "sampling/createMessage", "params": {}}),
        json!({"jsonrpc": "2.0", "id": 2, "result": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "x"}}}),
        json!({"ts": 6, "direction": "in", "message": answer(2, "yes")}),
        start,
        json!({"jsonrpc": "2.0", "id": 1, "result": {"serverInfo": {}}}),
        json!([rpc(2, "ask", json!({"q": 2})), {"jsonrpc": "2.0", "method": "notifications/progress"}]),
        answer(2, "no"),
    ]))
    .unwrap();
    let calls: Vec<_> = trace.calls().map(|c| (c.session(), c.text(), c.line())).collect();
    assert_eq!(calls, [("", "yes", 3), ("session 2", "no", 9)]);
    assert_eq!(printed(&trace)[0]["source"], json!({"line": 3, "pointer": "/message/params"}));
}

#[test]
fn the_listing_of_an_mcp_log_is_all_its_pages_or_none() {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let list = |id: i64, cursor: Option<&str>| json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {"cursor": cursor}});
    let page = |id: i64, name: &str, next: Option<&str>| {
        let mut result = json!({"tools": [tool(name)]});
        if let Some(next) = next {
            result["nextCursor"] = json!(next);
        }
        json!({"jsonrpc": "2.0", "id": id, "result": result})
    };
    let all = [
        list(1, None),
        page(1, "a", Some("2")),
        list(2, Some("2")),
        page(2, "b", None),
        rpc(3, "a", json!({})),
        answer(3, "x"),
    ];
    assert_eq!(read(&lines(&all)).unwrap().listing, Some(vec![tool("a"), tool("b")]));
    let cut = [all[0].clone(), all[1].clone(), all[4].clone(), all[5].clone()];
    assert_eq!(read(&lines(&cut)).unwrap().listing, None);
}

#[test]
fn a_transcript_whose_last_turn_calls_has_not_lost_the_answer() {
    let call = |id: &str| json!({"role": "assistant", "tool_calls": [{"id": id, "type": "function", "function": {"name": "t", "arguments": "{}"}}]});
    let text = |role: &str| json!({"role": role, "content": "x"});
    let outcomes = |messages: &[Value]| {
        read(&json!({ "messages": messages }).to_string())
            .unwrap()
            .calls()
            .map(|c| c.outcome())
            .collect::<Vec<_>>()
    };
    assert_eq!(outcomes(&[text("user"), call("1")]), [Outcome::NotRecorded]);
    assert_eq!(
        outcomes(&[call("1"), text("assistant")]),
        [Outcome::Lost],
        "the conversation went on without it"
    );
    let answered = json!({"role": "tool", "tool_call_id": "1", "content": "ok"});
    assert_eq!(
        outcomes(&[call("1"), answered.clone(), call("1")]),
        [Outcome::Ok, Outcome::NotRecorded],
        "some servers number anew each turn"
    );
    assert_eq!(outcomes(&[call("1"), call("2"), answered]), [Outcome::Ok, Outcome::NotRecorded]);
}

#[test]
fn arguments_that_are_no_json_stay_as_text() {
    let call = |arguments: &str| json!({"id": arguments, "type": "function", "function": {"name": "t", "arguments": arguments}});
    let trace = read(&json!({"messages": [{"role": "assistant", "tool_calls": [call("{\"a\": "), call("[1]"), call(""), call("{\"a\": 1, \"a\": 2}")]}]}).to_string()).unwrap();
    let arguments: Vec<_> = trace.calls().map(|c| c.arguments()).collect();
    assert_eq!(
        arguments,
        [
            Arguments::Text("{\"a\": "),
            Arguments::Value(json!([1])),
            Arguments::Value(json!({})),
            Arguments::Value(json!({"a": 2}))
        ]
    );
    let kinds: Vec<_> = trace.findings.iter().map(|f| (f.kind, f.call)).collect();
    assert_eq!(
        kinds,
        [("arguments-not-json", Some(1)), ("arguments-not-an-object", Some(2)), ("duplicate-key", Some(4))]
    );
    let first = &printed(&trace)[0];
    assert_eq!(first["arguments"], "{\"a\": ");
    assert_eq!(first["findings"][0]["kind"], "arguments-not-json");
}

#[test]
fn sub_agents_know_which_call_started_them() {
    let line = |parent: Option<&str>, id: &str, name: &str| {
        json!({"type": "assistant", "session_id": "s", "parent_tool_use_id": parent,
            "message": {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": name, "input": {}}]}})
    };
    let again = line(Some("t1"), "t2", "mcp__crm__find");
    let trace = read(&lines(&[line(None, "t1", "Task"), again.clone(), again])).unwrap();
    let calls: Vec<_> = trace.calls().map(|c| (c.tool(), c.server(), c.parent())).collect();
    assert_eq!(
        calls,
        [("Task", None, None), ("find", Some("crm"), Some("t1"))],
        "a message that is printed twice is one"
    );
}

#[test]
fn an_inspect_log_has_attachments_and_events_of_sub_agents() {
    let long = "x".repeat(200);
    let log = json!({"version": 2, "eval": {}, "samples": [{"id": 7, "epoch": 2, "attachments": {"h1": long},
        "messages": [{"role": "assistant", "content": "", "tool_calls": [{"id": "a", "function": "delegate", "arguments": {"text": "attachment://h1"}}]},
            {"role": "tool", "tool_call_id": "a", "content": "", "error": {"type": "timeout", "message": "too slow"}}],
        "events": [{"event": "model"}, {"event": "tool", "id": "a", "function": "delegate", "arguments": {}, "events": [
            {"event": "tool", "id": "b", "function": "look", "arguments": {"n": 1}, "result": "attachment://h1"}]}]}]});
    let trace = read(&log.to_string()).unwrap();
    let calls: Vec<_> =
        trace.calls().map(|c| (c.tool(), c.arguments(), c.outcome(), c.text(), c.parent())).collect();
    assert_eq!(
        calls,
        [
            ("delegate", Arguments::Value(json!({"text": long})), Outcome::Refused, "too slow", None),
            ("look", Arguments::Value(json!({"n": 1})), Outcome::Ok, long.as_str(), Some("a")),
        ]
    );
    assert_eq!(trace.call(0).unwrap().session(), "7 epoch 2");
}

#[test]
fn a_dispatchers_calls_are_unwrapped() {
    let row = |argv: &[&str], code: i64| json!({"tool": "shell", "arguments": {"argv": argv}, "result": {"exit_code": code, "stdout": "out", "stderr": "err"}});
    let write = json!({"tool": "write_file", "arguments": {"path": "./late.json", "content": "{\"n\": 2}"}, "result": {"exit_code": 0, "stdout": "", "stderr": ""}});
    let log = lines(&[
        row(&["client", "call", "publish", "--data", "@early.json"], 0),
        write,
        row(&["client", "--endpoint", "x", "call", "--timeout", "5", "publish", "--data=@late.json"], 5),
        row(&["client", "call", "look"], 4),
        row(&["client", "call", "look", "--data", "{"], 1),
        row(&["ls", "-l"], 0),
    ]);
    let files = Fixtures::from([("early.json".to_string(), "{\"n\": 1}".to_string())]);
    let trace = trace::read("log", log.as_bytes(), &files).unwrap();
    let calls: Vec<_> = trace.calls().map(|c| (c.tool(), c.arguments(), c.outcome(), c.text())).collect();
    let value = Arguments::Value;
    assert_eq!(calls[0], ("publish", value(json!({"n": 1})), Outcome::Ok, "out"));
    assert_eq!(calls[2], ("publish", value(json!({"n": 2})), Outcome::Lost, "err"));
    assert_eq!(calls[3], ("look", value(json!({})), Outcome::Rejected, "err"));
    assert_eq!(calls[4], ("look", Arguments::Text("{"), Outcome::Refused, "err"));
    assert_eq!(calls[5].0, "shell", "what calls no tool is a call to the shell");
    let error = trace::read("log", log.as_bytes(), &Fixtures::new()).unwrap_err();
    assert_eq!((error.line, error.help.is_some()), (Some(1), true), "{error}");
}

#[test]
fn langchain_messages_come_in_three_forms() {
    let call = json!({"name": "t", "args": {"a": 1}, "id": "1", "type": "tool_call"});
    let plain = [
        json!({"type": "human", "content": "go"}),
        json!({"type": "ai", "content": "", "tool_calls": [call], "invalid_tool_calls": [{"name": "u", "args": "{a", "id": "2"}]}),
        json!({"type": "tool", "content": "no", "tool_call_id": "1", "status": "error"}),
        json!({"type": "ai", "content": "done"}),
    ];
    let names = ["HumanMessage", "AIMessage", "ToolMessage", "AIMessage"];
    let built: Vec<Value> = plain
        .iter()
        .zip(names)
        .map(|(m, name)| json!({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": m}))
        .collect();
    let below: Vec<Value> = plain.iter().map(|m| json!({"type": m["type"], "data": m})).collect();
    for messages in [plain.to_vec(), built, below] {
        let text = json!({ "messages": messages }).to_string();
        let trace = read(&text).unwrap();
        assert_eq!(trace.format, trace::Format::LangChain, "{text}");
        let calls: Vec<_> = trace.calls().map(|c| (c.tool(), c.arguments(), c.outcome())).collect();
        assert_eq!(
            calls,
            [
                ("t", Arguments::Value(json!({"a": 1})), Outcome::Refused),
                ("u", Arguments::Text("{a"), Outcome::Lost)
            ],
            "{text}"
        );
        assert_eq!(trace.final_answer(), Some("done"));
    }
}

#[test]
fn no_integer_is_rounded() {
    let ids = ["18446744073709551616", "18446744073709551617", "9007199254740993"];
    let text: String = ids
        .iter()
        .enumerate()
        .map(|(i, id)| format!("{{\"jsonrpc\": \"2.0\", \"id\": {i}, \"method\": \"tools/call\", \"params\": {{\"name\": \"t\", \"arguments\": {{\"id\": {id}}}}}}}\n"))
        .collect();
    let trace = read(&text).unwrap();
    let sent: Vec<_> = trace.calls().map(|c| c.arguments()).collect();
    assert_eq!(
        sent,
        [
            Arguments::Value(json!({"id": ids[0]})),
            Arguments::Value(json!({"id": ids[1]})),
            Arguments::Value(json!({"id": 9_007_199_254_740_993_u64}))
        ]
    );
    let finding = trace.findings.iter().find(|f| f.kind == "integer-as-text").unwrap();
    assert!(finding.line == 1 && finding.message.contains(ids[0]), "{finding:?}");
    // In arguments that are JSON text, too.
    let chat = json!({"messages": [{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "t", "arguments": format!("{{\"id\": {}}}", ids[1])}}]}]});
    assert_eq!(
        read(&chat.to_string()).unwrap().call(0).unwrap().arguments(),
        Arguments::Value(json!({"id": ids[1]}))
    );
}
