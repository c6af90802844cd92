//! MCP-VACUOUS-PARAMETER.

use crate::finding::{Confidence, Impact, Severity};
use crate::rules::schema::place;
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView};
use crate::schema::judge::PlaceJudges;
use crate::schema::reach::Step;
use crate::schema::walk::{Node, Via};
use crate::schema::{empty, probe, witness};
use serde_json::{Map, Value, json};

pub struct Parameter;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-VACUOUS-PARAMETER",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Agent,
    summary: "a parameter that accepts every value",
    rationale: "`{}`, `true` or a description alone: the agent may send a string, a list, `null`, anything, and is never \
        told that it was wrong. Some APIs refuse a parameter without a type outright. It is often an `Any` or \
        `interface{}` of the implementation that leaked into the schema.\n\n\
        *Proven* (the algebra shows that the schema's complement is empty), with a call that carries an absurd value, \
        accepted. A described parameter is for information only: some values really are any JSON. So is a parameter \
        that is an object with nothing said about its members.",
    help: "Say what the value is: a `type`, an `enum`, or `anyOf` of the shapes that are meant",
    bad: r#"{"tools": [{"name": "set_style", "description": "Set a style value.", "inputSchema": {"type": "object",
        "properties": {"value": {}}, "required": ["value"]}}]}"#,
    good: r#"{"tools": [{"name": "set_style", "description": "Set a style value.", "inputSchema": {"type": "object",
        "properties": {"value": {"type": "string"}}, "required": ["value"]}}]}"#,
    sources: &["webstudio-is/webstudio#6009, rekog-labs/MCP-Nest#79: untyped parameters refused or misused"],
};

impl Rule for Parameter {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        if !site.is_input || site.view.judge().is_err() {
            return;
        }
        let found = candidates(site);
        let proven = prove(site, &found);
        for (candidate, proven) in found.iter().zip(proven) {
            if !proven {
                continue;
            }
            let Some(node) = site.view.nodes().get(candidate.node) else { continue };
            let absurd = match candidate.kind {
                Kind::Any => json!([null, {"no": ["such", -1]}]),
                Kind::AnyObject => json!({"no_such_member": [null, -1]}),
            };
            let witness = out.unless_full(|| witness::accepted(&site.view, candidate.node, &absurd));
            if witness.is_none() && !out.is_full() {
                continue;
            }
            let subject = place::name(site, candidate.node);
            let message = match candidate.kind {
                Kind::Any => format!("{subject} accepts every value: its schema constrains nothing"),
                Kind::AnyObject => {
                    format!("{subject} accepts every object: nothing is said about its members")
                }
            };
            let finding = out.emit_with_witness(site.at(&node.pointer), message, witness);
            if matches!(candidate.kind, Kind::AnyObject) || is_described(node.schema) {
                finding.severity = Severity::Info;
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Any,
    AnyObject,
}

struct Candidate {
    node: usize,
    kind: Kind,
    /// What must accept nothing for the proof; `None` where it is plain that nothing is asserted.
    question: Option<Value>,
}

/// Parameters that may accept everything; a cheap look only, the algebra decides.
fn candidates(site: &SchemaSite<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (i, node) in site.view.nodes().iter().enumerate() {
        if !matches!(node.via, Via::Property(_)) || !is_unconditional(site, i) {
            continue;
        }
        let Some(kind) = look(node) else { continue };
        let question = match kind {
            Kind::Any if empty::says_nothing(node.schema) => None,
            Kind::Any => Some(json!({"not": node.schema})),
            Kind::AnyObject => Some(json!({"allOf": [{"type": "object"}, {"not": node.schema}]})),
        };
        found.push(Candidate { node: i, kind, question });
    }
    found
}

/// Whether the parameter is always on offer: reached through keys and `allOf` alone.
fn is_unconditional(site: &SchemaSite<'_>, node: usize) -> bool {
    let Some(way) = site.view.reach().way(node) else { return false };
    let keys = way.iter().all(|(_, s)| matches!(s, Step::Key(_) | Step::Same | Step::ItemBehind(_)));
    let branch = |i: usize| {
        site.view.nodes().get(i).is_some_and(|n| {
            matches!(
                n.via,
                Via::AnyOf(_)
                    | Via::OneOf(_)
                    | Via::AllOf(_)
                    | Via::Then
                    | Via::Else
                    | Via::DependentSchema(_)
            )
        })
    };
    keys && !way.iter().any(|(from, _)| branch(*from))
}

fn look(node: &Node<'_>) -> Option<Kind> {
    let Some(members) = node.schema.as_object() else {
        return (node.schema == &Value::Bool(true)).then_some(Kind::Any);
    };
    match members.get("type") {
        Some(Value::String(t)) if t == "object" => Some(Kind::AnyObject),
        Some(Value::String(_)) => None,
        // `["string", "number", …]`, all of them: everything, in a long-winded way.
        Some(Value::Array(types)) if types.len() < 6 => None,
        _ => (!members.contains_key("enum") && !members.contains_key("const")).then_some(Kind::Any),
    }
}

/// For each candidate, whether it is proven to accept everything of its kind. A value that the judge
/// refuses settles most of them; the algebra is asked about the rest, in one go.
fn prove(site: &SchemaSite<'_>, candidates: &[Candidate]) -> Vec<bool> {
    let mut proven: Vec<bool> = candidates.iter().map(|c| c.question.is_none()).collect();
    let open = unrefuted(site, candidates);
    let Some(mut probes) = (!open.is_empty()).then(|| probe::Probes::new(&site.view)).flatten() else {
        return proven;
    };
    for i in &open {
        if let Some(question) = candidates.get(*i).and_then(|c| c.question.as_ref()) {
            probes.add(question.clone());
        }
    }
    for (i, nothing) in open.into_iter().zip(probes.accept_nothing().unwrap_or_default()) {
        if let Some(entry) = proven.get_mut(i) {
            *entry = nothing;
        }
    }
    proven
}

/// Candidates with a question of which the judge refuses no odd value.
fn unrefuted(site: &SchemaSite<'_>, candidates: &[Candidate]) -> Vec<usize> {
    let asked: Vec<usize> =
        candidates.iter().enumerate().filter(|(_, c)| c.question.is_some()).map(|(i, _)| i).collect();
    let node = |i: usize| candidates.get(i).and_then(|c| site.view.nodes().get(c.node));
    let places: Vec<&str> = asked.iter().filter_map(|i| node(*i)).map(|n| n.pointer.as_str()).collect();
    let judges =
        (!places.is_empty()).then(|| PlaceJudges::compile(site.view.schema, site.view.dialect, &places));
    let Some(Ok(judges)) = judges else { return Vec::new() };
    asked
        .iter()
        .enumerate()
        .filter(|(place, i)| {
            let values = node(**i).map(|n| odd_values(n.schema)).unwrap_or_default();
            let any = candidates.get(**i).is_some_and(|c| matches!(c.kind, Kind::Any));
            values.iter().filter(|v| any || v.is_object()).all(|v| judges.accepts(*place, v))
        })
        .map(|(_, i)| *i)
        .collect()
}

/// One value of each type, and objects with the declared members gone wrong.
fn odd_values(schema: &Value) -> Vec<Value> {
    const MOST: usize = 30;
    let odd = [json!(null), json!(true), json!("verity"), json!(-0.5), json!([[null]]), json!({"": [null]})];
    let declared = schema.get("properties").and_then(Value::as_object);
    let names = declared.into_iter().flatten().map(|(k, _)| k.as_str()).take(MOST);
    let objects = std::iter::once("verity")
        .chain(names)
        .flat_map(|n| odd.iter().map(move |v| Value::Object(Map::from_iter([(n.to_string(), v.clone())]))));
    let mut values: Vec<Value> = objects.collect();
    values.extend(odd.iter().cloned());
    values.push(json!({}));
    values
}

fn is_described(schema: &Value) -> bool {
    schema.get("description").and_then(Value::as_str).is_some_and(|t| !t.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;

    fn found(property: Value) -> Vec<(String, Severity)> {
        let tool = json!([{"name": "a", "inputSchema": {"type": "object", "required": ["id", "p"],
            "properties": {"id": {"type": "string"}, "p": property}, "$defs": {"any": {}, "node": {"type": "object",
            "properties": {"next": {"$ref": "#/$defs/node"}}}}}}]);
        check(&Parameter, &tool)
            .into_iter()
            .map(|f| {
                assert!(f.witness.is_some());
                (f.pointer.replace("/tools/0/inputSchema/properties/p", ""), f.severity)
            })
            .collect()
    }

    #[test]
    fn fires() {
        for property in [
            json!({}),
            json!(true),
            json!({"title": "Value"}),
            json!({"default": null}),
            json!({"$ref": "#/$defs/any"}),
            json!({"anyOf": [{"type": "string"}, {}]}),
            json!({"type": ["string", "number", "object", "array", "boolean", "null"]}),
            json!({"anyOf": [{"type": "object"}, {"not": {"type": "object"}}]}),
        ] {
            assert_eq!(found(property.clone()), [(String::new(), Severity::Warning)], "{property}");
        }
        assert_eq!(found(json!({"description": "Any JSON value."})), [(String::new(), Severity::Info)]);
        assert_eq!(found(json!({"type": "object"})), [(String::new(), Severity::Info)]);
        assert_eq!(
            found(json!({"type": "object", "properties": {"x": {}}})),
            [(String::new(), Severity::Info), ("/properties/x".into(), Severity::Warning)]
        );
        assert_eq!(
            found(
                json!({"type": "array", "items": {"type": "object", "required": ["v"], "properties": {"v": {}}}})
            ),
            [("/items/properties/v".into(), Severity::Warning)]
        );
    }

    #[test]
    fn is_quiet() {
        for property in [
            json!({"type": "string"}),
            json!({"enum": ["a"]}),
            json!({"not": {}}),
            json!(false),
            json!({"minLength": 1}),
            json!({"type": "object", "properties": {"properties": {"type": "string"}, "type": {"type": "string"}}}),
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
            json!({"type": ["string", "null"]}),
            json!({"type": "object", "additionalProperties": false}),
            json!({"const": {}}),
            json!({"$ref": "#/$defs/node"}),
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ] {
            assert!(found(property.clone()).is_empty(), "{property}");
        }
    }
}
