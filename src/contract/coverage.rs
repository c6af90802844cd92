//! What a contract leaves unlooked-at: seven disciplines of an evaluation, where each applies, and whether an oracle
//! keeps it there. The rules and their names are eval-quality's; they read declarations alone, no run.
//!
//! What is not declared is not taken for absent: an operation that says nothing of its lists (`null`) may have some.

use super::document::{Contract, SEVERITIES};
use super::expression::{Expression, Source, Test};
use super::interface::{Collection, Descriptor, Operation, Role};
use super::plan::{Binding, Step};
use super::pointer::{self, Channel, Pointer, Target};
use crate::pointer::child;
use serde::Serialize;
use std::collections::BTreeSet;

/// A discipline that applies and is not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Gap {
    pub rule: &'static str,
    /// Of the gravest behaviour of the contract: what goes unseen may be any.
    pub severity: &'static str,
    /// The first place where it is not kept.
    pub reason: String,
}

/// Why a rule is not kept; `None` where it is, or applies nowhere.
type Rule = fn(&View<'_>) -> Option<String>;

const RULES: [(&str, Rule); 7] = [
    ("success-indicator-separation", success_indicators),
    ("whole-body", whole_bodies),
    ("malformed-input", malformed_inputs),
    ("per-record", records),
    ("sibling-cross-check", siblings),
    ("omission-and-completeness", omissions),
    ("state-change-read-back", read_backs),
];

/// The gaps, in the order of the rules.
#[must_use]
pub fn gaps(contract: &Contract) -> Vec<Gap> {
    let view = View::of(contract);
    let gravest = contract.behaviors.iter().map(|behavior| behavior.severity).max();
    let severity =
        SEVERITIES.into_iter().find(|(_, s)| Some(*s) == gravest).map_or("critical", |(name, _)| name);
    RULES
        .into_iter()
        .filter_map(|(rule, broken)| Some(Gap { rule, severity, reason: broken(&view)? }))
        .collect()
}

/// A place in an interaction.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    step: String,
    /// `None` for the whole interaction.
    channel: Option<Channel>,
    tail: Vec<String>,
}

impl Place {
    fn parse(text: &str) -> Option<Place> {
        match Pointer::parse(text)?.target {
            Target::Interaction { step, channel, tail } => Some(Place { step, channel: Some(channel), tail }),
            Target::Bound(_) => None,
        }
    }

    fn of_step(step: &Step) -> Place {
        Place { step: step.id.clone(), channel: None, tail: Vec::new() }
    }

    fn of_result(step: &Step, tail: &[String]) -> Place {
        Place { channel: Some(Channel::ResponseBody), tail: tail.to_vec(), ..Place::of_step(step) }
    }

    /// Whether this is there, or below.
    fn is_within(&self, root: &Place) -> bool {
        self.step == root.step
            && (root.channel.is_none() || self.channel == root.channel)
            && self.tail.starts_with(&root.tail)
    }
}

/// One node of a check, with what its operands read.
struct Node<'c> {
    expression: &'c Expression,
    read: Vec<Place>,
}

/// An oracle's two halves: what the evaluator is told to look at, and what the check reads.
struct OracleView<'c> {
    told: Vec<Place>,
    nodes: Vec<Node<'c>>,
}

impl OracleView<'_> {
    fn reads(&self, root: &Place) -> bool {
        self.nodes.iter().flat_map(|node| &node.read).any(|place| place.is_within(root))
    }

    /// Said to the evaluator and enforced.
    fn covers(&self, root: &Place) -> bool {
        self.told.iter().any(|place| place.is_within(root)) && self.reads(root)
    }
}

struct View<'c> {
    contract: &'c Contract,
    operations: Vec<&'c Operation>,
    /// Each with the operation that it calls, where that is one.
    steps: Vec<(&'c Step, Option<&'c Operation>)>,
    oracles: Vec<OracleView<'c>>,
}

impl<'c> View<'c> {
    fn of(contract: &'c Contract) -> View<'c> {
        let oracles = contract.oracles.iter().map(|oracle| {
            let nodes = oracle.check.iter().flat_map(Expression::nodes).map(|visit| {
                let read = visit.node.operands().into_iter().filter_map(|operand| operand.pointer());
                let read = read.filter_map(|p| Place::parse(&p.substituted(visit.collection.as_deref())));
                Node { expression: visit.node, read: read.collect() }
            });
            let targets = oracle.direction.iter().flat_map(|direction| &direction.evidence_targets);
            let told = targets.filter_map(|pointer| Place::parse(&pointer.text)).collect();
            OracleView { told, nodes: nodes.collect() }
        });
        let called = |step: &'c Step| contract.operation_of(step).map(|(_, operation)| operation);
        View {
            contract,
            operations: contract.interfaces.iter().flat_map(|interface| &interface.operations).collect(),
            steps: contract.steps.iter().map(|step| (step, called(step))).collect(),
            oracles: oracles.collect(),
        }
    }

    /// The steps that call an operation.
    fn steps_of(&self, operation: &Operation) -> impl Iterator<Item = &'c Step> {
        let is_of =
            |called: &Option<&Operation>| called.is_some_and(|called| std::ptr::eq(called, operation));
        self.steps.iter().filter(move |(_, called)| is_of(called)).map(|(step, _)| *step)
    }

    /// The first operation that a rule finds wanting; a contract without operations declares nothing to look at.
    fn first(&self, wanting: impl Fn(&Operation) -> Option<String>) -> Option<String> {
        match self.operations.as_slice() {
            [] => Some("the contract declares no operation".to_string()),
            all => all.iter().find_map(|operation| wanting(operation)),
        }
    }
}

/// As the contract writes it.
fn shown(tail: &[String]) -> String {
    tail.iter().fold(String::new(), |pointer, token| child(&pointer, token))
}

/// That a tool reports success is looked at beside what it reports.
fn success_indicators(view: &View<'_>) -> Option<String> {
    view.first(|operation| {
        let Descriptor { success_indicator, channel_roles, .. } = &operation.descriptor;
        let Some(indicator) = success_indicator else {
            return Some(format!("operation `{}` names no success indicator", operation.id));
        };
        let Some(roles) = channel_roles else {
            return Some(format!("operation `{}` declares no roles of its result's parts", operation.id));
        };
        if roles.keys().all(|pointer| pointer == indicator) {
            return None;
        }
        let others = roles.iter().filter(|(at, role)| *at != indicator && **role != Role::SuccessIndicator);
        let others: Vec<Vec<String>> = others.filter_map(|(at, _)| pointer::tokens(at)).collect();
        let indicator = pointer::tokens(indicator).unwrap_or_default();
        let is_kept = view.steps_of(operation).any(|step| {
            let both = |oracle: &OracleView<'_>| {
                oracle.covers(&Place::of_result(step, &indicator))
                    && others.iter().any(|other| oracle.covers(&Place::of_result(step, other)))
            };
            view.oracles.iter().any(both)
        });
        (!is_kept).then(|| {
            format!(
                "no oracle looks at the success indicator of operation `{}` and at another part of the same result",
                operation.id
            )
        })
    })
}

/// All that a result has to hold is looked at together.
fn whole_bodies(view: &View<'_>) -> Option<String> {
    view.first(|operation| {
        let required: BTreeSet<&String> = operation.descriptor.shape.required.iter().collect();
        if required.len() < 2 {
            return None;
        }
        let is_kept = view.steps_of(operation).any(|step| {
            let all = |oracle: &OracleView<'_>| {
                required.iter().all(|key| oracle.covers(&Place::of_result(step, &[(*key).clone()])))
            };
            view.oracles.iter().any(all)
        });
        (!is_kept).then(|| {
            format!("no oracle looks at every required key of one result of operation `{}`", operation.id)
        })
    })
}

/// Arguments of a wrong type are sent, and what comes back is looked at.
fn malformed_inputs(view: &View<'_>) -> Option<String> {
    view.first(|operation| {
        if operation.arguments.is_empty() {
            return None;
        }
        let is_malformed =
            |step: &Step| step.bindings.values().flatten().any(|(_, bound)| *bound == Binding::TypeViolating);
        let is_kept = view.steps_of(operation).any(|step| {
            is_malformed(step) && view.oracles.iter().any(|oracle| oracle.reads(&Place::of_step(step)))
        });
        (!is_kept).then(|| {
            format!(
                "no step sends operation `{}` a value of another type under a check that reads it",
                operation.id
            )
        })
    })
}

/// Whether an oracle of the contract has a node like this over one of the operation's steps.
fn has_node(view: &View<'_>, operation: &Operation, is_wanted: impl Fn(&Node<'_>, &Step) -> bool) -> bool {
    view.steps_of(operation)
        .any(|step| view.oracles.iter().flat_map(|oracle| &oracle.nodes).any(|node| is_wanted(node, step)))
}

/// The items of a list are looked at one by one.
fn records(view: &View<'_>) -> Option<String> {
    view.first(|operation| {
        let Some(collections) = &operation.descriptor.collections else {
            return Some(format!("operation `{}` does not say whether its result holds lists", operation.id));
        };
        let unread = collections.iter().find(|collection| {
            !has_node(view, operation, |node, step| {
                matches!(node.expression.test, Test::ForAll { .. } | Test::ForAny { .. })
                    && node.read.contains(&Place::of_result(step, &collection.tail))
            })
        });
        unread.map(|collection| {
            format!("no check quantifies over `{}` of operation `{}`", shown(&collection.tail), operation.id)
        })
    })
}

/// What ought to behave alike is compared.
fn siblings(view: &View<'_>) -> Option<String> {
    let Some(groups) = &view.contract.sibling_groups else {
        return Some("the contract does not say what ought to behave alike".to_string());
    };
    let lonely = |members: &[String], covered: &dyn Fn(&OracleView<'_>, &str) -> bool| {
        let members: BTreeSet<&String> = members.iter().collect();
        let compares = |oracle: &OracleView<'_>| members.iter().filter(|m| covered(oracle, m)).count() >= 2;
        (!view.oracles.iter().any(compares)).then(|| {
            let names: Vec<&str> = members.iter().map(|member| member.as_str()).collect();
            format!("no oracle looks at two of {}", names.join(", "))
        })
    };
    let operation = |oracle: &OracleView<'_>, id: &str| {
        let steps = view.contract.steps.iter().filter(|step| step.operation == id);
        steps.into_iter().any(|step| oracle.covers(&Place::of_step(step)))
    };
    let parameter = |oracle: &OracleView<'_>, key: &str| {
        view.contract.steps.iter().any(|step| {
            let sent = Some(Channel::CallInputs("arguments"));
            oracle.covers(&Place { channel: sent, tail: vec![key.to_string()], ..Place::of_step(step) })
        })
    };
    let operations = groups.operations.iter().find_map(|group| lonely(group, &operation));
    operations.or_else(|| groups.parameters.iter().find_map(|group| lonely(group, &parameter)))
}

/// A list is held against what it ought to hold: all of it where its length is known, else each item.
fn omissions(view: &View<'_>) -> Option<String> {
    view.first(|operation| {
        let Some(collections) = &operation.descriptor.collections else {
            return Some(format!("operation `{}` does not say whether its result holds lists", operation.id));
        };
        let named = |collection: &Collection| Some((collection.clone(), collection.reference_set.clone()?));
        let unchecked = collections.iter().filter_map(named).find(|(collection, set)| {
            !has_node(view, operation, |node, step| reconciles(node, step, collection, set))
        });
        unchecked.map(|(collection, set)| {
            let how = if collection.is_exact { "covers-by-key" } else { "for-all with set-membership" };
            format!(
                "no check holds `{}` of operation `{}` against the reference set `{set}` ({how})",
                shown(&collection.tail),
                operation.id
            )
        })
    })
}

fn reconciles(node: &Node<'_>, step: &Step, collection: &Collection, set: &str) -> bool {
    let is_set = |source: &Source| matches!(source, Source::ReferenceSet(name) if name == set);
    let reads_it = node.read.contains(&Place::of_result(step, &collection.tail));
    match &node.expression.test {
        Test::CoversByKey { expected, .. } => collection.is_exact && is_set(&expected.source) && reads_it,
        Test::ForAll { predicate, .. } if !collection.is_exact && reads_it => {
            matches!(&predicate.test, Test::SetMembership { set, .. } if is_set(&set.source))
        }
        _ => false,
    }
}

/// What a write was sent is found again by a later call that changes nothing.
fn read_backs(view: &View<'_>) -> Option<String> {
    view.first(|operation| {
        if !operation.changes_state {
            return None;
        }
        let is_read_back = |write: &Step, (read, called): &(&Step, Option<&Operation>)| {
            read.after.as_deref() == Some(write.id.as_str())
                && read.id != write.id
                && called.is_some_and(|called| !called.changes_state)
        };
        let is_sent = |place: &Place| matches!(place.channel, Some(Channel::CallInputs(_)));
        let is_kept = has_node(view, operation, |node, write| {
            let sent = node.read.iter().any(|place| place.step == write.id && is_sent(place));
            let back = |read: &Step| node.read.iter().any(|place| place.is_within(&Place::of_result(read, &[])));
            sent && view.steps.iter().any(|read| is_read_back(write, read) && back(read.0))
        });
        (!is_kept).then(|| {
            format!(
                "no check holds what operation `{}` was sent against the result of a step after it that changes nothing",
                operation.id
            )
        })
    })
}
