//! The trace of the runner that packs are written for: events with a sequence number and a free payload.

use super::build::{Builder, NewAnswer, NewArguments, NewCall};
use super::frame::Reader;
use super::parts::{content, first, first_text, id, text};
use crate::error::InputError;
use serde_json::Value;

const IDS: [&str; 5] = ["call_id", "tool_call_id", "id", "request_id", "step"];
const TOOLS: [&str; 4] = ["tool", "name", "tool_name", "function"];
const ARGUMENTS: [&str; 4] = ["args", "arguments", "input", "params"];
const RESULTS: [&str; 5] = ["result", "output", "content", "data", "observation"];

#[derive(Default)]
pub(super) struct Tooltrace {
    last: Option<u64>,
    /// Requests without an id: tool and place among the calls.
    waiting: Vec<(String, usize)>,
}

impl Reader for Tooltrace {
    fn value(&mut self, value: &Value, b: &mut Builder) -> Result<(), InputError> {
        let seq = value.get("seq").and_then(Value::as_u64);
        if let (Some(last), Some(seq)) = (self.last, seq)
            && seq <= last
        {
            return Err(b.fault(format!(
                "event {seq} comes after event {last}: the trace is out of order or has events twice"
            )));
        }
        self.last = seq.or(self.last);
        let payload = value.get("payload").unwrap_or(value);
        match text(value, "type") {
            Some("tool_request") => self.request(payload, b),
            Some("tool_result") => self.result(payload, b),
            _ => Ok(()),
        }
    }
}

impl Tooltrace {
    fn request(&mut self, payload: &Value, b: &mut Builder) -> Result<(), InputError> {
        let Some(tool) = first_text(payload, &TOOLS) else {
            return Err(b.fault("a tool_request that does not name its tool"));
        };
        let id = first(payload, &IDS).and_then(id);
        let arguments = NewArguments::text(first(payload, &ARGUMENTS));
        let new = NewCall { tool, id: id.as_deref(), arguments, pointer: "/payload", ..NewCall::default() };
        let index = b.call(&new)?;
        if id.is_none() {
            self.waiting.push((tool.to_string(), index));
        }
        Ok(())
    }

    fn result(&mut self, payload: &Value, b: &mut Builder) -> Result<(), InputError> {
        let answer = answer(payload);
        if let Some(id) = first(payload, &IDS).and_then(id) {
            return b.answer(&id, &answer);
        }
        // Without ids, one call at a time: which of several an answer is for, nobody can tell.
        let tool = first_text(payload, &TOOLS);
        let mut fits =
            self.waiting.iter().enumerate().filter(|(_, (name, _))| tool.is_none_or(|t| t == name));
        let (Some((at, (_, index))), None) = (fits.next(), fits.next()) else {
            return Err(
                b.fault("a tool_result without an id, and not exactly one request that it can answer")
            );
        };
        let index = *index;
        self.waiting.remove(at);
        b.settle(index, &answer)
    }
}

fn answer(payload: &Value) -> NewAnswer<'_> {
    let flag = |key: &str| payload.get(key).and_then(Value::as_bool);
    let error = payload.get("error").filter(|e| !e.is_null() && *e != &Value::Bool(false));
    let is_error = error.is_some()
        || flag("is_error") == Some(true)
        || flag("ok") == Some(false)
        || flag("success") == Some(false)
        || text(payload, "status") == Some("error");
    let result = first(payload, &RESULTS);
    let said = match error {
        Some(error) => text(error, "message").map_or_else(|| content(Some(error)), str::to_string),
        None => content(result),
    };
    NewAnswer { structured: result.filter(|r| r.is_object()), ..NewAnswer::of(said, is_error) }
}
