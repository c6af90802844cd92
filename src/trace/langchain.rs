//! LangChain messages: `type` ai, human, tool or system, as they are dumped; also in their constructor form (`lc`, `kwargs`).

use super::build::{Builder, NewAnswer, NewArguments, NewCall};
use super::frame::Reader;
use super::parts::{content, items, text};
use crate::error::InputError;
use serde_json::Value;

#[derive(Default)]
pub(super) struct LangChain {
    conversations: usize,
}

/// The message in its constructor form, or itself; its type.
fn message(value: &Value) -> Option<(&Value, &str)> {
    if let (Some(kwargs), Some(name)) =
        (value.get("kwargs"), items(value, "id").last().and_then(Value::as_str))
    {
        let kind = match name {
            "AIMessage" | "AIMessageChunk" => "ai",
            "HumanMessage" => "human",
            "ToolMessage" => "tool",
            "SystemMessage" => "system",
            _ => return None,
        };
        return Some((kwargs, kind));
    }
    // `messages_to_dict` puts the message below `data`.
    let inner = value.get("data").filter(|d| d.get("content").is_some()).unwrap_or(value);
    let kind = text(value, "type").filter(|t| ["ai", "human", "tool", "system"].contains(t))?;
    inner.get("content").is_some().then_some((inner, kind))
}

/// The messages of a JSON text.
fn messages(value: &Value) -> (&[Value], &'static str) {
    match value {
        Value::Array(all) => (all, ""),
        _ => (items(value, "messages"), "/messages"),
    }
}

pub(super) fn is_langchain(value: &Value) -> bool {
    let (all, _) = messages(value);
    message(value).is_some() || !all.is_empty() && all.iter().all(|m| message(m).is_some())
}

impl Reader for LangChain {
    fn value(&mut self, value: &Value, b: &mut Builder) -> Result<(), InputError> {
        if message(value).is_some() {
            return read(value, "", b);
        }
        self.conversations += 1;
        if self.conversations > 1 {
            b.enter(&format!("conversation {}", self.conversations));
        }
        let (all, at) = messages(value);
        all.iter().enumerate().try_for_each(|(i, m)| read(m, &format!("{at}/{i}"), b))
    }
}

fn read(value: &Value, at: &str, b: &mut Builder) -> Result<(), InputError> {
    let Some((message, kind)) = message(value) else { return Ok(()) };
    let said = content(message.get("content"));
    match kind {
        "human" => {
            b.turn();
            b.say("user", &said)
        }
        "tool" => {
            let Some(id) = text(message, "tool_call_id") else {
                return Err(b.fault("a tool message without `tool_call_id`"));
            };
            b.answer(id, &NewAnswer::of(said, text(message, "status") == Some("error")))
        }
        "ai" => {
            b.turn();
            b.say("assistant", &said)?;
            for (key, is_text) in [("tool_calls", false), ("invalid_tool_calls", true)] {
                for (i, call) in items(message, key).iter().enumerate() {
                    let arguments = call.get("args").filter(|a| !a.is_null());
                    let arguments =
                        if is_text { NewArguments::text(arguments) } else { NewArguments::of(arguments) };
                    b.call(&NewCall {
                        tool: text(call, "name").unwrap_or_default(),
                        id: text(call, "id").filter(|id| !id.is_empty()),
                        arguments,
                        pointer: &format!("{at}/{key}/{i}"),
                        ..NewCall::default()
                    })?;
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}
