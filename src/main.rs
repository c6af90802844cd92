//! The `verity` binary: runs the library's command line on a thread with a deep stack.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use verity::cli::{self, Outcome};

/// Schemas nest, and the crates that judge them recurse; the bounds on depth are set for this stack.
const STACK_BYTES: usize = 256 << 20;

fn main() -> ExitCode {
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(cli::main);
    let outcome = worker.ok().and_then(|w| w.join().ok()).unwrap_or(Outcome::Internal);
    if outcome == Outcome::Internal {
        eprintln!(
            "verity: internal error. This is a bug in verity; please report it with the command and the input."
        );
    }
    outcome.into()
}
