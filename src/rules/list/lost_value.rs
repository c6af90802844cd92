//! MCP-LIST-LOST-VALUE: the text has what no value in memory can hold.

use crate::finding::{Confidence, Impact, Severity};
use crate::manifest::LostText;
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use crate::source::DefectKind;

pub(super) struct LostValue;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-LIST-LOST-VALUE",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Server,
    summary: "A string or number that JSON parsers cannot hold as it is written",
    rationale: "JSON's grammar allows more than a program can hold.

- **Half a surrogate pair** (`\\ud83d` without its other half) is no character of Unicode. Strict parsers refuse the whole message
  and with it every tool of the server; others put U+FFFD in its place. It comes from cutting a text in the middle of an emoji.
- **A number beyond every double** (`1e999`) becomes infinity in JavaScript, an error in Rust, and null when it is written again.
- **An integer beyond 64 bits** that no double holds exactly is rounded by every parser but Python's: agents and servers then
  compare with different numbers. This one is a warning.

Verity judges such a tool with the value that most parsers see (U+FFFD, the largest number, the rounded one) and exports no task
for it.",
    help: "Write the character whole, or a number that a double holds",
    bad: r#"{
  "tools": [
    {
      "name": "roll_dice",
      "description": "Roll dice \ud83c and say what came up.",
      "inputSchema": {"type": "object", "additionalProperties": false}
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "roll_dice",
      "description": "Roll dice \ud83c\udfb2 and say what came up.",
      "inputSchema": {"type": "object", "additionalProperties": false}
    }
  ]
}"#,
    sources: &[
        "https://www.rfc-editor.org/rfc/rfc8259#section-8.2",
        "https://www.rfc-editor.org/rfc/rfc7493#section-2.2",
    ],
};

impl Rule for LostValue {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn manifest(&self, view: &ManifestView<'_>, out: &mut Sink<'_>) {
        view.manifest.defects.iter().for_each(|lost| emit(out, lost));
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        tool.tool.defects.iter().for_each(|lost| emit(out, lost));
    }
}

fn emit(out: &mut Sink<'_>, (kind, at, text): &LostText) {
    let text_shown = say::quoted(text);
    let message = match kind {
        DefectKind::LoneSurrogate if text.starts_with('\\') => {
            format!("{text_shown} is half a surrogate pair: no Unicode text can hold it")
        }
        DefectKind::LoneSurrogate => {
            "half a surrogate pair of UTF-16 stands here: it is no character".to_string()
        }
        DefectKind::NumberOutOfRange => format!("{text_shown} is beyond every number that a parser can hold"),
        DefectKind::InexactInteger => {
            format!("{text_shown} is beyond 64 bits and no double: parsers round it")
        }
    };
    let finding = out.emit(at.as_str(), message);
    finding.evidence = Some(text.clone());
    if *kind == DefectKind::InexactInteger {
        (finding.severity, finding.impact) = (Severity::Warning, Impact::Constraint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::list::testing::found;

    #[test]
    fn each_kind() {
        let text = r#"{"instructions": "\udc00", "tools": [
            {"name": "a", "description": "x\ud800y", "inputSchema": {"maximum": 1e999, "minimum": -18446744073709551617}},
            {"name": "b", "description": "\ud83c\udfb2", "inputSchema": {"maximum": 18446744073709551615}}]}"#;
        let findings = found(&LostValue, text);
        let seen: Vec<_> = findings.iter().map(|f| (f.pointer.as_str(), f.severity)).collect();
        assert_eq!(
            seen,
            [
                ("/instructions", Severity::Error),
                ("/tools/0/description", Severity::Error),
                ("/tools/0/inputSchema/maximum", Severity::Error),
                ("/tools/0/inputSchema/minimum", Severity::Warning),
            ]
        );
        assert_eq!(findings[2].evidence.as_deref(), Some("1e999"));
        let span = findings[1].span.unwrap();
        assert_eq!(text.get(span.offset..span.offset + span.length).unwrap(), r#""x\ud800y""#);
    }
}
