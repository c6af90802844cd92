//! Repairs: what `verity lint --fix` may do about a finding of a rule. A rule with a repair names it in its own
//! file; [`crate::fix`] tries it, proves that nothing else changes, and writes it.

use crate::pointer;
use crate::schema::Dialect;
use serde_json::{Map, Value};

/// What has to be true of the schema after a repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixKind {
    /// It accepts exactly what it accepted: proven both ways by the schema algebra.
    Equal,
    /// It accepts exactly the *objects* that it accepted; arguments are nothing else.
    EqualObjects,
    /// It was no valid schema, so there is no meaning to keep: what was written is unambiguous, and no
    /// other fault comes.
    Repair,
}

impl FixKind {
    /// "equal" or "repair", as reports say it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FixKind::Equal | FixKind::EqualObjects => "equal",
            FixKind::Repair => "repair",
        }
    }
}

/// The mechanical repair of a rule's findings.
#[derive(Debug, Clone, Copy)]
pub struct Fixer {
    pub kind: FixKind,
    /// What it does, in the imperative: "delete the repeated value".
    pub does: &'static str,
    /// Repairs the fault at the pointer (in the schema) and says whether it did. It may try what is not
    /// always right: what cannot be proven is not kept.
    pub apply: fn(&mut Value, &str, Dialect) -> bool,
}

/// The object that holds what the pointer names, and the name.
pub(super) fn holder<'v>(schema: &'v mut Value, at: &str) -> Option<(&'v mut Map<String, Value>, String)> {
    let (parent, last) = pointer::split_last(at)?;
    Some((schema.pointer_mut(parent)?.as_object_mut()?, last))
}

/// Takes a member, or an item of a list that keeps others, out of the schema.
pub(super) fn remove(schema: &mut Value, at: &str) -> bool {
    let Some((parent, last)) = pointer::split_last(at) else { return false };
    match schema.pointer_mut(parent) {
        Some(Value::Object(members)) => members.shift_remove(&last).is_some(),
        Some(Value::Array(items)) => match last.parse::<usize>() {
            Ok(i) if i < items.len() && items.len() > 1 => {
                items.remove(i);
                true
            }
            _ => false,
        },
        _ => false,
    }
}

/// Gives a member another key, in its place; not if there is one of that name.
pub(super) fn rename(members: &mut Map<String, Value>, from: &str, to: &str) -> bool {
    if members.contains_key(to) || !members.contains_key(from) {
        return false;
    }
    let renamed = std::mem::take(members).into_iter();
    *members = renamed.map(|(k, v)| if k == from { (to.to_string(), v) } else { (k, v) }).collect();
    true
}
