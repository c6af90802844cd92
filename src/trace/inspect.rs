//! Inspect logs: the samples of a `.json` log, and those of the files in an `.eval` archive (see `archive`).

use super::build::{Builder, NewAnswer, NewArguments, NewCall};
use super::frame::Reader;
use super::parts::{content, items, text};
use crate::error::InputError;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Events nest no deeper than agents call agents.
const MAX_DEPTH: usize = 16;

pub(super) struct Inspect;

impl Reader for Inspect {
    fn value(&mut self, value: &Value, b: &mut Builder) -> Result<(), InputError> {
        check_version(value, b)?;
        for (i, one) in items(value, "samples").iter().enumerate() {
            sample(one, &format!("/samples/{i}"), b)?;
        }
        Ok(())
    }
}

/// # Errors
/// Where the log is of a version that is not known.
pub(super) fn check_version(header: &Value, b: &Builder) -> Result<(), InputError> {
    match header.get("version").and_then(Value::as_u64) {
        Some(1 | 2) => Ok(()),
        _ => {
            let version = header.get("version").map_or("no version".to_string(), |v| format!("version {v}"));
            Err(b.fault(format!("an Inspect log of {version}: verity reads version 2")))
        }
    }
}

/// One sample: a run of its own.
pub(super) fn sample(sample: &Value, at: &str, b: &mut Builder) -> Result<(), InputError> {
    let id = sample.get("id").and_then(super::parts::id).unwrap_or_default();
    let epoch = sample.get("epoch").and_then(Value::as_u64).unwrap_or(1);
    b.enter(&format!("{id} epoch {epoch}"));
    let log = Sample { sample };
    let executed = log.executed(items(sample, "events"));
    for (i, message) in items(sample, "messages").iter().enumerate() {
        log.message(message, &format!("{at}/messages/{i}"), &executed, b)?;
    }
    log.events(items(sample, "events"), &format!("{at}/events"), None, 0, b)
}

struct Sample<'s> {
    sample: &'s Value,
}

impl Sample<'_> {
    /// Long texts are kept once, as attachments.
    fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let kept = text
            .strip_prefix("attachment://")
            .and_then(|hash| self.sample.get("attachments")?.get(hash)?.as_str());
        kept.map_or(Cow::Borrowed(text), |kept| Cow::Owned(kept.to_string()))
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text).into_owned()),
            Value::Array(items) => items.iter().map(|v| self.value(v)).collect(),
            Value::Object(members) => members.iter().map(|(k, v)| (k.clone(), self.value(v))).collect(),
            other => other.clone(),
        }
    }

    /// Ids of the calls that the conversation holds; those that events alone have were made by sub-agents.
    fn executed(&self, events: &[Value]) -> BTreeSet<String> {
        let tools = events.iter().filter(|e| text(e, "event") == Some("tool"));
        tools.filter_map(|e| text(e, "id").map(str::to_string)).collect()
    }

    fn message(
        &self,
        message: &Value,
        at: &str,
        executed: &BTreeSet<String>,
        b: &mut Builder,
    ) -> Result<(), InputError> {
        let said = || content(message.get("content").map(|c| self.value(c)).as_ref());
        match text(message, "role") {
            Some("user") => {
                b.turn();
                b.say("user", &said())
            }
            Some("assistant") => {
                b.turn();
                b.say("assistant", &said())?;
                for (i, call) in items(message, "tool_calls").iter().enumerate() {
                    self.call(call, &format!("{at}/tool_calls/{i}"), None, b)?;
                }
                Ok(())
            }
            Some("tool") => {
                let Some(id) = text(message, "tool_call_id") else {
                    return Err(b.fault(format!(
                        "the result at {at} does not say which call it answers (`tool_call_id`)"
                    )));
                };
                // Where messages were left out to save room, events still have the call.
                if !b.is_open(id) && executed.contains(id) {
                    return Ok(());
                }
                b.answer(id, &answer(said(), message.get("error")))
            }
            _ => Ok(()),
        }
    }

    fn call(
        &self,
        call: &Value,
        at: &str,
        parent: Option<&str>,
        b: &mut Builder,
    ) -> Result<usize, InputError> {
        let Some(tool) = text(call, "function") else {
            return Err(b.fault(format!("the call at {at} does not name its tool (`function`)")));
        };
        let arguments = call.get("arguments").map(|a| self.value(a));
        let arguments = match text(call, "parse_error") {
            Some(_)
                if arguments
                    .as_ref()
                    .is_none_or(|a| a.as_object().is_some_and(serde_json::Map::is_empty)) =>
            {
                NewArguments::NotRecorded
            }
            _ => NewArguments::of(arguments.as_ref()),
        };
        let id = text(call, "id");
        let index = b.call(&NewCall { tool, parent, id, arguments, pointer: at, ..NewCall::default() })?;
        if let Some(why) = text(call, "parse_error") {
            b.find(
                "arguments-not-json",
                format!("the agent's arguments could not be parsed: {why}"),
                Some(index + 1),
            );
        }
        Ok(index)
    }

    /// Calls that the messages do not have.
    fn events(
        &self,
        events: &[Value],
        at: &str,
        parent: Option<&str>,
        depth: usize,
        b: &mut Builder,
    ) -> Result<(), InputError> {
        for (i, event) in events.iter().enumerate().filter(|(_, e)| text(e, "event") == Some("tool")) {
            let id = text(event, "id").unwrap_or_default();
            let at = format!("{at}/{i}");
            if !b.is_known(id) {
                let index = self.call(event, &at, parent, b)?;
                b.close(id);
                let result = event.get("result").map(|r| self.value(r));
                if event.get("pending").and_then(Value::as_bool) != Some(true) {
                    b.settle(index, &answer(content(result.as_ref()), event.get("error")))?;
                }
            }
            if depth < MAX_DEPTH {
                self.events(items(event, "events"), &format!("{at}/events"), Some(id), depth + 1, b)?;
            }
        }
        Ok(())
    }
}

fn answer(said: String, error: Option<&Value>) -> NewAnswer<'static> {
    match error.filter(|e| !e.is_null()) {
        Some(error) => {
            let why = text(error, "message").map_or_else(|| error.to_string(), str::to_string);
            NewAnswer::of(if said.is_empty() { why } else { said }, true)
        }
        None => NewAnswer::of(said, false),
    }
}
