//! MCP-TOOL-ICON-SOURCE: an icon that clients must not load, or cannot.

use crate::finding::{Confidence, Impact, Severity};
use crate::pointer;
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use serde_json::Value;

pub(super) struct IconSource;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-TOOL-ICON-SOURCE",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "An icon's `src` is missing or not an https or data URI",
    rationale: "An icon needs a `src`, and the specification admits only `https:` and `data:` URIs. Clients
must refuse `javascript:`, `file:`, `ftp:` and `ws:`: a client that renders the icon in a web view
would run the script or read the file. Browsers ignore tabs, line breaks and leading control
characters in a scheme, so this rule does as well (`java\\nscript:` is `javascript:`).

`http:` is a warning: the schema's comment still allows it, the rule in the text does not, and
clients with a content security policy do not load it. So is a `data:` URI that is not an image.",
    help: "Use an `https:` URL, or a `data:image/…` URI with the picture in it",
    bad: r#"{
  "tools": [
    {
      "name": "show_page",
      "description": "Show one page of the handbook.",
      "inputSchema": {"type": "object", "additionalProperties": false},
      "icons": [{"src": "file:///usr/share/icons/page.png"}]
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "show_page",
      "description": "Show one page of the handbook.",
      "inputSchema": {"type": "object", "additionalProperties": false},
      "icons": [{"src": "https://example.org/icons/page.png", "mimeType": "image/png"}]
    }
  ]
}"#,
    sources: &[
        "https://modelcontextprotocol.io/specification/2026-07-28/basic#icons",
        "https://modelcontextprotocol.io/specification/2026-07-28/schema#icon",
    ],
};

impl Rule for IconSource {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let icons = tool.tool.value.get("icons").and_then(Value::as_array);
        for (i, icon) in icons.into_iter().flatten().enumerate() {
            let at = pointer::index(&tool.at("/icons"), i);
            let which = format!("icon {} of {}", i + 1, say::tool(tool));
            let Some(icon) = icon.as_object() else {
                out.emit(at, format!("{which} is {}, not an object", say::kind(icon)));
                continue;
            };
            match icon.get("src") {
                None => {
                    out.emit(at, format!("{which} has no `src`"));
                }
                Some(Value::String(src)) => {
                    let Some((severity, what)) = fault(src) else { continue };
                    let finding = out.emit(format!("{at}/src"), format!("{which}: {what}"));
                    finding.severity = severity;
                    finding.evidence = Some(src.chars().take(200).collect());
                }
                Some(other) => {
                    out.emit(
                        format!("{at}/src"),
                        format!("`src` of {which} is {}, not a string", say::kind(other)),
                    );
                }
            }
        }
    }
}

/// What is wrong with the address of an icon.
fn fault(src: &str) -> Option<(Severity, String)> {
    // As browsers read it: white space and control characters around and inside the scheme fall away.
    let seen: String = src.chars().filter(|c| !c.is_control() && !c.is_whitespace()).take(80).collect();
    let Some((scheme, rest)) = seen.split_once(':') else {
        return Some((Severity::Error, "`src` is not an absolute URI".to_string()));
    };
    let scheme = scheme.to_ascii_lowercase();
    let rest = rest.to_ascii_lowercase();
    match scheme.as_str() {
        "https" if rest.trim_matches('/').is_empty() => {
            Some((Severity::Error, "`src` names no host".to_string()))
        }
        "https" => None,
        "data" if rest.starts_with("image/") => None,
        "data" => Some((Severity::Warning, "the `data:` URI is not an image".to_string())),
        "http" => Some((Severity::Warning, "`http:` is not encrypted; use `https:`".to_string())),
        "javascript" | "file" | "ftp" | "ws" => {
            Some((Severity::Error, format!("clients must refuse `{scheme}:` addresses")))
        }
        s if !s.is_empty() && s.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)) => {
            Some((Severity::Error, format!("`{s}:` is neither `https:` nor `data:`")))
        }
        _ => Some((Severity::Error, "`src` is not an absolute URI".to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    fn severity(src: &str) -> Option<Severity> {
        fault(src).map(|(severity, _)| severity)
    }

    #[test]
    fn only_https_and_pictures_pass() {
        for good in [
            "https://example.org/i.png",
            "HTTPS://EXAMPLE.ORG/i",
            "data:image/png;base64,iVBORw0KGgo=",
            "data:image/svg+xml,%3Csvg%3E",
        ] {
            assert_eq!(severity(good), None, "{good}");
        }
        for soft in ["http://example.org/i.png", "data:text/html,<b>", "data:,x", "data:"] {
            assert_eq!(severity(soft), Some(Severity::Warning), "{soft}");
        }
        for bad in [
            "javascript:alert(1)",
            "JavaScript:x",
            "java\nscript:x",
            "\u{1} javascript:x",
            "\tfile:///etc/passwd",
            "ftp://h/i",
            "ws://h",
            "wss://h",
            "blob:x",
            "icon.png",
            "/i.png",
            "//cdn.example.org/i.png",
            "",
            "https:",
            "https://",
            "C:\\i.png",
            "not a: uri",
        ] {
            assert_eq!(severity(bad), Some(Severity::Error), "{bad:?}");
        }
    }

    #[test]
    fn the_place_is_the_src_or_the_icon_without_one() {
        let found = check(
            &IconSource,
            &json!({"name": "a", "icons": [{"src": "javascript:x"}, {"mimeType": "image/png"}, "i.png", {"src": 4},
                {"src": "https://example.org/i.png"}]}),
        );
        assert_eq!(
            places(&found).into_iter().map(|(pointer, _)| pointer).collect::<Vec<_>>(),
            ["/tools/0/icons/0/src", "/tools/0/icons/1", "/tools/0/icons/2", "/tools/0/icons/3/src"]
        );
    }
}
