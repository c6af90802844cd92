//! MCP-SCHEMA-UNJUDGED.

use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView, say};
use crate::schema::judge::CompileError;
use crate::schema::refs::Target;

pub struct Unjudged;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-UNJUDGED",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "a schema that verity could not judge",
    rationale: "The schema is valid as far as it could be read, and yet verity's judge cannot use it: it is larger or \
        deeper than the bounds that keep hostile input cheap, or a pattern is beyond its engine. No other SCHEMA or \
        VACUOUS rule that needs the judge can speak for it, so silence about this schema means nothing. Clients are \
        likely to have trouble with it as well.",
    help: "Make the schema smaller (fewer branches, shorter reference chains, simpler patterns)",
    bad: r#"{"tools": [{"name": "find", "description": "Find.", "inputSchema": {"type": "object",
        "properties": {"q": {"type": "string", "pattern": "((a{1000}){1000}){1000}"}}}}]}"#,
    good: r#"{"tools": [{"name": "find", "description": "Find.", "inputSchema": {"type": "object",
        "properties": {"q": {"type": "string", "pattern": "^a{1,1000}$"}},
        "additionalProperties": false}}]}"#,
    sources: &[
        "MCP 2026-07-28, basic, JSON Schema Usage: implementations SHOULD bound depth and number of subschemas",
    ],
};

impl Rule for Unjudged {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        let Err(error) = site.view.judge() else { return };
        let dangling = |t: Target<'_>| matches!(t, Target::Nowhere | Target::Elsewhere);
        let said = !site.view.metaschema_violations().is_empty()
            || matches!(error, CompileError::Reference(_))
                && site.view.references().iter().any(|r| dangling(r.target))
            || matches!(error, CompileError::Pattern(_)) && super::pattern_invalid::any(&site.view);
        if !said {
            let why: String = error.to_string().chars().take(200).collect();
            let what = if site.is_input { "inputSchema" } else { "outputSchema" };
            let message =
                format!("the `{what}` could not be judged: {}", say::quoted(&why).trim_matches('`'));
            out.emit(site.at(""), message);
        }
    }
}
