//! `verity lint`.

use super::input::{self, Inputs};
use super::profiles::stale;
use super::today::today;
use super::{Outcome, Shared, out, usage_error};
use crate::error::{ErrorCode, InputError};
use crate::finding::Severity;
use crate::lint::{self, LintedFile, Options};
use crate::manifest::Completeness;
use crate::profile::{self, Profile, Profiles};
use crate::report::Format;
use crate::report::human::Look;
use crate::{rules, suggest};
use clap::ValueEnum;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::PathBuf;

/// Find what is wrong with the tools of an MCP server.
///
/// Reads saved tool listings and reports poisoned text, broken or vacuous schemas, and definitions
/// that clients refuse. Nothing is started and nothing is fetched.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files, folders (`*.json`, `*.jsonl`) or `-` for standard input; `./tools.json` if left out.
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// `human` or `json`; `NAME=FILE` writes it to a file. May be given several times.
    #[arg(long, value_name = "NAME[=FILE]", value_parser = Output::parse)]
    format: Vec<Output>,
    /// Judge by these profiles: `mcp`, a revision such as `mcp-2025-11-25`, a client such as `openai`
    /// (`verity profiles` lists them), `all`, or a profile file `./mine.yaml` of your own.
    #[arg(long, value_name = "NAME[,NAME…]", value_delimiter = ',')]
    profile: Vec<String>,
    /// The severity from which findings make the run fail (exit code 1).
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = FailOn::Error)]
    fail_on: FailOn,
    /// Run this rule alone. May be given several times.
    #[arg(long, value_name = "RULE")]
    only: Vec<String>,
    /// Leave this rule out. May be given several times.
    #[arg(long, value_name = "RULE")]
    ignore: Vec<String>,
    /// Name of the server, where the listing does not state it.
    #[arg(long, value_name = "NAME")]
    server_name: Option<String>,
    /// Take a listing that is not complete (`nextCursor`) as it is: a warning, not an error.
    #[arg(long)]
    allow_incomplete: bool,
}

const EXAMPLES: &str = "\
Examples:
  verity lint tools.json
  verity lint --format human --format json=report.json tools/
  my-client list-tools | verity lint -
  verity lint --fail-on warning --ignore MCP-ANNOTATION-ABSENT tools.json

Exit codes: 0 clean or below --fail-on, 1 findings, 2 input that cannot be judged.";

/// Columns of a human report in a file.
const FILE_WIDTH: usize = 100;
/// Notes on stderr beyond which they are counted.
const MAX_NOTES: usize = 20;

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum FailOn {
    Error,
    Warning,
    Info,
    Never,
}

/// A report and where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Output {
    format: Format,
    /// `None`: standard output.
    file: Option<PathBuf>,
}

impl Output {
    fn parse(text: &str) -> Result<Output, String> {
        let (name, file) = match text.split_once('=') {
            Some((_, "")) => return Err("no file name after `=`".to_string()),
            Some((name, file)) => (name, Some(PathBuf::from(file))),
            None => (text, None),
        };
        let Some(format) = Format::ALL.into_iter().find(|f| f.name() == name) else {
            return Err(suggest::unknown("format", name, Format::ALL.map(Format::name)));
        };
        Ok(Output { format, file })
    }
}

pub(crate) fn run(args: &Args, shared: &Shared) -> Outcome {
    let outputs = match args.format.as_slice() {
        [] => vec![Output { format: Format::Human, file: None }],
        given => given.to_vec(),
    };
    let json = outputs.iter().any(|o| o.format == Format::Json && o.file.is_none());
    let options = match check_outputs(&outputs).and_then(|()| options(args)) {
        Ok(options) => options,
        Err(message) => return usage_error(message, json),
    };
    let today = today();
    for note in options.clients.iter().filter_map(|profile| stale(profile, &today)) {
        out::note(shared, &note);
    }
    let (files, errors, notes) = lint_inputs(args, &options);
    let mut outcome = judge(args, &files);
    say(&notes, shared);
    for output in &outputs {
        outcome = outcome.max(write(output, &files, &errors, shared));
    }
    // After the report: on a screen, what is said last is read.
    for error in &errors {
        outcome = outcome.max(out::error(error, false));
    }
    outcome
}

/// Two reports cannot stand in one place.
fn check_outputs(outputs: &[Output]) -> Result<(), String> {
    let mut places = BTreeSet::new();
    match outputs.iter().find(|o| !places.insert(o.file.clone())) {
        None => Ok(()),
        Some(Output { file: Some(file), .. }) => Err(format!("two reports to one file, {}", file.display())),
        Some(_) => Err(
            "two reports to standard output: give one of them a file, such as `--format json=report.json`"
                .to_string(),
        ),
    }
}

fn write(output: &Output, files: &[LintedFile], errors: &[InputError], shared: &Shared) -> Outcome {
    let look = match output.file {
        Some(_) => Look::new(FILE_WIDTH, false),
        None => Look::new(out::width(), out::is_coloured(shared)),
    };
    let text = output.format.render(files, errors, look);
    match &output.file {
        // The errors are said on stderr; here they would be said twice.
        None if files.is_empty() && output.format == Format::Human => Outcome::Clean,
        None => out::stdout(&text),
        Some(file) => out::file(file, &text),
    }
}

/// What the reader of a report should know of how its input was read.
fn say(notes: &[String], shared: &Shared) {
    for text in notes.iter().take(MAX_NOTES) {
        out::note(shared, text);
    }
    if notes.len() > MAX_NOTES {
        out::note(shared, &format!("… and {} more notes", notes.len() - MAX_NOTES));
    }
}

/// The library's options from the command line's.
fn options(args: &Args) -> Result<Options, String> {
    let mut profiles = Profiles::default();
    for name in &args.profile {
        match name.trim() {
            file if file.ends_with(".yaml") || file.ends_with(".yml") => {
                profiles.add_client(own_profile(file)?)
            }
            name => profiles.add(name)?,
        }
    }
    Ok(Options {
        revisions: profiles.revisions,
        clients: profiles.clients,
        only: rule_ids(&args.only)?,
        ignore: rule_ids(&args.ignore)?,
        server_name: args.server_name.clone(),
        allow_incomplete: args.allow_incomplete,
    })
}

/// The most that is read of a profile.
const MAX_PROFILE: u64 = 1 << 20;

/// A profile of the user's own, from the file `path`.
fn own_profile(path: &str) -> Result<&'static Profile, String> {
    let read = || -> std::io::Result<String> {
        let mut text = String::new();
        std::fs::File::open(path)?.take(MAX_PROFILE).read_to_string(&mut text)?;
        Ok(text)
    };
    let text = read().map_err(|e| format!("the profile {path} cannot be read: {e}"))?;
    let name = std::path::Path::new(path).file_stem().and_then(|s| s.to_str()).unwrap_or_default();
    if profile::client(name).is_some() {
        return Err(format!(
            "the profile {path} has the name of one that comes with verity; call it otherwise"
        ));
    }
    match profile::load(name, &text) {
        Ok(profile) => Ok(Box::leak(Box::new(profile))),
        Err(e) => Err(format!("the profile {path}:{}:{}: {}", e.line, e.column, e.message)),
    }
}

fn rule_ids(typed: &[String]) -> Result<BTreeSet<&'static str>, String> {
    let id = |typed: &String| match rules::find(typed) {
        Some(rule) => Ok(rule.info().id),
        None => {
            let message = suggest::unknown("rule", typed, rules::all().map(|r| r.info().id));
            Err(format!("{message} (`verity rules` lists them)"))
        }
    };
    typed.iter().map(id).collect()
}

/// Read and lint what was named: what was found, what could not be judged, and notes on the reading.
fn lint_inputs(args: &Args, options: &Options) -> (Vec<LintedFile>, Vec<InputError>, Vec<String>) {
    let Inputs { inputs, mut errors, mut notes } = input::collect(&args.inputs);
    let mut files = Vec::new();
    for result in lint::inputs(inputs, options) {
        match result {
            Ok(file) => files.push(file),
            Err(e) => errors.push(e),
        }
    }
    for manifest in files.iter().flat_map(|f| &f.manifests) {
        notes.extend(manifest.notes.iter().map(|n| format!("{}: {n}", manifest.path)));
        if manifest.completeness != Completeness::Complete {
            if args.allow_incomplete {
                notes.push(format!("{}: the listing is not complete; taken as it is", manifest.path));
            } else {
                errors.push(incomplete(&manifest.path));
            }
        }
    }
    (files, errors, notes)
}

fn incomplete(path: &str) -> InputError {
    InputError::new(
        ErrorCode::Incomplete,
        "the listing is not complete: its last page has a `nextCursor`, so tools are missing",
    )
    .at(path)
    .help("Fetch the other pages too and save them in one file; or judge what is there with --allow-incomplete.")
}

fn judge(args: &Args, files: &[LintedFile]) -> Outcome {
    let level = match args.fail_on {
        FailOn::Error => Severity::Error,
        FailOn::Warning => Severity::Warning,
        FailOn::Info => Severity::Info,
        FailOn::Never => return Outcome::Clean,
    };
    let mut findings = files.iter().flat_map(|f| &f.manifests).flat_map(|m| &m.findings);
    if findings.any(|f| f.is_at_least(level)) { Outcome::Failed } else { Outcome::Clean }
}
