//! What came back from a call: of a run's legs, as they are recorded.

use super::failure::{Code, Failure};
use super::node::{Node, Read};
use serde_json::{Map, Value, json};

/// A tool's result: its `structuredContent`, or what there was instead.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolResult {
    /// No `structuredContent`. (`null` is a value.)
    Absent,
    Text(String),
    Json(Value),
}

impl ToolResult {
    fn read(node: &Node<'_>) -> Read<ToolResult> {
        match node.peek("kind").and_then(Value::as_str) {
            Some("absent") => node.object(&["kind"]).map(|_| ToolResult::Absent),
            Some("text") => node.object(&["kind", "value"])?.at("value").string().map(ToolResult::Text),
            // What a server sends need not keep to the value domain of contracts.
            Some("json") => Ok(ToolResult::Json(node.object(&["kind", "value"])?.at("value").value.clone())),
            _ => Err(node.fault(
                "a result is expected here: `{\"kind\": \"json\", \"value\": …}`, `{\"kind\": \"text\", \"value\": \"…\"}` \
                 or `{\"kind\": \"absent\"}`",
            )),
        }
    }

    /// As it is recorded.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            ToolResult::Absent => json!({ "kind": "absent" }),
            ToolResult::Text(text) => json!({ "kind": "text", "value": text }),
            ToolResult::Json(value) => json!({ "kind": "json", "value": value }),
        }
    }
}

/// The answer to one leg. A tool's error is an observation, too; whatever else went wrong is none.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// The leg's id, echoed.
    pub probe_id: String,
    pub interface_id: String,
    pub operation_id: String,
    pub is_error: bool,
    pub result: ToolResult,
}

impl Observation {
    /// The observations of a file: an array of them, or an object with `observations`.
    ///
    /// # Errors
    /// [`Code::Parse`]; [`Code::PortContractViolation`] for an observation of another interface kind.
    pub fn read_all(value: &Value) -> Read<Vec<Observation>> {
        let root = Node::root(value);
        if value.is_array() {
            root.list(Observation::read)
        } else {
            root.object(&["observations"])?.at("observations").list(Observation::read)
        }
    }

    fn read(node: &Node<'_>) -> Read<Observation> {
        if let Some(other) = node.peek("kind").and_then(Value::as_str).filter(|kind| *kind != "mcp") {
            let detail = format!("an observation of an interface of kind `{other}` answers no tool call");
            return Err(Failure::new(Code::PortContractViolation, format!("{}/kind", node.at), detail));
        }
        let f = node.object(&["probeId", "interfaceId", "operationId", "kind", "isError", "result"])?;
        f.at("kind").word(&[("mcp", ())])?;
        Ok(Observation {
            probe_id: f.at("probeId").identifier()?,
            interface_id: f.at("interfaceId").identifier()?,
            operation_id: f.at("operationId").identifier()?,
            is_error: f.at("isError").boolean()?,
            result: ToolResult::read(&f.at("result"))?,
        })
    }

    /// As [`Observation::read_all`] reads it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({ "probeId": self.probe_id, "interfaceId": self.interface_id, "operationId": self.operation_id,
            "kind": "mcp", "isError": self.is_error, "result": self.result.to_json() })
    }
}

/// One call as evidence: what was sent, and what came back.
#[derive(Debug, Clone)]
pub struct Call {
    /// An object.
    pub arguments: Value,
    /// `response-body`: a text has nothing below it, and what is absent is not null.
    pub body: Option<Value>,
    /// `response-status`: 1 where the tool said `isError`, else 0.
    pub status: Value,
}

impl Call {
    #[must_use]
    pub fn new(arguments: Map<String, Value>, result: ToolResult, is_error: bool) -> Call {
        let body = match result {
            ToolResult::Absent => None,
            ToolResult::Text(text) => Some(Value::String(text)),
            ToolResult::Json(value) => Some(value),
        };
        Call { arguments: Value::Object(arguments), body, status: Value::from(u8::from(is_error)) }
    }
}
