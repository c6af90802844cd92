//! JSON-RPC: a response, its pages, a transcript of a session; over stdio, SSE, or in an array.

use super::draft::{At, Draft};
use super::{LogLine, mcp};
use crate::error::{ErrorCode, InputError, cut};
use crate::source::{Document, Framing};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Names under which recorders wrap a message.
const WRAPPERS: &[&str] = &["message", "msg", "payload", "data", "body", "raw", "request", "response"];

/// Whether `value` is a JSON-RPC message, or the result of one by itself.
fn is_message(value: &Value) -> bool {
    let Value::Object(members) = value else { return false };
    let has = |key: &str| members.contains_key(key);
    let listing = |v: &Value| v.get("tools").is_some_and(Value::is_array);
    has("jsonrpc") && (has("method") || has("result") || has("error"))
        || members.get("result").is_some_and(listing)
        || has("id") && members.get("error").and_then(|e| e.get("code")).is_some_and(Value::is_number)
}

/// The messages in `at`: itself, the elements of a batch, or what a recorder wrapped.
fn messages<'d>(at: &At<'d>, depth: usize, out: &mut Vec<At<'d>>) {
    if is_message(at.value) {
        out.push(at.clone());
    } else if depth > 0 {
        if at.value.is_array() {
            at.items().for_each(|item| messages(&item, depth - 1, out));
        } else {
            WRAPPERS.iter().filter_map(|key| at.get(key)).for_each(|inner| messages(&inner, depth - 1, out));
        }
    }
}

/// All messages of the document, if it is made of them: every segment that is no log has one.
pub(super) fn of_document(document: &Document) -> Vec<At<'_>> {
    let mut out = Vec::new();
    for segment in 0..document.segments.len() {
        if let Some(root) = At::root(document, segment) {
            messages(&root, 2, &mut out);
        }
    }
    out
}

/// One server's part of a transcript.
#[derive(Default)]
struct Session<'d> {
    draft: Draft,
    pages: usize,
    /// Whether the next page begins the listing anew: the session was opened again.
    reopened: bool,
    /// The pages, to know one that comes again.
    read: BTreeSet<String>,
    error: Option<At<'d>>,
}

/// The listings of a transcript, one a server.
pub(super) fn read(
    document: &Document,
    messages: &[At<'_>],
) -> Result<Vec<(Draft, &'static str)>, InputError> {
    let mut transcript = Transcript { sessions: vec![Session::default()], requests: BTreeMap::new() };
    for message in messages {
        transcript.take(message);
    }
    let shape = match (document.framing, messages) {
        (Framing::Sse, _) => "sse",
        (_, [_]) if document.skipped_lines.is_empty() => "jsonrpc-response",
        (_, all)
            if all.iter().all(|m| m.value.get("method").is_none()) && document.skipped_lines.is_empty() =>
        {
            "jsonrpc-pages"
        }
        _ => "jsonrpc-transcript",
    };
    let log_lines = log_lines(document);
    let mut error = None;
    let mut listings = Vec::new();
    for mut session in transcript.sessions {
        if session.pages > 0 {
            session.draft.log_lines.clone_from(&log_lines);
            session.draft.log_line_count =
                if log_lines.is_empty() { 0 } else { document.skipped_lines.len() };
            listings.push((session.draft, shape));
        } else {
            error = error.or(session.error);
        }
    }
    match (listings.is_empty(), error) {
        (false, _) => Ok(listings),
        (true, Some(at)) => Err(server_error(document, &at)),
        (true, None) => Err(no_listing(messages)),
    }
}

struct Transcript<'d> {
    sessions: Vec<Session<'d>>,
    /// Methods and whether there was a cursor, by id as JSON text. Client and server number their
    /// requests by themselves, so that one id may stand for several.
    requests: BTreeMap<String, Vec<(&'d str, bool)>>,
}

impl<'d> Transcript<'d> {
    fn take(&mut self, message: &At<'d>) {
        let id = message.value.get("id").filter(|id| !id.is_null()).map(Value::to_string);
        if let Some(method) = message.str("method") {
            let params = message.get("params");
            let cursor = params.as_ref().and_then(|p| p.value.get("cursor")).is_some_and(|c| !c.is_null());
            if let Some(id) = id {
                self.requests.entry(id).or_default().push((method, cursor));
            }
            if method == "tools/list"
                && let Some(version) =
                    params.as_ref().and_then(|p| p.below("/_meta/io.modelcontextprotocol~1protocolVersion"))
            {
                self.session().draft.set_protocol(version.value.as_str());
            }
            return;
        }
        let requests = id.and_then(|id| self.requests.get(&id)).map(Vec::as_slice).unwrap_or_default();
        let of_listing = requests.iter().rev().find(|(method, _)| *method == "tools/list");
        let lists = message.get("result").is_some_and(|r| r.value.get("tools").is_some());
        let request = if lists { of_listing.or(requests.last()) } else { requests.last() }.copied();
        let method = request.map(|(method, _)| method);
        if let Some(result) = message.get("result") {
            self.result(&result, method, request.is_some_and(|(_, cursor)| cursor));
        } else if message.value.get("error").is_some() && matches!(method, None | Some("tools/list")) {
            self.session().error = Some(message.clone());
        }
    }

    fn result(&mut self, result: &At<'d>, method: Option<&str>, with_cursor: bool) {
        let has = |key: &str| result.value.get(key).is_some();
        match method {
            Some("initialize") => self.initialized(result),
            Some("server/discover") => self.discovered(result),
            Some("tools/list") => self.page(result, Some(with_cursor)),
            Some("prompts/list") => self.session().draft.add_prompts(result.get("prompts")),
            Some(_) => {}
            None if has("protocolVersion") && has("capabilities") => self.initialized(result),
            None if has("supportedVersions") => self.discovered(result),
            None if has("tools") => self.page(result, None),
            None if has("prompts") => self.session().draft.add_prompts(result.get("prompts")),
            None => {}
        }
    }

    /// The session that is being read.
    fn session(&mut self) -> &mut Session<'d> {
        if self.sessions.is_empty() {
            self.sessions.push(Session::default());
        }
        let last = self.sessions.len() - 1;
        #[allow(clippy::indexing_slicing)] // not empty
        &mut self.sessions[last]
    }

    /// The session of the server `name`: a new one when the last belongs to another server.
    fn enter(&mut self, name: Option<String>) -> &mut Session<'d> {
        let session = self.session();
        let other = (session.draft.server.is_some() || session.pages > 0) && session.draft.server != name;
        if other {
            self.sessions.push(Session::default());
        }
        let session = self.session();
        if name.is_some() {
            session.draft.server = name;
        }
        session.reopened = true;
        session
    }

    fn initialized(&mut self, result: &At<'d>) {
        let session = self.enter(mcp::server_name(result));
        session.draft.set_protocol(result.str("protocolVersion"));
        session.draft.set_instructions(result.get("instructions"));
    }

    /// 2026-07-28 has no `initialize`; the server presents itself when it is asked to.
    fn discovered(&mut self, result: &At<'d>) {
        let session = self.enter(mcp::server_name(result));
        session.draft.set_instructions(result.get("instructions"));
        if session.draft.protocol.is_none() {
            let versions = result.get("supportedVersions");
            let known = versions.iter().flat_map(At::items);
            session.draft.protocol = known.filter_map(|v| super::Revision::parse(v.value.as_str()?)).max();
        }
    }

    /// A page of the listing. `with_cursor`: whether its request asked for a further page; `None` if
    /// the request is not there.
    fn page(&mut self, result: &At<'d>, with_cursor: Option<bool>) {
        let Some(tools) = result.get("tools").filter(|t| t.value.is_array()) else { return };
        if let Some(name) = mcp::server_name(result)
            && self.session().draft.server.as_ref() != Some(&name)
        {
            self.enter(Some(name)).reopened = false;
        }
        let session = self.session();
        // Without its request, a page goes on from the one before, unless it is one that was seen.
        let text = result.value.to_string();
        let again = session.pages > 0
            && match with_cursor {
                Some(with_cursor) => !with_cursor,
                None => session.reopened || session.read.contains(&text),
            };
        if again {
            session.draft.forget_tools();
            session.read.clear();
        }
        session.reopened = false;
        session.pages += 1;
        session.read.insert(text);
        session.draft.is_wire = true;
        session.draft.add_tools(&tools);
        session.draft.set_cursor(None);
        session.draft.add_fields(result);
        if session.draft.protocol.is_none() && result.value.get("resultType").is_some() {
            session.draft.protocol = Some(super::Revision::V2026_07_28);
        }
    }
}

/// The first lines of a server's log among its messages. (What stands around server-sent events is HTTP.)
fn log_lines(document: &Document) -> Vec<LogLine> {
    const KEPT: usize = 20;
    let mut found = Vec::new();
    let mut wanted = document.skipped_lines.iter().take(KEPT).peekable();
    if document.framing != Framing::Lines {
        return found;
    }
    let mut start = 0;
    for (i, full) in document.text.split_inclusive('\n').enumerate() {
        if wanted.peek() == Some(&&(i + 1)) {
            wanted.next();
            let text = full.trim_end();
            found.push(LogLine { line: i + 1, range: start..start + text.len(), text: cut(text) });
        }
        start += full.len();
    }
    found
}

fn server_error(document: &Document, at: &At<'_>) -> InputError {
    let error = at.value.get("error");
    let said = error.and_then(|e| e.get("message")).and_then(Value::as_str).unwrap_or("no message");
    let code = error.and_then(|e| e.get("code")).map(|c| format!(" (code {c})")).unwrap_or_default();
    let built = InputError::new(
        ErrorCode::ServerError,
        format!("the server answered with an error instead of a listing: {}{code}", cut(said)),
    )
    .help("Look at the server's log; ask for tools/list after initialize and notifications/initialized.");
    match document.locate(at.segment, &format!("{}/error", at.pointer), &crate::finding::Part::Value) {
        Some(span) => built.line_column(span.line, span.column),
        None => built,
    }
}

fn no_listing(messages: &[At<'_>]) -> InputError {
    let asked = messages.iter().any(|m| m.str("method") == Some("tools/list"));
    let message = if asked {
        "the transcript asks for tools/list and holds no answer to it"
    } else {
        "these are JSON-RPC messages, but none of them is a listing of tools"
    };
    InputError::new(ErrorCode::NotAManifest, message).help(super::foreign::CAPTURE)
}
