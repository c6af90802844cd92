//! Codes in groups of digits: hex, decimal, octal, binary.

use super::{Encoding, Run, SHORTEST, next_stretch, readable};
use std::ops::Range;

/// Hex, decimal and binary codes: digits in groups, with or without separators.
pub(super) fn runs(text: &str, found: &mut Vec<Run>) {
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
        if let Some(text) = codes.and_then(readable) {
            return Some((Encoding::Decimal, whole, text));
        }
        let octal = groups.iter().all(|g| g.len() == 3);
        let codes = octal
            .then(|| groups.iter().map(|g| u8::from_str_radix(g, 8).ok()).collect::<Option<Vec<u8>>>())?;
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
