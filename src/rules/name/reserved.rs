//! MCP-NAME-RESERVED: a name that means something else to the programs it passes through.

use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};

pub(super) struct Reserved;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-NAME-RESERVED",
    severity: Severity::Warning,
    confidence: Confidence::Medium,
    impact: Impact::Tool,
    summary: "A tool's name already means something to clients or to the protocol",
    rationale: "Three kinds of names lead a life of their own:

- `__proto__`, `constructor`, `prototype`, `toString` and their kin are members of every JavaScript
  object; a client that keeps tools in a plain object by name loses the tool, or worse.
- `undefined`, `null`, `NaN`, `[object Object]` are what a bug in the server prints where a name
  should stand.
- `tools/list` and the other method names of the protocol (but not `ping`, which is a plain word),
  names that start with `rpc.` (reserved by JSON-RPC) and names that start with `mcp__` (the form in
  which clients show the tools of *all* servers to the model, so that the tool passes for one of
  another server) confuse whoever reads a log or grants a permission.",
    help: "Choose a name that says what the tool does and belongs to this server alone",
    bad: r#"{
  "tools": [
    {
      "name": "mcp__bank__transfer",
      "description": "Transfer an amount to another account.",
      "inputSchema": {
        "type": "object",
        "properties": {"order": {"type": "string", "description": "Id of a signed order."}},
        "required": ["order"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "transfer",
      "description": "Transfer an amount to another account.",
      "inputSchema": {
        "type": "object",
        "properties": {"order": {"type": "string", "description": "Id of a signed order."}},
        "required": ["order"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    sources: &[
        "https://www.jsonrpc.org/specification#request_object",
        "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names",
    ],
};

impl Rule for Reserved {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let Some(name) = tool.tool.name() else { return };
        if let Some(what) = meaning(name) {
            out.emit(tool.at("/name"), format!("{} has a name that {what}", say::tool(tool)));
        }
    }
}

const OBJECT_MEMBERS: &[&str] = &[
    "__proto__",
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "prototype",
    "toLocaleString",
    "toString",
    "valueOf",
];
const ACCIDENTS: &[&str] = &["undefined", "null", "None", "NaN", "[object Object]", "anonymous", "<lambda>"];
const METHODS: &[&str] = &[
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "sampling/createMessage",
    "elicitation/create",
    "roots/list",
    "subscriptions/listen",
];

/// What else a name means.
fn meaning(name: &str) -> Option<&'static str> {
    if OBJECT_MEMBERS.contains(&name) {
        Some("is a member of every JavaScript object")
    } else if ACCIDENTS.contains(&name) {
        Some("is what a program prints when it has no name")
    } else if METHODS.contains(&name) {
        Some("is a method of the protocol")
    } else if name.starts_with("rpc.") {
        Some("starts with `rpc.`, which JSON-RPC reserves")
    } else if name.starts_with("mcp__") {
        Some("starts with `mcp__`, the form in which clients show the tools of all servers")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn names_with_another_meaning() {
        for taken in [
            "__proto__",
            "constructor",
            "undefined",
            "[object Object]",
            "tools/list",
            "rpc.call",
            "mcp__bank__pay",
        ] {
            assert_eq!(
                places(&check(&Reserved, &json!({"name": taken}))),
                [("/tools/0/name", Severity::Warning)],
                "{taken}"
            );
        }
        for free in [
            "ping",
            "initialize",
            "mcp_status",
            "mcp-find",
            "get_prototype",
            "null_check",
            "construct",
            "rpc",
            "tools_list",
        ] {
            assert!(check(&Reserved, &json!({"name": free})).is_empty(), "{free}");
        }
    }
}
