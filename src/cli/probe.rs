//! `verity probe`.

mod contract;

use super::{Format, Outcome, Shared};
use std::path::PathBuf;

/// Do a server's tools do what they say? Judged by a contract.
///
/// Makes the calls of the contract's pre-flight against the server that the policy names, one session a call, and
/// judges them: are the operations there, do arguments matter, is state reset, are control calls clean, do seeded
/// faults strike where they should. With --observations nothing is called: what was recorded is judged.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The contract to judge by.
    #[arg(long, value_name = "FILE")]
    contract: PathBuf,
    /// What may be started, and which tools may be called: nothing that this file does not name.
    #[cfg(feature = "live")]
    #[arg(long, value_name = "FILE", required_unless_present = "observations")]
    policy: Option<PathBuf>,
    /// Seeded defects whose faults have to show.
    #[arg(long, value_name = "FILE")]
    probes: Option<PathBuf>,
    /// Judge these recorded observations; nothing is started.
    #[cfg_attr(feature = "live", arg(long, value_name = "FILE", conflicts_with = "policy"))]
    #[cfg_attr(not(feature = "live"), arg(long, value_name = "FILE", required = true))]
    observations: Option<PathBuf>,
    /// Write what was observed to this file, for --observations.
    #[cfg(feature = "live")]
    #[arg(long, value_name = "FILE", conflicts_with = "observations")]
    record: Option<PathBuf>,
    /// Name of the run in the verdict.
    #[arg(long, value_name = "ID", default_value = "preflight")]
    run_id: String,
    /// Write the verdict, as eval-quality reads it, to this file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How to print the result.
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Format::Human)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  verity probe --contract notes.contract.json --policy policy.json
  verity probe --contract notes.contract.json --policy policy.json --probes defects.json --out verdict.json
  verity probe --contract notes.contract.json --observations recorded.json

Exit codes: 0 passed, 1 failed, 2 no contract, policy or observations, 3 a fault:
refused by the policy, not started, not speaking MCP, over its time or size.";

pub(crate) fn run(args: &Args, shared: &Shared) -> Outcome {
    contract::run(args, shared)
}
