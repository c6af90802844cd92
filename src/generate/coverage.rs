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
    /// Whether the least and the greatest value differ from the usual one.
    bounded: bool,
}

/// Everything there is to exercise, and what was.
#[derive(Debug)]
pub(crate) struct Coverage {
    targets: BTreeMap<usize, Target>,
    order: Vec<usize>,
    covered: BTreeSet<usize>,
    /// What was steered to, reached or not, and with which values.
    tried: BTreeSet<(usize, usize)>,
}

const MAX_TARGETS: usize = 5_000;
/// Keywords that set a bound.
const BOUNDS: [&str; 8] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
];

impl Coverage {
    pub(crate) fn new(root: &Value, nodes: &[Node<'_>]) -> Coverage {
        let mut coverage = Coverage {
            targets: BTreeMap::new(),
            order: Vec::new(),
            covered: BTreeSet::new(),
            tried: BTreeSet::new(),
        };
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
            let bounded = BOUNDS.iter().any(|k| node.schema.get(*k).is_some());
            coverage.add(
                address(node.schema),
                Target {
                    pointer: node.pointer.clone(),
                    wanted: wanted.clone(),
                    prefer: prefer.clone(),
                    bounded,
                },
            );
            for (j, value) in
                node.schema.get("enum").and_then(Value::as_array).into_iter().flatten().enumerate()
            {
                let mut wanted = wanted.clone();
                wanted.insert(address(value));
                let pointer = format!("{}/enum/{j}", node.pointer);
                coverage
                    .add(address(value), Target { pointer, wanted, prefer: prefer.clone(), bounded: false });
            }
        }
        coverage
    }

    fn add(&mut self, at: usize, target: Target) {
        if !self.targets.contains_key(&at) {
            self.order.push(at);
            self.targets.insert(at, target);
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
    pub(crate) fn next_policy(&mut self, round: u32, idle: u32) -> Policy {
        let general = [
            Policy { optional: Optional::None, variant: 1, edge: Edge::Least, ..Policy::default() },
            Policy { optional: Optional::All, variant: 1, ..Policy::default() },
            Policy { optional: Optional::All, variant: 2, edge: Edge::Greatest, ..Policy::default() },
        ];
        if let Some(policy) = usize::try_from(round).ok().and_then(|r| general.get(r)) {
            return policy.clone();
        }
        if let Some((target, edge)) = self.next_target() {
            return Policy {
                optional: Optional::None,
                variant: round + 1,
                wanted: target.wanted.clone(),
                prefer: target.prefer.clone(),
                edge,
                ..Policy::default()
            };
        }
        let optional =
            [Optional::Few, Optional::All, Optional::None].into_iter().cycle().nth(round as usize % 3);
        let extra = if idle >= 3 { 1 + idle as usize / 4 } else { 0 };
        Policy { optional: optional.unwrap_or_default(), variant: round + 1, extra, ..Policy::default() }
    }

    /// Whether all that can be steered to was, so that what follows is plain variety.
    pub(crate) fn is_through(&self, round: u32) -> bool {
        round >= 3 && self.open_target().is_none()
    }

    /// What was neither reached nor tried; then the bounds of what has some. Each once: whether it was
    /// reached shows in the trace.
    fn next_target(&mut self) -> Option<(&Target, Edge)> {
        let (at, pass, edge) = self.open_target()?;
        self.tried.insert((at, pass));
        self.targets.get(&at).map(|target| (target, edge))
    }

    fn open_target(&self) -> Option<(usize, usize, Edge)> {
        for (pass, edge) in [Edge::Usual, Edge::Least, Edge::Greatest].into_iter().enumerate() {
            let open = self.order.iter().copied().find(|at| {
                let due = match edge {
                    Edge::Usual => !self.covered.contains(at),
                    _ => self.targets.get(at).is_some_and(|t| t.bounded),
                };
                due && !self.tried.contains(&(*at, pass))
            });
            if let Some(at) = open {
                return Some((at, pass, edge));
            }
        }
        None
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
