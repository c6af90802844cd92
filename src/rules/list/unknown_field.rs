//! MCP-LIST-UNKNOWN-FIELD: a member that the specification does not know, by revision.

use crate::finding::{Confidence, Impact, Part, Severity};
use crate::manifest::Revision;
use crate::pointer;
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use serde_json::{Map, Value};

pub(super) struct UnknownField;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-LIST-UNKNOWN-FIELD",
    severity: Severity::Info,
    confidence: Confidence::High,
    impact: Impact::Constraint,
    summary: "A field that the specification does not know; clients pass over it",
    rationale: "Clients pass over members that their revision of the specification does not know. Whoever wrote them believes that
they have an effect.

- A **misspelt** field (`inputschema`, `input_schema`, `read_only_hint`, `next_cursor`) is a warning: its value is lost, and often
  with it the schema, the hints or the rest of the listing.
- A field of **another revision** is an information: `outputSchema` in a listing of 2025-03-26 is too new, `execution` in one of
  2026-07-28 no longer part of the core.
- Any **other** field is an information as well: data for your own client belongs into `_meta`, under a prefix of your own.

Judged are the members of a tool, of its `annotations`, `icons` and `execution`, and of the result itself if the file holds what a
server sent. Schemas are open to any keyword, and entries written for another API (`strict` of OpenAI, say) are not judged.",
    help: "Correct the name, or move the data into `_meta` under a prefix of your own",
    bad: r#"{
  "tools": [
    {
      "name": "list_shops",
      "description": "List all shops that are open today.",
      "inputSchema": {"type": "object", "additionalProperties": false},
      "annotations": {"readonlyHint": true},
      "category": "shops"
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "list_shops",
      "description": "List all shops that are open today.",
      "inputSchema": {"type": "object", "additionalProperties": false},
      "annotations": {"readOnlyHint": true},
      "_meta": {"com.example/category": "shops"}
    }
  ]
}"#,
    sources: &[
        "https://modelcontextprotocol.io/specification/2026-07-28/schema#tool",
        "https://modelcontextprotocol.io/specification/2025-11-25/schema#tool",
        "https://modelcontextprotocol.io/specification/2026-07-28/changelog",
    ],
};

/// A field, the first revision that knows it, and the last if it is not the newest.
type Field = (&'static str, Revision, Option<Revision>);

const TOOL: &[Field] = &[
    ("name", Revision::V2024_11_05, None),
    ("description", Revision::V2024_11_05, None),
    ("inputSchema", Revision::V2024_11_05, None),
    ("annotations", Revision::V2025_03_26, None),
    ("title", Revision::V2025_06_18, None),
    ("outputSchema", Revision::V2025_06_18, None),
    ("_meta", Revision::V2025_06_18, None),
    ("icons", Revision::V2025_11_25, None),
    ("execution", Revision::V2025_11_25, Some(Revision::V2025_11_25)),
];

// What stands inside a field is judged wherever the field is.
const ANNOTATIONS: &[Field] = &[
    ("title", Revision::V2024_11_05, None),
    ("readOnlyHint", Revision::V2024_11_05, None),
    ("destructiveHint", Revision::V2024_11_05, None),
    ("idempotentHint", Revision::V2024_11_05, None),
    ("openWorldHint", Revision::V2024_11_05, None),
];

const ICON: &[Field] = &[
    ("src", Revision::V2024_11_05, None),
    ("mimeType", Revision::V2024_11_05, None),
    ("sizes", Revision::V2024_11_05, None),
    ("theme", Revision::V2024_11_05, None),
];

const EXECUTION: &[Field] = &[("taskSupport", Revision::V2024_11_05, None)];

/// Members of the result: it is open to others, so only misspelt ones are said.
const RESULT: &[&str] = &["tools", "nextCursor", "_meta", "resultType", "ttlMs", "cacheScope"];

/// Words of other APIs for a field of MCP, meant if that field is missing.
const SYNONYMS: &[(&str, &str)] = &[
    ("parameters", "inputSchema"),
    ("params", "inputSchema"),
    ("arguments", "inputSchema"),
    ("args", "inputSchema"),
    ("schema", "inputSchema"),
    ("input", "inputSchema"),
    ("inputs", "inputSchema"),
    ("output", "outputSchema"),
    ("outputs", "outputSchema"),
    ("returns", "outputSchema"),
    ("desc", "description"),
    ("summary", "description"),
    ("meta", "_meta"),
    ("metadata", "_meta"),
    ("hints", "annotations"),
];

impl Rule for UnknownField {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn manifest(&self, view: &ManifestView<'_>, out: &mut Sink<'_>) {
        if !view.manifest.is_wire {
            return;
        }
        for (key, _) in &view.manifest.listing_fields {
            if let Some(meant) = misspelt(key, RESULT.iter().copied()) {
                let message = format!(
                    "the result of tools/list has {}, which no client knows: did you mean `{meant}`?",
                    say::quoted(key)
                );
                warn(out, pointer::child("", key), key, message);
            }
        }
    }

    fn tool(&self, tool: &ToolView<'_>, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let Value::Object(members) = &tool.tool.value else { return };
        if tool.tool.api.is_some() {
            return;
        }
        let revision = manifest.revision();
        let mut judge = |at: &str, of: &str, members: &Map<String, Value>, fields: &[Field]| {
            for key in members.keys() {
                judge_member(out, tool, &tool.at(at), of, key, members, fields, revision);
            }
        };
        judge("", "", members, TOOL);
        if let Some(Value::Object(annotations)) = members.get("annotations") {
            judge("/annotations", "`annotations` of ", annotations, ANNOTATIONS);
        }
        if let Some(Value::Object(execution)) = members.get("execution") {
            judge("/execution", "`execution` of ", execution, EXECUTION);
        }
        for (i, icon) in members.get("icons").and_then(Value::as_array).into_iter().flatten().enumerate() {
            if let Value::Object(icon) = icon {
                judge(&format!("/icons/{i}"), "an icon of ", icon, ICON);
            }
        }
    }
}

#[allow(clippy::too_many_arguments)]
fn judge_member(
    out: &mut Sink<'_>,
    tool: &ToolView<'_>,
    at: &str,
    of: &str,
    key: &str,
    members: &Map<String, Value>,
    fields: &[Field],
    revision: Revision,
) {
    let place = pointer::child(at, key);
    let whose = format!("{of}{}", say::tool(tool));
    if let Some((_, since, until)) = fields.iter().find(|(name, _, _)| *name == key) {
        let message = if revision < *since {
            format!("`{key}` of {whose} is part of the specification since {} only", since.as_str())
        } else if until.is_some_and(|until| revision > until) {
            format!("`{key}` of {whose} is no longer part of the specification in {}", revision.as_str())
        } else {
            return;
        };
        // Whoever serves several revisions sends what the newest of them knows.
        note(out, place, key, format!("{message}; clients of {} pass over it", revision.as_str()));
        return;
    }
    let missing = |name: &&str| !members.contains_key(*name);
    let names = fields.iter().map(|(name, _, _)| *name);
    let synonym = SYNONYMS.iter().find(|(word, name)| *word == key && names.clone().any(|n| n == *name));
    let meant = misspelt(key, names.clone()).or(synonym.map(|(_, name)| *name)).filter(missing);
    // A hint at the level of the tool: the most common slip.
    let hint = of.is_empty() && ANNOTATIONS.iter().any(|(name, _, _)| *name == key && *name != "title");
    if hint {
        let message =
            format!("`{key}` stands in {whose} itself, where no client looks: it belongs into `annotations`");
        warn(out, place, key, message);
    } else if let Some(meant) = meant {
        let message =
            format!("{} of {whose} is not known to any client: did you mean `{meant}`?", say::quoted(key));
        warn(out, place, key, message);
    } else {
        let message =
            format!("{} of {whose} is not part of the specification: clients pass over it", say::quoted(key));
        note(out, place, key, message);
    }
}

fn note(out: &mut Sink<'_>, place: String, key: &str, message: String) {
    let finding = out.emit(place, message);
    finding.part = Part::Key;
    finding.evidence = Some(key.chars().take(200).collect());
}

fn warn(out: &mut Sink<'_>, place: String, key: &str, message: String) {
    note(out, place, key, message);
    if let Some(finding) = out.last_mut() {
        finding.severity = Severity::Warning;
    }
}

/// The field that `key` is a slip for: the same but for case and separators, or one or two letters off.
fn misspelt<'n>(key: &str, names: impl Iterator<Item = &'n str> + Clone) -> Option<&'n str> {
    let plain = |s: &str| -> String {
        s.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
    };
    if key.len() > 40 || names.clone().any(|name| name == key) {
        return None;
    }
    let typed = plain(key);
    let same = names.clone().find(|name| plain(name) == typed);
    same.or_else(|| {
        names.filter(|name| name.len() >= 5).find(|name| {
            let distance = strsim::damerau_levenshtein(&typed, &plain(name));
            distance <= if name.len() >= 9 { 2 } else { 1 }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::list::testing::{found, places};
    use crate::rules::testing::{check, check_in};
    use serde_json::json;

    fn severities(findings: &[crate::finding::Finding]) -> Vec<(&str, Severity)> {
        crate::rules::testing::places(findings)
    }

    #[test]
    fn what_the_newest_revision_knows_is_quiet() {
        let tool = json!({"name": "a", "title": "A", "description": "d", "_meta": {"x.y/z": 1},
            "inputSchema": {"type": "object", "anything": 1, "x-mcp-header": "A"}, "outputSchema": {},
            "icons": [{"src": "https://x/y.png", "mimeType": "image/png", "sizes": ["1x1"], "theme": "dark"}],
            "annotations": {"title": "A", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
                "openWorldHint": false}});
        assert_eq!(check(&UnknownField, &tool), []);
    }

    #[test]
    fn fields_belong_to_revisions() {
        let tool = json!({"name": "a", "inputSchema": {}, "execution": {"taskSupport": "optional"}, "icons": [],
            "outputSchema": {}, "annotations": {}});
        let at = |revision| {
            let found = check_in(&UnknownField, revision, &tool);
            assert!(found.iter().all(|f| f.severity == Severity::Info));
            found.iter().map(|f| f.pointer.trim_start_matches("/tools/0/").to_string()).collect::<Vec<_>>()
        };
        assert_eq!(at(Revision::V2026_07_28), ["execution"]);
        assert_eq!(at(Revision::V2025_11_25), Vec::<String>::new());
        assert_eq!(at(Revision::V2025_06_18), ["execution", "icons"]);
        assert_eq!(at(Revision::V2025_03_26), ["execution", "icons", "outputSchema"]);
        assert_eq!(at(Revision::V2024_11_05), ["execution", "icons", "outputSchema", "annotations"]);
    }

    #[test]
    fn slips_are_warnings_and_other_fields_informations() {
        let found = check(
            &UnknownField,
            &json!({"name": "a", "inputschema": {}, "descripton": "d", "readOnlyHint": true, "category": "x",
                "version": "1", "tags": [], "icon": "x", "annotations": {"read_only_hint": true, "audience": []}}),
        );
        assert_eq!(
            severities(&found),
            [
                ("/tools/0/inputschema", Severity::Warning),
                ("/tools/0/descripton", Severity::Warning),
                ("/tools/0/readOnlyHint", Severity::Warning),
                ("/tools/0/category", Severity::Info),
                ("/tools/0/version", Severity::Info),
                ("/tools/0/tags", Severity::Info),
                ("/tools/0/icon", Severity::Warning),
                ("/tools/0/annotations/read_only_hint", Severity::Warning),
                ("/tools/0/annotations/audience", Severity::Info),
            ]
        );
        assert!(found[0].message.contains("did you mean `inputSchema`?"));
        let both = check(
            &UnknownField,
            &json!({"name": "a", "inputSchema": {}, "parameters": {}, "input_schema": {}}),
        );
        assert!(both.iter().all(|f| f.severity == Severity::Info) && both.len() == 2);
        let one = check(&UnknownField, &json!({"name": "a", "parameters": {}}));
        assert_eq!(severities(&one), [("/tools/0/parameters", Severity::Warning)]);
    }

    #[test]
    fn other_apis_are_not_judged() {
        for text in [
            r#"[{"type":"function","function":{"name":"a","parameters":{},"strict":true},"extra":1}]"#,
            r#"[{"type":"function","name":"a","parameters":{},"strict":true}]"#,
            r#"[{"name":"a","input_schema":{},"cache_control":{},"input_examples":[]}]"#,
            r#"{"tools":[{"name":"a","inputSchema":{}}],"server":"x","next_cursor":"y"}"#,
        ] {
            assert_eq!(found(&UnknownField, text), [], "{text}");
        }
        let wire = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","input_schema":{}}],"next_cursor":"x","extra":1}}"#;
        assert_eq!(places(&found(&UnknownField, wire)), ["/next_cursor", "/tools/0/input_schema"]);
    }
}
