//! What is neglected behind a negation: "do not skip …", "n'oublie pas", "忘れないで".

use super::Turn;
use crate::rules::poison::lexicon::{self, Hit};

/// So many bytes around a negation are looked at.
const REACH: usize = 90;

/// What is neglected, dropped or refused, in English: behind "do not" it is ordered.
#[rustfmt::skip]
const NEGLECTS: &[&str] = &[
    "forget", "forgets", "forgetting", "skip", "skips", "skipping", "omit", "omits", "omitting", "neglect",
    "neglects", "neglecting", "fail to", "fails to", "failing to", "leave out", "leaving out", "leave off",
    "overlook", "miss out", "pass over", "refuse to", "decline to", "hesitate to", "dispense with",
    "go without", "do without", "optional", "negotiable", "exclude", "disregard", "ignore", "refrain from",
    "stop short of",
];

/// The same in other languages, folded: words, and parts of words where no spaces are written.
#[rustfmt::skip]
const NEGLECTED: &[&str] = &[
    "olvid", "omit", "saltes", "salte ", "dejes de", "deje de", "dejar de", "dejeis de", "oubli", "omet",
    "saute ", "sautez", "neglige", "manque de", "manquez", "vergiss", "vergesst", "vergessen", "versaum",
    "uberspring", "unterlass", "auslass", "weglass", "esquec", "pule ", "pular", "deixe de", "deixes de",
    "deixar de", "dimentic", "omett", "saltare", "tralasci", "trascur", "mancare di", "vergeet", "zapomnij",
    "zapominaj", "pomijaj", "lupa", "quen ", "glom ", "забуд", "забыва", "пропуск", "пропусти", "упуска",
    "упусти", "забувай", "пропускай", "忘", "省略", "跳过", "遗漏", "漏掉", "忽略", "スキップ", "飛ばさ", "省か", "怠ら", "漏らさ",
    "잊", "빠뜨리", "빼먹", "생략", "건너뛰", "تنس", "भूल",
];

/// "Do not skip …", "under no circumstances omit …", "N'oublie pas", "忘れないで".
pub(super) fn neglected(flat: &str, hits: &[Hit], at: usize) -> Option<Turn> {
    let neg = hits.get(at)?;
    let after = head(flat.get(neg.end as usize..)?, REACH);
    // "No" is Spanish too.
    let spanish = flat.get(neg.range()).is_some_and(|own| own == "no");
    if neg.english
        && let Some((from, to)) = neglect_after(after)
    {
        let place = |offset: usize| neg.end.saturating_add(u32::try_from(offset).unwrap_or(0));
        let words = after.get(..from).unwrap_or("").split_whitespace().count();
        let token = neg.last.saturating_add(u32::try_from(words).unwrap_or(0) + 1);
        let word = (place(from), place(to));
        return Some(Turn {
            word,
            token,
            sentence: neg.sentence,
            english: true,
            ordered: true,
            undone: vec![(first_start(hits, at), neg.end), word],
        });
    }
    if neg.english && !spanish {
        return None;
    }
    let before = tail(flat.get(..neg.start as usize)?, 14);
    let near = |text: &str, close: &dyn Fn(usize) -> bool| {
        NEGLECTED.iter().find_map(|n| text.find(n).filter(|at| close(*at)).map(|at| (at, n.len())))
    };
    // At most two short words between: "não se esqueça", "n'oublie pas".
    let joins = |t: &str| t.chars().count() <= 7 && !t.contains([',', '.', '、', '。', ';']);
    let found = near(head(after, 40), &|at| after.get(..at).is_some_and(joins))
        .map(|(at, len)| (neg.end as usize + at, len))
        .or_else(|| {
            let from = (neg.start as usize).saturating_sub(before.len());
            near(before, &|at| before.get(at..).is_some_and(joins_after)).map(|(at, len)| (from + at, len))
        })?;
    let start = u32::try_from(found.0).ok()?;
    let word = (start, start.saturating_add(u32::try_from(found.1).ok()?));
    let before = hits.partition_point(|h| h.start <= start).checked_sub(1);
    let token = before.and_then(|i| hits.get(i)).map_or(neg.token, |h| h.last);
    // The other half of "ne … pas" goes with it.
    let other = hits.iter().skip(at.saturating_sub(6)).take(12).filter(|h| {
        !h.english && h.mask() & lexicon::NEG != 0 && h.token.abs_diff(neg.token) <= 3 && h.start != neg.start
    });
    let halves = other.map(|h| (h.start, h.end)).chain([(neg.start, neg.end), word]).collect();
    Some(Turn { word, token, sentence: neg.sentence, english: false, ordered: true, undone: halves })
}

/// What may stand from a word of neglect to its negation: the rest of the word, and a word of courtesy.
fn joins_after(text: &str) -> bool {
    text.chars().count() <= 14
        && text.split_whitespace().count() <= 2
        && !text.contains([',', '.', '、', '。', ';', '!'])
}

/// Where in `after`, at most four words on, something is neglected.
fn neglect_after(after: &str) -> Option<(usize, usize)> {
    let mut at = 0;
    for _ in 0..6 {
        let rest = after.get(at..)?;
        let lead = rest.len() - rest.trim_start_matches([' ', ',']).len();
        at += lead;
        let rest = after.get(at..)?;
        if rest.starts_with("under any circumstances") {
            at += "under any circumstances".len();
            continue;
        }
        // "Never, ever, skip": only such words may stand between commas.
        let ends =
            |n: &str| rest.get(n.len()..).is_some_and(|t| !t.starts_with(|c: char| c.is_alphanumeric()));
        if let Some(n) = NEGLECTS.iter().find(|n| rest.starts_with(**n) && ends(n)) {
            return Some((at, at + n.len()));
        }
        if rest.starts_with("leave ") && head(rest, 70).split(['.', ';', ',']).next()?.contains(" out") {
            return Some((at, at + "leave".len()));
        }
        let len = rest.find(|c: char| !(c.is_alphanumeric() || c == '\'')).unwrap_or(rest.len());
        let word = rest.get(..len)?;
        let filler = matches!(
            word,
            "ever"
                | "should"
                | "may"
                | "must"
                | "can"
                | "could"
                | "you"
                | "the"
                | "agent"
                | "to"
                | "under"
                | "any"
                | "circumstances"
                | "simply"
                | "just"
                | "be"
                | "a"
                | "an"
                | "assistant"
                | "model"
                | "it"
                | "is"
                | "even"
        );
        if !filler {
            return None;
        }
        at += len;
    }
    None
}

/// Where the negation at index `at` begins: "do not" and its "not" are two hits.
fn first_start(hits: &[Hit], at: usize) -> u32 {
    let Some(neg) = hits.get(at) else { return 0 };
    let same = |h: &&Hit| h.mask() & lexicon::NEG != 0 && h.start <= neg.start && neg.start < h.end;
    hits.iter().take(at).rev().take(6).filter(same).map(|h| h.start).min().unwrap_or(neg.start)
}

pub(super) fn head(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}

fn tail(text: &str, most: usize) -> &str {
    let from = text.char_indices().rev().nth(most.saturating_sub(1)).map_or(0, |(i, _)| i);
    text.get(from..).unwrap_or("")
}
