//! `verity lock`.

use super::target::{self, SERVED, Served};
use super::{Outcome, Shared, diff, out};
use crate::diff::lock::Lock;
use crate::error::{ErrorCode, InputError};
use crate::manifest::{Completeness, Input};
use crate::rules::say;
use crate::source::Document;
use std::path::{Path, PathBuf};

/// Digests of each tool, for `verity diff` to tell a listing that is not the approved one any more.
///
/// Description, input schema, output schema and annotations have digests of their own, which depend neither on the
/// file's shape nor on the order of what is in it.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A tool listing, `git:REV:path`, or `-` for standard input.
    #[arg(value_name = "MANIFEST", required_unless_present_any = SERVED)]
    manifest: Option<String>,
    /// Write the lock to this file, not to standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    served: Served,
}

const EXAMPLES: &str = "\
Examples:
  verity lock tools.json -o verity.lock
  verity diff verity.lock tools.json

Exit codes: 0 done, 2 input that cannot be locked.";

pub(crate) fn run(args: &Args, shared: &Shared) -> Outcome {
    let lock = match lock(args) {
        Ok(lock) => lock,
        Err(e) => return out::error(&e, false),
    };
    match &args.output {
        None => out::stdout(&lock.to_json()),
        Some(file) => {
            let outcome = out::file(file, &lock.to_json());
            if outcome == Outcome::Clean {
                out::note(
                    shared,
                    &format!("{} locked in {}", say::count_are(lock.len(), "tool"), file.display()),
                );
            }
            outcome
        }
    }
}

fn lock(args: &Args) -> Result<Lock, InputError> {
    let document = document(args)?;
    let name = document.path.clone();
    if document.segments.first().is_some_and(|s| Lock::parse(&s.value).is_some()) {
        return Err(InputError::new(ErrorCode::NotAManifest, "this is a lock file already").at(name));
    }
    let input = Input::of_document(document)?;
    if input.manifests.iter().any(|m| m.completeness != Completeness::Complete) {
        return Err(diff::incomplete(&name));
    }
    Ok(Lock::of(&input.manifests))
}

fn document(args: &Args) -> Result<Document, InputError> {
    let Some(manifest) = target::one_of(args.manifest.as_deref(), &args.served)? else {
        return args.served.listing().unwrap_or_else(|| Err(target::nothing_named()));
    };
    let real = |path: &Path| path.canonicalize().ok();
    if let Some(output) = &args.output
        && real(output).is_some()
        && real(output) == real(Path::new(manifest))
    {
        return Err(InputError::new(ErrorCode::Usage, "the lock would replace the listing").at(manifest));
    }
    diff::document(manifest, None)
}
