//! MCP-SCHEMA-PATTERN-SLOW.

use super::pattern_invalid::patterns;
use super::place;
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView, say};
use crate::schema::{backtrack, ecma};

pub struct PatternSlow;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-PATTERN-SLOW",
    severity: Severity::Warning,
    confidence: Confidence::Medium,
    impact: Impact::Tool,
    summary: "a pattern that takes for ever on a text that nearly matches",
    rationale: "JavaScript and Python match by trying and going back. A repetition of a repetition (`^(a+)+$`) lets \
        them split the text in exponentially many ways: some thirty characters stop the client that validates the \
        call, or the server (\"ReDoS\"). Whoever chooses the argument, an agent that was led on for instance, chooses \
        when.\n\n\
        Only the plain case is reported: many turns of something that is itself unbounded, no mandatory character \
        between the turns, and something behind that can fail.",
    help: "Repeat once: ^a+$ for ^(a+)+$; or put what separates the turns into the pattern: ^[a-z]+(,[a-z]+)*$",
    bad: r#"{"tools": [{"name": "tag", "description": "Tag an item.", "inputSchema": {"type": "object",
        "properties": {"words": {"type": "string", "pattern": "^([a-z]+ ?)+$"}}, "required": ["words"]}}]}"#,
    good: r#"{"tools": [{"name": "tag", "description": "Tag an item.", "inputSchema": {"type": "object",
        "properties": {"words": {"type": "string", "pattern": "^[a-z]+( [a-z]+)*$"}}, "required": ["words"]}}]}"#,
    sources: &["OWASP, Regular expression Denial of Service (ReDoS)"],
};

impl Rule for PatternSlow {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        for pattern in patterns(&site.view) {
            if backtrack::is_exponential(pattern.text) && ecma::fault(pattern.text).is_none() {
                out.emit(
                    site.at(&pattern.pointer),
                    format!(
                        "the pattern {} of {} repeats a repetition: engines that backtrack take exponential time",
                        say::quoted(pattern.text),
                        place::name(site, pattern.node)
                    ),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::json;

    fn fires(pattern: &str) -> bool {
        let tool = json!([{"name": "a", "inputSchema": {"type": "object", "properties": {"p": {"type": "string", "pattern": pattern}}}}]);
        !check(&PatternSlow, &tool).is_empty()
    }

    #[test]
    fn slow_and_fast() {
        assert!(fires("^(a+)+$") && fires(r"^(\w+\s?)*$"));
        assert!(!fires("^[a-z]+( [a-z]+)*$") && !fires("^a+$") && !fires("^(?P<n>a+)+$"));
    }
}
