//! Limits on which keywords a schema may use, and where.

use super::Report;
use crate::finding::{Part, Severity};
use crate::pointer;
use crate::profile::Check;
use crate::rules::schema::place;
use crate::rules::{SchemaSite, say};
use crate::schema::walk::Node;
use crate::schema::{Via, vocabulary};
use serde_json::{Map, Value};

pub(super) fn check(check: &Check, site: &SchemaSite<'_>, out: &mut Report<'_, '_>) {
    match check {
        Check::RootKeywords { forbidden, .. } => {
            let Some(root) = site.view.schema.as_object() else { return };
            for keyword in root.keys().filter(|k| forbidden.contains(k)) {
                let message = format!("`{keyword}` stands at the root of the schema");
                out.emit(site.at(&pointer::child("", keyword)), message).part = Part::Key;
            }
        }
        Check::KeywordsAllowed { allowed } => each(site, |i, node, keyword, value, members| {
            if !allowed.iter().any(|a| a == keyword) && vocabulary::is_keyword(keyword) {
                unknown(site, (i, node), keyword, value, members, out);
            }
        }),
        Check::KeywordsForbidden { forbidden } => each(site, |i, node, keyword, _, _| {
            if forbidden.iter().any(|f| f == keyword) {
                let message = format!("`{keyword}` of {} is not known here", place::name(site, i));
                out.emit(site.at(&pointer::child(&node.pointer, keyword)), message).part = Part::Key;
            }
        }),
        Check::KeywordValues { keyword: wanted, allowed } => each(site, |i, node, keyword, value, _| {
            if keyword == wanted && !allowed.contains(value) {
                let values: Vec<String> = allowed.iter().map(place::value).collect();
                let of = place::name(site, i);
                let message = format!(
                    "`{keyword}` of {of} is {}, and may be {}",
                    place::value(value),
                    say::list(&values, 9)
                );
                out.emit(site.at(&pointer::child(&node.pointer, keyword)), message);
            }
        }),
        Check::Alone { keyword: wanted } => each(site, |i, node, keyword, _, members| {
            if keyword == wanted && members.len() > 1 {
                let beside: Vec<String> =
                    members.keys().filter(|k| *k != wanted).map(|k| say::quoted(k)).collect();
                let of = place::name(site, i);
                out.emit(
                    site.at(&node.pointer),
                    format!("`{keyword}` of {of} stands beside {}", say::list(&beside, 4)),
                );
            }
        }),
        Check::NestedComposition { keywords } => each(site, |i, node, keyword, value, _| {
            let offers =
                |v: &Value| matches!(v.get("type").and_then(Value::as_str), Some("object" | "array"));
            let inside = !node.pointer.is_empty();
            if inside
                && keywords.iter().any(|k| k == keyword)
                && value.as_array().is_some_and(|all| all.iter().any(offers))
            {
                let message = format!("`{keyword}` of {} offers objects or arrays", place::name(site, i));
                out.emit(site.at(&pointer::child(&node.pointer, keyword)), message).part = Part::Key;
            }
        }),
        _ => {}
    }
}

/// Calls `found` for every keyword of every subschema.
fn each<'v>(
    site: &'v SchemaSite<'_>,
    mut found: impl FnMut(usize, &'v Node<'_>, &'v str, &'v Value, &'v Map<String, Value>),
) {
    for (i, node) in site.view.nodes().iter().enumerate() {
        for (keyword, value) in node.schema.as_object().into_iter().flatten() {
            if let Some(members) = node.schema.as_object() {
                found(i, node, keyword, value, members);
            }
        }
    }
}

fn unknown(
    site: &SchemaSite<'_>,
    (i, node): (usize, &Node<'_>),
    keyword: &str,
    value: &Value,
    members: &Map<String, Value>,
    out: &mut Report<'_, '_>,
) {
    let of = place::name(site, i);
    let finding = out.emit(
        site.at(&pointer::child(&node.pointer, keyword)),
        format!("`{keyword}` of {of} is not among the keywords that exist here"),
    );
    finding.part = Part::Key;
    // What says nothing is stripped by every client on the way; what constrains is lost with it.
    if vocabulary::ANNOTATIONS.contains(&keyword) || matches!(node.via, Via::Definition(_)) {
        finding.severity = Severity::Info;
    } else if keyword == "additionalProperties"
        && (value.is_boolean() || value.as_object().is_some_and(Map::is_empty))
    {
        finding.severity = finding.severity.min(Severity::Warning);
    }
    if let Some(instead) = instead(keyword, value, members) {
        finding.help = instead;
    }
}

/// What to write instead of a keyword that a client does not have.
fn instead(keyword: &str, value: &Value, members: &Map<String, Value>) -> Option<String> {
    let is_integer = members.get("type").and_then(Value::as_str) == Some("integer");
    Some(match keyword {
        "exclusiveMinimum" if is_integer && value.is_i64() => {
            format!("Write `\"minimum\": {}`", value.as_i64()?.checked_add(1)?)
        }
        "exclusiveMaximum" if is_integer && value.is_i64() => {
            format!("Write `\"maximum\": {}`", value.as_i64()?.checked_sub(1)?)
        }
        "exclusiveMinimum" | "exclusiveMaximum" => {
            "Write `minimum` or `maximum`, and check the end itself in the server".to_string()
        }
        "const" => format!("Write `\"enum\": [{}]`", place::value(value).trim_matches('`')),
        "$ref" | "$defs" | "definitions" => "Write the definition where it is used".to_string(),
        "oneOf" => "Write `anyOf`, and check in the server that only one alternative fits".to_string(),
        "allOf" => "Merge the schemas into one".to_string(),
        "examples" => "Write one `example`, or put it into the description".to_string(),
        "additionalProperties" if value.is_boolean() => {
            "Leave it out for this client; undeclared arguments are checked in the server".to_string()
        }
        "additionalProperties" => "Write a map as an array of `{name, value}` objects".to_string(),
        "$schema" => "Leave it out; verity and clients take 2020-12 without it".to_string(),
        _ => return None,
    })
}
