//! MCP-NAME-CONTROL: control characters in a name, or blanks around it.

use crate::finding::{Confidence, Impact, Part, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};

pub(super) struct Control;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-NAME-CONTROL",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "A tool's name has a control character in it, or white space at its ends",
    rationale: "A name is compared byte for byte. A line break, a tab, an escape or a blank at the end is
not seen where the name is shown, so the tool looks like one that it is not, and an agent that
copies what it sees calls a tool that does not exist. Escape sequences in a name also reach
terminals and logs.

No model API accepts such a name. Characters that are invisible without being control characters are
the business of the POISON family.",
    help: "Write the name with letters, digits, `_`, `-` and `.` only",
    bad: r#"{
  "tools": [
    {
      "name": "list_shops\n",
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
      "inputSchema": {"type": "object", "additionalProperties": false}
    }
  ]
}"#,
    sources: &["https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names"],
};

impl Rule for Control {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let Some(name) = tool.tool.name() else { return };
        if name.trim().is_empty() {
            return; // MCP-TOOL-NAME-MISSING
        }
        let who = say::tool(tool);
        if let Some((at, c)) = name.char_indices().find(|(_, c)| c.is_control()) {
            let message = format!("the name of {who} has the control character U+{:04X} in it", u32::from(c));
            let finding = out.emit(tool.at("/name"), message);
            finding.part = Part::Range(at..at + c.len_utf8());
            finding.evidence = Some(c.escape_default().to_string());
        } else if name.trim() != name {
            let message = format!(
                "the name of {who} has white space at its {}",
                if name.trim_start() == name { "end" } else { "start" }
            );
            out.emit(tool.at("/name"), message).evidence = Some(format!("{name:?}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn control_characters_and_outer_blanks() {
        for bad in ["a\n", "a\u{1b}[31mb", "a\u{0}", "a\u{85}b", "a\t", " a", "a ", "\u{a0}a"] {
            assert_eq!(
                places(&check(&Control, &json!({"name": bad}))),
                [("/tools/0/name", Severity::Error)],
                "{bad:?}"
            );
        }
        for fine in ["a", "Get weather", "查询", "", "  "] {
            assert!(check(&Control, &json!({"name": fine})).is_empty(), "{fine:?}");
        }
        let found = check(&Control, &json!({"name": "é\u{7}x"}));
        assert_eq!(found[0].part, Part::Range(2..3));
    }
}
