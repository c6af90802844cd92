//! What came back from a call: of a run's legs, as they are recorded.

use super::failure::{Code, Failure};
use super::node::{Fields, Node, Read};
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
    /// The text blocks of the answer, where the contract looks at texts ([`super::extension`]).
    pub text: Option<String>,
}

impl Observation {
    /// The observations of a file: an array of them, or an object with `observations` (and `steps`: [`StepCall`]).
    ///
    /// # Errors
    /// [`Code::Parse`]; [`Code::PortContractViolation`] for an observation of another interface kind.
    pub fn read_all(value: &Value) -> Read<Vec<Observation>> {
        let root = Node::root(value);
        if value.is_array() {
            root.list(Observation::read)
        } else {
            root.some_of(&["observations"], &["steps"])?.at("observations").list(Observation::read)
        }
    }

    fn read(node: &Node<'_>) -> Read<Observation> {
        if let Some(other) = node.peek("kind").and_then(Value::as_str).filter(|kind| *kind != "mcp") {
            let detail = format!("an observation of an interface of kind `{other}` answers no tool call");
            return Err(Failure::new(Code::PortContractViolation, format!("{}/kind", node.at), detail));
        }
        let needed = ["probeId", "interfaceId", "operationId", "kind", "isError", "result"];
        let f = node.some_of(&needed, &["text"])?;
        f.at("kind").word(&[("mcp", ())])?;
        Ok(Observation {
            probe_id: f.at("probeId").identifier()?,
            interface_id: f.at("interfaceId").identifier()?,
            operation_id: f.at("operationId").identifier()?,
            is_error: f.at("isError").boolean()?,
            result: ToolResult::read(&f.at("result"))?,
            text: text(&f)?,
        })
    }

    /// As [`Observation::read_all`] reads it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut out = json!({ "probeId": self.probe_id, "interfaceId": self.interface_id,
            "operationId": self.operation_id, "kind": "mcp", "isError": self.is_error, "result": self.result.to_json() });
        put_text(&mut out, self.text.as_deref());
        out
    }
}

fn text(f: &Fields<'_>) -> Read<Option<String>> {
    if f.has("text") { f.at("text").string().map(Some) } else { Ok(None) }
}

fn put_text(out: &mut Value, text: Option<&str>) {
    if let (Some(members), Some(text)) = (out.as_object_mut(), text) {
        members.insert("text".to_string(), json!(text));
    }
}

/// The call that a step of the interaction plan came to, live: ours, beside eval-quality's observations.
#[derive(Debug, Clone, PartialEq)]
pub struct StepCall {
    pub step: String,
    pub arguments: Map<String, Value>,
    pub is_error: bool,
    pub result: ToolResult,
    pub text: Option<String>,
}

impl StepCall {
    /// The steps of a file of observations; `None` where it has none.
    ///
    /// # Errors
    /// [`Code::Parse`].
    pub fn read_all(value: &Value) -> Read<Option<Vec<StepCall>>> {
        if value.get("steps").is_none() {
            return Ok(None);
        }
        let f = Node::root(value).object(&["observations", "steps"])?;
        f.at("steps").list(StepCall::read).map(Some)
    }

    fn read(node: &Node<'_>) -> Read<StepCall> {
        let f = node.some_of(&["stepId", "arguments", "isError", "result"], &["text"])?;
        Ok(StepCall {
            step: f.at("stepId").identifier()?,
            arguments: f.at("arguments").json_object()?,
            is_error: f.at("isError").boolean()?,
            result: ToolResult::read(&f.at("result"))?,
            text: text(&f)?,
        })
    }

    /// As [`StepCall::read_all`] reads it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut out = json!({ "stepId": self.step, "arguments": self.arguments, "isError": self.is_error,
            "result": self.result.to_json() });
        put_text(&mut out, self.text.as_deref());
        out
    }

    /// As evidence.
    #[must_use]
    pub fn call(&self) -> Call {
        Call::new(self.arguments.clone(), self.result.clone(), self.is_error).with_text(self.text.as_deref())
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
    /// `response-text`, a string.
    pub text: Option<Value>,
    /// `response-text-json`: the same as JSON; absent where it is none.
    pub text_json: Option<Value>,
}

impl Call {
    #[must_use]
    pub fn new(arguments: Map<String, Value>, result: ToolResult, is_error: bool) -> Call {
        let body = match result {
            ToolResult::Absent => None,
            ToolResult::Text(text) => Some(Value::String(text)),
            ToolResult::Json(value) => Some(value),
        };
        let status = Value::from(u8::from(is_error));
        Call { arguments: Value::Object(arguments), body, status, text: None, text_json: None }
    }

    /// The same with the text of the answer.
    #[must_use]
    pub fn with_text(mut self, text: Option<&str>) -> Call {
        self.text_json = text.and_then(|text| serde_json::from_str(text).ok());
        self.text = text.map(Value::from);
        self
    }
}
