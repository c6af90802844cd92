//! What a text forbids: lists of what must not be written, negations that come late, secrets of the user kept quiet.

use super::doubled::turned;
use crate::rules::poison::lexicon::{self, Hit};
use crate::rules::poison::signal::Signal;
use crate::rules::poison::structure::Subject;
use std::ops::Range;

/// The hits that stand within `reach` bytes of `range`: a text may be one long sentence. `hits` are by start.
pub(super) fn around<'h>(hits: &'h [Hit], range: &Range<usize>, reach: usize) -> &'h [Hit] {
    let from = hits.partition_point(|h| (h.start as usize) + reach < range.start);
    let to = hits.partition_point(|h| (h.start as usize) <= range.end + reach);
    hits.get(from..to).unwrap_or(&[])
}

/// The beginning of `text`, of at most so many bytes.
fn head(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}

/// Where a ban ends: at a mark before white space, not at the dot of `.env`.
fn clause(text: &str) -> &str {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let last = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        let ends =
            matches!(c, '。' | '！' | '？' | '।') || (last && matches!(c, '.' | ';' | ':' | '!' | '?'));
        if ends {
            return text.get(..at).unwrap_or("");
        }
    }
    text
}

/// What is demanded: a ban on it makes a caution.
fn is_demand(signal: Signal) -> bool {
    use Signal as S;
    matches!(
        signal,
        S::TakeSecret
            | S::SecretInto
            | S::ReadSecret
            | S::SendSecret
            | S::SecretPath
            | S::SystemPath
            | S::TakePrivate
            | S::SendPrivate
            | S::SendCollector
            | S::HarvestTalk
            | S::SendTalk
            | S::FullTalk
            | S::HarvestPrompt
            | S::PromptNamed
            | S::PassContents
            | S::IntoArgument
    )
}

/// "Never put passwords, keys or the contents of .env files there", "… must not be pasted here".
pub(in super::super) fn banned(signal: Signal, hits: &[Hit], range: &Range<usize>, text: &str) -> bool {
    is_demand(signal) && (under_ban(hits, range, text) || barred(range, text))
}

/// A negated verb of giving, and from it to the thing only a list.
fn under_ban(hits: &[Hit], range: &Range<usize>, text: &str) -> bool {
    let hits = around(hits, range, 160);
    let gives = lexicon::PASS | lexicon::SENDOUT | lexicon::DISPLAY;
    let early = |h: &&Hit| (h.start as usize) < range.end.saturating_sub(1);
    // "Never … without": what comes then is banned by nothing.
    let bans = |h: &Hit| {
        h.mask() & lexicon::NEG != 0
            && !turned(hits, h.start, u32::try_from(range.start).unwrap_or(u32::MAX).saturating_add(1))
    };
    let verb_of = |(i, h): (usize, &Hit)| {
        let governs =
            |v: &&Hit| v.mask() & gives != 0 && v.start >= h.end && v.token.saturating_sub(h.token) <= 3;
        bans(h).then(|| hits.iter().skip(i + 1).take(12).find(governs)).flatten()
    };
    // "No passwords, keys or contents of .env files."
    let heads = hits.iter().any(|h| {
        let own = text.get(h.range()).unwrap_or("");
        let opens = text
            .get(..h.start as usize)
            .is_some_and(|t| t.trim_end().is_empty() || t.trim_end().ends_with('.'));
        let list = text.get(h.end as usize..range.start).unwrap_or(" and ");
        own == "no"
            && bans(h)
            && opens
            && list.len() < 90
            && clause(list) == list
            && !list.contains(" and ")
            && !list.contains(" then ")
    });
    // "Do not commit files that hold secrets (.env, …)".
    const KEEPS: &[&str] =
        &["commit ", "push ", "log ", "check in ", "store ", "publish ", "track ", "print "];
    let kept_back = hits.iter().filter(|h| bans(h)).any(|h| {
        let rest = text.get(h.end as usize..range.start).unwrap_or("").trim_start();
        KEEPS.iter().any(|k| rest.starts_with(k)) && clause(rest) == rest && !rest.contains(" and ")
    });
    if heads || kept_back {
        return true;
    }
    let earlier = hits.iter().enumerate().filter(|(_, h)| early(h));
    let Some(ban) = earlier.rev().find_map(verb_of) else { return false };
    let from = (ban.end as usize).min(range.end);
    let between = text.get(from..range.end).unwrap_or("");
    const BREAKS: &[&str] = &[
        " but ",
        " then ",
        " instead",
        " except",
        " other than",
        " else than",
        " unless",
        " and ",
        " only ",
    ];
    clause(between) == between
        && !BREAKS.iter().any(|w| between.contains(w))
        && (ban.start as usize) < range.end
}

/// "… must not be pasted here", "… do not belong in the body".
fn barred(range: &Range<usize>, text: &str) -> bool {
    const BARS: &[&str] = &[
        "must not be",
        "must never be",
        "should not be",
        "should never be",
        "may not be",
        "never be ",
        "do not belong",
        "does not belong",
        "don't belong",
        "cannot be",
        "have no place",
        "has no place",
        "are not wanted",
        "must stay out",
    ];
    const DEEDS: &[&str] = &[
        "put", "past", "sent", "includ", "shar", "post", "writ", "copied", "enter", "us", "stor", "upload",
        "attach", "given", "in", "commit", "read", "her", "here", "out",
    ];
    let rest = head(text.get(range.end..).unwrap_or(""), 300);
    let near: String = clause(rest).chars().take(70).collect();
    if refused(&near) {
        return true;
    }
    BARS.iter().filter_map(|bar| near.find(bar).map(|at| at + bar.len())).any(|at| {
        let lead = near.get(..at).unwrap_or("");
        let deed = near.get(at..).unwrap_or("").trim_start();
        !lead.contains(" and ") && DEEDS.iter().any(|d| deed.starts_with(d))
    })
}

/// "Dotfiles and anything under ~/.ssh are refused."
fn refused(near: &str) -> bool {
    const REFUSED: &[&str] = &[
        "refused",
        "rejected",
        "blocked",
        "denied",
        "not allowed",
        "not permitted",
        "off limits",
        "off-limits",
        "excluded",
        "out of reach",
        "inaccessible",
        "cannot be read",
        "never read",
        "not read",
        "verweigert",
        "abgelehnt",
        "gesperrt",
        "ausgeschlossen",
        "rechazad",
        "denegad",
        "bloquead",
        "excluid",
        "refuse",
        "interdit",
        "bloque",
        "exclu",
        "rifiutat",
        "negat",
        "bloccat",
        "esclus",
        "recusad",
        "negad",
        "geweigerd",
        "geblokkeerd",
        "odrzuc",
        "zablokow",
        "wyklucz",
        "отклон",
        "запрещ",
        "заблок",
        "недоступ",
        "reddedil",
        "engellen",
        "مرفوض",
        "محظور",
        "skipped",
        "left out",
        "omitted",
        "not included",
        "not backed up",
        "not sent",
        "not uploaded",
        "never uploaded",
        "only if listed",
        "only when listed",
        "ausgelassen",
        "ubersprungen",
        "nicht gesichert",
        "nicht mit",
        "aussen vor",
        "weggelassen",
        "omite",
        "omit",
        "ignore",
        "tralasciat",
        "pominie",
        "пропуска",
        "не загружа",
        "geri cevril",
        "yuklenmez",
        "kabul edilmez",
        "avvisas",
        "nekas",
        "vagras",
        "stoppas",
        "laddas inte",
        "blockeras",
        "不上传",
        "跳过",
        "除外",
        "제외",
        "拒绝",
        "禁止访问",
        "不读取",
        "拒否",
        "読み取らず",
        "読み取りません",
        "거부",
        "차단",
    ];
    !near.contains(" then ") && REFUSED.iter().any(|w| near.contains(w))
}

/// In Japanese and Korean a verb's negation is its ending: "従わないで".
pub(in super::super) fn negated_after(hits: &[Hit], end: u32, text: &str, range: &Range<usize>) -> bool {
    let suffixing = |c: char| matches!(c, '\u{3040}'..='\u{30FF}' | '\u{AC00}'..='\u{D7AF}');
    // In German and Dutch it may close the clause: "befolge die Anweisungen nicht".
    let rest = head(text.get(end as usize..).unwrap_or(""), 48);
    let closes = [" nicht", " niet"].iter().any(|n| {
        rest.find(n).is_some_and(|at| {
            let after = rest.get(at + n.len()..).unwrap_or("");
            // One that a second negation has undone is none.
            let place = u32::try_from(end as usize + at + 1).unwrap_or(u32::MAX);
            let from = hits.partition_point(|h| h.start < place);
            let stands = hits.get(from..).unwrap_or(&[]).iter().take_while(|h| h.start == place);
            stands.clone().any(|h| h.mask() & lexicon::NEG != 0)
                && at <= 24
                && (after.is_empty() || after.starts_with([',', '.', ';', '!', ':']))
                && !rest.get(..at).unwrap_or("").contains([',', '.', ';'])
        })
    });
    if closes {
        return true;
    }
    text.get(range.clone()).is_some_and(|t| t.contains(suffixing))
        && around(hits, range, 48).iter().any(|h| {
            let between = text.get(end as usize..h.start as usize);
            h.mask() & lexicon::NEG != 0
                && h.start >= end
                && !turned(hits, end, h.start)
                && between.is_some_and(|b| b.chars().count() <= 5 && !b.contains(['、', '。', ',']))
        })
}

/// The negation belongs to another verb: "und handle nicht", "従わずにユーザーに知らせる".
pub(in super::super) fn negates_another_verb(
    start: &Hit,
    hits: &[Hit],
    at: usize,
    range: &Range<usize>,
    text: &str,
) -> bool {
    let own = text.get(range.clone()).unwrap_or("");
    let suffixing = |c: char| matches!(c, '\u{3040}'..='\u{30FF}' | '\u{AC00}'..='\u{D7AF}');
    if start.mask() & lexicon::NEG != 0 {
        // Before the verb, a negating ending is that of an earlier verb.
        return !start.english
            && own.contains(suffixing)
            && text.get(start.range()).is_some_and(|t| t.contains(suffixing));
    }
    const AND: &[&str] = &[" und ", " et ", " y ", " e ", " i ", " и ", " en ", " ve ", " dan ", " va "];
    let mut later = hits.iter().skip(at + 1).take_while(|h| (h.start as usize) < range.end);
    let negation = later.find(|h| h.mask() & lexicon::NEG != 0 && (h.end as usize) <= range.end);
    negation.is_some_and(|n| {
        let lead = text.get(range.start..n.start as usize).unwrap_or("");
        AND.iter().any(|and| lead.contains(and))
    })
}

/// A tool that keeps secrets has one kept: "once used, do not repeat the password".
pub(in super::super) fn keeps_own_secret(
    signal: Signal,
    hits: &[Hit],
    range: &Range<usize>,
    text: &str,
    own: &Subject,
) -> bool {
    use Signal as S;
    // "Follow the guidelines returned", of a tool for guidelines.
    let guidance = ["guideline", "guidance", "practice", "steps", "documentation"];
    if signal == S::Obey {
        let said = text.get(range.clone()).unwrap_or("");
        return guidance.iter().any(|w| said.contains(w) && own.names(w));
    }
    let quiet = matches!(
        signal,
        S::Conceal | S::Hush | S::Unsaid | S::KeepQuiet | S::NotShown | S::HideFrom | S::ScriptQuote
    );
    if !quiet || !own.keeps_secrets() {
        return false;
    }
    let hits = around(hits, range, 200);
    let lead = super::words_before(text, range.start);
    let from = range.start.saturating_sub(lead.len()) + lead.rfind(['.', '!', '?', '\n']).unwrap_or(0);
    // The sentence itself is about a secret, and about nothing that is done with it.
    let secret = |h: &&Hit| h.mask() & lexicon::CRED != 0 && h.start as usize >= from;
    let sent =
        |h: &&Hit| h.mask() & (lexicon::SENDOUT | lexicon::COLLECTOR | lexicon::URL | lexicon::EMAIL) != 0;
    let told = text.get(range.end..).unwrap_or("").trim_start();
    let about = ["that ", "about ", "why ", "how ", "where ", "of this", "of that"]
        .iter()
        .any(|w| told.starts_with(w));
    let kept = matches!(signal, S::KeepQuiet);
    !about && (kept || hits.iter().any(|h| secret(&h))) && !hits.iter().any(|h| sent(&h))
}

/// A verb inside an address is none: the "run" of `https://mise.run`.
pub(in super::super) fn drop_verbs_in_addresses(hits: &mut Vec<Hit>) {
    let address = lexicon::URL | lexicon::HOST | lexicon::EMAIL;
    let places: Vec<(u32, u32)> =
        hits.iter().filter(|h| h.mask() & address != 0).map(|h| (h.start, h.end)).collect();
    if places.is_empty() {
        return;
    }
    let verbs =
        lexicon::EXEC | lexicon::CALL | lexicon::READ | lexicon::PASS | lexicon::SENDOUT | lexicon::CHANGE;
    hits.retain(|h| {
        let i = places.partition_point(|p| p.0 <= h.start);
        let inside = i
            .checked_sub(1)
            .and_then(|i| places.get(i))
            .is_some_and(|p| h.end <= p.1 && h.end - h.start < p.1 - p.0);
        h.mask() & verbs == 0 || !inside
    });
}

/// A word inside the name of a secret is not that word: the "passe" of "mots de passe". `hits` are by start.
pub(in super::super) fn drop_inner_words(hits: &mut Vec<Hit>) {
    let verbs = lexicon::PASS | lexicon::SENDOUT | lexicon::READ;
    let mut secret = (0, 0);
    let mut banned = (0, 0);
    hits.retain(|h| {
        // The "请" of "请勿" asks for nothing.
        if h.mask() & lexicon::NEG != 0 && !h.english && h.end > banned.1 {
            banned = (h.start, h.end);
        }
        if h.mask() & lexicon::ORDER != 0
            && banned.0 <= h.start
            && h.end <= banned.1
            && banned.1 - banned.0 > h.end - h.start
        {
            return false;
        }
        if h.mask() & lexicon::CRED != 0 && h.end > secret.1 {
            secret = (h.start, h.end);
        }
        let inside = secret.0 <= h.start && h.end <= secret.1 && secret.1 - secret.0 > h.end - h.start;
        h.mask() & verbs == 0 || !inside
    });
}
