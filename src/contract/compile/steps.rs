//! The interaction plan as a graph: who comes after whom, and who takes a value from whom.

use super::reach::{binding_at, captured};
use super::{Checked, Code, Context, Home, Step, fail};
use crate::contract::canonical;
use crate::contract::plan::Binding;
use crate::contract::pointer::{Channel, Pointer, Target};
use crate::pointer::child;
use std::collections::{BTreeMap, BTreeSet};

impl<'c> Context<'c> {
    /// The step that this one comes after, where it is declared.
    fn parent(&self, step: &Step) -> Option<&'c Step> {
        self.step(step.after.as_deref()?)
    }
}

pub(super) fn nested_clauses(context: &Context<'_>) -> Checked {
    for step in &context.contract.steps {
        if let Some(parent) = context.parent(step).filter(|parent| context.parent(parent).is_some()) {
            let detail = format!(
                "`{}` comes after `{}`, which has an `after` itself: one level is the most",
                step.id, parent.id
            );
            return fail(Code::NestedTemporalClause, &child(&step.at, "after"), detail);
        }
    }
    Ok(())
}

/// Above these a plan scripts the evaluator, instead of saying what to look at.
const MOST_AFTER_ONE: usize = 2;
const MOST_SHARED_ANCHORS: usize = 2;
const MOST_PAIRS: usize = 4;
const MOST_STEPS: usize = 16;

pub(super) fn scripting_bound(context: &Context<'_>) -> Checked {
    let steps = &context.contract.steps;
    // So many are too many whatever their order, and too many to look at it.
    if steps.len() > 1_000 {
        let said = format!("the plan has {} steps; {MOST_STEPS} is the most", steps.len());
        return fail(Code::PlanExceedsScriptingBound, "/interactionPlan", said);
    }
    // By position: an id may be declared twice, and must not make one step of two.
    let position = |wanted: &Step| steps.iter().position(|step| std::ptr::eq(step, wanted));
    let edges: Vec<(usize, usize)> = steps
        .iter()
        .enumerate()
        .filter_map(|(i, step)| Some((i, position(context.parent(step)?)?)))
        .collect();
    let mut followers: BTreeMap<usize, usize> = BTreeMap::new();
    for (_, parent) in &edges {
        *followers.entry(*parent).or_default() += 1;
    }
    let widest = followers.values().copied().max().unwrap_or(0);
    let shared = followers.values().filter(|n| **n >= 2).count();
    let pairs = component_sizes(steps.len(), &edges).into_iter().filter(|size| *size == 2).count();
    let said = if widest > MOST_AFTER_ONE {
        format!("{widest} steps come after one step; {MOST_AFTER_ONE} is the most")
    } else if shared > MOST_SHARED_ANCHORS {
        format!("{shared} steps each have several steps after them; {MOST_SHARED_ANCHORS} is the most")
    } else if pairs > MOST_PAIRS {
        format!("{pairs} pairs of steps stand by themselves; {MOST_PAIRS} is the most")
    } else if steps.len() > MOST_STEPS {
        format!("the plan has {} steps; {MOST_STEPS} is the most", steps.len())
    } else {
        return Ok(());
    };
    fail(Code::PlanExceedsScriptingBound, "/interactionPlan", said)
}

/// Sizes of the connected parts of a graph of `count` nodes, taken as undirected.
fn component_sizes(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut part: Vec<usize> = (0..count).collect();
    for (a, b) in edges {
        let (Some(from), Some(to)) = (part.get(*a).copied(), part.get(*b).copied()) else { continue };
        part.iter_mut().filter(|p| **p == from).for_each(|p| *p = to);
    }
    let mut sizes = BTreeMap::new();
    for p in part {
        *sizes.entry(p).or_insert(0) += 1;
    }
    sizes.into_values().collect()
}

/// A value that is captured has to be there before: no circle of `after` and captures with a capture in it.
pub(super) fn binding_cycles(context: &Context<'_>) -> Checked {
    let steps = &context.contract.steps;
    let mut before: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for step in steps {
        let sources = captured(step).filter_map(|(_, _, pointer)| pointer.step());
        let earlier = sources.chain(step.after.as_deref()).filter(|id| context.steps.contains_key(id));
        before.entry(&step.id).or_default().extend(earlier);
    }
    for step in steps {
        for (channel, key, pointer) in captured(step) {
            let Some(source) = pointer.step() else { continue };
            if leads_to(&before, source, &step.id) {
                let detail = format!(
                    "`{}` takes `{}` from `{source}`, which itself waits for `{}`",
                    step.id, pointer.text, step.id
                );
                return fail(Code::BindingCycle, &binding_at(step, channel, key), detail);
            }
        }
    }
    Ok(())
}

/// Whether `to` is among what comes before `from`, or is it.
fn leads_to<'s>(before: &BTreeMap<&'s str, BTreeSet<&'s str>>, from: &'s str, to: &str) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(step) = open.pop() {
        if step == to {
            return true;
        }
        for next in before.get(step).into_iter().flatten() {
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    false
}

pub(super) fn captured_channels(context: &Context<'_>) -> Checked {
    for step in &context.contract.steps {
        for (channel, key, pointer) in captured(step) {
            if let Some(other) =
                pointer.channel().filter(|c| !matches!(c, Channel::ResponseBody | Channel::TextJson))
            {
                let detail = format!(
                    "`{}` is captured from `{}`; only the result (`response-body`) declares what it holds",
                    pointer.text,
                    other.name()
                );
                return fail(Code::CapturedChannelUndeclared, &binding_at(step, channel, key), detail);
            }
        }
    }
    Ok(())
}

/// The evaluator is told of steps by what is declared of them, never by their ids. Two steps of one operation that
/// bind the same cannot be told apart, so one direction cannot name both.
pub(super) fn references(context: &Context<'_>) -> Checked {
    let mut classes = Classes::default();
    for oracle in &context.contract.oracles {
        let Some(direction) = &oracle.direction else { continue };
        let mut named: BTreeMap<&str, &Step> = BTreeMap::new();
        for step in
            direction.evidence_targets.iter().filter_map(Pointer::step).filter_map(|id| context.step(id))
        {
            named.insert(&step.id, step);
        }
        let mut seen: BTreeMap<usize, &str> = BTreeMap::new();
        for (id, step) in named {
            if let Some(other) = seen.insert(classes.of(context, step), id) {
                let detail = format!(
                    "{} looks at the steps `{other}` and `{id}`, which call the same operation and bind the same: nothing tells an evaluator one from the other",
                    oracle.id
                );
                return fail(
                    Code::IrreducibleStepReference,
                    &format!("{}/direction/evidenceTargets", oracle.at),
                    detail,
                );
            }
        }
    }
    Ok(())
}

/// Steps numbered by what is declared of them: the same number, the same description.
#[derive(Default)]
struct Classes {
    numbers: BTreeMap<String, usize>,
    of_step: BTreeMap<String, usize>,
}

impl Classes {
    fn of(&mut self, context: &Context<'_>, step: &Step) -> usize {
        if let Some(known) = self.of_step.get(&step.id) {
            return *known;
        }
        // Circles were refused before; what is being described already ends one all the same.
        self.of_step.insert(step.id.clone(), usize::MAX);
        let entries = step
            .bindings
            .iter()
            .flat_map(|(channel, keys)| keys.iter().map(move |(key, b)| (channel, key, b)));
        // A malformed input is what an evaluator is told of, and all that it is told of.
        let has_malformed = step.bindings.values().flatten().any(|(_, b)| *b == Binding::TypeViolating);
        let home = context.contract.operation_of(step).map(|(interface, _)| &interface.id);
        let mut said = vec![format!("{home:?}\n{}", step.operation)];
        for (channel, key, binding) in
            entries.filter(|(_, _, b)| !has_malformed || **b == Binding::TypeViolating)
        {
            let what = match binding {
                Binding::Any => "any".to_string(),
                Binding::TypeViolating => "malformed".to_string(),
                Binding::Literal(value) => format!("literal {}", canonical::text(value)),
                Binding::Principal(name) => format!("principal {name}"),
                Binding::Captured(pointer) => self.captured(context, pointer),
            };
            said.push(format!("{channel} {key:?} {what}"));
        }
        let next = self.numbers.len();
        let number = *self.numbers.entry(said.join("\n")).or_insert(next);
        self.of_step.insert(step.id.clone(), number);
        number
    }

    fn captured(&mut self, context: &Context<'_>, pointer: &Pointer) -> String {
        let source = pointer.step().and_then(|id| context.step(id));
        let known = source.filter(|step| matches!(context.home(step), Home::Operation(_)));
        match (known, &pointer.target) {
            (Some(step), Target::Interaction { tail, .. }) => {
                format!("captured {tail:?} of {}", self.of(context, step))
            }
            _ => "captured".to_string(),
        }
    }
}
