//! MCP-ANNOTATION-CONTRADICTORY: hints that cannot both hold.

use super::hints::Hints;
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};

pub(super) struct Contradictory;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-ANNOTATION-CONTRADICTORY",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Agent,
    summary: "A tool's annotations contradict each other",
    rationale: "`readOnlyHint: true` says that the tool changes nothing, `destructiveHint: true` that it may
destroy something. By the specification `destructiveHint` counts only where `readOnlyHint` is false,
so **`readOnlyHint` wins** and the call runs without a question. Hosts that look at
`destructiveHint` alone do the opposite. One of the two is wrong, and if it is the first, something
is deleted without anybody being asked.

Only that pair is reported. `idempotentHint` counts no more than `destructiveHint` beside
`readOnlyHint: true`: `false` is its default, spelt out by many frameworks, and misleads nobody.
`destructiveHint: false` and `idempotentHint: true` are consistent, and some stores ask for them.",
    help: "Decide whether the tool changes anything, and set `readOnlyHint` by that; then drop the hint that contradicts it",
    bad: r#"{
  "tools": [
    {
      "name": "export_orders",
      "description": "Export the orders of one day as CSV.",
      "inputSchema": {
        "type": "object",
        "properties": {"day": {"type": "string", "format": "date", "description": "The day."}},
        "required": ["day"],
        "additionalProperties": false
      },
      "annotations": {"readOnlyHint": true, "destructiveHint": true}
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "export_orders",
      "description": "Export the orders of one day as CSV.",
      "inputSchema": {
        "type": "object",
        "properties": {"day": {"type": "string", "format": "date", "description": "The day."}},
        "required": ["day"],
        "additionalProperties": false
      },
      "annotations": {"readOnlyHint": true, "destructiveHint": false}
    }
  ]
}"#,
    sources: &["https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations"],
};

impl Rule for Contradictory {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let Some(hints) = Hints::of(tool) else { return };
        if hints.read_only != Some(true) {
            return;
        }
        if hints.destructive == Some(true) {
            let who = say::tool(tool);
            let message = format!("{who} is marked read-only and destructive; read-only is what counts");
            out.emit(tool.at("/annotations/destructiveHint"), message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn read_only_against_the_others() {
        let found = check(
            &Contradictory,
            &json!([
                {"name": "a", "annotations": {"readOnlyHint": true, "destructiveHint": true}},
                {"name": "b", "annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true}},
                {"name": "c", "annotations": {"readOnlyHint": true, "idempotentHint": false}},
                {"name": "d", "annotations": {"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false}},
                {"name": "e", "annotations": {"readOnlyHint": "true", "destructiveHint": true}},
                {"name": "f"}
            ]),
        );
        assert_eq!(places(&found), [("/tools/0/annotations/destructiveHint", Severity::Warning)]);
    }
}
