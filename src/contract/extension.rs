//! What verity adds to eval-quality's contracts: the texts of an answer. Many tools return nothing but text, which the
//! documents of version 5 cannot look at.
//!
//! Only the short form can say it (`$STEP.text`, `$STEP.json/path`). The full document then says `5+text` where its
//! version stands, so that no reader of version 5 takes it for one of its own; and one that says `5` is refused with such a
//! pointer.

use super::document::Contract;
use super::expression::Expression;
use super::failure::{Code, Failure};
use super::plan::Binding;
use super::pointer::{Channel, Pointer};
use serde_json::Value;

/// What the full document says for its version.
pub const STAMP: &str = "5+text";

/// Whether any pointer of a full document reads a text. Values that are sent or compared are no pointers.
#[must_use]
pub fn is_used(document: &Value) -> bool {
    let is_text = |value: &Value| value.as_str().and_then(Pointer::parse).is_some_and(|p| reads_text(&p));
    match document {
        Value::Array(items) => items.iter().any(is_used),
        Value::Object(members) => members.iter().any(|(key, value)| match key.as_str() {
            "literal" | "inputs" | "referenceSets" => false,
            "pointer" | "captured" => is_text(value),
            "evidenceTargets" => value.as_array().is_some_and(|all| all.iter().any(is_text)),
            _ => is_used(value),
        }),
        _ => false,
    }
}

fn reads_text(pointer: &Pointer) -> bool {
    matches!(pointer.channel(), Some(Channel::Text | Channel::TextJson))
}

fn refused(pointer: &Pointer, at: &str) -> Result<(), Failure> {
    if !reads_text(pointer) {
        return Ok(());
    }
    let detail = format!(
        "`{}` reads the text of an answer, which no document of version 5 can; the short form can say it, and its full \
         document has the version `{STAMP}`",
        pointer.text
    );
    Err(Failure::new(Code::Parse, at, detail))
}

/// Refuse a check of a document of version 5 that reads texts.
///
/// # Errors
/// [`Code::Parse`] at the operand.
pub(super) fn refuse_in(check: &Expression) -> Result<(), Failure> {
    let operands = check.nodes().into_iter().flat_map(|visit| visit.node.operands());
    operands.into_iter().try_for_each(|operand| match operand.pointer() {
        Some(pointer) => refused(pointer, &operand.at),
        None => Ok(()),
    })
}

/// Refuse a contract of version 5 that reads texts.
///
/// # Errors
/// [`Code::Parse`] at the first such pointer.
pub(super) fn refuse(contract: &Contract) -> Result<(), Failure> {
    let witnesses = contract.interfaces.iter().flat_map(|i| &i.operations).filter_map(|o| o.witness.as_ref());
    witnesses.map(|witness| &witness.relation).try_for_each(refuse_in)?;
    for oracle in &contract.oracles {
        oracle.check.iter().try_for_each(refuse_in)?;
        let targets = oracle.direction.iter().flat_map(|direction| &direction.evidence_targets);
        let at = format!("{}/direction/evidenceTargets", oracle.at);
        targets.into_iter().try_for_each(|target| refused(target, &at))?;
    }
    for step in &contract.steps {
        let bound = step.bindings.values().flat_map(|keys| keys.values());
        for binding in bound {
            if let Binding::Captured(pointer) = binding {
                refused(pointer, &format!("{}/inputBinding", step.at))?;
            }
        }
    }
    for rubric in &contract.rubrics {
        for criterion in &rubric.criteria {
            refused(&criterion.evidence, &rubric.at)?;
        }
    }
    Ok(())
}
