//! What is wrong with a file that is no recording, in words.

use super::MAX_LINE;
use crate::error::{ErrorCode, InputError, cut};
use crate::trace::Format;
use serde_json::Value;

/// What serde_json says, without its own place.
pub(super) fn plain(e: &serde_json::Error) -> String {
    let text = e.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(said, _)| said.to_string())
}

/// A file of many lines that is no JSON text: is it JSON lines with a broken one, or a broken text?
pub(super) fn whole_fault(text: &str, e: &serde_json::Error) -> InputError {
    let first = text.lines().find(|l| !l.trim().is_empty()).unwrap_or_default();
    let number = text.lines().position(|l| !l.trim().is_empty()).map_or(1, |n| n + 1);
    let next = text.lines().skip(number).find(|l| !l.trim().is_empty());
    if first.len() > 2 && next.is_some_and(|l| serde_json::from_str::<Value>(l).is_ok_and(|v| v.is_object()))
    {
        let said = serde_json::from_str::<Value>(first).err().map_or(String::new(), |e| plain(&e));
        let message = format!("the line is not a JSON text ({said}), and the lines after it are");
        return InputError::new(ErrorCode::NotJson, message).line_column(number, 1);
    }
    let message = match e.is_eof() {
        true => "the JSON ends in the middle: the recording is cut off here".to_string(),
        false => format!("not JSON: {}", plain(e)),
    };
    InputError::new(ErrorCode::NotJson, message).line_column(e.line().max(1), e.column().max(1))
}

/// The file is one text, and too long a one.
pub(super) fn too_long() -> InputError {
    let message = format!("the file is one JSON text of more than {} MiB", MAX_LINE >> 20);
    InputError::new(ErrorCode::TooLarge, message)
        .help("Recordings with a JSON text a line may be of any length; split this one by session.")
}

/// What verity reads, for those who brought something else.
pub(super) fn known() -> String {
    format!("verity reads {}.", Format::names().collect::<Vec<_>>().join(", "))
}

/// What a JSON text is that is no recording, in words.
pub(super) fn seen(value: &Value) -> String {
    let kind = |v: &Value| match v {
        Value::Object(_) => "an object",
        Value::Array(_) => "a list",
        Value::String(_) => "a string",
        _ => "a plain value",
    };
    match value {
        Value::Object(members) if members.is_empty() => "an empty object".to_string(),
        Value::Object(members) => {
            let keys: Vec<String> = members.keys().take(6).map(|k| format!("`{}`", cut(k))).collect();
            let more = if members.len() > keys.len() { ", …" } else { "" };
            format!("an object with {}{more}", keys.join(", "))
        }
        Value::Array(items) => match items.first() {
            Some(first @ Value::Object(_)) => {
                format!("a list of {}, the first of them {}", items.len(), seen(first))
            }
            Some(first) => format!("a list of {}, the first of them {}", items.len(), kind(first)),
            None => "an empty list".to_string(),
        },
        other => kind(other).to_string(),
    }
}
