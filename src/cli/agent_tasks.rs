//! `verity agent-tasks`.

use super::{Outcome, Shared};

/// Export a deterministic benchmark pack from a manifest.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, _shared: &Shared) -> Outcome {
    Outcome::Internal
}
