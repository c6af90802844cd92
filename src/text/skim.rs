//! Reading over what nearly all text is made of.

use std::ops::Range;

/// So many bytes are looked at together: enough for the widest registers.
const CHUNK: usize = 64;

/// Whether `test` holds for all `bytes`. It is asked of whole chunks, without stopping in between.
pub(crate) fn all(bytes: &[u8], test: impl Fn(u8) -> bool) -> bool {
    bytes.chunks(CHUNK).all(|chunk| chunk.iter().fold(true, |all, b| all & test(*b)))
}

/// The characters of `text` that are no ASCII, with their places.
pub(crate) fn beyond_ascii(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.as_bytes().get(at..)?;
        let plain = rest.chunks(CHUNK).take_while(|chunk| chunk.is_ascii()).map(<[u8]>::len).sum::<usize>();
        let start = at + plain + rest.get(plain..)?.iter().position(|b| !b.is_ascii())?;
        let c = text.get(start..)?.chars().next()?;
        at = start + c.len_utf8();
        Some((start, c))
    })
}

/// The pieces of `text`, as `split_inclusive` at `ends` has them, that hold a byte of which `wanted` is true: no others
/// are parted. Such a byte is ASCII.
pub(crate) fn pieces_with(
    text: &str,
    wanted: impl Fn(u8) -> bool,
    ends: impl Fn(char) -> bool,
) -> impl Iterator<Item = Range<usize>> {
    // Where the next piece begins, at the earliest.
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + text.as_bytes().get(from..)?.iter().position(|b| wanted(*b))?;
        let border = |part: &str, c: char| part.len() + c.len_utf8();
        let before = text.get(from..at)?;
        let start = match before.char_indices().rev().find(|(_, c)| ends(*c)) {
            Some((i, c)) => from + border(before.get(..i)?, c),
            None => from,
        };
        let after = text.get(at..)?;
        let end = match after.char_indices().find(|(_, c)| ends(*c)) {
            Some((i, c)) => at + border(after.get(..i)?, c),
            None => text.len(),
        };
        from = end;
        Some(start..end)
    })
}

#[cfg(test)]
#[allow(clippy::string_slice)] // a test may panic
mod tests {
    use super::*;

    #[test]
    fn characters_beyond_ascii_are_found_in_their_places() {
        let long = format!("{}é{}—", "a".repeat(70), "b".repeat(200));
        assert_eq!(beyond_ascii(&long).collect::<Vec<_>>(), [(70, 'é'), (272, '—')]);
        assert_eq!(beyond_ascii("plain").count(), 0);
    }

    #[test]
    fn pieces_are_those_of_a_split() {
        let ends = |c: char| c == ' ' || c == '—';
        for text in ["a %b c% d", "%", "", "a—b%—c", "no", "%a ", " % % "] {
            let mut at = 0;
            let pieces = text.split_inclusive(ends).map(|p| {
                at += p.len();
                at - p.len()..at
            });
            let expected: Vec<_> = pieces.filter(|r| text[r.clone()].contains('%')).collect();
            assert_eq!(pieces_with(text, |b| b == b'%', ends).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn all_bytes_are_asked() {
        let text = "a".repeat(100);
        assert!(all(text.as_bytes(), |b| b == b'a') && !all(format!("{text}b").as_bytes(), |b| b == b'a'));
    }
}
