//! `verity lint`.

use super::config::{self, Found};
use super::input::{self, Inputs};
use super::output::{self, Output, Places};
use super::profiles::stale;
use super::summary::Summary;
use super::target::Served;
use super::today::today;
use super::{Outcome, Shared, fix, out};
use crate::config::matches;
use crate::error::{ErrorCode, InputError};
use crate::finding::Severity;
use crate::lint::{self, LintedFile, LintedManifest, Options};
use crate::manifest::Completeness;
use crate::profile::Profiles;
use crate::report::{Format, hidden, json};
use crate::rules::{self, say};
use crate::suggest;
use crate::suppress::{Baseline, Ran, Scope, Suppressor};
use clap::ValueEnum;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Find what is wrong with the tools of an MCP server.
///
/// Reads saved tool listings and reports poisoned text, broken or vacuous schemas, and definitions
/// that clients refuse. Nothing is started and nothing is fetched but what --server or --url names.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files, folders (`*.json`, `*.jsonl`) or `-` for standard input; `./tools.json` if left out.
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// `human`, `json`, `sarif`, `junit`, `github`, `markdown` or `html`; `NAME=FILE` writes it to a file. May be given
    /// several times.
    #[arg(long, value_name = "NAME[=FILE]", value_parser = Output::<Format>::parse)]
    format: Vec<Output>,
    /// Judge by these profiles: `mcp`, a revision such as `mcp-2025-11-25`, a client such as `openai`
    /// (`verity profiles` lists them), `all`, or a profile file `./mine.yaml` of your own.
    #[arg(long, value_name = "NAME[,NAME…]", value_delimiter = ',')]
    profile: Vec<String>,
    /// The severity from which findings make the run fail (exit code 1); `error` unless verity.yaml says
    /// otherwise.
    #[arg(long, value_enum, value_name = "LEVEL")]
    fail_on: Option<FailOn>,
    /// Suppress the findings that stand in this file, and say which of them are gone.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the findings of this run to a baseline, and succeed.
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    write_baseline: Option<PathBuf>,
    /// Run this rule alone; `*` stands for anything, as in `MCP-POISON-*`. May be given several times.
    #[arg(long, value_name = "RULE")]
    only: Vec<String>,
    /// Leave this rule out; `*` stands for anything. May be given several times.
    #[arg(long, value_name = "RULE")]
    ignore: Vec<String>,
    /// Name of the server, where the listing does not state it.
    #[arg(long, value_name = "NAME")]
    server_name: Option<String>,
    /// Take a listing that is not complete (`nextCursor`) as it is: a warning, not an error.
    #[arg(long)]
    allow_incomplete: bool,
    /// Repair what can be repaired without changing what a tool accepts, in the files themselves, and report
    /// what remains. Poisoned text is left to a person.
    #[arg(long, conflicts_with = "write_baseline")]
    fix: bool,
    /// With --fix: print what would change as a unified diff, and write nothing.
    #[arg(long, requires = "fix")]
    diff: bool,
    /// Show each hidden text first: as a person sees it, and as an agent reads it.
    #[arg(long)]
    show_hidden: bool,
    #[command(flatten)]
    summary: Summary,
    #[command(flatten)]
    served: Served,
}

const EXAMPLES: &str = "\
Examples:
  verity lint tools.json
  verity lint --format human --format json=report.json tools/
  my-client list-tools | verity lint -
  verity lint --fail-on warning --ignore MCP-ANNOTATION-ABSENT tools.json
  verity lint --fix --diff tools.json

Exit codes: 0 clean or below --fail-on, 1 findings, 2 input that cannot be judged.";

/// Notes on stderr beyond which they are counted.
const MAX_NOTES: usize = 20;

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailOn {
    Error,
    Warning,
    Info,
    Never,
}

pub(crate) fn run(args: &Args, shared: &Shared) -> Outcome {
    let outputs = match args.format.as_slice() {
        [] if args.diff => Vec::new(),
        [] => vec![Output { format: Format::Human, file: None }],
        given => given.to_vec(),
    };
    let is_json = outputs.iter().any(|o| o.format == Format::Json && o.file.is_none());
    let (found, options, baseline, places, summary) = match prepare(args, shared, outputs) {
        Ok(prepared) => prepared,
        Err(e) => return out::error(&e, is_json),
    };
    let today = today();
    for note in options.clients.iter().filter_map(|profile| stale(profile, &today)) {
        out::note(shared, &note);
    }
    // Other profiles than those of verity.yaml find something else.
    let all_ran = args.only.is_empty() && args.ignore.is_empty() && args.profile.is_empty();
    let ran = if all_ran { Ran::EveryRule } else { Ran::SomeRules };
    let scope = input::scope(&args.inputs, &found);
    let suppress = |files: &mut [LintedFile]| {
        let suppressor = found.suppressor(baseline.as_ref(), &today);
        suppress(suppressor, ran, &found, baseline.as_ref(), scope, files);
    };
    let mut inputs = input::collect(&args.inputs, &args.served, &found);
    let (mut fixed, mut attempts) = (Outcome::Clean, Vec::new());
    if args.fix {
        (inputs.inputs, attempts, fixed) = fix::run(inputs.inputs, &options, args.diff, shared, suppress);
    }
    let (mut files, errors, notes) = lint_inputs(args, &options, inputs);
    suppress(&mut files);
    let level = fail_on(args.fail_on, &found);
    let mut outcome = judge(level, &files).max(fixed);
    say(&notes, shared);
    if let Some(path) = &args.write_baseline {
        outcome = write_baseline(path, &files, shared);
    }
    let written = places.write(|output| match output.format {
        Format::Json if args.fix => json::render_fixed(&files, &errors, &attempts, args.diff),
        _ => render(output, &files, &errors, shared, level, args.show_hidden),
    });
    outcome = outcome.max(written);
    if let Some(summary) = summary {
        let (here, markdown) = (output::here(), Output { format: Format::Markdown, file: None });
        let text = Format::Markdown.render(&files, &errors, markdown.setting(&here, shared, level));
        outcome = outcome.max(summary.append(&text));
    }
    // After the report: on a screen, what is said last is read.
    for error in &errors {
        outcome = outcome.max(out::error(error, false));
    }
    outcome
}

type Prepared = (Found, Options, Option<(Baseline, String)>, Places, Option<out::Appended>);

/// Everything that can be wrong before a manifest is read.
fn prepare(args: &Args, shared: &Shared, outputs: Vec<Output>) -> Result<Prepared, InputError> {
    if args.diff && outputs.iter().any(|o| o.file.is_none()) {
        let message =
            "--diff prints to standard output: give the report a file, such as `--format json=report.json`";
        return Err(InputError::new(ErrorCode::Usage, message));
    }
    if args.fix && args.served.is_asked() {
        let message = "a server's listing is not a file that --fix can repair; repair the server";
        return Err(InputError::new(ErrorCode::Usage, message));
    }
    let found = config::find(shared)?;
    let options = options(args, &found)?;
    // What is written anew is not read.
    let baseline =
        if args.write_baseline.is_some() { None } else { found.baseline(args.baseline.as_deref())? };
    let read = input::named(&args.inputs, &found);
    if let Some(file) = &args.write_baseline {
        output::stands_alone(file, &read, &outputs)?;
    }
    let places = Places::open(outputs.clone(), &read)?;
    // Last, since it may make a file.
    let summary = args.summary.open(shared, &read, &outputs)?;
    Ok((found, options, baseline, places, summary))
}

/// Severities of one's own, ignores, the baseline; then what is wrong with those themselves.
/// A run in which not all rules ran cannot say that something has no use any more, nor, of tools that it has not
/// seen, one to which a part of the project's files were named (`scope`).
pub(super) fn suppress(
    mut suppressor: Suppressor<'_>,
    ran: Ran,
    found: &Found,
    baseline: Option<&(Baseline, String)>,
    scope: Scope,
    files: &mut [LintedFile],
) {
    let mut manifests: Vec<&mut LintedManifest> = files.iter_mut().flat_map(|f| &mut f.manifests).collect();
    if scope != Scope::Whole {
        let tools = manifests.iter().flat_map(|m| &m.tools).filter_map(|t| t.name.clone());
        suppressor.saw_only(tools.collect::<Vec<String>>(), scope);
    }
    for manifest in &mut manifests {
        found.set_severities(&mut manifest.findings);
        suppressor.apply(&mut manifest.findings);
    }
    let name = baseline.map_or("", |(_, name)| name);
    let mut own = suppressor.findings(&found.name(), name, ran);
    found.set_severities(&mut own);
    if let Some(first) = manifests.first_mut() {
        first.findings.append(&mut own);
    }
}

/// The findings of this run, to be known from the next one on. The run itself succeeds.
pub(super) fn write_baseline(path: &Path, files: &[LintedFile], shared: &Shared) -> Outcome {
    let findings = files.iter().flat_map(|f| &f.manifests).flat_map(|m| &m.findings);
    let baseline = Baseline::of(findings.filter(|f| !f.rule.starts_with("MCP-CONFIG-")));
    let outcome = out::file(path, &baseline.to_json());
    if outcome == Outcome::Clean {
        out::note(
            shared,
            &format!("{} in the baseline {}", say::count_are(baseline.len(), "finding"), path.display()),
        );
    }
    outcome
}

fn render(
    output: &Output,
    files: &[LintedFile],
    errors: &[InputError],
    shared: &Shared,
    level: config::FailOn,
    show_hidden: bool,
) -> String {
    // The errors are said on stderr; here they would be said twice.
    if output.file.is_none() && files.is_empty() && output.format == Format::Human {
        return String::new();
    }
    let here = output::here();
    let setting = output.setting(&here, shared, level);
    let text = output.format.render(files, errors, setting);
    match show_hidden && output.format == Format::Human {
        true => format!("{}\n{text}", hidden::render(files, setting.look)),
        false => text,
    }
}

/// What the reader of a report should know of how its input was read.
pub(super) fn say(notes: &[String], shared: &Shared) {
    for text in notes.iter().take(MAX_NOTES) {
        out::note(shared, text);
    }
    if notes.len() > MAX_NOTES {
        out::note(shared, &format!("… and {} more notes", notes.len() - MAX_NOTES));
    }
}

/// The library's options from the command line's.
fn options(args: &Args, found: &Found) -> Result<Options, InputError> {
    let profiles = found.profiles(&args.profile)?;
    // A pattern chooses among what the profiles ask for: `MCP-*` is no wish for every client there is.
    let effective = profiles.effective();
    let is_asked =
        |id: &str| effective.iter().any(|(profile, _)| profile.limits.iter().any(|l| l.rule == id));
    let is_meant = |pattern: &str, id: &str| {
        let by_name = args.profile.is_empty() && pattern.starts_with(LIMITS) || !pattern.contains('*');
        by_name || !id.starts_with(LIMITS) || is_asked(id)
    };
    let only = rule_ids(&args.only, &profiles, &is_meant)?;
    let ignore = rule_ids(&args.ignore, &profiles, &|_, _| true)?;
    if !only.is_empty() && only.is_subset(&ignore) {
        let message = "every rule of --only is left out by --ignore: nothing would be judged";
        return Err(InputError::new(ErrorCode::Usage, message));
    }
    Ok(Options {
        revisions: profiles.revisions,
        clients: profiles.clients,
        only,
        ignore,
        server_name: args.server_name.clone().or_else(|| found.config.server_name.clone()),
        allow_incomplete: args.allow_incomplete,
        show_hidden: args.show_hidden,
    })
}

/// How the ids of the limits of clients begin.
const LIMITS: &str = "MCP-COMPAT-";

/// The rules that were named, by their ids or by patterns (`MCP-POISON-*`), as verity.yaml has them. Of those that a
/// pattern (the first argument of `is_meant`) matches, the ones that are meant.
fn rule_ids(
    typed: &[String],
    profiles: &Profiles,
    is_meant: &dyn Fn(&str, &str) -> bool,
) -> Result<BTreeSet<&'static str>, InputError> {
    let own = profiles.clients.iter().flat_map(|p| &p.limits).map(|limit| limit.rule);
    let known: Vec<&'static str> = rules::all().map(|r| r.info().id).chain(own).collect();
    let mut ids = BTreeSet::new();
    for typed in typed.iter().flat_map(|t| t.split(',')).map(str::trim) {
        let pattern = typed.to_ascii_uppercase();
        let (others, of_lint): (Vec<&str>, Vec<&str>) = known
            .iter()
            .filter(|id| matches(&pattern, id) && is_meant(&pattern, id))
            .partition(|id| elsewhere(id).is_some());
        match (of_lint.as_slice(), others.first().and_then(|id| Some((*id, elsewhere(id)?)))) {
            ([], Some((id, command))) => {
                let message = format!("{id} is no rule of lint: `verity {command}` asks it");
                return Err(InputError::new(ErrorCode::Usage, message));
            }
            ([], None) => {
                let message = match typed.contains('*') {
                    true => suggest::no_match("rule", typed),
                    false => suggest::unknown("rule", typed, known.iter().copied()),
                };
                let message = format!("{message}; `verity rules` lists them");
                return Err(InputError::new(ErrorCode::Usage, message));
            }
            (found, _) => ids.extend(found),
        }
    }
    Ok(ids)
}

/// The other command that asks a rule.
fn elsewhere(rule: &str) -> Option<&'static str> {
    match rule.split('-').nth(1) {
        Some("DIFF") => Some("diff"),
        Some("PROBE") => Some("probe"),
        _ => None,
    }
}

/// Read and lint what was named: what was found, what could not be judged, and notes on the reading.
fn lint_inputs(
    args: &Args,
    options: &Options,
    inputs: Inputs,
) -> (Vec<LintedFile>, Vec<InputError>, Vec<String>) {
    let Inputs { inputs, mut errors, mut notes } = inputs;
    let mut files = Vec::new();
    for result in lint::inputs(inputs, options) {
        match result {
            Ok(file) => files.push(file),
            Err(e) => errors.push(e),
        }
    }
    for manifest in files.iter().flat_map(|f| &f.manifests) {
        notes.extend(manifest.notes.iter().map(|n| format!("{}: {n}", manifest.path)));
        if let Some(reason) = manifest.completeness.reason() {
            if args.allow_incomplete {
                notes.push(format!("{}: {reason}; taken as it is", manifest.path));
            } else {
                errors.push(incomplete(&manifest.path, reason, &manifest.completeness));
            }
        }
    }
    (files, errors, notes)
}

/// The error for a listing of which a part alone is there.
pub(super) fn incomplete(path: &str, reason: String, completeness: &Completeness) -> InputError {
    let help = format!("{}; or judge what is there with --allow-incomplete.", completeness.help());
    InputError::new(ErrorCode::Incomplete, reason).at(path).help(help)
}

/// The severity from which this run fails: of the command line, of verity.yaml, else error.
pub(super) fn fail_on(typed: Option<FailOn>, found: &Found) -> config::FailOn {
    let typed = typed.map(|level| match level {
        FailOn::Error => config::FailOn::At(Severity::Error),
        FailOn::Warning => config::FailOn::At(Severity::Warning),
        FailOn::Info => config::FailOn::At(Severity::Info),
        FailOn::Never => config::FailOn::Never,
    });
    typed.or(found.config.fail_on).unwrap_or(config::FailOn::At(Severity::Error))
}

fn judge(level: config::FailOn, files: &[LintedFile]) -> Outcome {
    let config::FailOn::At(level) = level else { return Outcome::Clean };
    let mut findings = files.iter().flat_map(|f| &f.manifests).flat_map(|m| &m.findings);
    if findings.any(|f| f.is_at_least(level)) { Outcome::Failed } else { Outcome::Clean }
}
