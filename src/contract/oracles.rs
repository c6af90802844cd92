//! Oracles over recorded calls: which calls a plan's steps select, and what the checks say of them.

use super::canonical;
use super::document::{Contract, Oracle, Polarity};
use super::evaluate::{self, Evidence, Resolution, Tree};
use super::interface::{Operation, TypeName};
use super::observation::Call;
use super::plan::{Binding, Cardinality, Step};
use super::pointer::{Channel, Pointer, Target, walk};
use super::record::Recorded;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What became of an oracle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// The check says what the oracle expects.
    Holds,
    Violated,
    InsufficientEvidence,
    /// A step that is to select a call selected none.
    Unreached,
    /// A step that is to select one call selected several.
    Ambiguous,
    /// The check could not be resolved within its budget.
    Fault,
}

/// One oracle's result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OracleResult {
    pub oracle: String,
    pub state: State,
    /// What the steps that the check reads selected, by their ids.
    pub selected: BTreeMap<String, Vec<String>>,
    pub resolution: Option<Tree>,
    pub note: Option<String>,
}

/// Resolve every oracle that has a check. `calls` may come in any order; their sequence counts.
#[must_use]
pub fn resolve(contract: &Contract, calls: &[Recorded]) -> Vec<OracleResult> {
    resolve_selected(contract, &select(contract, calls))
}

/// The same, over the calls that each step is known to have made.
#[must_use]
pub fn resolve_made(contract: &Contract, made: &[(String, Recorded)]) -> Vec<OracleResult> {
    let selections = made.iter().map(|(step, call)| (step.as_str(), vec![call])).collect();
    resolve_selected(contract, &selections)
}

fn resolve_selected(contract: &Contract, selections: &Selections<'_>) -> Vec<OracleResult> {
    let with_check = contract.oracles.iter().filter(|oracle| oracle.check.is_some());
    with_check.map(|oracle| one(contract, oracle, selections)).collect()
}

type Selections<'r> = BTreeMap<&'r str, Vec<&'r Recorded>>;

fn one(contract: &Contract, oracle: &Oracle, selections: &Selections<'_>) -> OracleResult {
    let nodes = oracle.check.iter().flat_map(super::expression::Expression::nodes);
    let read: BTreeSet<&str> = nodes
        .flat_map(|visit| visit.node.operands())
        .filter_map(|operand| operand.pointer()?.step())
        .collect();
    let ids = |step: &str| {
        selections.get(step).map(|calls| calls.iter().map(|call| call.id.clone()).collect::<Vec<_>>())
    };
    let selected: BTreeMap<String, Vec<String>> =
        read.iter().map(|step| ((*step).to_string(), ids(step).unwrap_or_default())).collect();
    let mut result = OracleResult {
        oracle: oracle.id.clone(),
        state: State::Holds,
        selected,
        resolution: None,
        note: None,
    };
    for step in contract.steps.iter().filter(|step| read.contains(step.id.as_str())) {
        let count = result.selected.get(&step.id).map_or(0, Vec::len);
        let (state, said) = match (step.cardinality, count) {
            (Cardinality::ExactlyOne, 0) => (State::Unreached, "no call"),
            (Cardinality::ExactlyOne | Cardinality::AtMostOne, 2..) => (State::Ambiguous, "several calls"),
            _ => continue,
        };
        result.state = state;
        result.note = Some(format!("step `{}` selects {said}", step.id));
        return result;
    }
    resolve_check(contract, oracle, selections, result)
}

fn resolve_check(
    contract: &Contract,
    oracle: &Oracle,
    selections: &Selections<'_>,
    mut result: OracleResult,
) -> OracleResult {
    let Some(check) = &oracle.check else { return result };
    // Of several calls, where several may be, the earliest is read.
    let calls: BTreeMap<&str, &Call> =
        selections.iter().filter_map(|(step, calls)| Some((*step, &calls.first()?.call))).collect();
    let is_collection = |pointer: &Pointer| match &pointer.target {
        Target::Interaction { step, channel: Channel::ResponseBody, tail } => {
            let step = contract.steps.iter().find(|s| s.id == *step);
            let operation = step.and_then(|step| contract.operation_of(step));
            operation.is_some_and(|(_, operation)| operation.descriptor.is_collection(tail))
        }
        _ => false,
    };
    let sets = contract.reference_sets.as_ref();
    let evidence = Evidence { calls, reference_sets: sets, is_collection: &is_collection, is_witness: false };
    match evaluate::resolve(check, &evidence) {
        Ok(tree) => {
            result.state = match (tree.resolution, oracle.polarity) {
                (Resolution::InsufficientEvidence, _) => State::InsufficientEvidence,
                (Resolution::True, Polarity::ExpectsHold)
                | (Resolution::False, Polarity::ExpectsViolation) => State::Holds,
                _ => State::Violated,
            };
            result.resolution = Some(tree);
        }
        Err(failure) => {
            result.state = State::Fault;
            result.note = Some(failure.detail);
        }
    }
    result
}

/// Which calls each step selects, in the order of their sequence.
///
/// A call is selected if it is one of the step's operation, comes after what the step's `after` selects and after
/// every call that a value is captured from, and was sent what the step binds.
#[must_use]
pub fn select<'r>(contract: &'r Contract, calls: &'r [Recorded]) -> Selections<'r> {
    let mut ordered: Vec<&Recorded> = calls.iter().collect();
    ordered.sort_by(|a, b| (a.sequence, &a.id).cmp(&(b.sequence, &b.id)));
    let mut selector = Selector { contract, calls: ordered, done: BTreeMap::new() };
    for step in &contract.steps {
        selector.of(step, &mut Vec::new());
    }
    selector.done
}

struct Selector<'r> {
    contract: &'r Contract,
    calls: Vec<&'r Recorded>,
    done: Selections<'r>,
}

impl<'r> Selector<'r> {
    fn of(&mut self, step: &'r Step, open: &mut Vec<&'r str>) -> Vec<&'r Recorded> {
        if let Some(known) = self.done.get(step.id.as_str()) {
            return known.clone();
        }
        // Compiling refuses circles; one ends here all the same.
        if open.contains(&step.id.as_str()) {
            return Vec::new();
        }
        open.push(&step.id);
        let selected = self.selected(step, open);
        open.pop();
        self.done.insert(&step.id, selected.clone());
        selected
    }

    fn selected(&mut self, step: &'r Step, open: &mut Vec<&'r str>) -> Vec<&'r Recorded> {
        let mut floor = 0;
        let declared = |id: &str| self.contract.steps.iter().find(|s| s.id == id);
        // A step that is not declared is no anchor; one that selects no single call leaves nothing to come after it.
        if let Some(anchor) = step.after.as_deref().and_then(declared) {
            match self.single(anchor, open) {
                Some(call) => floor = call.sequence,
                None => return Vec::new(),
            }
        }
        let operation = self.contract.operation_of(step).map(|(_, operation)| operation);
        let mut wanted: Vec<(&str, &str, Wanted<'r>)> = Vec::new();
        for (channel, keys) in &step.bindings {
            for (key, binding) in keys {
                let wants = match binding {
                    Binding::Captured(pointer) => match self.captured(pointer, open) {
                        Some((sequence, value)) => {
                            floor = floor.max(sequence);
                            Wanted::Value(value)
                        }
                        None => return Vec::new(),
                    },
                    Binding::Literal(value) => Wanted::Value(value),
                    Binding::Any => Wanted::Anything,
                    Binding::Principal(name) => Wanted::Principal(name),
                    Binding::TypeViolating => {
                        Wanted::AnotherType(operation.and_then(|o| o.arguments.type_of(key)))
                    }
                };
                wanted.push((channel, key, wants));
            }
        }
        let of_step = self.calls.iter().copied().filter(|call| call.is_of(step) && call.sequence > floor);
        of_step
            .filter(|call| wanted.iter().all(|(channel, key, wants)| wants.of(call, channel, key)))
            .collect()
    }

    /// The one call that a step stands for; the earliest where several may be.
    fn single(&mut self, step: &'r Step, open: &mut Vec<&'r str>) -> Option<&'r Recorded> {
        let selected = self.of(step, open);
        match selected.as_slice() {
            [] => None,
            [first] => Some(first),
            [first, ..] if step.cardinality == Cardinality::Any => Some(first),
            _ => None,
        }
    }

    fn captured(&mut self, pointer: &'r Pointer, open: &mut Vec<&'r str>) -> Option<(u64, &'r Value)> {
        let source = self.contract.steps.iter().find(|s| Some(s.id.as_str()) == pointer.step())?;
        let call = self.single(source, open)?;
        Some((call.sequence, captured(pointer, &call.call)?))
    }
}

/// What a captured pointer leads to in the call that its step selects.
#[must_use]
pub fn captured<'c>(pointer: &Pointer, call: &'c Call) -> Option<&'c Value> {
    match &pointer.target {
        Target::Interaction { channel: Channel::ResponseBody, tail, .. } => walk(call.body.as_ref()?, tail),
        Target::Interaction { channel: Channel::TextJson, tail, .. } => walk(call.text_json.as_ref()?, tail),
        _ => None,
    }
}

/// What a bound key has to hold.
enum Wanted<'r> {
    Value(&'r Value),
    Anything,
    Principal(&'r str),
    /// Another type than this one; where none is declared nothing is proven.
    AnotherType(Option<TypeName>),
}

impl Wanted<'_> {
    fn of(&self, call: &Recorded, channel: &str, key: &str) -> bool {
        let Some(sent) = (if channel == "arguments" { call.call.arguments.get(key) } else { None }) else {
            return false;
        };
        match self {
            Wanted::Value(value) => canonical::equal(value, sent),
            Wanted::Anything => true,
            Wanted::Principal(name) => call.principal.as_deref() == Some(*name),
            Wanted::AnotherType(declared) => declared.is_some_and(|t| t != TypeName::of(sent)),
        }
    }
}

/// Whether a call was sent what a probe's selector binds.
pub(super) fn admits(
    bindings: &BTreeMap<&'static str, BTreeMap<String, Binding>>,
    call: &Recorded,
    operation: &Operation,
) -> bool {
    bindings.iter().all(|(channel, keys)| {
        keys.iter().all(|(key, binding)| {
            let wants = match binding {
                Binding::Literal(value) => Wanted::Value(value),
                Binding::TypeViolating => Wanted::AnotherType(operation.arguments.type_of(key)),
                _ => Wanted::Anything,
            };
            wants.of(call, channel, key)
        })
    })
}
