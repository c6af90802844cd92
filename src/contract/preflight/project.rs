//! What of an observation is the fixture: the result without what is declared volatile.

use super::super::interface::Operation;
use super::super::observation::{Observation, ToolResult};
use super::super::pointer::array_index;
use serde_json::{Value, json};

/// The result with its volatile parts taken out. Where all of it is volatile, nothing is left.
pub(super) fn pruned(result: &ToolResult, operation: &Operation) -> ToolResult {
    let ToolResult::Json(value) = result else { return result.clone() };
    if operation.volatile.iter().any(Vec::is_empty) {
        return ToolResult::Absent;
    }
    let mut value = value.clone();
    for tail in &operation.volatile {
        remove(&mut value, tail);
    }
    ToolResult::Json(value)
}

/// A pointer that leads nowhere this time is what the declaration is for.
fn remove(root: &mut Value, tail: &[String]) {
    let Some((last, before)) = tail.split_last() else { return };
    let mut parent = root;
    for token in before {
        let below = match parent {
            Value::Array(items) => array_index(token).and_then(|i| items.get_mut(i)),
            Value::Object(members) => members.get_mut(token),
            _ => None,
        };
        let Some(below) = below else { return };
        parent = below;
    }
    match parent {
        Value::Array(items) => {
            if let Some(i) = array_index(last).filter(|i| *i < items.len()) {
                items.remove(i);
            }
        }
        Value::Object(members) => {
            members.shift_remove(last);
        }
        _ => {}
    }
}

/// The state of the fixture as one observation shows it; the leg is not part of it.
pub(super) fn state(observation: &Observation, pruned: &ToolResult) -> Value {
    let mut state = json!({ "interfaceId": observation.interface_id, "operationId": observation.operation_id,
        "status": u8::from(observation.is_error), "body": pruned.to_json() });
    if let (Some(members), Some(text)) = (state.as_object_mut(), &observation.text) {
        members.insert("text".to_string(), json!(text));
    }
    state
}
