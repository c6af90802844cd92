//! A probe of a server that lists and answers what a test says: what is searched, what is judged, and what stays open.

use crate::support::{check_schema, verity};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

pub struct Run {
    pub code: Option<i32>,
    pub report: Value,
    pub err: String,
    /// Names of the tools that were called, in order.
    pub calls: Vec<String>,
}

impl Run {
    /// Outcome and note of a check.
    pub fn check(&self, tool: Option<&str>, kind: &str) -> (&str, &str) {
        let checks = self.report["checks"].as_array().unwrap();
        let found = checks.iter().find(|c| c["kind"] == kind && c["operationId"] == json!(tool));
        let text = |key: &str| found.map_or("none", |c| c[key].as_str().unwrap_or_default());
        (text("outcome"), text("note"))
    }
}

/// `verity probe FLAGS -- says.py` with this to say.
pub fn probe(says: &Value, flags: &[&str]) -> Run {
    let dir = TempDir::new().unwrap();
    std::fs::write(dir.path().join("says.json"), says.to_string()).unwrap();
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/live/says.py");
    let mut command = verity();
    command.current_dir(dir.path()).args(["probe", "--timeout", "120", "--format", "json"]).args(flags);
    let out = command.arg("--").arg("python3").arg(server).args(["says.json", "calls"]).output().unwrap();
    let (text, err) = (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap());
    let report = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}{err}"));
    check_schema("probe-report.schema.json", &report);
    let log = std::fs::read_to_string(dir.path().join("calls")).unwrap_or_default();
    let name = |line: &str| serde_json::from_str::<Value>(line).unwrap()[0].as_str().unwrap().to_string();
    Run { code: out.status.code(), report, err, calls: log.lines().map(name).collect() }
}

/// A sound tool that takes a text `q`, with these members.
pub fn look_up(more: &Value) -> Value {
    let mut tool = json!({"name": "look_up", "description": "Looks a word up in the dictionary.",
        "inputSchema": {"type": "object", "required": ["q"], "properties": {"q": {"type": "string", "description": "The word."}}},
        "annotations": {"readOnlyHint": true, "openWorldHint": false}});
    tool.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    tool
}

/// A result with this content.
pub fn content(blocks: &Value) -> Value {
    json!({"result": {"content": blocks}})
}

fn text(said: &str) -> Value {
    json!([{"type": "text", "text": said}])
}

/// What a server says that has `look_up` alone, and answers well but for what is changed.
pub fn says(change: &Value) -> Value {
    let refusal = json!({"result": {"content": text("`q` is to be a text"), "isError": true}});
    let mut says = json!({"tools": [look_up(&json!({}))], "answers": [content(&text("meaning of {q}"))], "refusal": refusal});
    says.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    says
}

#[test]
fn a_sound_server_passes() {
    let run = probe(&says(&json!({})), &[]);
    assert_eq!((run.code, &run.report["findings"]), (Some(0), &json!([])), "{}", run.err);
    for kind in ["answers", "clean-results", "repeatable", "arguments-matter", "refuses-invalid"] {
        assert_eq!(run.check(Some("look_up"), kind), ("satisfied", ""), "{kind}");
    }
    assert_eq!(run.check(None, "listing-stable"), ("satisfied", ""));
}

#[test]
fn a_bound_is_not_said_to_be_the_tools_doing() {
    let bound = "the number of calls is bounded (--max-calls)";
    let run = probe(&says(&json!({})), &["--max-calls", "1"]);
    for kind in ["repeatable", "arguments-matter", "refuses-invalid"] {
        assert_eq!(run.check(Some("look_up"), kind), ("exempt", bound), "{kind}");
    }
    // Two calls bring no variation, four not all of them: what was not asked is open.
    let run = probe(&says(&json!({})), &["--max-calls", "2"]);
    assert_eq!(run.check(Some("look_up"), "repeatable"), ("satisfied", ""));
    assert_eq!(run.check(Some("look_up"), "arguments-matter"), ("exempt", bound));
    let run = probe(&says(&json!({})), &["--max-calls", "3"]);
    let (outcome, note) = run.check(Some("look_up"), "arguments-matter");
    assert_eq!(outcome, "exempt");
    assert!(note.starts_with("not every argument was tried") && note.ends_with(bound), "{note}");
}
