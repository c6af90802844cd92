//! How much a report says of one finding, however much a hostile listing makes of it: a text of a megabyte, a name as
//! long, a witness with ten thousand members. What is left out is counted, and said.

use crate::finding::Finding;
use crate::rules::say::count;
use serde_json::Value;
use std::borrow::Cow;

/// Characters of a finding's evidence, and of its message.
pub const TEXT: usize = 2_000;
/// Characters of a tool's name.
pub const NAME: usize = 1_000;
/// Bytes of a pointer: a longer one becomes that of the nearest value around it, which resolves too.
pub const POINTER: usize = 4_000;
/// Bytes of a witness that is always shown.
const SMALL: usize = 2_000;
/// Bytes of all larger witnesses of one listing.
const LARGE: usize = 500_000;

/// Shortens what is too long in `findings`, those of one listing in the order of its rules.
pub(crate) fn hold(findings: &mut [Finding]) {
    let mut room = LARGE;
    for finding in findings {
        shorten(&mut finding.message);
        if let Some(evidence) = &mut finding.evidence {
            shorten(evidence);
        }
        let Some(witness) = &finding.witness else { continue };
        let size = size(witness);
        if size <= SMALL {
            continue;
        }
        if size <= room {
            room -= size;
        } else {
            finding.witness = None;
            finding.message.push_str(&format!(" (its witness, of {size} bytes, is left out)"));
        }
    }
}

fn shorten(text: &mut String) {
    if let Cow::Owned(short) = cut(text, TEXT) {
        *text = short;
    }
}

/// A tool's name as a report has it.
pub(crate) fn name(name: &str) -> Cow<'_, str> {
    cut(name, NAME)
}

/// `pointer`, or that of the nearest value around it that is short enough.
pub(crate) fn pointer(pointer: &str) -> &str {
    let mut at = pointer;
    while at.len() > POINTER {
        at = at.rfind('/').and_then(|end| at.get(..end)).unwrap_or("");
    }
    at
}

/// At most `most` characters, and how many were left out.
fn cut(text: &str, most: usize) -> Cow<'_, str> {
    let end = if text.len() > most { text.char_indices().nth(most) } else { None };
    match end.and_then(|(end, _)| text.split_at_checked(end)) {
        Some((head, rest)) => {
            Cow::Owned(format!("{head}… ({})", count(rest.chars().count(), "more character")))
        }
        None => Cow::Borrowed(text),
    }
}

/// About how many bytes `value` takes as JSON. Deep values are those of a file, whose depth is bounded.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 3,
        Value::Array(items) => 2 + items.iter().map(size).sum::<usize>(),
        Value::Object(members) => 2 + members.iter().map(|(k, v)| k.len() + 4 + size(v)).sum::<usize>(),
        Value::Number(_) => 8,
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_counted() {
        assert_eq!(cut("größe", 4), "größ… (1 more character)");
        assert_eq!(cut("größe", 5), "größe");
        assert_eq!(name(&"x".repeat(NAME)).len(), NAME);
    }

    #[test]
    fn a_long_pointer_becomes_that_of_a_value_around() {
        let long = format!("/a/{}/c", "b".repeat(POINTER));
        assert_eq!((pointer(&long), pointer("/a/b"), pointer("")), ("/a", "/a/b", ""));
    }
}
