//! How many cases a value has to be told apart in, once the unions that constrain it are multiplied out.
//!
//! The algebra writes a conjunction of unions as a union of conjunctions: forty pairs are 2^40. It gives up
//! by itself, but only after a second and half a gigabyte; so the product is estimated before it is asked.

use super::super::references::local;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Nesting of subschemas and references that is looked through.
const MAX_DEPTH: usize = 200;

/// The largest product of unions at one value of `schema`; at most as many visits as there are subschemas.
pub(super) fn most(schema: &Value) -> u64 {
    let mut counter = Counter { root: schema, known: BTreeMap::new() };
    let mut most = 1;
    let mut stack = vec![schema];
    while let Some(v) = stack.pop() {
        match v {
            Value::Array(a) => stack.extend(a),
            Value::Object(o) => {
                let splits = ["allOf", "anyOf", "oneOf", "not", "if", "$ref"];
                if splits.iter().any(|k| o.contains_key(*k)) {
                    most = most.max(counter.cases(v, true, 0));
                }
                stack.extend(o.values());
            }
            _ => {}
        }
    }
    most
}

struct Counter<'s> {
    root: &'s Value,
    /// By address, and whether the schema holds; what is being counted counts as one case.
    known: BTreeMap<(*const Value, bool), u64>,
}

impl<'s> Counter<'s> {
    /// Cases in which `schema` holds, or in which it does not.
    fn cases(&mut self, schema: &'s Value, holds: bool, depth: usize) -> u64 {
        let Value::Object(members) = schema else { return 1 };
        if depth > MAX_DEPTH {
            return 1;
        }
        let key = (std::ptr::from_ref(schema), holds);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        self.known.insert(key, 1);
        let n = if holds { self.held(members, depth + 1) } else { self.broken(members, depth + 1) };
        self.known.insert(key, n);
        n
    }

    fn held(&mut self, members: &'s Map<String, Value>, depth: usize) -> u64 {
        let mut product: u64 = 1;
        for (keyword, value) in members {
            let n = match keyword.as_str() {
                "allOf" => self.product(value, true, depth),
                "anyOf" | "oneOf" => self.sum(value, true, depth),
                "not" => self.cases(value, false, depth),
                "$ref" => self.referred(value, true, depth),
                "if" => {
                    let mut part = |k: &str| members.get(k).map_or(1, |v| self.cases(v, true, depth));
                    let (then, otherwise) = (part("then"), part("else"));
                    let met = self.cases(value, true, depth).saturating_mul(then);
                    met.saturating_add(self.cases(value, false, depth).saturating_mul(otherwise))
                }
                _ => 1,
            };
            product = product.saturating_mul(n);
        }
        product
    }

    fn broken(&mut self, members: &'s Map<String, Value>, depth: usize) -> u64 {
        let mut sum: u64 = 0;
        for (keyword, value) in members {
            let n = match keyword.as_str() {
                "allOf" => self.sum(value, false, depth),
                "anyOf" | "oneOf" => self.product(value, false, depth),
                "not" => self.cases(value, true, depth),
                "$ref" => self.referred(value, false, depth),
                "properties" => {
                    let entries = value.as_object().into_iter().flatten();
                    entries.fold(0, |n: u64, (_, v)| n.saturating_add(self.cases(v, false, depth)))
                }
                "required" => value.as_array().map_or(0, |names| names.len() as u64),
                "title" | "description" | "$comment" | "default" | "examples" | "$defs" | "definitions" => 0,
                _ => 1,
            };
            sum = sum.saturating_add(n);
        }
        sum.max(1)
    }

    fn product(&mut self, branches: &'s Value, holds: bool, depth: usize) -> u64 {
        let branches = branches.as_array().into_iter().flatten();
        branches.fold(1, |n: u64, b| n.saturating_mul(self.cases(b, holds, depth)))
    }

    fn sum(&mut self, branches: &'s Value, holds: bool, depth: usize) -> u64 {
        let branches = branches.as_array().into_iter().flatten();
        branches.fold(0, |n: u64, b| n.saturating_add(self.cases(b, holds, depth))).max(1)
    }

    fn referred(&mut self, reference: &Value, holds: bool, depth: usize) -> u64 {
        let target = reference.as_str().and_then(|r| local(self.root, r));
        target.map_or(1, |t| self.cases(t, holds, depth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn unions_beside_each_other_multiply() {
        let pair =
            |i: usize| json!({"anyOf": [{"required": [format!("a{i}")]}, {"required": [format!("b{i}")]}]});
        let pairs = |n: usize| Value::from((0..n).map(pair).collect::<Vec<_>>());
        assert_eq!(most(&json!({"allOf": pairs(10)})), 1024);
        assert_eq!(most(&json!({"allOf": pairs(200)})), u64::MAX);
        assert_eq!(most(&json!({"properties": {"a": pair(1), "b": pair(2)}})), 2, "values apart");
        assert_eq!(most(&json!({"anyOf": pairs(10)})), 20, "a union of unions is one union");
        let nots: Vec<Value> =
            (0..5).map(|i| json!({"not": {"required": ["a", "b", format!("c{i}")]}})).collect();
        assert_eq!(most(&json!({"allOf": nots})), 243);
        let doubled = json!({"$ref": "#/$defs/d0", "$defs": {
            "d0": {"allOf": [{"$ref": "#/$defs/d1"}, {"$ref": "#/$defs/d1"}]},
            "d1": {"anyOf": [{"type": "string"}, {"minimum": 2}, {"$ref": "#/$defs/d0"}]}}});
        assert!((4..=16).contains(&most(&doubled)), "rings end");
        assert_eq!(
            most(&json!({"if": {"required": ["a"]}, "then": {}, "else": {}, "oneOf": [true, true, true]})),
            6
        );
    }
}
