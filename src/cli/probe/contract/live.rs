//! The calls of a contract's pre-flight and of its interaction plan, made.

use super::{Reduce, Stop};
use crate::cli::contract::Read;
use crate::cli::{Outcome, Shared, interrupt, out, target};
use crate::contract::Contract;
use crate::contract::observation::{Observation, StepCall};
use crate::contract::policy::Policy;
use crate::contract::preflight::{Plan, Verdict};
use crate::error::{ErrorCode, InputError};
use crate::mcp::{AllowedPort, Secrets, SessionPort};
use crate::probe::steps::{self, Principals, Ran};
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "By a contract")]
pub(super) struct Live {
    /// What may be started, and which tools may be called: nothing that this file does not name.
    #[arg(long, value_name = "FILE", requires = "contract")]
    policy: Option<PathBuf>,
    /// Who a principal of the contract's test data is here: what steps that bind it send is taken from this environment
    /// variable. May be given several times.
    #[arg(long, value_name = "NAME=VARIABLE", requires = "policy")]
    principal: Vec<String>,
    /// Write what was observed to this file, for --observations.
    #[arg(long, value_name = "FILE", requires = "policy")]
    record: Option<PathBuf>,
}

/// The calls of the pre-flight, and of the interaction plan once it has passed; and how it went to record them.
pub(super) fn observe(
    args: &Live,
    contract: &Contract,
    plan: &Plan<'_>,
    judge: Reduce<'_>,
    shared: &Shared,
) -> Result<(Verdict, Option<Ran>, Outcome), Stop> {
    let Some(file) = &args.policy else {
        return Err(InputError::new(ErrorCode::Usage, "neither --policy nor --observations is given").into());
    };
    let principals = principals(&args.principal, contract)?;
    let read = Read::file(file)?;
    let policy = Policy::read(read.value()).map_err(|failure| read.refusal(failure))?;
    let declared = declared(&policy, contract);
    let secrets = Secrets::of(principals.values().map(String::as_str).chain(declared));
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
        let run = steps::run(contract, &mut SessionPort::new(port), &is_allowed, &principals);
        ran = Some(run.map_err(|fault| secrets.hidden_in(fault))?);
    } else if !contract.steps.is_empty() {
        out::note(shared, "the pre-flight did not pass: the interaction plan was not run");
    }
    let written = args
        .record
        .as_ref()
        .map_or(Outcome::Clean, |file| record(file, &observations, ran.as_ref(), &secrets, shared));
    Ok((verdict, ran, written))
}

/// What the policy declares for its servers' environments, but for what the contract itself writes out: that is no secret, and
/// a call that was recorded without it would be another one.
fn declared<'p>(policy: &'p Policy, contract: &Contract) -> impl Iterator<Item = &'p str> {
    let known = contract.value.to_string();
    let declared = policy.authorizations.iter().flat_map(|entry| &entry.server_environment);
    let values = declared.filter(|(name, _)| *name != "PATH").map(|(_, value)| value.as_str());
    values.filter(move |value| !known.contains(value))
}

/// `NAME=VARIABLE`, by the names that the contract declares.
fn principals(given: &[String], contract: &Contract) -> Result<Principals, InputError> {
    let usage = |message: String| InputError::new(ErrorCode::Usage, message);
    let declared = contract.test_data.principals.iter().flatten().map(|(name, _)| name.as_str());
    let mut principals = Principals::new();
    for one in given {
        let Some((name, variable)) = one.split_once('=') else {
            return Err(usage(format!("--principal {one}: NAME=VARIABLE is expected")));
        };
        if !declared.clone().any(|known| known == name) {
            return Err(usage(crate::suggest::unknown("principal", name, declared)));
        }
        principals.insert(name.to_string(), target::from_here(variable, "--principal")?);
    }
    Ok(principals)
}

/// What principals are here, and what servers were given, stays here: it is `***` in the file, wherever it came back.
fn record(
    file: &Path,
    observations: &[Observation],
    ran: Option<&Ran>,
    secrets: &Secrets,
    shared: &Shared,
) -> Outcome {
    let all: Vec<_> = observations.iter().map(Observation::to_json).collect();
    let mut recorded = json!({ "observations": all });
    if let (Some(ran), Some(members)) = (ran, recorded.as_object_mut()) {
        members.insert("steps".to_string(), ran.calls.iter().map(StepCall::to_json).collect());
    }
    secrets.hide(&mut recorded);
    let text = serde_json::to_string_pretty(&recorded).unwrap_or_default();
    let written = out::file(file, &format!("{text}\n"));
    if written == Outcome::Clean {
        out::note(shared, &format!("{} observations are in {}", observations.len(), file.display()));
    }
    written
}
