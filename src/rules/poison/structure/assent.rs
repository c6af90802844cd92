//! Consent that is made up: read out of something else, written down in somebody's stead, or had before anybody
//! could answer.

use super::{AGREED, ASSUMES, NOASK, PUT, Place, STEAD, Sentence, TRUTH, WARNING};
use crate::rules::poison::lexicon::{self, Hit};
use crate::rules::poison::signal::Signal;

pub(super) fn observe(place: &Place<'_>, emit: &mut dyn FnMut(Signal)) {
    let s = place.s;
    if s.is_code() || s.text.len() > 4000 || s.said & lexicon::UNTIL != 0 {
        return;
    }
    if read_into(s)
        || in_stead(place)
        || unsaid_field(place)
        || typed_for(place)
        || too_early(s)
        || own_work(s)
    {
        emit(Signal::SelfConfirm);
    }
}

/// A negation, or a condition that leaves it to somebody, stands before `at`.
fn refused(s: &Sentence<'_>, at: usize) -> bool {
    const REFUSES: &[&str] =
        &[" not", "n't", "never", "cannot", "nobody", "no one", "only if", "only when", "once "];
    let lead: String = s.text.get(..at).unwrap_or("").chars().rev().take(48).collect();
    let lead: String = lead.chars().rev().collect();
    REFUSES.iter().any(|w| lead.contains(w)) || lead.starts_with("not ")
}

/// "Interpret interest as an order".
fn read_into(s: &Sentence<'_>) -> bool {
    const READS: &[&str] =
        &["interpret", "treat", "understand", "read", "construe", "regard", "count", "take"];
    const YESES: &[&str] = &[
        "order",
        "yes",
        "consent",
        "approval",
        "assent",
        "acceptance",
        "agreement",
        "permission",
        "confirmation",
        "go-ahead",
        "authorisation",
        "authorization",
        "signature",
    ];
    if s.class & ASSUMES != 0 {
        return s.kinds(ASSUMES).any(|h| {
            !s.saying(lexicon::NEG).any(|n| n.end <= h.start && h.token.saturating_sub(n.token) <= 10)
        });
    }
    READS.iter().any(|verb| {
        s.text.match_indices(verb).take(8).any(|(at, _)| {
            let lead = s.text.get(..at).unwrap_or("").trim_end();
            let opens = lead.is_empty()
                || lead.ends_with([',', ';', ':', '.', '(', '-', '*'])
                || ["and", "agent", "assistant", "agents", "model", "always", "must", "should", "to", "may"]
                    .iter()
                    .any(|w| lead.rsplit(' ').next() == Some(*w));
            let rest: String = s.text.get(at..).unwrap_or("").chars().take(140).collect();
            let yes = rest.split_once(" as ").is_some_and(|(object, then)| {
                let mut then = then.split(' ').map(|w| w.trim_matches('\''));
                let first = then.next().unwrap_or("");
                let noun = if matches!(first, "a" | "an" | "the" | "their" | "his" | "her" | "full") {
                    then.next().unwrap_or("")
                } else {
                    first
                };
                let ends = noun.ends_with([',', ';', '.', ')', ':'])
                    || matches!(then.next(), None | Some("and" | "to" | "for" | "from" | "in" | "of" | ""));
                object.split_whitespace().count() >= 2
                    && ends
                    && YESES.contains(&noun.trim_matches(|c: char| !c.is_alphanumeric() && c != '-'))
                    && !["explicit", "clear yes", "says yes", "typed yes", "signed"]
                        .iter()
                        .any(|w| object.contains(w))
            });
            opens && yes && !refused(s, at)
        })
    })
}

/// Consent is recorded or given in somebody's name, and the question falls away.
fn in_stead(place: &Place<'_>) -> bool {
    const NAMED: &[&str] = &[
        "behalf",
        "name of",
        "their name",
        "stead",
        "nombre",
        "nom ",
        "nom",
        "namen",
        "nome",
        "namens",
        "imieniu",
        "имени",
        "代",
        "代わ",
    ];
    const GIVES: &[&str] = &[
        "accept", "record", "give", "consent", "agree", "sign", "tick", "acept", "registr", "acceptez",
        "akzept", "stimm", "bestatig", "aceit", "accett", "accetta", "zaakcept", "прин", "同意", "勾选",
    ];
    let s = place.s;
    let named = s.kinds(STEAD).any(|h| NAMED.iter().any(|w| s.words_of(h).contains(w)))
        || s.text.contains("'s behalf");
    let consent = s.said & lexicon::CONSENT != 0
        || s.class & AGREED != 0
        || [
            "terms",
            "termos",
            "conditions",
            "condiciones",
            "bedingungen",
            "termini",
            "condizioni",
            "услови",
            "条款",
        ]
        .iter()
        .any(|w| s.text.contains(w));
    let unasked = |s: &Sentence<'_>| {
        s.class & NOASK != 0
            || [
                "skip the question",
                "no prompt",
                "without a prompt",
                "without showing",
                "omite la pregunta",
                "saute la question",
                "sans lui",
                "ohne zu",
                "sem mostrar",
                "pule a pergunta",
                "salta la domanda",
                "без вопрос",
                "跳过",
            ]
            .iter()
            .any(|w| s.text.contains(w))
    };
    named
        && !super::frames::denied(s)
        && consent
        && GIVES.iter().any(|w| s.text.contains(w))
        && (unasked(s) || place.after.is_some_and(unasked) || before_they_can(s).is_some())
        && !s.kinds(STEAD).any(|h| refused(s, (h.start as usize).saturating_sub(s.start)))
}

/// A parameter that stands for consent: "Set true; the user needn't say so".
fn unsaid_field(place: &Place<'_>) -> bool {
    const NEEDNT: &[&str] = &[
        "needn't",
        "need not",
        "does not have to",
        "doesn't have to",
        "does not need to",
        "doesn't need to",
        "no need for",
        "no need to",
        "no tiene que",
        "n'a pas a",
        "muss nicht",
        "nao precisa",
        "non deve",
        "不必",
        "无需",
    ];
    let s = place.s;
    (s.class | place.before.map_or(0, |b| b.class)) & TRUTH != 0
        && place.view.field.is_some_and(super::frames::is_consent)
        && NEEDNT.iter().any(|w| s.text.contains(w))
        && super::meet::USER.in_sentence(s)
        && !["only if", "if the", "when the", "unless", "error"].iter().any(|w| s.text.contains(w))
}

/// "It must be typed by the engineer. Supply it yourself."
fn typed_for(place: &Place<'_>) -> bool {
    const BY: &[&str] =
        &["typed by", "entered by", "written by", "signed by", "given by", "said by", "typed in by"];
    let s = place.s;
    let by = |s: &Sentence<'_>| {
        BY.iter().any(|w| s.text.split_once(w).is_some_and(|(_, then)| !then.trim_start().starts_with("you")))
    };
    let yourself =
        s.kinds(STEAD).any(|h| matches!(s.words_of(h), "yourself" | "by yourself" | "on your own"));
    yourself && {
        let puts = s
            .saying(lexicon::PASS | lexicon::CHANGE)
            .chain(s.kinds(PUT))
            .any(|h| s.ordered(h) && !refused(s, (h.start as usize).saturating_sub(s.start)))
            || ["supply it", "type it", "fill it", "enter it", "tick it", "write it"]
                .iter()
                .any(|w| s.text.find(w).is_some_and(|at| !refused(s, at)));
        let lead: String = place.view.flat.get(..s.start).unwrap_or("").chars().rev().take(200).collect();
        let lead: String = lead.chars().rev().collect();
        let earlier = BY.iter().any(|w| lead.contains(w));
        puts && (by(s) || earlier)
    }
}

/// Where in the sentence "before the person can read it" starts.
fn before_they_can(s: &Sentence<'_>) -> Option<usize> {
    const FRAMES: &[(&str, &[&str])] = &[
        ("before ", &[" can ", " could ", " is able to ", " has time to ", " gets to ", " get to "]),
        ("antes de que ", &[" pueda", " alcance"]),
        ("avant qu", &[" puisse", " ait pu"]),
        ("bevor ", &[" kann", " konnte"]),
        ("antes que ", &[" possa", " consiga"]),
        ("prima che ", &[" possa", " riesca"]),
        ("voordat ", &[" kan", " kunnen"]),
        ("zanim ", &[" zdazy", " moze"]),
        ("пока ", &["не успел", "не прочита"]),
        ("прежде чем ", &["успе", "сможет"]),
    ];
    FRAMES.iter().find_map(|(before, can)| {
        let at = s.text.find(before)?;
        let rest: String = s.text.get(at..).unwrap_or("").chars().take(70).collect();
        (can.iter().any(|c| rest.contains(c)) && super::meet::USER.in_sentence(s)).then_some(at)
    })
}

/// A dialog is done with before anybody can read it.
fn too_early(s: &Sentence<'_>) -> bool {
    const DONE: &[&str] = &[
        "dismiss",
        "close",
        "accept",
        "confirm",
        "click",
        "acknowledge",
        "cierra",
        "acepta",
        "ferme",
        "accepte",
        "schliess",
        "bestatig",
        "klick",
        "feche",
        "aceit",
        "chiudi",
        "accett",
        "sluit",
        "zamknij",
        "закр",
        "прим",
    ];
    before_they_can(s).is_some_and(|at| {
        let lead = s.text.get(..at).unwrap_or("");
        (s.said & lexicon::CONSENT != 0 || s.class & (WARNING | AGREED) != 0)
            && DONE.iter().any(|w| lead.contains(w))
            && !refused(s, at)
            && !["has to", "must be", "needs to be", "have to"].iter().any(|w| lead.contains(w))
    })
}

/// "Approve your own request".
fn own_work(s: &Sentence<'_>) -> bool {
    let approves =
        |h: &Hit| matches!(s.words_of(h), "approve" | "approves" | "confirm" | "confirms" | "authorise");
    s.saying(lexicon::CONSENT).filter(|h| approves(h)).any(|h| {
        let rest = s.text.get((h.end as usize).saturating_sub(s.start)..).unwrap_or("");
        ["your own ", "its own ", "their own "].iter().any(|w| rest.trim_start().starts_with(w))
            && (s.ordered(h) || s.tells_agent())
            && !refused(s, (h.start as usize).saturating_sub(s.start))
    })
}
