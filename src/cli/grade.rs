//! `verity grade`.

use super::output::{Choice, Output, Places};
use super::{Outcome, Shared, diff, expectations, out, recording};
use crate::error::{ErrorCode, InputError};
use crate::expect::{ExtraCalls, Injected};
use crate::grade::calls::{self, Order, Sessions};
use crate::grade::listing::Listing;
use crate::grade::verdict;
use crate::manifest::{Completeness, Input};
use crate::report::grade::{self as report, Graded};
use crate::suggest;
use crate::trace::Trace;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Judge recorded tool calls, offline: are they what was expected, and did they go well?
///
/// Expectations are documents of the Agent Behavior Specification (ABS) with the documented meaning. Whatever they say,
/// every call must have been answered with success, but for rejections that were put right and for declared faults;
/// --tools adds what the listing says of arguments, results and writes. No model is asked: what only a model could
/// judge is an error, unless its judgement was recorded.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A recording in any format that `verity trace` reads, or `-` for standard input.
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Expectation file: one or several ABS documents, YAML or JSON.
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    /// The listing of the tools that were called; else the one in the recording, if it holds one.
    #[arg(long, value_name = "LISTING")]
    tools: Option<String>,
    /// Value of a placeholder, as JSON (what is none is text). May be given several times.
    #[arg(long, value_name = "NAME=JSON", value_parser = expectations::variable)]
    var: Vec<(String, Value)>,
    /// A fault that was injected on purpose. May be given several times.
    #[arg(long, value_name = "TOOL=refused|lost", value_parser = fault)]
    fault: Vec<(String, Injected)>,
    /// What calls beside the expected ones mean: `allow`, `allow-readonly` or `forbid`.
    #[arg(long, value_name = "POLICY", value_parser = policy)]
    extra_calls: Option<ExtraCalls>,
    /// Judge by this document of the expectation file alone.
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// Judge by this row of the dataset alone, from 1.
    #[arg(long, value_name = "N")]
    row: Option<usize>,
    /// Judgements of what only a model or a person can judge: JSON, {"CHECK": {"passed": true, "reason": "…"}}.
    #[arg(long, value_name = "FILE")]
    judgements: Option<PathBuf>,
    /// Folder with the files that calls refer to (`--data @FILE` of a dispatcher).
    #[arg(long, value_name = "FOLDER")]
    fixtures: Option<PathBuf>,
    /// `human`, `json`, `junit` or `markdown`; `NAME=FILE` writes it to a file. May be given several times.
    #[arg(long, value_name = "NAME[=FILE]", value_parser = Output::<Format>::parse)]
    format: Vec<Output<Format>>,
}

const EXAMPLES: &str = "\
Examples:
  verity grade run.jsonl --expect orders.abs.yaml
  verity grade run.jsonl --expect orders.abs.yaml --tools tools.json --format junit=grade.xml
  verity grade run.jsonl --tools tools.json --fault publish=lost
  verity grade run.json --expect refund.abs.yaml --var orderId='\"8291\"'

Exit codes: 0 passed, 1 a named check failed, 2 something could not be judged or read.";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Human,
    Json,
    Junit,
    Markdown,
}

impl Choice for Format {
    const ALL: &'static [Format] = &[Format::Human, Format::Json, Format::Junit, Format::Markdown];

    fn name(self) -> &'static str {
        match self {
            Format::Human => "human",
            Format::Json => "json",
            Format::Junit => "junit",
            Format::Markdown => "markdown",
        }
    }
}

fn fault(text: &str) -> Result<(String, Injected), String> {
    let Some((tool, kind)) = text.rsplit_once('=').filter(|(tool, _)| !tool.is_empty()) else {
        return Err("write TOOL=refused or TOOL=lost".to_string());
    };
    match Injected::parse(kind) {
        Some(injected) => Ok((tool.to_string(), injected)),
        None => Err(suggest::unknown("fault", kind, Injected::NAMES)),
    }
}

fn policy(text: &str) -> Result<ExtraCalls, String> {
    ExtraCalls::parse(text).ok_or_else(|| suggest::unknown("policy", text, ExtraCalls::NAMES))
}

pub(crate) fn run(args: &Args, shared: &Shared) -> Outcome {
    let outputs = match args.format.as_slice() {
        [] => vec![Output { format: Format::Human, file: None }],
        given => given.to_vec(),
    };
    let json = outputs.iter().any(|o| o.format == Format::Json && o.file.is_none());
    let read: Vec<PathBuf> = [Some(args.trace.clone()), args.expect.clone()].into_iter().flatten().collect();
    let done = Places::open(outputs, &read).and_then(|places| Ok((places, judge(args)?)));
    let (places, (trace, verdict)) = match done {
        Ok(done) => done,
        Err(e) => return failed(&e, json),
    };
    let shown = args.trace.display().to_string();
    let graded = Graded {
        path: &shown,
        format: trace.format.name(),
        calls: trace.len(),
        notes: recording::notes(&trace, &shown),
        verdict: &verdict,
    };
    let written = places.write(|output| match output.format {
        Format::Human => report::human(&graded, output.look(shared)),
        Format::Json => report::json(&graded),
        Format::Junit => report::junit(&graded),
        Format::Markdown => report::markdown(&graded),
    });
    if let Some(why) = report::not_judged(&verdict) {
        out::error(&InputError::new(ErrorCode::NotJudged, why).at(&shown), false);
    }
    outcome(&verdict).max(written)
}

/// An error is a report, too, in JSON.
fn failed(error: &InputError, json: bool) -> Outcome {
    let outcome = out::error(error, false);
    if json { outcome.max(out::stdout(&report::failure(error))) } else { outcome }
}

fn outcome(verdict: &verdict::Verdict) -> Outcome {
    match verdict.outcome() {
        verdict::Outcome::Passed => Outcome::Clean,
        verdict::Outcome::Failed => Outcome::Failed,
        verdict::Outcome::Error => Outcome::BadInput,
    }
}

fn judge(args: &Args) -> Result<(Trace, verdict::Verdict), InputError> {
    // What is wrong with the expectations is told before a long recording is read.
    let expected = match &args.expect {
        Some(path) => Some(expectations::read(path, args.session.as_deref())?),
        None if args.session.is_some() || args.row.is_some() || args.extra_calls.is_some() => {
            let message =
                "--session, --row and --extra-calls are about an expectation file: name it with --expect";
            return Err(InputError::new(ErrorCode::Usage, message));
        }
        None => None,
    };
    let judgements = args.judgements.as_deref().map(expectations::judgements).transpose()?;
    let listing = args.tools.as_deref().map(listing).transpose()?;
    let trace = recording::read(&args.trace, args.fixtures.as_deref())?;
    let variables: BTreeMap<String, Value> = args.var.iter().cloned().collect();
    let sessions = match &expected {
        Some(file) => file.bind(&variables, args.row, calls::runs(&trace), judgements.is_some())?,
        None if trace.is_empty() => {
            let message =
                "the recording holds no call, and no expectations were given: there is nothing to judge";
            return Err(InputError::new(ErrorCode::NotJudged, message).at(args.trace.display().to_string()));
        }
        None => Sessions::None,
    };
    let recorded = || trace.listing.as_ref().map(Listing::new);
    let order = Order {
        sessions,
        listing: listing.or_else(recorded),
        faults: args.fault.iter().cloned().collect(),
        extra_calls: args.extra_calls,
        judgements: judgements.unwrap_or_default(),
    };
    let verdict = calls::judge(&trace, &order);
    Ok((trace, verdict))
}

/// The tools of a listing, all servers of it.
fn listing(typed: &str) -> Result<Listing, InputError> {
    let input = Input::of_document(diff::document(typed)?)?;
    if let Some(manifest) = input.manifests.iter().find(|m| m.completeness != Completeness::Complete) {
        return Err(diff::incomplete(Path::new(&manifest.path).to_str().unwrap_or(typed)));
    }
    Ok(Listing::new(input.manifests.iter().flat_map(|m| &m.tools).map(|t| &t.value)))
}
