//! Which calls and texts of a run are the steps of a session.
//!
//! Steps are a subsequence of what happened; calls that a group may make in any order are matched as many as possible
//! (never greedily). The first way that gives every step its own is taken, the strictest reading first.

mod assign;
mod parts;

use super::listing::Listing;
use super::run::{Run, Sent};
use crate::expect::compare::{self, Difference, Mode, difference, incompatible};
use crate::expect::{Check, Kind, Session, Step};
use crate::trace::Outcome;
use parts::{Part, answers, parts};
use serde_json::Value;
use std::borrow::Cow;
use std::cell::OnceCell;

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

pub(super) struct Matcher<'s, 't> {
    pub(super) session: &'s Session,
    pub(super) run: &'s Run<'t>,
    listing: Option<&'s Listing>,
    parts: Vec<Part>,
    answers: Vec<Option<usize>>,
    /// For each step, the responses that answer it.
    responses: Vec<Vec<usize>>,
    /// For each step, positions of the calls to its tool.
    candidates: Vec<Vec<usize>>,
    /// For each step that was looked for in any order, those that send what it asks for.
    senders: Vec<OnceCell<Vec<usize>>>,
}

impl<'s, 't> Matcher<'s, 't> {
    pub(super) fn new(
        session: &'s Session,
        run: &'s Run<'t>,
        listing: Option<&'s Listing>,
    ) -> Matcher<'s, 't> {
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
        let parts = parts(&session.steps, session.settings.matching);
        let senders = vec![OnceCell::new(); session.steps.len()];
        Matcher { session, run, listing, parts, answers, responses, candidates, senders }
    }

    /// The steps' calls and texts.
    pub(super) fn find(&self) -> Found {
        if self.session.settings.matching.may_miss() {
            return self.find_some();
        }
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

    /// As many steps as possible; the calls that were not made are left out.
    fn find_some(&self) -> Found {
        let readings = [Reading::Unknown, Reading::Sent, Reading::Answered, Reading::Good];
        // Of equals the strictest, which is the last.
        let all = readings.into_iter().map(|reading| self.assign(reading, &[]));
        let most = all.max_by_key(|found| found.hits.iter().flatten().count());
        let mut found = most.unwrap_or_else(|| self.assign(Reading::Unknown, &[]));
        for (i, _) in self.steps().filter(|(_, s)| s.kind == Kind::Call) {
            if found.hit(i).is_none() {
                found.skip(i);
            }
        }
        found
    }

    fn steps(&self) -> impl Iterator<Item = (usize, &'s Step)> {
        self.session.steps.iter().enumerate()
    }

    /// Whether the call at `position` counts for a step, read so.
    fn fits(&self, step: usize, position: usize, reading: Reading) -> bool {
        self.sends(step, position, reading == Reading::Unknown) && self.ends(step, position, reading)
    }

    /// Whether it sent what the step asks for; `or_unknown`: or may have.
    fn sends(&self, step: usize, position: usize, or_unknown: bool) -> bool {
        let Some(asked) = self.session.steps.get(step) else { return false };
        let Some((mode, expected)) = &asked.arguments else { return true };
        self.run.with_sent(position, |sent| match sent {
            Sent::Value(actual) => {
                let (expected, actual) = self.seen(expected, actual, *mode, position);
                compare::fits(&expected, &actual, *mode, &self.session.patterns)
            }
            Sent::Text(_) => false,
            Sent::NotRecorded => or_unknown,
        })
    }

    /// Whether it ended as the reading asks.
    fn ends(&self, step: usize, position: usize, reading: Reading) -> bool {
        if reading >= Reading::Sent {
            return true;
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

    /// Positions of all calls that sent what the step asks for: looked for once, whatever the reading.
    fn senders(&self, step: usize) -> &[usize] {
        let look = || -> Vec<usize> {
            self.candidates(step).iter().copied().filter(|p| self.sends(step, *p, false)).collect()
        };
        self.senders.get(step).map_or(&[], |kept| kept.get_or_init(look))
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
            Sent::Value(actual) => {
                let (expected, actual) = self.seen(expected, actual, mode, position);
                Some(match difference(&expected, &actual, mode, &self.session.patterns) {
                    None => Ok(()),
                    Some(difference) => Err(difference),
                })
            }
            Sent::Text(text) => Some(Err(Difference {
                pointer: String::new(),
                expected: Some(expected.clone()),
                actual: Some(Value::String(text.clone())),
                why: "the arguments are not JSON".to_string(),
            })),
            Sent::NotRecorded => None,
        })
    }

    /// Expected and actual arguments as they are compared: with the defaults of the listing, without what is ignored.
    fn seen<'v>(
        &self,
        expected: &'v Value,
        actual: &'v Value,
        mode: Mode,
        position: usize,
    ) -> (Cow<'v, Value>, Cow<'v, Value>) {
        let settings = &self.session.settings;
        let (mut expected, mut actual) = (Cow::Borrowed(expected), Cow::Borrowed(actual));
        let tool = || self.listing?.get(self.run.call(position)?.tool());
        if let Some(tool) = settings.defaults.then(tool).flatten() {
            actual = Cow::Owned(tool.with_defaults(&actual));
            // What is not asked for under `with` is not asked for because it has a default.
            if mode == Mode::Exact {
                expected = Cow::Owned(tool.with_defaults(&expected));
            }
        }
        if !settings.ignored.is_empty() {
            (expected, actual) =
                (Cow::Owned(settings.ignored.cut(&expected)), Cow::Owned(settings.ignored.cut(&actual)));
        }
        (expected, actual)
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

/// Whether a check looks at the order of calls alone, which matching has seen to.
pub(super) fn is_matched_by_steps(check: &Check) -> bool {
    matches!(check, Check::ToolCall { target: None, arguments: None, every: false, .. })
}
