//! What the instances exercise, and how to steer the solver to what they do not yet.

use super::solver::{Edge, Optional, Policy, address};
use crate::schema::walk::Via;
use crate::schema::{Node, references};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Something that an instance may exercise: a subschema or a listed value, by address.
#[derive(Debug)]
struct Target {
    pointer: String,
    /// Addresses of the schemas on the way, and choices to make there.
    wanted: BTreeSet<usize>,
    prefer: BTreeMap<usize, usize>,
}

/// Everything there is to exercise, and what was.
#[derive(Debug)]
pub(crate) struct Coverage {
    targets: BTreeMap<usize, Target>,
    order: Vec<usize>,
    covered: BTreeSet<usize>,
}

const MAX_TARGETS: usize = 5_000;

impl Coverage {
    pub(crate) fn new(root: &Value, nodes: &[Node<'_>]) -> Coverage {
        let mut coverage = Coverage { targets: BTreeMap::new(), order: Vec::new(), covered: BTreeSet::new() };
        // How each definition is first reached, so that what lies in it can be steered to.
        let mut entry: BTreeMap<usize, usize> = BTreeMap::new();
        let index: BTreeMap<usize, usize> =
            nodes.iter().enumerate().map(|(i, n)| (address(n.schema), i)).collect();
        for (i, node) in nodes.iter().enumerate() {
            let reference = node.schema.get("$ref").and_then(Value::as_str);
            let target = reference.and_then(|r| references::local(root, r));
            if let Some(target) = target.and_then(|t| index.get(&address(t))) {
                entry.entry(*target).or_insert(i);
            }
        }
        for (i, node) in nodes.iter().enumerate().take(MAX_TARGETS) {
            let Some((wanted, prefer)) = way_to(i, nodes, &entry) else { continue };
            coverage.add(address(node.schema), node.pointer.clone(), &wanted, &prefer);
            for (j, value) in
                node.schema.get("enum").and_then(Value::as_array).into_iter().flatten().enumerate()
            {
                let mut wanted = wanted.clone();
                wanted.insert(address(value));
                coverage.add(address(value), format!("{}/enum/{j}", node.pointer), &wanted, &prefer);
            }
        }
        coverage
    }

    fn add(&mut self, at: usize, pointer: String, wanted: &BTreeSet<usize>, prefer: &BTreeMap<usize, usize>) {
        if !self.targets.contains_key(&at) {
            self.order.push(at);
            self.targets.insert(at, Target { pointer, wanted: wanted.clone(), prefer: prefer.clone() });
        }
    }

    /// Take in what the solver's last value went through.
    pub(crate) fn record(&mut self, trace: &[usize]) {
        self.covered.extend(trace.iter().filter(|a| self.targets.contains_key(a)));
    }

    pub(crate) fn pointers(&self) -> Vec<String> {
        let covered = self.order.iter().filter(|a| self.covered.contains(a));
        covered.filter_map(|a| self.targets.get(a)).map(|t| t.pointer.clone()).collect()
    }

    /// Policies that lead to something new, and then plain variety.
    pub(crate) fn next_policy(&mut self, round: u32) -> Policy {
        let general = [
            Policy { optional: Optional::None, variant: 1, edge: Edge::Least, ..Policy::default() },
            Policy { optional: Optional::All, variant: 1, ..Policy::default() },
            Policy { optional: Optional::All, variant: 2, edge: Edge::Greatest, ..Policy::default() },
        ];
        if let Some(policy) = usize::try_from(round).ok().and_then(|r| general.get(r)) {
            return policy.clone();
        }
        let covered = &self.covered;
        let open = self.order.iter().position(|a| !covered.contains(a));
        if let Some(at) = open.map(|i| self.order.remove(i)) {
            // Tried once; whether it was reached shows in the trace.
            self.order.push(at);
            self.covered.insert(at);
            if let Some(target) = self.targets.get(&at) {
                return Policy {
                    optional: Optional::None,
                    variant: round + 1,
                    wanted: target.wanted.clone(),
                    prefer: target.prefer.clone(),
                    ..Policy::default()
                };
            }
        }
        let optional =
            [Optional::Few, Optional::All, Optional::None].into_iter().cycle().nth(round as usize % 3);
        Policy { optional: optional.unwrap_or_default(), variant: round + 1, ..Policy::default() }
    }
}

/// Schemas that must occur and branches to take so that node `i` is reached; `None` for definitions
/// that nothing refers to.
fn way_to(
    i: usize,
    nodes: &[Node<'_>],
    entry: &BTreeMap<usize, usize>,
) -> Option<(BTreeSet<usize>, BTreeMap<usize, usize>)> {
    let (mut wanted, mut prefer) = (BTreeSet::new(), BTreeMap::new());
    let mut at = i;
    for _ in 0..100 {
        let node = nodes.get(at)?;
        wanted.insert(address(node.schema));
        let parent = node.parent;
        let holder = |keyword: &str| parent.and_then(|p| nodes.get(p)).and_then(|p| p.schema.get(keyword));
        match &node.via {
            Via::Root => return Some((wanted, prefer)),
            Via::AnyOf(b) => {
                holder("anyOf").map(|list| prefer.insert(address(list), *b));
            }
            Via::OneOf(b) => {
                holder("oneOf").map(|list| prefer.insert(address(list), *b));
            }
            Via::Then | Via::If => {
                holder("if").map(|condition| prefer.insert(address(condition), 1));
            }
            Via::Definition(_) => {
                at = *entry.get(&at)?;
                continue;
            }
            _ => {}
        }
        at = parent?;
    }
    None
}
