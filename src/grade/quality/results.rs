//! The check `tool-results`, which every recording gets.

use super::{Class, Judge, MAX_NUMBERS};
use crate::expect::Injected;
use crate::grade::verdict::{Check, Status};
use crate::trace::Outcome;

impl Judge<'_, '_> {
    /// Every call was answered with success, but for what was recovered or declared.
    pub(super) fn results(&self) -> Check {
        let mut wrong: Vec<(usize, &str)> = Vec::new();
        let (mut count, mut unknown, mut lost_writes, mut rejected) = (0, 0, 0, 0);
        for (position, call) in self.run.calls() {
            let what = match self.class(position) {
                Class::Done | Class::TakenAnyway => continue,
                // `call-recovery` has its say.
                Class::Rejected => {
                    rejected += 1;
                    continue;
                }
                Class::NotRecorded => {
                    unknown += 1;
                    continue;
                }
                Class::Refused if self.declares(&call, Injected::Refused) => continue,
                Class::Lost if self.declares(&call, Injected::Lost) => {
                    lost_writes += 1;
                    continue;
                }
                Class::Refused => "was refused by the tool",
                Class::Protocol => "was answered by a protocol error",
                Class::Lost if call.outcome() == Outcome::Lost => "has no answer",
                Class::Lost => "was answered by what its outputSchema refuses",
            };
            count += 1;
            if wrong.len() < MAX_NUMBERS {
                wrong.push((position, what));
            }
        }
        if let Some((position, what)) = wrong.first() {
            let call = self.run.call(*position);
            let (tool, said) = call.map_or((String::new(), String::new()), |c| {
                (crate::error::cut(c.tool()), crate::error::cut(c.text()))
            });
            let said = if said.is_empty() { said } else { format!(" (`{said}`)") };
            let more = if count > 1 { format!("; {} more calls failed", count - 1) } else { String::new() };
            let message = format!(
                "call {} to `{tool}` {what}{said}, and no fault of that kind is declared{more}",
                self.number(*position)
            );
            let calls = wrong.iter().map(|(p, _)| self.number(*p));
            return Check::new("tool-results", "calls", Status::Failed, message).calls(calls);
        }
        let mut message = "every call was answered with success".to_string();
        if rejected > 0 {
            message = "every call that was sent was answered with success".to_string();
        }
        if lost_writes > 0 {
            message.push_str(", but for answers lost as declared: that such a write is there is not shown");
        } else if unknown > 0 {
            message = format!(
                "no recorded answer tells of a failure; {unknown} calls have no answer in the recording, so that they succeeded is not shown"
            );
        } else {
            message.push_str("; what they changed behind the tools, the recording does not show");
        }
        Check::new("tool-results", "calls", Status::Passed, message)
    }
}
