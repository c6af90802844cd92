//! A task, tested: its reference solution must pass, its negative controls must fail.

use super::assertion::{self, Outcome};
use super::replay::{self, Stop};
use super::workspace::Workspace;
use serde_json::Value;

/// What testing one task gave.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tested {
    /// What is wrong with the task.
    pub failures: Vec<String>,
    /// What could not be judged here; such a task has not passed.
    pub not_judged: Vec<String>,
}

impl Tested {
    #[must_use]
    pub fn passed(&self) -> bool {
        self.failures.is_empty() && self.not_judged.is_empty()
    }
}

/// Replay the reference solution and every negative control of `task` (a valid document).
#[must_use]
pub fn test(task: &Value) -> Tested {
    let mut tested = Tested::default();
    match replay::solution(task) {
        Ok(files) => solution(task, &files, &mut tested),
        Err(Stop::Broken(why)) => tested.failures.push(why),
        Err(Stop::NotReplayed(why)) => tested.not_judged.push(why),
    }
    controls(task, &mut tested);
    tested
}

/// Every assertion must score exactly 1.0: the runner's score is the weighted mean, and it passes a
/// task at 1.0 alone.
fn solution(task: &Value, files: &Workspace, tested: &mut Tested) {
    for (label, outcome) in outcomes(task, files) {
        match outcome {
            Outcome::Passed => {}
            Outcome::Failed(why) => {
                tested.failures.push(format!("the reference solution fails `{label}`: {why}"))
            }
            Outcome::NotJudged(why) => tested.not_judged.push(format!("`{label}`: {why}")),
        }
    }
}

pub(super) fn outcomes<'t>(task: &'t Value, files: &Workspace) -> Vec<(&'t str, Outcome)> {
    let assertions = task.get("assertions").and_then(Value::as_array).into_iter().flatten();
    assertions
        .map(|a| {
            let kind = a.get("type").and_then(Value::as_str).unwrap_or_default();
            let label = a.get("description").and_then(Value::as_str).unwrap_or(kind);
            (label, assertion::judge(kind, a.get("params").unwrap_or(&Value::Null), files))
        })
        .collect()
}

/// The weighted mean of the assertions, as the runner reports it; `None` if one cannot be judged.
#[must_use]
pub fn score(task: &Value, files: &Workspace) -> Option<f64> {
    let assertions = task.get("assertions").and_then(Value::as_array)?;
    let (mut sum, mut weights) = (0.0, 0.0);
    for (assertion, (_, outcome)) in assertions.iter().zip(outcomes(task, files)) {
        let weight = assertion.get("weight").and_then(Value::as_f64).unwrap_or(1.0);
        sum += weight * outcome.score()?;
        weights += weight;
    }
    (weights > 0.0).then(|| sum / weights)
}

/// Each control replaces what the solution writes and must fail an assertion: one that passes shows
/// that the task measures nothing at that place.
fn controls(task: &Value, tested: &mut Tested) {
    let controls = task.get("metadata").and_then(|m| m.get("verity")).and_then(|v| v.get("controls"));
    let controls = match controls {
        None => return,
        Some(Value::Array(controls)) if !controls.is_empty() => controls,
        Some(_) => {
            tested.failures.push("metadata.verity.controls holds no control".to_string());
            return;
        }
    };
    let Some(path) = graded_file(task) else {
        tested
            .failures
            .push("it has controls, and no json_schema assertion that could refuse them".to_string());
        return;
    };
    for control in controls {
        let what = |key: &str| control.get(key).and_then(Value::as_str).unwrap_or("?").to_string();
        let label = format!("the control for `{}` at {}", what("keyword"), what("pointer"));
        let Some(arguments) = control.get("arguments") else {
            tested.failures.push(format!("{label} has no arguments"));
            continue;
        };
        let files = replay::starting_workspace(task).and_then(|mut files| {
            let put = files.put(path, arguments.to_string());
            put.map(|()| files).map_err(|e| Stop::Broken(e.to_string()))
        });
        let Ok(files) = files else { continue };
        let outcomes = outcomes(task, &files);
        if outcomes.iter().any(|(_, o)| matches!(o, Outcome::Failed(_))) {
            continue;
        }
        match outcomes
            .iter()
            .find_map(|(_, o)| if let Outcome::NotJudged(why) = o { Some(why) } else { None })
        {
            Some(why) => tested.not_judged.push(format!("{label}: {why}")),
            None => tested.failures.push(format!("{label} passes, and must fail")),
        }
    }
}

/// The file that the json_schema assertion reads.
pub(super) fn graded_file(task: &Value) -> Option<&str> {
    let mut assertions = task.get("assertions")?.as_array()?.iter();
    let graded = assertions.find(|a| a.get("type").and_then(Value::as_str) == Some("json_schema"))?;
    graded.get("params")?.get("path")?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn task(solution: &str, controls: Value) -> Value {
        json!({"allowed_tools": ["write_file"], "assertions": [
            {"type": "file_exists", "params": {"path": "call.json"}, "weight": 0.5, "description": "written"},
            {"type": "json_schema", "params": {"path": "call.json",
                "schema": {"type": "object", "required": ["q"], "properties": {"q": {"type": "string"}}}}, "description": "valid"}],
            "metadata": {"scripted_script": [{"tool": "write_file", "args": {"path": "call.json", "content": solution}}],
                "verity": {"controls": controls}}})
    }

    fn control(arguments: Value) -> Value {
        json!([{"keyword": "type", "pointer": "/properties/q/type", "arguments": arguments}])
    }

    #[test]
    fn a_fair_task_passes() {
        assert!(test(&task("{\"q\": \"x\"}", control(json!({"q": 1})))).passed());
    }

    #[test]
    fn what_measures_nothing_or_cannot_be_passed_fails() {
        let failures = |task: &Value| test(task).failures.join("\n");
        assert!(failures(&task("{\"q\": 1}", control(json!({})))).contains("fails `valid`"));
        assert!(failures(&task("{\"q\": \"x\"}", control(json!({"q": "y"})))).contains("must fail"));
        assert!(failures(&task("{\"q\": \"x\"}", json!([]))).contains("no control"));
        assert!(failures(&task("not json", control(json!({})))).contains("not JSON"));
    }

    #[test]
    fn an_assertion_that_cannot_be_replayed_is_never_passed() {
        let mut foreign = task("{\"q\": \"x\"}", control(json!({})));
        foreign["assertions"]
            .as_array_mut()
            .unwrap()
            .push(json!({"type": "command_exit", "params": {"command": "true"}}));
        let tested = test(&foreign);
        assert!(tested.failures.is_empty() && !tested.not_judged.is_empty() && !tested.passed());
    }

    #[test]
    fn the_score_is_the_weighted_mean() {
        let task = task("", json!([]));
        let mut files = Workspace::default();
        assert_eq!(score(&task, &files), Some(0.0));
        files.put("call.json", "{}".into()).unwrap();
        assert_eq!(score(&task, &files), Some(0.5 / 1.5));
        files.put("call.json", "{\"q\": \"\"}".into()).unwrap();
        assert_eq!(score(&task, &files), Some(1.0));
    }
}
