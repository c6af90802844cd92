//! Two negations make an order: "never call it without …", "do not skip …", "do not go on until …". From the second
//! one on, the first bans nothing.

mod neglect;

use crate::rules::poison::lexicon::{self, Hit, Mask};
use neglect::{head, neglected};

/// So many hits after a negation are looked at.
const HITS: usize = 32;

/// Negations that say how something is, and forbid nothing.
const STATES: &[&str] = &["isn't", "aren't", "wasn't", "doesn't", "won't", "cannot", "can't"];

/// What happens to a call in which something is wanting.
#[rustfmt::skip]
const SPOILT: &[&str] = &[
    "fail", "reject", "refus", "error", "abort", "invalid", "is denied", "are denied", "returns nothing",
    "breaks", "discarded", "dropped", "will not", "won't", "cannot", "does not work", "is ignored", "stops",
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
    let from = hits.partition_point(|h| h.start < second.end);
    let within = hits.get(from..).unwrap_or(&[]).iter().take(HITS).take_while(|h| h.end <= to);
    let later = within.filter(|h| h.mask() & lexicon::NEG != 0);
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
