//! `verity trace`: recordings in every format.

mod formats;
mod inputs;
mod readers;

use serde_json::Value;
use verity::error::InputError;
use verity::trace::{self, Fixtures, Trace};

/// The recording `text`.
fn read(text: &str) -> Result<Trace, InputError> {
    trace::read("log", text.as_bytes(), &Fixtures::new())
}

/// Lines of JSON.
fn lines(values: &[Value]) -> String {
    values.iter().map(|v| format!("{v}\n")).collect()
}

/// What `verity trace` prints.
fn printed(trace: &Trace) -> Vec<Value> {
    trace.calls().map(|call| call.to_json()).collect()
}
