//! Is a contract sound? Checks in a fixed order; the first that fails speaks.
//!
//! The order is part of the format: a contract that breaks several rules has one code everywhere.

mod alignment;
mod declarations;
mod inputs;
mod legality;
mod reach;
mod rubrics;
mod steps;
mod witnesses;

pub use inputs::against_shape;
pub(super) use legality::{
    bound_elements_of, operand_kinds_of, patterns_of, quantified_collections_of, quantifier_nesting_of,
};
pub(super) use reach::unreachable_of;

use super::document::Contract;
use super::expression::Expression;
use super::failure::{Code, Failure};
use super::interface::{Interface, Kind, Operation, Witness};
use super::plan::Step;
use super::pointer::Pointer;
use std::collections::{BTreeMap, BTreeSet};

type Checked = Result<(), Failure>;

const CHECKS: [fn(&Context<'_>) -> Checked; 30] = [
    declarations::interface_identifiers,
    declarations::requirement_links,
    declarations::success_criteria,
    reach::artifacts,
    reach::oracles,
    reach::captures,
    legality::bound_elements,
    legality::operand_kinds,
    legality::patterns,
    legality::quantified_collections,
    legality::quantifier_nesting,
    legality::reference_sets,
    inputs::signatures,
    inputs::bindings,
    inputs::witnesses,
    alignment::channels,
    alignment::directions,
    declarations::interface_kinds,
    steps::nested_clauses,
    steps::scripting_bound,
    steps::binding_cycles,
    steps::captured_channels,
    rubrics::identifiers,
    rubrics::reasoning_prose,
    rubrics::anchors,
    rubrics::evidence,
    declarations::forbidden_inputs,
    declarations::scoped_resources,
    declarations::waivers,
    steps::references,
];

/// Whether `contract` compiles.
///
/// # Errors
/// The first rule that it breaks, in the order of the rules.
pub fn check(contract: &Contract) -> Result<(), Failure> {
    let context = Context::new(contract);
    CHECKS.iter().try_for_each(|check| check(&context))?;
    witnesses::leg_identifiers(&context)?;
    witnesses::legality(&context)
}

/// A contract with what its parts are looked up by. An id that is declared twice leads nowhere.
struct Context<'c> {
    contract: &'c Contract,
    steps: BTreeMap<&'c str, Option<&'c Step>>,
    operations: BTreeMap<(&'c str, &'c str), Option<&'c Operation>>,
    /// Interfaces of other kinds.
    others: BTreeSet<&'c str>,
    /// For steps that do not say their interface.
    by_id: BTreeMap<&'c str, Option<&'c Operation>>,
}

/// Where an expression stands, which decides what its pointers are rooted at.
struct Site<'c> {
    expression: &'c Expression,
    /// The witness it is the relation of; else it is an oracle's check, rooted at steps.
    witness: Option<(&'c Operation, &'c Witness)>,
}

/// What a step leads to.
enum Home<'c> {
    Operation(&'c Operation),
    /// An interface of another kind, which a later check refuses by name.
    OtherKind,
    Nowhere(String),
}

impl<'c> Context<'c> {
    fn new(contract: &'c Contract) -> Context<'c> {
        let mut steps = BTreeMap::new();
        for step in &contract.steps {
            steps.entry(step.id.as_str()).and_modify(|found| *found = None).or_insert(Some(step));
        }
        let (mut operations, mut by_id) = (BTreeMap::new(), BTreeMap::new());
        for (interface, operation) in operations_of(contract) {
            let key = (interface.id.as_str(), operation.id.as_str());
            operations.entry(key).and_modify(|found| *found = None).or_insert(Some(operation));
            by_id.entry(operation.id.as_str()).and_modify(|found| *found = None).or_insert(Some(operation));
        }
        let others =
            contract.interfaces.iter().filter(|i| i.kind != Kind::Mcp).map(|i| i.id.as_str()).collect();
        Context { contract, steps, operations, others, by_id }
    }

    fn step(&self, id: &str) -> Option<&'c Step> {
        self.steps.get(id).copied().flatten()
    }

    fn operation(&self, interface: &str, operation: &str) -> Option<&'c Operation> {
        self.operations.get(&(interface, operation)).copied().flatten()
    }

    fn home(&self, step: &'c Step) -> Home<'c> {
        let known = match &step.interface {
            Some(interface) => self.operation(interface, &step.operation),
            None => self.by_id.get(step.operation.as_str()).copied().flatten(),
        };
        if let Some(operation) = known {
            return Home::Operation(operation);
        }
        let is_other = match &step.interface {
            Some(named) => self.others.contains(named.as_str()),
            None => !self.others.is_empty(),
        };
        if is_other {
            return Home::OtherKind;
        }
        let said = match &step.interface {
            Some(named) if !self.contract.interfaces.iter().any(|i| i.id == *named) => {
                format!("whose interface `{named}` is not among permittedInterfaces")
            }
            _ if self.contract.operations_of(step).next().is_some() => {
                format!(
                    "whose operation `{}` is declared more than once: say its interfaceId",
                    step.operation
                )
            }
            _ => format!("whose operation `{}` no interface declares", step.operation),
        };
        Home::Nowhere(format!("names step `{}`, {said}", step.id))
    }

    /// Where a pointer's step leads; `Nowhere` with what is wrong with the pointer.
    fn home_of(&self, step: &str) -> Home<'c> {
        match self.step(step) {
            Some(step) => self.home(step),
            None if self.steps.contains_key(step) => Home::Nowhere(format!(
                "names step `{step}`, which the interaction plan declares more than once"
            )),
            None => {
                Home::Nowhere(format!("names step `{step}`, which the interaction plan does not declare"))
            }
        }
    }

    /// Every expression of the contract: oracles' checks, then witnesses' relations.
    fn sites(&self) -> Vec<Site<'c>> {
        let checks = self.contract.oracles.iter().filter_map(|oracle| oracle.check.as_ref());
        let checks = checks.map(|expression| Site { expression, witness: None });
        let relations = self.witnesses().map(|(operation, witness)| Site {
            expression: &witness.relation,
            witness: Some((operation, witness)),
        });
        checks.chain(relations).collect()
    }

    fn witnesses(&self) -> impl Iterator<Item = (&'c Operation, &'c Witness)> + use<'c> {
        operations_of(self.contract).filter_map(|(_, o)| o.witness.as_ref().map(|witness| (o, witness)))
    }

    /// The operation whose evidence a pointer of this site reads, where it is known.
    fn operation_at(&self, site: &Site<'c>, pointer: &Pointer) -> Option<&'c Operation> {
        let step = pointer.step()?;
        match site.witness {
            Some((operation, witness)) => witness.legs.iter().any(|leg| leg.id == step).then_some(operation),
            None => match self.home_of(step) {
                Home::Operation(operation) => Some(operation),
                _ => None,
            },
        }
    }
}

/// Whether the relation of a seeded defect's witness is well-formed, and reads the call `leg` of `operation` only.
///
/// # Errors
/// As [`check`] has them for the relations of a contract.
pub(super) fn legality_of(relation: &Expression, operation: &Operation, leg: &str) -> Checked {
    legality::bound_elements_of(relation)?;
    legality::operand_kinds_of(relation)?;
    legality::patterns_of(relation)?;
    legality::quantified_collections_of(relation, |_| Some(operation))?;
    legality::quantifier_nesting_of(relation)?;
    witnesses::reads_only(relation, operation, &|step| step == leg)
}

fn operations_of(contract: &Contract) -> impl Iterator<Item = (&Interface, &Operation)> {
    contract.interfaces.iter().flat_map(|i| i.operations.iter().map(move |o| (i, o)))
}

fn fail(code: Code, at: &str, detail: impl Into<String>) -> Checked {
    Err(Failure::new(code, at, detail))
}
