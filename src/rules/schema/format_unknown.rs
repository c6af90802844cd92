//! MCP-SCHEMA-FORMAT-UNKNOWN.

use super::place;
use crate::finding::{Confidence, Impact, Severity};
use crate::pointer;
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView, say};
use crate::schema::vocabulary;
use serde_json::Value;

pub struct FormatUnknown;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-FORMAT-UNKNOWN",
    severity: Severity::Info,
    confidence: Confidence::High,
    impact: Impact::Constraint,
    summary: "a `format` that JSON Schema does not know",
    rationale: "`format` is a hint unless a validator is told to check it, and validators ignore names that they do not \
        know, or complain of them: Ajv logs a warning or throws. `uint64` comes from Rust and promises a limit that nobody \
        checks; `datetime` and `url` are slips for `date-time` and `uri`.\n\n\
        Shown for information: a model may well understand the name. Names that only say more of the type \
        (`int32`, `int64`, `float`, `double`, `decimal`, `binary`, `byte`, `password`, from OpenAPI) are not reported.",
    help: "Say it with keywords that are checked (\"minimum\": 0), or use a format of JSON Schema",
    bad: r#"{"tools": [{"name": "page", "description": "Get a page.", "inputSchema": {"type": "object",
        "properties": {"offset": {"type": "integer", "format": "uint64"}}, "required": ["offset"]}}]}"#,
    good: r#"{"tools": [{"name": "page", "description": "Get a page.", "inputSchema": {"type": "object",
        "properties": {"offset": {"type": "integer", "minimum": 0}}, "required": ["offset"]}}]}"#,
    sources: &["JSON Schema 2020-12 validation, 7.3: defined formats", "OpenAPI format registry"],
};

/// Formats of OpenAPI that promise no check of their own.
const HARMLESS: [&str; 8] = ["int32", "int64", "float", "double", "decimal", "binary", "byte", "password"];

impl Rule for FormatUnknown {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        for (i, node) in site.view.nodes().iter().enumerate() {
            let Some(format) = node.schema.get("format").and_then(Value::as_str) else { continue };
            if vocabulary::FORMATS.contains(&format) || HARMLESS.contains(&format) {
                continue;
            }
            let finding = out.emit(
                site.at(&pointer::child(&node.pointer, "format")),
                format!(
                    "the format {} of {} is not one of JSON Schema",
                    say::quoted(format),
                    place::name(site, i)
                ),
            );
            finding.evidence = Some(format.to_string());
            if let Some(meant) = meant(format) {
                finding.help = meant;
            }
        }
    }
}

fn meant(format: &str) -> Option<String> {
    let name = match format.to_ascii_lowercase().replace('_', "-").as_str() {
        "datetime" | "timestamp" | "iso8601" | "iso-8601" | "date-time" | "rfc3339" => "date-time",
        "url" | "http-url" => "uri",
        "guid" => "uuid",
        "e-mail" | "mail" => "email",
        "ip" | "ip-address" | "ipv-4" => "ipv4",
        "host" | "host-name" => "hostname",
        "regexp" => "regex",
        "uint" | "uint8" | "uint16" | "uint32" | "uint64" | "unsigned" => {
            return Some("Delete it and write \"minimum\": 0, which is checked".to_string());
        }
        "int" | "int8" | "int16" => {
            return Some("Delete it and write \"minimum\" and \"maximum\", which are checked".to_string());
        }
        "base64" => return Some("Write \"contentEncoding\": \"base64\"".to_string()),
        _ => return None,
    };
    Some(format!("Did you mean \"format\": \"{name}\"?"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::json;

    fn found(property: Value) -> Vec<String> {
        let tool = json!([{"name": "a", "inputSchema": {"type": "object", "properties": {"p": property}}}]);
        check(&FormatUnknown, &tool).into_iter().map(|f| f.help).collect()
    }

    #[test]
    fn fires() {
        assert!(found(json!({"type": "integer", "format": "uint64"}))[0].contains("minimum"));
        assert!(found(json!({"type": "string", "format": "datetime"}))[0].contains("date-time"));
        assert_eq!(found(json!({"type": "string", "format": "phone"})).len(), 1);
    }

    #[test]
    fn is_quiet() {
        for property in [
            json!({"format": "date-time"}),
            json!({"type": "integer", "format": "int64"}),
            json!({"format": 5}),
            json!({"properties": {"format": {"type": "string"}}}),
            json!({"default": {"format": "phone"}}),
        ] {
            assert!(found(property.clone()).is_empty(), "{property}");
        }
    }
}
