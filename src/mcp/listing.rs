//! What was captured, as one JSON text that `manifest::capture` reads. Every entry holds the tokens that the server
//! sent; only the white space between them is ours, so that a change shows as a change of lines.

use super::pages::{Kind, Pages};
use super::raw::{Raw, new_line};
use super::session::Hello;
use crate::manifest::{self, CAPTURE_FORMAT};
use crate::sha256;
use crate::source;
use serde_json::Value;
use std::fmt::Write as _;

/// Brackets that a listing's reader follows; see [`source`].
const MAX_DEPTH: usize = 127;

pub(super) struct Listing<'a> {
    pub hello: &'a Hello,
    pub lists: Vec<(Kind, Pages)>,
    pub date: Option<&'a str>,
}

impl Listing<'_> {
    /// The whole text, with a line end.
    pub fn text(&self) -> String {
        let body = self.body();
        let mut wire = String::new();
        if let Some(body) = Raw::parse(&body) {
            body.compact(&mut wire);
        }
        let digests =
            [("listing", digest_of_listing(&body)), ("wire", Some(sha256::prefixed(wire.as_bytes())))];
        let mut out = String::from("{\n  \"capture\": ");
        self.provenance(&digests, &mut out);
        out.push(',');
        out.push_str(body.strip_prefix('{').unwrap_or_default());
        out.push('\n');
        out
    }

    /// What the server sent, without what we say of it.
    fn body(&self) -> String {
        let mut out = String::from("{");
        let opening = if self.hello.is_discovered { "discover" } else { "initialize" };
        let mut first = true;
        let mut member = |name: &str, out: &mut String| {
            if !std::mem::replace(&mut first, false) {
                out.push(',');
            }
            new_line(1, out);
            let _ = write!(out, "\"{name}\": ");
        };
        member(opening, &mut out);
        indented(&self.hello.raw, 1, &mut out);
        for (kind, pages) in &self.lists {
            if !pages.entries.is_empty() || kind.key == Kind::TOOLS.key {
                member(kind.key, &mut out);
                list(pages.entries.iter().map(String::as_str), 1, &mut out);
            }
        }
        let with_rest: Vec<&(Kind, Pages)> =
            self.lists.iter().filter(|(_, pages)| pages.rests.iter().any(|rest| !rest.is_empty())).collect();
        if !with_rest.is_empty() {
            member("pages", &mut out);
            rests(&with_rest, &mut out);
        }
        out.push_str("\n}");
        out
    }

    fn provenance(&self, digests: &[(&str, Option<String>)], out: &mut String) {
        let quote = |text: &str| Value::String(text.to_string()).to_string();
        let _ = write!(out, "{{\n    \"format\": {CAPTURE_FORMAT},");
        let _ = write!(out, "\n    \"protocol\": {}", quote(self.hello.revision.as_str()));
        let server = [("name", &self.hello.name), ("version", &self.hello.version)];
        for (what, said) in server {
            if let Some(said) = said {
                let _ = write!(out, ",\n    \"{what}\": {}", quote(said));
            }
        }
        if let Some(date) = self.date {
            let _ = write!(out, ",\n    \"date\": {}", quote(date));
        }
        for (what, digest) in digests {
            if let Some(digest) = digest {
                let _ = write!(out, ",\n    \"{what}\": {}", quote(digest));
            }
        }
        out.push_str("\n  }");
    }
}

fn rests(lists: &[&(Kind, Pages)], out: &mut String) {
    out.push('{');
    for (i, (kind, pages)) in lists.iter().enumerate() {
        out.push_str(if i > 0 { "," } else { "" });
        new_line(2, out);
        let _ = write!(out, "\"{}\": ", kind.key);
        let page = |rest: &Vec<(String, String)>| {
            let members: Vec<String> =
                rest.iter().map(|(key, text)| format!("{}:{text}", Value::String(key.clone()))).collect();
            format!("{{{}}}", members.join(","))
        };
        let texts: Vec<String> = pages.rests.iter().map(page).collect();
        list(texts.iter().map(String::as_str), 2, out);
    }
    new_line(1, out);
    out.push('}');
}

fn list<'t>(texts: impl Iterator<Item = &'t str>, level: usize, out: &mut String) {
    let start = out.len();
    out.push('[');
    for (i, text) in texts.enumerate() {
        out.push_str(if i > 0 { "," } else { "" });
        new_line(level + 1, out);
        indented(text, level + 1, out);
    }
    if out.len() > start + 1 {
        new_line(level, out);
    }
    out.push(']');
}

fn indented(text: &str, level: usize, out: &mut String) {
    match Raw::parse(text) {
        // What no reader takes is refused by all of them, and is not laid out line by line before.
        Some(raw) if raw.depth() > MAX_DEPTH => out.push_str(raw.text()),
        Some(raw) => raw.indented(level, out),
        None => out.push_str("null"),
    }
}

/// The digest that reports show for the listing; `None` where it cannot be judged.
fn digest_of_listing(body: &str) -> Option<String> {
    let text = format!("{{\"capture\": {{\"format\": {CAPTURE_FORMAT}}},{}", body.strip_prefix('{')?);
    let document = source::parse("", text.into_bytes()).ok()?;
    manifest::read(&document).ok()?.first().map(|m| m.digest.clone())
}
