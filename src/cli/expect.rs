//! `verity expect`.

use super::{Outcome, Shared, out, recording};
use crate::error::{ErrorCode, InputError};
use crate::expect;
use crate::grade::calls::{self, Order, Sessions};
use crate::grade::verdict;
use crate::yaml;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Expectations over recorded calls.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    /// Draft an expectation document from a recording of a good run.
    ///
    /// Its calls with exactly their arguments, in their order (those that were made at once in any), their answers by
    /// shape, and no other calls. The draft passes on the recording; make looser what need not be so.
    Init(Init),
}

#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
struct Init {
    /// A recording in any format that `verity trace` reads, or `-` for standard input.
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Write the document to this file, not to standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Name of the session; else the recording's.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Folder with the files that calls refer to (`--data @FILE` of a dispatcher).
    #[arg(long, value_name = "FOLDER")]
    fixtures: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  verity expect init good-run.jsonl -o orders.abs.yaml
  verity grade next-run.jsonl --expect orders.abs.yaml
  verity grade good-run.jsonl --expect orders.abs.yaml --mutate

Exit codes: 0 written, 2 no recording that is known, or none of a good run.";

pub(crate) fn run(args: &Args, shared: &Shared) -> Outcome {
    let Command::Init(init) = &args.command;
    match draft(init) {
        Err(e) => out::error(&e, false),
        Ok(text) => match &init.output {
            None => out::stdout(&text),
            Some(file) => {
                let outcome = out::file(file, &text);
                if outcome == Outcome::Clean {
                    out::note(
                        shared,
                        &format!("the session is in {}; make looser what need not be so", file.display()),
                    );
                }
                outcome
            }
        },
    }
}

fn draft(init: &Init) -> Result<String, InputError> {
    let shown = init.trace.display().to_string();
    let wrong = |message: String| InputError::new(ErrorCode::NotJudged, message).at(&shown);
    if init
        .output
        .as_ref()
        .is_some_and(|o| o.canonicalize().is_ok_and(|o| init.trace.canonicalize().is_ok_and(|t| t == o)))
    {
        return Err(InputError::new(ErrorCode::Usage, "the document would replace the recording").at(&shown));
    }
    let trace = recording::read(&init.trace, init.fixtures.as_deref())?;
    if calls::runs(&trace) > 1 {
        let help = "Split it by run, and draft a session from one of them.";
        return Err(wrong("the recording holds several runs, and a session is one".to_string()).help(help));
    }
    let stem = init.trace.file_stem().map(|s| s.to_string_lossy().into_owned());
    let name =
        init.name.clone().or(stem).filter(|n| !n.trim().is_empty()).unwrap_or_else(|| "session".to_string());
    let session = expect::init::session(&trace, &name).map_err(wrong)?;
    let text = yaml::write(&session).map_err(wrong)?;
    // What is written is what passes: nothing else may leave.
    let bound = expect::parse(&text).and_then(|raws| {
        raws.iter().map(|raw| expect::bind::bind(raw, &BTreeMap::new(), false)).collect::<Result<Vec<_>, _>>()
    });
    let sessions =
        bound.map_err(|fault| wrong(format!("no document can be made of it: {}", fault.message)))?;
    let judged = calls::judge(&trace, &Order { sessions: Sessions::All(sessions), ..Order::default() });
    if judged.outcome() != verdict::Outcome::Passed {
        let first = judged.checks.iter().find(|c| c.status > verdict::Status::Skipped);
        let why = first.map_or(String::new(), |c| format!(": {}: {}", c.id, c.message));
        return Err(wrong(format!("no session made of it passes on it{why}")));
    }
    Ok(text)
}
