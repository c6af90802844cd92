//! Selectors over the events of a run: sequence, eventually, never, count, within.

use super::run::{Event, What, is_called};
use super::steps::{Matcher, tool_of};
use super::verdict::Status;
use crate::expect::{CALLS, Check, SAYS, Selector};

/// Actions of a tool that answers.
const ANSWERS: [&str; 4] = ["responds", "retrieves", "stores", "updates"];

impl Matcher<'_, '_> {
    /// Whether an event is one of those that `selector` means.
    pub(super) fn is_selected(&self, selector: &Selector, event: &Event) -> bool {
        let Selector { actor, action, target } = selector;
        let actor_is = |names: &[&str]| actor.as_deref().is_none_or(|a| names.contains(&a));
        let action_is = |names: &[&str]| action.as_deref().is_none_or(|a| names.contains(&a));
        let is_tool = |position: usize| {
            let call = self.run.call(position);
            target.as_deref().is_none_or(|t| call.is_some_and(|c| is_called(&c, tool_of(self.session, t))))
        };
        match event.what {
            What::Call(p) => actor_is(&["assistant", "agent"]) && action_is(&CALLS) && is_tool(p),
            What::Answer(p) => actor_is(&["tool", "external"]) && action_is(&ANSWERS) && is_tool(p),
            What::Said(i) => {
                let said = self.run.said.get(i).map_or("", |s| s.actor);
                let same = actor.as_deref().is_none_or(|a| {
                    a == said || a == "agent" && said == "assistant" || a == "human" && said == "user"
                });
                same && action_is(&SAYS) && target.is_none()
            }
        }
    }

    /// Whether the recording leaves out events that `selector` may mean: its format holds no texts.
    fn may_be_unseen(&self, selector: &Selector) -> bool {
        let of_texts = selector.target.is_none()
            && selector.actor.as_deref().is_none_or(|a| !["tool", "external"].contains(&a))
            && selector.action.as_deref().is_none_or(|a| SAYS.contains(&a));
        of_texts && !self.run.trace.format.records_texts()
    }

    /// Positions among the run's events of those that are selected.
    pub(super) fn selected<'a>(&'a self, selector: &'a Selector) -> impl Iterator<Item = usize> + 'a {
        self.run.events().iter().enumerate().filter(|(_, e)| self.is_selected(selector, e)).map(|(i, _)| i)
    }

    fn numbers(&self, positions: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let call = |i: usize| match self.run.events().get(i)?.what {
            What::Call(p) | What::Answer(p) => Some(self.run.number(p)),
            What::Said(_) => None,
        };
        let mut all: Vec<usize> = positions.into_iter().filter_map(call).take(20).collect();
        all.dedup();
        all
    }

    /// The verdict of a check over the events: status, what there is to say, and the calls.
    pub(super) fn chain(&self, check: &Check) -> Option<(Status, String, Vec<usize>)> {
        let missing = |selectors: &[&Selector]| match selectors.iter().any(|s| self.may_be_unseen(s)) {
            true => Status::Inconclusive,
            false => Status::Failed,
        };
        let unseen = "; the recording's format holds no texts";
        let say = |status: Status, text: String| {
            if status == Status::Inconclusive { format!("{text}{unseen}") } else { text }
        };
        Some(match check {
            Check::Eventually(selector) => match self.selected(selector).next() {
                Some(at) => (Status::Passed, format!("{} occurs", words(selector)), self.numbers([at])),
                None => {
                    let status = missing(&[selector]);
                    (status, say(status, format!("{} does not occur", words(selector))), Vec::new())
                }
            },
            Check::Never(selector) => {
                let all: Vec<usize> = self.selected(selector).collect();
                match (all.is_empty(), self.may_be_unseen(selector)) {
                    (false, _) => {
                        let text = format!("{} occurs {}, and must not", words(selector), times(all.len()));
                        (Status::Failed, text, self.numbers(all))
                    }
                    (true, true) => (
                        Status::Inconclusive,
                        format!("{} was not seen{unseen}", words(selector)),
                        Vec::new(),
                    ),
                    (true, false) => {
                        (Status::Passed, format!("{} does not occur", words(selector)), Vec::new())
                    }
                }
            }
            Check::Count { selector, min, max } => {
                let all: Vec<usize> = self.selected(selector).collect();
                let wanted = match (min, max) {
                    (min, &usize::MAX) => format!("at least {min}"),
                    (0, max) => format!("at most {max}"),
                    (min, max) if min == max => format!("{min}"),
                    (min, max) => format!("{min} to {max}"),
                };
                let status = match all.len() {
                    n if n > *max => Status::Failed,
                    _ if self.may_be_unseen(selector) => Status::Inconclusive,
                    n => Status::of(n >= *min),
                };
                let text = format!("{} occurs {}; expected {wanted}", words(selector), times(all.len()));
                (status, say(status, text), self.numbers(all))
            }
            Check::Sequence(order) => {
                let mut from = 0;
                let mut seen = Vec::new();
                for selector in order {
                    let next = self.selected(selector).find(|at| *at >= from);
                    let Some(at) = next else {
                        let status = missing(&order.iter().collect::<Vec<_>>());
                        let before = seen.len();
                        let text = match self.selected(selector).next() {
                            Some(_) => {
                                format!("{} occurs only before number {before} of the order", words(selector))
                            }
                            None => format!("{} does not occur", words(selector)),
                        };
                        return Some((status, say(status, text), self.numbers(seen)));
                    };
                    seen.push(at);
                    from = at + 1;
                }
                (Status::Passed, format!("all {} occur in this order", order.len()), self.numbers(seen))
            }
            Check::Within { after, selector, max_steps } => {
                let Some(start) = self.selected(after).next() else {
                    let status = missing(&[after]);
                    return Some((
                        status,
                        say(status, format!("{} does not occur", words(after))),
                        Vec::new(),
                    ));
                };
                match self.selected(selector).find(|at| *at > start) {
                    Some(at) if at - start <= *max_steps => (
                        Status::Passed,
                        format!("{} follows {} after {}", words(selector), words(after), steps(at - start)),
                        self.numbers([start, at]),
                    ),
                    Some(at) => {
                        let status = missing(&[selector]);
                        let text = format!(
                            "{} follows {} after {}; expected at most {max_steps}",
                            words(selector),
                            words(after),
                            steps(at - start)
                        );
                        (status, say(status, text), self.numbers([start, at]))
                    }
                    None => {
                        let status = missing(&[selector]);
                        (
                            status,
                            say(status, format!("{} does not follow {}", words(selector), words(after))),
                            self.numbers([start]),
                        )
                    }
                }
            }
            _ => return None,
        })
    }
}

fn steps(n: usize) -> String {
    if n == 1 { "1 step".to_string() } else { format!("{n} steps") }
}

fn times(n: usize) -> String {
    match n {
        0 => "never".to_string(),
        1 => "once".to_string(),
        n => format!("{n} times"),
    }
}

/// A selector in words.
pub(super) fn words(selector: &Selector) -> String {
    let part = |text: &Option<String>, otherwise: &str| text.clone().unwrap_or_else(|| otherwise.to_string());
    let target = selector.target.as_deref().map_or(String::new(), |t| format!(" {t}"));
    format!("`{} {}{target}`", part(&selector.actor, "anyone"), part(&selector.action, "does anything"))
}
