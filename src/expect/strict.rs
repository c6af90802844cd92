//! Reading a document's values strictly: every key known, every value of its kind, every fault at its place.

use super::Fault;
use crate::error::cut;
use crate::json_type;
use crate::pointer;
use crate::suggest;
use crate::yaml::Loaded;
use serde_json::{Map, Value};

/// One value of a document, with where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct At<'d> {
    document: &'d Loaded,
    pub(super) value: &'d Value,
    base: &'d str,
}

/// A value below another one.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) pointer: String,
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Place {
    pub(super) fn fault(&self, message: impl Into<String>) -> Fault {
        Fault { line: self.line, column: self.column, message: message.into(), is_not_judged: false }
    }

    /// The fault of something that makes sense, but not for a recording.
    pub(super) fn not_judged(&self, message: impl Into<String>) -> Fault {
        Fault { is_not_judged: true, ..self.fault(message) }
    }
}

impl<'d> At<'d> {
    pub(super) fn new(document: &'d Loaded, value: &'d Value, base: &'d str) -> At<'d> {
        At { document, value, base }
    }

    /// The place of a value at `below` (a pointer, relative to this one).
    pub(super) fn place(&self, below: &str) -> Place {
        let pointer = format!("{}{below}", self.base);
        let (line, column) = self.document.place(&pointer);
        Place { pointer, line, column }
    }

    fn key_place(&self, key: &str) -> Place {
        let pointer = pointer::child(self.base, key);
        let (line, column) = self.document.key_place(&pointer);
        Place { pointer, line, column }
    }

    pub(super) fn fault(&self, below: &str, message: impl Into<String>) -> Fault {
        self.place(below).fault(message)
    }

    /// The members of a mapping, all of them among `known`.
    pub(super) fn mapping(&self, what: &str, known: &[&str]) -> Result<&'d Map<String, Value>, Fault> {
        let Value::Object(members) = self.value else {
            return Err(self.fault("", format!("{what} is {}, not a mapping", with_article(self.value))));
        };
        match members.keys().find(|k| !known.is_empty() && !known.contains(&k.as_str())) {
            Some(key) => {
                let said = suggest::unknown("key", &cut(key), known.iter().copied());
                Err(self.key_place(key).fault(format!("{said} (in {what})")))
            }
            None => Ok(members),
        }
    }

    fn wrong(&self, key: &str, value: &Value, wanted: &str) -> Fault {
        self.fault(&pointer::child("", key), format!("`{key}` is {}, not {wanted}", with_article(value)))
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<&'d str>, Fault> {
        match self.value.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(key, other, "a text")),
        }
    }

    pub(super) fn needed_text(&self, what: &str, key: &str) -> Result<&'d str, Fault> {
        match self.text(key)? {
            Some(text) if !text.trim().is_empty() => Ok(text),
            Some(_) => Err(self.fault(&pointer::child("", key), format!("`{key}` is empty"))),
            None => Err(self.fault("", format!("{what} needs `{key}`"))),
        }
    }

    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, Fault> {
        match self.value.get(key) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => Err(self.wrong(key, other, "true or false")),
        }
    }

    pub(super) fn count(&self, key: &str) -> Result<Option<usize>, Fault> {
        match self.value.get(key) {
            None => Ok(None),
            Some(value) => match value.as_u64().and_then(|n| usize::try_from(n).ok()) {
                Some(n) => Ok(Some(n)),
                None => Err(self.wrong(key, value, "a number of times")),
            },
        }
    }

    /// A mapping, read no further.
    pub(super) fn object(&self, key: &str) -> Result<Option<&'d Value>, Fault> {
        match self.value.get(key) {
            None => Ok(None),
            Some(value @ Value::Object(_)) => Ok(Some(value)),
            Some(other) => Err(self.wrong(key, other, "a mapping")),
        }
    }

    /// The items of a list, each with its pointer.
    pub(super) fn list(&self, key: &str) -> Result<Vec<(String, &'d Value)>, Fault> {
        match self.value.get(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => {
                let at = pointer::child(self.base, key);
                Ok(items.iter().enumerate().map(|(i, v)| (pointer::index(&at, i), v)).collect())
            }
            Some(other) => Err(self.wrong(key, other, "a list")),
        }
    }
}

fn with_article(value: &Value) -> String {
    match json_type::name(value) {
        "null" => "empty".to_string(),
        "array" => "a list".to_string(),
        "object" => "a mapping".to_string(),
        "string" => "a text".to_string(),
        other => format!("a {other}"),
    }
}
