//! JSON in which no integer is rounded: one beyond 64 bits becomes the text of its digits, so that two ids that differ in
//! their last digit stay two.

use serde_json::Value;

/// Digits that every 64-bit integer may have; with one more it may not be one.
const SURE: usize = 18;

/// The value of the JSON text `text`, and the first integer that was taken as text.
///
/// # Errors
/// It is no JSON.
pub(super) fn parse(text: &str) -> Result<(Value, Option<String>), serde_json::Error> {
    let value = serde_json::from_str(text)?;
    if !has_long_run(text.as_bytes()) {
        return Ok((value, None));
    }
    let (quoted, first) = quoted(text);
    match first {
        // Whatever the scan makes of it, what was JSON stays what it was.
        Some(first) => Ok(serde_json::from_str(&quoted).map_or((value, None), |exact| (exact, Some(first)))),
        None => Ok((value, None)),
    }
}

/// Whether there are more than [`SURE`] digits in a row: one of them is at a multiple of that.
fn has_long_run(bytes: &[u8]) -> bool {
    let is_digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    (SURE..bytes.len()).step_by(SURE + 1).any(|at| {
        is_digit(at) && {
            let before = (0..at).rev().take(SURE).take_while(|i| is_digit(*i)).count();
            let after = (at + 1..bytes.len()).take(SURE).take_while(|i| is_digit(*i)).count();
            before + 1 + after > SURE
        }
    })
}

/// `text` with quotes around integers that no 64 bits hold, and the first of them.
fn quoted(text: &str) -> (String, Option<String>) {
    let mut out = String::with_capacity(text.len() + 16);
    let mut first = None;
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let length = if from.starts_with('"') { string(from) } else { number(from) };
        let (token, after) = from.split_at_checked(length).unwrap_or((from, ""));
        let is_held = token.starts_with('"')
            || token.contains(['.', 'e', 'E'])
            || token.parse::<i64>().is_ok()
            || token.parse::<u64>().is_ok();
        if is_held {
            out.push_str(token);
        } else {
            first.get_or_insert_with(|| token.to_string());
            out.push_str(&format!("\"{token}\""));
        }
        rest = after;
    }
    out.push_str(rest);
    (out, first)
}

/// Bytes of the string that `text` begins with, quotes included.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (i, b) in text.bytes().enumerate().skip(1) {
        match b {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return i + 1,
            _ => {}
        }
    }
    text.len()
}

fn number(text: &str) -> usize {
    let is_part = |b: &u8| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e' | b'E');
    text.bytes().take_while(|b| is_part(b)).count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn integers_stay_apart() {
        let read = |text: &str| parse(text).unwrap().0;
        assert_eq!(
            read("{\"id\": 18446744073709551616, \"n\": [-9223372036854775809, 1, -2.5]}"),
            json!({"id": "18446744073709551616", "n": ["-9223372036854775809", 1, -2.5]})
        );
        assert_ne!(read("[100000000000000000001]"), read("[100000000000000000002]"));
        assert_eq!(read("[18446744073709551615]"), json!([u64::MAX]));
        assert_eq!(read("[-9223372036854775808]"), json!([i64::MIN]));
        // What is no integer, or no number, is as it was.
        for text in [
            "[1.000000000000000000001]",
            "[1e400000]",
            "[123456789012345678901e0]",
            r#"["123456789012345678901", "\"123456789012345678901"]"#,
        ] {
            match serde_json::from_str::<Value>(text) {
                Ok(value) => assert_eq!(read(text), value, "{text}"),
                Err(_) => assert!(parse(text).is_err(), "{text}"),
            }
        }
        assert!(parse("{").is_err());
    }

    proptest! {
        #[test]
        fn nothing_else_changes(text in "[\\[{]?(\"[a-z0-9\\\\\"]{0,6}\"|-?[0-9]{1,24}|[,: \\]}]){0,12}") {
            let plain = serde_json::from_str::<Value>(&text);
            match parse(&text) {
                Ok((value, None)) => prop_assert_eq!(value, plain.unwrap()),
                Ok((_, Some(first))) => prop_assert!(text.contains(&first)),
                Err(_) => prop_assert!(plain.is_err()),
            }
        }
    }
}
