//! A listing in pages, asked for until the last one. Bounded in pages and entries: a cursor may lead on for ever.

use super::message::Answer;
use super::raw::Raw;
use super::session::{Session, refused};
use crate::error::cut;
use crate::manifest::MAX_TOOLS;
use crate::probe::{Fault, FaultCode};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// More pages than this are no listing that a client fetches.
const MAX_PAGES: usize = 1_000;

/// All pages of one listing, with every text as it was sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Pages {
    pub entries: Vec<String>,
    /// What stands in each page beside its entries, but for the cursor, which is another one each time.
    pub rests: Vec<Vec<(String, String)>>,
}

/// A listing of the protocol.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    pub method: &'static str,
    /// The member that holds the entries.
    pub key: &'static str,
}

impl Kind {
    pub const TOOLS: Kind = Kind { method: "tools/list", key: "tools" };
    pub const PROMPTS: Kind = Kind { method: "prompts/list", key: "prompts" };
    pub const RESOURCES: Kind = Kind { method: "resources/list", key: "resources" };
    pub const TEMPLATES: Kind = Kind { method: "resources/templates/list", key: "resourceTemplates" };
}

/// Fetch a listing; `None` where the server has no such method.
///
/// # Errors
/// `port-failure` for an answer that is none, `budget-exhausted` for a listing without an end.
pub(super) fn fetch(session: &mut Session, kind: Kind) -> Result<Option<Pages>, Fault> {
    const METHOD_NOT_FOUND: i64 = -32601;
    let mut pages = Pages::default();
    let mut cursors = BTreeSet::new();
    let mut cursor = None;
    loop {
        let mut params = Map::new();
        if let Some(cursor) = cursor.take() {
            params.insert("cursor".to_string(), Value::String(cursor));
        }
        let raw = match session.ask(kind.method, params, false)? {
            Answer::Result(raw) => raw,
            Answer::Error(error) if error.code == METHOD_NOT_FOUND && pages.rests.is_empty() => {
                return Ok(None);
            }
            Answer::Error(error) => return Err(refused(kind.method, &error)),
        };
        let Some(next) = pages.add(&raw, kind)? else { return Ok(Some(pages)) };
        if pages.rests.len() >= MAX_PAGES {
            let detail = format!("{} goes on after {MAX_PAGES} pages; there is no end to it", kind.method);
            return Err(Fault::new(FaultCode::BudgetExhausted, detail));
        }
        if !cursors.insert(next.clone()) {
            let detail = format!("{} goes round in circles: cursor {} came before", kind.method, cut(&next));
            return Err(Fault::new(FaultCode::PortFailure, detail));
        }
        cursor = Some(next);
    }
}

impl Pages {
    /// Add a page; its `nextCursor`, if there is a next page. An empty text is a cursor, a null is none.
    fn add(&mut self, raw: &str, kind: Kind) -> Result<Option<String>, Fault> {
        let no_listing = |what: &str| {
            let detail = format!("the answer to {} {what}: {}", kind.method, cut(raw));
            Fault::new(FaultCode::PortFailure, detail)
        };
        let members = Raw::parse(raw).map(Raw::members).unwrap_or_default();
        let mut entries = None;
        let (mut rest, mut next) = (Vec::new(), None);
        for (key, value) in members {
            if key == kind.key {
                // One more than may be: enough to know.
                entries = value.first_elements(MAX_TOOLS + 1);
            } else if key == "nextCursor" {
                next = (!value.is_null()).then_some(value);
            } else {
                rest.push((key, value.text().to_string()));
            }
        }
        let entries = entries.ok_or_else(|| no_listing(&format!("has no array `{}`", kind.key)))?;
        if self.entries.len() + entries.len() > MAX_TOOLS {
            let detail = format!("{} lists more than {MAX_TOOLS} entries", kind.method);
            return Err(Fault::new(FaultCode::BudgetExhausted, detail));
        }
        self.entries.extend(entries.iter().map(|entry| entry.text().to_string()));
        self.rests.push(rest);
        match next.map(Raw::string) {
            Some(None) => Err(no_listing("has a `nextCursor` that is no text")),
            Some(next) => Ok(next),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_add_up() {
        let mut pages = Pages::default();
        let next =
            pages.add(r#"{"ttlMs":1.0,"tools":[{"a":1, "a":2},3],"nextCursor":""}"#, Kind::TOOLS).unwrap();
        assert_eq!(next.as_deref(), Some(""));
        let next = pages.add(r#"{"tools":[],"nextCursor":null,"ttlMs":2}"#, Kind::TOOLS).unwrap();
        assert_eq!(next, None);
        assert_eq!(pages.entries, [r#"{"a":1, "a":2}"#, "3"]);
        let ttl = |text: &str| vec![("ttlMs".to_string(), text.to_string())];
        assert_eq!(pages.rests, [ttl("1.0"), ttl("2")]);
    }

    #[test]
    fn what_is_no_page() {
        for bad in ["3", "{}", r#"{"tools":{}}"#, r#"{"prompts":[]}"#, r#"{"tools":[],"nextCursor":3}"#] {
            let fault = Pages::default().add(bad, Kind::TOOLS).unwrap_err();
            assert_eq!(fault.code, FaultCode::PortFailure, "{bad}");
        }
        let many = format!("{{\"tools\":[{}0]}}", "0,".repeat(MAX_TOOLS));
        assert_eq!(Pages::default().add(&many, Kind::TOOLS).unwrap_err().code, FaultCode::BudgetExhausted);
    }
}
