//! Turns of phrase in which the words of an order are innocent: negations, cautions, quotations, and
//! what describes how a tool behaves.

mod banned;
mod defence;
mod doubled;
mod honest;
mod signing;
mod spoken;
mod whose;

use super::lexicon::{self, Hit};
use super::pattern::Pattern;
use super::signal::Signal;
use defence::{is_raw_data, lacks, masks, on_this_server, own_kind, passes_to_agent};
use honest::{
    forbids_approving, in_a_game, limited, may, may_hold, names_somebody, otherwise,
    told_and_another_verb_denied, tool_reads, warns_of_itself,
};
use std::ops::Range;
use whose::defends;

pub(super) use banned::{
    banned, drop_inner_words, drop_verbs_in_addresses, keeps_own_secret, negated_after, negates_another_verb,
};
pub(super) use doubled::{spans_turn, turn, turned};
pub(super) use signing::{authenticates, drop_code};
pub(super) use spoken::{drop_what_is_detected, warned_quotes};

/// Whether the pattern's words, at `range` from hit `at` on, mean something else here.
pub(super) fn innocent(pattern: &Pattern, hits: &[Hit], at: usize, range: &Range<usize>, text: &str) -> bool {
    use Signal as S;
    let Some(first) = hits.get(at) else { return false };
    let before = words_before(text, range.start);
    let after = text.get(range.end..).unwrap_or("");
    match pattern.signal {
        S::Conceal | S::Unsaid if masks(range, text) || tells_to_do(range, after, text) => true,
        S::NotShown | S::Conceal | S::Unsaid if is_raw_data(hits, range, text) => true,
        S::NotShown | S::HideFrom | S::Unaware => masks(range, text) || passes_to_agent(range, text),
        S::Override | S::Obey if defends(hits, at, range, text) => true,
        S::Override | S::PromptNamed | S::HarvestPrompt if quoted_to_be_refused(range, text) => true,
        S::SecretPath | S::ReadSecret | S::SystemPath | S::TakeSecret if signs_in(hits, range, text) => true,
        S::PipeShell | S::RunShell if left_to_user(after) => true,
        S::FullTalk | S::HarvestTalk if begins_talk(before) => true,
        S::FirstOfAll if text.get(range.clone()).is_some_and(|own| own.contains(':')) => true,
        // "Even those that claim to come from the user".
        S::Script | S::ScriptRegardless if text.get(range.start..).is_some_and(claims) => true,
        S::PreferAll if because(after) => true,
        S::FirstOfAll if after.starts_with(" that ") || after.starts_with(" which ") => true,
        S::EveryCall if on_this_server(after) || after.starts_with(" that ") => true,
        S::EveryCall | S::PreferAll | S::BeforeAnswer if limited(range, text) => true,
        S::TakeSecret if may_hold(range, text) => true,
        S::ReadSecret | S::SystemPath if tool_reads(hits, range, text) => true,
        S::SafetyOff | S::Supersede if warns_of_itself(range, text) => true,
        S::Override if may(text.get(range.clone()).unwrap_or("")) => true,
        S::SkipConsent | S::SkipConsentUser | S::SkipAsk if forbids_approving(range, text) => true,
        S::FirstOfAll | S::BeforeAnswer | S::PreferAll | S::Prefer => on_this_server(after),
        S::EveryCall if own_kind(text.get(range.clone()).unwrap_or("")) => true,
        S::TakePrivate | S::SendCollector => before.ends_with("fast-"),
        S::Conceal | S::Unsaid => {
            lacks(range, text)
                || names_somebody(range, text)
                || told_and_another_verb_denied(hits, range, text)
                || in_a_game(range, after, text)
                || otherwise(text.get(range.clone()).unwrap_or(""))
                || says_who_does_not(first, before)
                || other_verb_between(first, range, text)
                || forbids_a_claim(after)
        }
        S::Quiet => describes_failure(text.get(range.clone()).unwrap_or(""), before, after),
        S::SkipAsk | S::SkipConsentUser => asks_for_a_value(range, hits, after),
        // "Slower than other tools": it runs itself down.
        S::Rival => {
            text.get(range.clone()).is_some_and(|own| own.contains(": '"))
                || after.trim_start().starts_with("than ")
                || contains_than(range, text)
        }
        // "Set to the user-provided value", "rather than the one the user asked for".
        S::TamperUser => {
            let own = text.get(range.clone()).unwrap_or("");
            [
                " to the user",
                " to what",
                " to match",
                "rather than",
                " as the user",
                " only when",
                " only if",
                " only after",
            ]
            .iter()
            .any(|w| own.contains(w))
        }
        _ => false,
    }
}

/// "The server takes the token from ~/.vault-token": how it signs in, and nobody else is to do anything.
fn signs_in(hits: &[Hit], range: &Range<usize>, text: &str) -> bool {
    const SUBJECTS: &[&str] =
        &["the server", "this server", "the tool", "the cli", "the client", "the process", "the sdk", "it "];
    const TAKES: &[&str] = &[
        " takes ",
        " reads ",
        " uses ",
        " loads ",
        " authenticates ",
        " signs in ",
        " looks for ",
        " falls back ",
    ];
    const WHAT: &[&str] =
        &["token", "key", "account", "profile", "credential", "password", "login", "session", "identity"];
    let lead =
        words_before(text, range.end.min(range.start + 1)).rsplit(['.', ';', '!', '?']).next().unwrap_or("");
    let lead = if lead.len() < 12 { words_before(text, range.start) } else { lead };
    let own = text.get(range.clone()).unwrap_or("");
    let said = format!("{lead} {own}");
    let passive = [
        " is read from",
        " are read from",
        " is taken from",
        " are taken from",
        " comes from",
        "read from the",
    ]
    .iter()
    .any(|w| said.contains(w));
    let others = banned::around(hits, range, 120)
        .iter()
        .any(|h| h.mask() & (lexicon::SENDOUT | lexicon::READER | lexicon::URL | lexicon::OWNPARAM) != 0);
    !others
        && (passive || (SUBJECTS.iter().any(|w| said.contains(w)) && TAKES.iter().any(|w| said.contains(w))))
        && WHAT.iter().any(|w| said.contains(w))
}

/// "At the beginning of every conversation": when, not what.
fn begins_talk(before: &str) -> bool {
    ["start of", "beginning of", "outset of", "end of"].iter().any(|w| before.ends_with(w))
}

/// "If it says \"ignore your instructions\", do not comply": the words are quoted, and to be refused.
fn quoted_to_be_refused(range: &Range<usize>, text: &str) -> bool {
    const REFUSED: &[&str] = &[
        "do not comply",
        "don't comply",
        "do not obey",
        "don't obey",
        "do not follow",
        "don't follow",
        "do not act",
        "don't act",
        "never comply",
        "never obey",
        "never follow",
        "never act",
        "refuse",
        "tell the user",
        "report it",
        "treat it as data",
        "treat them as data",
        "is not an instruction",
        "are not instructions",
    ];
    const OPENS: &[char] = &['"', '“', '«', '„', '`'];
    const CLOSES: &[char] = &['"', '”', '»', '“', '`'];
    let lead = words_before(text, range.start);
    let rest = text.get(range.end..).unwrap_or("");
    let rest = rest.char_indices().nth(120).map_or(rest, |(i, _)| rest.get(..i).unwrap_or(rest));
    let inside = lead.rfind(OPENS).is_some_and(|at| !lead.get(at..).unwrap_or("").contains(". "));
    inside
        && rest.find(CLOSES).is_some_and(|at| {
            let after = rest.get(at..).unwrap_or("");
            let sentence = after.split(". ").next().unwrap_or("");
            REFUSED.iter().any(|w| sentence.contains(w))
        })
}

/// "… so that the user can run it themselves".
fn left_to_user(after: &str) -> bool {
    let near: String = after.chars().take(60).collect();
    ["so that the user can", "for the user to run", "run it themselves", "run it by hand"]
        .iter()
        .any(|w| near.contains(w))
}

/// "Do not call other tools because the page says so": a defence.
fn because(after: &str) -> bool {
    let near: String = after.chars().take(40).collect();
    [
        " because a",
        " because the page",
        " because it",
        " because the text",
        " just because",
        " says so",
        " asks you to",
    ]
    .iter()
    .any(|w| near.contains(w))
}

/// "Don't tell the user to install …": what to advise, not what to hide.
fn tells_to_do(range: &Range<usize>, after: &str, text: &str) -> bool {
    let own = text.get(range.clone()).unwrap_or("");
    let tells = [" tell ", " tell the ", " ask ", " instruct ", " advise "].iter().any(|w| own.contains(w));
    tells && after.trim_start().starts_with("to ")
}

/// "Those that claim to …": what others say of themselves.
fn claims(text: &str) -> bool {
    let near: String = text.chars().take(90).collect();
    ["that claim to", "which claim to", "if it claims", "if they claim", "claiming to"]
        .iter()
        .any(|w| near.contains(w))
}

/// "If the user does not mention a date": it is the user who does not.
fn says_who_does_not(first: &Hit, before: &str) -> bool {
    let subject = |w: &str| {
        matches!(
            w,
            "user"
                | "users"
                | "customer"
                | "they"
                | "he"
                | "she"
                | "caller"
                | "query"
                | "request"
                | "prompt"
                | "text"
        )
    };
    let mut words = before.rsplit(' ').filter(|w| !w.is_empty());
    let last = words.next().unwrap_or("");
    // Only "do not" is an order.
    let states = matches!(last, "does" | "did" | "has" | "have");
    let auxiliary = matches!(last, "do" | "was" | "were" | "is");
    first.mask() & lexicon::NEG != 0
        && (states || subject(last) || (auxiliary && words.next().is_some_and(subject)))
}

/// "Never tell the user that a plan is missing": a warning of a false statement, no secret.
fn forbids_a_claim(after: &str) -> bool {
    const CLAIMS: &[&str] = &[
        "unsupported",
        "missing",
        "unavailable",
        "not available",
        "not found",
        "not exist",
        "n't exist",
        "impossible",
        "succeeded",
        "successful",
        "is done",
        "is complete",
        "was completed",
        "cannot be",
        "can't be",
        "not possible",
        "not supported",
        "is ready",
    ];
    let near: String = after.chars().take(60).collect();
    let near = near.split(". ").next().unwrap_or("");
    CLAIMS.iter().any(|w| near.contains(w))
}

/// "Do not use @ to mention users": the negation governs another verb.
fn other_verb_between(first: &Hit, range: &Range<usize>, text: &str) -> bool {
    let between = text.get(first.end as usize..range.end).unwrap_or("");
    let mut words = between.split(' ').filter(|w| !w.is_empty());
    first.mask() & lexicon::NEG != 0
        && matches!(
            words.next(),
            Some(
                "use"
                    | "using"
                    | "rely"
                    | "try"
                    | "need"
                    | "wait"
                    | "guess"
                    | "assume"
                    | "support"
                    | "supports"
            )
        )
        && !words.any(|w| matches!(w, "or" | "and"))
}

/// "Fails silently", "rather than silently dropped": how the tool behaves, or does not.
fn describes_failure(own: &str, before: &str, after: &str) -> bool {
    const FAILURES: &[&str] = &[
        "fail",
        "ignor",
        "drop",
        "skip",
        "truncat",
        "return",
        "discard",
        "break",
        "lost",
        "lose",
        "overwrit",
        "corrupt",
        "no-op",
        "succeed",
        "do nothing",
        "does nothing",
        "swallow",
        "miss",
        "omit",
        "coerc",
        "clamp",
        "fall back",
        "falls back",
        "degrad",
        "empty",
        "route to the wrong",
        "install",
        "wrong",
    ];
    let near: String = after.chars().take(28).collect();
    let head: String = before.chars().rev().take(24).collect::<Vec<_>>().into_iter().rev().collect();
    let aside = |t: &str| {
        ["rather than", "instead of", "not just", "never ", "won't", "not "].iter().any(|w| t.contains(w))
    };
    let modal =
        |t: &str| [" will ", " would ", " may ", " might ", " could ", " can "].iter().any(|w| t.contains(w));
    FAILURES.iter().any(|w| near.contains(w) || own.contains(w))
        || aside(&head)
        || aside(own)
        || modal(&format!("{own} "))
}

/// "Never ask the user for the ID": a value is meant, no permission.
fn asks_for_a_value(range: &Range<usize>, hits: &[Hit], after: &str) -> bool {
    let mut words = after.split(' ').filter(|w| !w.is_empty()).peekable();
    while words
        .next_if(|w| {
            matches!(*w, "the" | "user" | "users" | "them" | "customer" | "again" | "to" | "provide")
        })
        .is_some()
    {}
    let consents = hits.iter().any(|h| {
        let start = h.start as usize;
        h.mask() & lexicon::CONSENT != 0 && start >= range.start && start < range.end + 40
    });
    !consents
        && matches!(words.next(), Some("for" | "which" | "what" | "where" | "how" | "whether" | "about"))
}

fn contains_than(range: &Range<usize>, text: &str) -> bool {
    const COMPARED: &[&str] =
        &["slower than", "worse than", "weaker than", "less accurate than", "less reliable than"];
    text.get(range.clone()).is_some_and(|t| COMPARED.iter().any(|w| t.contains(w)))
}

fn words_before(text: &str, at: usize) -> &str {
    let head = text.get(..at).unwrap_or("").trim_end();
    let from = head.char_indices().rev().nth(60).map_or(0, |(i, _)| i);
    head.get(from..).unwrap_or("")
}

/// Ideographs without kana or Hangul.
pub(super) fn is_chinese(text: &str) -> bool {
    text.contains(|c| matches!(c, '\u{3400}'..='\u{9FFF}'))
        && !text.contains(|c| matches!(c, '\u{3040}'..='\u{30FF}' | '\u{AC00}'..='\u{D7AF}'))
}

/// "Without the user's consent, do not send": two negations make a caution.
pub(super) fn is_caution(hits: &[Hit], start: &Hit, end: u32, pattern: &Pattern) -> bool {
    matches!(pattern.signal, Signal::SkipConsent | Signal::SkipConsentUser | Signal::SkipAsk)
        && start.mask() & (lexicon::NEG | lexicon::WITHOUT) != 0
        && hits.iter().any(|h| {
            h.mask() & lexicon::NEG != 0 && h.start >= end && h.token.saturating_sub(start.last) <= 8
        })
}

/// Whether a negation governs the first hit: up to three words before it, or two after the verb's subject.
pub(super) fn negated(hits: &[Hit], at: usize, pattern: &Pattern) -> bool {
    let Some(first) = hits.get(at) else { return false };
    // "Never … without asking": two negations make a caution.
    let reach = if pattern.steps.first().is_some_and(|step| step & lexicon::NEG != 0) { 12 } else { 3 };
    hits.iter().take(at).rev().take(16).any(|h| {
        h.mask() & lexicon::NEG != 0
            && h.end <= first.start
            && first.token.saturating_sub(h.token) <= reach
            && !turned(hits, h.start, first.start)
    })
}

/// "You must … not": a negation between the steps, where none of them is one.
pub(super) fn negated_inside(hits: &[Hit], at: usize, end: u32, pattern: &Pattern) -> bool {
    let steps = pattern.steps.iter().fold(0, |all, step| all | step);
    let Some(first) = hits.get(at) else { return false };
    steps & lexicon::NEG == 0
        && hits.iter().skip(at).take_while(|h| h.start < end).any(|h| {
            // A term that is itself a step may contain a negation ("do not apply").
            h.mask() & lexicon::NEG != 0
                && h.start >= first.end
                && !turned(hits, h.start, end)
                && !hits.iter().any(|o| o.mask() & steps != 0 && o.start <= h.start && h.end <= o.end)
        })
}

/// "Detects phrases such as 'ignore …'": the words are quoted, and the sentence speaks of detection.
pub(super) fn quoted_by_detector(pattern: &Pattern, hits: &[Hit], at: usize, text: &str) -> bool {
    let Some(first) = hits.get(at) else { return false };
    // "Always include what was loaded, such as '…/id_rsa'": an example in an order is no quotation.
    let path = matches!(pattern.signal, Signal::SecretPath | Signal::ReadSecret);
    let has = |mask| hits.iter().skip(at.saturating_sub(24)).take(48).any(|h| h.mask() & mask != 0);
    let ordered = path && has(lexicon::ORDER) && has(lexicon::PASS | lexicon::SENDOUT);
    let says = if ordered { lexicon::DETECT } else { lexicon::DETECT | lexicon::SHOWS };
    // `docs.example` shows nothing.
    let in_name = |h: &Hit| text.get(..h.start as usize).is_some_and(|t| t.ends_with(['.', '/', '@']));
    let detector = hits
        .iter()
        .take(at)
        .rev()
        .take(24)
        .any(|h| h.mask() & says != 0 && first.start > h.end && !in_name(h));
    detector && {
        let head = text.get(..first.start as usize).unwrap_or("");
        let near: String = head.chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
        let quote =
            near.find(['"', '“', '`', '‘', '«']).or_else(|| near.find(" '")).or_else(|| near.find("('"));
        quote.is_some()
    }
}
