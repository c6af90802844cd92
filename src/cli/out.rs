//! The one place that writes to the terminal. A closed pipe (`verity lint | head`) is a success.

use super::{Color, Outcome, Shared};
use crate::error::{ErrorCode, InputError};
use crate::report::screen;
use serde_json::json;
use std::io::{self, ErrorKind, IsTerminal, Write};

/// Write a result to standard output, as it is: what comes from a manifest must already be safe for
/// the screen ([`screen::safe`]) or be JSON.
///
/// `Clean` when it was written or nobody reads any more; otherwise (a full disk) says so on stderr.
pub(crate) fn stdout(text: &str) -> Outcome {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            let e = InputError::new(ErrorCode::Output, format!("cannot write to standard output: {e}"));
            stderr(&message(&e));
            Outcome::BadInput
        }
        _ => Outcome::Clean,
    }
}

/// Something that a person should know, on stderr; `--quiet` silences it.
pub(crate) fn note(shared: &Shared, text: &str) {
    if !shared.quiet {
        stderr(&format!("note: {}\n", screen::safe(text)));
    }
}

/// An error in the input or the command line: on stderr, and under `--format json` (`json`) on
/// stdout as well. Call it once a run when `json`, since stdout then holds one JSON text.
pub(crate) fn error(error: &InputError, json: bool) -> Outcome {
    stderr(&message(error));
    if json {
        json_error(error);
    }
    Outcome::BadInput
}

/// The JSON form of an error alone, on stdout.
pub(crate) fn json_error(error: &InputError) {
    let text = json!({"schema_version": 1, "error": error});
    stdout(&format!("{text:#}\n"));
}

fn message(error: &InputError) -> String {
    let mut text = format!("error: {}\n", screen::safe(&error.to_string()));
    for line in error.help.iter().flat_map(|help| help.lines()) {
        text.push_str(&format!("  {}\n", screen::safe(line)));
    }
    text
}

/// Text that is already safe, to stderr; there is nobody to tell when that fails.
pub(crate) fn stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Whether what goes to stdout is coloured: `--color`, then NO_COLOR (<https://no-color.org>), then
/// whether a terminal reads it.
#[allow(dead_code)] // the human report asks next
pub(crate) fn is_coloured(shared: &Shared) -> bool {
    match shared.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
                && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
                && io::stdout().is_terminal()
        }
    }
}
