//! MCP-TOOL-DESCRIPTION-MISSING: nothing says what the tool does.

use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use serde_json::Value;

pub(super) struct DescriptionMissing;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-TOOL-DESCRIPTION-MISSING",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Agent,
    summary: "A tool has no description, or an empty one",
    rationale:
        "The description is optional in the specification, but it is what an agent chooses by: with the name
alone it has to guess when to call the tool and what comes back. Clients that search tools by keyword
do not find it at all. An empty string is worse than none in one respect: some model APIs demand at least one
character where the field is present, and refuse the whole request.

Blank text (spaces, line breaks) counts as empty, and so does null.",
    help: "Say in one or two sentences what the tool does, when to use it and what it returns",
    bad: r#"{
  "tools": [
    {
      "name": "rebuild_index",
      "inputSchema": {
        "type": "object",
        "properties": {"index": {"type": "string", "description": "Name of the search index."}},
        "required": ["index"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "rebuild_index",
      "description": "Rebuild one search index from the stored documents. Returns the number of documents.",
      "inputSchema": {
        "type": "object",
        "properties": {"index": {"type": "string", "description": "Name of the search index."}},
        "required": ["index"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    sources: &[
        "https://modelcontextprotocol.io/specification/2026-07-28/server/tools",
        "https://github.com/mcp-use/mcp-use/issues/28",
        "https://github.com/anomalyco/opencode/issues/48582",
    ],
};

impl Rule for DescriptionMissing {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let Some(entry) = tool.tool.value.as_object() else { return };
        let who = say::tool(tool);
        match entry.get("description") {
            None => {
                out.emit(
                    tool.at(""),
                    format!("{who} has no description: an agent has only the name to go by"),
                );
            }
            Some(Value::Null) => {
                out.emit(tool.at("/description"), format!("the description of {who} is null"));
            }
            Some(Value::String(text)) if text.trim().is_empty() => {
                out.emit(tool.at("/description"), format!("the description of {who} is empty"));
            }
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn absent_null_and_blank() {
        let found = check(
            &DescriptionMissing,
            &json!([{"name": "a"}, {"name": "b", "description": null}, {"name": "c", "description": " \n"},
                {"name": "d", "description": "Does d."}, {"name": "e", "description": 5}, 7]),
        );
        let at: Vec<_> = places(&found).into_iter().map(|(pointer, _)| pointer).collect();
        assert_eq!(at, ["/tools/0", "/tools/1/description", "/tools/2/description"]);
    }
}
