//! Answers to a pack's tasks, scored as the runner scores them.

use super::assertion::Outcome;
use super::replay::{self, Stop};
use super::task;
use crate::trace::{Arguments, Trace};
use serde_json::Value;

/// The file that an agent writes, where a task does not say otherwise.
const CALL_FILE: &str = "call.json";

/// A task of a pack, as it was read.
#[derive(Debug, Clone)]
pub struct Task {
    /// `pack/name`.
    pub id: String,
    /// The tool's real name; the id's second half where the task does not state one.
    pub tool: String,
    pub document: Value,
}

impl Task {
    /// The task of a valid document.
    #[must_use]
    pub fn of(document: Value) -> Task {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_string);
        let id = text(document.get("id")).unwrap_or_default();
        let stated = text(document.pointer("/metadata/source/tool"));
        let tool = stated.unwrap_or_else(|| id.rsplit('/').next().unwrap_or_default().to_string());
        Task { id, tool, document }
    }

    /// The id's second half, which is the file's stem.
    #[must_use]
    pub fn name(&self) -> &str {
        self.id.split_once('/').map_or(self.id.as_str(), |(_, name)| name)
    }

    /// The schema that grades the answer.
    #[must_use]
    pub fn schema(&self) -> Option<&Value> {
        let assertions = self.document.get("assertions").and_then(Value::as_array)?;
        let graded =
            assertions.iter().find(|a| a.get("type").and_then(Value::as_str) == Some("json_schema"))?;
        graded.get("params")?.get("schema")
    }
}

/// What an agent gave for a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Text of the file that the task asks for.
    Text(String),
    /// Nothing.
    Missing,
    /// Something, and the recording does not hold it.
    NotRecorded,
}

/// One assertion of a task, judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    pub label: String,
    pub kind: String,
    pub weight: f64,
    pub outcome: Outcome,
}

/// An answer, scored.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    pub assertions: Vec<Judged>,
    /// The weighted mean of the assertions; `None` where one could not be judged.
    pub score: Option<f64>,
    /// Whether there was an answer.
    pub is_answered: bool,
}

impl Scored {
    /// The runner passes a task at 1.0 alone.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.score.is_some_and(|score| score >= 1.0)
    }

    /// Why it has not passed: the first reason.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.assertions.iter().find_map(|j| match &j.outcome {
            Outcome::Failed(why) | Outcome::NotJudged(why) => Some(why.as_str()),
            Outcome::Passed => None,
        })
    }
}

/// Score `answer` to `task`: in the workspace that the task starts with, the answer's file is written.
#[must_use]
pub fn score(task: &Task, answer: &Answer) -> Scored {
    let document = &task.document;
    let open = |why: &str| {
        let judged = Judged {
            label: "the answer".to_string(),
            kind: "answer".to_string(),
            weight: 1.0,
            outcome: Outcome::NotJudged(why.to_string()),
        };
        Scored { assertions: vec![judged], score: None, is_answered: true }
    };
    if *answer == Answer::NotRecorded {
        return open("the recording does not hold the arguments of the call");
    }
    let mut files = match replay::starting_workspace(document) {
        Ok(files) => files,
        Err(Stop::Broken(why) | Stop::NotReplayed(why)) => return open(&why),
    };
    if let Answer::Text(text) = answer {
        let path = task::graded_file(document).unwrap_or(CALL_FILE);
        if let Err(e) = files.put(path, text.clone()) {
            return open(&format!("{path}: {e}"));
        }
    }
    let listed = document.get("assertions").and_then(Value::as_array).into_iter().flatten();
    let judged = |(assertion, (label, outcome)): (&Value, (&str, Outcome))| Judged {
        label: label.to_string(),
        kind: assertion.get("type").and_then(Value::as_str).unwrap_or_default().to_string(),
        weight: assertion.get("weight").and_then(Value::as_f64).unwrap_or(1.0),
        outcome,
    };
    let assertions = listed.zip(task::outcomes(document, &files)).map(judged).collect();
    Scored { assertions, score: task::score(document, &files), is_answered: *answer != Answer::Missing }
}

/// The answer to `task` that a recording holds: the last call to its tool, as the last write of a file counts.
#[must_use]
pub fn recorded(task: &Task, trace: &Trace) -> Answer {
    match trace.calls().rev().find(|c| c.tool() == task.tool).map(|c| c.arguments()) {
        None => Answer::Missing,
        Some(Arguments::NotRecorded) => Answer::NotRecorded,
        Some(Arguments::Text(text)) => Answer::Text(text.to_string()),
        Some(Arguments::Value(value)) => Answer::Text(value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn task() -> Task {
        Task::of(json!({"id": "shop/find", "metadata": {"source": {"tool": "Find!"}}, "assertions": [
            {"type": "file_exists", "params": {"path": "call.json"}, "weight": 0.5, "description": "written"},
            {"type": "json_schema", "params": {"path": "call.json", "schema": {"required": ["q"], "properties": {"q": {"type": "string"}}}},
                "weight": 1.0, "description": "valid"}]}))
    }

    #[test]
    fn scores_are_the_runners() {
        let task = task();
        assert_eq!((task.name(), task.tool.as_str()), ("find", "Find!"));
        let of = |text: &str| score(&task, &Answer::Text(text.to_string()));
        assert_eq!(of("{\"q\": \"x\"}").score, Some(1.0));
        for wrong in ["{}", "{\"q\": 1}", "not JSON", ""] {
            let scored = of(wrong);
            assert!((scored.score.unwrap() - 0.5 / 1.5).abs() < 1e-12 && !scored.passed(), "{wrong}");
        }
        assert_eq!(of("{\"q\": 1}").reason(), Some("call.json breaks `type` at /q"));
        let missing = score(&task, &Answer::Missing);
        assert_eq!((missing.score, missing.is_answered), (Some(0.0), false));
        let unknown = score(&task, &Answer::NotRecorded);
        assert_eq!((unknown.score, unknown.passed()), (None, false));
    }
}
