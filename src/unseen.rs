//! Which characters a person does not see, or sees act: for all that verity writes, on screens and into files.

/// Characters that act on the screen or show nothing: controls, format characters, default
/// ignorables, line separators, private use, blanks that are no spaces. Sorted, inclusive.
/// A test compares the table with the Unicode classes `Cc Cf DI Zl Zp Co`.
const UNSEEN: &[(u32, u32)] = &[
    (0x00, 0x1f),
    (0x7f, 0x9f),
    (0xad, 0xad),
    (0x34f, 0x34f),
    (0x600, 0x605),
    (0x61c, 0x61c),
    (0x6dd, 0x6dd),
    (0x70f, 0x70f),
    (0x890, 0x891),
    (0x8e2, 0x8e2),
    (0x115f, 0x1160),
    (0x17b4, 0x17b5),
    (0x180b, 0x180f),
    (0x200b, 0x200f),
    (0x2028, 0x202e),
    (0x2060, 0x206f),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xe000, 0xf8ff),
    (0xfe00, 0xfe0f),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff0, 0xfffb),
    (0x110bd, 0x110bd),
    (0x110cd, 0x110cd),
    (0x13430, 0x1343f),
    (0x1bca0, 0x1bca3),
    (0x1d173, 0x1d17a),
    (0xe0000, 0xe0fff),
    (0xf0000, 0x10_ffff),
];

/// Whether `c` acts on the screen or shows nothing.
#[must_use]
pub fn is_unseen(c: char) -> bool {
    let c = u32::from(c);
    let i = UNSEEN.partition_point(|&(_, last)| last < c);
    UNSEEN.get(i).is_some_and(|&(first, _)| first <= c)
}

/// Variation selectors 15 and 16 choose between text and emoji; after a symbol they are innocent.
#[must_use]
pub fn is_presentation(c: char) -> bool {
    matches!(c, '\u{fe0e}' | '\u{fe0f}')
}

/// Whether `c`, not ASCII, has to be escaped in a file that people open: it hides, or moves what follows it.
/// Presentation selectors stay, as emoji need them.
#[must_use]
pub fn acts(c: char) -> bool {
    !c.is_ascii() && is_unseen(c) && !is_presentation(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_unicode_classes() {
        let class = regex::Regex::new(r"[\p{Cc}\p{Cf}\p{DI}\p{Zl}\p{Zp}\p{Co}\u{2800}]").unwrap();
        // Blocks that the table takes whole: reserved and noncharacters among them are unseen too.
        let whole = [0xfff0..=0xfffb_u32, 0xe0000..=0xe0fff, 0xf0000..=0x10_ffff];
        for c in '\0'..=char::MAX {
            if whole.iter().any(|r| r.contains(&u32::from(c))) {
                assert!(is_unseen(c), "{c:?}");
            } else {
                assert_eq!(is_unseen(c), class.is_match(c.encode_utf8(&mut [0; 4])), "{c:?}");
            }
        }
    }
}
