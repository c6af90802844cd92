//! Step by step through a run: in order, in any order, and what is said between.

use super::parts::Part;
use super::{Found, Hit, Matcher, Reading};
use crate::expect::{Kind, Step, matching};
use crate::grade::evaluate;

impl Matcher<'_, '_> {
    /// What each step is, read so, with the steps at `left_out` left out.
    pub(super) fn assign(&self, reading: Reading, left_out: &[usize]) -> Found {
        let count = self.session.steps.len();
        let mut found = Found {
            hits: vec![None; count],
            skipped: vec![false; count],
            answers: self.answers.clone(),
            is_complete: true,
        };
        for step in left_out {
            found.skip(*step);
        }
        let mut cursor = 0;
        for part in &self.parts {
            if self.session.settings.matching.is_unordered() && matches!(part, Part::Calls { .. }) {
                cursor = 0;
            }
            match part {
                Part::Says(step) => self.says(*step, reading, &mut cursor, &mut found),
                Part::Calls { steps, is_ordered: true } => {
                    self.in_order(steps, reading, &mut cursor, &mut found)
                }
                Part::Calls { steps, is_ordered: false } => {
                    self.in_any_order(steps, reading, &mut cursor, &mut found)
                }
            }
        }
        found
    }

    /// Whether a step counts, given what was found before it.
    /// `together` are steps that are looked for at the same time.
    fn is_asked(&self, step: usize, found: &mut Found, together: &[usize]) -> bool {
        let needs = self.session.steps.get(step).and_then(|s| s.requires.as_deref());
        let is_there = |i: usize, s: &Step| match s.kind {
            Kind::Context => true,
            Kind::Response => match self.answers.get(i).copied().flatten() {
                Some(call) => found.hit(call).is_some(),
                None => true,
            },
            _ => found.hit(i).is_some() || together.contains(&i) && !found.is_skipped(i),
        };
        let is_met =
            needs.is_none_or(|id| self.steps().any(|(i, s)| s.id.as_deref() == Some(id) && is_there(i, s)));
        if !is_met {
            found.skip(step);
        }
        !found.is_skipped(step)
    }

    fn in_order(&self, steps: &[usize], reading: Reading, cursor: &mut u32, found: &mut Found) {
        for step in steps {
            // What an earlier step of the group was decides whether this one is asked for.
            if !self.is_asked(*step, found, &[]) {
                continue;
            }
            let made = |p: usize| self.run.call(p).map_or(0, |c| c.made());
            let candidates = self.candidates.get(*step).map_or(&[][..], Vec::as_slice);
            let from = candidates.partition_point(|p| made(*p) <= *cursor);
            let rest = candidates.get(from..).unwrap_or_default();
            match rest.iter().copied().find(|p| self.fits(*step, *p, reading)) {
                Some(position) => {
                    *cursor = made(position);
                    found.put(*step, Hit::Call(position));
                }
                None => found.is_complete = false,
            }
        }
    }

    /// The smallest stretch of the run in which every step finds a call of its own.
    fn in_any_order(&self, steps: &[usize], reading: Reading, cursor: &mut u32, found: &mut Found) {
        let all = steps;
        let asked: Vec<usize> = all.iter().copied().filter(|s| self.is_asked(*s, found, all)).collect();
        let steps = asked.as_slice();
        let made = |p: usize| self.run.call(p).map_or(0, |c| c.made());
        let mut positions: Vec<usize> = steps
            .iter()
            .flat_map(|s| self.candidates.get(*s).into_iter().flatten().copied())
            .filter(|p| made(*p) > *cursor)
            .collect();
        positions.sort_unstable();
        positions.dedup();
        let edge = |s: &usize| -> Vec<usize> {
            let fits = |p: &&usize| match reading {
                Reading::Unknown => self.fits(*s, **p, reading),
                _ => self.ends(*s, **p, reading),
            };
            let mine = if reading == Reading::Unknown { self.candidates(*s) } else { self.senders(*s) };
            mine.iter().filter(fits).filter_map(|p| positions.binary_search(p).ok()).collect()
        };
        let edges: Vec<Vec<usize>> = steps.iter().map(edge).collect();
        let all = matching::of_edges(&edges, positions.len());
        let matched = all.iter().flatten().count();
        // The end of the stretch: a matching of that size in as few calls as possible, by bisection.
        let within = |end: usize| -> Vec<Option<usize>> {
            let cut: Vec<Vec<usize>> =
                edges.iter().map(|e| e.iter().copied().filter(|i| *i < end).collect()).collect();
            matching::of_edges(&cut, end)
        };
        let (mut low, mut high) = (matched, positions.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if within(middle).iter().flatten().count() == matched { high = middle } else { low = middle + 1 }
        }
        for (step, partner) in steps.iter().zip(within(high)) {
            match partner.and_then(|i| positions.get(i)) {
                Some(position) => {
                    *cursor = (*cursor).max(made(*position));
                    found.put(*step, Hit::Call(*position));
                }
                None => found.is_complete = false,
            }
        }
    }

    fn says(&self, step: usize, reading: Reading, cursor: &mut u32, found: &mut Found) {
        if !self.is_asked(step, found, &[]) {
            return;
        }
        let Some(asked) = self.session.steps.get(step) else { return };
        let said = |wanted: &dyn Fn(&str) -> bool, last: bool| {
            let mut texts = self
                .run
                .said
                .iter()
                .enumerate()
                .filter(|(_, s)| s.actor == "assistant" && s.at > *cursor && wanted(&s.text));
            if last { texts.next_back() } else { texts.next() }
        };
        let is_meant = |text: &str| {
            asked.matches_when.as_ref().is_none_or(|check| evaluate::of_text(check, text) == Some(true))
        };
        let passes =
            |text: &str| asked.evaluations.iter().all(|e| evaluate::of_text(&e.check, text) != Some(false));
        // The text that is what the step is checked for; where none is, the last one is what was meant to be.
        let strict = said(&|text| is_meant(text) && passes(text), false);
        let lax = || if reading > Reading::Answered { said(&is_meant, true) } else { None };
        match strict.or_else(lax) {
            Some((i, said)) => {
                *cursor = said.at;
                found.put(step, Hit::Said(i));
            }
            // Where the recording holds no texts, nobody can say that there was none.
            None if !self.run.trace.format.records_texts() => {}
            None => found.is_complete = false,
        }
    }
}
