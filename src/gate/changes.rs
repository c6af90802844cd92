//! The changes of a release as findings in the new listing, for the formats that know findings alone.

use crate::diff::{Change, Class, Diff};
use crate::finding::{Confidence, Finding, Part, Severity};
use crate::fingerprint::Often;
use crate::manifest::{Input, Manifest};
use crate::rules;

/// A change as a finding, with the manifest that it is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// Position of the input.
    pub input: usize,
    /// Position of the manifest in it.
    pub manifest: usize,
    pub finding: Finding,
}

/// Those changes of `diff` that someone should look at, placed in the new listing. What is gone from it stands at its
/// beginning.
#[must_use]
pub fn placed(diff: &Diff, inputs: &[Input]) -> Vec<Placed> {
    let mut often = Often::default();
    let of = |change: &Change| {
        let severity = match change.class {
            Class::Breaking | Class::Security => Severity::Error,
            Class::Routing | Class::Warning => Severity::Warning,
            Class::Additive | Class::Compatible => return None,
        };
        let (input, at, manifest) = owner(change, inputs)?;
        let mut finding = finding(change, severity, inputs.get(input)?, manifest)?;
        finding.fingerprint = often.next(&finding.rule, change.tool.as_deref(), &change.pointer);
        Some(Placed { input, manifest: at, finding })
    };
    diff.changes.iter().filter_map(of).collect()
}

/// The manifest that a change is about: that of its server, of its tool, else the first.
fn owner<'i>(change: &Change, inputs: &'i [Input]) -> Option<(usize, usize, &'i Manifest)> {
    let all = || {
        let of = |(i, input): (usize, &'i Input)| {
            input.manifests.iter().enumerate().map(move |(at, manifest)| (i, at, manifest))
        };
        inputs.iter().enumerate().flat_map(of)
    };
    let of_server = all().find(|(_, _, m)| change.server.is_some() && m.server == change.server);
    of_server.or_else(|| all().find(|(_, _, m)| is_there(change, m))).or_else(|| all().next())
}

/// Whether the pointer of the change is one of the new listing: that of a removed tool is one of the old.
fn is_there(change: &Change, manifest: &Manifest) -> bool {
    let index =
        change.pointer.strip_prefix("/tools/").and_then(|rest| rest.split('/').next()?.parse::<usize>().ok());
    let tool = index.and_then(|i| manifest.tools.get(i));
    change.tool.is_some() && tool.and_then(|t| t.name()) == change.tool.as_deref()
}

fn finding(change: &Change, severity: Severity, input: &Input, manifest: &Manifest) -> Option<Finding> {
    let info = rules::find(change.rule)?.info();
    let pointer = if is_there(change, manifest) { change.pointer.clone() } else { String::new() };
    Some(Finding {
        rule: info.id.to_string(),
        severity,
        confidence: Confidence::High,
        tool: change.tool.clone(),
        profile: None,
        source_pointer: input.document(manifest, &pointer).and_then(|d| manifest.source_pointer(d, &pointer)),
        part: Part::Value,
        span: input.locate(manifest, &pointer, &Part::Value),
        message: change.message.clone(),
        evidence: None,
        witness: change.witness.clone(),
        impact: info.impact,
        help: info.help.to_string(),
        fingerprint: String::new(),
        suppressed: change.suppressed.clone(),
        pointer,
    })
}
