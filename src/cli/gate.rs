//! `verity gate`: everything is planned, and every place opened, before anything is judged; `crate::gate` has the
//! verdict.

use super::config::{self, FailOn, Found};
use super::input::{self, Inputs};
use super::output::{self, Output, Places};
use super::packs::{self, Wanted};
use super::profiles::stale;
use super::summary::Summary;
use super::target::Served;
use super::today::today;
use super::{Outcome, Shared, diff, lint, out};
use crate::diff as releases;
use crate::error::{ErrorCode, InputError};
use crate::gate::changes;
use crate::gate::{Comparison, Exports, Gate, Linted, Status, TestedPack};
use crate::lint::{LintedFile, Options};
use crate::manifest::{Input, Manifest};
use crate::pack::check;
use crate::pack::export::{Context, Pack};
use crate::pack::write::{self, Caution};
use crate::report::{Format, gate as report};
use crate::rules::say;
use crate::suppress::{Baseline, Ran, Suppressor};
use crate::threads;
use std::path::{Path, PathBuf};

/// Ask everything before a release: is the listing sound, what does it break, can agents be measured on it?
///
/// Lints the listing, compares it with the released one, exports its benchmark pack and replays that; then one
/// verdict with its reasons. What is asked for is said in verity.yaml; without one, defaults hold.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files, folders or `-`; left out: what verity.yaml names, else `./tools.json`.
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The released listing: a file, `git:REV:path`, or a file that `verity lock` wrote. Without one nothing is
    /// compared.
    #[arg(long, value_name = "OLD")]
    old: Option<String>,
    /// Write the tested pack to this folder; without one it is tested in memory.
    #[arg(long, value_name = "DIR")]
    pack: Option<PathBuf>,
    /// `human`, `json`, `markdown` or `html`: the whole report; `sarif`, `junit` or `github`: findings and changes for CI.
    /// `NAME=FILE` writes it to a file. May be given several times.
    #[arg(long, value_name = "NAME[=FILE]", value_parser = Output::<Format>::parse)]
    format: Vec<Output>,
    #[command(flatten)]
    summary: Summary,
    /// Judge by these profiles, as `verity lint` does; a client's new refusals count in the comparison, too.
    #[arg(long, value_name = "NAME[,NAME…]", value_delimiter = ',')]
    profile: Vec<String>,
    /// The severity from which findings fail the gate; `error` unless verity.yaml says otherwise.
    #[arg(long, value_enum, value_name = "LEVEL")]
    fail_on: Option<lint::FailOn>,
    /// Suppress the findings that stand in this file, and say which of them are gone.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Take listings that are not complete (`nextCursor`) as they are.
    #[arg(long)]
    allow_incomplete: bool,
    #[command(flatten)]
    served: Served,
}

const EXAMPLES: &str = "\
Examples:
  verity gate                                       what verity.yaml says, or ./tools.json alone
  verity gate tools.json --old git:v1.2.0:tools.json --pack packs/orders
  verity gate --format human --format sarif=verity.sarif --summary

Exit codes: 0 passed, 1 failed (findings, a breaking change, a broken pack), 2 something could not be judged:
bad input or configuration, an incomplete listing, nothing gradeable; 4 a bug in verity. The gravest holds.";

pub(crate) fn run(args: &Args, shared: &Shared) -> Outcome {
    let json = args.format.iter().any(|o| o.format == Format::Json && o.file.is_none());
    let plan = match Plan::make(args, shared) {
        Ok(plan) => plan,
        Err(e) => return out::error(&e, json),
    };
    for note in plan.lint.clients.iter().filter_map(|profile| stale(profile, &plan.today)) {
        out::note(shared, &note);
    }
    let (gate, errors) = plan.judge(args, shared);
    let mut outcome = match gate.verdict.status() {
        Status::Passed | Status::Skipped => Outcome::Clean,
        Status::Failed => Outcome::Failed,
        Status::NotJudged => Outcome::BadInput,
    };
    outcome = outcome.max(plan.report(&gate, shared));
    // After the report: on a screen, what is said last is read.
    for error in &errors {
        outcome = outcome.max(out::error(error, false));
    }
    outcome
}

/// What is to be done, with everything that can be wrong before a listing is read found out.
struct Plan {
    found: Found,
    lint: Options,
    baseline: Option<(Baseline, String)>,
    level: FailOn,
    old: Option<String>,
    pack: Option<PathBuf>,
    places: Places,
    summary: Option<out::Appended>,
    today: String,
}

impl Plan {
    fn make(args: &Args, shared: &Shared) -> Result<Plan, InputError> {
        let found = config::find(shared)?;
        let profiles = found.profiles(&args.profile)?;
        let lint = Options {
            revisions: profiles.revisions,
            clients: profiles.clients,
            server_name: found.config.server_name.clone(),
            allow_incomplete: args.allow_incomplete,
            ..Options::default()
        };
        let old = args.old.clone().or_else(|| found.config.gate.old.as_deref().map(|old| found.release(old)));
        let is_stdin = |name: &Path| name == Path::new("-");
        if old.as_deref().is_some_and(|old| is_stdin(Path::new(old)))
            && args.inputs.iter().any(|i| is_stdin(i))
        {
            let message = "standard input cannot be both the released listing and the new one";
            return Err(InputError::new(ErrorCode::Usage, message));
        }
        let outputs = outputs(args, &found)?;
        let mut read = input::named(&args.inputs, &found);
        read.extend(found.file.clone());
        read.extend(old.as_ref().map(PathBuf::from));
        let baseline = found.baseline(args.baseline.as_deref())?;
        let places = Places::open(outputs.clone(), &read)?;
        // Last, since it may make a file.
        let summary = args.summary.open(shared, &read, &outputs)?;
        Ok(Plan {
            baseline,
            level: lint::fail_on(args.fail_on, &found),
            pack: args.pack.clone().or_else(|| found.config.gate.pack.as_deref().map(|dir| found.path(dir))),
            places,
            today: today(),
            summary,
            found,
            lint,
            old,
        })
    }

    /// The verdict, and the errors that a person should read on stderr as well.
    fn judge(&self, args: &Args, shared: &Shared) -> (Gate, Vec<InputError>) {
        let Inputs { inputs, mut errors, mut notes } =
            input::collect(&args.inputs, &args.served, &self.found);
        for manifest in inputs.iter().flat_map(|i| &i.manifests) {
            notes.extend(manifest.notes.iter().map(|n| format!("{}: {n}", manifest.path)));
            match manifest.completeness.reason() {
                Some(reason) if args.allow_incomplete => {
                    notes.push(format!("{}: {reason}; taken as it is", manifest.path));
                }
                Some(reason) => errors.push(lint::incomplete(&manifest.path, reason, &manifest.completeness)),
                None => {}
            }
        }
        lint::say(&notes, shared);
        let mut suppressor = self.found.suppressor(self.baseline.as_ref(), &self.today);
        let comparison = self.compare(&inputs, &errors, args, shared, &mut suppressor);
        let exports = self.export(&inputs, &errors);
        let mut told: Vec<InputError> = Vec::new();
        if let (Comparison::Impossible(e), true) = (&comparison, errors.is_empty()) {
            told.push(e.clone());
        }
        if let (Exports::Refused(e), true) = (&exports, errors.is_empty()) {
            told.extend(Some(e).filter(|e| e.code != ErrorCode::Findings).cloned());
        }
        let mut files: Vec<LintedFile> = Vec::new();
        for linted in crate::lint::inputs(inputs, &self.lint) {
            match linted {
                Ok(file) => files.push(file),
                Err(e) => errors.push(e),
            }
        }
        let scope = input::scope(&args.inputs, &self.found);
        let ran = if args.profile.is_empty() { Ran::EveryRule } else { Ran::SomeRules };
        lint::suppress(suppressor, ran, &self.found, self.baseline.as_ref(), scope, &mut files);
        let fails_from = match self.level {
            FailOn::At(severity) => Some(severity),
            FailOn::Never => None,
        };
        told.splice(0..0, errors.iter().cloned());
        (Gate::of(Linted { files, errors, fails_from }, comparison, exports), told)
    }

    fn compare(
        &self,
        inputs: &[Input],
        errors: &[InputError],
        args: &Args,
        shared: &Shared,
        suppressor: &mut Suppressor<'_>,
    ) -> Comparison {
        let Some(old) = &self.old else { return Comparison::NoOld };
        if let Some(e) = errors.first() {
            return Comparison::Impossible(not_whole(e));
        }
        if let Some(same) = inputs.iter().find(|i| diff::is_same(old, &i.path)) {
            return Comparison::Impossible(diff::same_file(&same.path));
        }
        // What verity.yaml names is seen from its folder, revisions too.
        let folder = self.found.file.as_deref().and_then(Path::parent).filter(|_| args.old.is_none());
        let released = match diff::read(old, folder, args.allow_incomplete, shared) {
            Ok(released) => released,
            Err(e) => return Comparison::Impossible(e),
        };
        let new: Vec<Manifest> = inputs.iter().flat_map(|i| i.manifests.iter().cloned()).collect();
        let options = releases::Options { clients: self.lint.clients.clone() };
        let paths: Vec<&str> = inputs.iter().map(|i| i.path.as_str()).collect();
        let mut diff = released.compare(&new, &options, bytes(inputs));
        suppressor.apply_to_changes(&mut diff, released.shows_meaning());
        let placed = changes::placed(&diff, inputs);
        Comparison::Made { diff, placed, old: old.clone(), new: paths.join(", ") }
    }

    fn export(&self, inputs: &[Input], errors: &[InputError]) -> Exports {
        if let Some(e) = errors.first() {
            return Exports::Refused(not_whole(e));
        }
        let work = || self.export_inputs(inputs);
        match threads::pool(bytes(inputs)) {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    fn export_inputs(&self, inputs: &[Input]) -> Exports {
        let judged = packs::judged(
            inputs,
            &self.found,
            self.baseline.as_ref(),
            &self.today,
            self.lint.allow_incomplete,
        );
        let blocking = packs::blocking(&judged).len();
        // Who lets no finding fail the run has looked at them: they travel in the pack's README.
        if blocking > 0 && self.level != FailOn::Never {
            let message = format!(
                "{} at error level: nothing is exported; `verity lint` shows what to mend",
                say::count(blocking, "finding")
            );
            return Exports::Refused(InputError::new(ErrorCode::Findings, message));
        }
        let wanted =
            Wanted { name: None, seed: packs::SEED.into(), context: Context::Tool, include_flagged: false };
        let made = packs::export(inputs, &judged, &wanted);
        let mut tested: Vec<TestedPack> =
            made.iter().zip(&judged).map(|(pack, (manifest, _))| test(pack, manifest)).collect();
        let all_well = tested.iter().all(|t| t.tasks > 0 && t.problems.is_empty());
        let Some(folder) = self.pack.as_ref().filter(|_| all_well) else { return Exports::Made(tested) };
        for (pack, tested) in made.iter().zip(&mut tested) {
            let place = packs::place(folder, pack, judged.len() == 1);
            let protected = inputs.iter().map(|i| PathBuf::from(&i.path)).collect();
            let caution = Caution { force: false, protected };
            if let Err(e) = write::replace(&place, &pack.files, &caution, &packs::interrupted()) {
                return Exports::Refused(e);
            }
            tested.out = Some(place.display().to_string().replace('\\', "/"));
        }
        Exports::Made(tested)
    }

    /// Everything that was asked for, in its place.
    fn report(self, gate: &Gate, shared: &Shared) -> Outcome {
        let here = output::here();
        let level = self.level;
        let written = self
            .places
            .write(|output| report::render(output.format, gate, output.setting(&here, shared, level)));
        match self.summary {
            Some(summary) => written.max(summary.append(&report::markdown(gate))),
            None => written,
        }
    }
}

/// The reports of the command line and the files of verity.yaml; one, or the verdict alone, on standard output.
fn outputs(args: &Args, found: &Found) -> Result<Vec<Output>, InputError> {
    let mut outputs = args.format.clone();
    for written in &found.config.gate.reports {
        let fail =
            |e| InputError::new(ErrorCode::Usage, format!("gate.reports: `{written}`: {e}")).at(found.name());
        let mut output = Output::<Format>::parse(written).map_err(fail)?;
        output.file = output.file.map(|file| found.path(&file.to_string_lossy()));
        // A format that the command line asks for, to a file or to the screen, is written there alone.
        let is_taken = |o: &Output| o.format == output.format && o.file.is_some() == output.file.is_some();
        if !args.format.iter().any(is_taken) && (output.file.is_some() || args.format.is_empty()) {
            outputs.push(output);
        }
    }
    if outputs.iter().all(|o| o.file.is_some()) {
        outputs.push(Output { format: Format::Human, file: None });
    }
    Ok(outputs)
}

fn bytes(inputs: &[Input]) -> usize {
    inputs.iter().flat_map(|i| &i.documents).map(|d| d.text.len()).sum()
}

/// What the other steps say where the listing cannot be judged, or not wholly.
fn not_whole(e: &InputError) -> InputError {
    InputError::new(e.code, "the new listing cannot be judged, or not wholly (see lint)")
}

fn test(pack: &Pack, manifest: &Manifest) -> TestedPack {
    TestedPack {
        name: pack.name.clone(),
        server: pack.server.clone(),
        manifest: manifest.path.clone(),
        out: None,
        tasks: pack.tasks.len(),
        skipped: pack.skipped.clone(),
        floor: pack.floor.clone(),
        digest: pack.digest.clone(),
        problems: check::in_memory(&pack.files).problems,
    }
}
