//! Witnesses: two calls that differ, and a relation that reads both and nothing else.

use super::{Checked, Code, Context, Operation, Witness, fail, inputs, reach};
use crate::contract::canonical;
use crate::contract::expression::{Expression, Operand};
use crate::contract::interface::Inputs;
use crate::contract::pointer::{Channel, Pointer, Target};
use crate::pointer::child;
use std::collections::{BTreeMap, BTreeSet};

/// Legs, steps and the reset share the names that pointers are rooted at.
pub(super) fn leg_identifiers(context: &Context<'_>) -> Checked {
    let mut owners: BTreeMap<&str, String> = BTreeMap::new();
    for step in &context.contract.steps {
        owners.insert(&step.id, "a step of the interaction plan".to_string());
    }
    let legs = context.witnesses().flat_map(|(_, witness)| {
        witness
            .legs
            .iter()
            .map(move |leg| (&leg.id, child(&leg.at, "legId"), format!("witness `{}`", witness.id)))
    });
    let reset = context.contract.fixture_reset.iter();
    let reset = reset.map(|reset| (&reset.leg, child(&reset.at, "legId"), "the fixture reset".to_string()));
    for (id, at, owner) in legs.chain(reset) {
        if let Some(first) = owners.get(id.as_str()) {
            let detail = format!("the leg id `{id}` of {owner} is that of {first} already");
            return fail(Code::MalformedOperatorExpression, &at, detail);
        }
        owners.insert(id, owner);
    }
    Ok(())
}

pub(super) fn legality(context: &Context<'_>) -> Checked {
    context.witnesses().try_for_each(|(operation, witness)| legal(operation, witness))?;
    fixture_reset(context)
}

fn legal(operation: &Operation, witness: &Witness) -> Checked {
    let malformed = |at: &str, detail: String| fail(Code::MalformedOperatorExpression, at, detail);
    if witness.channel != "arguments" {
        let detail = format!("a tool call is varied on `arguments`, not on `{}`", witness.channel);
        return malformed(&child(&witness.at, "channel"), detail);
    }
    let mut sent = Vec::new();
    for leg in &witness.legs {
        match &leg.inputs {
            Inputs::Arguments(arguments) => sent.push(canonical::text(&arguments.clone().into())),
            Inputs::OfKind(_) => {
                return malformed(
                    &child(&leg.at, "inputs"),
                    format!("leg `{}` sends no `arguments`", leg.id),
                );
            }
        }
    }
    let legs = child(&witness.at, "legs");
    if sent.first() == sent.last() {
        return malformed(
            &legs,
            format!("both legs of witness `{}` send the same arguments, so nothing is varied", witness.id),
        );
    }
    let pointers: Vec<_> = reach::operands(&witness.relation)
        .into_iter()
        .filter_map(|operand| Some((operand, operand.pointer()?)))
        .filter(|(_, pointer)| !pointer.is_bound())
        .collect();
    let is_leg = |step: &str| witness.legs.iter().any(|leg| leg.id == step);
    for (operand, pointer) in &pointers {
        roots_at(operand, pointer, &is_leg)?;
    }
    let read: BTreeSet<&str> = pointers.iter().filter_map(|(_, pointer)| pointer.step()).collect();
    if read.len() < 2 {
        return malformed(
            &witness.relation.at,
            format!("the relation of witness `{}` reads {} of its two legs", witness.id, read.len()),
        );
    }
    reads_only(&witness.relation, operation, &is_leg)
}

fn roots_at(operand: &Operand, pointer: &Pointer, is_leg: &dyn Fn(&str) -> bool) -> Checked {
    match pointer.step().filter(|step| !is_leg(step)) {
        Some(step) => {
            let detail = format!("the relation reads `{step}`, which is no leg of its witness");
            fail(Code::UnreachableCheckEvidence, &operand.at, detail)
        }
        None => Ok(()),
    }
}

/// Whether every pointer of a relation is rooted at a leg, and reads what a call of `operation` can show.
pub(super) fn reads_only(
    relation: &Expression,
    operation: &Operation,
    is_leg: &dyn Fn(&str) -> bool,
) -> Checked {
    for operand in reach::operands(relation) {
        let Some(pointer) = operand.pointer() else { continue };
        roots_at(operand, pointer, is_leg)?;
        if let Some(why) = reach::unreachable_of(pointer, operation).or_else(|| volatile(pointer, operation))
        {
            return fail(Code::UnreachableCheckEvidence, &operand.at, format!("`{}` {why}", pointer.text));
        }
    }
    Ok(())
}

/// What is volatile is taken out before a witness is read.
fn volatile(pointer: &Pointer, operation: &Operation) -> Option<String> {
    let Target::Interaction { channel: Channel::ResponseBody, tail, .. } = &pointer.target else {
        return None;
    };
    let is_gone = operation.volatile.iter().any(|volatile| tail.starts_with(volatile));
    is_gone.then(|| {
        format!("is volatile by the declaration of operation `{}`, and never looked at", operation.id)
    })
}

fn fixture_reset(context: &Context<'_>) -> Checked {
    let Some(reset) = &context.contract.fixture_reset else { return Ok(()) };
    let Some(operation) = context.operation(&reset.interface, &reset.operation) else {
        let detail = format!(
            "the reset calls operation `{}` of interface `{}`, which is not declared",
            reset.operation, reset.interface
        );
        return fail(Code::UnreachableCheckEvidence, &reset.at, detail);
    };
    if !operation.changes_state {
        let detail =
            format!("the reset calls `{}`, which changes no state by its stateChangeMarker", operation.id);
        return fail(Code::MalformedOperatorExpression, &child(&reset.at, "operationId"), detail);
    }
    inputs::against_shape(&reset.inputs, operation, "the fixture reset", &child(&reset.at, "inputs"))
}
