//! Contradictions: which subschemas admit no value, and which of them is to blame.
//!
//! The algebra names every empty subschema; one crossed pair of bounds empties the parameter, the
//! object that requires it and the whole tool. Only the innermost is a fault of its own.

use super::judge::{EmptyBecause, PlaceJudges};
use super::walk::{Node, Via};
use super::{SchemaView, probe, witness};
use serde_json::Value;
use std::collections::BTreeSet;

/// A subschema that admits no value through a fault of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// Index in the walk.
    pub node: usize,
    /// Keywords that conflict, by the pointer of the schema that holds them.
    pub parts: Vec<(String, Vec<String>)>,
}

/// Every innermost contradiction, in document order. A schema that was written to admit nothing
/// (`false`, `{"not": {}}`) is none: see [`is_never`].
#[must_use]
pub fn contradictions(view: &SchemaView<'_>) -> Vec<Contradiction> {
    let empty = view.empty_subschemas();
    if empty.is_empty() {
        return Vec::new();
    }
    let nodes = view.nodes();
    let is_empty = |i: usize| nodes.get(i).is_some_and(|n| empty.contains_key(&n.pointer));
    let mut found = Vec::new();
    for (i, node) in nodes.iter().enumerate() {
        let Some(reason) = empty.get(&node.pointer) else { continue };
        let EmptyBecause::Parts(parts) = reason else { continue };
        if is_never(node.schema) && i != 0 {
            continue;
        }
        let blamed_child = |c: &usize| {
            is_empty(*c) && nodes.get(*c).is_some_and(|n| !is_never(n.schema) && empties_its_parent(n, node))
        };
        let children = view.links().children(i);
        let by_reference = view
            .links()
            .targets(i)
            .iter()
            .any(|to| *to != i && is_empty(*to) && nodes.get(*to).is_some_and(|n| !is_never(n.schema)));
        let by_branches =
            ["anyOf", "oneOf"].into_iter().any(|k| all_branches_empty(k, children, nodes, &is_empty));
        if by_reference || by_branches || children.iter().any(blamed_child) {
            continue;
        }
        found.push(Contradiction { node: i, parts: parts.clone() });
    }
    found
}

/// Whether an empty `child` leaves `parent` no value.
fn empties_its_parent(child: &Node<'_>, parent: &Node<'_>) -> bool {
    let number = |k| parent.schema.get(k).and_then(Value::as_u64).unwrap_or(0);
    match &child.via {
        Via::AllOf(_) => true,
        Via::Property(name) => requires(parent.schema, name),
        Via::Items => number("minItems") > 0,
        Via::PrefixItem(i) => number("minItems") > *i as u64,
        Via::Contains => parent.schema.get("minContains").and_then(Value::as_u64) != Some(0),
        Via::AdditionalProperties | Via::PropertyNames | Via::PatternProperty(_) => false,
        _ => false,
    }
}

fn requires(schema: &Value, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|r| r.iter().any(|n| n.as_str() == Some(name)))
}

fn all_branches_empty(
    keyword: &str,
    children: &[usize],
    nodes: &[Node<'_>],
    is_empty: &dyn Fn(usize) -> bool,
) -> bool {
    let mut branches = children
        .iter()
        .filter(|c| {
            nodes.get(**c).is_some_and(|n| match n.via {
                Via::AnyOf(_) => keyword == "anyOf",
                Via::OneOf(_) => keyword == "oneOf",
                _ => false,
            })
        })
        .peekable();
    // Where all were written to admit nothing, the schema around is to blame.
    let written_so = |c: &usize| nodes.get(*c).is_some_and(|n| is_never(n.schema));
    branches.peek().is_some() && !branches.clone().all(written_so) && branches.all(|c| is_empty(*c))
}

/// Whether the schema was written to admit nothing: `false`, or `not` around a schema that says
/// nothing, whatever annotations stand beside it.
#[must_use]
pub fn is_never(schema: &Value) -> bool {
    match schema {
        Value::Bool(admits) => !admits,
        Value::Object(members) => members.get("not").is_some_and(says_nothing),
        _ => false,
    }
}

/// Whether no keyword of the schema asserts anything, as written.
#[must_use]
pub fn says_nothing(schema: &Value) -> bool {
    match schema {
        Value::Bool(admits) => *admits,
        Value::Object(members) => !members.keys().any(|k| super::vocabulary::asserts(k)),
        _ => false,
    }
}

/// Indices of `anyOf` and `oneOf` branches, `if`s and their likes that can never apply; with why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadBranch {
    /// Index in the walk of the branch.
    pub node: usize,
    pub why: DeadBecause,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeadBecause {
    /// The branch admits nothing by itself: the parts that conflict (none: written so).
    Itself(Vec<(String, Vec<String>)>),
    /// Nothing satisfies it together with the keywords beside the `anyOf` or `oneOf`: their names.
    Siblings(Vec<String>),
    /// Whatever it accepts, other branches of the `oneOf` accept too.
    Covered,
    /// The `if` never holds, so `then` never applies.
    NeverHolds,
    /// The `if` always holds, so `else` never applies.
    AlwaysHolds,
}

/// Walk indices of branches that are alive: the judge accepts a value for the schema around that the
/// branch accepts too. A question less for the algebra, which is slow with unions.
fn alive(view: &SchemaView<'_>, empty: &std::collections::BTreeMap<String, EmptyBecause>) -> BTreeSet<usize> {
    let nodes = view.nodes();
    let mut asked: Vec<(usize, &str, &str)> = Vec::new();
    for (i, node) in nodes.iter().enumerate() {
        let Some(parent) = node.parent.and_then(|p| nodes.get(p)) else { continue };
        let beside = |keyword: &str| {
            let mut keys = parent.schema.as_object().into_iter().flat_map(|m| m.keys());
            keys.any(|k| k != keyword && super::vocabulary::asserts(k))
        };
        let branch = match node.via {
            Via::AnyOf(_) => beside("anyOf"),
            Via::OneOf(_) | Via::If => true,
            _ => false,
        };
        if branch && !empty.contains_key(&node.pointer) && !empty.contains_key(&parent.pointer) {
            asked.push((i, node.pointer.as_str(), parent.pointer.as_str()));
        }
    }
    let places: Vec<&str> = asked.iter().flat_map(|(_, branch, parent)| [*branch, *parent]).collect();
    let judges = (!places.is_empty()).then(|| PlaceJudges::compile(view.schema, view.dialect, &places));
    let Some(Ok(judges)) = judges else { return BTreeSet::new() };
    let accepted = |n: usize, i: usize| {
        let Some(node) = nodes.get(i) else { return false };
        let parent = node.parent.and_then(|p| nodes.get(p)).map_or(&Value::Null, |p| p.schema);
        witness::candidates(view, node.schema, parent)
            .iter()
            .any(|value| judges.accepts(2 * n, value) && judges.accepts(2 * n + 1, value))
    };
    asked.iter().enumerate().filter(|(n, (i, ..))| accepted(*n, *i)).map(|(_, (i, ..))| *i).collect()
}

/// The most questions about branches that one schema may cost.
const MAX_QUESTIONS: usize = 200;

/// Branches that can never apply, in document order. Where a node around a branch admits nothing
/// at all, its branches are not listed: see [`contradictions`].
#[must_use]
pub fn dead_branches(view: &SchemaView<'_>) -> Vec<DeadBranch> {
    let nodes = view.nodes();
    if view.judge().is_err() {
        return Vec::new();
    }
    let empty = view.empty_subschemas();
    let alive = alive(view, empty);
    let mut dead = Vec::new();
    let mut asked: Vec<(usize, DeadBecause)> = Vec::new();
    let mut probes = None;
    for (i, node) in nodes.iter().enumerate() {
        let Some(parent) = node.parent.and_then(|p| nodes.get(p)) else { continue };
        if empty.contains_key(&parent.pointer) || asked.len() >= MAX_QUESTIONS || !view.reach().is_used(i) {
            continue;
        }
        if let (Via::AnyOf(_) | Via::OneOf(_), Some(reason)) = (&node.via, empty.get(&node.pointer)) {
            let parts = match reason {
                EmptyBecause::Literal => Vec::new(),
                EmptyBecause::Parts(_) if is_never(node.schema) => Vec::new(),
                EmptyBecause::Parts(parts) => parts.clone(),
            };
            dead.push(DeadBranch { node: i, why: DeadBecause::Itself(parts) });
            continue;
        }
        let may_be_dead = |why: &DeadBecause| *why == DeadBecause::AlwaysHolds || !alive.contains(&i);
        for (question, why) in questions(node, parent).into_iter().filter(|(_, why)| may_be_dead(why)) {
            let probes = probes.get_or_insert_with(|| probe::Probes::new(view));
            let Some(probes) = probes else { break };
            probes.add(question);
            asked.push((i, why));
        }
    }
    let answers = probes.flatten().filter(|p| !p.is_empty()).and_then(|p| p.accept_nothing().ok());
    let mut seen = BTreeSet::new();
    for ((node, why), _) in asked.into_iter().zip(answers.unwrap_or_default()).filter(|(_, nothing)| *nothing)
    {
        if seen.insert(node) {
            dead.push(DeadBranch { node, why });
        }
    }
    dead.sort_by_key(|d| d.node);
    dead
}

/// What to ask about a branch: a schema that accepts nothing if the branch is dead for that reason.
fn questions(node: &Node<'_>, parent: &Node<'_>) -> Vec<(Value, DeadBecause)> {
    let siblings = |left_out: &[&str]| {
        let rest = probe::without(parent.schema, left_out);
        let names: Vec<String> = rest
            .as_object()
            .into_iter()
            .flat_map(|m| m.keys())
            .filter(|k| super::vocabulary::asserts(k))
            .cloned()
            .collect();
        (rest, names)
    };
    let both = |rest: &Value| serde_json::json!({"allOf": [rest, node.schema]});
    match &node.via {
        Via::AnyOf(_) => {
            let (rest, names) = siblings(&["anyOf"]);
            if names.is_empty() { Vec::new() } else { vec![(both(&rest), DeadBecause::Siblings(names))] }
        }
        Via::OneOf(n) => {
            let (rest, names) = siblings(&["oneOf"]);
            let mut asked = Vec::new();
            if !names.is_empty() {
                asked.push((both(&rest), DeadBecause::Siblings(names)));
            }
            let branches = parent.schema.get("oneOf").and_then(Value::as_array);
            let others: Vec<&Value> =
                branches.into_iter().flatten().enumerate().filter(|(i, _)| i != n).map(|(_, b)| b).collect();
            if !others.is_empty() && others.len() < 32 {
                let alone = serde_json::json!({"allOf": [rest, node.schema, {"not": {"anyOf": others}}]});
                asked.push((alone, DeadBecause::Covered));
            }
            asked
        }
        Via::If => {
            let mut asked = Vec::new();
            let (rest, _) = siblings(&["if", "then", "else"]);
            if parent.schema.get("then").is_some() {
                asked.push((both(&rest), DeadBecause::NeverHolds));
            }
            if parent.schema.get("else").is_some() {
                let never = serde_json::json!({"allOf": [rest, {"not": node.schema}]});
                asked.push((never, DeadBecause::AlwaysHolds));
            }
            asked
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn blamed(schema: &Value) -> Vec<String> {
        let view = SchemaView::new(schema);
        contradictions(&view).into_iter().map(|c| view.nodes()[c.node].pointer.clone()).collect()
    }

    #[test]
    fn the_innermost_is_blamed_once() {
        let deep = json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "object",
            "required": ["b"], "properties": {"b": {"allOf": [{"type": "integer", "minimum": 2, "maximum": 1}]}}}}});
        assert_eq!(blamed(&deep), ["/properties/a/properties/b/allOf/0"]);
        let by_ref = json!({"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/$defs/e"}},
            "$defs": {"e": {"type": "string", "minLength": 2, "maxLength": 1}}});
        assert_eq!(blamed(&by_ref), ["/$defs/e"]);
        let closed = json!({"type": "object", "properties": {"a": {}}, "required": ["b"], "additionalProperties": false});
        assert_eq!(blamed(&closed), [""]);
    }

    #[test]
    fn what_is_written_to_admit_nothing_is_no_contradiction() {
        let schema = json!({"type": "object", "additionalProperties": false,
            "properties": {"a": {"not": {}, "description": "never"}, "b": false}});
        assert!(blamed(&schema).is_empty());
        let required = json!({"type": "object", "properties": {"a": {"not": {}}}, "required": ["a"]});
        assert_eq!(blamed(&required), [""]);
    }

    fn dead(schema: &Value) -> Vec<(String, DeadBecause)> {
        let view = SchemaView::new(schema);
        dead_branches(&view).into_iter().map(|d| (view.nodes()[d.node].pointer.clone(), d.why)).collect()
    }

    #[test]
    fn branches() {
        use DeadBecause::{AlwaysHolds, Covered, Itself, NeverHolds, Siblings};
        let p = |property: Value| json!({"type": "object", "properties": {"p": property}});
        assert_eq!(
            dead(&p(json!({"anyOf": [{"not": {}}, {"type": "string"}]}))),
            [("/properties/p/anyOf/0".into(), Itself(vec![]))]
        );
        assert_eq!(
            dead(&p(json!({"type": "string", "anyOf": [{"type": "string"}, {"type": "null"}]}))),
            [("/properties/p/anyOf/1".into(), Siblings(vec!["type".into()]))]
        );
        assert_eq!(
            dead(&p(json!({"oneOf": [{"type": "integer"}, {"type": "number"}]}))),
            [("/properties/p/oneOf/0".into(), Covered)]
        );
        assert_eq!(
            dead(&p(json!({"type": "string", "if": {"const": 3}, "then": {"minLength": 1}}))),
            [("/properties/p/if".into(), NeverHolds)]
        );
        assert_eq!(
            dead(&p(
                json!({"type": "string", "if": {"type": "string"}, "then": {}, "else": {"minLength": 1}})
            )),
            [("/properties/p/if".into(), AlwaysHolds)]
        );
        assert!(
            dead(&p(json!({"oneOf": [{"type": "integer", "maximum": 5}, {"type": "number", "minimum": 3}]})))
                .is_empty()
        );
        assert!(
            dead(&json!({"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}]})).is_empty()
        );
    }
}
