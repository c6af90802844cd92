//! `verity grade`.

use super::output::{Choice, Output, Places};
use super::{Outcome, Shared, answers, diff, expectations, out, recording};
use crate::error::{ErrorCode, InputError};
use crate::expect::{ExtraCalls, Injected};
use crate::grade::calls::{self, Order, Sessions};
use crate::grade::listing::Listing;
use crate::grade::mutate::{self, Mutation};
use crate::grade::verdict;
use crate::manifest::{Completeness, Input};
use crate::report::answers as answers_report;
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
    #[arg(value_name = "TRACE", required_unless_present = "pack")]
    trace: Option<PathBuf>,
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
    /// Try out whether the grading can fail: change the recording in many ways, and count those that a check notices.
    #[arg(long)]
    mutate: bool,
    /// Fail where a smaller share of the changes is noticed, from 0 to 1. Implies --mutate.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    min_mutation_score: Option<f64>,
    /// Score answers to the tasks of this pack, as its runner would.
    #[arg(long, value_name = "PACK", conflicts_with_all = ["trace", "expect", "tools", "var", "fault", "judgements", "fixtures", "mutate", "min_mutation_score"])]
    pack: Option<PathBuf>,
    /// An agent's answers: a folder with a folder a task (call.json), or lines of {"task", "arguments"}. May be given
    /// several times, one an agent.
    #[arg(long, value_name = "[NAME=]PATH", value_parser = answers::source_of, requires = "pack")]
    answers: Vec<answers::Source>,
    /// A recording: the last call to each task's tool is the answer. May be given several times.
    #[arg(long, value_name = "[NAME=]TRACE", value_parser = answers::source_of, requires = "pack")]
    answers_from: Vec<answers::Source>,
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
  verity grade good-run.jsonl --expect orders.abs.yaml --min-mutation-score 0.9
  verity grade --pack packs/orders --answers small=a.jsonl --answers large=b/

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

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|s| (0.0..=1.0).contains(s));
    share.ok_or_else(|| "write a number from 0 to 1".to_string())
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
    let sources = args.answers.iter().chain(&args.answers_from).map(|s| &s.path);
    let read: Vec<PathBuf> = args.trace.iter().chain(&args.expect).chain(sources).cloned().collect();
    let done = match (&args.pack, &args.trace) {
        (Some(pack), _) => Places::open(outputs, &read).and_then(|places| score(args, pack, places, shared)),
        (None, Some(trace)) => {
            Places::open(outputs, &read).and_then(|places| grade(args, trace, places, shared))
        }
        (None, None) => Err(InputError::new(ErrorCode::Usage, "name a recording, or a pack with --pack")),
    };
    match done {
        Ok(outcome) => outcome,
        Err(e) => failed(&e, json),
    }
}

/// Score the answers to a pack.
fn score(args: &Args, pack: &Path, places: Places<Format>, shared: &Shared) -> Result<Outcome, InputError> {
    if args.answers.is_empty() && args.answers_from.is_empty() {
        let message = "--pack needs answers: --answers PATH, or --answers-from TRACE";
        return Err(InputError::new(ErrorCode::Usage, message));
    }
    let answered = answers::judge(pack, &args.answers, &args.answers_from)?;
    let written = places.write(|output| match output.format {
        Format::Human => answers_report::human(&answered, output.look(shared)),
        Format::Json => answers_report::json(&answered),
        Format::Junit => answers_report::junit(&answered),
        Format::Markdown => answers_report::markdown(&answered),
    });
    let outcome = match answered.status() {
        "passed" => Outcome::Clean,
        "failed" => Outcome::Failed,
        _ => Outcome::BadInput,
    };
    Ok(outcome.max(written))
}

/// Judge a recording.
fn grade(args: &Args, path: &Path, places: Places<Format>, shared: &Shared) -> Result<Outcome, InputError> {
    let Judged { trace, verdict, mutation } = judge(args, path)?;
    let shown = path.display().to_string();
    let graded = Graded {
        path: &shown,
        format: trace.format.name(),
        calls: trace.len(),
        notes: recording::notes(&trace, &shown),
        verdict: &verdict,
        mutation: mutation.as_ref(),
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
    Ok(outcome(&verdict).max(written))
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

/// A recording and what was found.
struct Judged {
    trace: Trace,
    verdict: verdict::Verdict,
    mutation: Option<Mutation>,
}

fn judge(args: &Args, path: &Path) -> Result<Judged, InputError> {
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
    let trace = recording::read(path, args.fixtures.as_deref())?;
    let variables: BTreeMap<String, Value> = args.var.iter().cloned().collect();
    let sessions = match &expected {
        Some(file) => file.bind(&variables, args.row, calls::runs(&trace), judgements.is_some())?,
        None if trace.is_empty() => {
            let message =
                "the recording holds no call, and no expectations were given: there is nothing to judge";
            return Err(InputError::new(ErrorCode::NotJudged, message).at(path.display().to_string()));
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
    let mut verdict = calls::judge(&trace, &order);
    let mutation = mutate(args, &trace, &order, &mut verdict);
    Ok(Judged { trace, verdict, mutation })
}

/// The mutation score, where it is asked for; only of a recording that passes can be said what was noticed.
fn mutate(args: &Args, trace: &Trace, order: &Order, verdict: &mut verdict::Verdict) -> Option<Mutation> {
    if !args.mutate && args.min_mutation_score.is_none() {
        return None;
    }
    if verdict.outcome() != verdict::Outcome::Passed {
        verdict.notes.push("the recording does not pass, so there is no mutation score".to_string());
        return None;
    }
    let mutation = mutate::run(trace, order);
    verdict.checks.extend(args.min_mutation_score.map(|least| mutate::check(&mutation, least)));
    Some(mutation)
}

/// The tools of a listing, all servers of it.
fn listing(typed: &str) -> Result<Listing, InputError> {
    let input = Input::of_document(diff::document(typed)?)?;
    if let Some(manifest) = input.manifests.iter().find(|m| m.completeness != Completeness::Complete) {
        return Err(diff::incomplete(Path::new(&manifest.path).to_str().unwrap_or(typed)));
    }
    Ok(Listing::new(input.manifests.iter().flat_map(|m| &m.tools).map(|t| &t.value)))
}
