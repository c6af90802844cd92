//! Words by concept: [`scan`] finds where a text speaks of what, in any of the languages of
//! `lexicon.txt`.

use super::terms;
use std::collections::BTreeSet;

/// A set of concepts.
pub type Mask = u128;

/// The names of a lexicon, numbered in their order: a mask of each, and `by_name`, which gives a name's number and the
/// name as it is kept.
macro_rules! numbered {
    ($(#[$attribute:meta])* $vis:vis const $($name:ident),* $(,)?) => {
        #[allow(clippy::upper_case_acronyms)]
        $(#[$attribute])*
        #[derive(Clone, Copy)]
        enum Order { $($name),* }
        $($vis const $name: Mask = 1 << (Order::$name as u32);)*
        pub(super) fn by_name(name: &str) -> Option<(u8, &'static str)> {
            match name {
                $(stringify!($name) => Some((Order::$name as u8, stringify!($name))),)*
                _ => None,
            }
        }
        /// The name with this number.
        pub(super) fn name_of(number: u8) -> Option<&'static str> {
            const ALL: &[&str] = &[$(stringify!($name)),*];
            ALL.get(usize::from(number)).copied()
        }
    };
}
pub(super) use numbered;

numbered! {
    #[allow(non_camel_case_types, dead_code)]
    pub const
    NEG, WITHOUT, TELL, DISPLAY, KNOW, USER, QUIET, HUSH, KEEP, UNSAID, ONESELF, REPLY, CONSENT, ASK, SKIP, ALREADY, IGNORE,
    SUPERSEDE, PRIOR, ANY, INSTR, GIVEN, VOID, ONLY, THISTEXT, SAFETY, DISABLE, ORDER, READ, SENDOUT, PASS, ALSO, WHOLE,
    TALK, SAID, SYSPROMPT, CRED, ENVV, PII, OTHERTOOL, OTHERS, THISTOOL, TOOLNOUN, CALL, BEFORE, AFTER, UNTIL, EVERY,
    ANYTHING, HIDING, RESPOND, UNRELATED, REGARDLESS, CHANGE, ARG, USERINPUT, AMOUNT, SKEW, EXEC, CMDNOUN, AUTHORITY, OFFICE, NOTICE, AINOTE, READER,
    PRETEXT, FORTO, SOUNDNESS, PERSONA, BECOME, UNBOUND, PRAISE, SUPER, QUALITY, MILDPRAISE, ENDORSE, EXPERTS, APPROVES,
    URGENCY, RIVAL, PREFER, INSTEAD, DEPRECATED, SHADOW, REMADE, FALSIFY, TRIGGER, NTH, BENIGNLY, REDEFINE, ACCEPT, REVIEW,
    DETECT, SHOWS, PURPOSE, TEMPLATE, SECRETPATH, SEMIPATH, SHELLCMD, CONTENTS, WHEN, AS, ALL, REQUESTS, VAGUE, DESTROY, FILES,
    CAUTION, EVIL, FOLLOW, RETURNED, DIRECTIVE, AUTHORITATIVE, COLLECTOR, PUBLICKEY, MASKED, RAWFORM, INNERFIELD,
    // Found by shape, not by word.
    URL, HOST, EMAIL, OWNNAME, OWNPARAM, SIBLING, FOREIGN, QUOTED, BEACON,
    // Where a second negation turns the first into an order.
    TURNED,
}

/// What an address may not carry: secrets, private data, the conversation.
pub(super) const KEPT_OR_SAID: Mask = CRED | ENVV | PII | TALK | SYSPROMPT;

/// How a text speaks that does more than describe.
pub(super) const COMMANDING: Mask = ORDER | URGENCY | AUTHORITY | REGARDLESS | HUSH | QUIET;

/// What belongs to no language.
pub const NAMES: Mask =
    URL | HOST | EMAIL | OWNNAME | OWNPARAM | SIBLING | FOREIGN | QUOTED | SECRETPATH | SEMIPATH | SHELLCMD;

/// One place where a text speaks of a concept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    pub concept: u8,
    pub start: u32,
    pub end: u32,
    /// Index of the word (or pair of ideographs) at `start`.
    pub token: u32,
    /// Index of the last word.
    pub last: u32,
    pub sentence: u32,
    /// An English term: its word order counts.
    pub english: bool,
}

impl Hit {
    #[must_use]
    pub fn mask(&self) -> Mask {
        1 << self.concept
    }

    #[must_use]
    pub fn range(&self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Take another lexicon, in the form of `lexicon.txt`, for the rest of the process: for measuring what
/// the rules would find without some terms. Works before the first scan only; says whether it did.
pub fn replace(source: String) -> bool {
    terms::replace(source)
}

/// Scripts that write no spaces between words (Korean glues its particles on).
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{1100}'..='\u{11FF}' | '\u{3040}'..='\u{30FF}'
        | '\u{3130}'..='\u{318F}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}')
}

/// Every term of the lexicon in `flat` (folded, white space as single spaces), by start; token and
/// sentence are not yet set.
#[must_use]
pub fn scan(flat: &str) -> Vec<Hit> {
    terms::scan(flat).0
}

/// The terms that occur in `flat`, each as `CONCEPT: term`: for measuring which terms the evidence rests on.
#[must_use]
pub fn terms(flat: &str) -> BTreeSet<String> {
    terms::occurring(flat)
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// How many bytes of `rest` belong to the word that it begins in.
pub(super) fn word_end(rest: &str) -> usize {
    let plain = rest.bytes().take_while(|b| is_word_byte(*b)).count();
    match rest.as_bytes().get(plain) {
        Some(0x80..) => rest.find(|c| !is_word(c) || is_unspaced(c)).unwrap_or(rest.len()),
        _ => plain,
    }
}

pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Words and sentences of a text, for distances.
#[derive(Debug, Default)]
pub struct Grid {
    tokens: Vec<u32>,
    /// Starts of sentences.
    sentences: Vec<u32>,
}

impl Grid {
    /// `text` is folded: its line breaks are real ones.
    #[must_use]
    pub fn of(text: &str) -> Grid {
        let mut grid = Grid { tokens: Vec::new(), sentences: vec![0] };
        let mut in_word = false;
        let mut run = 0u32;
        let mut previous = ' ';
        let mut next = 0;
        while let Some(rest) = text.get(next..) {
            // Nearly all characters are letters of ASCII, which begin a word or go on with it, and spaces between words.
            let letters = rest.bytes().take_while(|b| b.is_ascii_alphanumeric()).count();
            if letters > 0 {
                if !in_word {
                    grid.tokens.push(u32::try_from(next).unwrap_or(u32::MAX));
                }
                (in_word, run, previous) = (true, 0, 'a');
                next += letters;
                continue;
            }
            if rest.starts_with(' ') && !matches!(previous, ';' | '!' | '?' | ':' | '.') {
                (in_word, run, previous) = (false, 0, ' ');
                next += 1;
                continue;
            }
            let Some(c) = rest.chars().next() else { break };
            let at = next;
            next += c.len_utf8();
            let at32 = u32::try_from(at).unwrap_or(u32::MAX);
            // An apostrophe is no border: "don't".
            let word = c.is_alphanumeric() || c == '_' || (in_word && matches!(c, '\'' | '’'));
            let unspaced = is_unspaced(c);
            // Without spaces, two characters make about a word.
            run = if word && unspaced { run + 1 } else { 0 };
            if word && (if unspaced { run % 2 == 1 } else { !in_word }) {
                grid.tokens.push(at32);
            }
            in_word = word && !unspaced;
            let ends = match c {
                ' ' | '\n' if previous == ';' => true,
                ' ' | '\n' if matches!(previous, '!' | '?' | ':' | '.') => {
                    (previous != ':' || c == '\n') && !abbreviation(text, at)
                }
                // Full-width marks are folded to ours, and no space follows them.
                _ if unspaced && matches!(previous, ';' | '!' | '?') => true,
                '\n' => previous == '\n' || starts_item(text.get(at + 1..).unwrap_or("")),
                '。' | '！' | '？' | '।' => true,
                _ => false,
            };
            if ends {
                grid.sentences.push(at32);
            }
            previous = c;
        }
        grid
    }

    /// Fill in token and sentence of each hit.
    pub fn place(&self, hits: &mut [Hit]) {
        let (mut token, mut sentence) = (0, 0);
        for hit in hits {
            while self.tokens.get(token + 1).is_some_and(|&t| t <= hit.start) {
                token += 1;
            }
            while self.sentences.get(sentence + 1).is_some_and(|&s| s <= hit.start) {
                sentence += 1;
            }
            let mut last = token;
            while self.tokens.get(last + 1).is_some_and(|&t| t < hit.end) {
                last += 1;
            }
            hit.token = u32::try_from(token).unwrap_or(u32::MAX);
            hit.last = u32::try_from(last).unwrap_or(u32::MAX);
            hit.sentence = u32::try_from(sentence).unwrap_or(u32::MAX);
        }
    }

    /// How many sentences there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        u32::try_from(self.sentences.len()).unwrap_or(u32::MAX)
    }

    /// Where the sentence at index `i` starts and the next one does.
    #[must_use]
    pub fn sentence(&self, i: u32, len: usize) -> std::ops::Range<usize> {
        let at = |i: usize| self.sentences.get(i).map_or(len, |&s| s as usize);
        at(i as usize)..at(i as usize + 1)
    }
}

/// `e.g. `, `i.e. `, `etc. `, and initials end no sentence.
fn abbreviation(text: &str, at: usize) -> bool {
    let head = text.get(..at).unwrap_or("");
    ["e.g.", "i.e.", "etc.", "vs.", "cf.", " no.", "approx."].iter().any(|a| head.ends_with(a))
}

/// A list item, a numbered step or a `name:` line starts anew; other lines go on.
fn starts_item(line: &str) -> bool {
    let line = line.trim_start_matches(' ');
    let mut chars = line.chars();
    match chars.next() {
        Some('-' | '*' | '•' | '#' | '|' | '>' | '+') => true,
        Some(c) if c.is_ascii_digit() => matches!(chars.find(|c| !c.is_ascii_digit()), Some('.' | ')' | ':')),
        Some(c) if c.is_alphabetic() => {
            let word: String = line
                .chars()
                .take(40)
                .take_while(|c| is_word(*c) || matches!(c, ' ' | '(' | ')' | ','))
                .collect();
            line.get(word.len()..)
                .is_some_and(|rest| rest.starts_with(": ") || rest.starts_with(":\n") || rest == ":")
        }
        _ => false,
    }
}

#[cfg(test)]
#[allow(clippy::string_slice)] // a test may panic
mod tests {
    use super::*;

    fn concepts(text: &str) -> Vec<(&str, u8)> {
        scan(text).into_iter().map(|h| (&text[h.range()], h.concept)).collect()
    }

    #[test]
    fn every_line_names_a_concept() {
        for line in include_str!("lexicon.txt").lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
            let name = line.split(": ").next().unwrap();
            assert!(by_name(name).is_some(), "{line}");
        }
    }

    #[test]
    fn terms_end_at_word_borders() {
        let tell = by_name("TELL").unwrap().0;
        assert!(concepts("retelling the tale").iter().all(|(_, c)| *c != tell));
        assert!(concepts("tell_me").iter().all(|(_, c)| *c != tell));
        assert!(concepts("mentioned it").contains(&("mentioned", tell)));
        assert!(concepts("不要告诉用户").contains(&("告诉", tell)));
    }

    #[test]
    fn sentences_and_wrapped_lines() {
        let grid = Grid::of("one two. three\nfour five\n- item one\nargs: x\n\nlast e.g. this");
        let starts: Vec<u32> = grid.sentences.clone();
        assert_eq!(starts, [0, 8, 24, 35, 44]);
    }
}
