//! `verity lint`.

use super::{Outcome, Shared};

/// Lint manifests: find poisoned text, broken schemas, tools that agents cannot use.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, _shared: &Shared) -> Outcome {
    Outcome::Internal
}
