//! The README of a pack. What a manifest says is shown as text: it cannot become markup, a link or
//! a table row, and a flagged text is never repeated.

use super::export::Pack;
use super::task::{ReasonCode, Skipped, Travelling};
use crate::markdown::{text, text_up_to};
use crate::pack::targets::tooltrace::Source;
use crate::rules::say::count;
use std::fmt::Write as _;

/// Longest reason, which is mostly our own words.
const MAX_REASON_CHARS: usize = 400;

/// The README's text, without a marker.
#[must_use]
pub fn render(pack: &Pack, source: &Source<'_>) -> String {
    let mut out = String::new();
    head(&mut out, pack, source);
    floor(&mut out, pack);
    tasks(&mut out, pack);
    left_out(&mut out, &pack.skipped);
    findings(&mut out, &pack.findings);
    out.push_str(HOW_TO);
    out
}

const HOW_TO: &str = "\n## Use\n\n`verity task validate .` checks the files against the task schema, `verity task test .` replays every\n\
     reference solution and every negative control. A runner of the task format (tooltrace-bench, 2026-09-11) takes\n\
     this folder as it is. Do not edit the files: `verity agent-tasks --check` would report them as changed.\n";

fn head(out: &mut String, pack: &Pack, source: &Source<'_>) {
    let _ = writeln!(out, "# Pack {}\n", text(&pack.name));
    let _ = writeln!(
        out,
        "Each task gives an agent a tool definition and asks for the arguments of one call that the tool's\n\
         inputSchema accepts. Exported by `verity agent-tasks`; the same listing, seed and version of verity give the same bytes.\n"
    );
    if let Some(server) = &pack.server {
        let _ = writeln!(out, "- Server: {}", text(server));
    }
    let _ = writeln!(out, "- Source: listing with digest {}", text(source.digest));
    let _ = writeln!(out, "- Seed: {}", text(source.seed));
    let _ = writeln!(out, "- verity: {}", text(source.verity));
    let _ = writeln!(out, "- Tasks: {}; tools left out: {}", pack.tasks.len(), pack.skipped.len());
}

fn tasks(out: &mut String, pack: &Pack) {
    out.push_str(
        "\n## Tasks\n\n| Task | Tool | Difficulty | Constraints | Controls |\n|---|---|---|---:|---:|\n",
    );
    for task in &pack.tasks {
        let tool = if task.poisoning_rules.is_empty() {
            text(&task.tool)
        } else {
            format!("{} (flagged)", text(&task.tool))
        };
        let _ = writeln!(
            out,
            "| {} | {tool} | {} | {} | {} |",
            text(&task.name),
            task.difficulty.as_str(),
            task.constraints,
            task.controls.len()
        );
    }
}

fn left_out(out: &mut String, skipped: &[Skipped]) {
    if skipped.is_empty() {
        return;
    }
    out.push_str("\n## Tools left out\n\n| Tool | Reason | Why |\n|---|---|---|\n");
    for left in skipped {
        let tool = match &left.tool {
            Some(name) if !left.hides_name => text(name),
            _ => format!("tool {} of the listing", left.index + 1),
        };
        let why = match left.reason_code {
            ReasonCode::Flagged => format!("{}: {}", left.rules.join(", "), left.reason),
            _ => left.reason.clone(),
        };
        let _ = writeln!(
            out,
            "| {tool} | {} | {} |",
            left.reason_code.as_str(),
            text_up_to(&why, MAX_REASON_CHARS)
        );
    }
}

fn findings(out: &mut String, findings: &[Travelling]) {
    if findings.is_empty() {
        return;
    }
    out.push_str("\n## Findings on the listing\n\n| Rule | Severity | Place |\n|---|---|---|\n");
    for finding in findings {
        let ignored = if finding.is_suppressed { " (ignored)" } else { "" };
        let place =
            if finding.pointer.is_empty() { "the listing".to_string() } else { text(&finding.pointer) };
        let _ = writeln!(out, "| {} | {}{ignored} | {place} |", text(&finding.rule), finding.severity);
    }
    out.push_str("\n`verity explain RULE` says what a rule means.\n");
}

/// Before the tasks: who sees a score of this pack should know first what it is worth.
fn floor(out: &mut String, pack: &Pack) {
    let (best, tasks) = (pack.floor.best(), pack.floor.tasks);
    out.push_str("\n## Floor\n\n");
    let _ = match best {
        0 => writeln!(out, "An agent that reads nothing passes none of the {}.\n", count(tasks, "task")),
        _ => writeln!(out, "An agent that reads nothing passes {best} of {}.\n", count(tasks, "task")),
    };
    if let Some(means) = pack.floor.meaning() {
        let _ = writeln!(out, "**This floor is high**: {means}.\n");
    }
    out.push_str("| Agent that reads nothing | Passed |\n|---|---:|\n");
    for baseline in &pack.floor.baselines {
        let what = match baseline.name {
            "empty-object" => "answers `{}`",
            "required-zero" => "gives each required key a zero value of its type",
            _ => "gives the schema's own examples and defaults",
        };
        let _ = writeln!(out, "| {what} | {} of {tasks} |", baseline.passed);
    }
}
