//! A server behind Streamable HTTP: a message a POST, answered by a JSON text or by server-sent events. One origin, the
//! one that was named: no redirect is followed, no proxy asked, certificates are verified, and a token goes over TLS
//! (or to this machine) alone.

mod line;

use super::budget::Budget;
use super::message::Outgoing;
use super::session::{Frame, Transport};
use super::target::{Endpoint, Limits};
use crate::error::cut;
use crate::manifest::Revision;
use crate::probe::{Fault, FaultCode};
use line::{Event, Line};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use ureq::Agent;
use ureq::http::Uri;

/// What to do about an address that is none.
pub(super) const WHOLE: &str = "Name the whole address: https://example.com/mcp";
/// How long the good-bye may take.
const GRACE: Duration = Duration::from_millis(500);
/// Messages of one answer that wait to be looked at.
const QUEUE: usize = 256;

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
        // A connection that was kept may be closed by the server while the next call is on its way, and a call that
        // may have been read cannot be made again: each has a connection of its own.
        .max_idle_connections(0)
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

/// The address of an endpoint, and its host.
///
/// # Errors
/// What is wrong with it.
pub(super) fn address(url: &str) -> Result<(Uri, String), &'static str> {
    let uri = url.parse::<Uri>().ok();
    let parts = uri.and_then(|uri| Some((uri.host().filter(|h| !h.is_empty())?.to_string(), uri)));
    let Some((host, uri)) = parts else { return Err("this is no address of a server") };
    match uri.scheme_str() {
        Some("http" | "https") => Ok((uri, host)),
        _ => Err("only http and https are spoken"),
    }
}

fn check(endpoint: &Endpoint) -> Result<(), Fault> {
    let forbidden = |detail: &str, help: &str| Err(Fault::new(FaultCode::ForbiddenTarget, detail).help(help));
    let (uri, host) = match address(&endpoint.url) {
        Ok(parts) => parts,
        Err(wrong) => return forbidden(wrong, WHOLE),
    };
    if uri.authority().is_some_and(|a| a.as_str().contains('@')) {
        return forbidden(
            "the address holds a name or password, which would end up in logs",
            "Name the variable that holds the token: --token-env NAME",
        );
    }
    let is_local = matches!(host.as_str(), "localhost" | "127.0.0.1" | "[::1]");
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
        let budget_of_all = *budget;
        // Reading blocks: a thread does it, so that time and Ctrl-C hold. It ends with the stream, or with its time.
        let work = move || line.post(&sent, revision, &budget_of_all, &sender);
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
                Event::Refused(refusal, said) if message.method.is_some() => {
                    let detail = format!(
                        "the server answers a notification with HTTP status {}: {}",
                        refusal.status,
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
            Some(Event::Refused(refusal, said)) => Ok(Frame::Refused(refusal, said)),
            Some(Event::Fault(fault)) => Err(fault),
            None => {
                Err(Fault::new(FaultCode::PortFailure, "the server ended its answer before it had answered"))
            }
        }
    }

    fn renew(&mut self) {
        self.line.received.store(0, Ordering::Relaxed);
    }

    fn forget_session(&mut self) -> bool {
        self.line.session.lock().unwrap_or_else(PoisonError::into_inner).take().is_some()
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

    fn advice(&self) -> &'static str {
        "Give the address of the Streamable HTTP endpoint; it often ends in /mcp."
    }

    fn log_tail(&self) -> String {
        String::new()
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
}
