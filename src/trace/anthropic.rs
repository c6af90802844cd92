//! Anthropic messages: transcripts, responses, messages a line, and the events of a stream.

use super::build::{Builder, NewAnswer, NewArguments, NewCall};
use super::frame::Reader;
use super::parts::{content, items, server_and_tool, text};
use crate::error::InputError;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct Anthropic {
    conversations: usize,
    stream: Stream,
}

impl Reader for Anthropic {
    fn value(&mut self, value: &Value, b: &mut Builder) -> Result<(), InputError> {
        if self.stream.event(value, b)? {
            return Ok(());
        }
        let blocks = Blocks::default();
        if let Value::Array(messages) = value {
            self.conversation(b);
            return messages.iter().enumerate().try_for_each(|(i, m)| blocks.message(m, &format!("/{i}"), b));
        }
        let messages = items(value, "messages");
        if messages.is_empty() {
            return blocks.message(value, "", b);
        }
        self.conversation(b);
        for (i, m) in messages.iter().enumerate() {
            blocks.message(m, &format!("/messages/{i}"), b)?;
        }
        // A request with its response beside it.
        match value.get("response").filter(|r| r.get("role").is_some()) {
            Some(response) => blocks.message(response, "/response", b),
            None => Ok(()),
        }
    }

    fn end(&mut self, b: &mut Builder) -> Result<(), InputError> {
        self.stream.end(b)
    }
}

impl Anthropic {
    fn conversation(&mut self, b: &mut Builder) {
        self.conversations += 1;
        if self.conversations > 1 {
            b.enter(&format!("conversation {}", self.conversations));
        }
    }
}

/// Content blocks of messages, in a setting.
#[derive(Default)]
pub(super) struct Blocks<'s> {
    /// Names of servers, to take names of tools apart; `None`: they are left whole.
    pub(super) servers: Option<&'s [String]>,
    /// Id of the call that started the sub-agent.
    pub(super) parent: Option<&'s str>,
    /// Calls that are known already come again, and are passed over.
    pub(super) may_repeat: bool,
}

impl Blocks<'_> {
    pub(super) fn message(&self, message: &Value, at: &str, b: &mut Builder) -> Result<(), InputError> {
        let role = text(message, "role").unwrap_or("assistant");
        let actor = match role {
            "assistant" => "assistant",
            "user" => "user",
            _ => return Ok(()),
        };
        let blocks = items(message, "content");
        let answers_alone = !blocks.is_empty()
            && blocks.iter().all(|c| text(c, "type").is_some_and(|t| t.ends_with("tool_result")));
        if !answers_alone
            && message.get("content").is_some_and(|c| c.as_array().is_none_or(|c| !c.is_empty()))
        {
            b.turn();
        }
        if let Some(said) = text(message, "content") {
            return b.say(actor, said);
        }
        for (i, block) in blocks.iter().enumerate() {
            self.block(block, actor, &format!("{at}/content/{i}"), b)?;
        }
        Ok(())
    }

    fn block(&self, block: &Value, actor: &'static str, at: &str, b: &mut Builder) -> Result<(), InputError> {
        match text(block, "type") {
            Some("text") => b.say(actor, text(block, "text").unwrap_or_default()),
            Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
                self.call(block, NewArguments::of(block.get("input")), at, b)
            }
            // `tool_result`, `mcp_tool_result`, `web_search_tool_result`, …
            Some(kind) if kind.ends_with("tool_result") => match text(block, "tool_use_id") {
                Some(id) if self.may_repeat && !b.is_open(id) && b.is_known(id) => Ok(()),
                Some(id) => b.answer(id, &answer(block)),
                None => Err(
                    b.fault(format!("the result at {at} does not say which call it answers (`tool_use_id`)"))
                ),
            },
            _ => Ok(()),
        }
    }

    fn call(
        &self,
        block: &Value,
        arguments: NewArguments<'_>,
        at: &str,
        b: &mut Builder,
    ) -> Result<(), InputError> {
        let Some(name) = text(block, "name") else {
            return Err(b.fault(format!("the call at {at} does not name its tool")));
        };
        let id = text(block, "id");
        if self.may_repeat && id.is_some_and(|id| b.is_known(id)) {
            return Ok(());
        }
        let (server, tool) = self.servers.map_or((None, name), |servers| server_and_tool(name, servers));
        let server = text(block, "server_name").or(server);
        b.call(&NewCall { tool, server, parent: self.parent, id, arguments, pointer: at })?;
        Ok(())
    }
}

fn answer(block: &Value) -> NewAnswer<'_> {
    let is_error = block.get("is_error").and_then(Value::as_bool).unwrap_or(false)
        || block.get("content").and_then(|c| text(c, "type")).is_some_and(|t| t.ends_with("_error"));
    NewAnswer::of(content(block.get("content")), is_error)
}

/// A message that comes block by block.
#[derive(Default)]
struct Stream {
    blocks: BTreeMap<u64, Open>,
}

struct Open {
    block: Value,
    text: String,
}

impl Stream {
    /// Whether `value` was an event.
    fn event(&mut self, value: &Value, b: &mut Builder) -> Result<bool, InputError> {
        let index = value.get("index").and_then(Value::as_u64).unwrap_or_default();
        match text(value, "type") {
            Some("message_start") => {
                self.end(b)?;
                b.turn();
            }
            Some("content_block_start") => {
                let block = value.get("content_block").cloned().unwrap_or_default();
                let text = text(&block, "text").unwrap_or_default().to_string();
                self.blocks.insert(index, Open { block, text });
            }
            Some("content_block_delta") => {
                if let (Some(open), Some(delta)) = (self.blocks.get_mut(&index), value.get("delta")) {
                    let part = text(delta, "partial_json").or_else(|| text(delta, "text"));
                    open.text.push_str(part.unwrap_or_default());
                }
            }
            Some("content_block_stop") => {
                if let Some(open) = self.blocks.remove(&index) {
                    close(open, index, b)?;
                }
            }
            Some("message_delta" | "message_stop" | "ping" | "error") => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Blocks that were cut off.
    fn end(&mut self, b: &mut Builder) -> Result<(), InputError> {
        std::mem::take(&mut self.blocks).into_iter().try_for_each(|(index, open)| close(open, index, b))
    }
}

fn close(open: Open, index: u64, b: &mut Builder) -> Result<(), InputError> {
    let at = format!("/content/{index}");
    let blocks = Blocks::default();
    match text(&open.block, "type") {
        Some("text") => b.say("assistant", &open.text),
        Some(kind) if kind.ends_with("tool_use") => {
            let arguments = match open.text.as_str() {
                "" => NewArguments::of(open.block.get("input")),
                text => NewArguments::Text(text),
            };
            blocks.call(&open.block, arguments, &at, b)
        }
        _ => blocks.block(&open.block, "assistant", &at, b),
    }
}
