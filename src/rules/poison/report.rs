//! From a weighed window to a finding: what was seen, where, in which layer, and why it is too much.

use super::assess::Assessment;
use super::evidence::Observation;
use super::score::{self, THRESHOLD, Window, weight};
use super::signal::{Lead, Signal};
use crate::finding::{Finding, Part, Severity};
use crate::rules::{ManifestView, Sink, ToolView, say};
use crate::text::layer::Layer;
use crate::text::{Role, Surface};
use std::collections::BTreeMap;
use std::ops::Range;

/// The share of a window's weight from which a lead is reported beside the first one.
const OWN_SHARE: f64 = 0.5;
/// The sum from which nobody would want the tool.
pub const REFUSE: f64 = 3.5;

/// Report the windows of `tool` that lead to `lead`.
pub fn tool(lead: Lead, tool: &ToolView<'_>, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
    report(lead, tool.surfaces(), tool.assessment(manifest), &say::tool(tool), out);
}

/// Report the windows of the listing's other texts that lead to `lead`.
pub fn listing(lead: Lead, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
    report(lead, manifest.surfaces(), manifest.assessment(), "the server", out);
}

fn report(lead: Lead, surfaces: &[Surface<'_>], assessment: &Assessment, whose: &str, out: &mut Sink<'_>) {
    // The gravest window of each text.
    let mut best: BTreeMap<usize, &Window> = BTreeMap::new();
    for window in assessment.windows.iter().filter(|w| is_reported(w, lead)) {
        let slot = best.entry(window.surface).or_insert(window);
        if window.score > slot.score {
            *slot = window;
        }
    }
    for window in best.into_values() {
        let Some(surface) = surfaces.get(window.surface) else { continue };
        emit(lead, window, surface, assessment, whose, out);
    }
}

/// A window that weighs enough is reported by its first lead, and by others that weigh half as much as it must.
fn is_reported(window: &Window, lead: Lead) -> bool {
    window.score >= THRESHOLD
        && score::leads(window)
            .iter()
            .enumerate()
            .any(|(i, (found, share))| *found == lead && (i == 0 || *share >= OWN_SHARE))
}

fn emit(
    lead: Lead,
    window: &Window,
    surface: &Surface<'_>,
    assessment: &Assessment,
    whose: &str,
    out: &mut Sink<'_>,
) {
    let Some(layers) = assessment.evidence.layers.get(window.surface) else { return };
    let Some(layer) = layers.layers.get(window.layer) else { return };
    let seen: Vec<&Observation> =
        window.observations.iter().filter_map(|&i| assessment.evidence.observations.get(i)).collect();
    let leading: Vec<&&Observation> = seen.iter().filter(|o| o.signal.lead() == Some(lead)).collect();
    let Some(own) = union(leading.iter().map(|o| o.range.clone())) else { return };

    let mut parts: Vec<String> = Vec::new();
    let mut named = Vec::new();
    for (signal, job) in &window.features {
        let heavy = weight((*signal, *job)) >= 0.1;
        let place = seen.iter().find(|o| o.signal == *signal);
        if heavy && !named.contains(signal) {
            named.push(*signal);
            parts.push(match place {
                Some(o) => format!(
                    "{} ({})",
                    signal.meaning(),
                    say::quoted(layer.text.get(o.range.clone()).unwrap_or(""))
                ),
                None => signal.meaning().to_string(),
            });
        }
    }
    let veils: Vec<&str> =
        leading.first().map(|o| o.veils.iter().map(|v| v.phrase()).collect()).unwrap_or_default();
    let hidden = if veils.is_empty() { String::new() } else { format!(", {}", veils.join(", ")) };
    let message = format!(
        "{} of {whose} gives the agent orders{hidden}: it {}. {} Evidence weighs {:.2} (1 is reported)",
        surface.role.noun(),
        parts.join("; it "),
        beyond(window, surface.role),
        window.score,
    );
    let finding = out.emit(surface.pointer.clone(), message);
    place(finding, surface, layer, &own);
    finding.severity = severity(lead, window, surface.role);
}

/// Why that is more than the tool's job.
fn beyond(window: &Window, role: Role) -> &'static str {
    let (mut within, mut strange) = (false, false);
    for (signal, job) in window.features.iter().filter(|(signal, _)| signal.lead().is_some()) {
        within |= job;
        strange |= !job && weight((*signal, false)) > 0.0;
    }
    match (within, strange) {
        _ if matches!(role, Role::Instructions | Role::Prompt | Role::Resource) => {
            "A listing needs none of it to say what its tools are for."
        }
        (false, _) => "Its name, parameters and opening say nothing of the kind: its job does not need it.",
        (true, true) => {
            "Its name, parameters and opening speak of a part of that only: the rest is more than its job."
        }
        (true, false) => "That is near its job, by its name, parameters and opening, but more than it needs.",
    }
}

/// Where `own` of the layer stands in the surface, and what a model reads there.
pub fn place(finding: &mut Finding, surface: &Surface<'_>, layer: &Layer, own: &Range<usize>) {
    let range = layer.source_range(own);
    // Veiled letters are shown as they are read.
    let read =
        || layer.text.get(own.clone()).filter(|_| layer.veils(own).iter().any(|veil| veil.is_of_letters()));
    let open = || read().unwrap_or(surface.text.get(range.clone()).unwrap_or(surface.text)).to_string();
    finding.evidence = Some(layer.decoded.clone().unwrap_or_else(open));
    finding.part = part(surface, range);
}

/// An error is what a reviewer would refuse on sight: a heap of evidence, or a secret's place in a tool
/// that has no business there.
fn severity(lead: Lead, window: &Window, role: Role) -> Severity {
    let strange = |signal| window.features.contains(&(signal, false));
    let secret = lead == Lead::CredentialPath && (strange(Signal::SecretPath) || strange(Signal::ReadSecret));
    // Advertising is a nuisance, whatever it weighs.
    let heap = window.score >= REFUSE && role != Role::ToolName && lead != Lead::Preference;
    if secret || heap { Severity::Error } else { Severity::Warning }
}

/// The part of a surface's value, or of its key.
#[must_use]
pub fn part(surface: &Surface<'_>, range: Range<usize>) -> Part {
    match surface.part {
        Part::Key | Part::KeyRange(_) => Part::KeyRange(range),
        _ => Part::Range(range),
    }
}

fn union(ranges: impl Iterator<Item = Range<usize>>) -> Option<Range<usize>> {
    ranges.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))
}
