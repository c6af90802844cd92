//! Can the evidence that a pointer names be there at all?

use super::{Checked, Code, Context, Home, Operation, Step, fail};
use crate::contract::expression::Operand;
use crate::contract::interface::{KeyedShape, TypeName};
use crate::contract::plan::Binding;
use crate::contract::pointer::{self, Channel, Pointer, Target};
use crate::pointer::{child, index};

/// No tool call writes a file that a pointer could name.
pub(super) fn artifacts(context: &Context<'_>) -> Checked {
    let contract = context.contract;
    let refuse = |pointer: &Pointer, at: &str| match pointer.channel() {
        Some(Channel::Artifact(name)) => fail(
            Code::UnresolvedArtifactReference,
            at,
            format!(
                "`{}` names the artifact `{name}`; a tool call writes none that could be read",
                pointer.text
            ),
        ),
        _ => Ok(()),
    };
    for oracle in &contract.oracles {
        for operand in oracle.check.iter().flat_map(operands) {
            operand.pointer().map_or(Ok(()), |pointer| refuse(pointer, &operand.at))?;
        }
        let targets = oracle.direction.iter().flat_map(|d| &d.evidence_targets).enumerate();
        for (i, target) in targets {
            refuse(target, &index(&format!("{}/direction/evidenceTargets", oracle.at), i))?;
        }
    }
    for rubric in &contract.rubrics {
        for (i, criterion) in rubric.criteria.iter().enumerate() {
            refuse(&criterion.evidence, &format!("{}/criteria/{i}/evidence", rubric.at))?;
        }
    }
    for operand in context.witnesses().flat_map(|(_, witness)| operands(&witness.relation)) {
        operand.pointer().map_or(Ok(()), |pointer| refuse(pointer, &operand.at))?;
    }
    Ok(())
}

/// Every operand of a check.
pub(super) fn operands(expression: &crate::contract::expression::Expression) -> Vec<&Operand> {
    expression.nodes().into_iter().flat_map(|visit| visit.node.operands()).collect()
}

/// What the oracles' checks read.
pub(super) fn oracles(context: &Context<'_>) -> Checked {
    for operand in context.contract.oracles.iter().filter_map(|o| o.check.as_ref()).flat_map(operands) {
        let Some(pointer) = operand.pointer() else { continue };
        if let Some(why) = unreachable(context, pointer) {
            return fail(Code::UnreachableCheckEvidence, &operand.at, format!("`{}` {why}", pointer.text));
        }
    }
    Ok(())
}

/// Why a pointer rooted at a step reads nothing; `None` where it may read something.
pub(super) fn unreachable(context: &Context<'_>, pointer: &Pointer) -> Option<String> {
    match context.home_of(pointer.step()?) {
        Home::Operation(operation) => unreachable_of(pointer, operation),
        Home::OtherKind => None,
        Home::Nowhere(why) => Some(why),
    }
}

/// The same, for a pointer whose step is known to be a call of `operation`.
pub(in crate::contract) fn unreachable_of(pointer: &Pointer, operation: &Operation) -> Option<String> {
    let Target::Interaction { channel, tail, .. } = &pointer.target else { return None };
    match channel {
        // What a text holds is declared nowhere.
        Channel::ResponseStatus | Channel::Text | Channel::TextJson => None,
        Channel::ResponseBody => outside_descriptor(tail, operation),
        Channel::CallInputs("arguments") => outside_shape(tail, &operation.arguments, "arguments", operation),
        Channel::CallInputs(other) => {
            Some(format!("reads the input channel `{other}`; a tool call sends `arguments` only"))
        }
        // Has a code of its own, and a check of its own that ran before.
        Channel::Artifact(_) => None,
        Channel::ResponseHeaders | Channel::Stdout | Channel::Stderr | Channel::ExitCode => Some(format!(
            "reads `{}`, which a tool call does not have: it has `response-body` (structuredContent) and \
             `response-status` (0, or 1 for isError)",
            channel.name()
        )),
    }
}

fn outside_descriptor(tail: &[String], operation: &Operation) -> Option<String> {
    let first = tail.first()?;
    let root = operation.descriptor.collections.iter().flatten().find(|c| c.tail.is_empty());
    match root {
        Some(root) if pointer::is_index(first) => {
            let is_below = first.parse::<u64>().is_ok_and(|i| i < root.most);
            (!is_below).then(|| {
                format!("reads item {first} of a result that is declared to have at most {}", root.most)
            })
        }
        _ => outside_shape(tail, &operation.descriptor.shape, "result", operation),
    }
}

fn outside_shape(tail: &[String], shape: &KeyedShape, what: &str, operation: &Operation) -> Option<String> {
    let first = tail.first()?;
    if !shape.declares(first) {
        return Some(format!(
            "reads `{first}`, which operation `{}` declares in neither requiredKeys nor permittedKeys of its {what}",
            operation.id
        ));
    }
    let scalar = shape.type_of(first).filter(|t| t.is_scalar() && tail.len() > 1)?;
    Some(format!("reads below `{first}`, which operation `{}` declares a {}", operation.id, scalar.name()))
}

/// Every captured binding of a step, with the channel and the key that it is bound to.
pub(super) fn captured(step: &Step) -> impl Iterator<Item = (&'static str, &str, &Pointer)> {
    step.bindings.iter().flat_map(|(channel, keys)| {
        keys.iter().filter_map(move |(key, binding)| match binding {
            Binding::Captured(pointer) => Some((*channel, key.as_str(), pointer)),
            _ => None,
        })
    })
}

pub(super) fn binding_at(step: &Step, channel: &str, key: &str) -> String {
    child(&format!("{}/inputBinding/{channel}", step.at), key)
}

/// What steps capture from earlier ones: one declared scalar, of the type of the argument it is bound to.
pub(super) fn captures(context: &Context<'_>) -> Checked {
    for step in &context.contract.steps {
        for (channel, key, pointer) in captured(step) {
            if let Some(why) = not_capturable(context, step, channel, key, pointer) {
                let detail = format!("the captured pointer `{}` {why}", pointer.text);
                return fail(Code::UnreachableCheckEvidence, &binding_at(step, channel, key), detail);
            }
        }
    }
    Ok(())
}

fn not_capturable(
    context: &Context<'_>,
    step: &Step,
    channel: &str,
    key: &str,
    pointer: &Pointer,
) -> Option<String> {
    let source = match context.home_of(pointer.step()?) {
        Home::Operation(operation) => operation,
        Home::OtherKind => return None,
        Home::Nowhere(why) => return Some(why),
    };
    let Target::Interaction { channel: Channel::ResponseBody, tail, .. } = &pointer.target else {
        // A later rule, with a code of its own.
        return None;
    };
    if let Some(why) = unreachable_of(pointer, source) {
        return Some(why);
    }
    let captured = match scalar_type(tail, source) {
        Ok(captured) => captured,
        Err(why) => return Some(why),
    };
    // An argument that is not declared is another rule's.
    let Home::Operation(own) = context.home(step) else { return None };
    if channel != "arguments" || !own.arguments.declares(key) {
        return None;
    }
    match own.arguments.type_of(key) {
        Some(bound) if bound == captured => None,
        Some(bound) => Some(format!("is a {}, and the argument `{key}` a {}", captured.name(), bound.name())),
        None => Some(format!(
            "is a {}, and the argument `{key}` has no declared type to be compared with",
            captured.name()
        )),
    }
}

fn scalar_type(tail: &[String], source: &Operation) -> Result<TypeName, String> {
    let [key] = tail else {
        return Err("has to name one key of the result: only that has a declared type".to_string());
    };
    match source.descriptor.shape.type_of(key) {
        Some(t) if t.is_scalar() => Ok(t),
        Some(t) => Err(format!("reads `{key}`, which is declared an {}, not a scalar", t.name())),
        None => Err(format!("reads `{key}`, which operation `{}` declares no type for", source.id)),
    }
}
