//! What clients make of the new release that they did not make of the old one.

use super::{Change, Class, Options};
use crate::finding::{Finding, Impact, Severity};
use crate::manifest::Manifest;
use crate::profile::Profiles;
use crate::rules::compat::{self, Compat};
use crate::rules::{self, ManifestView, Rule, diff as of_diff};
use std::collections::{BTreeMap, BTreeSet};

/// Limits that `new` breaks and `old` did not. `news`: the tools that are new or changed, and whether they are new.
pub(super) fn compare(
    old: &Manifest,
    new: &Manifest,
    news: &BTreeMap<usize, bool>,
    options: &Options,
) -> Vec<Change> {
    let profiles = Profiles { revisions: Vec::new(), clients: options.clients.clone() };
    let limits: Vec<&'static Compat> =
        profiles.effective().into_iter().flat_map(|(profile, _)| compat::of(profile)).collect();
    if limits.is_empty() {
        return Vec::new();
    }
    let limits: Vec<&dyn Rule> = limits.into_iter().map(|l| l as &dyn Rule).collect();
    let key = |f: &Finding| (f.rule.clone(), f.tool.clone(), below_tool(&f.pointer));
    let earlier = rules::run_rules(old, limits.iter().copied());
    let before: BTreeSet<_> = earlier.iter().map(key).collect();
    // What was refused before is not newly refused, for however many more reasons.
    let refusal = |f: &Finding| {
        let spreads = matches!(f.impact, Impact::Server | Impact::Request);
        (f.rule.clone(), f.impact, f.tool.clone().filter(|_| !spreads))
    };
    let refused_before: BTreeSet<_> =
        earlier.iter().filter(|f| f.severity == Severity::Error).map(refusal).collect();
    let view = ManifestView::new(new);
    let mut found = rules::run_on_listing(&view, &limits);
    for at in news.keys() {
        found.extend(rules::run_on_tools(&view, &limits, *at..*at + 1));
    }
    found
        .into_iter()
        .filter(|f| f.severity >= Severity::Warning && !before.contains(&key(f)))
        .map(|finding| {
            let is_new = finding.tool_index().is_some_and(|at| news.get(&at) == Some(&true));
            let spreads = matches!(finding.impact, Impact::Server | Impact::Request);
            let refused = finding.severity == Severity::Error
                && (spreads || finding.impact == Impact::Tool && !is_new)
                && !refused_before.contains(&refusal(&finding));
            let class = if refused { Class::Breaking } else { Class::Warning };
            let message = format!("{} ({})", finding.message, finding.rule);
            let mut change = Change::new(class, &of_diff::CLIENT_REFUSES, finding.pointer, message);
            change.tool = finding.tool;
            change
        })
        .collect()
}

/// `/inputSchema` of `/tools/3/inputSchema`: a tool may have moved.
fn below_tool(pointer: &str) -> String {
    match pointer.strip_prefix("/tools/").and_then(|rest| rest.split_once('/')) {
        Some((_, below)) => below.to_string(),
        None if pointer.starts_with("/tools/") => String::new(),
        None => pointer.to_string(),
    }
}
