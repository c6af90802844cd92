//! Property: what is written in a format is read back.

use super::{lines, read};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use verity::trace::{Arguments, Format, Outcome, Trace};

/// A call as every format can hold it.
#[derive(Debug, Clone)]
struct Sent {
    tool: String,
    arguments: Value,
    answer: Option<String>,
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e6..1e6f64).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((".{0,6}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn sent() -> impl Strategy<Value = Vec<Sent>> {
    let arguments = prop::collection::vec(("[a-z]{1,6}", value()), 0..4)
        .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>()));
    let answer = prop::option::of("[ -~é\n\"]{1,20}");
    let one = ("[a-z_]{1,10}", arguments, answer).prop_map(|(tool, arguments, answer)| Sent {
        tool,
        arguments,
        answer,
    });
    prop::collection::vec(one, 1..6)
}

/// The calls come back in order, and the answers with them; those without one are `missing`.
fn check(trace: &Trace, format: Format, sent: &[Sent], missing: Outcome) {
    assert_eq!(trace.format, format);
    assert_eq!(trace.len(), sent.len());
    for (call, sent) in trace.calls().zip(sent) {
        assert_eq!(call.tool(), sent.tool);
        assert_eq!(call.arguments(), Arguments::Value(sent.arguments.clone()));
        match &sent.answer {
            Some(text) => assert_eq!((call.outcome(), call.text()), (Outcome::Ok, text.as_str())),
            None => assert_eq!((call.outcome(), call.text()), (missing, "")),
        }
    }
    // As rows, too.
    let rows: String = trace.rows().map(|row| format!("{row}\n")).collect();
    let again = read(&rows).unwrap();
    assert!(again.format == format && again.rows().eq(trace.rows()));
}

fn id(i: usize) -> String {
    format!("call_{i}")
}

/// All calls in one turn, and their answers from the last to the first: position must not matter.
fn answered(sent: &[Sent]) -> impl Iterator<Item = (String, &str)> {
    sent.iter().enumerate().rev().filter_map(|(i, s)| Some((id(i), s.answer.as_deref()?)))
}

fn mcp(sent: &[Sent]) -> String {
    let calls = sent.iter().enumerate().map(|(i, s)| {
        json!({"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": {"name": s.tool, "arguments": s.arguments}})
    });
    let answers = sent.iter().enumerate().rev().filter_map(|(i, s)| {
        let text = s.answer.as_ref()?;
        // An id as text answers the same number.
        Some(json!({"jsonrpc": "2.0", "id": i.to_string(), "result": {"content": [{"type": "text", "text": text}]}}))
    });
    lines(&calls.chain(answers).collect::<Vec<_>>())
}

fn chat_call(i: usize, s: &Sent) -> Value {
    json!({"id": id(i), "type": "function", "function": {"name": s.tool, "arguments": s.arguments.to_string()}})
}

fn openai(sent: &[Sent]) -> Value {
    let calls: Vec<Value> = sent.iter().enumerate().map(|(i, s)| chat_call(i, s)).collect();
    let mut messages = vec![
        json!({"role": "user", "content": "go"}),
        json!({"role": "assistant", "content": null, "tool_calls": calls}),
    ];
    messages.extend(
        answered(sent).map(|(id, text)| json!({"role": "tool", "tool_call_id": id, "content": text})),
    );
    json!({ "messages": messages })
}

/// The same as a stream whose parts are cut anywhere.
fn langchain(sent: &[Sent]) -> Value {
    let call = |(i, s): (usize, &Sent)| json!({"type": "tool_call", "id": id(i), "name": s.tool, "args": s.arguments});
    let calls: Vec<Value> = sent.iter().enumerate().map(call).collect();
    let mut messages = vec![
        json!({"type": "human", "content": "go"}),
        json!({"type": "ai", "content": [{"type": "tool_use", "id": "call_0", "name": "t", "input": {}}], "tool_calls": calls}),
    ];
    messages.extend(
        answered(sent).map(
            |(id, text)| json!({"type": "tool", "tool_call_id": id, "content": text, "status": "success"}),
        ),
    );
    json!({ "messages": messages })
}

fn openai_chunks(sent: &[Sent], width: usize) -> String {
    let mut out = String::new();
    let mut push = |delta: Value| {
        let chunk =
            json!({"id": "x", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]});
        out.push_str(&format!("data: {chunk}\n\n"));
    };
    push(json!({"role": "assistant", "content": ""}));
    for (i, s) in sent.iter().enumerate() {
        push(
            json!({"tool_calls": [{"index": i, "id": id(i), "type": "function", "function": {"name": s.tool, "arguments": ""}}]}),
        );
        for part in s.arguments.to_string().chars().collect::<Vec<_>>().chunks(width) {
            let part: String = part.iter().collect();
            push(json!({"tool_calls": [{"index": i, "function": {"arguments": part}}]}));
        }
    }
    out.push_str("data: [DONE]\n\n");
    out
}

fn responses(sent: &[Sent]) -> Value {
    let calls = sent.iter().enumerate().map(|(i, s)| {
        json!({"type": "function_call", "call_id": id(i), "name": s.tool, "arguments": s.arguments.to_string()})
    });
    let answers = answered(sent)
        .map(|(id, text)| json!({"type": "function_call_output", "call_id": id, "output": text}));
    json!({"object": "response", "output": calls.chain(answers).collect::<Vec<_>>()})
}

fn responses_events(sent: &[Sent], width: usize) -> String {
    let mut out = String::new();
    let mut push = |event: Value| {
        out.push_str(&format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()))
    };
    for (i, s) in sent.iter().enumerate() {
        let item = |text: &str| json!({"type": "function_call", "id": format!("fc_{i}"), "call_id": id(i), "name": s.tool, "arguments": text});
        push(json!({"type": "response.output_item.added", "output_index": i, "item": item("")}));
        let text = s.arguments.to_string();
        for part in text.chars().collect::<Vec<_>>().chunks(width) {
            let part: String = part.iter().collect();
            push(
                json!({"type": "response.function_call_arguments.delta", "item_id": format!("fc_{i}"), "delta": part}),
            );
        }
        // Every other item is left without its `done`: the parts are all there is.
        if i % 2 == 0 {
            push(json!({"type": "response.output_item.done", "output_index": i, "item": item(&text)}));
        }
    }
    out
}

fn blocks(sent: &[Sent], prefix: &str) -> Vec<Value> {
    let block = |(i, s): (usize, &Sent)| json!({"type": "tool_use", "id": id(i), "name": format!("{prefix}{}", s.tool), "input": s.arguments});
    sent.iter().enumerate().map(block).collect()
}

fn results(sent: &[Sent]) -> Vec<Value> {
    let block = |(id, text): (String, &str)| json!({"type": "tool_result", "tool_use_id": id, "content": [{"type": "text", "text": text}]});
    answered(sent).map(block).collect()
}

fn anthropic(sent: &[Sent]) -> Value {
    json!({"messages": [{"role": "user", "content": "go"}, {"role": "assistant", "content": blocks(sent, "")},
        {"role": "user", "content": results(sent)}]})
}

fn anthropic_events(sent: &[Sent], width: usize) -> String {
    let mut all = vec![json!({"type": "message_start", "message": {"role": "assistant", "content": []}})];
    for (i, s) in sent.iter().enumerate() {
        all.push(json!({"type": "content_block_start", "index": i, "content_block": {"type": "tool_use", "id": id(i), "name": s.tool, "input": {}}}));
        for part in s.arguments.to_string().chars().collect::<Vec<_>>().chunks(width) {
            let part: String = part.iter().collect();
            all.push(json!({"type": "content_block_delta", "index": i, "delta": {"type": "input_json_delta", "partial_json": part}}));
        }
        all.push(json!({"type": "content_block_stop", "index": i}));
    }
    all.push(json!({"type": "message_stop"}));
    lines(&all)
}

fn claude(sent: &[Sent]) -> String {
    lines(&[
        json!({"type": "system", "subtype": "init", "session_id": "s", "mcp_servers": [{"name": "my.shop", "status": "connected"}]}),
        json!({"type": "assistant", "session_id": "s", "message": {"role": "assistant", "content": blocks(sent, "mcp__my_shop__")}}),
        json!({"type": "user", "session_id": "s", "message": {"role": "user", "content": results(sent)}}),
        json!({"type": "result", "subtype": "success", "session_id": "s", "result": "done"}),
    ])
}

fn any_value(value: &Value) -> Value {
    match value {
        Value::Null => json!({}),
        Value::Bool(b) => json!({ "boolValue": b }),
        Value::Number(n) if n.is_f64() => json!({ "doubleValue": n }),
        Value::Number(n) => json!({ "intValue": n.to_string() }),
        Value::String(s) => json!({ "stringValue": s }),
        Value::Array(items) => {
            json!({"arrayValue": {"values": items.iter().map(any_value).collect::<Vec<_>>()}})
        }
        Value::Object(members) => {
            let pairs: Vec<Value> =
                members.iter().map(|(k, v)| json!({"key": k, "value": any_value(v)})).collect();
            json!({"kvlistValue": {"values": pairs}})
        }
    }
}

/// Spans in no order; arguments as text or as a structure; an MCP client's span below every other one.
fn otlp(sent: &[Sent]) -> Value {
    let mut spans = Vec::new();
    for (i, s) in sent.iter().enumerate() {
        let arguments = if i % 2 == 0 {
            any_value(&s.arguments)
        } else {
            json!({"stringValue": s.arguments.to_string()})
        };
        let attribute = |key: &str, value: Value| json!({"key": key, "value": value});
        let mut attributes = vec![
            attribute("gen_ai.operation.name", json!({"stringValue": "execute_tool"})),
            attribute("gen_ai.tool.name", json!({"stringValue": s.tool})),
            attribute("gen_ai.tool.call.arguments", arguments),
        ];
        if let Some(text) = &s.answer {
            attributes.push(attribute("gen_ai.tool.call.result", json!({"stringValue": text})));
        }
        let end = if s.answer.is_some() { json!((i * 100 + 1099).to_string()) } else { json!("0") };
        spans.push(json!({"traceId": "t", "spanId": format!("s{i}"), "name": "execute_tool", "startTimeUnixNano": (i * 100 + 999).to_string(),
            "endTimeUnixNano": end, "attributes": attributes}));
        if i % 2 == 1 {
            let attributes = [
                attribute("mcp.method.name", json!({"stringValue": "tools/call"})),
                attribute("gen_ai.tool.name", json!({"stringValue": s.tool})),
            ];
            spans.push(json!({"traceId": "t", "spanId": format!("m{i}"), "parentSpanId": format!("s{i}"), "name": "tools/call",
                "startTimeUnixNano": (i * 100 + 1000).to_string(), "attributes": attributes}));
        }
    }
    spans.reverse();
    json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
}

fn promptfoo(sent: &[Sent]) -> Value {
    let call = |(i, s): (usize, &Sent)| json!({"id": id(i), "name": s.tool, "input": s.arguments, "output": s.answer, "is_error": false, "parentToolUseId": null});
    let calls: Vec<Value> = sent.iter().enumerate().map(call).collect();
    json!({"evalId": "e", "results": {"version": 3, "results": [{"response": {"output": "done", "metadata": {"toolCalls": calls}}}]}})
}

fn inspect(sent: &[Sent]) -> Value {
    let call = |(i, s): (usize, &Sent)| json!({"id": id(i), "function": s.tool, "arguments": s.arguments, "type": "function"});
    let calls: Vec<Value> = sent.iter().enumerate().map(call).collect();
    let mut messages = vec![json!({"role": "assistant", "content": "", "tool_calls": calls})];
    messages.extend(
        answered(sent).map(|(id, text)| json!({"role": "tool", "tool_call_id": id, "content": text})),
    );
    json!({"version": 2, "eval": {}, "samples": [{"id": "a", "epoch": 1, "messages": messages}]})
}

fn atif(sent: &[Sent]) -> Value {
    let call = |(i, s): (usize, &Sent)| json!({"tool_call_id": id(i), "function_name": s.tool, "arguments": s.arguments});
    let calls: Vec<Value> = sent.iter().enumerate().map(call).collect();
    let results: Vec<Value> =
        answered(sent).map(|(id, text)| json!({"source_call_id": id, "content": text})).collect();
    json!({"schema_version": "ATIF-v1.4", "session_id": "s", "steps": [{"source": "agent", "message": "", "tool_calls": calls,
        "observation": {"results": results}}]})
}

fn tooltrace(sent: &[Sent]) -> String {
    let mut seq = 0;
    let mut event = |kind: &str, payload: Value| {
        seq += 1;
        json!({"schema_version": 1, "seq": seq, "type": kind, "payload": payload})
    };
    let mut all: Vec<Value> = sent
        .iter()
        .enumerate()
        .map(|(i, s)| event("tool_request", json!({"call_id": id(i), "tool": s.tool, "args": s.arguments})))
        .collect();
    all.extend(
        answered(sent)
            .map(|(id, text)| event("tool_result", json!({"call_id": id, "ok": true, "output": text}))),
    );
    lines(&all)
}

fn simulator(sent: &[Sent]) -> String {
    let row = |s: &Sent| {
        let result = s.answer.as_ref().map(|text| json!({"exit_code": 0, "stdout": text, "stderr": ""}));
        json!({"tool": s.tool, "arguments": s.arguments, "result": result})
    };
    lines(&sent.iter().map(row).collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_written_is_read_back(sent in sent(), width in 1usize..9) {
        let whole = |value: Value| [value.to_string(), format!("{value:#}\n")];
        let documents = [(openai(&sent), Format::OpenAiChat), (responses(&sent), Format::OpenAiResponses), (langchain(&sent), Format::LangChain),
            (anthropic(&sent), Format::AnthropicMessages), (otlp(&sent), Format::Otlp), (promptfoo(&sent), Format::Promptfoo),
            (inspect(&sent), Format::Inspect), (atif(&sent), Format::Atif)];
        for (value, format) in documents {
            // On one line, and as people format it.
            for text in whole(value) {
                check(&read(&text).unwrap(), format, &sent, Outcome::NotRecorded);
            }
        }
        let logs = [(mcp(&sent), Format::McpJsonRpc), (claude(&sent), Format::ClaudeStream), (tooltrace(&sent), Format::Tooltrace),
            (simulator(&sent), Format::Simulator)];
        for (text, format) in logs {
            check(&read(&text).unwrap(), format, &sent, Outcome::Lost);
            check(&read(&text.replace('\n', "\r\n")).unwrap(), format, &sent, Outcome::Lost);
        }
        let unanswered: Vec<Sent> = sent.iter().map(|s| Sent { answer: None, ..s.clone() }).collect();
        let streams = [(openai_chunks(&sent, width), Format::OpenAiChat), (responses_events(&sent, width), Format::OpenAiResponses),
            (anthropic_events(&sent, width), Format::AnthropicMessages)];
        for (text, format) in streams {
            let trace = read(&text).unwrap();
            if format == Format::OpenAiResponses {
                // What is never `done` comes at the end.
                prop_assert_eq!(trace.len(), sent.len());
                for call in trace.calls() {
                    let i: usize = call.id().unwrap()["call_".len()..].parse().unwrap();
                    prop_assert_eq!(call.arguments(), Arguments::Value(sent[i].arguments.clone()));
                }
            } else {
                check(&trace, format, &unanswered, Outcome::NotRecorded);
            }
        }
    }

    /// Whatever the bytes are, the answer is a trace or one error; and a log that is cut anywhere is never read as
    /// more calls than the whole.
    #[test]
    fn a_log_that_is_cut_anywhere_is_no_longer_one(sent in sent(), cut in 0.0..1.0f64) {
        for text in [mcp(&sent), claude(&sent), simulator(&sent)] {
            let whole = read(&text).unwrap();
            let at = (text.len() as f64 * cut) as usize;
            let Some(part) = text.get(..at) else { continue };
            match read(part) {
                Ok(trace) => prop_assert!(trace.len() <= whole.len()),
                Err(e) => prop_assert!(e.line.is_some() || part.trim().is_empty() || part.len() < 3, "{e}"),
            }
        }
    }
}
