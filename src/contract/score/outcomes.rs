//! What the evaluator says of each oracle beside what the record shows; and the whole trial in one word.

use super::super::document::{Contract, SEVERITIES};
use super::super::oracles::{OracleResult, State};
use super::super::record::RunRecord;
use super::grades::severity_of;
use super::{Calls, Detection, Inputs};
use serde::Serialize;

/// Whether what was recorded bears out what the evaluator says of an oracle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Corroboration {
    Agrees,
    Disagrees,
    /// The check was resolved, and examined nothing.
    Abstains,
    /// Nothing is said of it, or its check could not be resolved.
    NotEvaluable,
}

/// One oracle, as the evaluator has it and as the record shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Statement {
    pub oracle: String,
    /// Of the gravest behaviour that it answers for.
    pub severity: &'static str,
    /// The evaluator's own word; `None` where it says nothing.
    pub disposition: Option<&'static str>,
    pub corroboration: Corroboration,
    /// Findings that cite it.
    pub findings: Vec<String>,
}

/// What a trial came to, in the field's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Caught,
    Missed,
    /// Nothing is wrong with the probe, and nothing was claimed.
    PassedCleanControl,
    FalsePositive,
    /// The defect did not strike in what the evaluator did.
    Unreached,
    OracleError,
    JudgeError,
    /// The record cannot be trusted for another reason.
    InfrastructureError,
}

impl Outcome {
    /// Whether the trial counts for a rate: it is no error, and the defect could have been seen.
    #[must_use]
    pub fn is_vote(self) -> bool {
        matches!(
            self,
            Outcome::Caught | Outcome::Missed | Outcome::PassedCleanControl | Outcome::FalsePositive
        )
    }
}

/// The oracles of the contract, in its order.
pub(super) fn statements(
    contract: &Contract,
    record: &RunRecord,
    results: &[OracleResult],
) -> Vec<Statement> {
    let of = |id: &str| {
        let disposition = record.dispositions.iter().find(|d| d.oracle == id).map(|d| d.value);
        let state = results.iter().find(|result| result.oracle == id).map(|result| result.state);
        let cites = record.findings.iter().filter(|finding| finding.oracle.as_deref() == Some(id));
        let severity = severity_of(contract, id);
        Statement {
            oracle: id.to_string(),
            severity: SEVERITIES.into_iter().find(|(_, s)| *s == severity).map_or("", |(name, _)| name),
            disposition,
            corroboration: corroboration(disposition, state),
            findings: cites.map(|finding| finding.id.clone()).collect(),
        }
    };
    contract.oracles.iter().map(|oracle| of(&oracle.id)).collect()
}

fn corroboration(disposition: Option<&str>, state: Option<State>) -> Corroboration {
    match (disposition, state) {
        (Some("held"), Some(State::Holds)) | (Some("violated"), Some(State::Violated)) => {
            Corroboration::Agrees
        }
        (Some("held"), Some(State::Violated)) | (Some("violated"), Some(State::Holds)) => {
            Corroboration::Disagrees
        }
        (Some("held" | "violated"), Some(State::InsufficientEvidence)) => Corroboration::Abstains,
        _ => Corroboration::NotEvaluable,
    }
}

pub(super) fn outcome(
    inputs: &Inputs<'_>,
    detection: Detection,
    calls: &Calls,
    oracles: &[OracleResult],
    is_valid: bool,
) -> Outcome {
    let (record, probe) = (inputs.record, inputs.probe);
    let claims = || super::defects(record).any(|finding| finding.probe == probe.id);
    match detection {
        _ if oracles.iter().any(|r| matches!(r.state, State::Ambiguous | State::Fault)) => {
            Outcome::OracleError
        }
        _ if !record.judged_without_score.is_empty() => Outcome::JudgeError,
        _ if !is_valid => Outcome::InfrastructureError,
        _ if probe.is_expected_clean && claims() => Outcome::FalsePositive,
        _ if probe.is_expected_clean => Outcome::PassedCleanControl,
        Detection::Caught => Outcome::Caught,
        Detection::Missed => Outcome::Missed,
        _ if calls.satisfying.is_empty() => Outcome::Unreached,
        _ => Outcome::InfrastructureError,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_beside_what_is_seen() {
        use Corroboration::{Abstains, Agrees, Disagrees, NotEvaluable};
        for (said, seen, expected) in [
            (Some("held"), Some(State::Holds), Agrees),
            (Some("held"), Some(State::Violated), Disagrees),
            (Some("violated"), Some(State::Violated), Agrees),
            (Some("violated"), Some(State::Holds), Disagrees),
            (Some("held"), Some(State::InsufficientEvidence), Abstains),
            (Some("held"), Some(State::Unreached), NotEvaluable),
            (Some("not-attempted"), Some(State::Holds), NotEvaluable),
            (None, Some(State::Holds), NotEvaluable),
            (Some("held"), None, NotEvaluable),
        ] {
            assert_eq!(corroboration(said, seen), expected, "{said:?} {seen:?}");
        }
    }
}
