//! Orders to the agent that the old release did not give.

use super::{Change, Class};
use crate::finding::{Finding, Severity};
use crate::manifest::Manifest;
use crate::rules::{self, ManifestView, Rule, diff as of_diff};
use crate::threads;
use std::collections::{BTreeMap, BTreeSet};

/// Tools that one thread looks at in one go, at least: each part has views of its own, which cost a little for every tool.
const TOOLS_AT_A_TIME: usize = 32;

/// What makes two findings one, wherever the tool stands.
type Key = (String, Option<String>, Option<String>, String);

fn key(finding: &Finding) -> Key {
    (finding.rule.clone(), finding.tool.clone(), finding.evidence.clone(), finding.message.clone())
}

/// What the POISON rules find in `new` and not in `old`. `news`: the tools that are new or changed; `before`: where
/// those that changed stood.
pub(super) fn compare(
    old: &Manifest,
    new: &Manifest,
    news: &BTreeMap<usize, bool>,
    before: &BTreeMap<usize, usize>,
) -> Vec<Change> {
    let rules: Vec<&dyn Rule> =
        rules::poison::RULES.iter().copied().filter(|r| !r.info().id.ends_with("-OUTSIZED")).collect();
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    if old.instructions != new.instructions
        || old.prompts != new.prompts
        || old.listing_fields != new.listing_fields
    {
        found = rules::run_on_listing(&ManifestView::new(new), &rules);
        seen.extend(rules::run_on_listing(&ManifestView::new(old), &rules).iter().map(key));
    }
    let news: Vec<usize> = news.keys().copied().collect();
    let parts: Vec<&[usize]> = threads::parts(&news, TOOLS_AT_A_TIME);
    for (here, there) in threads::each(&parts, |part| of_part(old, new, part, before, &rules)) {
        found.extend(here);
        seen.extend(there);
    }
    let is_new = |f: &Finding| f.severity >= Severity::Warning && !seen.contains(&key(f));
    let change = |finding: Finding| {
        let message = format!("{} ({})", finding.message, finding.rule);
        let mut change = Change::new(Class::Security, &of_diff::TEXT_POISONED, finding.pointer, message);
        change.tool = finding.tool;
        change
    };
    found.into_iter().filter(is_new).map(change).collect()
}

/// What is found in some tools of the new release, and what was in the same tools of the old one.
fn of_part(
    old: &Manifest,
    new: &Manifest,
    part: &[usize],
    before: &BTreeMap<usize, usize>,
    rules: &[&dyn Rule],
) -> (Vec<Finding>, Vec<Key>) {
    let (old_view, view) = (ManifestView::new(old), ManifestView::new(new));
    let (mut found, mut seen) = (Vec::new(), Vec::new());
    for at in part {
        let mut here = rules::run_on_tools(&view, rules, *at..*at + 1);
        here.retain(|f| f.severity >= Severity::Warning);
        if let Some(was) = before.get(at).filter(|_| !here.is_empty()) {
            seen.extend(rules::run_on_tools(&old_view, rules, *was..*was + 1).iter().map(key));
        }
        found.append(&mut here);
    }
    (found, seen)
}
