//! Listings in MCP's own words: an array of tools, an object with `tools`, a single tool, a map from
//! name to tool. The same containers carry tools of other APIs: those are told apart entry by entry.

use super::draft::{At, Draft};
use super::{entry, foreign, servers};
use crate::error::InputError;
use crate::source::Document;
use serde_json::Value;

/// An array in which some entry is surely a tool, or all are plain ones.
pub(super) fn is_array(value: &Value) -> bool {
    let plain = |entry: &Value| entry::is_plain_tool(entry) || entry::hosted(entry).is_some();
    value.as_array().is_some_and(|items| {
        items.iter().any(entry::is_surely_tool)
            || !items.is_empty() && items.iter().all(plain)
            || is_docker(items)
    })
}

pub(super) fn array(document: &Document) -> Vec<(Draft, &'static str)> {
    let Some(root) = At::root(document, 0) else { return Vec::new() };
    let draft = of_array(&root);
    let shape = draft.shape(if draft.partial.is_some() { "docker-registry" } else { "bare-array" });
    vec![(draft, shape)]
}

const DOCKER: &str =
    "a tools.json of Docker's MCP registry names the arguments of a tool and gives no schema";

fn is_docker(items: &[Value]) -> bool {
    items.iter().all(|i| entry::is_docker_tool(i) || entry::is_plain_tool(i))
        && items
            .iter()
            .any(|i| entry::is_docker_tool(i) && i.get("arguments") != Some(&Value::Array(Vec::new())))
}

/// The tools of an array.
fn of_array(tools: &At<'_>) -> Draft {
    let mut draft = Draft::default();
    draft.add_tools(tools);
    draft.partial = tools.value.as_array().is_some_and(|items| is_docker(items)).then_some(DOCKER);
    draft
}

/// An object with an array `tools` whose entries may be tools (an empty one included). An array of names
/// is a client's list of permitted tools, unless nothing else stands in the file.
pub(super) fn is_object(value: &Value) -> bool {
    value.get("tools").and_then(Value::as_array).is_some_and(|tools| {
        tools.is_empty()
            || tools.iter().any(entry::may_be_tool)
            || tools.iter().all(|t| !t.is_object())
                && (value.as_object().is_some_and(|m| m.len() == 1) || !tools.iter().all(Value::is_string))
    })
}

pub(super) fn object(document: &Document) -> Vec<(Draft, &'static str)> {
    let Some(root) = At::root(document, 0) else { return Vec::new() };
    let draft = listing(&root);
    let shape = draft.shape(if servers::is_lock(root.value) { "lock-file" } else { "tools-object" });
    vec![(draft, shape)]
}

/// The listing of an object with `tools`, and what stands beside them.
pub(super) fn listing(object: &At<'_>) -> Draft {
    let mut draft = Draft::default();
    if let Some(tools) = object.get("tools") {
        draft.add_tools(&tools);
    }
    draft.server = server_name(object);
    draft.add_fields(object);
    draft.add_prompts(object.get("prompts"));
    // What the server said of itself stands beside the tools, or in the answer to initialize kept there.
    let said = ["metadata", "initialize", "initializeResult", "initialize_result"];
    let inits = said
        .into_iter()
        .filter_map(|key| object.get(key))
        .filter(|i| i.value.get("protocolVersion").is_some());
    for at in inits.chain([object.clone()]) {
        draft.set_protocol(at.str("protocolVersion"));
        draft.set_instructions(at.get("instructions"));
    }
    draft
}

/// The server's name, where an object states it.
pub(super) fn server_name(object: &At<'_>) -> Option<String> {
    let name = |pointer: &str| object.value.pointer(pointer).and_then(Value::as_str);
    [
        "/server",
        "/server/name",
        "/serverInfo/name",
        "/server_name",
        "/serverName",
        "/initialize/serverInfo/name",
    ]
    .into_iter()
    .find_map(name)
    .or_else(|| name("/_meta/io.modelcontextprotocol~1serverInfo/name"))
    .map(str::to_string)
}

/// A tool by itself.
pub(super) fn is_single(value: &Value) -> bool {
    entry::is_surely_tool(value)
}

pub(super) fn single(document: &Document) -> Vec<(Draft, &'static str)> {
    let mut draft = Draft::default();
    if let Some(root) = At::root(document, 0) {
        draft.add_entry(&root);
    }
    let shape = draft.shape("single-tool");
    vec![(draft, shape)]
}

/// An object with a map `tools` from name to definition, or such a map by itself.
pub(super) fn is_map(value: &Value) -> bool {
    value.get("tools").is_some_and(is_definitions) || is_definitions(value)
}

/// A map from name to definition: each value has a schema.
pub(super) fn is_definitions(value: &Value) -> bool {
    value.as_object().is_some_and(|members| !members.is_empty() && members.values().all(entry::has_schema))
}

pub(super) fn map(document: &Document) -> Vec<(Draft, &'static str)> {
    let Some(root) = At::root(document, 0) else { return Vec::new() };
    let mut draft = Draft::default();
    draft.server = server_name(&root);
    draft.set_protocol(root.str("protocolVersion"));
    draft.set_instructions(root.get("instructions"));
    match root.get("tools") {
        Some(tools) if is_definitions(tools.value) => draft.add_map(&tools),
        _ => draft.add_map(&root),
    }
    let shape = draft.shape("tool-map");
    vec![(draft, shape)]
}

/// Several JSON texts that are no messages: a tool a line, or listings one after the other.
pub(super) fn lines(document: &Document) -> Result<Vec<(Draft, &'static str)>, InputError> {
    let roots: Vec<At<'_>> =
        (0..document.segments.len()).filter_map(|segment| At::root(document, segment)).collect();
    let mut singles = Draft::default();
    let mut listings = Vec::new();
    let mut others = 0_usize;
    for root in &roots {
        if is_single(root.value) {
            singles.add_entry(root);
        } else if is_object(root.value) {
            listings.push(listing(root));
        } else if is_array(root.value) {
            listings.push(of_array(root));
        } else {
            let found = servers::of(root);
            others += usize::from(found.is_empty());
            listings.extend(found);
        }
    }
    if !singles.entries.is_empty() {
        listings.insert(0, singles);
    }
    if listings.is_empty() {
        let first = document.segments.first().map_or(&Value::Null, |s| &s.value);
        return Err(foreign::error(first, &document.path));
    }
    if let (Some(first), true) = (listings.first_mut(), others > 0) {
        first.notes.push(format!("{others} JSON texts in the file list no tools and were passed over"));
    }
    Ok(listings.into_iter().map(|draft| (draft.shape("json-lines"), draft)).map(|(s, d)| (d, s)).collect())
}
