//! MCP-TOOL-DUPLICATE: two tools of one server have the same name.

use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, say};
use std::collections::BTreeMap;

pub(super) struct Duplicate;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-TOOL-DUPLICATE",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Request,
    summary: "Two tools of the server have the same name",
    rationale: "A tool is called by its name, so of two with the same name one can never be called. Which one differs from
client to client: some keep the first, some the last, and the model may be shown the description of one while the other runs. That
is also a way to hide a tool behind an innocent twin. The model APIs refuse a request whose tool names repeat, and with it
the tools of every other server.

Names are compared as they are written. Names that differ in case or in `-` and `_` alone have a rule of their own
(MCP-NAME-COLLISION). The finding stands at the second and every further tool, and says whether it is the same definition once more.",
    help: "Rename or remove all but one of the tools",
    bad: r#"{
  "tools": [
    {
      "name": "find_order",
      "description": "Find an order by its number.",
      "inputSchema": {
        "type": "object",
        "properties": {"number": {"type": "integer", "minimum": 1, "description": "Number of the order."}},
        "required": ["number"],
        "additionalProperties": false
      }
    },
    {
      "name": "find_order",
      "description": "Find an order by the customer's e-mail address.",
      "inputSchema": {
        "type": "object",
        "properties": {"email": {"type": "string", "format": "email", "description": "Address of the customer."}},
        "required": ["email"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "find_order",
      "description": "Find an order by its number.",
      "inputSchema": {
        "type": "object",
        "properties": {"number": {"type": "integer", "minimum": 1, "description": "Number of the order."}},
        "required": ["number"],
        "additionalProperties": false
      }
    },
    {
      "name": "find_order_by_email",
      "description": "Find an order by the customer's e-mail address.",
      "inputSchema": {
        "type": "object",
        "properties": {"email": {"type": "string", "format": "email", "description": "Address of the customer."}},
        "required": ["email"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    sources: &[
        "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names",
        "https://github.com/modelcontextprotocol/modelcontextprotocol/issues/986",
    ],
};

impl Rule for Duplicate {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn manifest(&self, view: &ManifestView<'_>, out: &mut Sink<'_>) {
        let mut first: BTreeMap<&str, usize> = BTreeMap::new();
        for (i, tool) in view.tools().iter().enumerate() {
            let Some(name) = tool.tool.name() else { continue };
            let Some(&earlier) = first.get(name) else {
                first.insert(name, i);
                continue;
            };
            let same = view.tools().get(earlier).is_some_and(|e| e.tool.value == tool.tool.value);
            let message = format!(
                "tool {} stands in the listing at position {} and again at position {}, {}",
                say::quoted(name),
                earlier + 1,
                i + 1,
                if same { "with the same definition" } else { "with another definition" }
            );
            let finding = out.emit(tool.at("/name"), message);
            finding.tool = Some(name.to_string());
            finding.evidence = Some(name.chars().take(200).collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn equal_names_only() {
        let tools = json!([{"name": "a"}, {"name": "A"}, {"name": "a", "title": "x"}, {"name": "b"}, {"name": "a"},
            {"name": 1}, {"name": 1}, {}, {}, null]);
        let found = check(&Duplicate, &tools);
        assert_eq!(places(&found), [("/tools/2/name", Severity::Error), ("/tools/4/name", Severity::Error)]);
        assert!(found[0].message.contains("position 1 and again at position 3, with another definition"));
        assert!(found[1].message.contains("with the same definition"));
        assert_eq!(found[0].tool.as_deref(), Some("a"));
    }
}
