//! How JSON texts stand in a file: one that is the whole file, several one after the other (with a
//! server's log lines before and between them), or the `data:` lines of server-sent events.

use super::repair::{Substitution, repair};
use super::{Framing, looks};
use serde_json::Value;
use std::ops::Range;

/// The texts of a file, parsed.
pub(super) struct Framed {
    pub framing: Framing,
    /// The text with substitutions made, as long as the text; `None` if there are none.
    pub readable: Option<String>,
    pub segments: Vec<(Range<usize>, Value)>,
    /// Lines that belong to no JSON text, from 1.
    pub skipped_lines: Vec<usize>,
    pub substitutions: Vec<Substitution>,
}

/// Why a text is no JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub kind: FaultKind,
    /// Byte offset in the text.
    pub offset: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FaultKind {
    TooDeep,
    /// The text ends inside a value.
    Truncated,
    /// serde_json's words.
    Syntax(String),
}

/// Finds and parses the JSON texts of `text`.
pub(super) fn frame(text: &str) -> Result<Framed, Fault> {
    let first = match parse_whole(text) {
        Ok(segments) => return Ok(whole(segments, None, Vec::new())),
        Err(fault) => fault,
    };
    if first.kind == FaultKind::TooDeep {
        return Err(first);
    }
    let (readable, substitutions) = match repair(text) {
        Some((readable, substitutions)) => (Some(readable), substitutions),
        None => (None, Vec::new()),
    };
    let fault = match readable.as_deref().map(parse_whole) {
        Some(Ok(segments)) => return Ok(whole(segments, readable, substitutions)),
        Some(Err(fault)) => fault,
        None => first,
    };
    let plain = readable.as_deref().unwrap_or(text);
    if looks::is_sse(text) {
        let events = sse(plain)?;
        if !events.segments.is_empty() {
            return Ok(Framed { substitutions, ..events });
        }
    }
    let (segments, skipped_lines) = lines(plain)?;
    if segments.is_empty() {
        return Err(fault);
    }
    Ok(Framed { framing: Framing::Lines, readable, segments, skipped_lines, substitutions })
}

fn whole(
    segment: (Range<usize>, Value),
    readable: Option<String>,
    substitutions: Vec<Substitution>,
) -> Framed {
    Framed {
        framing: Framing::Whole,
        readable,
        segments: vec![segment],
        skipped_lines: Vec::new(),
        substitutions,
    }
}

fn parse_whole(text: &str) -> Result<(Range<usize>, Value), Fault> {
    let value = serde_json::from_str(text).map_err(|e| fault(text, 0, &e))?;
    let start = text.len() - text.trim_start().len();
    Ok((start..text.trim_end().len().max(start), value))
}

/// Where a text that is one JSON text as far as it is read nests too deep, if it does.
pub(super) fn too_deep(text: &str) -> Option<Fault> {
    parse_whole(text).err().filter(|fault| fault.kind == FaultKind::TooDeep)
}

/// The fault that serde_json reports for the text from `base` on.
fn fault(text: &str, base: usize, error: &serde_json::Error) -> Fault {
    let said = error.to_string();
    let kind = if said.starts_with("recursion limit") {
        FaultKind::TooDeep
    } else if error.is_eof() {
        FaultKind::Truncated
    } else {
        let words = said.split(" at line ").next().unwrap_or_default();
        FaultKind::Syntax(words.to_string())
    };
    let rest = text.get(base..).unwrap_or_default();
    let line = match error.line() {
        0 | 1 => 0,
        n => rest.match_indices('\n').nth(n - 2).map_or(rest.len(), |(at, _)| at + 1),
    };
    // Columns of serde_json are bytes read so far; the byte at fault is the last of them.
    let mut offset = (base + line + error.column().saturating_sub(1)).min(text.len());
    if kind == FaultKind::Truncated {
        offset = text.trim_end().len();
    }
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    Fault { kind, offset }
}

type Segments = Vec<(Range<usize>, Value)>;

/// More lines than this that are no JSON are no log between messages.
const MAX_SKIPPED: usize = 100_000;

/// JSON texts one after the other; other lines are a server's log, and are counted.
fn lines(text: &str) -> Result<(Segments, Vec<usize>), Fault> {
    let mut segments: Segments = Vec::new();
    let mut skipped = Vec::new();
    let mut code = None;
    let (mut at, mut line, mut counted) = (0, 1, 0);
    loop {
        at = skip_space(text, at);
        line += newlines(text, counted, at);
        counted = at;
        let rest = text.get(at..).unwrap_or_default();
        if rest.is_empty() {
            break;
        }
        let after_value = segments.last().is_some_and(|(range, _)| same_line(text, range.end, at));
        let at_start =
            at == 0 || text.as_bytes().get(at - 1).is_some_and(|b| matches!(b, b'\n' | b'\r' | 0x1e));
        if (at_start || after_value) && looks::opens_json(rest) {
            let (value, end) = parse_prefix(text, at)?;
            if follows_well(text, end) {
                segments.push((at..end, value));
                at = end;
                continue;
            }
            if !(at_start && rest.starts_with('[')) {
                return Err(trailing(text, end));
            }
        }
        if after_value {
            return Err(trailing(text, at));
        }
        // No JSON text begins here. A message may still stand behind a log prefix.
        let end = line_end(text, at);
        let this = text.get(at..end).unwrap_or_default();
        if let Some(inner) = this.find("{\"jsonrpc\"").map(|i| at + i)
            && let Ok((value, behind)) = parse_prefix(text, inner)
        {
            // Log lines of clients go on behind the message.
            segments.push((inner..behind, value));
            at = line_end(text, behind);
            continue;
        }
        if this.starts_with(['}', ']', ')']) && code.is_none() {
            code = Some(at);
        }
        skipped.push(line);
        at = end;
        if skipped.len() > MAX_SKIPPED {
            let words = "too many lines that are no JSON".to_string();
            return Err(Fault { kind: FaultKind::Syntax(words), offset: at });
        }
    }
    match code {
        // Closing brackets on lines of their own: this is code, or broken JSON, around whole values.
        Some(offset) if !segments.is_empty() => {
            Err(Fault { kind: FaultKind::Syntax("unexpected closing bracket".to_string()), offset })
        }
        _ => Ok((segments, skipped)),
    }
}

fn trailing(text: &str, end: usize) -> Fault {
    let offset = skip_space(text, end);
    let words = if text.get(offset..).is_some_and(|r| r.starts_with(',')) {
        "a comma between JSON texts (values in a row need [ ] around them)"
    } else {
        "trailing characters"
    };
    Fault { kind: FaultKind::Syntax(words.to_string()), offset }
}

/// The JSON text at the start of `text[at..]`, and the offset behind it.
fn parse_prefix(text: &str, at: usize) -> Result<(Value, usize), Fault> {
    let rest = text.get(at..).unwrap_or_default();
    let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
    match stream.next() {
        Some(Ok(value)) => {
            let end = at + stream.byte_offset();
            Ok((value, end))
        }
        Some(Err(e)) => Err(fault(text, at, &e)),
        None => Err(Fault { kind: FaultKind::Truncated, offset: text.len() }),
    }
}

/// Whether a JSON text that ends at `end` ends there for good: its line ends, or another one begins.
fn follows_well(text: &str, end: usize) -> bool {
    let rest = text.get(end..).unwrap_or_default().trim_start_matches([' ', '\t', '\r', '\u{1e}']);
    rest.is_empty() || rest.starts_with(['\n', '{', '['])
}

fn same_line(text: &str, from: usize, to: usize) -> bool {
    text.get(from..to).is_some_and(|between| !between.contains('\n'))
}

fn newlines(text: &str, from: usize, to: usize) -> usize {
    text.get(from..to).unwrap_or_default().matches('\n').count()
}

/// Behind white space and record separators (RFC 7464).
fn skip_space(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + (rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{1e}']).len())
}

fn line_end(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |i| at + i)
}

/// `data:` lines of server-sent events. Field names are blanked out in a copy of the text, so that
/// an event's data, over several lines, is one JSON text with true offsets.
fn sse(text: &str) -> Result<Framed, Fault> {
    let mut blanked = String::with_capacity(text.len());
    let mut skipped_lines = Vec::new();
    let mut events: Vec<(usize, Range<usize>)> = Vec::new();
    let mut open: Option<(usize, Range<usize>)> = None;
    for (i, full) in text.split_inclusive('\n').enumerate() {
        let start = blanked.len();
        let line = full.trim_end_matches(['\n', '\r']);
        if let Some(data) = line.strip_prefix("data:") {
            blanked.push_str("     ");
            blanked.push_str(data);
            let end = blanked.len();
            open = Some(open.map_or((i + 1, start..end), |(line, event)| (line, event.start..end)));
        } else {
            if line.is_empty() {
                events.extend(open.take());
            } else if !looks::is_sse_field(line) {
                skipped_lines.push(i + 1);
            }
            blanked.extend(std::iter::repeat_n(' ', line.len()));
        }
        blanked.push_str(full.get(line.len()..).unwrap_or_default());
    }
    events.extend(open);
    let mut segments = Vec::new();
    for (line, event) in events {
        let mut at = skip_space(&blanked, event.start);
        if !looks::opens_json(blanked.get(at..event.end).unwrap_or_default()) {
            skipped_lines.push(line); // `data: [DONE]`, an endpoint, a ping
            continue;
        }
        let Some(upto) = blanked.get(..event.end) else { continue };
        while at < event.end {
            let (value, end) = parse_prefix(upto, at)?;
            segments.push((at..end, value));
            at = skip_space(upto, end);
        }
    }
    skipped_lines.sort_unstable();
    Ok(Framed {
        framing: Framing::Sse,
        readable: Some(blanked),
        segments,
        skipped_lines,
        substitutions: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::string_slice)]

    use super::*;
    use serde_json::json;

    fn values(text: &str) -> Vec<Value> {
        let framed = frame(text).unwrap();
        for (range, value) in &framed.segments {
            let readable = framed.readable.as_deref().unwrap_or(text);
            assert_eq!(&serde_json::from_str::<Value>(&readable[range.clone()]).unwrap(), value);
        }
        framed.segments.into_iter().map(|(_, v)| v).collect()
    }

    fn skipped(text: &str) -> Vec<usize> {
        frame(text).unwrap().skipped_lines
    }

    fn offset(text: &str) -> (FaultKind, usize) {
        let fault = frame(text).err().unwrap();
        (fault.kind, fault.offset)
    }

    #[test]
    fn one_text_or_many() {
        assert_eq!(values(" {\"a\": 1}\n"), [json!({"a": 1})]);
        assert_eq!(
            values("{\"a\": 1}\n{\"a\": 2}\r\n\n[{}]"),
            [json!({"a": 1}), json!({"a": 2}), json!([{}])]
        );
        assert_eq!(values("{\"a\":1}{\"a\":2} {\"a\":3}").len(), 3);
        assert_eq!(values("{\n \"a\": 1\n}\n{\n \"a\": 2\n}\n").len(), 2);
        assert_eq!(values("\u{1e}{\"a\":1}\n\u{1e}{\"a\":2}\n").len(), 2);
    }

    #[test]
    fn log_lines_are_said() {
        let log = "Starting server v1\n[info] up {ok}\n[2026-01-01] x\n{\"a\": 1}\nbye\n";
        assert_eq!(values(log), [json!({"a": 1})]);
        assert_eq!(skipped(log), [1, 2, 3, 5]);
        assert_eq!(skipped("[12] worker\n{\"a\": 1}"), [1]);
        let prefixed = "server | {\"jsonrpc\":\"2.0\",\"id\":1}\nserver | done\n";
        assert_eq!(values(prefixed), [json!({"jsonrpc": "2.0", "id": 1})]);
        assert_eq!(skipped(prefixed), [2]);
        let desktop =
            "x [weather] [info] from server: {\"jsonrpc\":\"2.0\",\"id\":1} { metadata: undefined }\n";
        assert_eq!(values(&desktop.repeat(2)).len(), 2);
        assert_eq!(values("```json\n{\"a\": 1}\n```\n"), [json!({"a": 1})]);
    }

    #[test]
    fn broken_json_is_not_a_log() {
        assert_eq!(offset("{\"a\": 1,}").1, 8);
        assert_eq!(offset("x\n{\"a\": 1\n").0, FaultKind::Truncated);
        assert_eq!(offset("{\"tools\": [{\"name\": \"a\"}").0, FaultKind::Truncated);
        assert_eq!(offset("{\"a\": 1},\n{\"a\": 2}").1, 8);
        assert_eq!(offset("{\"a\": 1} trailing").1, 9);
        // TypeScript around a tool that is JSON by itself
        let ts = "export const tools = [\n{\"name\": \"a\"},\n{\"name\": \"b\"}\n];\n";
        assert!(frame(ts).is_err());
        assert!(frame("const t =\n{\"name\": \"b\"}\n;\n]\n").is_err());
        assert!(matches!(offset("just words").0, FaultKind::Syntax(_)));
    }

    #[test]
    fn depth_is_a_fault_of_its_own() {
        let deep = format!("log\n{}", "[".repeat(100_000));
        assert_eq!(offset(&deep).0, FaultKind::TooDeep);
        assert_eq!(offset(&deep[4..]).0, FaultKind::TooDeep);
        assert_eq!(offset(&"{\"a\":".repeat(100_000)).0, FaultKind::TooDeep);
    }

    #[test]
    fn events() {
        let text = "event: message\nid: 1\n: ping\ndata: {\"a\":\ndata: \"é\"}\n\ndata: {\"b\": 1}\r\n\r\n";
        assert_eq!(values(text), [json!({"a": "é"}), json!({"b": 1})]);
        assert_eq!(frame(text).unwrap().framing, Framing::Sse);
        let noisy = "HTTP/1.1 200 OK\n\nevent: endpoint\ndata: /messages\n\ndata:{\"a\":1}\n";
        assert_eq!(values(noisy), [json!({"a": 1})]);
        assert_eq!(skipped(noisy), [1, 4]);
        assert_eq!(offset("data: {\"a\": 1\n\n").0, FaultKind::Truncated);
        assert_eq!(offset("data: {\"a\": }\n\n"), (FaultKind::Syntax("expected value".into()), 12));
    }

    #[test]
    fn what_no_value_can_hold() {
        let framed = frame("{\"a\": \"\\ud800\"}\n{\"b\": 1e999}\n").unwrap();
        assert_eq!(framed.segments.len(), 2);
        assert_eq!(framed.substitutions.len(), 2);
        assert_eq!(values("{\"a\": \"\\ud800\", \"b\": 1e999}"), [json!({"a": "\u{fffd}", "b": 1e308})]);
        assert_eq!(values("data: {\"a\": \"\\udc00\"}\n\n"), [json!({"a": "\u{fffd}"})]);
    }
}
