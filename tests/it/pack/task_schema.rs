//! Our task schema and the published one say the same of every document.

use crate::support::shared;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use verity::grade::validate::TASK_SCHEMA;
use verity::schema::Dialect;
use verity::schema::judge::{Formats, Judge};

const PUBLISHED: &str = "schemas/tooltrace-task-2026-09-11.schema.json";

/// Keys of the runner's working tree that no published schema has: no pack may use them.
const UNPUBLISHED: [&str; 2] = ["tool_descriptions", "attachments"];

fn published() -> Option<(String, Value)> {
    let text = std::fs::read_to_string(shared(PUBLISHED)?).unwrap();
    let value = serde_json::from_str(&text).unwrap();
    Some((text, value))
}

fn full_task() -> Value {
    json!({
        "schema_version": 1, "id": "a.b_c-d/e0", "version": "1.0.0", "category": "c", "objective": "o", "description": "d",
        "starting_workspace": {"a.txt": "t"}, "fixtures": {"b.txt": "t"}, "allowed_tools": ["read_file", "write_file"],
        "assertions": [{"type": "file_exists", "params": {"path": "x"}, "weight": 0.5, "description": "d"},
            {"type": "json_schema", "params": {}}],
        "timeout_seconds": 0.5, "max_steps": 3, "network_policy": "disabled",
        "resource_limits": {"max_memory_mb": 5, "max_cpus": 1.5, "max_disk_mb": null, "other": "x"},
        "difficulty": "hard", "tags": ["a"], "perturbations": [{"kind": "delay", "params": {}, "apply_at_step": 2}],
        "long_context": true, "metadata": {"any": [1]}, "requires_tools": ["git"]
    })
}

/// `task` with the value at `pointer` replaced, and with it taken away.
fn changes(task: &Value, pointer: &str) -> Vec<Value> {
    let odd = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1),
        json!(1.5),
        json!(2.0),
        json!(""),
        json!("x"),
        json!("easy"),
        json!("A/b"),
        json!("a/b/c"),
        json!("a/b\n"),
        json!([]),
        json!(["x"]),
        json!([1]),
        json!({}),
        json!({"x": "y"}),
        json!({"x": 1}),
        json!([{}]),
        json!([{"type": "t"}]),
        json!([{"kind": "moved_file"}]),
    ];
    let mut all = Vec::new();
    for value in odd {
        let mut changed = task.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        all.push(changed);
    }
    let (parent, last) = pointer.rsplit_once('/').unwrap();
    let mut without = task.clone();
    match without.pointer_mut(parent).unwrap() {
        Value::Object(members) => drop(members.shift_remove(last)),
        Value::Array(items) => drop(items.remove(last.parse().unwrap())),
        _ => unreachable!(),
    }
    all.push(without);
    all
}

fn pointers(value: &Value, at: String, all: &mut Vec<String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(k, v)| pointers(v, format!("{at}/{k}"), all)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, v)| pointers(v, format!("{at}/{i}"), all))
        }
        _ => {}
    }
    if !at.is_empty() {
        all.push(at);
    }
}

#[test]
fn both_schemas_give_the_same_verdicts() {
    let Some((text, theirs)) = published() else { return };
    let ours: Value = serde_json::from_str(TASK_SCHEMA).unwrap();
    let digest: String = Sha256::digest(text.as_bytes()).iter().map(|b| format!("{b:02x}")).collect();
    assert!(
        ours["$comment"].as_str().unwrap().contains(&digest),
        "the published schema has changed: {digest}"
    );
    let judge = |schema: &Value| Judge::compile(schema, Dialect::Draft202012, Formats::Annotate).unwrap();
    let (ours, theirs) = (judge(&ours), judge(&theirs));
    let task = full_task();
    assert!(ours.accepts(&task) && theirs.accepts(&task));
    let mut all = Vec::new();
    pointers(&task, String::new(), &mut all);
    let (mut refused, mut accepted) = (0, 0);
    for pointer in all {
        for changed in changes(&task, &pointer) {
            let verdict = theirs.accepts(&changed);
            assert_eq!(ours.accepts(&changed), verdict, "{pointer}: {changed}");
            *(if verdict { &mut accepted } else { &mut refused }) += 1;
        }
    }
    assert!(refused > 300 && accepted > 100, "{refused} refused, {accepted} accepted");
    for whole in [json!(null), json!([]), json!({}), json!("x")] {
        assert_eq!(ours.accepts(&whole), theirs.accepts(&whole));
    }
}

/// The day the format gains these keys, a pack may use them: until then they are ignored by every
/// runner, and a pack that relied on them would measure something else than it says.
#[test]
fn unpublished_keys_are_still_unpublished() {
    let ours: Value = serde_json::from_str(TASK_SCHEMA).unwrap();
    for schema in [Some(ours), published().map(|p| p.1)].into_iter().flatten() {
        for key in UNPUBLISHED {
            assert!(schema["properties"].get(key).is_none(), "the task schema now has `{key}`");
        }
    }
}
