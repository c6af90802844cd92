//! MCP-POISON-DESCRIPTION-OUTSIZED: a description far longer than its job and its siblings.

use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use crate::text::Role;

pub(super) struct DescriptionOutsized;

macro_rules! ten_times {
    ($text:expr) => {
        concat!($text, $text, $text, $text, $text, $text, $text, $text, $text, $text)
    };
}

/// 8,250 characters of nothing.
const BAD: &str = concat!(
    r#"{
  "tools": [
    {
      "name": "draw_chart",
      "description": ""#,
    ten_times!(ten_times!(
        "Draws bars, lines and points, in any colour that has a name and in most of the others. "
    )),
    r#"",
      "inputSchema": {
        "type": "object",
        "properties": {
          "rows": {
            "type": "array",
            "items": {
              "type": "number"
            },
            "description": "Values, one a bar."
          }
        },
        "required": [
          "rows"
        ],
        "additionalProperties": false
      }
    }
  ]
}"#
);

static INFO: RuleInfo = RuleInfo {
    id: "MCP-POISON-DESCRIPTION-OUTSIZED",
    severity: Severity::Info,
    confidence: Confidence::Low,
    impact: Impact::Agent,
    summary: "A description is so long that nobody reads it",
    rationale: "Orders hide well in a long text: reviewers skim it, and clients show its first lines. A description of several thousand
characters also costs every request its tokens.

The rule is information only, and never blocks. It reports a description of more than 8,000 characters, or of more than 3,000 that is also
ten times as long as the middle one of this server.",
    help: "Say what the tool does and when to use it in a few hundred characters; move reference material into a resource",
    bad: BAD,
    good: r#"{
  "tools": [
    {
      "name": "draw_chart",
      "description": "Draws a bar chart.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "rows": {
            "type": "array",
            "items": {
              "type": "number"
            },
            "description": "Values, one a bar."
          }
        },
        "required": [
          "rows"
        ],
        "additionalProperties": false
      }
    }
  ]
}"#,
    sources: &["https://owasp.org/www-project-mcp-top-10/ (MCP03:2025 tool poisoning)"],
};

/// Longer than this is outsized, whatever the siblings are.
const LONG: usize = 8_000;
/// Longer than this, and so many times the median, is outsized too.
const ODD: usize = 3_000;
const TIMES: usize = 10;

impl Rule for DescriptionOutsized {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn manifest(&self, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let lengths: Vec<usize> = manifest.tools().iter().map(length).collect();
        let mut sorted = lengths.clone();
        sorted.sort_unstable();
        let median = sorted.get(sorted.len() / 2).copied().unwrap_or(0);
        for (tool, length) in manifest.tools().iter().zip(lengths) {
            let odd = sorted.len() >= 3 && length > ODD && length > TIMES * median.max(1);
            if length > LONG || odd {
                let beside =
                    if odd { format!("; the middle one of this server has {median}") } else { String::new() };
                let message =
                    format!("the description of {} has {length} characters{beside}", say::tool(tool));
                out.emit_for(tool, tool.at("/description"), message);
            }
        }
    }
}

fn length(tool: &ToolView<'_>) -> usize {
    let description = tool.surfaces().iter().find(|s| s.role == Role::ToolDescription);
    description.map_or(0, |s| s.text.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn long_or_odd() {
        let tool = |n: usize| json!({"name": format!("t{n}"), "description": "word ".repeat(n)});
        assert_eq!(
            places(&check(&DescriptionOutsized, &json!([tool(1700)]))),
            [("/tools/0/description", Severity::Info)]
        );
        assert_eq!(places(&check(&DescriptionOutsized, &json!([tool(8), tool(9), tool(700)]))).len(), 1);
        assert!(check(&DescriptionOutsized, &json!([tool(700), tool(500), tool(600)])).is_empty());
    }
}
