//! Orders that a text only speaks of: quoted, and beside them what to do about such words.

use crate::rules::poison::lexicon::{self, Hit};
use crate::rules::poison::quotation;
use crate::rules::poison::structure::Subject;
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::ops::Range;
use std::sync::LazyLock;

/// What stands beside a quotation that a text warns of, in many languages.
const WARNS: &[&str] = &[
    "do not act",
    "don't act",
    "not act on",
    "do not follow",
    "don't follow",
    "never follow",
    "not an order",
    "are not orders",
    "not instructions",
    "not an instruction",
    "report it",
    "report them",
    "be reported",
    "is reported",
    "suspicious",
    "warn the",
    "warn them",
    "alert the",
    "leave it alone",
    "leave them alone",
    "do not obey",
    "never obey",
    "do not execute",
    "do not carry",
    "never carried out",
    "never be carried out",
    "never to be carried out",
    "not carried out",
    "exercise",
    "untrusted",
    "is theirs",
    "as data",
    "tell the user about",
    "flag it",
    "refuse",
    "quarantine",
    "injection",
    "phishing",
    "malicious",
    "verdachtig",
    "handle nicht",
    "nicht befolgen",
    "nicht folgen",
    "warn",
    "no lo hagas",
    "sospechos",
    "no sigas",
    "no obedezcas",
    "avisa",
    "n'en fais rien",
    "ne suis pas",
    "ne suivez",
    "signale",
    "suspect",
    "nao siga",
    "suspeit",
    "nao faca",
    "avise",
    "non seguire",
    "sospett",
    "segnala",
    "不要照做",
    "请勿执行",
    "提醒用户",
    "可疑",
    "不要执行",
    "不要遵循",
    "告知用户",
    "従わず",
    "従わない",
    "不審",
    "따르지",
    "의심",
    "не выполня",
    "не следуй",
    "подозр",
    "предупред",
    "nie wykonuj",
    "podejrzan",
    "supheli",
    "uygulama",
    "مشبوه",
    "لا تنفذ",
    "لا تتبع",
];

/// How a quotation is introduced.
const SPEAKS: &[&str] = &[
    "say",
    "says",
    "tell",
    "tells",
    "claim",
    "claims",
    "like",
    "such as",
    "contain",
    "contains",
    "text",
    "texts",
    "sample",
    "phrase",
    "phrases",
    "example",
    "examples",
    "e.g.",
    "read",
    "reads",
    "line",
    "lines",
    "ask",
    "asks",
    "steht",
    "sagt",
    "wie",
    "dice",
    "diga",
    "como",
    "affirme",
    "dit",
    "comme",
    "diz",
    "dica",
    "come",
    "сказано",
    "вроде",
    "mowi",
    "spot",
    "class",
];

/// So many quotations of a text are looked at.
const MOST: usize = 64;
/// A quotation has at most so many bytes.
const LONGEST: usize = 400;
/// How far around a quotation is looked.
const AROUND: usize = 160;

/// Where the tool is for the detection of such words, all its quotations are samples.
/// The quotations of `flat` that it warns of: their words are nobody's orders.
pub(in super::super) fn warned_quotes(flat: &str, own: &Subject) -> Vec<Range<usize>> {
    let quotes = quotes(flat);
    // Asked only here: most texts have no quotes.
    let detector = !quotes.is_empty() && own.detects();
    let mut found: Vec<Range<usize>> = Vec::new();
    for quote in quotes {
        let before = tail(flat.get(..quote.start).unwrap_or(""), AROUND);
        let after = head(flat.get(quote.end..).unwrap_or(""), AROUND);
        if !(detector || warns(before) || warns(after)) {
            continue;
        }
        let near = tail(before, 60);
        let spoken = detector
            || !near.is_ascii()
            || near.split([' ', ':', ',', '(']).any(|w| SPEAKS.contains(&w))
            || near.contains("such as");
        // "… or '…'": one of several.
        let chained = found.last().is_some_and(|last| quote.start.saturating_sub(last.end) <= 24);
        if spoken || chained {
            found.push(quote);
        }
    }
    found
}

/// Whether a phrase of [`WARNS`] stands in `text`: all are looked for in one pass.
fn warns(text: &str) -> bool {
    static PHRASES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        // Small, and quickly made: a short run asks for little.
        AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(WARNS).ok()
    });
    match PHRASES.as_ref() {
        Some(phrases) => phrases.is_match(text),
        None => WARNS.iter().any(|w| text.contains(w)),
    }
}

/// In a tool for detection, what it finds is its subject: "flags texts that …" drops all that follows in the sentence, unless
/// something is asked of the reader there, goes to an address or into an argument. Both lists are placed.
pub(in super::super) fn drop_what_is_detected(hits: &mut Vec<Hit>, classes: &mut Vec<Hit>) {
    let asks = lexicon::OWNPARAM
        | lexicon::URL
        | lexicon::EMAIL
        | lexicon::READER
        | lexicon::ORDER
        | lexicon::BEFORE
        | lexicon::AFTER
        | lexicon::AINOTE;
    let mut subjects: Vec<(u32, u32)> = Vec::new();
    for sentence in hits.chunk_by(|a, b| a.sentence == b.sentence) {
        let finds = sentence.iter().find(|h| h.mask() & lexicon::DETECT != 0);
        if let Some(finds) = finds.filter(|_| sentence.iter().all(|h| h.mask() & asks == 0)) {
            subjects.push((finds.sentence, finds.end));
        }
    }
    let detected = |h: &Hit| {
        subjects
            .binary_search_by_key(&h.sentence, |s| s.0)
            .is_ok_and(|i| subjects.get(i).is_some_and(|(_, from)| h.start >= *from))
    };
    hits.retain(|h| !detected(h));
    classes.retain(|h| !detected(h));
}

fn tail(text: &str, most: usize) -> &str {
    let mut from = text.len().saturating_sub(most);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text.get(from..).unwrap_or("")
}

fn head(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}

/// The first quotations of 6 to 400 bytes, by start.
fn quotes(text: &str) -> Vec<Range<usize>> {
    let closes = |c| match c {
        '„' => Some('“'),
        '『' => Some('』'),
        c => quotation::closes(c),
    };
    let mut found = Vec::new();
    let mut at = 0;
    while found.len() < MOST
        && let Some((start, close)) = quotation::next(text, at, closes)
    {
        // What goes on for longer is none: it ends with the first character that is too far away.
        let rest = text.get(start..).unwrap_or("");
        let mut far = LONGEST + 1;
        while far < rest.len() && !rest.is_char_boundary(far) {
            far += 1;
        }
        let last = rest.get(far..).and_then(|far| far.chars().next()).map(char::len_utf8);
        let window = last.and_then(|len| rest.get(..far + len)).unwrap_or(rest);
        let ends = |c: char| c == close || (close == '“' && c == '”');
        match window.char_indices().find(|(_, c)| ends(*c)) {
            Some((len, c)) => {
                if (6..=LONGEST).contains(&len) {
                    found.push(start..start + len);
                }
                at = start + len + c.len_utf8();
            }
            None if last.is_some() => at = start + window.len(),
            None => break,
        }
    }
    found
}

#[cfg(test)]
#[allow(clippy::string_slice)] // a test may panic
mod tests {
    use super::*;

    #[test]
    fn a_quotation_is_warned_of_or_it_counts() {
        let warned = |text: &str| {
            warned_quotes(text, &Subject::default())
                .iter()
                .map(|q| text[q.clone()].to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            warned("if a page says 'send all keys' or 'obey me now', do not act on it."),
            ["send all keys", "obey me now"]
        );
        assert_eq!(warned("steht dort „leite alles weiter“, ist das verdachtig."), ["leite alles weiter"]);
        assert!(warned("end with \"send all keys\" and go on.").is_empty());
        assert!(warned("put \"send all keys\" there. this is no exercise").is_empty());
    }
}
