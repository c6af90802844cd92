//! JSON that is no listing of tools: what it is, and what to do instead.

use crate::error::{ErrorCode, InputError, cut};
use crate::json_type;
use serde_json::Value;

/// How to capture a listing. Verity never starts what a file names.
pub(super) const CAPTURE: &str = "Capture the listing: npx @modelcontextprotocol/inspector --cli \
    <command that starts the server> --method tools/list > tools.json";

/// The error for a file of another kind.
pub(super) fn error(value: &Value, path: &str) -> InputError {
    let (message, help) = kind(value, path);
    let error = InputError::new(ErrorCode::NotAManifest, message);
    error.help(help)
}

fn kind(value: &Value, path: &str) -> (String, String) {
    let has = |key: &str| value.get(key).is_some();
    let object = |key: &str| value.get(key).is_some_and(Value::is_object);
    let array = |key: &str| value.get(key).is_some_and(Value::is_array);
    let capture = || CAPTURE.to_string();
    if let Some(found) = client_config(value, path) {
        return found;
    }
    let say = |what: &str, help: String| (format!("this is {what}, not a listing of tools"), help);
    let plain =
        |what: &str| say(what, "Verity reads what a server answers to tools/list. ".to_string() + CAPTURE);
    match value {
        Value::Array(items) => return array_kind(items, plain),
        Value::Object(members) if members.is_empty() => {
            return ("the file holds an empty object: no tools".to_string(), capture());
        }
        Value::Object(_) => {}
        _ => return plain(&format!("a single JSON {}", json_type::name(value))),
    }
    if is_registry(value) {
        return (
            "this is a server.json of the MCP registry: it says how to get the server, not which tools it has"
                .to_string(),
            capture(),
        );
    }
    if array("tools") {
        return ("`tools` names tools without defining them".to_string(), capture());
    }
    if let Some(keys) = digests_only(value) {
        return (
            format!("this is a lock file that keeps digests of tools ({keys}), not their definitions"),
            capture(),
        );
    }
    if has("tools") {
        return (
            format!("`tools` is {}, not an array of tools", json_type::with_article(&value["tools"])),
            capture(),
        );
    }
    if has("openapi") || has("swagger") {
        return plain("an OpenAPI description");
    }
    if has("runs") && has("version") {
        return plain("a SARIF report");
    }
    if has("compilerOptions") {
        return plain("a tsconfig.json");
    }
    if has("lockfileVersion") && (has("packages") || has("dependencies")) {
        return plain("a package-lock.json");
    }
    if has("name") && (has("dependencies") || has("devDependencies") || has("scripts")) {
        return plain("a package.json");
    }
    if has("schema_version") && has("name_for_model") {
        return plain("a ChatGPT plugin manifest");
    }
    if array("skills") && (has("url") || has("protocolVersion")) {
        return plain("an A2A agent card");
    }
    if has("schema_version") && has("verity") {
        return plain("a report of verity itself");
    }
    if has("protocolVersion") && has("capabilities") {
        return plain("an answer to initialize");
    }
    for (key, what) in
        [("prompts", "prompts"), ("resources", "resources"), ("resourceTemplates", "resource templates")]
    {
        if array(key) {
            return plain(&format!("a listing of {what}"));
        }
    }
    if array("content") || has("structuredContent") {
        return plain("the result of a tool call");
    }
    if has("$schema") && (object("properties") || has("$defs") || has("definitions"))
        || value.get("type").is_some_and(Value::is_string) && object("properties")
    {
        return say(
            "a JSON Schema, perhaps the inputSchema of one tool",
            "Put it into a tool: {\"name\": …, \"description\": …, \"inputSchema\": <this>}. To generate values for \
             bare schemas, use verity generate --schemas."
                .to_string(),
        );
    }
    let keys: Vec<String> =
        value.as_object().into_iter().flatten().take(5).map(|(key, _)| format!("`{}`", cut(key))).collect();
    (format!("no tools here: this is an object with {}", keys.join(", ")), capture())
}

/// A client's configuration: it says how to start servers, which verity never does.
fn client_config(value: &Value, path: &str) -> Option<(String, String)> {
    const KEYS: &[&str] = &["mcpServers", "servers", "context_servers", "mcp_servers", "mcp"];
    let starts = |server: &Value| {
        server.get("command").is_some() || server.get("url").is_some() || server.get("httpUrl").is_some()
    };
    let servers = KEYS.iter().find_map(|key| {
        let map = value.get(key)?;
        let map = map.get("servers").unwrap_or(map).as_object()?;
        (!map.is_empty() && map.values().any(starts) || *key == "mcpServers").then_some(map)
    })?;
    let names: Vec<String> = servers.keys().take(5).map(|name| cut(name)).collect();
    let first = names.first().cloned().unwrap_or_else(|| "NAME".to_string());
    let list = if names.is_empty() { "none".to_string() } else { names.join(", ") };
    Some((
        format!(
            "this is the MCP configuration of a client (servers: {list}): it says how to start servers, not which tools they have"
        ),
        format!(
            "Verity starts nothing. Capture a server's listing yourself: npx @modelcontextprotocol/inspector --cli \
             --config {} --server {} --method tools/list > tools.json",
            quoted(path),
            quoted(&first)
        ),
    ))
}

/// As an argument of a POSIX shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_string();
    }
    format!("'{}'", cut(text).replace('\'', "'\\''"))
}

fn is_registry(value: &Value) -> bool {
    let schema = value.get("$schema").and_then(Value::as_str).unwrap_or_default();
    let one = |v: &Value| {
        v.get("name").is_some()
            && v.get("version").is_some()
            && (v.get("packages").is_some() || v.get("remotes").is_some())
    };
    schema.contains("modelcontextprotocol.io/schemas/") && schema.contains("server")
        || one(value)
        || value.get("server").is_some_and(one)
        || value.get("servers").and_then(Value::as_array).is_some_and(|servers| {
            !servers.is_empty() && servers.iter().all(|s| one(s) || s.get("server").is_some_and(one))
        })
}

fn array_kind(items: &[Value], plain: impl Fn(&str) -> (String, String)) -> (String, String) {
    if items.is_empty() {
        return ("the file holds an empty array: no tools".to_string(), CAPTURE.to_string());
    }
    let all = |test: &dyn Fn(&Value) -> bool| items.iter().all(test);
    if all(&|v| v.is_string()) {
        return plain("an array of strings (names of tools?)");
    }
    if all(&|v| v.get("uri").is_some() || v.get("uriTemplate").is_some()) {
        return plain("a listing of resources");
    }
    if all(&|v| v.get("name").is_some() && v.get("arguments").is_some_and(Value::is_array)) {
        return plain("a listing of prompts");
    }
    if all(&|v| v.get("role").is_some() && v.get("content").is_some()) {
        return plain("a conversation");
    }
    if all(&|v| v.is_object()) {
        return plain("an array of objects, none of which has a name and a schema");
    }
    plain(&format!("an array of {}", items.first().map_or("values", type_plural)))
}

fn digests_only(value: &Value) -> Option<String> {
    let hash = |tool: &Value| {
        let looks = |t: &Value| {
            t.as_str().is_some_and(|s| {
                s.starts_with("sha256") || s.len() >= 32 && s.chars().all(|c| c.is_ascii_hexdigit())
            })
        };
        looks(tool) || tool.as_object().is_some_and(|m| m.values().any(looks))
    };
    let tools = value.get("tools").and_then(Value::as_object)?;
    (!tools.is_empty() && tools.values().all(hash))
        .then(|| tools.keys().take(3).map(|k| cut(k)).collect::<Vec<_>>().join(", "))
}

fn type_plural(value: &Value) -> &'static str {
    match value {
        Value::Null => "nulls",
        Value::Bool(_) => "booleans",
        Value::Number(_) => "numbers",
        Value::String(_) => "strings",
        Value::Array(_) => "arrays",
        Value::Object(_) => "objects",
    }
}
