//! Several trials of one probe, and the evidence of them all.

use super::super::coverage::{self, Gap};
use super::super::document::SEVERITIES;
use super::super::probe::Class;
use super::super::record::Mode;
use super::lineage::{Remediation, remediation};
use super::{Grades, Inputs, Outcome, Score, Seen, score};
use crate::contract::failure::Failure;
use crate::contract::oracles::State;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// The trials of those that the policy asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trials {
    pub declared_minimum: u64,
    /// Those that count.
    pub completed: usize,
    pub invalidated: Vec<Attempt>,
}

/// A trial that does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attempt {
    pub trial: u64,
    pub reasons: Vec<String>,
}

/// What the trials show of the probe's class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Strength {
    pub denominator: &'static str,
    pub basis: &'static str,
    pub vector: Vector,
    /// Whether rates may be held against others of the same key: enough trials, and every oracle reached.
    pub comparable: bool,
    pub note: Option<String>,
}

/// Rates by class of probes; canaries and clean controls have none.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Vector {
    pub defect: Option<Rate>,
    pub gameability: Option<Rate>,
    pub zero_action: Option<Rate>,
}

/// Probes that were caught, of those that the trials exercised.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rate {
    pub caught: u8,
    pub exercised: u8,
    /// `None` where nothing was exercised.
    pub rate: Option<f64>,
}

/// A further trial, without what all of them share.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trial {
    pub trial: u64,
    pub run_id: String,
    #[serde(flatten)]
    pub seen: Seen,
}

/// The evidence of all trials. What stands in `first` beside the verdict is the first trial's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evidence {
    #[serde(flatten)]
    pub first: Score,
    pub trials: Trials,
    pub further_trials: Vec<Trial>,
    pub strength: Strength,
    pub coverage_gaps: Vec<Gap>,
    pub remediation: Remediation,
    /// What the evaluator advises; it counts in production alone.
    pub recommendation: &'static str,
    /// Findings about no oracle.
    pub uncited_findings: Vec<String>,
    /// Whether `--strict` makes a failure of these concerns: a measurement that is only thin is none.
    pub strict_promotable: bool,
}

/// Score the trials of one probe; they share everything but the record and the isolation manifest. `ancestors` are the
/// earlier revisions of the contract, as they were read. `None`: there is no trial.
///
/// # Errors
/// A signature that cannot be resolved within its budget.
pub fn evidence(trials: &[Inputs<'_>], ancestors: &[Value]) -> Result<Option<Evidence>, Failure> {
    let mut ordered: Vec<&Inputs<'_>> = trials.iter().collect();
    ordered.sort_by_key(|inputs| inputs.record.trial_index);
    let scored: Vec<(&Inputs<'_>, Score)> =
        ordered.into_iter().map(|inputs| Ok((inputs, score(inputs)?))).collect::<Result<_, Failure>>()?;
    let Some((inputs, first)) = scored.first() else { return Ok(None) };
    let policy = inputs.policy.0;
    let counted = counted(&scored);
    let mut invalid = disagreements(&scored);
    invalid.extend(told(&scored, |score| &score.invalid));
    if counted.invalidated.len() as u64 > policy.re_execution_cap {
        let more = "trials do not count, and the policy allows fewer to be made again";
        invalid.push(format!("{} {more} ({})", counted.invalidated.len(), policy.re_execution_cap));
    }
    let coverage_gaps = coverage::gaps(inputs.contract);
    let remediation = remediation(inputs.contract, ancestors, policy.remediation_cap);
    let grades = Grades {
        grave: told(&scored, |score| &score.grades.grave),
        slight: told(&scored, |score| &score.grades.slight),
        thin: told(&scored, |score| &score.grades.thin),
    };
    let grades = grades.of_all(inputs, &counted, &coverage_gaps, &remediation);
    let mut notes: Vec<String> = Vec::new();
    for note in scored.iter().flat_map(|(_, score)| &score.notes).chain(&remediation_note(&remediation)) {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    let strength = strength(&scored, &counted);
    Ok(Some(Evidence {
        first: Score {
            verdict: invalid.is_empty().then(|| grades.verdict()),
            invalid,
            basis: grades.all(),
            notes,
            ..first.clone()
        },
        trials: counted,
        further_trials: scored.iter().skip(1).map(further).collect(),
        strength,
        coverage_gaps,
        remediation,
        recommendation: inputs.record.recommendation,
        uncited_findings: uncited(&scored),
        strict_promotable: !grades.is_thin_alone(),
    }))
}

type Scored<'s> = (&'s Inputs<'s>, Score);

fn further((inputs, score): &Scored<'_>) -> Trial {
    Trial { trial: inputs.record.trial_index, run_id: score.run_id.clone(), seen: score.seen.clone() }
}

/// Lines of each trial, by its number where there are several.
fn told<'s>(scored: &'s [Scored<'_>], lines: impl Fn(&'s Score) -> &'s Vec<String>) -> Vec<String> {
    let of_trial = |(inputs, score): &'s Scored<'_>| {
        let trial = (scored.len() > 1).then_some(inputs.record.trial_index);
        let line = move |line: &String| trial.map_or_else(|| line.clone(), |n| format!("trial {n}: {line}"));
        lines(score).iter().map(line).collect::<Vec<_>>()
    };
    scored.iter().flat_map(of_trial).collect()
}

fn counted(scored: &[Scored<'_>]) -> Trials {
    let invalidated: Vec<Attempt> = scored
        .iter()
        .filter(|(_, score)| !score.invalid.is_empty())
        .map(|(inputs, score)| Attempt { trial: inputs.record.trial_index, reasons: score.invalid.clone() })
        .collect();
    let declared_minimum = scored.first().map_or(1, |(inputs, _)| inputs.policy.0.minimum_trial_count);
    Trials { declared_minimum, completed: scored.len() - invalidated.len(), invalidated }
}

/// Trials that are not of one set.
fn disagreements(scored: &[Scored<'_>]) -> Vec<String> {
    let Some((first, _)) = scored.first() else { return Vec::new() };
    let mut out = Vec::new();
    let mut seen = BTreeSet::new();
    for (inputs, _) in scored {
        let (record, trial) = (inputs.record, inputs.record.trial_index);
        if !seen.insert(trial) {
            out.push(format!("two records say that they are trial {trial}"));
        }
        for (what, here, there) in [
            ("mode", record.mode.name(), first.record.mode.name()),
            ("recommendation", record.recommendation, first.record.recommendation),
        ] {
            if here != there {
                out.push(format!(
                    "the trials are no set: the {what} of trial {trial} is {here}, not {there}"
                ));
            }
        }
    }
    out
}

impl Grades {
    /// With what is said of the trials together.
    fn of_all(
        mut self,
        inputs: &Inputs<'_>,
        trials: &Trials,
        gaps: &[Gap],
        remediation: &Remediation,
    ) -> Grades {
        let floor = inputs.policy.0.severity_floor;
        let counts = |gap: &&Gap| {
            SEVERITIES.into_iter().any(|(name, severity)| name == gap.severity && severity >= floor)
        };
        let unseen = gaps.iter().filter(counts).map(|gap| format!("coverage: {}: {}", gap.rule, gap.reason));
        self.slight.extend(unseen);
        self.grave.extend(remediation.defects.iter().map(|defect| format!("lineage: {defect}")));
        // Of a system that is knowingly defective, an evaluator's advice says nothing about the contract.
        match (inputs.record.mode, inputs.record.recommendation) {
            (Mode::Production, "FAIL") => self.grave.push("the evaluator recommends FAIL".to_string()),
            (Mode::Production, "CONCERNS") => {
                self.slight.push("the evaluator recommends CONCERNS".to_string())
            }
            _ => {}
        }
        if (trials.completed as u64) < trials.declared_minimum {
            let line = "trials that count, of those that the policy asks for before rates are compared";
            self.thin.push(format!("{} of {} {line}", trials.completed, trials.declared_minimum));
        }
        self
    }
}

fn remediation_note(remediation: &Remediation) -> Vec<String> {
    let Remediation { revision_count, cap, lineage_chain, .. } = remediation;
    let unseen = lineage_chain.is_none().then(|| {
        format!(
            "this is revision {revision_count} of the contract, and no ancestor was presented (--ancestor)"
        )
    });
    let over = (revision_count > cap)
        .then(|| format!("the contract was revised {revision_count} times; the policy's cap is {cap}"));
    unseen.into_iter().chain(over).collect()
}

fn uncited(scored: &[Scored<'_>]) -> Vec<String> {
    let findings = scored.iter().flat_map(|(inputs, _)| &inputs.record.findings);
    let ids: BTreeSet<&String> = findings.filter(|f| f.oracle.is_none()).map(|f| &f.id).collect();
    ids.into_iter().cloned().collect()
}

fn strength(scored: &[Scored<'_>], trials: &Trials) -> Strength {
    let unreached: BTreeSet<&str> = scored
        .iter()
        .flat_map(|(_, score)| &score.seen.oracles)
        .filter(|result| result.state == State::Unreached)
        .map(|result| result.oracle.as_str())
        .collect();
    let is_enough = trials.completed as u64 >= trials.declared_minimum;
    let mut why = Vec::new();
    if !is_enough {
        why.push(format!("{} of {} trials", trials.completed, trials.declared_minimum));
    }
    if !unreached.is_empty() {
        let names: Vec<&str> = unreached.into_iter().collect();
        why.push(format!("{} not reached", names.join(", ")));
    }
    Strength {
        denominator: "qualified probes that the trials exercised, by class",
        basis: "measured",
        vector: vector(scored),
        comparable: why.is_empty(),
        note: (!why.is_empty()).then(|| format!("not to be compared: {}", why.join("; "))),
    }
}

/// A probe counts once, however many trials there are: as caught where more of those that count than the policy's
/// threshold caught it.
fn vector(scored: &[Scored<'_>]) -> Vector {
    let mut vector = Vector::default();
    let Some((inputs, first)) = scored.first() else { return vector };
    if inputs.probe.is_expected_clean || !first.qualification.qualified {
        return vector;
    }
    let votes: Vec<Outcome> =
        scored.iter().map(|(_, score)| score.seen.outcome).filter(|o| o.is_vote()).collect();
    let caught = votes.iter().filter(|outcome| **outcome == Outcome::Caught).count();
    let exercised = u8::from(!votes.is_empty());
    // Divided, since a product of the threshold is rounded, and a tie would pass for more.
    let is_caught = exercised > 0 && caught as f64 / votes.len() as f64 > inputs.policy.0.catch_threshold;
    let rate = (exercised > 0).then_some(f64::from(u8::from(is_caught)));
    let rate = Some(Rate { caught: u8::from(is_caught), exercised, rate });
    match inputs.probe.class {
        Class::Defect => vector.defect = rate,
        Class::Gameability => vector.gameability = rate,
        Class::ZeroAction => vector.zero_action = rate,
        Class::Canary => {}
    }
    vector
}
