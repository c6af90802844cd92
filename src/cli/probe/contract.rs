//! `verity probe --contract`: a contract's pre-flight, live or over what was recorded.

use crate::cli::contract::{Read, Refusal};
use crate::cli::output::{Output, Places};
use crate::cli::{Outcome, Shared, out, usage_error};
use crate::contract::observation::{Observation, StepCall};
use crate::contract::preflight::{self, Outcome as CheckOutcome, Plan, Verdict};
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
    /// What may be started, and which tools may be called: nothing that this file does not name.
    #[cfg(feature = "live")]
    #[arg(long, value_name = "FILE", requires = "contract")]
    policy: Option<PathBuf>,
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
    /// Write what was observed to this file, for --observations.
    #[cfg(feature = "live")]
    #[arg(long, value_name = "FILE", requires = "policy")]
    record: Option<PathBuf>,
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
    let Judged { contract, verdict, plan } = match judge(args, shared) {
        Ok(judged) => judged,
        Err(Stop::Refusal(refusal)) => return refused(&refusal, json),
        Err(Stop::Fault(fault)) => return faulted(&fault, json),
    };
    let violated =
        |plan: &report::Plan| plan.checks.iter().any(|check| check.outcome == CheckOutcome::Failed);
    let passed = verdict.passed && !plan.as_ref().is_some_and(violated);
    let mut outcome = if passed { Outcome::Clean } else { Outcome::Failed };
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
    let probes = match &args.probes {
        None => Vec::new(),
        Some(file) => {
            let read = Read::file(file)?;
            probe::Probe::read_all(read.value()).map_err(|failure| read.refusal(failure))?
        }
    };
    let plan = preflight::plan(&contract, &probes).map_err(|failure| Stop::of(failure, &document))?;
    let judge = |observations: &[Observation]| {
        preflight::verdict(&plan, observations, &args.run_id).map_err(|failure| Stop::of(failure, &document))
    };
    let (verdict, ran) = match &args.observations {
        Some(file) => recorded(file, &contract, &judge)?,
        None => observe(args, &contract, &plan, &judge, shared)?,
    };
    let plan = ran.map(|ran| {
        let (checks, oracles) = steps::judge(&contract, &ran);
        report::Plan { checks, oracles }
    });
    Ok(Judged { contract: contract.id.clone(), verdict, plan })
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

/// The calls of the pre-flight, and of the interaction plan once it has passed.
#[cfg(feature = "live")]
fn observe(
    args: &ByContract,
    contract: &Contract,
    plan: &Plan<'_>,
    judge: Reduce<'_>,
    shared: &Shared,
) -> Result<(Verdict, Option<Ran>), Stop> {
    use crate::cli::interrupt;
    use crate::contract::policy::Policy;
    use crate::mcp::{AllowedPort, SessionPort};

    let Some(file) = &args.policy else {
        return Err(InputError::new(ErrorCode::Usage, "neither --policy nor --observations is given").into());
    };
    let read = Read::file(file)?;
    let policy = Policy::read(read.value()).map_err(|failure| read.refusal(failure))?;
    // Before anything is started: a plan that may be made in part is not begun.
    for leg in &plan.legs {
        policy.authorize(leg.interface, leg.tool()).map_err(|failure| Stop::of(failure, &read))?;
    }
    let _watch = interrupt::watch();
    let mut port = AllowedPort::of_policy(&policy, interrupt::is_asked);
    let observations = crate::probe::preflight::observe(plan, &mut port)?;
    let verdict = judge(&observations)?;
    let mut ran = None;
    if !contract.steps.is_empty() && verdict.passed {
        let is_allowed = |interface: &str, tool: &str| policy.authorize(interface, tool).is_ok();
        ran = Some(steps::run(contract, &mut SessionPort::new(port), &is_allowed)?);
    } else if !contract.steps.is_empty() {
        out::note(shared, "the pre-flight did not pass: the interaction plan was not run");
    }
    if let Some(file) = &args.record {
        record(file, &observations, ran.as_ref(), shared);
    }
    Ok((verdict, ran))
}

#[cfg(feature = "live")]
fn record(file: &Path, observations: &[Observation], ran: Option<&Ran>, shared: &Shared) {
    let all: Vec<_> = observations.iter().map(Observation::to_json).collect();
    let mut recorded = json!({ "observations": all });
    if let (Some(ran), Some(members)) = (ran, recorded.as_object_mut()) {
        members.insert("steps".to_string(), ran.calls.iter().map(StepCall::to_json).collect());
    }
    let text = serde_json::to_string_pretty(&recorded).unwrap_or_default();
    if out::file(file, &format!("{text}\n")) == Outcome::Clean {
        out::note(shared, &format!("{} observations are in {}", observations.len(), file.display()));
    }
}

#[cfg(not(feature = "live"))]
fn observe(
    _: &ByContract,
    _: &Contract,
    _: &Plan<'_>,
    _: Reduce<'_>,
    _: &Shared,
) -> Result<(Verdict, Option<Ran>), Stop> {
    Err(InputError::new(ErrorCode::Usage, "no observations are named").into())
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
