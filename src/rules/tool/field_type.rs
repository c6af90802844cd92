//! MCP-TOOL-FIELD-TYPE: a field of the entry is of another kind than the specification says.

use crate::finding::{Confidence, Finding, Impact, Severity};
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
    rationale: "`title` and `description` are strings, `annotations` and `_meta` objects, the hints
booleans, `icons` an array of objects. A client that parses `tools/list` with a typed SDK refuses
the whole result when one field of one tool is of another kind (`\"readOnlyHint\": \"true\"` is the
classic), and all tools of the server vanish.

**null** is not the same as leaving the field out, and strict clients refuse it too. It is a
warning, though: listings dumped by a script often have `null` for every unset field while the live
server leaves them out. Look at what the server really sends. Where more than two tools have null in
the same field, it is reported once.

Fields are judged from the revision on that knows them: `annotations` since 2025-03-26, `title` and
`_meta` since 2025-06-18, `icons` and `execution` since 2025-11-25. Schemas have rules of their own.",
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

/// Up to as many tools with null in one field are reported one by one.
const ONE_BY_ONE: usize = 2;

impl Rule for FieldType {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    /// Nulls, since a dump has them in every tool: a field is reported once when many tools have null there.
    fn manifest(&self, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        for (below, kind, _) in known(manifest) {
            // A null description is no description; the rule about that says so.
            if *below == "/description" {
                continue;
            }
            let is_null = |t: &&ToolView<'_>| t.tool.value.pointer(below).is_some_and(Value::is_null);
            let with_null: Vec<&ToolView<'_>> = manifest.tools().iter().filter(is_null).collect();
            let (field, kind) = (name(below), kind.name());
            if let Some(first) = with_null.first().filter(|_| with_null.len() > ONE_BY_ONE) {
                let (n, all) = (with_null.len(), manifest.tools().len());
                let message = format!(
                    "`{field}` is null, not {kind}, in {n} of {all} tools; the first is {}",
                    say::tool(first)
                );
                soften(out.emit(first.at(below), message));
                continue;
            }
            for tool in with_null {
                let message = format!("`{field}` of {} is null, not {kind}", say::tool(tool));
                soften(out.emit_for(tool, tool.at(below), message));
            }
        }
    }

    fn tool(&self, tool: &ToolView<'_>, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        for (below, kind, _) in known(manifest) {
            let Some(value) = tool.tool.value.pointer(below) else { continue };
            if kind.admits(value) || value.is_null() {
                continue;
            }
            let (who, is) = (say::tool(tool), say::kind(value));
            let message = format!("`{}` of {who} is {is}, not {}", name(below), kind.name());
            let finding = out.emit(tool.at(below), message);
            if !value.is_object() && !value.is_array() {
                finding.evidence = Some(value.to_string().chars().take(200).collect());
            }
        }
    }
}

/// The fields that the listing's revision has.
fn known<'v>(manifest: &ManifestView<'_>) -> impl Iterator<Item = &'v (&'static str, Kind, Revision)> {
    let revision = manifest.revision();
    FIELDS.iter().filter(move |(_, _, since)| *since <= revision)
}

/// `annotations.readOnlyHint`
fn name(below: &str) -> String {
    below.trim_start_matches('/').replace('/', ".")
}

fn soften(finding: &mut Finding) {
    (finding.severity, finding.confidence) = (Severity::Warning, Confidence::Medium);
    finding.help = "Leave the field out instead of setting it to null".to_string();
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
    fn a_dump_full_of_nulls_is_reported_once_a_field() {
        let tool = |name: &str| json!({"name": name, "title": null, "annotations": {"readOnlyHint": null}});
        let found = check(&FieldType, &json!([{"name": "z"}, tool("a"), tool("b"), tool("c")]));
        assert_eq!(
            places(&found),
            [("/tools/1/title", Severity::Warning), ("/tools/1/annotations/readOnlyHint", Severity::Warning)]
        );
        assert_eq!(found[0].message, "`title` is null, not a string, in 3 of 4 tools; the first is tool `a`");
        assert_eq!(found[0].tool, None);
    }

    #[test]
    fn a_revision_that_does_not_know_a_field_says_nothing_of_it() {
        let tool = json!({"name": "a", "title": 1, "annotations": [], "icons": "x", "description": 4});
        let found = check_in(&FieldType, Revision::V2024_11_05, &tool);
        assert_eq!(places(&found), [("/tools/0/description", Severity::Error)]);
        assert_eq!(check_in(&FieldType, Revision::V2025_06_18, &tool).len(), 3);
    }
}
