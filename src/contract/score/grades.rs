//! What a trial comes to, and what speaks against it.

use super::super::document::{Contract, Severity};
use super::super::oracles::{OracleResult, State};
use super::super::record::Mode;
use super::{Calls, Detection, Inputs, Verdict, defects};

/// What speaks against a run, graded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Grades {
    /// Fails it.
    pub grave: Vec<String>,
    /// Is a concern.
    pub slight: Vec<String>,
    /// Is one as well, and says that little was measured, not that anything is wrong.
    pub thin: Vec<String>,
}

impl Grades {
    pub fn verdict(&self) -> Verdict {
        match (self.grave.is_empty(), self.slight.is_empty() && self.thin.is_empty()) {
            (false, _) => Verdict::Fail,
            (true, false) => Verdict::Concerns,
            (true, true) => Verdict::Pass,
        }
    }

    pub fn is_thin_alone(&self) -> bool {
        self.grave.is_empty() && self.slight.is_empty() && !self.thin.is_empty()
    }

    pub fn all(&self) -> Vec<String> {
        [&self.grave, &self.slight, &self.thin].into_iter().flatten().cloned().collect()
    }
}

/// What a trustworthy record comes to: about the contract on a system that is knowingly defective, else about the
/// system.
pub(super) fn judge(
    inputs: &Inputs<'_>,
    detection: Detection,
    calls: &Calls,
    oracles: &[OracleResult],
) -> Grades {
    let (policy, record) = (inputs.policy.0, inputs.record);
    let Grades { mut grave, mut slight, mut thin } = Grades::default();
    let mut say = |severity: Severity, what: String| {
        if severity >= policy.severity_floor { grave.push(what) } else { slight.push(what) }
    };
    if detection == Detection::Missed {
        let worst = inputs.probe.defects.iter().map(|d| d.severity).max().unwrap_or(Severity::Critical);
        say(worst, format!("{} was triggered and no finding says so", inputs.probe.id));
    }
    for finding in defects(record).filter(|f| inputs.probe.is_expected_clean && f.probe == inputs.probe.id) {
        say(
            finding.severity,
            format!("{} claims a defect of {}, in which nothing is wrong", finding.id, inputs.probe.id),
        );
    }
    if record.mode == Mode::Production {
        for result in oracles.iter().filter(|r| r.state == State::Violated) {
            say(severity_of(inputs.contract, &result.oracle), format!("{} is violated", result.oracle));
        }
    }
    if record.is_incomplete {
        grave.push("the record says that its evidence is incomplete".to_string());
    }
    if inputs.probe.signature.is_some() && !calls.exercised {
        thin.push("the evaluator never called the tool that the signature is about".to_string());
    }
    let examined = calls.satisfying.len() + calls.refuting.len() + calls.inconclusive.len();
    if calls.exercised && examined == 0 {
        thin.push("the evaluator made no call that the signature selects".to_string());
    }
    for finding in defects(record) {
        if finding.oracle.is_none() {
            slight.push(format!("{} is about no oracle: nothing in the contract looks for it", finding.id));
        }
        if finding.confidence < policy.confidence_threshold {
            slight.push(format!("{} is less sure than the policy asks for", finding.id));
        }
    }
    for result in oracles {
        match result.state {
            State::InsufficientEvidence => slight.push(format!("{} had not enough evidence", result.oracle)),
            State::Unreached => {
                let why = result.note.as_deref().unwrap_or_default();
                thin.push(format!("{} was not reached: {why}", result.oracle));
            }
            _ => {}
        }
    }
    Grades { grave, slight, thin }
}

/// Of the gravest behaviour that the oracle answers for.
pub(super) fn severity_of(contract: &Contract, oracle: &str) -> Severity {
    let behaviors = contract.behaviors.iter().filter(|b| b.oracles.iter().any(|id| id == oracle));
    behaviors.map(|b| b.severity).max().unwrap_or(Severity::Critical)
}
