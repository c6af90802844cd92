//! MCP-TOOL-FIELD-TYPE: a field of the entry is of another kind than the specification says.

use crate::finding::{Confidence, Impact, Severity};
use crate::manifest::Revision;
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use serde_json::Value;

pub(super) struct FieldType;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-TOOL-FIELD-TYPE",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Server,
    summary: "A field of a tool has the wrong type",
    rationale: "`title` and `description` are strings, `annotations` and `_meta` objects, the hints booleans, `icons` an array
of objects. A client that parses `tools/list` with a typed SDK refuses the whole result when one field of one
tool is of another kind (`\"readOnlyHint\": \"true\"` is the classic), and all tools of the server vanish.

**null** is not the same as leaving the field out, and strict clients refuse it too. It is a warning, though:
listings dumped by a script often have `null` for every unset field while the live server leaves them out. Look at
what the server really sends.

Fields are judged from the revision on that knows them: `annotations` since 2025-03-26, `title` and `_meta` since 2025-06-18,
`icons` and `execution` since 2025-11-25. Schemas have rules of their own.",
    help: "Give the field the type that the specification names, or leave it out",
    bad: r#"{
  "tools": [
    {
      "name": "list_shops",
      "description": "List all shops that are open today.",
      "inputSchema": {"type": "object", "additionalProperties": false},
      "annotations": {"readOnlyHint": "true"}
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "list_shops",
      "description": "List all shops that are open today.",
      "inputSchema": {"type": "object", "additionalProperties": false},
      "annotations": {"readOnlyHint": true}
    }
  ]
}"#,
    sources: &[
        "https://modelcontextprotocol.io/specification/2026-07-28/schema#tool",
        "https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations",
    ],
};

/// What a field must be.
#[derive(Clone, Copy)]
enum Kind {
    String,
    Boolean,
    Object,
    Array,
}

impl Kind {
    fn admits(self, value: &Value) -> bool {
        match self {
            Kind::String => value.is_string(),
            Kind::Boolean => value.is_boolean(),
            Kind::Object => value.is_object(),
            Kind::Array => value.is_array(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::String => "a string",
            Kind::Boolean => "a boolean",
            Kind::Object => "an object",
            Kind::Array => "an array",
        }
    }
}

/// Pointer in the entry, kind, first revision that has the field.
const FIELDS: &[(&str, Kind, Revision)] = &[
    ("/title", Kind::String, Revision::V2025_06_18),
    ("/description", Kind::String, Revision::V2024_11_05),
    ("/annotations", Kind::Object, Revision::V2025_03_26),
    ("/annotations/title", Kind::String, Revision::V2025_03_26),
    ("/annotations/readOnlyHint", Kind::Boolean, Revision::V2025_03_26),
    ("/annotations/destructiveHint", Kind::Boolean, Revision::V2025_03_26),
    ("/annotations/idempotentHint", Kind::Boolean, Revision::V2025_03_26),
    ("/annotations/openWorldHint", Kind::Boolean, Revision::V2025_03_26),
    ("/icons", Kind::Array, Revision::V2025_11_25),
    ("/execution", Kind::Object, Revision::V2025_11_25),
    ("/_meta", Kind::Object, Revision::V2025_06_18),
];

impl Rule for FieldType {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        if !tool.tool.value.is_object() {
            return;
        }
        for (below, kind, since) in FIELDS {
            if manifest.revision() < *since {
                continue;
            }
            let Some(value) = tool.tool.value.pointer(below) else { continue };
            // A null description is no description; the rule about that says so.
            if kind.admits(value) || (*below == "/description" && value.is_null()) {
                continue;
            }
            let field = below.trim_start_matches('/').replace('/', ".");
            let message =
                format!("`{field}` of {} is {}, not {}", say::tool(tool), say::kind(value), kind.name());
            let finding = out.emit(tool.at(below), message);
            if value.is_null() {
                (finding.severity, finding.confidence) = (Severity::Warning, Confidence::Medium);
                finding.help = "Leave the field out instead of setting it to null".to_string();
            } else if !value.is_object() && !value.is_array() {
                finding.evidence = Some(value.to_string().chars().take(200).collect());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, check_in, places};
    use serde_json::json;

    #[test]
    fn each_field_by_its_kind() {
        let found = check(
            &FieldType,
            &json!({"name": "a", "title": 1, "description": ["x"], "icons": {}, "_meta": "m", "execution": true,
                "annotations": {"title": false, "readOnlyHint": "true", "destructiveHint": 0, "openWorldHint": true}}),
        );
        let at: Vec<_> = places(&found).into_iter().map(|(pointer, _)| pointer).collect();
        assert_eq!(
            at,
            [
                "/tools/0/title",
                "/tools/0/description",
                "/tools/0/annotations/title",
                "/tools/0/annotations/readOnlyHint",
                "/tools/0/annotations/destructiveHint",
                "/tools/0/icons",
                "/tools/0/execution",
                "/tools/0/_meta"
            ]
        );
        assert!(found.iter().all(|f| f.severity == Severity::Error));
        assert_eq!(found[3].evidence.as_deref(), Some("\"true\""));
    }

    #[test]
    fn null_is_a_warning_and_a_null_description_another_rules_business() {
        let found =
            check(&FieldType, &json!({"name": "a", "description": null, "annotations": null, "title": null}));
        assert_eq!(
            places(&found),
            [("/tools/0/title", Severity::Warning), ("/tools/0/annotations", Severity::Warning)]
        );
    }

    #[test]
    fn a_revision_that_does_not_know_a_field_says_nothing_of_it() {
        let tool = json!({"name": "a", "title": 1, "annotations": [], "icons": "x", "description": 4});
        let found = check_in(&FieldType, Revision::V2024_11_05, &tool);
        assert_eq!(places(&found), [("/tools/0/description", Severity::Error)]);
        assert_eq!(check_in(&FieldType, Revision::V2025_06_18, &tool).len(), 3);
    }
}
