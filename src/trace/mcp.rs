//! MCP messages between client and server (JSON-RPC 2.0), one a line, bare or wrapped by a logger.

use super::build::{Builder, NewAnswer, NewArguments, NewCall};
use super::frame::Reader;
use super::parts::{content, first_text, id, text};
use super::store::Outcome;
use crate::error::{InputError, cut};
use serde_json::Value;
use std::collections::BTreeMap;

/// Where loggers put the message.
const WRAPPERS: [&str; 8] = ["message", "msg", "payload", "data", "body", "frame", "rpc", "json"];
/// Where they put the session.
const SESSIONS: [&str; 4] = ["session", "session_id", "sessionId", "mcp-session-id"];

/// Whether `value` is a JSON-RPC message.
pub(super) fn is_message(value: &Value) -> bool {
    value.get("jsonrpc").is_some() && value.is_object()
}

/// The message in what a logger wrote, and the name of its place.
pub(super) fn wrapped(value: &Value) -> Option<(&'static str, &Value)> {
    let inner = |key: &&'static str| Some((*key, value.get(*key)?));
    WRAPPERS.iter().filter_map(inner).find(|(_, v)| match v {
        Value::Array(batch) => batch.first().is_some_and(is_message),
        v => is_message(v),
    })
}

/// A request other than a tool call that waits for its answer.
struct Other {
    method: String,
    is_next_page: bool,
}

#[derive(Default)]
pub(super) struct Mcp {
    others: BTreeMap<(String, String), Vec<Other>>,
    /// Sessions that the log does not name begin with `initialize`.
    initialized: usize,
    tools: Vec<Value>,
    is_listing_whole: bool,
    stray: usize,
}

impl Reader for Mcp {
    fn value(&mut self, value: &Value, b: &mut Builder) -> Result<(), InputError> {
        let (at, message) = match wrapped(value).filter(|_| !is_message(value)) {
            Some((key, message)) => (format!("/{key}"), message),
            None => (String::new(), value),
        };
        if let Some(session) = first_text(value, &SESSIONS) {
            b.enter(session);
        }
        match message {
            Value::Array(batch) => {
                for (i, message) in batch.iter().enumerate() {
                    self.message(message, &format!("{at}/{i}"), b)?;
                }
                Ok(())
            }
            message => self.message(message, &at, b),
        }
    }

    fn end(&mut self, b: &mut Builder) -> Result<(), InputError> {
        if self.is_listing_whole {
            b.listing = Some(std::mem::take(&mut self.tools));
        }
        if self.stray > 0 {
            let message = format!("{} answers belong to no request of the log", self.stray);
            b.find("stray-answers", message, None);
        }
        Ok(())
    }
}

impl Mcp {
    fn message(&mut self, message: &Value, at: &str, b: &mut Builder) -> Result<(), InputError> {
        if !is_message(message) {
            return Err(
                b.fault("this line is no JSON-RPC message (it has no `jsonrpc`), and those before it are")
            );
        }
        let id = message.get("id").and_then(id);
        match (text(message, "method"), id) {
            (Some("tools/call"), Some(id)) => call(message, &id, at, b),
            (Some("tools/call"), None) => {
                Err(b.fault("a tools/call without an id: it is a notification, which no server answers"))
            }
            (Some(method), Some(id)) => {
                self.request(message, method, id, b);
                Ok(())
            }
            (Some(_), None) => Ok(()),
            (None, Some(id)) => self.response(message, &id, b),
            // An error before an id could be read.
            (None, None) => {
                self.stray += 1;
                Ok(())
            }
        }
    }

    fn request(&mut self, message: &Value, method: &str, id: String, b: &mut Builder) {
        if method == "initialize" {
            self.initialized += 1;
            if self.initialized > 1 && (b.session().is_empty() || b.session().starts_with("session ")) {
                b.enter(&format!("session {}", self.initialized));
            }
        }
        let is_next_page = message.pointer("/params/cursor").is_some_and(|c| !c.is_null());
        let other = Other { method: method.to_string(), is_next_page };
        self.others.entry((b.session().to_string(), id)).or_default().push(other);
    }

    fn response(&mut self, message: &Value, id: &str, b: &mut Builder) -> Result<(), InputError> {
        let key = (b.session().to_string(), id.to_string());
        let is_other = self.others.contains_key(&key);
        // Client and server count their own requests: two may wait under one id, and the shape tells whose answer it is.
        if b.is_open(id) && (!is_other || is_call_result(message)) {
            return b.answer(id, &answer(message));
        }
        if let Some(mut waiting) = self.others.remove(&key) {
            let other = waiting.pop();
            if !waiting.is_empty() {
                self.others.insert(key, waiting);
            }
            if let Some(other) = other {
                self.listing(&other, message);
            }
            return Ok(());
        }
        if b.is_known(id) {
            return Err(b.fault(format!("a second answer to the call with id `{}`", cut(id))));
        }
        if is_call_result(message) {
            return b.answer(id, &answer(message));
        }
        self.stray += 1;
        Ok(())
    }

    fn listing(&mut self, other: &Other, message: &Value) {
        let Some(result) = message.get("result").filter(|_| other.method == "tools/list") else { return };
        if !other.is_next_page {
            self.tools.clear();
        }
        self.tools.extend(super::parts::items(result, "tools").iter().cloned());
        self.is_listing_whole = text(result, "nextCursor").is_none() && result.get("tools").is_some();
    }
}

/// Whether a response is one to a tool call, as far as its shape tells.
fn is_call_result(message: &Value) -> bool {
    let of_call = |r: &Value| {
        r.get("content").is_some_and(Value::is_array)
            || r.get("structuredContent").is_some()
            || r.get("isError").is_some()
    };
    message.get("error").is_some() || message.get("result").is_some_and(of_call)
}

fn call(message: &Value, id: &str, at: &str, b: &mut Builder) -> Result<(), InputError> {
    let params = message.get("params");
    let Some(name) = params.and_then(|p| text(p, "name")) else {
        return Err(b.fault("a tools/call without the tool's name (`params.name`)"));
    };
    // A call without `arguments` has none: the protocol lets clients leave the member out.
    let none = Value::Object(serde_json::Map::new());
    let arguments = params.and_then(|p| p.get("arguments")).filter(|a| !a.is_null()).unwrap_or(&none);
    let pointer = format!("{at}/params");
    let arguments = NewArguments::Value(arguments);
    b.call(&NewCall { tool: name, id: Some(id), arguments, pointer: &pointer, ..NewCall::default() })?;
    Ok(())
}

fn answer(message: &Value) -> NewAnswer<'_> {
    if let Some(error) = message.get("error") {
        let code = error.get("code").map_or(String::new(), |c| format!("{c}: "));
        let said = text(error, "message").unwrap_or_default();
        return NewAnswer { outcome: Outcome::Protocol, text: format!("{code}{said}"), structured: None };
    }
    let result = message.get("result");
    let is_error = result.and_then(|r| r.get("isError")).and_then(Value::as_bool).unwrap_or(false);
    let structured = result.and_then(|r| r.get("structuredContent")).filter(|s| !s.is_null());
    NewAnswer { structured, ..NewAnswer::of(content(result.and_then(|r| r.get("content"))), is_error) }
}
