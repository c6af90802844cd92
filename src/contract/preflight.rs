//! Pre-flight: is a fixture fit to be evaluated on?
//!
//! [`plan`] says which calls have to be made, [`verdict`] what their observations establish. Between the two a
//! caller makes the calls, one leg each, in the order of the plan, and records what came back.

mod project;
mod reduce;

pub use reduce::{CheckRecord, Outcome, Verdict, verdict};

use super::compile::against_shape;
use super::compile::legality_of;
use super::document::Contract;
use super::failure::{Code, Failure};
use super::interface::{Interface, Kind, Operation, Witness};
use super::probe::{Defect, Manifestation, Probe};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// What a leg is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// One of a witness's two calls.
    Sensitivity,
    /// A read, before and after everything else.
    ControlObserve,
    /// A write, between the reads.
    ControlMutate,
    /// What takes the write back.
    ControlReset,
    /// A call on which a seeded defect strikes.
    SeededFault,
}

/// One call to be made. The observation echoes `id`, `interface` and `operation`.
#[derive(Debug, Clone)]
pub struct Leg<'c> {
    pub id: String,
    pub purpose: Purpose,
    pub interface: &'c str,
    pub operation: &'c Operation,
    pub arguments: Map<String, Value>,
}

impl Leg<'_> {
    /// The tool to call, in the server's spelling.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.operation.tool
    }
}

/// What is checked once the legs are observed.
#[derive(Debug, Clone)]
enum Planned<'c> {
    InterfacePresent {
        interface: &'c str,
        operation: &'c Operation,
    },
    InputSensitivity {
        operation: &'c Operation,
    },
    StateReset {
        first: String,
        last: String,
    },
    CleanControl {
        legs: Vec<String>,
    },
    FaultsScoped {
        defect: &'c Defect,
        witness: &'c Manifestation,
        operation: &'c Operation,
        clean: Vec<String>,
    },
    FaultFired {
        defect: &'c Defect,
        witness: Option<(&'c Manifestation, &'c Operation)>,
    },
}

/// The calls of a pre-flight and what they are for.
#[derive(Debug, Clone)]
pub struct Plan<'c> {
    pub legs: Vec<Leg<'c>>,
    checks: Vec<Planned<'c>>,
    contract: &'c Contract,
}

/// Plan the calls for a contract that compiles, and for the defects of its probes.
///
/// Two a witness; then a read before and after a write that is reset, or twice the read where the contract declares
/// no reset; then one a seeded defect.
///
/// # Errors
/// A probe that does not fit the contract; two legs of one id; no leg at all ([`Code::UnreachableCheckEvidence`]).
pub fn plan<'c>(contract: &'c Contract, probes: &'c [Probe]) -> Result<Plan<'c>, Failure> {
    if let Some(other) = contract.interfaces.iter().find(|i| i.kind != Kind::Mcp) {
        let detail =
            format!("`{}` is an interface of kind `{}`; only `mcp` is judged", other.id, other.kind.name());
        return Err(Failure::new(Code::UnsupportedInterfaceKind, format!("{}/kind", other.at), detail));
    }
    let mut plan = Plan { legs: Vec::new(), checks: Vec::new(), contract };
    for (interface, operation) in operations(contract) {
        for leg in operation.witness.iter().flat_map(|witness| &witness.legs) {
            let arguments = leg.inputs.arguments().cloned().unwrap_or_default();
            plan.add(leg.id.clone(), Purpose::Sensitivity, interface, operation, arguments);
        }
        plan.checks.push(Planned::InputSensitivity { operation });
    }
    plan.control(probes)?;
    for defect in probes.iter().flat_map(|probe| &probe.defects) {
        plan.seeded(defect)?;
    }
    plan.finish()
}

impl Plan<'_> {
    /// Whether the contract looks at the texts of answers.
    #[must_use]
    pub fn reads_text(&self) -> bool {
        self.contract.reads_text
    }
}

fn operations(contract: &Contract) -> impl Iterator<Item = (&Interface, &Operation)> {
    contract.interfaces.iter().flat_map(|i| i.operations.iter().map(move |o| (i, o)))
}

impl<'c> Plan<'c> {
    fn add(
        &mut self,
        id: String,
        purpose: Purpose,
        interface: &'c Interface,
        operation: &'c Operation,
        arguments: Map<String, Value>,
    ) {
        self.legs.push(Leg { id, purpose, interface: &interface.id, operation, arguments });
    }

    /// The read, and the write that is taken back, once a contract.
    fn control(&mut self, probes: &[Probe]) -> Result<(), Failure> {
        let contract = self.contract;
        let read = operations(contract)
            .find_map(|(i, o)| if o.changes_state { None } else { Some((i, o, control_arguments(o)?)) });
        let Some((interface, operation, arguments)) = read else { return Ok(()) };
        let mut taken = ids(contract, probes);
        let first = mint("preflight-control-observe", &mut taken);
        let mut legs = vec![first.clone()];
        self.add(first.clone(), Purpose::ControlObserve, interface, operation, arguments.clone());
        if let Some(reset) = &contract.fixture_reset {
            let of_reset = || operations(contract).filter(|(i, _)| i.id == reset.interface);
            let write = of_reset()
                .find_map(|(i, o)| if o.changes_state { Some((i, o, control_arguments(o)?)) } else { None });
            if let Some((interface, written, arguments)) = write {
                let Some((_, resetting)) = of_reset().find(|(_, o)| o.id == reset.operation) else {
                    let detail =
                        format!("the reset calls operation `{}`, which is not declared", reset.operation);
                    return Err(Failure::new(Code::UnreachableCheckEvidence, &reset.at, detail));
                };
                let mutate = mint("preflight-control-mutate", &mut taken);
                self.add(mutate.clone(), Purpose::ControlMutate, interface, written, arguments);
                let inputs = reset.inputs.arguments().cloned().unwrap_or_default();
                self.add(reset.leg.clone(), Purpose::ControlReset, interface, resetting, inputs);
                legs.extend([mutate, reset.leg.clone()]);
            }
        }
        let last = mint("preflight-control-observe", &mut taken);
        self.add(last.clone(), Purpose::ControlObserve, interface, operation, arguments);
        legs.push(last.clone());
        self.checks.push(Planned::StateReset { first, last });
        self.checks.push(Planned::CleanControl { legs });
        Ok(())
    }

    fn seeded(&mut self, defect: &'c Defect) -> Result<(), Failure> {
        let Some(witness) = &defect.witness else {
            self.checks.push(Planned::FaultFired { defect, witness: None });
            return Ok(());
        };
        let home =
            operations(self.contract).find(|(i, o)| i.id == witness.interface && o.id == witness.operation);
        let Some((interface, operation)) = home else {
            let detail = format!(
                "the witness of {} calls operation `{}` of interface `{}`, which the contract does not declare",
                defect.id, witness.operation, witness.interface
            );
            return Err(Failure::new(Code::UnreachableCheckEvidence, &witness.at, detail));
        };
        let owner = format!("the witness of {}", defect.id);
        against_shape(&witness.inputs, operation, &owner, &format!("{}/inputs", witness.at))?;
        legality_of(&witness.relation, operation, &witness.leg)?;
        // Before the leg is added: it is not one of its own clean legs.
        let is_of = |leg: &&Leg<'_>| leg.interface == witness.interface && leg.operation.id == operation.id;
        let clean = self.legs.iter().filter(is_of).map(|leg| leg.id.clone()).collect();
        let arguments = witness.inputs.arguments().cloned().unwrap_or_default();
        self.add(witness.leg.clone(), Purpose::SeededFault, interface, operation, arguments);
        self.checks.push(Planned::FaultsScoped { defect, witness, operation, clean });
        self.checks.push(Planned::FaultFired { defect, witness: Some((witness, operation)) });
        Ok(())
    }

    fn finish(mut self) -> Result<Plan<'c>, Failure> {
        let mut seen = BTreeSet::new();
        if let Some(twice) = self.legs.iter().find(|leg| !seen.insert(leg.id.as_str())) {
            let detail = format!("two legs have the id `{}`; one could answer for the other", twice.id);
            return Err(Failure::new(Code::MalformedOperatorExpression, "", detail));
        }
        if self.legs.is_empty() {
            let detail =
                "the contract declares no operation that could be called, so there is nothing to verify";
            return Err(Failure::new(Code::UnreachableCheckEvidence, "/permittedInterfaces", detail));
        }
        let mut present: Vec<Planned<'c>> = Vec::new();
        let mut known = BTreeSet::new();
        for leg in &self.legs {
            if known.insert((leg.interface, leg.operation.id.as_str())) {
                present
                    .push(Planned::InterfacePresent { interface: leg.interface, operation: leg.operation });
            }
        }
        present.append(&mut self.checks);
        self.checks = present;
        Ok(self)
    }
}

/// What a control leg sends: what the witness's first leg does, or nothing where nothing is required.
fn control_arguments(operation: &Operation) -> Option<Map<String, Value>> {
    match &operation.witness {
        Some(Witness { legs: [first, _], .. }) => first.inputs.arguments().cloned(),
        None => operation.arguments.required.is_empty().then(Map::new),
    }
}

/// Every name that a minted leg has to avoid.
fn ids(contract: &Contract, probes: &[Probe]) -> BTreeSet<String> {
    let steps = contract.steps.iter().map(|step| &step.id);
    let legs = operations(contract)
        .flat_map(|(_, o)| o.witness.iter().flat_map(|w| w.legs.iter().map(|leg| &leg.id)));
    let reset = contract.fixture_reset.iter().map(|reset| &reset.leg);
    let faults =
        probes.iter().flat_map(|p| p.defects.iter().filter_map(|d| d.witness.as_ref().map(|w| &w.leg)));
    steps.chain(legs).chain(reset).chain(faults).cloned().collect()
}

/// `base`, or `base-2` and so on where it is taken; taken now.
fn mint(base: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|n| format!("{base}-{n}"));
    let free = std::iter::once(base.to_string()).chain(numbered).find(|id| !taken.contains(id));
    let id = free.unwrap_or_default();
    taken.insert(id.clone());
    id
}
