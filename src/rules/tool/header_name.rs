//! MCP-TOOL-HEADER-NAME: the value of `x-mcp-header` cannot be part of a header's name.

use super::header::{self, KEYWORD};
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};

pub(super) struct HeaderName;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-TOOL-HEADER-NAME",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "The value of `x-mcp-header` is not a header name",
    rationale: "`x-mcp-header` (revision 2026-07-28) asks clients on the Streamable HTTP transport to repeat
an argument in the header `Mcp-Param-{value}`. So the value must be a token of RFC 9110: not empty,
ASCII letters, digits and `!#$%&'*+-.^_|~` and the backtick only; no space, colon, comma or line
break. A line break is header injection.

Clients must drop a tool that breaks this from the listing.",
    help: "Use a plain name such as \"Region\" or \"Tenant-Id\"",
    bad: r#"{
  "tools": [
    {
      "name": "run_report",
      "description": "Run one of the stored reports and return its rows.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "region": {"type": "string", "description": "Region whose data is read.", "x-mcp-header": "Data Region:"}
        },
        "required": ["region"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "run_report",
      "description": "Run one of the stored reports and return its rows.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "region": {"type": "string", "description": "Region whose data is read.", "x-mcp-header": "Data-Region"}
        },
        "required": ["region"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    sources: &[
        "https://modelcontextprotocol.io/seps/2243-http-standardization",
        "https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2",
    ],
};

impl Rule for HeaderName {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        for declared in header::declarations(tool, manifest) {
            let what = match declared.value.as_str() {
                None => format!("is {}, not a string", say::kind(declared.value)),
                Some("") => "is empty".to_string(),
                Some(text) if text.contains(['\r', '\n']) => {
                    format!("is {}: a line break in a header name", say::quoted(text))
                }
                Some(text) if header::is_token(text) => continue,
                Some(text) => format!("is {}, not an HTTP token", say::quoted(text)),
            };
            let message = format!("`{KEYWORD}` of {} in {} {what}", declared.parameter, say::tool(tool));
            out.emit(declared.pointer, message).evidence = Some(say::shown(declared.value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Revision;
    use crate::rules::testing::{check, check_in, places};
    use serde_json::{Value, json};

    fn with(value: Value) -> Value {
        json!({"name": "a", "inputSchema": {"type": "object", "properties": {"p": {"type": "string", "x-mcp-header": value}}}})
    }

    #[test]
    fn tokens_of_rfc_9110_only() {
        for good in ["Region", "X-Region", "a", "!#$%&'*+-.^_`|~1"] {
            assert!(check(&HeaderName, &with(json!(good))).is_empty(), "{good}");
        }
        for bad in [
            json!(""),
            json!("Bad Header"),
            json!("A\r\nB: c"),
            json!("A:"),
            json!("Größe"),
            json!("a,b"),
            json!(1),
            json!(null),
            json!("a\tb"),
            json!("(a)"),
            json!("\u{0}"),
        ] {
            assert_eq!(
                places(&check(&HeaderName, &with(bad.clone()))),
                [("/tools/0/inputSchema/properties/p/x-mcp-header", Severity::Error)],
                "{bad}"
            );
        }
    }

    #[test]
    fn a_parameter_of_that_name_is_no_declaration() {
        let tool = json!({"name": "a", "inputSchema": {"type": "object", "properties": {"x-mcp-header": {"type": "string"}}}});
        assert!(check(&HeaderName, &tool).is_empty());
    }

    #[test]
    fn older_revisions_do_not_know_the_keyword() {
        assert!(check_in(&HeaderName, Revision::V2025_11_25, &with(json!(""))).is_empty());
    }
}
