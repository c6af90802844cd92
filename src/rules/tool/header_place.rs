//! MCP-TOOL-HEADER-PLACE: `x-mcp-header` where no client can take a value from.

use super::header::{self, KEYWORD};
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use serde_json::Value;

pub(super) struct HeaderPlace;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-TOOL-HEADER-PLACE",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "`x-mcp-header` stands where it must not: no plain parameter, or one that is not always there",
    rationale: "An argument can be repeated in a header only if a client finds it without evaluating the
schema and can write it as one line of text. So revision 2026-07-28 admits `x-mcp-header` only

- on a parameter whose `type` is `string`, `integer` or `boolean` (not `number`, no array, object or
  list of types, and not without a type);
- on parameters that are reached from the root through `properties` alone: not under `items`,
  `additionalProperties`, `oneOf`/`anyOf`/`allOf`/`not`, `if`/`then`/`else`, and not in a definition
  that a `$ref` leads to.

Clients on the Streamable HTTP transport must drop a tool that breaks this. Some accept `number`;
the specification does not.",
    help: "Move `x-mcp-header` to a string, integer or boolean parameter that stands directly under `properties`, or remove it",
    bad: r#"{
  "tools": [
    {
      "name": "route_job",
      "description": "Put a job into the queue of one region.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "job": {"type": "string", "description": "Id of the job."},
          "regions": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Regions to try, in this order.",
            "x-mcp-header": "Regions"
          }
        },
        "required": ["job"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "route_job",
      "description": "Put a job into the queue of one region.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "job": {"type": "string", "description": "Id of the job."},
          "region": {"type": "string", "description": "Region whose queue takes the job.", "x-mcp-header": "Region"}
        },
        "required": ["job"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    sources: &[
        "https://modelcontextprotocol.io/seps/2243-http-standardization",
        "https://modelcontextprotocol.io/specification/2026-07-28/server/tools",
        "https://github.com/stacklok/toolhive/issues/6013",
    ],
};

impl Rule for HeaderPlace {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        for declared in header::declarations(tool, manifest) {
            let what = if !declared.reachable {
                "is not reached from the root through `properties` alone".to_string()
            } else {
                match declared.schema.get("type") {
                    Some(Value::String(t)) if matches!(t.as_str(), "string" | "integer" | "boolean") => {
                        continue;
                    }
                    Some(Value::String(t)) => format!("stands on a parameter of type {}", say::quoted(t)),
                    Some(Value::Array(_)) => "stands on a parameter with a list of types".to_string(),
                    Some(_) | None => "stands on a parameter without a `type`".to_string(),
                }
            };
            let message = format!("`{KEYWORD}` of {} in {} {what}", declared.parameter, say::tool(tool));
            out.emit(declared.pointer, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn plain_types_only() {
        let with = |schema: Value| json!({"name": "a", "inputSchema": {"type": "object", "properties": {"p": schema}}});
        for good in ["string", "integer", "boolean"] {
            assert!(check(&HeaderPlace, &with(json!({"type": good, "x-mcp-header": "A"}))).is_empty());
        }
        for bad in [
            json!({"type": "number", "x-mcp-header": "A"}),
            json!({"type": "array", "x-mcp-header": "A"}),
            json!({"type": ["string", "null"], "x-mcp-header": "A"}),
            json!({"enum": ["a"], "x-mcp-header": "A"}),
            json!({"type": "object", "x-mcp-header": "A"}),
        ] {
            assert_eq!(
                places(&check(&HeaderPlace, &with(bad.clone()))),
                [("/tools/0/inputSchema/properties/p/x-mcp-header", Severity::Error)],
                "{bad}"
            );
        }
    }

    #[test]
    fn only_properties_may_lead_there() {
        let leaf = json!({"type": "string", "x-mcp-header": "A"});
        let found = check(
            &HeaderPlace,
            &json!({"name": "a", "inputSchema": {"type": "object", "x-mcp-header": "Root",
                "properties": {
                    "deep": {"type": "object", "properties": {"ok": leaf}},
                    "list": {"type": "array", "items": leaf},
                    "either": {"anyOf": [leaf, {"type": "null"}]},
                    "ref": {"$ref": "#/$defs/d"}},
                "if": {"properties": {"x": leaf}},
                "$defs": {"d": leaf}}}),
        );
        assert_eq!(
            places(&found).into_iter().map(|(pointer, _)| pointer).collect::<Vec<_>>(),
            [
                "/tools/0/inputSchema/x-mcp-header",
                "/tools/0/inputSchema/properties/list/items/x-mcp-header",
                "/tools/0/inputSchema/properties/either/anyOf/0/x-mcp-header",
                "/tools/0/inputSchema/if/properties/x/x-mcp-header",
                "/tools/0/inputSchema/$defs/d/x-mcp-header",
            ]
        );
    }

    #[test]
    fn data_is_no_schema() {
        let tool = json!({"name": "a", "inputSchema": {"type": "object", "default": {"x-mcp-header": "A"},
            "properties": {"p": {"type": "object", "examples": [{"x-mcp-header": "B"}]}}}});
        assert!(check(&HeaderPlace, &tool).is_empty());
    }
}
