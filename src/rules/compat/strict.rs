//! What strict modes demand of objects.

use super::Report;
use super::types::each;
use crate::pointer;
use crate::profile::{Check, MustBe};
use crate::rules::schema::place;
use crate::rules::{SchemaSite, say};
use serde_json::{Map, Value};

pub(super) fn check(check: &Check, site: &SchemaSite<'_>, out: &mut Report<'_, '_>) {
    match check {
        Check::AdditionalProperties { must } => each(site, |i, node, members| {
            let place = pointer::child(&node.pointer, "additionalProperties");
            match (must, members.get("additionalProperties")) {
                (_, Some(Value::Bool(false))) | (MustBe::Boolean, None | Some(Value::Bool(_))) => {}
                (MustBe::Boolean, Some(_)) => {
                    let message =
                        format!("`additionalProperties` of {} holds a schema", place::name(site, i));
                    out.emit(site.at(&place), message);
                }
                (MustBe::False, None) if is_object(members) => {
                    out.emit(
                        site.at(&node.pointer),
                        format!("the object schema of {} is open", place::name(site, i)),
                    );
                }
                (MustBe::False, None) => {}
                (MustBe::False, Some(_)) => {
                    out.emit(
                        site.at(&place),
                        format!("`additionalProperties` of {} is not false", place::name(site, i)),
                    );
                }
            }
        }),
        Check::AllRequired => each(site, |i, node, members| {
            let Some(Value::Object(properties)) = members.get("properties") else { return };
            let required: Vec<&str> = members
                .get("required")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            let optional: Vec<String> = properties
                .keys()
                .filter(|k| !required.contains(&k.as_str()))
                .map(|k| say::quoted(k))
                .collect();
            if !optional.is_empty() {
                let of = place::name(site, i);
                out.emit(
                    site.at(&node.pointer),
                    format!("`required` of {of} leaves out {}", say::list(&optional, 4)),
                );
            }
        }),
        _ => {}
    }
}

/// Whether the schema is meant for objects.
fn is_object(members: &Map<String, Value>) -> bool {
    match members.get("type") {
        Some(Value::String(t)) => t == "object",
        Some(Value::Array(types)) => types.iter().any(|t| t.as_str() == Some("object")),
        _ => members.contains_key("properties"),
    }
}
