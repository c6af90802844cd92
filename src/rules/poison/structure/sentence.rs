//! One sentence with what both lexicons found in it.

use super::meet::agent_told;
use super::{ASSISTANT, COPY, DEED, DUTY, MODAL, PUT, SPARE};
use crate::rules::poison::lexicon::{self, Grid, Hit, Mask};
use std::cell::OnceCell;
use std::ops::Range;

/// The most pairs of hits of a text that are looked at, over all its sentences.
const PAIRS: usize = 3_000_000;
/// The most hits of a sentence that are looked at together; a longer one is taken apart.
const HITS: usize = 48;

pub(super) struct Sentence<'a> {
    pub text: &'a str,
    pub start: usize,
    /// Its number in the grid.
    pub number: u32,
    pub words: &'a [Hit],
    pub classes: &'a [Hit],
    pub said: Mask,
    pub class: Mask,
    told: OnceCell<bool>,
    code: OnceCell<bool>,
    signs: OnceCell<Signs>,
}

/// The characters of ASCII that a text holds: one bit each.
#[derive(Debug, Default, Clone, Copy)]
struct Signs([u64; 2]);

impl Signs {
    fn of(text: &[u8]) -> Signs {
        let half = |byte: u8, from: u8| {
            let place = byte.wrapping_sub(from);
            if place < 64 { 1 << place } else { 0 }
        };
        Signs(text.iter().fold([0; 2], |[low, high], b| [low | half(*b, 0), high | half(*b, 64)]))
    }

    fn meet(self, others: Signs) -> bool {
        self.0.iter().zip(others.0).any(|(one, other)| one & other != 0)
    }
}

/// The sentences of `flat`; a sentence with too many hits falls into several.
pub(super) fn split<'a>(
    flat: &'a str,
    grid: &Grid,
    words: &'a [Hit],
    classes: &'a [Hit],
) -> Vec<Sentence<'a>> {
    let (mut words, mut classes) = (words, classes);
    let (mut found, mut budget) = (Vec::new(), PAIRS);
    for number in 0..grid.count() {
        let range = grid.sentence(number, flat.len());
        let (own_words, later) = words.split_at(words.partition_point(|h| h.sentence <= number));
        let (own_classes, rest) = classes.split_at(classes.partition_point(|h| h.sentence <= number));
        (words, classes) = (later, rest);
        cut(flat, number, range, own_words, own_classes, &mut found, &mut budget);
        if budget == 0 {
            break;
        }
    }
    found
}

fn cut<'a>(
    flat: &'a str,
    number: u32,
    range: Range<usize>,
    words: &'a [Hit],
    classes: &'a [Hit],
    found: &mut Vec<Sentence<'a>>,
    budget: &mut usize,
) {
    let (mut words, mut classes, mut start) = (words, classes, range.start);
    while *budget > 0 {
        // The next piece ends where the more crowded of both lists has its share.
        let ends = [words, classes].map(|list| list.get(HITS * 2).map_or(range.end, |h| h.start as usize));
        let end = ends.into_iter().min().unwrap_or(range.end);
        let (own, later) = words.split_at(words.partition_point(|h| (h.start as usize) < end));
        let (kinds, rest) = classes.split_at(classes.partition_point(|h| (h.start as usize) < end));
        *budget = budget.saturating_sub((own.len() + kinds.len()).pow(2) + 1);
        found.push(Sentence {
            text: flat.get(start..end).unwrap_or(""),
            start,
            number,
            said: own.iter().fold(0, |all, h| all | h.mask()),
            class: kinds.iter().fold(0, |all, h| all | h.mask()),
            words: own,
            classes: kinds,
            told: OnceCell::new(),
            code: OnceCell::new(),
            signs: OnceCell::new(),
        });
        if end >= range.end || end <= start {
            break;
        }
        (words, classes, start) = (later, rest, end);
    }
}

impl Sentence<'_> {
    /// Classes `first`, then `second` at most `gap` words on, or before it where the language has it so.
    pub fn near(&self, first: Mask, second: Mask, gap: u32) -> bool {
        self.class & first != 0
            && self.class & second != 0
            && self.kinds(first).any(|a| {
                self.kinds(second).any(|b| {
                    (b.start >= a.end || !a.english || !b.english)
                        && (b.start, b.end) != (a.start, a.end)
                        && b.token.abs_diff(a.token) <= gap
                })
            })
    }

    /// The same in either order.
    pub fn beside(&self, one: Mask, other: Mask, gap: u32) -> bool {
        self.near(one, other, gap) || self.near(other, one, gap)
    }

    pub fn kinds(&self, of: Mask) -> impl Iterator<Item = &Hit> {
        self.classes.iter().filter(move |h| h.mask() & of != 0)
    }

    pub fn saying(&self, of: Mask) -> impl Iterator<Item = &Hit> {
        self.words.iter().filter(move |h| h.mask() & of != 0)
    }

    /// The assistant, the client or the host is the one that acts. Asked of neighbours too: found out once.
    pub fn tells_agent(&self) -> bool {
        *self.told.get_or_init(|| agent_told(self))
    }

    /// Whether one of `signs` stands in it. Most sentences hold none, and are read but once to know it.
    pub fn has(&self, signs: &[u8]) -> bool {
        self.signs.get_or_init(|| Signs::of(self.text.as_bytes())).meet(Signs::of(signs))
    }

    /// The words of a hit.
    pub fn words_of(&self, hit: &Hit) -> &str {
        let from = (hit.start as usize).saturating_sub(self.start);
        self.text.get(from..(hit.end as usize).saturating_sub(self.start)).unwrap_or("")
    }

    pub fn before(&self, at: u32) -> &str {
        self.text.get(..(at as usize).saturating_sub(self.start)).unwrap_or("").trim_end()
    }

    /// Whether `hit` is what the reader is told to do: in English a bare verb that opens a clause, or one
    /// that must be; elsewhere the form of the verb is not looked at.
    pub fn ordered(&self, hit: &Hit) -> bool {
        if !hit.english {
            return true;
        }
        let word = self.words_of(hit);
        let third = word.ends_with('s') && !word.ends_with("ss");
        let bare = !third && !word.ends_with("ing");
        let before = self.before(hit.start);
        let mut earlier = before.rsplit(' ');
        let (last, previous) = (earlier.next().unwrap_or(""), earlier.next().unwrap_or(""));
        // "It will also save": the tool does.
        let states = matches!(previous, "will" | "can" | "may" | "would" | "it" | "could" | "and");
        let opens = before.is_empty()
            || last.ends_with([',', ';', ':', '—', '–', '-', '(', '.', '!', '"', '\'', '>', ']', '*', '?'])
            || matches!(
                last,
                "and" | "then" | "so" | "please" | "first" | "or" | "always" | "just" | "simply"
            )
            || matches!(
                last,
                "you" | "silently" | "quietly" | "instead" | "next" | "therefore" | "nevertheless"
            )
            || (last == "also" && !states)
            || matches!(last, "kindly" | "merely" | "automatically" | "routinely" | "tacitly" | "discreetly")
            // "If you could look through …": an order, politely.
            || (previous == "you" && matches!(last, "could" | "would" | "might" | "may"));
        let must = |h: &Hit| h.start < hit.start && hit.token.saturating_sub(h.token) <= 5;
        // "Will also save a transcript": the tool will.
        let lacks_subject = |m: &Hit| self.words_of(m) == "will" && self.before(m.start).is_empty();
        // "The assistant reads …" is an order too.
        let subject = |h: &Hit| h.start < hit.start && hit.token.saturating_sub(h.token) <= 3;
        (bare && opens && !word.ends_with("ed"))
            || (word.ends_with('s') && self.kinds(ASSISTANT).any(subject))
            || (word.ends_with('s') && last == "and" && self.class & ASSISTANT != 0)
            || self.kinds(MODAL | DUTY).any(|m| must(m) && !lacks_subject(m))
            || self.saying(lexicon::ORDER).any(|h| must(h) && self.words_of(h) != "automatically")
    }

    /// Something is to be read, handed over or changed.
    pub fn orders_deed(&self) -> bool {
        self.saying(DEED).chain(self.kinds(PUT | COPY)).any(|h| self.ordered(h))
    }

    /// A negation stands close before a deed, or the thing at `token` is to be left out: a caution.
    pub fn spares(&self, token: u32) -> bool {
        let close = |n: &Hit, reach: u32| token >= n.token && token - n.token <= reach;
        let governs = |n: &Hit| {
            self.saying(DEED).chain(self.kinds(PUT | COPY)).any(|d| {
                let from = (n.end as usize).saturating_sub(self.start);
                let between = self.text.get(from..(d.start as usize).saturating_sub(self.start));
                d.token >= n.token
                    && d.token - n.token <= 3
                    && between.is_some_and(|t| !t.contains([',', ';', ':']))
            })
        };
        // "No passwords, keys or contents of .env files."
        let heads = |n: &Hit| self.words_of(n) == "no" && self.before(n.start).is_empty();
        // "Never … without …": what comes then is banned by nothing.
        let ends =
            |from: u32, to: u32| self.saying(lexicon::TURNED).any(|t| from <= t.token && t.token <= to);
        self.saying(lexicon::NEG)
            .any(|n| (close(n, 3) || (close(n, 14) && (governs(n) || heads(n)))) && !ends(n.token, token))
            || self
                .saying(lexicon::NEG)
                .any(|n| !n.english && n.token >= token && n.token - token <= 6 && !ends(token, n.token))
            || self.kinds(SPARE).any(|n| n.token.abs_diff(token) <= 8)
    }

    /// A sample of data: its words are nobody's. Asked for each kind of signal: found out once.
    pub fn is_code(&self) -> bool {
        *self.code.get_or_init(|| self.has(b":") && self.pairs_values())
    }

    /// Names in quotes before colons, quoted values behind them.
    fn pairs_values(&self) -> bool {
        let marks = self.text.match_indices(':').map(|(at, _)| {
            let named = self.text.get(..at).is_some_and(|t| t.ends_with('"'));
            let quoted = self.text.get(at + 1..).is_some_and(|t| t.starts_with('\'') || t.starts_with(" '"));
            usize::from(named) + usize::from(quoted)
        });
        marks.sum::<usize>() >= 2
    }

    /// The sentence opens a list item on an own parameter: "context: …".
    pub fn heads_parameter(&self) -> bool {
        if self.said & lexicon::OWNPARAM == 0 || !self.has(b":") {
            return false;
        }
        let head = self.text.split(':').next().unwrap_or("");
        self.text.len() > head.len()
            && head.len() < 200
            && head.split_whitespace().count() <= 3
            && self.saying(lexicon::OWNPARAM).any(|h| (h.start as usize) < self.start + head.len())
    }

    /// An own parameter told from a common word: in marks, with an underscore, beside "field", or what
    /// something is put "into" or given "as".
    pub fn names_parameter(&self) -> bool {
        self.saying(lexicon::OWNPARAM).any(|h| {
            let marks =
                |c: char| matches!(c, '`' | '"' | '\'' | '“' | '”' | '「' | '」' | '«' | '»' | '‘' | '’');
            let before = self.before(h.start);
            let last = before.rsplit(' ').next().unwrap_or("");
            let rest = self.text.get((h.end as usize).saturating_sub(self.start)..).unwrap_or("");
            let ends =
                rest.trim_start().starts_with(['.', ',', ';', ')', ':', '=']) || rest.trim().is_empty();
            let field =
                self.saying(lexicon::ARG).any(|a| a.range() != h.range() && a.token.abs_diff(h.token) <= 2);
            let subject = before.is_empty() && self.kinds(MODAL).any(|m| m.token == h.token + 1);
            before.ends_with(marks)
                || subject
                || self.words_of(h).contains('_')
                || field
                || (matches!(last, "as" | "in" | "into" | "via" | "through" | "to" | "under" | "with")
                    && ends)
        })
    }

    pub fn range(&self) -> Range<usize> {
        let lead = self.text.len() - self.text.trim_start().len();
        self.start + lead..self.start + self.text.trim_end().len().max(lead)
    }
}
