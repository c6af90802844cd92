//! `verity grade`.

pub(super) mod case;

use super::attempt::{Recorder, Sources};
use super::output::{self, Choice, Output, Places};
use super::{Outcome, Shared, answers, diff, expectations, input, out, recording};
use crate::error::{ErrorCode, InputError};
use crate::expect::{ExtraCalls, Injected};
use crate::grade::attempt::{Options, Role};
use crate::grade::verdict;
use crate::manifest::{Completeness, Input};
use crate::report::answers as answers_report;
use crate::report::grade::{self as report, Graded};
use crate::report::html::{self, Sheet};
use crate::suggest;
use crate::trace::{Fixtures, Trace};
use case::{Case, Judged};
use serde_json::Value;
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
    /// The model's own stream of the same run: the recording must have the same calls, one for one.
    #[arg(long, value_name = "STREAM")]
    against: Option<PathBuf>,
    /// File with the agent's final answer, where the recording holds no texts; else that of the stream.
    #[arg(long, value_name = "FILE")]
    answer: Option<PathBuf>,
    /// Keep the recording, all it is judged by and the verdict in this folder, for `verity replay`.
    #[arg(long, value_name = "FOLDER")]
    record: Option<PathBuf>,
    /// Replace an older attempt with --record.
    #[arg(long, requires = "record")]
    force: bool,
    /// Try out whether the grading can fail: change the recording in many ways, and count those that a check notices.
    #[arg(long)]
    mutate: bool,
    /// Fail where a smaller share of the changes is noticed, from 0 to 1. Implies --mutate.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    min_mutation_score: Option<f64>,
    /// Score answers to the tasks of this pack, as its runner would.
    #[arg(long, value_name = "PACK", conflicts_with_all = ["trace", "expect", "tools", "var", "fault", "judgements", "fixtures", "mutate", "min_mutation_score", "against", "answer", "record"])]
    pack: Option<PathBuf>,
    /// An agent's answers: a folder with a folder a task (call.json), or lines of {"task", "arguments"}. May be given
    /// several times, one an agent.
    #[arg(long, value_name = "[NAME=]PATH", value_parser = answers::source_of, requires = "pack")]
    answers: Vec<answers::Source>,
    /// A recording: the last call to each task's tool is the answer. May be given several times.
    #[arg(long, value_name = "[NAME=]TRACE", value_parser = answers::source_of, requires = "pack")]
    answers_from: Vec<answers::Source>,
    /// `human`, `json`, `junit`, `markdown` or `html`; `NAME=FILE` writes it to a file. May be given several times.
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
  verity grade run.jsonl --expect orders.abs.yaml --format html=run.html
  verity grade tool-trace.jsonl --against stream.jsonl --record attempts/1
  verity grade --pack packs/orders --answers small=a.jsonl --answers large=b/

Exit codes: 0 passed, 1 a named check failed, 2 something could not be judged or read.";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Human,
    Json,
    Junit,
    Markdown,
    Html,
}

impl Choice for Format {
    const ALL: &'static [Format] =
        &[Format::Human, Format::Json, Format::Junit, Format::Markdown, Format::Html];

    fn name(self) -> &'static str {
        match self {
            Format::Human => "human",
            Format::Json => "json",
            Format::Junit => "junit",
            Format::Markdown => "markdown",
            Format::Html => "html",
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
    let named = [&args.trace, &args.expect, &args.judgements, &args.against, &args.answer];
    let read: Vec<PathBuf> = named.into_iter().flatten().chain(sources).cloned().collect();
    let into = |folder: &PathBuf| {
        outputs.iter().filter_map(|o| o.file.as_ref()).any(|file| output::lies_in(file, folder))
    };
    if args.record.as_ref().is_some_and(into) {
        let message = "a report would be written into the attempt's folder: give it another place";
        return failed(&InputError::new(ErrorCode::Usage, message), json);
    }
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
        Format::Html => html::answers(&answered),
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
    let shown = shown(path);
    let mut recorder = match &args.record {
        Some(place) => Some(Recorder::open(place, args.force)?),
        None => None,
    };
    let (trace, case, sources) = read(args, path, &shown, recorder.as_mut())?;
    let Judged { verdict, mutation } = case.judge(&trace, &shown)?;
    let mut graded = Graded {
        path: &shown,
        format: trace.format.name(),
        calls: trace.len(),
        notes: recording::notes(&trace, &shown),
        verdict: &verdict,
        mutation: mutation.as_ref(),
    };
    if let Some(mut recorder) = recorder {
        recorder.case(&case, &sources)?;
        let manifest = recorder.finish(&shown, &case, &trace, &verdict, &report::value(&graded))?;
        let place = args.record.as_deref().unwrap_or(Path::new("")).display();
        graded.notes.push(format!("the attempt is in {place}; its digest is {}", manifest.sha256));
    }
    let written = places.write(|output| match output.format {
        Format::Human => report::human(&graded, output.look(shared)),
        Format::Json => report::json(&graded),
        Format::Junit => report::junit(&graded),
        Format::Markdown => report::markdown(&graded),
        Format::Html => {
            let sheet = Sheet { name: &shown, judged: Ok((graded.clone(), &trace)), remarks: Vec::new() };
            html::grade("verity grade", &[sheet])
        }
    });
    if let Some(why) = report::not_judged(&verdict) {
        out::error(&InputError::new(ErrorCode::NotJudged, why).at(&shown), false);
    }
    Ok(outcome(&verdict).max(written))
}

/// A recording as messages name it.
fn shown(path: &Path) -> String {
    if path.as_os_str() == "-" { "<stdin>".to_string() } else { path.display().to_string() }
}

/// An error is a report, too, in JSON.
fn failed(error: &InputError, json: bool) -> Outcome {
    let outcome = out::error(error, false);
    if json { outcome.max(out::stdout(&report::failure(error))) } else { outcome }
}

pub(super) fn outcome(verdict: &verdict::Verdict) -> Outcome {
    match verdict.outcome() {
        verdict::Outcome::Passed => Outcome::Clean,
        verdict::Outcome::Failed => Outcome::Failed,
        verdict::Outcome::Error => Outcome::BadInput,
    }
}

/// The recording that the command line names, and what it is judged by. A recorder gets every recording first: what is
/// judged is what was kept.
fn read(
    args: &Args,
    path: &Path,
    shown: &str,
    mut recorder: Option<&mut Recorder>,
) -> Result<(Trace, Case, Sources), InputError> {
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
    let mut sources = Sources::default();
    let mut judgements = None;
    if let Some(path) = &args.judgements {
        let bytes = input::bytes(path)?;
        judgements = Some(expectations::judgements(&path.display().to_string(), bytes.clone())?);
        sources.judgements = Some(bytes);
    }
    let tools = args.tools.as_deref().map(listing).transpose()?;
    sources.fixtures = args.fixtures.as_deref().map(recording::folder).transpose()?.unwrap_or_default();
    let mut of = |path: &Path, role: Role, shown: &str, fixtures: Fixtures| match recorder.as_mut() {
        Some(recorder) => recorder.recording(path, role, shown, fixtures),
        None => recording::of_file(path, shown, fixtures),
    };
    let mut trace = of(path, Role::Recording, shown, sources.fixtures.clone())?;
    let stream = match &args.against {
        Some(path) => Some(of(path, Role::Stream, &self::shown(path), sources.fixtures.clone())?),
        None => None,
    };
    if let Some(path) = &args.answer {
        let answer = answer(path, &trace)?;
        trace = trace.with_final_answer(&answer);
        sources.answer = Some(answer);
    } else if let Some(answer) = answer_of(stream.as_ref(), &trace) {
        trace = trace.with_final_answer(&answer);
    }
    let options = Options {
        variables: args.var.iter().cloned().collect(),
        faults: args.fault.iter().cloned().collect(),
        extra_calls: args.extra_calls,
        session: args.session.clone(),
        row: args.row,
        mutate: args.mutate,
        min_mutation_score: args.min_mutation_score,
    };
    Ok((trace, Case { expected, judgements, tools, stream, options }, sources))
}

/// The final answer in a file, for a recording that has none.
fn answer(path: &Path, trace: &Trace) -> Result<String, InputError> {
    let shown = path.display().to_string();
    if trace.final_answer().is_some() {
        let message =
            "the recording holds what the assistant says; --answer is for recordings of calls alone";
        return Err(InputError::new(ErrorCode::Usage, message).at(shown));
    }
    let text = String::from_utf8(input::bytes(path)?)
        .map_err(|_| InputError::new(ErrorCode::Unreadable, "the answer is not UTF-8").at(&shown))?;
    match text.trim().is_empty() {
        true => Err(InputError::new(ErrorCode::Unreadable, "the answer is empty").at(shown)),
        false => Ok(text),
    }
}

/// The final answer that the model's own stream holds, where the recording's format holds none.
pub(super) fn answer_of(stream: Option<&Trace>, trace: &Trace) -> Option<String> {
    let answer = stream?.final_answer()?;
    (!trace.format.records_texts() && trace.final_answer().is_none()).then(|| answer.to_string())
}

/// The tools of a listing, all servers of it.
fn listing(typed: &str) -> Result<Vec<Value>, InputError> {
    let input = Input::of_document(diff::document(typed, None)?)?;
    if let Some(manifest) = input.manifests.iter().find(|m| m.completeness != Completeness::Complete) {
        return Err(diff::incomplete(Path::new(&manifest.path).to_str().unwrap_or(typed)));
    }
    Ok(input.manifests.iter().flat_map(|m| &m.tools).map(|t| t.value.clone()).collect())
}
