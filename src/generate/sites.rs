//! The sites of a schema: keywords that constrain, reached without passing `anyOf`, `oneOf`, `not`,
//! `if` or `contains`. Each of those but `if` counts as one site itself; a broken conditional shows as
//! a broken keyword of its `then` or `else`, which are sites of their own.

use super::solver::{Way, address};
use crate::pointer;
use crate::schema::walk::Via;
use crate::schema::{Dialect, Node};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A constraining keyword and the way to it.
#[derive(Debug, Clone)]
pub(crate) struct Site<'s> {
    /// Pointer of the schema object that holds the keyword.
    pub(crate) parent: String,
    pub(crate) keyword: &'s str,
    pub(crate) steps: Vec<Way>,
}

impl Site<'_> {
    pub(crate) fn pointer(&self) -> String {
        pointer::child(&self.parent, self.keyword)
    }
}

/// Sites beyond which a schema is not taken apart further.
const MAX_SITES: usize = 20_000;
const MAX_STEPS: usize = 60;

struct Open<'s> {
    schema: &'s Value,
    pointer: String,
    steps: Vec<Way>,
}

/// All sites, those near the root first.
pub(crate) fn sites<'s>(
    root: &'s Value,
    nodes: &[Node<'s>],
    dialect: Dialect,
    formats: bool,
) -> Vec<Site<'s>> {
    let pointers: BTreeMap<usize, &str> =
        nodes.iter().map(|n| (address(n.schema), n.pointer.as_str())).collect();
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open = VecDeque::from([Open { schema: root, pointer: String::new(), steps: Vec::new() }]);
    while let Some(at) = open.pop_front() {
        let Value::Object(members) = at.schema else { continue };
        if !seen.insert(address(at.schema)) || at.steps.len() > MAX_STEPS || found.len() > MAX_SITES {
            continue;
        }
        let hides = dialect.ref_hides_siblings() && members.contains_key("$ref");
        for (keyword, value) in members {
            if hides && keyword != "$ref" || !dialect.knows(keyword) {
                continue;
            }
            if constrains(keyword, value, members, dialect, formats) {
                found.push(Site { parent: at.pointer.clone(), keyword, steps: at.steps.clone() });
            }
            if keyword == "$ref" {
                let target = value.as_str().and_then(|r| crate::schema::references::local(root, r));
                if let Some((schema, place)) = target.and_then(|t| Some((t, pointers.get(&address(t))?))) {
                    let mut steps = at.steps.clone();
                    steps.push(Way::Ref);
                    open.push_back(Open { schema, pointer: (*place).to_string(), steps });
                }
            }
            below(keyword, value, members, dialect, &mut |token, via, schema| {
                let base = pointer::child(&at.pointer, keyword);
                let pointer = token.map_or(base.clone(), |t| pointer::child(&base, t));
                let mut steps = at.steps.clone();
                steps.push(Way::Via(via));
                open.push_back(Open { schema, pointer, steps });
            });
        }
    }
    found
}

/// Whether the keyword is a site: it refuses some value, by an error of its own.
fn constrains(
    keyword: &str,
    value: &Value,
    members: &Map<String, Value>,
    dialect: Dialect,
    formats: bool,
) -> bool {
    let counted = |k: &str| dialect >= Dialect::Draft201909 && members.contains_key(k);
    match keyword {
        "type" | "enum" | "const" | "minimum" | "maximum" | "multipleOf" | "minLength" | "maxLength"
        | "pattern" | "minItems" | "maxItems" | "minProperties" | "maxProperties" | "anyOf" | "oneOf"
        | "not" => true,
        "exclusiveMinimum" | "exclusiveMaximum" => value.is_number(),
        "contains" => !(counted("minContains") && members.get("minContains") == Some(&Value::from(0))),
        "minContains" | "maxContains" => members.contains_key("contains"),
        "uniqueItems" => value == &Value::Bool(true),
        "required" => value.as_array().is_some_and(|names| !names.is_empty()),
        "dependentRequired" => {
            value.as_object().is_some_and(|d| d.values().any(|n| n.as_array().is_some_and(|n| !n.is_empty())))
        }
        "dependencies" => {
            value.as_object().is_some_and(|d| d.values().any(|n| n.as_array().is_some_and(|n| !n.is_empty())))
        }
        "additionalProperties" | "unevaluatedProperties" | "unevaluatedItems" => value == &Value::Bool(false),
        "additionalItems" => {
            value == &Value::Bool(false) && members.get("items").is_some_and(Value::is_array)
        }
        "items" => value == &Value::Bool(false),
        "format" => formats,
        _ => false,
    }
}

/// Calls `found` for each subschema that a route may lead through.
fn below<'s>(
    keyword: &str,
    value: &'s Value,
    members: &'s Map<String, Value>,
    dialect: Dialect,
    found: &mut dyn FnMut(Option<&str>, Via, &'s Value),
) {
    let entries = || value.as_object().into_iter().flatten();
    match keyword {
        "properties" => entries().for_each(|(k, s)| found(Some(k), Via::Property(k.clone()), s)),
        "patternProperties" => {
            entries().for_each(|(k, s)| found(Some(k), Via::PatternProperty(k.clone()), s))
        }
        "dependentSchemas" | "dependencies" => entries()
            .filter(|(_, s)| s.is_object())
            .for_each(|(k, s)| found(Some(k), Via::DependentSchema(k.clone()), s)),
        "allOf" => {
            for (i, s) in value.as_array().into_iter().flatten().enumerate() {
                found(Some(&i.to_string()), Via::AllOf(i), s);
            }
        }
        "prefixItems" => prefix(value, found),
        "items" if value.is_array() && dialect <= Dialect::Draft201909 => prefix(value, found),
        "items" => found(None, Via::Items, value),
        "additionalItems" if members.get("items").is_some_and(Value::is_array) => {
            found(None, Via::AdditionalItems, value);
        }
        "additionalProperties" => found(None, Via::AdditionalProperties, value),
        "propertyNames" => found(None, Via::PropertyNames, value),
        "then" if members.contains_key("if") => found(None, Via::Then, value),
        "else" if members.contains_key("if") => found(None, Via::Else, value),
        _ => {}
    }
}

fn prefix<'s>(value: &'s Value, found: &mut dyn FnMut(Option<&str>, Via, &'s Value)) {
    for (i, s) in value.as_array().into_iter().flatten().enumerate() {
        found(Some(&i.to_string()), Via::PrefixItem(i), s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::walk::walk;
    use serde_json::json;

    fn pointers(schema: &Value) -> Vec<String> {
        let dialect = Dialect::of(schema);
        let nodes = walk(schema, dialect);
        sites(schema, &nodes, dialect, false).iter().map(Site::pointer).collect()
    }

    #[test]
    fn through_properties_and_references_but_not_into_branches() {
        let schema = json!({"type": "object", "required": ["a"], "additionalProperties": false, "properties": {
            "a": {"$ref": "#/$defs/n"}, "b": {"anyOf": [{"minimum": 3}, {"type": "null"}]}, "c": {"items": {"enum": [1]}}},
            "$defs": {"n": {"minimum": 1, "not": {"const": 5}}, "unused": {"maximum": 1}}});
        assert_eq!(
            pointers(&schema),
            [
                "/type",
                "/required",
                "/additionalProperties",
                "/properties/b/anyOf",
                "/$defs/n/minimum",
                "/$defs/n/not",
                "/properties/c/items/enum"
            ]
        );
    }

    #[test]
    fn what_cannot_refuse_is_no_site() {
        assert!(pointers(&json!({"required": [], "uniqueItems": false, "format": "date", "additionalProperties": true, "minContains": 2})).is_empty());
    }
}
