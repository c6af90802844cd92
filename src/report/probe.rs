//! Reports of `verity probe`.

use super::screen::safe;
use crate::contract::preflight::{CheckRecord, Outcome, Verdict};
use crate::finding::Finding;
use crate::probe::Fault;
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize)]
struct Judged<'v> {
    schema_version: u32,
    passed: bool,
    checks: &'v [CheckRecord],
    findings: [Value; 0],
}

#[derive(Serialize)]
struct Faulted<'f> {
    schema_version: u32,
    fault: &'f Fault,
}

/// A pre-flight's verdict as JSON.
#[must_use]
pub fn verdict_json(verdict: &Verdict) -> String {
    let report = Judged { schema_version: 1, passed: verdict.passed, checks: &verdict.checks, findings: [] };
    pretty(&report)
}

/// A fault as JSON.
#[must_use]
pub fn fault_json(fault: &Fault) -> String {
    pretty(&Faulted { schema_version: 1, fault })
}

fn pretty(report: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(report).unwrap_or_default();
    text.push('\n');
    text
}

/// A pre-flight's verdict for people: a line a check.
#[must_use]
pub fn verdict_human(contract: &str, verdict: &Verdict) -> String {
    let failed = verdict.checks.iter().filter(|c| c.outcome == Outcome::Failed).count();
    let mut text = String::new();
    for check in &verdict.checks {
        let outcome = match check.outcome {
            Outcome::Satisfied => "satisfied",
            Outcome::Failed => "FAILED",
            Outcome::Exempt => "exempt",
        };
        let operation = check.operation_id.as_deref().map_or(String::new(), |id| format!("  {}", safe(id)));
        text.push_str(&format!("{outcome:9}  {}{operation}\n", check.kind));
        if let Some(note) = &check.note {
            text.push_str(&format!("           {}\n", safe(note)));
        }
    }
    let all = verdict.checks.len();
    match failed {
        0 => text.push_str(&format!("{}: the pre-flight passed ({all} checks).\n", safe(contract))),
        n => text.push_str(&format!("{}: the pre-flight failed ({n} of {all} checks).\n", safe(contract))),
    }
    text
}

#[derive(Serialize)]
struct OfServer<'r> {
    schema_version: u32,
    passed: bool,
    calls: usize,
    checks: &'r [CheckRecord],
    findings: &'r [&'r Finding],
}

/// What a probe without a contract came to, as JSON.
#[must_use]
pub fn server_json(checks: &[CheckRecord], findings: &[&Finding], calls: usize, passed: bool) -> String {
    pretty(&OfServer { schema_version: 1, passed, calls, checks, findings })
}

/// What was checked of each tool, for people: what the findings do not say.
#[must_use]
pub fn server_human(checks: &[CheckRecord], calls: usize) -> String {
    let mut text = format!("Checked in {calls} calls:\n");
    let mut subjects: Vec<Option<&str>> = Vec::new();
    for check in checks {
        if !subjects.contains(&check.operation_id.as_deref()) {
            subjects.push(check.operation_id.as_deref());
        }
    }
    for subject in subjects {
        let of_subject = || checks.iter().filter(|c| c.operation_id.as_deref() == subject);
        let satisfied: Vec<&str> =
            of_subject().filter(|c| c.outcome == Outcome::Satisfied).map(|c| c.kind).collect();
        text.push_str(&format!("  {}", safe(subject.unwrap_or("the listing"))));
        if !satisfied.is_empty() {
            text.push_str(&format!("  {}", satisfied.join(", ")));
        }
        text.push('\n');
        for check in of_subject().filter(|c| c.outcome != Outcome::Satisfied) {
            let outcome = if check.outcome == Outcome::Failed { "FAILED" } else { "open" };
            let note = check.note.as_deref().map_or(String::new(), |note| format!(": {}", safe(note)));
            text.push_str(&format!("    {outcome}  {}{note}\n", check.kind));
        }
    }
    text
}
