//! Runs of encoded text (base64, hex, percent, escapes, character codes) and what they say.

use super::fold;
use super::invisible;
use super::skim;
use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use std::ops::Range;

/// How a run was encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Encoding {
    Base64,
    Hex,
    Percent,
    /// `\u0041`, `\x41`.
    Escape,
    /// `66 101 102`: character codes in decimal.
    Decimal,
    /// `01000010 01100101`.
    Binary,
    /// `&#66;&#101;`.
    Entities,
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
    number_runs(text, &mut found);
    entities(text, &mut found);
    if bytes.contains(&b'%') {
        escaped(text, Encoding::Percent, &mut found);
    }
    if bytes.contains(&b'\\') {
        escaped(text, Encoding::Escape, &mut found);
    }
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
    let alphabet = if run.contains(['-', '_']) { URL_SAFE } else { STANDARD };
    let clean: String = run.chars().filter(|c| !c.is_whitespace()).collect();
    let engine = GeneralPurpose::new(&alphabet, LENIENT);
    engine.decode(clean.as_bytes()).ok().and_then(|bytes| {
        // UTF-16 is how PowerShell takes it.
        let wide = bytes.len() >= 16 && bytes.iter().skip(1).step_by(2).all(|&b| b == 0);
        readable(if wide { bytes.into_iter().step_by(2).collect() } else { bytes })
    })
}

/// Hex, decimal and binary codes: digits in groups, with or without separators.
fn number_runs(text: &str, found: &mut Vec<Run>) {
    let bytes = text.as_bytes();
    let mut i = 0;
    let separator = |b: u8| matches!(b, b' ' | b',' | b':' | b'-' | b'\n' | b';' | b'\\' | b'x' | b'X');
    let belongs = |b: u8| b.is_ascii_hexdigit() || separator(b);
    while let Some(stretch) = next_stretch(bytes, i, 2 * SHORTEST, belongs) {
        let rest = bytes.get(stretch..).unwrap_or(&[]);
        i = stretch + rest.iter().position(|b| !belongs(*b)).unwrap_or(rest.len());
        // It begins with a digit that ends no word.
        let opens = |at: &usize| {
            let border = *at == 0 || bytes.get(at - 1).is_some_and(|p| !p.is_ascii_alphanumeric());
            border && bytes.get(*at).is_some_and(u8::is_ascii_hexdigit)
        };
        let Some(start) = (stretch..i).find(opens) else { continue };
        // Back to the last digit: separators at the end belong to the text.
        let mut end = i;
        while end > start && bytes.get(end - 1).is_some_and(|b| !b.is_ascii_hexdigit()) {
            end -= 1;
        }
        if end - start >= 2 * SHORTEST
            && let Some((encoding, range, decoded)) = text.get(start..end).and_then(|run| numbers(run, start))
        {
            found.push(Run { encoding, range, decoded });
        }
    }
}

fn numbers(run: &str, start: usize) -> Option<(Encoding, Range<usize>, String)> {
    let groups: Vec<&str> = run.split(|c: char| !c.is_ascii_hexdigit()).filter(|g| !g.is_empty()).collect();
    let whole = start..start + run.len();
    if groups.len() >= SHORTEST {
        if groups.iter().all(|g| g.len() == 8 && g.bytes().all(|b| matches!(b, b'0' | b'1'))) {
            let bytes = groups.iter().filter_map(|g| u8::from_str_radix(g, 2).ok()).collect();
            return readable(bytes).map(|t| (Encoding::Binary, whole, t));
        }
        let two = groups.iter().filter(|g| g.len() == 2).count();
        if two * 10 >= groups.len() * 9 {
            let bytes = groups
                .iter()
                .filter(|g| g.len() == 2)
                .filter_map(|g| u8::from_str_radix(g, 16).ok())
                .collect();
            if let Some(text) = readable(bytes) {
                return Some((Encoding::Hex, whole, text));
            }
        }
        let codes: Option<Vec<u8>> = groups.iter().map(|g| g.parse::<u8>().ok()).collect();
        return codes.and_then(readable).map(|t| (Encoding::Decimal, whole, t));
    }
    // One long group: hex without separators.
    let group = groups
        .iter()
        .max_by_key(|g| g.len())
        .filter(|g| g.len() >= 2 * SHORTEST && g.len().is_multiple_of(2))?;
    let bytes = group
        .as_bytes()
        .chunks(2)
        .map(|pair| std::str::from_utf8(pair).ok().and_then(|p| u8::from_str_radix(p, 16).ok()));
    let text = readable(bytes.collect::<Option<Vec<u8>>>()?)?;
    let at = start + run.find(group)?;
    Some((Encoding::Hex, at..at + group.len(), text))
}

/// From the first numeric character reference to the last, if there are several.
fn entities(text: &str, found: &mut Vec<Run>) {
    if !text.contains("&#") {
        return;
    }
    let (Some(first), Some(last)) = (text.find("&#"), text.rfind("&#")) else { return };
    let end = text.get(last..).and_then(|rest| rest.find(';')).map_or(text.len(), |i| last + i + 1);
    let run = text.get(first..end).unwrap_or("");
    if run.matches("&#").take(4).count() < 4 {
        return;
    }
    let mut decoded = String::with_capacity(run.len() / 4);
    let mut rest = run;
    while let Some(c) = rest.chars().next() {
        let reference = if c == '&' { fold::reference(rest) } else { None };
        let (decoded_char, len) = reference.unwrap_or((c, c.len_utf8()));
        decoded.push(decoded_char);
        rest = rest.get(len..).unwrap_or("");
    }
    if let Some(decoded) = readable(decoded.into_bytes()) {
        found.push(Run { encoding: Encoding::Entities, range: first..end, decoded });
    }
}

/// Tokens (no white space) in which percent signs or backslashes stand for characters.
fn escaped(text: &str, encoding: Encoding, found: &mut Vec<Run>) {
    let sign = if encoding == Encoding::Percent { b'%' } else { b'\\' };
    for place in skim::pieces_with(text, |b| b == sign, |c| c.is_whitespace() || c == '"') {
        let start = place.start;
        let token = text.get(place).unwrap_or("");
        if token.bytes().filter(|b| *b == sign).take(3).count() < 3 {
            continue;
        }
        let (decoded, times) = match encoding {
            Encoding::Percent => percent(token),
            _ => backslashes(token),
        };
        if times >= 3
            && let Some(decoded) = readable(decoded)
        {
            found.push(Run { encoding, range: start..start + token.trim_end().len(), decoded });
        }
    }
}

fn percent(token: &str) -> (Vec<u8>, usize) {
    let (mut out, mut times) = (Vec::new(), 0);
    let mut rest = token.as_bytes();
    while let Some((&b, tail)) = rest.split_first() {
        let code = (b == b'%').then(|| tail.get(..2)).flatten().and_then(hex_byte);
        match code {
            Some(code) => {
                out.push(code);
                times += 1;
                rest = tail.get(2..).unwrap_or(&[]);
            }
            None => {
                out.push(if b == b'+' { b' ' } else { b });
                rest = tail;
            }
        }
    }
    (out, times)
}

fn hex_byte(pair: &[u8]) -> Option<u8> {
    std::str::from_utf8(pair).ok().and_then(|p| u8::from_str_radix(p, 16).ok())
}

fn backslashes(token: &str) -> (Vec<u8>, usize) {
    let (mut out, mut times) = (String::new(), 0);
    let mut rest = token;
    while let Some(c) = rest.chars().next() {
        let width = match rest.get(..2) {
            Some("\\u" | "\\U") => 4,
            Some("\\x") => 2,
            _ => 0,
        };
        let code = (width > 0)
            .then(|| rest.get(2..2 + width))
            .flatten()
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .and_then(char::from_u32);
        let taken = match code {
            Some(code) => {
                out.push(code);
                times += 1;
                2 + width
            }
            None => {
                out.push(c);
                c.len_utf8()
            }
        };
        rest = rest.get(taken..).unwrap_or("");
    }
    (out.into_bytes(), times)
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
