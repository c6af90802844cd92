//! `verity explain`.

use super::{Outcome, Shared};

/// Print one rule's page.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, _shared: &Shared) -> Outcome {
    Outcome::Internal
}
