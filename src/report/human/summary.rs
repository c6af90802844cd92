//! The last lines of the report: how much was found in how much, and what to do next.

use super::{BOLD, Look, style_of};
use crate::error::{ErrorCode, InputError};
use crate::finding::{Finding, Severity};
use crate::lint::LintedFile;
use crate::report::json::Summary;
use crate::report::screen::safe;
use crate::rules;
use std::fmt::Write as _;

/// "1 tool", "3 tools".
pub(super) fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

pub(super) fn render(out: &mut String, files: &[LintedFile], errors: &[InputError], look: Look) {
    let sum = Summary::of(files);
    if sum.error + sum.warning + sum.info > 0 {
        out.push('\n');
    }
    let mut line = |text: &str| {
        let _ = writeln!(out, "{}", look.wrap("", "", text));
    };
    if files.is_empty() {
        // No line here may sound like success.
        return line("Nothing was judged: see the errors.");
    }
    line(&verdict(files, &sum, look));
    let caveats = caveats(files, errors);
    match first_of_the_gravest(files) {
        Some(first) => line(&next(first, &sum)),
        None if files.iter().flat_map(|f| &f.manifests).any(|m| m.is_probe) => {}
        None if caveats.is_empty() => line(CLEAN),
        None => {}
    }
    for caveat in &caveats {
        line(&look.paint(style_of(Severity::Warning), caveat));
    }
}

/// What a lint without findings says, and what it does not.
const CLEAN: &str = "The definitions are sound as far as they can be read; what the tools do when they are called is \
                     not judged. Next: `verity agent-tasks` exports tasks that measure agents on them.";

/// What the report does not cover, so that no one takes it for more than it is.
fn caveats(files: &[LintedFile], errors: &[InputError]) -> Vec<String> {
    let mut caveats = Vec::new();
    let incomplete = errors.iter().filter(|e| e.code == ErrorCode::Incomplete).count();
    match errors.len() - incomplete {
        0 => {}
        n => caveats.push(format!("{} could not be judged: see the errors.", count(n, "input"))),
    }
    match incomplete {
        0 => {}
        1 => caveats.push("1 listing is incomplete: the tools that are missing are not judged.".to_string()),
        n => caveats.push(format!("{n} listings are incomplete: the tools that are missing are not judged.")),
    }
    let manifests = || files.iter().flat_map(|f| &f.manifests);
    if let Some(kind) = manifests().find_map(|m| m.partial) {
        caveats.push(format!("Schemas are not judged where the file holds none: {kind}."));
    }
    let (ran, all) = (manifests().map(|m| m.rules).max().unwrap_or(0), rules::core().count());
    if ran < all && !manifests().any(|m| m.is_probe) {
        caveats.push(format!("Only {ran} of {all} rules ran."));
    }
    caveats
}

/// The finding to begin with.
fn first_of_the_gravest(files: &[LintedFile]) -> Option<&Finding> {
    let findings = || files.iter().flat_map(|f| &f.manifests).flat_map(|m| &m.findings);
    let counted = || findings().filter(|f| f.suppressed.is_none());
    let gravest = counted().map(|f| f.severity).max()?;
    counted().find(|f| f.severity == gravest)
}

fn verdict(files: &[LintedFile], sum: &Summary, look: Look) -> String {
    let manifests: Vec<_> = files.iter().flat_map(|f| &f.manifests).collect();
    let tools: usize = manifests.iter().map(|m| m.tools.len()).sum();
    let of = match manifests.as_slice() {
        [one] => format!("{} of {}", count(tools, "tool"), safe(&one.path)),
        many => format!("{} of {}", count(tools, "tool"), count(many.len(), "manifest")),
    };
    let parts: Vec<String> = [
        (sum.error, "error", Severity::Error),
        (sum.warning, "warning", Severity::Warning),
        (sum.info, "info", Severity::Info),
    ]
    .into_iter()
    .filter(|(n, ..)| *n > 0)
    .map(|(n, noun, severity)| look.paint(style_of(severity), &count(n, noun)))
    .collect();
    let found = match parts.is_empty() {
        true => look.paint(BOLD, "no findings"),
        false => parts.join(", "),
    };
    let suppressed = match sum.suppressed {
        0 => String::new(),
        n => format!(" ({n} suppressed)"),
    };
    format!("{found} in {of}{suppressed}.")
}

/// What to do next.
fn next(first: &Finding, sum: &Summary) -> String {
    let explain = format!("`verity explain {}` says why it matters and how to repair it", first.rule);
    match sum.error {
        0 => format!("Nothing here is an error. {explain}; `--ignore RULE` leaves a rule out."),
        1 => format!("Repair the error first: {explain}."),
        _ => format!("Repair the errors first: {explain}."),
    }
}
