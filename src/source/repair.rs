//! Same-length substitutions for what JSON's grammar allows and no value in memory can hold: half a
//! surrogate pair (`\ud800`), a number beyond every double (`1e999`). One bad tool then costs a
//! defect of its own, not the file, and every offset stays true.

use super::DefectKind;

/// A place where the readable text differs from the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Substitution {
    pub kind: DefectKind,
    pub offset: usize,
    pub length: usize,
}

/// The text with substitutions made, and what was replaced, in order; `None` if nothing was.
pub(super) fn repair(text: &str) -> Option<(String, Vec<Substitution>)> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at = match byte {
            b'"' => string(bytes, at + 1, &mut found),
            b'-' | b'0'..=b'9' => number(bytes, at, &mut found),
            _ => at + 1,
        };
    }
    if found.is_empty() {
        return None;
    }
    let mut readable = String::with_capacity(text.len());
    let mut done = 0;
    for s in &found {
        readable.push_str(text.get(done..s.offset)?);
        let original = text.get(s.offset..s.offset + s.length)?;
        match s.kind {
            DefectKind::LoneSurrogate => readable.push_str("\\ufffd"),
            _ => {
                // The largest power of ten, padded with spaces: white space may follow a number.
                let largest = if original.starts_with('-') { "-1e308" } else { "1e308" };
                readable.push_str(largest);
                readable.extend(std::iter::repeat_n(' ', s.length.saturating_sub(largest.len())));
            }
        }
        done = s.offset + s.length;
    }
    readable.push_str(text.get(done..)?);
    (readable.len() == text.len()).then_some((readable, found))
}

/// Reads a string from behind its opening quote; returns the offset behind it.
fn string(bytes: &[u8], mut at: usize, found: &mut Vec<Substitution>) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\n' => return at,
            b'\\' => match escape(bytes, at) {
                Some(0xd800..=0xdbff) if matches!(escape(bytes, at + 6), Some(0xdc00..=0xdfff)) => at += 12,
                Some(0xd800..=0xdfff) => {
                    found.push(Substitution { kind: DefectKind::LoneSurrogate, offset: at, length: 6 });
                    at += 6;
                }
                _ => at += 2,
            },
            _ => at += 1,
        }
    }
    at
}

/// The code unit of a `\uXXXX` escape at `at`.
fn escape(bytes: &[u8], at: usize) -> Option<u16> {
    let [b'\\', b'u', digits @ ..] = bytes.get(at..at + 6)? else { return None };
    digits.iter().try_fold(0_u16, |unit, d| Some(unit << 4 | char::from(*d).to_digit(16)? as u16))
}

/// Reads a number; returns the offset behind it.
fn number(bytes: &[u8], start: usize, found: &mut Vec<Substitution>) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    let length = rest
        .iter()
        .take_while(|b| matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
        .count()
        .max(1);
    let text = rest.get(..length).and_then(|t| std::str::from_utf8(t).ok()).unwrap_or_default();
    // Shortest number out of range: 1e309, as long as its replacement.
    if length >= 5 && text.parse::<f64>().is_ok_and(f64::is_infinite) {
        found.push(Substitution { kind: DefectKind::NumberOutOfRange, offset: start, length });
    }
    start + length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readable(text: &str) -> Option<String> {
        let (readable, found) = repair(text)?;
        assert_eq!(readable.len(), text.len());
        assert!(!found.is_empty());
        Some(readable)
    }

    #[test]
    fn replaces_halves_of_pairs_only() {
        assert_eq!(readable(r#"["a\ud800b"]"#).as_deref(), Some(r#"["a\ufffdb"]"#));
        assert_eq!(
            readable(r#"["\uDC00\ud83d\ude00\uD800"]"#).as_deref(),
            Some(r#"["\ufffd\ud83d\ude00\ufffd"]"#)
        );
        assert_eq!(readable(r#"["\ud800\ud800\udc00"]"#).as_deref(), Some(r#"["\ufffd\ud800\udc00"]"#));
        assert_eq!(readable(r#"["\\ud800", "\ud83d\ude00", "\u00e9"]"#), None);
    }

    #[test]
    fn replaces_numbers_that_no_double_holds() {
        assert_eq!(readable("[1e999]").as_deref(), Some("[1e308]"));
        assert_eq!(readable("[-1e309,2]").as_deref(), Some("[-1e308,2]"));
        assert_eq!(readable("[1.25E+400]").as_deref(), Some("[1e308    ]"));
        assert_eq!(readable(r#"[1e308, 1e-999, "1e999"]"#), None);
        let long = format!("[{}]", "9".repeat(400));
        let value: serde_json::Value = serde_json::from_str(&readable(&long).unwrap()).unwrap();
        assert_eq!(value[0].as_f64(), Some(1e308));
    }
}
