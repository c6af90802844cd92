//! A reference solution, replayed: `metadata.scripted_script`, a list of `{tool, args}`.

use super::workspace::Workspace;
use serde_json::Value;

/// Steps that a task allows where it does not say.
const DEFAULT_MAX_STEPS: usize = 25;

/// Why a replay ended without a workspace to judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The task or its script is at fault.
    Broken(String),
    /// It needs what is not here.
    NotReplayed(String),
}

/// The workspace that a task starts with.
///
/// # Errors
/// `Broken` for paths that leave the workspace.
pub fn starting_workspace(task: &Value) -> Result<Workspace, Stop> {
    let mut files = Workspace::default();
    for part in ["starting_workspace", "fixtures"] {
        for (path, text) in task.get(part).and_then(Value::as_object).into_iter().flatten() {
            let text = text.as_str().unwrap_or_default().to_string();
            files.put(path, text).map_err(|e| Stop::Broken(format!("{part} {path:?}: {e}")))?;
        }
    }
    Ok(files)
}

/// The workspace after the reference solution.
///
/// # Errors
/// See [`Stop`].
pub fn solution(task: &Value) -> Result<Workspace, Stop> {
    if task.get("perturbations").and_then(Value::as_array).is_some_and(|p| !p.is_empty()) {
        return Err(Stop::NotReplayed("the task injects faults (`perturbations`)".to_string()));
    }
    let mut files = starting_workspace(task)?;
    let script = task.get("metadata").and_then(|m| m.get("scripted_script"));
    let steps = match script {
        Some(Value::Array(steps)) if !steps.is_empty() => steps,
        None => {
            return Err(Stop::NotReplayed(
                "there is no reference solution (metadata.scripted_script)".to_string(),
            ));
        }
        Some(_) => return Err(Stop::Broken("metadata.scripted_script is no list of steps".to_string())),
    };
    let max_steps = task.get("max_steps").and_then(Value::as_u64).map_or(DEFAULT_MAX_STEPS as u64, |n| n);
    if steps.len() as u64 > max_steps {
        return Err(Stop::Broken(format!(
            "the reference solution takes {} steps of {max_steps}",
            steps.len()
        )));
    }
    let allowed: Vec<&str> = task
        .get("allowed_tools")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    for (i, step) in steps.iter().enumerate() {
        let tool = step.get("tool").and_then(Value::as_str).unwrap_or_default();
        if !allowed.contains(&tool) {
            return Err(Stop::Broken(format!("step {} uses `{tool}`, which the task does not allow", i + 1)));
        }
        run(tool, step.get("args").unwrap_or(&Value::Null), &mut files, i + 1)?;
    }
    Ok(files)
}

fn run(tool: &str, args: &Value, files: &mut Workspace, step: usize) -> Result<(), Stop> {
    let broken = |why: String| Stop::Broken(format!("step {step}, `{tool}`: {why}"));
    let text = |key: &str| args.get(key).and_then(Value::as_str);
    match tool {
        "write_file" => {
            let path = text("path").ok_or_else(|| broken("its `path` is no text".to_string()))?;
            let content = match args.get("content") {
                None => "",
                Some(content) => {
                    content.as_str().ok_or_else(|| broken("its `content` is no text".to_string()))?
                }
            };
            files.put(path, content.to_string()).map_err(|e| broken(format!("{path:?}: {e}")))
        }
        "patch_file" => {
            let path = text("path").ok_or_else(|| broken("its `path` is no text".to_string()))?;
            let search = text("search").filter(|s| !s.is_empty());
            let search = search.ok_or_else(|| broken("its `search` is no text".to_string()))?;
            let replace = text("replace").unwrap_or_default();
            let all = args.get("replace_all").is_some_and(|v| v != &Value::Bool(false) && !v.is_null());
            let old =
                files.get(path).ok().flatten().ok_or_else(|| broken(format!("{path:?} is not there")))?;
            match old.matches(search).count() {
                0 => return Err(broken("the text to replace is not in the file".to_string())),
                n if n > 1 && !all => return Err(broken(format!("the text to replace occurs {n} times"))),
                _ => {}
            }
            let new = old.replace(search, replace);
            files.put(path, new).map_err(|e| broken(format!("{path:?}: {e}")))
        }
        // These look, and change nothing.
        "read_file" | "list_directory" | "search_text" | "calculator" => Ok(()),
        _ => Err(Stop::NotReplayed(format!("step {step} uses `{tool}`, which cannot be replayed here"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn task(script: Value) -> Value {
        json!({"allowed_tools": ["read_file", "write_file", "patch_file", "shell"], "max_steps": 3,
            "starting_workspace": {"a.txt": "one two"}, "metadata": {"scripted_script": script}})
    }

    #[test]
    fn files_are_written_and_patched() {
        let files = solution(&task(json!([{"tool": "read_file", "args": {"path": "a.txt"}},
            {"tool": "patch_file", "args": {"path": "a.txt", "search": "one", "replace": "1"}},
            {"tool": "write_file", "args": {"path": "b/c.txt", "content": "x"}}])))
        .unwrap();
        assert_eq!(files.get("a.txt").unwrap(), Some("1 two"));
        assert_eq!(files.get("b/c.txt").unwrap(), Some("x"));
    }

    #[test]
    fn faults_of_the_script_are_told_from_what_is_not_here() {
        let broken = |script| matches!(solution(&task(script)), Err(Stop::Broken(_)));
        assert!(broken(json!([{"tool": "write_file", "args": {"path": "../x", "content": ""}}])));
        assert!(broken(json!([{"tool": "write_file", "args": {"path": "x", "content": 3}}])));
        assert!(broken(json!([{"tool": "http", "args": {}}])));
        assert!(broken(
            json!([{"tool": "patch_file", "args": {"path": "a.txt", "search": "three", "replace": ""}}])
        ));
        assert!(broken(json!(vec![json!({"tool": "read_file"}); 4])));
        assert!(broken(json!([])));
        let not_here = |task: &Value| matches!(solution(task), Err(Stop::NotReplayed(_)));
        assert!(not_here(&task(json!([{"tool": "shell", "args": {"command": "ls"}}]))));
        assert!(not_here(&json!({"allowed_tools": ["read_file"]})));
    }
}
