//! `verity agent-tasks`.

mod report;

use super::config::{self, Found};
use super::input::{self, Inputs};
use super::packs::{self, Wanted};
use super::target::Served;
use super::today::today;
use super::{Format, Outcome, Shared, out};
use crate::error::{ErrorCode, InputError};
use crate::finding::Finding;
use crate::manifest::{Input, Manifest};
use crate::pack::export::Context;
use crate::pack::write::{self, Caution};
use crate::report::screen;
use crate::rules::say;
use crate::threads;
use clap::ValueEnum;
use report::Exported;
use std::path::PathBuf;

/// Export a benchmark pack: tasks that measure whether agents can call these tools.
///
/// Each tool becomes one task: read the definition, write the arguments of one call. Every task has a
/// reference solution and negative controls, all judged before they are written. Tools that could not
/// be graded fairly are left out, with the reason. Same listing, same seed: same bytes.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A saved tool listing, or `-` for standard input; `./tools.json` if left out.
    #[arg(value_name = "MANIFEST")]
    manifest: Option<PathBuf>,
    /// The pack's folder; without a MANIFEST, the folder that holds a folder per manifest.
    #[arg(short, long = "out", value_name = "DIR")]
    output: PathBuf,
    /// Name of the pack, first half of every task's id; by default the manifest's file name.
    #[arg(long, value_name = "NAME")]
    pack: Option<String>,
    /// Export although there are findings at error level; they travel in the pack's README.
    #[arg(long)]
    allow_findings: bool,
    /// Export tools with poisoning findings too, tagged `flagged`: for tasks that measure resistance.
    #[arg(long)]
    include_flagged: bool,
    /// Choose other solutions and controls.
    #[arg(long, value_name = "TEXT", default_value = packs::SEED)]
    seed: String,
    /// What the agent reads: the task's own tool, or the whole listing less the flagged tools.
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = WhichContext::Tool)]
    context: WhichContext,
    /// Compare the pack with what is on disk and write nothing; exit code 1 if they differ.
    #[arg(long)]
    check: bool,
    /// Replace the folder even if it holds files that verity did not write.
    #[arg(long)]
    force: bool,
    /// Export from a listing that is not complete (`nextCursor`).
    #[arg(long)]
    allow_incomplete: bool,
    /// How to print the result.
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Format::Human)]
    format: Format,
    #[command(flatten)]
    served: Served,
}

const EXAMPLES: &str = "\
Examples:
  verity agent-tasks tools.json -o packs/orders
  verity agent-tasks -o packs/                      ./tools.json into packs/tools
  verity agent-tasks tools.json -o packs/orders --check

Exit codes: 0 written, 1 findings at error level or a difference, 2 nothing that can be graded, or bad input.";

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum WhichContext {
    Tool,
    Manifest,
}

pub(crate) fn run(args: &Args, shared: &Shared) -> Outcome {
    let json = args.format == Format::Json;
    match export_all(args, shared) {
        Ok(exported) => finish(args, shared, exported),
        Err(Refusal::Input(e)) => out::error(&e, json),
        Err(Refusal::Findings(e)) => {
            out::error(&e, json);
            Outcome::Failed
        }
    }
}

enum Refusal {
    Input(InputError),
    Findings(InputError),
}

impl From<InputError> for Refusal {
    fn from(e: InputError) -> Refusal {
        Refusal::Input(e)
    }
}

/// Everything up to the disk: read, lint, export every manifest that was named.
fn export_all(args: &Args, shared: &Shared) -> Result<Vec<Exported>, Refusal> {
    let found = config::find(shared)?;
    let inputs = read(args, shared, &found)?;
    let bytes = inputs.iter().flat_map(|i| &i.documents).map(|d| d.text.len()).sum();
    match threads::pool(bytes) {
        Some(pool) => pool.install(|| export_inputs(args, &inputs, &found)),
        None => export_inputs(args, &inputs, &found),
    }
}

fn export_inputs(args: &Args, inputs: &[Input], found: &Found) -> Result<Vec<Exported>, Refusal> {
    let baseline = found.baseline(None)?;
    let judged = packs::judged(inputs, found, baseline.as_ref(), &today(), args.allow_incomplete);
    if !args.allow_findings {
        refuse_errors(&packs::blocking(&judged))?;
    }
    if args.context == WhichContext::Manifest {
        judged.iter().try_for_each(|(m, _)| check_size(m))?;
    }
    let wanted = Wanted {
        name: args.pack.clone(),
        seed: args.seed.clone(),
        context: match args.context {
            WhichContext::Tool => Context::Tool,
            WhichContext::Manifest => Context::Manifest,
        },
        include_flagged: args.include_flagged,
    };
    let is_only = (args.manifest.is_some() || args.served.is_asked()) && judged.len() == 1;
    let made = packs::export(inputs, &judged, &wanted).into_iter().zip(&judged);
    let exported = made.map(|(pack, (_, findings))| Exported {
        counts: report::count(findings),
        out: packs::place(&args.output, &pack, is_only),
        pack,
        written: None,
    });
    Ok(exported.collect())
}

/// Most text of the listings in the tasks of one pack, in bytes.
const MAX_LISTINGS_BYTES: usize = 384 << 20;

/// Whether there is room for a pack whose every task holds the whole listing.
fn check_size(manifest: &Manifest) -> Result<(), InputError> {
    let tools = manifest.tools.len();
    let listing: usize = manifest.tools.iter().map(|t| t.value.to_string().len()).sum();
    if listing.saturating_mul(tools) <= MAX_LISTINGS_BYTES {
        return Ok(());
    }
    let message = format!(
        "with --context manifest each of {tools} tasks would hold the whole listing of {} KiB, together more than \
         {} MiB; nothing was written",
        listing >> 10,
        MAX_LISTINGS_BYTES >> 20
    );
    let help = "Export with --context tool, or from a listing with fewer tools.";
    Err(InputError::new(ErrorCode::TooLarge, message).at(&manifest.path).help(help))
}

/// What MANIFEST names, complete.
fn read(args: &Args, shared: &Shared, found: &Found) -> Result<Vec<Input>, InputError> {
    let Inputs { inputs, errors, notes } = input::collect(args.manifest.as_slice(), &args.served, found);
    for note in &notes {
        out::note(shared, note);
    }
    let mut errors = errors.into_iter();
    if let Some(mut first) = errors.next() {
        for e in errors {
            out::error(&e, false);
        }
        if args.manifest.is_none() && !args.served.is_asked() {
            first.help = Some("Name a listing: verity agent-tasks tools.json -o packs/tools".to_string());
        }
        return Err(first);
    }
    for manifest in inputs.iter().flat_map(|i| &i.manifests) {
        for note in &manifest.notes {
            out::note(shared, &format!("{}: {note}", manifest.path));
        }
        if let Some(reason) = manifest.completeness.reason() {
            if !args.allow_incomplete {
                let help = format!(
                    "{}; or export what is there with --allow-incomplete.",
                    manifest.completeness.help()
                );
                return Err(InputError::new(ErrorCode::Incomplete, reason).at(&manifest.path).help(help));
            }
            out::note(shared, &format!("{}: {reason}", manifest.path));
        }
    }
    Ok(inputs)
}

/// Findings listed on stderr before the rest is counted.
const MAX_LISTED: usize = 50;

/// Refusal 1: a surface with findings at error level.
fn refuse_errors(blocking: &[(&Manifest, &Finding)]) -> Result<(), Refusal> {
    let Some((first, _)) = blocking.first() else { return Ok(()) };
    for (_, finding) in blocking.iter().take(MAX_LISTED) {
        let place = if finding.pointer.is_empty() { "the listing" } else { &finding.pointer };
        out::stderr(&format!(
            "{} at {}: {}\n",
            finding.rule,
            screen::safe(place),
            screen::safe(&finding.message)
        ));
    }
    if blocking.len() > MAX_LISTED {
        out::stderr(&format!("… and {} more\n", blocking.len() - MAX_LISTED));
    }
    let message = format!("{} at error level; nothing was written", say::count(blocking.len(), "finding"));
    let help = "Repair the tools (`verity lint` shows the places), or export all the same with --allow-findings: \
                the findings then travel in the pack's README.";
    Err(Refusal::Findings(InputError::new(ErrorCode::Findings, message).at(&first.path).help(help)))
}

/// Write or compare every pack, then print what happened.
fn finish(args: &Args, shared: &Shared, exported: Vec<Exported>) -> Outcome {
    let mut outcome = Outcome::Clean;
    let mut done: Vec<Exported> = Vec::new();
    for mut one in exported {
        if one.pack.tasks.is_empty() {
            let message = format!(
                "none of {} can be graded; nothing was written",
                say::count(one.pack.skipped.len(), "tool")
            );
            outcome = outcome.max(out::error(&InputError::new(ErrorCode::NothingGradeable, message), false));
        } else if args.check {
            outcome = outcome.max(check(&one));
        } else {
            let caution = Caution { force: args.force, protected: args.manifest.iter().cloned().collect() };
            match write::replace(&one.out, &one.pack.files, &caution, &packs::interrupted()) {
                Ok(written) => one.written = Some(written),
                Err(e) => return out::error(&e, args.format == Format::Json),
            }
        }
        done.push(one);
    }
    let text = match args.format {
        Format::Json => report::json(&done),
        Format::Human if shared.quiet => String::new(),
        Format::Human => report::human(&done),
    };
    outcome.max(out::stdout(&text))
}

fn check(one: &Exported) -> Outcome {
    let differences = match write::differences(&one.out, &one.pack.files) {
        Ok(differences) => differences,
        Err(e) => return out::error(&e, false),
    };
    for difference in &differences {
        let (what, name) = match difference {
            write::Difference::Missing(name) => ("missing", name),
            write::Difference::Changed(name) => ("differs", name),
            write::Difference::Extra(name) => ("not in the pack", name),
        };
        let path = one.out.join(name).display().to_string();
        out::stderr(&format!("{what}: {}\n", screen::safe(&path)));
    }
    if differences.is_empty() {
        return Outcome::Clean;
    }
    let message = "the pack on disk is not what would be exported";
    let error = InputError::new(ErrorCode::Findings, message)
        .at(one.out.display().to_string())
        .help("Export it again without --check.");
    out::error(&error, false);
    Outcome::Failed
}
