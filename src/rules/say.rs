//! Phrases that many messages need: what kind of value this is, which tool is meant.

use super::ToolView;
use serde_json::Value;

pub use crate::json_type::with_article as kind;

/// The longest text that a message quotes, in characters; what is cut away is in the evidence.
const QUOTED: usize = 60;

/// `text` in backticks, on one line, shortened to what a message can bear. Control characters
/// become visible escapes, so that a message reads the same wherever it is shown.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::from("`");
    for (i, c) in text.chars().enumerate() {
        if i == QUOTED {
            out.push('…');
            break;
        }
        if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out.push('`');
    out
}

/// What stands in the file, for the evidence of a finding: a string as it is, anything else as JSON;
/// cut at 200 characters.
#[must_use]
pub fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.chars().take(200).collect(),
        other => other.to_string().chars().take(200).collect(),
    }
}

/// Which tool is meant, for the start of a message: "tool `x`", or its place in the listing.
#[must_use]
pub fn tool(view: &ToolView<'_>) -> String {
    match view.tool.name() {
        Some(name) if !name.trim().is_empty() => format!("tool {}", quoted(name)),
        _ => format!("the tool at position {}", view.tool.index + 1),
    }
}

/// `a`, `a and b`, `a, b and c`; beyond `most` items: `a, b and 7 more`.
#[must_use]
pub fn list(items: &[String], most: usize) -> String {
    let shown = if items.len() > most { most.saturating_sub(1).max(1) } else { items.len() };
    let mut parts: Vec<String> = items.iter().take(shown).cloned().collect();
    if items.len() > shown {
        parts.push(format!("{} more", items.len() - shown));
    }
    match parts.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// [`list`] of texts, each [`quoted`].
#[must_use]
pub fn quoted_list(texts: impl IntoIterator<Item = impl AsRef<str>>, most: usize) -> String {
    list(&texts.into_iter().map(|text| quoted(text.as_ref())).collect::<Vec<_>>(), most)
}

/// `1 tool`, `2 tools`.
#[must_use]
pub fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// `1 tool is`, `2 tools are`.
#[must_use]
pub fn count_are(n: usize, noun: &str) -> String {
    format!("{} {}", count(n, noun), if n == 1 { "is" } else { "are" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_stay_on_one_line_and_short() {
        assert_eq!(quoted("a\r\nb\u{1b}[31m"), "`a\\r\\nb\\u{1b}[31m`");
        assert_eq!(quoted(&"x".repeat(70)), format!("`{}…`", "x".repeat(60)));
    }

    #[test]
    fn numbers_agree_with_their_words() {
        assert_eq!((count(1, "tool"), count(0, "tool")), ("1 tool".to_string(), "0 tools".to_string()));
        assert_eq!(count_are(1, "more change"), "1 more change is");
        assert_eq!(count_are(2, "tool"), "2 tools are");
    }

    #[test]
    fn lists_read_as_prose() {
        let items = |n: usize| (0..n).map(|i| i.to_string()).collect::<Vec<_>>();
        assert_eq!(list(&items(1), 4), "0");
        assert_eq!(list(&items(3), 4), "0, 1 and 2");
        assert_eq!(list(&items(9), 4), "0, 1, 2 and 6 more");
    }
}
