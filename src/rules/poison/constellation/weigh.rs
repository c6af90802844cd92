//! What concepts weigh that meet in one sentence or two: `weights.txt`, fitted by `tools/fit_constellation.py`.
//!
//! A line is a name and hundredths: `base`; `acts` (something is to be done there), `odd` (no place for prose), `decoded`,
//! `n0` … `n6` (how many concepts meet, by fours); a concept of `lexicon.txt` or, behind `s:`, of `structure.txt`, with a star
//! where the tool's own names and opening speak of it; `o:` before a concept that is not the tool's own, where something is to
//! be done; and `A+B` for two that stand in one sentence. Sums are whole numbers: the same on every machine.

use crate::rules::poison::lexicon::{self, Mask};
use crate::rules::poison::structure;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

/// Concepts of both lexicons, each twice: as what the tool is not openly about, and as what it is.
const NAMES: usize = 512;
/// From here on: what the tool is openly about.
const OWN: usize = 256;
/// From here on, within either half: classes of `structure.txt`.
const CLASSES: usize = 128;
/// A sentence with more concepts than this is a list: no two of them stand together.
const CROWD: u32 = 40;
/// The sum, in hundredths, from which a window is reported.
pub const REPORTED: i32 = 100;

/// A sentence and what it speaks of.
#[derive(Debug, Clone)]
pub struct Note {
    /// Index of the surface among the tool's, and of the layer among the surface's.
    pub at: (usize, usize),
    /// Its number in the layer.
    pub number: u32,
    /// Bytes of the layer's text.
    pub range: Range<usize>,
    /// Something is to be done, or the agent is said to do it.
    pub acts: bool,
    /// It stands where no prose belongs.
    pub odd: bool,
    pub decoded: bool,
    /// Concepts: strange ones of `lexicon.txt` and of `structure.txt`, then the tool's own.
    pub names: [Mask; 4],
}

impl Note {
    /// Whether it speaks of a concept.
    #[must_use]
    pub fn has(&self, name: usize) -> bool {
        self.names.get(name / CLASSES).is_some_and(|mask| mask & (1 << (name % CLASSES)) != 0)
    }

    fn each(&self) -> impl Iterator<Item = usize> {
        each(self.names)
    }

    fn count(&self) -> u32 {
        self.names.iter().map(|mask| mask.count_ones()).sum()
    }

    /// The line of `weights.txt` that a concept at `name` has; for fitting.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        self.each().filter_map(word).collect()
    }
}

fn each(names: [Mask; 4]) -> impl Iterator<Item = usize> {
    names.into_iter().enumerate().flat_map(|(half, mut mask)| {
        std::iter::from_fn(move || {
            let bit = mask.trailing_zeros() as usize;
            mask &= mask.checked_sub(1)?;
            Some(half * CLASSES + bit)
        })
    })
}

fn word(name: usize) -> Option<String> {
    let star = if name >= OWN { "*" } else { "" };
    let number = u8::try_from(name % CLASSES).ok()?;
    if name % OWN >= CLASSES {
        structure::name_of(number).map(|class| format!("s:{class}{star}"))
    } else {
        lexicon::name_of(number).map(|concept| format!("{concept}{star}"))
    }
}

fn name(word: &str) -> Option<usize> {
    let (word, own) = word.strip_suffix('*').map_or((word, 0), |w| (w, OWN));
    let (number, half) = match word.strip_prefix("s:") {
        Some(class) => (structure::by_name(class)?.0, CLASSES),
        None => (lexicon::by_name(word)?.0, 0),
    };
    Some(own + half + usize::from(number))
}

/// What weighs in a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A concept.
    One(usize),
    /// Two concepts of one sentence.
    Two(usize, usize),
}

/// One sentence, or two neighbours, and what they weigh together.
#[derive(Debug, Clone)]
pub struct Window {
    /// Indexes of the notes.
    pub notes: Range<usize>,
    /// In hundredths.
    pub weight: i32,
}

#[derive(Debug)]
struct Weights {
    base: i32,
    acts: i32,
    odd: i32,
    decoded: i32,
    much: [i32; 7],
    single: Vec<i32>,
    ordered: Vec<i32>,
    /// For each concept those of a higher number that weigh beside it.
    pairs: Vec<Vec<(usize, i32)>>,
}

static OTHER: OnceLock<String> = OnceLock::new();

/// Take other weights, in the form of `weights.txt`, for the rest of the process: for measuring. Works before the first
/// weighing only; says whether it did.
pub fn replace(source: String) -> bool {
    OTHER.set(source).is_ok()
}

static WEIGHTS: LazyLock<Weights> =
    LazyLock::new(|| parse(OTHER.get().map_or(include_str!("weights.txt"), String::as_str)));

fn parse(source: &str) -> Weights {
    let mut weights = Weights {
        base: 0,
        acts: 0,
        odd: 0,
        decoded: 0,
        much: [0; 7],
        single: vec![0; NAMES],
        ordered: vec![0; NAMES],
        pairs: vec![Vec::new(); NAMES],
    };
    for line in source.lines().filter(|line| !line.starts_with('#')) {
        let Some((what, value)) = line.split_once(' ') else { continue };
        let Ok(value) = value.parse::<i32>() else { continue };
        weights.take(what, value);
    }
    weights
}

impl Weights {
    fn take(&mut self, what: &str, value: i32) {
        let much = what.strip_prefix('n').and_then(|n| n.parse::<usize>().ok());
        let slot = match what {
            "base" => Some(&mut self.base),
            "acts" => Some(&mut self.acts),
            "odd" => Some(&mut self.odd),
            "decoded" => Some(&mut self.decoded),
            _ if much.is_some() => much.and_then(|n| self.much.get_mut(n)),
            _ => match (what.strip_prefix("o:"), what.split_once('+')) {
                (Some(word), _) => name(word).and_then(|n| self.ordered.get_mut(n)),
                (None, None) => name(what).and_then(|n| self.single.get_mut(n)),
                (None, Some((one, other))) => return self.pair(name(one), name(other), value),
            },
        };
        if let Some(slot) = slot {
            *slot = value;
        }
    }

    fn pair(&mut self, one: Option<usize>, other: Option<usize>, value: i32) {
        if let (Some(one), Some(other)) = (one, other)
            && let Some(list) = self.pairs.get_mut(one.min(other))
        {
            list.push((one.max(other), value));
        }
    }

    /// Calls `found` with all that weighs in `notes`, which are one or two.
    fn each(&self, notes: &[Note], found: &mut dyn FnMut(Part, i32)) {
        let union = notes.iter().fold([0; 4], |all: [Mask; 4], note| {
            let mut all = all;
            for (sum, mask) in all.iter_mut().zip(note.names) {
                *sum |= mask;
            }
            all
        });
        let acts = notes.iter().any(|note| note.acts);
        for name in each(union) {
            let ordered = if acts && name < OWN { self.ordered.get(name) } else { None };
            let weight = self.single.get(name).copied().unwrap_or(0) + ordered.copied().unwrap_or(0);
            found(Part::One(name), weight);
        }
        for note in notes.iter().filter(|note| note.count() <= CROWD) {
            for one in note.each() {
                for (other, weight) in self.pairs.get(one).into_iter().flatten() {
                    if note.has(*other) {
                        found(Part::Two(one, *other), *weight);
                    }
                }
            }
        }
    }

    fn weigh(&self, notes: &[Note]) -> i32 {
        let mut sum = self.base;
        let mut singles = 0usize;
        let mut seen = Vec::new();
        self.each(notes, &mut |part, weight| match part {
            Part::One(_) => {
                singles += 1;
                sum += weight;
            }
            // A pair in both sentences counts once.
            Part::Two(..) if notes.len() == 1 => sum += weight,
            Part::Two(..) if seen.contains(&part) => {}
            Part::Two(..) => {
                seen.push(part);
                sum += weight;
            }
        });
        let any = |test: fn(&Note) -> bool| notes.iter().any(test);
        sum += if any(|n| n.acts) { self.acts } else { 0 };
        sum += if any(|n| n.odd) { self.odd } else { 0 };
        sum += if any(|n| n.decoded) { self.decoded } else { 0 };
        sum + self.much.get((singles / 4).min(6)).copied().unwrap_or(0)
    }
}

/// The heaviest window of each layer that is to be reported, in order of place.
#[must_use]
pub fn reported(notes: &[Note]) -> Vec<Window> {
    let mut found: Vec<Window> = Vec::new();
    for at in 0..notes.len() {
        let goes_on = |one: &Note, next: &Note| one.at == next.at && next.number == one.number + 1;
        let pair = notes.get(at..at + 2).and_then(|two| two.first().zip(two.last()));
        let end = if pair.is_some_and(|(one, next)| goes_on(one, next)) { at + 2 } else { at + 1 };
        let Some(window) = notes.get(at..end) else { continue };
        let weight = WEIGHTS.weigh(window);
        if weight < REPORTED {
            continue;
        }
        let place = |w: &Window| notes.get(w.notes.start).map(|note| note.at);
        let before = found.last_mut().filter(|w| place(w) == notes.get(at).map(|note| note.at));
        match before {
            Some(last) if last.weight >= weight => {}
            Some(last) => *last = Window { notes: at..end, weight },
            None => found.push(Window { notes: at..end, weight }),
        }
    }
    found
}

/// What weighs most in `notes`, heaviest first, each with hundredths.
#[must_use]
pub fn heaviest(notes: &[Note], most: usize) -> Vec<(Part, i32)> {
    let mut parts: Vec<(Part, i32)> = Vec::new();
    WEIGHTS.each(notes, &mut |part, weight| {
        if weight > 0 && !parts.iter().any(|(p, _)| *p == part) {
            parts.push((part, weight));
        }
    });
    parts.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
    parts.truncate(most);
    parts
}

/// What a concept that is known by its shape is called, and which hits of the lexicon are of any other.
#[must_use]
pub fn shape_of(name: usize) -> Option<&'static str> {
    let number = name % OWN;
    if number >= CLASSES {
        return None;
    }
    Some(match 1 << number {
        lexicon::URL | lexicon::HOST => "an address",
        lexicon::EMAIL => "a mailbox",
        lexicon::OWNNAME => "this tool's name",
        lexicon::OWNPARAM => "a parameter",
        lexicon::SIBLING => "another tool of this server",
        lexicon::FOREIGN => "a tool of another server",
        lexicon::QUOTED => "a quotation",
        lexicon::BEACON => "an address with room for data",
        _ => return None,
    })
}

/// Whether a hit of `lexicon.txt` (`class` false) or `structure.txt` is of the concept `name`.
#[must_use]
pub fn is_of(name: usize, concept: u8, class: bool) -> bool {
    name % OWN == usize::from(concept) + if class { CLASSES } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(number: u32, words: &[&str]) -> Note {
        let mut names = [0; 4];
        for word in words {
            let name = name(word).unwrap();
            names[name / CLASSES] |= 1 << (name % CLASSES);
        }
        Note { at: (0, 0), number, range: 0..1, acts: false, odd: false, decoded: false, names }
    }

    #[test]
    fn every_line_of_the_weights_is_read() {
        for line in include_str!("weights.txt").lines().filter(|l| !l.starts_with('#')) {
            let (what, value) = line.split_once(' ').unwrap();
            assert!(value.parse::<i32>().is_ok(), "{line}");
            let plain = matches!(what, "base" | "acts" | "odd" | "decoded");
            let much = what.strip_prefix('n').is_some_and(|n| n.parse::<usize>().is_ok_and(|n| n < 7));
            let words = what.strip_prefix("o:").unwrap_or(what);
            assert!(plain || much || words.split('+').all(|w| name(w).is_some()), "{line}");
        }
    }

    #[test]
    fn names_are_written_as_they_are_read() {
        for word in ["CRED", "s:PERSON", "URL*", "s:SECRETS*"] {
            assert_eq!(note(0, &[word]).words(), [word]);
        }
    }

    #[test]
    fn sums_are_those_of_the_file() {
        let weights =
            parse("base -150\nacts 10\nn0 5\nCRED 40\nCRED* 3\no:CRED 20\ns:PERSON+CRED 60\nURL 30\n");
        assert_eq!(weights.weigh(&[note(0, &["CRED"])]), -150 + 5 + 40);
        assert_eq!(weights.weigh(&[note(0, &["CRED*"])]), -150 + 5 + 3);
        let ordered = Note { acts: true, ..note(0, &["CRED", "s:PERSON"]) };
        assert_eq!(weights.weigh(std::slice::from_ref(&ordered)), -150 + 5 + 10 + 40 + 20 + 60);
        // Neighbours add up; a pair in both of them counts once, and no pair goes across.
        let two = [ordered.clone(), Note { number: 1, ..ordered }];
        assert_eq!(weights.weigh(&two), -150 + 5 + 10 + 40 + 20 + 60);
        assert_eq!(weights.weigh(&[note(0, &["CRED"]), note(1, &["s:PERSON", "URL"])]), -150 + 5 + 40 + 30);
    }
}
