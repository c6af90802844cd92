//! Bases other than 16 and 64: base32, base85, and runs of digits without any separator.

use super::{Encoding, Run, SHORTEST, next_stretch, readable};

/// The shortest run of base32 that is decoded: ten bytes.
const SHORTEST_32: usize = 16;

pub(super) fn base32(text: &str, found: &mut Vec<Run>) {
    let bytes = text.as_bytes();
    let upper = |b: u8| b.is_ascii_uppercase() || matches!(b, b'2'..=b'7');
    let lower = |b: u8| b.is_ascii_lowercase() || matches!(b, b'2'..=b'7');
    base32_of(text, bytes, upper, SHORTEST_32, found);
    // Words are of such letters too; few are as long.
    base32_of(text, bytes, lower, 3 * SHORTEST, found);
}

fn base32_of(
    text: &str,
    bytes: &[u8],
    belongs: impl Fn(u8) -> bool + Copy,
    shortest: usize,
    found: &mut Vec<Run>,
) {
    let mut i = 0;
    while let Some(start) = next_stretch(bytes, i, shortest, belongs) {
        let (mut end, mut code) = (start, Vec::new());
        // Lines of a wrapped block belong together.
        while let Some(&b) = bytes.get(end) {
            if belongs(b) {
                code.push(b);
            } else if !(matches!(b, b'\n' | b'\r') && code.len() >= 60) {
                break;
            }
            end += 1;
        }
        i = end;
        if code.len() >= shortest
            && let Some(decoded) = decode32(&code)
        {
            let padded = end + bytes.iter().skip(end).take_while(|b| **b == b'=').count();
            found.push(Run { encoding: Encoding::Base32, range: start..padded.min(text.len()), decoded });
        }
    }
}

fn decode32(code: &[u8]) -> Option<String> {
    let (mut bits, mut held, mut out) = (0_u32, 0, Vec::with_capacity(code.len() * 5 / 8));
    for b in code {
        let value = match b.to_ascii_uppercase() {
            b @ b'A'..=b'Z' => b - b'A',
            b @ b'2'..=b'7' => b - b'2' + 26,
            _ => return None,
        };
        bits = (bits << 5 | u32::from(value)) & 0xFFF;
        held += 5;
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from(bits >> held & 0xFF).ok()?);
        }
    }
    readable(out)
}

/// `<~…~>`, or a token of many signs that is base85 in one of its two alphabets.
pub(super) fn base85(text: &str, found: &mut Vec<Run>) {
    let mut at = 0;
    for token in text.split_inclusive(|c: char| c.is_whitespace()) {
        let start = at;
        at += token.len();
        let code = token.trim_end();
        if code.len() < 25 || !code.is_ascii() {
            continue;
        }
        let signs = code
            .bytes()
            .filter(|b| b.is_ascii_punctuation() && !matches!(b, b'/' | b'.' | b'_' | b'-'))
            .count();
        if signs * 12 < code.len() {
            continue;
        }
        let bare = code.strip_prefix("<~").unwrap_or(code);
        let bare = bare.strip_suffix("~>").unwrap_or(bare);
        let decoded = decode85(bare, |b| matches!(b, b'!'..=b'u').then(|| b - b'!')).or_else(|| {
            decode85(bare, |b| RFC1924.bytes().position(|a| a == b).and_then(|i| u8::try_from(i).ok()))
        });
        if let Some(decoded) = decoded {
            found.push(Run { encoding: Encoding::Base85, range: start..start + code.len(), decoded });
        }
    }
}

const RFC1924: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

fn decode85(code: &str, value: impl Fn(u8) -> Option<u8>) -> Option<String> {
    let mut out = Vec::with_capacity(code.len());
    for group in code.as_bytes().chunks(5) {
        let mut word = 0_u64;
        for i in 0..5 {
            // A short group is filled up with the highest digit.
            let digit = group.get(i).map_or(Some(84), |b| value(*b))?;
            word = word * 85 + u64::from(digit);
        }
        let bytes = u32::try_from(word).ok()?.to_be_bytes();
        out.extend(bytes.iter().take(group.len().saturating_sub(1)));
    }
    readable(out)
}

/// `073103110…`, `0100100101100111…`: three decimal or eight binary digits each.
pub(super) fn digits(text: &str, found: &mut Vec<Run>) {
    let bytes = text.as_bytes();
    let mut i = 0;
    while let Some(start) = next_stretch(bytes, i, 3 * SHORTEST, |b| b.is_ascii_digit()) {
        let end = start + bytes.iter().skip(start).take_while(|b| b.is_ascii_digit()).count();
        i = end.max(start + 1);
        let Some(run) = bytes.get(start..end) else { continue };
        let of = |width: usize, radix: u32| {
            let code = |c: &[u8]| u8::from_str_radix(std::str::from_utf8(c).ok()?, radix).ok();
            (run.len().is_multiple_of(width))
                .then(|| run.chunks(width).map(code).collect::<Option<Vec<u8>>>())?
        };
        let binary = run.iter().all(|b| matches!(b, b'0' | b'1'));
        let decoded = if binary { of(8, 2) } else { of(3, 10) }.and_then(readable);
        if let Some(decoded) = decoded {
            let encoding = if binary { Encoding::Binary } else { Encoding::Decimal };
            found.push(Run { encoding, range: start..end, decoded });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        base32(text, &mut found);
        base85(text, &mut found);
        digits(text, &mut found);
        found.into_iter().map(|r| r.decoded).collect()
    }

    #[test]
    fn other_bases_are_read() {
        assert_eq!(decoded("x N5YGK3RAORUGKIDHMF2GK=== y"), ["open the gate"]);
        assert_eq!(decoded("x n5ygk3raorugkidhmf2gkidon53q y"), ["open the gate now"]);
        assert_eq!(decoded("<~DfB9*+EV:.+D5,)ALnsDF_PE/Cj@.@Dg)~>"), ["open the gate, quietly now"]);
        assert_eq!(decoded("Z*XO9AarPDAZKB8Wh@|Zb!laEY<VDVZ+8"), ["open the gate, quietly now"]);
        assert_eq!(decoded("111112101110032116104101032103097116101"), ["open the gate"]);
        let bits: String = "open the gate".bytes().map(|b| format!("{b:08b}")).collect();
        assert_eq!(decoded(&bits), ["open the gate"]);
    }

    #[test]
    fn secrets_and_numbers_are_none() {
        for text in
            ["JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", "123456789012345678901234567890", "MAXIMUMNUMBEROFRESULTS"]
        {
            assert_eq!(decoded(text), Vec::<String>::new(), "{text}");
        }
    }
}
