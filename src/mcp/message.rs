//! JSON-RPC messages: those that are sent, and what kind one that came in is.

use super::raw::Raw;
use crate::manifest::Revision;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// A message to the server.
#[derive(Debug, Clone)]
pub(super) struct Outgoing {
    /// For a request; notifications and answers have none that an answer would name.
    pub id: Option<u64>,
    pub method: Option<String>,
    /// The tool of a call, for the headers of 2026-07-28.
    pub name: Option<String>,
    pub text: String,
}

impl Outgoing {
    pub fn request(id: u64, method: &str, params: Value) -> Outgoing {
        let name = params.get("name").and_then(Value::as_str).map(str::to_string);
        let text = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string();
        Outgoing { id: Some(id), method: Some(method.to_string()), name, text }
    }

    pub fn notification(method: &str) -> Outgoing {
        let text = json!({"jsonrpc": "2.0", "method": method}).to_string();
        Outgoing { id: None, method: Some(method.to_string()), name: None, text }
    }

    /// The answer to a request of the server: it may ask whether we live, and nothing else.
    fn answer(id: Raw<'_>, method: &str) -> Outgoing {
        let body = match method {
            "ping" => "\"result\":{}".to_string(),
            _ => "\"error\":{\"code\":-32601,\"message\":\"Method not found\"}".to_string(),
        };
        let text = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},{body}}}", id.text());
        Outgoing { id: None, method: None, name: None, text }
    }
}

/// What the server says to a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answer {
    /// The `result`, as it was sent.
    Result(String),
    Error(RpcError),
}

/// An error of the protocol.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RpcError {
    pub code: i64,
    pub message: String,
    /// The whole error object.
    pub value: Value,
    /// How HTTP said no, where it did and there is no JSON-RPC error, or the refusal is not about the request.
    pub refusal: Option<Refusal>,
}

/// HTTP said no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refusal {
    pub status: u16,
    /// After which time to ask again (`Retry-After`).
    pub wait: Option<Duration>,
}

impl Refusal {
    /// Whether asking otherwise is of no use before there is a (better) token.
    pub fn wants_token(self) -> bool {
        matches!(self.status, 401 | 403)
    }

    /// Whether the same request may be made later: it was not looked at.
    pub fn is_for_now(self) -> bool {
        self.status == 429
    }
}

/// What came in, seen by somebody who waits for the answer to `id`.
#[derive(Debug)]
pub(super) enum Incoming {
    Answer(Answer),
    /// A request of the server, with what to say to it.
    Request(Outgoing),
    /// The listing is not what it was.
    ListChanged,
    /// A notification, or an answer to nothing that was asked.
    Other,
}

/// What a server says when a list is not what it was.
const LISTS: [&str; 3] = [
    "notifications/tools/list_changed",
    "notifications/prompts/list_changed",
    "notifications/resources/list_changed",
];

/// Take apart what came in. A batch (2025-03-26) is several messages: see [`batch`].
pub(super) fn read(message: Raw<'_>, id: u64) -> Incoming {
    // Taken apart once: an answer may be all that a session may send.
    let members = message.members();
    let member = |name: &str| members.iter().rev().find(|(key, _)| key == name).map(|(_, value)| *value);
    if let Some(method) = member("method") {
        let method = method.string().unwrap_or_default();
        return match member("id").filter(|id| !id.is_null()) {
            Some(id) => Incoming::Request(Outgoing::answer(id, &method)),
            None if LISTS.contains(&method.as_str()) => Incoming::ListChanged,
            None => Incoming::Other,
        };
    }
    // Compared as text: some servers send a number back as a string.
    let sent = member("id").map(|id| id.string().unwrap_or_else(|| id.text().to_string()));
    if sent.as_deref() != Some(id.to_string().as_str()) {
        return Incoming::Other;
    }
    // A null beside a result is what careless servers write for "no error".
    match (member("error").filter(|e| !e.is_null()), member("result")) {
        (Some(error), _) => Incoming::Answer(Answer::Error(RpcError::read(error))),
        (None, Some(result)) => Incoming::Answer(Answer::Result(result.text().to_string())),
        (None, None) => Incoming::Other,
    }
}

/// Whether a frame answers the request of this id.
pub(super) fn answers(frame: &[u8], id: u64) -> bool {
    let Some(frame) = std::str::from_utf8(frame).ok().and_then(Raw::parse) else { return false };
    batch(frame).into_iter().any(|message| matches!(read(message, id), Incoming::Answer(_)))
}

/// The messages of one frame.
pub(super) fn batch(frame: Raw<'_>) -> Vec<Raw<'_>> {
    frame.elements().unwrap_or_else(|| vec![frame])
}

impl RpcError {
    fn read(error: Raw<'_>) -> RpcError {
        let value = error.value().unwrap_or_else(|| Value::String(error.text().to_string()));
        RpcError {
            code: value.get("code").and_then(Value::as_i64).unwrap_or_default(),
            // Some servers send a text where an object is to be.
            message: value.get("message").unwrap_or(&value).as_str().unwrap_or("no message").to_string(),
            value,
            refusal: None,
        }
    }

    /// What HTTP says no with: an error of JSON-RPC, whatever its id (2026-07-28), or a page.
    pub fn of_http(refusal: Refusal, body: &str) -> RpcError {
        match Raw::parse(body)
            .and_then(|body| body.member("error"))
            .filter(|error| error.text().starts_with('{'))
        {
            Some(error) if !refusal.wants_token() && !refusal.is_for_now() => RpcError::read(error),
            _ => {
                let first = body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
                let message = if first.trim_start().starts_with('<') { "" } else { first.trim() };
                RpcError { code: 0, message: message.to_string(), value: Value::Null, refusal: Some(refusal) }
            }
        }
    }

    /// Whether asking otherwise is of no use before there is a (better) token.
    pub fn wants_token(&self) -> bool {
        self.refusal.is_some_and(Refusal::wants_token)
    }
}

/// Who asks.
fn client_info() -> Value {
    json!({"name": "verity", "version": env!("CARGO_PKG_VERSION")})
}

/// Parameters of `initialize`. No capability is declared: nothing can be asked back.
pub(super) fn initialize(revision: Revision) -> Value {
    json!({"protocolVersion": revision.as_str(), "capabilities": {}, "clientInfo": client_info()})
}

/// `params` as a revision wants them: from 2026-07-28 on every request says who asks, and in which revision.
pub(super) fn params(mut params: Map<String, Value>, revision: Revision) -> Value {
    if revision >= Revision::V2026_07_28 {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": revision.as_str(),
            "io.modelcontextprotocol/clientInfo": client_info(),
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        params.insert("_meta".to_string(), meta);
    }
    Value::Object(params)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn incoming(text: &str, id: u64) -> Incoming {
        read(Raw::parse(text).unwrap(), id)
    }

    #[test]
    fn answers_are_known_by_their_id() {
        for text in [r#"{"id":7,"result":{"a":1}}"#, r#"{"result":{"a":1},"error":null,"id":"7"}"#] {
            let Incoming::Answer(Answer::Result(result)) = incoming(text, 7) else { panic!("{text}") };
            assert_eq!(result, r#"{"a":1}"#);
        }
        for text in
            [r#"{"id":8,"result":{}}"#, r#"{"result":{}}"#, r#"{"id":null,"result":{}}"#, r#"{"id":7}"#, "3"]
        {
            assert!(matches!(incoming(text, 7), Incoming::Other), "{text}");
        }
        let text = r#"{"id":7,"error":{"code":-32602,"message":"no"},"result":{}}"#;
        let Incoming::Answer(Answer::Error(error)) = incoming(text, 7) else { panic!() };
        assert_eq!((error.code, error.message.as_str()), (-32602, "no"));
        for (text, said) in
            [(r#"{"id":7,"error":"not today"}"#, "not today"), (r#"{"id":7,"error":[]}"#, "no message")]
        {
            let Incoming::Answer(Answer::Error(error)) = incoming(text, 7) else { panic!("{text}") };
            assert_eq!(error.message, said);
        }
    }

    #[test]
    fn a_server_may_ask_whether_we_live() {
        let Incoming::Request(ping) = incoming(r#"{"id":"x\"","method":"ping"}"#, 1) else { panic!() };
        assert_eq!(ping.text, r#"{"jsonrpc":"2.0","id":"x\"","result":{}}"#);
        let Incoming::Request(other) = incoming(r#"{"id":1,"method":"sampling/createMessage"}"#, 1) else {
            panic!()
        };
        assert!(other.text.contains("-32601"));
        assert!(matches!(
            incoming(r#"{"method":"notifications/tools/list_changed"}"#, 1),
            Incoming::ListChanged
        ));
    }

    #[test]
    fn the_newest_revision_says_itself_in_every_request() {
        let old = params(Map::new(), Revision::V2025_11_25);
        assert_eq!(old, json!({}));
        let new = params(Map::new(), Revision::V2026_07_28);
        assert_eq!(new["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        assert_eq!(new["_meta"]["io.modelcontextprotocol/clientCapabilities"], json!({}));
    }
}
