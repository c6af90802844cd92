//! `verity capture`.

use super::target::{NAME, Reach};
use super::today::today;
use super::{Outcome, Shared, out};
use crate::error::InputError;
use crate::manifest::Input;
use crate::mcp::capture::Captured;
use crate::source;
use std::path::PathBuf;

/// Write down what a live server publishes, for the other commands to read.
///
/// Starts the server (no shell; its own process group, killed at the end; no environment but PATH) or reaches it
/// over HTTP, asks for its tools, prompts and resources, and writes them as they were sent, with the server's
/// name, the protocol and digests. A server that has not changed gives the same bytes.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The server: a program and its arguments, behind `--`.
    #[arg(last = true, value_name = "CMD", conflicts_with = "url")]
    command: Vec<String>,
    /// Write the listing to this file, not to standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write today's date into the listing.
    #[arg(long)]
    date: bool,
    #[command(flatten)]
    reach: Reach,
}

const EXAMPLES: &str = "\
Examples:
  verity capture -o tools.json -- npx -y @modelcontextprotocol/server-memory
  verity capture -o tools.json --env GITHUB_TOKEN -- ./server --read-only
  verity capture --url https://example.com/mcp --token-env EXAMPLE_TOKEN
  verity capture -- python3 server.py | verity lint -

Exit codes: 0 written, 2 nothing that can be judged, 3 the server: not started,
not reached, over its time or size, or not speaking MCP.";

pub(crate) fn run(args: &Args, shared: &Shared) -> Outcome {
    let captured = match capture(args) {
        Ok(captured) => captured,
        Err(e) => return out::error(&e, false),
    };
    let outcome = match &args.output {
        None => out::stdout(&captured.text),
        Some(file) => out::file(file, &captured.text),
    };
    if outcome == Outcome::Clean {
        out::note(shared, &summary(&captured));
    }
    outcome
}

fn capture(args: &Args) -> Result<Captured, InputError> {
    let target = match args.command.as_slice() {
        [] => args.reach.endpoint()?,
        argv => args.reach.command(argv.to_vec())?,
    };
    let date = args.date.then(today);
    let captured = args.reach.capture(&target, date.as_deref())?;
    // What no command could read is not written.
    let document = source::parse(NAME, captured.text.clone().into_bytes())?;
    Input::of_document(document)?;
    Ok(captured)
}

fn summary(captured: &Captured) -> String {
    let count = |n: usize, what: &str| match n {
        0 => String::new(),
        1 => format!(", 1 {what}"),
        n => format!(", {n} {what}s"),
    };
    let hello = &captured.hello;
    let name = hello.name.as_deref().unwrap_or("the server");
    let version = hello.version.as_deref().map_or(String::new(), |v| format!(" {v}"));
    let counts = [(captured.tools, "tool"), (captured.prompts, "prompt"), (captured.resources, "resource")];
    let counts: String = counts.into_iter().map(|(n, what)| count(n, what)).collect();
    format!("captured {name}{version}, protocol {}{counts}", hello.revision.as_str())
}
