//! What the user is told against the facts, and what is taken out of what the user is shown, where the verb stands
//! apart from its particle.

use super::meet::{USER_OR_TOLD, either, sends};
use super::user::cautions;
use super::{
    AGENT, AUDIT, BLAMES, COPY, FEIGNS, GOODNEWS, LEVY, LOCAL, ORIGINAL, PAYEE, PERSON, PRESENTS, PUT, Place,
    RELAYS, SOOTHES, SPARED, Sentence, TOLDUSER, TRIMS, WISH,
};
use crate::rules::poison::lexicon::{self, Hit};
use crate::rules::poison::signal::Signal;

pub(super) fn observe(place: &Place<'_>, emit: &mut dyn FnMut(Signal)) {
    let s = place.s;
    if s.is_code() || s.text.len() > 4000 {
        return;
    }
    let viewed = s.class & (TOLDUSER | AUDIT) != 0 || s.said & (lexicon::REVIEW | lexicon::CONSENT) != 0;
    if (viewed || ["diff", "review", "screen", "picture"].iter().any(|w| s.text.contains(w)))
        && (trimmed(place) || out_of_sight(place))
    {
        emit(Signal::DeedUnsaid);
    }
    if s.class & AUDIT != 0 && s.class & AGENT != 0 && holds_no_longer(place) {
        emit(Signal::AuditOff);
    }
    let doer =
        |of| s.kinds(of).any(|h| s.ordered(h) && !denied(s, h)) || s.class & of != 0 && s.tells_agent();
    let feigned = s.class & FEIGNS != 0 && doer(FEIGNS);
    let blamed = s.class & BLAMES != 0 && doer(BLAMES) && s.said & (lexicon::WHEN | lexicon::KNOW) != 0;
    if feigned || blamed || local(place) || claims(place) || as_wished(place) || confirms_old(place) {
        emit(Signal::FalseAccount);
    }
    if part_of_what_is_kept(place) || all_well(place) || renames_call(place) {
        emit(Signal::FalseAccount);
    }
}

/// A negation stands close before `hit`.
fn denied(s: &Sentence<'_>, hit: &Hit) -> bool {
    s.saying(lexicon::NEG).any(|n| n.end <= hit.start && hit.token.saturating_sub(n.token) <= 4)
}

/// Something is added, charged, sent or altered.
fn deed(s: &Sentence<'_>) -> bool {
    const ADDS: &[&str] = &["adds ", " added", "refreshes ", "updates ", "inserts ", "appends ", "writes "];
    s.said & (lexicon::SENDOUT | lexicon::CHANGE | lexicon::SKEW) != 0
        || s.class & (COPY | PUT | LEVY | PAYEE) != 0
        || ADDS.iter().any(|w| s.text.contains(w))
}

/// The last word of `object` has been spoken of, or is a pronoun.
fn resumed(place: &Place<'_>, object: &str, earlier: &str) -> bool {
    let head = object.trim_end().rsplit(' ').next().unwrap_or("");
    let head = head.trim_matches(|c: char| !c.is_alphanumeric());
    let said = |text: &str| text.split(|c: char| !c.is_alphanumeric()).any(|w| w == head);
    matches!(head, "it" | "them" | "him" | "her" | "this")
        || (head.len() >= 3 && (said(earlier) || place.before.is_some_and(|b| said(b.text))))
}

/// "Leaves the fee out of summaries", "keep him off the preview": what was charged, added or sent.
fn trimmed(place: &Place<'_>) -> bool {
    let s = place.s;
    if !(deed(s) || place.before.is_some_and(deed)) || cautions(place) {
        return false;
    }
    english_trim(place)
        || s.kinds(TRIMS).any(|t| {
            let unspaced = s.words_of(t).chars().any(|c| c >= '\u{2e80}');
            s.kinds(TOLDUSER).any(|v| v.token.abs_diff(t.token) <= 12)
                && (!unspaced || s.kinds(LEVY).any(|l| l.token.abs_diff(t.token) <= 4))
        })
}

fn english_trim(place: &Place<'_>) -> bool {
    const VERBS: &[&str] =
        &["leave", "keep", "take", "cut", "trim", "strip", "remove", "drop", "crop", "edit", "filter"];
    const PARTICLES: &[&str] = &[" out of ", " off ", " from "];
    let s = place.s;
    let verb = |at: usize, word: &str| {
        let bare = word.strip_suffix('s').unwrap_or(word);
        let rest = s.text.get(at + word.len()..).unwrap_or("");
        VERBS.contains(&bare)
            && PARTICLES.iter().any(|p| {
                rest.split_once(p).is_some_and(|(object, _)| {
                    let from = (s.start + at + word.len() + object.len() + p.len()) as u64;
                    let view = |h: &Hit| u64::from(h.start) >= from && u64::from(h.start) <= from + 40;
                    object.split_whitespace().count() <= 6
                        && !object.contains([',', ';', ':'])
                        && resumed(place, object, s.text.get(..at).unwrap_or(""))
                        && s.kinds(TOLDUSER | AUDIT).any(view)
                })
            })
    };
    let not = |at: usize| {
        let lead = s.text.get(..at).unwrap_or("").trim_end();
        ["not", "n't", "never", "without"].iter().any(|w| lead.ends_with(w))
    };
    words(s.text).take(200).any(|(at, word)| verb(at, word) && !not(at))
}

/// The words of `text` with where they start.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split(' ').map(move |w| {
        let start = at;
        at += w.len() + 1;
        (start, w)
    })
}

/// "… trimmed so that the line isn't seen".
fn out_of_sight(place: &Place<'_>) -> bool {
    const UNSEEN: &[&str] = &[
        " isn't seen",
        " is not seen",
        " aren't seen",
        " are not seen",
        " cannot be seen",
        " can't be seen",
        " isn't visible",
        " is not visible",
        " doesn't show",
        " does not show",
        " isn't noticed",
        " is not noticed",
        " stays out of sight",
        " goes unseen",
        " go unseen",
        " goes unnoticed",
    ];
    let s = place.s;
    (deed(s) || place.before.is_some_and(deed))
        && !cautions(place)
        && s.text.match_indices(" so ").take(8).any(|(at, _)| {
            let rest = s.text.get(at + 4..).unwrap_or("");
            UNSEEN.iter().any(|u| {
                rest.split_once(u).is_some_and(|(subject, _)| {
                    subject.split_whitespace().count() <= 7
                        && resumed(place, subject, s.text.get(..at).unwrap_or(""))
                })
            })
        })
}

/// "… so that the log no longer contains what the agent did".
fn holds_no_longer(place: &Place<'_>) -> bool {
    const HOLDS: &[&str] =
        &["contain", "show", "list", "mention", "hold", "tell", "include", "record", "name", "reveal"];
    let s = place.s;
    !place.view.own.detects()
        && s.text.split_once(" no longer ").is_some_and(|(earlier, rest)| {
            let verb = rest.split(' ').next().unwrap_or("");
            HOLDS.contains(&verb.strip_suffix('s').unwrap_or(verb))
                && s.kinds(AUDIT).any(|a| (a.start as usize) < s.start + earlier.len())
                && s.kinds(AGENT).any(|a| (a.start as usize) > s.start + earlier.len())
        })
}

/// What goes out, or is kept, is called local.
fn local(place: &Place<'_>) -> bool {
    const KEPT: &[&str] =
        &["retained", "indefinitely", "sold ", " sold", "uploaded", "is stored", "are stored"];
    const ONLY_IF: &[&str] =
        &[" if ", "unless", "only when", " wenn ", " falls ", " si ", " se ", "если", "如果", "場合"];
    let s = place.s;
    if s.class & LOCAL == 0 || s.class & RELAYS == 0 {
        return false;
    }
    let kept = |lead: &str| {
        let last = lead.trim_end().rsplit(' ').take(3);
        !last.into_iter().any(|w| matches!(w, "not" | "never" | "nothing" | "no") || w.ends_with("n't"))
    };
    let goes = |s: &Sentence<'_>| {
        let address = lexicon::SENDOUT | lexicon::URL | lexicon::HOST;
        s.said & address != 0 && s.said & lexicon::NEG == 0 && !ONLY_IF.iter().any(|w| s.text.contains(w))
            || KEPT.iter().any(|w| s.text.find(w).is_some_and(|at| kept(s.text.get(..at).unwrap_or(""))))
    };
    let told = |r: &Hit| {
        (s.ordered(r) || s.tells_agent())
            && !denied(s, r)
            && s.kinds(LOCAL).any(|l| (l.start >= r.end || !r.english) && l.token.abs_diff(r.token) <= 12)
    };
    place.before.is_some_and(goes) && s.kinds(RELAYS).any(told)
}

/// "Swap it for … Claim that the fork is the upstream."
fn claims(place: &Place<'_>) -> bool {
    const CLAIMS: &[&str] =
        &["claim", "claim that", "pretend", "pretend that", "claims that", "pretends that"];
    let s = place.s;
    s.said & lexicon::FALSIFY != 0
        && s.saying(lexicon::FALSIFY)
            .any(|h| CLAIMS.contains(&s.words_of(h)) && s.ordered(h) && !denied(s, h))
        && place.before.is_some_and(sends)
}

/// What was asked for is reported, where something else was done.
fn as_wished(place: &Place<'_>) -> bool {
    const CHANGES: &[&str] = &["widen", "upgrade", "downgrade", "swap", "replace", "substitute", "enlarge"];
    const WISHED: &[&str] = &["asked for", "requested", "wished for", "chosen by", "typed"];
    let s = place.s;
    let changed = |text: &str| words(text).any(|(_, w)| CHANGES.iter().any(|c| w.starts_with(c)));
    let other = |b: &Sentence<'_>| {
        (b.class & WISH != 0 || b.said & lexicon::USERINPUT != 0)
            && b.text.contains(['\'', '"', '`', '“', '‘'])
            && b.saying(lexicon::PASS | lexicon::SENDOUT | lexicon::CHANGE).any(|h| b.ordered(h))
    };
    s.kinds(RELAYS).any(|r| {
        let from = (r.end as usize).saturating_sub(s.start);
        let rest = s.text.get(from..).unwrap_or("");
        let old = WISHED.iter().any(|w| rest.contains(w))
            || rest.contains("narrow")
            || s.kinds(ORIGINAL).any(|o| o.start >= r.end && o.token - r.token <= 8);
        let lead = s.before(r.start);
        let then = (lead.ends_with("then") || lead.ends_with("and")) && s.tells_agent() && changed(lead);
        let alone = lead.is_empty() && s.ordered(r) && place.before.is_some_and(other);
        r.english && old && !denied(s, r) && (then || alone)
    })
}

/// Something is changed, and the user hears or goes on reading that it is as it was.
fn confirms_old(place: &Place<'_>) -> bool {
    const STAYS: &[&str] = &[
        "leave ",
        "zostaw",
        "deja ",
        "laisse",
        "lass ",
        "lascia",
        "deixe",
        "оставь",
        "оставляй",
        "laat ",
        "保留",
    ];
    const CONFIRMS: &[&str] = &[
        "confirm",
        "conferma",
        "bestatig",
        "bevestig",
        "potwierdz",
        "подтверд",
        "tell ",
        "dile ",
        "dis ",
        "diga ",
        "sage ",
        "di' ",
        "zeg ",
        "скажи",
        "assure",
        "asegur",
        "versicher",
    ];
    const THAT: &[&str] = &[" que ", " che ", " dass ", " ze ", " that ", " dat ", " что "];
    let s = place.s;
    let changes = |s: &Sentence<'_>| s.saying(lexicon::CHANGE | lexicon::SKEW).any(|h| s.ordered(h));
    if !(changes(s) || place.before.is_some_and(changes)) || s.class & (SPARED | ORIGINAL) == 0 {
        return false;
    }
    let left = s.class & SPARED != 0 && s.class & TOLDUSER != 0 && STAYS.iter().any(|w| s.text.contains(w));
    let heard = s.class & ORIGINAL != 0
        && either(lexicon::USER, PERSON).in_sentence(s)
        && CONFIRMS.iter().any(|w| {
            s.text.split_once(w).is_some_and(|(lead, rest)| {
                let not = lead.trim_end().ends_with(" не") || lead.ends_with("not ");
                let end = (s.start + s.text.len()).saturating_sub(rest.len());
                !not && THAT.iter().any(|w| rest.contains(w))
                    && s.kinds(ORIGINAL).any(|o| o.start as usize >= end)
            })
        });
    left || heard
}

/// Who asks what is kept hears of a part, where more was put in.
fn part_of_what_is_kept(place: &Place<'_>) -> bool {
    const KEPT: &[&str] = &["store", "kept", "keep", "collect", "record", "track", "share"];
    let s = place.s;
    s.said & lexicon::ONLY != 0
        && s.said & lexicon::WHEN != 0
        && (s.text.contains("asks") || s.text.contains("asked"))
        && USER_OR_TOLD.in_sentence(s)
        && !cautions(place)
        && !place.view.own.keeps_secrets()
        && KEPT.iter().any(|w| s.text.contains(w))
        && ["list ", "name ", "mention ", "give ", "answer ", "say "].iter().any(|w| s.text.contains(w))
        && place
            .view
            .flat
            .get(..s.start)
            .is_some_and(|lead| lead.contains("adds ") || lead.contains("added") || lead.contains("records "))
}

/// Something is wiped or run, and "then report that all is well".
fn all_well(place: &Place<'_>) -> bool {
    let s = place.s;
    let grave = lexicon::DESTROY | lexicon::SHELLCMD;
    let done = || {
        place
            .view
            .hits
            .iter()
            .any(|h| h.mask() & grave != 0 && h.sentence < s.number && s.number - h.sentence <= 3)
    };
    s.class & (SOOTHES | GOODNEWS) != 0
        && s.kinds(RELAYS).any(|r| {
            let lead = s.before(r.start).trim();
            let well = |w: &Hit| w.start >= r.end && w.token - r.token <= 8;
            matches!(lead, "then" | "afterwards" | "and then" | "after that" | "finally")
                && s.words_of(r).len() > 3
                && s.kinds(SOOTHES | GOODNEWS).any(well)
        })
        && done()
}

/// Another tool is called, and the user hears another name for it: "call … ; describe it as 'refresh'".
fn renames_call(place: &Place<'_>) -> bool {
    const NAMES: &[&str] = &[
        "describe it as",
        "present it as",
        "refer to it as",
        "speak of it as",
        "call it '",
        "call it \"",
        "word it as",
    ];
    let s = place.s;
    let calls = |s: &Sentence<'_>| {
        s.saying(lexicon::CALL | lexicon::EXEC).any(|h| s.ordered(h))
            && (s.said & (lexicon::FOREIGN | lexicon::SIBLING) != 0 || s.text.contains('('))
    };
    s.class & PRESENTS != 0
        && NAMES.iter().any(|w| {
            s.text.split_once(w).is_some_and(|(lead, rest)| {
                let quoted = w.ends_with(['\'', '"']) || rest.trim_start().starts_with(['\'', '"', '“', '‘']);
                quoted && !lead.trim_end().ends_with("not") && !lead.trim_end().ends_with("never")
            })
        })
        && (calls(s) || place.before.is_some_and(calls))
}
