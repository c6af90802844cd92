//! A recording, judged: sessions against runs, and how the calls went.

mod nearest;

use super::evaluate::{self, Evaluator};
use super::listing::Listing;
use super::quality;
use super::run::Run;
use super::steps::{Hit, MAX_OPTIONAL, Matcher, tool_of};
use super::verdict::{Check, Status, Verdict};
use crate::expect::compare::short;
use crate::expect::{Check as Asked, ExtraCalls, Injected, Kind, Session, Step};
use crate::suggest;
use crate::trace::{Outcome, Trace};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub use super::evaluate::{Judgement, Judgements};

/// What a recording is judged by.
#[derive(Debug, Default)]
pub struct Order {
    /// For each run the sessions that it must be; for one alone, all of them.
    pub sessions: Sessions,
    pub listing: Option<Listing>,
    /// Faults that were declared beside those of the sessions.
    pub faults: BTreeMap<String, Injected>,
    /// Overrides what sessions say.
    pub extra_calls: Option<ExtraCalls>,
    pub judgements: Judgements,
}

/// Which sessions a run is held against.
#[derive(Debug, Default)]
pub enum Sessions {
    /// None: only how the calls went.
    #[default]
    None,
    /// Every run against every one of them.
    All(Vec<Session>),
    /// The first run against the first, and so on.
    Pairs(Vec<Session>),
}

impl Sessions {
    fn of(&self, run: usize) -> Vec<&Session> {
        match self {
            Sessions::None => Vec::new(),
            Sessions::All(all) => all.iter().collect(),
            Sessions::Pairs(all) => all.get(run).into_iter().collect(),
        }
    }

    /// Every session.
    #[must_use]
    pub fn all(&self) -> &[Session] {
        match self {
            Sessions::None => &[],
            Sessions::All(all) | Sessions::Pairs(all) => all,
        }
    }

    fn are_several(&self) -> bool {
        matches!(self, Sessions::All(all) if all.len() > 1)
    }
}

/// How many runs a recording has.
#[must_use]
pub fn runs(trace: &Trace) -> usize {
    Run::all(trace).len()
}

/// Judge `trace`.
#[must_use]
pub fn judge(trace: &Trace, order: &Order) -> Verdict {
    let mut verdict = Verdict::default();
    let runs = Run::all(trace);
    let several = runs.len() > 1;
    for (number, run) in runs.iter().enumerate() {
        let sessions = order.sessions.of(number);
        let mut faults = order.faults.clone();
        for session in &sessions {
            let of_tool =
                |(target, fault): (&String, &Injected)| (tool_of(session, target).to_string(), *fault);
            faults.extend(session.settings.faults.iter().map(of_tool));
        }
        let mut checks = Vec::new();
        for session in sessions {
            let mut of_session = self::session(session, run, order);
            if order.sessions.are_several() {
                of_session.iter_mut().for_each(|c| c.session = Some(session.name.clone()));
            }
            checks.append(&mut of_session);
            verdict.notes.extend(unknown_targets(session, order.listing.as_ref()));
        }
        checks.extend(quality::judge(run, order.listing.as_ref(), &faults, &mut verdict.quality));
        if several {
            checks.iter_mut().for_each(|c| c.run.clone_from(&run.name));
        }
        verdict.checks.extend(checks);
    }
    verdict.notes.extend(order.listing.iter().flat_map(|l| l.notes.iter().cloned()));
    let mut seen = BTreeSet::new();
    verdict.notes.retain(|note| seen.insert(note.clone()));
    verdict
}

/// Targets that the listing does not have: labels that nobody mapped to a tool, or slips of the pen.
fn unknown_targets(session: &Session, listing: Option<&Listing>) -> Vec<String> {
    let Some(listing) = listing else { return Vec::new() };
    let steps = session.steps.iter().filter(|s| matches!(s.kind, Kind::Call | Kind::Response));
    let unknown =
        steps.filter_map(|s| s.target.as_deref()).filter(|t| listing.get(tool_of(session, t)).is_none());
    let say = |target: &str| {
        let near = suggest::closest(target, listing.names())
            .map_or(String::new(), |n| format!("; did you mean `{n}`?"));
        format!(
            "`{}` expects calls to `{}`, which the listing does not have{near}",
            crate::error::cut(&session.name),
            crate::error::cut(target)
        )
    };
    let mut seen = BTreeSet::new();
    unknown.filter(|t| seen.insert(*t)).map(say).collect()
}

/// Whether a session asks for anything that a recording can fail.
#[must_use]
pub fn asks_for_something(session: &Session) -> bool {
    !session.evaluations.is_empty()
        || session.settings.extra_calls != ExtraCalls::Allow
        || session.steps.iter().any(|s| s.kind != Kind::Context || !s.evaluations.is_empty())
}

/// Why a session cannot be judged at all.
#[must_use]
pub fn refusal(session: &Session) -> Option<String> {
    let optional = session.steps.iter().filter(|s| s.optional).count();
    if optional > MAX_OPTIONAL {
        return Some(format!(
            "{optional} optional behaviors are more than verity tries out ({MAX_OPTIONAL})"
        ));
    }
    (!asks_for_something(session))
        .then(|| "nothing in it can fail: it has neither calls nor evaluations".to_string())
}

fn session(session: &Session, run: &Run<'_>, order: &Order) -> Vec<Check> {
    let matcher = Matcher::new(session, run, order.listing.as_ref());
    let found = matcher.find();
    let evaluator = Evaluator { matcher: &matcher, found: &found, judgements: &order.judgements };
    let judge = Judge { session, matcher: &matcher, evaluator: &evaluator };
    let mut checks = Vec::new();
    let mut blocked: Vec<usize> = Vec::new();
    let mut owners: Vec<Option<usize>> = Vec::new();
    for (index, step) in session.steps.iter().enumerate() {
        if let Some(check) = judge.step(index, step) {
            checks.push(check);
            owners.push(Some(index));
        }
        for evaluation in &step.evaluations {
            let check = evaluator.judge(evaluation, Some((index, step)));
            if evaluation.blocking && check.status == Status::Failed {
                blocked.push(index);
            }
            checks.push(check);
            owners.push(Some(index));
        }
    }
    for evaluation in &session.evaluations {
        checks.push(evaluator.judge(evaluation, None));
        owners.push(None);
    }
    judge.block(&blocked, &owners, &mut checks);
    checks.extend(judge.extra(order));
    checks
}

struct Judge<'j, 's, 't> {
    session: &'s Session,
    matcher: &'j Matcher<'s, 't>,
    evaluator: &'j Evaluator<'j, 's, 't>,
}

impl Judge<'_, '_, '_> {
    /// The check of a step itself; context has none.
    fn step(&self, index: usize, step: &Step) -> Option<Check> {
        let id = format!("step-{}", step.number);
        let check = |status: Status, message: String| {
            let mut check = Check::new(id.clone(), "step", status, message);
            check.step = Some(step.label());
            Some(check)
        };
        if step.kind == Kind::Context {
            return None;
        }
        if self.evaluator.found.is_skipped(index) {
            return check(Status::Skipped, "did not occur, and need not".to_string());
        }
        match step.kind {
            Kind::Response => self.response(index, step, check),
            Kind::Says => match self.evaluator.found.hit(index) {
                Some(_) => check(Status::Passed, "the assistant says something there".to_string()),
                None if !self.matcher.run.trace.format.records_texts() => check(
                    Status::Inconclusive,
                    "the recording's format holds no texts of the assistant".to_string(),
                ),
                None => check(Status::Failed, "the assistant says nothing there that fits".to_string()),
            },
            _ => match self.evaluator.found.hit(index) {
                Some(Hit::Call(position)) => {
                    let number = self.matcher.run.number(position);
                    let made = match self.matcher.sent(step, position) {
                        None => check(
                            Status::Inconclusive,
                            format!("call {number} may be it: the recording does not hold its arguments"),
                        ),
                        Some(_) => check(Status::Passed, format!("call {number} is it")),
                    };
                    made.map(|c| c.calls([number]))
                }
                _ => self.missing(index, step, &id),
            },
        }
    }

    fn response(
        &self,
        index: usize,
        step: &Step,
        check: impl Fn(Status, String) -> Option<Check>,
    ) -> Option<Check> {
        let found = self.evaluator.found;
        let of_call = found.answers.get(index).copied().flatten();
        if of_call.is_some_and(|call| found.is_skipped(call))
            || step.optional && self.evaluator.response_call(index, step).is_none()
        {
            return check(Status::Skipped, "its call was left out".to_string());
        }
        let Some(position) = self.evaluator.response_call(index, step) else {
            let tool = tool_of(self.session, step.target.as_deref().unwrap_or_default());
            return check(Status::Failed, format!("no call to `{tool}` was found that it could answer"));
        };
        let number = self.matcher.run.number(position);
        let made = match self.matcher.response(step, position) {
            Ok(()) => check(Status::Passed, format!("the answer to call {number} is like it")),
            Err(None) => {
                let is_lost = self.matcher.run.call(position).is_some_and(|c| c.outcome() == Outcome::Lost);
                let why = if is_lost { "was never answered" } else { "has no answer in the recording" };
                check(Status::Failed, format!("call {number} {why}"))
            }
            Err(Some(difference)) => {
                let made =
                    check(Status::Failed, format!("the answer to call {number}: {}", difference.sentence()));
                made.map(|c| Check {
                    expected: difference.expected.clone(),
                    actual: difference.actual.clone(),
                    ..c
                })
            }
        };
        made.map(|c| c.calls([number]))
    }

    /// What depends on a step whose blocking evaluation failed tells nothing: it had not what it needs.
    fn block(&self, blocked: &[usize], owners: &[Option<usize>], checks: &mut [Check]) {
        let steps = &self.session.steps;
        let mut all: BTreeSet<usize> = BTreeSet::new();
        for (index, step) in steps.iter().enumerate() {
            let depends = |on: &usize| {
                *on < index
                    && steps.get(*on).is_some_and(|s| {
                        s.id.is_some() && s.id == step.requires
                            || s.captures.iter().any(|c| step.variables.contains(c))
                    })
            };
            if blocked.iter().any(depends) || all.iter().any(depends) {
                all.insert(index);
            }
        }
        for (check, owner) in checks.iter_mut().zip(owners) {
            if check.status == Status::Failed && owner.is_some_and(|o| all.contains(&o)) {
                check.status = Status::Inconclusive;
                check.message.push_str(" (a blocking check that it depends on failed)");
            }
        }
    }

    /// Calls that no step accounts for, where they are not allowed.
    fn extra(&self, order: &Order) -> Option<Check> {
        let is_strict = self
            .session
            .steps
            .iter()
            .flat_map(|s| &s.evaluations)
            .chain(&self.session.evaluations)
            .any(|e| matches!(&e.check, Asked::ToolCall { strict: true, .. }));
        let policy = match (order.extra_calls, is_strict) {
            (Some(policy), _) => policy,
            (None, true) => ExtraCalls::Forbid,
            (None, false) => self.session.settings.extra_calls,
        };
        let reads =
            |tool: &str| order.listing.as_ref().and_then(|l| l.get(tool)).is_some_and(|t| t.read_only);
        let extra = match policy {
            ExtraCalls::Allow => return None,
            ExtraCalls::AllowReadOnly => evaluate::extra_calls(self.matcher, self.evaluator.found, reads),
            ExtraCalls::Forbid => evaluate::extra_calls(self.matcher, self.evaluator.found, |_| false),
        };
        let Some(first) = extra.first() else {
            return Some(Check::new(
                "extra-calls",
                "calls",
                Status::Passed,
                "there is no call beside the expected ones",
            ));
        };
        let call = self.matcher.run.trace.call(first - 1);
        let tool = call.map_or(String::new(), |c| crate::error::cut(c.tool()));
        let sent = call.map_or(String::new(), |c| short(&Value::String(c.arguments_text().to_string())));
        let more =
            if extra.len() > 1 { format!(", and {} more are not", extra.len() - 1) } else { String::new() };
        let message = format!("call {first} to `{tool}` with {sent} is not expected{more}");
        Some(Check::new("extra-calls", "calls", Status::Failed, message).calls(extra.into_iter().take(20)))
    }
}
