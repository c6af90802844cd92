//! MCP-ANNOTATION-CLOSED-WORLD: a tool that reaches the web says that it does not.

use super::hints::Hints;
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::name::words;
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};

pub(super) struct ClosedWorld;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-ANNOTATION-CLOSED-WORLD",
    severity: Severity::Warning,
    confidence: Confidence::Medium,
    impact: Impact::Agent,
    summary: "A tool that reaches the open web is marked `openWorldHint: false`",
    rationale: "`openWorldHint: false` says that a tool works in a closed domain, such as the server's own
database. Hosts take what such a tool returns for less dangerous than a page from the web, which
anybody can write orders into.

The rule looks at names that say it plainly: to search, fetch, browse, crawl or scrape the web, the
internet, a site or a URL.",
    help: "Set `openWorldHint: true`, or leave it out (which means true)",
    bad: r#"{
  "tools": [
    {
      "name": "search_web",
      "description": "Search the web and return the first ten results.",
      "inputSchema": {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "What to look for."}},
        "required": ["query"],
        "additionalProperties": false
      },
      "annotations": {"readOnlyHint": true, "openWorldHint": false}
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "search_web",
      "description": "Search the web and return the first ten results.",
      "inputSchema": {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "What to look for."}},
        "required": ["query"],
        "additionalProperties": false
      },
      "annotations": {"readOnlyHint": true, "openWorldHint": true}
    }
  ]
}"#,
    sources: &["https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations"],
};

impl Rule for ClosedWorld {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        if Hints::of(tool).is_some_and(|h| h.open_world == Some(false)) && reaches_out(tool) {
            let message = format!(
                "{} is marked `openWorldHint: false`, but its name says that it reaches the web",
                say::tool(tool)
            );
            out.emit(tool.at("/annotations/openWorldHint"), message);
        }
    }
}

fn reaches_out(tool: &ToolView<'_>) -> bool {
    let words = words::of(tool.tool.name().unwrap_or_default());
    let at = |list: &[&str]| words.iter().position(|w| list.contains(&w.as_str()));
    let web = at(&["web", "internet", "webpage", "website", "google", "bing"]);
    match (web, at(&["search", "fetch", "browse", "crawl", "scrape", "surf"])) {
        // `search_web`, `web_search`; `search_orders_web` is about an order's way in
        (Some(web), Some(verb)) => web.abs_diff(verb) == 1,
        // `scrape_url`, `crawl_site`
        (None, Some(verb)) => {
            let does = words
                .get(verb)
                .is_some_and(|w| matches!(w.as_str(), "crawl" | "scrape" | "browse" | "fetch"));
            does && words
                .get(verb + 1)
                .is_some_and(|w| matches!(w.as_str(), "url" | "urls" | "site" | "http"))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn names_that_reach_the_web() {
        let level = |name: &str, open: bool| {
            let found = check(&ClosedWorld, &json!({"name": name, "annotations": {"openWorldHint": open}}));
            places(&found).first().map(|p| p.1)
        };
        for name in [
            "search_web",
            "web_search",
            "brave_web_search",
            "scrape_url",
            "fetch_url",
            "crawl_site",
            "fetchWebpage",
        ] {
            assert_eq!(level(name, false), Some(Severity::Warning), "{name}");
            assert_eq!(level(name, true), None, "{name}");
        }
        for name in [
            "search_orders",
            "get_download_url",
            "create_web_link",
            "check_crawl_status",
            "parse-teams-url",
            "fetch_order",
            "search_orders_by_web",
        ] {
            assert_eq!(level(name, false), None, "{name}");
        }
    }
}
