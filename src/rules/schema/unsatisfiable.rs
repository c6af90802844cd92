//! MCP-SCHEMA-UNSATISFIABLE.

use super::impossible;
use crate::finding::{Confidence, Impact, Severity};
use crate::generate::GenerateVerdict;
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView};

pub struct Unsatisfiable;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-UNSATISFIABLE",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "no arguments at all are valid: the tool cannot be called",
    rationale: "The keywords at the root of the schema contradict each other, so every call is refused, whatever the \
        agent sends. The schema algebra *proves* this; the finding names the keywords that conflict, and shows the \
        arguments that an agent would try, which the judge refuses.\n\n\
        A contradiction inside one parameter is reported at that parameter (MCP-SCHEMA-PARAMETER-UNSATISFIABLE), a \
        required name that a closed object forbids by MCP-SCHEMA-REQUIRED-UNDECLARED.",
    help: "Relax or delete one of the keywords that the message names",
    bad: r#"{"tools": [{"name": "move", "description": "Move a file.", "inputSchema": {"type": "object",
        "properties": {"from": {"type": "string"}, "to": {"type": "string"}}, "required": ["from", "to"],
        "maxProperties": 1}}]}"#,
    good: r#"{"tools": [{"name": "move", "description": "Move a file.", "inputSchema": {"type": "object",
        "properties": {"from": {"type": "string"}, "to": {"type": "string"}}, "required": ["from", "to"]}}]}"#,
    sources: &["jsonschema crate, schema canonicalisation: the proof"],
};

impl Rule for Unsatisfiable {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        let mut said = false;
        for impossible in impossible::all(site) {
            said |= impossible.fatal;
            if !site.view.reach().is_about_the_root(impossible.node) {
                continue; // MCP-SCHEMA-PARAMETER-UNSATISFIABLE
            }
            let Some(node) = site.view.nodes().get(impossible.node) else { continue };
            let so = match (impossible.fatal, site.is_input) {
                (true, true) => "no arguments are valid, so the tool cannot be called",
                (true, false) => "no output is valid, so the tool cannot answer",
                (false, _) => "nothing satisfies this part of the schema",
            };
            let witness = out.unless_full(|| impossible::attempt(site, impossible.node));
            let message = format!("{so}: {}", impossible.because);
            let finding = out.emit_with_witness(site.at(&node.pointer), message, witness);
            if !impossible.fatal {
                finding.severity = Severity::Warning;
            }
        }
        if !said && site.search().is_some_and(|s| s.verdict == GenerateVerdict::Unsatisfiable) {
            let so = if site.is_input {
                "no arguments are valid, so the tool cannot be called"
            } else {
                "no output is valid, so the tool cannot answer"
            };
            let witness = impossible::attempt(site, 0);
            let message = format!("{so}: an exhaustive search found that its keywords exclude each other");
            out.emit_with_witness(site.at(""), message, witness);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use crate::schema::Satisfiability;
    use serde_json::{Value, json};

    fn found(schema: Value) -> Vec<(String, String, Option<Value>)> {
        check(&Unsatisfiable, &json!([{"name": "a", "inputSchema": schema}]))
            .into_iter()
            .map(|f| (f.pointer, f.message, f.witness))
            .collect()
    }

    #[test]
    fn what_only_the_search_proves_is_said() {
        for schema in [
            json!({"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/$defs/s"}}, "$defs": {
                "s": {"type": "string", "allOf": [{"$ref": "#/$defs/x"}, {"pattern": "^b"}]}, "x": {"pattern": "^a"}}}),
            json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "array", "minItems": 1,
                "items": {"type": "string", "allOf": [{"pattern": "^a"}, {"pattern": "^b"}]}}}}),
        ] {
            let view = crate::schema::SchemaView::new(&schema);
            let unknown = |s: &Satisfiability| matches!(s, Satisfiability::Unknown(_));
            assert!(unknown(&view.verdict().satisfiability), "else the algebra says it");
            let found = found(schema.clone());
            assert_eq!(found.len(), 1, "{schema}");
            assert_eq!(found[0].0, "/tools/0/inputSchema");
            assert!(found[0].2.is_some(), "an attempt that is refused");
        }
        // The algebra cannot tell, and there are values: "ab" and the like.
        let alive = json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string",
            "allOf": [{"pattern": "^a"}, {"pattern": "b$"}]}}});
        assert_eq!(found(alive), []);
    }

    #[test]
    fn fires_with_an_attempt() {
        let all = found(
            json!({"type": "object", "properties": {"from": {"type": "string"}, "to": {"type": "string"}},
            "required": ["from", "to"], "maxProperties": 1}),
        );
        let (at, message, witness) = &all[0];
        assert_eq!(at, "/tools/0/inputSchema");
        assert!(message.contains("`required`") && message.contains("`maxProperties`"), "{message}");
        assert_eq!(witness, &Some(json!({"from": "example", "to": "example"})));
    }

    #[test]
    fn a_required_parameter_that_admits_nothing_is_named() {
        let all = found(json!({"type": "object", "properties": {"x": {"not": {}}}, "required": ["x"]}));
        assert!(all[0].1.contains("`required` names `x`"), "{}", all[0].1);
    }

    #[test]
    fn written_so_or_empty_in_every_branch() {
        assert_eq!(found(json!({"type": "object", "not": {}})).len(), 1);
        assert_eq!(found(json!({"type": "object", "anyOf": [false, false]})).len(), 1);
    }

    #[test]
    fn is_quiet() {
        assert!(
            found(
                json!({"type": "object", "properties": {"x": {"minimum": 2, "maximum": 1, "type": "number"}},
            "required": ["x"]})
            )
            .is_empty(),
            "the parameter's rule says so"
        );
        assert!(
            found(json!({"type": "object", "properties": {"a": {}}, "required": ["a"], "maxProperties": 1}))
                .is_empty()
        );
    }
}
