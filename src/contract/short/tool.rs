//! Tools in the short form: names with types, and a witness of two calls.

use super::super::interface::TYPES;
use super::super::node::{Fields, Node, Read};
use super::{Expander, identifier_of};
use crate::pointer::child;
use serde_json::{Map, Value, json};

impl Expander {
    /// The operations of `tools`, by the tools' names.
    pub(super) fn tools(&mut self, node: &Node<'_>) -> Read<Vec<Value>> {
        let Value::Object(members) = node.value else {
            return Err(node.fault("an object of tools by their names is expected here"));
        };
        let mut out = Vec::new();
        for (i, (name, value)) in members.iter().enumerate() {
            let tool = Node { value, at: child(&node.at, name) };
            let at = format!("/permittedInterfaces/0/operations/{i}");
            self.from(&at, &tool.at);
            out.push(self.tool(&tool, name, &at)?);
        }
        Ok(out)
    }

    fn tool(&mut self, node: &Node<'_>, name: &str, at: &str) -> Read<Value> {
        let f = node.some_of(
            &[],
            &[
                "operation",
                "changes",
                "arguments",
                "result",
                "success",
                "roles",
                "collections",
                "volatile",
                "witness",
            ],
        )?;
        let operation =
            if f.has("operation") { f.at("operation").identifier()? } else { identifier_of(name) };
        self.operations.insert(name.to_string(), operation.clone());
        let shape = |key: &str| if f.has(key) { keyed_shape(&f.at(key)) } else { Ok(empty_shape()) };
        for (full, short) in [
            ("requestShape/arguments", "arguments"),
            ("responseDescriptor", "result"),
            ("responseDescriptor/successIndicator", "success"),
            ("responseDescriptor/channelRoles", "roles"),
            ("responseDescriptor/collectionLocations", "collections"),
            ("volatilePointers", "volatile"),
            ("stateChangeMarker", "changes"),
        ] {
            if f.has(short) {
                self.from(&format!("{at}/{full}"), &child(&node.at, short));
            }
        }
        let mut descriptor = shape("result")?;
        if let Value::Object(descriptor) = &mut descriptor {
            descriptor.insert("successIndicator".to_string(), json!(f.given("success")));
            descriptor.insert("channelRoles".to_string(), json!(f.given("roles")));
            descriptor.insert("collectionLocations".to_string(), collections(&f)?);
        }
        let witness = match f.has("witness") && !f.at("witness").value.is_null() {
            true => self.witness(&f.at("witness"), &operation, &format!("{at}/sensitivityWitness"))?,
            false => Value::Null,
        };
        Ok(json!({
            "operationId": operation,
            "toolName": name,
            "stateChangeMarker": f.given("changes").unwrap_or(json!(false)),
            "requestShape": { "arguments": shape("arguments")? },
            "descriptorChannel": { "kind": "structured-result" },
            "responseDescriptor": descriptor,
            "volatilePointers": f.given("volatile").unwrap_or_else(|| json!([])),
            "sensitivityWitness": witness,
        }))
    }

    /// Two calls; in a relation, `$a` and `$b` are their results.
    fn witness(&mut self, node: &Node<'_>, operation: &str, at: &str) -> Read<Value> {
        let f = node.some_of(&["calls"], &["differ", "same", "relation"])?;
        let calls = f.at("calls").list(Node::json_object)?;
        let legs: Vec<Value> = ["a", "b"]
            .iter()
            .zip(&calls)
            .map(|(leg, call)| json!({ "legId": format!("{operation}-{leg}"), "inputs": { "arguments": call } }))
            .collect();
        if calls.len() != 2 {
            return Err(f.at("calls").fault(format!("a witness has two calls, not {}", calls.len())));
        }
        self.from(at, &node.at);
        for i in 0..2 {
            self.from(&format!("{at}/legs/{i}"), &format!("{}/calls/{i}", node.at));
            self.from(&format!("{at}/legs/{i}/inputs/arguments"), &format!("{}/calls/{i}", node.at));
        }
        let leg = |name: &str| format!("{operation}-{name}");
        let same = |key: &str| -> Read<Value> {
            let written = f.at(key).string()?;
            let is_path = |path: &str| path.is_empty() || path.starts_with('/');
            let place = match (written.as_str(), written.strip_prefix(".json")) {
                (".text", _) => "response-text".to_string(),
                (_, Some(path)) if is_path(path) => format!("response-text-json{path}"),
                (path, None) if is_path(path) => format!("response-body{path}"),
                _ => {
                    let expected = "a path in the result (`/title`), `.text`, or a path in JSON text (`.json/title`) is expected here";
                    return Err(f.at(key).fault(expected));
                }
            };
            let read = |name| json!({ "pointer": format!("/interactions/{}/{place}", leg(name)) });
            Ok(json!({ "op": "deep-equality", "operands": [read("a"), read("b")] }))
        };
        let relation = match (f.has("differ"), f.has("same"), f.has("relation")) {
            (true, false, false) => json!({ "op": "not", "operands": [same("differ")?] }),
            (false, true, false) => same("same")?,
            (false, false, true) => self.expression(&f.at("relation"), &format!("{at}/relation"), &leg)?,
            _ => return Err(node.fault("a witness has one of `differ`, `same` (a path in the result, `.text`, or `.json` and a path in JSON text) and `relation` (a check over `$a` and `$b`)")),
        };
        Ok(
            json!({ "witnessId": format!("{operation}-witness"), "channel": "arguments", "legs": legs, "relation": relation }),
        )
    }
}

fn empty_shape() -> Value {
    json!({ "requiredKeys": [], "permittedKeys": [], "types": {} })
}

/// `{query: string, limit: number?, filter: any?}`: a type, `any` for none, and `?` for a key that may be left out.
pub(super) fn keyed_shape(node: &Node<'_>) -> Read<Value> {
    let Value::Object(members) = node.value else {
        return Err(node.fault(
            "an object of keys with their types is expected here, such as `{query: string, limit: number?}`",
        ));
    };
    let (mut required, mut permitted, mut types) = (Vec::new(), Vec::new(), Map::new());
    for (key, value) in members {
        let written = Node { value, at: child(&node.at, key) };
        let text = written.string()?;
        let (name, is_optional) = text.strip_suffix('?').map_or((text.as_str(), false), |name| (name, true));
        let known = TYPES.iter().any(|(t, _)| *t == name);
        if name != "any" && !known {
            let names = TYPES.iter().map(|(t, _)| *t).chain(["any"]);
            return Err(written.fault(crate::suggest::unknown("type", name, names)));
        }
        permitted.push(key.clone());
        if !is_optional {
            required.push(key.clone());
        }
        types.insert(key.clone(), if known { json!(name) } else { Value::Null });
    }
    Ok(json!({ "requiredKeys": required, "permittedKeys": permitted, "types": types }))
}

/// `{/matches: 20}` is at most 20; `{exact: N}`, `{atMost: N}` and `{page: N}` say which.
fn collections(f: &Fields<'_>) -> Read<Value> {
    if !f.has("collections") || f.at("collections").value.is_null() {
        return Ok(Value::Null);
    }
    let node = f.at("collections");
    let Value::Object(members) = node.value else {
        return Err(node.fault(
            "an object of paths with the most items they hold is expected here, such as `{/matches: 20}`",
        ));
    };
    let mut out = Vec::new();
    for (path, value) in members {
        let at = Node { value, at: child(&node.at, path) };
        let (cardinality, set) = match value {
            Value::Object(_) => {
                let f = at.some_of(&[], &["exact", "atMost", "page", "set"])?;
                let stated: Vec<&str> =
                    ["exact", "atMost", "page"].into_iter().filter(|key| f.has(key)).collect();
                let [key] = stated.as_slice() else {
                    return Err(at.fault("one of `exact`, `atMost` and `page` is expected here"));
                };
                let (mode, bound) = match *key {
                    "exact" => ("exact", "count"),
                    "atMost" => ("at-most", "max"),
                    _ => ("page-bounded", "max"),
                };
                (json!({ "mode": mode, bound: f.at(key).count(0)? }), f.given("set"))
            }
            _ => (json!({ "mode": "at-most", "max": at.count(0)? }), None),
        };
        out.push(json!({ "pointer": path, "referenceSet": set, "expectedCardinality": cardinality }));
    }
    Ok(Value::Array(out))
}
