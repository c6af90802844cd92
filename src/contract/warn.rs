//! What compiles and is probably not meant: contracts that judge less than their authors think.

use super::document::{Contract, Oracle};
use super::expression::Test;
use super::interface::{Operation, TypeName};
use super::plan::{Binding, Step};
use super::pointer::{Channel, Pointer, Target};
use crate::pointer::{child, index};
use std::collections::BTreeSet;

/// One remark, with its place in the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    pub pointer: String,
    pub text: String,
}

/// Remarks on a contract that compiles, in the order of the document's parts.
#[must_use]
pub fn warnings(contract: &Contract) -> Vec<Warning> {
    let mut out = Vec::new();
    behaviors(contract, &mut out);
    for oracle in &contract.oracles {
        quantifiers(contract, oracle, &mut out);
        read_back(contract, oracle, &mut out);
    }
    steps(contract, &mut out);
    for operation in operations(contract) {
        envelope(operation, &mut out);
        collections(contract, operation, &mut out);
    }
    out
}

fn operations(contract: &Contract) -> impl Iterator<Item = &Operation> {
    contract.interfaces.iter().flat_map(|i| &i.operations)
}

fn operation_of<'c>(contract: &'c Contract, step: &'c Step) -> Option<&'c Operation> {
    contract.operation_of(step).map(|(_, operation)| operation)
}

fn step<'c>(contract: &'c Contract, id: &str) -> Option<&'c Step> {
    contract.steps.iter().find(|step| step.id == id)
}

fn behaviors(contract: &Contract, out: &mut Vec<Warning>) {
    for behavior in &contract.behaviors {
        for (i, id) in behavior.oracles.iter().enumerate() {
            if !contract.oracles.iter().any(|oracle| oracle.id == *id) {
                let pointer = index(&format!("{}/oracles", behavior.at), i);
                out.push(Warning {
                    pointer,
                    text: format!("{} names the oracle {id}, which is not declared", behavior.id),
                });
            }
        }
    }
}

/// A quantifier over an empty list abstains, it does not hold.
fn quantifiers(contract: &Contract, oracle: &Oracle, out: &mut Vec<Warning>) {
    for visit in oracle.check.iter().flat_map(super::expression::Expression::nodes) {
        let (Test::ForAll { collection, .. } | Test::ForAny { collection, .. }) = &visit.node.test else {
            continue;
        };
        let Some(pointer) = collection.pointer() else { continue };
        let Target::Interaction {
            step: id,
            channel: channel @ (Channel::ResponseBody | Channel::TextJson),
            tail,
        } = &pointer.target
        else {
            continue;
        };
        let operation = step(contract, id).and_then(|step| operation_of(contract, step));
        let declared =
            operation.and_then(|o| o.descriptor.collections.iter().flatten().find(|c| c.tail == *tail));
        let declared = declared.filter(|_| *channel == Channel::ResponseBody);
        if declared.is_some_and(|c| c.is_exact && c.most > 0) {
            continue;
        }
        let text = format!(
            "`{}` may be empty, and {} abstains then: use `count-tolerance`, or a scalar beside the list",
            pointer.text, oracle.id
        );
        out.push(Warning { pointer: visit.node.at.clone(), text });
    }
}

/// A write that says that it succeeded has not shown that it did.
fn read_back(contract: &Contract, oracle: &Oracle, out: &mut Vec<Warning>) {
    let nodes = oracle.check.iter().flat_map(super::expression::Expression::nodes);
    let read: BTreeSet<&str> = nodes
        .flat_map(|visit| visit.node.operands())
        .filter_map(|operand| operand.pointer())
        .filter(|pointer| pointer.channel().is_some_and(Channel::is_response_side))
        .filter_map(Pointer::step)
        .collect();
    let writes: Vec<&Step> = read
        .iter()
        .filter_map(|id| step(contract, id))
        .filter(|step| operation_of(contract, step).is_some_and(|o| o.changes_state))
        .collect();
    for write in writes {
        let follows = |other: &Step| {
            other.after.as_deref() == Some(write.id.as_str()) || captures_from(other, &write.id)
        };
        let is_read_back = contract.steps.iter().any(|other| {
            follows(other)
                && operation_of(contract, other).is_some_and(|o| !o.changes_state)
                && is_judged(contract, &other.id)
        });
        if !is_read_back {
            let text = format!(
                "{} believes what the write `{}` says of itself: read it back, in a step that comes after it or captures from it",
                oracle.id, write.id
            );
            out.push(Warning { pointer: child(&oracle.at, "check"), text });
        }
    }
}

fn captures_from(step: &Step, source: &str) -> bool {
    let bound = step.bindings.values().flat_map(|keys| keys.values());
    bound
        .into_iter()
        .any(|binding| matches!(binding, Binding::Captured(pointer) if pointer.step() == Some(source)))
}

/// Whether any oracle reads the step.
fn is_judged(contract: &Contract, id: &str) -> bool {
    let nodes = contract
        .oracles
        .iter()
        .filter_map(|o| o.check.as_ref())
        .flat_map(super::expression::Expression::nodes);
    nodes
        .flat_map(|visit| visit.node.operands())
        .any(|operand| operand.pointer().and_then(Pointer::step) == Some(id))
}

fn steps(contract: &Contract, out: &mut Vec<Warning>) {
    for step in &contract.steps {
        if operation_of(contract, step).is_none() {
            let text = format!(
                "step `{}` calls operation `{}`, which is not declared: it selects nothing",
                step.id, step.operation
            );
            out.push(Warning { pointer: child(&step.at, "operationId"), text });
        }
        if let Some(after) = step.after.as_deref().filter(|after| self::step(contract, after).is_none()) {
            out.push(Warning {
                pointer: child(&step.at, "after"),
                text: format!("no step `{after}` is declared"),
            });
        }
    }
}

/// The descriptor is about `structuredContent`, never about what carries it.
fn envelope(operation: &Operation, out: &mut Vec<Warning>) {
    let shape = &operation.descriptor.shape;
    let is_envelope = |key: &str| match key {
        "isError" | "structuredContent" => true,
        // A document's `content` is a text; the envelope's is a list of blocks.
        "content" => shape.type_of(key) == Some(TypeName::Array),
        _ => false,
    };
    if let Some(key) = shape.required.iter().chain(&shape.permitted).find(|key| is_envelope(key)) {
        let text = format!(
            "`{key}` belongs to the answer that carries a result: the descriptor is about the tool's own structuredContent"
        );
        out.push(Warning { pointer: child(&operation.at, "responseDescriptor"), text });
    }
}

fn collections(contract: &Contract, operation: &Operation, out: &mut Vec<Warning>) {
    for (i, collection) in operation.descriptor.collections.iter().flatten().enumerate() {
        if let Some(name) =
            collection.reference_set.as_deref().filter(|name| contract.reference_set(name).is_none())
        {
            let pointer = format!("{}/responseDescriptor/collectionLocations/{i}/referenceSet", operation.at);
            out.push(Warning { pointer, text: format!("the contract declares no reference set `{name}`") });
        }
    }
}
