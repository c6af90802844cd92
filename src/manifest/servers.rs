//! Several servers in one file: maps from server to tools, scan results, lock files, lists of servers.
//!
//! These shapes differ in how deep the listings stand and agree in what a listing is, so one search
//! finds them all: it goes down through objects and arrays, never into a tool, and asks for arrays of
//! what surely are tools.

use super::draft::{At, Draft};
use super::{entry, mcp};
use crate::source::Document;
use serde_json::Value;

/// How deep a listing may stand.
const MAX_DEPTH: usize = 7;

/// Keys that say where a listing stands, not whose it is.
const WRAPPERS: &[&str] = &[
    "tools",
    "result",
    "results",
    "signature",
    "servers",
    "mcpServers",
    "mcp",
    "data",
    "response",
    "request",
    "body",
    "toolConfig",
    "tools/list",
    "tools_list",
    "toolsList",
    "listing",
    "capabilities",
    "static_responses",
    "config",
    "server",
    "functions",
    "definition",
    "snapshot",
    "manifest",
    "surface",
    "contributes",
    "_meta",
];

/// Listings anywhere in the first segment, one a server.
pub(super) fn read(document: &Document) -> Vec<(Draft, &'static str)> {
    let Some(root) = At::root(document, 0) else { return Vec::new() };
    let own = shape(root.value);
    of(&root)
        .into_iter()
        .map(|draft| (draft.shape(own), draft))
        .map(|(shape, draft)| (draft, shape))
        .collect()
}

/// Listings anywhere in a value, one a server.
pub(super) fn of(root: &At<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    search(root, None, MAX_DEPTH, &mut drafts);
    drafts
}

fn search(at: &At<'_>, server: Option<&str>, depth: usize, out: &mut Vec<Draft>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match at.value {
        Value::Array(items) if items.iter().any(entry::is_surely_tool) => {
            let mut draft = Draft::of_server(server);
            draft.add_tools(at);
            out.push(draft);
        }
        Value::Array(_) => at.items().for_each(|item| search(&item, server, depth, out)),
        Value::Object(members) => {
            let listing = members.get("tools").and_then(Value::as_array);
            if listing.is_some_and(|tools| tools.iter().any(entry::is_surely_tool)) {
                let mut draft = mcp::listing(at);
                let own = at.str("name").or(server).map(str::to_string);
                draft.server = draft.server.or(own);
                draft.listing_fields.clear();
                out.push(draft);
                return;
            }
            let before = out.len();
            let named = at.str("name").or_else(|| at.value.pointer("/serverInfo/name")?.as_str());
            for (key, member) in at.members() {
                let name = match (named, WRAPPERS.contains(&key)) {
                    (Some(name), _) => Some(name),
                    (None, true) => server,
                    (None, false) => Some(key),
                };
                if key == "tools" && mcp::is_definitions(member.value) {
                    let mut draft = Draft::of_server(server);
                    draft.server = named.map(str::to_string).or(draft.server);
                    draft.add_map(&member);
                    out.push(draft);
                } else {
                    search(&member, name, depth, out);
                }
            }
            // A wrapper kept the cursor beside the result.
            let cursor = at.get("nextCursor").or_else(|| at.get("next_cursor"));
            let found = out.len() > before;
            if let (Some(last), Some(cursor), true) = (out.last_mut(), cursor, found) {
                last.set_cursor(Some(&cursor));
            }
        }
        _ => {}
    }
}

/// Name of the shape of a file in which [`read`] found listings.
fn shape(value: &Value) -> &'static str {
    let is_scan = |v: &Value| {
        v.get("servers").and_then(Value::as_array).is_some_and(|servers| {
            servers.iter().any(|s| {
                s.get("signature").is_some() || s.get("result").is_some() && s.get("server").is_some()
            })
        })
    };
    let scans = match value {
        Value::Object(members) => is_scan(value) || members.values().any(is_scan),
        Value::Array(items) => items.iter().any(is_scan),
        _ => false,
    };
    match value {
        _ if scans => "mcp-scan-result",
        _ if is_lock(value) => "lock-file",
        Value::Array(_) => "server-list",
        _ => "server-map",
    }
}

/// Whether a member gives a lock file away.
pub(super) fn is_lock(value: &Value) -> bool {
    const KEYS: &[&str] = &[
        "lockfileVersion",
        "lockfile_version",
        "lockVersion",
        "created_at",
        "createdAt",
        "generated_at",
        "generatedAt",
        "locked",
        "locked_at",
        "lockedAt",
        "integrity",
    ];
    KEYS.iter().any(|key| value.get(key).is_some())
}
