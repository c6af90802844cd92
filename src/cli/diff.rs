//! `verity diff`.

use super::config;
use super::output::{Choice, Output, Places};
use super::target::{self, SERVED, Served};
use super::today::today;
use super::{Outcome, Shared, git, input, out};
use crate::diff::{self, Diff, Options, lock};
use crate::error::{ErrorCode, InputError};
use crate::manifest::{Completeness, Input, Manifest};
use crate::report::diff as report;
use crate::report::html;
use crate::source::{self, Document};
use crate::suppress::Ran;
use crate::threads;
use std::path::{Path, PathBuf};

/// What changed between two releases of a tool surface, by meaning.
///
/// Input schemas count as what is accepted, output schemas as what is promised: a change breaks when an old call
/// is refused or a new result breaks an old reader, and such a call or result is shown. Order, inlined references
/// and written-out defaults are no change.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The old release: a listing, `git:REV:path`, a file that `verity lock` wrote, or `-` for standard input.
    #[arg(value_name = "OLD")]
    old: String,
    /// The new release: a listing, `git:REV:path` or `-`.
    #[arg(value_name = "NEW", required_unless_present_any = SERVED)]
    new: Option<String>,
    /// `human`, `json`, `markdown` or `html`; `NAME=FILE` writes it to a file. May be given several times.
    #[arg(long, value_name = "NAME[=FILE]", value_parser = Output::<Format>::parse)]
    format: Vec<Output<Format>>,
    /// Say as well what these clients refuse now and took before (`verity profiles` lists them).
    #[arg(long, value_name = "NAME[,NAME…]", value_delimiter = ',')]
    profile: Vec<String>,
    /// Compare listings that are not complete (`nextCursor`) as they are.
    #[arg(long)]
    allow_incomplete: bool,
    #[command(flatten)]
    served: Served,
}

const EXAMPLES: &str = "\
Examples:
  verity diff released.json tools.json
  verity diff git:v1.2.0:tools.json tools.json --format markdown
  verity diff old.json tools.json --format human --format json=diff.json
  verity diff verity.lock tools.json

Exit codes: 0 nothing breaks, 1 a breaking change or one that someone has to review, 2 input that cannot be
compared. The required bump is major, minor, patch or none. What is meant is said in verity.yaml, under `ignores`
(rule, tool, pointer, reason): it stays in the report and does not fail the run.";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Human,
    Json,
    Markdown,
    Html,
}

impl Choice for Format {
    const ALL: &'static [Format] = &[Format::Human, Format::Json, Format::Markdown, Format::Html];

    fn name(self) -> &'static str {
        match self {
            Format::Human => "human",
            Format::Json => "json",
            Format::Markdown => "markdown",
            Format::Html => "html",
        }
    }
}

/// One side of the comparison.
pub(super) enum Release {
    Listing { manifests: Vec<Manifest>, bytes: usize },
    Lock(lock::Lock),
}

pub(crate) fn run(args: &Args, shared: &Shared) -> Outcome {
    let outputs = match args.format.as_slice() {
        [] => vec![Output { format: Format::Human, file: None }],
        given => given.to_vec(),
    };
    let json = outputs.iter().any(|o| o.format == Format::Json && o.file.is_none());
    let read: Vec<PathBuf> = [&args.old].into_iter().chain(&args.new).map(PathBuf::from).collect();
    let done = Places::open(outputs, &read).and_then(|places| Ok((places, compare(args, shared)?)));
    let (places, diff) = match done {
        Ok(done) => done,
        Err(e) => return out::error(&e, json),
    };
    let new = args.new.as_deref().unwrap_or(target::NAME);
    let names = report::Names { old: &args.old, new };
    let written = places.write(|output| match output.format {
        Format::Human => report::human(&diff, names, output.look(shared)),
        Format::Json => report::json(&diff, names),
        Format::Markdown => report::markdown(&diff, names),
        Format::Html => html::diff(&diff, names),
    });
    let outcome = if diff.fails() { Outcome::Failed } else { Outcome::Clean };
    outcome.max(written)
}

fn compare(args: &Args, shared: &Shared) -> Result<Diff, InputError> {
    let new = target::one_of(args.new.as_deref(), &args.served)?;
    if let Some(new) = new.filter(|new| is_same(&args.old, new)) {
        return Err(same_file(new));
    }
    let found = config::find(shared)?;
    let options = Options { clients: found.profiles(&args.profile)?.clients };
    let old = read(&args.old, None, args.allow_incomplete, shared)?;
    let new = match new {
        Some(new) => document(new, None)?,
        None => args.served.listing().unwrap_or_else(|| Err(target::nothing_named()))?,
    };
    let name = new.path.clone();
    let Release::Listing { manifests: new, bytes } = release(new, args.allow_incomplete, shared)? else {
        return Err(InputError::new(
            ErrorCode::NotAManifest,
            "NEW is a lock file, and a lock file holds digests alone",
        )
        .at(name)
        .help("Name the new listing second: verity diff verity.lock tools.json"));
    };
    let mut diff = old.compare(&new, &options, bytes);
    let today = today();
    let mut suppressor = found.suppressor(None, &today);
    suppressor.apply_to_changes(&mut diff, old.shows_meaning());
    for finding in suppressor.findings(&found.name(), "", Ran::NoRule) {
        out::note(shared, &format!("{} [{}]", finding.message, finding.rule));
    }
    Ok(diff)
}

impl Release {
    /// Whether a comparison shows what changed, not just that something did.
    pub(super) fn shows_meaning(&self) -> bool {
        matches!(self, Release::Listing { .. })
    }

    /// What changed from this release to `new`, `bytes` long.
    pub(super) fn compare(&self, new: &[Manifest], options: &Options, bytes: usize) -> Diff {
        let work = || match self {
            Release::Listing { manifests, .. } => diff::diff(manifests, new, options),
            Release::Lock(lock) => lock.compare(new),
        };
        match threads::pool(bytes) {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

/// Whether two names mean one file.
pub(super) fn is_same(old: &str, new: &str) -> bool {
    let real = |name: &str| Path::new(name).canonicalize().ok();
    old == new || real(old).is_some() && real(old) == real(new)
}

/// The release that `typed` names; `folder` says whose revisions are meant, if not those of here.
pub(super) fn read(
    typed: &str,
    folder: Option<&Path>,
    allow_incomplete: bool,
    shared: &Shared,
) -> Result<Release, InputError> {
    release(document(typed, folder)?, allow_incomplete, shared)
}

fn release(document: Document, allow_incomplete: bool, shared: &Shared) -> Result<Release, InputError> {
    let typed = document.path.clone();
    let typed = typed.as_str();
    if let Some(lock) = first(&document).and_then(lock::Lock::parse) {
        return lock.map(Release::Lock).map_err(|e| e.at(typed));
    }
    let bytes = document.text.len();
    let input = Input::of_document(document)?;
    for manifest in &input.manifests {
        manifest.notes.iter().for_each(|note| out::note(shared, &format!("{typed}: {note}")));
        if manifest.completeness != Completeness::Complete && !allow_incomplete {
            return Err(incomplete(typed));
        }
    }
    Ok(Release::Listing { manifests: input.manifests, bytes })
}

/// A listing has not changed since itself.
pub(super) fn same_file(path: &str) -> InputError {
    InputError::new(ErrorCode::Usage, "OLD and NEW are the same file").at(path).help(
        "Compare with a released listing: a file of its own, git:REV:path, or a lock that `verity lock` wrote.",
    )
}

/// The listing that `typed` names: a file, a revision of one, or standard input.
pub(super) fn document(typed: &str, folder: Option<&Path>) -> Result<Document, InputError> {
    let bytes = match git::read(typed, folder) {
        Some(bytes) => bytes?,
        None => input::bytes(Path::new(typed))?,
    };
    source::parse(if typed == "-" { "<stdin>" } else { typed }, bytes)
}

fn first(document: &Document) -> Option<&serde_json::Value> {
    document.segments.first().map(|segment| &segment.value)
}

pub(super) fn incomplete(path: &str) -> InputError {
    InputError::new(
        ErrorCode::Incomplete,
        "the listing is not complete: its last page has a `nextCursor`, so tools are missing",
    )
    .at(path)
    .help("Fetch the other pages too and save them in one file; or compare what is there with --allow-incomplete.")
}
