//! Evaluations of other evaluations, of variables, and of steps that were expected.

use super::{Content, Ended, Evaluator};
use crate::expect::compare::{is_same, short};
use crate::expect::{Evaluation, Kind, Selector, Step};
use crate::grade::run::What;
use crate::grade::selectors;
use crate::grade::steps::Hit;
use crate::grade::verdict::{Check as Judged, Status};
use serde_json::Value;

impl Evaluator<'_, '_, '_> {
    pub(super) fn composed(
        &self,
        inner: &[Evaluation],
        threshold: Option<f64>,
        step: Option<(usize, &Step)>,
        word: &str,
        enough: fn(usize, usize) -> bool,
    ) -> Ended {
        let ended: Vec<Judged> =
            inner.iter().map(|e| self.judge(e, step)).filter(|j| j.status != Status::Skipped).collect();
        let passed = ended.iter().filter(|j| j.status == Status::Passed).count();
        let open = ended.iter().filter(|j| j.status == Status::Inconclusive).count();
        let judge = |passed: usize| match threshold {
            Some(threshold) if !ended.is_empty() => passed as f64 / ended.len() as f64 >= threshold,
            _ => enough(passed, ended.len()),
        };
        // What could not be judged decides only if it could make a difference.
        let status = match (judge(passed), judge(passed + open)) {
            (true, true) => Status::Passed,
            (false, false) => Status::Failed,
            _ => Status::Inconclusive,
        };
        let status = if ended.is_empty() { Status::Skipped } else { status };
        let why = ended
            .iter()
            .find(|j| j.status == Status::Failed)
            .map_or(String::new(), |j| format!("; {}: {}", j.id, j.message));
        let wanted = threshold.map_or_else(|| word.to_string(), |t| format!("an average of {t}"));
        let calls = ended.iter().flat_map(|j| j.calls.iter().copied()).take(20).collect();
        let message = format!(
            "{passed} of {} pass; expected {wanted}{}",
            ended.len(),
            if status == Status::Passed { String::new() } else { why }
        );
        Ended::new(status, message).calls(calls)
    }

    pub(super) fn none_of(
        &self,
        inner: &[Evaluation],
        threshold: Option<f64>,
        step: Option<(usize, &Step)>,
    ) -> Ended {
        let ended = self.composed(inner, threshold, step, "none", |passed, _| passed > 0);
        let status = match ended.status {
            Status::Passed => Status::Failed,
            Status::Failed => Status::Passed,
            other => other,
        };
        let message = ended.message.split("; ").next().unwrap_or_default().to_string();
        Ended { status, message: format!("{message}; expected none"), ..ended }
    }

    /// Every place that the document fills from a variable, in what was found, and what it was captured with.
    pub(super) fn consistency(&self, name: &str) -> Ended {
        let session = self.matcher.session;
        let mut values: Vec<(String, Value, Vec<usize>)> = Vec::new();
        let mut open = 0;
        for (_, value) in session.captures.iter().filter(|(n, _)| n == name) {
            values.push(("captured".to_string(), value.clone(), Vec::new()));
        }
        if let Some(value) = session.bindings.get(name).filter(|_| values.is_empty()) {
            values.push(("given".to_string(), value.clone(), Vec::new()));
        }
        for (index, step) in session.steps.iter().enumerate() {
            for (_, pointer) in step.uses.iter().filter(|(n, _)| n == name) {
                let there = match self.content(Some((index, step))) {
                    Content::There { value, calls, .. } => value.pointer(pointer).map(|v| (v.clone(), calls)),
                    Content::Absent(..) => None,
                };
                match there {
                    Some((value, calls)) => {
                        values.push((format!("{} at `{pointer}`", step.label()), value, calls))
                    }
                    None => open += 1,
                }
            }
        }
        let Some((first, value, _)) = values.first() else {
            return Ended::new(Status::Inconclusive, format!("the recording holds no value of `{name}`"));
        };
        match values.iter().find(|(_, v, _)| !is_same(v, value)) {
            Some((where_, other, calls)) => {
                let text = format!("`{name}` is {} ({first}) and {} ({where_})", short(value), short(other));
                Ended {
                    expected: Some(value.clone()),
                    actual: Some(other.clone()),
                    ..Ended::new(Status::Failed, text)
                }
                .calls(calls.clone())
            }
            None if open > 0 && values.len() < 2 => Ended::new(
                Status::Inconclusive,
                format!("no step that uses `{name}` was found in the recording"),
            ),
            None => {
                Ended::new(Status::Passed, format!("`{name}` is {} at {} places", short(value), values.len()))
            }
        }
    }

    pub(super) fn expected(&self, behavior: &str, after: Option<&Selector>, reason: Option<&str>) -> Ended {
        let steps = &self.matcher.session.steps;
        let Some((index, step)) = steps.iter().enumerate().find(|(_, s)| s.id.as_deref() == Some(behavior))
        else {
            return Ended::new(Status::Inconclusive, format!("there is no behavior `{behavior}`"));
        };
        let hit = match step.kind {
            Kind::Response => self.response_call(index, step).map(Hit::Call),
            _ => self.found.hit(index),
        };
        let failed = |text: String| {
            Ended::new(Status::Failed, reason.map_or(text.clone(), |r| format!("{r} ({text})")))
        };
        let Some(hit) = hit else {
            return match step.kind == Kind::Says && !self.matcher.run.trace.format.records_texts() {
                true => Ended::new(Status::Inconclusive, "the recording's format holds no texts"),
                false => failed(format!("{} was expected and did not occur", step.label())),
            };
        };
        let what = match (hit, step.kind) {
            (Hit::Call(p), Kind::Response) => What::Answer(p),
            (Hit::Call(p), _) => What::Call(p),
            (Hit::Said(i), _) => What::Said(i),
        };
        let calls = if let Hit::Call(p) = hit { vec![self.matcher.run.number(p)] } else { Vec::new() };
        let at = self.matcher.run.events().iter().position(|e| e.what == what);
        if let (Some(after), Some(at)) = (after, at) {
            let is_after = self.matcher.selected(after).next().is_some_and(|start| start < at);
            if !is_after {
                return failed(format!("{} does not come after {}", step.label(), selectors::words(after)))
                    .calls(calls);
            }
        }
        Ended::new(Status::Passed, format!("{} occurred", step.label())).calls(calls)
    }
}
