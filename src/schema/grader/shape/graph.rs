//! The subschemas of a schema and where its references lead: what is applied to one value in place,
//! and whether that ends.

use crate::pointer;
use crate::schema::walk::{self, Node};
use crate::schema::{Dialect, SchemaView};
use serde_json::Value;
use std::collections::BTreeMap;

/// Every subschema that can be applied, those included that only a reference reaches.
pub(super) struct Graph<'s> {
    pub(super) nodes: Vec<Node<'s>>,
    /// The longest way through `$ref`, `allOf` and the like without a step into the instance.
    pub(super) steps: usize,
}

/// References followed to places that no keyword leads to.
const MAX_HIDDEN: usize = 1_000;

impl<'s> Graph<'s> {
    /// # Errors
    /// References that lead out of the document, nowhere, or in a circle without a step.
    pub(super) fn of(view: &SchemaView<'s>, dialect: Dialect) -> Result<Graph<'s>, String> {
        let mut nodes = walk::walk(view.schema, dialect);
        let mut by_pointer: BTreeMap<String, usize> =
            nodes.iter().enumerate().map(|(i, n)| (n.pointer.clone(), i)).collect();
        let anchors = anchors(&nodes);
        let mut targets: BTreeMap<usize, usize> = BTreeMap::new();
        let mut at = 0;
        let mut hidden = 0;
        while let Some(node) = nodes.get(at) {
            if let Some(reference) = node.schema.get("$ref") {
                let place = resolve(reference, view.schema, &anchors)?;
                if !by_pointer.contains_key(&place) {
                    hidden += 1;
                    if hidden > MAX_HIDDEN {
                        return Err("too many of its references lead past its keywords".to_string());
                    }
                    add_hidden(&place, view.schema, dialect, &mut nodes, &mut by_pointer);
                }
                if let Some(&target) = by_pointer.get(&place) {
                    targets.insert(at, target);
                }
            }
            at += 1;
        }
        let steps = longest(&in_place(&nodes, &targets, dialect))
            .ok_or("its references go round in a circle without a step into the value")?;
        Ok(Graph { nodes, steps })
    }
}

/// Where a local reference leads, as a pointer.
fn resolve(
    reference: &Value,
    root: &Value,
    anchors: &BTreeMap<String, Option<String>>,
) -> Result<String, String> {
    let Value::String(text) = reference else { return Err("a $ref that is no text".to_string()) };
    let Some(fragment) = text.strip_prefix('#') else {
        return Err("a $ref leads out of the schema, and nothing is fetched".to_string());
    };
    if fragment.is_empty() || fragment.starts_with('/') {
        let place = percent_decoded(fragment).ok_or("a $ref that is not percent-encoded text")?;
        return match root.pointer(&place) {
            Some(target) if target.is_object() || target.is_boolean() => Ok(place),
            _ => Err("a $ref that leads to no schema".to_string()),
        };
    }
    match anchors.get(fragment) {
        Some(Some(place)) => Ok(place.clone()),
        _ => Err("a $ref to an anchor that graders resolve differently".to_string()),
    }
}

/// Places of anchors; `None` for one that occurs twice.
fn anchors(nodes: &[Node<'_>]) -> BTreeMap<String, Option<String>> {
    let mut anchors: BTreeMap<String, Option<String>> = BTreeMap::new();
    for node in nodes {
        if let Some(Value::String(name)) = node.schema.get("$anchor") {
            let place = anchors.entry(name.clone()).or_insert_with(|| Some(node.pointer.clone()));
            if place.as_ref() != Some(&node.pointer) {
                *place = None;
            }
        }
    }
    anchors
}

fn percent_decoded(fragment: &str) -> Option<String> {
    if !fragment.contains('%') {
        return Some(fragment.to_string());
    }
    let mut bytes = Vec::new();
    let mut rest = fragment.bytes();
    while let Some(b) = rest.next() {
        if b != b'%' {
            bytes.push(b);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

/// Walk from a place that only a reference leads to.
fn add_hidden<'s>(
    place: &str,
    root: &'s Value,
    dialect: Dialect,
    nodes: &mut Vec<Node<'s>>,
    by_pointer: &mut BTreeMap<String, usize>,
) {
    let Some(schema) = root.pointer(place) else { return };
    let above = pointer::tokens(place).count();
    let mut moved: Vec<Option<usize>> = Vec::new();
    for mut node in walk::walk(schema, dialect) {
        node.pointer = format!("{place}{}", node.pointer);
        node.depth += above;
        node.parent = node.parent.and_then(|p| moved.get(p).copied().flatten());
        let known = by_pointer.get(&node.pointer).copied();
        moved.push(Some(known.unwrap_or(nodes.len())));
        if known.is_none() {
            by_pointer.insert(node.pointer.clone(), nodes.len());
            nodes.push(node);
        }
    }
}

/// For each node, the nodes that are applied to the same value.
fn in_place(nodes: &[Node<'_>], targets: &BTreeMap<usize, usize>, dialect: Dialect) -> Vec<Vec<usize>> {
    let mut ways: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (i, node) in nodes.iter().enumerate().filter(|(_, n)| n.via.is_in_place()) {
        if let Some(from) = node.parent.and_then(|p| ways.get_mut(p)) {
            from.push(i);
        }
    }
    for (from, to) in targets {
        if let Some(out) = ways.get_mut(*from) {
            if dialect.ref_hides_siblings() {
                out.clear();
            }
            out.push(*to);
        }
    }
    ways
}

/// The length of the longest way; `None` where there is a circle.
fn longest(edges: &[Vec<usize>]) -> Option<usize> {
    let mut lengths: Vec<Option<usize>> = vec![None; edges.len()];
    let mut is_open = vec![false; edges.len()];
    let mut stack: Vec<(usize, usize)> = Vec::new();
    let mut deepest = 0;
    for start in 0..edges.len() {
        if lengths.get(start).is_some_and(Option::is_some) {
            continue;
        }
        stack.push((start, 0));
        while let Some((node, next)) = stack.pop() {
            mark(&mut is_open, node, true);
            let out = edges.get(node).map(Vec::as_slice).unwrap_or_default();
            match out.get(next) {
                Some(&to) if is_open.get(to) == Some(&true) => {
                    return None;
                }
                Some(&to) => {
                    stack.push((node, next + 1));
                    if lengths.get(to).is_some_and(Option::is_none) {
                        stack.push((to, 0));
                    }
                }
                None => {
                    let below = out.iter().filter_map(|&to| lengths.get(to).copied().flatten()).max();
                    let length = below.map_or(0, |n| n + 1);
                    deepest = deepest.max(length);
                    if let Some(slot) = lengths.get_mut(node) {
                        *slot = Some(length);
                    }
                    mark(&mut is_open, node, false);
                }
            }
        }
    }
    Some(deepest)
}

fn mark(flags: &mut [bool], at: usize, value: bool) {
    if let Some(flag) = flags.get_mut(at) {
        *flag = value;
    }
}
