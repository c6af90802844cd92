//! A summary in Markdown, for a comment on a pull request or a step summary. What a manifest says stays
//! text: it cannot become markup, a link or a mention.

use super::findings;
use super::json::Summary;
use crate::error::InputError;
use crate::finding::{Finding, Severity};
use crate::lint::LintedFile;
use crate::markdown::{text, text_up_to};
use crate::rules::page;
use std::fmt::Write as _;

/// Findings in the table; a comment may have 65,536 characters.
const MOST: usize = 60;
/// Characters of a message.
const MESSAGE: usize = 300;

/// The summary.
#[must_use]
pub fn render(files: &[LintedFile], errors: &[InputError]) -> String {
    let sum = Summary::of(files);
    let manifests: Vec<_> = files.iter().flat_map(|f| &f.manifests).collect();
    let tools: usize = manifests.iter().map(|m| m.tools.len()).sum();
    let mut out = String::from("## verity\n\n");
    let _ = writeln!(
        out,
        "**{}**, {}, {} info in {} of {}{}.",
        count(sum.error, "error"),
        count(sum.warning, "warning"),
        sum.info,
        count(tools, "tool"),
        match manifests.as_slice() {
            [one] => text(&one.path),
            many => count(many.len(), "manifest"),
        },
        if sum.suppressed > 0 { format!(" ({} suppressed)", sum.suppressed) } else { String::new() }
    );
    for error in errors {
        let _ = writeln!(out, "\nNot judged, or not wholly: {}", text_up_to(&error.to_string(), MESSAGE));
    }
    let mut rows: Vec<(&str, &Finding)> = findings(files)
        .filter(|(_, _, f)| f.suppressed.is_none())
        .map(|(_, m, f)| (m.path.as_str(), f))
        .collect();
    if rows.is_empty() {
        return out;
    }
    // The gravest first, each level in the order of the file.
    rows.sort_by_key(|(_, f)| std::cmp::Reverse(f.severity));
    let many = manifests.len() > 1;
    out.push_str(if many {
        "\n| | Manifest | Tool | Rule | What |\n|---|---|---|---|---|\n"
    } else {
        "\n| | Tool | Rule | What |\n|---|---|---|---|\n"
    });
    for (path, finding) in rows.iter().take(MOST) {
        let manifest = if many { format!(" {} |", text(path)) } else { String::new() };
        let line = finding.span.map(|s| format!(" (line {})", s.line)).unwrap_or_default();
        let tool = finding.tool.as_deref().map_or_else(|| "the listing".to_string(), text);
        let _ = writeln!(
            out,
            "| {} |{manifest} {tool} | `{}` | {}{line} |",
            mark(finding.severity),
            finding.rule,
            text_up_to(&finding.message, MESSAGE)
        );
    }
    if rows.len() > MOST {
        let _ = writeln!(out, "\n… and {} more.", rows.len() - MOST);
    }
    out.push_str("\n`verity explain RULE` says why a rule exists and what to do.\n");
    out
}

fn mark(severity: Severity) -> String {
    match severity {
        Severity::Error => format!("**{}**", page::severity(severity)),
        other => page::severity(other).to_string(),
    }
}

fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}
