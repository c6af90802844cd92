//! MCP-SCHEMA-PATTERN-UNANCHORED.

use super::pattern_invalid::patterns;
use super::place;
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView, say};
use crate::schema::witness;
use serde_json::json;

pub struct PatternUnanchored;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-PATTERN-UNANCHORED",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Constraint,
    summary: "a pattern without anchors that one character satisfies",
    rationale: "JSON Schema patterns are not anchored: `[a-z0-9-]+` asks for *one* such character somewhere in the \
        text, and lets everything else through; `[a-z]*` asks for nothing. Whoever repeats a class of characters \
        means the whole text.\n\n\
        Reported only where the pattern is a class and its repetition and nothing else: then the repetition has no \
        effect, which nobody intends. The witness is a call that the author did not want, accepted by the judge.",
    help: "Anchor it: ^[a-z0-9-]+$",
    bad: r#"{"tools": [{"name": "get_pod", "description": "Get a pod.", "inputSchema": {"type": "object",
        "properties": {"name": {"type": "string", "pattern": "[a-z0-9-]+"}}, "required": ["name"]}}]}"#,
    good: r#"{"tools": [{"name": "get_pod", "description": "Get a pod.", "inputSchema": {"type": "object",
        "properties": {"name": {"type": "string", "pattern": "^[a-z0-9-]+$"}}, "required": ["name"]}}]}"#,
    sources: &[
        "JSON Schema 2020-12 core, 6.4: patterns are not implicitly anchored",
        "llama.cpp, LM Studio: refused without anchors",
    ],
};

impl Rule for PatternUnanchored {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        for pattern in patterns(&site.view).into_iter().filter(|p| !p.is_key) {
            let Some(repetition) = repeated_class(pattern.text) else { continue };
            let unwanted = ["a! b\u{2003}ß", "0! b\u{2003}ß", "A! b\u{2003}ß", "-! b\u{2003}ß"];
            let witness = out.unless_full(|| {
                unwanted.iter().find_map(|text| witness::accepted(&site.view, pattern.node, &json!(text)))
            });
            if witness.is_none() && !out.is_full() {
                continue;
            }
            let asks = if repetition == "*" {
                "it asks for nothing"
            } else {
                "it asks for one such character somewhere"
            };
            let finding = out.emit_with_witness(
                site.at(&pattern.pointer),
                format!(
                    "the pattern {} of {} is not anchored: {asks}",
                    say::quoted(pattern.text),
                    place::name(site, pattern.node)
                ),
                witness,
            );
            finding.help = format!("Anchor it: ^{}$", pattern.text);
        }
    }
}

/// The repetition (`+`, `*`, `{1,63}`) of a pattern that is one class in brackets and that.
fn repeated_class(pattern: &str) -> Option<&str> {
    let rest = pattern.strip_prefix('[')?;
    let mut escaped = false;
    let mut end = None;
    for (i, c) in rest.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ']' => {
                end = Some(i);
                break;
            }
            _ => {}
        }
    }
    let repetition = rest.get(end? + 1..)?;
    let counted = repetition.strip_prefix('{').and_then(|r| r.strip_suffix('}'));
    let is_count =
        counted.is_some_and(|c| !c.is_empty() && c.chars().all(|c| c.is_ascii_digit() || c == ','));
    (matches!(repetition, "+" | "*") || is_count).then_some(repetition)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::Value;

    fn found(property: Value) -> usize {
        check(
            &PatternUnanchored,
            &json!([{"name": "a", "inputSchema": {"type": "object", "properties": {"p": property}}}]),
        )
        .len()
    }

    #[test]
    fn fires() {
        for pattern in ["[a-z0-9-]+", "[A-Z]*", r"[\w.\]]+", "[a-z]{1,63}"] {
            assert_eq!(found(json!({"type": "string", "pattern": pattern})), 1, "{pattern}");
        }
    }

    #[test]
    fn is_quiet() {
        for pattern in [
            "^[a-z]+$",
            "[a-z]",
            r"\S",
            r"\S+",
            "^[a-z]+",
            "[a-z]+-[0-9]+",
            "[a-z]+$",
            "#[0-9a-f]{6}",
            "[a-z]{3}x",
        ] {
            assert_eq!(found(json!({"type": "string", "pattern": pattern})), 0, "{pattern}");
        }
        assert_eq!(
            found(json!({"type": "string", "pattern": "[a-z]+", "enum": ["a"]})),
            0,
            "nothing unwanted gets through"
        );
    }
}
