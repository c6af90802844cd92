//! Rows: verity's own form of a recording, an event a row, whatever format it had. Judging them gives what judging the
//! recording gives; so they are what a recording is bound by, and what changes to it are stated in.
//!
//! Row 0 says what the recording was; then, in order, calls, their answers and texts. What does not bear on a judgement
//! (lines, file names, findings of the reader) is left out.

use super::build::{Builder, NewAnswer, NewArguments, NewCall};
use super::frame::Reader;
use super::parts::text;
use super::{Arguments, Call, Format, Outcome, Said, Trace, result_kind};
use crate::error::{InputError, cut};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The version of this form.
const VERSION: u64 = 1;
/// What a row may be.
const KINDS: [&str; 4] = ["recording", "call", "answer", "text"];
const OUTCOMES: [Outcome; 6] = [
    Outcome::Ok,
    Outcome::Refused,
    Outcome::Protocol,
    Outcome::Rejected,
    Outcome::Lost,
    Outcome::NotRecorded,
];

/// Something that happened.
enum Event<'t> {
    Call(Call<'t>),
    Answer(Call<'t>),
    Said(&'t Said),
}

/// Which event of a recording: small, for there are millions.
#[derive(Clone, Copy)]
enum Which {
    Call(u32),
    Answer(u32),
    Said(u32),
}

impl Trace {
    /// This recording as rows.
    pub fn rows(&self) -> impl Iterator<Item = Value> + '_ {
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let mut events: Vec<(u32, Which)> = Vec::with_capacity(2 * self.len() + self.said.len());
        for (i, call) in self.calls().enumerate() {
            events.push((call.made(), Which::Call(small(i))));
            events.extend(call.answered().map(|at| (at, Which::Answer(small(i)))));
        }
        events.extend(self.said.iter().enumerate().map(|(i, s)| (s.at, Which::Said(small(i)))));
        events.sort_by_key(|(at, _)| *at);
        let mut head = json!({ "row": "recording", "version": VERSION, "format": self.format.name() });
        if let (Some(tools), Value::Object(members)) = (&self.listing, &mut head) {
            members.insert("tools".to_string(), Value::Array(tools.clone()));
        }
        let event = |which: Which| match which {
            Which::Call(i) => self.call(i as usize).map(Event::Call),
            Which::Answer(i) => self.call(i as usize).map(Event::Answer),
            Which::Said(i) => self.said.get(i as usize).map(Event::Said),
        };
        std::iter::once(head)
            .chain(events.into_iter().filter_map(move |(_, which)| Some(event(which)?.row())))
    }
}

impl Event<'_> {
    fn row(&self) -> Value {
        let mut row = Map::new();
        let mut put = |key: &str, value: Value| row.insert(key.to_string(), value);
        let named = |text: &str| (!text.is_empty()).then(|| Value::String(text.to_string()));
        match self {
            Event::Call(call) => {
                put("row", json!("call"));
                put("call", json!(call.number()));
                put("tool", json!(call.tool()));
                match call.arguments() {
                    Arguments::Value(value) => put("arguments", value),
                    Arguments::Text(text) => put("arguments_text", json!(text)),
                    Arguments::NotRecorded => None,
                };
                let of = [
                    ("server", call.server().unwrap_or_default()),
                    ("session", call.session()),
                    ("parent", call.parent().unwrap_or_default()),
                    ("id", call.id().unwrap_or_default()),
                ];
                for (key, text) in of {
                    named(text).and_then(|text| put(key, text));
                }
                if call.answered().is_none() {
                    put("outcome", json!(result_kind(call.outcome())));
                }
            }
            Event::Answer(call) => {
                put("row", json!("answer"));
                put("call", json!(call.number()));
                put("outcome", json!(result_kind(call.outcome())));
                named(call.text()).and_then(|text| put("text", text));
                call.structured().and_then(|value| put("structured", value));
            }
            Event::Said(said) => {
                put("row", json!("text"));
                put("actor", json!(said.actor));
                put("text", json!(said.text));
                named(&said.session).and_then(|text| put("session", text));
            }
        }
        Value::Object(row)
    }
}

/// Whether a JSON text is a row.
pub(super) fn is_row(value: &Value) -> bool {
    text(value, "row").is_some_and(|row| KINDS.contains(&row))
}

/// Reads rows back.
#[derive(Default)]
pub(super) struct Rows {
    started: bool,
    /// Where the call of a number is.
    calls: BTreeMap<u64, usize>,
}

impl Reader for Rows {
    fn value(&mut self, row: &Value, b: &mut Builder) -> Result<(), InputError> {
        let kind = text(row, "row").unwrap_or_default();
        if self.started == (kind == "recording") {
            return Err(b.fault("rows begin with the one row `recording`"));
        }
        if kind != "recording" {
            b.enter(text(row, "session").unwrap_or_default());
        }
        match kind {
            "recording" => self.start(row, b),
            "call" => self.call(row, b),
            "answer" => self.answer(row, b),
            _ => {
                let actor = match text(row, "actor") {
                    Some("user") => "user",
                    Some("assistant") => "assistant",
                    _ => return Err(b.fault("a text is of the actor `user` or `assistant`")),
                };
                let said = text(row, "text").ok_or_else(|| b.fault("a text row needs `text`"))?;
                b.say(actor, said)
            }
        }
    }
}

impl Rows {
    fn start(&mut self, row: &Value, b: &mut Builder) -> Result<(), InputError> {
        self.started = true;
        if row.get("version").and_then(Value::as_u64) != Some(VERSION) {
            return Err(b.fault(format!("rows of another version: verity reads version {VERSION}")));
        }
        let name = text(row, "format").unwrap_or_default();
        let Some(format) = Format::named(name).filter(|f| *f != Format::Rows) else {
            return Err(b.fault(format!("rows of the unknown format `{}`", cut(name))));
        };
        b.take_rows_of(format);
        b.listing = row.get("tools").and_then(Value::as_array).cloned();
        Ok(())
    }

    fn call(&mut self, row: &Value, b: &mut Builder) -> Result<(), InputError> {
        let number = number(row, b)?;
        let tool = text(row, "tool").ok_or_else(|| b.fault("a call that does not name its `tool`"))?;
        let arguments = match (row.get("arguments"), text(row, "arguments_text")) {
            (Some(value), _) => NewArguments::Value(value),
            (None, Some(text)) => NewArguments::Text(text),
            (None, None) => NewArguments::NotRecorded,
        };
        let index = b.call(&NewCall {
            tool,
            server: text(row, "server"),
            parent: text(row, "parent"),
            id: text(row, "id"),
            arguments,
            pointer: "",
        })?;
        if self.calls.insert(number, index).is_some() {
            return Err(b.fault(format!("a second call of the number {number}")));
        }
        if row.get("outcome").is_some() {
            b.leave(index, outcome(row, b)?);
        }
        Ok(())
    }

    fn answer(&mut self, row: &Value, b: &mut Builder) -> Result<(), InputError> {
        let number = number(row, b)?;
        let Some(index) = self.calls.get(&number).copied() else {
            return Err(b.fault(format!("an answer to call {number}, and no such call comes before it")));
        };
        if b.is_answered(index) {
            return Err(b.fault(format!("a second answer to call {number}")));
        }
        let answer = NewAnswer {
            outcome: outcome(row, b)?,
            text: text(row, "text").unwrap_or_default().to_string(),
            structured: row.get("structured"),
        };
        b.settle(index, &answer)
    }
}

fn number(row: &Value, b: &Builder) -> Result<u64, InputError> {
    let number = row.get("call").and_then(Value::as_u64);
    number.ok_or_else(|| b.fault("the row needs the number of its `call`"))
}

fn outcome(row: &Value, b: &Builder) -> Result<Outcome, InputError> {
    let word = text(row, "outcome").unwrap_or_default();
    let known = OUTCOMES.iter().copied().find(|o| result_kind(*o) == word);
    known.ok_or_else(|| {
        let names: Vec<&str> = OUTCOMES.iter().map(|o| result_kind(*o)).collect();
        b.fault(format!("`outcome` is one of {}", names.join(", ")))
    })
}
