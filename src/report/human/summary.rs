//! The last lines of the report: how much was found in how much, and what to do next.

use super::{BOLD, Look, style_of};
use crate::error::{ErrorCode, InputError};
use crate::finding::Severity;
use crate::lint::LintedFile;
use crate::report::json::Summary;
use crate::report::screen::safe;
use std::fmt::Write as _;

/// "1 tool", "3 tools".
pub(super) fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

pub(super) fn render(out: &mut String, files: &[LintedFile], errors: &[InputError], look: Look) {
    if files.is_empty() {
        // Nothing was judged; what is wrong is said on stderr, and no line here may sound like success.
        return;
    }
    let sum = Summary::of(files);
    let found = sum.error + sum.warning + sum.info;
    if found > 0 {
        out.push('\n');
    }
    let _ = writeln!(out, "{}", look.wrap("", "", &verdict(files, &sum, look)));
    let _ = writeln!(out, "{}", look.wrap("", "", &next(files, &sum)));
    let unjudged = errors.iter().filter(|e| e.code != ErrorCode::Incomplete).count();
    let incomplete = errors.len() - unjudged;
    if unjudged > 0 {
        let text = format!("{} could not be judged: see the errors.", count(unjudged, "input"));
        let _ = writeln!(out, "{}", look.wrap("", "", &look.paint(style_of(Severity::Error), &text)));
    }
    if incomplete > 0 {
        let text = format!(
            "{} incomplete: what the missing tools hold is not judged.",
            if incomplete == 1 { "1 listing is".to_string() } else { format!("{incomplete} listings are") }
        );
        let _ = writeln!(out, "{}", look.wrap("", "", &look.paint(style_of(Severity::Error), &text)));
    }
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
fn next(files: &[LintedFile], sum: &Summary) -> String {
    let findings = || files.iter().flat_map(|f| &f.manifests).flat_map(|m| &m.findings);
    // The first of the gravest findings is the one to begin with.
    let gravest = findings().filter(|f| f.suppressed.is_none()).map(|f| f.severity).max();
    let first = findings().find(|f| f.suppressed.is_none() && Some(f.severity) == gravest);
    let Some(first) = first else {
        return "The definitions are sound as far as they can be read; what the tools do when they are \
                called is not judged. Next: `verity agent-tasks` exports tasks that measure agents on them."
            .to_string();
    };
    let explain = format!("`verity explain {}` says why it matters and how to repair it", first.rule);
    match gravest {
        Some(Severity::Error) if sum.error > 1 => format!("Repair the errors first: {explain}."),
        Some(Severity::Error) => format!("Repair the error first: {explain}."),
        _ => format!("Nothing here is an error. {explain}; `--ignore RULE` leaves a rule out."),
    }
}
