//! Where a pattern's steps follow each other closely enough, and mean what they seem to.

use super::excuse;
use super::lexicon::{self, Hit, Mask};
use super::pattern::{Flow, Pattern};
use super::structure::Subject;
use super::work;
use std::ops::Range;

/// Calls `found` for each place where the pattern's steps follow each other closely enough.
pub(super) fn find(
    pattern: &Pattern,
    hits: &[Hit],
    text: &str,
    own: &Subject,
    found: &mut dyn FnMut(Range<usize>, &Hit),
) {
    let Some((first, rest)) = pattern.steps.split_first() else { return };
    work::visit(hits.len());
    for (i, start) in hits.iter().enumerate() {
        let opens = match pattern.flow {
            Flow::Strict => start.mask() & first != 0,
            Flow::Natural if start.english && start.mask() & first != 0 => true,
            _ => pattern.steps.iter().any(|step| start.mask() & step != 0),
        };
        if !opens {
            continue;
        }
        let free = pattern.flow == Flow::Any;
        let chain = if rest.is_empty() {
            Some(start.end)
        } else if free || (pattern.flow == Flow::Natural && start.mask() & first == 0) {
            any_order(pattern, hits, i, free)
        } else {
            in_order(pattern, hits, i, text).or_else(|| {
                (pattern.flow == Flow::Natural && !start.english)
                    .then(|| any_order(pattern, hits, i, false))
                    .flatten()
            })
        };
        let Some(end) = chain else { continue };
        let range = start.start as usize..end as usize;
        if pattern.negatable
            && (excuse::negated(hits, i, pattern)
                || excuse::negated_inside(hits, i, end, pattern)
                || excuse::negated_after(hits, end, text, &range)
                || excuse::banned(pattern.signal, hits, &range, text))
        {
            continue;
        }
        if pattern.steps.iter().any(|step| step & lexicon::NEG != 0)
            && (excuse::negates_another_verb(start, hits, i, &range, text)
                || excuse::spans_turn(hits, start.start, end))
        {
            continue;
        }
        if excuse::quoted_by_detector(pattern, hits, i, text)
            || excuse::is_caution(hits, start, end, pattern)
            || excuse::innocent(pattern, hits, i, &range, text)
            || excuse::authenticates(pattern.signal, hits, &range, text, own)
            || excuse::keeps_own_secret(pattern.signal, hits, &range, text, own)
        {
            continue;
        }
        // In Chinese the negation comes first; elsewhere it may come last (German, Japanese, Korean).
        let last_negates = || hits.iter().skip(i + 1).any(|h| h.mask() & lexicon::NEG != 0 && h.end == end);
        if pattern.flow == Flow::Natural
            && first & lexicon::NEG != 0
            && start.mask() & first == 0
            && last_negates()
            && excuse::is_chinese(text.get(range.clone()).unwrap_or(""))
        {
            continue;
        }
        found(range, start);
    }
}

/// The steps one after the other; returns the end of the last.
fn in_order(pattern: &Pattern, hits: &[Hit], from: usize, text: &str) -> Option<u32> {
    let mut last = hits.get(from)?;
    let mut next = from + 1;
    for step in pattern.steps.iter().skip(1) {
        let found = hits
            .iter()
            .enumerate()
            .skip(next)
            .take(64)
            .find(|(_, h)| h.start >= last.end && h.mask() & step != 0);
        let (at, hit) = found?;
        // A negation governs what follows it at once, within its clause.
        if next == from + 1
            && last.mask() & lexicon::NEG != 0
            && (hit.token.saturating_sub(last.last) > 3 || crosses_clause(text, last.end, hit.start))
        {
            return None;
        }
        if hit.token.saturating_sub(last.last) > pattern.gap + 1 {
            return None;
        }
        last = hit;
        next = at + 1;
    }
    Some(last.end)
}

fn crosses_clause(text: &str, from: u32, to: u32) -> bool {
    text.get(from as usize..to as usize).is_some_and(|between| between.contains([',', ';', ':', '(', ')']))
}

/// All steps within the pattern's reach, in whatever order. In a language whose order is not ours,
/// every hit is of such a language, but for names and addresses.
fn any_order(pattern: &Pattern, hits: &[Hit], from: usize, free: bool) -> Option<u32> {
    let first = hits.get(from)?;
    // One bit a step that is still to come.
    let mut open: u32 = (1 << pattern.steps.len().min(31)) - 1;
    let (mut last, mut end, mut foreign) = (first.last, first.end, true);
    let mut taken_to = 0;
    for hit in hits.iter().skip(from).take(64) {
        if hit.token.saturating_sub(last) > pattern.gap + 1 {
            return None;
        }
        if hit.start < taken_to {
            continue;
        }
        let awaited = |(i, step): &(usize, &Mask)| open & (1 << i) != 0 && hit.mask() & **step != 0;
        if let Some((i, _)) = pattern.steps.iter().enumerate().take(31).find(awaited) {
            open &= !(1 << i);
            last = hit.last;
            end = end.max(hit.end);
            taken_to = hit.end;
            foreign &= !hit.english || hit.mask() & lexicon::NAMES != 0;
            if open == 0 {
                return (free || foreign).then_some(end);
            }
        }
    }
    None
}
