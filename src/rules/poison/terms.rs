//! Where the terms of both lexica stand in a text: one table, looked up by the first letters of each
//! word, in one pass.
//!
//! Every run needs the table, the shortest too. So it is made of `terms.tsv`, in which the terms are
//! parsed and folded already; a test writes that file, and tells when it is not that of `lexicon.txt`
//! and `structure.txt`. Until it is written anew, the table is made of those, more slowly.

mod sources;

use super::lexicon::{Hit, is_unspaced, is_word, is_word_byte, word_end};
use sources::{Parsed, fingerprint, header, parse};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{LazyLock, OnceLock};

pub use sources::compiled;

const LEXICON: &str = include_str!("lexicon.txt");
const STRUCTURE: &str = include_str!("structure.txt");
const COMPILED: &str = include_str!("terms.tsv");
/// Of the sources that `terms.tsv` has to be made of.
const FINGERPRINT: u64 = fingerprint(LEXICON, fingerprint(STRUCTURE, 0xcbf2_9ce4_8422_2325));

/// Which lexicon a term is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lexis {
    /// `lexicon.txt`.
    Concepts,
    /// `structure.txt`.
    Classes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Ending {
    Exact,
    Inflected,
    Any,
}

/// What the terms of one line of `terms.tsv` have in common.
#[derive(Debug, Clone, Copy)]
struct Kind {
    lexis: Lexis,
    concept: u8,
    english: bool,
    ending: Ending,
    /// The first, the last character is a letter of a script with spaces: a border must follow.
    borders: (bool, bool),
    /// A word before the last one may have any ending: a `*` stands for it.
    spread: bool,
}

impl Kind {
    /// What a term begins with, whatever its words' endings are.
    fn head(self, written: &[u8]) -> &[u8] {
        let end = if self.spread { written.iter().position(|b| *b == STAR) } else { None };
        written.get(..end.unwrap_or(written.len())).unwrap_or(written)
    }

    /// How long the term is that `rest` begins with, if it begins with this one.
    fn measure(self, written: &[u8], rest: &str) -> Option<usize> {
        if !self.spread {
            return rest.as_bytes().starts_with(written).then_some(written.len());
        }
        let mut pieces = written.split(|b| *b == STAR);
        let first = pieces.next()?;
        let mut at = rest.as_bytes().starts_with(first).then_some(first.len())?;
        for piece in pieces {
            at += any_ending(rest.get(at..)?)?;
            at += rest.as_bytes().get(at..)?.starts_with(piece).then_some(piece.len())?;
        }
        Some(at)
    }
}

/// Stands for any ending of a word, within a term.
const STAR: u8 = b'*';
/// An ending has at most so many letters.
const LONGEST_ENDING: usize = 8;

/// How many bytes of `rest` end the word that it begins in, if they may be an ending.
fn any_ending(rest: &str) -> Option<usize> {
    let tail = rest.get(..word_end(rest))?;
    (tail.chars().count() <= LONGEST_ENDING && !tail.contains('_')).then_some(tail.len())
}

#[derive(Debug, Clone, Copy)]
struct Term {
    kind: Kind,
    start: u32,
    end: u32,
}

/// A term's first eight bytes, and which of them it has.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    prefix: u64,
    mask: u64,
    term: u32,
}

struct Table {
    /// All terms, folded, among other text.
    text: Cow<'static, str>,
    terms: Vec<Term>,
    /// Where in `entries` those of a slot begin; one more than there are slots.
    heads: Vec<u32>,
    entries: Vec<Entry>,
    /// First bytes of terms that may begin within a word.
    anywhere: [bool; 256],
    /// For each pair of bytes how many bytes, one bit for each number, tell the slots of terms that begin with it.
    openings: Vec<u8>,
}

/// Two to the power of this many slots.
const SLOT_BITS: u32 = 14;
/// As many first bytes tell the slot of a term.
const KEY: usize = 4;

/// The slot of what begins with the first `len` bytes of `prefix`.
fn slot(prefix: u64, len: usize) -> usize {
    let key = prefix >> (64 - 8 * len) | (len as u64) << 32;
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - SLOT_BITS)) as usize
}

/// The first eight bytes, the first one highest; zeros where there are fewer.
fn prefix(bytes: &[u8]) -> u64 {
    match bytes.first_chunk::<8>() {
        Some(eight) => u64::from_be_bytes(*eight),
        None => bytes.iter().enumerate().fold(0, |all, (i, b)| all | u64::from(*b) << (56 - 8 * i)),
    }
}

impl Table {
    fn new(text: Cow<'static, str>, terms: Vec<Term>) -> Table {
        let bytes =
            |t: &Term| t.kind.head(text.as_bytes().get(t.start as usize..t.end as usize).unwrap_or(&[]));
        let slot_of = |t: &Term| slot(prefix(bytes(t)), bytes(t).len().clamp(1, KEY));
        let mut heads = vec![0u32; (1 << SLOT_BITS) + 2];
        let mut anywhere = [false; 256];
        let mut openings = vec![0u8; 1 << 16];
        for term in &terms {
            // Counted two slots on: filling moves each head to where the next one begins.
            if let Some(count) = heads.get_mut(slot_of(term) + 2) {
                *count += 1;
            }
            let pair = (prefix(bytes(term)) >> 48) as usize;
            let pairs = if bytes(term).len() > 1 { pair..=pair } else { pair..=pair | 0xFF };
            let number = 1 << (bytes(term).len().clamp(1, KEY) - 1);
            openings.get_mut(pairs).unwrap_or_default().iter_mut().for_each(|seen| *seen |= number);
            if !term.kind.borders.0
                && let Some(first) = bytes(term).first()
                && let Some(seen) = anywhere.get_mut(usize::from(*first))
            {
                *seen = true;
            }
        }
        let mut sum = 0;
        for head in &mut heads {
            sum += *head;
            *head = sum;
        }
        let mut entries = vec![Entry::default(); terms.len()];
        for (i, term) in (0u32..).zip(&terms) {
            let Some(next) = heads.get_mut(slot_of(term) + 1) else { continue };
            let bytes = bytes(term);
            let mask = u64::MAX << (64 - 8 * bytes.len().clamp(1, 8));
            if let Some(entry) = entries.get_mut(*next as usize) {
                *entry = Entry { prefix: prefix(bytes), mask, term: i };
            }
            *next += 1;
        }
        Table { text, terms, heads, entries, anywhere, openings }
    }

    /// Of `terms.tsv`, if it is of these sources.
    fn of_compiled(compiled: &'static str) -> Option<Table> {
        let body = compiled.strip_prefix(&header())?;
        let mut terms = Vec::with_capacity(16_384);
        let mut at = compiled.len() - body.len();
        for line in body.split_inclusive('\n') {
            let mut words = line.trim_end_matches('\n').split('\t');
            let kind = Kind::read(words.next()?)?;
            let mut start = at + line.find('\t')? + 1;
            for word in words {
                let end = start + word.len();
                terms.push(Term { kind, start: u32::try_from(start).ok()?, end: u32::try_from(end).ok()? });
                start = end + 1;
            }
            at += line.len();
        }
        Some(Table::new(Cow::Borrowed(compiled), terms))
    }

    /// Of terms as [`parse`] gives them.
    fn of_parsed(parsed: &[Parsed]) -> Table {
        let (mut text, mut terms) = (String::new(), Vec::new());
        for term in parsed {
            let start = text.len();
            text.push_str(&term.folded);
            if let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(text.len())) {
                terms.push(Term { kind: term.kind, start, end });
            }
        }
        Table::new(Cow::Owned(text), terms)
    }

    /// Calls `found` with each term in `flat` and its bytes, by start; one within another too.
    fn each(&self, flat: &str, found: &mut dyn FnMut(usize, &Kind, usize, usize)) {
        let bytes = flat.as_bytes();
        // At a word's border, after a letter of a script without spaces, or after particles in front of the word.
        let mut glued = Some(0);
        let mut next = 0;
        while let Some(&first) = bytes.get(next) {
            let (at, here) = (next, glued.is_some());
            if first.is_ascii() {
                next += 1;
                glued = (!is_word_byte(first)).then_some(0);
                if glued.is_none() {
                    next += bytes.get(next..).unwrap_or(&[]).iter().take_while(|b| self.goes_on(**b)).count();
                }
            } else if let Some(c) = flat.get(at..).and_then(|rest| rest.chars().next()) {
                next += c.len_utf8();
                glued = if !is_word(c) || is_unspaced(c) {
                    Some(0)
                } else {
                    glued.filter(|n| is_particle(c) && *n < PARTICLES).map(|n| n + 1)
                };
            } else {
                break;
            }
            if here || self.anywhere.get(usize::from(first)).is_some_and(|a| *a) {
                self.at(flat, at, here, found);
            }
        }
    }

    /// Calls `found` with each term that begins at `at`; `here`: where a word may begin.
    fn at(&self, flat: &str, at: usize, here: bool, found: &mut dyn FnMut(usize, &Kind, usize, usize)) {
        let letters = prefix(flat.as_bytes().get(at..).unwrap_or(&[]));
        let lengths = self.openings.get((letters >> 48) as usize).copied().unwrap_or(0);
        for len in (1..=KEY).filter(|len| lengths >> (len - 1) & 1 != 0) {
            for entry in self.bucket(slot(letters, len)) {
                if letters & entry.mask != entry.prefix {
                    continue;
                }
                let Some(term) = self.terms.get(entry.term as usize) else { continue };
                let written = self.text.as_bytes().get(term.start as usize..term.end as usize).unwrap_or(&[]);
                if (here || !term.kind.borders.0)
                    && term.kind.head(written).len().min(KEY) == len
                    && let Some(rest) = flat.get(at..)
                    && let Some(size) = term.kind.measure(written, rest)
                    && let Some(end) = right_border(flat, at + size, &term.kind)
                {
                    found(entry.term as usize, &term.kind, at, end);
                }
            }
        }
    }

    /// Within a word, no term begins with this letter of it.
    fn goes_on(&self, byte: u8) -> bool {
        is_word_byte(byte) && !self.anywhere.get(usize::from(byte)).is_some_and(|a| *a)
    }

    fn bucket(&self, slot: usize) -> &[Entry] {
        let head = |i: usize| self.heads.get(i).map_or(0, |h| *h as usize);
        self.entries.get(head(slot)..head(slot + 1)).unwrap_or(&[])
    }

    fn scan(&self, flat: &str) -> (Vec<Hit>, Vec<Hit>) {
        let (mut concepts, mut classes) = (Vec::new(), Vec::new());
        self.each(flat, &mut |_, kind, start, end| {
            let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) else { return };
            let hit = Hit {
                concept: kind.concept,
                start,
                end,
                token: 0,
                last: 0,
                sentence: 0,
                english: kind.english,
            };
            match kind.lexis {
                Lexis::Concepts => concepts.push(hit),
                Lexis::Classes => classes.push(hit),
            }
        });
        (longest(concepts), longest(classes))
    }
}

/// So many letters in front of a word are taken for particles.
const PARTICLES: u8 = 2;

/// Arabic and Hebrew write "and", "to", "the" and the like in front of the word.
fn is_particle(c: char) -> bool {
    matches!(c, 'و' | 'ف' | 'ب' | 'ل' | 'ك' | 'س' | 'ו' | 'ה' | 'ב' | 'מ' | 'ש' | 'כ' | '\u{05DC}')
}

/// A longer term of the same concept takes the place of those inside it. Where two languages share a
/// word, it is taken for English.
fn longest(mut hits: Vec<Hit>) -> Vec<Hit> {
    // They come by start.
    for same in hits.chunk_by_mut(|a, b| a.start == b.start) {
        same.sort_by_key(|h| (std::cmp::Reverse(h.end), h.concept, !h.english));
    }
    let mut last_end = [0u32; 128];
    hits.retain(|h| {
        let seen = last_end.get_mut(usize::from(h.concept));
        seen.is_none_or(|last| {
            let fresh = h.end > *last;
            *last = (*last).max(h.end);
            fresh
        })
    });
    hits
}

/// The end of the word that the term at `at` ends in, if the term's ending allows it.
fn right_border(text: &str, at: usize, kind: &Kind) -> Option<usize> {
    if !kind.borders.1 {
        return Some(at);
    }
    let rest = text.get(at..)?;
    let tail_len = word_end(rest);
    let tail = rest.get(..tail_len)?;
    let fits = match kind.ending {
        _ if tail.is_empty() => true,
        Ending::Exact => false,
        Ending::Inflected => matches!(tail, "s" | "es" | "ed" | "d" | "ing" | "ting" | "ted"),
        Ending::Any => any_ending(tail).is_some(),
    };
    fits.then_some(at + tail_len)
}

static OTHER: OnceLock<String> = OnceLock::new();

static TABLE: LazyLock<Table> = LazyLock::new(|| match OTHER.get() {
    Some(other) => Table::of_parsed(&parse(other, STRUCTURE)),
    None => Table::of_compiled(COMPILED).unwrap_or_else(|| Table::of_parsed(&parse(LEXICON, STRUCTURE))),
});

/// What both lexica find in `flat` (folded, white space as single spaces), each by start; token and
/// sentence are not yet set.
#[must_use]
pub(super) fn scan(flat: &str) -> (Vec<Hit>, Vec<Hit>) {
    TABLE.scan(flat)
}

/// Take another `lexicon.txt` for the rest of the process; see [`lexicon::replace`].
pub(super) fn replace(source: String) -> bool {
    OTHER.set(source).is_ok()
}

/// The terms of `lexicon.txt` that occur in `flat`, each as `CONCEPT: term`.
pub(super) fn occurring(flat: &str) -> BTreeSet<String> {
    static PARSED: LazyLock<(Vec<Parsed>, Table)> = LazyLock::new(|| {
        let parsed = parse(OTHER.get().map_or(LEXICON, String::as_str), "");
        let table = Table::of_parsed(&parsed);
        (parsed, table)
    });
    let mut found = BTreeSet::new();
    PARSED.1.each(flat, &mut |i, _, _, _| {
        found.extend(PARSED.0.get(i).map(|term| format!("{}: {}", term.name, term.raw)));
    });
    found
}

/// The stems of languages other than English that `word` begins with, each as `CONCEPT: term in word`; without those of
/// which an English term of the same concept is the word too. For tests: in an English word there should be none.
#[must_use]
pub fn foreign_stems(word: &str) -> Vec<String> {
    static BOTH: LazyLock<(Vec<Parsed>, Table)> = LazyLock::new(|| {
        let parsed = parse(LEXICON, STRUCTURE);
        let table = Table::of_parsed(&parsed);
        (parsed, table)
    });
    let (mut foreign, mut english) = (Vec::new(), Vec::new());
    BOTH.1.each(word, &mut |i, kind, start, end| {
        let of = (kind.lexis, kind.concept);
        if kind.english && (start, end) == (0, word.len()) {
            english.push(of);
        } else if !kind.english && kind.ending == Ending::Any {
            foreign.push((i, of));
        }
    });
    foreign.retain(|(_, of)| !english.contains(of));
    let named = foreign.iter().filter_map(|(i, _)| BOTH.0.get(*i));
    named.map(|term| format!("{}: {} in {word}", term.name, term.raw)).collect()
}

#[cfg(test)]
mod tests;
