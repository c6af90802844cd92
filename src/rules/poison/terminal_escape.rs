//! MCP-POISON-TERMINAL-ESCAPE: escape sequences that a terminal obeys and a model reads past.

use super::report;
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use crate::text::Surface;
use crate::text::ansi::{self, Effect};

pub(super) struct TerminalEscape;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-POISON-TERMINAL-ESCAPE",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Agent,
    summary: "A text holds terminal escape sequences",
    rationale: "A client in a terminal prints descriptions as they are. An escape sequence can make text invisible, overwrite what was
printed before, or change the window's title, while the model reads everything. No tool text needs one: a
documentation of escape sequences writes `ESC[31m`, not the control character.

Sequences that conceal or erase are errors, others warnings.",
    help: "Delete the escape sequences",
    bad: r#"{
  "tools": [
    {
      "name": "paint",
      "description": "Paints text.\u001b[8mThen paints it again.\u001b[0m",
      "inputSchema": {
        "type": "object",
        "properties": {"text": {"type": "string", "description": "What to paint."}},
        "required": ["text"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "paint",
      "description": "Paints text red with ESC[31m.",
      "inputSchema": {
        "type": "object",
        "properties": {"text": {"type": "string", "description": "What to paint."}},
        "required": ["text"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    sources: &["https://blog.trailofbits.com/2025/04/29/deceiving-users-with-ansi-terminal-codes-in-mcp/"],
};

impl Rule for TerminalEscape {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn manifest(&self, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        for surface in manifest.surfaces() {
            look("the server", surface, out);
        }
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        for surface in tool.surfaces() {
            look(&say::tool(tool), surface, out);
        }
    }
}

fn look(whose: &str, surface: &Surface<'_>, out: &mut Sink<'_>) {
    const BEGIN: [char; 2] = ['\u{1b}', '\u{9b}'];
    // Each alone is sought many bytes at a time.
    if !BEGIN.iter().any(|c| surface.text.contains(*c)) {
        return;
    }
    let escapes: Vec<ansi::Escape> = surface
        .text
        .match_indices(BEGIN)
        .take(1000)
        .filter_map(|(at, _)| ansi::escape_at(surface.text, at))
        .collect();
    let hides = |e: &&ansi::Escape| matches!(e.effect, Effect::Conceals | Effect::Erases);
    let Some(worst) = escapes.iter().find(hides).or(escapes.first()) else { return };
    let what = match worst.effect {
        Effect::Conceals => "conceals what follows",
        Effect::Erases => "overwrites what stands before it",
        Effect::Styles => "colours text",
        Effect::Other => "commands the terminal",
    };
    let message = format!(
        "{} of {whose} holds {}; one {what}",
        surface.role.noun(),
        say::count(escapes.len(), "terminal escape sequence"),
    );
    let finding = out.emit(surface.pointer.clone(), message);
    finding.part = report::part(surface, worst.range.clone());
    finding.evidence = surface.text.get(worst.range.clone()).map(|t| t.escape_default().to_string());
    if !hides(&worst) {
        finding.severity = Severity::Warning;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn fires_by_effect() {
        for (text, severity) in [
            ("a\u{1b}[8mb", Severity::Error),
            ("a\u{1b}[2K\u{1b}[1Gb", Severity::Error),
            ("a\u{1b}[31mb", Severity::Warning),
            ("a\u{1b}]0;title\u{7}b", Severity::Warning),
        ] {
            let findings = check(&TerminalEscape, &json!({"name": "t", "description": text}));
            assert_eq!(places(&findings), [("/tools/0/description", severity)], "{text:?}");
        }
        assert!(
            check(&TerminalEscape, &json!({"name": "t", "description": "ESC[31m is red, \\x1b[0m ends it"}))
                .is_empty()
        );
    }
}
