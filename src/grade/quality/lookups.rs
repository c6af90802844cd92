//! Look-ups that were not needed: asked twice, or asked and not used.

use super::{Class, Judge};
use crate::grade::run::same_arguments;
use crate::grade::verdict::Severity;
use serde_json::Value;

/// Calls of one run of which unused results are looked for; the search looks at what comes after each.
const MAX_UNUSED: usize = 2_000;

impl Judge<'_, '_> {
    /// The same look-up twice, with nothing between.
    pub(super) fn repeated(&mut self) {
        for position in 1..self.run.len() {
            let (Some(before), Some(call)) = (self.run.call(position - 1), self.run.call(position)) else {
                continue;
            };
            let is_same =
                before.tool() == call.tool() && self.is_read(&call) && same_arguments(&before, &call);
            if is_same && self.class(position - 1) == Class::Done {
                let numbers = [self.number(position - 1), self.number(position)];
                let reason = format!(
                    "`{}` was asked the same twice, with nothing between",
                    crate::error::cut(call.tool())
                );
                self.say("repeated-call", Severity::Warning, reason, &numbers);
            }
        }
    }

    /// Look-ups of which nothing occurs in any later argument or text. Told only where results are JSON with values that
    /// can be recognised, and where the recording holds what was said in the end.
    pub(super) fn unused(&mut self) {
        let run = self.run;
        if run.len() > MAX_UNUSED || run.final_answer().is_none() {
            return;
        }
        let texts: Vec<(u32, String)> = run
            .calls()
            .map(|(_, c)| (c.made(), c.arguments_text().to_lowercase()))
            .chain(run.said.iter().map(|s| (s.at, s.text.to_lowercase())))
            .collect();
        for (position, call) in run.calls() {
            if self.class(position) != Class::Done || !self.is_read(&call) {
                continue;
            }
            let Some(answered) = call.answered() else { continue };
            let values = call
                .payload()
                .filter(|p| p.is_object() || p.is_array())
                .map(|p| leaves(&p))
                .unwrap_or_default();
            let is_used =
                |v: &String| texts.iter().any(|(at, text)| *at > answered && text.contains(v.as_str()));
            let goes_on = texts.iter().any(|(at, _)| *at > answered);
            if !values.is_empty() && goes_on && !values.iter().any(is_used) {
                let number = self.number(position);
                let reason = format!(
                    "nothing of the result of call {number} to `{}` occurs in what came after it",
                    crate::error::cut(call.tool())
                );
                self.say("unused-result", Severity::Info, reason, &[number]);
            }
        }
    }
}

/// Values of a result that would be recognised elsewhere: words of four letters and more, numbers of three digits.
fn leaves(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![value];
    while let Some(next) = open.pop() {
        match next {
            Value::String(text) => {
                let words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| w.chars().count() >= 4);
                found.extend(words.map(str::to_lowercase));
            }
            Value::Number(n) if n.to_string().len() >= 3 => found.push(n.to_string()),
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
        if found.len() > 2_000 {
            return Vec::new();
        }
    }
    found
}
