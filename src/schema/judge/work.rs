//! How often the judge may have to look at one value.
//!
//! Without references a schema is a tree, and each subschema is held against a value once. References make
//! it a graph: sixty definitions that each name the next one twice cost 2^60 looks, in any validator.
//! So the ways are counted beforehand.

use super::CompileError;
use serde_json::Value;
use std::collections::BTreeMap;

/// Looks at the values along one path of keys, for instances of [`DEPTH`] levels. A corpus of 7,572 real
/// schemas: at most 62.
const MAX_LOOKS: u64 = 200_000;
/// Levels of nesting in an instance that are counted.
const DEPTH: usize = 6;
/// Keys that are added up, of all subschemas, before the looks are counted exactly.
const MAX_KEYS: usize = 2_000_000;
/// Subschemas that constrain one value.
const MAX_IN_PLACE: usize = 20_000;

/// The most looks that an instance may cost along one path; refuses a schema whose references multiply
/// beyond the bounds.
pub(super) fn check(schema: &Value) -> Result<u64, CompileError> {
    let refused = || CompileError::TooLarge("its references multiply beyond what can be judged".to_string());
    let graph = Graph::of(schema);
    let mut closures: Vec<Vec<(usize, u64)>> = Vec::with_capacity(graph.nodes.len());
    let mut budget = MAX_IN_PLACE * 50;
    for node in 0..graph.nodes.len() {
        let closure = graph.in_place(node).ok_or_else(refused)?;
        budget = budget.checked_sub(closure.len()).ok_or_else(refused)?;
        closures.push(closure);
    }
    if let Some(looks) = graph.at_most(&closures).filter(|looks| *looks <= MAX_LOOKS) {
        return Ok(looks);
    }
    let keys = |closure: &Vec<(usize, u64)>| -> usize {
        closure.iter().filter_map(|(u, _)| graph.nodes.get(*u)).map(|n| n.below.len()).sum()
    };
    if closures.iter().map(keys).fold(0, usize::saturating_add) > MAX_KEYS {
        return Err(refused());
    }
    // looks[v]: for an instance of k levels; k grows by one with each round.
    let mut looks: Vec<u64> = closures.iter().map(|c| total(c)).collect();
    for _ in 1..DEPTH {
        looks = (0..graph.nodes.len()).map(|v| graph.deeper(&closures, v, &looks)).collect();
        if looks.iter().any(|n| *n > MAX_LOOKS) {
            return Err(refused());
        }
    }
    Ok(looks.first().copied().unwrap_or(1))
}

fn total(closure: &[(usize, u64)]) -> u64 {
    closure.iter().fold(0, |all, (_, n)| all.saturating_add(*n))
}

/// What a subschema hands on: to subschemas for the same value, and by key to those for values below.
#[derive(Default)]
struct Node<'s> {
    in_place: Vec<usize>,
    below: Vec<(Key<'s>, usize)>,
}

impl Node<'_> {
    /// Looks at the value below the worst key of this subschema alone.
    fn worst(&self, looks: &[u64]) -> u64 {
        let (mut name, mut other, mut item) = (0_u64, 0_u64, 0_u64);
        for (key, child) in &self.below {
            let below = looks.get(*child).copied().unwrap_or(0);
            match key {
                Key::Name(_) => name = name.max(below),
                Key::Other => other = other.saturating_add(below),
                Key::Item => item = item.saturating_add(below),
            }
        }
        name.saturating_add(other).max(item)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key<'s> {
    Name(&'s str),
    /// Any other key.
    Other,
    Item,
}

struct Graph<'s> {
    nodes: Vec<Node<'s>>,
}

impl<'s> Graph<'s> {
    /// Every object that could be a schema; positions that are data only make the graph larger.
    fn of(schema: &'s Value) -> Graph<'s> {
        let mut index: BTreeMap<*const Value, usize> = BTreeMap::new();
        let mut objects = Vec::new();
        let mut anchors: BTreeMap<&str, (usize, &'s Value)> = BTreeMap::new();
        let mut stack = vec![schema];
        while let Some(v) = stack.pop() {
            match v {
                Value::Array(a) => stack.extend(a),
                Value::Object(o) => {
                    index.insert(v, objects.len());
                    for name in ["$anchor", "$dynamicAnchor", "$id", "id"] {
                        if let Some(name) = o.get(name).and_then(Value::as_str) {
                            anchors.insert(name, (objects.len(), v));
                        }
                    }
                    objects.push(o);
                    stack.extend(o.values());
                }
                _ => {}
            }
        }
        // As the judge resolves, but for `$id`s, of which the last part is compared: a wrong guess only
        // counts ways that are not there.
        let resolve = |uri: &str| {
            let (document, fragment) = uri.split_once('#').unwrap_or((uri, ""));
            let named = || anchors.iter().find(|(id, _)| id.trim_end_matches('#').ends_with(document));
            let base = if document.is_empty() { Some(schema) } else { named().map(|(_, (_, v))| *v) };
            let target = match (base?, fragment) {
                (base, "") => base,
                (base, pointer) if pointer.starts_with('/') => base.pointer(pointer)?,
                (_, anchor) => anchors.get(anchor).map(|(_, v)| *v)?,
            };
            index.get(&std::ptr::from_ref(target)).copied()
        };
        let nodes = objects
            .into_iter()
            .map(|members| {
                let mut node = Node::default();
                let at = |v: &Value| index.get(&std::ptr::from_ref(v)).copied();
                for (keyword, value) in members {
                    match keyword.as_str() {
                        "$ref" | "$dynamicRef" | "$recursiveRef" => {
                            node.in_place.extend(value.as_str().and_then(resolve));
                        }
                        "allOf" | "anyOf" | "oneOf" => {
                            node.in_place.extend(value.as_array().into_iter().flatten().filter_map(at));
                        }
                        "not" | "if" | "then" | "else" => node.in_place.extend(at(value)),
                        "dependentSchemas" | "dependencies" => {
                            let entries = value.as_object().into_iter().flatten();
                            node.in_place.extend(entries.filter_map(|(_, v)| at(v)));
                        }
                        "properties" => {
                            let entries = value.as_object().into_iter().flatten();
                            node.below.extend(entries.filter_map(|(k, v)| Some((Key::Name(k), at(v)?))));
                        }
                        "patternProperties" => {
                            let entries = value.as_object().into_iter().flatten();
                            node.below.extend(entries.filter_map(|(_, v)| Some((Key::Other, at(v)?))));
                        }
                        "additionalProperties" | "unevaluatedProperties" => {
                            node.below.extend(at(value).map(|v| (Key::Other, v)));
                        }
                        "items" | "prefixItems" | "additionalItems" | "contains" | "unevaluatedItems" => {
                            node.below.extend(at(value).map(|v| (Key::Item, v)));
                            let entries = value.as_array().into_iter().flatten();
                            node.below.extend(entries.filter_map(|v| Some((Key::Item, at(v)?))));
                        }
                        _ => {}
                    }
                }
                node
            })
            .collect();
        Graph { nodes }
    }

    /// The subschemas that constrain the same value as `start`, with the number of ways to each;
    /// `None` over the bound. Ways that come back to themselves are cut: the judge cuts them too.
    fn in_place(&self, start: usize) -> Option<Vec<(usize, u64)>> {
        let mut ways: BTreeMap<usize, u64> = BTreeMap::new();
        let order = self.topological(start)?;
        let position: BTreeMap<usize, usize> = order.iter().enumerate().map(|(i, v)| (*v, i)).collect();
        ways.insert(start, 1);
        for v in &order {
            let n = ways.get(v).copied().unwrap_or(0);
            for to in self.nodes.get(*v).map_or(&[][..], |node| &node.in_place) {
                if position.get(to) > position.get(v) {
                    let sum = ways.entry(*to).or_insert(0);
                    *sum = sum.saturating_add(n);
                }
            }
        }
        ways.values().all(|n| *n <= MAX_LOOKS).then(|| ways.into_iter().collect())
    }

    /// What is reached in place from `start`, each before what it leads to (edges back are ignored).
    fn topological(&self, start: usize) -> Option<Vec<usize>> {
        let mut done: BTreeMap<usize, bool> = BTreeMap::from([(start, false)]);
        let mut post = Vec::new();
        let mut path: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((v, cursor)) = path.last_mut() {
            let v = *v;
            let next = self.nodes.get(v).and_then(|node| node.in_place.get(*cursor)).copied();
            *cursor += 1;
            match next {
                Some(to) if !done.contains_key(&to) => {
                    done.insert(to, false);
                    if done.len() > MAX_IN_PLACE {
                        return None;
                    }
                    path.push((to, 0));
                }
                Some(_) => {}
                None => {
                    post.push(v);
                    path.pop();
                }
            }
        }
        post.reverse();
        Some(post)
    }

    /// A bound on the looks, in time that grows with the schema alone: each subschema with its own worst key,
    /// whether or not they are the same. Most schemas need no more.
    fn at_most(&self, closures: &[Vec<(usize, u64)>]) -> Option<u64> {
        let mut looks: Vec<u64> = closures.iter().map(|c| total(c)).collect();
        for _ in 1..DEPTH {
            let worst: Vec<u64> = self.nodes.iter().map(|node| node.worst(&looks)).collect();
            let below = |(u, ways): &(usize, u64)| worst.get(*u).map_or(0, |n| n.saturating_mul(*ways));
            looks =
                closures.iter().map(|c| c.iter().map(below).fold(total(c), u64::saturating_add)).collect();
        }
        looks.into_iter().max()
    }

    /// Looks at an instance one level deeper than `looks` counts, along the worst key.
    fn deeper(&self, closures: &[Vec<(usize, u64)>], v: usize, looks: &[u64]) -> u64 {
        let Some(closure) = closures.get(v) else { return 0 };
        let mut by_key: BTreeMap<Key<'_>, u64> = BTreeMap::new();
        for (u, ways) in closure {
            for (key, child) in self.nodes.get(*u).map_or(&[][..], |node| &node.below) {
                let below = looks.get(*child).copied().unwrap_or(0).saturating_mul(*ways);
                let sum = by_key.entry(*key).or_insert(0);
                *sum = sum.saturating_add(below);
            }
        }
        let other = by_key.get(&Key::Other).copied().unwrap_or(0);
        let worst = by_key
            .into_iter()
            .map(|(key, n)| if matches!(key, Key::Name(_)) { n.saturating_add(other) } else { n })
            .max()
            .unwrap_or(0);
        total(closure).saturating_add(worst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn diamonds(n: usize, link: impl Fn(Value) -> Value) -> Value {
        let mut definitions = serde_json::Map::new();
        for i in 0..n {
            definitions.insert(format!("d{i}"), link(json!({"$ref": format!("#/$defs/d{}", i + 1)})));
        }
        definitions.insert(format!("d{n}"), json!({"type": "string"}));
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions})
    }

    #[test]
    fn references_that_multiply_are_refused() {
        assert!(check(&diamonds(60, |next| json!({"allOf": [next, next]}))).is_err());
        assert!(check(&diamonds(60, |next| json!({"anyOf": [next, {"not": next}]}))).is_err());
        let wide = json!({"$defs": {"n": {"anyOf": (0..30).map(|i| json!({"properties": {"kind": {"const": i},
            "child": {"$ref": "#/$defs/n"}}})).collect::<Vec<_>>()}}, "$ref": "#/$defs/n"});
        assert!(check(&wide).is_err(), "thirty variants that each look at the same key");
    }

    #[test]
    fn the_bound_is_one() {
        for schema in [
            diamonds(5, |next| json!({"allOf": [next, next], "properties": {"l": next, "r": next}})),
            json!({"$defs": {"n": {"anyOf": (0..5).map(|i| json!({"properties": {"child": {"$ref": "#/$defs/n"}},
                "patternProperties": {format!("^{i}"): {"items": [{"$ref": "#/$defs/n"}, {}]}}})).collect::<Vec<_>>()}},
                "$ref": "#/$defs/n"}),
            json!({"properties": {"a": {"properties": {"b": {}}, "additionalProperties": {"$ref": "#"}}}}),
        ] {
            let graph = Graph::of(&schema);
            let closures: Vec<_> = (0..graph.nodes.len()).map(|v| graph.in_place(v).unwrap()).collect();
            let mut looks: Vec<u64> = closures.iter().map(|c| total(c)).collect();
            for _ in 1..DEPTH {
                looks = (0..graph.nodes.len()).map(|v| graph.deeper(&closures, v, &looks)).collect();
            }
            let exact = looks.into_iter().max().unwrap();
            let bound = graph.at_most(&closures).unwrap();
            assert!(exact <= bound, "{exact} {bound} {schema}");
        }
    }

    #[test]
    fn a_definition_that_everything_uses_is_not_counted_everywhere() {
        let shared: serde_json::Map<String, Value> =
            (0..300).map(|i| (format!("q{i}"), json!({"type": "string"}))).collect();
        let users: serde_json::Map<String, Value> =
            (0..3_000).map(|i| (format!("p{i}"), json!({"$ref": "#/$defs/b"}))).collect();
        let schema = json!({"properties": users, "$defs": {"b": {"properties": shared}}});
        let graph = Graph::of(&schema);
        let closures: Vec<_> = (0..graph.nodes.len()).map(|v| graph.in_place(v).unwrap()).collect();
        assert!(closures.iter().map(Vec::len).sum::<usize>() < 10_000, "two a user");
        assert_eq!(graph.at_most(&closures), Some(4), "root, user, definition, member");
    }

    #[test]
    fn real_recursion_passes() {
        assert!(
            check(&diamonds(60, |next| json!({"properties": {"l": next, "r": next}, "required": ["l"]})))
                .is_ok()
        );
        let tree = json!({"$defs": {"n": {"properties": {"children": {"items": {"$ref": "#/$defs/n"}},
            "parent": {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]}}}}, "$ref": "#/$defs/n"});
        assert!(check(&tree).is_ok());
        let filter = json!({"$defs": {"f": {"anyOf": [
            {"properties": {"and": {"items": {"$ref": "#/$defs/f"}}}}, {"properties": {"or": {"items": {"$ref": "#/$defs/f"}}}},
            {"properties": {"not": {"$ref": "#/$defs/f"}}}, {"properties": {"field": {"type": "string"}}}]}},
            "$ref": "#/$defs/f"});
        assert!(check(&filter).is_ok());
        assert!(check(&json!({"$ref": "#"})).is_ok());
    }
}
