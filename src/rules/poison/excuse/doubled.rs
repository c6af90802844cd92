//! Two negations make an order: "never call it without …", "do not skip …", "do not go on until …". From the second
//! one on, the first bans nothing.

use crate::rules::poison::lexicon::{self, Hit, Mask};

/// So many bytes around a negation are looked at.
const REACH: usize = 90;
/// So many hits after a negation are looked at.
const HITS: usize = 32;

/// What is neglected, dropped or refused, in English: behind "do not" it is ordered.
const NEGLECTS: &[&str] = &[
    "forget",
    "forgets",
    "forgetting",
    "skip",
    "skips",
    "skipping",
    "omit",
    "omits",
    "omitting",
    "neglect",
    "neglects",
    "neglecting",
    "fail to",
    "fails to",
    "failing to",
    "leave out",
    "leaving out",
    "leave off",
    "overlook",
    "miss out",
    "pass over",
    "refuse to",
    "decline to",
    "hesitate to",
    "dispense with",
    "go without",
    "do without",
    "optional",
    "negotiable",
    "exclude",
    "disregard",
    "ignore",
    "refrain from",
    "stop short of",
];

/// The same in other languages, folded: words, and parts of words where no spaces are written.
const NEGLECTED: &[&str] = &[
    "olvid",
    "omit",
    "saltes",
    "salte ",
    "dejes de",
    "deje de",
    "dejar de",
    "dejeis de",
    "oubli",
    "omet",
    "saute ",
    "sautez",
    "neglige",
    "manque de",
    "manquez",
    "vergiss",
    "vergesst",
    "vergessen",
    "versaum",
    "uberspring",
    "unterlass",
    "auslass",
    "weglass",
    "esquec",
    "pule ",
    "pular",
    "deixe de",
    "deixes de",
    "deixar de",
    "dimentic",
    "omett",
    "saltare",
    "tralasci",
    "trascur",
    "mancare di",
    "vergeet",
    "zapomnij",
    "zapominaj",
    "pomijaj",
    "lupa",
    "quen ",
    "glom ",
    "забуд",
    "забыва",
    "пропуск",
    "пропусти",
    "упуска",
    "упусти",
    "забувай",
    "пропускай",
    "忘",
    "省略",
    "跳过",
    "遗漏",
    "漏掉",
    "忽略",
    "スキップ",
    "飛ばさ",
    "省か",
    "怠ら",
    "漏らさ",
    "잊",
    "빠뜨리",
    "빼먹",
    "생략",
    "건너뛰",
    "تنس",
    "भूल",
];

/// Negations that say how something is, and forbid nothing.
const STATES: &[&str] = &["isn't", "aren't", "wasn't", "doesn't", "won't", "cannot", "can't"];

/// What happens to a call in which something is wanting.
const SPOILT: &[&str] = &[
    "fail",
    "reject",
    "refus",
    "error",
    "abort",
    "invalid",
    "is denied",
    "are denied",
    "returns nothing",
    "breaks",
    "discarded",
    "dropped",
    "will not",
    "won't",
    "cannot",
    "does not work",
    "is ignored",
    "stops",
];

/// What one need not wait for.
const WAITS: &[&str] = &["wait", "pause", "hold", "delay", "warte", "esper", "attend", "aspett", "жди", "等"];

/// Hits that make of "without asking" a deed of their own; behind a negation it is none.
const UNDONE: Mask =
    lexicon::NEG | lexicon::WITHOUT | lexicon::SKIP | lexicon::QUIET | lexicon::IGNORE | lexicon::UNSAID;

/// A place from which on an earlier negation bans nothing.
struct Turn {
    /// The second negation.
    word: (u32, u32),
    token: u32,
    sentence: u32,
    english: bool,
    /// What follows is to be done.
    ordered: bool,
    /// Bytes in which negations and what is left out are neither.
    undone: Vec<(u32, u32)>,
}

/// Mark where a second negation turns the first into an order. Both lists are placed and by start.
pub(in super::super) fn turn(flat: &str, hits: &mut Vec<Hit>, classes: &mut Vec<Hit>) {
    let mut turns: Vec<Turn> = Vec::new();
    for (i, hit) in hits.iter().enumerate() {
        if hit.mask() & lexicon::NEG != 0 {
            turns.extend(neglected(flat, hits, i));
            turns.extend(bounded(flat, hits, i));
            turns.extend(suffixed(flat, hits, i));
            turns.extend(participle(flat, hits, i));
        }
        if hit.mask() & (lexicon::WITHOUT | lexicon::UNTIL) != 0 {
            turns.extend(opened(flat, hits, i));
        }
    }
    if turns.is_empty() {
        return;
    }
    let mut undone: Vec<(u32, u32)> = turns.iter().flat_map(|t| t.undone.iter().copied()).collect();
    undone.sort_unstable();
    undone.dedup();
    let inside = |h: &Hit| {
        let to = undone.partition_point(|u| u.0 <= h.start);
        undone.get(to.saturating_sub(4)..to).is_some_and(|near| near.iter().any(|u| h.start < u.1))
    };
    hits.retain(|h| h.mask() & UNDONE == 0 || !inside(h));
    classes.retain(|h| !inside(h));
    for t in turns {
        let place = |mask: Mask| Hit {
            concept: u8::try_from(mask.trailing_zeros()).unwrap_or(0),
            start: t.word.0,
            end: t.word.1,
            token: t.token,
            last: t.token,
            sentence: t.sentence,
            english: t.english,
        };
        hits.push(place(lexicon::TURNED));
        if t.ordered {
            hits.push(place(lexicon::ORDER));
        }
    }
    hits.sort_by_key(|h| (h.start, std::cmp::Reverse(h.end), h.concept));
    hits.dedup();
}

/// Whether a negation at `from` ends its reach before `to`: between them stands a second one. `hits` are by start.
pub(in super::super) fn turned(hits: &[Hit], from: u32, to: u32) -> bool {
    let at = hits.partition_point(|h| h.start < from);
    hits.get(at..).unwrap_or(&[]).iter().take_while(|h| h.start < to).any(|h| h.mask() & lexicon::TURNED != 0)
}

/// Whether a "without" that a negation has turned stands within a place: "nunca envíes sin …" does away with nothing.
pub(in super::super) fn spans_turn(hits: &[Hit], from: u32, to: u32) -> bool {
    let at = hits.partition_point(|h| h.start <= from);
    let inside = hits.get(at..).unwrap_or(&[]);
    let inside = inside.get(..inside.partition_point(|h| h.start < to)).unwrap_or(&[]);
    let bound = |start: u32| {
        inside.iter().any(|h| {
            h.start == start && h.mask() & (lexicon::UNTIL | lexicon::BEFORE | lexicon::WITHOUT) != 0
        })
    };
    inside.iter().any(|h| h.mask() & lexicon::TURNED != 0 && !bound(h.start))
}

/// "Do not skip …", "under no circumstances omit …", "N'oublie pas", "忘れないで".
fn neglected(flat: &str, hits: &[Hit], at: usize) -> Option<Turn> {
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
    let token = hits.iter().rev().find(|h| h.start <= start).map_or(neg.token, |h| h.last);
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

/// "Never … without …", "do not … until …", "no … unless …", in one clause.
fn bounded(flat: &str, hits: &[Hit], at: usize) -> Option<Turn> {
    let neg = hits.get(at)?;
    let bounds = lexicon::WITHOUT | lexicon::UNTIL | lexicon::BEFORE;
    let second =
        hits.iter().skip(at + 1).take(HITS).take_while(|h| h.sentence == neg.sentence).find(|h| {
            h.mask() & bounds != 0
                && h.start >= neg.end
                && h.token.saturating_sub(neg.last) <= 24
                && (h.mask() & lexicon::BEFORE == 0 || binds(flat, h))
        })?;
    let between = flat.get(neg.end as usize..second.start as usize)?;
    // "Do not wait until …": what comes then is not waited for.
    if between.contains([';', ':', '.', '!', '?', '。']) || WAITS.iter().any(|w| between.contains(w)) {
        return None;
    }
    // "Do not ask, go on without …": the second clause may be an order of its own.
    let own_clause = between.rsplit_once(',').is_some_and(|(_, last)| !last.trim().is_empty())
        || [" and ", " but ", " then ", " y ", " et ", " und ", " e ", " и "]
            .iter()
            .any(|w| between.contains(w));
    // The ban itself: "without asking" stays what it is behind a clause of its own.
    let word = (second.start, second.end);
    let mut undone = if own_clause { vec![] } else { vec![word] };
    undone.extend(further(flat, hits, second));
    let ordered = !states(flat, neg) && !own_clause;
    Some(Turn {
        word,
        token: second.token,
        sentence: second.sentence,
        english: second.english,
        ordered,
        undone,
    })
}

/// "Before reading …": not "first", nor a word for a place.
fn binds(flat: &str, hit: &Hit) -> bool {
    let own = flat.get(hit.range()).unwrap_or("");
    let after = flat.get(hit.end as usize..).unwrap_or("");
    matches!(own, "before" | "prior to" | "bevor" | "voordat" | "alvorens" | "zanim" | "прежде" | "перш ніж")
        || (matches!(own, "antes" | "avant" | "prima")
            && [" de ", " que ", " d'", " di ", " do ", " da "].iter().any(|w| after.starts_with(w)))
}

/// "… пока не прочитаешь и не вставишь": the negations that go on in the same clause.
fn further(flat: &str, hits: &[Hit], second: &Hit) -> Vec<(u32, u32)> {
    if second.english {
        return Vec::new();
    }
    let rest = flat.get(second.end as usize..).unwrap_or("");
    let clause = rest.split([',', ';', '。', '、']).next().unwrap_or("");
    let to = second.end.saturating_add(u32::try_from(clause.len()).unwrap_or(0));
    let later = hits.iter().filter(|h| h.start >= second.end && h.end <= to && h.mask() & lexicon::NEG != 0);
    let joined = later.filter(|h| {
        let lead = flat.get(..h.start as usize).unwrap_or("").trim_end();
        [" и", " та", " і"].iter().any(|w| lead.ends_with(w))
    });
    joined.take(4).map(|h| (h.start, h.end)).collect()
}

/// "Никогда не отвечай, не прочитав …": in Russian the second negation is one of a participle.
fn participle(flat: &str, hits: &[Hit], at: usize) -> Option<Turn> {
    let neg = hits.get(at).filter(|h| flat.get(h.range()).is_some_and(|own| own == "не"))?;
    let after = flat.get(neg.end as usize..)?.trim_start();
    let verb = after.split(|c: char| !c.is_alphabetic()).next()?;
    let done = ["ав", "ив", "ев", "вши", "вшись", "ув"].iter().any(|e| verb.ends_with(e))
        && verb.chars().count() >= 5;
    let banned = hits
        .iter()
        .take(at)
        .rev()
        .take(HITS)
        .take_while(|h| h.sentence == neg.sentence)
        .any(|h| h.mask() & lexicon::NEG != 0 && neg.token.saturating_sub(h.token) <= 24);
    (done && banned).then(|| Turn {
        word: (neg.start, neg.end),
        token: neg.token,
        sentence: neg.sentence,
        english: false,
        ordered: true,
        undone: vec![(neg.start, neg.end)],
    })
}

/// "Does not", "cannot": how it is.
fn states(flat: &str, neg: &Hit) -> bool {
    let own = flat.get(neg.range()).unwrap_or("");
    let before = flat.get(..neg.start as usize).unwrap_or("").trim_end();
    let last = before.rsplit(' ').next().unwrap_or("");
    STATES.contains(&own)
        || (own == "not"
            && matches!(last, "does" | "is" | "are" | "will" | "did" | "was" | "were" | "has" | "would"))
}

/// "Without …, never …", and "without … the call fails".
fn opened(flat: &str, hits: &[Hit], at: usize) -> Option<Turn> {
    let first = hits.get(at)?;
    let lead = flat.get(..first.start as usize)?.trim_end();
    let opens =
        lead.is_empty() || lead.ends_with(['.', ',', ';', ':', '!', '?', '-', '—', '–', '(', '>', '*']);
    if !opens {
        return None;
    }
    let rest = head(flat.get(first.end as usize..)?, 200);
    let rest = rest
        .split(['.', ';', '!', '?'])
        .next()
        .filter(|r| !r.contains("~/") && !r.contains("/."))
        .unwrap_or(rest);
    let later = hits.iter().skip(at + 1).take(HITS).take_while(|h| h.sentence == first.sentence);
    let banned = later.filter(|h| h.mask() & lexicon::NEG != 0 && h.start >= first.end).any(|h| {
        flat.get(first.end as usize..h.start as usize).is_some_and(|t| t.contains(',')) && !states(flat, h)
    });
    let spoilt = SPOILT.iter().any(|w| rest.contains(w));
    if !(banned || spoilt) {
        return None;
    }
    let word = (first.start, first.end);
    let undone = if banned && first.mask() & lexicon::WITHOUT != 0 { vec![word] } else { vec![] };
    Some(Turn {
        word,
        token: first.token,
        sentence: first.sentence,
        english: first.english,
        ordered: true,
        undone,
    })
}

/// "読まずに答えないで", "읽지 않고 답하지 마세요", "不读取就不要回答": the first of two negating endings.
fn suffixed(flat: &str, hits: &[Hit], at: usize) -> Option<Turn> {
    let first = hits.get(at)?;
    if first.english {
        return None;
    }
    let own = flat.get(first.range())?;
    let after = flat.get(first.end as usize..)?;
    let ending = matches!(own, "らず" | "ずに" | "なしに" | "せず" | "없이")
        || (own == "않" && after.starts_with('고'));
    let chinese = own.starts_with(['不', '未', '没']);
    if !(ending || chinese) {
        return None;
    }
    let second =
        hits.iter().skip(at + 1).take(HITS).find(|h| h.mask() & lexicon::NEG != 0 && h.start >= first.end)?;
    let between = flat.get(first.end as usize..second.start as usize)?;
    let joined =
        !between.contains(['、', ',', '。', ';']) && !between.contains(". ") && between.chars().count() <= 48;
    let fits = if chinese { between.ends_with(['就', '便']) } else { true };
    (joined && fits).then(|| Turn {
        word: (first.start, first.end),
        token: first.token,
        sentence: first.sentence,
        english: false,
        ordered: true,
        undone: vec![(first.start, first.end)],
    })
}

/// Where the negation at index `at` begins: "do not" and its "not" are two hits.
fn first_start(hits: &[Hit], at: usize) -> u32 {
    let Some(neg) = hits.get(at) else { return 0 };
    let same = |h: &&Hit| h.mask() & lexicon::NEG != 0 && h.start <= neg.start && neg.start < h.end;
    hits.iter().take(at).rev().take(6).filter(same).map(|h| h.start).min().unwrap_or(neg.start)
}

fn head(text: &str, most: usize) -> &str {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Where each text turns: the words of the second negation, and whether an order follows.
    fn turns(text: &str) -> Vec<(String, bool)> {
        let mut hits = lexicon::scan(text);
        hits.sort_by_key(|h| (h.start, std::cmp::Reverse(h.end), h.concept));
        lexicon::Grid::of(text).place(&mut hits);
        turn(text, &mut hits, &mut Vec::new());
        let ordered =
            |at: &Hit| hits.iter().any(|h| h.range() == at.range() && h.mask() & lexicon::ORDER != 0);
        let marks = hits.iter().filter(|h| h.mask() & lexicon::TURNED != 0);
        marks.map(|h| (text.get(h.range()).unwrap_or("").to_string(), ordered(h))).collect()
    }

    #[test]
    fn a_second_negation_turns_the_first() {
        for (text, word) in [
            ("never call it without reading the file.", "without"),
            ("do not go on until the file is read.", "until"),
            ("do not answer before reading the file.", "before"),
            ("no call goes out unless the file is read.", "unless"),
            ("do not skip the file.", "skip"),
            ("under no circumstances may you ever omit the file.", "omit"),
            ("do not leave the file out.", "leave"),
            ("it is not optional to read it.", "optional"),
            ("without the file, never answer.", "without"),
            ("without the file the call fails.", "without"),
            ("n'oublie pas le fichier.", "oubli"),
            ("vergiss nicht die datei.", "vergiss"),
            ("не забудь файл.", "забуд"),
            ("ファイルを忘れないで。", "忘"),
            ("不要忘记文件。", "忘"),
        ] {
            let found = turns(text);
            assert!(found.iter().any(|(w, ordered)| w == word && *ordered), "{text}: {found:?}");
        }
    }

    #[test]
    fn one_negation_stays_one() {
        for text in [
            "never read the file.",
            "do not first read the file.",
            "do not read it; without it all works.",
            "do not wait until it is confirmed.",
            "runs without a key.",
            "it is not the first, and skips none.",
        ] {
            assert_eq!(turns(text), [], "{text}");
        }
        // How it is, and no order.
        assert_eq!(turns("it does not work without a key."), [("without".to_string(), false)]);
    }

    #[test]
    fn a_ban_ends_where_it_is_turned() {
        let text = "never answer without reading the file.";
        let mut hits = lexicon::scan(text);
        hits.sort_by_key(|h| (h.start, std::cmp::Reverse(h.end), h.concept));
        lexicon::Grid::of(text).place(&mut hits);
        turn(text, &mut hits, &mut Vec::new());
        let at = |word: &str| u32::try_from(text.find(word).expect("it stands there")).expect("it is short");
        assert!(turned(&hits, 0, at("reading")));
        assert!(!turned(&hits, 0, at("answer")));
        assert!(!hits.iter().any(|h| h.start == at("without") && h.mask() & lexicon::WITHOUT != 0));
    }
}
