//! How the calls of a run went, from the recording, the listing and the faults that the case declares.
//!
//! Only a call that was rejected before it was sent can be recovered. A refusal, a protocol error or a lost answer that
//! nobody declared fails `tool-results`; a lost answer to a write leaves it open whether the write is there, and so it
//! must not be sent again, and is reported as unresolved in the end.

mod answer;
mod lookups;
mod results;

use super::listing::Listing;
use super::run::{Run, same_arguments};
use super::verdict::{Check, Diagnostic, Quality, Severity, Status};
use crate::expect::Injected;
use crate::suggest;
use crate::trace::{Arguments, Call, Outcome};
use serde_json::Value;
use std::collections::BTreeMap;

/// Diagnostics that are listed.
const MAX_DIAGNOSTICS: usize = 1000;
/// Numbers of calls in one.
const MAX_NUMBERS: usize = 20;

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Answered with success.
    Done,
    /// Its arguments are none that the tool takes, and the tool took them.
    TakenAnyway,
    /// Not sent: the arguments are none that the tool takes, or there is no such tool, and that was said.
    Rejected,
    Refused,
    Protocol,
    Lost,
    NotRecorded,
}

/// What is wrong with a call, by the listing.
#[derive(Debug, Clone)]
struct Flaw {
    position: usize,
    why: String,
}

pub(super) struct Judge<'q, 't> {
    run: &'q Run<'t>,
    listing: Option<&'q Listing>,
    faults: &'q BTreeMap<String, Injected>,
    classes: Vec<Class>,
    quality: &'q mut Quality,
}

/// Judge the calls of `run`: the named checks, and diagnostics into `quality`.
pub(super) fn judge<'q, 't>(
    run: &'q Run<'t>,
    listing: Option<&'q Listing>,
    faults: &'q BTreeMap<String, Injected>,
    quality: &'q mut Quality,
) -> Vec<Check> {
    let mut judge = Judge { run, listing, faults, classes: Vec::with_capacity(run.len()), quality };
    judge.classify();
    let recovery = judge.recovery();
    let writes = judge.uncertain_writes();
    let refusals = judge.refusals();
    judge.repeated();
    judge.unused();
    let results = judge.results();
    let answer = judge.final_answer();
    [results, recovery, writes, refusals].into_iter().chain(answer).collect()
}

impl Judge<'_, '_> {
    fn class(&self, position: usize) -> Class {
        self.classes.get(position).copied().unwrap_or(Class::NotRecorded)
    }

    fn number(&self, position: usize) -> usize {
        self.run.number(position)
    }

    fn say(&mut self, category: &'static str, severity: Severity, reason: String, calls: &[usize]) {
        self.quality.worst = self.quality.worst.max(Some(severity));
        if self.quality.diagnostics.len() >= MAX_DIAGNOSTICS {
            self.quality.more += 1;
            return;
        }
        let calls = calls.iter().take(MAX_NUMBERS).copied().collect();
        self.quality.diagnostics.push(Diagnostic { category, severity, reason, calls });
    }

    fn is_read(&self, call: &Call<'_>) -> bool {
        self.listing.and_then(|l| l.get(call.tool())).is_some_and(|t| t.read_only)
    }

    fn is_repeatable(&self, call: &Call<'_>) -> bool {
        self.listing.and_then(|l| l.get(call.tool())).is_some_and(|t| t.read_only || t.idempotent)
    }

    fn declares(&self, call: &Call<'_>, fault: Injected) -> bool {
        self.faults.get(call.tool()) == Some(&fault)
    }

    fn classify(&mut self) {
        for (position, call) in self.run.calls() {
            let flaw = self.flaw(&call);
            let class = match (call.outcome(), &flaw) {
                (Outcome::Rejected, _) => Class::Rejected,
                (Outcome::Refused | Outcome::Protocol, Some(_)) => Class::Rejected,
                (Outcome::Refused, None) => Class::Refused,
                (Outcome::Protocol, None) => Class::Protocol,
                (Outcome::Lost, _) => Class::Lost,
                (Outcome::NotRecorded, _) => Class::NotRecorded,
                (Outcome::Ok, Some(_)) => Class::TakenAnyway,
                (Outcome::Ok, None) => Class::Done,
            };
            let mut told = flaw.filter(|_| class == Class::TakenAnyway).map(|why| Flaw { position, why });
            let mut class = class;
            // An answer that is not what the tool promises is no answer to build on.
            if let (Class::Done | Class::TakenAnyway, Some(why)) = (class, self.broken_promise(&call)) {
                class = Class::Lost;
                told = Some(Flaw { position, why });
            }
            self.classes.push(class);
            if let Some(flaw) = told {
                let number = self.number(flaw.position);
                let reason = format!("call {number} to `{}`: {}", crate::error::cut(call.tool()), flaw.why);
                self.say("schema-violation", Severity::Warning, reason, &[number]);
            }
        }
    }

    /// Why the listing does not admit the call.
    fn flaw(&self, call: &Call<'_>) -> Option<String> {
        let listing = self.listing?;
        let Some(tool) = listing.get(call.tool()) else {
            let near = suggest::closest(call.tool(), listing.names());
            let near = near.map_or(String::new(), |n| format!(" (there is `{n}`)"));
            return Some(format!("the listing has no such tool{near}"));
        };
        match call.arguments() {
            Arguments::Value(value) => {
                tool.refuses(&value).map(|why| format!("its inputSchema refuses the arguments: {why}"))
            }
            Arguments::Text(_) => Some("the arguments are not JSON".to_string()),
            Arguments::NotRecorded => None,
        }
    }

    fn broken_promise(&self, call: &Call<'_>) -> Option<String> {
        let tool = self.listing?.get(call.tool()).filter(|t| t.has_output())?;
        // Transcripts hold texts alone: what is no JSON there may have been structured on the wire.
        let result = call.structured().or_else(|| serde_json::from_str::<Value>(call.text()).ok());
        match result {
            Some(result) => {
                tool.breaks_promise(&result).map(|why| format!("its outputSchema refuses the result: {why}"))
            }
            None if call.text().is_empty() || self.run.trace.format == crate::trace::Format::McpJsonRpc => {
                Some("it promises structured content (outputSchema), and the result has none".to_string())
                    .filter(|_| self.run.trace.format == crate::trace::Format::McpJsonRpc)
            }
            None => None,
        }
    }

    /// One rejection, look-ups, success: recovered. A second in a row, or no success: not.
    fn recovery(&mut self) -> Check {
        let rejected: Vec<usize> =
            (0..self.run.len()).filter(|p| self.class(*p) == Class::Rejected).collect();
        let mut failed: Vec<usize> = Vec::new();
        let mut recovered = 0;
        let mut rest = rejected.iter().copied().peekable();
        while let Some(first) = rest.next() {
            let mut row = vec![first];
            while let Some(next) =
                rest.next_if(|next| self.follows_at_once(row.last().copied().unwrap_or(first), *next))
            {
                row.push(next);
            }
            let numbers: Vec<usize> = row.iter().map(|p| self.number(*p)).collect();
            let tool = self.run.call(first).map_or(String::new(), |c| crate::error::cut(c.tool()));
            if row.len() > 1 {
                let reason = format!(
                    "{} calls in a row were rejected before they were sent, the first to `{tool}`",
                    row.len()
                );
                self.say("call-recovery", Severity::Failure, reason, &numbers);
                failed.extend(&numbers);
            } else if let Some(success) = self.success_after(first) {
                let number = self.number(success);
                let reason = format!(
                    "call {} to `{tool}` was rejected before it was sent, and call {number} succeeded",
                    self.number(first)
                );
                self.say("call-recovery", Severity::Warning, reason, &[self.number(first), number]);
                recovered += 1;
            } else {
                let reason = format!(
                    "call {} to `{tool}` was rejected before it was sent, and no call succeeded after it",
                    self.number(first)
                );
                self.say("call-recovery", Severity::Failure, reason, &numbers);
                failed.extend(&numbers);
            }
        }
        let status = Status::of(failed.is_empty());
        let message = match (failed.is_empty(), recovered) {
            (false, _) => "calls were rejected before they were sent and not recovered at once".to_string(),
            (true, 0) => "no call was rejected before it was sent".to_string(),
            (true, 1) => {
                "one call was rejected and put right; the rejected one was never sent, so it changed nothing"
                    .to_string()
            }
            (true, n) => format!(
                "{n} calls were rejected, each put right; the rejected ones were never sent, so they changed nothing"
            ),
        };
        Check::new("call-recovery", "calls", status, message).calls(failed.into_iter().take(MAX_NUMBERS))
    }

    /// Whether nothing but look-ups lies between two rejections.
    fn follows_at_once(&self, before: usize, after: usize) -> bool {
        (before + 1..after)
            .all(|p| self.class(p) == Class::Done && self.run.call(p).is_some_and(|c| self.is_read(&c)))
    }

    /// The call that puts a rejected one right: a success of that tool; for a tool that there is not, of the one that
    /// was meant.
    fn success_after(&self, rejected: usize) -> Option<usize> {
        let call = self.run.call(rejected)?;
        let is_known = self.listing.is_none_or(|l| l.get(call.tool()).is_some());
        let meant = match (is_known, self.listing) {
            (false, Some(listing)) => suggest::closest(call.tool(), listing.names()),
            _ => Some(call.tool()),
        };
        (rejected + 1..self.run.len()).find(|p| {
            matches!(self.class(*p), Class::Done | Class::TakenAnyway)
                && self.run.call(*p).is_some_and(|c| meant.is_none_or(|tool| c.tool() == tool))
        })
    }

    /// A write whose answer was lost must not be sent again.
    fn uncertain_writes(&mut self) -> Check {
        let lost: Vec<usize> = (0..self.run.len()).filter(|p| self.class(*p) == Class::Lost).collect();
        let (mut failed, mut open) = (Vec::new(), 0);
        let mut later: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        if !lost.is_empty() {
            for (p, call) in self.run.calls().filter(|(p, _)| self.class(*p) != Class::Rejected) {
                later.entry(call.tool().to_string()).or_default().push(p);
            }
        }
        for position in lost {
            let Some(call) = self.run.call(position).filter(|c| !self.is_repeatable(c)) else { continue };
            let calls = later.get(call.tool()).map_or(&[][..], Vec::as_slice);
            let from = calls.partition_point(|p| *p <= position);
            let again = calls
                .get(from..)
                .unwrap_or_default()
                .iter()
                .copied()
                .find(|p| self.run.call(*p).is_some_and(|c| same_arguments(&call, &c)));
            let (number, tool) = (self.number(position), crate::error::cut(call.tool()));
            match again {
                Some(again) => {
                    let second = self.number(again);
                    let reason = format!(
                        "the answer to call {number}, a write (`{tool}`), was lost, and call {second} sends it again: it may be there twice"
                    );
                    self.say("uncertain-write", Severity::Failure, reason, &[number, second]);
                    failed.extend([number, second]);
                }
                None if self.declares(&call, Injected::Lost) => {
                    let reason = format!(
                        "the answer to call {number}, a write (`{tool}`), was lost as declared, and it was not sent again"
                    );
                    self.say("uncertain-write", Severity::Info, reason, &[number]);
                    open += 1;
                }
                None => {}
            }
        }
        let message = match (failed.is_empty(), open) {
            (false, _) => "a write was sent again after its answer was lost",
            (true, 0) => "no write was sent again after its answer was lost",
            (true, _) => {
                "a write whose answer was lost was not sent again; whether it is there, the recording does not show"
            }
        };
        Check::new("uncertain-write", "calls", Status::of(failed.is_empty()), message)
            .calls(failed.into_iter().take(MAX_NUMBERS))
    }

    /// After a refusal that the case declares, no other attempt is made at that tool.
    fn refusals(&mut self) -> Check {
        let mut failed = Vec::new();
        let mut standing = 0;
        let mut first: BTreeMap<String, (usize, bool)> = BTreeMap::new();
        let are_declared = self.faults.values().any(|f| *f == Injected::Refused);
        for position in 0..if are_declared { self.run.len() } else { 0 } {
            let Some(call) = self.run.call(position) else { continue };
            let tool = call.tool();
            match first.get(tool).copied() {
                None if self.class(position) == Class::Refused && self.declares(&call, Injected::Refused) => {
                    first.insert(tool.to_string(), (position, false));
                }
                Some((refused, false))
                    if self.run.call(refused).is_some_and(|c| !same_arguments(&c, &call)) =>
                {
                    let numbers = [self.number(refused), self.number(position)];
                    let reason = format!(
                        "`{}` refused call {} as declared, and call {} tries it with other arguments",
                        crate::error::cut(tool),
                        numbers[0],
                        numbers[1]
                    );
                    self.say("expected-error", Severity::Failure, reason, &numbers);
                    failed.extend(numbers);
                    first.insert(tool.to_string(), (refused, true));
                }
                _ => {}
            }
        }
        for (tool, (position, was_retried)) in first {
            if !was_retried {
                let number = self.number(position);
                let reason = format!(
                    "`{}` refused call {number} as declared, and that was left standing",
                    crate::error::cut(&tool)
                );
                self.say("expected-error", Severity::Info, reason, &[number]);
                standing += 1;
            }
        }
        let message = match (failed.is_empty(), standing) {
            (false, _) => "after a refusal that the case declares, another attempt was made",
            (true, 0) => "the case declares no refusal that occurred",
            (true, _) => "a declared refusal was left standing; what was refused was not done",
        };
        Check::new("expected-error", "calls", Status::of(failed.is_empty()), message)
            .calls(failed.into_iter().take(MAX_NUMBERS))
    }
}
