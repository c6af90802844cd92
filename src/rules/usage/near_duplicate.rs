//! MCP-USAGE-NEAR-DUPLICATE: two tools that an agent cannot tell apart.

use crate::finding::{Confidence, Impact, Severity};
use crate::rules::name::words;
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) struct NearDuplicate;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-USAGE-NEAR-DUPLICATE",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Agent,
    summary: "Two tools have the same description and take the same arguments",
    rationale: "An agent chooses between tools by what is written about them. Where two tools have the same
description and the same parameters, only the name is left, and it often does not settle the matter
(`get_status`, `get_information`). Most such pairs are a copied definition whose text was never
changed, so that one of the two is described wrongly.

Descriptions are compared without regard to case, punctuation and white space, parameters by name
and type. A description that is the same for tools with *different* parameters is information (the
parameters tell them apart, but not what they do), and so are two tools with the same parameters
whose names differ only by a word of the same meaning (`get_user`, `fetch_user`).",
    help: "Say in each description what this tool does and the other does not, or remove one of them",
    bad: r#"{
  "tools": [
    {
      "name": "node_status",
      "description": "Tell the state of a node of the cluster.",
      "inputSchema": {
        "type": "object",
        "properties": {"node": {"type": "string", "description": "Name of the node."}},
        "required": ["node"],
        "additionalProperties": false
      }
    },
    {
      "name": "node_information",
      "description": "Tell the state of a node of the cluster.",
      "inputSchema": {
        "type": "object",
        "properties": {"node": {"type": "string", "description": "Name of the node."}},
        "required": ["node"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "node_status",
      "description": "Tell whether a node of the cluster is up, and how busy it is.",
      "inputSchema": {
        "type": "object",
        "properties": {"node": {"type": "string", "description": "Name of the node."}},
        "required": ["node"],
        "additionalProperties": false
      }
    },
    {
      "name": "node_information",
      "description": "Tell version, address and plugins of a node of the cluster.",
      "inputSchema": {
        "type": "object",
        "properties": {"node": {"type": "string", "description": "Name of the node."}},
        "required": ["node"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    sources: &[
        "https://arxiv.org/abs/2602.18914",
        "https://www.anthropic.com/engineering/writing-tools-for-agents",
    ],
};

/// What the rule compares of a tool.
struct Seen<'v, 'm> {
    tool: &'v ToolView<'m>,
    name: &'v str,
    arguments: String,
}

impl Rule for NearDuplicate {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn manifest(&self, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let mut by_text: BTreeMap<String, Vec<Seen<'_, '_>>> = BTreeMap::new();
        let mut by_name: BTreeMap<(String, String), Seen<'_, '_>> = BTreeMap::new();
        let named = manifest.tools_by_name().into_iter().filter(|(name, _)| !name.trim().is_empty());
        for (name, tool) in named {
            let arguments = arguments(tool);
            let text = fold(tool.tool.value.get("description").and_then(Value::as_str).unwrap_or_default());
            let mut reported = false;
            // Two words describe nothing: that is another rule's business.
            if text.split(' ').count() > 2 || !text.is_ascii() && text.chars().count() > 5 {
                let same = by_text.entry(text).or_default();
                reported = report_text(tool, name, &arguments, same, out);
                if same.len() < 50 {
                    same.push(Seen { tool, name, arguments: arguments.clone() });
                }
            }
            let key = (meaning(name), arguments.clone());
            match by_name.get(&key) {
                Some(other) if !reported && other.name != name && !key.0.is_empty() && !key.1.is_empty() => {
                    let message = format!(
                        "{} and {} take the same arguments and have names of the same meaning",
                        say::tool(tool),
                        say::quoted(other.name)
                    );
                    let finding = out.emit_for(tool, tool.at("/name"), message);
                    (finding.severity, finding.confidence) = (Severity::Info, Confidence::Medium);
                }
                Some(_) => {}
                None => {
                    by_name.insert(key, Seen { tool, name, arguments });
                }
            }
        }
    }
}

/// Whether something was reported of a tool whose description others have, too.
fn report_text(
    tool: &ToolView<'_>,
    name: &str,
    arguments: &str,
    same: &[Seen<'_, '_>],
    out: &mut Sink<'_>,
) -> bool {
    // Tools of one name are one tool listed twice.
    let others = || same.iter().filter(|s| s.name != name);
    let twin = others().find(|s| s.arguments == arguments);
    let Some(other) = twin.or_else(|| others().next()) else { return false };
    let (who, whom) = (say::tool(tool), say::tool(other.tool));
    let at = tool.at("/description");
    if twin.is_some() {
        let message = format!("{who} has the description of {whom} and takes the same arguments");
        out.emit_for(tool, at, message);
    } else {
        let message = format!("{who} has the description of {whom}, but other arguments");
        let finding = out.emit_for(tool, at, message);
        (finding.severity, finding.confidence) = (Severity::Info, Confidence::Medium);
    }
    true
}

/// The words of a description, or the text itself where it has none that blanks part.
fn fold(text: &str) -> String {
    let end = text.char_indices().nth(2_000).map_or(text.len(), |(at, _)| at);
    // What is longer than that is the same only as a whole.
    let rest = text.get(end..).unwrap_or_default();
    format!("{}{rest}", words::of(text.get(..end).unwrap_or_default()).join(" "))
}

/// Names, types and obligations of the parameters; empty for a tool without parameters.
fn arguments(tool: &ToolView<'_>) -> String {
    let schema = tool.tool.input_schema();
    let properties = schema.and_then(|s| s.get("properties")).and_then(Value::as_object);
    let required = schema.and_then(|s| s.get("required")).and_then(Value::as_array);
    let mut parts: Vec<String> = Vec::new();
    for (name, sub) in properties.into_iter().flatten() {
        let values = sub.get("enum").map(Value::to_string).unwrap_or_default();
        let kind = sub.get("type").map(Value::to_string).unwrap_or_default();
        parts.push(format!("{name}:{kind}{values}"));
    }
    parts.sort();
    let mut required: Vec<&str> = required.into_iter().flatten().filter_map(Value::as_str).collect();
    required.sort_unstable();
    if parts.is_empty() { String::new() } else { format!("{} | {}", parts.join(", "), required.join(", ")) }
}

/// Words of one meaning in names of tools.
const SYNONYMS: &[&[&str]] = &[
    &["get", "fetch", "retrieve", "read", "show", "view", "describe", "lookup"],
    &["search", "find", "query"],
    &["create", "add", "new", "make"],
    &["delete", "remove", "destroy", "drop"],
    &["update", "edit", "modify", "change"],
    &["run", "execute", "exec", "invoke"],
    &["info", "information", "details", "detail"],
];

/// The words of a name with those of one meaning made equal; empty if there is none of these.
fn meaning(name: &str) -> String {
    let mut found = false;
    let folded: Vec<String> = words::of(name)
        .into_iter()
        .map(|word| match SYNONYMS.iter().find(|set| set.contains(&word.as_str())) {
            Some(set) => {
                found = true;
                set.first().map_or(word, |first| (*first).to_string())
            }
            None => word,
        })
        .collect();
    if found && folded.len() > 1 { folded.join(" ") } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    fn tool(name: &str, description: &str, properties: Value) -> Value {
        json!({"name": name, "description": description, "inputSchema": {"type": "object", "properties": properties}})
    }

    #[test]
    fn same_text_and_same_arguments() {
        let id = json!({"id": {"type": "string"}});
        let found = check(
            &NearDuplicate,
            &json!([
                tool("a_state", "Read the state of a node.", id.clone()),
                tool("a_info", "Read the state of a node", id.clone()),
                tool("a_list", "read the  state of a NODE!", json!({"all": {"type": "boolean"}})),
                tool("b", "Read the state of a pod.", id),
                tool("c", "Kong API", json!({})),
                tool("d", "Kong API", json!({}))
            ]),
        );
        assert_eq!(
            places(&found),
            [("/tools/2/description", Severity::Info), ("/tools/0/description", Severity::Warning)]
        );
        assert_eq!(
            found[1].message,
            "tool `a_state` has the description of tool `a_info` and takes the same arguments"
        );
    }

    #[test]
    fn names_of_one_meaning() {
        let id = json!({"id": {"type": "string"}});
        let other = json!({"id": {"type": "integer"}});
        let found = check(
            &NearDuplicate,
            &json!([
                tool("get_user", "Read a user.", id.clone()),
                tool("fetchUser", "Fetch a user from the directory.", id.clone()),
                tool("retrieve_user", "Retrieve a user by number.", other),
                tool("get_users", "Read users.", id.clone()),
                tool("delete_user", "Delete a user.", id),
                tool("get_all", "Read everything there is.", json!({})),
                tool("fetch_all", "Fetch everything at once.", json!({}))
            ]),
        );
        assert_eq!(places(&found), [("/tools/0/name", Severity::Info)]);
    }

    #[test]
    fn a_tool_listed_twice_is_another_rules_business() {
        let twice = tool("a", "Read the state of a node.", json!({}));
        assert!(check(&NearDuplicate, &json!([twice, twice])).is_empty());
    }
}
