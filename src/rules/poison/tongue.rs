//! In which language a sentence is: where it is English, words that other languages spell alike are English ones.

use super::lexicon::{Grid, Hit};

/// Words that hold English sentences together, and hardly any of another language; sorted.
const FUNCTION: &[&str] = &[
    "after", "and", "any", "are", "at", "be", "been", "before", "by", "can", "each", "for", "from", "has",
    "have", "if", "into", "is", "it", "its", "must", "not", "of", "only", "or", "should", "than", "that",
    "the", "their", "them", "they", "this", "to", "when", "which", "will", "with", "you", "your",
];
/// One word in so many must be such a one.
const SHARE: usize = 6;
/// So many words of a sentence are looked at.
const MOST: usize = 60;

/// Drop the hits of other languages in Latin letters that stand in English sentences. `hits` are by start and placed.
pub(super) fn drop_foreign_words(flat: &str, grid: &Grid, hits: &mut Vec<Hit>) {
    let foreign = |h: &Hit| !h.english && flat.get(h.range()).is_some_and(|word| word.is_ascii());
    let mut last = None;
    hits.retain(|h| {
        if !foreign(h) {
            return true;
        }
        let english = match last {
            Some((sentence, english)) if sentence == h.sentence => english,
            _ => is_english(flat.get(grid.sentence(h.sentence, flat.len())).unwrap_or("")),
        };
        last = Some((h.sentence, english));
        !english
    });
}

fn is_english(sentence: &str) -> bool {
    let (mut words, mut english) = (0, 0);
    for word in sentence.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).take(MOST) {
        words += 1;
        english += usize::from(word.len() <= 6 && FUNCTION.binary_search(&word).is_ok());
    }
    english >= 2 && english * SHARE >= words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_searched_by_halves() {
        assert!(FUNCTION.is_sorted() && FUNCTION.iter().all(|w| w.len() <= 6));
    }

    #[test]
    fn english_is_told_by_the_words_that_hold_it_together() {
        for text in [
            "the agent puts it into the note",
            "call this before you answer",
            "send a copy of it to the desk",
        ] {
            assert!(is_english(text), "{text}");
        }
        for text in [
            "le agent met la note dans le champ",
            "rufe dieses werkzeug vor jeder antwort auf",
            "fill note",
            "antes de cada respuesta llama a the tool",
        ] {
            assert!(!is_english(text), "{text}");
        }
    }
}
