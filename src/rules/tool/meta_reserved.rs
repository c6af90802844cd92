//! MCP-TOOL-META-RESERVED: a `_meta` key under a prefix that belongs to the protocol.

use super::meta::{self, Key};
use crate::finding::{Confidence, Impact, Part, Severity};
use crate::manifest::Revision;
use crate::pointer;
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use serde_json::Value;

pub(super) struct MetaReserved;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-TOOL-META-RESERVED",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Constraint,
    summary: "A `_meta` key stands under a prefix that is reserved for MCP itself",
    rationale: "A prefix whose second label is `mcp` or `modelcontextprotocol` is reserved for the protocol:
`io.modelcontextprotocol/`, `dev.mcp/`, `com.mcp.tools/`. A key of your own there may be given
another meaning by the next revision, and clients may drop or misread it. `com.example.mcp/` is
free, since its second label is `example`.

Keys that the specification and its official extensions define are not reported. Other keys under
the protocol's own domain (`io.modelcontextprotocol`) are information only: they may belong to an
extension newer than this version of verity.

Revision 2025-06-18 drew the line elsewhere (the label before the last one: `mcp.dev/`), and
listings that state it are judged by that. In newer listings such a prefix, and `mcp/` alone, is
information.",
    help: "Move the key under a prefix of your own, such as `com.example/name`",
    bad: r#"{
  "tools": [
    {
      "name": "list_shops",
      "description": "List all shops that are open today.",
      "inputSchema": {"type": "object", "additionalProperties": false},
      "_meta": {"com.mcp.retail/owner": "north"}
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "list_shops",
      "description": "List all shops that are open today.",
      "inputSchema": {"type": "object", "additionalProperties": false},
      "_meta": {"com.example.mcp/owner": "north"}
    }
  ]
}"#,
    sources: &[
        "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta",
        "https://modelcontextprotocol.io/specification/2025-06-18/basic#meta",
    ],
};

/// Domain of the protocol itself.
const OWN: &str = "io.modelcontextprotocol";

/// Keys under [`OWN`] that the specification or an official extension defines.
const DEFINED: &[&str] = &[
    "clientCapabilities",
    "clientInfo",
    "logLevel",
    "model-immediate-response",
    "oauth-client-credentials",
    "protocolVersion",
    "related-task",
    "serverInfo",
    "subscriptionId",
    "tasks",
    "ui",
];

impl Rule for MetaReserved {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn manifest(&self, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        for (at, value) in meta::outside_tools(manifest) {
            look(value, &at, "the listing", manifest.revision(), out);
        }
    }

    fn tool(&self, tool: &ToolView<'_>, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        if let Some(value) = tool.tool.value.get("_meta") {
            look(value, &tool.at("/_meta"), &say::tool(tool), manifest.revision(), out);
        }
    }
}

fn look(value: &Value, at: &str, whose: &str, revision: Revision, out: &mut Sink<'_>) {
    for key in value.as_object().into_iter().flat_map(|members| members.keys()) {
        let Some(severity) = reserved(key, revision) else { continue };
        let message =
            format!("`_meta` key {} of {whose} is under a prefix that is reserved for MCP", say::quoted(key));
        let finding = out.emit(pointer::child(at, key), message);
        finding.part = Part::Key;
        finding.evidence = Some(key.clone());
        if severity == Severity::Info {
            (finding.severity, finding.confidence) = (severity, Confidence::Low);
        }
    }
}

/// Whether (and how gravely) a key takes a reserved prefix.
fn reserved(key: &str, revision: Revision) -> Option<Severity> {
    let parts = Key::of(key);
    let labels: Vec<String> = parts.labels().map(str::to_ascii_lowercase).collect();
    let telling = if revision == Revision::V2025_06_18 { labels.len().checked_sub(2)? } else { 1 };
    let is_ours =
        |at: usize| labels.get(at).is_some_and(|l| matches!(l.as_str(), "mcp" | "modelcontextprotocol"));
    if !is_ours(telling) {
        // `mcp.dev/` and `mcp/`: reserved by the older rule, or all but reserved; `mcp.example.com/` is somebody's host.
        return (labels.len() <= 2 && is_ours(0)).then_some(Severity::Info);
    }
    let prefix = labels.join(".");
    if prefix == OWN && DEFINED.contains(&parts.name) {
        return None;
    }
    // The registry and the extensions use prefixes below the protocol's own domain.
    let is_own = prefix == OWN || prefix.strip_prefix(OWN).is_some_and(|rest| rest.starts_with('.'));
    Some(if is_own { Severity::Info } else { Severity::Warning })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn the_second_label_decides() {
        let newest = |key| reserved(key, Revision::NEWEST);
        for own in ["dev.mcp/x", "org.modelcontextprotocol.api/x", "com.mcp.tools/x", "com.MCP/x"] {
            assert_eq!(newest(own), Some(Severity::Warning), "{own}");
        }
        for free in [
            "com.example.mcp/x",
            "mcp.example.com/x",
            "mcp",
            "modelcontextprotocol",
            "x.mcp",
            "io.modelcontextprotocol/related-task",
            "io.modelcontextprotocol/ui",
            "com.mcpx/x",
        ] {
            assert_eq!(newest(free), None, "{free}");
        }
        assert_eq!(newest("io.modelcontextprotocol/brandNew"), Some(Severity::Info));
        assert_eq!(newest("io.modelcontextprotocol.registry/official"), Some(Severity::Info));
    }

    #[test]
    fn the_older_revision_looks_at_the_label_before_the_last() {
        let old = |key| reserved(key, Revision::V2025_06_18);
        assert_eq!(old("mcp.dev/x"), Some(Severity::Warning));
        assert_eq!(old("tools.mcp.com/x"), Some(Severity::Warning));
        assert_eq!(old("mcp.example.com/x"), None);
    }

    #[test]
    fn the_key_is_the_place() {
        let found = check(&MetaReserved, &json!({"name": "a", "_meta": {"com.mcp.tools/x": {}}}));
        assert_eq!(places(&found), [("/tools/0/_meta/com.mcp.tools~1x", Severity::Warning)]);
        assert_eq!(found[0].part, Part::Key);
    }
}
