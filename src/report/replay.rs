//! Attempts, judged again: for people and for programs.

use super::grade::{self, Graded};
use super::html::{self, Sheet};
use super::human::Look;
use super::json::SCHEMA_VERSION;
use super::screen::{self, safe};
use crate::error::InputError;
use crate::grade::attempt::compare::Change;
use crate::grade::attempt::control::Noticed;
use crate::grade::mutate::Mutation;
use crate::grade::verdict::{Outcome, Status, Verdict};
use crate::trace::Trace;
use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Characters of a message for people.
const LONG: usize = 600;
/// Failed checks and changes that are listed for people.
const MOST: usize = 20;

const RED: Style = AnsiColor::Red.on_default().bold();
const GREEN: Style = AnsiColor::Green.on_default();

/// One attempt.
#[derive(Debug)]
pub struct Replayed {
    /// Its folder, as the user named it.
    pub path: String,
    /// The judgement; or why there is none: a part is missing or not what was recorded.
    pub ended: Result<Again, InputError>,
}

/// An attempt that was judged again.
#[derive(Debug)]
pub struct Again {
    pub trace: Trace,
    /// The recording, as it was named when it was recorded.
    pub recording: String,
    /// The version that recorded it, and the status it gave.
    pub verity: String,
    pub status: String,
    pub digest: String,
    pub notes: Vec<String>,
    pub verdict: Verdict,
    pub mutation: Option<Mutation>,
    /// How the verdict differs from the recorded one.
    pub changes: Vec<Change>,
    /// Where this version reads the recording otherwise.
    pub reading: Option<String>,
    pub controls: Vec<Controlled>,
}

/// A negative control, judged.
#[derive(Debug)]
pub struct Controlled {
    pub path: String,
    pub reason: String,
    pub check: String,
    pub noticed: Noticed,
    /// Other checks that the change makes fail.
    pub others: Vec<String>,
    /// The last link over the changed rows.
    pub sha256: String,
}

impl Controlled {
    #[must_use]
    pub fn holds(&self) -> bool {
        matches!(self.noticed, Noticed::Yes(_))
    }

    /// What became of it, in one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        match &self.noticed {
            Noticed::Yes(message) => format!("{} fails, as it must: {message}", self.check),
            Noticed::No(status) => {
                format!(
                    "{} is {} although the recording was changed ({})",
                    self.check,
                    status.word(),
                    self.reason
                )
            }
            Noticed::FailsAnyway => {
                format!("{} fails without the change, too: the control shows nothing", self.check)
            }
        }
    }
}

impl Again {
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.changes.is_empty()
    }

    /// As the reports of `verity grade` take it.
    #[must_use]
    pub fn graded(&self) -> Graded<'_> {
        Graded {
            path: &self.recording,
            format: self.trace.format.name(),
            calls: self.trace.len(),
            notes: self.notes.clone(),
            verdict: &self.verdict,
            mutation: self.mutation.as_ref(),
        }
    }

    /// What the replay shows, in one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let now = env!("CARGO_PKG_VERSION");
        let by = if self.verity == now {
            format!("verity {now}")
        } else {
            format!("verity {} ({now} now)", self.verity)
        };
        let said = grade::summary(&self.graded());
        match self.is_same() {
            true => format!("same verdict as {by} recorded. {said}"),
            false => format!("not the verdict that {by} recorded. {said}"),
        }
    }
}

/// `verity replay --format json`, as `schemas/replay-report.schema.json` describes it, with a final line feed.
#[must_use]
pub fn json(all: &[Replayed]) -> String {
    let report = json!({ "schema_version": SCHEMA_VERSION, "verity": env!("CARGO_PKG_VERSION"),
        "attempts": all.iter().map(one).collect::<Vec<_>>(), "error": Value::Null });
    format!("{report:#}\n")
}

/// The JSON report of a run that ended before any attempt was looked at.
#[must_use]
pub fn failure(error: &InputError) -> String {
    let report = json!({ "schema_version": SCHEMA_VERSION, "verity": env!("CARGO_PKG_VERSION"), "attempts": [],
        "error": self::error(error) });
    format!("{report:#}\n")
}

fn error(e: &InputError) -> Value {
    json!({ "code": e.code, "message": e.message, "path": e.path, "line": e.line, "column": e.column })
}

fn one(replayed: &Replayed) -> Value {
    let again = match &replayed.ended {
        Ok(again) => again,
        Err(e) => {
            return json!({ "attempt": replayed.path, "replay": "error", "status": "error", "digest": null, "recorded": null,
                "changes": [], "reading": null, "controls": [], "report": null, "error": error(e) });
        }
    };
    let control = |c: &Controlled| {
        json!({ "control": c.path, "reason": c.reason, "check": c.check, "holds": c.holds(), "message": c.sentence(),
            "others": c.others, "sha256": c.sha256 })
    };
    json!({ "attempt": replayed.path, "replay": if again.is_same() { "same" } else { "changed" },
        "status": again.verdict.outcome().word(), "digest": again.digest,
        "recorded": { "verity": again.verity, "status": again.status, "recording": again.recording },
        "changes": again.changes.iter().map(Change::to_json).collect::<Vec<_>>(), "reading": again.reading,
        "controls": again.controls.iter().map(control).collect::<Vec<_>>(), "report": grade::value(&again.graded()),
        "error": null })
}

/// One page of all of them.
#[must_use]
pub fn html(all: &[Replayed]) -> String {
    let sheets: Vec<Sheet<'_>> = all.iter().map(Replayed::sheet).collect();
    html::grade("verity replay", &sheets)
}

impl Replayed {
    fn sheet(&self) -> Sheet<'_> {
        let again = match &self.ended {
            Ok(again) => again,
            Err(e) => return Sheet { name: &self.path, judged: Err(e), remarks: Vec::new() },
        };
        let mut remarks = vec![(again.is_same(), again.sentence())];
        remarks.extend(again.changes.iter().take(MOST).map(|c| (false, c.sentence())));
        remarks.extend(
            again.reading.iter().map(|r| (false, format!("this version reads the recording otherwise: {r}"))),
        );
        let control = |c: &Controlled| (c.holds(), format!("control {}: {}", c.path, c.sentence()));
        remarks.extend(again.controls.iter().map(control));
        Sheet { name: &self.path, judged: Ok((again.graded(), &again.trace)), remarks }
    }
}

/// For people at a screen.
#[must_use]
pub fn human(all: &[Replayed], look: Look) -> String {
    let mut out = String::new();
    let mut line = |style: Style, sign: &str, indent: &str, text: &str| {
        let head = format!("{indent}{} ", look.paint(style, sign));
        let _ =
            writeln!(out, "{}", look.wrap(&head, &format!("{indent}  "), &safe(&screen::cut(text, LONG))));
    };
    for replayed in all {
        let again = match &replayed.ended {
            Ok(again) => again,
            Err(e) => {
                line(RED, "!", "", &format!("{}: error, not a verdict: {}", replayed.path, e.message));
                continue;
            }
        };
        let is_fine = again.is_same() && again.verdict.outcome() == Outcome::Passed;
        let (style, sign) = if is_fine { (GREEN, "✓") } else { (RED, "×") };
        line(style, sign, "", &format!("{}: {}", replayed.path, again.sentence()));
        for change in again.changes.iter().take(MOST) {
            line(RED, "×", "  ", &change.sentence());
        }
        if again.changes.len() > MOST {
            line(RED, "…", "  ", &format!("and {} more changes", again.changes.len() - MOST));
        }
        if let Some(reading) = &again.reading {
            line(RED, "×", "  ", &format!("this version reads the recording otherwise: {reading}"));
        }
        for check in again.verdict.checks.iter().filter(|c| c.status == Status::Failed).take(MOST) {
            line(RED, "×", "  ", &format!("{}: {}", check.full_name(), check.message));
        }
        for control in &again.controls {
            let (style, sign) = if control.holds() { (GREEN, "✓") } else { (RED, "×") };
            line(style, sign, "  ", &format!("control {}: {}", control.path, control.sentence()));
        }
    }
    screen::without_commands(out)
}
