//! Characters as a list of codes, each marked as one: `0x49, 0x67`, `U+0049`, `49h`, `chr(73)+chr(103)`, `&#73 &#103`;
//! and the columns of a hex dump.

use super::{Encoding, Run, SHORTEST, readable};
use regex::Regex;
use std::sync::LazyLock;

/// A code, by how it is marked. Linear: no two alternatives begin alike.
#[allow(clippy::unwrap_used)] // the pattern is fixed, and a test compiles it
static CODE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)0x(?<x>[0-9a-f]{2,6})(?-u:\b)|(?-u:\b)u\+(?<u>[0-9a-f]{4,6})(?-u:\b)|(?-u:\b)(?<h>[0-9a-f]{2})h(?-u:\b)|(?-u:\b)chrw?\(\s*(?<d>[0-9]{2,7})\s*\)|&#(?<e>[0-9]{2,7})(?-u:\b)|&#x(?<f>[0-9a-f]{2,6})(?-u:\b)",
    )
    .unwrap()
});

/// A line of a hex dump: its offset, and the bytes before the column of letters.
#[allow(clippy::unwrap_used)] // as above
static DUMP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?im)^[ \t>]*(?:0x)?[0-9a-f]{4,8}:?[ \t]+((?:[0-9a-f]{2}(?:[0-9a-f]{2})?[ \t]{1,3}){2,16})")
        .unwrap()
});

/// So many bytes may stand between two codes of a list.
const APART: usize = 6;

/// Whether nothing but what parts the codes of a list stands in `between`.
fn parts(between: &str) -> bool {
    between.len() <= APART
        && between.chars().all(|c| {
            c.is_whitespace() || matches!(c, ',' | ';' | '+' | '.' | '&' | '|' | '"' | '\'' | '-' | ':')
        })
}

pub(super) fn marked(text: &str, found: &mut Vec<Run>) {
    let bytes = text.as_bytes();
    let may = bytes.windows(2).any(|pair| {
        matches!(
            pair,
            [b'0', b'x' | b'X']
                | [b'u' | b'U', b'+']
                | [b'&', b'#']
                | [b'h' | b'H', b'r' | b'R' | b' ' | b',']
        )
    });
    if !may {
        return;
    }
    let mut list: Vec<u32> = Vec::new();
    let (mut from, mut to) = (0, 0);
    for code in CODE.captures_iter(text) {
        let Some(whole) = code.get(0) else { continue };
        let of =
            |name: &str, radix| code.name(name).and_then(|m| u32::from_str_radix(m.as_str(), radix).ok());
        let value = of("x", 16).or_else(|| of("u", 16)).or_else(|| of("h", 16)).or_else(|| of("f", 16));
        let Some(value) = value.or_else(|| of("d", 10)).or_else(|| of("e", 10)) else { continue };
        if !list.is_empty() && !text.get(to..whole.start()).is_some_and(parts) {
            settle(&list, from..to, found);
            list.clear();
        }
        if list.is_empty() {
            from = whole.start();
        }
        list.push(value);
        to = whole.end();
    }
    settle(&list, from..to, found);
}

fn settle(list: &[u32], range: std::ops::Range<usize>, found: &mut Vec<Run>) {
    if list.len() < SHORTEST {
        return;
    }
    // Bytes of UTF-8, or characters.
    let bytes: Option<Vec<u8>> = list.iter().map(|code| u8::try_from(*code).ok()).collect();
    let text: Option<String> = list.iter().map(|code| char::from_u32(*code)).collect();
    let decoded = bytes.and_then(readable).or_else(|| readable(text?.into_bytes()));
    // Code points of what is not seen are spoken of, not written.
    let says = |text: &String| text.chars().filter(|c| c.is_alphanumeric()).count() >= SHORTEST;
    if let Some(decoded) = decoded.filter(says) {
        found.push(Run { encoding: Encoding::Decimal, range, decoded });
    }
}

pub(super) fn dump(text: &str, found: &mut Vec<Run>) {
    if !text.contains('\n') && text.len() < 20 {
        return;
    }
    let mut bytes = Vec::new();
    let mut range = 0..0;
    for line in DUMP.captures_iter(text) {
        let (Some(whole), Some(columns)) = (line.get(0), line.get(1)) else { continue };
        range = if bytes.is_empty() { whole.range() } else { range.start..whole.end() };
        let digits: Vec<u8> = columns.as_str().bytes().filter(u8::is_ascii_hexdigit).collect();
        bytes.extend(digits.chunks_exact(2).filter_map(super::escapes::hex_byte));
    }
    if bytes.len() >= 2 * SHORTEST
        && let Some(decoded) = readable(bytes)
    {
        found.push(Run { encoding: Encoding::Hex, range, decoded });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        marked(text, &mut found);
        dump(text, &mut found);
        found.into_iter().map(|r| r.decoded).collect()
    }

    #[test]
    fn lists_of_codes_are_read() {
        let list =
            |f: fn(u8) -> String, sep: &str| "open the gate".bytes().map(f).collect::<Vec<_>>().join(sep);
        for text in [
            list(|b| format!("0x{b:02x}"), ", "),
            list(|b| format!("{b:02x}h"), " "),
            list(|b| format!("U+{b:04X}"), " "),
            list(|b| format!("chr({b})"), "+"),
            list(|b| format!("&#{b}"), " "),
            "0000: 6f 70 65 6e 20 74 68 65  open the\n0008: 20 67 61 74 65 20 20 20   gate   ".to_string(),
        ] {
            assert_eq!(decoded(&text).first().map(|t| t.trim_end()), Some("open the gate"), "{text}");
        }
    }

    #[test]
    fn addresses_and_colours_are_none() {
        for text in [
            "flags 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff",
            "U+200B, U+200C, U+200D, U+2060, U+FEFF, U+00AD, U+180E, U+034F",
            "token 0x6B175474E89094C44Da98b954EedeAC495271d0F",
        ] {
            assert_eq!(decoded(text), Vec::<String>::new(), "{text}");
        }
    }
}
