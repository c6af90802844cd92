//! What judging a recording gives: named checks, and how the calls went.

use serde_json::{Value, json};

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    Passed,
    /// Not asked for this time: an optional step that did not occur, and what depends on it.
    Skipped,
    /// The recording does not hold what the check needs.
    Inconclusive,
    Failed,
}

impl Status {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Status::Passed => "passed",
            Status::Skipped => "skipped",
            Status::Inconclusive => "inconclusive",
            Status::Failed => "failed",
        }
    }

    pub(super) fn of(passed: bool) -> Status {
        if passed { Status::Passed } else { Status::Failed }
    }
}

/// One named check.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// `step-2`, `step-2/eval-1`, `session/eval-1`, `tool-results`, …; unique among those of one session and run.
    pub id: String,
    /// `step`, the evaluator's type, or `calls`.
    pub kind: String,
    pub status: Status,
    /// The behavior, as reports name it.
    pub step: Option<String>,
    /// Numbers of the calls that it is about, from 1.
    pub calls: Vec<usize>,
    pub message: String,
    pub expected: Option<Value>,
    pub actual: Option<Value>,
    /// The session of the expectation file, where it holds several.
    pub session: Option<String>,
    /// The run, where the recording holds several.
    pub run: Option<String>,
}

impl Check {
    pub(super) fn new(
        id: impl Into<String>,
        kind: impl Into<String>,
        status: Status,
        message: impl Into<String>,
    ) -> Check {
        Check {
            id: id.into(),
            kind: kind.into(),
            status,
            step: None,
            calls: Vec::new(),
            message: message.into(),
            expected: None,
            actual: None,
            session: None,
            run: None,
        }
    }

    pub(super) fn calls(mut self, calls: impl IntoIterator<Item = usize>) -> Check {
        self.calls = calls.into_iter().collect();
        self
    }

    /// `run, session, id`, what there is of it.
    #[must_use]
    pub fn full_name(&self) -> String {
        let parts = [self.run.as_deref(), self.session.as_deref(), Some(self.id.as_str())];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut out = json!({ "id": self.id, "kind": self.kind, "status": self.status.word(), "step": self.step,
            "calls": self.calls, "message": self.message, "expected": self.expected, "actual": self.actual });
        if let Value::Object(members) = &mut out {
            for (key, value) in [("session", &self.session), ("run", &self.run)] {
                if let Some(value) = value {
                    members.insert(key.to_string(), json!(value));
                }
            }
        }
        out
    }
}

/// How grave a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Info,
    Warning,
    Failure,
}

impl Severity {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Failure => "failure",
        }
    }
}

/// Something about how the calls went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub category: &'static str,
    pub severity: Severity,
    pub reason: String,
    /// Numbers of the calls, from 1.
    pub calls: Vec<usize>,
}

/// The quality of the calls, apart from whether they were right.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Quality {
    pub diagnostics: Vec<Diagnostic>,
    /// Diagnostics that are not listed.
    pub more: usize,
    /// The gravest severity of all, listed or not.
    pub worst: Option<Severity>,
}

impl Quality {
    /// `clean`, `warning` or `failed`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self.worst {
            Some(Severity::Failure) => "failed",
            Some(Severity::Warning) => "warning",
            _ => "clean",
        }
    }

    #[must_use]
    pub fn to_json(&self) -> Value {
        let one = |d: &Diagnostic| json!({ "category": d.category, "severity": d.severity.word(), "reason": d.reason, "calls": d.calls });
        let mut out = json!({ "status": self.word(), "diagnostics": self.diagnostics.iter().map(one).collect::<Vec<_>>() });
        if let (true, Value::Object(members)) = (self.more > 0, &mut out) {
            members.insert("more".to_string(), json!(self.more));
        }
        out
    }
}

/// How a whole judgement ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    Passed,
    /// A named check failed.
    Failed,
    /// Something could not be judged.
    Error,
}

impl Outcome {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Failed => "failed",
            Outcome::Error => "error",
        }
    }
}

/// What a recording was found to be.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    pub checks: Vec<Check>,
    pub quality: Quality,
    /// What a reader should know of how it was judged.
    pub notes: Vec<String>,
}

impl Verdict {
    /// A failed check decides; where none failed, one that could not be made is an error, never a pass.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let worst = self.checks.iter().map(|c| c.status).max();
        match worst {
            Some(Status::Failed) => Outcome::Failed,
            Some(Status::Inconclusive) | None => Outcome::Error,
            _ => Outcome::Passed,
        }
    }

    #[must_use]
    pub fn count(&self, status: Status) -> usize {
        self.checks.iter().filter(|c| c.status == status).count()
    }
}
