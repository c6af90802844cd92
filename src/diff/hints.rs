//! Hints and task support, as clients take them: after their defaults.

use super::{Change, Class};
use crate::rules::diff as rules;
use serde_json::Value;

/// What a host assumes of a tool.
struct Hints {
    read_only: bool,
    destructive: bool,
    idempotent: bool,
    open_world: bool,
}

impl Hints {
    /// The specification's defaults; the second and third hint count only for a tool that is not read-only.
    fn of(tool: &Value) -> Hints {
        let hint = |name: &str, default| {
            tool.get("annotations").and_then(|a| a.get(name)).and_then(Value::as_bool).unwrap_or(default)
        };
        let read_only = hint("readOnlyHint", false);
        Hints {
            read_only,
            destructive: !read_only && hint("destructiveHint", true),
            idempotent: read_only || hint("idempotentHint", false),
            open_world: hint("openWorldHint", true),
        }
    }
}

/// What changed in the hints. `at` is the pointer of the new tool.
pub(super) fn compare(old: &Value, new: &Value, at: &str) -> Vec<Change> {
    let (was, is) = (Hints::of(old), Hints::of(new));
    let mut changes = Vec::new();
    let mut say = |name: &str, was_safe: bool, is_safe: bool, safe: &str, unsafe_: &str| {
        if was_safe == is_safe {
            return;
        }
        let stated = new.get("annotations").and_then(|a| a.get(name)).is_some();
        let pointer = if stated { format!("{at}/annotations/{name}") } else { at.to_string() };
        let left_out = if stated { "" } else { ", by default" };
        changes.push(if is_safe {
            let message =
                format!("the tool counted as {unsafe_} and counts as {safe} now{left_out} (`{name}`)");
            Change::new(Class::Security, &rules::HINT_RELAXED, pointer, message)
        } else {
            let message =
                format!("the tool counted as {safe} and counts as {unsafe_} now{left_out} (`{name}`)");
            Change::new(Class::Breaking, &rules::HINT_ESCALATED, pointer, message)
        });
    };
    say("readOnlyHint", was.read_only, is.read_only, "read-only", "changing things");
    if was.read_only == is.read_only {
        say("destructiveHint", !was.destructive, !is.destructive, "taking nothing away", "destructive");
        say("idempotentHint", was.idempotent, is.idempotent, "safe to repeat", "unsafe to repeat");
    }
    say("openWorldHint", !was.open_world, !is.open_world, "staying in its own world", "reaching outside");
    changes
}

/// What changed in `execution.taskSupport`.
pub(super) fn tasks(old: &Value, new: &Value, at: &str) -> Option<Change> {
    let support = |tool: &Value| {
        let stated = tool.get("execution").and_then(|e| e.get("taskSupport")).and_then(Value::as_str);
        stated.unwrap_or("forbidden").to_string()
    };
    let (was, is) = (support(old), support(new));
    if was == is {
        return None;
    }
    let (class, what) = match is.as_str() {
        "optional" => (Class::Compatible, "both kinds of clients are served"),
        "required" => (Class::Breaking, "clients without tasks cannot call the tool any more"),
        "forbidden" => (Class::Breaking, "clients cannot run it as a task any more"),
        _ => (Class::Warning, "no client knows that word"),
    };
    let stated = new.get("execution").and_then(|e| e.get("taskSupport")).is_some();
    let pointer = if stated { format!("{at}/execution/taskSupport") } else { at.to_string() };
    let message = format!("`taskSupport` was {was:?} and is {is:?}: {what}");
    Some(Change::new(class, &rules::TASK_SUPPORT, pointer, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn classes(old: Value, new: Value) -> Vec<(Class, String)> {
        let tool = |annotations| json!({"name": "a", "annotations": annotations});
        compare(&tool(old), &tool(new), "/tools/0").into_iter().map(|c| (c.class, c.pointer)).collect()
    }

    #[test]
    fn defaults_are_no_change() {
        let stated = json!({"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true});
        assert_eq!(classes(json!(null), stated.clone()), []);
        assert_eq!(classes(stated, json!({})), []);
        assert_eq!(
            classes(json!({"readOnlyHint": true}), json!({"readOnlyHint": true, "destructiveHint": true})),
            []
        );
    }

    #[test]
    fn more_harm_breaks_and_less_is_looked_at() {
        let pointer = |name: &str| format!("/tools/0/annotations/{name}");
        assert_eq!(
            classes(json!({"readOnlyHint": true}), json!({"readOnlyHint": false, "destructiveHint": true})),
            [(Class::Breaking, pointer("readOnlyHint"))]
        );
        assert_eq!(
            classes(json!({"readOnlyHint": true}), json!({})),
            [(Class::Breaking, "/tools/0".to_string())]
        );
        assert_eq!(
            classes(json!({}), json!({"readOnlyHint": true})),
            [(Class::Security, pointer("readOnlyHint"))]
        );
        assert_eq!(
            classes(json!({}), json!({"destructiveHint": false})),
            [(Class::Security, pointer("destructiveHint"))]
        );
        assert_eq!(
            classes(
                json!({"destructiveHint": false, "idempotentHint": true}),
                json!({"openWorldHint": false})
            ),
            [
                (Class::Breaking, "/tools/0".to_string()),
                (Class::Breaking, "/tools/0".to_string()),
                (Class::Security, pointer("openWorldHint"))
            ]
        );
    }

    #[test]
    fn task_support_is_forbidden_unless_stated() {
        let tool = |support: &str| json!({"execution": {"taskSupport": support}});
        let class = |old: &Value, new: &Value| tasks(old, new, "/tools/0").map(|c| c.class);
        assert_eq!(class(&json!({}), &tool("forbidden")), None);
        assert_eq!(class(&json!({}), &tool("required")), Some(Class::Breaking));
        assert_eq!(class(&tool("required"), &tool("optional")), Some(Class::Compatible));
        assert_eq!(class(&tool("optional"), &json!({})), Some(Class::Breaking));
    }
}
