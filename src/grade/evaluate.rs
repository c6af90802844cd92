//! Evaluations of a session against what its steps were.

mod whole;

use super::run::{Sent, is_called};
use super::steps::{Found, Hit, Matcher, is_matched_by_steps, tool_of};
use super::verdict::{Check as Judged, Status};
use crate::expect::compare::{Mode, is_same, short};
use crate::expect::{Check, Evaluation, Kind, Step};
use serde_json::Value;
use std::collections::BTreeMap;

/// A judgement that somebody else made of an evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    pub passed: bool,
    pub reason: String,
}

/// Recorded judgements by the id of the check.
pub type Judgements = BTreeMap<String, Judgement>;

/// What an evaluation of content looks at.
enum Content {
    /// A text, and what it says as JSON.
    There { text: String, value: Value, calls: Vec<usize> },
    /// The step did not occur, or the recording does not hold it.
    Absent(Status, String),
}

/// Evaluates within one session and run.
pub(super) struct Evaluator<'m, 's, 't> {
    pub(super) matcher: &'m Matcher<'s, 't>,
    pub(super) found: &'m Found,
    pub(super) judgements: &'m Judgements,
}

/// How an evaluation ended.
struct Ended {
    status: Status,
    message: String,
    calls: Vec<usize>,
    expected: Option<Value>,
    actual: Option<Value>,
}

impl Ended {
    fn new(status: Status, message: impl Into<String>) -> Ended {
        Ended { status, message: message.into(), calls: Vec::new(), expected: None, actual: None }
    }

    fn calls(self, calls: Vec<usize>) -> Ended {
        Ended { calls, ..self }
    }
}

/// Whether `text` passes a check that is about a text alone; `None` for every other check.
pub(super) fn of_text(check: &Check, text: &str) -> Option<bool> {
    match check {
        Check::Contains { value, case_sensitive: true } => Some(text.contains(value.as_str())),
        Check::Contains { value, case_sensitive: false } => {
            Some(text.to_lowercase().contains(&value.to_lowercase()))
        }
        Check::Regex(pattern) => Some(pattern.is_match(text)),
        Check::ExactMatch(Value::String(value)) => Some(value == text),
        _ => None,
    }
}

impl Evaluator<'_, '_, '_> {
    /// The evaluation `e` of `step`, or of the whole session.
    pub(super) fn judge(&self, e: &Evaluation, step: Option<(usize, &Step)>) -> Judged {
        let ended = match e.when.as_deref().map(holds) {
            Some(Err(why)) => Ended::new(Status::Inconclusive, why),
            Some(Ok(false)) => Ended::new(Status::Skipped, "its `when` does not hold"),
            _ => self.check(e, step),
        };
        let mut judged = Judged::new(&e.id, &e.kind, ended.status, ended.message).calls(ended.calls);
        (judged.expected, judged.actual) = (ended.expected, ended.actual);
        judged.step = step.map(|(_, s)| s.label());
        judged
    }

    fn check(&self, e: &Evaluation, step: Option<(usize, &Step)>) -> Ended {
        match &e.check {
            Check::ToolCall { target, arguments, every, .. } => {
                self.tool_call(&e.check, target.as_deref(), arguments.as_ref(), *every, step)
            }
            Check::AllOf(inner, threshold) => {
                self.composed(inner, *threshold, step, "all", |passed, all| passed == all)
            }
            Check::AnyOf(inner, threshold) => {
                self.composed(inner, *threshold, step, "any", |passed, _| passed > 0)
            }
            Check::NoneOf(inner, threshold) => self.none_of(inner, *threshold, step),
            Check::VariableConsistency(name) => self.consistency(name),
            Check::Expected { behavior, after, reason } => {
                self.expected(behavior, after.as_ref(), reason.as_deref())
            }
            Check::Recorded => match self.judgements.get(&e.id) {
                Some(judgement) => {
                    Ended::new(Status::of(judgement.passed), format!("as recorded: {}", judgement.reason))
                }
                None => Ended::new(Status::Inconclusive, format!("no judgement of `{}` was recorded", e.id)),
            },
            other => match self.matcher.chain(other) {
                Some((status, message, calls)) => Ended::new(status, message).calls(calls),
                None => self.content_check(other, step),
            },
        }
    }

    /// What a step's evaluations look at; without a step, the final answer.
    fn content(&self, step: Option<(usize, &Step)>) -> Content {
        let run = self.matcher.run;
        let of_text = |text: &str, calls: Vec<usize>| {
            let value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_string()));
            Content::There { text: text.to_string(), value, calls }
        };
        let Some((index, step)) = step else {
            return match run.final_answer() {
                Some(said) => of_text(&said.text, Vec::new()),
                None if !run.trace.format.records_texts() => Content::Absent(
                    Status::Inconclusive,
                    "the recording's format holds no texts, so no final answer".to_string(),
                ),
                None => Content::Absent(Status::Failed, "the assistant says nothing".to_string()),
            };
        };
        if self.found.is_skipped(index) {
            return Content::Absent(Status::Skipped, "its step was left out".to_string());
        }
        if step.kind == Kind::Context {
            return match run.said.iter().find(|s| s.actor == "user") {
                Some(said) => of_text(&said.text, Vec::new()),
                None => Content::Absent(
                    Status::Inconclusive,
                    "the recording does not hold what the user does".to_string(),
                ),
            };
        }
        let hit = match step.kind {
            Kind::Response => self.response_call(index, step).map(Hit::Call),
            _ => self.found.hit(index),
        };
        match hit {
            None if step.kind == Kind::Says && !run.trace.format.records_texts() => {
                Content::Absent(Status::Inconclusive, "the recording's format holds no texts".to_string())
            }
            None => Content::Absent(Status::Failed, "its step was not found in the recording".to_string()),
            Some(Hit::Said(i)) => of_text(run.said.get(i).map_or("", |s| s.text.as_str()), Vec::new()),
            Some(Hit::Call(position)) => {
                let calls = vec![run.number(position)];
                if step.kind == Kind::Call {
                    return run.with_sent(position, |sent| match sent {
                        Sent::Value(value) => {
                            Content::There { text: value.to_string(), value: value.clone(), calls }
                        }
                        Sent::Text(text) => of_text(text, calls),
                        Sent::NotRecorded => Content::Absent(
                            Status::Inconclusive,
                            "the recording does not hold the arguments".to_string(),
                        ),
                    });
                }
                match run.call(position).and_then(|c| Some((c.payload()?, c.text()))) {
                    Some((value, text)) => {
                        let text = if text.is_empty() { value.to_string() } else { text.to_string() };
                        Content::There { text, value, calls }
                    }
                    None => Content::Absent(Status::Failed, "the call was never answered".to_string()),
                }
            }
        }
    }

    /// Position of the call whose answer a response step is.
    pub(super) fn response_call(&self, index: usize, step: &Step) -> Option<usize> {
        match self.found.answers.get(index).copied().flatten() {
            Some(call) => match self.found.hit(call) {
                Some(Hit::Call(position)) => Some(position),
                _ => None,
            },
            // No step calls the tool: any answer of it will do, the first that fits before all others.
            None => {
                let all = self.matcher.candidates(index);
                let answered = |p: &&usize| self.matcher.run.call(**p).is_some_and(|c| c.payload().is_some());
                let fits = all.iter().find(|p| self.matcher.response(step, **p).is_ok());
                fits.or_else(|| all.iter().find(answered)).or_else(|| all.first()).copied()
            }
        }
    }

    fn content_check(&self, check: &Check, step: Option<(usize, &Step)>) -> Ended {
        let (text, value, calls) = match self.content(step) {
            Content::There { text, value, calls } => (text, value, calls),
            Content::Absent(status, why) => return Ended::new(status, why),
        };
        let shown = || short(&Value::String(text.clone()));
        let ended = match check {
            Check::Contains { value, .. } => {
                let passed = of_text(check, &text) == Some(true);
                let word = if passed { "contains" } else { "does not contain" };
                Ended {
                    expected: Some(Value::String(value.clone())),
                    ..Ended::new(
                        Status::of(passed),
                        format!("{} {word} {}", shown(), short(&Value::String(value.clone()))),
                    )
                }
            }
            Check::Regex(pattern) => {
                let passed = pattern.is_match(&text);
                let word = if passed { "matches" } else { "does not match" };
                Ended {
                    expected: Some(Value::String(pattern.to_string())),
                    ..Ended::new(Status::of(passed), format!("{} {word} `{pattern}`", shown()))
                }
            }
            Check::ExactMatch(wanted) => {
                let passed = of_text(check, &text) == Some(true) || is_same(wanted, &value);
                let word = if passed { "is" } else { "is not" };
                Ended {
                    expected: Some(wanted.clone()),
                    ..Ended::new(Status::of(passed), format!("{} {word} {}", short(&value), short(wanted)))
                }
            }
            Check::Schema(judge) => match super::listing::first_violation(judge, &value) {
                None => Ended::new(Status::Passed, "the schema accepts it"),
                Some(why) => Ended::new(Status::Failed, format!("the schema refuses it: {why}")),
            },
            _ => return Ended::new(Status::Inconclusive, "this check is not made here"),
        };
        Ended { actual: Some(value), ..ended }.calls(calls)
    }

    fn tool_call(
        &self,
        check: &Check,
        target: Option<&str>,
        arguments: Option<&(Mode, Value)>,
        every: bool,
        step: Option<(usize, &Step)>,
    ) -> Ended {
        let matcher = self.matcher;
        // What a step's own call must be, its step has said already.
        if let Some((index, of)) = step.filter(|_| is_matched_by_steps(check)) {
            return match (self.found.hit(index), self.found.is_skipped(index)) {
                (_, true) => Ended::new(Status::Skipped, "its step was left out"),
                (Some(Hit::Call(position)), _) if matcher.sent(of, position).is_none() => {
                    Ended::new(Status::Inconclusive, "the recording does not hold the arguments")
                        .calls(vec![matcher.run.number(position)])
                }
                (Some(Hit::Call(position)), _) => {
                    Ended::new(Status::Passed, "the call was made").calls(vec![matcher.run.number(position)])
                }
                _ => Ended::new(Status::Failed, "the call was not made"),
            };
        }
        let target = target.or_else(|| step.and_then(|(_, s)| s.target.as_deref())).unwrap_or_default();
        let arguments = arguments.or_else(|| step.and_then(|(_, s)| s.arguments.as_ref()));
        let tool = tool_of(matcher.session, target);
        let all = matcher.run.calls_to(tool);
        let sent = |p: &usize| match arguments {
            Some((mode, expected)) => matcher.compare(*mode, expected, *p),
            None => Some(Ok(())),
        };
        if all.is_empty() {
            return Ended::new(Status::Failed, format!("`{tool}` was not called"));
        }
        let results: Vec<_> = all.iter().map(|p| (*p, sent(p))).collect();
        let first_wrong = results.iter().find_map(|(p, r)| match r {
            Some(Err(difference)) => Some((*p, difference)),
            _ => None,
        });
        let numbers = |wanted: fn(&Option<Result<(), crate::expect::compare::Difference>>) -> bool| {
            results
                .iter()
                .filter(|(_, r)| wanted(r))
                .map(|(p, _)| matcher.run.number(*p))
                .take(20)
                .collect::<Vec<_>>()
        };
        let fits = numbers(|r| matches!(r, Some(Ok(()))));
        let unknown = numbers(Option::is_none);
        match (every, first_wrong) {
            (true, Some((position, difference))) => {
                let number = matcher.run.number(position);
                let text = format!("call {number}: {}", difference.sentence());
                Ended {
                    expected: difference.expected.clone(),
                    actual: difference.actual.clone(),
                    ..Ended::new(Status::Failed, text)
                }
                .calls(vec![number])
            }
            (true, None) if unknown.is_empty() => {
                Ended::new(Status::Passed, "every call to it is as expected").calls(fits)
            }
            (false, _) if !fits.is_empty() => {
                Ended::new(Status::Passed, format!("`{tool}` was called so")).calls(fits)
            }
            (_, Some((position, difference))) if unknown.is_empty() => {
                let number = matcher.run.number(position);
                let text =
                    format!("no call to `{tool}` is as expected; call {number}: {}", difference.sentence());
                Ended {
                    expected: difference.expected.clone(),
                    actual: difference.actual.clone(),
                    ..Ended::new(Status::Failed, text)
                }
                .calls(vec![number])
            }
            _ => Ended::new(Status::Inconclusive, "the recording does not hold the arguments").calls(unknown),
        }
    }
}

/// Whether a `when` holds: `A == B`, `A != B`, `true` or `false`.
fn holds(when: &str) -> Result<bool, String> {
    let plain = |text: &str| text.trim().trim_matches(['"', '\'']).to_string();
    if let Some((a, b)) = when.split_once("!=") {
        return Ok(plain(a) != plain(b));
    }
    if let Some((a, b)) = when.split_once("==") {
        return Ok(plain(a) == plain(b));
    }
    match when.trim() {
        "true" => Ok(true),
        "false" => Ok(false),
        other => {
            Err(format!("`when: {}` is neither `A == B`, `A != B`, true nor false", crate::error::cut(other)))
        }
    }
}

/// Whether a call of the run is one that the session's steps account for.
pub(super) fn extra_calls(
    matcher: &Matcher<'_, '_>,
    found: &Found,
    may: impl Fn(&str) -> bool,
) -> Vec<usize> {
    let is_extra = |(p, call): &(usize, crate::trace::Call<'_>)| {
        let is_free = matcher.session.steps.iter().enumerate().any(|(i, s)| {
            s.kind == Kind::Response
                && found.answers.get(i) == Some(&None)
                && s.target.as_deref().is_some_and(|t| is_called(call, tool_of(matcher.session, t)))
        });
        found.step_of(*p).is_none() && !is_free && !may(call.tool())
    };
    matcher.run.calls().filter(is_extra).map(|(p, _)| matcher.run.number(p)).collect()
}
