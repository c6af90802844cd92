//! MCP-SCHEMA-DIALECT-UNKNOWN.

use super::place;
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::fix::{FixKind, Fixer};
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView};
use crate::schema::Dialect;
use serde_json::Value;

pub struct DialectUnknown;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-DIALECT-UNKNOWN",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "`$schema` names a dialect that clients do not know",
    rationale: "Without `$schema` a schema is read as JSON Schema 2020-12. A `$schema` that a validator does not know \
        makes some refuse the tool (Ajv throws), others fall back to a dialect of their own. Verity judges such a \
        schema as 2020-12.",
    help: "Leave `$schema` out (2020-12), or name a published draft exactly: \
        https://json-schema.org/draft/2020-12/schema, http://json-schema.org/draft-07/schema#",
    bad: r#"{"tools": [{"name": "find", "description": "Find a record.", "inputSchema": {
        "$schema": "https://json-schema.org/draft-2020-12/schema", "type": "object"}}]}"#,
    good: r#"{"tools": [{"name": "find", "description": "Find a record.", "inputSchema": {
        "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}}]}"#,
    sources: &["MCP 2026-07-28, basic, JSON Schema Usage (SEP-1613)"],
};

impl Rule for DialectUnknown {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn fixer(&self) -> Option<Fixer> {
        Some(Fixer {
            kind: FixKind::Repair,
            does: "write the published name of the draft",
            apply: published_name,
        })
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        let Some(uri) = site.view.schema.get("$schema").filter(|u| u.is_string()) else { return };
        if site.view.dialect == Dialect::Unknown {
            out.emit(
                site.at("/$schema"),
                format!("`$schema` is {}, which is no dialect that validators know", place::value(uri)),
            );
        }
    }
}

/// The published name, where the one that stands there differs from it by its punctuation alone.
fn published_name(schema: &mut Value, at: &str, _: Dialect) -> bool {
    const PUBLISHED: [&str; 5] = [
        "https://json-schema.org/draft/2020-12/schema",
        "https://json-schema.org/draft/2019-09/schema",
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-04/schema#",
    ];
    // `https://www.json-schema.org/draft-2020-12/schema/` and `draft-07` alike: host and number are what counts.
    let bare = |uri: &str| -> String {
        let uri = uri.trim().to_ascii_lowercase();
        let rest =
            uri.trim_start_matches("https://").trim_start_matches("http://").trim_start_matches("www.");
        rest.chars().filter(char::is_ascii_alphanumeric).collect::<String>().replace("draft0", "draft")
    };
    let Some(Value::String(uri)) = schema.pointer_mut(at) else { return false };
    match PUBLISHED.into_iter().find(|known| bare(known) == bare(uri)) {
        Some(known) if known != uri => {
            *uri = known.to_string();
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::json;

    fn fires(uri: &str) -> bool {
        let tool = json!([{"name": "a", "inputSchema": {"$schema": uri, "type": "object"}}]);
        !check(&DialectUnknown, &tool).is_empty()
    }

    #[test]
    fn unknown_and_known() {
        assert!(fires("https://json-schema.org/draft-2020-12/schema"));
        assert!(fires("http://json-schema.org/draft-03/schema#"));
        assert!(fires(""));
        for known in [
            "http://json-schema.org/draft-07/schema#",
            "https://json-schema.org/draft/2020-12/schema",
            "http://json-schema.org/draft-04/schema",
            "https://json-schema.org/draft/2019-09/schema#",
        ] {
            assert!(!fires(known), "{known}");
        }
    }
}
