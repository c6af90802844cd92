//! `verity task validate|test`.

use super::{Outcome, Shared};

/// Check a pack: against the task schema, or by replaying its solutions and controls.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, _shared: &Shared) -> Outcome {
    Outcome::Internal
}
