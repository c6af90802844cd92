//! Orders that a text only speaks of: quoted, and beside them what to do about such words.

use crate::rules::poison::lexicon::{self, Hit};
use crate::rules::poison::structure::Subject;
use std::ops::Range;

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
/// How far around a quotation is looked.
const AROUND: usize = 160;

/// Where the tool is for the detection of such words, all its quotations are samples.
/// The quotations of `flat` that it warns of: their words are nobody's orders.
pub(in super::super) fn warned_quotes(flat: &str, own: &Subject) -> Vec<Range<usize>> {
    if !flat.contains(['"', '“', '”', '„', '«', '「', '『', '‘', '\'', '`']) {
        return Vec::new();
    }
    // Asked only here: most texts have no quotes.
    let detector = own.detects();
    if !detector && !WARNS.iter().any(|w| flat.contains(w)) {
        return Vec::new();
    }
    let quotes = quotes(flat);
    let mut found: Vec<Range<usize>> = Vec::new();
    for quote in quotes.into_iter().take(MOST) {
        let before = tail(flat.get(..quote.start).unwrap_or(""), AROUND);
        let after = head(flat.get(quote.end..).unwrap_or(""), AROUND);
        let warned = detector || WARNS.iter().any(|w| before.contains(w) || after.contains(w));
        let near = tail(before, 60);
        let spoken = detector
            || !near.is_ascii()
            || near.split([' ', ':', ',', '(']).any(|w| SPEAKS.contains(&w))
            || near.contains("such as");
        // "… or '…'": one of several.
        let chained = found.last().is_some_and(|last| quote.start.saturating_sub(last.end) <= 24);
        if warned && (spoken || chained) {
            found.push(quote);
        }
    }
    found
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

/// Quotations of 6 to 400 bytes, by start.
fn quotes(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, char)> = None;
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        match open {
            Some((start, close)) if c == close || (close == '“' && c == '”') => {
                if (6..=400).contains(&(at - start)) {
                    found.push(start..at);
                }
                open = None;
            }
            Some((start, _)) if at - start > 400 => open = None,
            None => {
                let close = match c {
                    '"' | '`' => Some(c),
                    '\'' if !previous.is_alphanumeric() => Some(c),
                    '“' => Some('”'),
                    '„' => Some('“'),
                    '‘' => Some('’'),
                    '「' => Some('」'),
                    '『' => Some('』'),
                    '«' => Some('»'),
                    _ => None,
                };
                open = close.map(|close| (at + c.len_utf8(), close));
            }
            _ => {}
        }
        previous = c;
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
