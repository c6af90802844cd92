//! MCP-VACUOUS-PARAMETER.

use crate::finding::{Confidence, Impact, Severity};
use crate::rules::schema::place;
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView};
use crate::schema::reach::Step;
use crate::schema::walk::{Node, Via};
use crate::schema::{empty, probe, witness};
use serde_json::{Value, json};

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
            let Some(witness) = witness::accepted(&site.view, candidate.node, &absurd) else { continue };
            let subject = place::name(site, candidate.node);
            let message = match candidate.kind {
                Kind::Any => format!("{subject} accepts every value: its schema constrains nothing"),
                Kind::AnyObject => {
                    format!("{subject} accepts every object: nothing is said about its members")
                }
            };
            let finding = out.emit_with_witness(site.at(&node.pointer), message, Some(witness));
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

fn prove(site: &SchemaSite<'_>, candidates: &[Candidate]) -> Vec<bool> {
    let mut probes = None;
    for question in candidates.iter().filter_map(|c| c.question.as_ref()) {
        if let Some(probes) = probes.get_or_insert_with(|| probe::Probes::new(&site.view)) {
            probes.add(question.clone());
        }
    }
    let answers = probes.flatten().and_then(|p| p.accept_nothing().ok()).unwrap_or_default();
    let mut answers = answers.into_iter();
    candidates
        .iter()
        .map(|c| match c.question {
            None => true,
            Some(_) => answers.next().unwrap_or(false),
        })
        .collect()
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
