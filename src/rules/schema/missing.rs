//! MCP-INPUT-SCHEMA-MISSING.

use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};

pub struct Missing;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-INPUT-SCHEMA-MISSING",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Server,
    summary: "a tool has no `inputSchema`",
    rationale: "Every revision of MCP requires `inputSchema`. Clients parse the whole listing at once: \
        one tool without it, and many of them drop *all* tools of the server. Where it is let through, the \
        agent knows no argument of the tool.\n\n\
        Formats that leave schemas out by design (an MCPB manifest, say) are not reported.",
    help: "Add an `inputSchema`. For a tool without parameters: \
        {\"type\": \"object\", \"additionalProperties\": false}",
    bad: r#"{"tools": [{"name": "ping", "description": "Check that the server is alive."}]}"#,
    good: r#"{"tools": [{"name": "ping", "description": "Check that the server is alive.",
        "inputSchema": {"type": "object", "additionalProperties": false}}]}"#,
    sources: &["MCP 2026-07-28, server/tools, Data Types › Tool"],
};

impl Rule for Missing {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        if manifest.manifest.partial.is_some() || !tool.tool.value.is_object() {
            return;
        }
        if tool.tool.input_schema().is_none() {
            out.emit(tool.at(""), format!("{} has no `inputSchema`", say::tool(tool)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn fires() {
        assert_eq!(places(&check(&Missing, &json!([{"name": "a"}]))), [("/tools/0", Severity::Error)]);
    }

    #[test]
    fn is_quiet() {
        assert!(
            check(&Missing, &json!([{"name": "a", "inputSchema": {"type": "object"}}, "no tool"])).is_empty()
        );
        assert!(check(&Missing, &json!([{"name": "a", "inputSchema": null}])).is_empty(), "NOT-OBJECT's");
    }
}
