//! OpenAI Responses: a response, its items (one a line or in a list), or the events of a stream.

use super::build::{Builder, NewAnswer, NewArguments, NewCall};
use super::frame::Reader;
use super::parts::{content, id, items, text};
use crate::error::InputError;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct Responses {
    responses: usize,
    /// Calls of a stream that are not done, by item.
    streamed: BTreeMap<String, Streamed>,
    /// Whether events gave the items already that the last event repeats.
    has_streamed: bool,
}

struct Streamed {
    item: Value,
    arguments: String,
}

impl Reader for Responses {
    fn value(&mut self, value: &Value, b: &mut Builder) -> Result<(), InputError> {
        if let Some(event) = text(value, "type").filter(|t| t.starts_with("response.")) {
            return self.event(event, value, b);
        }
        if let Value::Array(all) = value {
            self.enter(b);
            return all.iter().enumerate().try_for_each(|(i, it)| item(it, &format!("/{i}"), b));
        }
        if value.get("output").is_none_or(|o| !o.is_array())
            && value.get("input").is_none_or(|i| !i.is_array())
        {
            return item(value, "", b);
        }
        self.enter(b);
        for part in ["input", "output"] {
            for (i, it) in items(value, part).iter().enumerate() {
                item(it, &format!("/{part}/{i}"), b)?;
            }
        }
        Ok(())
    }

    fn end(&mut self, b: &mut Builder) -> Result<(), InputError> {
        // A stream that was cut off: what came of the arguments is no JSON, and that is said.
        for (_, open) in std::mem::take(&mut self.streamed) {
            add(open, b)?;
        }
        Ok(())
    }
}

fn add(open: Streamed, b: &mut Builder) -> Result<(), InputError> {
    let mut whole = open.item;
    if let Value::Object(members) = &mut whole {
        members.insert("arguments".to_string(), Value::String(open.arguments));
    }
    item(&whole, "/item", b)
}

impl Responses {
    fn enter(&mut self, b: &mut Builder) {
        self.responses += 1;
        if self.responses > 1 {
            b.enter(&format!("response {}", self.responses));
        }
    }

    fn event(&mut self, event: &str, value: &Value, b: &mut Builder) -> Result<(), InputError> {
        let key = |item: Option<&Value>| {
            let item = text(value, "item_id").or_else(|| item.and_then(|i| text(i, "id")));
            item.map(str::to_string).or_else(|| value.get("output_index").and_then(id)).unwrap_or_default()
        };
        match event {
            "response.output_item.added" => {
                let Some(it) = value.get("item") else { return Ok(()) };
                if matches!(text(it, "type"), Some("function_call" | "mcp_call")) {
                    let arguments = text(it, "arguments").unwrap_or_default().to_string();
                    self.streamed.insert(key(Some(it)), Streamed { item: it.clone(), arguments });
                }
            }
            "response.function_call_arguments.delta" | "response.mcp_call_arguments.delta" => {
                if let Some(open) = self.streamed.get_mut(&key(None)) {
                    open.arguments.push_str(text(value, "delta").unwrap_or_default());
                }
            }
            "response.function_call_arguments.done" | "response.mcp_call_arguments.done" => {
                if let (Some(open), Some(all)) = (self.streamed.get_mut(&key(None)), text(value, "arguments"))
                {
                    open.arguments = all.to_string();
                }
            }
            "response.output_item.done" => {
                let Some(it) = value.get("item") else { return Ok(()) };
                self.has_streamed = true;
                self.streamed.remove(&key(Some(it)));
                item(it, "/item", b)?;
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                let output = value.get("response").map_or(&[][..], |r| items(r, "output"));
                if !std::mem::take(&mut self.has_streamed) {
                    self.streamed.clear();
                    for (i, it) in output.iter().enumerate() {
                        item(it, &format!("/response/output/{i}"), b)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn item(item: &Value, at: &str, b: &mut Builder) -> Result<(), InputError> {
    match text(item, "type") {
        Some("function_call") => {
            call(item, at, text(item, "call_id").or_else(|| text(item, "id")), "arguments", b).map(|_| ())
        }
        Some("custom_tool_call") => call(item, at, text(item, "call_id"), "input", b).map(|_| ()),
        Some("mcp_call") => {
            let index = call(item, at, text(item, "id"), "arguments", b)?;
            let error = item.get("error").filter(|e| !e.is_null());
            let output = item.get("output").filter(|o| !o.is_null());
            if let Some(id) = text(item, "id").filter(|_| error.is_some() || output.is_some()) {
                b.close(id);
                let said = content(error.or(output));
                b.settle(index, &NewAnswer::of(said, error.is_some()))?;
            }
            Ok(())
        }
        Some("function_call_output" | "custom_tool_call_output") => match text(item, "call_id") {
            Some(id) => b.answer(id, &NewAnswer::of(content(item.get("output")), false)),
            None => {
                Err(b.fault(format!("the output at {at} does not say which call it answers (`call_id`)")))
            }
        },
        Some("message") | None if text(item, "role").is_some() => {
            let actor = if text(item, "role") == Some("assistant") { "assistant" } else { "user" };
            if text(item, "role").is_some_and(|r| r == "assistant" || r == "user") {
                b.turn();
                b.say(actor, &content(item.get("content")))?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn call(
    item: &Value,
    at: &str,
    id: Option<&str>,
    arguments: &str,
    b: &mut Builder,
) -> Result<usize, InputError> {
    let Some(tool) = text(item, "name") else {
        return Err(b.fault(format!("the call at {at} does not name its tool")));
    };
    let arguments = NewArguments::text(item.get(arguments));
    b.call(&NewCall {
        tool,
        server: text(item, "server_label"),
        id,
        arguments,
        pointer: at,
        ..NewCall::default()
    })
}
