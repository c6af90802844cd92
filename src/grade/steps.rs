//! Which calls and texts of a run are the steps of a session.
//!
//! Steps are a subsequence of what happened; calls that a group may make in any order are matched as many as possible
//! (never greedily). The first way that gives every step its own is taken, the strictest reading first.

use super::run::{Run, Sent};
use crate::expect::compare::{Difference, Mode, difference, incompatible};
use crate::expect::{Check, Kind, Session, Step, matching};
use crate::trace::Outcome;
use serde_json::Value;

/// Optional steps of one session: each doubles the ways to look at a run.
pub(super) const MAX_OPTIONAL: usize = 12;

/// What a step was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hit {
    /// A call, by position in the run.
    Call(usize),
    /// A text, by position among the run's.
    Said(usize),
}

/// How strictly a call is looked at before it counts for a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reading {
    /// It succeeded, and sent and got what the session says.
    Good,
    /// It sent and got that.
    Answered,
    /// It sent that.
    Sent,
    /// It may have sent that: the recording does not say.
    Unknown,
}

/// What each step of a session was in a run.
pub(super) struct Found {
    /// By position of the step.
    pub(super) hits: Vec<Option<Hit>>,
    /// Steps that were left out: optional, or dependent on one that was.
    pub(super) skipped: Vec<bool>,
    /// The call step that a response is the answer to.
    pub(super) answers: Vec<Option<usize>>,
    /// Whether every step has its own.
    pub(super) is_complete: bool,
}

/// Calls in a row, or a text.
enum Part {
    Calls { steps: Vec<usize>, is_ordered: bool },
    Says(usize),
}

pub(super) struct Matcher<'s, 't> {
    pub(super) session: &'s Session,
    pub(super) run: &'s Run<'t>,
    parts: Vec<Part>,
    answers: Vec<Option<usize>>,
    /// For each step, the responses that answer it.
    responses: Vec<Vec<usize>>,
    /// For each step, positions of the calls to its tool.
    candidates: Vec<Vec<usize>>,
}

impl<'s, 't> Matcher<'s, 't> {
    pub(super) fn new(session: &'s Session, run: &'s Run<'t>) -> Matcher<'s, 't> {
        let candidates = session.steps.iter().map(|s| match s.kind {
            Kind::Call | Kind::Response => {
                s.target.as_deref().map_or(Vec::new(), |t| run.calls_to(tool_of(session, t)))
            }
            _ => Vec::new(),
        });
        let candidates = candidates.collect();
        let answers = answers(&session.steps);
        let mut responses = vec![Vec::new(); session.steps.len()];
        for (response, call) in answers.iter().enumerate() {
            if let Some(list) = call.and_then(|call| responses.get_mut(call)) {
                list.push(response);
            }
        }
        Matcher { session, run, parts: parts(&session.steps), answers, responses, candidates }
    }

    /// The steps' calls and texts.
    pub(super) fn find(&self) -> Found {
        let optional: Vec<usize> =
            self.steps().filter(|(_, s)| s.optional).map(|(i, _)| i).take(MAX_OPTIONAL).collect();
        let mut ways: Vec<u32> = (0..1u32 << optional.len()).collect();
        // Those that leave out the fewest come first.
        ways.sort_by_key(|way| way.count_ones());
        for reading in [Reading::Good, Reading::Answered, Reading::Sent, Reading::Unknown] {
            for way in &ways {
                let left_out = optional.iter().enumerate().filter(|(bit, _)| way & (1 << bit) != 0);
                let found = self.assign(reading, &left_out.map(|(_, step)| *step).collect::<Vec<_>>());
                if found.is_complete {
                    return found;
                }
            }
        }
        // No way is complete: the steps that have none are told, optional ones left out.
        self.assign(Reading::Unknown, &optional)
    }

    fn steps(&self) -> impl Iterator<Item = (usize, &'s Step)> {
        self.session.steps.iter().enumerate()
    }

    fn assign(&self, reading: Reading, left_out: &[usize]) -> Found {
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
            let mine = self.candidates.get(*s).map_or(&[][..], Vec::as_slice);
            let fits =
                |(_, p): &(usize, &usize)| mine.binary_search(p).is_ok() && self.fits(*s, **p, reading);
            positions.iter().enumerate().filter(fits).map(|(i, _)| i).collect()
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
            asked
                .matches_when
                .as_ref()
                .is_none_or(|check| super::evaluate::of_text(check, text) == Some(true))
        };
        let passes = |text: &str| {
            asked.evaluations.iter().all(|e| super::evaluate::of_text(&e.check, text) != Some(false))
        };
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

    fn fits(&self, step: usize, position: usize, reading: Reading) -> bool {
        let Some(asked) = self.session.steps.get(step) else { return false };
        let sent = match self.sent(asked, position) {
            Some(Ok(())) => true,
            Some(Err(_)) => false,
            None => reading == Reading::Unknown,
        };
        if !sent || reading >= Reading::Sent {
            return sent;
        }
        let responses =
            self.responses.get(step).into_iter().flatten().filter_map(|r| self.session.steps.get(*r));
        let answered = responses.into_iter().all(|response| self.response(response, position).is_ok());
        answered
            && (reading == Reading::Answered
                || self
                    .run
                    .call(position)
                    .is_some_and(|c| matches!(c.outcome(), Outcome::Ok | Outcome::NotRecorded)))
    }

    /// Whether the call at `position` sent what `step` asks for; `None`: the recording does not say.
    pub(super) fn sent(&self, step: &Step, position: usize) -> Option<Result<(), Difference>> {
        let Some((mode, expected)) = &step.arguments else { return Some(Ok(())) };
        self.compare(*mode, expected, position)
    }

    /// As [`Matcher::sent`] for any expected arguments.
    pub(super) fn compare(
        &self,
        mode: Mode,
        expected: &Value,
        position: usize,
    ) -> Option<Result<(), Difference>> {
        self.run.with_sent(position, |sent| match sent {
            Sent::Value(actual) => Some(match difference(expected, actual, mode, &self.session.patterns) {
                None => Ok(()),
                Some(difference) => Err(difference),
            }),
            Sent::Text(text) => Some(Err(Difference {
                pointer: String::new(),
                expected: Some(expected.clone()),
                actual: Some(Value::String(text.clone())),
                why: "the arguments are not JSON".to_string(),
            })),
            Sent::NotRecorded => None,
        })
    }

    /// Whether the answer to the call at `position` is what `response` declares.
    ///
    /// # Errors
    /// Where they differ; `None`: there is no answer.
    pub(super) fn response(&self, response: &Step, position: usize) -> Result<(), Option<Box<Difference>>> {
        let Some(call) = self.run.call(position) else { return Err(None) };
        let Some(payload) = call.payload() else { return Err(None) };
        let Some(declared) = &response.content else { return Ok(()) };
        let declared = match declared {
            // JSON as text: what it says counts.
            Value::String(text) => match serde_json::from_str::<Value>(text) {
                Ok(value) if value.is_object() || value.is_array() => value,
                // An answer has a text, whatever it says.
                _ if !call.text().is_empty() => return Ok(()),
                _ => declared.clone(),
            },
            other => other.clone(),
        };
        match incompatible(&declared, &payload, &self.session.patterns) {
            None => Ok(()),
            Some(difference) => Err(Some(Box::new(difference))),
        }
    }

    /// Positions of the calls to a step's tool.
    pub(super) fn candidates(&self, step: usize) -> &[usize] {
        self.candidates.get(step).map_or(&[], Vec::as_slice)
    }
}

impl Found {
    pub(super) fn hit(&self, step: usize) -> Option<Hit> {
        self.hits.get(step).copied().flatten()
    }

    pub(super) fn is_skipped(&self, step: usize) -> bool {
        self.skipped.get(step).copied().unwrap_or(false)
    }

    fn skip(&mut self, step: usize) {
        if let Some(skipped) = self.skipped.get_mut(step) {
            *skipped = true;
        }
    }

    fn put(&mut self, step: usize, hit: Hit) {
        if let Some(slot) = self.hits.get_mut(step) {
            *slot = Some(hit);
        }
    }

    /// The step that the call at `position` is.
    pub(super) fn step_of(&self, position: usize) -> Option<usize> {
        self.hits.iter().position(|h| *h == Some(Hit::Call(position)))
    }
}

/// The tool behind a document's label.
pub(super) fn tool_of<'s>(session: &'s Session, target: &'s str) -> &'s str {
    session.settings.tools.get(target).map_or(target, String::as_str)
}

/// Calls in a row are a group; a text or a response ends it.
fn parts(steps: &[Step]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut group: Vec<usize> = Vec::new();
    let close = |group: &mut Vec<usize>, parts: &mut Vec<Part>| {
        if !group.is_empty() {
            let steps_of_group = std::mem::take(group);
            let is_ordered = !steps_of_group.iter().any(|s| steps.get(*s).is_some_and(Step::is_unordered));
            parts.push(Part::Calls { steps: steps_of_group, is_ordered });
        }
    };
    for (i, step) in steps.iter().enumerate() {
        match step.kind {
            Kind::Call => group.push(i),
            Kind::Says => {
                close(&mut group, &mut parts);
                parts.push(Part::Says(i));
            }
            Kind::Response | Kind::Context => close(&mut group, &mut parts),
        }
    }
    close(&mut group, &mut parts);
    parts
}

/// For each response the call that it answers: the first to its target that has none yet.
fn answers(steps: &[Step]) -> Vec<Option<usize>> {
    let mut answers: Vec<Option<usize>> = vec![None; steps.len()];
    for (i, step) in steps.iter().enumerate().filter(|(_, s)| s.kind == Kind::Response) {
        let is_free = |(c, call): &(usize, &Step)| {
            call.kind == Kind::Call && call.target == step.target && !answers.contains(&Some(*c))
        };
        let call = steps.iter().enumerate().take(i).find(is_free).map(|(c, _)| c);
        if let Some(slot) = answers.get_mut(i) {
            *slot = call;
        }
    }
    answers
}

/// Whether a check looks at the order of calls alone, which matching has seen to.
pub(super) fn is_matched_by_steps(check: &Check) -> bool {
    matches!(check, Check::ToolCall { target: None, arguments: None, every: false, .. })
}
