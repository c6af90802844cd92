//! What readers find in a recording, before answers meet their calls.

use super::store::Outcome;
use serde_json::Value;

/// A call as a reader finds it.
#[derive(Debug, Clone, Default)]
pub(super) struct NewCall<'a> {
    pub(super) tool: &'a str,
    pub(super) server: Option<&'a str>,
    pub(super) parent: Option<&'a str>,
    pub(super) id: Option<&'a str>,
    pub(super) arguments: NewArguments<'a>,
    /// JSON Pointer of the call in its JSON text.
    pub(super) pointer: &'a str,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) enum NewArguments<'a> {
    Value(&'a Value),
    /// Text that is to be JSON.
    Text(&'a str),
    #[default]
    NotRecorded,
}

impl<'a> NewArguments<'a> {
    /// What stands under a key: a value, or nothing.
    pub(super) fn of(value: Option<&'a Value>) -> NewArguments<'a> {
        value.map_or(NewArguments::NotRecorded, NewArguments::Value)
    }

    /// As APIs have it that pass arguments as JSON text; some servers pass the object itself.
    pub(super) fn text(value: Option<&'a Value>) -> NewArguments<'a> {
        match value {
            Some(Value::String(text)) => NewArguments::Text(text),
            other => NewArguments::of(other.filter(|v| !v.is_null())),
        }
    }
}

/// An answer as a reader finds it.
#[derive(Debug, Clone, Default)]
pub(super) struct NewAnswer<'a> {
    pub(super) outcome: Outcome,
    pub(super) text: String,
    pub(super) structured: Option<&'a Value>,
}

impl NewAnswer<'_> {
    /// A text, which tells a failure or not.
    pub(super) fn of(text: String, is_error: bool) -> NewAnswer<'static> {
        let outcome = if is_error { Outcome::Refused } else { Outcome::Ok };
        NewAnswer { outcome, text, structured: None }
    }
}
