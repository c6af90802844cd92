//! `verity grade`: recordings held against expectations, and how their calls went.

mod attempts;
mod command;
mod faults;
mod mutation;
mod packs;
mod quality;
mod sessions;

use serde_json::{Value, json};
use std::collections::BTreeMap;
use verity::expect;
use verity::grade::calls::{self, Order, Sessions};
use verity::grade::listing::Listing;
use verity::grade::verdict::{Status, Verdict};
use verity::trace::{self, Fixtures, Trace};

/// An assistant's turn that calls tools: (id, tool, arguments).
fn calls(all: &[(&str, &str, Value)]) -> Value {
    let call = |(id, tool, arguments): &(&str, &str, Value)| json!({"id": id, "type": "function", "function": {"name": tool, "arguments": arguments.to_string()}});
    json!({"role": "assistant", "content": null, "tool_calls": all.iter().map(call).collect::<Vec<_>>()})
}

fn result(id: &str, content: Value) -> Value {
    let text = content.as_str().map_or_else(|| content.to_string(), str::to_string);
    json!({"role": "tool", "tool_call_id": id, "content": text})
}

fn says(role: &str, text: &str) -> Value {
    json!({"role": role, "content": text})
}

fn transcript(messages: &[Value]) -> Trace {
    trace::read("log", json!({ "messages": messages }).to_string().as_bytes(), &Fixtures::new()).unwrap()
}

/// An MCP log of calls with their answers: (tool, arguments, rest of the response; null: none).
fn log(rows: &[(&str, Value, Value)]) -> Trace {
    let mut text = String::new();
    for (i, (tool, arguments, answer)) in rows.iter().enumerate() {
        let call = json!({"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": {"name": tool, "arguments": arguments}});
        text.push_str(&format!("{call}\n"));
        if let Value::Object(members) = answer {
            let mut response = json!({"jsonrpc": "2.0", "id": i});
            response.as_object_mut().unwrap().extend(members.clone());
            text.push_str(&format!("{response}\n"));
        }
    }
    trace::read("log", text.as_bytes(), &Fixtures::new()).unwrap()
}

fn ok() -> Value {
    json!({"result": {"content": [{"type": "text", "text": "done"}]}})
}

/// What the document `yaml` makes of `trace`, with these placeholders bound.
fn judge_with(yaml: &str, trace: &Trace, variables: &[(&str, Value)], listing: Option<Listing>) -> Verdict {
    let bindings: BTreeMap<String, Value> =
        variables.iter().map(|(k, v)| ((*k).to_string(), v.clone())).collect();
    let bind =
        |raw: &expect::Raw| expect::bind::bind(raw, &bindings, false).unwrap_or_else(|e| panic!("{e:?}"));
    let sessions: Vec<_> = expect::parse(yaml).unwrap_or_else(|e| panic!("{e:?}")).iter().map(bind).collect();
    assert_eq!(sessions.iter().filter_map(calls::refusal).next(), None);
    calls::judge(trace, &Order { sessions: Sessions::All(sessions), listing, ..Order::default() })
}

fn judge(yaml: &str, trace: &Trace) -> Verdict {
    judge_with(yaml, trace, &[], None)
}

/// The checks that did not pass, with how they ended.
fn open(verdict: &Verdict) -> Vec<(&str, Status)> {
    verdict.checks.iter().filter(|c| c.status != Status::Passed).map(|c| (c.id.as_str(), c.status)).collect()
}

fn message<'v>(verdict: &'v Verdict, id: &str) -> &'v str {
    &verdict.checks.iter().find(|c| c.id == id).unwrap_or_else(|| panic!("{id}: {verdict:#?}")).message
}
