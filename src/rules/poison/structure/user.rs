//! What is done with the user's knowledge, consent and wishes.

use super::{
    AGREED, ANSWERAS, ASKED, CHECKS, COPY, DEED, EVENIF, FAILED, GOODNEWS, HARM, HINT, LEFTOUT, NOASK,
    NUMBERS, PERSON, PUT, Place, SIGNUP, STILL, Sentence, WAIVED, WISH,
};
use crate::rules::poison::lexicon::{self, Hit};
use crate::rules::poison::signal::Signal;
use crate::text::Role;

pub(super) fn observe(place: &Place<'_>, emit: &mut dyn FnMut(Signal)) {
    let s = place.s;
    if s.is_code() {
        return;
    }
    // "Don't bring them up unasked": when asked, they come up.
    const UNASKED: &[&str] = &[" unless ", " unasked", " unprompted", " of your own accord"];
    let unless = || s.said & lexicon::SENDOUT == 0 && UNASKED.iter().any(|w| s.text.contains(w));
    if s.class & LEFTOUT != 0 && s.said & lexicon::TRIGGER == 0 && !unless() && !cautions(place) {
        emit(Signal::LeftOut);
        if hidden_deed(place) {
            emit(Signal::DeedUnsaid);
        }
    }
    // "Asks the user a question and waits for the answer": it is the tool that asks.
    let asks_itself = s.text.trim_start().starts_with("ask");
    if s.near(ASKED, ANSWERAS, 12) && !asks_itself {
        emit(Signal::IfAsked);
        // "Say truthfully that …".
        let honestly = ["truthfully", "honestly", "the truth"].iter().any(|w| s.text.contains(w));
        if !honestly && s.kinds(ANSWERAS).any(|h| states(s, h)) {
            emit(Signal::Script);
        }
    }
    consent(place, emit);
    wishes(place, emit);
    if s.class & GOODNEWS != 0 && tells(s) {
        let bad = |s: &Sentence<'_>| s.class & FAILED != 0;
        if s.class & STILL != 0 && (bad(s) || place.before.is_some_and(bad)) {
            emit(Signal::GoodNews);
        }
    }
}

/// "Say it was …": what the answer is, not which of several.
fn states(s: &Sentence<'_>, h: &Hit) -> bool {
    let rest = s.text.get((h.end as usize).saturating_sub(s.start)..).unwrap_or("").trim_start();
    let next = rest.split(' ').next().unwrap_or("");
    s.words_of(h).ends_with(" it")
        || matches!(
            next,
            "it" | "that"
                | "this"
                | "nothing"
                | "only"
                | "the"
                | "they"
                | "there"
                | "all"
                | "no"
                | "que"
                | "dass"
        )
}

fn tells(s: &Sentence<'_>) -> bool {
    s.said & (lexicon::TELL | lexicon::KNOW | lexicon::DISPLAY) != 0 || s.class & ANSWERAS != 0
}

/// Something goes out, is kept, taken or changed in this sentence or beside it.
fn hidden_deed(place: &Place<'_>) -> bool {
    let deed = |s: &Sentence<'_>| {
        s.class & COPY != 0
            || s.said & (lexicon::SENDOUT | lexicon::CHANGE | lexicon::AMOUNT) != 0
            || s.saying(lexicon::READ | lexicon::PASS | lexicon::CALL).any(|h| s.ordered(h))
    };
    deed(place.s) || place.before.is_some_and(deed)
}

/// Secrets are kept out of an answer for the user's sake: "leave passwords out of the summary".
pub(super) fn cautions(place: &Place<'_>) -> bool {
    let kept = super::KEPT | lexicon::PII;
    // How an answer looks: "the internal field need not be shown".
    if ["internal field", "internal id", "internal note", "raw json", "内部字段"]
        .iter()
        .any(|w| place.s.text.contains(w))
        && !hidden_deed(place)
    {
        return true;
    }
    place.s.said & kept != 0 || place.s.class & (super::SECRETS | super::SPARE) != 0
}

/// Consent that someone gave beforehand, or that is not to be had.
fn consent(place: &Place<'_>, emit: &mut dyn FnMut(Signal)) {
    let s = place.s;
    let next = place.after.map_or(0, |n| n.class);
    let unasked = (s.class | next) & (NOASK | WAIVED) != 0;
    if s.beside(AGREED, SIGNUP, 14) && unasked {
        emit(Signal::AgreedElsewhere);
    }
    let grave = place.view.own.classes & HARM != 0;
    let asks = |w: &Hit| {
        let said = s.saying(lexicon::CONSENT | lexicon::ASK).chain(s.kinds(AGREED | NOASK | CHECKS));
        said.into_iter().any(|h| {
            h.range() != w.range() && h.token.abs_diff(w.token) <= 9 && (h.start >= w.end || h.end <= w.start)
        })
    };
    let waived = s.kinds(WAIVED).any(asks);
    if grave && waived && matches!(place.view.role, Role::ToolDescription | Role::Instructions | Role::Prompt)
    {
        emit(Signal::WaivedGrave);
    }
}

/// "Whatever the customer asked for": the user's own words do not count, and something else does.
fn wishes(place: &Place<'_>, emit: &mut dyn FnMut(Signal)) {
    let s = place.s;
    if swaps(s) || swaps_account(s) {
        emit(Signal::Overrule);
    }
    if s.beside(PERSON, HINT, 9) && s.class & WISH != 0 {
        emit(Signal::OverruleMild);
        if place
            .view
            .hits
            .iter()
            .any(|h| h.mask() & (lexicon::SKEW | lexicon::CHANGE) != 0 && s.number.abs_diff(h.sentence) <= 1)
        {
            emit(Signal::Overrule);
        }
    }
    if s.class & EVENIF == 0 || !overrules(s) {
        return;
    }
    let deed = s
        .saying(lexicon::PASS | lexicon::CHANGE | lexicon::SENDOUT)
        .chain(s.kinds(PUT))
        .any(|h| s.ordered(h));
    let near = place.said_near() & (DEED | lexicon::CALL) != 0 || place.class_near() & PUT != 0;
    let fixed = s.text.contains(|c: char| c.is_ascii_digit())
        || s.class & NUMBERS != 0
        || s.said & (lexicon::SKEW | lexicon::QUOTED | lexicon::EMAIL | lexicon::URL) != 0
        || s.text.contains('=');
    // "Whatever format they ask for, pass it": theirs is what counts.
    let theirs = s.text.split([',', ' ']).any(|w| matches!(w, "it" | "that" | "theirs"));
    if fixed && deed && !theirs {
        emit(Signal::Overrule);
    } else if near && deed && !theirs {
        emit(Signal::OverruleMild);
    }
}

/// An account of the text's own takes the place of the one that was wished.
fn swaps_account(s: &Sentence<'_>) -> bool {
    let wished = s.class & (WISH | super::ORIGINAL) != 0 || s.said & lexicon::USERINPUT != 0;
    wished && s.saying(lexicon::CHANGE).any(|h| s.ordered(h)) && super::others::has_account(s.text)
}

/// "Replace the hotel that was asked for by …".
fn swaps(s: &Sentence<'_>) -> bool {
    const SWAPS: &[&str] = &["replace", "swap", "substitute", "exchange", "change", "switch"];
    let swap = |h: &&Hit| SWAPS.contains(&s.words_of(h)) && s.ordered(h);
    const WISHED: &[&str] =
        &["asked for", "was asked", "requested", "typed", "ordered", "the user chose", "the person chose"];
    s.saying(lexicon::CHANGE).filter(swap).any(|h| {
        s.kinds(WISH).chain(s.saying(lexicon::USERINPUT)).any(|w| {
            w.start >= h.end && w.token - h.token <= 7 && WISHED.iter().any(|t| s.words_of(w).contains(t))
        }) && [" by ", " with ", " for one", " to one", " instead"].iter().any(|w| s.text.contains(w))
    })
}

fn overrules(s: &Sentence<'_>) -> bool {
    s.kinds(EVENIF).any(|even| {
        let near = |what, gap: u32| {
            s.kinds(what).any(|h| {
                h.range() != even.range()
                    && (!even.english || h.start >= even.end)
                    && h.token.abs_diff(even.token) <= gap
            })
        };
        near(PERSON, 7) && near(WISH, 9)
    })
}
