//! MCP-TOOL-NAME-MISSING: no name to call the tool by.

use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use serde_json::Value;

pub(super) struct NameMissing;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-TOOL-NAME-MISSING",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Server,
    summary: "A tool has no name, or one that is not a non-empty string",
    rationale:
        "`name` is what a `tools/call` request names. Without it the tool cannot be called, and a client that
checks the listing as a whole refuses all of it. A name that is a number, null or an empty string is
no better; an empty name is also refused by every model API.",
    help: "Give the tool a `name`: a non-empty string of letters, digits, `_`, `-` or `.`",
    bad: r#"{
  "tools": [
    {
      "title": "List the shops",
      "description": "List all shops that are open today.",
      "inputSchema": {"type": "object", "additionalProperties": false}
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "list_shops",
      "title": "List the shops",
      "description": "List all shops that are open today.",
      "inputSchema": {"type": "object", "additionalProperties": false}
    }
  ]
}"#,
    sources: &["https://modelcontextprotocol.io/specification/2026-07-28/server/tools"],
};

impl Rule for NameMissing {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let Some(entry) = tool.tool.value.as_object() else { return };
        let nth = tool.tool.index + 1;
        match entry.get("name") {
            None => {
                out.emit(tool.at(""), format!("the tool at position {nth} has no `name`"));
            }
            Some(Value::String(name)) if name.trim().is_empty() => {
                out.emit(tool.at("/name"), format!("the name of the tool at position {nth} is empty"));
            }
            Some(Value::String(_)) => {}
            Some(other) => {
                let kind = say::kind(other);
                let message = format!("the name of the tool at position {nth} is {kind}, not a string");
                out.emit(tool.at("/name"), message).evidence = Some(say::shown(other));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn absent_empty_or_of_another_kind() {
        let found = check(
            &NameMissing,
            &json!([{}, {"name": ""}, {"name": " \t"}, {"name": 7}, {"name": null}, {"name": "x"}, "not an object"]),
        );
        let at: Vec<_> = places(&found).into_iter().map(|(pointer, _)| pointer).collect();
        assert_eq!(at, ["/tools/0", "/tools/1/name", "/tools/2/name", "/tools/3/name", "/tools/4/name"]);
        assert_eq!(found[3].evidence.as_deref(), Some("7"));
    }
}
