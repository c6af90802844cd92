//! What the server lists before and after the calls.

use super::{Checked, Judged};
use crate::contract::canonical;
use crate::contract::preflight::CheckRecord;
use crate::error::cut;
use crate::finding::Severity;
use crate::manifest::{Manifest, Tool};
use crate::rules::probe as rules;
use crate::rules::{Sink, ToolView};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The listing as it is after the calls.
#[derive(Debug, Clone, Copy)]
pub enum After<'m> {
    Listed(&'m Manifest),
    /// There are no tools any more.
    Empty,
    /// It could not be had; why.
    Unknown(&'m str),
}

/// What changed, and the tool of the first listing that it is about.
type Change<'m> = (String, Option<&'m Tool>);

/// Is the listing what it was before the calls? `announced`: the server has said that it would not be.
pub(super) fn listing(before: &Manifest, after: After<'_>, announced: bool, judged: &mut Judged) {
    let changes = match after {
        After::Listed(after) => {
            let mut changes = tools(before, after);
            changes.extend(texts(before, after).into_iter().map(|what| (what, None)));
            changes
        }
        After::Empty => vec![("the server lists no tools any more after the calls".to_string(), None)],
        After::Unknown(why) => {
            let note = Some(format!("the server did not list its tools again: {}", cut(why)));
            let outcome = Checked::Exempt;
            return judged.checks.push(CheckRecord {
                kind: "listing-stable",
                operation_id: None,
                outcome,
                note,
            });
        }
    };
    let outcome = if changes.is_empty() { Checked::Satisfied } else { Checked::Failed };
    let note = changes.first().map(|(what, _)| what.clone());
    judged.checks.push(CheckRecord { kind: "listing-stable", operation_id: None, outcome, note });
    for (message, tool) in changes {
        let mut sink = match tool {
            Some(tool) => Sink::for_tool(&rules::LISTING_CHANGED, &ToolView::new(tool)),
            None => Sink::new(&rules::LISTING_CHANGED),
        };
        let finding = sink.emit(tool.map(Tool::pointer).unwrap_or_default(), message);
        if announced {
            finding.severity = Severity::Warning;
        }
        judged.findings.extend(sink.into_findings());
    }
}

/// A name, and everything that is said under it.
type Entry = (String, String);

/// The contents of each name, in the order of the listing: which of several is taken is up to the client.
fn by_name(entries: &[Entry]) -> BTreeMap<&str, Vec<&str>> {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, content) in entries {
        all.entry(name).or_default().push(content);
    }
    all
}

/// What is otherwise in `after`, with the name that was there before; `what` is "tool" or "prompt".
fn changes(before: &[Entry], after: &[Entry], what: &str) -> Vec<(String, Option<String>)> {
    let (old, new) = (by_name(before), by_name(after));
    let mut changes = Vec::new();
    let mut told = BTreeSet::new();
    for (name, _) in before.iter().filter(|(name, _)| told.insert(name)) {
        let shown = format!("{what} `{}`", cut(name));
        let (was, is) = (old.get(name.as_str()), new.get(name.as_str()));
        let count = |all: Option<&Vec<&str>>| all.map_or(0, Vec::len);
        let change = match (count(was), count(is)) {
            _ if was == is => continue,
            (_, 0) => format!("{shown} is gone after the calls"),
            (n, m) if n == m => format!("{shown} says something else after the calls"),
            (n, m) => format!("{shown} is listed {m} times after the calls, and {n} before"),
        };
        changes.push((change, Some(name.clone())));
    }
    for name in new.keys().filter(|name| !old.contains_key(*name)) {
        changes.push((format!("{what} `{}` is new after the calls", cut(name)), None));
    }
    changes
}

fn tools<'m>(before: &'m Manifest, after: &Manifest) -> Vec<Change<'m>> {
    let entries = |manifest: &Manifest| -> Vec<Entry> {
        let entry = |tool: &Tool| (tool.name().unwrap_or_default().to_string(), tool.digest());
        manifest.tools.iter().map(entry).collect()
    };
    let first = |name: String| before.tools.iter().find(|tool| tool.name().unwrap_or_default() == name);
    let all = changes(&entries(before), &entries(after), "tool").into_iter();
    all.map(|(what, name)| (what, name.and_then(first))).collect()
}

/// What else agents read: the instructions, prompts, and what is said of resources. (Those come and go: only one that is
/// listed before and after can say something else.)
fn texts(before: &Manifest, after: &Manifest) -> Vec<String> {
    let mut all = Vec::new();
    if before.instructions != after.instructions {
        all.push("the server's instructions are other ones after the calls".to_string());
    }
    let text =
        |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
    let prompts = |manifest: &Manifest| -> Vec<Entry> {
        manifest.prompts.iter().map(|prompt| (text(prompt, "name"), canonical::text(prompt))).collect()
    };
    let resources = |manifest: &Manifest| -> Vec<Entry> {
        let said = |entry: &Value| ["name", "title", "description"].map(|key| text(entry, key)).join("\n");
        let address = |entry: &Value| format!("{}{}", text(entry, "uri"), text(entry, "uriTemplate"));
        manifest.resources.iter().map(|(_, entry)| (address(entry), said(entry))).collect()
    };
    let of_prompts = changes(&prompts(before), &prompts(after), "prompt");
    let (old, new) = (resources(before), resources(after));
    let staying = |list: &[Entry], other: &[Entry]| -> Vec<Entry> {
        let there = by_name(other);
        list.iter().filter(|(address, _)| there.contains_key(address.as_str())).cloned().collect()
    };
    let of_resources = changes(&staying(&old, &new), &staying(&new, &old), "resource");
    all.extend(of_prompts.into_iter().chain(of_resources).map(|(what, _)| what));
    all
}
