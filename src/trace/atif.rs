//! ATIF, the Agent Trajectory Interchange Format, versions 1.x.

use super::build::{Builder, NewAnswer, NewArguments, NewCall};
use super::frame::Reader;
use super::parts::{content, items, text};
use crate::error::{InputError, cut};
use serde_json::Value;

pub(super) struct Atif;

impl Reader for Atif {
    fn value(&mut self, value: &Value, b: &mut Builder) -> Result<(), InputError> {
        let version = text(value, "schema_version").unwrap_or_default();
        if !version.strip_prefix("ATIF-v").is_some_and(|v| v == "1" || v.starts_with("1.")) {
            return Err(b.fault(format!("`{}`: verity reads ATIF 1.x", cut(version))));
        }
        if let Some(session) = text(value, "session_id") {
            b.enter(session);
        }
        for (i, step) in items(value, "steps").iter().enumerate() {
            self::step(step, &format!("/steps/{i}"), b)?;
        }
        Ok(())
    }
}

fn step(step: &Value, at: &str, b: &mut Builder) -> Result<(), InputError> {
    let actor = match text(step, "source") {
        Some("agent") => "assistant",
        Some("user") => "user",
        _ => "",
    };
    b.turn();
    if !actor.is_empty() {
        b.say(actor, &content(step.get("message")))?;
    }
    for (i, call) in items(step, "tool_calls").iter().enumerate() {
        let pointer = format!("{at}/tool_calls/{i}");
        let Some(tool) = text(call, "function_name") else {
            return Err(b.fault(format!("the call at {pointer} does not name its tool (`function_name`)")));
        };
        let arguments = NewArguments::text(call.get("arguments"));
        let id = text(call, "tool_call_id");
        b.call(&NewCall { tool, id, arguments, pointer: &pointer, ..NewCall::default() })?;
    }
    let results = step.get("observation").map_or(&[][..], |o| items(o, "results"));
    // Results without a call are what the agent's surroundings told it.
    for (result, id) in results.iter().filter_map(|r| Some((r, text(r, "source_call_id")?))) {
        let is_error = result.get("is_error").or_else(|| result.pointer("/extra/is_error"));
        b.answer(id, &NewAnswer::of(content(result.get("content")), is_error == Some(&Value::Bool(true))))?;
    }
    Ok(())
}
