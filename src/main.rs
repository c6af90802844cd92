//! The `verity` binary: runs the library's command line on a thread with a deep stack.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use verity::{cli, lint::STACK_BYTES};

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(cli::say_bug));
    match std::thread::Builder::new().stack_size(STACK_BYTES).spawn(cli::main) {
        Ok(worker) => worker.join().unwrap_or_else(|_| cli::crashed()).into(),
        Err(e) => cli::no_thread(&e).into(),
    }
}
