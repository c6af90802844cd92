//! MCP-USAGE-TOKEN-BUDGET: a tool, or the listing, that takes much of a model's context.

use super::size;
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};

pub(super) struct TokenBudget;

/// Estimated tokens; 98 of 100 published tools stay below.
const TOOL: usize = 1_500;
/// Estimated tokens; a tenth of the context of common models is twice this.
const LISTING: usize = 10_000;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-USAGE-TOKEN-BUDGET",
    severity: Severity::Info,
    confidence: Confidence::Low,
    impact: Impact::Agent,
    summary: "A tool or a listing takes much of the model's context",
    rationale: "Most clients put every tool of every server before the model on each turn: name, description
and input schema. What a server takes there is paid for with each call and is missing for the work
itself, and models choose worse among long definitions. Clients begin to hide or to search tools
when definitions pass a tenth of the context.

The figure is an **estimate from characters** (four ASCII characters or one other character make a
token), not the count of a tokenizer; each model has its own. Reported are a tool beyond 1,500
estimated tokens (98 of 100 published tools have less) and a listing beyond 10,000.

Longer is not better and shorter is not either: texts that say how a tool differs from its
neighbours are worth their tokens, repeated boilerplate and unused branches of a schema are not.",
    help: "Shorten repeated texts, leave out unused parts of the schema, or split the server so that clients load only what they need",
    bad: BAD,
    good: r#"{
  "tools": [
    {
      "name": "book_room",
      "description": "Book a meeting room for one hour. Returns the number of the booking.",
      "inputSchema": {
        "type": "object",
        "properties": {"room": {"type": "string", "description": "Name of the room."}},
        "required": ["room"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    sources: &[
        "https://www.anthropic.com/engineering/writing-tools-for-agents",
        "https://arxiv.org/abs/2602.14878",
    ],
};

/// A long description by repetition, so that this file stays short: `concat!` builds the text when verity is compiled.
macro_rules! ten {
    ($text:expr) => {
        concat!($text, $text, $text, $text, $text, $text, $text, $text, $text, $text)
    };
}
const BAD: &str = concat!(
    r#"{"tools": [{"name": "book_room", "description": "Book a meeting room. "#,
    ten!(ten!("Rooms have a name, a floor and a number of seats, and each of them is cleaned. ")),
    r#"", "inputSchema": {"type": "object", "properties": {"room": {"type": "string", "description": "Name of the room."}}, "required": ["room"], "additionalProperties": false}}]}"#
);

impl Rule for TokenBudget {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    /// Tools as well, so that each is written out once.
    fn manifest(&self, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let mut sizes: Vec<(usize, &ToolView<'_>)> =
            manifest.tools().iter().map(|tool| (size::tokens(tool), tool)).collect();
        for (tokens, tool) in sizes.iter().filter(|(tokens, _)| *tokens > TOOL) {
            let who = say::tool(tool);
            let message = format!("{who} takes about {tokens} tokens of context (estimated from characters)");
            out.emit_for(tool, tool.at(""), message);
        }
        let total: usize = sizes.iter().map(|(n, _)| n).sum();
        if sizes.len() < 2 || total <= LISTING {
            return;
        }
        sizes.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
        let largest: Vec<String> =
            sizes.iter().take(3).map(|(n, tool)| format!("{} ({n})", say::tool(tool))).collect();
        let message = format!(
            "the {} take about {total} tokens of context (estimated from characters); most of it {}",
            say::count(sizes.len(), "tool"),
            say::list(&largest, 3)
        );
        out.emit("/tools", message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::{Value, json};

    #[test]
    fn by_tool_and_by_listing() {
        let tool = |tokens: usize| json!({"name": "a", "description": "x".repeat(tokens * 4)});
        assert!(check(&TokenBudget, &tool(1_400)).is_empty());
        assert_eq!(places(&check(&TokenBudget, &tool(1_500))), [("/tools/0", Severity::Info)]);
        let many: Value = (0..10).map(|_| tool(1_100)).collect();
        assert_eq!(places(&check(&TokenBudget, &many)), [("/tools", Severity::Info)]);
        let fewer: Value = (0..9).map(|_| tool(1_100)).collect();
        assert!(check(&TokenBudget, &fewer).is_empty());
    }
}
