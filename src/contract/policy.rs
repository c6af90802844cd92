//! What a run may start, and which tools it may call: nothing that a policy does not name.

use super::failure::{Code, Failure};
use super::lexical;
use super::node::{self, Node, Read};
use serde_json::Value;
use std::collections::BTreeMap;

/// Default deny: an empty list allows nothing.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    pub authorizations: Vec<Authorization>,
}

/// One server, by the interface's name in the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorization {
    pub interface: String,
    /// The command, never from a contract.
    pub target: String,
    pub target_args: Vec<String>,
    /// Literal names; at least one.
    pub tools: Vec<String>,
    pub cwd: String,
    /// Beside the host's PATH, which an entry of that name replaces.
    pub server_environment: BTreeMap<String, String>,
    /// For the whole call, the start of the server included.
    pub max_elapsed_ms: u64,
    /// Of stdout, and of stderr.
    pub max_output_bytes: u64,
}

impl Policy {
    /// Read a policy document strictly.
    ///
    /// # Errors
    /// [`Code::Parse`].
    pub fn read(value: &Value) -> Read<Policy> {
        let list = Node::root(value).object(&["authorizations"])?.at("authorizations");
        let authorizations = list.list(Authorization::read)?;
        for (i, authorization) in authorizations.iter().enumerate() {
            if authorizations.iter().take(i).any(|earlier| earlier.interface == authorization.interface) {
                let at = format!("{}/{i}/interfaceId", list.at);
                let detail = format!(
                    "the interface `{}` is authorized already; which server would it be?",
                    authorization.interface
                );
                return Err(Failure::new(Code::Parse, at, detail));
            }
        }
        Ok(Policy { authorizations })
    }

    /// What a call of `tool` through `interface` runs with.
    ///
    /// # Errors
    /// [`Code::ForbiddenTarget`]: the interface, or then the tool, is not named.
    pub fn authorize(&self, interface: &str, tool: &str) -> Result<&Authorization, Failure> {
        let Some(found) = self.authorizations.iter().find(|a| a.interface == interface) else {
            let detail = format!(
                "the policy names no interface `{interface}`; nothing is started that it does not name"
            );
            return Err(Failure::new(Code::ForbiddenTarget, "/authorizations", detail));
        };
        if !found.tools.iter().any(|allowed| allowed == tool) {
            let detail =
                format!("the policy does not list the tool `{tool}` for the interface `{interface}`");
            return Err(Failure::new(Code::ForbiddenTarget, "/authorizations", detail));
        }
        Ok(found)
    }
}

impl Authorization {
    fn read(node: &Node<'_>) -> Read<Authorization> {
        let f = node.object(&[
            "interfaceId",
            "target",
            "targetArgs",
            "tools",
            "cwd",
            "serverEnvironment",
            "maxElapsedMs",
            "maxOutputBytes",
        ])?;
        let tool =
            |n: &Node<'_>| n.form("a tool's name (letters, digits, `_` and `-`)", lexical::is_tool_name);
        let elapsed = f.at("maxElapsedMs");
        let max_elapsed_ms = elapsed.count(1)?;
        // The longest that timers take.
        if max_elapsed_ms > 2_147_483_647 {
            return Err(elapsed.fault("a time of at most 2147483647 ms is expected here"));
        }
        Ok(Authorization {
            interface: f.at("interfaceId").identifier()?,
            target: f.at("target").non_empty()?,
            target_args: f.at("targetArgs").list(Node::string)?,
            tools: f.at("tools").list_of(1, tool)?,
            cwd: f.at("cwd").non_empty()?,
            server_environment: f.at("serverEnvironment").map(node::key_name, Node::string)?,
            max_elapsed_ms,
            max_output_bytes: f.at("maxOutputBytes").count(1)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn entry() -> Value {
        json!({"interfaceId": "notes", "target": "python3", "targetArgs": ["server.py"], "tools": ["search_notes"], "cwd": "/tmp",
            "serverEnvironment": {"TZ": "UTC"}, "maxElapsedMs": 3000, "maxOutputBytes": 1000})
    }

    #[test]
    fn what_is_not_named_is_denied() {
        let policy = Policy::read(&json!({ "authorizations": [entry()] })).unwrap();
        assert_eq!(policy.authorize("notes", "search_notes").map(|a| a.max_elapsed_ms), Ok(3000));
        let denied = |interface: &str, tool: &str| policy.authorize(interface, tool).map(|_| ()).unwrap_err();
        assert_eq!(denied("notes", "delete_notes").code, Code::ForbiddenTarget);
        assert!(
            denied("other", "delete_notes").detail.contains("no interface `other`"),
            "the interface comes first"
        );
        assert_eq!(denied("notes", "SEARCH_NOTES").code, Code::ForbiddenTarget);
        let nothing = Policy::read(&json!({ "authorizations": [] })).unwrap();
        assert_eq!(nothing.authorize("notes", "search_notes").unwrap_err().code, Code::ForbiddenTarget);
    }

    #[test]
    fn policies_are_read_strictly() {
        let with = |key: &str, value: Value| {
            let mut entry = entry();
            entry[key] = value;
            Policy::read(&json!({ "authorizations": [entry] })).map(|_| ()).map_err(|f| (f.code, f.pointer))
        };
        let at = |key: &str| Err((Code::Parse, format!("/authorizations/0/{key}")));
        assert_eq!(with("maxElapsedMs", json!(2_147_483_647)), Ok(()));
        assert_eq!(with("maxElapsedMs", json!(2_147_483_648_u64)), at("maxElapsedMs"));
        assert_eq!(with("maxElapsedMs", json!(0)), at("maxElapsedMs"));
        assert_eq!(with("maxOutputBytes", json!(0)), at("maxOutputBytes"));
        assert_eq!(with("tools", json!([])), at("tools"));
        assert_eq!(with("tools", json!(["a b"])), at("tools/0"));
        assert_eq!(with("cwd", json!("")), at("cwd"));
        assert_eq!(with("serverEnvironment", json!({"A": 1})), at("serverEnvironment/A"));
        assert_eq!(with("shell", json!(true)), at("shell"));
        let mut short = entry();
        short.as_object_mut().unwrap().shift_remove("cwd");
        let read = Policy::read(&json!({ "authorizations": [short] })).unwrap_err();
        assert!(read.detail.contains("`cwd` is absent"), "{}", read.detail);
        let twice = Policy::read(&json!({ "authorizations": [entry(), entry()] })).unwrap_err();
        assert_eq!(twice.pointer, "/authorizations/1/interfaceId");
    }
}
