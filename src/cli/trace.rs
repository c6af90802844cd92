//! `verity trace`.

use super::{Outcome, Shared, out, recording};
use std::path::PathBuf;

/// Read recorded tool calls, whatever wrote them, and print a JSON line a call.
///
/// Reads MCP message logs, OpenAI chat and Responses, Anthropic and LangChain messages, Claude Code streams, OTLP spans, promptfoo
/// results, Inspect logs (.json and .eval), ATIF, the pack runner's trace, simulator rows and an attempt's rows. Streamed parts are put
/// together, and answers meet their calls by id.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A recording, or `-` for standard input.
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Folder with the files that calls refer to (`--data @FILE` of a dispatcher).
    #[arg(long, value_name = "FOLDER")]
    fixtures: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  verity trace session.jsonl
  verity trace logs/run.eval | jq .tool
  agent --output-format stream-json | verity trace -

A line has index, tool, server, call_id, arguments, outcome (ok, error or missing), result, source (where the call
stands in the file), session and parent (the call that started a sub-agent).

Exit codes: 0 read, 2 no recording that is known, or a broken one.";

/// Lines are printed in portions of about this many bytes.
const PORTION: usize = 1 << 20;

pub(crate) fn run(args: &Args, shared: &Shared) -> Outcome {
    let trace = match recording::read(&args.trace, args.fixtures.as_deref()) {
        Ok(trace) => trace,
        Err(e) => return out::error(&e, false),
    };
    let shown =
        if args.trace.as_os_str() == "-" { "<stdin>".to_string() } else { args.trace.display().to_string() };
    for note in recording::notes(&trace, &shown) {
        out::note(shared, &note);
    }
    let plural = if trace.len() == 1 { "call" } else { "calls" };
    out::note(shared, &format!("{shown}: {} {plural}, {}", trace.len(), trace.format.name()));
    let mut text = String::new();
    for call in trace.calls() {
        text.push_str(&call.to_json().to_string());
        text.push('\n');
        if text.len() >= PORTION {
            let printed = out::stdout(&text);
            if printed != Outcome::Clean {
                return printed;
            }
            text.clear();
        }
    }
    out::stdout(&text)
}
