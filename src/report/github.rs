//! Annotations of GitHub Actions: workflow commands on standard output
//! (<https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>).

use super::screen::safe;
use super::{file_of, findings, path};
use crate::error::InputError;
use crate::finding::Severity;
use crate::lint::LintedFile;
use std::fmt::Write as _;

/// GitHub shows ten annotations of each level in a step and drops the rest.
pub const PER_LEVEL: usize = 10;

/// The commands, gravest first; what is beyond GitHub's limit is counted in one more.
#[must_use]
pub fn render(files: &[LintedFile], errors: &[InputError], base: &str) -> String {
    let mut out = String::new();
    for error in errors.iter().take(PER_LEVEL) {
        let place = error.path.as_deref().map(|p| format!("file={},", property(&path::relative(p, base))));
        let line = error.line.map(|l| format!("line={l},")).unwrap_or_default();
        let _ = writeln!(
            out,
            "::error {}{line}title=verity::{}",
            place.unwrap_or_default(),
            data(&error.to_string())
        );
    }
    let mut left_out: Vec<String> = Vec::new();
    for (severity, command, noun) in [
        (Severity::Error, "error", "error"),
        (Severity::Warning, "warning", "warning"),
        (Severity::Info, "notice", "info"),
    ] {
        let all: Vec<_> =
            findings(files).filter(|(_, _, f)| f.suppressed.is_none() && f.severity == severity).collect();
        // One place of the last level is kept for the line that counts the rest.
        let room = match severity {
            Severity::Error => PER_LEVEL.saturating_sub(errors.len()),
            Severity::Warning => PER_LEVEL,
            Severity::Info => PER_LEVEL - 1,
        };
        for (file, manifest, finding) in all.iter().take(room) {
            let name = property(&path::relative(file_of(file, manifest, finding), base));
            let place = finding.span.map(|s| {
                let end =
                    if s.line == s.end_line { format!(",endColumn={}", s.end_column) } else { String::new() };
                format!(",line={},endLine={},col={}{end}", s.line, s.end_line, s.column)
            });
            let place = place.unwrap_or_default();
            let title = property(&finding.rule);
            let _ = writeln!(out, "::{command} file={name}{place},title={title}::{}", data(&finding.message));
        }
        match all.len().saturating_sub(room) {
            0 => {}
            1 => left_out.push(format!("1 {noun}")),
            n if severity == Severity::Info => left_out.push(format!("{n} {noun}")),
            n => left_out.push(format!("{n} {noun}s")),
        }
    }
    if !left_out.is_empty() {
        let is =
            if left_out.len() == 1 && left_out.iter().all(|n| n.starts_with("1 ")) { "is" } else { "are" };
        let text = format!(
            "{} more {is} not shown as annotations: GitHub shows ten of a level. --summary puts them all into the step's summary.",
            left_out.join(", ")
        );
        let _ = writeln!(out, "::notice title=verity::{}", data(&text));
    }
    match findings(files).filter(|(_, _, f)| f.suppressed.is_some()).count() {
        0 => {}
        n => {
            let noun = if n == 1 { "finding is" } else { "findings are" };
            let text = format!("{n} {noun} suppressed by verity.yaml or a baseline");
            let _ = writeln!(out, "::notice title=verity::{}", data(&text));
        }
    }
    out
}

/// The text behind `::`.
fn data(text: &str) -> String {
    safe(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
