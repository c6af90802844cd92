//! The terms as `lexicon.txt` and `structure.txt` have them, and as `terms.tsv` holds them.

use super::{Ending, FINGERPRINT, Kind, LEXICON, Lexis, STRUCTURE};
use crate::rules::poison::lexicon::{self, is_unspaced};
use crate::rules::poison::structure;
use crate::text::fold::fold;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// FNV-1a with 64 bits, from `hash` on (<http://www.isthe.com/chongo/tech/comp/fnv/>).
pub(super) const fn fingerprint(text: &str, mut hash: u64) -> u64 {
    let mut bytes = text.as_bytes();
    while let [byte, rest @ ..] = bytes {
        hash = (hash ^ *byte as u64).wrapping_mul(0x0000_0100_0000_01b3);
        bytes = rest;
    }
    hash
}

/// A term as its line has it.
pub(super) struct Parsed {
    pub(super) name: &'static str,
    pub(super) raw: String,
    pub(super) folded: String,
    pub(super) kind: Kind,
}

/// The terms of both sources.
pub(super) fn parse(lexicon: &str, structure: &str) -> Vec<Parsed> {
    let mut terms = Vec::new();
    for (lexis, source) in [(Lexis::Concepts, lexicon), (Lexis::Classes, structure)] {
        // The first line of a concept is English.
        let mut begun = BTreeSet::new();
        for line in source.lines() {
            let Some((name, list)) = line.split_once(": ") else { continue };
            let Some((concept, name)) = lexis.by_name(name) else { continue };
            let english = begun.insert(concept);
            terms.extend(list.split(", ").filter_map(|raw| parse_term((lexis, concept, name), english, raw)));
        }
    }
    terms
}

fn parse_term(of: (Lexis, u8, &'static str), english_line: bool, raw: &str) -> Option<Parsed> {
    let (lexis, concept, name) = of;
    let (word, ending) = match raw.trim() {
        w if w.starts_with('*') => (w, Ending::Exact),
        w => w
            .strip_suffix('*')
            .map(|w| (w, Ending::Any))
            .unwrap_or_else(|| w.strip_suffix('+').map_or((w, Ending::Exact), |w| (w, Ending::Inflected))),
    };
    // A star is no letter: what stands around it is folded by itself.
    let folded = match word.strip_prefix('*') {
        Some(_) => fold(word, false).text,
        None => word.split('*').map(|piece| fold(piece, false).text).collect::<Vec<_>>().join("*"),
    };
    let border = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c));
    // A key file keeps its name behind any prefix: `backup_id_rsa`.
    let anywhere = name == "SECRETPATH" && folded.starts_with("id_");
    let borders = (!anywhere && border(folded.chars().next()), border(folded.chars().next_back()));
    let english = english_line && word.is_ascii();
    let spread = !folded.starts_with('*') && folded.contains('*');
    let kind = Kind { lexis, concept, english, ending, borders, spread };
    (!folded.is_empty()).then(|| Parsed { name, raw: raw.trim().to_string(), folded, kind })
}

impl Lexis {
    fn by_name(self, name: &str) -> Option<(u8, &'static str)> {
        match self {
            Lexis::Concepts => lexicon::by_name(name),
            Lexis::Classes => structure::by_name(name),
        }
    }
}

impl Kind {
    /// "c:TELL:eal": lexicon, concept, and letters: e(nglish), x/i/a for the ending, l(eft) and r(ight) border, s(pread).
    pub(super) fn write(&self, name: &str) -> String {
        let lexis = if self.lexis == Lexis::Concepts { 'c' } else { 's' };
        let ending = match self.ending {
            Ending::Exact => 'x',
            Ending::Inflected => 'i',
            Ending::Any => 'a',
        };
        let when = |on: bool, letter: &'static str| if on { letter } else { "" };
        let (left, right) = (when(self.borders.0, "l"), when(self.borders.1, "r"));
        let (english, spread) = (when(self.english, "e"), when(self.spread, "s"));
        format!("{lexis}:{name}:{english}{ending}{left}{right}{spread}")
    }

    pub(super) fn read(head: &str) -> Option<Kind> {
        let mut parts = head.split(':');
        let lexis = if parts.next()? == "c" { Lexis::Concepts } else { Lexis::Classes };
        let (concept, _) = lexis.by_name(parts.next()?)?;
        let letters = parts.next()?;
        let has = |letter: char| letters.contains(letter);
        let ending = match () {
            () if has('x') => Ending::Exact,
            () if has('i') => Ending::Inflected,
            () => Ending::Any,
        };
        let borders = (has('l'), has('r'));
        Some(Kind { lexis, concept, english: has('e'), ending, borders, spread: has('s') })
    }
}

pub(super) fn header() -> String {
    format!("# Written by a test from lexicon.txt and structure.txt: {FINGERPRINT:016x}\n")
}

/// What `terms.tsv` has to hold: a line for the terms of one kind, in the order of the sources.
#[must_use]
pub fn compiled() -> String {
    let mut out = header();
    for line in parse(LEXICON, STRUCTURE).chunk_by(|a, b| a.kind.write(a.name) == b.kind.write(b.name)) {
        if let Some(first) = line.first() {
            out.push_str(&first.kind.write(first.name));
        }
        for term in line {
            let _ = write!(out, "\t{}", term.folded);
        }
        out.push('\n');
    }
    out
}
