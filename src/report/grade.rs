//! What a recording was judged to be: for people, for programs, for CI.

use super::human::Look;
use super::json::SCHEMA_VERSION;
use super::junit::xml;
use super::screen::{self, safe};
use crate::error::InputError;
use crate::grade::mutate::{Mutant, Mutation};
use crate::grade::verdict::{Check, Outcome, Severity, Status, Verdict};
use crate::markdown::{text, text_up_to};
use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Characters of a message for people; the JSON report has all of it.
const LONG: usize = 600;
/// Checks that passed are listed up to so many; those that did not always are, up to [`MOST`].
const MOST_PASSED: usize = 40;
const MOST: usize = 500;

const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default();
const GREEN: Style = AnsiColor::Green.on_default();

/// A judgement and what it is of.
#[derive(Debug, Clone)]
pub struct Graded<'g> {
    /// The recording, as the user named it.
    pub path: &'g str,
    /// Name of its format.
    pub format: &'g str,
    pub calls: usize,
    /// What a reader should know of the recording.
    pub notes: Vec<String>,
    pub verdict: &'g Verdict,
    /// What changes to the recording were noticed, where that was tried out.
    pub mutation: Option<&'g Mutation>,
}

/// What could not be judged, in one sentence; `None` where everything was.
#[must_use]
pub fn not_judged(verdict: &Verdict) -> Option<String> {
    (verdict.outcome() == Outcome::Error).then(|| {
        let open: Vec<&Check> = verdict.checks.iter().filter(|c| c.status == Status::Inconclusive).collect();
        match open.first() {
            Some(first) if open.len() == 1 => format!("{} could not be judged: {}", first.id, first.message),
            Some(first) => format!(
                "{} checks could not be judged, the first of them {}: {}",
                open.len(),
                first.id,
                first.message
            ),
            None => "nothing was judged".to_string(),
        }
    })
}

/// `grade --format json`, as `schemas/grade-report.schema.json` describes it, with a final line feed.
#[must_use]
pub fn json(graded: &Graded<'_>) -> String {
    format!("{:#}\n", value(graded))
}

/// The JSON report as a value.
#[must_use]
pub fn value(graded: &Graded<'_>) -> Value {
    let verdict = graded.verdict;
    let error = not_judged(verdict).map(|message| json!({ "code": "not-judged", "message": message, "path": graded.path, "line": null, "column": null }));
    json!({ "schema_version": SCHEMA_VERSION, "verity": env!("CARGO_PKG_VERSION"), "trace": graded.path, "format": graded.format,
        "calls": graded.calls, "status": verdict.outcome().word(),
        "checks": verdict.checks.iter().map(Check::to_json).collect::<Vec<_>>(),
        "call_quality": verdict.quality.to_json(), "mutation": graded.mutation.map(Mutation::to_json),
        "notes": graded.notes.iter().chain(&verdict.notes).collect::<Vec<_>>(),
        "error": error })
}

/// The JSON report of a run that ended before anything was judged.
#[must_use]
pub fn failure(error: &InputError) -> String {
    let report = json!({ "schema_version": SCHEMA_VERSION, "verity": env!("CARGO_PKG_VERSION"), "trace": null, "format": null, "calls": 0,
        "status": "error", "checks": [], "call_quality": { "status": "clean", "diagnostics": [] }, "mutation": null, "notes": [],
        "error": { "code": error.code, "message": error.message, "path": error.path, "line": error.line, "column": error.column } });
    format!("{report:#}\n")
}

/// Where a check belongs, where there are several of that.
fn of(check: &Check) -> String {
    let parts: Vec<&str> = [check.run.as_deref(), check.session.as_deref()].into_iter().flatten().collect();
    if parts.is_empty() { String::new() } else { format!("{}: ", parts.join(", ")) }
}

fn mark(status: Status) -> (&'static str, Style) {
    match status {
        Status::Passed => ("✓", GREEN),
        Status::Skipped => ("-", Style::new().dimmed()),
        Status::Inconclusive => ("?", YELLOW),
        Status::Failed => ("×", RED),
    }
}

/// For people at a screen.
#[must_use]
pub fn human(graded: &Graded<'_>, look: Look) -> String {
    let verdict = graded.verdict;
    let mut out = String::new();
    let plural = if graded.calls == 1 { "call" } else { "calls" };
    let _ = writeln!(out, "{}: {} {plural} ({})\n", safe(graded.path), graded.calls, graded.format);
    let told = shown(&verdict.checks);
    for check in &told {
        let (sign, style) = mark(check.status);
        let who = check.step.as_deref().map_or_else(
            || check.id.clone(),
            |step| match check.id.contains('/') {
                true => format!("{} ({step})", check.id),
                false => step.to_string(),
            },
        );
        let line = format!("{}{who}: {}", of(check), screen::cut(&check.message, LONG));
        let _ = writeln!(out, "{}", look.wrap(&format!("{} ", look.paint(style, sign)), "  ", &safe(&line)));
    }
    if told.len() < verdict.checks.len() {
        let _ = writeln!(
            out,
            "  … and {} more checks (--format json has all)",
            verdict.checks.len() - told.len()
        );
    }
    if !verdict.quality.diagnostics.is_empty() {
        let _ = writeln!(out, "\ncall quality: {}", verdict.quality.word());
        for d in verdict.quality.diagnostics.iter().take(MOST) {
            let style = match d.severity {
                Severity::Info => Style::new().dimmed(),
                Severity::Warning => YELLOW,
                Severity::Failure => RED,
            };
            let head = format!("  {}[{}] ", look.paint(style, d.severity.word()), d.category);
            let _ = writeln!(out, "{}", look.wrap(&head, "    ", &safe(&screen::cut(&d.reason, LONG))));
        }
    }
    if let Some(mutation) = graded.mutation {
        let _ = writeln!(out, "\n{}", look.wrap("", "", &survey(mutation)));
        for survivor in survivors(mutation).take(MOST_PASSED) {
            let _ = writeln!(
                out,
                "{}",
                look.wrap("  not noticed: ", "    ", &safe(&screen::cut(&survivor.detail, LONG)))
            );
        }
        let more = survivors(mutation).count().saturating_sub(MOST_PASSED);
        if more > 0 {
            let _ = writeln!(out, "  … and {more} more (--format json has all)");
        }
    }
    let notes: Vec<&String> = graded.notes.iter().chain(&verdict.notes).collect();
    if !notes.is_empty() {
        out.push('\n');
    }
    for note in notes.iter().take(20) {
        let _ = writeln!(out, "{}", look.wrap("note: ", "  ", &safe(&screen::cut(note, LONG))));
    }
    let _ = writeln!(out, "\n{}", look.wrap("", "", &safe(&summary(graded))));
    screen::without_commands(out)
}

/// Checks in their order: all that did not pass, and some that did.
fn shown(checks: &[Check]) -> Vec<&Check> {
    let (mut passed, mut other) = (0, 0);
    let mut keep = |check: &&Check| {
        let (count, most) =
            if check.status == Status::Passed { (&mut passed, MOST_PASSED) } else { (&mut other, MOST) };
        *count += 1;
        *count <= most
    };
    checks.iter().filter(|c| keep(c)).collect()
}

/// The mutation score in words.
fn survey(mutation: &Mutation) -> String {
    let untried = if mutation.untried > 0 {
        format!("; {} more were not tried", mutation.untried)
    } else {
        String::new()
    };
    let answer = mutation.answer.as_ref().map_or(String::new(), |a| {
        format!("; of {} changes to the final answer alone {} were noticed", a.total(), a.killed)
    });
    match mutation.score() {
        Some(score) => format!(
            "mutation score: {score:.3} ({} of {} changes to the recording were noticed{untried}){answer}",
            mutation.killed,
            mutation.total()
        ),
        None => format!("mutation score: none, there was nothing to change{answer}"),
    }
}

/// What was not noticed, of the calls first.
fn survivors(mutation: &Mutation) -> impl Iterator<Item = &Mutant> {
    mutation.survivors.iter().chain(mutation.answer.iter().flat_map(|a| &a.survivors))
}

/// The verdict, counted, on one line.
pub(super) fn summary(graded: &Graded<'_>) -> String {
    let verdict = graded.verdict;
    let count = |status: Status| verdict.count(status);
    let mut parts = vec![format!("{} of {} checks passed", count(Status::Passed), verdict.checks.len())];
    for (n, word) in [
        (count(Status::Failed), "failed"),
        (count(Status::Inconclusive), "not judged"),
        (count(Status::Skipped), "skipped"),
    ] {
        if n > 0 {
            parts.push(format!("{n} {word}"));
        }
    }
    let word = match verdict.outcome() {
        Outcome::Passed => "Passed",
        Outcome::Failed => "Failed",
        Outcome::Error => "Not judged",
    };
    format!("{word}: {}; call quality: {}.", parts.join(", "), verdict.quality.word())
}

/// For a comment or a job's summary.
#[must_use]
pub fn markdown(graded: &Graded<'_>) -> String {
    let verdict = graded.verdict;
    let mut out = String::new();
    let _ = writeln!(out, "## {}: {}\n", text(graded.path), verdict.outcome().word());
    let _ = writeln!(out, "{}\n", text_up_to(&summary(graded), LONG));
    let _ = writeln!(out, "| check | status | calls | |\n|---|---|---|---|");
    let told = shown(&verdict.checks);
    for check in &told {
        let calls = check.calls.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let name = format!("{}{}", of(check), check.id);
        let _ = writeln!(
            out,
            "| {} | {} | {calls} | {} |",
            text(&name),
            check.status.word(),
            text_up_to(&check.message, LONG)
        );
    }
    if told.len() < verdict.checks.len() {
        let _ = writeln!(out, "\n… and {} more checks", verdict.checks.len() - told.len());
    }
    if let Some(mutation) = graded.mutation {
        let _ = writeln!(out, "\n{}\n", text_up_to(&survey(mutation), LONG));
        for survivor in survivors(mutation).take(MOST_PASSED) {
            let _ = writeln!(out, "- not noticed: {}", text_up_to(&survivor.detail, LONG));
        }
    }
    if !verdict.quality.diagnostics.is_empty() {
        let _ = writeln!(out, "\nCall quality: **{}**\n", verdict.quality.word());
        for d in verdict.quality.diagnostics.iter().take(MOST_PASSED) {
            let _ = writeln!(
                out,
                "- {} ({}): {}",
                text(d.category),
                d.severity.word(),
                text_up_to(&d.reason, LONG)
            );
        }
    }
    out
}

/// For CI systems: a suite a run and session, a case a check.
#[must_use]
pub fn junit(graded: &Graded<'_>) -> String {
    let verdict = graded.verdict;
    let count = |status: Status| verdict.count(status);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let head = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"",
        verdict.checks.len(),
        count(Status::Failed),
        count(Status::Skipped) + count(Status::Inconclusive)
    );
    let _ = writeln!(
        out,
        "<testsuites name=\"verity\" {head}>\n  <testsuite name=\"{}\" {head}>",
        xml(graded.path)
    );
    for check in &verdict.checks {
        let class = of(check);
        let class = if class.is_empty() { graded.path } else { class.trim_end_matches(": ") };
        let name = check.step.as_deref().map_or(check.id.clone(), |step| format!("{} ({step})", check.id));
        let _ = write!(out, "    <testcase classname=\"{}\" name=\"{}\"", xml(class), xml(&name));
        let inside = match check.status {
            Status::Passed => {
                out.push_str("/>\n");
                continue;
            }
            Status::Skipped | Status::Inconclusive => {
                format!("<skipped message=\"{}: {}\"/>", check.status.word(), xml(&check.message))
            }
            Status::Failed => {
                let value = |v: &Option<Value>| v.as_ref().map_or("-".to_string(), Value::to_string);
                let body = format!("expected: {}\nactual: {}", value(&check.expected), value(&check.actual));
                let lines: Vec<String> = body.split('\n').map(xml).collect();
                format!("<failure message=\"{}\">{}</failure>", xml(&check.message), lines.join("\n"))
            }
        };
        let _ = writeln!(out, ">\n      {inside}\n    </testcase>");
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}
