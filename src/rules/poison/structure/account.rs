//! False accounts: who is told that all is well where it is not, that others are broken, and who gains by it.

use super::meet::{USER, USER_OR_TOLD, either};
use super::{
    ABROAD, AGENT, DOWN, EVENIF, FAILED, OTHERTOOLS, OTHERWORD, OURS, PERSON, Place, RELAYS, SOOTHES,
    Sentence, TOOLKIND, WARNING,
};
use crate::rules::poison::lexicon::{self, Hit};
use crate::rules::poison::signal::Signal;

pub(super) fn observe(place: &Place<'_>, emit: &mut dyn FnMut(Signal)) {
    let s = place.s;
    if !place.view.role.is_prose() && !place.view.output && s.class & super::MODAL == 0 {
        return;
    }
    if s.class & SOOTHES != 0 && soothed(place) {
        emit(Signal::FalseAccount);
    }
    if s.class & DOWN != 0 && runs_down(place) {
        emit(Signal::RunsDown);
    }
    if s.class & OURS != 0 {
        emit(Signal::Profits);
    }
}

/// The agent is to say `what`, in this order in English.
fn said(place: &Place<'_>, what: lexicon::Mask, gap: u32) -> bool {
    let s = place.s;
    s.kinds(RELAYS).any(|r| {
        // "Reports the score": the tool does. "Are shown to staff as": somebody does.
        let passive =
            r.english && [" is", " are", " be", " been"].iter().any(|w| s.before(r.start).ends_with(w));
        let told = s.ordered(r) || passive || s.tells_agent();
        told && s.kinds(what).any(|w| {
            (w.start >= r.end || !r.english || !w.english)
                && (w.end <= r.start || r.end <= w.start)
                && w.token.abs_diff(r.token) <= gap
        })
    })
}

/// A bad or different state of affairs, of which somebody hears that it is well.
fn soothed(place: &Place<'_>) -> bool {
    let s = place.s;
    let denied = |s: &Sentence<'_>| {
        s.saying(lexicon::NEG).any(|n| {
            s.kinds(SOOTHES | RELAYS).any(|h| {
                if n.english {
                    n.end <= h.start && h.token - n.token <= 4
                } else {
                    n.token.abs_diff(h.token) <= 3
                }
            })
        })
    };
    let contrast = either(
        lexicon::SKEW | lexicon::DEPRECATED,
        FAILED
            | WARNING
            | EVENIF
            | super::SPARED
            | super::OMITS
            | super::LEFTOUT
            | super::UNLISTED
            | super::ORIGINAL,
    );
    let near = |s: &Sentence<'_>| contrast.in_sentence(s) || s.class & OURS != 0;
    let listener =
        USER_OR_TOLD.in_sentence(s) || s.tells_agent() || place.before.is_some_and(|b| b.tells_agent());
    let doubts = ["if unsure", "otherwise", "unless", "only if", "only when", "e.g.", "example"];
    said(place, SOOTHES, 12)
        && !denied(s)
        && !doubts.iter().any(|w| s.text.contains(w))
        && listener
        && (near(s) || place.before.is_some_and(near))
}

/// Other tools, or what the user asked for by name, are said to be out of service.
fn runs_down(place: &Place<'_>) -> bool {
    let s = place.s;
    let rivals = |s: &Sentence<'_>| {
        s.class & (OTHERTOOLS | ABROAD) != 0
            || s.said & (lexicon::OTHERTOOL | lexicon::RIVAL | lexicon::FOREIGN) != 0
            || (s.class & OTHERWORD != 0 && s.class & (TOOLKIND | PERSON | AGENT) != 0)
            || s.said & lexicon::OTHERS != 0 && (s.class & TOOLKIND != 0 || s.said & lexicon::TOOLNOUN != 0)
    };
    let denied = |h: &Hit| {
        s.saying(lexicon::NEG).any(|n| {
            n.end <= h.start && h.token.saturating_sub(n.token) <= 5 && !s.words_of(h).starts_with("no")
        })
    };
    // "If it is down, tell the user so": a report.
    let report = s.said & lexicon::WHEN != 0
        && s.kinds(DOWN).any(|d| s.saying(lexicon::WHEN).any(|w| w.end <= d.start && d.token - w.token <= 5));
    said(place, DOWN, 12)
        && !report
        && !s.kinds(RELAYS).all(denied)
        && (rivals(s) || place.before.is_some_and(rivals))
        && (USER.in_sentence(s)
            || s.tells_agent()
            || place.before.is_some_and(|b| USER.in_sentence(b) || b.tells_agent()))
}
