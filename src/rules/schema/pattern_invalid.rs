//! MCP-SCHEMA-PATTERN-INVALID.

use super::place;
use crate::finding::{Confidence, Impact, Part, Severity};
use crate::pointer;
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView, say};
use crate::schema::{SchemaView, ecma};
use serde_json::Value;

pub struct PatternInvalid;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-PATTERN-INVALID",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "a pattern that is not a regular expression of ECMA-262",
    rationale: "JSON Schema patterns are JavaScript's. A pattern written for Python (`(?P<name>…)`, `\\A`, `\\Z`, \
        `(?i)`) or PCRE (possessive quantifiers, POSIX classes) does not compile in JavaScript clients: Ajv throws, \
        in some SDKs while the tools are listed, and the whole server is lost.\n\n\
        The specification recommends Unicode mode, and Ajv uses it: an escape that is not needed (`\\:`, `\\_`) is \
        an error there. A pattern that only Unicode mode refuses is a warning.",
    help: "Write the pattern in JavaScript's dialect; test it with new RegExp(pattern, \"u\")",
    bad: r#"{"tools": [{"name": "get_year", "description": "Get a year.", "inputSchema": {"type": "object",
        "properties": {"year": {"type": "string", "pattern": "^(?P<year>[0-9]{4})$"}}}}]}"#,
    good: r#"{"tools": [{"name": "get_year", "description": "Get a year.", "inputSchema": {"type": "object",
        "properties": {"year": {"type": "string", "pattern": "^[0-9]{4}$"}},
        "additionalProperties": false}}]}"#,
    sources: &[
        "JSON Schema 2020-12 core, 6.4: ECMA-262, Unicode mode",
        "Ajv: unicodeRegExp is true by default",
    ],
};

impl Rule for PatternInvalid {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        for pattern in patterns(&site.view) {
            let Some(fault) = ecma::fault(pattern.text) else { continue };
            let shown = say::quoted(pattern.text);
            let of = place::name(site, pattern.node);
            let message = if fault.legacy_accepts {
                format!("the pattern {shown} of {of} is refused in Unicode mode: {}", fault.reason)
            } else {
                format!("the pattern {shown} of {of} is not ECMA-262: {}", fault.reason)
            };
            let finding = out.emit(site.at(&pattern.pointer), message);
            if fault.legacy_accepts {
                finding.severity = Severity::Warning;
            }
            finding.part = match (fault.range, pattern.is_key) {
                (Some(range), true) => Part::KeyRange(range),
                (Some(range), false) => Part::Range(range),
                (None, true) => Part::Key,
                (None, false) => Part::Value,
            };
            if let Some(meant) = fault.meant {
                finding.help = meant;
            }
        }
    }
}

/// A pattern of a schema.
pub(super) struct Pattern<'s> {
    pub node: usize,
    pub pointer: String,
    pub text: &'s str,
    /// It is a key of `patternProperties`.
    pub is_key: bool,
}

pub(super) fn patterns<'s>(view: &SchemaView<'s>) -> Vec<Pattern<'s>> {
    let mut found = Vec::new();
    for (node, n) in view.nodes().iter().enumerate() {
        if let Some(text) = n.schema.get("pattern").and_then(Value::as_str) {
            found.push(Pattern { node, pointer: pointer::child(&n.pointer, "pattern"), text, is_key: false });
        }
        let keys = n.schema.get("patternProperties").and_then(Value::as_object);
        for text in keys.into_iter().flatten().map(|(k, _)| k.as_str()) {
            let around = pointer::child(&n.pointer, "patternProperties");
            found.push(Pattern { node, pointer: pointer::child(&around, text), text, is_key: true });
        }
    }
    found
}

/// Whether the rule finds anything in this schema.
pub(super) fn any(view: &SchemaView<'_>) -> bool {
    patterns(view).iter().any(|p| ecma::fault(p.text).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::json;

    #[test]
    fn fires() {
        let tool = json!([{"name": "a", "inputSchema": {"type": "object", "properties": {
            "p": {"type": "string", "pattern": "(?i)^a$"}, "q": {"type": "string", "pattern": "^\\d\\:\\d$"}},
            "patternProperties": {"^\\Aa": {}}}}]);
        let found = check(&PatternInvalid, &tool);
        let seen: Vec<_> = found.iter().map(|f| (f.pointer.as_str(), f.severity, f.part.clone())).collect();
        assert_eq!(
            seen,
            [
                ("/tools/0/inputSchema/patternProperties/^\\Aa", Severity::Error, Part::KeyRange(1..3)),
                ("/tools/0/inputSchema/properties/p/pattern", Severity::Error, Part::Range(0..4)),
                ("/tools/0/inputSchema/properties/q/pattern", Severity::Warning, Part::Range(3..5)),
            ]
        );
    }

    #[test]
    fn is_quiet() {
        let tool = json!([{"name": "a", "inputSchema": {"type": "object", "properties": {
            "p": {"type": "string", "pattern": "^(?!x)[a-z]+$"}, "pattern": {"type": "string"},
            "d": {"default": {"pattern": "(?P<a>b)"}}}}}]);
        assert!(check(&PatternInvalid, &tool).is_empty());
    }
}
