//! MCP-NAME-CHARSET: characters in a name that the specification advises against.

use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};

pub(super) struct Charset;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-NAME-CHARSET",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "A tool's name has characters outside `A-Z a-z 0-9 _ - .`",
    rationale: "The specification says that names SHOULD use ASCII letters, digits, underscore, hyphen and
dot only, with no spaces and commas. It is advice to servers, but not to the model APIs behind the
clients: OpenAI, Anthropic, Gemini and Bedrock refuse a function name with a space or a letter
outside ASCII, and the whole request fails with it. Clients that rename such tools show the agent
another name than the documentation has.

A slash is information only: an earlier text of the specification's naming proposal allowed it, and
servers use it as a namespace.

A title for people goes into `title`, where any text is fine.",
    help: "Use letters, digits, `_`, `-` and `.` in `name`, and put the readable form into `title`",
    bad: r#"{
  "tools": [
    {
      "name": "Create Volume",
      "description": "Create a storage volume of the given size.",
      "inputSchema": {
        "type": "object",
        "properties": {"gigabytes": {"type": "integer", "minimum": 1, "description": "Size of the volume."}},
        "required": ["gigabytes"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "create_volume",
      "title": "Create Volume",
      "description": "Create a storage volume of the given size.",
      "inputSchema": {
        "type": "object",
        "properties": {"gigabytes": {"type": "integer", "minimum": 1, "description": "Size of the volume."}},
        "required": ["gigabytes"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    sources: &[
        "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names",
        "https://github.com/modelcontextprotocol/modelcontextprotocol/pull/986",
        "https://github.com/NetApp/netapp-dataops-toolkit/issues/38",
    ],
};

impl Rule for Charset {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let Some(name) = tool.tool.name() else { return };
        if name.trim().is_empty() {
            return; // MCP-TOOL-NAME-MISSING
        }
        let mut odd: Vec<char> = Vec::new();
        // Control characters are the next rule's business, blanks at the ends as well.
        for c in name.trim().chars().filter(|&c| !allowed(c) && !c.is_control()) {
            if !odd.contains(&c) {
                odd.push(c);
            }
        }
        if odd.is_empty() {
            return;
        }
        let said: Vec<String> = odd.iter().map(|&c| describe(c)).collect();
        let message = format!("the name of {} has {} in it", say::tool(tool), say::list(&said, 4));
        let finding = out.emit(tool.at("/name"), message);
        finding.evidence = Some(name.chars().take(200).collect());
        if odd == ['/'] {
            finding.severity = Severity::Info;
        }
    }
}

fn allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

fn describe(c: char) -> String {
    match c {
        ' ' => "a space".to_string(),
        ',' => "a comma".to_string(),
        c if c.is_whitespace() || !c.is_ascii() => format!("`{}` (U+{:04X})", c.escape_debug(), u32::from(c)),
        c => format!("`{c}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn the_alphabet_of_names() {
        for fine in ["a", "A.b-c_9", "files.list", ""] {
            assert!(check(&Charset, &json!({"name": fine})).is_empty(), "{fine}");
        }
        for odd in ["Create Volume", "a,b", "!query", "长亭", "a:b", "a@b", "{x}", "naïve"] {
            assert_eq!(
                places(&check(&Charset, &json!({"name": odd}))),
                [("/tools/0/name", Severity::Warning)],
                "{odd}"
            );
        }
        assert_eq!(
            places(&check(&Charset, &json!({"name": "files/list"}))),
            [("/tools/0/name", Severity::Info)]
        );
    }

    #[test]
    fn each_character_is_named_once() {
        let found = check(&Charset, &json!({"name": "a b c,d"}));
        assert_eq!(found[0].message, "the name of tool `a b c,d` has a space and a comma in it");
    }
}
