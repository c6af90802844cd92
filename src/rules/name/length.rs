//! MCP-NAME-LENGTH: a name longer than the specification advises.

use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};

pub(super) struct Length;

/// Characters, by the specification's SHOULD.
const MOST: usize = 128;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-NAME-LENGTH",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "A tool's name has more than 128 characters",
    rationale: "The specification says that names SHOULD have 1 to 128 characters. Most model APIs stop at
64, and clients put the server's name in front; those limits are judged by the COMPAT rules of each
client. Beyond 128 no known client can call the tool.",
    help: "Shorten the name; details belong into the description",
    bad: r#"{
  "tools": [
    {
      "name": "list_all_of_the_shops_that_are_open_today_in_the_town_that_was_chosen_by_the_user_or_in_all_towns_of_the_region_if_none_was_chosen_at_all",
      "description": "List all shops that are open today.",
      "inputSchema": {"type": "object", "additionalProperties": false}
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "list_open_shops",
      "description": "List all shops that are open today.",
      "inputSchema": {"type": "object", "additionalProperties": false}
    }
  ]
}"#,
    sources: &["https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names"],
};

impl Rule for Length {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let Some(name) = tool.tool.name() else { return };
        let length = name.chars().count();
        if length > MOST {
            let message =
                format!("the name of {} has {length} characters; {MOST} is the most", say::tool(tool));
            out.emit(tool.at("/name"), message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn characters_count_not_bytes() {
        assert!(check(&Length, &json!({"name": "x".repeat(128)})).is_empty());
        assert!(check(&Length, &json!({"name": "é".repeat(128)})).is_empty());
        assert_eq!(
            places(&check(&Length, &json!({"name": "x".repeat(129)}))),
            [("/tools/0/name", Severity::Warning)]
        );
    }
}
