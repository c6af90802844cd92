//! Characters of which a sign says that a code follows: `%49`, `\x49`, `\111`, `=49`, `&#73;`.

use super::{Encoding, Run, readable};
use crate::text::{fold, skim};

/// From the first numeric character reference to the last, if there are several.
pub(super) fn entities(text: &str, found: &mut Vec<Run>) {
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
    let (mut rest, mut times) = (run, 0);
    while let Some(c) = rest.chars().next() {
        let reference = if c == '&' { fold::reference(rest) } else { None };
        times += usize::from(reference.is_some());
        let (decoded_char, len) = reference.unwrap_or((c, c.len_utf8()));
        decoded.push(decoded_char);
        rest = rest.get(len..).unwrap_or("");
    }
    if times >= 4
        && let Some(decoded) = readable(decoded.into_bytes())
    {
        found.push(Run { encoding: Encoding::Entities, range: first..end, decoded });
    }
}

/// Tokens (no white space) in which percent signs or backslashes stand for characters.
pub(super) fn escaped(text: &str, encoding: Encoding, found: &mut Vec<Run>) {
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

pub(super) fn hex_byte(pair: &[u8]) -> Option<u8> {
    std::str::from_utf8(pair).ok().and_then(|p| u8::from_str_radix(p, 16).ok())
}

fn backslashes(token: &str) -> (Vec<u8>, usize) {
    let (mut out, mut times) = (Vec::new(), 0);
    let mut rest = token;
    while let Some(c) = rest.chars().next() {
        let taken = match if c == '\\' { escape(rest) } else { None } {
            Some((code, length)) => {
                times += 1;
                match code {
                    // `\xC3\xA9` and `\303\251` are bytes.
                    Code::Byte(byte) => out.push(byte),
                    Code::Char(c) => out.extend(c.encode_utf8(&mut [0; 4]).bytes()),
                }
                length
            }
            None => {
                out.extend(c.encode_utf8(&mut [0; 4]).bytes());
                c.len_utf8()
            }
        };
        rest = rest.get(taken..).unwrap_or("");
    }
    (out, times)
}

enum Code {
    Byte(u8),
    Char(char),
}

/// The escape that `rest` begins with, and its length.
fn escape(rest: &str) -> Option<(Code, usize)> {
    let digits = |from: usize, to: usize, radix: u32| {
        let text = rest.get(from..to).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
        u32::from_str_radix(text, radix).ok()
    };
    let char_of = |code: u32, length: usize| char::from_u32(code).map(|c| (Code::Char(c), length));
    if let Some(braced) = rest.strip_prefix("\\u{").or_else(|| rest.strip_prefix("\\x{")) {
        let end = braced.bytes().take(8).position(|b| b == b'}')?;
        return char_of(digits(3, 3 + end, 16)?, end + 4);
    }
    match rest.as_bytes().get(1)? {
        b'U' if digits(2, 10, 16).is_some() => char_of(digits(2, 10, 16)?, 10),
        b'u' | b'U' => char_of(digits(2, 6, 16)?, 6),
        b'x' => u8::try_from(digits(2, 4, 16)?).ok().map(|b| (Code::Byte(b), 4)),
        // As style sheets have it: six digits.
        b'0' if digits(1, 7, 16).is_some() && digits(1, 4, 8).is_none_or(|octal| octal < 0o40) => {
            char_of(digits(1, 7, 16)?, 7)
        }
        b'0'..=b'3' => u8::try_from(digits(1, 4, 8)?).ok().map(|b| (Code::Byte(b), 4)),
        _ => None,
    }
}

/// `=49=67` in at least every third word, as mail has it.
pub(super) fn quoted_printable(text: &str, found: &mut Vec<Run>) {
    let escape = |token: &str| {
        token
            .match_indices('=')
            .filter(|(at, _)| token.as_bytes().get(at + 1..at + 3).is_some_and(|p| hex_byte(p).is_some()))
            .count()
    };
    let (mut at, mut words, mut coded, mut times) = (0, 0, 0, 0);
    let (mut from, mut to) = (None, 0);
    let mut flush = |from: &mut Option<usize>, to: usize, (words, coded, times): (usize, usize, usize)| {
        if let Some(start) = from.take()
            && times >= 3
            && coded * 3 >= words
            && let Some(decoded) = readable(unquoted(text.get(start..to).unwrap_or("")))
        {
            found.push(Run { encoding: Encoding::QuotedPrintable, range: start..to, decoded });
        }
    };
    // How many plain words there were since the last coded one.
    let mut plain = 0;
    for token in text.split_inclusive(char::is_whitespace) {
        let (start, n) = (at, escape(token));
        at += token.len();
        let soft = token.trim_end().ends_with('=');
        if n == 0 && !soft {
            plain += usize::from(from.is_some());
            if plain > 4 {
                flush(&mut from, to, (words, coded, times));
                (words, coded, times, plain) = (0, 0, 0, 0);
            }
            continue;
        }
        from = from.or(Some(start));
        (words, coded, times, plain) = (words + plain + 1, coded + 1, times + n, 0);
        to = start + token.trim_end().len();
    }
    flush(&mut from, to, (words, coded, times));
}

fn unquoted(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&b, tail)) = rest.split_first() {
        let code = (b == b'=').then(|| tail.get(..2)).flatten().and_then(hex_byte);
        match (b, code, tail) {
            (_, Some(code), _) => {
                out.push(code);
                rest = tail.get(2..).unwrap_or(&[]);
            }
            // A line that goes on.
            (b'=', None, [b'\r', b'\n', after @ ..] | [b'\n', after @ ..]) => rest = after,
            _ => {
                out.push(b);
                rest = tail;
            }
        }
    }
    out
}
