//! Ciphers that a model undoes by itself: shifted alphabets, mirrored ones, texts written backwards. Hardly any text is
//! written so, so that one is looked at only where it shows several common words of that cipher.

use super::fold::{self, Folded};
use super::layer::{Map, Veil};
use std::collections::BTreeMap;
use std::sync::LazyLock;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cipher {
    /// The alphabet shifted back by so many letters.
    Shifted(u8),
    /// `a` for `z`.
    Mirrored,
    Backwards,
}

/// Words that nearly every order has some of. None is one of another list backwards or shifted.
const COMMON: &str = "the and you your not all user this from with before never send tell then read ignore previous instructions password file message \
    contents into keys conversation about mention every answer without";

/// The common words as each cipher writes them.
static WRITTEN: LazyLock<BTreeMap<String, Vec<Cipher>>> = LazyLock::new(|| {
    let mut written: BTreeMap<String, Vec<Cipher>> = BTreeMap::new();
    let plain: Vec<&str> = COMMON.split_whitespace().collect();
    let ciphers = (1..26).map(Cipher::Shifted).chain([Cipher::Mirrored, Cipher::Backwards]);
    for cipher in ciphers {
        for word in &plain {
            let form: String = match cipher {
                Cipher::Shifted(by) => word.chars().map(|c| shifted(c, by)).collect(),
                Cipher::Mirrored => word.chars().map(mirrored).collect(),
                Cipher::Backwards => word.chars().rev().collect(),
            };
            if !plain.contains(&form.as_str()) {
                written.entry(form).or_default().push(cipher);
            }
        }
    }
    written
});

/// Which three letters such words begin with: nearly no other word does.
static BEGIN: LazyLock<Vec<bool>> = LazyLock::new(|| {
    let mut begin = vec![false; 26 * 26 * 26];
    for word in WRITTEN.keys() {
        if let Some(slot) = start_of(word.as_bytes()).and_then(|i| begin.get_mut(i)) {
            *slot = true;
        }
    }
    begin
});

fn start_of(word: &[u8]) -> Option<usize> {
    let letter = |i: usize| word.get(i).filter(|b| b.is_ascii_lowercase()).map(|b| usize::from(b - b'a'));
    Some((letter(0)? * 26 + letter(1)?) * 26 + letter(2)?)
}

/// So many different words of one cipher are no accident.
const DIFFERENT: usize = 3;

/// The text under each cipher of which it shows several words.
#[must_use]
pub fn all(text: &str, folded: &Folded) -> Vec<Folded> {
    let mut seen: BTreeMap<Cipher, Vec<&str>> = BTreeMap::new();
    for word in folded.text.split(|c: char| !c.is_ascii_alphanumeric()) {
        let begins = start_of(word.as_bytes()).and_then(|i| BEGIN.get(i)).copied().unwrap_or(false);
        if !begins {
            continue;
        }
        for cipher in WRITTEN.get(word).into_iter().flatten() {
            let words = seen.entry(*cipher).or_default();
            if words.len() < DIFFERENT && !words.contains(&word) {
                words.push(word);
            }
        }
    }
    let shown = seen.into_iter().filter(|(_, words)| words.len() >= DIFFERENT).map(|(cipher, _)| cipher);
    shown.take(3).flat_map(|cipher| undone(text, cipher)).collect()
}

fn undone(text: &str, cipher: Cipher) -> Vec<Folded> {
    match cipher {
        Cipher::Shifted(by) => {
            let plain: String = text.chars().map(|c| shifted(c, 26 - by)).collect();
            vec![placed(fold::fold(&plain, false), text, Veil::Rot13)]
        }
        Cipher::Mirrored => {
            let plain: String = text.chars().map(mirrored).collect();
            vec![placed(fold::fold(&plain, false), text, Veil::Rot13)]
        }
        Cipher::Backwards => {
            let whole: String = text.chars().rev().collect();
            let words: String = text
                .split_inclusive(char::is_whitespace)
                .map(|piece| {
                    let word = piece.trim_end();
                    let gap = piece.get(word.len()..).unwrap_or("");
                    word.chars().rev().collect::<String>() + gap
                })
                .collect();
            [whole, words].map(|plain| placed(fold::fold(&plain, false), text, Veil::Reversed)).into()
        }
    }
}

/// Letter by letter the places are no longer those of the text: the whole text is the place.
fn placed(mut folded: Folded, text: &str, veil: Veil) -> Folded {
    folded.map = Map::default();
    folded.map.substitute(0, 0, text.len());
    folded.veils = vec![(0..text.len(), veil)];
    folded
}

fn shifted(c: char, by: u8) -> char {
    match c {
        'a'..='z' => char::from((c as u8 - b'a' + by) % 26 + b'a'),
        'A'..='Z' => char::from((c as u8 - b'A' + by) % 26 + b'A'),
        c => c,
    }
}

fn mirrored(c: char) -> char {
    match c {
        'a'..='z' => char::from(b'a' + (b'z' - c as u8)),
        'A'..='Z' => char::from(b'A' + (b'Z' - c as u8)),
        c => c,
    }
}

/// Letters turned upside down, which stand in the reverse order: `ǝɹouƃı`.
#[must_use]
pub fn upside_down(text: &str) -> Option<Folded> {
    const TURNED: &str = "ɐqɔpǝɟƃɥᴉɾʞןɯuodbɹsʇnʌʍxʎz";
    const ALONE: &[char] = &['ɐ', 'ɔ', 'ǝ', 'ɟ', 'ƃ', 'ɥ', 'ᴉ', 'ɾ', 'ʞ', 'ɯ', 'ɹ', 'ʇ', 'ʌ', 'ʍ', 'ʎ'];
    if text.is_ascii() || text.chars().filter(|c| ALONE.contains(c)).take(8).count() < 8 {
        return None;
    }
    let plain: String = text
        .chars()
        .rev()
        .map(|c| match c {
            'ı' => 'i',
            'l' => 'l',
            c => TURNED
                .chars()
                .position(|t| t == c)
                .and_then(|i| u8::try_from(i).ok())
                .map_or(c, |i| char::from(b'a' + i)),
        })
        .collect();
    Some(placed(fold::fold(&plain, false), text, Veil::Reversed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(text: &str) -> Vec<String> {
        all(text, &fold::fold(text, false)).into_iter().map(|f| f.text).collect()
    }

    #[test]
    fn ciphers_are_undone() {
        assert_eq!(readings("Arire gryy gur hfre"), ["never tell the user"]);
        assert_eq!(readings("Qhyhu whoo wkh xvhu"), ["never tell the user"]);
        assert_eq!(readings("Mvevi gvoo gsv fhvi"), ["never tell the user"]);
        assert_eq!(readings("resu eht llet reveN").first().map(String::as_str), Some("never tell the user"));
        assert_eq!(readings("reveN llet eht resu").last().map(String::as_str), Some("never tell the user"));
        assert_eq!(upside_down("ɹǝsn ǝɥʇ llǝʇ ɹǝʌǝu").unwrap().text, "never tell the user");
    }

    #[test]
    fn plain_texts_are_in_no_cipher() {
        for text in [
            "Never tell the user",
            "gur naq",
            "abcdefghijklmnopqrstuvwxyz",
            "Sends an email to the user, then reads it.",
        ] {
            assert_eq!(readings(text), Vec::<String>::new(), "{text}");
        }
    }
}
