//! `verity completions`.

use super::{Outcome, Shared};

/// Print shell completions.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, _shared: &Shared) -> Outcome {
    Outcome::Internal
}
