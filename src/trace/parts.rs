//! What readers share: members by name, texts of content blocks, names with a server in them.

use serde_json::Value;

/// The text under `key`.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// The list under `key`; empty where there is none.
pub(super) fn items<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The first text under one of `keys`.
pub(super) fn first_text<'v>(value: &'v Value, keys: &[&str]) -> Option<&'v str> {
    keys.iter().find_map(|key| text(value, key))
}

/// The first value under one of `keys`, null left out.
pub(super) fn first<'v>(value: &'v Value, keys: &[&str]) -> Option<&'v Value> {
    keys.iter().find_map(|key| value.get(key)).filter(|v| !v.is_null())
}

/// An id as text: APIs have strings and numbers.
pub(super) fn id(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The text of `content`: itself, or its text blocks, a line each. Anything else is its JSON text.
pub(super) fn content(content: Option<&Value>) -> String {
    match content {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) if blocks.iter().all(|b| text(b, "type").is_some()) => {
            let texts = blocks.iter().filter_map(|b| text(b, "text"));
            texts.collect::<Vec<_>>().join("\n")
        }
        Some(other) => other.to_string(),
    }
}

/// `mcp__server__tool` in its parts, where `name` is one; `servers` are the names that are known.
pub(super) fn server_and_tool<'n>(name: &'n str, servers: &[String]) -> (Option<&'n str>, &'n str) {
    let Some(rest) = name.strip_prefix("mcp__") else { return (None, name) };
    let known = servers.iter().filter_map(|server| {
        let tool = rest.strip_prefix(server.as_str())?.strip_prefix("__")?;
        Some((rest.get(..server.len())?, tool))
    });
    let longest = known.max_by_key(|(server, _)| server.len());
    match longest.or_else(|| rest.split_once("__")) {
        Some((server, tool)) if !server.is_empty() && !tool.is_empty() => (Some(server), tool),
        _ => (None, name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_with_a_server() {
        assert_eq!(server_and_tool("mcp__notes__search", &[]), (Some("notes"), "search"));
        assert_eq!(
            server_and_tool("mcp__my__notes__search", &["my".into(), "my__notes".into()]),
            (Some("my__notes"), "search")
        );
        assert_eq!(server_and_tool("Bash", &[]), (None, "Bash"));
        assert_eq!(server_and_tool("mcp__notes", &[]), (None, "mcp__notes"));
        assert_eq!(server_and_tool("mcp____x", &[]), (None, "mcp____x"));
    }

    #[test]
    fn content_as_text() {
        assert_eq!(content(Some(&json!("x"))), "x");
        assert_eq!(
            content(Some(
                &json!([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}])
            )),
            "a\nb"
        );
        assert_eq!(content(Some(&json!({"n": 1}))), r#"{"n":1}"#);
        assert_eq!(content(None), "");
    }
}
