//! What `verity capture` wrote: the provenance, the server's answer to `initialize` (or `server/discover`), and its
//! lists, each entry as it was sent.

use super::draft::{At, Draft};
use super::{Revision, mcp};
use crate::source::Document;
use serde_json::Value;

/// `capture.format` of the files that this version writes, and the only one that there is.
pub const CAPTURE_FORMAT: u64 = 1;

/// An object with our own provenance and `tools`.
pub(super) fn is(value: &Value) -> bool {
    value.pointer("/capture/format").and_then(Value::as_u64) == Some(CAPTURE_FORMAT)
        && value.get("tools").is_some_and(Value::is_array)
}

pub(super) fn read(document: &Document) -> Vec<(Draft, &'static str)> {
    let Some(root) = At::root(document, 0) else { return Vec::new() };
    let mut draft = Draft::default();
    draft.is_wire = true;
    for opening in ["initialize", "discover"].into_iter().filter_map(|key| root.get(key)) {
        draft.server = draft.server.or_else(|| mcp::server_name(&opening));
        draft.set_instructions(opening.get("instructions"));
    }
    // What was agreed on, which is not what a server of several revisions lists.
    draft.protocol = root.below("/capture/protocol").and_then(|p| Revision::parse(p.value.as_str()?));
    if let Some(tools) = root.get("tools") {
        draft.add_tools(&tools);
    }
    draft.add_prompts(root.get("prompts"));
    draft.add_resources("resources", root.get("resources"));
    draft.add_resources("resourceTemplates", root.get("resourceTemplates"));
    for page in root.below("/pages/tools").iter().flat_map(At::items) {
        draft.add_fields(&page);
    }
    vec![(draft, "capture")]
}
