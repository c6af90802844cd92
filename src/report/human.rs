//! The report for people: grouped by tool, each finding with an excerpt of the manifest, repeats
//! folded, and a last line that says what to do next.

mod finding;
mod fold;
mod summary;

use super::screen::{safe, without_commands};
use crate::error::InputError;
use crate::finding::Severity;
use crate::lint::{LintedFile, LintedManifest};
use anstyle::{AnsiColor, Style};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// How the report looks.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// Columns of the screen.
    pub width: usize,
    pub colour: bool,
}

/// Narrower screens get lines that the terminal breaks.
pub const MIN_WIDTH: usize = 40;
/// Longer lines are hard to read, on however wide a screen.
pub const MAX_WIDTH: usize = 120;

impl Look {
    /// A look for a screen of `width` columns, within [`MIN_WIDTH`] and [`MAX_WIDTH`].
    #[must_use]
    pub fn new(width: usize, colour: bool) -> Look {
        Look { width: width.clamp(MIN_WIDTH, MAX_WIDTH), colour }
    }

    /// `text` in `style`, or as it is without colour.
    pub(super) fn paint(&self, style: Style, text: &str) -> String {
        if self.colour { format!("{style}{text}{style:#}") } else { text.to_string() }
    }

    /// `text` wrapped to the width, the first line behind `first`, the others behind `rest`.
    pub(super) fn wrap(&self, first: &str, rest: &str, text: &str) -> String {
        // Rule ids are copied: they are not broken at their hyphens.
        // The algorithm is named: what another crate of the build asks of textwrap must not change a line.
        let options = textwrap::Options::new(self.width)
            .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit)
            .initial_indent(first)
            .subsequent_indent(rest)
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        let filled = textwrap::fill(text, &options);
        let fits = |line: &str| textwrap::core::display_width(line) <= self.width;
        if filled.lines().all(fits) {
            return filled;
        }
        // A word that fits behind `rest`, but not behind `first`, is broken only where no line has more room.
        let behind = " ".repeat(textwrap::core::display_width(first));
        textwrap::fill(text, options.subsequent_indent(&behind))
    }
}

pub(super) const BOLD: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();

pub(super) fn style_of(severity: Severity) -> Style {
    let colour = match severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Info => AnsiColor::Cyan,
    };
    colour.on_default().bold()
}

pub(super) fn word_of(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

/// The report as text that is safe for the screen. `errors` are counted, not shown: they are said on
/// stderr.
#[must_use]
pub fn render(files: &[LintedFile], errors: &[InputError], look: Look) -> String {
    let mut out = String::new();
    for file in files {
        let with_findings = |m: &&LintedManifest| m.findings.iter().any(|f| f.suppressed.is_none());
        for manifest in file.manifests.iter().filter(with_findings) {
            if !out.is_empty() {
                out.push_str("\n\n");
            }
            render_manifest(&mut out, manifest, file, look);
        }
    }
    summary::render(&mut out, files, errors, look);
    without_commands(out)
}

fn render_manifest(out: &mut String, manifest: &LintedManifest, file: &LintedFile, look: Look) {
    let _ = writeln!(out, "{}", heading(manifest, look));
    let folded = fold::fold(manifest);
    let mut explained = BTreeSet::new();
    for group in &folded.groups {
        let _ = writeln!(out, "\n{}\n", look.wrap("", "  ", &look.paint(BOLD, &group.title)));
        for (i, shown) in group.shown.iter().enumerate() {
            if i > 0 {
                out.push('\n');
            }
            // What to do is said once a rule; the excerpts make the report long enough.
            let with_help = explained.insert(shown.finding.rule.as_str());
            let document = file.document(manifest, shown.finding);
            finding::render(out, shown.finding, document, with_help, look);
            if let Some(more) = &shown.more {
                let _ = writeln!(out, "{}", look.wrap("    ", "    ", &look.paint(DIM, more)));
            }
        }
    }
    if !folded.elsewhere.is_empty() {
        let _ = writeln!(out, "\n{}\n", look.paint(BOLD, "more of the same"));
        for line in &folded.elsewhere {
            let word = look.paint(style_of(line.severity), word_of(line.severity));
            let text = format!("{word}[{}]: {}", line.rule, line.text);
            let _ = writeln!(out, "{}", look.wrap("  ", "    ", &text));
        }
    }
}

fn heading(manifest: &LintedManifest, look: Look) -> String {
    let tools = summary::count(manifest.tools.len(), "tool");
    let path = look.paint(BOLD, &safe(&manifest.path));
    let text = match &manifest.server {
        Some(server) => format!("{path}: {tools} of `{}`", safe(server)),
        None => format!("{path}: {tools}"),
    };
    look.wrap("", "  ", &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_longer_than_the_screen_and_no_letter_is_lost() {
        let look = Look::new(60, false);
        // 44 columns fit behind 6, 50 fit behind 6 but not behind 14, 120 fit nowhere.
        for length in [44, 50, 120] {
            let word = "x".repeat(length);
            let text = look.wrap("    evidence: ", "      ", &word);
            assert!(text.lines().all(|l| l.len() <= 60), "{text}");
            assert_eq!(text.matches('x').count(), length);
        }
        assert_eq!(look.wrap("  a: ", "    ", "b c"), "  a: b c");
    }
}
