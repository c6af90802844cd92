//! MCP-ANNOTATION-ABSENT: the tool says nothing about what it does to the world.

use super::hints::Hints;
use crate::finding::{Confidence, Impact, Severity};
use crate::manifest::Revision;
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};

pub(super) struct Absent;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-ANNOTATION-ABSENT",
    severity: Severity::Info,
    confidence: Confidence::High,
    impact: Impact::Agent,
    summary: "A tool has no annotations",
    rationale: "Annotations are optional. A tool without them counts as one that writes, may destroy, and
reaches into the open world: those are the specification's defaults. Hosts that ask before such
calls ask on every call of it, and the stores of ChatGPT and Claude turn a server away whose tools
do not state `readOnlyHint` and `destructiveHint`.

An `annotations` object without any hint counts as absent. A listing in which no tool has hints is
reported once, for the listing as a whole, rather than tool by tool.

Revision 2024-11-05 has no annotations, and listings that state it are not reported.",
    help: "Add `annotations` with at least `readOnlyHint`, and `destructiveHint` for a tool that writes",
    bad: r#"{
  "tools": [
    {
      "name": "list_shops",
      "description": "List all shops that are open today.",
      "inputSchema": {"type": "object", "additionalProperties": false}
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "list_shops",
      "description": "List all shops that are open today.",
      "inputSchema": {"type": "object", "additionalProperties": false},
      "annotations": {"readOnlyHint": true, "openWorldHint": false}
    }
  ]
}"#,
    sources: &[
        "https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations",
        "https://github.com/axiomhq/mcp/pull/79",
    ],
};

impl Rule for Absent {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn manifest(&self, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        if manifest.revision() < Revision::V2025_03_26 {
            return;
        }
        let tools = manifest.tools();
        let silent: Vec<&ToolView<'_>> =
            tools.iter().filter(|t| t.tool.value.is_object() && is_silent(t)).collect();
        if tools.len() > 1 && silent.len() == tools.len() {
            out.emit("/tools", format!("none of the {} tools has annotations", tools.len()));
            return;
        }
        for tool in silent {
            if Hints::of(tool).is_some() {
                let message = format!("the annotations of {} have no hint in them", say::tool(tool));
                out.emit_for(tool, tool.at("/annotations"), message);
            } else {
                out.emit_for(tool, tool.at(""), format!("{} has no annotations", say::tool(tool)));
            }
        }
    }
}

fn is_silent(tool: &ToolView<'_>) -> bool {
    Hints::of(tool).is_none_or(Hints::says_nothing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, check_in, places};
    use serde_json::json;

    #[test]
    fn one_finding_where_nobody_says_anything() {
        let found = check(
            &Absent,
            &json!([{"name": "a"}, {"name": "b", "annotations": {}}, {"name": "c", "annotations": {"title": "C"}}]),
        );
        assert_eq!(places(&found), [("/tools", Severity::Info)]);
        assert_eq!(found[0].tool, None);
    }

    #[test]
    fn tool_by_tool_where_some_do() {
        let found = check(
            &Absent,
            &json!([{"name": "a"}, {"name": "b", "annotations": {"title": "B"}}, {"name": "c", "annotations": {"openWorldHint": false}},
                {"name": "d", "annotations": null}]),
        );
        assert_eq!(
            places(&found),
            [
                ("/tools/0", Severity::Info),
                ("/tools/1/annotations", Severity::Info),
                ("/tools/3", Severity::Info)
            ]
        );
        assert_eq!(places(&check(&Absent, &json!({"name": "a"}))), [("/tools/0", Severity::Info)]);
    }

    #[test]
    fn the_first_revision_has_no_annotations() {
        assert!(check_in(&Absent, Revision::V2024_11_05, &json!({"name": "a"})).is_empty());
        assert_eq!(check_in(&Absent, Revision::V2025_03_26, &json!({"name": "a"})).len(), 1);
    }
}
