//! What was probably meant by a keyword whose value the metaschema refuses.

use super::place;
use crate::pointer;
use crate::rules::say;
use crate::schema::{Dialect, SchemaView, vocabulary};
use serde_json::Value;

/// A fault in words.
pub(super) struct Explained {
    pub message: String,
    /// What to write instead, where that can be told.
    pub meant: Option<String>,
}

/// The fault at `at`, where `value` stands.
pub(super) fn explain(view: &SchemaView<'_>, at: &str, value: &Value) -> Explained {
    let Some((parent, last)) = pointer::split_last(at) else {
        return Explained { message: format!("the schema is {}", say::kind(value)), meant: None };
    };
    let Some((_, keyword)) = holder(view, at) else {
        return Explained { message: format!("{} is no schema", place::value(value)), meant: None };
    };
    let outer = pointer::split_last(parent).map(|(_, token)| token);
    if keyword != last
        && matches!(keyword.as_str(), "properties" | "patternProperties" | "$defs" | "definitions")
    {
        return entry(&keyword, &last, value);
    }
    let around = pointer::get(view.schema, parent);
    let (message, meant) = match keyword.as_str() {
        "type" => type_fault(value),
        "required" => required_fault(value, outer.as_deref()),
        "items" if value.is_array() => (
            format!("`items` is a list of schemas, which {} does not have", view.dialect.name()),
            Some(
                "For a tuple write `prefixItems` instead of `items`; for a list whose items are all alike write one \
                 schema"
                    .to_string(),
            ),
        ),
        "properties" if value.as_array().is_some_and(Vec::is_empty) => (
            "`properties` is an empty list; it must be an object".to_string(),
            Some("Write \"properties\": {}. PHP encodes an empty map as []; cast it to an object".to_string()),
        ),
        "exclusiveMinimum" | "exclusiveMaximum" if value.is_boolean() => exclusive_fault(&keyword, value, around),
        _ => generic(&keyword, &last, value, view.dialect),
    };
    Explained { message, meant }
}

/// The subschema that holds the faulty keyword (its pointer), and the keyword.
fn holder(view: &SchemaView<'_>, at: &str) -> Option<(String, String)> {
    let mut up = at;
    loop {
        let (parent, last) = pointer::split_last(up)?;
        if view.nodes().iter().any(|n| n.pointer == parent) {
            return Some((parent.to_string(), last));
        }
        up = parent;
    }
}

/// Something that is no schema, where `properties` and the like hold schemas by name.
fn entry(keyword: &str, name: &str, value: &Value) -> Explained {
    if keyword == "properties" && vocabulary::is_keyword(name) && !value.is_object() {
        return Explained {
            message: format!(
                "`properties` declares a parameter called `{name}` whose schema is {}: the keyword `{name}` slipped \
                 one level down",
                place::value(value)
            ),
            meant: Some(format!(
                "Move `{name}` out of `properties`, beside it; for a parameter called `{name}` write a schema: \
                 {{\"type\": \"string\"}}"
            )),
        };
    }
    let meant = match value.as_str().map(|t| (t, json_type(t))) {
        Some((_, Some(kind))) => Some(format!("Write \"{name}\": {{\"type\": \"{kind}\"}}")),
        Some((text, None)) => Some(format!(
            "Write \"{name}\": {{\"type\": \"string\", \"description\": {}}}",
            Value::from(text)
        )),
        None => None,
    };
    Explained {
        message: format!(
            "the schema of {} is {}; it must be an object",
            say::quoted(name),
            place::value(value)
        ),
        meant,
    }
}

/// The JSON Schema type that a type name of another language stands for.
pub(super) fn json_type(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "string" | "str" | "text" | "char" | "varchar" | "type_string" => "string",
        "number" | "float" | "double" | "decimal" | "numeric" | "real" | "float64" | "float32"
        | "type_number" => "number",
        "integer" | "int" | "int32" | "int64" | "long" | "short" | "uint" | "bigint" | "type_integer" => {
            "integer"
        }
        "boolean" | "bool" | "type_boolean" => "boolean",
        "object" | "dict" | "map" | "record" | "struct" | "hash" | "mapping" | "type_object" => "object",
        "array" | "list" | "tuple" | "set" | "sequence" | "vector" | "type_array" => "array",
        "null" | "none" | "nil" | "nonetype" => "null",
        _ => return None,
    })
}

/// Type names that are formats of strings.
fn string_format(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "date" => "date",
        "datetime" | "date-time" | "timestamp" => "date-time",
        "time" => "time",
        "uuid" | "guid" => "uuid",
        "uri" | "url" => "uri",
        "email" => "email",
        _ => return None,
    })
}

fn type_fault(value: &Value) -> (String, Option<String>) {
    match value {
        Value::String(name) => {
            let message = format!("{} is not a JSON Schema type", say::quoted(name));
            let meant = if let Some(kind) = json_type(name) {
                Some(format!("Did you mean \"type\": \"{kind}\"?"))
            } else if let Some(format) = string_format(name) {
                Some(format!("Write \"type\": \"string\", \"format\": \"{format}\""))
            } else if let Some(item) = name.strip_suffix("[]").and_then(json_type) {
                Some(format!("Write \"type\": \"array\", \"items\": {{\"type\": \"{item}\"}}"))
            } else if matches!(name.to_ascii_lowercase().as_str(), "any" | "mixed" | "unknown" | "*") {
                Some("For a value of any type leave `type` out, or list the types that are meant".to_string())
            } else if name.contains('|') {
                let kinds: Option<Vec<_>> = name.split('|').map(|t| json_type(t.trim())).collect();
                kinds.map(|k| format!("Write \"type\": {}", Value::from(k)))
            } else {
                crate::suggest::closest(name, TYPES).map(|kind| format!("Did you mean \"type\": \"{kind}\"?"))
            };
            (message, meant)
        }
        Value::Array(names) => type_list_fault(names),
        Value::Object(_) => (
            "`type` is an object; it must be the name of a type".to_string(),
            Some(
                "Move the schema one level up: a nested object is {\"type\": \"object\", \"properties\": …}"
                    .into(),
            ),
        ),
        other => (format!("`type` is {}; it must be the name of a type", say::kind(other)), None),
    }
}

const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "object", "array", "null"];

fn type_list_fault(names: &[Value]) -> (String, Option<String>) {
    if names.is_empty() {
        return ("`type` is an empty list: no value has none of the types".to_string(), None);
    }
    let mut meant: Vec<&str> = Vec::new();
    let mut unknown = None;
    for name in names {
        let kind = name.as_str().and_then(json_type);
        match kind {
            Some(kind) if !meant.contains(&kind) => meant.push(kind),
            Some(_) => {}
            None => unknown = unknown.or(Some(name)),
        }
        if name.as_str().is_none_or(|n| !TYPES.contains(&n)) {
            unknown = unknown.or(Some(name));
        }
    }
    let message = match unknown {
        Some(name) => {
            format!("the list in `type` holds {}, which is not a JSON Schema type", place::value(name))
        }
        None => "the list in `type` names a type twice".to_string(),
    };
    let all_known = names.iter().all(|n| n.as_str().and_then(json_type).is_some());
    (message, all_known.then(|| format!("Write \"type\": {}", Value::from(meant))))
}

fn required_fault(value: &Value, name: Option<&str>) -> (String, Option<String>) {
    match (value, name) {
        (Value::Bool(required), Some(name)) => (
            format!(
                "`required: {required}` inside a parameter is draft-03 style; `required` is a list of names"
            ),
            Some(if *required {
                format!(
                    "Delete it here and write \"required\": {} on the object that holds `properties`",
                    Value::from(vec![name])
                )
            } else {
                "Delete it: what the `required` list of the object does not name is optional".to_string()
            }),
        ),
        (Value::String(text), _) => (
            "`required` is a string; it must be a list of names".to_string(),
            Some(format!("Write \"required\": {}", Value::from(vec![text.as_str()]))),
        ),
        (Value::Array(names), _) if names.iter().all(Value::is_string) => (
            "`required` is empty or names a parameter twice, which this dialect does not allow".to_string(),
            None,
        ),
        (other, _) => (format!("`required` is {}; it must be a list of names", say::kind(other)), None),
    }
}

fn exclusive_fault(keyword: &str, value: &Value, around: Option<&Value>) -> (String, Option<String>) {
    let plain = if keyword == "exclusiveMinimum" { "minimum" } else { "maximum" };
    let bound = around.and_then(|a| a.get(plain)).filter(|b| b.is_number());
    let meant = match (value.as_bool(), bound) {
        (Some(false), _) => format!("Delete it: `{plain}` alone is what is meant"),
        (_, Some(bound)) => format!("Write \"{keyword}\": {bound} and delete `{plain}`"),
        _ => format!("Write the bound itself: \"{keyword}\": 0"),
    };
    (
        format!("`{keyword}: {value}` is draft-04 (and OpenAPI 3.0); since draft-06 it is a number"),
        Some(meant),
    )
}

/// What a keyword's value must be.
fn expected(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "minContains" | "maxContains" => "a whole number from 0 on",
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => "a number",
        "multipleOf" => "a number above 0",
        "title" | "description" | "pattern" | "format" | "$ref" | "$id" | "$anchor" | "$comment"
        | "$schema" | "contentEncoding" | "contentMediaType" => "a string",
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => "true or false",
        "enum" | "examples" => "a list of values",
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => "a list of schemas that is not empty",
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
            "an object that holds a schema for each name"
        }
        "dependentRequired" => "an object that holds a list of names for each name",
        "additionalProperties"
        | "additionalItems"
        | "items"
        | "contains"
        | "not"
        | "if"
        | "then"
        | "else"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties" => "a schema (an object, true or false)",
        _ => return None,
    })
}

fn generic(keyword: &str, last: &str, value: &Value, dialect: Dialect) -> (String, Option<String>) {
    let must = expected(keyword);
    let message = match must {
        Some(must) if keyword == last => {
            format!("`{keyword}` is {}; it must be {must}", place::value(value))
        }
        _ if keyword == last => {
            format!("`{keyword}` is {}, which {} does not allow", place::value(value), dialect.name())
        }
        _ => format!(
            "`{keyword}` holds {}, which {} does not allow there",
            place::value(value),
            dialect.name()
        ),
    };
    let unquoted = value.as_str().and_then(|t| serde_json::from_str::<Value>(t.trim()).ok());
    let meant = match unquoted {
        Some(v) if (v.is_number() || v.is_boolean()) && must.is_some_and(|m| m != "a string") => {
            Some(format!("Write \"{keyword}\": {v}, without the quotes"))
        }
        _ if value.is_null() => Some(format!("Leave `{keyword}` out instead of writing null")),
        _ => must.map(|must| format!("Write {must}, or leave `{keyword}` out")),
    };
    (message, meant)
}
