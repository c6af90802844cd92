//! OpenAI chat completions: transcripts (`messages`), responses (`choices`), messages a line, streamed chunks.

use super::build::{Builder, NewAnswer, NewArguments, NewCall};
use super::frame::Reader;
use super::parts::{content, items, text};
use crate::error::InputError;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct OpenAi {
    /// JSON texts that hold whole conversations, so far.
    conversations: usize,
    /// Tool calls of a stream, by choice and index.
    streamed: BTreeMap<(u64, u64), Streamed>,
    said: String,
    in_stream: Option<String>,
}

/// A call whose parts come one by one.
#[derive(Default)]
struct Streamed {
    id: String,
    name: String,
    arguments: String,
}

impl Reader for OpenAi {
    fn value(&mut self, value: &Value, b: &mut Builder) -> Result<(), InputError> {
        if text(value, "object") == Some("chat.completion.chunk") || is_chunk(value) {
            return self.chunk(value, b);
        }
        self.end_stream(b)?;
        if let Value::Array(messages) = value {
            self.conversation(b);
            return messages.iter().enumerate().try_for_each(|(i, m)| message(m, &format!("/{i}"), b));
        }
        let (messages, choices) = (items(value, "messages"), items(value, "choices"));
        if messages.is_empty() && choices.is_empty() {
            return message(value, "", b);
        }
        self.conversation(b);
        for (i, m) in messages.iter().enumerate() {
            message(m, &format!("/messages/{i}"), b)?;
        }
        // Of several choices each is an answer of its own; the first one is what was used.
        if let Some(m) = choices.first().and_then(|c| c.get("message")) {
            message(m, "/choices/0/message", b)?;
        }
        Ok(())
    }

    fn end(&mut self, b: &mut Builder) -> Result<(), InputError> {
        self.end_stream(b)
    }
}

fn is_chunk(value: &Value) -> bool {
    items(value, "choices").iter().any(|c| c.get("delta").is_some())
}

impl OpenAi {
    fn conversation(&mut self, b: &mut Builder) {
        self.conversations += 1;
        if self.conversations > 1 {
            b.enter(&format!("conversation {}", self.conversations));
        }
    }

    fn chunk(&mut self, value: &Value, b: &mut Builder) -> Result<(), InputError> {
        let id = text(value, "id").map(str::to_string);
        if self.in_stream.is_some() && self.in_stream != id {
            self.end_stream(b)?;
        }
        self.in_stream = Some(id.unwrap_or_default());
        for choice in items(value, "choices") {
            let number = choice.get("index").and_then(Value::as_u64).unwrap_or_default();
            let Some(delta) = choice.get("delta") else { continue };
            if number == 0 {
                self.said.push_str(text(delta, "content").unwrap_or_default());
            }
            for part in items(delta, "tool_calls") {
                let index = part.get("index").and_then(Value::as_u64).unwrap_or_default();
                let call = self.streamed.entry((number, index)).or_default();
                let function = part.get("function");
                let add = |to: &mut String, from: Option<&str>| to.push_str(from.unwrap_or_default());
                // Some servers send id and name again with every chunk.
                if call.id.is_empty() {
                    add(&mut call.id, text(part, "id"));
                }
                let name = function.and_then(|f| text(f, "name"));
                if call.name.is_empty() || name.is_some_and(|n| n != call.name && call.arguments.is_empty()) {
                    add(&mut call.name, name);
                }
                add(&mut call.arguments, function.and_then(|f| text(f, "arguments")));
            }
        }
        Ok(())
    }

    fn end_stream(&mut self, b: &mut Builder) -> Result<(), InputError> {
        if self.in_stream.take().is_none() {
            return Ok(());
        }
        b.turn();
        b.say("assistant", &std::mem::take(&mut self.said))?;
        for ((choice, index), call) in std::mem::take(&mut self.streamed) {
            if choice > 0 {
                continue;
            }
            let pointer = format!("/choices/{choice}/delta/tool_calls/{index}");
            let id = Some(call.id.as_str()).filter(|id| !id.is_empty());
            let arguments = NewArguments::Text(&call.arguments);
            b.call(&NewCall { tool: &call.name, id, arguments, pointer: &pointer, ..NewCall::default() })?;
        }
        Ok(())
    }
}

/// One message of a transcript.
pub(super) fn message(message: &Value, at: &str, b: &mut Builder) -> Result<(), InputError> {
    match text(message, "role") {
        Some("assistant") => {
            b.turn();
            b.say("assistant", &content(message.get("content")))?;
            for (i, one) in items(message, "tool_calls").iter().enumerate() {
                call(one, &format!("{at}/tool_calls/{i}"), b)?;
            }
            if let Some(legacy) = message.get("function_call").filter(|f| f.is_object()) {
                // These have no ids; the answer names the function.
                let name = text(legacy, "name").unwrap_or_default();
                let pointer = format!("{at}/function_call");
                let arguments = NewArguments::text(legacy.get("arguments"));
                let id = format!("function {name}");
                b.call(&NewCall {
                    tool: name,
                    id: Some(&id),
                    arguments,
                    pointer: &pointer,
                    ..NewCall::default()
                })?;
            }
            Ok(())
        }
        Some("user") => {
            b.turn();
            b.say("user", &content(message.get("content")))
        }
        Some("tool") => match text(message, "tool_call_id") {
            Some(id) => b.answer(id, &NewAnswer::of(content(message.get("content")), false)),
            None => {
                Err(b
                    .fault(format!("the result at {at} does not say which call it answers (`tool_call_id`)")))
            }
        },
        Some("function") => {
            let id = format!("function {}", text(message, "name").unwrap_or_default());
            b.answer(&id, &NewAnswer::of(content(message.get("content")), false))
        }
        _ => Ok(()),
    }
}

/// One entry of `tool_calls`.
pub(super) fn call(call: &Value, at: &str, b: &mut Builder) -> Result<usize, InputError> {
    let (function, custom) = (call.get("function"), call.get("custom"));
    let named = function.or(custom).unwrap_or(call);
    let Some(tool) = text(named, "name") else {
        return Err(b.fault(format!("the call at {at} does not name its tool")));
    };
    let arguments = match custom {
        Some(custom) => NewArguments::text(custom.get("input")),
        // LangChain has `args`, as an object.
        None => NewArguments::text(named.get("arguments").or_else(|| named.get("args"))),
    };
    b.call(&NewCall { tool, id: text(call, "id"), arguments, pointer: at, ..NewCall::default() })
}
