//! Values that a schema may well accept, guessed from its keywords.

use super::super::SchemaView;
use super::super::walk::Node;
use serde_json::{Map, Value, json};

/// Guesses values, not more than it may: what requires ten members that require ten members each would
/// grow without end.
pub(super) struct Guess<'v, 's> {
    view: &'v SchemaView<'s>,
    pub(super) left: usize,
}

impl<'v, 's> Guess<'v, 's> {
    pub(super) fn of(view: &'v SchemaView<'s>, left: usize) -> Self {
        Guess { view, left }
    }

    pub(super) fn spend(&mut self, values: usize) -> Option<()> {
        let left = self.left.checked_sub(values);
        self.left = left.unwrap_or(0);
        left.map(|_| ())
    }

    /// A copy of a value of the document, if there is room for it.
    pub(super) fn copy(&mut self, value: &Value) -> Value {
        match self.spend(weight(value, self.left)) {
            Some(()) => value.clone(),
            None => Value::Null,
        }
    }

    /// Adds what `around` requires and `value` lacks.
    pub(super) fn fill_required(&mut self, around: &Node<'_>, value: &mut Value) {
        let Some(object) = value.as_object_mut() else { return };
        for name in around.schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            let Some(name) = name.as_str() else { continue };
            if object.contains_key(name) {
                continue;
            }
            if self.left == 0 {
                return;
            }
            let schema = around.schema.get("properties").and_then(|p| p.get(name)).unwrap_or(&Value::Null);
            object.insert(name.to_string(), self.value(schema, 0));
        }
    }

    pub(super) fn item(&mut self, around: &Node<'_>, n: usize) -> Value {
        let prefix = around.schema.get("prefixItems").or_else(|| around.schema.get("items"));
        let schema = prefix.and_then(|p| p.get(n)).unwrap_or(&Value::Null);
        self.value(schema, 0)
    }

    pub(super) fn value(&mut self, schema: &Value, depth: usize) -> Value {
        const DEEPEST: usize = 6;
        let Some(members) = schema.as_object() else { return json!("example") };
        if depth > DEEPEST || self.spend(1).is_none() {
            return Value::Null;
        }
        for keyword in ["const", "default"] {
            if let Some(v) = members.get(keyword) {
                return self.copy(v);
            }
        }
        for keyword in ["enum", "examples"] {
            if let Some(v) = members.get(keyword).and_then(|l| l.get(0)) {
                return self.copy(v);
            }
        }
        if let Some(target) = members.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix('#')) {
            return self.view.schema.pointer(target).map_or(Value::Null, |t| self.value(t, depth + 1));
        }
        let kind = match members.get("type") {
            Some(Value::String(kind)) => kind.as_str(),
            Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str).unwrap_or("string"),
            _ if members.contains_key("properties") => "object",
            _ => "",
        };
        match kind {
            "string" => string(members),
            "integer" | "number" => number(members),
            "boolean" => json!(true),
            "null" => Value::Null,
            "array" => {
                let item = members.get("items").unwrap_or(&Value::Null);
                let n = members.get("minItems").and_then(Value::as_u64).unwrap_or(0).min(8);
                (0..n).map(|_| self.value(item, depth + 1)).collect()
            }
            "object" => self.object(members, depth),
            _ => ["anyOf", "oneOf", "allOf"]
                .into_iter()
                .find_map(|k| members.get(k).and_then(|l| l.get(0)))
                .map_or_else(|| json!("example"), |branch| self.value(branch, depth + 1)),
        }
    }

    fn object(&mut self, members: &Map<String, Value>, depth: usize) -> Value {
        let mut object = Map::new();
        for name in members.get("required").and_then(Value::as_array).into_iter().flatten() {
            let Some(name) = name.as_str() else { continue };
            if self.left == 0 {
                break;
            }
            let schema = members.get("properties").and_then(|p| p.get(name)).unwrap_or(&Value::Null);
            object.insert(name.to_string(), self.value(schema, depth + 1));
        }
        Value::Object(object)
    }
}

/// How much a value holds, long texts included; counted no further than `most`.
pub(super) fn weight(value: &Value, most: usize) -> usize {
    let mut sum = 0;
    let mut stack = vec![value];
    while let Some(v) = stack.pop() {
        sum += 1;
        match v {
            Value::String(s) => sum += s.len() / 256,
            Value::Array(a) => stack.extend(a.iter().take(most)),
            Value::Object(o) => stack.extend(o.values().take(most)),
            _ => {}
        }
        if sum > most {
            break;
        }
    }
    sum
}

fn string(members: &Map<String, Value>) -> Value {
    let text = match members.get("format").and_then(Value::as_str) {
        Some("email") => "ada@example.org",
        Some("uri" | "url") => "https://example.org/",
        Some("date") => "2026-01-31",
        Some("date-time") => "2026-01-31T12:00:00Z",
        Some("uuid") => "123e4567-e89b-12d3-a456-426614174000",
        _ => "example",
    };
    let length = |k| members.get(k).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    let (least, most) = (length("minLength").unwrap_or(0), length("maxLength").unwrap_or(usize::MAX));
    let mut text: String = text.chars().take(most).collect();
    let short = least.min(1_000).saturating_sub(text.chars().count());
    text.extend(std::iter::repeat_n('x', short));
    Value::String(text)
}

fn number(members: &Map<String, Value>) -> Value {
    let bound = |k| members.get(k).and_then(Value::as_f64);
    if let Some(least) = members.get("minimum") {
        return least.clone();
    }
    if let Some(above) = bound("exclusiveMinimum") {
        return json!((above + 1.0).floor());
    }
    match (members.get("maximum"), bound("exclusiveMaximum")) {
        (Some(most), _) if most.as_f64().is_some_and(|m| m < 1.0) => most.clone(),
        (_, Some(below)) if below <= 1.0 => json!((below - 1.0).ceil()),
        _ => json!(1),
    }
}
