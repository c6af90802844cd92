//! MCPB bundles (once DXT): a manifest that names the tools, with full definitions only in `_meta`.

use super::draft::{At, Draft};
use super::mcp;
use crate::source::Document;
use serde_json::Value;

pub(super) fn is(value: &Value) -> bool {
    let has = |key: &str| value.get(key).is_some();
    (has("manifest_version") || has("dxt_version")) && (has("server") || has("tools") || has("_meta"))
}

const PARTIAL: &str = "an MCPB manifest gives names and descriptions of the tools, not their schemas";

pub(super) fn read(document: &Document) -> Vec<(Draft, &'static str)> {
    let Some(root) = At::root(document, 0) else { return Vec::new() };
    let mut draft = Draft::default();
    let responses =
        root.get("_meta").iter().flat_map(At::members).find_map(|(_, vendor)| vendor.get("static_responses"));
    if let Some(responses) = &responses {
        if let Some(listing) = responses.get("tools/list") {
            let listing = listing.get("result").unwrap_or(listing);
            draft = mcp::listing(&listing);
        }
        if let Some(init) = responses.get("initialize") {
            draft.set_protocol(init.str("protocolVersion"));
            draft.set_instructions(init.get("instructions"));
            draft.server = mcp::server_name(&init);
        }
        draft.add_prompts(responses.below("/prompts~1list/prompts"));
    }
    if draft.entries.is_empty() {
        if let Some(tools) = root.get("tools") {
            draft.add_tools(&tools);
        }
        draft.add_prompts(root.get("prompts"));
        let without = draft.entries.iter().filter(|(e, _)| e.value.get("inputSchema").is_none()).count();
        if without > 0 {
            draft.partial = Some(PARTIAL);
        }
    }
    if root.value.get("tools_generated") == Some(&Value::Bool(true)) {
        draft.notes.push(
            "tools_generated: the server makes more tools when it runs, which this file does not name"
                .to_string(),
        );
    }
    draft.server = draft.server.or_else(|| root.str("name").map(str::to_string));
    draft.listing_fields.clear();
    vec![(draft, "mcpb-manifest")]
}
