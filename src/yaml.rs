//! The only room that knows YAML: task documents out; any pack's documents, profiles and configuration in.
//!
//! Out: block style, and every string quoted that PyYAML (YAML 1.1) or js-yaml (1.2) would read as
//! something else. In: what PyYAML's `safe_load` makes of a document, bounded.

mod read;
mod resolve;

pub use read::{Loaded, MAX_BYTES, YamlError, read};

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Value;

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
    serde_yaml::to_string_with_options(&Document(value), options).map_err(|e| e.to_string())
}

/// A JSON value whose multi-line texts are written as literal blocks, so that a person can read them.
struct Document<'v>(&'v Value);

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
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
    fn what_is_written_is_read_back() {
        let value = json!({"a": [1, -2.5, true, null, "x\ny\n", {"on": {}, "b": []}], "\u{85}\u{2028}": "\u{1f600}\u{7f}",
            "multi": "{\n  \"k\": [\n    1\n  ]\n}\n"});
        assert_eq!(read(&write(&value).unwrap()).unwrap().value, value);
    }
}
