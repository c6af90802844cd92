//! The page of `verity gate`: the verdict on top, then what each step found.

use super::text::visible_up_to;
use super::{count, diff, lint, page};
use crate::gate::{Comparison, Exports, Gate, Status};
use std::fmt::Write as _;

/// Reasons of a step that are shown.
const MOST: usize = 12;

/// The report.
#[must_use]
pub fn gate(gate: &Gate) -> String {
    let passed = gate.verdict.passed();
    let (class, verdict) =
        if passed { ("passed", "Ready to release") } else { ("failed", "Not ready to release") };
    let mut body = format!(
        "<header><p class=\"brand\">verity gate</p><h1>Release gate</h1><p class=\"verdict {class}\">{verdict}</p></header>\n\
         <main id=\"main\">\n<ol class=\"steps\">"
    );
    for part in &gate.verdict.parts {
        let class = match part.status {
            Status::Passed => "passed",
            Status::Skipped => "skipped",
            Status::Failed | Status::NotJudged => "failed",
        };
        let _ = write!(
            body,
            "<li class=\"{class}\"><h2>{} <span class=\"badge\">{}</span></h2><p>{}</p>",
            part.step.name(),
            part.status.name(),
            visible_up_to(&part.summary, 500)
        );
        if !part.reasons.is_empty() {
            body.push_str("<ul>");
            for reason in part.reasons.iter().take(MOST) {
                let rule = reason
                    .rule
                    .as_deref()
                    .map(|r| format!("<code>{}</code> ", visible_up_to(r, 80)))
                    .unwrap_or_default();
                let tool = reason
                    .tool
                    .as_deref()
                    .map(|t| format!("<b>{}</b>: ", visible_up_to(t, 80)))
                    .unwrap_or_default();
                let _ = write!(body, "<li>{rule}{tool}{}</li>", visible_up_to(&reason.message, 300));
            }
            if part.reasons.len() > MOST {
                let _ = write!(body, "<li>… and {} more</li>", part.reasons.len() - MOST);
            }
            body.push_str("</ul>");
        }
        body.push_str("</li>");
    }
    body.push_str("</ol>\n");
    if let Comparison::Made { old, new, diff, .. } = &gate.comparison
        && !diff.changes.is_empty()
    {
        let _ = writeln!(body, "<h2>Changes: {} → {}</h2>", visible_up_to(old, 200), visible_up_to(new, 200));
        diff::section(&mut body, diff);
    }
    if let Exports::Made(packs) = &gate.exports {
        body.push_str("<h2>Packs</h2><ul class=\"packs\">");
        for pack in packs {
            let _ = write!(
                body,
                "<li><b>{}</b>: {}, {} skipped, {}</li>",
                visible_up_to(&pack.name, 100),
                count(pack.tasks, "task"),
                pack.skipped.len(),
                count(pack.problems.len(), "problem")
            );
        }
        body.push_str("</ul>\n");
    }
    body.push_str("<h2>Findings</h2>\n");
    lint::section(&mut body, &gate.lint.files, &gate.lint.errors);
    body.push_str("</main>\n");
    page(&format!("verity gate: {}", verdict.to_lowercase()), &body)
}
