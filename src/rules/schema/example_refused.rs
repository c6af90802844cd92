//! MCP-SCHEMA-EXAMPLE-REFUSED.

use super::sample_refused;
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView};

pub struct ExampleRefused;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-EXAMPLE-REFUSED",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Agent,
    summary: "an example that its own schema refuses",
    rationale: "`examples` teach the agent what a good value looks like. One that does not validate teaches it to \
        make calls that fail. The judge decides, in the schema's own context; `format` is not asserted. OpenAPI's \
        `example` is held to the same.",
    help: "Correct the example, or the schema that refuses it. `examples` is a list of values",
    bad: r#"{"tools": [{"name": "top", "description": "List the top entries.", "inputSchema": {"type": "object",
        "properties": {"n": {"type": "integer", "minimum": 1, "examples": [10, "all"]}}}}]}"#,
    good: r#"{"tools": [{"name": "top", "description": "List the top entries.", "inputSchema": {"type": "object",
        "properties": {"n": {"type": "integer", "minimum": 1, "examples": [10, 25]}},
        "additionalProperties": false}}]}"#,
    sources: &["JSON Schema 2020-12 validation, 9.5"],
};

impl Rule for ExampleRefused {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        sample_refused::report(site, sample_refused::Kind::Example, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::{Value, json};

    fn found(property: Value) -> Vec<String> {
        let tool = json!([{"name": "a", "inputSchema": {"type": "object", "properties": {"p": property}}}]);
        check(&ExampleRefused, &tool)
            .into_iter()
            .map(|f| f.pointer.replace("/tools/0/inputSchema/properties/p", ""))
            .collect()
    }

    #[test]
    fn fires_for_each_bad_one() {
        assert_eq!(
            found(json!({"type": "integer", "examples": [1, "2", 3.5]})),
            ["/examples/1", "/examples/2"]
        );
        assert_eq!(found(json!({"type": "integer", "example": "2"})), ["/example"]);
    }

    #[test]
    fn is_quiet() {
        for property in [
            json!({"type": "integer", "examples": [1, 2]}),
            json!({"examples": ["anything", 2]}),
            json!({"type": "object", "properties": {"examples": {"type": "string"}}}),
            json!({"type": "string", "format": "email", "examples": ["nobody"]}),
        ] {
            assert!(found(property.clone()).is_empty(), "{property}");
        }
    }
}
