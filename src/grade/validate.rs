//! A task document against the published task schema, and against what the schema cannot say.

use super::replay::{self, Stop};
use crate::schema::judge::{Formats, Judge};
use crate::schema::{Dialect, SchemaView, grader};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The task schema, in our own words; a test compares it with the published one.
pub const TASK_SCHEMA: &str = include_str!("../../schemas/tooltrace-task-2026-09-11.schema.json");

static JUDGE: LazyLock<Option<Judge>> = LazyLock::new(|| {
    let schema: Value = serde_json::from_str(TASK_SCHEMA).ok()?;
    Judge::compile(&schema, Dialect::Draft202012, Formats::Annotate).ok()
});

/// One thing that is wrong, with its place in the document (a JSON Pointer).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub pointer: String,
    pub message: String,
}

/// Most problems told of one document.
const MAX_PROBLEMS: usize = 5;

/// What is wrong with `task`; empty for a valid one.
#[must_use]
pub fn validate(task: &Value) -> Vec<Problem> {
    let problem = |pointer: &str, message: String| Problem { pointer: pointer.to_string(), message };
    let Some(judge) = JUDGE.as_ref() else {
        return vec![problem("", "the task schema cannot be compiled".to_string())];
    };
    let mut problems: Vec<Problem> = judge
        .violations(task)
        .into_iter()
        .take(MAX_PROBLEMS)
        .map(|v| Problem { message: short(&v.message), pointer: v.instance_pointer })
        .collect();
    if !problems.is_empty() {
        return problems;
    }
    if let Err(Stop::Broken(why)) = replay::starting_workspace(task) {
        problems.push(problem("/starting_workspace", why));
    }
    let assertions = task.get("assertions").and_then(Value::as_array).into_iter().flatten();
    let mut labels: BTreeMap<String, usize> = BTreeMap::new();
    for (i, assertion) in assertions.enumerate() {
        let at = format!("/assertions/{i}");
        if let Some(label) = assertion.get("description").and_then(Value::as_str).filter(|l| !l.is_empty())
            && let Some(first) = labels.insert(label.to_string(), i)
        {
            let message = format!(
                "assertions {first} and {i} share a description, and one hides the other in the score"
            );
            problems.push(problem(&format!("{at}/description"), message));
        }
        if assertion.get("type").and_then(Value::as_str) == Some("json_schema")
            && let Some(schema) = assertion.get("params").and_then(|p| p.get("schema"))
            && let Some(why) = unusable(schema)
        {
            problems.push(problem(&format!("{at}/params/schema"), why));
        }
    }
    problems
}

/// Why nobody can pass a json_schema assertion with `schema`.
fn unusable(schema: &Value) -> Option<String> {
    if !schema.is_object() {
        return Some("the schema is no mapping, and the grader scores 0 for everybody".to_string());
    }
    let view = SchemaView::new(schema);
    let violation = view.metaschema_violations().first().map(|v| {
        let at = if v.instance_pointer.is_empty() { "its root" } else { &v.instance_pointer };
        format!(
            "the schema breaks the {} metaschema at {at}, and the grader scores 0 for everybody",
            view.dialect.name()
        )
    });
    violation.or_else(|| grader::refusal(&view).map(|why| format!("the grader cannot use the schema: {why}")))
}

fn short(message: &str) -> String {
    let cut: String = message.chars().take(300).collect();
    if cut.len() < message.len() { format!("{cut}…") } else { cut }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn task() -> Value {
        json!({"id": "p/t", "category": "c", "objective": "o", "allowed_tools": ["write_file"],
            "assertions": [{"type": "file_exists", "params": {"path": "x"}}]})
    }

    fn problems(change: impl FnOnce(&mut Value)) -> Vec<String> {
        let mut task = task();
        change(&mut task);
        validate(&task).into_iter().map(|p| p.pointer).collect()
    }

    #[test]
    fn a_plain_task_is_valid() {
        assert_eq!(validate(&task()), []);
        assert_eq!(problems(|t| t["anything"] = json!(1)), Vec::<String>::new(), "unknown keys pass");
    }

    #[test]
    fn faults_are_placed() {
        assert_eq!(problems(|t| t["id"] = json!("P/t")), ["/id"]);
        assert_eq!(problems(|t| t["assertions"][0]["weight"] = json!(0)), ["/assertions/0/weight"]);
        assert_eq!(problems(|t| t["starting_workspace"] = json!({"../x": ""})), ["/starting_workspace"]);
        assert_eq!(
            problems(|t| t["assertions"] =
                json!([{"type": "json_schema", "params": {"path": "x", "schema": {"type": "strng"}}}])),
            ["/assertions/0/params/schema"]
        );
        let twice = json!([{"type": "a", "params": {}, "description": "d"}, {"type": "b", "params": {}, "description": "d"}]);
        assert_eq!(problems(|t| t["assertions"] = twice), ["/assertions/1/description"]);
    }
}
