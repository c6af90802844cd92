//! MCP-TOOL-TASK-SUPPORT: `execution.taskSupport` has a value that no client knows.

use crate::finding::{Confidence, Impact, Severity};
use crate::manifest::Revision;
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};

pub(super) struct TaskSupport;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-TOOL-TASK-SUPPORT",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Server,
    summary: "`execution.taskSupport` is none of `forbidden`, `optional` and `required`",
    rationale: "`execution.taskSupport` tells a client whether it may run the tool as a task and poll for
the result. It has three values, and a typed client refuses the listing when it meets a fourth
(`true`, `\"supported\"`, `\"Required\"`).

The field belongs to revision 2025-11-25. In 2026-07-28 tasks became an extension of their own, and
clients of that revision pass over the field; there the finding is a warning, since a server rarely
serves the newest clients alone.",
    help: "Write \"forbidden\", \"optional\" or \"required\", or leave `execution` out (which means forbidden)",
    bad: r#"{
  "protocolVersion": "2025-11-25",
  "tools": [
    {
      "name": "render_film",
      "description": "Render a film from a storyboard. Takes several minutes.",
      "inputSchema": {
        "type": "object",
        "properties": {"storyboard": {"type": "string", "description": "Id of the storyboard."}},
        "required": ["storyboard"],
        "additionalProperties": false
      },
      "execution": {"taskSupport": "supported"}
    }
  ]
}"#,
    good: r#"{
  "protocolVersion": "2025-11-25",
  "tools": [
    {
      "name": "render_film",
      "description": "Render a film from a storyboard. Takes several minutes.",
      "inputSchema": {
        "type": "object",
        "properties": {"storyboard": {"type": "string", "description": "Id of the storyboard."}},
        "required": ["storyboard"],
        "additionalProperties": false
      },
      "execution": {"taskSupport": "optional"}
    }
  ]
}"#,
    sources: &["https://modelcontextprotocol.io/specification/2025-11-25/schema#toolexecution"],
};

impl Rule for TaskSupport {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let revision = manifest.revision();
        if revision < Revision::V2025_11_25 {
            return;
        }
        let Some(value) = tool.tool.value.pointer("/execution/taskSupport") else { return };
        if matches!(value.as_str(), Some("forbidden" | "optional" | "required")) {
            return;
        }
        let shown = value.as_str().map_or_else(|| say::kind(value).to_string(), say::quoted);
        let message = format!("`execution.taskSupport` of {} is {shown}", say::tool(tool));
        let finding = out.emit(tool.at("/execution/taskSupport"), message);
        finding.evidence = Some(say::shown(value));
        if revision > Revision::V2025_11_25 {
            finding.severity = Severity::Warning;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, check_in, places};
    use serde_json::{Value, json};

    #[test]
    fn three_values_and_no_other() {
        let with = |v: Value| json!({"name": "a", "execution": {"taskSupport": v}});
        for good in ["forbidden", "optional", "required"] {
            assert!(check_in(&TaskSupport, Revision::V2025_11_25, &with(json!(good))).is_empty());
        }
        for bad in [json!(true), json!("Required"), json!("supported"), json!(null), json!("")] {
            assert_eq!(
                places(&check_in(&TaskSupport, Revision::V2025_11_25, &with(bad.clone()))),
                [("/tools/0/execution/taskSupport", Severity::Error)],
                "{bad}"
            );
        }
        assert!(check(&TaskSupport, &json!({"name": "a", "execution": {}})).is_empty());
    }

    #[test]
    fn by_revision() {
        let tool = json!({"name": "a", "execution": {"taskSupport": "x"}});
        assert!(check_in(&TaskSupport, Revision::V2025_06_18, &tool).is_empty());
        assert_eq!(
            places(&check_in(&TaskSupport, Revision::V2026_07_28, &tool)),
            [("/tools/0/execution/taskSupport", Severity::Warning)]
        );
    }
}
