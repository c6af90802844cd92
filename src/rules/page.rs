//! A rule's page, from the rule's own text: what `docs/rules/` holds and `verity explain` shows.

use super::RuleInfo;
use crate::finding::{Confidence, Impact, Severity};
use std::fmt::Write;

/// The page of one rule, in Markdown.
#[must_use]
pub fn page(info: &RuleInfo) -> String {
    let mut out = format!("# {}\n\n{}.\n\n", info.id, info.summary);
    let severity = severity(info.severity);
    let confidence = confidence(info.confidence);
    let _ =
        writeln!(out, "Severity **{severity}** · confidence **{confidence}** · {}\n", impact(info.impact));
    let _ = writeln!(out, "## Why\n\n{}\n", info.rationale.trim());
    let _ = writeln!(out, "## What to do\n\n{}.\n", info.help);
    let _ = writeln!(out, "## Example\n\nReported:\n\n```json\n{}\n```\n", info.bad.trim());
    let _ = writeln!(out, "Quiet:\n\n```json\n{}\n```", info.good.trim());
    if !info.sources.is_empty() {
        out.push_str("\n## Sources\n\n");
        for source in info.sources {
            let link = source.starts_with("http");
            let _ = if link { writeln!(out, "- <{source}>") } else { writeln!(out, "- {source}") };
        }
    }
    out
}

/// The table of all rules, in Markdown, family by family.
#[must_use]
pub fn index() -> String {
    let mut out = String::from(
        "# Rules\n\nEvery rule of `verity lint`. `verity explain RULE` shows the same pages in the terminal. The severity is the usual \
         one; a finding can carry another where its page says so.\n",
    );
    for family in super::families() {
        let _ = write!(
            out,
            "\n## {family}\n\n| Rule | Severity | Confidence | What it finds |\n|---|---|---|---|\n"
        );
        for info in super::all().map(|r| r.info()).filter(|i| i.family() == family) {
            let (severity, confidence) = (severity(info.severity), confidence(info.confidence));
            let summary = info.summary.replace('|', "\\|");
            let _ = writeln!(out, "| [{0}]({0}.md) | {severity} | {confidence} | {summary} |", info.id);
        }
    }
    out
}

/// As reports write it.
#[must_use]
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

/// As reports write it.
#[must_use]
pub fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::High => "high",
        Confidence::Medium => "medium",
        Confidence::Low => "low",
    }
}

/// What an impact means, as the end of a line of facts.
#[must_use]
pub fn impact(impact: Impact) -> &'static str {
    match impact {
        Impact::Tool => "the tool cannot be used, or not as meant",
        Impact::Server => "strict clients drop all tools of the server",
        Impact::Request => "the model API refuses the whole request",
        Impact::Constraint => "something is silently lost",
        Impact::Agent => "the agent, or its host, is led astray",
    }
}
