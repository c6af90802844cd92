//! What a probe asks of the outside: one call of one tool, and what came back. Anything a tool itself says, errors
//! included, is an [`Observation`]; what kept the call from being made or answered is a [`Fault`].

use crate::contract::observation::ToolResult;
use crate::error::{ErrorCode, InputError};
use serde::Serialize;
use serde_json::{Map, Value};

/// Makes calls. An implementation makes exactly one underlying call a request, never repeats one by itself, and keeps
/// to its own policy, time and size before anything else.
pub trait Port {
    /// # Errors
    /// A [`Fault`] when no observation came of it.
    fn call(&mut self, request: &CallRequest) -> Result<Observation, Fault>;
}

/// A server that is probed over many calls: started when needed, and again when a call has ended it.
pub trait Server: Port {
    /// Make sure that the next call meets a server that runs.
    ///
    /// # Errors
    /// A fault of its start, which ends the probe; faults of a call are findings.
    fn ready(&mut self) -> Result<(), Fault>;

    /// What the server lists now, in the words of a captured listing.
    ///
    /// # Errors
    /// As for a capture.
    fn listing(&mut self) -> Result<String, Fault>;

    /// Whether it has announced that its tools are other ones.
    fn has_announced_changes(&self) -> bool;

    /// Whether the time for all calls together is over: no more is begun.
    fn is_over(&self) -> bool {
        false
    }
}

/// One call to make.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRequest {
    /// Which of the interfaces that a policy names (`logicalId` of a contract); free text otherwise.
    pub interface: String,
    /// The tool, as the server spells it.
    pub tool: String,
    pub arguments: Map<String, Value>,
    /// Whether the tool only reads, by its own word: such a call may be sent again where a server puts it off. Any other
    /// is sent once, whatever comes of it.
    pub is_read: bool,
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// `isError` of the result, or an error of the protocol instead of a result.
    pub is_error: bool,
    /// `structuredContent`, never the envelope around it.
    pub result: ToolResult,
    /// The whole answer as the server sent it: the `result` of `tools/call`, or the error object.
    pub envelope: Value,
    /// Whether the protocol itself answered with an error, and the tool said nothing.
    pub is_protocol_error: bool,
}

impl Observation {
    /// The observation of a `tools/call` result.
    #[must_use]
    pub fn of_result(envelope: Value) -> Observation {
        let is_error = envelope.get("isError") == Some(&Value::Bool(true));
        let result = match envelope.get("structuredContent") {
            Some(content) => ToolResult::Json(content.clone()),
            None => ToolResult::Absent,
        };
        Observation { is_error, result, envelope, is_protocol_error: false }
    }

    /// The observation of a JSON-RPC error: the error object is the result.
    #[must_use]
    pub fn of_error(error: Value) -> Observation {
        let result = ToolResult::Json(error.clone());
        Observation { is_error: true, result, envelope: error, is_protocol_error: true }
    }

    /// The text blocks of the answer, joined by line ends; empty where there are none.
    #[must_use]
    pub fn text(&self) -> String {
        self.text_blocks().unwrap_or_default()
    }

    /// The same; `None` where there are none.
    #[must_use]
    pub fn text_blocks(&self) -> Option<String> {
        let blocks = self.envelope.get("content").and_then(Value::as_array).into_iter().flatten();
        let texts: Vec<&str> = blocks.filter_map(|block| block.get("text")?.as_str()).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }
}

/// Why a call brought no observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultCode {
    /// The policy does not allow it; nothing was started or sent.
    ForbiddenTarget,
    /// The server cannot be started or reached, ended early, or does not speak the protocol.
    PortFailure,
    /// Over the time or a size that was given.
    BudgetExhausted,
    /// Ended from outside (Ctrl-C).
    Aborted,
    /// An answer belongs to no request, or to another one.
    PortContractViolation,
}

impl FaultCode {
    /// As reports print it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FaultCode::ForbiddenTarget => "forbidden-target",
            FaultCode::PortFailure => "port-failure",
            FaultCode::BudgetExhausted => "budget-exhausted",
            FaultCode::Aborted => "aborted",
            FaultCode::PortContractViolation => "port-contract-violation",
        }
    }

    /// The code of this name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<FaultCode> {
        use FaultCode::{Aborted, BudgetExhausted, ForbiddenTarget, PortContractViolation, PortFailure};
        let all = [ForbiddenTarget, PortFailure, BudgetExhausted, Aborted, PortContractViolation];
        all.into_iter().find(|code| code.name() == name)
    }
}

/// A fault with what a person should know of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{detail}")]
pub struct Fault {
    pub code: FaultCode,
    pub detail: String,
    /// What to do next.
    #[serde(skip)]
    pub help: Option<String>,
    /// The status by which HTTP refused the request, where it did: the server is there, and answers.
    #[serde(skip)]
    pub status: Option<u16>,
}

impl Fault {
    #[must_use]
    pub fn new(code: FaultCode, detail: impl Into<String>) -> Fault {
        Fault { code, detail: detail.into(), help: None, status: None }
    }

    /// As an error of the whole run.
    #[must_use]
    pub fn to_error(&self) -> InputError {
        let code = match self.code {
            FaultCode::ForbiddenTarget => ErrorCode::ForbiddenTarget,
            FaultCode::PortFailure => ErrorCode::PortFailure,
            FaultCode::BudgetExhausted => ErrorCode::BudgetExhausted,
            FaultCode::Aborted => ErrorCode::Aborted,
            FaultCode::PortContractViolation => ErrorCode::PortContractViolation,
        };
        let error = InputError::new(code, &self.detail);
        match &self.help {
            Some(help) => error.help(help),
            None => error,
        }
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Fault {
        self.help = Some(help.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_null_result_is_a_value() {
        let absent = Observation::of_result(json!({"content": []}));
        assert_eq!((absent.result, absent.is_error), (ToolResult::Absent, false));
        let null = Observation::of_result(json!({"structuredContent": null, "isError": true}));
        assert_eq!((null.result, null.is_error), (ToolResult::Json(Value::Null), true));
        let odd = Observation::of_result(json!({"isError": "true"}));
        assert!(!odd.is_error, "only `true` says so");
    }

    #[test]
    fn text_blocks_are_joined() {
        let content = json!([{"type": "text", "text": "a"}, {"type": "image", "data": ""}, {"type": "text", "text": "b"}]);
        assert_eq!(Observation::of_result(json!({"content": content})).text(), "a\nb");
        assert_eq!(Observation::of_error(json!({"code": -1, "message": "m"})).text(), "");
    }
}
