//! Runs of encoded text (base64, hex, percent, escapes, character codes) and what they say.

mod bases;
mod escapes;
mod lists;
mod numbers;
mod spelled;

use super::invisible;
use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use std::ops::Range;

/// How a run was encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Encoding {
    Base64,
    Base32,
    Base85,
    Hex,
    Percent,
    /// `=41=42`.
    QuotedPrintable,
    /// `\u0041`, `\x41`, `\101`.
    Escape,
    /// `66 101 102`: character codes in decimal.
    Decimal,
    /// `01000010 01100101`.
    Binary,
    /// `&#66;&#101;`.
    Entities,
    /// `l e t t e r s`, `l.e.t.t.e.r.s`.
    Spaced,
    Morse,
}

/// A run that decodes to readable text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub encoding: Encoding,
    /// Bytes of the text.
    pub range: Range<usize>,
    pub decoded: String,
}

/// The shortest decoded text worth a look.
const SHORTEST: usize = 8;

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);

/// Every run in `text` that decodes to readable text, by start; one pass an encoding.
#[must_use]
pub fn runs(text: &str) -> Vec<Run> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    base64_runs(text, &mut found);
    split_base64(text, &mut found);
    bases::base32(text, &mut found);
    bases::base85(text, &mut found);
    bases::digits(text, &mut found);
    numbers::runs(text, &mut found);
    lists::marked(text, &mut found);
    lists::dump(text, &mut found);
    escapes::entities(text, &mut found);
    if bytes.contains(&b'%') {
        escapes::escaped(text, Encoding::Percent, &mut found);
    }
    if bytes.contains(&b'\\') {
        escapes::escaped(text, Encoding::Escape, &mut found);
    }
    if bytes.contains(&b'=') {
        escapes::quoted_printable(text, &mut found);
    }
    spelled::letters(text, &mut found);
    found.sort_by_key(|r| (r.range.start, r.range.end));
    found
}

/// Whether bytes are text that a model would read: words, not noise.
fn readable(bytes: Vec<u8>) -> Option<String> {
    if bytes.len() < SHORTEST {
        return None;
    }
    let text = String::from_utf8(bytes).ok()?;
    let (mut letters, mut all) = (0, 0);
    for c in text.chars() {
        let escape = matches!(c, '\u{1b}' | '\u{9b}');
        if c.is_control() && !c.is_whitespace() && !escape {
            return None;
        }
        all += 1;
        // What hides or encodes once more counts too: it is looked at again.
        let mark = matches!(c, '\u{0300}'..='\u{036F}');
        let wraps = escape
            || mark
            || matches!(c, '&' | '#' | ';' | '%' | '\\' | '*' | '_')
            || invisible::kind(c).is_some();
        letters += usize::from(c.is_alphanumeric() || c.is_whitespace() || wraps);
    }
    (letters * 10 >= all * 7).then_some(text)
}

fn is_base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_')
}

/// Where the next stretch of bytes of one kind begins that may be as long as `shortest`, from `from` on. One that long
/// holds every so manieth byte: of most text, few bytes are looked at.
fn next_stretch(bytes: &[u8], from: usize, shortest: usize, kind: impl Fn(u8) -> bool) -> Option<usize> {
    let mut from = from;
    loop {
        let probe = from + shortest - 1;
        if kind(*bytes.get(probe)?) {
            let head = bytes.get(from..probe)?;
            return Some(from + head.iter().rposition(|b| !kind(*b)).map_or(0, |i| i + 1));
        }
        from = probe + 1;
    }
}

/// The shortest run of base64 that is decoded.
const SHORTEST_BASE64: usize = 12;

fn base64_runs(text: &str, found: &mut Vec<Run>) {
    let bytes = text.as_bytes();
    let mut i = 0;
    while let Some(start) = next_stretch(bytes, i, SHORTEST_BASE64, is_base64) {
        let mut line = start;
        i = start;
        // Lines of a wrapped block belong together.
        while let Some(&b) = bytes.get(i) {
            let wrapped = matches!(b, b'\n' | b'\r') && i - line >= 60;
            if wrapped {
                line = i + 1;
            } else if !is_base64(b) {
                break;
            }
            i += 1;
        }
        let core = i;
        while bytes.get(i) == Some(&b'=') {
            i += 1;
        }
        if core - start >= SHORTEST_BASE64
            && let Some(decoded) = text.get(start..core).and_then(decode_base64)
        {
            found.push(Run { encoding: Encoding::Base64, range: start..i, decoded });
        }
    }
}

fn decode_base64(run: &str) -> Option<String> {
    // A word or an identifier is no base64: that has digits or both cases, and no plain hyphens alone.
    let has = |test: fn(&u8) -> bool| run.as_bytes().iter().any(test);
    if !(has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase)) {
        return None;
    }
    let clean: String = run.chars().filter(|c| !c.is_whitespace()).collect();
    // Written backwards, it says nothing forwards.
    let turned = || clean.len() >= 2 * SHORTEST_BASE64;
    straight_base64(&clean)
        .or_else(|| turned().then(|| straight_base64(&clean.chars().rev().collect::<String>()))?)
}

fn straight_base64(clean: &str) -> Option<String> {
    let alphabet = if clean.contains(['-', '_']) { URL_SAFE } else { STANDARD };
    let engine = GeneralPurpose::new(&alphabet, LENIENT);
    let bytes = engine.decode(clean.as_bytes()).ok()?;
    match wide(&bytes) {
        Some(text) => readable(text.into_bytes()),
        None => readable(bytes),
    }
}

/// UTF-16, which is how PowerShell takes it: with a byte order mark, or with zeros in one half of most pairs.
fn wide(bytes: &[u8]) -> Option<String> {
    let zeros = |from: usize| bytes.iter().skip(from).step_by(2).filter(|b| **b == 0).count();
    if bytes.len() < 2 * SHORTEST || !bytes.len().is_multiple_of(2) {
        return None;
    }
    let most = bytes.len() * 3 / 10;
    let little = match (bytes, zeros(1), zeros(0)) {
        ([0xFF, 0xFE, ..], _, _) => true,
        ([0xFE, 0xFF, ..], _, _) => false,
        (_, high, _) if high >= most => true,
        (_, _, low) if low >= most => false,
        _ => return None,
    };
    let unit = |pair: &[u8]| match pair {
        [a, b] if little => u16::from_le_bytes([*a, *b]),
        [a, b] => u16::from_be_bytes([*a, *b]),
        _ => 0,
    };
    let units: Vec<u16> = bytes.chunks(2).map(unit).collect();
    String::from_utf16(&units).ok().map(|text| text.trim_start_matches('\u{FEFF}').to_string())
}

/// Base64 in pieces of one length, parted by blanks, or by what joins strings in a program.
fn split_base64(text: &str, found: &mut Vec<Run>) {
    let bytes = text.as_bytes();
    let parts = |b: u8| matches!(b, b' ' | b'\n' | b'\r' | b'\t' | b'"' | b'\'' | b'+' | b',' | b'\\' | b'.');
    let piece = |from: usize| {
        let belongs = |b: &u8| is_base64(*b) && *b != b'+';
        bytes.iter().skip(from).take_while(|b| belongs(b)).count()
    };
    let mut i = 0;
    while i < bytes.len() {
        let length = piece(i);
        let border = i == 0 || bytes.get(i - 1).is_some_and(|b| !is_base64(*b) || *b == b'+');
        if length < 4 || !border {
            i += length.max(1);
            continue;
        }
        let (start, mut end, mut joined, mut pieces) =
            (i, i + length, text.get(i..i + length).unwrap_or("").to_string(), 1);
        loop {
            let gap = bytes.iter().skip(end).take(8).take_while(|b| parts(**b)).count();
            let next = piece(end + gap);
            if gap == 0 || gap == 8 || next == 0 || next > length {
                break;
            }
            joined.push_str(text.get(end + gap..end + gap + next).unwrap_or(""));
            (end, pieces) = (end + gap + next, pieces + 1);
            if next < length {
                break;
            }
        }
        if pieces >= 3
            && joined.len() >= 2 * SHORTEST_BASE64
            && let Some(decoded) = decode_base64(&joined)
        {
            found.push(Run { encoding: Encoding::Base64, range: start..end, decoded });
        }
        i = if pieces >= 3 { end } else { start + length };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> Vec<(Encoding, String)> {
        runs(text).into_iter().map(|r| (r.encoding, r.decoded)).collect()
    }

    fn one(encoding: Encoding) -> Vec<(Encoding, String)> {
        vec![(encoding, "open the gate".to_string())]
    }

    #[test]
    fn each_encoding_is_read() {
        assert_eq!(decoded("Note: b3BlbiB0aGUgZ2F0ZQ== end"), one(Encoding::Base64));
        assert_eq!(decoded("Note: b3BlbiB0aGUgZ2F0ZQ end"), one(Encoding::Base64));
        assert_eq!(decoded("6f 70 65 6e 20 74 68 65 20 67 61 74 65"), one(Encoding::Hex));
        assert_eq!(decoded("code 6f70656e207468652067617465."), one(Encoding::Hex));
        assert_eq!(
            decoded("\\x6f\\x70\\x65\\x6e\\x20\\x74\\x68\\x65\\x20\\x67\\x61\\x74\\x65"),
            one(Encoding::Escape)
        );
        assert_eq!(decoded("111 112 101 110 32 116 104 101 32 103 97 116 101"), one(Encoding::Decimal));
        assert_eq!(decoded("open%20the%20%67ate"), one(Encoding::Percent));
        assert_eq!(decoded("\\u006f\\u0070\\u0065n\\u0020the\\u0020gate"), one(Encoding::Escape));
    }

    #[test]
    fn prose_and_identifiers_are_not_decoded() {
        for text in [
            "Search the documentation of resolveLibraryIdentifier and getWeatherForecast.",
            "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "2024-01-02 10:20:30, 40, 50, 60, 70, 80",
            "id 550e8400-e29b-41d4-a716-446655440000",
            "100% sure, 20% off, 30 %",
            "^[A-Za-z0-9+/]{4,}={0,2}$",
        ] {
            assert_eq!(decoded(text), [], "{text}");
        }
    }
}
