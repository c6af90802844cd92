//! How large every value of a schema is at the very least. Ten arrays of a thousand arrays of a thousand items
//! are quickly written down as a schema, and never as a value.

use super::keywords::{array_prefix, count, item_parts};
use super::solver::address;
use crate::schema::{Dialect, references};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Parts (values, and runs of sixteen characters) beyond which a value is too big to write.
pub(crate) const MAX_PARTS: u64 = 120_000;
/// Nesting of subschemas and references that is looked through.
const MAX_DEPTH: usize = 200;

/// A lower bound of the parts of any value that `root` accepts.
pub(crate) fn least(root: &Value, dialect: Dialect) -> u64 {
    Sizes { root, dialect, known: BTreeMap::new() }.of(root, 0)
}

struct Sizes<'s> {
    root: &'s Value,
    dialect: Dialect,
    /// By address; one part for what is being looked at.
    known: BTreeMap<usize, u64>,
}

impl<'s> Sizes<'s> {
    fn of(&mut self, schema: &'s Value, depth: usize) -> u64 {
        let Value::Object(members) = schema else { return 1 };
        if depth > MAX_DEPTH {
            return 1;
        }
        let at = address(schema);
        if let Some(known) = self.known.get(&at) {
            return *known;
        }
        self.known.insert(at, 1);
        let mut least = 1;
        let reference = members.get("$ref").and_then(Value::as_str);
        if let Some(target) = reference.and_then(|r| references::local(self.root, r)) {
            least = least.max(self.of(target, depth + 1));
        }
        if !(self.dialect.ref_hides_siblings() && reference.is_some()) {
            least = least.max(self.by_keywords(members, depth + 1));
        }
        self.known.insert(at, least);
        least
    }

    fn by_keywords(&mut self, members: &'s Map<String, Value>, depth: usize) -> u64 {
        let mut least = 1;
        let listed = |k: &str| members.get(k).and_then(Value::as_array).into_iter().flatten();
        for branch in listed("allOf") {
            least = least.max(self.of(branch, depth));
        }
        for keyword in ["anyOf", "oneOf"] {
            let branches: Vec<u64> = listed(keyword).map(|b| self.of(b, depth)).collect();
            least = least.max(branches.into_iter().min().unwrap_or(1));
        }
        let types: Vec<&str> = match members.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => return least,
        };
        let by_type = types.into_iter().map(|t| match t {
            "string" => 1 + members.get("minLength").and_then(count).unwrap_or(0) / 16,
            "array" => self.array(members, depth),
            "object" => self.object(members, depth),
            _ => 1,
        });
        least.max(by_type.min().unwrap_or(1))
    }

    fn array(&mut self, members: &'s Map<String, Value>, depth: usize) -> u64 {
        let Some(min) = members.get("minItems").and_then(count).filter(|n| *n > 0) else { return 1 };
        let prefix = array_prefix(members, self.dialect);
        let (_, rest, _) = item_parts(members, self.dialect);
        let named = prefix.len().min(usize::try_from(min).unwrap_or(usize::MAX));
        let mut sum: u64 = 1;
        for schema in prefix.iter().take(named) {
            sum = sum.saturating_add(self.of(schema, depth));
        }
        let each = rest.map_or(1, |schema| self.of(schema, depth));
        sum.saturating_add(each.saturating_mul(min - named as u64))
    }

    fn object(&mut self, members: &'s Map<String, Value>, depth: usize) -> u64 {
        let properties = members.get("properties").and_then(Value::as_object);
        let required = members.get("required").and_then(Value::as_array).into_iter().flatten();
        let mut sum: u64 = 1;
        for name in required.filter_map(Value::as_str) {
            let schema = properties.and_then(|p| p.get(name));
            sum = sum.saturating_add(schema.map_or(1, |s| self.of(s, depth)));
        }
        sum.max(members.get("minProperties").and_then(count).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn size(schema: &Value) -> u64 {
        least(schema, Dialect::of(schema))
    }

    #[test]
    fn what_must_be_is_counted() {
        let block = json!({"type": "array", "minItems": 300, "items": {"type": "array", "minItems": 300}});
        assert_eq!(size(&block), 1 + 300 * 301);
        assert_eq!(
            size(&json!({"type": "object", "required": ["a", "b"], "properties": {"a": block, "c": block}})),
            1 + 90_301 + 1
        );
        assert_eq!(size(&json!({"type": ["array", "null"], "minItems": 300})), 1, "null will do");
        assert_eq!(size(&json!({"minItems": 300})), 1, "so will anything else");
        assert_eq!(size(&json!({"anyOf": [block, {"type": "string", "minLength": 160}]})), 11);
        assert_eq!(
            size(&json!({"type": "array", "minItems": 3, "prefixItems": [block, true], "items": block})),
            1 + 90_301 + 1 + 90_301
        );
    }

    #[test]
    fn references_multiply_and_rings_end() {
        let mut schema = json!({"$ref": "#/$defs/d0", "$defs": {"d40": {"type": "null"}}});
        for i in 0..40 {
            let next = json!({"$ref": format!("#/$defs/d{}", i + 1)});
            schema["$defs"][format!("d{i}")] =
                json!({"type": "object", "required": ["l", "r"], "properties": {"l": next, "r": next}});
        }
        assert_eq!(size(&schema), (1 << 41) - 1);
        assert_eq!(
            size(&json!({"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#"}}})),
            2
        );
    }
}
