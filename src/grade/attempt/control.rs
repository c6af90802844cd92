//! Negative controls: a patch (RFC 6902) that makes one stated change to a recording's rows, and the check that must
//! notice it. It names its parent by the last link of the chain, so that it is about this recording and no other, and the
//! changed recording can be derived again from both.

use super::chain::Chain;
use crate::error::cut;
use crate::grade::verdict::{Check, Status, Verdict};
use crate::suggest;
use json_patch::PatchOperation;
use serde::Deserialize;
use serde_json::Value;

/// Rows of a recording that a patch is applied to: all of them are held in memory.
pub const MAX_ROWS: usize = 50_000;
/// Operations of a patch.
const MAX_OPERATIONS: usize = 1_000;
/// Values in the changed rows: `copy` can double them with each operation.
const MAX_VALUES: usize = 5_000_000;

/// A control, as its file has it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// Why a recording with this change is wrong.
    pub reason: String,
    /// The last link of the chain over the rows that it changes.
    pub parent: String,
    /// The check that must fail; `run, session, id` where there are several.
    pub check: String,
    /// Operations on the list of rows: `/3/arguments/amount` is in row 3, row 0 being the head.
    pub patch: Vec<PatchOperation>,
    /// The last link over the changed rows, where it was noted.
    #[serde(default)]
    pub sha256: Option<String>,
}

impl Control {
    /// The control that `bytes` hold.
    ///
    /// # Errors
    /// Why they hold none.
    pub fn read(bytes: &[u8]) -> Result<Control, String> {
        let control: Control = serde_json::from_slice(bytes).map_err(|e| format!("no control: {e}"))?;
        if control.reason.trim().is_empty() {
            return Err("a control says why the changed recording is wrong: `reason` is empty".to_string());
        }
        if control.patch.is_empty() {
            return Err("a control without operations changes nothing: `patch` is empty".to_string());
        }
        if control.patch.len() > MAX_OPERATIONS {
            return Err(format!("more than {MAX_OPERATIONS} operations"));
        }
        if control.patch.iter().all(|o| matches!(o, PatchOperation::Test(_))) {
            return Err("a control that only tests changes nothing".to_string());
        }
        Ok(control)
    }

    /// The rows with the change made, and nothing else changed.
    ///
    /// # Errors
    /// The rows are not those of its parent; an operation does not apply; the change is none; the result is not the one
    /// that was noted.
    pub fn derive(&self, rows: Vec<Value>) -> Result<(Vec<Value>, Chain), String> {
        let parent = Chain::of(rows.iter().cloned());
        if parent.last() != self.parent {
            return Err(format!(
                "it is about another recording: its parent is `{}`, and these rows are `{}`",
                cut(&self.parent),
                parent.last()
            ));
        }
        let mut document = Value::Array(rows);
        for (i, operation) in self.patch.iter().enumerate() {
            json_patch::patch_unsafe(&mut document, std::slice::from_ref(operation)).map_err(|e| {
                format!("operation {} of the patch does not apply: {}", i + 1, cut(&e.kind.to_string()))
            })?;
            if matches!(operation, PatchOperation::Copy(_)) && count(&document) > MAX_VALUES {
                return Err(format!("operation {} of the patch makes the recording too large", i + 1));
            }
        }
        let Value::Array(rows) = document else {
            return Err("the patch leaves no list of rows".to_string());
        };
        let chain = Chain::of(rows.iter().cloned());
        if chain == parent {
            return Err("the patch changes nothing".to_string());
        }
        match &self.sha256 {
            Some(noted) if noted != chain.last() => Err(format!(
                "the changed recording is `{}`, and the control notes `{}`",
                chain.last(),
                cut(noted)
            )),
            _ => Ok((rows, chain)),
        }
    }

    /// Whether the named check notices the change: it holds for the recording as it is (`before`) and fails for the changed
    /// one (`after`).
    ///
    /// # Errors
    /// There is no such check.
    pub fn judge(&self, before: &Verdict, after: &Verdict) -> Result<Noticed, String> {
        let Some(was) = find(before, &self.check) else {
            let names: Vec<String> = before.checks.iter().map(Check::full_name).collect();
            return Err(suggest::unknown("check", &self.check, names.iter().map(String::as_str)));
        };
        if was.status == Status::Failed {
            return Ok(Noticed::FailsAnyway);
        }
        Ok(match find(after, &self.check) {
            Some(is) if is.status == Status::Failed => Noticed::Yes(is.message.clone()),
            Some(is) => Noticed::No(is.status),
            None => Noticed::No(Status::Inconclusive),
        })
    }
}

/// Whether a control's check noticed the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Noticed {
    /// It fails, and says this.
    Yes(String),
    /// It ends so.
    No(Status),
    /// It fails without the change, too: the control shows nothing.
    FailsAnyway,
}

fn find<'v>(verdict: &'v Verdict, name: &str) -> Option<&'v Check> {
    let by = |wanted: fn(&Check) -> String| verdict.checks.iter().find(move |c| wanted(c) == name);
    by(Check::full_name).or_else(|| by(|c| c.id.clone()))
}

/// How many values there are in `value`.
fn count(value: &Value) -> usize {
    let mut open = vec![value];
    let mut count = 0;
    while let Some(next) = open.pop() {
        count += 1;
        match next {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rows() -> Vec<Value> {
        vec![
            json!({"row": "recording"}),
            json!({"row": "call", "arguments": {"n": 1}}),
            json!({"row": "text"}),
        ]
    }

    fn derive(patch: Value, more: Value) -> Result<Vec<Value>, String> {
        let parent = Chain::of(rows()).last().to_string();
        let mut control = json!({"reason": "r", "parent": parent, "check": "step-1", "patch": patch});
        control.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Control::read(control.to_string().as_bytes())?.derive(rows()).map(|(rows, _)| rows)
    }

    #[test]
    fn the_stated_change_is_made_and_no_other() {
        let changed =
            derive(json!([{"op": "replace", "path": "/1/arguments/n", "value": 2}]), json!({})).unwrap();
        let mut wanted = rows();
        wanted[1]["arguments"]["n"] = json!(2);
        assert_eq!(changed, wanted);
        let again = Chain::of(wanted).last().to_string();
        let patch = json!([{"op": "replace", "path": "/1/arguments/n", "value": 2}]);
        assert!(derive(patch.clone(), json!({"sha256": again})).is_ok());
        assert!(derive(patch, json!({"sha256": "sha256:0"})).unwrap_err().contains("the control notes"));
    }

    #[test]
    fn a_control_that_is_none_is_told() {
        let patch = json!([{"op": "remove", "path": "/2"}]);
        assert!(
            derive(patch.clone(), json!({"parent": "sha256:0"})).unwrap_err().contains("another recording")
        );
        assert!(derive(patch.clone(), json!({"reason": " "})).unwrap_err().contains("`reason` is empty"));
        assert!(derive(patch, json!({"extra": 1})).unwrap_err().contains("extra"));
        let wrong = [
            (json!([]), "`patch` is empty"),
            (json!([{"op": "test", "path": "/1/row", "value": "call"}]), "only tests"),
            (json!([{"op": "remove", "path": "/7"}]), "operation 1 of the patch does not apply"),
            (
                json!([{"op": "test", "path": "/1/row", "value": "x"}, {"op": "remove", "path": "/1"}]),
                "operation 1",
            ),
            (json!([{"op": "replace", "path": "/1/arguments/n", "value": 1}]), "changes nothing"),
            (json!([{"op": "replace", "path": "", "value": 1}]), "no list of rows"),
        ];
        for (patch, why) in wrong {
            let said = derive(patch.clone(), json!({})).unwrap_err();
            assert!(said.contains(why), "{patch}: {said}");
        }
    }

    #[test]
    fn a_patch_that_doubles_is_stopped() {
        let double = json!({"op": "copy", "from": "/1/arguments", "path": "/1/arguments/x"});
        let patch: Vec<Value> = (0..40).map(|_| double.clone()).collect();
        // Each copy takes the ones before it along.
        let other: Vec<Value> = (0..40)
            .map(|i| json!({"op": "copy", "from": "/1/arguments", "path": format!("/1/arguments/x{i}")}))
            .collect();
        assert!(derive(Value::Array(patch), json!({})).is_ok());
        assert!(derive(Value::Array(other), json!({})).unwrap_err().contains("too large"));
    }
}
