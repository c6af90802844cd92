//! `verity probe --contract`: a contract's pre-flight, live or over what was recorded.

#[cfg(feature = "live")]
mod live;

use crate::cli::contract::{Read, Refusal};
use crate::cli::output::{Output, Places};
use crate::cli::{Outcome, Shared, out, usage_error};
use crate::contract::observation::{Observation, StepCall};
use crate::contract::preflight::{self, Outcome as CheckOutcome, Verdict};
use crate::contract::{Contract, Failure, probe};
use crate::error::{ErrorCode, InputError};
use crate::probe::Fault;
use crate::probe::preflight::fault_of;
use crate::probe::steps::{self, Ran};
use crate::report::{Format, probe as report};
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "By a contract")]
pub(super) struct ByContract {
    /// The contract to judge by.
    #[arg(long, value_name = "FILE")]
    contract: Option<PathBuf>,
    #[cfg(feature = "live")]
    #[command(flatten)]
    live: live::Live,
    /// Seeded defects whose faults have to show.
    #[arg(long, value_name = "FILE", requires = "contract")]
    probes: Option<PathBuf>,
    /// Judge these recorded observations; nothing is started.
    #[cfg_attr(
        feature = "live",
        arg(long, value_name = "FILE", requires = "contract", conflicts_with = "policy")
    )]
    #[cfg_attr(not(feature = "live"), arg(long, value_name = "FILE", requires = "contract"))]
    observations: Option<PathBuf>,
    /// Name of the run in the verdict.
    #[arg(long, value_name = "ID", default_value = "preflight")]
    run_id: String,
    /// Write the verdict, as eval-quality reads it, to this file.
    #[arg(long, value_name = "FILE", requires = "contract")]
    out: Option<PathBuf>,
}

impl ByContract {
    pub(super) fn is_asked(&self) -> bool {
        self.contract.is_some()
    }
}

/// Why there is no verdict.
enum Stop {
    Refusal(Refusal),
    Fault(Fault),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Refusal(refusal)
    }
}

impl From<InputError> for Stop {
    fn from(error: InputError) -> Stop {
        Stop::Refusal(error.into())
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

impl Stop {
    /// A failure while the run is on is a fault; any other is about the document.
    fn of(failure: Failure, document: &Read) -> Stop {
        match fault_of(&failure) {
            Some(fault) => Stop::Fault(fault),
            None => Stop::Refusal(document.refusal(failure)),
        }
    }
}

pub(super) fn run(args: &ByContract, formats: &[Output], shared: &Shared) -> Outcome {
    let outputs = match formats {
        [] => vec![Output { format: Format::Human, file: None }],
        given => given.to_vec(),
    };
    let json = outputs.iter().any(|o| o.format == Format::Json && o.file.is_none());
    if let Some(other) = outputs.iter().find(|o| !matches!(o.format, Format::Human | Format::Json)) {
        let message =
            format!("a contract's verdict has no report `{}`; there are human and json", other.format.name());
        return usage_error(message, json);
    }
    let read: Vec<PathBuf> =
        args.contract.iter().chain(&args.probes).chain(&args.observations).cloned().collect();
    let places = match Places::open(outputs, &read) {
        Ok(places) => places,
        Err(e) => return out::error(&e, json),
    };
    let Judged { contract, verdict, plan, recorded } = match judge(args, shared) {
        Ok(judged) => judged,
        Err(Stop::Refusal(refusal)) => return refused(&refusal, json),
        Err(Stop::Fault(fault)) => return faulted(&fault, json),
    };
    let violated =
        |plan: &report::Plan| plan.checks.iter().any(|check| check.outcome == CheckOutcome::Failed);
    let passed = verdict.passed && !plan.as_ref().is_some_and(violated);
    let mut outcome = recorded.max(if passed { Outcome::Clean } else { Outcome::Failed });
    if let Some(file) = &args.out {
        let text = serde_json::to_string_pretty(&verdict).unwrap_or_default();
        outcome = outcome.max(out::file(file, &format!("{text}\n")));
    }
    let written = places.write(|output| match output.format {
        Format::Json => report::verdict_json(&verdict, plan.as_ref()),
        _ => report::verdict_human(&contract, &verdict, plan.as_ref()),
    });
    outcome.max(written)
}

struct Judged {
    /// The contract's name.
    contract: String,
    verdict: Verdict,
    /// What the oracles came to; `None` where there is no plan, or the pre-flight did not pass.
    plan: Option<report::Plan>,
    /// How it went to write down what was observed, where that was asked for.
    recorded: Outcome,
}

fn judge(args: &ByContract, shared: &Shared) -> Result<Judged, Stop> {
    if !is_run_id(&args.run_id) {
        let message = "--run-id: a name of lower-case letters, digits and single dashes is expected";
        return Err(InputError::new(ErrorCode::Usage, message).into());
    }
    let Some(file) = &args.contract else {
        return Err(InputError::new(ErrorCode::Usage, "no contract is named").into());
    };
    let document = Read::file(file)?;
    let contract: Contract = document.contract()?;
    let of_probes = args.probes.as_deref().map(Read::file).transpose()?;
    let probes = match &of_probes {
        None => Vec::new(),
        Some(read) => probe::Probe::read_all(read.value()).map_err(|failure| read.refusal(failure))?,
    };
    let plan = preflight::plan(&contract, &probes).map_err(|mut failure| {
        // What a contract without them does not break is said of the probes.
        let of_contract = preflight::plan(&contract, &[]).is_err();
        let Some(read) = of_probes.as_ref().filter(|_| !of_contract) else {
            return Stop::of(failure, &document);
        };
        // One probe may stand in its file without a list around it.
        if !read.value().is_array() {
            failure.pointer = failure.pointer.strip_prefix("/0").unwrap_or(&failure.pointer).to_string();
        }
        Stop::of(failure, read)
    })?;
    let judge = |observations: &[Observation]| {
        preflight::verdict(&plan, observations, &args.run_id).map_err(|failure| Stop::of(failure, &document))
    };
    let (verdict, ran, recorded) = match &args.observations {
        Some(file) => {
            let (verdict, ran) = recorded(file, &contract, &judge)?;
            (verdict, ran, Outcome::Clean)
        }
        #[cfg(feature = "live")]
        None => live::observe(&args.live, &contract, &plan, &judge, shared)?,
        #[cfg(not(feature = "live"))]
        None => {
            let _ = shared;
            return Err(InputError::new(ErrorCode::Usage, "no observations are named").into());
        }
    };
    let plan = ran.map(|ran| {
        let (checks, oracles) = steps::judge(&contract, &ran);
        report::Plan { checks, oracles }
    });
    Ok(Judged { contract: contract.id.clone(), verdict, plan, recorded })
}

type Reduce<'r> = &'r dyn Fn(&[Observation]) -> Result<Verdict, Stop>;

/// A verdict over a file of observations, and the steps that it holds.
fn recorded(file: &Path, contract: &Contract, judge: Reduce<'_>) -> Result<(Verdict, Option<Ran>), Stop> {
    let read = Read::file(file)?;
    let wrong = |failure| Stop::of(failure, &read);
    let verdict = judge(&Observation::read_all(read.value()).map_err(wrong)?)?;
    let ran = match StepCall::read_all(read.value()).map_err(wrong)? {
        Some(calls) if verdict.passed => Some(steps::replay(contract, &calls)?),
        _ => None,
    };
    Ok((verdict, ran))
}

/// As contracts name things: `a-b-2`.
fn is_run_id(text: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    text.split('-').all(is_part)
}

fn refused(refusal: &Refusal, json: bool) -> Outcome {
    if json {
        let (code, message) = match refusal {
            Refusal::Input(error) => (json!(error.code), error.to_string()),
            Refusal::Failure { failure, place } => {
                (json!(failure.code.as_str()), format!("{place}: {}", failure.detail))
            }
        };
        let report = json!({"schema_version": 1, "error": {"code": code, "message": message}});
        out::stdout(&format!("{report}\n"));
    }
    refusal.print()
}

pub(super) fn faulted(fault: &Fault, json: bool) -> Outcome {
    if json {
        out::stdout(&report::fault_json(fault));
    }
    out::error(&fault.to_error(), false)
}
