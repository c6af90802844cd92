//! One conversation with one server: opened by `initialize` (or `server/discover`), then requests, each with its answer.

use super::budget::{Abort, Budget};
use super::message::{self, Answer, Incoming, Outgoing, Refusal, RpcError};
use super::raw::Raw;
use super::secrets::Secrets;
use super::target::{Limits, Target};
use super::{http, stdio};
use crate::error::cut;
use crate::manifest::Revision;
use crate::probe::{CallRequest, Fault, FaultCode, Observation};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Values of one result, at most.
const MOST_VALUES: usize = 1_000_000;

/// What carries messages.
pub(super) trait Transport {
    /// Send a message; `revision` as far as it is agreed.
    fn send(&mut self, message: &Outgoing, revision: Option<Revision>, budget: &Budget) -> Result<(), Fault>;
    /// The next thing that comes in.
    fn receive(&mut self, budget: &Budget) -> Result<Frame, Fault>;
    /// Begin to count what comes in anew.
    fn renew(&mut self);
    /// Whether the server had given this conversation an id, which is forgotten now.
    fn forget_session(&mut self) -> bool {
        false
    }
    /// Say good-bye, quickly. What is left is ended by dropping the transport.
    fn close(&mut self);
    /// The end of what the server logged.
    fn log_tail(&self) -> String;
    /// What to do about a text that is no message.
    fn advice(&self) -> &'static str;
}

/// What came in.
#[derive(Debug)]
pub(super) enum Frame {
    /// A message, or a batch of them: JSON as far as the transport knows.
    Message(String),
    /// HTTP said no to the request, and what it said.
    Refused(Refusal, String),
}

/// What came of a request.
enum Heard {
    Answer(Answer),
    /// The session that it was asked in is not known to the server any more.
    SessionLost,
}

/// An open session. Dropped, it is closed, and a process that was started for it is killed with its children.
pub struct Session {
    transport: Box<dyn Transport>,
    budget: Budget,
    next_id: u64,
    /// The revision to offer, and whether no other will do.
    wanted: Option<Revision>,
    is_exact: bool,
    hello: Hello,
    secrets: Secrets,
    list_changed: bool,
    refusal: Option<Refusal>,
}

/// How the server presented itself.
#[derive(Debug, Clone)]
pub struct Hello {
    pub revision: Revision,
    /// Name and version of `serverInfo`, where stated.
    pub name: Option<String>,
    pub version: Option<String>,
    /// The result of `initialize` or `server/discover`, as it was sent.
    pub(super) raw: String,
    /// From 2026-07-28 on there is no `initialize`.
    pub(super) is_discovered: bool,
    capabilities: Value,
}

impl Hello {
    /// Whether the server declares this capability (`prompts`).
    #[must_use]
    pub fn can(&self, capability: &str) -> bool {
        self.capabilities.get(capability).is_some()
    }

    fn new(raw: String, revision: Revision, is_discovered: bool) -> Hello {
        let (info, capabilities) = {
            let result = Raw::parse(&raw);
            let member = |name: &str| result.and_then(|r| r.member(name));
            let in_meta = || member("_meta").and_then(|m| m.member("io.modelcontextprotocol/serverInfo"));
            let info = member("serverInfo").or_else(in_meta).and_then(Raw::value).unwrap_or_default();
            (info, member("capabilities").and_then(Raw::value).unwrap_or_default())
        };
        let text = |name: &str| info.get(name).and_then(Value::as_str).map(str::to_string);
        Hello { revision, name: text("name"), version: text("version"), raw, is_discovered, capabilities }
    }
}

impl Session {
    /// Start or reach `target` and agree on a revision of the protocol.
    ///
    /// # Errors
    /// A fault, and nothing is left running.
    pub fn open(target: &Target, limits: &Limits) -> Result<Session, Fault> {
        let budget = Budget::start(limits.elapsed, limits.abort);
        let transport: Box<dyn Transport> = match target {
            Target::Command(command) => Box::new(stdio::start(command, limits)?),
            Target::Endpoint(endpoint) => Box::new(http::reach(endpoint, limits)?),
        };
        let hello = Hello::new(String::new(), Revision::NEWEST, false);
        let secrets = target.secrets();
        let mut session = Session {
            transport,
            budget,
            next_id: 1,
            wanted: limits.revision,
            is_exact: limits.is_exact,
            hello,
            secrets,
            list_changed: false,
            refusal: None,
        };
        let greeted = session.greet();
        session.hello = greeted.map_err(|fault| session.secrets.hidden_in(fault))?;
        Ok(session)
    }

    /// What no output may show of this session.
    pub(super) fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    #[must_use]
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Whether the server has said since that its tools are other ones.
    #[must_use]
    pub fn list_changed(&self) -> bool {
        self.list_changed
    }

    /// Most servers know `initialize`; those of 2026-07-28 alone refuse it and are asked to present themselves.
    fn greet(&mut self) -> Result<Hello, Fault> {
        let wanted = self.wanted;
        if wanted.is_some_and(|w| w >= Revision::V2026_07_28) {
            return self.discover()?.map_err(|e| refused("server/discover", &e));
        }
        let offered = wanted.unwrap_or(Revision::V2025_11_25);
        let raw = match self.exchange("initialize", message::initialize(offered), None)? {
            Answer::Result(raw) => raw,
            Answer::Error(error) if wanted.is_some() || error.wants_token() => {
                return Err(refused("initialize", &error));
            }
            Answer::Error(error) => {
                let discovered = self.discover();
                // The first refusal says more than what comes after it.
                return discovered.ok().and_then(Result::ok).ok_or_else(|| refused("initialize", &error));
            }
        };
        let stated = Raw::parse(&raw).and_then(|r| r.member("protocolVersion")).and_then(Raw::string);
        let revision = stated.as_deref().and_then(Revision::parse).filter(|r| *r < Revision::V2026_07_28);
        let Some(revision) = revision else {
            let stated = stated.map_or("no version".to_string(), |v| format!("version {}", cut(&v)));
            let detail = format!(
                "the server answers initialize (offered {}) with {stated} of the protocol, which verity does not know",
                offered.as_str()
            );
            return Err(Fault::new(FaultCode::PortFailure, detail));
        };
        if self.is_exact && revision != offered {
            let (theirs, ours) = (revision.as_str(), offered.as_str());
            let detail =
                format!("the server answers with revision {theirs} of the protocol; {ours} is asked for");
            return Err(Fault::new(FaultCode::PortFailure, detail)
                .help("Leave --protocol out to take what it speaks."));
        }
        let hello = Hello::new(raw, revision, false);
        let initialized = Outgoing::notification("notifications/initialized");
        self.transport.send(&initialized, Some(revision), &self.budget)?;
        Ok(hello)
    }

    fn discover(&mut self) -> Result<Result<Hello, RpcError>, Fault> {
        let revision = Revision::V2026_07_28;
        let params = message::params(Map::new(), revision);
        let raw = match self.exchange("server/discover", params, Some(revision))? {
            Answer::Result(raw) => raw,
            Answer::Error(error) => return Ok(Err(error)),
        };
        let versions = Raw::parse(&raw).and_then(|r| r.member("supportedVersions")).and_then(Raw::elements);
        let mut versions = versions.unwrap_or_default().into_iter().filter_map(Raw::string);
        if !versions.any(|v| v == revision.as_str()) {
            let detail =
                format!("the server does not support revision {} of the protocol", revision.as_str());
            return Err(Fault::new(FaultCode::PortFailure, detail));
        }
        Ok(Ok(Hello::new(raw, revision, true)))
    }

    /// Ask, in the words of the agreed revision. A server that has lost the session has not looked at the request: it is
    /// asked again in a new session, once ("Session Management" of Streamable HTTP), unless it `is_sent_once`.
    pub(super) fn ask(
        &mut self,
        method: &str,
        params: Map<String, Value>,
        is_sent_once: bool,
    ) -> Result<Answer, Fault> {
        let revision = self.hello.revision;
        if let Heard::Answer(answer) =
            self.hear(method, message::params(params.clone(), revision), Some(revision))?
        {
            return Ok(answer);
        }
        if is_sent_once {
            let detail = "the server has lost the session (404), and a call that may change something is not sent again";
            return Err(Fault { status: Some(404), ..Fault::new(FaultCode::PortFailure, detail) });
        }
        self.hello = self.greet()?;
        let revision = self.hello.revision;
        self.exchange(method, message::params(params, revision), Some(revision))
    }

    /// Give what comes next this much time, and as many bytes as there were at the start.
    pub(super) fn renew(&mut self, elapsed: Duration, abort: Abort) {
        self.budget = Budget::start(elapsed, abort);
        self.transport.renew();
    }

    /// Call a tool, once.
    ///
    /// # Errors
    /// A fault where no answer came; whatever the tool or the protocol answers is an observation.
    pub fn call(&mut self, request: &CallRequest) -> Result<Observation, Fault> {
        self.try_call(request).map_err(|fault| self.secrets.hidden_in(fault))
    }

    /// How HTTP refused the last call, where it did.
    pub(super) fn refusal(&self) -> Option<Refusal> {
        self.refusal
    }

    fn try_call(&mut self, request: &CallRequest) -> Result<Observation, Fault> {
        let tool = request.tool.as_str();
        self.refusal = None;
        let mut params = Map::new();
        params.insert("name".to_string(), json!(tool));
        params.insert("arguments".to_string(), Value::Object(request.arguments.clone()));
        match self.ask("tools/call", params, !request.is_read)? {
            // Ten times as much memory as text: that is where a short answer would still be too much.
            Answer::Result(raw)
                if raw.bytes().filter(|b| matches!(b, b',' | b'[' | b'{')).count() > MOST_VALUES =>
            {
                let detail = format!("the answer of {} holds more than {MOST_VALUES} values", cut(tool));
                Err(Fault::new(FaultCode::BudgetExhausted, detail))
            }
            Answer::Result(raw) => match Raw::parse(&raw).and_then(Raw::value) {
                Some(result) => Ok(Observation::of_result(result)),
                None => {
                    let detail =
                        format!("the answer of {} holds text or nesting that no reader takes", cut(tool));
                    Err(Fault::new(FaultCode::PortFailure, detail))
                }
            },
            Answer::Error(error) if error.refusal.is_some() => {
                self.refusal = error.refusal;
                Err(refused("tools/call", &error))
            }
            Answer::Error(error) => Ok(Observation::of_error(error.value)),
        }
    }

    /// Send a request and wait for its answer; what else comes in is answered or passed over.
    fn exchange(&mut self, method: &str, params: Value, revision: Option<Revision>) -> Result<Answer, Fault> {
        Ok(match self.hear(method, params, revision)? {
            Heard::Answer(answer) => answer,
            Heard::SessionLost => {
                let refusal = Refusal { status: 404, wait: None };
                Answer::Error(RpcError::of_http(refusal, "the session is not known (any more)"))
            }
        })
    }

    fn hear(&mut self, method: &str, params: Value, revision: Option<Revision>) -> Result<Heard, Fault> {
        let result = self.try_hear(method, params, revision);
        result.map_err(|fault| self.explained(fault))
    }

    fn try_hear(&mut self, method: &str, params: Value, revision: Option<Revision>) -> Result<Heard, Fault> {
        let id = self.next_id;
        self.next_id += 1;
        self.transport.send(&Outgoing::request(id, method, params), revision, &self.budget)?;
        loop {
            let text = match self.transport.receive(&self.budget)? {
                Frame::Message(text) => text,
                Frame::Refused(refusal, _) if refusal.status == 404 && self.transport.forget_session() => {
                    return Ok(Heard::SessionLost);
                }
                Frame::Refused(refusal, text) => {
                    return Ok(Heard::Answer(Answer::Error(RpcError::of_http(refusal, &text))));
                }
            };
            let Some(frame) = Raw::parse(&text) else {
                let detail = format!("the server sent what is no JSON-RPC message: {}", cut(text.trim()));
                return Err(Fault::new(FaultCode::PortFailure, detail).help(self.transport.advice()));
            };
            for message in message::batch(frame) {
                match message::read(message, id) {
                    Incoming::Answer(answer) => return Ok(Heard::Answer(answer)),
                    Incoming::Request(said) => self.transport.send(&said, revision, &self.budget)?,
                    Incoming::ListChanged => self.list_changed = true,
                    Incoming::Other => {}
                }
            }
        }
    }

    /// The fault with the last line of the server's log, and without anything that is secret.
    fn explained(&self, mut fault: Fault) -> Fault {
        if fault.code == FaultCode::PortFailure {
            let log = self.transport.log_tail();
            if let Some(last) = log.lines().rev().find(|line| !line.trim().is_empty()) {
                fault.detail = format!("{}; its log ends: {}", fault.detail, cut(last.trim()));
            }
        }
        self.secrets.hidden_in(fault)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.transport.close();
    }
}

/// The fault for a request that the server answers with an error and without which nothing goes on.
pub(super) fn refused(method: &str, error: &RpcError) -> Fault {
    let status = error.refusal.map(|refusal| refusal.status);
    let fault = match status {
        Some(status) => {
            let said =
                if error.message.is_empty() { String::new() } else { format!(": {}", cut(&error.message)) };
            let detail = format!("the server answers {method} with HTTP status {status}{said}");
            Fault { status: Some(status), ..Fault::new(FaultCode::PortFailure, detail) }
        }
        None => {
            let detail = format!(
                "the server answers {method} with an error: {} (code {})",
                cut(&error.message),
                error.code
            );
            Fault::new(FaultCode::PortFailure, detail)
        }
    };
    match status {
        Some(401 | 403) => fault.help("Name the variable that holds the token: --token-env NAME"),
        Some(404 | 405) => {
            fault.help("Give the address of the Streamable HTTP endpoint; it often ends in /mcp. (HTTP+SSE is not spoken.)")
        }
        _ => fault,
    }
}
