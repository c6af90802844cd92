//! Which findings are shown with an excerpt, and how the rest is told in a few words: a server with
//! 80 tools without annotations is one fact, not 80.

use crate::finding::{Finding, Severity};
use crate::lint::LintedManifest;
use crate::report::human::summary::count;
use crate::report::screen::safe;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The findings of a manifest, arranged.
pub(super) struct Folded<'f> {
    /// Listing first, then tools in listing order.
    pub groups: Vec<Group<'f>>,
    /// Findings in tools that show none of that rule, a line a rule.
    pub elsewhere: Vec<Elsewhere<'f>>,
}

/// What is shown of one tool (or of the listing).
pub(super) struct Group<'f> {
    /// Safe for the screen.
    pub title: String,
    pub shown: Vec<Shown<'f>>,
}

pub(super) struct Shown<'f> {
    pub finding: &'f Finding,
    /// "… and 12 more like this", on the last one of its rule.
    pub more: Option<String>,
}

pub(super) struct Elsewhere<'f> {
    pub severity: Severity,
    pub rule: &'f str,
    pub text: String,
}

/// How many findings of one rule are shown: in a tool, and in a manifest.
fn budget(severity: Severity) -> (usize, usize) {
    match severity {
        Severity::Error => (3, 10),
        Severity::Warning => (2, 4),
        Severity::Info => (1, 2),
    }
}

/// Places and names listed in a folded line.
const NAMED: usize = 6;

/// Arrange the findings of `manifest`; suppressed ones are left out.
pub(super) fn fold(manifest: &LintedManifest) -> Folded<'_> {
    let mut by_place: BTreeMap<Option<usize>, Vec<&Finding>> = BTreeMap::new();
    for finding in manifest.findings.iter().filter(|f| f.suppressed.is_none()) {
        by_place.entry(finding.tool_index()).or_default().push(finding);
    }
    let mut budgets = BTreeMap::new();
    let mut away: BTreeMap<(Reverse<Severity>, &str), Vec<Away>> = BTreeMap::new();
    let mut groups = Vec::new();
    for (place, findings) in by_place {
        let (mut shown, hidden) = split(findings, &mut budgets);
        for (rule, hidden) in hidden {
            if let Some(last) = shown.iter_mut().rev().find(|s| s.finding.rule == rule) {
                last.more = Some(more_like_this(&hidden));
            } else if let Some(first) = hidden.first() {
                let rest = Away { place, findings: hidden.len() };
                away.entry((Reverse(first.severity), rule)).or_default().push(rest);
            }
        }
        if !shown.is_empty() {
            groups.push(Group { title: title(manifest, place), shown });
        }
    }
    let elsewhere = |((severity, rule), places): ((Reverse<Severity>, _), Vec<Away>)| {
        let text = also_in(manifest, &places);
        Elsewhere { severity: severity.0, rule, text }
    };
    Folded { groups, elsewhere: away.into_iter().map(elsewhere).collect() }
}

/// Findings of a rule in a tool (or the listing) that shows none of them.
struct Away {
    place: Option<usize>,
    findings: usize,
}

/// The findings of one place that are shown, and the others by rule; `spent` counts what the
/// manifest has shown of each rule so far.
fn split<'f>(
    findings: Vec<&'f Finding>,
    spent: &mut BTreeMap<&'f str, usize>,
) -> (Vec<Shown<'f>>, BTreeMap<&'f str, Vec<&'f Finding>>) {
    let mut shown: Vec<Shown> = Vec::new();
    let mut hidden: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        let (in_tool, in_manifest) = budget(finding.severity);
        let rule = finding.rule.as_str();
        let here = shown.iter().filter(|s| s.finding.rule == rule).count();
        let all = spent.entry(rule).or_default();
        if here < in_tool && *all < in_manifest {
            *all += 1;
            shown.push(Shown { finding, more: None });
        } else {
            hidden.entry(rule).or_default().push(finding);
        }
    }
    (shown, hidden)
}

fn title(manifest: &LintedManifest, place: Option<usize>) -> String {
    let Some(index) = place else { return "the listing".to_string() };
    match manifest.tools.get(index).and_then(|t| t.name.as_deref()) {
        Some(name) => shorten(&safe(name), 80),
        None => format!("tool {} (without a name)", index + 1),
    }
}

fn more_like_this(hidden: &[&Finding]) -> String {
    let lines: Vec<_> = hidden.iter().filter_map(|f| f.span).map(|s| (s.line, s.column)).collect();
    let first = lines.first().map_or(0, |l| l.0);
    let text = format!("… and {} more like this", hidden.len());
    let one_line = lines.iter().all(|l| l.0 == first);
    let places: Vec<String> = match one_line {
        true => lines.iter().map(|l| format!("{}:{}", l.0, l.1)).collect(),
        false => lines.iter().map(|l| l.0.to_string()).collect(),
    };
    if places.is_empty() {
        return text;
    }
    let where_ = if one_line { "at" } else { "in lines" };
    format!("{text}, {where_} {}", listed(&places))
}

fn also_in(manifest: &LintedManifest, places: &[Away]) -> String {
    let findings: usize = places.iter().map(|away| away.findings).sum();
    if let [Away { place: None, .. }] = places {
        return format!("{findings} more, in the listing");
    }
    let names: Vec<String> = places
        .iter()
        .map(|away| {
            let title = shorten(&title(manifest, away.place), 40);
            if away.findings > 1 { format!("{title} ({})", away.findings) } else { title }
        })
        .collect();
    format!("{findings} more, in {}: {}", count(places.len(), "tool"), listed(&names))
}

fn listed(items: &[String]) -> String {
    let shown = items.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match items.len().saturating_sub(NAMED) {
        0 => shown,
        _ => format!("{shown}, …"),
    }
}

/// At most `max` characters of safe text.
pub(super) fn shorten(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_string(),
        Some(_) => text.chars().take(max.saturating_sub(1)).chain(['…']).collect(),
    }
}
