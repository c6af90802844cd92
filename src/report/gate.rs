//! The gate's verdict: for people, for programs, for a step summary or a comment. The formats that CI reads are
//! those of lint.

use super::human::{BOLD, Look};
use super::json::{self, SCHEMA_VERSION};
use super::{Format, Setting, screen};
use crate::gate::{Comparison, Exports, Gate, Part, Reason, Status, Step, TestedPack};
use crate::markdown::{text, text_up_to};
use crate::report::diff;
use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Reasons of a part that are shown before the rest is counted; the JSON report has all.
const MOST: usize = 12;
/// Characters of a reason.
const LONG: usize = 240;

/// The report in `format`, with a final line feed.
#[must_use]
pub fn render(format: Format, gate: &Gate, setting: Setting<'_>) -> String {
    match format {
        Format::Human => human(gate, setting.look),
        Format::Json => json(gate),
        Format::Markdown => markdown(gate),
        Format::Html => super::html::gate(gate),
        Format::Sarif | Format::Junit | Format::Github => {
            format.render(&gate.annotated(), &gate.errors(), setting)
        }
    }
}

/// The verdict in a line.
fn conclusion(gate: &Gate) -> String {
    let parts = |status: Status| {
        let of = gate.verdict.parts.iter().filter(move |p| p.status == status);
        of.map(|p| p.step.name()).collect::<Vec<_>>().join(", ")
    };
    match gate.verdict.status() {
        Status::Passed | Status::Skipped => match parts(Status::Skipped) {
            skipped if skipped.is_empty() => "passed".to_string(),
            skipped => format!("passed ({skipped} skipped)"),
        },
        Status::Failed => format!("failed: {}", parts(Status::Failed)),
        Status::NotJudged => match parts(Status::Failed) {
            failed if failed.is_empty() => {
                format!("not passed: {} could not be judged", parts(Status::NotJudged))
            }
            failed => {
                format!("not passed: {} could not be judged, {failed} failed", parts(Status::NotJudged))
            }
        },
    }
}

/// The report as text that is safe for the screen; the verdict is its last line.
#[must_use]
pub fn human(gate: &Gate, look: Look) -> String {
    let mut out = String::new();
    for part in &gate.verdict.parts {
        let word = look.paint(style(part.status), part.status.name());
        let first = format!("{} {}: ", part.step.name(), part.status.name());
        let line = look.wrap(&first, "  ", &screen::safe(&part.summary));
        let _ = writeln!(out, "{}", line.replacen(part.status.name(), &word, 1));
        for reason in part.reasons.iter().take(MOST) {
            let _ = writeln!(
                out,
                "{}",
                look.wrap("  - ", "    ", &screen::safe(&screen::cut(&said(reason), LONG)))
            );
        }
        if part.reasons.len() > MOST {
            let _ = writeln!(out, "  … and {} more", part.reasons.len() - MOST);
        }
        if let Some(next) = next(gate, part) {
            let _ = writeln!(out, "{}", look.wrap("  ", "    ", &screen::safe(&next)));
        }
    }
    let style = match gate.verdict.passed() {
        true => style(Status::Passed),
        false => style(Status::Failed),
    };
    let _ = writeln!(out, "\n{} {}", look.paint(BOLD, "gate"), look.paint(style, &conclusion(gate)));
    screen::without_commands(out)
}

fn style(status: Status) -> Style {
    let colour = match status {
        Status::Passed => AnsiColor::Green,
        Status::Skipped => AnsiColor::Yellow,
        Status::Failed | Status::NotJudged => AnsiColor::Red,
    };
    colour.on_default().bold()
}

fn said(reason: &Reason) -> String {
    let whose = [reason.rule.as_deref(), reason.tool.as_deref()].into_iter().flatten().collect::<Vec<_>>();
    match whose.as_slice() {
        [] => reason.message.clone(),
        whose => format!("{}: {}", whose.join(" "), reason.message),
    }
}

/// Where the whole of it is shown, for a part that did not pass; the pack's place, for one that did.
fn next(gate: &Gate, part: &Part) -> Option<String> {
    match (part.step, part.status) {
        (Step::Lint, Status::Failed) => {
            let paths = gate.lint.files.iter().filter_map(|f| Some(word(&f.manifests.first()?.path)));
            Some(format!("next: verity lint {}", paths.collect::<Vec<_>>().join(" ")))
        }
        (Step::Diff, Status::Failed) => match &gate.comparison {
            Comparison::Made { old, new, .. } if is_one_file(gate, new) => {
                Some(format!("next: verity diff {} {}", word(old), word(new)))
            }
            Comparison::Made { .. } => {
                Some("next: the report of this command with --format markdown or --format html=FILE shows each change".to_string())
            }
            _ => None,
        },
        (Step::Pack, Status::Passed) => {
            let Exports::Made(packs) = &gate.exports else { return None };
            let folders: Vec<&str> = packs.iter().filter_map(|p| p.out.as_deref()).collect();
            Some(format!("written to {}", folders.join(", "))).filter(|_| !folders.is_empty())
        }
        _ => None,
    }
}

/// Whether what was judged is one file of that name, which `verity diff` can read again.
fn is_one_file(gate: &Gate, name: &str) -> bool {
    match gate.lint.files.as_slice() {
        [file] => {
            matches!(file.documents.as_slice(), [document] if document.path == name && !name.starts_with('<'))
        }
        _ => false,
    }
}

/// A path as a word of a command line.
fn word(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-:~^@\\".contains(c);
    if path.chars().all(is_plain) { path.to_string() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

/// `gate --format json`, as `schemas/gate-report.schema.json` describes it.
#[must_use]
pub fn json(gate: &Gate) -> String {
    let lint = json::report(&gate.lint.files, &gate.lint.errors);
    let mut report = json!({
        "schema_version": SCHEMA_VERSION,
        "verity": env!("CARGO_PKG_VERSION"),
        "passed": gate.verdict.passed(),
        "verdict": gate.verdict.status(),
        "parts": gate.verdict.parts,
        "lint": lint,
        "diff": match &gate.comparison {
            Comparison::Made { old, new, diff, .. } => diff::value(diff, diff::Names { old, new }),
            _ => Value::Null,
        },
        "packs": match &gate.exports {
            Exports::Made(packs) => packs.iter().map(pack).collect(),
            Exports::Refused(_) => Vec::new(),
        },
    });
    if let (Some(first), Some(members)) = (gate.errors().first(), report.as_object_mut()) {
        members.insert("error".to_string(), json!(first));
    }
    format!("{report:#}\n")
}

fn pack(pack: &TestedPack) -> Value {
    let problem = |p: &crate::pack::check::Problem| {
        let kind = if p.is_not_judged { "not-judged" } else { "failed" };
        json!({ "file": p.file, "line": p.line, "pointer": p.pointer, "task": p.task, "kind": kind, "message": p.message })
    };
    json!({
        "pack": pack.name,
        "server": pack.server,
        "manifest": pack.manifest,
        "out": pack.out,
        "tasks": pack.tasks,
        "skipped": pack.skipped,
        "floor": pack.floor,
        "digest": pack.digest,
        "problems": pack.problems.iter().map(problem).collect::<Vec<_>>(),
    })
}

/// The report as Markdown in which nothing of a manifest is markup: the verdict, its reasons, then what lint and
/// diff have to say.
#[must_use]
pub fn markdown(gate: &Gate) -> String {
    let mut out = format!("## verity gate: {}\n\n| | | |\n|---|---|---|\n", conclusion(gate));
    for part in &gate.verdict.parts {
        let word = match part.status {
            Status::Passed | Status::Skipped => part.status.name().to_string(),
            Status::Failed | Status::NotJudged => format!("**{}**", part.status.name()),
        };
        let _ = writeln!(out, "| {} | {word} | {} |", part.step.name(), text_up_to(&part.summary, LONG));
    }
    for part in gate.verdict.parts.iter().filter(|p| !p.reasons.is_empty()) {
        let _ = writeln!(out, "\n**{}** {}:\n", part.step.name(), part.status.name());
        for reason in part.reasons.iter().take(MOST) {
            let rule = reason.rule.as_ref().map(|rule| format!("`{rule}` ")).unwrap_or_default();
            let tool = reason.tool.as_deref().map(|tool| format!("{}: ", text(tool))).unwrap_or_default();
            let _ = writeln!(out, "- {rule}{tool}{}", text_up_to(&reason.message, LONG));
        }
        if part.reasons.len() > MOST {
            let _ = writeln!(out, "- … and {} more", part.reasons.len() - MOST);
        }
    }
    if gate
        .lint
        .files
        .iter()
        .flat_map(|f| &f.manifests)
        .any(|m| m.findings.iter().any(|f| f.suppressed.is_none()))
    {
        out.push_str(&details("What lint found", &super::markdown::render(&gate.lint.files, &[])));
    }
    if let Comparison::Made { old, new, diff, .. } = &gate.comparison
        && !diff.changes.is_empty()
    {
        out.push_str(&details("What changed", &diff::markdown(diff, diff::Names { old, new })));
    }
    out
}

/// A part of the page that a reader opens.
fn details(summary: &str, body: &str) -> String {
    format!("\n<details>\n<summary>{summary}</summary>\n\n{}\n</details>\n", body.trim_end())
}
