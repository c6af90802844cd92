//! The listing before and after the calls.

use super::{Checked, Judged};
use crate::contract::preflight::CheckRecord;
use crate::error::cut;
use crate::finding::Severity;
use crate::manifest::{Manifest, Tool};
use crate::rules::probe as rules;
use crate::rules::{Sink, ToolView};
use std::collections::BTreeMap;

/// Is the listing what it was before the calls?
pub(super) fn listing(before: &Manifest, after: &Manifest, announced: bool, judged: &mut Judged) {
    let digests = |manifest: &Manifest| -> BTreeMap<String, String> {
        let named = |tool: &Tool| Some((tool.name()?.to_string(), tool.digest()));
        manifest.tools.iter().filter_map(named).collect()
    };
    let (old, new) = (digests(before), digests(after));
    let mut changes: Vec<(String, Option<&Tool>)> = Vec::new();
    for tool in &before.tools {
        let Some(name) = tool.name() else { continue };
        match new.get(name) {
            None => changes.push((format!("tool `{}` is gone after the calls", cut(name)), Some(tool))),
            Some(digest) if old.get(name) != Some(digest) => {
                changes
                    .push((format!("tool `{}` says something else after the calls", cut(name)), Some(tool)));
            }
            Some(_) => {}
        }
    }
    for name in new.keys().filter(|name| !old.contains_key(*name)) {
        changes.push((format!("tool `{}` is new after the calls", cut(name)), None));
    }
    if before.instructions != after.instructions {
        changes.push(("the server's instructions are other ones after the calls".to_string(), None));
    }
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
