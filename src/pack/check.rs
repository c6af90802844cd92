//! Is a pack what it says? Task files → what is wrong with them: against the task schema, and by replaying their
//! solutions and controls. Pure; the files come as texts, from disk or fresh from an export.

use super::read::TaskFile;
use crate::grade::{task, validate};
use crate::threads;
use crate::yaml;
use serde_json::Value;
use std::collections::BTreeMap;

/// How far to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Against the task schema alone.
    Validate,
    /// That, and a replay of every solution and every control.
    Test,
}

/// One thing that is wrong with a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub file: String,
    /// From 1.
    pub line: Option<usize>,
    pub pointer: Option<String>,
    /// The task's id.
    pub task: Option<String>,
    /// Not wrong, as far as anybody can tell here; not passed either.
    pub is_not_judged: bool,
    pub message: String,
}

/// What there is to say about a pack.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    /// Task files with nothing wrong.
    pub good: usize,
    /// In the order of the files.
    pub problems: Vec<Problem>,
}

/// Check the task files of one pack.
#[must_use]
pub fn pack(files: &[TaskFile], depth: Depth) -> Checked {
    let mut checked = Checked::default();
    let mut ids: BTreeMap<String, String> = BTreeMap::new();
    for mut one in threads::each(files, |file| check(file, depth)) {
        if let Some((id, line)) = one.id
            && let Some(other) = ids.insert(id.clone(), one.file.clone())
        {
            let message = format!("the id {id} is also that of {other}");
            one.problems.push(Problem { line: Some(line), task: Some(id), ..problem(&one.file, message) });
        }
        checked.good += usize::from(one.problems.is_empty());
        checked.problems.append(&mut one.problems);
    }
    checked
}

/// Replay a pack that is on no disk yet: file names and texts, of which the task files count.
#[must_use]
pub fn in_memory(files: &BTreeMap<String, String>) -> Checked {
    let of = |(name, text): (&String, &String)| {
        let stem = name.strip_suffix(".yaml")?;
        Some(TaskFile {
            path: name.clone(),
            stem: stem.to_string(),
            text: Ok(text.clone()),
            is_nested: false,
        })
    };
    pack(&files.iter().filter_map(of).collect::<Vec<_>>(), Depth::Test)
}

/// One file on its own.
struct One {
    file: String,
    /// Its task's id, with the line where that stands.
    id: Option<(String, usize)>,
    problems: Vec<Problem>,
}

fn problem(file: &str, message: impl Into<String>) -> Problem {
    Problem {
        file: file.to_string(),
        line: None,
        pointer: None,
        task: None,
        is_not_judged: false,
        message: message.into(),
    }
}

fn check(file: &TaskFile, depth: Depth) -> One {
    let mut one = One { file: file.path.clone(), id: None, problems: Vec::new() };
    if file.is_nested {
        let message = "in a folder below the pack's: the runner validates it and never runs it";
        one.problems.push(problem(&file.path, message));
        return one;
    }
    let document = match file.text.as_ref().map(|text| yaml::read(text)) {
        Ok(Ok(document)) => document,
        Ok(Err(e)) => {
            let message = format!("column {}: {}", e.column, e.message);
            one.problems.push(Problem { line: Some(e.line), ..problem(&file.path, message) });
            return one;
        }
        Err(why) => {
            one.problems.push(problem(&file.path, why.clone()));
            return one;
        }
    };
    let id = document.value.get("id").and_then(Value::as_str).map(str::to_string);
    let found = validate::validate(&document.value);
    let is_valid = found.is_empty();
    one.problems.extend(found.into_iter().map(|p| Problem {
        line: Some(document.line(&p.pointer)),
        pointer: Some(p.pointer),
        task: id.clone(),
        ..problem(&file.path, p.message)
    }));
    if depth == Depth::Test && is_valid {
        let tested = task::test(&document.value);
        let told = |message, is_not_judged| Problem {
            task: id.clone(),
            is_not_judged,
            ..problem(&file.path, message)
        };
        one.problems.extend(tested.failures.into_iter().map(|m| told(m, false)));
        one.problems.extend(tested.not_judged.into_iter().map(|m| told(m, true)));
    }
    one.id = id.map(|id| (id, document.line("/id")));
    one
}
