//! What a person would send, chosen by the name of the parameter and what its description spells out.

mod numbers;
mod words;

use super::facts::Facts;
use super::solver::{Place, Solver};
use aho_corasick::{AhoCorasick, MatchKind};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use words::{EXTRA_KEYS, FILES, PAIRS, PEOPLE, PERSONAL, PHRASES, PLAIN, WORDS};

/// The words of a parameter name: `pageSize`, `page_size` and `PAGE-SIZE` are `page`, `size`.
pub(crate) fn tokens(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (i, c) in chars.iter().copied().enumerate() {
        if !c.is_alphanumeric() {
            if !word.is_empty() {
                out.push(std::mem::take(&mut word));
            }
            continue;
        }
        let before = i.checked_sub(1).and_then(|j| chars.get(j)).copied();
        let after = chars.get(i + 1).copied();
        let starts = c.is_uppercase()
            && (before.is_some_and(|b| b.is_lowercase() || b.is_numeric())
                || before.is_some_and(char::is_uppercase) && after.is_some_and(char::is_lowercase));
        if starts && !word.is_empty() {
            out.push(std::mem::take(&mut word));
        }
        word.extend(c.to_lowercase());
    }
    if !word.is_empty() {
        out.push(word);
    }
    out
}

/// The last word of a parameter name.
pub(crate) fn last_word(name: &str) -> String {
    let mut words = tokens(name);
    let last = words.pop().unwrap_or_default();
    singular(&last).to_string()
}

/// `text` in other words, once all of a list had their turn: another number in it, or a word more. `None`
/// for what must stay as it is: addresses, dates, paths.
pub(crate) fn varied(text: &str, turn: usize) -> Option<String> {
    let plain = |c: char| c.is_alphanumeric() || c == ' ' || c == '-';
    if text.is_empty() || text.starts_with("20") || !text.chars().all(plain) {
        return None;
    }
    if text.contains(|c: char| c.is_ascii_digit()) {
        let shift = u32::try_from(turn).unwrap_or(0) % 9 + 1;
        let other =
            |c: char| c.to_digit(10).and_then(|d| char::from_digit((d + shift) % 10, 10)).unwrap_or(c);
        return Some(text.chars().map(other).collect());
    }
    let word = PLAIN.get(turn % PLAIN.len())?;
    Some(if text.contains(' ') { format!("{text} {word}") } else { format!("{text}-{word}") })
}

/// Plausible strings for the place, the one whose turn it is first.
pub(crate) fn strings(facts: &Facts<'_>, place: &Place<'_>, turn: usize) -> Vec<&'static str> {
    let mut out = Vec::new();
    let notes: Vec<&str> = facts.notes.descriptions.iter().chain(&facts.notes.titles).copied().collect();
    for row in rows(place, &notes) {
        // Dates of one call belong together; other namesakes differ: an old name and a new one.
        let is_date = row.first().is_some_and(|text| text.starts_with("20"));
        let turn = if is_date { turn } else { turn + place.namesakes };
        for i in 0..row.len() {
            out.extend(row.get((turn + i) % row.len()).copied());
        }
    }
    out.extend(PLAIN.get((turn + place.namesakes) % PLAIN.len()).copied());
    out
}

/// Rows for a place, likeliest first: what the description spells out, then the last two words of the
/// name, then word by word from the last (`user_email` is an e-mail, `email_subject` a subject).
fn rows(place: &Place<'_>, notes: &[&str]) -> Vec<&'static [&'static str]> {
    let words = tokens(place.name);
    let singular: Vec<&str> = words.iter().map(|w| singular(w)).collect();
    let mut out: Vec<&'static [&'static str]> = Vec::new();
    let spelt = phrase_rows(notes);
    let first_vague = PHRASES.len() - VAGUE_PHRASES;
    out.extend(
        spelt.iter().filter(|i| **i < first_vague).filter_map(|i| PHRASES.get(*i)).map(|(_, row)| *row),
    );
    let last = singular.last().copied().unwrap_or("");
    if ["path", "file", "filepath", "filename"].contains(&last) {
        let kind = FILES.iter().find(|(kinds, _)| kinds.iter().any(|k| singular.contains(k)));
        out.extend(kind.map(|(_, row)| *row));
    }
    if let [.., before, last] = singular.as_slice() {
        let pair = format!("{before} {last}");
        out.extend(named(&PAIR_ROWS, &pair));
    }
    if last == "name" && is_personal(place, &singular, notes) {
        out.push(PEOPLE);
    }
    let known = out.len();
    for word in singular.iter().rev().chain(words.last().map(String::as_str).iter()) {
        out.extend(named(&WORD_ROWS, word));
    }
    if out.len() == known {
        // The name says nothing; the description may mention what is meant.
        out.extend(
            spelt.iter().filter(|i| **i >= first_vague).filter_map(|i| PHRASES.get(*i)).map(|(_, row)| *row),
        );
    }
    out
}

type Rows = BTreeMap<&'static str, Vec<&'static [&'static str]>>;

static WORD_ROWS: LazyLock<Rows> = LazyLock::new(|| by_name(WORDS));
static PAIR_ROWS: LazyLock<Rows> = LazyLock::new(|| by_name(PAIRS));

/// The rows of each name, in the order of the list.
fn by_name(list: &[(&'static [&'static str], &'static [&'static str])]) -> Rows {
    let mut rows = Rows::new();
    for (names, row) in list {
        for name in *names {
            rows.entry(*name).or_default().push(row);
        }
    }
    rows
}

fn named(rows: &Rows, name: &str) -> impl Iterator<Item = &'static [&'static str]> {
    rows.get(name).into_iter().flatten().copied()
}

/// The last entries of [`PHRASES`] only count where the name says nothing.
const VAGUE_PHRASES: usize = 6;

/// All phrases of all rows, with the row of each.
static SPELT: LazyLock<Option<(AhoCorasick, Vec<usize>)>> = LazyLock::new(|| {
    let all = PHRASES.iter().enumerate().flat_map(|(i, (phrases, _))| phrases.iter().map(move |p| (*p, i)));
    let (phrases, rows): (Vec<&str>, Vec<usize>) = all.unzip();
    let mut builder = AhoCorasick::builder();
    builder.ascii_case_insensitive(true).match_kind(MatchKind::LeftmostLongest);
    Some((builder.build(phrases).ok()?, rows))
});

/// Rows of [`PHRASES`] that the notes spell out, in the order of the list.
fn phrase_rows(notes: &[&str]) -> BTreeSet<usize> {
    let Some((finder, rows)) = SPELT.as_ref() else { return BTreeSet::new() };
    let notes = notes.iter().filter(|n| n.len() <= 4_000);
    notes
        .flat_map(|n| finder.find_iter(n))
        .filter_map(|m| rows.get(m.pattern().as_usize()).copied())
        .collect()
}

fn is_personal(place: &Place<'_>, words: &[&str], notes: &[&str]) -> bool {
    let around = place.parent.map(|p| tokens(p.name)).unwrap_or_default();
    PERSONAL.iter().any(|p| {
        words.contains(p) || around.iter().any(|w| singular(w) == *p) || notes.iter().any(|n| n.contains(p))
    })
}

fn singular(word: &str) -> &str {
    match word.strip_suffix("ies") {
        // `categories` is looked up as it stands among the words.
        Some(_) => match word {
            "categories" => "category",
            "queries" => "query",
            "cities" => "city",
            "countries" => "country",
            "currencies" => "currency",
            "companies" => "company",
            "directories" => "directory",
            "repositories" => "repository",
            "entities" => "entity",
            "memories" => "memory",
            _ => word,
        },
        None if word.ends_with("ss") || word.ends_with("us") || word.len() < 4 => word,
        None => word.strip_suffix('s').unwrap_or(word),
    }
}

/// Numbers that a person would send here.
pub(crate) fn numbers(solver: &Solver<'_>, integral: bool, place: &Place<'_>) -> Vec<Value> {
    let turn = solver.key.below(place.hash, 6, 1 << 16) + solver.policy.variant as usize + place.index;
    let usual = [3.0, 5.0, 12.0, 8.0, 20.0, 2.0];
    let plain = (0..usual.len()).filter_map(|i| usual.get((turn + i) % usual.len())).copied();
    numbers::for_name(place.name, turn)
        .into_iter()
        .chain(plain)
        .filter_map(|n| match n.fract() == 0.0 {
            true => Some(json!(n as i64)),
            false if integral => None,
            false => Some(json!(n)),
        })
        .collect()
}

/// Whether a sample says little: a zero for a size, an empty text.
pub(crate) fn is_empty_sample(value: &Value) -> bool {
    match value {
        Value::String(text) => text.trim().is_empty(),
        Value::Number(n) => n.as_f64() == Some(0.0),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Null => true,
        Value::Bool(_) => false,
    }
}

/// Whether a flag of this name is more plausibly set.
pub(crate) fn truth(name: &str, variant: u32) -> bool {
    let words = tokens(name);
    let risky =
        ["delete", "force", "destructive", "dry", "archived", "deleted", "hidden", "disabled", "skip", "no"];
    let usual = !words.iter().any(|w| risky.contains(&w.as_str()));
    usual == variant.is_multiple_of(2)
}

/// Whether an optional parameter says something about the call that a person would bother to say.
pub(crate) fn is_telling(name: &str, schema: &Value) -> bool {
    let words = tokens(name);
    let last = words.last().map_or("", String::as_str);
    let telling = [
        "query",
        "limit",
        "page",
        "size",
        "count",
        "title",
        "name",
        "description",
        "message",
        "status",
        "city",
        "date",
        "language",
        "format",
        "email",
        "subject",
        "text",
        "content",
        "category",
        "sort",
        "start",
        "end",
        "priority",
    ];
    telling.contains(&last) || schema.get("enum").is_some()
}

/// A text of exactly `length` characters.
pub(crate) fn text_of_length(turn: usize, length: usize) -> String {
    let mut out = String::with_capacity(length + 12);
    let mut at = turn;
    while out.len() < length {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(PLAIN.get(at % PLAIN.len()).copied().unwrap_or("word"));
        at += 1 + turn / PLAIN.len();
    }
    out.truncate(length);
    // A cut may leave a blank at the end, which reads as a slip.
    if out.ends_with(' ') {
        out.pop();
        out.push('s');
    }
    out
}

/// The `i`-th of a row of different texts with a length between `min` and `max`.
pub(crate) fn numbered(i: usize, min: usize, max: usize) -> String {
    let mut digits = Vec::new();
    let mut rest = i;
    loop {
        let c = char::from_digit(u32::try_from(rest % 36).unwrap_or(0), 36).unwrap_or('a');
        digits.push(c);
        rest /= 36;
        if rest == 0 {
            break;
        }
    }
    while digits.len() < min {
        digits.push('x');
    }
    digits.truncate(max.max(1));
    digits.iter().rev().collect()
}

/// Different keys for members that no schema names.
pub(crate) fn extra_keys(count: usize) -> Vec<String> {
    let mut out: Vec<String> = EXTRA_KEYS.iter().map(|k| (*k).to_string()).collect();
    let mut round = 2;
    while out.len() < count {
        out.extend(EXTRA_KEYS.iter().map(|k| format!("{k}_{round}")));
        round += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        assert_eq!(tokens("pageSize"), ["page", "size"]);
        assert_eq!(tokens("HTTPServer_port-2"), ["http", "server", "port", "2"]);
        assert_eq!(tokens("userID"), ["user", "id"]);
        assert!(tokens("").is_empty());
    }

    #[test]
    fn the_last_word_decides() {
        let first = |name: &str| rows(&Place::root(name), &[]).first().and_then(|r| r.first()).copied();
        assert_eq!(first("user_email"), Some("maria.jensen@example.com"));
        assert_eq!(first("emailSubject"), Some("Quarterly planning"));
        assert_eq!(first("flurb"), None);
        assert_eq!(first("imagePath"), Some("images/photo.png"));
        assert_eq!(first("customer_name"), Some("Maria Jensen"));
        assert_eq!(first("projectName"), Some("Harbour Lights"));
        let told =
            |notes: &str| rows(&Place::root("when"), &[notes]).first().and_then(|r| r.first()).copied();
        assert_eq!(told("day, as yyyy-mm-dd"), Some("2025-03-14"));
    }

    #[test]
    fn lengths_are_exact() {
        for length in [0, 1, 7, 8, 9, 50] {
            assert_eq!(text_of_length(3, length).chars().count(), length);
        }
        assert_eq!(numbered(37, 4, 10), "xx11");
    }
}
