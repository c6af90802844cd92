//! Rows of a simulator (`tool-trace.jsonl`): a call a row, with exit code, stdout and stderr.
//!
//! Agents that work through a shell call one dispatcher, and the tool stands in its words: `argv` with
//! `… call TOOL --data JSON`, where `--data @FILE` means a file that was given or written earlier. Such calls are
//! unwrapped, so that they can be judged as calls to the tool.

use super::build::{Builder, NewAnswer, NewArguments, NewCall};
use super::frame::Reader;
use super::parts::{first, first_text, id, text};
use super::store::Outcome;
use crate::error::{InputError, cut};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Files that calls may refer to, by path with `/`.
pub type Fixtures = BTreeMap<String, String>;

const EXIT: [&str; 6] = ["exit_code", "exitCode", "exit code", "exit", "returncode", "code"];

pub(super) struct Simulator {
    files: Fixtures,
}

/// The exit code of a result.
pub(super) fn exit_code(result: &Value) -> Option<i64> {
    first(result, &EXIT).and_then(Value::as_i64)
}

impl Reader for Simulator {
    fn value(&mut self, row: &Value, b: &mut Builder) -> Result<(), InputError> {
        let Some(tool) = text(row, "tool") else {
            return Err(b.fault("a row that does not name its tool"));
        };
        let Some(arguments) = row.get("arguments") else {
            return Err(b.fault("a row without `arguments`"));
        };
        if let Some(session) = first_text(row, &["session", "session_id"]) {
            b.enter(session);
        }
        let id = first(row, &["call_id", "id"]).and_then(id);
        let words = first(arguments, &["argv"]).or_else(|| first(row, &["argv"])).and_then(Value::as_array);
        let unwrapped = words.map(|words| self.unwrap(words, b)).transpose()?.flatten();
        let base = match &unwrapped {
            Some(call) => NewCall {
                tool: &call.tool,
                arguments: call.arguments(),
                pointer: "/arguments/argv",
                ..NewCall::default()
            },
            None => NewCall {
                tool,
                arguments: NewArguments::Value(arguments),
                pointer: "/arguments",
                ..NewCall::default()
            },
        };
        let index = b.call(&NewCall { id: id.as_deref(), ..base })?;
        if let Some(id) = &id {
            b.close(id);
        }
        let answer = answer(row.get("result"));
        if answer.outcome == Outcome::Ok {
            self.remember(tool, arguments);
        }
        b.settle(index, &answer)
    }
}

/// A call to a tool that a dispatcher was asked to make.
struct Unwrapped {
    tool: String,
    arguments: Option<String>,
}

impl Unwrapped {
    fn arguments(&self) -> NewArguments<'_> {
        self.arguments.as_deref().map_or(NewArguments::NotRecorded, NewArguments::Text)
    }
}

impl Simulator {
    pub(super) fn new(files: Fixtures) -> Simulator {
        Simulator { files: files.into_iter().map(|(path, text)| (normal(&path), text)).collect() }
    }

    /// What `write_file` put down is there for later calls.
    fn remember(&mut self, tool: &str, arguments: &Value) {
        if let ("write_file", Some(path), Some(content)) =
            (tool, text(arguments, "path"), text(arguments, "content"))
        {
            self.files.insert(normal(path), content.to_string());
        }
    }

    /// The call in the words of a dispatcher; `None` where they are no `… call TOOL …`.
    fn unwrap(&self, words: &[Value], b: &Builder) -> Result<Option<Unwrapped>, InputError> {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        let Some(at) = words.iter().position(|w| *w == "call") else { return Ok(None) };
        let mut rest = words.iter().skip(at + 1).copied();
        let (mut tool, mut data) = (None, None);
        while let Some(word) = rest.next() {
            if let Some(value) = word.strip_prefix("--data=") {
                data = Some(value);
            } else if word == "--data" {
                data = rest.next();
            } else if let Some(option) = word.strip_prefix("--") {
                // Other options of the dispatcher take one word, unless it is in them.
                if !option.contains('=') {
                    rest.next();
                }
            } else if tool.is_none() && !word.starts_with('-') {
                tool = Some(word);
            }
        }
        let Some(tool) = tool else { return Ok(None) };
        let arguments = match data {
            None => Some(Value::Object(Map::new()).to_string()),
            // Standard input was not recorded.
            Some("-" | "@-") => None,
            Some(data) => match data.strip_prefix('@') {
                None => Some(data.to_string()),
                Some(path) => match self.files.get(&normal(path)) {
                    Some(text) => Some(text.clone()),
                    None => {
                        let message =
                            format!("`--data @{}`: no such file was given or written before", cut(path));
                        return Err(b
                            .fault(message)
                            .help("Name the folder with the run's files: --fixtures FOLDER"));
                    }
                },
            },
        };
        Ok(Some(Unwrapped { tool: tool.to_string(), arguments }))
    }
}

/// A path without `./`.
fn normal(path: &str) -> String {
    let parts: Vec<&str> = path.split(['/', '\\']).filter(|p| !p.is_empty() && *p != ".").collect();
    parts.join("/")
}

fn answer(result: Option<&Value>) -> NewAnswer<'static> {
    let Some(result) = result.filter(|r| !r.is_null()) else { return NewAnswer::default() };
    let out = text(result, "stdout").unwrap_or_default();
    let err = text(result, "stderr").unwrap_or_default();
    let outcome = match exit_code(result) {
        Some(0) => Outcome::Ok,
        Some(4) => Outcome::Rejected,
        Some(5) => Outcome::Lost,
        _ => Outcome::Refused,
    };
    let text = match outcome {
        Outcome::Ok => out,
        _ if err.is_empty() => out,
        _ => err,
    };
    NewAnswer { outcome, text: text.to_string(), structured: None }
}
