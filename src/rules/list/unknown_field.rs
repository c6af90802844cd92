//! MCP-LIST-UNKNOWN-FIELD: a member that the specification does not know, by revision.

use crate::finding::{Confidence, Finding, Impact, Part, Severity};
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
                note(out, pointer::child("", key), key, message).severity = Severity::Warning;
            }
        }
    }

    fn tool(&self, tool: &ToolView<'_>, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let Value::Object(members) = &tool.tool.value else { return };
        if tool.tool.api.is_some() {
            return;
        }
        let mut objects = vec![("".to_string(), "", members, TOOL)];
        if let Some(Value::Object(annotations)) = members.get("annotations") {
            objects.push(("/annotations".to_string(), "`annotations` of ", annotations, ANNOTATIONS));
        }
        if let Some(Value::Object(execution)) = members.get("execution") {
            objects.push(("/execution".to_string(), "`execution` of ", execution, EXECUTION));
        }
        for (i, icon) in members.get("icons").and_then(Value::as_array).into_iter().flatten().enumerate() {
            if let Value::Object(icon) = icon {
                objects.push((format!("/icons/{i}"), "an icon of ", icon, ICON));
            }
        }
        // Files that other programs keep for themselves have members of their own (digests, say).
        let keeps_own =
            matches!(manifest.manifest.shape, "lock-file" | "mcp-scan-result" | "docker-registry");
        for (at, of, members, fields) in objects {
            for key in members.keys() {
                let verdict = verdict(key, members, fields, manifest.revision());
                if verdict == Verdict::Known || verdict == Verdict::Unknown && keeps_own {
                    continue;
                }
                let message = verdict.message(key, &format!("{of}{}", say::tool(tool)), manifest.revision());
                let finding = note(out, pointer::child(&tool.at(&at), key), key, message);
                if matches!(verdict, Verdict::Slip(_) | Verdict::Misplaced) {
                    finding.severity = Severity::Warning;
                }
            }
        }
    }
}

/// What the specification says of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Known,
    /// Known since this revision only.
    TooNew(Revision),
    /// Known to older revisions.
    TooOld,
    /// Meant is this field.
    Slip(&'static str),
    /// A hint at the level of the tool: the most common slip.
    Misplaced,
    Unknown,
}

fn verdict(key: &str, members: &Map<String, Value>, fields: &'static [Field], revision: Revision) -> Verdict {
    if let Some((_, since, until)) = fields.iter().find(|(name, _, _)| *name == key) {
        return match until {
            _ if revision < *since => Verdict::TooNew(*since),
            Some(until) if revision > *until => Verdict::TooOld,
            _ => Verdict::Known,
        };
    }
    let is_hint = |field: &Field| field.0 == key && field.0 != "title";
    if std::ptr::eq(fields, TOOL) && ANNOTATIONS.iter().any(is_hint) {
        return Verdict::Misplaced;
    }
    let names = fields.iter().map(|(name, _, _)| *name);
    let synonym = SYNONYMS.iter().find(|(word, name)| *word == key && names.clone().any(|n| n == *name));
    let meant = misspelt(key, names).or(synonym.map(|(_, name)| *name));
    match meant.filter(|name| !members.contains_key(*name)) {
        Some(name) => Verdict::Slip(name),
        None => Verdict::Unknown,
    }
}

impl Verdict {
    /// What there is to say of the member `key` of `whose`.
    fn message(self, key: &str, whose: &str, revision: Revision) -> String {
        let (key, revision) = (say::quoted(key), revision.as_str());
        match self {
            Verdict::Known => String::new(),
            Verdict::TooNew(since) => format!(
                "{key} of {whose} is part of the specification since {} only; clients of {revision} pass over it",
                since.as_str()
            ),
            // Whoever serves several revisions sends what each of them knows.
            Verdict::TooOld => format!(
                "{key} of {whose} is no longer part of the specification in {revision}; its clients pass over it"
            ),
            Verdict::Slip(meant) => {
                format!("{key} of {whose} is not known to any client: did you mean `{meant}`?")
            }
            Verdict::Misplaced => {
                format!(
                    "{key} stands in {whose} itself, where no client looks: it belongs into `annotations`"
                )
            }
            Verdict::Unknown => {
                format!("{key} of {whose} is not part of the specification: clients pass over it")
            }
        }
    }
}

fn note<'s>(out: &'s mut Sink<'_>, place: String, key: &str, message: String) -> &'s mut Finding {
    let finding = out.emit(place, message);
    finding.part = Part::Key;
    finding.evidence = Some(key.chars().take(200).collect());
    finding
}

/// The field that `key` is a slip for: the same but for case and separators, or one or two letters off.
fn misspelt(key: &str, names: impl Iterator<Item = &'static str> + Clone) -> Option<&'static str> {
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
