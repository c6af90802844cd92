//! A session from a good recording: a first draft of an expectation that passes on it.

use crate::trace::{Arguments, Call, Outcome, Trace};
use serde_json::{Map, Value, json};

/// Calls of a recording that becomes a session.
pub const MAX_CALLS: usize = 1_000;
/// The name of the variable that stands for two braces, where a recording has them.
const BRACES: &str = "two_braces";

/// What happened, in order.
enum Event<'t> {
    Call(Call<'t>),
    Answer(Call<'t>),
    Said(&'static str, &'t str),
}

/// The session document of `trace`: its calls with exactly their arguments, their answers by shape, and no other calls.
///
/// # Errors
/// Why the recording is none that expectations should be made of.
pub fn session(trace: &Trace, name: &str) -> Result<Value, String> {
    if trace.is_empty() {
        return Err("the recording holds no call".to_string());
    }
    if trace.len() > MAX_CALLS {
        return Err(format!("{} calls are more than a session for people has ({MAX_CALLS})", trace.len()));
    }
    if let Some(call) = trace.calls().find(|c| !matches!(c.outcome(), Outcome::Ok | Outcome::NotRecorded)) {
        return Err(format!(
            "call {} to `{}` was not answered with success: this is no good recording",
            call.number(),
            crate::error::cut(call.tool())
        ));
    }
    let events = events(trace);
    let mut behaviors = Vec::new();
    let mut group: Vec<usize> = Vec::new();
    for event in &events {
        match event {
            Event::Call(call) => {
                group.push(behaviors.len());
                behaviors.push(of_call(call));
            }
            Event::Answer(call) => {
                close(&mut group, &mut behaviors);
                behaviors.push(of_answer(call));
            }
            Event::Said(actor, text) => {
                close(&mut group, &mut behaviors);
                let action = if *actor == "user" { "says" } else { "informs" };
                behaviors.push(json!({ "actor": actor, "action": action, "content": escaped(&Value::String((*text).to_string())) }));
            }
        }
    }
    close(&mut group, &mut behaviors);
    if Value::Array(behaviors.clone()).to_string().contains(BRACES) {
        let captured = json!({ "actor": "user", "action": "says", "capture": { BRACES: "{{" } });
        behaviors.insert(0, captured);
    }
    Ok(
        json!({ "session": name, "abs_version": "0.2", "x-verity": { "extra_calls": "forbid" }, "behaviors": behaviors }),
    )
}

fn events(trace: &Trace) -> Vec<Event<'_>> {
    let calls = trace.calls().flat_map(|call| {
        let answer = call.answered().filter(|_| call.payload().is_some()).map(|at| (at, Event::Answer(call)));
        [Some((call.made(), Event::Call(call))), answer].into_iter().flatten()
    });
    let said = trace.said.iter().map(|s| (s.at, Event::Said(s.actor, &s.text)));
    let mut all: Vec<(u32, Event<'_>)> = calls.chain(said).collect();
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, event)| event).collect()
}

/// Calls that were made before any of them was answered have no order among them.
fn close(group: &mut Vec<usize>, behaviors: &mut [Value]) {
    if let (true, Some(Value::Object(last))) =
        (group.len() > 1, group.last().and_then(|i| behaviors.get_mut(*i)))
    {
        last.insert("evaluations".to_string(), json!([{ "type": "tool_call", "ordered": false }]));
    }
    group.clear();
}

fn of_call(call: &Call<'_>) -> Value {
    let mut out = json!({ "actor": "assistant", "action": "calls", "target": call.tool() });
    if let (Arguments::Value(value @ Value::Object(_)), Value::Object(members)) = (call.arguments(), &mut out)
    {
        members.insert("with_only".to_string(), escaped(&value));
    }
    out
}

fn of_answer(call: &Call<'_>) -> Value {
    let content = call.payload().map_or(Value::Null, |p| escaped(&p));
    json!({ "actor": "tool", "action": "responds", "target": call.tool(), "content": content })
}

/// `value` as a document has to write it: what would be a matcher is literal, and braces are no placeholders.
fn escaped(value: &Value) -> Value {
    match value {
        Value::String(text) if text.contains("{{") => {
            Value::String(text.replace("{{", &format!("{{{{{BRACES}}}}}")))
        }
        Value::Array(items) => items.iter().map(escaped).collect(),
        Value::Object(members) => {
            let inner: Map<String, Value> = members.iter().map(|(k, v)| (k.clone(), escaped(v))).collect();
            let is_matcher = inner.len() == 1 && inner.keys().all(|k| k.starts_with('$'));
            if is_matcher { json!({ "$literal": inner }) } else { Value::Object(inner) }
        }
        other => other.clone(),
    }
}
