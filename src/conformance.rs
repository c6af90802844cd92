//! Is an adapter one that verdicts may rest on? Fourteen assertions over whatever implements [`Port`]: those of
//! eval-quality's certification for ports of the `mcp` kind (shared by all kinds: the first six).
//!
//! The adapter is tried against servers that a [`Bench`] provides, one fresh [`Subject`] for each assertion. The server
//! offers one tool, [`TOOL`], which takes [`ARGUMENT`], a string, and answers with `structuredContent` that holds the
//! same string under [`ECHO`] and the number of its characters under [`LENGTH`].
//!
//! Outside certification, as there: an error of the protocol as an observation, and the cap on standard error.

use crate::contract::observation::ToolResult;
use crate::probe::{CallRequest, Fault, FaultCode, Observation, Port};
use serde_json::{Map, Value};
use std::time::{Duration, Instant};

/// The interface that a subject's policy names, and the one tool that it lists.
pub const INTERFACE: &str = "conformance";
pub const TOOL: &str = "echo";
/// The tool's argument, and the members of its result.
pub const ARGUMENT: &str = "text";
pub const ECHO: &str = "echo";
pub const LENGTH: &str = "length";

/// How long an aborted call may take to come back.
pub const ABORT_BUDGET: Duration = Duration::from_secs(1);
/// How long a call whose elapsed cap is at most a second may take to come back.
pub const CAP_BUDGET: Duration = Duration::from_secs(10);

/// What the server behind a subject does with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scenario {
    /// It answers.
    Answers,
    /// It answers with the same result and `isError: true`.
    ToolError,
    /// It takes the call and ends, or drops the connection, without an answer.
    Dies,
    /// It answers with something that is no result of a call: `isError` is a text.
    Malformed,
    /// It never answers; the subject has half a minute at least.
    Hangs,
    /// It never answers; the subject's elapsed cap is a second at most.
    Slow,
    /// It sends more bytes than the subject's cap, and no answer before them.
    Floods,
}

/// An adapter under test, with its policy, over one server.
pub trait Subject: Port {
    /// Calls of tools that reached the server, counted there: not requests made of the adapter.
    fn underlying_calls(&self) -> usize;

    /// Whether the subject's own policy allows the call.
    fn allows(&self, interface: &str, tool: &str) -> bool;

    /// Make a call, and abort it after this time.
    ///
    /// # Errors
    /// The fault of the call.
    fn call_and_abort(&mut self, request: &CallRequest, after: Duration) -> Result<Observation, Fault>;
}

/// Provides fresh subjects.
pub trait Bench {
    fn subject(&self, scenario: Scenario) -> Box<dyn Subject + '_>;
}

/// What one assertion came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub assertion: &'static str,
    /// What is wrong; `None` where it holds.
    pub fault: Option<String>,
}

type Assertion = fn(&dyn Bench) -> Result<(), String>;

/// All assertions, in their order.
pub const ASSERTIONS: [(&str, Assertion); 14] = [
    ("typed-fault", typed_fault),
    ("one-call-on-success", one_call_on_success),
    ("one-call-on-failure", one_call_on_failure),
    ("abort-within-budget", abort_within_budget),
    ("invalid-response-refused", invalid_response_refused),
    ("valid-response-on-success", valid_response_on_success),
    ("authorized-call-observed", authorized_call_observed),
    ("tool-error-observed", tool_error_observed),
    ("unmapped-interface-denied", unmapped_interface_denied),
    ("unlisted-tool-denied", unlisted_tool_denied),
    ("arguments-byte-for-byte", arguments_byte_for_byte),
    ("declared-keys-carried", declared_keys_carried),
    ("elapsed-cap", elapsed_cap),
    ("byte-cap", byte_cap),
];

/// Try every assertion, each on a subject of its own.
#[must_use]
pub fn run(bench: &dyn Bench) -> Vec<Outcome> {
    ASSERTIONS.iter().map(|(assertion, check)| Outcome { assertion, fault: check(bench).err() }).collect()
}

/// Whether these are the outcomes of all fourteen, and all hold. A list that is short certifies nothing.
#[must_use]
pub fn is_certified(outcomes: &[Outcome]) -> bool {
    let names = ASSERTIONS.iter().map(|(name, _)| *name);
    outcomes.iter().map(|o| o.assertion).eq(names) && outcomes.iter().all(|o| o.fault.is_none())
}

fn request(text: &str) -> CallRequest {
    let arguments = Map::from_iter([(ARGUMENT.to_string(), Value::String(text.to_string()))]);
    CallRequest { interface: INTERFACE.to_string(), tool: TOOL.to_string(), arguments, is_read: false }
}

fn observed(result: Result<Observation, Fault>) -> Result<Observation, String> {
    result.map_err(|fault| {
        format!("a fault instead of an observation: {}: {}", fault.code.name(), fault.detail)
    })
}

fn faulted(result: Result<Observation, Fault>) -> Result<Fault, String> {
    match result {
        Err(fault) => Ok(fault),
        Ok(seen) => Err(format!("an observation instead of a fault: {}", seen.envelope)),
    }
}

fn expect(holds: bool, fault: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(fault()) }
}

fn has_code(fault: &Fault, code: FaultCode) -> Result<(), String> {
    expect(fault.code == code, || format!("the fault is {}, not {}", fault.code.name(), code.name()))
}

fn calls(subject: &dyn Subject, wanted: usize) -> Result<(), String> {
    let made = subject.underlying_calls();
    expect(made == wanted, || format!("{made} calls reached the server, not {wanted}"))
}

/// The members of the tool's own result.
fn members(seen: &Observation) -> Result<&Map<String, Value>, String> {
    match &seen.result {
        ToolResult::Json(Value::Object(members)) => Ok(members),
        other => Err(format!("the result is no object: {other:?}")),
    }
}

fn typed_fault(bench: &dyn Bench) -> Result<(), String> {
    let fault = faulted(bench.subject(Scenario::Dies).call(&request("a")))?;
    has_code(&fault, FaultCode::PortFailure)?;
    expect(!fault.detail.is_empty(), || "the fault says nothing".to_string())
}

fn one_call_on_success(bench: &dyn Bench) -> Result<(), String> {
    let mut subject = bench.subject(Scenario::Answers);
    observed(subject.call(&request("a")))?;
    calls(subject.as_ref(), 1)
}

fn one_call_on_failure(bench: &dyn Bench) -> Result<(), String> {
    let mut subject = bench.subject(Scenario::Dies);
    faulted(subject.call(&request("a")))?;
    calls(subject.as_ref(), 1)
}

fn abort_within_budget(bench: &dyn Bench) -> Result<(), String> {
    let after = Duration::from_millis(200);
    let start = Instant::now();
    let fault = faulted(bench.subject(Scenario::Hangs).call_and_abort(&request("a"), after))?;
    let late = start.elapsed().saturating_sub(after);
    has_code(&fault, FaultCode::Aborted)?;
    expect(late <= ABORT_BUDGET, || format!("it came back {} ms after the abort", late.as_millis()))
}

fn invalid_response_refused(bench: &dyn Bench) -> Result<(), String> {
    faulted(bench.subject(Scenario::Malformed).call(&request("a"))).map(drop)
}

fn valid_response_on_success(bench: &dyn Bench) -> Result<(), String> {
    let seen = observed(bench.subject(Scenario::Answers).call(&request("a")))?;
    expect(!seen.is_error && !seen.is_protocol_error, || "a success is observed as an error".to_string())?;
    members(&seen).map(drop)
}

fn authorized_call_observed(bench: &dyn Bench) -> Result<(), String> {
    let mut subject = bench.subject(Scenario::Answers);
    expect(subject.allows(INTERFACE, TOOL), || "the subject's policy does not allow the call".to_string())?;
    let seen = observed(subject.call(&request("seen")))?;
    let echo = members(&seen)?.get(ECHO);
    expect(echo.and_then(Value::as_str) == Some("seen"), || format!("`{ECHO}` is {echo:?}"))?;
    calls(subject.as_ref(), 1)
}

fn tool_error_observed(bench: &dyn Bench) -> Result<(), String> {
    let seen = observed(bench.subject(Scenario::ToolError).call(&request("kept")))?;
    expect(seen.is_error, || "the tool's error is observed as a success".to_string())?;
    let echo = members(&seen)?.get(ECHO);
    expect(echo.and_then(Value::as_str) == Some("kept"), || {
        format!("the error's result is lost: `{ECHO}` is {echo:?}")
    })
}

/// A call that the subject's own policy must not allow: a subject that is set up otherwise proves nothing.
fn denied(bench: &dyn Bench, interface: &str, tool: &str) -> Result<(), String> {
    let mut subject = bench.subject(Scenario::Answers);
    expect(subject.allows(INTERFACE, TOOL), || "the subject's policy allows nothing".to_string())?;
    expect(!subject.allows(interface, tool), || {
        "the subject's policy allows what is to be denied".to_string()
    })?;
    let call = CallRequest { interface: interface.to_string(), tool: tool.to_string(), ..request("a") };
    let fault = faulted(subject.call(&call))?;
    has_code(&fault, FaultCode::ForbiddenTarget)?;
    calls(subject.as_ref(), 0)
}

fn unmapped_interface_denied(bench: &dyn Bench) -> Result<(), String> {
    denied(bench, "unmapped", TOOL)
}

fn unlisted_tool_denied(bench: &dyn Bench) -> Result<(), String> {
    denied(bench, INTERFACE, "unlisted")
}

/// What shells, command lines, line framing, JSON and HTTP each have a use for.
const METACHARACTERS: &str = "$(id) `id` ${HOME} ; && || | > < * ? ~ # % ! \"a\" 'b' \\ \\n --flag\t\r\n\u{1b}\u{0}\u{2028} é \u{1F600} </x>";

fn arguments_byte_for_byte(bench: &dyn Bench) -> Result<(), String> {
    let seen = observed(bench.subject(Scenario::Answers).call(&request(METACHARACTERS)))?;
    let echo = members(&seen)?.get(ECHO).and_then(Value::as_str);
    expect(echo == Some(METACHARACTERS), || format!("sent {METACHARACTERS:?}, echoed {echo:?}"))
}

fn declared_keys_carried(bench: &dyn Bench) -> Result<(), String> {
    let seen = observed(bench.subject(Scenario::Answers).call(&request("abc")))?;
    let members = members(&seen)?;
    for key in [ECHO, LENGTH] {
        expect(members.contains_key(key), || format!("`{key}` is not in the result"))?;
    }
    let length = members.get(LENGTH);
    expect(length.and_then(Value::as_u64) == Some(3), || format!("`{LENGTH}` is {length:?}, not 3"))
}

fn elapsed_cap(bench: &dyn Bench) -> Result<(), String> {
    let start = Instant::now();
    let fault = faulted(bench.subject(Scenario::Slow).call(&request("a")))?;
    has_code(&fault, FaultCode::BudgetExhausted)?;
    let took = start.elapsed();
    expect(took <= CAP_BUDGET, || format!("it came back after {} ms", took.as_millis()))
}

fn byte_cap(bench: &dyn Bench) -> Result<(), String> {
    let fault = faulted(bench.subject(Scenario::Floods).call(&request("a")))?;
    has_code(&fault, FaultCode::BudgetExhausted)
}
