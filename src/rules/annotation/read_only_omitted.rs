//! MCP-ANNOTATION-READ-ONLY-OMITTED: a reading tool has hints, but not the one that matters.

use super::acts::{self, Ground};
use super::hints::Hints;
use super::verbs::{Act, Weight};
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};

pub(super) struct ReadOnlyOmitted;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-ANNOTATION-READ-ONLY-OMITTED",
    severity: Severity::Info,
    confidence: Confidence::Medium,
    impact: Impact::Agent,
    summary: "A tool that reads has annotations without `readOnlyHint`",
    rationale: "`readOnlyHint` is false where it is left out, so a tool that only reads counts as one that
writes, and hosts ask before every call of it. `destructiveHint: false` does not say the same: it
means \"writes, but only adds\".

The rule reads name and description as MCP-ANNOTATION-CONTRADICTS-NAME does. It reports tools that
state some hint; those without any are MCP-ANNOTATION-ABSENT.",
    help: "Add `readOnlyHint: true` if the tool changes nothing",
    bad: r#"{
  "tools": [
    {
      "name": "get_order",
      "description": "Get one order by number.",
      "inputSchema": {
        "type": "object",
        "properties": {"number": {"type": "integer", "description": "Number of the order."}},
        "required": ["number"],
        "additionalProperties": false
      },
      "annotations": {"openWorldHint": false}
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "get_order",
      "description": "Get one order by number.",
      "inputSchema": {
        "type": "object",
        "properties": {"number": {"type": "integer", "description": "Number of the order."}},
        "required": ["number"],
        "additionalProperties": false
      },
      "annotations": {"readOnlyHint": true, "openWorldHint": false}
    }
  ]
}"#,
    sources: &["https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations"],
};

impl Rule for ReadOnlyOmitted {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let Some(hints) = Hints::of(tool) else { return };
        // A read that states `destructiveHint: true` contradicts its name, which is reported as that.
        if hints.read_only.is_some() || hints.says_nothing() || hints.destructive == Some(true) {
            return;
        }
        let reads = acts::of(tool).is_some_and(|c| {
            c.verb.act == Act::Reads && c.verb.weight == Weight::Strong && c.ground >= Ground::Named
        });
        if reads {
            let message = format!(
                "{} seems to read only, but `readOnlyHint` is left out and counts as false",
                say::tool(tool)
            );
            out.emit(tool.at("/annotations"), message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn reads_with_hints_but_without_that_one() {
        let found = check(
            &ReadOnlyOmitted,
            &json!([
                {"name": "get_a", "annotations": {"openWorldHint": true}},
                {"name": "get_a", "annotations": {"destructiveHint": false}},
                {"name": "get_a", "annotations": {"readOnlyHint": false, "openWorldHint": true}},
                {"name": "get_a", "annotations": {"destructiveHint": true}},
                {"name": "get_a", "annotations": {"title": "A"}},
                {"name": "update_a", "annotations": {"openWorldHint": true}},
                {"name": "a", "annotations": {"openWorldHint": true}}
            ]),
        );
        assert_eq!(
            places(&found),
            [("/tools/0/annotations", Severity::Info), ("/tools/1/annotations", Severity::Info)]
        );
    }
}
