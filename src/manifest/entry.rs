//! One entry of a listing → a tool under MCP's own field names, with a map back to the source.
//!
//! Entries are told apart one by one, so a mixed array costs nothing. What belongs to the API that
//! carries the tool (`type`, `strict`, `cache_control`) is set aside; every other member stays, as
//! written and in order: an agent may read it.

use crate::pointer;
use serde_json::{Map, Value};

/// Whose way of writing a tool it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Style {
    Mcp,
    Anthropic,
    OpenAiChat,
    OpenAiResponses,
    OpenAiFunctions,
    Bedrock,
    Gemini,
}

impl Style {
    /// Name of the shape of a file with such entries; `None` for MCP's own.
    pub fn shape(self) -> Option<&'static str> {
        Some(match self {
            Style::Mcp => return None,
            Style::Anthropic => "anthropic",
            Style::OpenAiChat => "openai-chat",
            Style::OpenAiResponses => "openai-responses",
            Style::OpenAiFunctions => "openai-functions",
            Style::Bedrock => "bedrock-converse",
            Style::Gemini => "gemini",
        })
    }
}

/// A tool, normalised.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub value: Value,
    pub style: Style,
    /// (normalised, source) pointers below the entry.
    pub moved: Vec<(String, String)>,
    /// Members that belong to the API, not to the tool.
    pub foreign: Vec<(String, Value)>,
    /// Whether Gemini's upper-case type names were read as JSON Schema's.
    pub types_lowered: bool,
}

/// Members that only some API knows, and no agent reads.
const API_MEMBERS: &[&str] = &[
    "type",
    "strict",
    "cache_control",
    "defer_loading",
    "allowed_callers",
    "eager_input_streaming",
    "behavior",
];

/// Fields of an MCP tool in snake case (the Python SDK's dumps) and in Gemini's and OpenAI's words.
const RENAMED: &[(&str, &str)] = &[
    ("input_schema", "inputSchema"),
    ("output_schema", "outputSchema"),
    ("parametersJsonSchema", "inputSchema"),
    ("parameters_json_schema", "inputSchema"),
    ("parameters", "inputSchema"),
    ("responseJsonSchema", "outputSchema"),
    ("response_json_schema", "outputSchema"),
    ("response", "outputSchema"),
    ("meta", "_meta"),
    ("read_only_hint", "readOnlyHint"),
    ("destructive_hint", "destructiveHint"),
    ("idempotent_hint", "idempotentHint"),
    ("open_world_hint", "openWorldHint"),
    ("task_support", "taskSupport"),
    ("mime_type", "mimeType"),
];

/// Fields of an MCP tool, of any revision.
pub(super) const MCP_FIELDS: &[&str] = &[
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
    "icons",
    "execution",
    "_meta",
];

const SCHEMA_KEYS: &[&str] =
    &["inputSchema", "input_schema", "parameters", "parametersJsonSchema", "parameters_json_schema"];

/// The object that holds a tool's members, with its place below the entry, and the style it speaks for.
fn body(entry: &Value) -> (&Value, &'static str, Style) {
    const WRAPPED: &[(&str, &str, Style)] = &[
        ("function", "/function", Style::OpenAiChat),
        ("toolSpec", "/toolSpec", Style::Bedrock),
        // records that keep the tool beside what is known of it
        ("tool", "/tool", Style::Mcp),
        ("definition", "/definition", Style::Mcp),
    ];
    if entry.get("name").is_none() {
        for (key, prefix, style) in WRAPPED {
            if let Some(inner) = entry.get(key).filter(|inner| inner.get("name").is_some()) {
                return (inner, prefix, if *style == Style::Mcp { own_style(inner) } else { *style });
            }
        }
    }
    (entry, "", own_style(entry))
}

/// The style of an object that is the tool itself.
fn own_style(tool: &Value) -> Style {
    let has = |key: &str| tool.get(key).is_some();
    if has("inputSchema") {
        Style::Mcp
    } else if has("input_schema") {
        Style::Anthropic
    } else if tool.get("type").and_then(Value::as_str) == Some("function") {
        Style::OpenAiResponses
    } else if has("parametersJsonSchema") || has("parameters_json_schema") {
        Style::Gemini
    } else if let Some(parameters) = tool.get("parameters") {
        // Gemini's own type names are upper case; OpenAI's first form of functions is JSON Schema.
        let kind = parameters.get("type").and_then(Value::as_str).unwrap_or_default();
        if TYPES.contains(&kind) { Style::Gemini } else { Style::OpenAiFunctions }
    } else {
        Style::Mcp
    }
}

/// An entry as a server sent it: nothing is renamed, whatever a client may make of it.
pub(super) fn verbatim(entry: &Value) -> Entry {
    let (value, style) = (entry.clone(), Style::Mcp);
    Entry { value, style, moved: Vec::new(), foreign: Vec::new(), types_lowered: false }
}

/// Gemini's names of types.
const TYPES: &[&str] = &["OBJECT", "ARRAY", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "NULL"];

/// Reads `entry` as a tool; `in_group` says that it stands in a group of Gemini's function declarations. anything but an object is kept as it is, for a rule to report.
pub(super) fn normalise(entry: &Value, in_group: bool) -> Entry {
    let (body, prefix, style) = body(entry);
    let style = if in_group && style == Style::OpenAiFunctions { Style::Gemini } else { style };
    let mut out =
        Entry { value: Value::Null, style, moved: Vec::new(), foreign: Vec::new(), types_lowered: false };
    let Value::Object(members) = body else {
        out.value = body.clone();
        return out;
    };
    if style != Style::Mcp || !prefix.is_empty() {
        set_aside(entry, prefix, &mut out);
    }
    let mut tool = Map::new();
    for (key, value) in members {
        let source = pointer::child(prefix, key);
        if style != Style::Mcp && API_MEMBERS.contains(&key.as_str()) {
            continue; // set aside above
        }
        // A dump of the Python SDK writes a null for every field that is not set.
        if style == Style::Anthropic && value.is_null() && key != "name" && key != "input_schema" {
            continue;
        }
        let renamed = renamed(key, style, members);
        let target = pointer::child("", renamed);
        let value = match (style, renamed) {
            (Style::Bedrock, "inputSchema") if value.get("json").is_some() => {
                out.moved.push((target, pointer::child(&source, "json")));
                value.get("json").cloned().unwrap_or_default()
            }
            (Style::Anthropic, "annotations" | "execution") => {
                note_move(&mut out.moved, &target, &source);
                snake_members(value, &target, &source, &mut out.moved)
            }
            (Style::Gemini, "inputSchema" | "outputSchema") => {
                note_move(&mut out.moved, &target, &source);
                let (value, lowered) = lower_types(value);
                out.types_lowered |= lowered;
                value
            }
            _ => {
                note_move(&mut out.moved, &target, &source);
                value.clone()
            }
        };
        tool.insert(renamed.to_string(), value);
    }
    out.value = Value::Object(tool);
    out
}

/// Keeps what the API, not the tool, says: members of the entry around the body, and API members of the body.
fn set_aside(entry: &Value, prefix: &str, out: &mut Entry) {
    for (key, value) in entry.as_object().into_iter().flatten() {
        let is_body = prefix.strip_prefix('/') == Some(key);
        if !is_body && (!prefix.is_empty() || API_MEMBERS.contains(&key.as_str())) {
            out.foreign.push((key.clone(), value.clone()));
        }
    }
    if let Some(body) = entry.pointer(prefix).filter(|_| !prefix.is_empty()) {
        for (key, value) in body.as_object().into_iter().flatten() {
            if API_MEMBERS.contains(&key.as_str()) {
                out.foreign.push((key.clone(), value.clone()));
            }
        }
    }
}

fn note_move(moved: &mut Vec<(String, String)>, target: &str, source: &str) {
    if target != source {
        moved.push((target.to_string(), source.to_string()));
    }
}

/// MCP's name of a member; its own name if MCP's is taken.
fn renamed<'k>(key: &'k str, style: Style, members: &Map<String, Value>) -> &'k str {
    let words: &[&str] = match style {
        Style::Mcp => return key,
        Style::Anthropic => &["input_schema", "output_schema", "meta"],
        Style::OpenAiChat | Style::OpenAiResponses | Style::OpenAiFunctions => &["parameters"],
        Style::Bedrock => &[],
        Style::Gemini => &[
            "parameters",
            "parametersJsonSchema",
            "parameters_json_schema",
            "response",
            "responseJsonSchema",
            "response_json_schema",
        ],
    };
    if !words.contains(&key) {
        return key;
    }
    match RENAMED.iter().find(|(from, _)| *from == key) {
        Some((_, to)) if !members.contains_key(*to) => to,
        _ => key,
    }
}

/// `annotations` and the like with their members under MCP's names.
fn snake_members(value: &Value, target: &str, source: &str, moved: &mut Vec<(String, String)>) -> Value {
    let Value::Object(members) = value else { return value.clone() };
    let is_snake = members.keys().any(|k| RENAMED.iter().any(|(from, _)| from == k));
    if !is_snake {
        return value.clone();
    }
    let mut out = Map::new();
    for (key, value) in members.iter().filter(|(_, v)| !v.is_null()) {
        let to = match RENAMED.iter().find(|(from, _)| from == key) {
            Some((_, to)) if !members.contains_key(*to) => to,
            _ => key.as_str(),
        };
        note_move(moved, &pointer::child(target, to), &pointer::child(source, key));
        out.insert(to.to_string(), value.clone());
    }
    Value::Object(out)
}

/// Gemini's `OBJECT`, `STRING` … as the types they are, and whether there were any. Only at schema
/// positions of Gemini's dialect: a parameter named `type`, a `default` that looks like a schema is data.
fn lower_types(schema: &Value) -> (Value, bool) {
    let mut lowered = schema.clone();
    let changed = lower_in_place(&mut lowered);
    (lowered, changed)
}

fn lower_in_place(schema: &mut Value) -> bool {
    let Value::Object(members) = schema else { return false };
    let mut changed = false;
    for (keyword, value) in members {
        changed |= match (keyword.as_str(), value) {
            ("type", Value::String(name)) if TYPES.contains(&name.as_str()) => {
                name.make_ascii_lowercase();
                true
            }
            ("properties" | "$defs" | "defs", Value::Object(map)) => {
                map.values_mut().fold(false, |changed, sub| lower_in_place(sub) | changed)
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => {
                list.iter_mut().fold(false, |changed, sub| lower_in_place(sub) | changed)
            }
            ("items" | "additionalProperties", sub) => lower_in_place(sub),
            _ => false,
        };
    }
    changed
}

/// Whether `entry` has a name and a schema: nothing but a tool has both.
pub(super) fn is_surely_tool(entry: &Value) -> bool {
    let (body, prefix, _) = body(entry);
    let named = body.get("name").is_some_and(Value::is_string);
    named && (has_schema(body) || !prefix.is_empty()) || declarations(entry).is_some()
}

/// Whether an object has a schema under one of the names that APIs give it.
pub(super) fn has_schema(body: &Value) -> bool {
    SCHEMA_KEYS.iter().any(|key| body.get(key).is_some_and(|s| s.is_object() || s.is_boolean()))
}

/// Whether `entry` may be a tool where a list of tools is expected: an object with a member of one, or
/// an empty one.
pub(super) fn may_be_tool(entry: &Value) -> bool {
    let Value::Object(members) = entry else { return false };
    let (body, _, _) = body(entry);
    let known = |key: &str| MCP_FIELDS.contains(&key) || SCHEMA_KEYS.contains(&key) || key == "output_schema";
    members.is_empty()
        || body.as_object().is_some_and(|body| body.keys().any(|key| known(key)))
        || declarations(entry).is_some()
        || hosted(entry).is_some()
}

/// Whether `entry` has a name and nothing that MCP does not know.
pub(super) fn is_plain_tool(entry: &Value) -> bool {
    entry.as_object().is_some_and(|members| {
        members.get("name").is_some_and(Value::is_string)
            && members.keys().all(|key| MCP_FIELDS.contains(&key.as_str()))
            && (members.len() > 2 || members.contains_key("description"))
    })
}

/// Gemini's group of function declarations, with its key.
pub(super) fn declarations(entry: &Value) -> Option<(&'static str, &Vec<Value>)> {
    ["functionDeclarations", "function_declarations"]
        .into_iter()
        .find_map(|key| Some((key, entry.get(key)?.as_array()?)))
}

/// Whether `entry` describes a tool as Docker's MCP registry does: its arguments by name, without a schema.
pub(super) fn is_docker_tool(entry: &Value) -> bool {
    let arguments = entry.get("arguments").and_then(Value::as_array);
    entry.get("name").is_some_and(Value::is_string)
        && arguments.is_some_and(|a| a.iter().all(|a| a.get("type").is_some() || a.get("desc").is_some()))
}

/// The name of a tool that the API itself hosts (web search, say): the request does not define it.
pub(super) fn hosted(entry: &Value) -> Option<&str> {
    let members = entry.as_object()?;
    if SCHEMA_KEYS
        .iter()
        .chain(&["function", "toolSpec", "description", "properties"])
        .any(|k| members.contains_key(*k))
    {
        return None;
    }
    const SOLE: &[&str] = &[
        "googleSearch",
        "google_search",
        "googleSearchRetrieval",
        "google_search_retrieval",
        "codeExecution",
        "code_execution",
        "urlContext",
        "url_context",
        "googleMaps",
        "google_maps",
        "computerUse",
        "computer_use",
        "retrieval",
        "cachePoint",
        "systemTool",
    ];
    if let (1, Some(key)) = (members.len(), members.keys().next())
        && SOLE.contains(&key.as_str())
    {
        return Some(key);
    }
    const NOT_HOSTED: &[&str] =
        &["function", "object", "array", "string", "number", "integer", "boolean", "null", "tool"];
    let kind = members.get("type")?.as_str()?;
    (!NOT_HOSTED.contains(&kind)).then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(entry: Value, style: Style, tool: Value, moved: &[(&str, &str)]) {
        let got = normalise(&entry, false);
        assert_eq!(got.style, style);
        assert_eq!(got.value, tool);
        let pairs: Vec<(&str, &str)> = got.moved.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(pairs, moved);
        for (target, source) in &got.moved {
            assert!(got.value.pointer(target).is_some(), "{target}");
            assert!(entry.pointer(source).is_some(), "{source}");
        }
    }

    #[test]
    fn every_api_becomes_mcp() {
        let schema = json!({"type": "object", "properties": {"strict": {"type": "string"}}});
        let tool = json!({"name": "a", "description": "d", "inputSchema": schema});
        check(tool.clone(), Style::Mcp, tool.clone(), &[]);
        check(
            json!({"name": "a", "description": "d", "input_schema": schema, "cache_control": {"type": "x"}}),
            Style::Anthropic,
            tool.clone(),
            &[("/inputSchema", "/input_schema")],
        );
        check(
            json!({"type": "function", "function": {"name": "a", "description": "d", "parameters": schema, "strict": true}}),
            Style::OpenAiChat,
            tool.clone(),
            &[
                ("/name", "/function/name"),
                ("/description", "/function/description"),
                ("/inputSchema", "/function/parameters"),
            ],
        );
        check(
            json!({"type": "function", "name": "a", "description": "d", "parameters": schema, "strict": null}),
            Style::OpenAiResponses,
            tool.clone(),
            &[("/inputSchema", "/parameters")],
        );
        check(
            json!({"toolSpec": {"name": "a", "description": "d", "inputSchema": {"json": schema}}}),
            Style::Bedrock,
            tool.clone(),
            &[
                ("/name", "/toolSpec/name"),
                ("/description", "/toolSpec/description"),
                ("/inputSchema", "/toolSpec/inputSchema/json"),
            ],
        );
        check(
            json!({"name": "a", "description": "d", "parametersJsonSchema": schema}),
            Style::Gemini,
            tool.clone(),
            &[("/inputSchema", "/parametersJsonSchema")],
        );
        check(
            json!({"name": "a", "description": "d", "parameters": schema}),
            Style::OpenAiFunctions,
            tool.clone(),
            &[("/inputSchema", "/parameters")],
        );
        check(
            json!({"label": "benign", "id": 7, "tool": {"name": "a", "description": "d", "inputSchema": schema}}),
            Style::Mcp,
            tool,
            &[
                ("/name", "/tool/name"),
                ("/description", "/tool/description"),
                ("/inputSchema", "/tool/inputSchema"),
            ],
        );
    }

    #[test]
    fn snake_case_dumps() {
        check(
            json!({"name": "a", "title": null, "description": null, "input_schema": {"type": "object"},
                "output_schema": {"type": "object"}, "annotations": {"title": null, "read_only_hint": true}, "meta": null}),
            Style::Anthropic,
            json!({"name": "a", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"},
                "annotations": {"readOnlyHint": true}}),
            &[
                ("/inputSchema", "/input_schema"),
                ("/outputSchema", "/output_schema"),
                ("/annotations/readOnlyHint", "/annotations/read_only_hint"),
            ],
        );
    }

    #[test]
    fn mcp_entries_stay_as_they_are() {
        let odd = json!({"name": 7, "description": null, "inputSchema": null, "strict": true, "type": "x", "input_schema": 1});
        check(odd.clone(), Style::Mcp, odd, &[]);
        for odd in [json!(null), json!("get_weather"), json!([1]), json!({})] {
            check(odd.clone(), Style::Mcp, odd, &[]);
        }
    }

    #[test]
    fn gemini_types_are_lowered_in_schemas_only() {
        let got = normalise(
            &json!({"name": "a", "parameters": {"type": "OBJECT", "properties": {
            "type": {"type": "STRING", "enum": ["OBJECT"], "default": {"type": "STRING"}},
            "list": {"type": "ARRAY", "items": {"anyOf": [{"type": "INTEGER"}, {"type": "date"}]}}}}}),
            false,
        );
        assert!(got.types_lowered);
        assert_eq!(
            got.value["inputSchema"],
            json!({"type": "object", "properties": {
                "type": {"type": "string", "enum": ["OBJECT"], "default": {"type": "STRING"}},
                "list": {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "date"}]}}}})
        );
    }

    #[test]
    fn hosted_tools_have_no_definition() {
        assert_eq!(
            hosted(&json!({"type": "web_search_20250305", "name": "web_search"})),
            Some("web_search_20250305")
        );
        assert_eq!(hosted(&json!({"googleSearch": {}})), Some("googleSearch"));
        for not in [
            json!({"type": "object", "properties": {}}),
            json!({"type": "function", "name": "a"}),
            json!({"name": "a", "inputSchema": {}, "type": "x"}),
            json!(null),
        ] {
            assert_eq!(hosted(&not), None);
        }
    }
}
