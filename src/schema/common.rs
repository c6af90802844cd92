//! What two schemas have in common, taken out of both: of a large schema in which one argument changed, that argument
//! is left to compare.
//!
//! Where one and the same subschema stands in the same place of both, nothing that it refuses is a difference. With F
//! and T what is left, and P what is taken out, F ⊆ T proves F ∧ P ⊆ T ∧ P. The way back does not hold, and no value
//! of F alone is a witness: it is filled from one that the whole schema accepts, and judged by the whole schemas.

use super::references;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Nesting beyond which schemas are taken as they are.
const MAX_DEPTH: usize = 64;
/// Values that are compared for two schemas; what is left then counts as different.
const MAX_COMPARED: usize = 400_000;

/// Whether two subschemas count as the same, apart from where their references lead.
type Same = fn(&Value, &Value) -> bool;

/// Keywords that speak of the same places as the `properties` and `items` beside them, or of what was evaluated there.
const BESIDE: &[&str] = &[
    "$ref",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "dependencies",
    "patternProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "prefixItems",
    "additionalItems",
    "contains",
];

/// Two schemas without what they have in common.
#[derive(Debug)]
pub(crate) struct Rest {
    pub old: Value,
    pub new: Value,
    pub taken: Taken,
}

/// Where something was taken out, in terms of an instance.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Taken {
    /// All that stood here.
    is_whole: bool,
    members: BTreeMap<String, Taken>,
    items: Option<Box<Taken>>,
}

/// `old` and `new` without what they have in common in the eyes of `same`; `None` where that is nothing, or cannot be taken out.
pub(crate) fn taken_out(old: &Value, new: &Value, same: Same) -> Option<Rest> {
    if has_names(old, 0) || has_names(new, 0) {
        return None;
    }
    let (known, different) = (BTreeSet::new(), BTreeSet::new());
    let mut walk = Walk { old, new, same, known, different, left: MAX_COMPARED };
    let (mut left_old, mut left_new, taken) = walk.at(old, new, 0);
    if taken == Taken::default() {
        return None;
    }
    (without_definitions(&mut left_old) && without_definitions(&mut left_new)).then_some(Rest {
        old: left_old,
        new: left_new,
        taken,
    })
}

struct Walk<'s> {
    old: &'s Value,
    new: &'s Value,
    same: Same,
    /// References that lead to the same in both, if those do on which that rests.
    known: BTreeSet<String>,
    /// References that do not.
    different: BTreeSet<String>,
    left: usize,
}

impl Walk<'_> {
    /// What is left of both in one place.
    fn at(&mut self, old: &Value, new: &Value, depth: usize) -> (Value, Value, Taken) {
        let (mut left_old, mut left_new, mut taken) = (old.clone(), new.clone(), Taken::default());
        let (Value::Object(members_old), Value::Object(members_new)) = (&mut left_old, &mut left_new) else {
            return (left_old, left_new, taken);
        };
        let is_alone = |members: &Map<String, Value>| {
            BESIDE.iter().all(|keyword| members.get(*keyword).is_none_or(|v| !speaks_of_places(v, keyword)))
        };
        if depth > MAX_DEPTH || !is_alone(members_old) || !is_alone(members_new) {
            return (left_old, left_new, taken);
        }
        if let (Some(Value::Object(was)), Some(Value::Object(is))) =
            (members_old.get_mut("properties"), members_new.get_mut("properties"))
        {
            for (name, one) in was {
                let Some(two) = is.get_mut(name) else { continue };
                let below = self.pair(one, two, depth);
                if below != Taken::default() {
                    taken.members.insert(name.clone(), below);
                }
            }
        }
        if let (Some(one @ Value::Object(_)), Some(two @ Value::Object(_))) =
            (members_old.get_mut("items"), members_new.get_mut("items"))
        {
            let below = self.pair(one, two, depth);
            taken.items = (below != Taken::default()).then(|| Box::new(below));
        }
        (left_old, left_new, taken)
    }

    fn pair(&mut self, one: &mut Value, two: &mut Value, depth: usize) -> Taken {
        if self.is_same(one, two, depth) {
            (*one, *two) = (json!({}), json!({}));
            return Taken { is_whole: true, ..Taken::default() };
        }
        let (left_one, left_two, taken) = self.at(one, two, depth + 1);
        (*one, *two) = (left_one, left_two);
        taken
    }

    /// Whether both mean the same, wherever their references lead.
    fn is_same(&mut self, one: &Value, two: &Value, depth: usize) -> bool {
        self.left = self.left.saturating_sub(weight(one) + weight(two));
        if self.left == 0 || depth > MAX_DEPTH || !(self.same)(one, two) {
            return false;
        }
        let mut references = Vec::new();
        gather(one, &mut references, 0);
        references.into_iter().all(|reference| self.leads_to_the_same(reference, depth + 1))
    }

    fn leads_to_the_same(&mut self, reference: &str, depth: usize) -> bool {
        if self.different.contains(reference) {
            return false;
        }
        // One that is met again on the way adds nothing to what has to be the same.
        if !self.known.insert(reference.to_string()) {
            return true;
        }
        let found = (references::local(self.old, reference), references::local(self.new, reference));
        let is_same = matches!(found, (Some(one), Some(two)) if self.is_same(one, two, depth));
        if !is_same {
            self.known.clear();
            self.different.insert(reference.to_string());
        }
        is_same
    }
}

/// Whether the value of `keyword` says anything of members or items, rather than which of them there are.
fn speaks_of_places(value: &Value, keyword: &str) -> bool {
    const OF_NAMES: &[&str] = &["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];
    const QUIET: &[&str] = &["required", "minProperties", "maxProperties", "type", "title", "description"];
    match value {
        _ if !OF_NAMES.contains(&keyword) => true,
        Value::Array(branches) => branches.iter().any(|branch| speaks_of_places(branch, keyword)),
        Value::Object(members) => {
            members.iter().any(|(key, value)| !QUIET.contains(&key.as_str()) && speaks_of_places(value, key))
        }
        _ => false,
    }
}

/// Values in `value`, itself among them.
pub(crate) fn weight(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(weight).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(weight).sum::<usize>(),
        _ => 1,
    }
}

/// Whether something is named otherwise than by a pointer, or the schema is in several resources.
fn has_names(value: &Value, depth: usize) -> bool {
    match value {
        _ if depth > 2 * MAX_DEPTH => true,
        Value::Object(members) => members.iter().any(|(key, value)| match key.as_str() {
            "$dynamicRef" | "$recursiveRef" | "$anchor" | "$dynamicAnchor" => true,
            "$id" | "id" => value.is_string(),
            "$ref" if value.is_string() => !value.as_str().is_some_and(|r| r == "#" || r.starts_with("#/")),
            _ => has_names(value, depth + 1),
        }),
        Value::Array(items) => items.iter().any(|item| has_names(item, depth + 1)),
        _ => false,
    }
}

fn gather<'s>(schema: &'s Value, out: &mut Vec<&'s str>, depth: usize) {
    match schema {
        _ if depth > 4 * MAX_DEPTH => {}
        Value::Object(members) => {
            out.extend(members.get("$ref").and_then(Value::as_str));
            members.values().for_each(|value| gather(value, out, depth + 1));
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, out, depth + 1)),
        _ => {}
    }
}

/// Drops definitions that nothing names any more. Whether every reference that is left leads into one of them: another
/// one may lead through what was taken out.
fn without_definitions(schema: &mut Value) -> bool {
    const HOMES: [&str; 2] = ["$defs", "definitions"];
    let Some(members) = schema.as_object_mut() else { return true };
    let definitions: Vec<(&str, Option<Value>)> =
        HOMES.iter().map(|home| (*home, members.shift_remove(*home))).collect();
    let mut used = Vec::new();
    members.values().for_each(|value| gather(value, &mut used, 0));
    if !used.is_empty() {
        definitions.iter().filter_map(|(_, d)| d.as_ref()).for_each(|d| gather(d, &mut used, 0));
    }
    let leads_there = |r: &&str| r.starts_with("#/$defs/") || r.starts_with("#/definitions/");
    let all_lead_there = used.iter().all(leads_there);
    if !used.is_empty() {
        for (home, value) in definitions {
            if let Some(value) = value {
                members.insert(home.to_string(), value);
            }
        }
    }
    all_lead_there
}

impl Taken {
    /// `made`, a value of what is left, with what `base`, a value of the whole, has where something was taken out.
    pub fn filled(&self, base: Option<&Value>, made: &Value) -> Value {
        match made {
            _ if self.is_whole => base.unwrap_or(made).clone(),
            Value::Object(members) => {
                let of_base = |name: &str| base.and_then(|b| b.as_object()).and_then(|b| b.get(name));
                let filled = members.iter().filter_map(|(name, value)| match self.members.get(name) {
                    Some(below) if below.is_whole => Some((name.clone(), of_base(name)?.clone())),
                    Some(below) => Some((name.clone(), below.filled(of_base(name), value))),
                    None => Some((name.clone(), value.clone())),
                });
                Value::Object(filled.collect())
            }
            Value::Array(items) => match &self.items {
                Some(below) => {
                    let first = base.and_then(|b| b.as_array()).and_then(|b| b.first());
                    Value::Array(items.iter().map(|item| below.filled(first, item)).collect())
                }
                None => made.clone(),
            },
            _ => made.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_texts(one: &Value, two: &Value) -> bool {
        let of = |value: &Value| {
            let mut value = value.clone();
            value.as_object_mut().map(|members| members.shift_remove("description"));
            value
        };
        of(one) == of(two)
    }

    #[test]
    fn what_stands_in_both_is_taken_out() {
        let old = json!({"type": "object", "required": ["a"], "properties": {
            "a": {"type": "string", "description": "One."},
            "b": {"type": "integer", "maximum": 9},
            "list": {"type": "array", "items": {"properties": {"x": {"type": "string"}, "y": {"const": 1}}}},
            "node": {"$ref": "#/$defs/node"}},
            "$defs": {"node": {"properties": {"next": {"$ref": "#/$defs/node"}}}}});
        let mut new = old.clone();
        new["properties"]["a"]["description"] = json!("Another.");
        new["properties"]["b"]["maximum"] = json!(5);
        new["properties"]["list"]["items"]["properties"]["y"] = json!({"const": 2});
        let rest = taken_out(&old, &new, without_texts).unwrap();
        let left = |max: u8, y: u8| {
            json!({"type": "object", "required": ["a"], "properties": {"a": {}, "b": {"type": "integer", "maximum": max},
                "list": {"type": "array", "items": {"properties": {"x": {}, "y": {"const": y}}}}, "node": {}}})
        };
        assert_eq!((rest.old, rest.new), (left(9, 1), left(5, 2)));
        let base = json!({"a": "s", "list": [{"x": "t"}], "b": 1});
        let made = json!({"a": null, "b": 7, "node": 4, "list": [{"x": 1, "y": 2}, {"y": 2}]});
        let filled = rest.taken.filled(Some(&base), &made);
        assert_eq!(filled, json!({"a": "s", "b": 7, "list": [{"x": "t", "y": 2}, {"y": 2}]}));
    }

    #[test]
    fn nothing_is_taken_from_under_a_reference_or_a_union() {
        let pair = |extra: Value| {
            let mut old = json!({"properties": {"a": {"type": "string"}, "b": {"maximum": 2}}});
            old.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            let mut new = old.clone();
            new["properties"]["b"]["maximum"] = json!(1);
            taken_out(&old, &new, without_texts).is_some()
        };
        assert!(pair(json!({})));
        assert!(pair(json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]})));
        assert!(!pair(json!({"anyOf": [{"properties": {"a": {"properties": {"x": {}}}}}]})));
        assert!(!pair(json!({"patternProperties": {"^a": {}}})));
        assert!(!pair(json!({"$defs": {"d": {"$ref": "#/properties/a"}}, "not": {"$ref": "#/$defs/d"}})));
        assert!(!pair(json!({"$id": "https://example.org/s"})));
        // A reference to what is taken out would lead elsewhere.
        let old = json!({"properties": {"a": {"type": "string"}, "b": {"$ref": "#/properties/a"}, "c": {}}});
        let mut new = old.clone();
        new["properties"]["b"] = json!({"allOf": [{"$ref": "#/properties/a"}], "maxLength": 3});
        assert!(taken_out(&old, &new, without_texts).is_none());
    }

    #[test]
    fn the_same_words_in_other_definitions_are_not_the_same() {
        let old = json!({"properties": {"a": {"$ref": "#/$defs/d"}, "b": {"type": "string"}},
            "$defs": {"d": {"items": {"$ref": "#/$defs/e"}}, "e": {"type": "string"}}});
        let mut new = old.clone();
        new["$defs"]["e"] = json!({"type": "number"});
        let rest = taken_out(&old, &new, without_texts).unwrap();
        assert_eq!(rest.old["properties"], json!({"a": {"$ref": "#/$defs/d"}, "b": {}}));
        assert_eq!(rest.new["$defs"], new["$defs"]);
    }
}
