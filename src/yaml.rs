//! The only room that knows YAML: task documents out; any pack's documents, profiles and configuration in.
//!
//! Out: block style, and every string quoted that PyYAML (YAML 1.1) or js-yaml (1.2) would read as
//! something else, and no character that would act on a screen or hide stands there raw. In: what PyYAML's `safe_load` makes of a document, bounded.

mod read;
mod resolve;

pub use read::{Loaded, MAX_BYTES, YamlError, read, read_all};

use crate::unseen::acts;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Value;
use std::fmt::Write;

/// `value` as one YAML document.
///
/// # Errors
/// Where the serializer cannot write the value; no JSON value is known for which that is so.
pub fn write(value: &Value) -> Result<String, String> {
    let options = serde_yaml::ser_options! {
        compact_list_indent: false,
        prefer_block_scalars: false,
        min_fold_chars: 0,
    };
    let written = serde_yaml::to_string_with_options(&Document(value), options).map_err(|e| e.to_string())?;
    Ok(if written.contains(acts) { escaped(&written) } else { written })
}

/// `written` with YAML's escapes for what acts; PyYAML and js-yaml read them back as the characters. Values
/// with such characters are double-quoted already, as [`Document`] sees to it; plain keys, in which no colon
/// can stand, become so here.
fn escaped(written: &str) -> String {
    let mut out = String::with_capacity(written.len() + 64);
    for line in written.split_inclusive('\n') {
        let plain = line.trim_start_matches(' ');
        let plain =
            std::iter::successors(Some(plain), |rest| rest.strip_prefix("- ")).last().unwrap_or(plain);
        let (before, rest) = line.split_at(line.len() - plain.len());
        out.push_str(before);
        // A key that is too long for one line with its value stands alone, after a question mark.
        let (long, rest) = rest.strip_prefix("? ").map_or((false, rest), |rest| (true, rest));
        out.push_str(if long { "? " } else { "" });
        let (key, value) = if long { rest.split_at(rest.trim_end().len()) } else { until_colon(rest) };
        if !key.starts_with('"') && key.contains(acts) {
            out.push('"');
            escape(&mut out, &key.replace('\\', "\\\\").replace('"', "\\\""));
            out.push('"');
        } else {
            escape(&mut out, key);
        }
        escape(&mut out, value);
    }
    out
}

/// The key of a line and what follows it; all of a line without a key.
fn until_colon(line: &str) -> (&str, &str) {
    line.find(':').map_or((line, ""), |at| line.split_at(at))
}

fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        let _ = match (acts(c), u32::from(c)) {
            (true, code @ ..=0xffff) => write!(out, "\\u{code:04X}"),
            (true, code) => write!(out, "\\U{code:08X}"),
            (false, _) => out.write_char(c),
        };
    }
}

/// A JSON value whose multi-line texts are written as literal blocks, so that a person can read them.
struct Document<'v>(&'v Value);

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::String(text) if text.contains(acts) => {
                serde_yaml::DoubleQuoted(text).serialize(serializer)
            }
            Value::String(text) if reads_well_as_block(text) => {
                serde_yaml::LitStr(text).serialize(serializer)
            }
            Value::Array(items) => {
                let mut seq = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    seq.serialize_element(&Document(item))?;
                }
                seq.end()
            }
            Value::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, &Document(value))?;
                }
                map.end()
            }
            other => other.serialize(serializer),
        }
    }
}

/// Whether a literal block (`|`) gives `text` back in every reader: lines of printable characters
/// that end in exactly one line feed and do not begin or end with a blank.
fn reads_well_as_block(text: &str) -> bool {
    let Some(lines) = text.strip_suffix('\n') else { return false };
    lines.contains('\n')
        && !lines.starts_with([' ', '\n'])
        && !lines.ends_with('\n')
        && !lines.split('\n').any(|line| line.ends_with(' '))
        && lines.chars().all(|c| c == '\n' || is_plainly_printable(c))
}

fn is_plainly_printable(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{a1}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{1_0000}'..)
        && !matches!(c, '\u{ad}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn strings_that_yaml_1_1_reads_as_something_else_are_quoted() {
        for text in ["on", "yes", "2024-01-01", "1:30", "012", "1_000", "0x1F", "~", "=", "<<", "1e5", ""] {
            let written = write(&json!({ text: text })).unwrap();
            let quoted = |q: char| written.contains(&format!("{q}{text}{q}: {q}{text}{q}"));
            assert!(quoted('"') || quoted('\''), "{written}");
        }
    }

    #[test]
    fn floats_are_yaml_1_1_floats() {
        let written = write(&json!([1e5, 1e16, -0.0, 5e-324, 1.0, 0.01])).unwrap();
        let lines: Vec<&str> = written.lines().map(|l| l.trim_start_matches("- ")).collect();
        assert_eq!(lines, ["100000.0", "1.0e+16", "-0.0", "5.0e-324", "1.0", "0.01"]);
    }

    #[test]
    fn texts_of_several_lines_are_blocks_only_where_that_is_exact() {
        assert!(reads_well_as_block("{\n  \"a\": 1\n}\n"));
        for text in
            ["one line\n", "a\nb", "a\nb\n\n", " a\nb\n", "a \nb\n", "a\tb\nc\n", "a\r\nb\n", "a\u{85}b\nc\n"]
        {
            assert!(!reads_well_as_block(text), "{text:?}");
        }
    }

    #[test]
    fn what_acts_or_hides_is_escaped_and_comes_back() {
        let hidden = "a\u{202e}b\u{200b}c\u{e0041}\u{2066}\\u202E\n\"'\u{1b}[31m";
        let value = json!({ hidden: [hidden, {"k": hidden}], "x\u{feff}": "line\nwith \u{2028}\n", "plain": "caf\u{e9} \u{1f600}"});
        let written = write(&value).unwrap();
        assert!(!written.contains(acts), "{written:?}");
        assert!(
            written.contains(r"a\u202Eb\u200Bc\U000E0041\u2066\\u202E\n") && written.contains("café 😀"),
            "{written}"
        );
        assert_eq!(read(&written).unwrap().value, value);
        // A plain key of itself, also behind dashes.
        let value = json!([{format!("{}\u{200b}", "k".repeat(2000)): 1}, [{"a\u{200b} \\x \"b\" - c": [{"\u{e000}": 1}]}], {"- \u{200b}": "\u{200b}: x", "? \u{200b}": 2}]);
        let written = write(&value).unwrap();
        assert!(!written.contains(acts) && read(&written).unwrap().value == value, "{written}");
    }

    #[test]
    fn what_is_written_is_read_back() {
        let value = json!({"a": [1, -2.5, true, null, "x\ny\n", {"on": {}, "b": []}], "\u{85}\u{2028}": "\u{1f600}\u{7f}",
            "multi": "{\n  \"k\": [\n    1\n  ]\n}\n"});
        assert_eq!(read(&write(&value).unwrap()).unwrap().value, value);
    }
}
