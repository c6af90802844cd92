//! What the user is shown of a deed: nothing, a part, another name for it, or what was before.

use super::meet::{AWAY, USER_OR_TOLD, class, either, looks, meet, negated, sends};
use super::*;
use crate::rules::poison::lexicon::{self, Hit};
use crate::rules::poison::signal::Signal;

/// Something is kept out of what the user is shown or told.
pub(super) fn unshown(place: &Place<'_>, agent: bool, emit: &mut dyn FnMut(Signal)) {
    let s = place.s;
    let listed = meet(s, &[class(UNLISTED), USER_OR_TOLD], 14)
        || (s.class & UNLISTED != 0 && place.before.is_some_and(|b| b.tells_agent() || sends(b)));
    let verb = |v: &Hit| {
        s.saying(lexicon::NEG).any(|n| {
            if n.english {
                let from = (n.end as usize).saturating_sub(s.start);
                let between = s.text.get(from..(v.start as usize).saturating_sub(s.start)).unwrap_or(".");
                v.start >= n.end && v.token - n.token <= 3 && !between.contains([',', ';', ':', '('])
            } else {
                v.token.abs_diff(n.token) <= 3
            }
        }) && USER_OR_TOLD.hits(s).any(|u| u.range() != v.range() && u.token.abs_diff(v.token) <= 12)
    };
    let negated = s.said & lexicon::NEG != 0 && s.kinds(SHOWVERB).any(verb);
    // A tool that keeps secrets keeps them out of sight.
    if place.view.own.keeps_secrets() && s.said & (lexicon::SENDOUT | lexicon::URL | lexicon::EMAIL) == 0 {
        return;
    }
    if !(listed || negated) || super::user::cautions(place) || looks(s) {
        return;
    }
    // "The result is not visible to the user. To show it, send a text": it is to be told after all.
    let told_after = place.after.is_some_and(|a| {
        a.saying(lexicon::DISPLAY | lexicon::TELL).any(|h| a.ordered(h) || a.before(h.start).ends_with("to"))
            && USER_OR_TOLD.in_sentence(a)
            && a.said & lexicon::NEG == 0
    });
    // "Its result isn't visible to the user: sum it up for them."
    let told_here = s.text.split_once([':', ';', '—']).is_some_and(|(_, rest)| {
        let rest = rest.trim_start();
        ["sum ", "summarise ", "summarize ", "show ", "tell ", "relay ", "repeat ", "pass "]
            .iter()
            .any(|w| rest.starts_with(w))
            && ["them", "user", "person"].iter().any(|w| rest.contains(w))
            && ![" not ", "only", "n't", " as "].iter().any(|w| rest.contains(w))
    });
    if (told_after || told_here)
        && s.said & (lexicon::SENDOUT | lexicon::URL | lexicon::EMAIL | lexicon::CHANGE) == 0
    {
        return;
    }
    emit(Signal::Unshown);
    let address = lexicon::URL | lexicon::HOST | lexicon::EMAIL;
    let addressed = s.said & address != 0 || place.before.is_some_and(|b| b.said & address != 0);
    let grave = |s: &Sentence<'_>| {
        s.saying(lexicon::SENDOUT | lexicon::DESTROY).chain(s.kinds(COPY)).any(|h| s.ordered(h) || !h.english)
    };
    if agent || addressed || place.before.is_some_and(|b| b.tells_agent() || grave(b)) || grave(s) {
        emit(Signal::UnshownDeed);
    }
}

/// Traces are wiped, invented or left out.
pub(super) fn audit_off(place: &Place<'_>, agent: bool) -> bool {
    let (s, own) = (place.s, place.view.own);
    if own.detects() {
        return false;
    }
    if own.says("log") || own.says("audit") || own.says("histor") {
        return s.class & FORGED != 0 && agent && meet(s, &[class(AUDIT), class(FORGED)], 8);
    }
    let away = |a: &Hit| {
        let named = s.kinds(FORGED | UNLISTED).any(|u| u.range() == a.range());
        let told = !a.english || named || s.ordered(a) || agent;
        told && s
            .kinds(AUDIT)
            .any(|l| (l.start >= a.end || l.end <= a.start) && l.token.abs_diff(a.token) <= 7)
    };
    // "The user can delete it": no order.
    let may = [
        " can ",
        " may ",
        "可以",
        "できます",
        "できる",
        "수 있",
        "puede",
        "peut",
        "kann",
        "pode ",
        "può",
        "może",
        "может",
        "може ",
    ];
    if may.iter().any(|w| s.text.contains(w)) {
        return false;
    }
    let foreign = s.kinds(AUDIT | FORGED).any(|h| !h.english);
    AWAY.hits(s).any(away) && (foreign || acts_on_user(s) || agent || s.orders_deed())
}

pub(super) fn acts_on_user(s: &Sentence<'_>) -> bool {
    USER_OR_TOLD.in_sentence(s) || s.class & NOBODY != 0
}

/// Warnings are not to reach the user.
pub(super) fn warnings_off(place: &Place<'_>, agent: bool) -> bool {
    let s = place.s;
    if ["warn", "alert", "alarm", "lint"].iter().any(|w| place.view.own.says(w)) {
        return false;
    }
    let away = either(lexicon::DISABLE | lexicon::HIDING | lexicon::IGNORE, OMITS | UNLISTED);
    let gone = away.hits(s).any(|a| {
        (s.ordered(a) || s.kinds(UNLISTED).any(|u| u.range() == a.range()))
            && s.kinds(WARNING)
                .any(|w| (a.end <= w.start || w.end <= a.start) && w.token.abs_diff(a.token) <= 10)
    });
    let unsaid = s.kinds(SHOWVERB).chain(s.saying(lexicon::TELL)).any(|v| {
        s.saying(lexicon::NEG).any(|n| {
            if n.english {
                n.end <= v.start && v.token - n.token <= 3
            } else {
                v.token.abs_diff(n.token) <= 3
            }
        }) && s
            .kinds(WARNING)
            .any(|w| (v.end <= w.start || w.end <= v.start) && w.token.abs_diff(v.token) <= 8)
    });
    let clean = place.class_near() & SAIDONLY != 0;
    (gone && (agent || USER_OR_TOLD.in_sentence(s) || clean))
        || (unsaid && USER_OR_TOLD.in_sentence(s))
        || (s.class & SAIDONLY != 0 && s.class & WARNING != 0 && agent)
}

/// "If anyone asks …, the answer is …".
pub(super) fn asked_and_answered(s: &Sentence<'_>) -> bool {
    let who = either(lexicon::USER, PERSON | NOBODY);
    let asks = either(lexicon::ASK, ASKED);
    // "If anyone asks", not "ask the user when …".
    let condition = |a: &Hit| {
        !a.english
            || s.saying(lexicon::WHEN).any(|w| w.end <= a.start && a.token - w.token <= 4)
            || s.words_of(a).contains("if ")
            || s.words_of(a).contains("should ")
    };
    s.said & lexicon::WHEN != 0
        && asks.hits(s).any(condition)
        && meet(s, &[asks, who, either(lexicon::WHEN, 0)], 6)
        && meet(s, &[asks, class(SAIDONLY | ANSWERAS | PRESENTS)], 14)
}

/// The user goes on seeing what was, while something else is done.
pub(super) fn original_shown(place: &Place<'_>) -> bool {
    let s = place.s;
    let altered = |s: &Sentence<'_>| {
        s.said & (lexicon::CHANGE | lexicon::SKEW | lexicon::AMOUNT | lexicon::PASS) != 0
            || s.class & (super::ALTERS | super::SHARE | PAYEE | PUT) != 0
    };
    let kept = ["as given", "as written", "as typed", "unchanged", "unmodified", "untouched"]
        .iter()
        .any(|w| s.text.contains(w));
    let denied = s
        .saying(lexicon::NEG)
        .any(|n| n.english || s.kinds(SHOWN | SHOWVERB | ORIGINAL).any(|h| h.token.abs_diff(n.token) <= 4));
    !kept
        && !denied
        && (altered(s) || place.before.is_some_and(altered))
        && meet(s, &[class(ORIGINAL), class(SHOWN | SHOWVERB), either(lexicon::USER, TOLDUSER | PERSON)], 9)
}

/// The user hears only a part, or something else.
pub(super) fn tells_only(place: &Place<'_>, agent: bool) -> bool {
    let s = place.s;
    // "The user is recorded as the owner", "tell the user that rather than …": no account of what was done.
    let account = |h: &Hit| {
        let from = (h.end as usize).saturating_sub(s.start);
        let next = s.text.get(from..).unwrap_or("").trim_start();
        let owns =
            ["the owner", "the author", "the creator", "owner", "author"].iter().any(|w| next.starts_with(w));
        let points = s.words_of(h).ends_with(" that")
            && ["rather", "instead", "and ", "before", "first"].iter().any(|w| next.starts_with(w));
        !(h.english && (owns || points || next.is_empty()))
    };
    let only = s.kinds(SAIDONLY).any(account) && !negated(s, SAIDONLY)
        || meet(
            s,
            &[
                either(lexicon::TELL, ANSWERAS),
                either(lexicon::ONLY, 0),
                either(lexicon::USER | lexicon::REPLY, TOLDUSER | PERSON),
            ],
            7,
        ) && s
            .saying(lexicon::TELL)
            .chain(s.kinds(ANSWERAS))
            .any(|h| s.ordered(h) && !(h.english && s.words_of(h).ends_with('s')));
    only && (USER_OR_TOLD.in_sentence(s) || agent || sends(s) || place.before.is_some_and(sends))
}

/// What is done goes by another name where the user can see it.
pub(super) fn presents(place: &Place<'_>, agent: bool) -> bool {
    let s = place.s;
    let denied =
        |h: &Hit| s.saying(lexicon::NEG).any(|n| n.end <= h.start && h.token.saturating_sub(n.token) <= 5);
    let told = s.kinds(PRESENTS).any(|h| !denied(h) && (agent || !h.english || s.ordered(h)));
    let doer = agent
        || s.class & AGENT != 0
        || sends(s)
        || place.before.is_some_and(|b| b.tells_agent() || sends(b));
    told && doer && (USER_OR_TOLD.in_sentence(s) || s.said & lexicon::QUOTED != 0)
}
