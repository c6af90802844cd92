//! `verity probe --contract`: a contract's pre-flight, live or over what was recorded.

use super::Args;
use crate::cli::contract::{Read, Refusal};
use crate::cli::{Format, Outcome, Shared, out};
use crate::contract::observation::Observation;
use crate::contract::preflight::{self, Plan, Verdict};
use crate::contract::{Contract, Failure, probe};
use crate::error::{ErrorCode, InputError};
use crate::probe::Fault;
use crate::probe::preflight::fault_of;
use crate::report::probe as report;
use serde_json::json;

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

pub(super) fn run(args: &Args, shared: &Shared) -> Outcome {
    let json = args.format == Format::Json;
    let (contract, verdict) = match judge(args, shared) {
        Ok(judged) => judged,
        Err(Stop::Refusal(refusal)) => return refused(&refusal, json),
        Err(Stop::Fault(fault)) => return faulted(&fault, json),
    };
    let mut outcome = if verdict.passed { Outcome::Clean } else { Outcome::Failed };
    if let Some(file) = &args.out {
        let text = serde_json::to_string_pretty(&verdict).unwrap_or_default();
        outcome = outcome.max(out::file(file, &format!("{text}\n")));
    }
    let text = match args.format {
        Format::Json => report::verdict_json(&verdict),
        Format::Human => report::verdict_human(&contract, &verdict),
    };
    outcome.max(out::stdout(&text))
}

/// The contract's name and the verdict.
fn judge(args: &Args, shared: &Shared) -> Result<(String, Verdict), Stop> {
    if !is_run_id(&args.run_id) {
        let message = "--run-id: a name of lower-case letters, digits and single dashes is expected";
        return Err(InputError::new(ErrorCode::Usage, message).into());
    }
    let document = Read::file(&args.contract)?;
    let contract: Contract = document.contract()?;
    let probes = match &args.probes {
        None => Vec::new(),
        Some(file) => {
            let read = Read::file(file)?;
            probe::Probe::read_all(read.value()).map_err(|failure| read.refusal(failure))?
        }
    };
    let plan = preflight::plan(&contract, &probes).map_err(|failure| Stop::of(failure, &document))?;
    let observations = match &args.observations {
        Some(file) => {
            let read = Read::file(file)?;
            Observation::read_all(read.value()).map_err(|failure| Stop::of(failure, &read))?
        }
        None => observe(args, &plan, shared)?,
    };
    let verdict = preflight::verdict(&plan, &observations, &args.run_id)
        .map_err(|failure| Stop::of(failure, &document))?;
    Ok((contract.id.clone(), verdict))
}

/// As contracts name things: `a-b-2`.
fn is_run_id(text: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    text.split('-').all(is_part)
}

#[cfg(feature = "live")]
fn observe(args: &Args, plan: &Plan<'_>, shared: &Shared) -> Result<Vec<Observation>, Stop> {
    use crate::cli::interrupt;
    use crate::contract::policy::Policy;
    use crate::mcp::PolicyPort;

    let Some(file) = &args.policy else {
        return Err(InputError::new(ErrorCode::Usage, "neither a policy nor observations are named").into());
    };
    let read = Read::file(file)?;
    let policy = Policy::read(read.value()).map_err(|failure| read.refusal(failure))?;
    // Before anything is started: a plan that may be made in part is not begun.
    for leg in &plan.legs {
        policy.authorize(leg.interface, leg.tool()).map_err(|failure| Stop::of(failure, &read))?;
    }
    let _watch = interrupt::watch();
    let mut port = PolicyPort { policy: &policy, abort: interrupt::is_asked };
    let observations = crate::probe::preflight::observe(plan, &mut port)?;
    if let Some(record) = &args.record {
        let all: Vec<_> = observations.iter().map(Observation::to_json).collect();
        let text = serde_json::to_string_pretty(&json!({ "observations": all })).unwrap_or_default();
        if out::file(record, &format!("{text}\n")) == Outcome::Clean {
            out::note(shared, &format!("{} observations are in {}", observations.len(), record.display()));
        }
    }
    Ok(observations)
}

#[cfg(not(feature = "live"))]
fn observe(_: &Args, _: &Plan<'_>, _: &Shared) -> Result<Vec<Observation>, Stop> {
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

fn faulted(fault: &Fault, json: bool) -> Outcome {
    if json {
        out::stdout(&report::fault_json(fault));
    }
    out::error(&fault.to_error(), false)
}
