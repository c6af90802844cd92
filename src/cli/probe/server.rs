//! `verity probe -- CMD`: a server's tools, called with generated arguments.

use super::Args;
use super::contract::faulted;
use super::log::OnDisk;
use crate::cli::config::{self, Found};
use crate::cli::lint::FailOn;
use crate::cli::output::{self, Output, Places};
use crate::cli::today::today;
use crate::cli::{Outcome, Shared, input, interrupt, lint, out, packs, target};
use crate::config::FailOn as Level;
use crate::error::{ErrorCode, InputError};
use crate::lint::LintedFile;
use crate::manifest::{Input, Manifest};
use crate::mcp::{Probed, Secrets};
use crate::probe::judge::{self, After, Judged};
use crate::probe::log::Logged;
use crate::probe::suite::{self, Settings, ToolRun};
use crate::probe::{Fault, FaultCode, Server};
use crate::report::{Format, probe as report, screen};
use crate::rules::say;
use crate::source::{self, Document};
use crate::suppress::{Baseline, Ran, Scope};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(clap::Args, Debug)]
pub(super) struct Calls {
    /// Call this tool although it is not read-only by its own hint: once, or at most so many times. May be given several
    /// times.
    #[arg(long, value_name = "NAME[=TIMES]", conflicts_with = "contract")]
    allow_writes: Vec<String>,
    /// Arguments of your own, tried first: a JSON object with a list of argument objects for each tool.
    #[arg(long, value_name = "FILE", conflicts_with = "contract")]
    args: Option<PathBuf>,
    /// Calls in all, at most.
    #[arg(long, value_name = "N", default_value_t = 200)]
    max_calls: usize,
    /// Seconds for all calls together; none begins after them. (`--timeout` bounds each one.)
    #[arg(long, value_name = "SECONDS", default_value_t = 600, conflicts_with = "contract")]
    max_time: u64,
    /// Write every call and its answer to this file, as they are made.
    #[arg(long, value_name = "FILE", conflicts_with = "contract")]
    log: Option<PathBuf>,
    /// Go on with the probe that has written the log: what was answered is not asked again.
    #[arg(long, requires = "log")]
    resume: bool,
    /// Choose other arguments.
    #[arg(long, value_name = "TEXT", default_value = packs::SEED)]
    seed: String,
    /// The severity from which findings make the run fail (exit code 1); `error` unless verity.yaml says otherwise.
    #[arg(long, value_enum, value_name = "LEVEL")]
    fail_on: Option<FailOn>,
    /// Suppress the findings that stand in this file.
    #[arg(long, value_name = "FILE", conflicts_with = "contract")]
    baseline: Option<PathBuf>,
    /// Write the findings of this run to a baseline, and succeed.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baseline", "contract"])]
    write_baseline: Option<PathBuf>,
}

/// What a probe found, ready for its reports.
struct Probe {
    file: LintedFile,
    judged: Judged,
    calls: usize,
    /// Tools that were called.
    called: usize,
}

enum Stop {
    Input(InputError),
    Fault(Fault),
}

impl From<InputError> for Stop {
    fn from(error: InputError) -> Stop {
        Stop::Input(error)
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

pub(super) fn run(args: &Args, shared: &Shared) -> Outcome {
    let outputs = match args.format.as_slice() {
        [] => vec![Output { format: Format::Human, file: None }],
        given => given.to_vec(),
    };
    let json = outputs.iter().any(|o| o.format == Format::Json && o.file.is_none());
    let done = probe(args, shared, outputs);
    let (probe, places, level) = match done {
        Ok(done) => done,
        Err(Stop::Input(e)) => return out::error(&e, json),
        Err(Stop::Fault(fault)) => return faulted(&fault, json),
    };
    let findings = || probe.file.manifests.iter().flat_map(|m| &m.findings);
    let mut outcome = match (&args.probe.write_baseline, level) {
        (Some(path), _) => lint::write_baseline(path, std::slice::from_ref(&probe.file), shared),
        (None, Level::At(severity)) if findings().any(|f| f.is_at_least(severity)) => Outcome::Failed,
        _ => Outcome::Clean,
    };
    let here = output::here();
    let written = places.write(|output| {
        let setting = output.setting(&here, shared, level);
        let files = std::slice::from_ref(&probe.file);
        match output.format {
            Format::Json => {
                let all: Vec<_> = findings().collect();
                report::server_json(
                    &probe.judged.checks,
                    &all,
                    probe.calls,
                    outcome == Outcome::Clean && probe.called > 0,
                )
            }
            Format::Human => {
                format!(
                    "{}\n{}",
                    output.format.render(files, &[], setting),
                    report::server_human(&probe.judged.checks, probe.calls)
                )
            }
            _ => output.format.render(files, &[], setting),
        }
    });
    outcome = outcome.max(written);
    if probe.called == 0 {
        let error = InputError::new(ErrorCode::NotJudged, "no tool was called, so nothing was judged")
            .help("Tools are called that say `readOnlyHint: true`, and those that --allow-writes names.");
        outcome = outcome.max(out::error(&error, false));
    }
    outcome
}

fn probe(args: &Args, shared: &Shared, outputs: Vec<Output>) -> Result<(Probe, Places, Level), Stop> {
    let found = config::find(shared)?;
    let flags = &args.probe;
    let level = lint::fail_on(flags.fail_on, &found);
    let mut settings = settings(flags)?;
    // What is written anew is not read.
    let baseline = match &flags.write_baseline {
        Some(_) => None,
        None => found.baseline(flags.baseline.as_deref())?,
    };
    let places = Places::open(outputs, &flags.args.iter().cloned().collect::<Vec<_>>())?;
    let log = flags.log.as_deref().map(|file| OnDisk::open(file, flags.resume)).transpose()?;
    let target = match args.command.as_slice() {
        [] => args.reach.endpoint()?,
        argv => args.reach.command(argv.to_vec())?,
    };
    let secrets = target.secrets();
    let _watch = interrupt::watch();
    let mut server = Probed::new(target, args.reach.limits()).within(Duration::from_secs(flags.max_time));
    let (manifest, documents) = listing(&mut server)?;
    names_are_known(&settings, &manifest)?;
    let runs = match log {
        None => calls(&manifest, &mut server, &settings, shared),
        Some(file) => {
            let (log, write) = file.begin(&manifest.digest, secrets.clone())?;
            settings.begun.clone_from(log.open());
            if flags.resume {
                out::note(shared, &format!("{} answered already", say::count_are(log.len(), "call")));
            }
            calls(&manifest, &mut Logged::new(&mut server, log, write), &settings, shared)
        }
    };
    let runs = runs.map_err(|fault| resumable(fault, flags.log.as_deref()))?;
    let after = match server.listing() {
        Ok(text) => manifest_of(&text).map(|(manifest, _)| manifest).map_err(|e| (e.code, e.message)),
        Err(fault) if fault.code == FaultCode::Aborted => {
            return Err(resumable(fault, flags.log.as_deref()).into());
        }
        Err(fault) => Err((ErrorCode::PortFailure, fault.detail)),
    };
    let after = match &after {
        Ok(manifest) => After::Listed(manifest),
        Err((ErrorCode::NoTools, _)) => After::Empty,
        Err((_, why)) => After::Unknown(why),
    };
    let mut judged = judge::judge(&manifest, &runs, after, server.has_announced_changes());
    hide(&secrets, &mut judged);
    let made: usize = runs.iter().map(|run| run.calls().count()).sum();
    let called = runs.iter().filter(|run| run.calls().next().is_some()).count();
    let cut = runs.iter().filter(|run| run.is_cut()).count();
    let stops = runs.iter().flat_map(|run| run.stopped.values().copied());
    if let Some(stop) = stops.filter(|stop| stop.is_of_all()).min() {
        let why = match stop {
            suite::Stop::Calls => "--max-calls was reached",
            other => other.reason(),
        };
        out::note(shared, &format!("{why}: {} called less often than planned", say::count_are(cut, "tool")));
    }
    let mut file = crate::lint::probed(manifest, documents, std::mem::take(&mut judged.findings));
    suppress(&found, baseline.as_ref(), &mut file);
    Ok((Probe { file, judged, calls: made, called }, places, level))
}

/// Make the calls, and show on a screen which one is made.
fn calls(
    manifest: &Manifest,
    server: &mut dyn Server,
    settings: &Settings,
    shared: &Shared,
) -> Result<Vec<ToolRun>, Fault> {
    let show = !shared.quiet && std::io::stderr().is_terminal();
    let runs = suite::run(manifest, server, settings, &mut |n, tool| {
        if show {
            out::stderr(&format!(
                "\r\u{1b}[Kcall {n} of at most {}: {}",
                settings.max_calls,
                screen::safe(tool)
            ));
        }
    });
    if show {
        out::stderr("\r\u{1b}[K");
    }
    runs
}

fn resumable(fault: Fault, log: Option<&Path>) -> Fault {
    match log {
        Some(file) if fault.help.is_none() => {
            fault.help(format!("The same command with --resume goes on from {}.", file.display()))
        }
        _ => fault,
    }
}

/// What a server was given to keep may come back in its answers; a report is no place for it.
fn hide(secrets: &Secrets, judged: &mut Judged) {
    for finding in &mut judged.findings {
        finding.message = secrets.hidden(&finding.message);
        finding.evidence = finding.evidence.take().map(|text| secrets.hidden(&text));
        finding.witness.iter_mut().for_each(|witness| secrets.hide(witness));
    }
    for check in &mut judged.checks {
        check.note = check.note.take().map(|note| secrets.hidden(&note));
    }
}

fn suppress(found: &Found, baseline: Option<&(Baseline, String)>, file: &mut LintedFile) {
    let today = today();
    let suppressor = found.suppressor(baseline, &today);
    lint::suppress(suppressor, Ran::SomeRules, found, baseline, Scope::Whole, std::slice::from_mut(file));
}

fn listing(server: &mut Probed) -> Result<(Manifest, Vec<Document>), Stop> {
    let text = server.listing()?;
    Ok(manifest_of(&text)?)
}

fn manifest_of(text: &str) -> Result<(Manifest, Vec<Document>), InputError> {
    let document = source::parse(target::NAME, text.as_bytes().to_vec())?;
    let input = Input::of_document(document)?;
    let no_tools = || InputError::new(ErrorCode::NoTools, "the server lists no tools").at(target::NAME);
    Ok((input.manifests.into_iter().next().ok_or_else(no_tools)?, input.documents))
}

fn settings(flags: &Calls) -> Result<Settings, InputError> {
    let mut writes = BTreeMap::new();
    for allowed in &flags.allow_writes {
        let (name, times) = match allowed.rsplit_once('=') {
            None => (allowed.as_str(), Some(1)),
            Some((name, times)) => (name, times.parse::<usize>().ok().filter(|n| *n > 0)),
        };
        let Some(times) = times.filter(|_| !name.is_empty()) else {
            let message = format!("--allow-writes {allowed}: a tool's name is expected, or NAME=TIMES");
            return Err(InputError::new(ErrorCode::Usage, message));
        };
        writes.insert(name.to_string(), times);
    }
    let given = flags.args.as_deref().map(given).transpose()?.unwrap_or_default();
    Ok(Settings {
        seed: flags.seed.clone(),
        max_calls: flags.max_calls,
        writes,
        given,
        begun: BTreeMap::new(),
    })
}

/// `{"tool": [{arguments}, …]}`; one object stands for a list of one.
fn given(file: &Path) -> Result<BTreeMap<String, Vec<Map<String, Value>>>, InputError> {
    let shown = file.display().to_string();
    let document = source::parse(&shown, input::bytes(file)?)?;
    let wrong = |what: String| InputError::new(ErrorCode::Usage, what).at(shown.as_str());
    let Some(Value::Object(tools)) = document.segments.first().map(|segment| &segment.value) else {
        return Err(wrong("an object with a list of argument objects for each tool is expected".to_string()));
    };
    let mut given = BTreeMap::new();
    for (name, value) in tools {
        let all = match value {
            Value::Array(all) => all.clone(),
            one => vec![one.clone()],
        };
        let objects: Option<Vec<_>> = all.into_iter().map(|v| v.as_object().cloned()).collect();
        let objects = objects.filter(|all| !all.is_empty());
        let Some(objects) = objects else {
            return Err(wrong(format!("`{name}`: a list of argument objects is expected")));
        };
        given.insert(name.clone(), objects);
    }
    Ok(given)
}

/// A misspelt name would leave a tool out without a word.
fn names_are_known(settings: &Settings, manifest: &Manifest) -> Result<(), InputError> {
    let is_known = |name: &str| manifest.tools.iter().any(|tool| tool.name() == Some(name));
    match settings.writes.keys().chain(settings.given.keys()).find(|name| !is_known(name)) {
        None => Ok(()),
        Some(name) => {
            let message =
                crate::suggest::unknown("tool", name, manifest.tools.iter().filter_map(|t| t.name()));
            Err(InputError::new(ErrorCode::Usage, message))
        }
    }
}
