//! `verity grade --pack`: packs, and the answers of agents to them.

use super::{input, recording};
use crate::error::{ErrorCode, InputError, cut};
use crate::grade::answers::{self, Answer, Task};
use crate::grade::validate;
use crate::pack::floor::{self, Floor};
use crate::pack::read;
use crate::report::answers::{Agent, Answered};
use crate::source;
use crate::suggest;
use crate::yaml;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where an agent's answers are.
#[derive(Debug, Clone)]
pub(super) struct Source {
    /// What the user calls the agent.
    pub(super) name: Option<String>,
    pub(super) path: PathBuf,
}

/// `NAME=PATH` or `PATH`.
pub(super) fn source_of(text: &str) -> Result<Source, String> {
    match text.split_once('=') {
        Some((_, "")) => Err("no path after `=`".to_string()),
        // A file may have `=` in its name.
        Some((name, path)) if !name.is_empty() && !Path::new(text).exists() => {
            Ok(Source { name: Some(name.to_string()), path: PathBuf::from(path) })
        }
        _ => Ok(Source { name: None, path: PathBuf::from(text) }),
    }
}

impl Source {
    fn shown(&self) -> String {
        let stem = || self.path.file_stem().map(|s| s.to_string_lossy().into_owned());
        self.name.clone().or_else(stem).unwrap_or_else(|| self.path.display().to_string())
    }
}

/// Score every agent's answers to the tasks of `pack`.
pub(super) fn judge(pack: &Path, files: &[Source], recordings: &[Source]) -> Result<Answered, InputError> {
    let tasks = tasks(pack)?;
    let mut agents = Vec::new();
    let mut notes = Vec::new();
    for source in files {
        let given = if source.path.is_dir() {
            of_folder(&source.path, &tasks, &mut notes)?
        } else {
            of_lines(&source.path, &tasks)?
        };
        let none = Answer::Missing;
        let score = |task: &Task| answers::score(task, given.get(&task.id).unwrap_or(&none));
        agents.push(Agent { name: source.shown(), scores: tasks.iter().map(score).collect() });
    }
    for source in recordings {
        let trace = recording::read(&source.path, None)?;
        let score = |task: &Task| answers::score(task, &answers::recorded(task, &trace));
        agents.push(Agent { name: source.shown(), scores: tasks.iter().map(score).collect() });
    }
    let mut names: Vec<&str> = agents.iter().map(|a| a.name.as_str()).collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|w| w.first() == w.last()).and_then(|w| w.first()) {
        let message = format!("two agents are called `{}`", cut(twice));
        return Err(InputError::new(ErrorCode::Usage, message).help("Give each a name: --answers NAME=PATH"));
    }
    let floor = floor_of(&tasks);
    Ok(Answered { pack: pack.display().to_string(), tasks, agents, floor, notes })
}

/// What agents that read nothing score.
fn floor_of(tasks: &[Task]) -> Floor {
    floor::of_schemas(&tasks.iter().filter_map(Task::schema).collect::<Vec<_>>())
}

/// The tasks of a pack, all valid.
fn tasks(pack: &Path) -> Result<Vec<Task>, InputError> {
    let mut tasks = Vec::new();
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for folder in read::packs(pack)? {
        for file in folder.files.iter().filter(|f| !f.is_nested) {
            let wrong = |message: String| InputError::new(ErrorCode::NotAPack, message).at(&file.path);
            let text = file.text.as_ref().map_err(|why| wrong(why.clone()))?;
            let document = yaml::read(text).map_err(|e| wrong(e.message).line_column(e.line, e.column))?;
            if let Some(problem) = validate::validate(&document.value).first() {
                let (line, column) = document.place(&problem.pointer);
                let help = "`verity task validate` tells all that is wrong with a pack.";
                return Err(wrong(problem.message.clone()).line_column(line, column).help(help));
            }
            let task = Task::of(document.value);
            if let Some(other) = seen.insert(task.id.clone(), file.path.clone()) {
                return Err(wrong(format!("the id {} is also that of {other}", cut(&task.id))));
            }
            tasks.push(task);
        }
    }
    if tasks.is_empty() {
        return Err(
            InputError::new(ErrorCode::NotAPack, "there is no task in it").at(pack.display().to_string())
        );
    }
    Ok(tasks)
}

/// Answers by the task's id.
type Given = BTreeMap<String, Answer>;

/// A folder a task, with `call.json` in it: `NAME/call.json` or `PACK/NAME/call.json`.
fn of_folder(folder: &Path, tasks: &[Task], notes: &mut Vec<String>) -> Result<Given, InputError> {
    let mut given = Given::new();
    for task in tasks {
        let places = [folder.join(task.name()).join("call.json"), folder.join(&task.id).join("call.json")];
        let Some(path) = places.iter().find(|p| p.is_file()) else { continue };
        let bytes = input::bytes(path)?;
        // The grader reads UTF-8; what is none is no JSON to it either.
        given.insert(task.id.clone(), Answer::Text(String::from_utf8_lossy(&bytes).into_owned()));
    }
    if given.is_empty() {
        let message = "there is no answer in the folder to any task of the pack";
        let help = format!(
            "Answers are in a folder a task, such as {}/call.json.",
            tasks.first().map_or("NAME", Task::name)
        );
        return Err(InputError::new(ErrorCode::NotJudged, message)
            .at(folder.display().to_string())
            .help(help));
    }
    let others = std::fs::read_dir(folder).into_iter().flatten().flatten().filter(|e| {
        let name = e.file_name().to_string_lossy().into_owned();
        e.path().join("call.json").is_file() && !tasks.iter().any(|t| t.name() == name)
    });
    let others = others.count();
    if others > 0 {
        notes
            .push(format!("{}: {others} answers are to tasks that the pack does not have", folder.display()));
    }
    Ok(given)
}

/// Lines of `{"task": …, "arguments": …}`.
fn of_lines(path: &Path, tasks: &[Task]) -> Result<Given, InputError> {
    let shown = path.display().to_string();
    let document = source::parse(&shown, input::bytes(path)?)?;
    let mut given = Given::new();
    for segment in &document.segments {
        let line = document.span(&segment.range).line;
        let wrong =
            |message: String| InputError::new(ErrorCode::NotJudged, message).at(&shown).line_column(line, 1);
        let Some(name) = segment.value.get("task").and_then(Value::as_str) else {
            return Err(wrong("an answer that does not name its task (`task`)".to_string())
                .help("A line is {\"task\": \"orders/find\", \"arguments\": {…}}."));
        };
        let Some(task) =
            tasks.iter().find(|t| t.id == name).or_else(|| tasks.iter().find(|t| t.name() == name))
        else {
            let known = tasks.iter().map(|t| t.id.as_str());
            return Err(wrong(suggest::unknown("task", &cut(name), known)));
        };
        let answer = match segment.value.get("arguments") {
            None | Some(Value::Null) => Answer::Missing,
            Some(arguments) => Answer::Text(arguments.to_string()),
        };
        if given.insert(task.id.clone(), answer).is_some() {
            return Err(wrong(format!("a second answer to the task {}", cut(&task.id))).help(
                "Give each attempt a file, and name them: --answers first=a.jsonl --answers second=b.jsonl",
            ));
        }
    }
    Ok(given)
}
