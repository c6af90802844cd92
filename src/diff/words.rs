//! How a witness and the places of a schema are put into words.

use super::places;
use super::search::Witness;
use crate::pointer;
use crate::rules::say;
use serde_json::Value;

pub(super) fn quoted(instance: &str) -> String {
    say::quoted(&places::path(instance))
}

/// "argument `a`", "arguments `a` and `b.c`", of pointers in an instance.
pub(super) fn named(noun: &str, instances: &[String]) -> String {
    let plural = if instances.len() == 1 { "" } else { "s" };
    format!("{noun}{plural} {}", say::quoted_list(instances.iter().map(|i| places::path(i)), 5))
}

/// As [`named`], with "is" or "are".
pub(super) fn are(noun: &str, instances: &[String]) -> String {
    format!("{} {}", named(noun, instances), if instances.len() == 1 { "is" } else { "are" })
}

pub(super) fn place(witness: &Witness, whole: &str) -> String {
    match witness.violation.instance_pointer.as_str() {
        "" => whole.to_string(),
        pointer => quoted(pointer),
    }
}

pub(super) fn shown(witness: &Witness) -> String {
    witness.value.pointer(&witness.violation.instance_pointer).map_or_else(String::new, as_json)
}

/// `value` as JSON, cut where it is long.
pub(super) fn as_json(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(80) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

/// "`maximum` is 50".
pub(super) fn keyword(schema: &Value, witness: &Witness, is: &str) -> String {
    let violation = &witness.violation;
    match schema.pointer(&violation.schema_pointer) {
        Some(value) if !value.is_object() => format!("`{}` {is} {}", witness.keyword(), as_json(value)),
        _ => format!("`{}` refuses it", witness.keyword()),
    }
}

/// Instance pointers of what `schema` requires and the witness lacks, where that is why it is refused.
pub(super) fn missing(schema: &Value, witness: &Witness) -> Vec<String> {
    let violation = &witness.violation;
    if violation.keyword != "required" {
        return Vec::new();
    }
    let here = witness.value.pointer(&violation.instance_pointer);
    let names = schema.pointer(&violation.schema_pointer).and_then(Value::as_array).into_iter().flatten();
    let lacks = |name: &&str| here.is_some_and(|v| v.get(*name).is_none());
    let names: Vec<&str> = names.filter_map(Value::as_str).filter(lacks).collect();
    // One violation names one of them; a message in words is the only place where the judge says which.
    let said: Vec<&&str> =
        names.iter().filter(|n| violation.message.starts_with(&format!("{n:?} "))).collect();
    let names = if said.is_empty() { names } else { said.into_iter().copied().collect() };
    names.into_iter().map(|name| pointer::child(&violation.instance_pointer, name)).collect()
}
