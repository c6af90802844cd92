//! MCP-USAGE-ENUM-IN-PROSE: the allowed values stand in the description only.

use super::listed::{self, Listed};
use crate::finding::{Confidence, Impact, Part, Severity};
use crate::rules::name::words;
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use crate::schema::Via;
use serde_json::Value;

pub(super) struct EnumInProse;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-USAGE-ENUM-IN-PROSE",
    severity: Severity::Info,
    confidence: Confidence::Medium,
    impact: Impact::Constraint,
    summary: "The allowed values of a parameter are listed in prose, not in `enum`",
    rationale: "\"One of: asc, desc\" in a description is read by a model and by nobody else: the client
cannot check it, a form cannot offer the values, constrained decoding cannot hold the model to them,
and a generated test cannot know them. `enum` says the same to all of them.

The rule looks at string parameters without `enum`, `const` or `pattern`, in their own description
and in the tool's, for lists that are said to be closed: \"one of\", \"allowed values\", \"must be
'a' or 'b'\", `(a|b)`. Open lists (\"such as\", \"e.g.\", \"include\", \"etc.\") are left alone.",
    help: "List the values in `enum`, and keep the description for what they mean",
    bad: r#"{
  "tools": [
    {
      "name": "list_orders",
      "description": "List the orders of a customer.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "customer": {"type": "string", "description": "Number of the customer."},
          "state": {"type": "string", "description": "State of the orders. One of: open, shipped, returned."}
        },
        "required": ["customer"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "list_orders",
      "description": "List the orders of a customer.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "customer": {"type": "string", "description": "Number of the customer."},
          "state": {"type": "string", "enum": ["open", "shipped", "returned"], "description": "State of the orders."}
        },
        "required": ["customer"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    sources: &[
        "https://arxiv.org/abs/2602.18914",
        "https://modelcontextprotocol.io/specification/2026-07-28/server/tools",
    ],
};

impl Rule for EnumInProse {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let Some(site) = tool.input() else { return };
        let text = tool.tool.value.get("description").and_then(Value::as_str).unwrap_or_default();
        let docstring = cut(text);
        let properties = site.view.nodes().iter().filter_map(|node| match &node.via {
            Via::Property(name) => Some((node, name)),
            _ => None,
        });
        for (node, name) in properties.take(MOST).filter(|(node, _)| is_free_string(node.schema)) {
            let own = node.schema.get("description").and_then(Value::as_str).unwrap_or_default();
            let find = if names_a_thing(name) { listed::find_introduced } else { listed::find };
            let is_parameter = node.depth == 1;
            let (place, found) = if let Some(found) = find(cut(own)) {
                (site.at(&format!("{}/description", node.pointer)), found)
            } else if let Some(found) = is_parameter.then(|| in_docstring(docstring, name)).flatten() {
                (tool.at("/description"), found)
            } else {
                continue;
            };
            // "only one of `name` and `id`": a list of parameters
            if found.values.iter().any(|v| v == name) {
                continue;
            }
            let values: Vec<String> = found.values.iter().map(|v| say::quoted(v)).collect();
            let (name, who, values) = (say::quoted(name), say::tool(tool), say::list(&values, 6));
            let message = format!("the allowed values of {name} in {who} stand in prose only: {values}");
            out.emit(place, message).part = Part::Range(found.range);
        }
    }
}

/// Properties that are looked at.
const MOST: usize = 500;

/// Whether the schema takes any string, or a list of any strings.
fn is_free_string(schema: &Value) -> bool {
    let Some(members) = schema.as_object() else { return false };
    let held = ["enum", "const", "pattern", "format", "$ref", "anyOf", "oneOf", "allOf", "properties"];
    if held.iter().any(|k| members.contains_key(*k)) {
        return false;
    }
    match members.get("type").and_then(Value::as_str) {
        Some("string") => true,
        Some("array") => members.get("items").is_some_and(|items| items.is_object() && is_free_string(items)),
        Some(_) => false,
        // `"type": ["string", "null"]`, or no type at all
        None => {
            members.get("type").is_none_or(|t| t.as_array().is_some_and(|t| t.iter().any(|t| t == "string")))
        }
    }
}

/// Whether the name promises an identifier, a name or a place: free text in any case.
fn names_a_thing(name: &str) -> bool {
    let things = ["id", "ids", "name", "filename", "file", "path", "url", "uri", "query", "text", "value"];
    words::of(name).last().is_some_and(|last| things.contains(&last.as_str()))
}

/// A line of the tool's description that is about the parameter ("    state: One of 'open', 'closed'").
fn in_docstring(text: &str, name: &str) -> Option<Listed> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim_start().trim_start_matches(['-', '*', '`', '@', ':', ' ']);
        let bare = bare.strip_prefix("param ").unwrap_or(bare);
        let about = bare.strip_prefix(name).is_some_and(|rest| {
            rest.trim_start_matches(['`', '*', ' ']).starts_with([':', '(', '=', '-', '–'])
        });
        if about {
            let found = listed::find(line)?;
            return Some(Listed { range: found.range.start + start..found.range.end + start, ..found });
        }
    }
    None
}

/// Texts are looked at up to here.
fn cut(text: &str) -> &str {
    let end = text.char_indices().nth(5_000).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn in_the_parameter_or_in_the_docstring() {
        let tool = json!({"name": "t", "description": "List.\n\nArgs:\n    order (str): 'asc' or 'desc'\n    place: a town",
            "inputSchema": {"type": "object", "properties": {
                "state": {"type": "string", "description": "One of: open, closed"},
                "order": {"type": "string"},
                "place": {"type": "string"},
                "done": {"type": "string", "enum": ["a", "b"], "description": "One of: a, b"},
                "n": {"type": "integer", "description": "one of 1, 2"},
                "filter": {"type": "object", "properties": {"by": {"type": "array", "items": {"type": "string"},
                    "description": "Valid values: name, size"}}},
                "how": {"type": ["string", "null"], "description": "'fast' or 'slow'"}}}});
        let found = check(&EnumInProse, &tool);
        assert_eq!(
            places(&found),
            [
                ("/tools/0/inputSchema/properties/state/description", Severity::Info),
                ("/tools/0/description", Severity::Info),
                ("/tools/0/inputSchema/properties/filter/properties/by/description", Severity::Info),
                ("/tools/0/inputSchema/properties/how/description", Severity::Info)
            ]
        );
        assert_eq!(found[0].part, Part::Range(8..20));
        assert_eq!(
            found[0].message,
            "the allowed values of `state` in tool `t` stand in prose only: `open` and `closed`"
        );
        let Part::Range(range) = &found[1].part else { panic!() };
        assert_eq!(tool["description"].as_str().unwrap().get(range.clone()), Some("'asc' or 'desc'"));
    }
}
