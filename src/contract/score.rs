//! A seeded defect and the run of an evaluator: did it strike, and did the evaluator see it?
//!
//! The result is about evidence: a signature holds of a recorded call, of none, or of none that could be examined. A
//! run whose record cannot be trusted has no verdict, whatever it found.

mod agreement;
mod grades;
mod lineage;
mod outcomes;
mod trials;
mod version;

pub use lineage::{LineageChain, Remediation};
pub use outcomes::{Corroboration, Outcome, Statement};
pub use trials::{Attempt, Evidence, Rate, Strength, Trial, Trials, Vector, evidence};

use grades::{Grades, judge};

use super::audit::{IsolationManifest, PreflightVerdict, ScoringPolicy};
use super::canonical;
use super::document::Contract;
use super::evaluate::{self, Resolution};
use super::failure::Failure;
use super::interface::{Interface, Operation};
use super::oracles::{self, OracleResult, State};
use super::pointer::{Channel, Pointer, Target};
use super::probe::{Class, Probe, Signature};
use super::qualify::{self, OBSERVED, Qualification};
use super::record::{Finding, Recorded, RunRecord};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Everything a run is scored by. What is absent makes the run one that cannot be judged.
#[derive(Debug)]
pub struct Inputs<'a> {
    pub contract: &'a Contract,
    pub record: &'a RunRecord,
    pub probe: &'a Probe,
    pub policy: (&'a ScoringPolicy, &'a Value),
    pub preflight: Option<&'a PreflightVerdict>,
    pub isolation: Option<&'a IsolationManifest>,
    /// The evaluator's configuration as it was read.
    pub evaluator: Option<&'a Value>,
    pub corpus_digest: Option<&'a str>,
}

/// Whether the seeded defect struck in what the evaluator did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Triggered {
    Triggered,
    NotTriggered,
    InsufficientEvidence,
}

/// Whether the evaluator saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Detection {
    /// A finding cites a call on which the defect struck.
    Caught,
    /// It struck, and no finding says so.
    Missed,
    /// A finding claims it of a call on which it did not strike.
    UnwitnessedClaim,
    /// There was nothing to see.
    NothingToSee,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    Pass,
    Concerns,
    Fail,
}

/// The calls that a signature was resolved over, by what came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Calls {
    /// Whether the evaluator called the tool at all.
    pub exercised: bool,
    pub satisfying: Vec<String>,
    pub refuting: Vec<String>,
    pub inconclusive: Vec<String>,
}

/// What one trial shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Seen {
    pub result: Triggered,
    pub detection: Detection,
    pub calls: Calls,
    pub oracles: Vec<OracleResult>,
    /// What the evaluator says of them.
    pub statements: Vec<Statement>,
    pub outcome: Outcome,
}

/// The evidence of one scored run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    pub schema_version: u8,
    pub run_id: String,
    pub mode: &'static str,
    /// Over the inputs below; `None` while one of them is absent.
    pub scoring_version: Option<String>,
    pub scoring_inputs: Value,
    /// Those that the caller vouches for; the others were computed here.
    pub attested_inputs: [&'static str; 1],
    /// Weaker than `scoring_version`: rates over trials of this probe, corpus and policy may be compared.
    pub comparability_key: Option<String>,
    pub probe: String,
    pub qualification: Qualification,
    #[serde(flatten)]
    pub seen: Seen,
    /// Why there is no verdict.
    pub invalid: Vec<String>,
    pub verdict: Option<Verdict>,
    /// What the verdict rests on.
    pub basis: Vec<String>,
    /// The same, graded.
    #[serde(skip)]
    grades: Grades,
    /// What to know beside it.
    pub notes: Vec<String>,
}

/// Score a run.
///
/// # Errors
/// A signature that cannot be resolved within its budget.
pub fn score(inputs: &Inputs<'_>) -> Result<Score, Failure> {
    let (record, probe) = (inputs.record, inputs.probe);
    let home = probe.signature.as_ref().and_then(|signature| qualify::home(signature, inputs.contract));
    let qualification = qualify::qualify(probe, home.map(|(_, operation)| operation));
    let calls = match (&probe.signature, home, qualification.qualified) {
        (Some(signature), Some(home), true) => partition(signature, home, record)?,
        _ => Calls::default(),
    };
    let result = if !calls.satisfying.is_empty() {
        Triggered::Triggered
    } else if !calls.refuting.is_empty() {
        Triggered::NotTriggered
    } else {
        Triggered::InsufficientEvidence
    };
    let detection = detection(inputs, home, &calls);
    let oracles = oracles::resolve(inputs.contract, &record.calls);
    let mut invalid = invalid(inputs, &qualification, &oracles);
    if detection == Detection::UnwitnessedClaim {
        invalid.push(format!("a finding claims {} of a call on which its signature does not hold", probe.id));
    }
    if result == Triggered::InsufficientEvidence && !calls.inconclusive.is_empty() {
        invalid.push(format!("the signature of {} could be examined on no call", probe.id));
    }
    let grades = judge(inputs, detection, &calls, &oracles);
    let scoring_inputs = version::scoring_inputs(inputs);
    let is_complete = scoring_inputs.as_object().is_some_and(|o| o.values().all(|v| !v.is_null()));
    let notes = notes(inputs, home.map(|(_, operation)| operation));
    Ok(Score {
        schema_version: 1,
        run_id: record.run_id.clone(),
        mode: record.mode.name(),
        scoring_version: is_complete.then(|| canonical::digest(&scoring_inputs)),
        scoring_inputs,
        attested_inputs: ["corpusDigest"],
        comparability_key: version::comparability_key(inputs),
        probe: probe.id.clone(),
        qualification,
        seen: Seen {
            statements: outcomes::statements(inputs.contract, record, &oracles),
            outcome: outcomes::outcome(inputs, detection, &calls, &oracles, invalid.is_empty()),
            result,
            detection,
            calls,
            oracles,
        },
        verdict: invalid.is_empty().then(|| grades.verdict()),
        invalid,
        basis: grades.all(),
        grades,
        notes,
    })
}

/// Resolve the signature over every call of its tool that the evaluator made and its selector admits.
fn partition(
    signature: &Signature,
    home: (&Interface, &Operation),
    record: &RunRecord,
) -> Result<Calls, Failure> {
    let (interface, operation) = home;
    let is_collection = |pointer: &Pointer| match &pointer.target {
        Target::Interaction { channel: Channel::ResponseBody, tail, .. } => {
            operation.descriptor.is_collection(tail)
        }
        _ => false,
    };
    let of_tool = |call: &&Recorded| call.is_chosen && call.is_through(interface, &operation.id);
    let mut out = Calls { exercised: record.calls.iter().any(|call| of_tool(&call)), ..Calls::default() };
    for call in
        record.calls.iter().filter(of_tool).filter(|c| oracles::admits(&signature.bindings, c, operation))
    {
        let evidence = evaluate::Evidence {
            calls: BTreeMap::from([(OBSERVED, &call.call)]),
            reference_sets: None,
            is_collection: &is_collection,
            is_witness: false,
        };
        let part = match evaluate::resolve(&signature.predicate, &evidence)?.resolution {
            Resolution::True => &mut out.satisfying,
            Resolution::False => &mut out.refuting,
            Resolution::InsufficientEvidence => &mut out.inconclusive,
        };
        part.push(call.id.clone());
    }
    Ok(out)
}

/// What the defect findings about this probe cite.
fn detection(inputs: &Inputs<'_>, home: Option<(&Interface, &Operation)>, calls: &Calls) -> Detection {
    let is_of_home = |id: &String| {
        let call = inputs.record.call(id);
        home.zip(call).is_some_and(|((interface, operation), call)| call.is_through(interface, &operation.id))
    };
    let satisfying: BTreeSet<&String> = calls.satisfying.iter().collect();
    let mut is_caught = false;
    for finding in defects(inputs.record).filter(|finding| finding.probe == inputs.probe.id) {
        // A finding about other calls is another discovery, no claim about this signature.
        let cited: Vec<&String> = finding.observations.iter().filter(|id| is_of_home(id)).collect();
        let witnesses = cited.iter().any(|id| satisfying.contains(id));
        if !cited.is_empty() && !witnesses {
            return Detection::UnwitnessedClaim;
        }
        is_caught |= witnesses;
    }
    match (is_caught, calls.satisfying.is_empty()) {
        (true, _) => Detection::Caught,
        (false, false) => Detection::Missed,
        (false, true) => Detection::NothingToSee,
    }
}

fn defects(record: &RunRecord) -> impl Iterator<Item = &Finding> {
    record.findings.iter().filter(|finding| finding.is_defect)
}

/// Why the record cannot be trusted.
fn invalid(inputs: &Inputs<'_>, qualification: &Qualification, oracles: &[OracleResult]) -> Vec<String> {
    let record = inputs.record;
    let mut out = Vec::new();
    match inputs.preflight {
        None => out.push("there is no pre-flight verdict".to_string()),
        Some(preflight) if !preflight.passed => {
            out.push(format!("the pre-flight did not pass ({})", preflight.failed.join(", ")));
        }
        Some(preflight) if preflight.checks == 0 => {
            out.push("the pre-flight verdict holds no check".to_string());
        }
        Some(preflight) if !preflight.failed.is_empty() => {
            let failed = preflight.failed.join(", ");
            out.push(format!(
                "the pre-flight verdict says that it passed, and that checks failed ({failed})"
            ));
        }
        Some(_) => {}
    }
    if inputs.corpus_digest.is_none() {
        out.push("the corpus is not named by its digest".to_string());
    }
    out.extend(
        record.invalid_reason.iter().map(|why| format!("the record says that the run is invalid: {why}")),
    );
    out.extend(
        qualification
            .failures
            .iter()
            .map(|f| format!("{} does not qualify: {}: {}", inputs.probe.id, f.code, f.detail)),
    );
    let contract_digest = canonical::digest(&inputs.contract.value);
    if record.contract_digest != contract_digest {
        out.push(format!(
            "the record is of another contract: it says {}, this one is {contract_digest}",
            record.contract_digest
        ));
    }
    match inputs.evaluator.map(canonical::digest) {
        None => out.push("there is no evaluator configuration".to_string()),
        Some(digest) if digest != record.evaluator_configuration_digest => {
            out.push(format!("the record is of another evaluator configuration: this one is {digest}"));
        }
        Some(_) => {}
    }
    match inputs.isolation {
        None => out.push("there is no isolation manifest".to_string()),
        Some(manifest) => {
            out.extend(manifest.violations.iter().map(|v| format!("the run was not isolated: {v}")));
            for (what, a, b) in [
                ("run", &manifest.run_id, &record.run_id),
                ("contract", &manifest.contract_digest, &record.contract_digest),
                (
                    "evaluator configuration",
                    &manifest.evaluator_configuration_digest,
                    &record.evaluator_configuration_digest,
                ),
            ] {
                if a != b {
                    out.push(format!("the isolation manifest is of another {what}: {a}, not {b}"));
                }
            }
        }
    }
    if inputs.probe.class == Class::Canary && !defects(record).any(|f| f.probe == inputs.probe.id) {
        out.push(format!(
            "the canary {} was not found: the corpus or the fixture is at fault",
            inputs.probe.id
        ));
    }
    out.extend(agreement::disagreements(record));
    let unsound = |r: &&OracleResult| matches!(r.state, State::Ambiguous | State::Fault);
    out.extend(
        oracles
            .iter()
            .filter(unsound)
            .map(|r| format!("{}: {}", r.oracle, r.note.as_deref().unwrap_or_default())),
    );
    let said: BTreeSet<&String> = record.dispositions.iter().map(|d| &d.oracle).collect();
    let silent = inputs.contract.oracles.iter().filter(|oracle| !said.contains(&oracle.id));
    out.extend(silent.map(|oracle| format!("the record says nothing of {}", oracle.id)));
    out
}

fn notes(inputs: &Inputs<'_>, home: Option<&Operation>) -> Vec<String> {
    let mut out = Vec::new();
    if let Some((signature, operation)) = inputs.probe.signature.as_ref().zip(home) {
        let optional = qualify::optional_keys(signature, operation);
        out.extend(optional.iter().map(|key| {
            format!("the signature reads `{key}`, which operation `{}` need not return: a server that leaves it out hides the defect", operation.id)
        }));
    } else if inputs.probe.signature.is_some() {
        out.push(
            "no operation of the contract is the signature's: what depends on declarations was not checked"
                .to_string(),
        );
    }
    // Whether one applies is decided by a clock and by words, of which a score that is the same every time reads neither.
    out.extend(inputs.contract.waivers.iter().map(|waiver| {
        let (rule, until) =
            (waiver.rule.as_deref().unwrap_or("?"), waiver.expires_at.as_deref().unwrap_or("?"));
        format!("{} waives `{rule}` until {until}; nothing of this score is waived by it", waiver.id)
    }));
    out
}
