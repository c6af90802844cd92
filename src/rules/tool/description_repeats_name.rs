//! MCP-TOOL-DESCRIPTION-REPEATS-NAME: the description is the name in other letters.

use crate::finding::{Confidence, Impact, Severity};
use crate::rules::name::words;
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use serde_json::Value;

pub(super) struct DescriptionRepeatsName;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-TOOL-DESCRIPTION-REPEATS-NAME",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Agent,
    summary: "A description only repeats the tool's name",
    rationale: "A description that is the name again tells an agent nothing: not when to call the tool, not
what comes back, not how it differs from its neighbours.

A description *identical* to the name is usually a placeholder of a framework, and a warning. One
that has the same words as the name or the title (`list_users`: \"List users.\") is information
only: with a clear name it may be enough.",
    help: "Say what the tool does beyond its name: what it returns, when to use it, how it differs from similar tools",
    bad: r#"{
  "tools": [
    {
      "name": "sync_record",
      "description": "sync_record",
      "inputSchema": {
        "type": "object",
        "properties": {"id": {"type": "string", "description": "Id of the record."}},
        "required": ["id"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "sync_record",
      "description": "Copy one record to the replica now, instead of waiting for the nightly run.",
      "inputSchema": {
        "type": "object",
        "properties": {"id": {"type": "string", "description": "Id of the record."}},
        "required": ["id"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    sources: &["https://arxiv.org/abs/2602.18914"],
};

/// A longer text says more than a name, and may be long enough that its words do not fit in memory.
const MAX_REPETITION: usize = 2000;

impl Rule for DescriptionRepeatsName {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let Some(name) = tool.tool.name() else { return };
        let Some(text) = tool.tool.value.get("description").and_then(Value::as_str) else { return };
        // Nothing so long repeats a name, and a description can be megabytes.
        if text.len() > 4 * name.len() + 40 {
            return;
        }
        if text.len() > MAX_REPETITION {
            return;
        }
        let said = words::of(text);
        // No words in either: a text in a script without word borders, or a blank one.
        if said.is_empty() || said != words::of(name) {
            return;
        }
        let who = say::tool(tool);
        if text.trim() == name {
            out.emit(tool.at("/description"), format!("the description of {who} is its name again"));
        } else {
            let message = format!("the description of {who} has the words of its name and no other");
            out.emit(tool.at("/description"), message).severity = Severity::Info;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn identical_is_worse_than_the_same_words() {
        let found = check(
            &DescriptionRepeatsName,
            &json!([
                {"name": "list_users", "description": "list_users"},
                {"name": "listUsers", "description": "List users."},
                {"name": "list_users", "description": "List users of a team."},
                {"name": "list_users", "description": ""},
                {"name": "查询", "description": "天气"},
                {"name": "list_users"}
            ]),
        );
        assert_eq!(
            places(&found),
            [("/tools/0/description", Severity::Warning), ("/tools/1/description", Severity::Info)]
        );
    }
}
