//! A call that was not made: which one comes nearest, and where it first differs.

use super::Judge;
use crate::expect::Step;
use crate::expect::compare::{self, Mode};
use crate::grade::run::Sent;
use crate::grade::steps::tool_of;
use crate::grade::verdict::{Check, Status};
use crate::suggest;
use serde_json::Value;

/// Calls that are looked at for the one that comes nearest.
const MAX_NEAR: usize = 2_000;

impl Judge<'_, '_, '_> {
    /// A call that was not made: the call that comes nearest, and where it first differs.
    pub(super) fn missing(&self, index: usize, step: &Step, id: &str) -> Option<Check> {
        let run = self.matcher.run;
        let target = tool_of(self.session, step.target.as_deref().unwrap_or_default());
        let mut check = Check::new(id, "step", Status::Failed, "");
        check.step = Some(step.label());
        check.expected = step.arguments.as_ref().map(|(_, v)| v.clone());
        let candidates = self.matcher.candidates(index);
        if candidates.is_empty() {
            let called: Vec<&str> = run.tools().collect();
            let near = suggest::closest(target, called.iter().copied());
            check.message = match (near, called.is_empty()) {
                (Some(near), _) => format!("`{target}` was not called; `{}` was", crate::error::cut(near)),
                (None, true) => format!("`{target}` was not called: the recording holds no call"),
                (None, false) => {
                    let some: Vec<String> =
                        called.iter().take(5).map(|t| format!("`{}`", crate::error::cut(t))).collect();
                    format!("`{target}` was not called; called were {}", some.join(", "))
                }
            };
            return Some(check);
        }
        // A call that sends just that has another place in the order, or is another step.
        let sends = |p: &usize| matches!(self.matcher.sent(step, *p), Some(Ok(())));
        if let Some(position) = candidates.iter().copied().find(sends) {
            let number = run.number(position);
            let taken = self.evaluator.found.step_of(position);
            check.message = match taken.and_then(|s| self.session.steps.get(s)) {
                Some(other) => format!("one call too few: call {number}, which fits, is {}", other.label()),
                None => format!("call {number} fits, but comes before what has to come before it"),
            };
            return Some(check.calls([number]));
        }
        let weigh = |p: &usize| {
            let same = step.arguments.as_ref().map_or(0, |(_, expected)| self.agreement(expected, *p));
            (same, self.evaluator.found.step_of(*p).is_none())
        };
        // Of equals the first.
        let nearest = candidates.iter().take(MAX_NEAR).copied().rev().max_by_key(weigh)?;
        let number = run.number(nearest);
        check.message = format!("no call to `{target}` is as expected; nearest is call {number}");
        if let Some(Err(difference)) = self.matcher.sent(step, nearest) {
            check.message = format!("{}: {}", check.message, difference.sentence());
            check.actual = run.with_sent(nearest, |sent| match sent {
                Sent::Value(value) => Some(value.clone()),
                Sent::Text(text) => Some(Value::String(text.clone())),
                Sent::NotRecorded => None,
            });
        }
        Some(check.calls([number]))
    }

    /// How many of the expected arguments a call has as they are.
    fn agreement(&self, expected: &Value, position: usize) -> usize {
        let Value::Object(wanted) = expected else { return 0 };
        self.matcher.run.with_sent(position, |sent| match sent {
            Sent::Value(Value::Object(given)) => wanted
                .iter()
                .filter(|(key, value)| {
                    given
                        .get(*key)
                        .is_some_and(|g| compare::fits(value, g, Mode::Partial, &self.session.patterns))
                })
                .count(),
            _ => 0,
        })
    }
}
