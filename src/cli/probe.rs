//! `verity probe`.

mod contract;
#[cfg(feature = "live")]
mod log;
#[cfg(feature = "live")]
mod server;

use super::output::Output;
#[cfg(feature = "live")]
use super::target::Reach;
use super::{Outcome, Shared, usage_error};
use crate::report::Format;

/// Do a live server's tools do what they say?
///
/// Without a contract: calls the tools that are read-only by their own hint with generated arguments, and judges what
/// comes back: do they answer, do arguments matter, are invalid ones refused, do results keep the outputSchema, do
/// they hold orders to the agent, is the listing the same afterwards.
///
/// With --contract: makes the calls of the contract's pre-flight, one session a call, against the server that --policy
/// names, or judges what was recorded (--observations).
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The server to probe: a program and its arguments, behind `--`.
    #[cfg(feature = "live")]
    #[arg(last = true, value_name = "CMD", conflicts_with_all = ["url", "contract"])]
    command: Vec<String>,
    #[cfg(feature = "live")]
    #[command(flatten)]
    probe: server::Calls,
    /// `human`, `json`, `sarif`, `junit`, `github`, `markdown` or `html` (with --contract: `human` or `json`); `NAME=FILE`
    /// writes it to a file. May be given several times.
    #[arg(long, value_name = "NAME[=FILE]", value_parser = Output::<Format>::parse)]
    format: Vec<Output>,
    #[command(flatten)]
    contract: contract::ByContract,
    #[cfg(feature = "live")]
    #[command(flatten)]
    reach: Reach,
}

const EXAMPLES: &str = "\
Examples:
  verity probe -- npx -y @modelcontextprotocol/server-memory
  verity probe --args calls.json --allow-writes create_note -- ./server
  verity probe --url https://example.com/mcp --token-env EXAMPLE_TOKEN
  verity probe --log calls.jsonl --resume --max-calls 2000 -- ./server
  verity probe --contract notes.contract.json --policy policy.json
  verity probe --contract notes.contract.json --observations recorded.json

Exit codes: 0 passed, 1 findings or a failed check, 2 nothing that can be judged,
3 a fault: not allowed, not started, not speaking MCP, over its time or size.";

pub(crate) fn run(args: &Args, shared: &Shared) -> Outcome {
    if args.contract.is_asked() {
        return contract::run(&args.contract, &args.format, shared);
    }
    #[cfg(feature = "live")]
    if !args.command.is_empty() || args.reach.url.is_some() {
        return server::run(args, shared);
    }
    let is_json = args.format.iter().any(|o| o.format == Format::Json && o.file.is_none());
    usage_error(
        "nothing to probe: name a server behind --, an address with --url, or a contract with --contract",
        is_json,
    )
}
