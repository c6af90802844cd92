//! What no value can satisfy, and why: shared by the rules that say so of a tool and of a parameter.

use super::{place, required_undeclared};
use crate::generate::{self, GenerateVerdict};
use crate::rules::{SchemaSite, say};
use crate::schema::empty::{self, Contradiction};
use crate::schema::judge::Formats;
use crate::schema::reach::Step;
use crate::schema::walk::{Node, Via};
use crate::schema::{Satisfiability, SchemaView, endless, witness};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// A subschema that admits nothing through a fault of its own.
pub(super) struct Impossible {
    /// Index in the walk.
    pub node: usize,
    /// "`minimum` and `maximum` exclude each other".
    pub because: String,
    /// The schema as a whole admits nothing for this reason.
    pub fatal: bool,
}

/// Every one of them, in document order; each cause once, at the innermost place. Branches that are
/// dead while others live, and names that a closed object forbids, are left to the rules about them.
pub(super) fn all(site: &SchemaSite<'_>) -> Vec<Impossible> {
    if site.view.judge().is_err() {
        return Vec::new();
    }
    let explained = required_undeclared::forbidden(site);
    let mut found: Vec<Impossible> = empty::contradictions(&site.view)
        .into_iter()
        .filter(|c| is_said_here(site, c.node) && !explained.contains(&c.node))
        .map(|c| Impossible { node: c.node, because: because(site, &c), fatal: is_fatal(site, c.node) })
        .collect();
    let blamed: BTreeSet<usize> = found.iter().map(|f| f.node).collect();
    let dead = || site.view.verdict().satisfiability == Satisfiability::No;
    for node in endless::definitions(&site.view).into_iter().filter(|n| !blamed.contains(n)) {
        let because = "each one must hold another of its kind, without end".to_string();
        found.push(Impossible { node, because, fatal: dead() && found_nothing(site) });
    }
    for node in empty_strings(site).into_iter().filter(|n| !blamed.contains(n)) {
        found.push(Impossible { node, because: string_conflict(site, node), fatal: is_demanded(site, node) });
    }
    found.sort_by_key(|f| f.node);
    found
}

/// Whether the algebra's map of empty subschemas leaves the root out.
fn found_nothing(site: &SchemaSite<'_>) -> bool {
    !site.view.empty_subschemas().contains_key("")
}

/// Whether this node is not another rule's business, or nobody's.
fn is_said_here(site: &SchemaSite<'_>, node: usize) -> bool {
    let (nodes, reach) = (site.view.nodes(), site.view.reach());
    let Some(here) = nodes.get(node).filter(|_| reach.is_used(node) && !reach.is_inverse(node)) else {
        return false;
    };
    match here.via {
        // A branch beside living ones: MCP-SCHEMA-DEAD-BRANCH.
        Via::AnyOf(_) | Via::OneOf(_) => {
            let around = here.parent.and_then(|p| nodes.get(p));
            around.is_some_and(|p| site.view.empty_subschemas().contains_key(&p.pointer))
        }
        // "In that case nothing is valid" is a way to forbid the case.
        Via::Then | Via::Else | Via::DependentSchema(_) => false,
        _ => true,
    }
}

/// "`minimum` and `maximum` exclude each other", or what `required` demands in vain.
fn because(site: &SchemaSite<'_>, contradiction: &Contradiction) -> String {
    let Some(node) = site.view.nodes().get(contradiction.node) else { return String::new() };
    let required = node.schema.get("required").and_then(Value::as_array);
    let never =
        |name: &&str| node.schema.get("properties").and_then(|p| p.get(*name)).is_some_and(empty::is_never);
    if let Some(name) = required.into_iter().flatten().filter_map(Value::as_str).find(never) {
        return format!("`required` names {}, whose schema admits no value", say::quoted(name));
    }
    let parts = place::conflict(&node.pointer, &contradiction.parts);
    let one = contradiction.parts.iter().map(|(_, k)| k.len().max(1)).sum::<usize>() == 1;
    if one { format!("{parts} admits nothing") } else { format!("{parts} exclude each other") }
}

/// Whether the emptiness of `node` empties everything around it, up to the root.
fn is_fatal(site: &SchemaSite<'_>, node: usize) -> bool {
    let empty = site.view.empty_subschemas();
    let is_empty = |i: usize| site.view.nodes().get(i).is_some_and(|n| empty.contains_key(&n.pointer));
    site.view.reach().way(node).is_some_and(|way| way.iter().all(|(from, _)| is_empty(*from)))
}

/// Whether every valid value holds one of `node`: required all the way from the root.
fn is_demanded(site: &SchemaSite<'_>, node: usize) -> bool {
    let requires = |from: usize, name: &str| {
        let required =
            site.view.nodes().get(from).and_then(|n| n.schema.get("required")).and_then(Value::as_array);
        required.is_some_and(|r| r.iter().any(|n| n.as_str() == Some(name)))
    };
    let Some(way) = site.view.reach().way(node) else { return false };
    let mut stations = way.iter().map(|(from, _)| *from).skip(1).chain([node]);
    way.iter().all(|(from, step)| {
        let to = stations.next().and_then(|n| site.view.nodes().get(n));
        match step {
            Step::Key(name) => requires(*from, name),
            // `allOf` and `$ref` demand it; an alternative does not.
            Step::Same => to.is_some_and(|n| matches!(n.via, Via::AllOf(_) | Via::Definition(_))),
            _ => false,
        }
    })
}

/// The most strings of one schema that are looked at with regular languages.
const MAX_STRINGS: usize = 20;

/// String subschemas of whose patterns, lengths and negations no text meets all. The schema algebra
/// does not reason about patterns; the generator does.
fn empty_strings(site: &SchemaSite<'_>) -> Vec<usize> {
    let view = &site.view;
    let suspicious = view.nodes().iter().enumerate().filter(|(i, n)| {
        is_suspicious(n) && view.reach().is_used(*i) && !view.reach().is_inverse(*i) && is_said_here(site, *i)
    });
    suspicious.take(MAX_STRINGS).filter(|(_, n)| no_string(view, n.schema)).map(|(i, _)| i).collect()
}

fn is_suspicious(node: &Node<'_>) -> bool {
    let Some(members) = node.schema.as_object() else { return false };
    let typed = members.get("type").is_some_and(|t| t == "string");
    let patterns = |s: &Value| s.get("pattern").is_some();
    let parts = members.get("allOf").and_then(Value::as_array);
    let count =
        usize::from(patterns(node.schema)) + parts.into_iter().flatten().filter(|p| patterns(p)).count();
    let bounds = ["minLength", "maxLength", "not"].iter().any(|k| members.contains_key(*k));
    typed && (count > 1 || count == 1 && bounds)
}

fn no_string(view: &SchemaView<'_>, schema: &Value) -> bool {
    let Some(members) = schema.as_object().filter(|_| !mentions_ref(schema)) else { return false };
    let mut alone: Map<String, Value> = members.clone();
    if let Some(dialect) = view.schema.get("$schema") {
        alone.insert("$schema".to_string(), dialect.clone());
    }
    let alone = Value::Object(alone);
    let options = generate::Options { seed: "", name: "", count: 1, invalid: 0, formats: Formats::Annotate };
    generate::generate(&SchemaView::new(&alone), &options).verdict == GenerateVerdict::Unsatisfiable
}

fn mentions_ref(value: &Value) -> bool {
    match value {
        Value::Object(o) => o.iter().any(|(k, v)| k == "$ref" || mentions_ref(v)),
        Value::Array(a) => a.iter().any(mentions_ref),
        _ => false,
    }
}

fn string_conflict(site: &SchemaSite<'_>, node: usize) -> String {
    let members = site.view.nodes().get(node).and_then(|n| n.schema.as_object());
    let about = ["pattern", "minLength", "maxLength", "not", "allOf"];
    let names: Vec<String> =
        about.into_iter().filter(|k| members.is_some_and(|m| m.contains_key(*k))).map(say::quoted).collect();
    format!("no text meets {}", say::list(&names, 5))
}

/// The arguments that an agent would try, which the judge refuses.
pub(super) fn attempt(site: &SchemaSite<'_>, node: usize) -> Option<Value> {
    let schema = site.view.nodes().get(node)?.schema;
    let value = witness::plausible(&site.view, schema, 0);
    witness::refused(&site.view, node, &value)
}
