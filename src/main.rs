//! The `verity` binary: runs the library's command line.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use verity::cli;

fn main() -> ExitCode {
    cli::guarded(std::env::args_os().collect(), cli::main).into()
}
