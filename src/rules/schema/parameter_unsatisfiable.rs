//! MCP-SCHEMA-PARAMETER-UNSATISFIABLE.

use super::{impossible, place};
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView};
use crate::schema::reach::Step;
use crate::schema::walk::Via;
use crate::schema::{empty, witness};

pub struct ParameterUnsatisfiable;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-PARAMETER-UNSATISFIABLE",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "no value of a parameter is valid",
    rationale: "Keywords of one parameter contradict each other (`minimum` above `maximum`, an `enum` without a value \
        of the `type`, a length that no match of the `pattern` has): whatever the agent sends is refused. If the \
        parameter is required, the tool cannot be called at all: an error. An optional one is a warning: the agent \
        is offered what can only fail.\n\n\
        Proven by the schema algebra and reported once, at the innermost cause. A parameter written to admit nothing \
        (`false`, `{\"not\": {}}`, what zod's `undefined` and `never` leave behind) is a warning as well.",
    help: "Relax or delete one of the keywords that the message names; leave a parameter out that nobody may give",
    bad: r#"{"tools": [{"name": "resize", "description": "Resize an image.", "inputSchema": {"type": "object",
        "properties": {"width": {"type": "integer", "minimum": 100, "maximum": 10}}, "required": ["width"]}}]}"#,
    good: r#"{"tools": [{"name": "resize", "description": "Resize an image.", "inputSchema": {"type": "object",
        "properties": {"width": {"type": "integer", "minimum": 10, "maximum": 100}}, "required": ["width"]}}]}"#,
    sources: &["jsonschema crate, schema canonicalisation: the proof"],
};

impl Rule for ParameterUnsatisfiable {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        contradictory(site, out);
        if site.is_input {
            forbidden(site, out);
        }
    }
}

fn contradictory(site: &SchemaSite<'_>, out: &mut Sink<'_>) {
    for impossible in impossible::all(site) {
        if site.view.reach().is_about_the_root(impossible.node) {
            continue; // MCP-SCHEMA-UNSATISFIABLE
        }
        let Some(node) = site.view.nodes().get(impossible.node) else { continue };
        let so = match (impossible.fatal, site.is_input) {
            (true, true) => ", so the tool cannot be called",
            (true, false) => ", so the tool cannot answer",
            (false, _) => "",
        };
        let subject = place::name(site, impossible.node);
        let message = format!("no value of {subject} is valid{so}: {}", impossible.because);
        let witness = out.unless_full(|| impossible::attempt(site, impossible.node));
        let finding = out.emit_with_witness(site.at(&node.pointer), message, witness);
        if !impossible.fatal {
            finding.severity = Severity::Warning;
        }
    }
}

/// Optional parameters that are written to admit nothing, and stand in the list all the same.
fn forbidden(site: &SchemaSite<'_>, out: &mut Sink<'_>) {
    for (i, node) in site.view.nodes().iter().enumerate() {
        let (Via::Property(_), true) = (&node.via, empty::is_never(node.schema)) else { continue };
        // Below a branch this is the idiom for "not together with …".
        let Some(way) = site.view.reach().way(i) else { continue };
        let plain = way.iter().all(|(_, s)| matches!(s, Step::Key(_)));
        if !plain || site.view.empty_subschemas().get("").is_some() || site.view.judge().is_err() {
            continue;
        }
        let witness = out.unless_full(|| witness::refused(&site.view, i, &serde_json::json!("example")));
        if witness.is_none() && !out.is_full() {
            continue;
        }
        let subject = place::name(site, i);
        let finding = out.emit_with_witness(
            site.at(&node.pointer),
            format!("{subject} is offered to the agent, and its schema admits no value"),
            witness,
        );
        finding.severity = Severity::Warning;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::{Value, json};

    fn found(schema: Value) -> Vec<(String, Severity)> {
        check(&ParameterUnsatisfiable, &json!([{"name": "a", "inputSchema": schema}]))
            .into_iter()
            .map(|f| {
                assert!(f.witness.is_some(), "{}", f.message);
                (f.pointer.replace("/tools/0/inputSchema", ""), f.severity)
            })
            .collect()
    }

    #[test]
    fn required_is_an_error_and_optional_a_warning() {
        let width = json!({"type": "integer", "minimum": 100, "maximum": 10});
        assert_eq!(
            found(json!({"type": "object", "properties": {"w": width}, "required": ["w"]})),
            [("/properties/w".into(), Severity::Error)]
        );
        assert_eq!(
            found(json!({"type": "object", "properties": {"w": width}})),
            [("/properties/w".into(), Severity::Warning)]
        );
    }

    #[test]
    fn once_at_the_cause() {
        let nested = json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "object", "required": ["b"],
            "properties": {"b": {"$ref": "#/$defs/bad"}}}}, "$defs": {"bad": {"type": "string", "enum": [1, 2]}}});
        assert_eq!(found(nested), [("/$defs/bad".into(), Severity::Error)]);
        let lengths = json!({"type": "object", "properties": {"c": {"type": "string", "pattern": "^[A-Z]{2}$", "enum": ["a"]},
            "l": {"type": "array", "items": {"enum": ["x"]}, "minItems": 2, "uniqueItems": true}}});
        assert_eq!(found(lengths).len(), 2);
        let branches = json!({"type": "object", "required": ["b"], "properties": {"b": {"anyOf": [
            {"type": "integer", "minimum": 2, "maximum": 1}, {"type": "string", "enum": [3]}]}}});
        let found_in = found(branches);
        assert_eq!(
            found_in.iter().map(|f| f.0.as_str()).collect::<Vec<_>>(),
            ["/properties/b/anyOf/0", "/properties/b/anyOf/1"]
        );
        assert_eq!(
            found(json!({"type": "object", "properties": {"e": {"enum": []}}})),
            [("/properties/e".into(), Severity::Warning)]
        );
    }

    #[test]
    fn patterns_and_lengths() {
        let p = |property: Value| json!({"type": "object", "properties": {"p": property}, "required": ["p"]});
        for property in [
            json!({"type": "string", "pattern": "^[A-Z]{2}$", "minLength": 3}),
            json!({"type": "string", "pattern": "^(abc)+$", "minLength": 4, "maxLength": 5}),
            json!({"type": "string", "allOf": [{"pattern": "^a+$"}, {"pattern": "^b+$"}]}),
        ] {
            assert_eq!(found(p(property.clone())), [("/properties/p".into(), Severity::Error)], "{property}");
        }
        assert!(found(p(json!({"type": "string", "pattern": "^[A-Z]{2,5}$", "minLength": 3}))).is_empty());
        assert!(
            found(p(json!({"type": "string", "pattern": "[A-Z]{2}", "minLength": 3, "maxLength": 9})))
                .is_empty()
        );
    }

    #[test]
    fn recursion_without_an_end() {
        let node =
            json!({"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#/$defs/n"}}});
        let tool = json!({"type": "object", "properties": {"head": {"$ref": "#/$defs/n"}}, "required": ["head"], "$defs": {"n": node}});
        assert_eq!(found(tool), [("/$defs/n".into(), Severity::Error)]);
    }

    #[test]
    fn written_to_admit_nothing() {
        assert_eq!(
            found(json!({"type": "object", "properties": {"a": {"not": {}}}})),
            [("/properties/a".into(), Severity::Warning)]
        );
    }

    #[test]
    fn is_quiet() {
        for schema in [
            json!({"type": "object", "additionalProperties": false}),
            json!({"type": "object", "oneOf": [{"properties": {"a": false}}, {"properties": {"b": false}, "required": ["a"]}]}),
            json!({"type": "object", "properties": {"m": {"type": "object", "additionalProperties": {"not": {}}}}}),
            json!({"type": "object", "properties": {"u": {"anyOf": [{"not": {}}, {"type": "string"}]}}}),
            json!({"type": "object", "properties": {"d": {"default": {"minimum": 2, "maximum": 1}}}}),
            json!({"type": "object", "$defs": {"unused": {"type": "string", "enum": [1]}}}),
        ] {
            assert!(found(schema.clone()).is_empty(), "{schema}");
        }
    }
}
