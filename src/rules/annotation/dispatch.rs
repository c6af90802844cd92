//! Tools that do many things: which of them is chosen by an argument, or anything at all is run.

use super::verbs::{self, Act, Weight};
use crate::rules::ToolView;
use crate::rules::name::words;
use serde_json::Value;

/// What makes a tool a dispatcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Dispatch {
    /// A parameter chooses the action; these values of it write.
    Chooses { parameter: String, writing: Vec<Choice> },
    /// A free parameter names the tool, action or request to run.
    RunsNamed { parameter: String },
    /// A free parameter is a program: a shell command, code.
    RunsCode { parameter: String },
    /// A free parameter is a database statement.
    RunsStatement { parameter: String },
}

/// A value that writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Choice {
    pub value: String,
    pub act: Act,
    /// Whether the value hardly means anything else.
    pub strong: bool,
}

/// Whether, and how, the tool is a dispatcher.
pub(super) fn of(tool: &ToolView<'_>) -> Option<Dispatch> {
    let properties = tool.tool.input_schema()?.get("properties")?.as_object()?;
    for (name, schema) in properties {
        if is_selector(name)
            && let Some(found) = chooses(name, schema)
        {
            return Some(found);
        }
    }
    let words = words::of(tool.tool.name().unwrap_or_default());
    let has = |list: &[&str]| words.iter().any(|w| list.contains(&w.as_str()));
    let runs = words.iter().any(|w| verbs::base(w).is_some_and(|v| v.act == Act::Runs))
        || has(&["proxy", "request"]);
    let alone = words.len() == 1 && has(&["bash", "shell", "exec", "execute", "eval", "terminal"]);
    if !runs && !alone {
        return None;
    }
    let free = |list: &[&str]| {
        properties
            .iter()
            .find(|(name, schema)| {
                list.contains(&words::of(name).join(" ").as_str())
                    && schema.get("enum").is_none()
                    && schema.get("const").is_none()
                    && schema.get("type").and_then(Value::as_str) == Some("string")
            })
            .map(|(name, _)| name.clone())
    };
    if let Some(parameter) = free(CODE) {
        return Some(Dispatch::RunsCode { parameter });
    }
    if let Some(parameter) = free(STATEMENTS) {
        return Some(Dispatch::RunsStatement { parameter });
    }
    // `run_workflow(name)` runs one kind of thing; `execute_tool(tool, arguments)` runs all of them.
    let arguments =
        properties.iter().any(|(name, _)| ARGUMENTS.contains(&words::of(name).join(" ").as_str()));
    let object = has(&[
        "tool", "tools", "action", "actions", "method", "function", "api", "rpc", "request", "endpoint",
    ]);
    (object && (arguments || has(&["tool", "tools"])))
        .then(|| free(NAMED))
        .flatten()
        .map(|parameter| Dispatch::RunsNamed { parameter })
}

const CODE: &[&str] = &[
    "command",
    "cmd",
    "script",
    "code",
    "shell command",
    "bash command",
    "python code",
    "javascript",
    "program",
];
const STATEMENTS: &[&str] = &["sql", "query", "statement", "sql query", "cypher", "gql"];
const NAMED: &[&str] = &[
    "tool",
    "tool name",
    "name",
    "action",
    "action name",
    "function",
    "function name",
    "method",
    "endpoint",
    "path",
    "url",
    "operation",
    "tool slug",
    "slug",
];
const ARGUMENTS: &[&str] = &[
    "arguments",
    "args",
    "params",
    "parameters",
    "input",
    "inputs",
    "tool input",
    "tool arguments",
    "tool args",
    "tool params",
    "tool parameters",
    "body",
    "payload",
    "data",
    "kwargs",
];

fn is_selector(name: &str) -> bool {
    matches!(
        words::of(name).join(" ").as_str(),
        "action"
            | "method"
            | "http method"
            | "request method"
            | "operation"
            | "operation type"
            | "op"
            | "command"
            | "cmd"
            | "verb"
            | "mode"
            | "action type"
            | "sub command"
            | "subcommand"
            | "task"
    )
}

/// The writing values among those that `schema` admits.
fn chooses(parameter: &str, schema: &Value) -> Option<Dispatch> {
    let values = admitted(schema);
    // HTTP methods are written in capitals; `get`/`post` in small letters may be anything.
    let http = values.iter().any(|v| v == "GET" || v == "DELETE");
    let writes = |value: &String| {
        let words = words::of(value);
        let verb = words.first().and_then(|w| verbs::base(w))?;
        // `post` is how many interfaces ask a question that is too long for an address.
        if !verb.act.writes() || verb.act == Act::Runs || (http && value == "POST") {
            return None;
        }
        Some(Choice { value: value.clone(), act: verb.act, strong: http || verb.weight == Weight::Strong })
    };
    let writing: Vec<Choice> = values.iter().filter_map(writes).collect();
    (values.len() > 1 && !writing.is_empty())
        .then(|| Dispatch::Chooses { parameter: parameter.to_string(), writing })
}

/// The strings that a selector admits: its `enum`, the constants of its branches; for a free string the HTTP methods in its description.
fn admitted(schema: &Value) -> Vec<String> {
    let strings = |v: &Value| {
        v.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_string).collect::<Vec<_>>()
    };
    if let Some(values) = schema.get("enum") {
        return strings(values);
    }
    let branches =
        ["anyOf", "oneOf"].iter().filter_map(|k| schema.get(*k)).filter_map(Value::as_array).flatten();
    let mut found: Vec<String> = Vec::new();
    for branch in branches {
        found.extend(branch.get("const").and_then(Value::as_str).map(str::to_string));
        found.extend(branch.get("enum").map(strings).unwrap_or_default());
    }
    if found.is_empty() {
        let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
        let said = text.split(|c: char| !c.is_ascii_alphabetic());
        found = said.filter(|w| methods.contains(w)).map(str::to_string).collect();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::manifest;
    use serde_json::json;

    fn dispatch(name: &str, properties: Value) -> Option<Dispatch> {
        let manifest =
            manifest(&json!({"name": name, "inputSchema": {"type": "object", "properties": properties}}));
        of(&ToolView::new(&manifest.tools[0]))
    }

    /// The values that write.
    fn writing(name: &str, properties: Value) -> Vec<String> {
        match dispatch(name, properties) {
            Some(Dispatch::Chooses { writing, .. }) => writing.into_iter().map(|c| c.value).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn a_parameter_chooses() {
        let chosen =
            |values: &[&str]| writing("api", json!({"method": {"enum": values}, "path": {"type": "string"}}));
        assert_eq!(chosen(&["GET", "POST", "DELETE"]), ["DELETE"]);
        assert_eq!(chosen(&["GET", "PUT", "PATCH"]), ["PUT", "PATCH"]);
        assert_eq!(chosen(&["list", "create", "update"]), ["create", "update"]);
        for none in [&["GET", "POST"][..], &["list", "get"], &["delete"], &["run", "view"]] {
            assert!(chosen(none).is_empty(), "{none:?}");
        }
        let in_prose =
            json!({"method": {"type": "string", "description": "HTTP method: GET, PUT or DELETE"}});
        assert_eq!(writing("api", in_prose), ["PUT", "DELETE"]);
        let branches = json!({"action": {"oneOf": [{"const": "get"}, {"const": "delete"}]}});
        assert_eq!(writing("issue", branches), ["delete"]);
        assert_eq!(dispatch("issue", json!({"state": {"enum": ["delete", "get"]}})), None);
    }

    #[test]
    fn a_parameter_names_what_is_run() {
        let string = json!({"type": "string"});
        let object = json!({"type": "object"});
        assert!(matches!(
            dispatch("execute_tool", json!({"toolName": string, "arguments": object})),
            Some(Dispatch::RunsNamed { .. })
        ));
        assert!(matches!(
            dispatch("run_command", json!({"command": string})),
            Some(Dispatch::RunsCode { .. })
        ));
        assert!(matches!(dispatch("bash", json!({"command": string})), Some(Dispatch::RunsCode { .. })));
        assert!(matches!(
            dispatch("execute_sql", json!({"sql": string})),
            Some(Dispatch::RunsStatement { .. })
        ));
        assert_eq!(dispatch("run_test", json!({"testId": string})), None);
        assert_eq!(dispatch("run_workflow", json!({"name": string, "inputs": object})), None);
        assert_eq!(dispatch("search", json!({"query": string})), None);
        assert_eq!(
            dispatch(
                "execute_tool",
                json!({"tool": {"type": "string", "enum": ["a", "b"]}, "arguments": object})
            ),
            None
        );
    }
}
