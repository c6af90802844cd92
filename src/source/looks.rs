//! What a text that is not JSON looks like, so that the error can say what to do.

use super::frame::{Fault, FaultKind};

/// Whether `text` begins as an object or an array of more than numbers does; `[info]` and `{name}` of
/// a log line do not.
pub(super) fn opens_json(text: &str) -> bool {
    let mut chars = text.chars();
    let first = chars.next();
    let second = chars.find(|c| !c.is_whitespace());
    match first {
        Some('{') => matches!(second, Some('"' | '}') | None),
        Some('[') => matches!(second, Some('{' | '[' | '"' | ']') | None),
        _ => false,
    }
}

/// Whether a line is a field of a server-sent event, or a comment.
pub(super) fn is_sse_field(line: &str) -> bool {
    [":", "data:", "event:", "id:", "retry:"].iter().any(|field| line.starts_with(field))
        || matches!(line, "data" | "event" | "id" | "retry")
}

/// Whether `text` is a stream of server-sent events: data lines, at least one of which begins as JSON.
pub(super) fn is_sse(text: &str) -> bool {
    text.lines().any(|l| l.strip_prefix("data:").is_some_and(|data| opens_json(data.trim_start())))
}

/// Message and help for a text that is not JSON.
pub(super) fn explain(text: &str, fault: &Fault) -> (String, Option<String>) {
    if text.trim().is_empty() {
        return ("the file is empty".to_string(), None);
    }
    if !is_sse(text)
        && let Some((message, help)) = other_language(text)
    {
        return (format!("this is {message}, not JSON"), Some(help.to_string()));
    }
    match &fault.kind {
        FaultKind::TooDeep => ("too deep".to_string(), None),
        FaultKind::Truncated => (
            "the JSON text ends in the middle".to_string(),
            Some("The file is cut off; capture or download it again.".to_string()),
        ),
        FaultKind::Syntax(said) => {
            let rest = text.get(fault.offset..).unwrap_or_default();
            match at_fault(text, fault.offset, rest) {
                Some((message, help)) => (message.to_string(), Some(help.to_string())),
                None => (format!("not JSON: {said}"), None),
            }
        }
    }
}

/// What stands at the place of the fault.
fn at_fault(text: &str, offset: usize, rest: &str) -> Option<(&'static str, &'static str)> {
    let before = text.get(..offset).unwrap_or_default().trim_end();
    let rest_word = rest.trim_start_matches('-');
    if rest.starts_with("//") || rest.starts_with("/*") || rest.starts_with('#') {
        return Some((
            "a comment: this is JSONC or JSON5, not JSON",
            "MCP messages are plain JSON; take the comments out.",
        ));
    }
    if before.ends_with(',') && rest.starts_with(['}', ']'])
        || rest.starts_with(',') && {
            let behind = rest.trim_start_matches(',').trim_start();
            behind.starts_with(['}', ']'])
        }
    {
        return Some((
            "a trailing comma: this is JSONC or JSON5, not JSON",
            "MCP messages are plain JSON; take the last comma out.",
        ));
    }
    if ["NaN", "Infinity", "nan", "inf"].iter().any(|w| rest_word.starts_with(w)) {
        return Some((
            "NaN and Infinity are not JSON (Python's json.dumps writes them)",
            "Write a number or null; json.dumps(…, allow_nan=False) refuses them.",
        ));
    }
    if rest.starts_with("None") || rest.starts_with("True") || rest.starts_with("False") {
        return Some((
            "this is a Python literal, not JSON",
            "Print it with json.dumps, not with print or str.",
        ));
    }
    if rest.starts_with("undefined") {
        return Some(("`undefined` is not JSON", "Leave the member out, or write null."));
    }
    if rest.starts_with('\'') {
        return Some((
            "a string in single quotes: this is JSON5, a Python or a JavaScript literal, not JSON",
            "JSON strings stand in double quotes; print it with json.dumps or JSON.stringify.",
        ));
    }
    if rest.starts_with('`') {
        return Some(("a template string: this is JavaScript, not JSON", CAPTURE));
    }
    let names_key = rest.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$');
    if names_key && before.ends_with(['{', ',']) {
        return Some((
            "a key without quotes: this is JSON5, JavaScript or YAML, not JSON",
            "JSON keys stand in double quotes.",
        ));
    }
    None
}

const CAPTURE: &str = "Verity reads what the server lists, not its source. Capture the listing: \
    npx @modelcontextprotocol/inspector --cli <command that starts the server> --method tools/list > tools.json";

/// The language of a text whose first line gives it away.
fn other_language(text: &str) -> Option<(&'static str, &'static str)> {
    let head = text.trim_start();
    let lower: String = head.chars().take(64).collect::<String>().to_ascii_lowercase();
    let starts = |words: &[&str]| words.iter().any(|w| lower.starts_with(w));
    if starts(&["<!doctype html", "<html", "<head", "<body"]) {
        return Some((
            "an HTML page",
            "A server or a proxy answered with a page; look at the address and log-in.",
        ));
    }
    if starts(&["<?xml", "<svg", "<"]) {
        return Some(("XML or HTML", "Verity reads JSON."));
    }
    if starts(&[
        "import ",
        "export ",
        "const ",
        "let ",
        "var ",
        "interface ",
        "type ",
        "'use strict'",
        "async ",
    ]) {
        return Some(("TypeScript or JavaScript source", CAPTURE));
    }
    if starts(&["from ", "def ", "class ", "#!/usr/bin/env python", "@mcp", "\"\"\""]) {
        return Some(("Python source", CAPTURE));
    }
    if starts(&["package ", "func ", "use ", "pub ", "fn ", "using ", "#!/"]) {
        return Some(("source code or a script", CAPTURE));
    }
    if starts(&["---", "%yaml"]) || yaml_key(head) {
        return Some(("YAML", "Convert it to JSON first: yq -o json . FILE > tools.json"));
    }
    if starts(&["# ", "## "]) {
        return Some(("Markdown or YAML with a comment", "Verity reads JSON."));
    }
    None
}

/// Whether the first line is `key:` or `- key:`, with more lines of the kind.
fn yaml_key(text: &str) -> bool {
    let is_key = |line: &str| {
        let line = line.trim_start().trim_start_matches("- ");
        line.split_once(':').is_some_and(|(key, rest)| {
            !key.is_empty()
                && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$'))
                && (rest.is_empty() || rest.starts_with(' '))
        })
    };
    let mut lines = text.lines().filter(|l| !l.trim().is_empty()).take(4);
    lines.next().is_some_and(is_key) && lines.filter(|l| is_key(l)).count() >= 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::frame::frame;

    fn said(text: &str) -> String {
        let fault = frame(text).err().unwrap();
        explain(text, &fault).0
    }

    #[test]
    fn names_what_it_is() {
        for (text, part) in [
            ("{\"a\": NaN}", "NaN"),
            ("{\"a\": -Infinity}", "NaN and Infinity"),
            ("{\"a\": 1, // one\n \"b\": 2}", "comment"),
            ("{ // one\n\"a\": 1}", "comment"),
            ("{\"a\": [1, 2,]}", "trailing comma"),
            ("{\"a\": 1,}", "trailing comma"),
            ("{'a': 1}", "single quotes"),
            ("{\"a\": None}", "Python"),
            ("{a: 1}", "key without quotes"),
            ("{\"a\": undefined}", "undefined"),
            ("<!DOCTYPE html><html></html>", "HTML"),
            ("<?xml version=\"1.0\"?><a/>", "XML"),
            ("export const tools = [\n  { name: 'a' },\n];", "TypeScript"),
            ("import json\nprint(1)", "source"),
            ("tools:\n  - name: a\n    description: b\n", "YAML"),
            ("---\na: 1\n", "YAML"),
            ("from mcp import x\n", "Python"),
            ("   \n\n", "empty"),
            ("{\"a\": [1, 2", "ends in the middle"),
            ("event: message\ndata: {\"a\": [1, 2", "ends in the middle"),
            ("{\"a\" 1}", "expected `:`"),
        ] {
            let message = said(text);
            assert!(message.contains(part), "{text:?}: {message}");
        }
    }
}
