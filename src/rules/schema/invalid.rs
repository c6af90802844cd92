//! MCP-SCHEMA-INVALID.

use super::{meant, mend, place};
use crate::finding::{Confidence, Impact, Severity};
use crate::pointer;
use crate::rules::fix::{FixKind, Fixer};
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView};

pub struct Invalid;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-INVALID",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "a schema breaks the rules of JSON Schema itself",
    rationale: "MCP demands that a tool's schema is valid in its dialect (`$schema`, else 2020-12). A schema that \
        is not compiles nowhere: SDK clients that compile schemas while they list tools fail for the whole \
        server, others drop the constraint without a word.\n\n\
        Each fault is reported once, at the keyword that is wrong, with what was probably meant: a type of \
        another language (`float`, `str`, `dict`), `required: true` inside a property, a keyword that slipped \
        into `properties`, `items` as a list in 2020-12, a boolean `exclusiveMinimum`, a number in quotes.",
    help: "Correct the keyword as the message says; the schema's dialect is its `$schema`, else JSON Schema 2020-12",
    bad: r#"{"tools": [{"name": "set_price", "description": "Set the price.", "inputSchema": {"type": "object",
        "properties": {"price": {"type": "float", "description": "Price in EUR."}}, "required": ["price"]}}]}"#,
    good: r#"{"tools": [{"name": "set_price", "description": "Set the price.", "inputSchema": {"type": "object",
        "properties": {"price": {"type": "number", "description": "Price in EUR."}}, "required": ["price"]}}]}"#,
    sources: &[
        "MCP 2026-07-28, basic, JSON Schema Usage (SEP-1613): schemas MUST be valid in their dialect",
        "JSON Schema metaschemas, draft-04 to 2020-12",
    ],
};

impl Rule for Invalid {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn fixer(&self) -> Option<Fixer> {
        Some(Fixer {
            kind: FixKind::Repair,
            does: "write what was unambiguously meant (the JSON Schema name of a type, `required` as a list, `prefixItems`, \
                   a number without quotes)",
            apply: mend::apply,
        })
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        for fault in site.view.metaschema_violations() {
            let at = fault.instance_pointer.as_str();
            if at == "/type" && site.is_input {
                continue; // MCP-INPUT-SCHEMA-NOT-OBJECT says so, and more.
            }
            let Some(value) = pointer::get(site.view.schema, at) else { continue };
            let explained = meant::explain(&site.view, at, value);
            let finding = out.emit(site.at(at), explained.message);
            finding.evidence = Some(place::value(value));
            if let Some(meant) = explained.meant {
                finding.help = meant;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::{Value, json};

    fn found(property: Value) -> Vec<(String, String, String)> {
        let tool = json!([{"name": "a", "inputSchema": {"type": "object", "properties": {"p": property}}}]);
        check(&Invalid, &tool)
            .into_iter()
            .map(|f| (f.pointer.replace("/tools/0/inputSchema/properties/p", ""), f.message, f.help))
            .collect()
    }

    /// The finding on `property` (the only one): its place below the property, and its help.
    fn one(property: Value) -> (String, String) {
        let mut all = found(property);
        assert_eq!(all.len(), 1, "{all:?}");
        let (at, _, help) = all.remove(0);
        (at, help)
    }

    #[test]
    fn types_of_other_languages() {
        for (wrong, right) in [
            ("float", "number"),
            ("int", "integer"),
            ("str", "string"),
            ("bool", "boolean"),
            ("dict", "object"),
            ("list", "array"),
            ("STRING", "string"),
            ("None", "null"),
            ("Integer", "integer"),
        ] {
            let (at, help) = one(json!({"type": wrong}));
            assert_eq!(at, "/type");
            assert!(help.contains(&format!("\"type\": \"{right}\"")), "{wrong}: {help}");
        }
        assert!(one(json!({"type": "any"})).1.contains("leave `type` out"));
        assert!(one(json!({"type": "date"})).1.contains("\"format\": \"date\""));
        assert!(one(json!({"type": ["string", "string"]})).1.contains("[\"string\"]"));
        assert!(one(json!({"type": ["string", "none"]})).1.contains("\"null\""));
    }

    #[test]
    fn faults_with_a_history() {
        assert!(one(json!({"type": "string", "required": true})).1.contains("\"required\": [\"p\"]"));
        assert!(one(json!({"type": "array", "items": [{"type": "number"}]})).1.contains("prefixItems"));
        assert!(one(json!({"minimum": 0, "exclusiveMinimum": true})).1.contains("\"exclusiveMinimum\": 0"));
        assert!(one(json!({"type": "string", "minLength": "3"})).1.contains("\"minLength\": 3"));
        assert!(one(json!({"type": "object", "properties": []})).1.contains("{}"));
        assert!(one(json!({"enum": null})).0 == "/enum");
        assert!(one(json!("string")).1.contains("{\"type\": \"string\"}"));
    }

    #[test]
    fn a_slipped_keyword_is_named() {
        let tool = json!([{"name": "a", "inputSchema": {"type": "object", "properties": {"type": "object",
            "required": ["x"], "x": {"type": "string"}}}}]);
        let found = check(&Invalid, &tool);
        assert_eq!(found.len(), 2);
        assert!(found[0].message.contains("slipped"), "{}", found[0].message);
    }

    #[test]
    fn is_quiet() {
        for property in [
            json!({"type": "string"}),
            json!(true),
            json!({"default": {"type": "float"}}),
            json!({"type": "object", "properties": {"type": {"type": "string"}, "required": {"type": "boolean"}}}),
            json!({"const": {"required": true}}),
            json!({"examples": [{"items": [1]}]}),
        ] {
            assert!(found(property.clone()).is_empty(), "{property}");
        }
        let draft4 = json!([{"name": "a", "inputSchema": {"$schema": "http://json-schema.org/draft-04/schema#",
            "type": "object", "properties": {"p": {"minimum": 0, "exclusiveMinimum": true, "items": [{}]}}}}]);
        assert!(check(&Invalid, &draft4).is_empty());
    }
}
