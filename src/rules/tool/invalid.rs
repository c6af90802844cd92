//! MCP-TOOL-INVALID: the entry is not an object.

use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};

pub(super) struct Invalid;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-TOOL-INVALID",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Server,
    summary: "An entry of the listing is not a tool object",
    rationale:
        "Every entry of `tools` must be an object with at least `name` and `inputSchema`. Clients that are
built on a typed SDK check the whole result of `tools/list` at once: one entry that is a string or
null makes them refuse the listing, and every other tool of the server is lost with it.

The rule looks at the kind of the entry alone. What is inside an object is judged by other rules.",
    help: "Make the entry an object with `name`, `description` and `inputSchema`, or take it out of the listing",
    bad: r#"{
  "tools": [
    {
      "name": "get_weather",
      "description": "Tell the current weather at a place.",
      "inputSchema": {
        "type": "object",
        "properties": {"place": {"type": "string", "description": "Name of a town."}},
        "required": ["place"],
        "additionalProperties": false
      },
      "annotations": {"readOnlyHint": true}
    },
    null
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "get_weather",
      "description": "Tell the current weather at a place.",
      "inputSchema": {
        "type": "object",
        "properties": {"place": {"type": "string", "description": "Name of a town."}},
        "required": ["place"],
        "additionalProperties": false
      },
      "annotations": {"readOnlyHint": true}
    }
  ]
}"#,
    sources: &["https://modelcontextprotocol.io/specification/2026-07-28/server/tools"],
};

impl Rule for Invalid {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let entry = &tool.tool.value;
        if !entry.is_object() {
            let message = format!(
                "entry {} of the listing is {}, not a tool object",
                tool.tool.index + 1,
                say::kind(entry)
            );
            out.emit(tool.at(""), message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn only_objects_are_tools() {
        let found = check(&Invalid, &json!(["a", null, 3, [], true, {}, {"name": "x"}]));
        let expected: Vec<_> = (0..5).map(|i| (format!("/tools/{i}"), Severity::Error)).collect();
        assert_eq!(places(&found), expected.iter().map(|(p, s)| (p.as_str(), *s)).collect::<Vec<_>>());
        assert!(found[1].message.contains("entry 2 of the listing is null"));
    }
}
