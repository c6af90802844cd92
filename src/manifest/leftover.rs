//! What of a file nobody read: tools in a second place, servers whose tools are missing. A run over the
//! rest alone must not look like a run over all.

use super::entry;
use super::{Completeness, Manifest};
use crate::pointer;
use crate::source::Document;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// How deep a listing may stand.
const MAX_DEPTH: usize = 12;

/// Says of the first manifest what is missing, if something is.
pub(super) fn mark(document: &Document, manifests: &mut [Manifest]) {
    // A log that lists the tools again leaves earlier listings unread, and says so.
    let says_so =
        |m: &Manifest| m.notes.iter().any(|n| n.contains("more than once") || n.contains("that repeat"));
    if manifests.iter().any(says_so) {
        return;
    }
    let origins: BTreeSet<(usize, &str)> = manifests
        .iter()
        .flat_map(|m| &m.tools)
        .map(|t| (t.origin.segment, t.origin.pointer.as_str()))
        .collect();
    let missing = document.segments.iter().enumerate().find_map(|(segment, s)| {
        let read = Read { origins: &origins, segment };
        // Of several messages some list no tools, or are not the answer that counts.
        read.under("").then(|| read.missing(&s.value, "", MAX_DEPTH)).flatten()
    });
    let missing = missing.or_else(|| match document.segments.as_slice() {
        // Of several segments, the next may be what the cursor leads to.
        [only] if !origins.is_empty() => outer_cursor(&only.value),
        _ => None,
    });
    if let (Some(missing), Some(first)) = (missing, manifests.first_mut())
        && first.completeness == Completeness::Complete
    {
        first.completeness = Completeness::Partly(missing);
    }
}

/// Members in which a server's listing stands.
const LISTING: [&str; 4] = ["tools", "signature", "result", "tools/list"];

struct Read<'o> {
    origins: &'o BTreeSet<(usize, &'o str)>,
    segment: usize,
}

impl Read<'_> {
    /// Whether a tool that was read stands at `at` or below.
    fn under(&self, at: &str) -> bool {
        let below = format!("{at}/");
        let first = self.origins.range((self.segment, below.as_str())..).next();
        self.origins.contains(&(self.segment, at))
            || first.is_some_and(|(segment, p)| *segment == self.segment && p.starts_with(&below))
    }

    /// What is missing in `value`, which stands at `at`.
    fn missing(&self, value: &Value, at: &str, depth: usize) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        match value {
            Value::Array(items) if items.iter().any(entry::is_surely_tool) => {
                if !self.under(at) {
                    return Some(format!("there are tools at {at} that were not read beside the others"));
                }
                let groups = items.iter().enumerate().filter(|(_, item)| entry::declarations(item).is_some());
                groups.into_iter().find_map(|(i, item)| self.missing(item, &pointer::index(at, i), depth))
            }
            Value::Array(items) => {
                let children = items.iter().enumerate().map(|(i, v)| (i.to_string(), v));
                self.among(children.collect(), at, false, depth)
            }
            Value::Object(members) => {
                let children = members.iter().map(|(k, v)| (k.clone(), v)).collect();
                self.among(children, at, true, depth)
            }
            _ => None,
        }
    }

    fn among(&self, children: Vec<(String, &Value)>, at: &str, named: bool, depth: usize) -> Option<String> {
        let place = |key: &str| pointer::child(at, key);
        let some_read = children.iter().any(|(key, _)| self.under(&place(key)));
        // In a map of servers, every other entry is a listing.
        let is_map = named && children.iter().all(|(key, v)| v.is_null() || self.under(&place(key)));
        let in_map = is_map && !children.iter().any(|(key, _)| LISTING.contains(&key.as_str()));
        children.iter().find_map(|(key, value)| {
            let here = place(key);
            if some_read && in_map && value.is_null() && !SILENT.contains(&key.as_str()) {
                return Some(format!(
                    "the tools of server `{}` are missing (it is null)",
                    crate::error::cut(key)
                ));
            }
            if some_read && !self.under(&here) {
                let name = value.get("name").and_then(Value::as_str);
                let name = name.or(named.then_some(key.as_str())).unwrap_or(&here);
                // Beside `tools` itself stand words about the one server.
                let is_word =
                    value.is_string() && children.iter().any(|(k, _)| LISTING.contains(&k.as_str()));
                if let Some(why) = failed(key, value).filter(|_| !is_word) {
                    return Some(format!(
                        "the tools of server `{}` are missing ({why})",
                        crate::error::cut(name)
                    ));
                }
            }
            self.missing(value, &here, depth)
        })
    }
}

/// Members that are null where nothing is wrong.
const SILENT: [&str; 6] = ["error", "_meta", "meta", "metadata", "warnings", "errors"];

/// A cursor that stands outside the listing which it continues: beside `result` instead of `tools`.
fn outer_cursor(root: &Value) -> Option<String> {
    let members = root.as_object().filter(|members| !members.contains_key("tools"))?;
    let open =
        |key: &&str| members.get(*key).and_then(Value::as_str).is_some_and(|cursor| !cursor.is_empty());
    let key = ["nextCursor", "next_cursor"].into_iter().find(open)?;
    Some(format!("`{key}` at /{key} says that more follow"))
}

/// Why a neighbour of listings that were read has none itself, where it is a server that failed.
fn failed(key: &str, value: &Value) -> Option<String> {
    let said = |v: &Value| match v {
        Value::String(text) => crate::error::cut(text),
        Value::Object(members) => match members.get("message").and_then(Value::as_str) {
            Some(text) => crate::error::cut(text),
            None => "it says `error`".to_string(),
        },
        _ => "it says `error`".to_string(),
    };
    match value {
        Value::Object(members) => {
            let error = members.get("error").filter(|e| !e.is_null() && **e != Value::Bool(false));
            if let Some(error) = error.filter(|_| key != "error") {
                return Some(said(error));
            }
            let broken =
                |m: &Map<String, Value>, k: &str| m.get(k).is_some_and(|v| !v.is_object() && !v.is_array());
            LISTING.iter().find(|k| broken(members, k)).map(|k| format!("its `{k}` is no listing"))
        }
        Value::String(text) => {
            let word = text.to_ascii_lowercase();
            let fails = ["fail", "error", "timeout", "timed out", "unreachable", "refused"];
            (word.len() < 200 && fails.iter().any(|f| word.contains(f))).then(|| crate::error::cut(text))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::{manifest, source};

    const TOOL: &str = r#"{"name": "a", "inputSchema": {"type": "object"}}"#;
    const OTHER: &str = r#"{"name": "b", "inputSchema": {"type": "object"}}"#;

    /// What is said to be missing in a file with `A` and `B` for two tools.
    fn missing(text: &str) -> Option<String> {
        let text = text.replace('A', TOOL).replace('B', OTHER);
        let document = source::parse("tools.json", text.into_bytes()).unwrap();
        manifest::read(&document).unwrap().iter().find_map(|m| m.completeness.reason())
    }

    #[test]
    fn tools_in_a_second_place() {
        for text in [
            r#"{"result": {"tools": [A]}, "tools": [B]}"#,
            r#"{"jsonrpc": "2.0", "id": 1, "result": {"tools": [A]}, "params": {"tools": [B]}}"#,
            r#"{"tools": [{"functionDeclarations": [A], "function_declarations": [B]}]}"#,
            r#"{"data": {"result": {"tools": [A]}}, "more": {"tools": [B]}}"#,
        ] {
            let said = missing(text);
            let read_both = said.is_none() && {
                let text = text.replace('A', TOOL).replace('B', OTHER);
                let document = source::parse("tools.json", text.into_bytes()).unwrap();
                manifest::read(&document).unwrap().iter().map(|m| m.tools.len()).sum::<usize>() == 2
            };
            assert!(read_both || said.is_some_and(|s| s.contains("not read")), "{text}");
        }
    }

    #[test]
    fn servers_that_failed() {
        for (text, why) in [
            (r#"{"x": {"tools": [A]}, "y": {"error": "timeout"}}"#, "server `y` are missing (timeout)"),
            (r#"{"x": {"tools": [A]}, "y": {"tools": "none"}}"#, "its `tools` is no listing"),
            (r#"{"x": [A], "y": "failed to start"}"#, "failed to start"),
            (r#"{"x": {"tools": [A]}, "y": null}"#, "server `y` are missing (it is null)"),
            (
                r#"{"servers": [{"name": "x", "signature": {"tools": [A]}}, {"name": "y", "signature": null, "error": {"message": "no"}}]}"#,
                "server `y` are missing (no)",
            ),
        ] {
            assert!(missing(text).is_some_and(|s| s.contains(why)), "{text}: {:?}", missing(text));
        }
    }

    #[test]
    fn cursors_by_other_names() {
        for text in [
            r#"{"tools": [A], "next_cursor": "x"}"#,
            r#"{"tools": [A], "hasMore": true}"#,
            r#"{"result": {"tools": [A]}, "nextCursor": "x"}"#,
        ] {
            assert!(missing(text).is_some(), "{text}");
        }
    }

    #[test]
    fn what_is_all_there() {
        for text in [
            r#"{"tools": [A, B], "name": "server that never fails", "error": null}"#,
            r#"{"x": {"tools": [A]}, "y": {"tools": [B]}, "version": "1", "errors": []}"#,
            r#"{"x": {"tools": [A], "error": null}, "generated_at": "2026-01-01"}"#,
            r#"{"tools": [A], "next_cursor": null, "hasMore": false}"#,
            r#"{"result": {"tools": [A]}, "error": null, "nextCursor": ""}"#,
            r#"{"jsonrpc": "2.0", "id": null, "result": {"tools": [A]}}"#,
            r#"{"x": {"tools": [A]}, "errors": null}"#,
            r#"[{"functionDeclarations": [A]}, {"functionDeclarations": [B]}]"#,
        ] {
            assert_eq!(missing(text), None, "{text}");
        }
    }
}
