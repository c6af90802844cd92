//! How a text may be written down elsewhere: as JSON has it (also inside a text of JSON), percent-encoded, in base64, in
//! hexadecimal digits.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::Value;
use std::fmt::Write as _;

/// A shorter piece of base64 may stand anywhere by chance.
const LEAST_BASE64: usize = 8;

/// The text, and every other way to write it that is looked for; some may be equal.
pub(super) fn spellings(text: &str) -> Vec<String> {
    let escaped = in_json(text);
    let mut all = vec![in_json(&escaped), escaped, text.to_string()];
    for is_upper in [true, false] {
        all.extend(["", "/", "/:@!$&'()*+,;="].map(|plain| percent(text, plain, is_upper)));
        let digit = |byte: u8| if is_upper { format!("{byte:02X}") } else { format!("{byte:02x}") };
        all.push(text.bytes().map(digit).collect());
    }
    all.extend((0..3).flat_map(|offset| in_base64(text, offset)).filter(|piece| piece.len() >= LEAST_BASE64));
    all
}

fn in_json(text: &str) -> String {
    let quoted = Value::String(text.to_string()).to_string();
    quoted.strip_prefix('"').and_then(|q| q.strip_suffix('"')).unwrap_or_default().to_string()
}

/// Unreserved characters (RFC 3986) and `plain` as they are.
fn percent(text: &str, plain: &str, is_upper: bool) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        let is_plain =
            byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || plain.as_bytes().contains(&byte);
        let _ = match (is_plain, is_upper) {
            (true, _) => write!(out, "{}", char::from(byte)),
            (false, true) => write!(out, "%{byte:02X}"),
            (false, false) => write!(out, "%{byte:02x}"),
        };
    }
    out
}

/// What base64 makes of the text after so many bytes of something else: the digits that the text alone decides.
fn in_base64(text: &str, offset: usize) -> [String; 2] {
    let bytes = [vec![0; offset], text.as_bytes().to_vec()].concat();
    let (first, end) = ((offset * 8).div_ceil(6), bytes.len() * 8 / 6);
    let piece = |encoded: String| encoded.get(first..end).unwrap_or_default().to_string();
    [piece(STANDARD_NO_PAD.encode(&bytes)), piece(URL_SAFE_NO_PAD.encode(&bytes))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_write_a_text() {
        let all = spellings("tok_AB\"-1+/?=x");
        for spelled in [
            "tok_AB\"-1+/?=x",
            "tok_AB\\\"-1+/?=x",
            "tok_AB\\\\\\\"-1+/?=x",
            "tok_AB%22-1%2B%2F%3F%3Dx",
            "tok_AB%22-1%2b%2f%3f%3dx",
            "tok_AB%22-1%2B/%3F%3Dx",
            "tok_AB%22-1+/%3F=x",
            "746f6b5f4142222d312b2f3f3d78",
            "746F6B5F4142222D312B2F3F3D78",
        ] {
            assert!(all.iter().any(|one| one == spelled), "{spelled}: {all:?}");
        }
        // Wherever it begins in what is encoded, and whatever comes after it.
        for before in ["", "a", "ab", "abc", "Bearer "] {
            for after in ["", "z", "\n\n"] {
                let text = format!("{before}tok_AB\"-1+/?=x{after}");
                for encoded in [STANDARD_NO_PAD.encode(&text), URL_SAFE_NO_PAD.encode(&text)] {
                    assert!(all.iter().any(|one| encoded.contains(one.as_str())), "{before:?} {after:?}");
                }
            }
        }
        assert!(spellings("abc").iter().all(|one| one.len() < 8 || one.contains("abc") || one.contains('%')));
    }
}
