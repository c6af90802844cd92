//! `--show-hidden`: texts as a person sees them beside what an agent reads.

use super::human::{BOLD, DIM, Look};
use super::screen::safe;
use crate::lint::{HiddenText, LintedFile};
use std::fmt::Write as _;

/// All hidden text of `files`, safe for the screen.
#[must_use]
pub fn render(files: &[LintedFile], look: Look) -> String {
    let mut out = String::new();
    for manifest in files.iter().flat_map(|f| &f.manifests) {
        if manifest.hidden.is_empty() {
            let path = safe(&manifest.path);
            let _ = writeln!(
                out,
                "{}",
                look.wrap("", "  ", &format!("{path}: a person sees all that an agent reads"))
            );
            continue;
        }
        let _ = writeln!(out, "{}", look.paint(BOLD, &format!("{}: hidden text", safe(&manifest.path))));
        for text in &manifest.hidden {
            one(&mut out, text, look);
        }
    }
    out
}

fn one(out: &mut String, text: &HiddenText, look: Look) {
    let whose = text.tool.as_deref().map_or(String::new(), |name| format!("{} · ", safe(name)));
    let title = format!("{whose}{}", safe(&text.pointer));
    let _ = writeln!(out, "\n{}", look.wrap("  ", "    ", &look.paint(BOLD, &title)));
    let mut line = |label: &str, what: &str| {
        let label = look.paint(DIM, &format!("{label:<14}"));
        let _ = writeln!(out, "{}", look.wrap("    ", "        ", &format!("{label} {}", safe(what))));
    };
    line("hidden", &text.revealed.how.join("; "));
    line("a person sees", &text.revealed.seen);
    line("an agent gets", &text.revealed.sent);
    for (how, says) in &text.revealed.says {
        line("which says", &format!("{says} ({how})"));
    }
    if text.revealed.exhausted {
        line("not decoded", "more than four layers or 1 MB");
    }
}
