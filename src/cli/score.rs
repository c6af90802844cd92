//! `verity score`.

use super::contract::{Read, Refusal};
use super::{Format, Outcome, Shared, out};
use crate::contract::audit::{self, IsolationManifest, PreflightVerdict, ScoringPolicy};
use crate::contract::probe::Probe;
use crate::contract::record::RunRecord;
use crate::contract::score::{
    self, Detection, Evidence, Inputs, Outcome as TrialOutcome, Triggered, Verdict,
};
use crate::contract::{Code, Failure};
use crate::report::screen::safe;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A seeded defect and an evaluator's run: did the defect strike, and did the evaluator see it?
///
/// The probe's signature is qualified first, then resolved over the calls that the run record holds. A record that
/// cannot be trusted has no verdict: no pre-flight that passed, no isolation manifest or evaluator configuration, digests that
/// do not agree, citations and quotations that are not borne out.
#[derive(clap::Args, Debug)]
#[command(
    after_help = EXAMPLES,
    override_usage = "verity score [OPTIONS] --contract C --record R --probe P --policy S"
)]
pub(crate) struct Args {
    /// The contract that the run was about.
    #[arg(long, value_name = "FILE")]
    contract: PathBuf,
    /// The sealed run record; of several trials, one each.
    #[arg(long, value_name = "FILE", required = true)]
    record: Vec<PathBuf>,
    /// The probe whose defect was seeded; of several in the file, the one `--probe-id` names.
    #[arg(long, value_name = "FILE")]
    probe: PathBuf,
    /// Which probe of the file.
    #[arg(long, value_name = "ID")]
    probe_id: Option<String>,
    /// The scoring policy.
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,
    /// The verdict of the pre-flight (`verity probe --contract … --out`).
    #[arg(long, value_name = "FILE")]
    preflight: Option<PathBuf>,
    /// The isolation manifest of the run; of several trials, one each, in the order of the records.
    #[arg(long, value_name = "FILE")]
    isolation: Vec<PathBuf>,
    /// The evaluator's configuration.
    #[arg(long, value_name = "FILE")]
    evaluator: Option<PathBuf>,
    /// The digest of the corpus that the probe belongs to.
    #[arg(long, value_name = "sha256:…")]
    corpus_digest: Option<String>,
    /// An earlier revision of the contract, which the evidence is to account for. May be given several times.
    #[arg(long, value_name = "FILE")]
    ancestor: Vec<PathBuf>,
    /// Write the evidence to this file, too.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Concerns are a failure.
    #[arg(long)]
    strict: bool,
    /// How to print the result.
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Format::Human)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  verity score --contract c.json --record run.json --probe probe.json \\
    --policy policy.json --preflight preflight.json --isolation iso.json \\
    --evaluator evaluator.json --corpus-digest sha256:… --out evidence.json

Exit codes: 0 PASS or CONCERNS, 1 FAIL (CONCERNS with --strict), 2 no verdict.";

pub(crate) fn run(args: &Args, _: &Shared) -> Outcome {
    let scored = match scored(args) {
        Ok(scored) => scored,
        Err(refusal) => return refusal.print(),
    };
    let judged = match scored.first.verdict {
        Some(Verdict::Pass) => Outcome::Clean,
        // A measurement that is only thin says nothing against what was measured.
        Some(Verdict::Concerns) if !(args.strict && scored.strict_promotable) => Outcome::Clean,
        Some(_) => Outcome::Failed,
        None => Outcome::BadInput,
    };
    let evidence = match serde_json::to_value(&scored) {
        Ok(Value::Object(mut members)) => {
            members.insert("exit_code".to_string(), Value::from(judged.code()));
            format!("{:#}\n", Value::Object(members))
        }
        _ => return Outcome::Internal,
    };
    let written = args.out.as_ref().map_or(Outcome::Clean, |path| out::file(path, &evidence));
    let printed = match args.format {
        Format::Json => out::stdout(&evidence),
        Format::Human => out::stdout(&told(&scored)),
    };
    written.max(printed).max(judged)
}

fn usage(message: String) -> Refusal {
    crate::error::InputError::new(crate::error::ErrorCode::Usage, message).into()
}

fn scored(args: &Args) -> Result<Evidence, Refusal> {
    let contract = Read::file(&args.contract)?.contract()?;
    let (records, manifests) = (args.record.len(), args.isolation.len());
    if manifests > records || (records > 1 && manifests > 0 && manifests < records) {
        return Err(usage(format!(
            "there are {records} records and {manifests} isolation manifests: give one each"
        )));
    }
    let records = args.record.iter().map(|path| Ok(document(path, RunRecord::read)?.0));
    let records = records.collect::<Result<Vec<_>, Refusal>>()?;
    let isolation = args.isolation.iter().map(|path| Ok(document(path, IsolationManifest::read)?.0));
    let isolation = isolation.collect::<Result<Vec<_>, Refusal>>()?;
    let ancestors = args.ancestor.iter().map(|path| Ok(Read::file(path)?.contract()?.value));
    let ancestors = ancestors.collect::<Result<Vec<_>, Refusal>>()?;
    let (probes, _) = document(&args.probe, Probe::read_all)?;
    let probe_file = Read::file(&args.probe)?;
    let mut named = probes.iter().filter(|probe| args.probe_id.as_ref().is_none_or(|id| *id == probe.id));
    let (Some(probe), None) = (named.next(), named.next()) else {
        let ids: Vec<&str> = probes.iter().map(|probe| probe.id.as_str()).collect();
        let detail = format!("one probe is scored: name it with --probe-id (there are {})", ids.join(", "));
        return Err(probe_file.refusal(Failure::new(Code::Parse, "", detail)));
    };
    let policy = document(&args.policy, ScoringPolicy::read)?;
    let preflight =
        args.preflight.as_deref().map(|path| document(path, PreflightVerdict::read)).transpose()?;
    let evaluator =
        args.evaluator.as_deref().map(|path| document(path, audit::evaluator_configuration)).transpose()?;
    let corpus_digest = match args.corpus_digest.as_deref() {
        Some(digest) if !crate::contract::is_digest(digest) => {
            return Err(usage(
                "--corpus-digest is `sha256:` and 64 lower-case hexadecimal digits".to_string(),
            ));
        }
        digest => digest,
    };
    let trials = records.iter().enumerate().map(|(i, record)| Inputs {
        contract: &contract,
        record,
        probe,
        policy: (&policy.0, &policy.1),
        preflight: preflight.as_ref().map(|(read, _)| read),
        isolation: isolation.get(i),
        evaluator: evaluator.as_ref().map(|(_, value)| value),
        corpus_digest,
    });
    let trials: Vec<Inputs<'_>> = trials.collect();
    let scored = score::evidence(&trials, &ancestors).map_err(|failure| probe_file.refusal(failure))?;
    scored.ok_or_else(|| usage("no record is named".to_string()))
}

/// A document of a file, and its value.
fn document<T>(path: &Path, read: impl Fn(&Value) -> Result<T, Failure>) -> Result<(T, Value), Refusal> {
    let file = Read::file(path)?;
    let parsed = read(file.value()).map_err(|failure| file.refusal(failure))?;
    Ok((parsed, file.value().clone()))
}

fn told(evidence: &Evidence) -> String {
    let score = &evidence.first;
    let result = match score.seen.result {
        Triggered::Triggered => format!("triggered ({})", score.seen.calls.satisfying.join(", ")),
        Triggered::NotTriggered => "not triggered".to_string(),
        Triggered::InsufficientEvidence => "insufficient evidence".to_string(),
    };
    let detection = match score.seen.detection {
        Detection::Caught => "; a finding cites it",
        Detection::Missed => "; no finding cites it",
        Detection::UnwitnessedClaim => "; a finding claims it of another call",
        Detection::NothingToSee => "",
    };
    let mut text = format!("{}: {}{detection}\n", safe(&score.probe), safe(&result));
    for result in &score.seen.oracles {
        let note = result.note.as_ref().map_or(String::new(), |note| format!(" ({})", safe(note)));
        text.push_str(&format!("  {} {}{note}\n", safe(&result.oracle), word(&result.state)));
    }
    for trial in &evidence.further_trials {
        text.push_str(&format!("trial {}: {}\n", trial.trial, word(&trial.seen.outcome)));
    }
    if !evidence.further_trials.is_empty() {
        let further = evidence.further_trials.iter().map(|trial| trial.seen.outcome);
        let all: Vec<TrialOutcome> = [score.seen.outcome].into_iter().chain(further).collect();
        let votes = all.iter().filter(|outcome| outcome.is_vote()).count();
        let caught = all.iter().filter(|outcome| **outcome == TrialOutcome::Caught).count();
        text.push_str(&format!("caught in {caught} of {votes} trials that could see it\n"));
    }
    for (what, lines) in [("invalid", &score.invalid), ("basis", &score.basis), ("note", &score.notes)] {
        lines.iter().for_each(|line| text.push_str(&format!("  {what}: {}\n", safe(line))));
    }
    let verdict = match score.verdict {
        Some(Verdict::Pass) => "PASS",
        Some(Verdict::Concerns) => "CONCERNS",
        Some(Verdict::Fail) => "FAIL",
        None => "no verdict: the run cannot be judged",
    };
    text.push_str(&format!("\n{verdict}\n"));
    text
}

/// As the evidence spells it.
fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|v| v.as_str().map(str::to_string)).unwrap_or_default()
}
