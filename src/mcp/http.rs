//! A server behind Streamable HTTP: a message a POST, answered by a JSON text or by server-sent events. One origin, the
//! one that was named: no redirect is followed, no proxy asked, certificates are verified, and a token goes over TLS
//! (or to this machine) alone.

use super::budget::Budget;
use super::message::Outgoing;
use super::session::{Frame, Transport};
use super::sse::Events;
use super::target::{Endpoint, Limits};
use crate::error::cut;
use crate::manifest::Revision;
use crate::probe::{Fault, FaultCode};
use base64::Engine;
use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use ureq::http::{Response, Uri};
use ureq::{Agent, Body, RequestBuilder};

/// How long the good-bye may take.
const GRACE: Duration = Duration::from_millis(500);
/// Messages of one answer that wait to be looked at.
const QUEUE: usize = 256;

enum Event {
    Message(Vec<u8>),
    Refused(u16, String),
    Fault(Fault),
}

/// What every request shares.
#[derive(Clone)]
struct Line {
    agent: Agent,
    url: String,
    token: Option<String>,
    /// `Mcp-Session-Id`, once the server has given one.
    session: Arc<Mutex<Option<String>>>,
    received: Arc<AtomicUsize>,
    most: usize,
}

pub(super) struct Http {
    line: Line,
    /// What the last request brings in.
    events: Receiver<Event>,
    revision: Option<Revision>,
}

/// Check the address; nothing is sent yet.
///
/// # Errors
/// `forbidden-target` for an address that is not one of HTTP, or a token that would go over the wire in clear.
pub(super) fn reach(endpoint: &Endpoint, limits: &Limits) -> Result<Http, Fault> {
    check(endpoint)?;
    let config = Agent::config_builder()
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .proxy(None)
        .user_agent(concat!("verity/", env!("CARGO_PKG_VERSION")))
        .build();
    let line = Line {
        agent: config.new_agent(),
        url: endpoint.url.clone(),
        token: endpoint.token.clone(),
        session: Arc::default(),
        received: Arc::default(),
        most: limits.output_bytes,
    };
    Ok(Http { line, events: mpsc::channel().1, revision: None })
}

fn check(endpoint: &Endpoint) -> Result<(), Fault> {
    let forbidden = |detail: &str, help: &str| Err(Fault::new(FaultCode::ForbiddenTarget, detail).help(help));
    let help = "Name the whole address: https://example.com/mcp";
    let uri = endpoint.url.parse::<Uri>().ok();
    let Some((uri, host)) = uri.as_ref().and_then(|uri| Some((uri, uri.host()?))) else {
        return forbidden("this is no address of a server", help);
    };
    if !matches!(uri.scheme_str(), Some("http" | "https")) {
        return forbidden("only http and https are spoken", help);
    }
    if uri.authority().is_some_and(|a| a.as_str().contains('@')) {
        return forbidden(
            "the address holds a name or password, which would end up in logs",
            "Name the variable that holds the token: --token-env NAME",
        );
    }
    let is_local = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
    if endpoint.token.is_some() && uri.scheme_str() == Some("http") && !is_local {
        return forbidden("a token would be sent over plain http, where anybody reads it", "Use https.");
    }
    Ok(())
}

impl Transport for Http {
    fn send(&mut self, message: &Outgoing, revision: Option<Revision>, budget: &Budget) -> Result<(), Fault> {
        self.revision = revision;
        let (sender, events) = mpsc::sync_channel(QUEUE);
        let (line, sent) = (self.line.clone(), message.clone());
        let time = budget.left()?;
        // Reading blocks: a thread does it, so that time and Ctrl-C hold. It ends with the stream, or with its time.
        let work = move || line.post(&sent, revision, time, &sender);
        let started = std::thread::Builder::new().name("mcp-http".to_string()).spawn(work);
        started.map_err(|e| {
            Fault::new(FaultCode::PortFailure, format!("no thread to talk to the server: {e}"))
        })?;
        if message.id.is_some() {
            self.events = events;
            return Ok(());
        }
        // A notification or an answer: accepted, or refused, which matters for what we began ourselves.
        while let Some(event) = budget.receive(&events)? {
            match event {
                Event::Fault(fault) => return Err(fault),
                Event::Refused(status, said) if message.method.is_some() => {
                    let detail = format!(
                        "the server answers a notification with HTTP status {status}: {}",
                        cut(&said)
                    );
                    return Err(Fault::new(FaultCode::PortFailure, detail));
                }
                Event::Refused(..) | Event::Message(_) => {}
            }
        }
        Ok(())
    }

    fn receive(&mut self, budget: &Budget) -> Result<Frame, Fault> {
        match budget.receive(&self.events)? {
            Some(Event::Message(bytes)) => match String::from_utf8(bytes) {
                Ok(text) => Ok(Frame::Message(text)),
                Err(_) => Err(Fault::new(FaultCode::PortFailure, "the server sent bytes that are no UTF-8")),
            },
            Some(Event::Refused(status, said)) => Ok(Frame::Refused(status, said)),
            Some(Event::Fault(fault)) => Err(fault),
            None => {
                Err(Fault::new(FaultCode::PortFailure, "the server ended its answer before it had answered"))
            }
        }
    }

    fn renew(&mut self) {
        self.line.received.store(0, Ordering::Relaxed);
    }

    /// End the session on the server, if it keeps one.
    fn close(&mut self) {
        let Some(id) = self.line.session_id() else { return };
        let (line, revision) = (self.line.clone(), self.revision);
        let (sender, done) = mpsc::channel::<()>();
        let work = move || {
            let mut request = line.agent.delete(&line.url).header("Mcp-Session-Id", id);
            if let Some(token) = &line.token {
                request = request.header("Authorization", format!("Bearer {token}"));
            }
            if let Some(revision) = revision {
                request = request.header("MCP-Protocol-Version", revision.as_str());
            }
            // Servers may refuse it (405); nobody is told.
            let _ = request.config().timeout_global(Some(GRACE)).build().call();
            drop(sender);
        };
        if std::thread::Builder::new().spawn(work).is_ok() {
            let _ = done.recv_timeout(GRACE);
        }
    }

    fn log_tail(&self) -> String {
        String::new()
    }
}

impl Line {
    fn session_id(&self) -> Option<String> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Send one message and hand on everything that comes back.
    fn post(
        &self,
        message: &Outgoing,
        revision: Option<Revision>,
        time: Duration,
        events: &SyncSender<Event>,
    ) {
        let request = self.agent.post(&self.url);
        let request = self.with_headers(request, message, revision);
        let answer = request.config().timeout_global(Some(time)).build().send(message.text.as_str());
        let fault = match answer {
            Ok(answer) => self.take(answer, message, events).err(),
            Err(e) => Some(said_by_ureq(&e)),
        };
        if let Some(fault) = fault {
            let _ = events.send(Event::Fault(fault)); // nobody listens where the session has ended
        }
    }

    fn with_headers<B>(
        &self,
        mut request: RequestBuilder<B>,
        message: &Outgoing,
        revision: Option<Revision>,
    ) -> RequestBuilder<B> {
        request = request
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream");
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
    ) -> Result<(), Fault> {
        let status = answer.status().as_u16();
        let header =
            |name: &str| answer.headers().get(name).and_then(|v| v.to_str().ok()).map(str::to_string);
        if let 300..400 = status {
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
        let kind = header("content-type").unwrap_or_default().to_ascii_lowercase();
        let mut body = answer.into_body().into_reader();
        if !(200..300).contains(&status) {
            let text = String::from_utf8_lossy(&self.read_all(&mut body)?).into_owned();
            let _ = events.send(Event::Refused(status, text));
        } else if kind.starts_with("text/event-stream") {
            self.stream(body, events)?;
        } else if message.id.is_some() {
            let whole = self.read_all(&mut body)?;
            if !kind.starts_with("application/json") && is_no_json(&whole) {
                let kind = if kind.is_empty() { "no content type" } else { &kind };
                let detail = format!("the server answers with {}, which is no JSON-RPC message", cut(kind));
                return Err(Fault::new(FaultCode::PortFailure, detail)
                    .help("Give the address of the Streamable HTTP endpoint; it often ends in /mcp."));
            }
            let _ = events.send(Event::Message(whole));
        }
        Ok(())
    }

    fn read_all(&self, body: &mut impl Read) -> Result<Vec<u8>, Fault> {
        let mut all = Vec::new();
        while let Some(piece) = self.read(body)? {
            all.extend_from_slice(&piece);
        }
        Ok(all)
    }

    fn stream(&self, mut body: impl Read, events: &SyncSender<Event>) -> Result<(), Fault> {
        let mut parser = Events::default();
        while let Some(piece) = self.read(&mut body)? {
            for data in parser.feed(&piece) {
                if events.send(Event::Message(data)).is_err() {
                    return Ok(()); // the answer is there: whether the stream ever ends is nobody's business
                }
            }
        }
        parser.end().into_iter().for_each(|data| drop(events.send(Event::Message(data))));
        Ok(())
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
        e => Fault::new(
            FaultCode::PortFailure,
            format!("the server cannot be reached: {}", cut(&e.to_string())),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(url: &str, token: bool) -> Option<String> {
        let token = token.then(|| "secret-token".to_string());
        check(&Endpoint { url: url.to_string(), token }).err().map(|fault| {
            assert_eq!(fault.code, FaultCode::ForbiddenTarget);
            fault.detail
        })
    }

    #[test]
    fn addresses() {
        for good in [
            "https://example.com/mcp",
            "http://localhost:8080/mcp?x=1",
            "http://[::1]:1/",
            "http://127.0.0.1",
        ] {
            assert_eq!(refusal(good, true), None, "{good}");
        }
        assert_eq!(refusal("http://example.com/mcp", false), None);
        assert!(refusal("http://example.com/mcp", true).unwrap().contains("plain http"));
        assert!(refusal("http://localhost.example.com/", true).unwrap().contains("plain http"));
        assert!(refusal("https://user:pass@example.com/", false).unwrap().contains("password"));
        for bad in [
            "",
            "example.com/mcp",
            "/mcp",
            "file:///etc/passwd",
            "ftp://example.com/",
            "https:///x",
            "http://a b/",
        ] {
            assert!(refusal(bad, false).is_some(), "{bad}");
        }
    }

    #[test]
    fn names_in_headers() {
        assert_eq!(header_value("get_weather"), "get_weather");
        assert_eq!(header_value("größe"), "=?base64?Z3LDtsOfZQ==?=");
        assert_eq!(header_value(" a"), "=?base64?IGE=?=");
        assert_eq!(header_value("=?base64?x?="), "=?base64?PT9iYXNlNjQ/eD89?=");
        assert_eq!(header_value("a\r\nb"), "=?base64?YQ0KYg==?=");
    }
}
