//! MCP-NAME-COLLISION: names that differ only in case or in `_`, `-` and `.`.

use crate::finding::{Confidence, Impact, Severity};
use crate::pointer;
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, say};
use std::collections::BTreeMap;

pub(super) struct Collision;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-NAME-COLLISION",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "Two tools have names that differ only in case or in `_`, `-` and `.`",
    rationale: "Names are case-sensitive in the protocol, but not to those who use them: an agent that calls
`getUser` may well write `get_user`, and clients that must rename tools for a model API (which has
no dots, or no capitals) map both to one name and keep one of them, silently.

The rule folds case, `_`, `-`, `.`, `/`, `:` and spaces away and reports each later tool whose
folded name is already taken. Names that are *equal* are MCP-TOOL-DUPLICATE; names that only look
equal are the look-alike rule's.",
    help: "Rename one of the two so that they differ in a word",
    bad: r#"{
  "tools": [
    {
      "name": "get_user",
      "description": "Read one user by id.",
      "inputSchema": {
        "type": "object",
        "properties": {"id": {"type": "string", "description": "Id of the user."}},
        "required": ["id"],
        "additionalProperties": false
      }
    },
    {
      "name": "getUser",
      "description": "Read the user that is logged in.",
      "inputSchema": {"type": "object", "additionalProperties": false}
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "get_user",
      "description": "Read one user by id.",
      "inputSchema": {
        "type": "object",
        "properties": {"id": {"type": "string", "description": "Id of the user."}},
        "required": ["id"],
        "additionalProperties": false
      }
    },
    {
      "name": "get_current_user",
      "description": "Read the user that is logged in.",
      "inputSchema": {"type": "object", "additionalProperties": false}
    }
  ]
}"#,
    sources: &["https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names"],
};

impl Rule for Collision {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn manifest(&self, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let mut first: BTreeMap<String, &str> = BTreeMap::new();
        for (name, tool) in manifest.tools_by_name() {
            let folded = fold(name);
            if folded.is_empty() {
                continue;
            }
            let other = *first.entry(folded).or_insert(name);
            if other == name {
                continue; // the first of its kind, or an exact duplicate
            }
            let message = format!(
                "tool {} has the same name as {} but for case and separators",
                say::quoted(name),
                say::quoted(other)
            );
            let at = pointer::index("/tools", tool.tool.index) + "/name";
            out.emit_for(tool, at, message).evidence = Some(other.to_string());
        }
    }
}

fn fold(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '_' | '-' | '.' | '/' | ':') && !c.is_whitespace() && !c.is_control())
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::{Value, json};

    fn names(names: &[&str]) -> Value {
        names.iter().map(|n| json!({"name": n})).collect()
    }

    #[test]
    fn case_and_separators_do_not_tell_names_apart() {
        let found =
            check(&Collision, &names(&["get_user", "getUser", "list", "get-user", "LIST", "get_users"]));
        assert_eq!(
            places(&found),
            [
                ("/tools/1/name", Severity::Warning),
                ("/tools/0/name", Severity::Warning),
                ("/tools/2/name", Severity::Warning)
            ]
        );
        assert_eq!(found[1].evidence.as_deref(), Some("get-user"));
        assert_eq!(found[1].tool.as_deref(), Some("get_user"));
    }

    #[test]
    fn equal_names_are_another_rules_business() {
        assert!(check(&Collision, &names(&["tap", "tap", "", "", "_", "-"])).is_empty());
        assert!(check(&Collision, &json!([{"title": "a"}, 3, {"name": 4}])).is_empty());
    }
}
