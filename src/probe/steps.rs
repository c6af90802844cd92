//! A contract's interaction plan, driven: each step is one call, in an order in which what it waits for and what it
//! captures is there. So a write can be read back: its step reports success, and the step after it sees whether
//! anything changed.

use super::{CallRequest, Fault, FaultCode, Port};
use crate::contract::Contract;
use crate::contract::interface::{Operation, TypeName};
use crate::contract::observation::StepCall;
use crate::contract::oracles::{self, OracleResult, State};
use crate::contract::plan::{Binding, Step};
use crate::contract::pointer::Pointer;
use crate::contract::preflight::{CheckRecord, Outcome};
use crate::contract::record::Recorded;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What became of a plan.
#[derive(Debug, Clone, Default)]
pub struct Ran {
    /// In the order in which they were made.
    pub calls: Vec<StepCall>,
    /// Steps that were not made, with why.
    pub left_out: BTreeMap<String, LeftOut>,
}

/// Why a step was not made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    pub why: String,
    /// Whether the server is at fault: it did not return what the step needs. Else nobody could have made the call.
    pub is_fault: bool,
}

/// What is sent for each principal of the contract's test data, by its name there.
pub type Principals = BTreeMap<String, String>;

/// Make the calls of the plan that `is_allowed` allows (interface and tool).
///
/// # Errors
/// The first fault.
pub fn run(
    contract: &Contract,
    port: &mut dyn Port,
    is_allowed: &dyn Fn(&str, &str) -> bool,
    principals: &Principals,
) -> Result<Ran, Fault> {
    follow(contract, principals, &mut |step, request| {
        if !is_allowed(&request.interface, &request.tool) {
            return Ok(Err(format!("the policy does not allow `{}`", request.tool)));
        }
        let seen = port.call(&request)?;
        let text = seen.text_blocks();
        Ok(Ok(StepCall {
            step: step.id.clone(),
            arguments: request.arguments,
            is_error: seen.is_error,
            result: seen.result,
            text: text.filter(|_| contract.reads_text),
        }))
    })
}

/// Follow the plan by what was recorded of it.
///
/// # Errors
/// `port-contract-violation`: a recorded call sent something else than its step sends, or belongs to no step.
pub fn replay(contract: &Contract, calls: &[StepCall]) -> Result<Ran, Fault> {
    let violation = |detail: String| Fault::new(FaultCode::PortContractViolation, detail);
    if let Some(stray) = calls.iter().find(|made| contract.steps.iter().all(|step| step.id != made.step)) {
        return Err(violation(format!("a call is recorded for the step `{}`, which is none", stray.step)));
    }
    // Who a principal was is not asked again: whatever was sent for one is what was recorded.
    let bound =
        contract.steps.iter().flat_map(|step| principals_of(step).map(move |(key, name)| (step, key, name)));
    let recorded = bound.filter_map(|(step, key, name)| {
        let made = calls.iter().find(|made| made.step == step.id)?;
        Some((name.to_string(), text_of(made.arguments.get(key)?)))
    });
    let principals: Principals = recorded.collect();
    follow(contract, &principals, &mut |step, request| match calls.iter().find(|made| made.step == step.id) {
        None => Ok(Err("no call of it was recorded".to_string())),
        Some(made) if made.arguments == request.arguments => Ok(Ok(made.clone())),
        Some(_) => {
            Err(violation(format!("the call recorded for the step `{}` sent something else", step.id)))
        }
    })
}

/// Makes the call of a step, or says why it does not.
type Make<'m> = &'m mut dyn FnMut(&Step, CallRequest) -> Result<Result<StepCall, String>, Fault>;

fn follow(contract: &Contract, principals: &Principals, make: Make<'_>) -> Result<Ran, Fault> {
    let mut ran = Ran::default();
    let mut waiting: Vec<&Step> = contract.steps.iter().collect();
    while !waiting.is_empty() {
        let ready = waiting.iter().position(|step| {
            before(step).all(|id| waiting.iter().all(|other| other.id != id || other.id == step.id))
        });
        // Compiling refuses circles; one ends here all the same.
        let step = waiting.remove(ready.unwrap_or(0));
        let made = match prepared(contract, step, &ran, principals) {
            Ok(request) => make(step, request)?.map_err(nobody),
            Err(left_out) => Err(left_out),
        };
        match made {
            Ok(call) => ran.calls.push(call),
            Err(left_out) => drop(ran.left_out.insert(step.id.clone(), left_out)),
        }
    }
    Ok(ran)
}

/// The steps that have to be made first.
fn before(step: &Step) -> impl Iterator<Item = &str> {
    let bound = step.bindings.values().flat_map(|keys| keys.values());
    let captured = bound.filter_map(|binding| match binding {
        Binding::Captured(pointer) => pointer.step(),
        _ => None,
    });
    captured.chain(step.after.as_deref())
}

/// What the oracles say of the calls that were made, and a record of each for the reports.
///
/// An oracle that was violated, or had not enough evidence, fails; one whose step nobody could or may make is open.
#[must_use]
pub fn judge(contract: &Contract, ran: &Ran) -> (Vec<CheckRecord>, Vec<OracleResult>) {
    let made: Vec<(String, Recorded)> = (1..)
        .zip(&ran.calls)
        .filter_map(|(sequence, made)| {
            let step = contract.steps.iter().find(|step| step.id == made.step)?;
            let recorded = Recorded {
                id: made.step.clone(),
                sequence,
                interface: step.interface.clone(),
                operation: step.operation.clone(),
                is_chosen: true,
                principal: None,
                call: made.call(),
            };
            Some((made.step.clone(), recorded))
        })
        .collect();
    let oracles = oracles::resolve_made(contract, &made);
    let checks = oracles.iter().map(|result| {
        let left_out = result.selected.keys().find_map(|step| Some((step, ran.left_out.get(step)?)));
        let (outcome, note) = match (result.state, left_out) {
            (State::Holds, _) => (Outcome::Satisfied, None),
            (State::Unreached, Some((step, left_out))) => {
                let outcome = if left_out.is_fault { Outcome::Failed } else { Outcome::Exempt };
                (outcome, Some(format!("the step `{step}` was not made: {}", left_out.why)))
            }
            (State::Violated, _) => (Outcome::Failed, Some("it is violated".to_string())),
            (State::InsufficientEvidence, _) => {
                (Outcome::Failed, Some("there is not enough evidence".to_string()))
            }
            _ => (Outcome::Failed, result.note.clone()),
        };
        CheckRecord { kind: "oracle", operation_id: Some(result.oracle.clone()), outcome, note }
    });
    (checks.collect(), oracles)
}

fn nobody(why: String) -> LeftOut {
    LeftOut { why, is_fault: false }
}

/// The call of a step, if it can be made.
fn prepared(
    contract: &Contract,
    step: &Step,
    ran: &Ran,
    principals: &Principals,
) -> Result<CallRequest, LeftOut> {
    let Some((interface, operation)) = contract.operation_of(step) else {
        return Err(nobody(format!("the operation `{}` is not declared", step.operation)));
    };
    for id in before(step) {
        if let Some(earlier) = ran.left_out.get(id) {
            let why = format!("the step `{id}` before it was not made");
            return Err(LeftOut { why, is_fault: earlier.is_fault });
        }
    }
    let bound = step.bindings.get("arguments");
    let mut arguments = Map::new();
    for key in &operation.arguments.required {
        if bound.is_none_or(|bound| !bound.contains_key(key)) {
            arguments.insert(key.clone(), usual(operation, key)?);
        }
    }
    for (key, binding) in bound.into_iter().flatten() {
        let value = match binding {
            Binding::Literal(value) => value.clone(),
            Binding::Any => usual(operation, key)?,
            Binding::TypeViolating => of_another_type(operation, key)?,
            Binding::Captured(pointer) => captured(pointer, ran)?,
            Binding::Principal(name) => match principals.get(name) {
                Some(text) => of_type(text, operation.arguments.type_of(key)),
                None => {
                    let why = format!(
                        "nothing is known to send for the principal `{name}` (--principal {name}=VARIABLE)"
                    );
                    return Err(nobody(why));
                }
            },
        };
        arguments.insert(key.clone(), value);
    }
    let (interface, tool) = (interface.id.clone(), operation.tool.clone());
    Ok(CallRequest { interface, tool, arguments, is_read: false })
}

/// Arguments of a step that are bound to a principal, with its name.
fn principals_of(step: &Step) -> impl Iterator<Item = (&str, &str)> {
    let bound = step.bindings.get("arguments").into_iter().flatten();
    bound.filter_map(|(key, binding)| match binding {
        Binding::Principal(name) => Some((key.as_str(), name.as_str())),
        _ => None,
    })
}

/// A principal's text as the argument's type has it: `7` for a number, the text itself where that is no such value.
fn of_type(text: &str, declared: Option<TypeName>) -> Value {
    let read = declared.filter(|declared| *declared != TypeName::String).and_then(|declared| {
        serde_json::from_str::<Value>(text).ok().filter(|value| TypeName::of(value) == declared)
    });
    read.unwrap_or_else(|| json!(text))
}

/// The text that [`of_type`] made this of.
fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

/// What the operation's witness sends for an argument.
fn usual(operation: &Operation, key: &str) -> Result<Value, LeftOut> {
    let legs = operation.witness.iter().flat_map(|witness| &witness.legs);
    let sent = legs.filter_map(|leg| leg.inputs.arguments()?.get(key)).next();
    sent.cloned().ok_or_else(|| {
        nobody(format!("nothing is known to send for `{key}`: bind a value, or send one in the witness"))
    })
}

fn of_another_type(operation: &Operation, key: &str) -> Result<Value, LeftOut> {
    match operation.arguments.type_of(key) {
        None => Err(nobody(format!("`{key}` has no declared type, so no value violates it"))),
        Some(TypeName::String) => Ok(json!(0)),
        Some(_) => Ok(json!("of another type")),
    }
}

fn captured(pointer: &Pointer, ran: &Ran) -> Result<Value, LeftOut> {
    let source = pointer.step().and_then(|id| ran.calls.iter().find(|made| made.step == id));
    let value = source.and_then(|made| oracles::captured(pointer, &made.call()).cloned());
    value.ok_or_else(|| LeftOut {
        why: format!("`{}` is not there to be captured", pointer.text),
        is_fault: true,
    })
}
