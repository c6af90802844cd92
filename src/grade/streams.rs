//! Do two recordings of one run agree? What recorded the tools independently of the model, and the model's own stream,
//! must hold the same calls, one for one: what a model only says it did counts for nothing.

use super::run::same_arguments;
use super::verdict::{Check, Status};
use crate::error::cut;
use crate::expect::compare::{Mode, Patterns, difference, literal, short};
use crate::trace::{Arguments, Call, Format, Outcome, Trace};
use serde_json::{Value, json};

/// Calls made at once that are looked at together.
const MAX_AT_ONCE: usize = 1_000;

/// The check `streams-agree`: every call of `recording` is one of `stream`, in the same order, with the same arguments
/// and, where both recorded it, the same success. Calls that the stream makes at once may come in any order.
#[must_use]
pub fn agree(recording: &Trace, stream: &Trace) -> Check {
    let (inner, kept): (Vec<_>, Vec<_>) = stream.calls().partition(|c| is_inner(c, recording, stream));
    let seen: Vec<Call<'_>> = recording.calls().collect();
    let left_out = match inner.len() {
        0 => String::new(),
        n => format!(
            "; {n} calls of the stream to tools of its client (`{}`, …) are none of the recording's",
            cut(inner.first().map_or("", |c| c.tool()))
        ),
    };
    let mut unknown = None;
    let mut at = 0;
    while at < kept.len() {
        let group = group(kept.get(at..).unwrap_or_default());
        let calls = kept.get(at..at + group).unwrap_or_default();
        let mut free: Vec<&Call<'_>> = seen.iter().skip(at).take(group).collect();
        for call in calls {
            match free
                .iter()
                .position(|c| is_one(c, call) == Some(true))
                .or_else(|| free.iter().position(|c| is_one(c, call).is_none()))
            {
                Some(found) => {
                    let partner = free.remove(found);
                    if is_one(partner, call).is_none() {
                        unknown.get_or_insert((partner.number(), call.number()));
                    }
                }
                None => return disagree(free.first().copied(), Some(call)),
            }
        }
        at += group;
    }
    if let Some(more) = seen.get(kept.len()) {
        return disagree(Some(more), None);
    }
    match unknown {
        Some((here, there)) => check(
            Status::Inconclusive,
            format!("call {here} of the recording and call {there} of the stream may be one: not both hold the arguments{left_out}"),
        )
        .calls([here]),
        None => {
            let n = seen.len();
            let calls = if n == 1 { "the one call".to_string() } else { format!("all {n} calls") };
            check(Status::Passed, format!("{calls} of the recording are those of the model's own stream{left_out}"))
        }
    }
}

fn check(status: Status, message: String) -> Check {
    Check::new("streams-agree", "calls", status, message)
}

/// Calls that a client makes to tools of its own (`Bash`, `TodoWrite`) never reach a server that records.
fn is_inner(call: &Call<'_>, recording: &Trace, stream: &Trace) -> bool {
    recording.format == Format::McpJsonRpc && stream.format == Format::ClaudeStream && call.server().is_none()
}

/// How many of `calls`, from the first, were made at once: before any of them was answered.
fn group(calls: &[Call<'_>]) -> usize {
    let mut answered = u32::MAX;
    let mut size = 0;
    for call in calls {
        if size == MAX_AT_ONCE || size > 0 && call.made() > answered {
            break;
        }
        size += 1;
        // Without an answer nobody can tell what was made before it.
        answered = answered.min(call.answered().unwrap_or(call.made()));
    }
    size
}

/// Whether two calls are one; `None` where one recording lacks the arguments.
fn is_one(a: &Call<'_>, b: &Call<'_>) -> Option<bool> {
    let failed = |c: &Call<'_>| match c.outcome() {
        Outcome::Ok => Some(false),
        Outcome::Refused | Outcome::Protocol | Outcome::Rejected => Some(true),
        Outcome::Lost | Outcome::NotRecorded => None,
    };
    let servers_differ = a.server().zip(b.server()).is_some_and(|(a, b)| a != b);
    if a.tool() != b.tool() || servers_differ || failed(a).zip(failed(b)).is_some_and(|(a, b)| a != b) {
        return Some(false);
    }
    match (a.arguments(), b.arguments()) {
        (Arguments::NotRecorded, _) | (_, Arguments::NotRecorded) => None,
        (Arguments::Text(a), Arguments::Text(b)) => Some(a == b),
        _ => Some(same_arguments(a, b)),
    }
}

/// The first disagreement.
fn disagree(here: Option<&Call<'_>>, there: Option<&Call<'_>>) -> Check {
    let said = |c: &Call<'_>| format!("`{}` with {}", cut(c.tool()), short(&sent(c)));
    let message = match (here, there) {
        (Some(here), Some(there)) => {
            let why = if here.tool() != there.tool() {
                String::new()
            } else if let Some(d) =
                difference(&literal(&sent(here)), &sent(there), Mode::Exact, &Patterns::default())
            {
                format!(": {}", d.sentence())
            } else {
                format!(
                    ": it ended as `{}` there, and as `{}` here",
                    there.outcome().word(),
                    here.outcome().word()
                )
            };
            format!(
                "call {} of the recording is {}, and call {} of the stream {}{why}",
                here.number(),
                said(here),
                there.number(),
                said(there)
            )
        }
        (Some(here), None) => {
            format!(
                "call {} of the recording, {}, is not in the model's own stream",
                here.number(),
                said(here)
            )
        }
        (None, Some(there)) => {
            format!("call {} of the model's own stream, {}, was not recorded", there.number(), said(there))
        }
        (None, None) => "the two have not the same calls".to_string(),
    };
    let shown = |c: &Call<'_>| json!({ "tool": c.tool(), "arguments": sent(c) });
    let mut check = check(Status::Failed, message).calls(here.map(Call::number));
    (check.expected, check.actual) = (here.map(shown), there.map(shown));
    check
}

fn sent(call: &Call<'_>) -> Value {
    match call.arguments() {
        Arguments::Value(value) => value,
        Arguments::Text(text) => Value::String(text.to_string()),
        Arguments::NotRecorded => Value::Null,
    }
}
