//! The task format of tooltrace-bench, published 2026-09-11
//! (`schemas/tooltrace-task-2026-09-11.schema.json`).

use crate::pack::task::{CALL_FILE, TOOLS_FILE, Task, call_text, object};
use serde_json::{Value, json};

/// Revision of the task format, as the format itself counts.
const SCHEMA_VERSION: u32 = 1;
const TASK_VERSION: &str = "1.0.0";
/// Reading one file and writing one takes two steps; the rest is room to look around.
const MAX_STEPS: u32 = 10;
const TIMEOUT_SECONDS: u32 = 300;

/// Where a task comes from, the same for all tasks of a pack.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    pub pack: &'a str,
    pub server: Option<&'a str>,
    /// Digest of the listing.
    pub digest: &'a str,
    pub seed: &'a str,
    pub verity: &'a str,
}

/// The task's document.
#[must_use]
pub fn document(task: &Task, source: &Source<'_>) -> Value {
    object([
        ("schema_version", json!(SCHEMA_VERSION)),
        ("id", json!(format!("{}/{}", source.pack, task.name))),
        ("version", json!(TASK_VERSION)),
        ("category", json!("tool-use")),
        ("difficulty", json!(task.difficulty.as_str())),
        ("tags", json!(tags(task))),
        ("objective", json!(task.objective)),
        ("starting_workspace", object([(TOOLS_FILE, json!(&*task.tools_json))])),
        ("allowed_tools", json!(["read_file", "write_file", "list_directory"])),
        ("assertions", assertions(task)),
        ("timeout_seconds", json!(TIMEOUT_SECONDS)),
        ("max_steps", json!(MAX_STEPS)),
        ("network_policy", json!("disabled")),
        ("metadata", metadata(task, source)),
    ])
}

fn tags(task: &Task) -> Vec<&'static str> {
    let mut tags = vec!["mcp", "tool-arguments"];
    if !task.poisoning_rules.is_empty() {
        tags.push("flagged");
    }
    tags
}

/// Their descriptions differ: the runner's score keeps one entry a description.
fn assertions(task: &Task) -> Value {
    json!([
        {
            "type": "file_exists",
            "params": { "path": CALL_FILE },
            "weight": 0.5,
            "description": "call.json was written"
        },
        {
            "type": "json_schema",
            "params": { "path": CALL_FILE, "schema": task.schema },
            "weight": 1.0,
            "description": "call.json is accepted by the tool's inputSchema"
        }
    ])
}

fn metadata(task: &Task, source: &Source<'_>) -> Value {
    let script = json!([{
        "tool": "write_file",
        "args": { "path": CALL_FILE, "content": call_text(&task.solution) }
    }]);
    let mut origin = object([("tool", json!(task.tool))]);
    if let Some(members) = origin.as_object_mut() {
        if let Some(server) = source.server {
            members.insert("server".into(), json!(server));
        }
        members.insert("pointer".into(), json!(format!("/tools/{}", task.index)));
        members.insert("digest".into(), json!(source.digest));
        members.insert("tool_digest".into(), json!(task.digest));
        members.insert("verity".into(), json!(source.verity));
        if !task.poisoning_rules.is_empty() {
            members.insert("poisoning_rules".into(), json!(task.poisoning_rules));
        }
        if !task.findings.is_empty() {
            members.insert("findings".into(), json!(task.findings));
        }
    }
    let proof = object([
        ("seed", json!(source.seed)),
        ("constraints", json!(task.constraints)),
        ("controls", json!(task.controls)),
    ]);
    object([("scripted_script", script), ("source", origin), ("verity", proof)])
}
