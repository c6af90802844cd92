//! Observations → verdict.

use super::super::canonical;
use super::super::document::Contract;
use super::super::evaluate::{self, Evidence, Resolution};
use super::super::expression::Expression;
use super::super::failure::{Code, Failure};
use super::super::interface::Operation;
use super::super::observation::{Call, Observation};
use super::super::pointer::{Channel, Pointer, Target};
use super::{Leg, Plan, Planned, project};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What a check came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Satisfied,
    Failed,
    /// There is nothing to check, and that is recorded.
    Exempt,
}

/// One check of a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckRecord {
    /// One of six kinds.
    pub kind: &'static str,
    /// `None` where the check is about the fixture as a whole.
    pub operation_id: Option<String>,
    pub outcome: Outcome,
    pub note: Option<String>,
}

/// Whether the fixture is fit, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    pub schema_version: u8,
    pub parent_digest: Option<String>,
    pub revision_count: u8,
    /// The caller's own label.
    pub run_id: String,
    /// Of everything that was observed, volatile parts aside.
    pub fixture_digest: String,
    pub passed: bool,
    pub checks: Vec<CheckRecord>,
}

/// A leg that was observed.
struct State<'o> {
    observation: &'o Observation,
    state: Value,
    call: Call,
}

type States<'o> = BTreeMap<&'o str, State<'o>>;

/// Reduce what was observed to a verdict. Evidence that is not there, or not enough, fails; it never passes.
///
/// # Errors
/// [`Code::PortContractViolation`]: one leg answered twice, or no leg answered at all; [`Code::BudgetExhausted`] by a
/// relation.
pub fn verdict(plan: &Plan<'_>, observations: &[Observation], run_id: &str) -> Result<Verdict, Failure> {
    let states = states(plan, observations)?;
    let checks: Vec<CheckRecord> =
        plan.checks.iter().map(|check| reduce(check, plan, &states)).collect::<Result<_, _>>()?;
    let observed: Vec<Value> =
        states.iter().map(|(leg, state)| json!({ "legId": leg, "observed": state.state })).collect();
    Ok(Verdict {
        schema_version: 1,
        parent_digest: None,
        revision_count: 0,
        run_id: run_id.to_string(),
        fixture_digest: canonical::digest(&json!({ "observations": observed })),
        passed: checks.iter().all(|check| check.outcome != Outcome::Failed),
        checks,
    })
}

fn states<'o>(plan: &'o Plan<'_>, observations: &'o [Observation]) -> Result<States<'o>, Failure> {
    let violation = |detail: String| Failure::new(Code::PortContractViolation, "", detail);
    let mut by_leg: BTreeMap<&str, &Observation> = BTreeMap::new();
    for observation in observations {
        if by_leg.insert(&observation.probe_id, observation).is_some() {
            return Err(violation(format!("two observations answer the leg `{}`", observation.probe_id)));
        }
    }
    let mut states = BTreeMap::new();
    for leg in &plan.legs {
        let Some(observation) = by_leg.get(leg.id.as_str()) else { continue };
        let pruned = project::pruned(&observation.result, leg.operation);
        let state = project::state(observation, &pruned);
        let call = Call::new(leg.arguments.clone(), pruned, observation.is_error);
        let call = call.with_text(observation.text.as_deref());
        states.insert(leg.id.as_str(), State { observation, state, call });
    }
    if states.is_empty() {
        return Err(violation(format!(
            "no observation answers any of the {} legs of the plan",
            plan.legs.len()
        )));
    }
    Ok(states)
}

fn record(
    kind: &'static str,
    operation: Option<&str>,
    outcome: Outcome,
    note: Option<String>,
) -> CheckRecord {
    CheckRecord { kind, operation_id: operation.map(ToString::to_string), outcome, note }
}

/// Satisfied, or failed with a reason.
fn judged(kind: &'static str, operation: Option<&str>, fault: Option<String>) -> CheckRecord {
    let outcome = if fault.is_some() { Outcome::Failed } else { Outcome::Satisfied };
    record(kind, operation, outcome, fault)
}

fn reduce(check: &Planned<'_>, plan: &Plan<'_>, states: &States<'_>) -> Result<CheckRecord, Failure> {
    Ok(match check {
        Planned::InterfacePresent { interface, operation } => {
            let legs =
                plan.legs.iter().filter(|l| l.interface == *interface && l.operation.id == operation.id);
            judged(
                "interface-present",
                Some(&operation.id),
                legs.into_iter().find_map(|leg| not_present(leg, states)),
            )
        }
        Planned::InputSensitivity { operation } => sensitivity(operation, plan.contract, states)?,
        Planned::StateReset { first, last } => judged(
            "state-reset",
            None,
            match (states.get(first.as_str()), states.get(last.as_str())) {
                (Some(a), Some(b)) if canonical::digest(&a.state) == canonical::digest(&b.state) => None,
                (Some(_), Some(_)) => Some(format!("`{first}` and `{last}` do not show the same")),
                (None, _) => Some(unobserved(first)),
                (_, None) => Some(unobserved(last)),
            },
        ),
        Planned::CleanControl { legs } => {
            let fault = legs.iter().find_map(|leg| match states.get(leg.as_str()) {
                None => Some(unobserved(leg)),
                Some(state) if state.observation.is_error => {
                    Some(format!("the tool answered `{leg}` with an error"))
                }
                Some(_) => None,
            });
            judged("clean-control", None, fault)
        }
        Planned::FaultsScoped { defect, witness, operation, clean } => {
            let mut fires = None;
            for leg in clean {
                let Some(state) = states.get(leg.as_str()) else { continue };
                let calls = BTreeMap::from([(witness.leg.as_str(), &state.call)]);
                if resolution(&witness.relation, calls, operation, plan.contract)? == Resolution::True {
                    fires = Some(format!("{}: its witness fires on the clean leg `{leg}`, too", defect.id));
                    break;
                }
            }
            let note = fires.is_none().then(|| defect.id.clone());
            let mut record = judged("seeded-faults-scoped", Some(&operation.id), fires);
            record.note = record.note.or(note);
            record
        }
        Planned::FaultFired { defect, witness: None } => {
            let fault =
                format!("{} has no manifestation witness, so nothing could show that it strikes", defect.id);
            judged("seeded-fault-fired", None, Some(fault))
        }
        Planned::FaultFired { defect, witness: Some((witness, operation)) } => {
            let fault = match states.get(witness.leg.as_str()) {
                None => Some(format!("{}: {}", defect.id, unobserved(&witness.leg))),
                Some(state) => {
                    let calls = BTreeMap::from([(witness.leg.as_str(), &state.call)]);
                    let resolved = resolution(&witness.relation, calls, operation, plan.contract)?;
                    (resolved != Resolution::True).then(|| {
                        format!("{}: its witness resolves to {} on its own leg", defect.id, resolved.name())
                    })
                }
            };
            let note = fault.is_none().then(|| defect.id.clone());
            let mut record = judged("seeded-fault-fired", Some(&operation.id), fault);
            record.note = record.note.or(note);
            record
        }
    })
}

fn unobserved(leg: &str) -> String {
    format!("the leg `{leg}` was not observed")
}

fn not_present(leg: &Leg<'_>, states: &States<'_>) -> Option<String> {
    let Some(state) = states.get(leg.id.as_str()) else { return Some(unobserved(&leg.id)) };
    let (interface, operation) = (&state.observation.interface_id, &state.observation.operation_id);
    let is_echo = interface == leg.interface && *operation == leg.operation.id;
    (!is_echo).then(|| {
        format!("the leg `{}` was answered for operation `{operation}` of interface `{interface}`", leg.id)
    })
}

fn sensitivity(
    operation: &Operation,
    contract: &Contract,
    states: &States<'_>,
) -> Result<CheckRecord, Failure> {
    const KIND: &str = "input-sensitivity";
    let id = Some(operation.id.as_str());
    let Some(witness) = &operation.witness else {
        return Ok(if operation.arguments.is_empty() {
            record(KIND, id, Outcome::Exempt, Some("the operation takes no arguments".to_string()))
        } else {
            judged(KIND, id, Some("the operation takes arguments, and has no witness".to_string()))
        });
    };
    let mut calls = BTreeMap::new();
    for leg in &witness.legs {
        match states.get(leg.id.as_str()) {
            Some(state) => calls.insert(leg.id.as_str(), &state.call),
            None => return Ok(judged(KIND, id, Some(unobserved(&leg.id)))),
        };
    }
    let fault = match resolution(&witness.relation, calls, operation, contract)? {
        Resolution::True => None,
        Resolution::False => Some("the witness's relation resolves to false".to_string()),
        Resolution::InsufficientEvidence => {
            Some("the witness's relation resolves to insufficient evidence".to_string())
        }
    };
    Ok(judged(KIND, id, fault))
}

fn resolution(
    relation: &Expression,
    calls: BTreeMap<&str, &Call>,
    operation: &Operation,
    contract: &Contract,
) -> Result<Resolution, Failure> {
    let is_collection = |pointer: &Pointer| match &pointer.target {
        Target::Interaction { channel: Channel::ResponseBody, tail, .. } => {
            operation.descriptor.is_collection(tail)
        }
        _ => false,
    };
    let evidence = Evidence {
        calls,
        reference_sets: contract.reference_sets.as_ref(),
        is_collection: &is_collection,
        is_witness: true,
    };
    evaluate::resolve(relation, &evidence).map(|tree| tree.resolution)
}
