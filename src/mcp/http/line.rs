//! Requests over HTTP, each on a thread of its own, and what comes back.

use super::super::budget::Budget;
use super::super::message::{self, Outgoing, Refusal};
use super::super::sse::Events;
use crate::error::cut;
use crate::manifest::Revision;
use crate::probe::{Fault, FaultCode};
use base64::Engine;
use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use ureq::http::Response;
use ureq::{Agent, Body, RequestBuilder};

/// How long to wait before a stream is asked to go on, where the server does not say it.
const RETRY: Duration = Duration::from_millis(500);

pub(super) enum Event {
    Message(Vec<u8>),
    Refused(Refusal, String),
    Fault(Fault),
}

/// What every request shares.
#[derive(Clone)]
pub(super) struct Line {
    pub agent: Agent,
    pub url: String,
    pub token: Option<String>,
    /// `Mcp-Session-Id`, once the server has given one.
    pub session: Arc<Mutex<Option<String>>>,
    pub received: Arc<AtomicUsize>,
    pub most: usize,
}

/// How the answer to a request ended.
enum End {
    Whole,
    /// Before there was an answer; the stream can be gone on with after this event.
    GoesOn {
        after: String,
        wait: Duration,
    },
}

impl Line {
    pub fn session_id(&self) -> Option<String> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Send one message and hand on everything that comes back.
    pub fn post(
        &self,
        message: &Outgoing,
        revision: Option<Revision>,
        budget: &Budget,
        events: &SyncSender<Event>,
    ) {
        if let Err(fault) = self.try_post(message, revision, budget, events) {
            let _ = events.send(Event::Fault(fault)); // nobody listens where the session has ended
        }
    }

    fn try_post(
        &self,
        message: &Outgoing,
        revision: Option<Revision>,
        budget: &Budget,
        events: &SyncSender<Event>,
    ) -> Result<(), Fault> {
        let request = self.agent.post(&self.url).header("Content-Type", "application/json");
        let request = self.with_headers(request, message, revision).config();
        let answer = request.timeout_global(Some(budget.left()?)).build().send(message.text.as_str());
        let mut end = self.take(answer.map_err(|e| said_by_ureq(&e))?, message, events)?;
        // A server may close a stream before it has answered, and go on with it where it is asked to (2025-11-25).
        while let End::GoesOn { after, wait } = end {
            std::thread::sleep(wait.min(budget.left()?));
            let request = self.with_headers(self.agent.get(&self.url), message, revision);
            let request = request.header("Last-Event-ID", after).config();
            let answer = request.timeout_global(Some(budget.left()?)).build().call();
            let answer = answer.map_err(|e| said_by_ureq(&e))?;
            if !answer.status().is_success() {
                break; // it does not go on, then: the stream ended without an answer
            }
            end = self.take(answer, message, events)?;
        }
        Ok(())
    }

    fn with_headers<B>(
        &self,
        mut request: RequestBuilder<B>,
        message: &Outgoing,
        revision: Option<Revision>,
    ) -> RequestBuilder<B> {
        request = request.header("Accept", "application/json, text/event-stream");
        if let Some(revision) = revision {
            request = request.header("MCP-Protocol-Version", revision.as_str());
        }
        // Since 2026-07-28 what is asked stands in the headers, too.
        if revision.is_some_and(|r| r >= Revision::V2026_07_28) {
            let of_call = message.name.iter().map(|name| ("Mcp-Name", header_value(name)));
            let of_method = message.method.iter().map(|method| ("Mcp-Method", method.clone()));
            for (name, value) in of_method.chain(of_call) {
                request = request.header(name, value);
            }
        }
        if let Some(id) = self.session_id() {
            request = request.header("Mcp-Session-Id", id);
        }
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        request
    }

    fn take(
        &self,
        answer: Response<Body>,
        message: &Outgoing,
        events: &SyncSender<Event>,
    ) -> Result<End, Fault> {
        let status = answer.status().as_u16();
        let header =
            |name: &str| answer.headers().get(name).and_then(|v| v.to_str().ok()).map(str::to_string);
        if matches!(status, 301 | 302 | 303 | 307 | 308) {
            let to = header("location").map_or(String::new(), |to| format!(" to {}", cut(&to)));
            return Err(Fault::new(
                FaultCode::ForbiddenTarget,
                format!("the server redirects{to}; that is not followed"),
            )
            .help("If you trust that address, name it with --url."));
        }
        if message.method.as_deref() == Some("initialize")
            && let Some(id) = header("mcp-session-id")
        {
            *self.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(id);
        }
        // In seconds; a date would need a clock that agrees with the server's.
        let wait = header("retry-after").and_then(|text| text.trim().parse().ok()).map(Duration::from_secs);
        let kind = header("content-type").unwrap_or_default().to_ascii_lowercase();
        let mut body = answer.into_body().into_reader();
        if !(200..300).contains(&status) {
            let text = String::from_utf8_lossy(&self.read_all(&mut body)?).into_owned();
            let _ = events.send(Event::Refused(Refusal { status, wait }, text));
        } else if kind.starts_with("text/event-stream") {
            return self.stream(body, message, events);
        } else if message.id.is_some() {
            let whole = self.read_all(&mut body)?;
            if whole.iter().all(u8::is_ascii_whitespace) {
                let detail =
                    format!("the server answers a request with HTTP status {status} and nothing else");
                return Err(Fault::new(FaultCode::PortFailure, detail));
            }
            if !kind.starts_with("application/json") && is_no_json(&whole) {
                let kind = if kind.is_empty() { "no content type" } else { &kind };
                let detail = format!("the server answers with {}, which is no JSON-RPC message", cut(kind));
                return Err(Fault::new(FaultCode::PortFailure, detail)
                    .help("Give the address of the Streamable HTTP endpoint; it often ends in /mcp."));
            }
            let _ = events.send(Event::Message(whole));
        }
        Ok(End::Whole)
    }

    fn read_all(&self, body: &mut impl Read) -> Result<Vec<u8>, Fault> {
        let mut all = Vec::new();
        while let Some(piece) = self.read(body)? {
            all.extend_from_slice(&piece);
        }
        Ok(all)
    }

    fn stream(
        &self,
        mut body: impl Read,
        message: &Outgoing,
        events: &SyncSender<Event>,
    ) -> Result<End, Fault> {
        let mut parser = Events::default();
        let mut is_answered = message.id.is_none();
        let mut hand_on = |data: Vec<u8>| {
            is_answered |= message.id.is_some_and(|id| message::answers(&data, id));
            events.send(Event::Message(data)).is_ok()
        };
        while let Some(piece) = self.read(&mut body)? {
            for data in parser.feed(&piece) {
                if !hand_on(data) {
                    return Ok(End::Whole); // the answer is there: whether the stream ever ends is nobody's business
                }
            }
        }
        let (after, wait) = (parser.last_id(), parser.retry());
        if let Some(data) = parser.end() {
            hand_on(data);
        }
        Ok(match after {
            Some(after) if !is_answered => End::GoesOn { after, wait: wait.unwrap_or(RETRY) },
            _ => End::Whole,
        })
    }

    /// The next piece; `None` at the end. All answers within one budget count together.
    fn read(&self, body: &mut impl Read) -> Result<Option<Vec<u8>>, Fault> {
        let mut piece = vec![0; 16 << 10];
        let n = body.read(&mut piece).map_err(|e| {
            match e.get_ref().and_then(|e| e.downcast_ref::<ureq::Error>()) {
                Some(e) => said_by_ureq(e),
                None => Fault::new(FaultCode::PortFailure, format!("the server's answer breaks off: {e}")),
            }
        })?;
        if self.received.fetch_add(n, Ordering::Relaxed) + n > self.most {
            return Err(Fault::new(
                FaultCode::BudgetExhausted,
                "the server answers with more bytes than it may",
            )
            .help("If so much is right, allow it with --max-bytes."));
        }
        piece.truncate(n);
        Ok((n > 0).then_some(piece))
    }
}

fn is_no_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_err()
}

/// A text as a header may carry it (2026-07-28, "Value Encoding").
fn header_value(text: &str) -> String {
    let is_plain = text.bytes().all(|b| matches!(b, 0x20..=0x7e))
        && text.trim() == text
        && !text.starts_with("=?base64?");
    match is_plain {
        true => text.to_string(),
        false => format!("=?base64?{}?=", base64::engine::general_purpose::STANDARD.encode(text)),
    }
}

fn said_by_ureq(e: &ureq::Error) -> Fault {
    match e {
        ureq::Error::Timeout(_) => {
            Fault::new(FaultCode::BudgetExhausted, "the server did not answer in time")
                .help("Give it more time with --timeout SECONDS.")
        }
        ureq::Error::HostNotFound => Fault::new(FaultCode::PortFailure, "there is no host of that name"),
        ureq::Error::Io(e) if e.kind() == std::io::ErrorKind::ConnectionRefused => {
            Fault::new(FaultCode::PortFailure, "nothing listens at that address (connection refused)")
        }
        ureq::Error::Protocol(e) => Fault::new(
            FaultCode::PortFailure,
            format!("what the server answers is no HTTP: {}", cut(&e.to_string())),
        ),
        e => Fault::new(
            FaultCode::PortFailure,
            format!("the server cannot be reached: {}", cut(&e.to_string())),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_headers() {
        assert_eq!(header_value("get_weather"), "get_weather");
        assert_eq!(header_value("größe"), "=?base64?Z3LDtsOfZQ==?=");
        assert_eq!(header_value(" a"), "=?base64?IGE=?=");
        assert_eq!(header_value("=?base64?x?="), "=?base64?PT9iYXNlNjQ/eD89?=");
        assert_eq!(header_value("a\r\nb"), "=?base64?YQ0KYg==?=");
    }
}
