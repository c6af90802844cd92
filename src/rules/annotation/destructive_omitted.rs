//! MCP-ANNOTATION-DESTRUCTIVE-OMITTED: an adding tool counts as a destroying one.

use super::acts::{self, Ground};
use super::hints::Hints;
use super::verbs::Act;
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};

pub(super) struct DestructiveOmitted;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-ANNOTATION-DESTRUCTIVE-OMITTED",
    severity: Severity::Info,
    confidence: Confidence::Medium,
    impact: Impact::Agent,
    summary: "A tool that only adds has annotations without `destructiveHint`",
    rationale: "`destructiveHint` is true where it is left out. A tool that creates a draft or adds a
comment is then shown to people as one that may destroy something, and they learn to confirm that.

The rule reads name and description as MCP-ANNOTATION-CONTRADICTS-NAME does and reports tools whose
governing verb adds (create, add, insert, upload …). Tools that update or delete are left alone,
since the default is right for them; so are tools without any hint (MCP-ANNOTATION-ABSENT).",
    help: "Add `destructiveHint: false` if the tool changes nothing that is already there",
    bad: r#"{
  "tools": [
    {
      "name": "create_note",
      "description": "Create a note in the notebook.",
      "inputSchema": {
        "type": "object",
        "properties": {"title": {"type": "string", "description": "Title of the note."}},
        "required": ["title"],
        "additionalProperties": false
      },
      "annotations": {"readOnlyHint": false}
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "create_note",
      "description": "Create a note in the notebook.",
      "inputSchema": {
        "type": "object",
        "properties": {"title": {"type": "string", "description": "Title of the note."}},
        "required": ["title"],
        "additionalProperties": false
      },
      "annotations": {"readOnlyHint": false, "destructiveHint": false}
    }
  ]
}"#,
    sources: &[
        "https://github.com/conorbronsdon/gws-mcp-server/issues/24",
        "https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations",
    ],
};

impl Rule for DestructiveOmitted {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let Some(hints) = Hints::of(tool) else { return };
        if hints.destructive.is_some() || hints.read_only == Some(true) || hints.says_nothing() {
            return;
        }
        let adds = acts::of(tool).is_some_and(|c| {
            c.verb.act == Act::Adds && c.ground >= Ground::Named && c.lead.is_none_or(|l| l.act == Act::Adds)
        });
        if adds {
            let message = format!(
                "{} seems to add only, but `destructiveHint` is left out and counts as true",
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
    fn additions_that_count_as_destruction() {
        let found = check(
            &DestructiveOmitted,
            &json!([
                {"name": "create_draft", "annotations": {"readOnlyHint": false}},
                {"name": "add_comment", "annotations": {"openWorldHint": true}},
                {"name": "create_draft", "annotations": {"readOnlyHint": false, "destructiveHint": false}},
                {"name": "create_draft", "annotations": {"readOnlyHint": true}},
                {"name": "create_draft", "annotations": {"title": "Draft"}},
                {"name": "delete_draft", "annotations": {"readOnlyHint": false}},
                {"name": "update_draft", "annotations": {"readOnlyHint": false}},
                {"name": "draft", "annotations": {"readOnlyHint": false}},
                {"name": "play_schedule", "description": "Run a schedule now", "annotations": {"readOnlyHint": false}}
            ]),
        );
        assert_eq!(
            places(&found),
            [("/tools/0/annotations", Severity::Info), ("/tools/1/annotations", Severity::Info)]
        );
    }
}
