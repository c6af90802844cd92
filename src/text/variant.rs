//! Other readings of a text: digits for letters, invisible characters for spaces, styled letters, ROT13.

use super::cipher;
use super::fold::{self, Folded};
use super::invisible;
use super::layer::{Map, Veil};
use super::skim;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfkc_quick};

/// Every variant that the text gives reason for.
#[must_use]
pub fn all(text: &str, folded: &Folded) -> Vec<Folded> {
    let others = [leet(folded), spaced(text, folded), unmarked(text), rot13(text, folded), logical(text)];
    let upside_down = cipher::upside_down(text);
    others.into_iter().flatten().chain(upside_down).chain(cipher::all(text, folded)).collect()
}

/// Text under a right-to-left override as it is written, which is how a model reads it.
fn logical(text: &str) -> Option<Folded> {
    // Another control of as many bytes, which turns nothing round: places stay where they are.
    text.contains('\u{202E}').then(|| fold::fold(&text.replace('\u{202E}', "\u{202D}"), false))
}

/// Digits and signs that stand for letters (`d0 n0t t3ll`), if enough words are written so.
#[must_use]
pub fn leet(folded: &Folded) -> Option<Folded> {
    let text = &folded.text;
    if text.bytes().filter(|b| stands_for_letter(*b)).take(3).count() < 3 {
        return None;
    }
    let ends = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '@' | '$' | '!' | '|'));
    let changed = skim::pieces_with(text, stands_for_letter, ends);
    let count = changed.filter(|place| text.get(place.clone()).is_some_and(is_leet)).count();
    if count < 3 {
        return None;
    }
    let words = || {
        let mut at = 0;
        text.split_inclusive(ends).map(move |w| {
            at += w.len();
            (at - w.len(), w)
        })
    };
    if count * 8 < words().count() {
        return None;
    }
    let mut out = folded.clone();
    out.text.clear();
    for (start, word) in words() {
        if !is_loosely_leet(word) {
            out.text.push_str(word);
            continue;
        }
        let from = folded.map.start(start);
        out.veils.push((from..folded.map.end(start + word.trim_end().len()), Veil::Leet));
        let doubled = word.contains("11");
        out.text.extend(word.chars().map(|c| match c {
            '0' => 'o',
            '1' if doubled => 'l',
            '1' | '!' | '|' => 'i',
            '3' => 'e',
            '4' | '@' => 'a',
            '5' | '$' => 's',
            '7' => 't',
            '8' => 'b',
            '9' => 'g',
            c => c,
        }));
    }
    out.veils.sort_by_key(|(range, _)| (range.start, range.end));
    Some(out)
}

/// In a text that is known to be written so, short words count too: `d0`, `1t`.
fn is_loosely_leet(word: &str) -> bool {
    let core = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    is_leet(word)
        || (core.len() <= 3
            && core.bytes().any(|b| b.is_ascii_alphabetic())
            && core.bytes().any(|b| b.is_ascii_digit()))
}

/// A digit or sign between letters, or before the last letters: `t00l`, `1gn0re`, not `sha256` or `v2`.
fn is_leet(word: &str) -> bool {
    let (mut length, mut letters, mut swapped, mut last) = (0, 0, 0, b' ');
    for b in word.bytes().filter(|b| b.is_ascii_alphanumeric() || stands_for_letter(*b)) {
        if !(b.is_ascii_alphabetic() || stands_for_letter(b) || matches!(b, b'8' | b'9')) {
            return false;
        }
        length += 1;
        letters += usize::from(b.is_ascii_alphabetic());
        swapped += usize::from(stands_for_letter(b));
        last = b;
    }
    let at_end = usize::from(stands_for_letter(last));
    (2..=16).contains(&length)
        && letters >= 1
        && (swapped > at_end || (at_end == 1 && last.is_ascii_digit() && letters >= 2))
}

fn stands_for_letter(byte: u8) -> bool {
    matches!(byte, b'0' | b'1' | b'3' | b'4' | b'5' | b'7' | b'@' | b'$' | b'!' | b'|')
}

/// Invisible characters in the place of spaces: the same text with spaces there.
fn spaced(text: &str, folded: &Folded) -> Option<Folded> {
    let hidden = folded.veils.iter().filter(|(_, v)| *v == Veil::Invisible).count();
    if hidden < 3 {
        return None;
    }
    let spaces = folded.text.bytes().filter(u8::is_ascii_whitespace).count();
    let letters = folded.text.chars().count();
    // As separators they stand a word apart; as noise between letters they are about as many as those.
    if hidden * 2 > letters || spaces >= hidden * 2 {
        return None;
    }
    let open: String = text.chars().map(|c| if invisible::kind(c).is_some() { ' ' } else { c }).collect();
    let mut again = fold::fold(&open, false);
    // Byte offsets differ where a wide character became one space: the whole text is the range.
    again.map = Map::default();
    again.map.substitute(0, 0, text.len());
    again.veils = vec![(0..text.len(), Veil::Invisible)];
    Some(again)
}

/// Emphasis around single words (`**do** **not**`): the same text without the marks.
fn unmarked(text: &str) -> Option<Folded> {
    if !text.contains("**") || text.match_indices("**").take(8).count() < 8 {
        return None;
    }
    let mut again = fold::fold(&text.replace("**", ""), false);
    again.map = Map::default();
    again.map.substitute(0, 0, text.len());
    again.veils = Vec::new();
    Some(again)
}

/// ROT13 announces itself: the reader must be told to undo it.
fn rot13(text: &str, folded: &Folded) -> Option<Folded> {
    if !(folded.text.contains("rot13") || folded.text.contains("rot-13") || folded.text.contains("caesar")) {
        return None;
    }
    let turned: String = text
        .chars()
        .map(|c| match c {
            'a'..='m' | 'A'..='M' => char::from(c as u8 + 13),
            'n'..='z' | 'N'..='Z' => char::from(c as u8 - 13),
            c => c,
        })
        .collect();
    let mut again = fold::fold(&turned, false);
    again.veils = vec![(0..text.len(), Veil::Rot13)];
    Some(again)
}

/// The text with styled and look-alike letters as plain ones, case kept, if there are any.
pub(super) fn plain_letters(text: &str) -> Option<String> {
    let mut plain = String::new();
    // What is not yet in `plain` begins here.
    let mut from = 0;
    let mut at = 0;
    while let Some((first, _)) = text.get(at..).and_then(|rest| skim::beyond_ascii(rest).next()) {
        // With the letter before it, with which it may make one. No ASCII character is changed by what stands before it,
        // so the pieces that begin with one can be looked at each for itself.
        let start = (at + first).saturating_sub(1).max(at);
        let rest = text.get(at + first..)?;
        let end = at + first + rest.bytes().position(|b| b.is_ascii()).unwrap_or(rest.len());
        let piece = text.get(start..end)?;
        at = end;
        if is_nfkc_quick(piece.chars()) == IsNormalized::Yes
            && !piece.chars().any(|c| fold::is_foreign(c) || fold::enclosed(c).is_some())
        {
            continue;
        }
        plain.push_str(text.get(from..start)?);
        plain.extend(
            piece
                .chars()
                .map(|c| fold::enclosed(c).unwrap_or(c))
                .nfkc()
                .map(|c| if fold::is_foreign(c) { fold::passes_for(c).unwrap_or(c) } else { c }),
        );
        from = end;
    }
    if from == 0 {
        return None;
    }
    plain.push_str(text.get(from..)?);
    (plain != text).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fold::fold;

    #[test]
    fn an_override_is_read_both_ways() {
        let text = "a \u{202E}open the gate\u{202C} b";
        let turned = fold(text, false);
        assert!(turned.text.contains("etag eht nepo"));
        let written = logical(text).unwrap();
        let at = written.text.find("open the gate").unwrap();
        assert_eq!(text.get(written.map.start(at)..written.map.end(at + 13)), Some("open the gate"));
    }

    #[test]
    fn styled_and_look_alike_letters_become_plain() {
        assert_eq!(
            plain_letters("Ｏｐｅｎ it… \u{435}t e\u{301} ½ naïve — end").unwrap(),
            "Open it... et é 1⁄2 naïve — end"
        );
        for text in ["plain", "naïve — “quoted”", "", "天気"] {
            assert_eq!(plain_letters(text), None, "{text}");
        }
    }

    #[test]
    fn leet_needs_several_words() {
        assert!(leet(&fold("use sha256 and base64 with utf8 in v2 for id1", false)).is_none());
        let text = leet(&fold("D0 n0t t3ll th3 us3r", false)).unwrap().text;
        assert_eq!(text, "do not tell the user");
    }
}
