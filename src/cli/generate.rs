//! `verity generate`.

use super::{Outcome, Shared};

/// Seeded arguments for each tool, valid or breaking exactly one keyword, as JSON lines.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, _shared: &Shared) -> Outcome {
    Outcome::Internal
}
