//! A digest of what a listing says, whatever the file's formatting and shape.
//!
//! Canonical form: JSON without white space; object members sorted by key (by Unicode code points);
//! strings escaped as serde_json does; numbers as serde_json prints them, except that a double with an
//! integral value below 2^53 is printed as that integer (`1.0` is `1`). The tools are sorted, as the
//! order of a listing carries no meaning; instructions and prompts belong to it where they are known,
//! the server's name and protocol version do not. What a value could not hold as written (`\ud800`)
//! enters as it was written.

use super::Tool;
use crate::sha256;
use serde_json::Value;
use std::fmt::Write as _;

/// `sha256:…` of one tool.
pub(super) fn of_tool(tool: &Tool) -> String {
    sha256::prefixed(canonical_tool(tool).as_bytes())
}

/// `sha256:…` of a listing.
pub(super) fn of_listing(
    instructions: Option<&str>,
    prompts: &[Value],
    resources: &[(String, Value)],
    tools: &[Tool],
) -> String {
    let mut out = String::new();
    if let Some(instructions) = instructions {
        out.push_str("instructions:");
        write(&mut out, &Value::String(instructions.to_string()));
    }
    for (label, mut items) in [
        ("prompts:", prompts.iter().map(canonical).collect::<Vec<_>>()),
        ("resources:", resources.iter().map(|(_, resource)| canonical(resource)).collect()),
        ("tools:", tools.iter().map(canonical_tool).collect()),
    ] {
        items.sort_unstable();
        if !items.is_empty() {
            out.push_str(label);
        }
        for item in items {
            out.push_str(&item);
            out.push('\n');
        }
    }
    sha256::prefixed(out.as_bytes())
}

fn canonical_tool(tool: &Tool) -> String {
    let mut out = canonical(&tool.value);
    let mut defects: Vec<_> = tool.defects.iter().map(|(_, pointer, text)| (pointer, text)).collect();
    defects.sort_unstable();
    for (pointer, text) in defects {
        let _ = write!(out, "\u{1f}{pointer}={text}");
    }
    out
}

fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value);
    out
}

fn write(out: &mut String, value: &Value) {
    match value {
        Value::Object(members) => {
            let mut keys: Vec<&String> = members.keys().collect();
            keys.sort_unstable();
            out.push('{');
            for (i, key) in keys.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_string(out, key);
                out.push(':');
                write(out, members.get(key).unwrap_or(&Value::Null));
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write(out, item);
            }
            out.push(']');
        }
        Value::String(text) => write_string(out, text),
        Value::Number(number) => {
            const EXACT: f64 = 9_007_199_254_740_992.0;
            match number.as_f64() {
                Some(double) if number.is_f64() && double.fract() == 0.0 && double.abs() < EXACT => {
                    #[allow(clippy::cast_possible_truncation)] // an integer below 2^53
                    let _ = write!(out, "{}", double as i64);
                }
                _ => {
                    let _ = write!(out, "{number}");
                }
            }
        }
        other => {
            let _ = write!(out, "{other}");
        }
    }
}

fn write_string(out: &mut String, text: &str) {
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn canonical_form() {
        let value = json!({"b": [1, 2.0, 0.5, 1e300, -0.0], "a": {"é": "\n\"", "": null, "A": true}});
        assert_eq!(
            canonical(&value),
            "{\"a\":{\"\":null,\"A\":true,\"é\":\"\\n\\\"\"},\"b\":[1,2,0.5,1e+300,0]}"
        );
    }
}
