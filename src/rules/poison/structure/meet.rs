//! What meets in a sentence: sets of concepts of both lexicons, and who is said to act.

use super::*;
use crate::rules::poison::lexicon::{self, Hit, Mask};

/// Concepts of both lexicons of which one is enough.
#[derive(Clone, Copy)]
pub(super) struct Set {
    pub(super) said: Mask,
    pub(super) class: Mask,
}

pub(super) const fn class(class: Mask) -> Set {
    Set { said: 0, class }
}

pub(super) const fn either(said: Mask, class: Mask) -> Set {
    Set { said, class }
}

/// The user, or whoever is served.
pub(super) const USER: Set = either(lexicon::USER, PERSON);

/// What takes things away.
pub(super) const AWAY: Set =
    either(lexicon::DESTROY | lexicon::DISABLE | lexicon::HIDING | lexicon::SKIP, FORGED | OMITS | UNLISTED);

impl Set {
    pub(super) fn in_sentence(self, s: &Sentence<'_>) -> bool {
        s.said & self.said != 0 || s.class & self.class != 0
    }

    pub(super) fn hits<'s>(self, s: &'s Sentence<'_>) -> impl Iterator<Item = &'s Hit> {
        s.saying(self.said).chain(s.kinds(self.class))
    }
}

/// Hits of all `sets` within `span` words of each other, none of them in another.
pub(super) fn meet(s: &Sentence<'_>, sets: &[Set], span: u32) -> bool {
    if !sets.iter().all(|set| set.in_sentence(s)) {
        return false;
    }
    let Some((first, rest)) = sets.split_first() else { return false };
    first.hits(s).any(|h| {
        rest.iter().all(|set| {
            set.hits(s).any(|o| {
                let apart = o.end <= h.start || h.end <= o.start;
                apart && o.token.abs_diff(h.token) <= span
            })
        })
    })
}

pub(super) const USER_OR_TOLD: Set = either(lexicon::USER, PERSON | TOLDUSER);

/// The assistant, the client or the host is the one that acts: "agents submit …", "the assistant is expected to …".
pub(super) fn agent_told(s: &Sentence<'_>) -> bool {
    const OBJECTS: &[&str] = &[
        "let", "lets", "help", "helps", "allow", "allows", "enable", "enables", "to", "of", "by", "with",
        "from", "about", "between", "gives", "give", "tells", "tell", "letting", "helping", "allowing",
        "into", "as", "on", "in", "other", "your",
    ];
    const MAY: &[&str] = &[
        " can ", " may ", " could ", " might ", " will ", " would ", " who ", " that ", ":", ".", "(", ")",
        ",",
    ];
    let deeds = DEED
        | lexicon::CALL
        | lexicon::EXEC
        | lexicon::TELL
        | lexicon::SKIP
        | lexicon::DESTROY
        | lexicon::IGNORE
        | lexicon::FOLLOW
        | lexicon::KEEP
        | lexicon::CONSENT
        | lexicon::PREFER
        | lexicon::HIDING;
    let put = PUT | COPY | super::ADVISES | ANSWERAS | OMITS;
    s.kinds(AGENT).any(|h| {
        if !h.english {
            let deed = |v: &Hit| v.token.abs_diff(h.token) <= 8 && (v.end <= h.start || h.end <= v.start);
            return s.saying(deeds).any(deed) || s.kinds(PUT | COPY | DUTY).any(deed);
        }
        let last =
            s.before(h.start).rsplit(' ').next().unwrap_or("").trim_matches(|c: char| !c.is_alphanumeric());
        if OBJECTS.contains(&last) {
            return false;
        }
        let singular = !s.words_of(h).ends_with('s');
        let verb = |v: &Hit| {
            let from = (h.end as usize).saturating_sub(s.start);
            let between = s.text.get(from..(v.start as usize).saturating_sub(s.start)).unwrap_or(".");
            let between = format!("{between} ");
            let word = s.words_of(v);
            // "The agent stores", "agents store", and after a modal the bare verb.
            let fits = if singular {
                word.ends_with('s') && !word.ends_with("ss")
            } else {
                !word.ends_with("ing") && !word.ends_with("ed")
            };
            let must = s.kinds(super::MODAL | DUTY).any(|m| m.start >= h.end && m.end <= v.start)
                || s.saying(lexicon::ORDER).any(|m| m.start >= h.end && m.end <= v.start);
            v.start >= h.end
                && v.token.saturating_sub(h.last.max(h.token)) <= if must { 8 } else { 3 }
                && (must || fits)
                && !MAY.iter().any(|w| between.contains(w))
        };
        let rest = s.text.get((h.end as usize).saturating_sub(s.start)..).unwrap_or("");
        if singular && rest.starts_with(' ') && third_person(rest) {
            return true;
        }
        let told = s
            .kinds(DUTY | super::MODAL)
            .any(|m| m.start >= h.end && m.token.saturating_sub(h.last.max(h.token)) <= 2);
        told || s.saying(deeds).any(verb) || s.kinds(put).any(verb)
    })
}

/// The next word is a verb in the third person: "the agent stores".
pub(super) fn third_person(rest: &str) -> bool {
    const NO_DEEDS: &[&str] = &[
        "does",
        "this",
        "has",
        "needs",
        "uses",
        "supports",
        "receives",
        "sees",
        "gets",
        "was",
        "tools",
        "instructions",
        "knows",
        "wants",
    ];
    let adverb = |w: &&str| w.ends_with("ly") || matches!(*w, "always" | "then" | "also" | "first");
    let next = rest.split(' ').filter(|w| !w.is_empty()).find(|w| !adverb(w));
    next.is_some_and(|w| {
        w.len() > 3
            && w.ends_with('s')
            && !w.ends_with("ss")
            && w.bytes().all(|b| b.is_ascii_lowercase())
            && !NO_DEEDS.contains(&w)
    })
}

pub(super) fn negated(s: &Sentence<'_>, of: Mask) -> bool {
    s.kinds(of)
        .all(|h| s.saying(lexicon::NEG).any(|n| n.end <= h.start && h.token.saturating_sub(n.token) <= 3))
}

/// How an answer looks, and what a form has: no deed.
pub(super) fn looks(s: &Sentence<'_>) -> bool {
    s.class & LOOKS != 0
}

/// Something is to be sent, copied, removed or changed.
pub(super) fn sends(s: &Sentence<'_>) -> bool {
    let passive = |h: &Hit| {
        h.english
            && s.words_of(h).ends_with(['d', 't'])
            && [" is", " are", " be", " gets", " also"].iter().any(|w| s.before(h.start).ends_with(w))
    };
    if s.saying(lexicon::SENDOUT | lexicon::DESTROY).chain(s.kinds(COPY)).any(passive) {
        return true;
    }
    s.saying(lexicon::SENDOUT | lexicon::DESTROY | lexicon::CHANGE | lexicon::PASS).any(|h| s.ordered(h))
        || s.kinds(COPY | PUT).any(|h| s.ordered(h))
}
