//! Do calls send what operations declare?

use super::{Checked, Code, Context, Home, Operation, fail, operations_of, reach};
use crate::contract::interface::Inputs;
use crate::contract::plan::Binding;
use crate::pointer::child;
use std::collections::BTreeMap;

/// A tool is declared once in a contract, and an operation's id once in its interface.
pub(super) fn signatures(context: &Context<'_>) -> Checked {
    let (mut tools, mut ids) = (BTreeMap::new(), BTreeMap::new());
    for (interface, operation) in operations_of(context.contract) {
        if let Some(first) = tools.insert(&operation.tool, &operation.at) {
            let detail = format!("the tool `{}` is declared at {first} already", operation.tool);
            return fail(Code::DuplicateOperationSignature, &child(&operation.at, "toolName"), detail);
        }
        if let Some(first) = ids.insert((&interface.id, &operation.id), &operation.at) {
            let detail = format!("the operationId `{}` is that of {first} already", operation.id);
            return fail(Code::DuplicateOperationSignature, &child(&operation.at, "operationId"), detail);
        }
    }
    Ok(())
}

/// What steps bind.
pub(super) fn bindings(context: &Context<'_>) -> Checked {
    let principals = context.contract.test_data.principals.as_ref();
    for step in &context.contract.steps {
        let Home::Operation(operation) = context.home(step) else { continue };
        for (channel, keys) in &step.bindings {
            for (key, binding) in keys {
                let at = reach::binding_at(step, channel, key);
                if *channel != "arguments" || !operation.arguments.declares(key) {
                    let detail = format!(
                        "operation `{}` declares no `{key}` on the channel `{channel}`",
                        operation.id
                    );
                    return fail(Code::UndeclaredMandatoryInput, &at, detail);
                }
                if let Binding::Principal(name) = binding
                    && !principals.is_some_and(|declared| declared.contains_key(name))
                {
                    let detail = format!("the principal `{name}` is not among testData.principals");
                    return fail(Code::UndeclaredMandatoryInput, &at, detail);
                }
            }
        }
    }
    Ok(())
}

/// An operation that takes anything has a witness, whose calls could be made.
pub(super) fn witnesses(context: &Context<'_>) -> Checked {
    for (_, operation) in operations_of(context.contract) {
        match &operation.witness {
            None if operation.arguments.is_empty() => {}
            None => {
                let detail = format!(
                    "operation `{}` takes arguments and has no sensitivity witness: give two calls and the relation of \
                     their results (it may say that they are the same, if that is the tool's design)",
                    operation.id
                );
                return fail(
                    Code::UndeclaredMandatoryInput,
                    &child(&operation.at, "sensitivityWitness"),
                    detail,
                );
            }
            Some(witness) => {
                for leg in &witness.legs {
                    against_shape(
                        &leg.inputs,
                        operation,
                        &format!("leg `{}`", leg.id),
                        &child(&leg.at, "inputs"),
                    )?;
                }
            }
        }
    }
    Ok(())
}

/// Whether a call with these inputs can be made: every required argument, and none that is not declared.
///
/// # Errors
/// [`Code::UndeclaredMandatoryInput`]; `owner` says whose inputs they are, `at` where they stand.
pub fn against_shape(inputs: &Inputs, operation: &Operation, owner: &str, at: &str) -> Checked {
    let arguments = match inputs {
        Inputs::Arguments(arguments) => arguments,
        Inputs::OfKind(kind) => {
            let detail = format!(
                "{owner} sends what an interface of kind `{}` takes; a tool call takes `arguments`",
                kind.name()
            );
            return fail(Code::UndeclaredMandatoryInput, at, detail);
        }
    };
    if let Some(missing) = operation.arguments.required.iter().find(|key| !arguments.contains_key(*key)) {
        let detail = format!("{owner} leaves out `{missing}`, which operation `{}` requires", operation.id);
        return fail(Code::UndeclaredMandatoryInput, at, detail);
    }
    match arguments.keys().find(|key| !operation.arguments.declares(key)) {
        Some(unknown) => {
            let detail =
                format!("{owner} sends `{unknown}`, which operation `{}` does not declare", operation.id);
            fail(Code::UndeclaredMandatoryInput, &child(&child(at, "arguments"), unknown), detail)
        }
        None => Ok(()),
    }
}
