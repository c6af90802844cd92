//! Claude Code: what it prints with `--output-format stream-json`, and the transcripts that it keeps.

use super::anthropic::Blocks;
use super::build::Builder;
use super::frame::Reader;
use super::parts::{first_text, items, text};
use crate::error::InputError;
use serde_json::Value;

#[derive(Default)]
pub(super) struct Claude {
    /// Names of the MCP servers, as they stand in names of tools.
    servers: Vec<String>,
}

impl Reader for Claude {
    fn value(&mut self, value: &Value, b: &mut Builder) -> Result<(), InputError> {
        if let Some(session) = first_text(value, &["session_id", "sessionId"]) {
            b.enter(session);
        }
        match text(value, "type") {
            Some("system") => {
                let names = items(value, "mcp_servers").iter().filter_map(|s| text(s, "name"));
                self.servers.extend(names.map(as_in_names));
                Ok(())
            }
            Some("assistant" | "user") => {
                let Some(message) = value.get("message") else { return Ok(()) };
                let parent = text(value, "parent_tool_use_id");
                // A resumed session prints again what it had.
                let blocks = Blocks { servers: Some(&self.servers), parent, may_repeat: true };
                blocks.message(message, "/message", b)
            }
            Some("result") => self.result(value, b),
            // Parts of messages (`stream_event`), which come whole as well; and what is about neither calls nor texts.
            _ => Ok(()),
        }
    }
}

impl Claude {
    fn result(&self, value: &Value, b: &mut Builder) -> Result<(), InputError> {
        if value.get("is_error").and_then(Value::as_bool) == Some(true) {
            let subtype = text(value, "subtype").unwrap_or("error");
            b.find("run-failed", format!("the run ended with `{}`", crate::error::cut(subtype)), None);
        }
        Ok(())
    }
}

/// A server's name in `mcp__server__tool`.
fn as_in_names(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' }).collect()
}
