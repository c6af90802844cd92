//! Checks in the short form: the operator is the key, and `$STEP/path` a pointer into the step's result.

use super::super::expression::Op;
use super::super::node::{Node, Read};
use super::super::pointer::Pointer;
use super::Expander;
use super::tool::keyed_shape;
use serde_json::{Map, Value, json};

/// What a step is called in the full document: a witness's `a` and `b` are its legs.
pub(super) type Named<'n> = &'n dyn Fn(&str) -> String;

impl Expander {
    /// `node`, which is to stand at `full`, written out.
    pub(super) fn expression(&mut self, node: &Node<'_>, full: &str, named: Named<'_>) -> Read<Value> {
        self.from(full, &node.at);
        if node.peek("op").is_some() {
            return Ok(node.value.clone());
        }
        let Value::Object(members) = node.value else {
            return Err(node.fault("a check is expected here, such as `{equality: [$find/title, Emma]}`"));
        };
        let Some((name, op)) =
            members.keys().find_map(|key| Some((key, *Op::ALL.iter().find(|op| op.name() == key)?)))
        else {
            let typed = members.keys().next().map(String::as_str).unwrap_or_default();
            return Err(node.fault(crate::suggest::unknown(
                "operator",
                typed,
                Op::ALL.iter().map(|op| op.name()),
            )));
        };
        self.operator(node, op, name, full, named)
    }

    fn operator(&mut self, node: &Node<'_>, op: Op, name: &str, full: &str, named: Named<'_>) -> Read<Value> {
        let more: (&[&str], &[&str]) = match op {
            Op::Regex => (&["pattern"], &[]),
            Op::SetMembership => (&["in"], &[]),
            Op::Ordering => (&["key"], &["order"]),
            Op::CountTolerance => (&["expected"], &["tolerance", "relative"]),
            Op::Shape => (&["keys"], &[]),
            Op::CoversByKey => (&["set", "expectedKey", "actualKey"], &[]),
            Op::ForAll | Op::ForAny => (&["holds"], &[]),
            _ => (&[], &[]),
        };
        let required: Vec<&str> = [name].iter().chain(more.0).copied().collect();
        let f = node.some_of(&required, more.1)?;
        let of = f.at(name);
        let mut out = Map::new();
        out.insert("op".to_string(), json!(op.name()));
        let mut put = |key: &str, value: Value| drop(out.insert(key.to_string(), value));
        match op {
            Op::Not => put("operands", json!([self.expression(&of, &format!("{full}/operands/0"), named)?])),
            Op::All | Op::Any => {
                let mut children = Vec::new();
                for (i, child) in of.list(|n| Ok(n.clone()))?.iter().enumerate() {
                    children.push(self.expression(child, &format!("{full}/operands/{i}"), named)?);
                }
                put("operands", Value::Array(children));
            }
            Op::ForAll | Op::ForAny => {
                put("collection", operand(&of, named)?);
                put("predicate", self.expression(&f.at("holds"), &format!("{full}/predicate"), named)?);
            }
            Op::Equality | Op::DeepEquality | Op::Containment => {
                put("operands", Value::Array(of.list(|n| operand(n, named))?))
            }
            Op::SetMembership => {
                let set = f.at("in");
                let set =
                    if set.value.is_array() { json!({ "literal": set.value }) } else { set.value.clone() };
                put("operands", json!([operand(&of, named)?, set]));
            }
            Op::CoversByKey => {
                put("operands", json!([{ "referenceSet": f.at("set").value }, operand(&of, named)?]));
                put("expectedKey", f.at("expectedKey").value.clone());
                put("actualKey", f.at("actualKey").value.clone());
            }
            _ => put("operands", json!([operand(&of, named)?])),
        }
        match op {
            Op::Regex => put("pattern", f.at("pattern").value.clone()),
            Op::Ordering => {
                put("key", f.at("key").value.clone());
                put("order", f.given("order").unwrap_or_else(|| json!("ascending")));
            }
            Op::CountTolerance => {
                put("expected", f.at("expected").value.clone());
                put("tolerance", f.given("tolerance").unwrap_or_else(|| json!(0)));
                put("relative", f.given("relative").unwrap_or_else(|| json!(false)));
            }
            Op::Shape => put("descriptor", keyed_shape(&f.at("keys"))?),
            _ => {}
        }
        Ok(Value::Object(out))
    }
}

fn operand(node: &Node<'_>, named: Named<'_>) -> Read<Value> {
    let is_full = |o: &Map<String, Value>| {
        o.len() == 1 && ["pointer", "literal", "referenceSet"].iter().any(|key| o.contains_key(*key))
    };
    match node.value {
        Value::String(s) if s.starts_with('$') => {
            pointer(node, named).map(|pointer| json!({ "pointer": pointer }))
        }
        Value::Object(members) if is_full(members) => Ok(node.value.clone()),
        literal => Ok(json!({ "literal": literal })),
    }
}

/// `$STEP/path` into the result, `$STEP.status`, `$STEP.arguments/path`, `$STEP.text`, `$STEP.json/path`; `$@/path` is a quantifier's element. A
/// pointer that is written out is itself.
pub(super) fn pointer(node: &Node<'_>, named: Named<'_>) -> Read<String> {
    let written = node.string()?;
    let fault = || {
        node.fault(
            "a pointer is expected here: `$STEP/path` into a step's result, `$STEP.status`, `$STEP.arguments/path`, \
             `$STEP.text`, `$STEP.json/path` into JSON in its text, or `$@/path` inside a quantifier (a text that begins with `$` is written `{literal: $…}`)",
        )
    };
    let Some(short) = written.strip_prefix('$') else {
        return if Pointer::parse(&written).is_some() { Ok(written) } else { Err(fault()) };
    };
    let expanded = if short.starts_with('@') {
        short.to_string()
    } else {
        let (head, tail) = short.find('/').map_or((short, ""), |at| short.split_at(at));
        let (step, channel) = match head.split_once('.') {
            None => (head, "response-body"),
            Some((step, "status")) => (step, "response-status"),
            Some((step, "arguments")) => (step, "call-inputs/arguments"),
            Some((step, "text")) => (step, "response-text"),
            Some((step, "json")) => (step, "response-text-json"),
            Some(_) => return Err(fault()),
        };
        format!("/interactions/{}/{channel}{tail}", named(step))
    };
    if Pointer::parse(&expanded).is_some() { Ok(expanded) } else { Err(fault()) }
}
