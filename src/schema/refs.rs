//! References: where each `$ref` of a schema leads, and the graph that they make.

use super::dialect::Dialect;
use super::judge::{Destination, Resolver};
use super::walk::Node;
use serde_json::Value;
use std::collections::BTreeMap;

/// One reference of a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference<'s> {
    /// Index in the walk of the subschema that holds it.
    pub node: usize,
    /// `$ref`, `$dynamicRef` or `$recursiveRef`.
    pub keyword: &'static str,
    /// As written.
    pub uri: &'s str,
    pub target: Target<'s>,
}

/// Where a reference leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'s> {
    /// A subschema that the walk visits: its index.
    Node(usize),
    /// A value in the document that stands where no schema is expected (`#/components/…`, say).
    Value(&'s Value),
    /// A metaschema that every judge knows.
    Known,
    /// Another document; nothing is fetched.
    Elsewhere,
    /// Nothing.
    Nowhere,
}

const KEYWORDS: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// Every reference of the walked schema, in document order.
#[must_use]
pub fn references<'s>(schema: &'s Value, nodes: &[Node<'s>], dialect: Dialect) -> Vec<Reference<'s>> {
    let found = collect(nodes);
    if found.is_empty() {
        return Vec::new();
    }
    let index = Index::of(nodes);
    let plain = nodes.iter().all(|n| n.schema.get("$id").or_else(|| n.schema.get("id")).is_none());
    let mut full: Option<Option<Resolver<'s>>> = None;
    found
        .into_iter()
        .map(|(node, keyword, uri)| {
            let target = match uri.strip_prefix('#') {
                Some(pointer) if plain && (pointer.is_empty() || pointer.starts_with('/')) => {
                    let value = percent_decode(pointer).and_then(|p| schema.pointer(&p));
                    index.target(value.map_or(Destination::Nowhere, Destination::Here))
                }
                _ => {
                    let resolver = full.get_or_insert_with(|| Resolver::new(schema, dialect));
                    let ancestors = ancestors(nodes, node);
                    let to = resolver.as_ref().map(|r| r.resolve(&ancestors, uri));
                    index.target(to.unwrap_or_else(|| {
                        if uri.starts_with('#') { Destination::Nowhere } else { Destination::Elsewhere }
                    }))
                }
            };
            Reference { node, keyword, uri, target }
        })
        .collect()
}

fn collect<'s>(nodes: &[Node<'s>]) -> Vec<(usize, &'static str, &'s str)> {
    let mut found = Vec::new();
    for (i, node) in nodes.iter().enumerate() {
        let Some(members) = node.schema.as_object() else { continue };
        for keyword in KEYWORDS {
            if let Some(uri) =
                members.get(keyword).and_then(Value::as_str).filter(|_| node.dialect.knows(keyword))
            {
                found.push((i, keyword, uri));
            }
        }
    }
    found
}

/// The schemas from the root to `node`, both included.
fn ancestors<'s>(nodes: &[Node<'s>], node: usize) -> Vec<&'s Value> {
    let mut up = Vec::new();
    let mut at = Some(node);
    while let Some(n) = at.and_then(|i| nodes.get(i)) {
        up.push(n.schema);
        at = n.parent;
    }
    up.reverse();
    up
}

/// Walk index by address: a resolved value *is* the one in the document.
struct Index(BTreeMap<*const Value, usize>);

impl Index {
    fn of(nodes: &[Node<'_>]) -> Index {
        Index(nodes.iter().enumerate().map(|(i, n)| (std::ptr::from_ref(n.schema), i)).collect())
    }

    fn target<'s>(&self, destination: Destination<'s>) -> Target<'s> {
        match destination {
            Destination::Here(value) => match self.0.get(&std::ptr::from_ref(value)) {
                Some(&i) => Target::Node(i),
                None if value.is_object() || value.is_boolean() => Target::Value(value),
                None => Target::Nowhere,
            },
            Destination::Known => Target::Known,
            Destination::Elsewhere => Target::Elsewhere,
            Destination::Nowhere => Target::Nowhere,
        }
    }
}

/// `%20` and the like decoded; `None` where that gives no text.
fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut out = Vec::with_capacity(text.len());
    while let Some(b) = bytes.next() {
        if b == b'%' {
            let digits = [bytes.next()?, bytes.next()?];
            out.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            out.push(b);
        }
    }
    String::from_utf8(out).ok()
}

/// Which subschemas stand directly below which, and which refer to which, by walk index.
#[derive(Debug)]
pub struct Links {
    children: Vec<Vec<usize>>,
    targets: Vec<Vec<usize>>,
    referrers: Vec<Vec<usize>>,
}

impl Links {
    #[must_use]
    pub fn of(nodes: &[Node<'_>], references: &[Reference<'_>]) -> Links {
        let mut links = Links {
            children: vec![Vec::new(); nodes.len()],
            targets: vec![Vec::new(); nodes.len()],
            referrers: vec![Vec::new(); nodes.len()],
        };
        for (i, node) in nodes.iter().enumerate() {
            push(&mut links.children, node.parent, i);
        }
        for r in references {
            if let Target::Node(to) = r.target {
                push(&mut links.targets, Some(r.node), to);
                push(&mut links.referrers, Some(to), r.node);
            }
        }
        links
    }

    /// Subschemas directly below `node`, in document order.
    #[must_use]
    pub fn children(&self, node: usize) -> &[usize] {
        self.children.get(node).map_or(&[], Vec::as_slice)
    }

    /// Subschemas that references in `node` lead to.
    #[must_use]
    pub fn targets(&self, node: usize) -> &[usize] {
        self.targets.get(node).map_or(&[], Vec::as_slice)
    }

    /// Subschemas with a reference that leads to `node`.
    #[must_use]
    pub fn referrers(&self, node: usize) -> &[usize] {
        self.referrers.get(node).map_or(&[], Vec::as_slice)
    }
}

fn push(lists: &mut [Vec<usize>], at: Option<usize>, value: usize) {
    if let Some(list) = at.and_then(|i| lists.get_mut(i)) {
        list.push(value);
    }
}

/// Rings of references and in-place applicators (`allOf`, `anyOf`, `not`, …) that come back to where
/// they began without stepping into a property or an item: such a schema says nothing. Each ring is
/// given by its references, in the order in which they are followed, once.
#[must_use]
pub fn rings(nodes: &[Node<'_>], references: &[Reference<'_>]) -> Vec<Vec<usize>> {
    let mut edges: BTreeMap<usize, Vec<(usize, Option<usize>)>> = BTreeMap::new();
    for (i, node) in nodes.iter().enumerate() {
        if let (Some(parent), true) = (node.parent, node.via.is_in_place()) {
            edges.entry(parent).or_default().push((i, None));
        }
    }
    for (i, r) in references.iter().enumerate() {
        if let Target::Node(to) = r.target {
            edges.entry(r.node).or_default().push((to, Some(i)));
        }
    }
    let mut state = vec![State::New; nodes.len()];
    let mut rings = Vec::new();
    for start in references.iter().map(|r| r.node) {
        explore(start, &edges, &mut state, &mut rings);
    }
    rings
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// Depth-first, without recursion: a ring of ten thousand references must not cost a stack.
fn explore(
    start: usize,
    edges: &BTreeMap<usize, Vec<(usize, Option<usize>)>>,
    state: &mut [State],
    rings: &mut Vec<Vec<usize>>,
) {
    if state.get(start) != Some(&State::New) {
        return;
    }
    // (node, next edge to try, reference by which the node was entered)
    let mut path: Vec<(usize, usize, Option<usize>)> = vec![(start, 0, None)];
    set(state, start, State::Open);
    while let Some((node, cursor, _)) = path.last_mut() {
        let node = *node;
        let Some(&(to, by)) = edges.get(&node).and_then(|e| e.get(*cursor)) else {
            set(state, node, State::Done);
            path.pop();
            continue;
        };
        *cursor += 1;
        match state.get(to) {
            Some(State::New) => {
                set(state, to, State::Open);
                path.push((to, 0, by));
            }
            Some(State::Open) => {
                let from = path.iter().position(|(n, _, _)| *n == to).unwrap_or(0);
                let mut ring: Vec<usize> = path.iter().skip(from + 1).filter_map(|(_, _, by)| *by).collect();
                ring.extend(by);
                rings.push(ring);
            }
            _ => {}
        }
    }
}

fn set(state: &mut [State], at: usize, to: State) {
    if let Some(s) = state.get_mut(at) {
        *s = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::walk::walk;
    use serde_json::json;

    fn targets(schema: &Value) -> Vec<String> {
        let dialect = Dialect::of(schema);
        let nodes = walk(schema, dialect);
        references(schema, &nodes, dialect)
            .into_iter()
            .map(|r| match r.target {
                Target::Node(i) => nodes[i].pointer.clone(),
                other => format!("{other:?}").split('(').next().unwrap().to_string(),
            })
            .collect()
    }

    #[test]
    fn pointers_anchors_and_identifiers() {
        let schema = json!({
            "$id": "https://example.org/root.json",
            "properties": {
                "a": {"$ref": "#/$defs/a~1b%20c"},
                "b": {"$ref": "#here"},
                "c": {"$ref": "root.json#/$defs/d"},
                "d": {"$ref": "sub.json#/properties/x"},
                "e": {"$ref": "other.json"},
                "f": {"$ref": "#/$defs/none"},
                "g": {"$ref": "#nowhere"},
                "h": {"$ref": "https://json-schema.org/draft/2020-12/schema"}},
            "$defs": {
                "a/b c": {"type": "string"},
                "d": {"$anchor": "here"},
                "s": {"$id": "sub.json", "properties": {"x": {"$ref": "#/properties/y"}, "y": true}}}});
        assert_eq!(
            targets(&schema),
            [
                "/$defs/a~1b c",
                "/$defs/d",
                "/$defs/d",
                "/$defs/s/properties/x",
                "Elsewhere",
                "Nowhere",
                "Nowhere",
                "Known",
                "/$defs/s/properties/y"
            ]
        );
    }

    #[test]
    fn plain_documents() {
        let schema = json!({"properties": {
            "a": {"$ref": "#"}, "b": {"$ref": "#/components/x"}, "c": {"$ref": "#/title"},
            "d": {"$ref": "http://example.org/x"}, "e": {"$ref": "Address"}, "f": {"$ref": "#/$defs/%zz"}},
            "components": {"x": {"type": "string"}}, "title": "t"});
        assert_eq!(targets(&schema), ["", "Value", "Nowhere", "Elsewhere", "Elsewhere", "Nowhere"]);
    }

    fn ring_lengths(schema: &Value) -> Vec<usize> {
        let dialect = Dialect::of(schema);
        let nodes = walk(schema, dialect);
        let references = references(schema, &nodes, dialect);
        rings(&nodes, &references).iter().map(Vec::len).collect()
    }

    #[test]
    fn rings_that_step_nowhere() {
        assert_eq!(ring_lengths(&json!({"$ref": "#"})), [1]);
        let two = json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}}});
        assert_eq!(ring_lengths(&two), [2]);
        let tree = json!({"$defs": {"t": {"properties": {"child": {"$ref": "#/$defs/t"}},
            "items": {"anyOf": [{"$ref": "#/$defs/t"}]}}}});
        assert!(ring_lengths(&tree).is_empty());
        let shared = json!({"properties": {"a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/$defs/x"}}, "$defs": {"x": true}});
        assert!(ring_lengths(&shared).is_empty());
    }
}
