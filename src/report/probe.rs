//! Reports of `verity probe`.

use super::screen::safe;
use crate::contract::preflight::{CheckRecord, Outcome, Verdict};
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
