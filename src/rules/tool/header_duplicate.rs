//! MCP-TOOL-HEADER-DUPLICATE: two parameters claim one header.

use super::header::{self, KEYWORD};
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use std::collections::BTreeMap;

pub(super) struct HeaderDuplicate;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-TOOL-HEADER-DUPLICATE",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "Two parameters of a tool have the same `x-mcp-header`",
    rationale: "Header names are compared without regard to case, so `Region` and `REGION` are one header,
and it can carry one value. Revision 2026-07-28 demands that the names within one `inputSchema`
differ, and clients must drop a tool in which they do not.",
    help: "Give each parameter a header of its own, or take `x-mcp-header` from all but one",
    bad: r#"{
  "tools": [
    {
      "name": "copy_bucket",
      "description": "Copy a bucket from one region to another.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "source": {"type": "string", "description": "Region to read.", "x-mcp-header": "Region"},
          "target": {"type": "string", "description": "Region to write.", "x-mcp-header": "region"}
        },
        "required": ["source", "target"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "copy_bucket",
      "description": "Copy a bucket from one region to another.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "source": {"type": "string", "description": "Region to read.", "x-mcp-header": "Source-Region"},
          "target": {"type": "string", "description": "Region to write.", "x-mcp-header": "Target-Region"}
        },
        "required": ["source", "target"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    sources: &["https://modelcontextprotocol.io/seps/2243-http-standardization"],
};

impl Rule for HeaderDuplicate {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let mut first: BTreeMap<String, String> = BTreeMap::new();
        for declared in header::declarations(tool, manifest) {
            let Some(name) = declared.value.as_str().filter(|name| !name.is_empty()) else { continue };
            let Some(other) = first.insert(name.to_ascii_lowercase(), declared.parameter.clone()) else {
                continue;
            };
            let message = format!(
                "`{KEYWORD}` {} of {} in {} is already taken by {other} (case does not count)",
                say::quoted(name),
                declared.parameter,
                say::tool(tool)
            );
            out.emit(declared.pointer, message).evidence = Some(say::shown(declared.value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn case_does_not_tell_headers_apart() {
        let string = |header: &str| json!({"type": "string", "x-mcp-header": header});
        let tool = |name: &str, p, q| json!({"name": name, "inputSchema": {"type": "object", "properties": {"p": p, "q": q}}});
        let found = check(
            &HeaderDuplicate,
            &json!([
                tool("a", string("Region"), string("REGION")),
                tool("b", string("Region"), string("Zone")),
                tool("c", string(""), string("")),
                tool("d", json!({"type": "object", "properties": {"r": string("Zone")}}), string("zone"))
            ]),
        );
        assert_eq!(
            places(&found),
            [
                ("/tools/0/inputSchema/properties/q/x-mcp-header", Severity::Error),
                ("/tools/3/inputSchema/properties/q/x-mcp-header", Severity::Error)
            ]
        );
        assert!(found[1].message.contains("already taken by `p.r`"));
    }
}
