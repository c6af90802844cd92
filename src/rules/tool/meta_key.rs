//! MCP-TOOL-META-KEY: a `_meta` key outside the specification's grammar.

use super::meta::{self, Key};
use crate::finding::{Confidence, Impact, Part, Severity};
use crate::pointer;
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use serde_json::Value;

pub(super) struct MetaKey;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-TOOL-META-KEY",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Constraint,
    summary: "A `_meta` key breaks the specification's grammar for keys",
    rationale: "A key of `_meta` is an optional prefix and a name. The prefix is a series of labels with
dots between them and a slash after them (`com.example/`); each label starts with a letter, ends
with a letter or digit and has letters, digits and hyphens between. The name, unless empty, starts
and ends with a letter or digit and has letters, digits, `-`, `_` and `.` between. All of this is a
MUST: a client may drop a key that it cannot read.

A name that breaks only the rule about the first or last character by an underscore (`_fastmcp`) is
a warning: a widely used framework wrote such a key for years, and clients pass it on.

`_meta` is looked at in tools, in the listing itself and in prompts.",
    help: "Rename the key to `your.domain.reversed/name`, such as `com.example/owner`",
    bad: r#"{
  "tools": [
    {
      "name": "list_shops",
      "description": "List all shops that are open today.",
      "inputSchema": {"type": "object", "additionalProperties": false},
      "_meta": {"example..org/owner name": "retail"}
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "list_shops",
      "description": "List all shops that are open today.",
      "inputSchema": {"type": "object", "additionalProperties": false},
      "_meta": {"org.example/owner-name": "retail"}
    }
  ]
}"#,
    sources: &[
        "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta",
        "https://modelcontextprotocol.io/specification/2026-07-28/schema#metaobject",
    ],
};

impl Rule for MetaKey {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn manifest(&self, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        for (at, value) in meta::outside_tools(manifest) {
            look(value, &at, "the listing", out);
        }
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        if let Some(value) = tool.tool.value.get("_meta") {
            look(value, &tool.at("/_meta"), &say::tool(tool), out);
        }
    }
}

fn look(value: &Value, at: &str, whose: &str, out: &mut Sink<'_>) {
    for key in value.as_object().into_iter().flat_map(|members| members.keys()) {
        let Some((severity, what)) = fault(key) else { continue };
        let message = format!("`_meta` key {} of {whose}: {what}", say::quoted(key));
        let finding = out.emit(pointer::child(at, key), message);
        finding.severity = severity;
        finding.part = Part::Key;
        finding.evidence = Some(key.clone());
    }
}

/// What is wrong with a key.
fn fault(key: &str) -> Option<(Severity, String)> {
    let parts = Key::of(key);
    for label in parts.labels() {
        if let Some(what) = label_fault(label) {
            return Some((Severity::Error, what));
        }
    }
    let name = parts.name;
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if let Some(c) = name.chars().find(|&c| !inner(c)) {
        return Some((Severity::Error, format!("{} may not stand in the name", character(c))));
    }
    let edges = [name.chars().next(), name.chars().last()];
    let edge = edges.into_iter().flatten().find(|c| !c.is_ascii_alphanumeric())?;
    let only_underscores = edges.into_iter().flatten().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let severity = if only_underscores { Severity::Warning } else { Severity::Error };
    Some((severity, format!("the name starts or ends with {}, not with a letter or digit", character(edge))))
}

fn label_fault(label: &str) -> Option<String> {
    let Some(first) = label.chars().next() else {
        return Some("the prefix has an empty label".to_string());
    };
    if !first.is_ascii_alphabetic() {
        return Some(format!("label {} of the prefix does not start with a letter", say::quoted(label)));
    }
    if let Some(c) = label.chars().find(|c| !c.is_ascii_alphanumeric() && *c != '-') {
        return Some(format!("{} may not stand in the prefix", character(c)));
    }
    label.ends_with('-').then(|| format!("label {} of the prefix ends with a hyphen", say::quoted(label)))
}

fn character(c: char) -> String {
    match c {
        ' ' => "a space".to_string(),
        c if c.is_control() || c.is_whitespace() => format!("U+{:04X}", u32::from(c)),
        c => format!("`{c}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, manifest, places};
    use crate::rules::{Rule, run_rules};
    use serde_json::json;

    #[test]
    fn the_grammar_of_keys() {
        for good in [
            "owner",
            "com.example/owner",
            "com.example/",
            "a/b",
            "x-1.y2/n",
            "com.example/a.b_c-d",
            "",
            "ui",
            "io.kubernetes-mcp-server/rbac",
            "LocalRequiredHint",
            "2",
        ] {
            assert_eq!(fault(good), None, "{good}");
        }
        for bad in [
            "/x",
            "com..example/x",
            "1com.example/x",
            "com.exa_mple/x",
            "com-/x",
            "-com/x",
            "com.example/a/b",
            "a b",
            "com.example/a b",
            "com.example/-a",
            "a.",
            ".a",
            "é",
            "com.beispiel.ä/x",
            "a\n",
        ] {
            assert_eq!(fault(bad).map(|f| f.0), Some(Severity::Error), "{bad:?}");
        }
        for soft in ["_fastmcp", "com.example/_x", "x_"] {
            assert_eq!(fault(soft).map(|f| f.0), Some(Severity::Warning), "{soft}");
        }
    }

    #[test]
    fn wherever_meta_stands() {
        let meta = json!({"ok": 1, "not ok": 2});
        assert_eq!(
            places(&check(&MetaKey, &json!({"name": "a", "_meta": meta}))),
            [("/tools/0/_meta/not ok", Severity::Error)]
        );
        let mut listing = manifest(&json!([]));
        listing.listing_fields.push(("_meta".into(), meta.clone()));
        listing.prompts.push(json!({"name": "p"}));
        listing.prompts.push(json!({"name": "q", "_meta": {"a//b": meta}}));
        let found = run_rules(&listing, [&MetaKey as &dyn Rule]);
        let at: Vec<_> = found.iter().map(|f| f.pointer.as_str()).collect();
        assert_eq!(at, ["/_meta/not ok", "/prompts/1/_meta/a~1~1b"]);
    }
}
