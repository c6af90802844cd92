//! MCP-TOOL-ICON-FIELD: `sizes`, `mimeType` or `theme` of an icon is not what it must be.

use crate::finding::{Confidence, Impact, Severity};
use crate::manifest::Revision;
use crate::pointer;
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use serde_json::Value;

pub(super) struct IconField;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-TOOL-ICON-FIELD",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Server,
    summary: "`sizes`, `mimeType` or `theme` of an icon has a value that the specification does not allow",
    rationale: "`sizes` is an array of strings (`\"48x48\"`, or `\"any\"`), `mimeType` a string, `theme`
either `light` or `dark`. A typed client refuses a listing in which one of them is of another type:
`sizes` as one string is the usual slip, since drafts of the specification had it so.

A size that is not `WIDTHxHEIGHT`, and a MIME type that is not an image, are warnings: they are
strings as they must be, but clients can only ignore them.

Icons came with revision 2025-11-25; a listing that states an older one is not judged.",
    help: "Write `sizes` as [\"48x48\"], `mimeType` as \"image/png\", `theme` as \"light\" or \"dark\", or leave the field out",
    bad: r#"{
  "tools": [
    {
      "name": "show_page",
      "description": "Show one page of the handbook.",
      "inputSchema": {"type": "object", "additionalProperties": false},
      "icons": [{"src": "https://example.org/icons/page.png", "sizes": "48x48"}]
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "show_page",
      "description": "Show one page of the handbook.",
      "inputSchema": {"type": "object", "additionalProperties": false},
      "icons": [{"src": "https://example.org/icons/page.png", "sizes": ["48x48"]}]
    }
  ]
}"#,
    sources: &["https://modelcontextprotocol.io/specification/2026-07-28/schema#icon"],
};

impl Rule for IconField {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        if manifest.revision() < Revision::V2025_11_25 {
            return;
        }
        let icons = tool.tool.value.get("icons").and_then(Value::as_array);
        for (i, icon) in icons.into_iter().flatten().enumerate() {
            let at = pointer::index(&tool.at("/icons"), i);
            let which = format!("icon {} of {}", i + 1, say::tool(tool));
            for (below, severity, what) in faults(icon) {
                let value = icon.pointer(&below).map(say::shown);
                let finding = out.emit(format!("{at}{below}"), format!("{which}: {what}"));
                finding.severity = severity;
                finding.evidence = value;
            }
        }
    }
}

/// Pointer in the icon, severity, what is wrong.
fn faults(icon: &Value) -> Vec<(String, Severity, String)> {
    let mut found = Vec::new();
    match icon.get("sizes") {
        None => {}
        Some(Value::Array(sizes)) => {
            for (i, size) in sizes.iter().enumerate() {
                let at = pointer::index("/sizes", i);
                match size.as_str() {
                    None => found.push((
                        at,
                        Severity::Error,
                        format!("a size is {}, not a string", say::kind(size)),
                    )),
                    Some(text) if is_size(text) => {}
                    Some(text) => {
                        let what = format!("size {} is neither `any` nor like `48x48`", say::quoted(text));
                        found.push((at, Severity::Warning, what));
                    }
                }
            }
        }
        Some(other) => {
            let what = format!("`sizes` is {}, not an array of strings", say::kind(other));
            found.push(("/sizes".to_string(), Severity::Error, what));
        }
    }
    match icon.get("mimeType") {
        None => {}
        Some(Value::String(mime)) if mime.to_ascii_lowercase().starts_with("image/") => {}
        Some(Value::String(mime)) => {
            let what = format!("{} is not the MIME type of an image", say::quoted(mime));
            found.push(("/mimeType".to_string(), Severity::Warning, what));
        }
        Some(other) => {
            let what = format!("`mimeType` is {}, not a string", say::kind(other));
            found.push(("/mimeType".to_string(), Severity::Error, what));
        }
    }
    match icon.get("theme") {
        None => {}
        Some(Value::String(theme)) if matches!(theme.as_str(), "light" | "dark") => {}
        Some(other) => {
            let what = format!(
                "`theme` is {}, not `light` or `dark`",
                other.as_str().map_or_else(|| say::kind(other).to_string(), say::quoted)
            );
            found.push(("/theme".to_string(), Severity::Error, what));
        }
    }
    found
}

fn is_size(text: &str) -> bool {
    let number = |s: &str| {
        !s.is_empty() && s.len() <= 6 && s.bytes().all(|b| b.is_ascii_digit()) && !s.starts_with('0')
    };
    text == "any" || text.split_once(['x', 'X']).is_some_and(|(w, h)| number(w) && number(h))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, check_in, places};
    use serde_json::json;

    #[test]
    fn each_field() {
        let tool = json!({"name": "a", "icons": [
            {"src": "https://h/i", "sizes": ["48x48", "any", "96X96"], "mimeType": "image/svg+xml", "theme": "dark"},
            {"src": "https://h/i", "sizes": "48x48", "mimeType": "text/html", "theme": "blue"},
            {"src": "https://h/i", "sizes": ["48", 48, "0x1"], "mimeType": 1, "theme": null}]});
        assert_eq!(
            places(&check(&IconField, &tool)),
            [
                ("/tools/0/icons/1/sizes", Severity::Error),
                ("/tools/0/icons/1/mimeType", Severity::Warning),
                ("/tools/0/icons/1/theme", Severity::Error),
                ("/tools/0/icons/2/sizes/0", Severity::Warning),
                ("/tools/0/icons/2/sizes/1", Severity::Error),
                ("/tools/0/icons/2/sizes/2", Severity::Warning),
                ("/tools/0/icons/2/mimeType", Severity::Error),
                ("/tools/0/icons/2/theme", Severity::Error),
            ]
        );
        assert!(check_in(&IconField, Revision::V2025_06_18, &tool).is_empty());
    }
}
