//! One assertion over a workspace, scored as the runner (tooltrace-bench) scores it.

use super::equal;
use super::workspace::{PathError, Workspace};
use crate::schema::{SchemaView, grader};
use serde_json::Value;

/// What became of an assertion. Every one that can be judged here scores 1.0 or 0.0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    /// Score 0.0, and why.
    Failed(String),
    /// It needs what is not here: a shell, git, a network, a Python parser.
    NotJudged(String),
}

impl Outcome {
    fn of(passed: bool, why: impl FnOnce() -> String) -> Outcome {
        if passed { Outcome::Passed } else { Outcome::Failed(why()) }
    }

    /// The score, where there is one.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        match self {
            Outcome::Passed => Some(1.0),
            Outcome::Failed(_) => Some(0.0),
            Outcome::NotJudged(_) => None,
        }
    }
}

/// Score the assertion `kind` with `params` over `files`.
#[must_use]
pub fn judge(kind: &str, params: &Value, files: &Workspace) -> Outcome {
    match kind {
        "file_exists" => with_path(params, |path| {
            Ok(Outcome::of(files.get(path)?.is_some(), || format!("{path} is not there")))
        }),
        "file_not_exists" => {
            with_path(params, |path| Ok(Outcome::of(!files.exists(path)?, || format!("{path} is there"))))
        }
        "file_contains" => with_text(params, files, |path, text| {
            let needles = needles(params, "any_of")?;
            Ok(Outcome::of(needles.iter().any(|n| text.contains(n)), || {
                format!("{path} does not contain the text")
            }))
        }),
        "file_not_contains" => with_text(params, files, |path, text| {
            let needles = needles(params, "none_of")?;
            Ok(Outcome::of(!needles.iter().any(|n| text.contains(n)), || format!("{path} contains the text")))
        }),
        "json_schema" => {
            with_json(params, files, |path, value| json_schema(path, params.get("schema"), value))
        }
        "json_equals" => with_json(params, files, |path, value| {
            let expected = params.get("expected").unwrap_or(&Value::Null);
            select(path, value, params, |selected| {
                Outcome::of(equal::python(selected, expected), || {
                    format!("{path} differs from what is expected")
                })
            })
        }),
        "json_set_equals" => with_json(params, files, |path, value| {
            select(path, value, params, |selected| json_set_equals(path, selected, params.get("expected")))
        }),
        "csv_equals" => with_text(params, files, |path, text| match params.get("expected_csv") {
            Some(Value::String(expected)) => {
                let is_equal = equal::csv_rows(text) == equal::csv_rows(expected);
                Ok(Outcome::of(is_equal, || format!("{path} has other rows than expected")))
            }
            _ => Ok(Outcome::Failed("expected_csv is no text".to_string())),
        }),
        "data_equals" => with_text(params, files, |path, text| match params.get("expected") {
            Some(Value::String(expected)) => Ok(Outcome::of(lines(text) == lines(expected), || {
                format!("{path} has other text than expected")
            })),
            _ => Ok(Outcome::Failed("expected is no text".to_string())),
        }),
        other => Outcome::NotJudged(format!("`{other}` cannot be replayed here")),
    }
}

/// Text without blanks at the ends of lines and of the whole.
fn lines(text: &str) -> Vec<&str> {
    text.trim().lines().map(str::trim_end).collect()
}

type Judged = Result<Outcome, PathError>;

fn with_path(params: &Value, judge: impl FnOnce(&str) -> Judged) -> Outcome {
    let Some(path) = params.get("path").and_then(Value::as_str) else {
        return Outcome::Failed("its `path` is no text".to_string());
    };
    judge(path).unwrap_or_else(|e| Outcome::Failed(format!("{path:?}: {e}")))
}

fn with_text(params: &Value, files: &Workspace, judge: impl FnOnce(&str, &str) -> Judged) -> Outcome {
    with_path(params, |path| match files.get(path)? {
        Some(text) => judge(path, text),
        None => Ok(Outcome::Failed(format!("{path} is not there"))),
    })
}

fn with_json(params: &Value, files: &Workspace, judge: impl FnOnce(&str, &Value) -> Outcome) -> Outcome {
    with_text(params, files, |path, text| {
        Ok(match serde_json::from_str::<Value>(text) {
            Ok(value) => judge(path, &value),
            Err(e) => Outcome::Failed(format!("{path} is not JSON: {e}")),
        })
    })
}

/// The texts under `list`, or the one under `text`. A value that is no text is not known here: the
/// runner would spell it as Python does.
fn needles(params: &Value, list: &str) -> Result<Vec<String>, PathError> {
    let texts = |items: &[Value]| items.iter().filter_map(Value::as_str).map(str::to_string).collect();
    Ok(match (params.get(list), params.get("text")) {
        (Some(Value::Array(items)), _) => texts(items),
        (_, Some(Value::String(text))) => vec![text.clone()],
        _ => vec![String::new()],
    })
}

/// Both judges have their say: ours, and the model of the runner's.
fn json_schema(path: &str, schema: Option<&Value>, value: &Value) -> Outcome {
    let Some(schema @ Value::Object(_)) = schema else {
        return Outcome::Failed("its `schema` is no mapping".to_string());
    };
    let view = SchemaView::new(schema);
    if let Some(reason) = grader::refusal(&view) {
        return Outcome::Failed(format!("the grader cannot use the schema: {reason}"));
    }
    let judge = match view.judge() {
        Ok(judge) => judge,
        Err(e) => return Outcome::NotJudged(format!("the schema cannot be compiled here: {e}")),
    };
    match judge.violations(value).first() {
        Some(violation) => {
            let at =
                if violation.instance_pointer.is_empty() { "the root" } else { &violation.instance_pointer };
            match grader::refuses(&view, value) {
                true => Outcome::Failed(format!("{path} breaks `{}` at {at}", violation.keyword)),
                false => {
                    Outcome::NotJudged(format!("{path}: this judge and the grader may not agree on {at}"))
                }
            }
        }
        None if grader::accepts(&view, value) => Outcome::Passed,
        None => Outcome::NotJudged(format!("{path}: this judge and the grader may not agree")),
    }
}

/// The value at the dotted path `pointer`, where one is given.
fn select(path: &str, value: &Value, params: &Value, judge: impl FnOnce(&Value) -> Outcome) -> Outcome {
    let mut at = value;
    if let Some(Value::String(pointer)) = params.get("pointer")
        && !pointer.is_empty()
    {
        for segment in pointer.trim_matches('/').split('.') {
            match at.as_object().and_then(|o| o.get(segment)) {
                Some(next) => at = next,
                None => return Outcome::Failed(format!("{path} has nothing at {pointer:?}")),
            }
        }
    }
    judge(at)
}

fn json_set_equals(path: &str, selected: &Value, expected: Option<&Value>) -> Outcome {
    let (Value::Array(actual), Some(Value::Array(expected))) = (selected, expected) else {
        return Outcome::Failed(format!("{path}: both sides must be lists"));
    };
    let canonical = |items: &[Value]| {
        let mut texts: Vec<String> = items.iter().map(|v| sorted_keys(v).to_string()).collect();
        texts.sort();
        texts
    };
    Outcome::of(canonical(actual) == canonical(expected), || {
        format!("{path} has other members than expected")
    })
}

fn sorted_keys(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sorted_keys).collect(),
        Value::Object(members) => {
            let mut pairs: Vec<_> = members.iter().map(|(k, v)| (k.clone(), sorted_keys(v))).collect();
            pairs.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(pairs.into_iter().collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn files(pairs: &[(&str, &str)]) -> Workspace {
        let mut files = Workspace::default();
        for (path, text) in pairs {
            files.put(path, text.to_string()).unwrap();
        }
        files
    }

    fn passes(kind: &str, params: Value, files: &Workspace) -> bool {
        judge(kind, &params, files) == Outcome::Passed
    }

    #[test]
    fn files_and_texts() {
        let files = files(&[("a/b.txt", "port = 80\n"), ("c.csv", "x,y\n1,\"2\"\n")]);
        assert!(passes("file_exists", json!({"path": "a/b.txt"}), &files));
        assert!(!passes("file_exists", json!({"path": "a"}), &files));
        assert!(!passes("file_exists", json!({"path": 3}), &files));
        assert!(!passes("file_not_exists", json!({"path": "a"}), &files));
        assert!(passes("file_not_exists", json!({"path": "b"}), &files));
        assert!(!passes("file_not_exists", json!({"path": "../b"}), &files));
        assert!(passes("file_contains", json!({"path": "a/b.txt", "text": "80"}), &files));
        assert!(passes("file_contains", json!({"path": "a/b.txt", "any_of": ["9", "80"]}), &files));
        assert!(!passes("file_contains", json!({"path": "a/b.txt", "text": "81"}), &files));
        assert!(passes("file_not_contains", json!({"path": "a/b.txt", "none_of": ["81"]}), &files));
        assert!(!passes("file_not_contains", json!({"path": "nowhere", "text": "x"}), &files));
        assert!(passes("csv_equals", json!({"path": "c.csv", "expected_csv": "x,y\r\n1,2"}), &files));
        assert!(passes("data_equals", json!({"path": "a/b.txt", "expected": " port = 80  \n\n"}), &files));
    }

    #[test]
    fn json_files() {
        let files = files(&[("v.json", r#"{"a": {"b": [1, {"y": 2, "x": 1}]}}"#), ("broken.json", "{")]);
        assert!(passes(
            "json_equals",
            json!({"path": "v.json", "expected": {"a": {"b": [1.0, {"x": 1, "y": 2}]}}}),
            &files
        ));
        assert!(passes(
            "json_equals",
            json!({"path": "v.json", "pointer": "a.b", "expected": [1, {"x": 1, "y": 2}]}),
            &files
        ));
        assert!(!passes(
            "json_equals",
            json!({"path": "v.json", "pointer": "a.c", "expected": null}),
            &files
        ));
        assert!(passes(
            "json_set_equals",
            json!({"path": "v.json", "pointer": "a.b", "expected": [{"x": 1, "y": 2}, 1]}),
            &files
        ));
        assert!(!passes(
            "json_set_equals",
            json!({"path": "v.json", "pointer": "a.b", "expected": [1]}),
            &files
        ));
        let schema = json!({"type": "object", "required": ["a"]});
        assert!(passes("json_schema", json!({"path": "v.json", "schema": schema}), &files));
        assert!(!passes("json_schema", json!({"path": "v.json", "schema": {"required": ["z"]}}), &files));
        assert!(!passes("json_schema", json!({"path": "v.json", "schema": true}), &files));
        assert!(!passes("json_schema", json!({"path": "broken.json", "schema": schema}), &files));
    }

    #[test]
    fn what_needs_a_machine_is_not_judged() {
        for kind in ["command_exit", "tests_pass", "git_diff", "ast_check", "something_new"] {
            assert!(matches!(
                judge(kind, &json!({"path": "x"}), &Workspace::default()),
                Outcome::NotJudged(_)
            ));
        }
    }
}
