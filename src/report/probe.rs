//! Reports of `verity probe`.

use super::screen::{safe, without_commands};
use crate::contract::oracles::OracleResult;
use crate::contract::preflight::{CheckRecord, Outcome, Verdict};
use crate::finding::Finding;
use crate::probe::Fault;
use crate::rules::say;
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize)]
struct Judged<'v> {
    schema_version: u32,
    passed: bool,
    checks: Vec<&'v CheckRecord>,
    /// Only where the interaction plan was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    oracles: Option<&'v [OracleResult]>,
    findings: [Value; 0],
}

/// What the oracles came to.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// One of each oracle, of kind `oracle`.
    pub checks: Vec<CheckRecord>,
    pub oracles: Vec<OracleResult>,
}

#[derive(Serialize)]
struct Faulted<'f> {
    schema_version: u32,
    fault: &'f Fault,
}

/// A pre-flight's verdict as JSON.
#[must_use]
pub fn verdict_json(verdict: &Verdict, plan: Option<&Plan>) -> String {
    let checks: Vec<&CheckRecord> =
        verdict.checks.iter().chain(plan.iter().flat_map(|plan| &plan.checks)).collect();
    pretty(&Judged {
        schema_version: 1,
        passed: checks.iter().all(|check| check.outcome != Outcome::Failed),
        checks,
        oracles: plan.map(|plan| plan.oracles.as_slice()),
        findings: [],
    })
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
pub fn verdict_human(contract: &str, verdict: &Verdict, plan: Option<&Plan>) -> String {
    let mut text = lines(&verdict.checks);
    text.push_str(&summary(contract, "the pre-flight", &verdict.checks));
    if let Some(plan) = plan {
        text.push_str(&format!("\n{}", lines(&plan.checks)));
        text.push_str(&summary(contract, "the interaction plan", &plan.checks));
    }
    without_commands(text)
}

fn summary(contract: &str, what: &str, checks: &[CheckRecord]) -> String {
    let count = |outcome| checks.iter().filter(|c| c.outcome == outcome).count();
    let (all, name) = (checks.len(), safe(contract));
    match (count(Outcome::Failed), count(Outcome::Exempt)) {
        (0, _) if all > 0 && count(Outcome::Satisfied) == 0 => format!("{name}: {what} was not judged.\n"),
        (0, _) => format!("{name}: {what} passed ({}).\n", say::count(all, "check")),
        (n, _) => format!("{name}: {what} failed ({n} of {}).\n", say::count(all, "check")),
    }
}

fn lines(checks: &[CheckRecord]) -> String {
    let mut text = String::new();
    for check in checks {
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
    let mut text = format!("Checked in {}:\n", say::count(calls, "call"));
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
    without_commands(text)
}
