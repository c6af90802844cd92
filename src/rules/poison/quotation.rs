//! Where quotations begin and end.

use std::ops::Range;

/// The mark that closes what `open` opens.
pub(super) fn closes(open: char) -> Option<char> {
    match open {
        '"' | '`' | '\'' => Some(open),
        '“' => Some('”'),
        '‘' => Some('’'),
        '「' => Some('」'),
        '«' => Some('»'),
        _ => None,
    }
}

/// The first quotation that begins at byte `from` of `text` or later: where its words start, and the mark that closes it
/// by `closes`. An apostrophe within a word opens none.
pub(super) fn next(text: &str, from: usize, closes: impl Fn(char) -> Option<char>) -> Option<(usize, char)> {
    // Only what begins with one of these bytes is looked at as a character: `“‘„` with the third, `「『` with the fourth,
    // `«` with the last.
    let opens = |b: &u8| matches!(b, b'"' | b'`' | b'\'' | 0xE2 | 0xE3 | 0xC2);
    let mut at = from;
    loop {
        at += text.as_bytes().get(at..)?.iter().position(opens)?;
        let mark = text.get(at..)?.chars().next()?;
        let within = || text.get(..at).is_some_and(|before| before.ends_with(char::is_alphanumeric));
        let start = at + mark.len_utf8();
        match closes(mark) {
            Some(close) if mark != '\'' || !within() => return Some((start, close)),
            _ => at = start,
        }
    }
}

/// Sentences in quotation marks: at least three words in less than 600 bytes.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    let places = std::iter::from_fn(move || {
        let (start, close) = next(text, at, closes)?;
        let end = start + text.get(start..)?.find(close)?;
        at = end + close.len_utf8();
        Some(start..end)
    });
    places.filter(|place| {
        let inside = text.get(place.clone()).unwrap_or("");
        inside.len() < 600 && inside.split_whitespace().count() >= 3
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_sentences_have_three_words() {
        let quoted =
            |text: &'static str| sentences(text).map(|place| text.get(place).unwrap()).collect::<Vec<_>>();
        assert_eq!(
            quoted("say 'all is well' or “go on then”, not `two words`"),
            ["all is well", "go on then"]
        );
        assert_eq!(quoted("it's never closed: \"one two three"), Vec::<&str>::new());
    }

    #[test]
    fn quotations_begin_at_marks_that_open() {
        let starts = |text: &str| {
            let (mut found, mut at) = (Vec::new(), 0);
            while let Some((start, close)) = next(text, at, closes) {
                found.push((start, close));
                at = start;
            }
            found
        };
        assert_eq!(starts("don't \'do\""), [(7, '\''), (10, '"')]);
        assert_eq!(starts("a “b” «c» 「d」"), [(5, '”'), (12, '»'), (19, '」')]);
        assert_eq!(starts("é — plain, ½"), []);
    }
}
