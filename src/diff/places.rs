//! What a schema says of each place of an instance, however it is written: through `$ref`, `allOf` and the
//! alternatives of unions.

use crate::pointer;
use crate::schema::references;
use serde_json::Value;
use std::collections::BTreeSet;

/// Subschemas that one place may gather.
const MAX_GATHERED: usize = 500;
/// Nesting of an instance beyond which nothing is looked up.
const MAX_DEPTH: usize = 64;

/// A subschema with its pointer.
#[derive(Debug, Clone)]
pub(super) struct At<'s> {
    pub pointer: String,
    pub schema: &'s Value,
}

/// Every subschema that may constrain one place.
#[derive(Debug, Clone)]
pub(super) struct Place<'s> {
    root: &'s Value,
    pub all: Vec<At<'s>>,
    /// The arguments or the result as a whole.
    pub is_root: bool,
}

impl<'s> Place<'s> {
    /// The whole arguments, or the whole result.
    pub fn root(root: &'s Value) -> Place<'s> {
        let start = At { pointer: String::new(), schema: root };
        Place { root, all: gather(root, vec![start]), is_root: true }
    }

    /// A place below the root where this subschema alone stands.
    pub fn of(root: &'s Value, start: At<'s>) -> Place<'s> {
        Place { root, all: gather(root, vec![start]), is_root: false }
    }

    fn below(&self, starts: Vec<At<'s>>) -> Place<'s> {
        Place { root: self.root, all: gather(self.root, starts), is_root: false }
    }

    /// The place of the member `key`.
    pub fn member(&self, key: &str) -> Place<'s> {
        let mut starts = Vec::new();
        for at in &self.all {
            let declared = at.child2("properties", key);
            let mut found = declared.is_some();
            starts.extend(declared);
            for (pattern, schema) in at.members("patternProperties") {
                if matches(pattern, key) {
                    found = true;
                    let pointer = pointer::child(&pointer::child(&at.pointer, "patternProperties"), pattern);
                    starts.push(At { pointer, schema });
                }
            }
            if !found {
                starts.extend(at.child("additionalProperties").filter(|a| a.schema.is_object()));
            }
        }
        self.below(starts)
    }

    /// The place of the items, all taken together.
    pub fn items(&self) -> Place<'s> {
        let mut starts = Vec::new();
        for at in &self.all {
            for keyword in ["items", "prefixItems"] {
                let Some(child) = at.child(keyword) else { continue };
                match child.schema.as_array() {
                    Some(list) => starts.extend(
                        list.iter()
                            .enumerate()
                            .map(|(i, schema)| At { pointer: pointer::index(&child.pointer, i), schema }),
                    ),
                    None => starts.push(child),
                }
            }
            starts.extend(at.child("contains"));
        }
        self.below(starts)
    }

    /// Names that are described here, in document order.
    pub fn names(&self) -> Vec<&'s str> {
        let mut seen = BTreeSet::new();
        let names = self.all.iter().flat_map(|at| at.members("properties")).map(|(name, _)| name);
        names.filter(|name| seen.insert(*name)).collect()
    }

    /// Names that are required here, described or not: whoever calls the tool must give them.
    pub fn demanded(&self) -> BTreeSet<&'s str> {
        self.all.iter().flat_map(At::required).collect()
    }

    /// Whether undeclared keys have a schema of their own: the object is a map.
    pub fn is_map(&self) -> bool {
        self.all.iter().any(|at| {
            ["additionalProperties", "unevaluatedProperties"].iter().any(|k| {
                at.schema.get(*k).and_then(Value::as_object).is_some_and(|schema| !schema.is_empty())
            })
        })
    }

    /// Whether nothing is said of members at all, in a place below the root: whoever fills it takes keys of
    /// their own.
    pub fn is_free(&self) -> bool {
        let speaks =
            |at: &At<'_>| ["properties", "patternProperties"].iter().any(|k| at.members(k).next().is_some());
        !self.is_root && !self.all.iter().any(speaks)
    }

    /// Whether the release told anyone of the member `key`.
    pub fn declares(&self, key: &str) -> bool {
        let named = |at: &At<'_>| at.child2("properties", key).is_some();
        let like = |at: &At<'_>| at.members("patternProperties").any(|(pattern, _)| matches(pattern, key));
        let demanded = |at: &At<'_>| at.required().any(|name| name == key);
        self.all.iter().any(|at| named(at) || like(at) || demanded(at)) || self.is_map() || self.is_free()
    }

    /// Whether `value` uses only what the release declared.
    pub fn declares_all_of(&self, value: &Value) -> bool {
        self.declares_to_depth(value, 0)
    }

    fn declares_to_depth(&self, value: &Value, depth: usize) -> bool {
        if depth > MAX_DEPTH {
            return true;
        }
        match value {
            Value::Object(members) => members.iter().all(|(key, value)| {
                self.declares(key) && self.member(key).declares_to_depth(value, depth + 1)
            }),
            Value::Array(items) if !items.is_empty() => {
                let place = self.items();
                items.iter().all(|item| place.declares_to_depth(item, depth + 1))
            }
            _ => true,
        }
    }

    /// `value` without the keys that the release did not declare.
    pub fn declared_part(&self, value: &Value) -> Value {
        self.part_to_depth(value, 0)
    }

    fn part_to_depth(&self, value: &Value, depth: usize) -> Value {
        match value {
            _ if depth > MAX_DEPTH => value.clone(),
            Value::Object(members) => {
                let declared = members.iter().filter(|(key, _)| self.declares(key));
                declared
                    .map(|(key, value)| (key.clone(), self.member(key).part_to_depth(value, depth + 1)))
                    .collect()
            }
            Value::Array(items) => {
                let place = self.items();
                items.iter().map(|item| place.part_to_depth(item, depth + 1)).collect()
            }
            _ => value.clone(),
        }
    }

    /// Every value of `keyword` in the place.
    pub fn values(&self, keyword: &str) -> impl Iterator<Item = &'s Value> {
        self.all.iter().filter_map(|at| at.schema.get(keyword)).collect::<Vec<_>>().into_iter()
    }

    /// Whether an object may stand here.
    pub fn may_be_object(&self) -> bool {
        let types: Vec<&Value> = self.values("type").collect();
        let is_object =
            |v: &&Value| *v == "object" || v.as_array().is_some_and(|a| a.iter().any(|t| t == "object"));
        types.is_empty() || types.iter().any(is_object)
    }
}

impl<'s> At<'s> {
    fn child(&self, keyword: &str) -> Option<At<'s>> {
        let schema = self.schema.get(keyword)?;
        Some(At { pointer: pointer::child(&self.pointer, keyword), schema })
    }

    fn child2(&self, keyword: &str, name: &str) -> Option<At<'s>> {
        self.child(keyword)?.child(name).filter(|_| self.schema.get(keyword).is_some_and(Value::is_object))
    }

    fn required(&self) -> impl Iterator<Item = &'s str> + use<'s> {
        let names = self.schema.get("required").and_then(Value::as_array);
        names.into_iter().flatten().filter_map(Value::as_str)
    }

    fn members(&self, keyword: &str) -> impl Iterator<Item = (&'s str, &'s Value)> {
        self.schema
            .get(keyword)
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(k, v)| (k.as_str(), v))
    }
}

/// `starts` and what applies to the same value as they do.
fn gather<'s>(root: &'s Value, starts: Vec<At<'s>>) -> Vec<At<'s>> {
    let mut all: Vec<At<'s>> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut stack: Vec<At<'s>> = starts.into_iter().rev().collect();
    while let Some(at) = stack.pop() {
        if all.len() >= MAX_GATHERED || !seen.insert(at.pointer.clone()) {
            continue;
        }
        let mut next = Vec::new();
        if let Some(reference) = at.schema.get("$ref").and_then(Value::as_str)
            && let Some(schema) = references::local(root, reference)
        {
            let pointer = reference.strip_prefix('#').unwrap_or_default().to_string();
            next.push(At { pointer, schema });
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let Some(child) = at.child(keyword) else { continue };
            let list = child.schema.as_array().into_iter().flatten().enumerate();
            next.extend(list.map(|(i, schema)| At { pointer: pointer::index(&child.pointer, i), schema }));
        }
        next.extend(["then", "else"].into_iter().filter_map(|keyword| at.child(keyword)));
        for keyword in ["dependentSchemas", "dependencies"] {
            let Some(child) = at.child(keyword) else { continue };
            let below = at.members(keyword).filter(|(_, schema)| schema.is_object());
            next.extend(below.map(|(k, schema)| At { pointer: pointer::child(&child.pointer, k), schema }));
        }
        stack.extend(next.into_iter().rev());
        all.push(at);
    }
    all
}

/// Whether the ECMA-262 pattern is found in `key`.
pub(super) fn matches(pattern: &str, key: &str) -> bool {
    pattern.len() <= 1_000
        && key.len() <= 1_000
        && regress::Regex::with_flags(pattern, "u").is_ok_and(|regex| regex.find(key).is_some())
}

/// `filter.items.status` for `/filter/items/0/status`.
pub(super) fn path(instance_pointer: &str) -> String {
    let mut out = String::new();
    for token in pointer::tokens(instance_pointer) {
        if token.bytes().all(|b| b.is_ascii_digit()) && !token.is_empty() {
            out.push_str("[]");
            continue;
        }
        if !out.is_empty() {
            out.push('.');
        }
        out.push_str(&token);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn places_are_seen_through_references_and_unions() {
        let schema = json!({"allOf": [{"$ref": "#/$defs/a"}], "anyOf": [{"properties": {"x": {"type": "string"}}}],
            "$defs": {"a": {"properties": {"y": {"items": {"properties": {"z": {}}}}}}}});
        let root = Place::root(&schema);
        assert_eq!(root.names(), ["y", "x"]);
        assert_eq!(root.member("y").items().names(), ["z"]);
        assert!(root.declares_all_of(&json!({"x": 1, "y": [{"z": {"free": 1}}]})));
        assert!(!root.declares_all_of(&json!({"w": 1})));
        assert!(!root.declares_all_of(&json!({"y": [{"w": 1}]})));
    }

    #[test]
    fn maps_and_free_objects_declare_every_key() {
        let schema = json!({"properties": {"map": {"properties": {"a": {}}, "additionalProperties": {"type": "string"}},
            "free": {"type": "object"}, "open": {"properties": {"a": {}}, "additionalProperties": true}},
            "patternProperties": {"^x-": {}}});
        let root = Place::root(&schema);
        assert!(root.declares_all_of(&json!({"map": {"b": "c"}, "free": {"b": 1}, "x-y": 1})));
        assert!(!root.declares_all_of(&json!({"open": {"b": 1}})));
        assert!(!Place::root(&json!({"type": "object"})).declares("a"), "a tool without arguments");
        let demanding = json!({"properties": {"a": {}}, "required": ["b", "a"]});
        assert_eq!(Place::root(&demanding).names(), ["a"]);
        assert!(
            Place::root(&demanding).declares_all_of(&json!({"a": 1, "b": 2})),
            "who demands a name declares it"
        );
    }

    #[test]
    fn recursion_ends() {
        let schema =
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}});
        assert_eq!(Place::root(&schema).all.len(), 3);
    }
}
