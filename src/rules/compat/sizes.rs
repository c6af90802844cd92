//! Limits on how large a schema is: depth, counts, repetitions.

use super::Report;
use super::types::each;
use crate::pointer;
use crate::profile::{Check, Counted, Over};
use crate::rules::SchemaSite;
use crate::rules::schema::place;
use crate::schema::walk::Node;
use crate::schema::{SchemaView, Via};
use serde_json::{Map, Value};

pub(super) fn check(check: &Check, site: &SchemaSite<'_>, out: &mut Report<'_, '_>) {
    match check {
        Check::Depth { max } => depth(*max, site, out),
        Check::Count { of, max, over: Over::Tool } => {
            let n = count(*of, &site.view);
            if n > *max {
                let what = counted(*of);
                out.emit(
                    site.at(""),
                    format!("the schema has {n} {what}, {} more than the {max} allowed", n - max),
                );
            }
        }
        Check::EnumCharacters { values_over, max } => each(site, |i, node, members| {
            let Some(Value::Array(values)) = members.get("enum") else { return };
            let characters: usize = values.iter().filter_map(Value::as_str).map(|s| s.chars().count()).sum();
            if values.len() > *values_over && characters > *max {
                let message = format!(
                    "`enum` of {} has {} values of {characters} characters in all, {max} are allowed",
                    place::name(site, i),
                    values.len()
                );
                out.emit(site.at(&pointer::child(&node.pointer, "enum")), message);
            }
        }),
        Check::Repetitions { max } => repetitions(*max, site, out),
        _ => {}
    }
}

/// Of every nest that is too deep, the place where the limit is passed.
fn depth(max: usize, site: &SchemaSite<'_>, out: &mut Report<'_, '_>) {
    let nodes = site.view.nodes();
    let mut levels: Vec<usize> = Vec::with_capacity(nodes.len());
    let mut deepest = 0;
    let mut passed: Option<usize> = None;
    for (i, node) in nodes.iter().enumerate() {
        let above = node.parent.and_then(|p| levels.get(p)).copied().unwrap_or(0);
        let level = above + usize::from(is_level(node));
        levels.push(level);
        deepest = deepest.max(level);
        if level > max && above <= max && passed.is_none() {
            passed = Some(i);
        }
    }
    if let Some(node) = passed.and_then(|i| nodes.get(i)) {
        let message = format!(
            "the arguments nest {deepest} levels deep, {} more than the {max} allowed",
            deepest - max
        );
        out.emit(site.at(&node.pointer), message);
    }
}

/// Whether the subschema is an object or array below another value.
fn is_level(node: &Node<'_>) -> bool {
    let below =
        !node.via.is_in_place() && !matches!(node.via, Via::Root | Via::Definition(_) | Via::PropertyNames);
    below && node.schema.as_object().is_some_and(|m| m.contains_key("properties") || m.contains_key("items"))
}

/// How much of it the schema has.
pub(super) fn count(what: Counted, view: &SchemaView<'_>) -> usize {
    let objects = || view.nodes().iter().filter_map(|n| n.schema.as_object());
    let len = |m: &Map<String, Value>, k: &str| m.get(k).and_then(Value::as_object).map_or(0, Map::len);
    match what {
        Counted::Properties => objects().map(|m| len(m, "properties")).sum(),
        Counted::EnumValues => objects().filter_map(|m| m.get("enum")?.as_array()).map(Vec::len).sum(),
        Counted::NameCharacters => objects().map(name_characters).sum(),
        Counted::OptionalParameters => objects()
            .map(|m| {
                len(m, "properties")
                    .saturating_sub(m.get("required").and_then(Value::as_array).map_or(0, Vec::len))
            })
            .sum(),
        Counted::UnionParameters => objects()
            .filter(|m| m.contains_key("anyOf") || m.get("type").is_some_and(Value::is_array))
            .count(),
        Counted::MaxItems => objects()
            .filter_map(|m| m.get("maxItems")?.as_u64())
            .fold(0, |sum: usize, n| sum.saturating_add(usize::try_from(n).unwrap_or(usize::MAX))),
    }
}

fn name_characters(members: &Map<String, Value>) -> usize {
    let names = ["properties", "$defs", "definitions"].iter().filter_map(|k| members.get(*k)?.as_object());
    let names = names.flat_map(|m| m.keys().map(|k| k.chars().count()));
    let values =
        members.get("enum").and_then(Value::as_array).into_iter().flatten().chain(members.get("const"));
    let values = values.filter_map(Value::as_str).map(|s| s.chars().count());
    names.chain(values).sum()
}

/// What it is called.
pub(super) fn counted(what: Counted) -> &'static str {
    match what {
        Counted::Properties => "properties",
        Counted::EnumValues => "enum values",
        Counted::NameCharacters => "characters of names and values",
        Counted::OptionalParameters => "optional parameters",
        Counted::UnionParameters => "parameters of several types",
        Counted::MaxItems => "elements in lists at most",
    }
}

/// Bounds that are too large by themselves, or together with the arrays around them.
fn repetitions(max: u64, site: &SchemaSite<'_>, out: &mut Report<'_, '_>) {
    let nodes = site.view.nodes();
    let mut around: Vec<u64> = Vec::with_capacity(nodes.len());
    for (i, node) in nodes.iter().enumerate() {
        let above = node.parent.and_then(|p| around.get(p).copied().zip(nodes.get(p)));
        let times = above.map_or(1, |(times, parent)| match node.via {
            Via::Items => times.saturating_mul(bound(parent.schema, "maxItems").unwrap_or(1)),
            Via::Definition(_) => 1,
            _ => times,
        });
        around.push(times);
        for keyword in ["maxLength", "minLength", "maxItems", "minItems"] {
            let Some(n) = bound(node.schema, keyword) else { continue };
            let whole = n.saturating_mul(times);
            if whole > max {
                let of = place::name(site, i);
                let message = match times {
                    1 => format!("`{keyword}` {n} of {of} is more than the {max} repetitions allowed"),
                    _ => format!(
                        "`{keyword}` {n} of {of}, {times} times, makes {whole} repetitions, {max} are allowed"
                    ),
                };
                out.emit(site.at(&pointer::child(&node.pointer, keyword)), message);
            }
        }
    }
}

fn bound(schema: &Value, keyword: &str) -> Option<u64> {
    schema.get(keyword)?.as_u64().filter(|n| *n > 0)
}
