//! Limits on types, enums, formats and the members that a schema must have.

use super::Report;
use crate::finding::{Part, Severity};
use crate::pointer;
use crate::profile::Check;
use crate::rules::schema::place;
use crate::rules::{SchemaSite, say};
use crate::schema::walk::Node;
use crate::schema::{Dialect, Via};
use serde_json::{Map, Value};

pub(super) fn check(check: &Check, site: &SchemaSite<'_>, out: &mut Report<'_, '_>) {
    match check {
        Check::RootType { .. } => {
            if site.view.schema.get("type").and_then(Value::as_str) != Some("object") {
                let which = if site.is_input { "inputSchema" } else { "outputSchema" };
                out.emit(site.at(""), format!("the root of `{which}` does not say `\"type\": \"object\"`"));
            }
        }
        Check::PropertiesMember { everywhere } => each(site, |i, node, members| {
            let is_object = members.get("type").and_then(Value::as_str) == Some("object");
            if is_object && !members.contains_key("properties") && (*everywhere || node.pointer.is_empty()) {
                out.emit(
                    site.at(&node.pointer),
                    format!("the schema of {} has no `properties`", place::name(site, i)),
                );
            }
        }),
        Check::PropertiesMap => each(site, |i, node, members| {
            if members.get("properties").is_some_and(|p| !p.is_object()) {
                let message = format!("`properties` of {} is no object", place::name(site, i));
                out.emit(site.at(&pointer::child(&node.pointer, "properties")), message);
            }
        }),
        Check::ItemsMember => each(site, |i, node, members| {
            if says_type(members, "array")
                && !members.contains_key("items")
                && !members.contains_key("prefixItems")
            {
                out.emit(
                    site.at(&node.pointer),
                    format!("the array schema of {} has no `items`", place::name(site, i)),
                );
            }
        }),
        Check::ItemsSchema => each(site, |i, node, members| {
            if members.get("items").is_some_and(Value::is_array) {
                let message = format!("`items` of {} is a list of schemas", place::name(site, i));
                out.emit(site.at(&pointer::child(&node.pointer, "items")), message);
            }
        }),
        Check::TypeMember { unless } => each(site, |i, node, members| {
            let is_parameter = matches!(
                node.via,
                Via::Property(_)
                    | Via::Items
                    | Via::PrefixItem(_)
                    | Via::AnyOf(_)
                    | Via::AdditionalProperties
            );
            if is_parameter
                && !members.contains_key("type")
                && !unless.iter().any(|k| members.contains_key(k))
            {
                out.emit(
                    site.at(&node.pointer),
                    format!("the schema of {} has no `type`", place::name(site, i)),
                );
            }
        }),
        Check::SingleType => each(site, |i, node, members| {
            if let Some(Value::Array(types)) = members.get("type") {
                let message = format!("`type` of {} is a list of {}", place::name(site, i), types.len());
                out.emit(site.at(&pointer::child(&node.pointer, "type")), message);
            }
        }),
        Check::BooleanSchemas => {
            for (i, node) in site.view.nodes().iter().enumerate() {
                if let (Value::Bool(value), Via::Property(_)) = (node.schema, &node.via) {
                    out.emit(
                        site.at(&node.pointer),
                        format!("the schema of {} is {value}", place::name(site, i)),
                    );
                }
            }
        }
        Check::Dialects { allowed } => {
            let dialect = site.view.dialect;
            if dialect != Dialect::Unknown && !allowed.iter().any(|a| a == dialect.name()) {
                let differs = read_otherwise(site);
                let why = differs.map(|k| format!("; the two read `{k}` differently")).unwrap_or_default();
                let judged = allowed.join(" or ");
                let message =
                    format!("the schema declares {}, and is judged as {judged}{why}", dialect.name());
                let finding = out.emit(site.at("/$schema"), message);
                if differs.is_none() {
                    finding.severity = Severity::Info;
                }
            }
        }
        _ => enums(check, site, out),
    }
}

/// The first keyword that an older draft and 2020-12 read differently.
fn read_otherwise(site: &SchemaSite<'_>) -> Option<&'static str> {
    let differs = |members: &Map<String, Value>| {
        let list = members.get("items").is_some_and(Value::is_array).then_some("items");
        let flag = ["exclusiveMinimum", "exclusiveMaximum"]
            .into_iter()
            .find(|k| members.get(*k).is_some_and(Value::is_boolean));
        let beside = (members.contains_key("$ref") && members.len() > 1).then_some("$ref");
        let gone = ["dependencies", "additionalItems", "id", "$recursiveRef"]
            .into_iter()
            .find(|k| members.contains_key(*k));
        list.or(flag).or(beside).or(gone)
    };
    site.view.nodes().iter().find_map(|n| differs(n.schema.as_object()?))
}

fn enums(check: &Check, site: &SchemaSite<'_>, out: &mut Report<'_, '_>) {
    match check {
        Check::EnumOfStrings => each(site, |i, node, members| {
            let Some(Value::Array(values)) = members.get("enum") else { return };
            if let Some(value) = values.iter().find(|v| !v.is_string()) {
                let (of, value) = (place::name(site, i), place::value(value));
                out.emit(
                    site.at(&pointer::child(&node.pointer, "enum")),
                    format!("`enum` of {of} holds {value}, which is no string"),
                );
            }
        }),
        Check::EnumType => each(site, |i, node, members| {
            if members.contains_key("enum") && !members.contains_key("type") {
                out.emit(
                    site.at(&node.pointer),
                    format!("{} has an `enum` and no `type`", place::name(site, i)),
                );
            }
        }),
        Check::EnumNotEmpty => each(site, |i, node, members| {
            let Some(Value::Array(values)) = members.get("enum") else { return };
            if values.is_empty() || values.iter().any(|v| v.as_str() == Some("")) {
                let what = if values.is_empty() { "is empty" } else { "holds an empty string" };
                out.emit(
                    site.at(&pointer::child(&node.pointer, "enum")),
                    format!("`enum` of {} {what}", place::name(site, i)),
                );
            }
        }),
        Check::Formats { string, integer, number, .. } => each(site, |i, node, members| {
            let Some(Value::String(format)) = members.get("format") else { return };
            let known = if says_type(members, "string") {
                Some(string)
            } else if says_type(members, "integer") {
                integer.as_ref()
            } else if says_type(members, "number") {
                number.as_ref()
            } else {
                None
            };
            if known.is_some_and(|known| !known.contains(format)) {
                let message = format!(
                    "the format {} of {} is not known here",
                    say::quoted(format),
                    place::name(site, i)
                );
                out.emit(site.at(&pointer::child(&node.pointer, "format")), message).evidence =
                    Some(format.clone());
            }
        }),
        Check::RequiredDeclared => each(site, |i, node, members| {
            let Some(Value::Array(required)) = members.get("required") else { return };
            let declared = members.get("properties").and_then(Value::as_object);
            for (n, name) in required.iter().enumerate() {
                let Some(name) = name.as_str() else { continue };
                if declared.is_none_or(|d| !d.contains_key(name)) {
                    let at = pointer::child(&pointer::child(&node.pointer, "required"), &n.to_string());
                    let of = place::name(site, i);
                    out.emit(
                        site.at(&at),
                        format!(
                            "`required` of {of} names {}, which `properties` beside it does not declare",
                            say::quoted(name)
                        ),
                    );
                }
            }
        }),
        Check::PropertyKeys { pattern, everywhere } => keys(pattern, *everywhere, site, out),
        _ => {}
    }
}

fn keys(pattern: &str, everywhere: bool, site: &SchemaSite<'_>, out: &mut Report<'_, '_>) {
    let Some(regex) = out.pattern else { return };
    for node in site.view.nodes() {
        let Via::Property(key) = &node.via else { continue };
        if (everywhere || node.parent == Some(0)) && !regex.is_match(key) {
            let culprit = super::texts::culprit(key, regex);
            let message =
                format!("the parameter name {} does not match `^{pattern}$`{culprit}", say::quoted(key));
            let finding = out.emit(site.at(&node.pointer), message);
            finding.part = Part::Key;
            finding.evidence = Some(key.clone());
        }
    }
}

/// Whether `type` is `wanted`, alone or beside null.
fn says_type(members: &Map<String, Value>, wanted: &str) -> bool {
    match members.get("type") {
        Some(Value::String(t)) => t == wanted,
        Some(Value::Array(types)) => types.iter().any(|t| t.as_str() == Some(wanted)),
        _ => false,
    }
}

/// Calls `found` for every subschema that is an object.
pub(super) fn each<'v>(
    site: &'v SchemaSite<'_>,
    mut found: impl FnMut(usize, &'v Node<'_>, &'v Map<String, Value>),
) {
    for (i, node) in site.view.nodes().iter().enumerate() {
        if let Some(members) = node.schema.as_object() {
            found(i, node, members);
        }
    }
}
