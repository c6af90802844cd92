//! The one place that writes to the terminal. A closed pipe (`verity lint | head`) is a success.

use super::{Color, Outcome, Shared};
use crate::error::{ErrorCode, InputError, said_by_system};
use crate::report::{json, screen};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Write a result to standard output, as it is: what comes from a manifest must already be safe for
/// the screen ([`screen::safe`]) or be JSON.
///
/// `Clean` when it was written or nobody reads any more; otherwise (a full disk) says so on stderr.
pub(crate) fn stdout(text: &str) -> Outcome {
    write_out(&screen::escaped_json(text))
}

fn write_out(text: &str) -> Outcome {
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

/// Write a text whose bytes count, such as canonical JSON, to standard output. On a screen it is made safe as
/// [`stdout`] does it; where a program reads it, no byte is changed.
pub(crate) fn exact(text: &str) -> Outcome {
    if io::stdout().is_terminal() {
        return stdout(text);
    }
    write_out(text)
}

/// Something that a person should know, on stderr; `--quiet` silences it.
pub(crate) fn note(shared: &Shared, text: &str) {
    if !shared.quiet {
        stderr(&format!("note: {}\n", screen::safe(text)));
    }
}

/// An error in the input or the command line, and how the run ends by it: on stderr, and under `--format json` (`json`) on
/// stdout as well. Call it once a run when `json`, since stdout then holds one JSON text.
pub(crate) fn error(error: &InputError, json: bool) -> Outcome {
    stderr(&message(error));
    if json {
        json_error(error);
    }
    error.code.into()
}

/// The JSON form of an error alone, on stdout.
pub(crate) fn json_error(error: &InputError) {
    stdout(&format!("{}\n", json::failure(std::slice::from_ref(error))));
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
    let text = screen::without_commands(text.to_string());
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Whether what goes to stdout is coloured: `--color`, then NO_COLOR (<https://no-color.org>), then
/// whether a terminal reads it.
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

/// Columns of the screen that reads stdout; a comfortable width where none does.
pub(crate) fn width() -> usize {
    let stated = || std::env::var("COLUMNS").ok()?.parse::<usize>().ok().filter(|n| *n > 0);
    let screen = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    stated().or_else(screen).unwrap_or(100)
}

/// Write a report to `path`: whole or not at all, so that no reader sees half of one.
pub(crate) fn file(path: &Path, text: &str) -> Outcome {
    match write(path, text) {
        Ok(()) => Outcome::Clean,
        Err(e) => error(&e, false),
    }
}

/// As [`file`], with what went wrong.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), InputError> {
    Staged::open(path).and_then(|staged| Staged::commit(vec![(staged, text.to_string())]))
}

/// The place of a report, open: nothing is there yet. Dropped, it leaves no trace.
#[derive(Debug)]
pub(crate) struct Staged {
    /// As the user wrote it.
    shown: String,
    target: PathBuf,
    /// Beside the target; `None`: a device or a pipe (`/dev/stderr`, `>(…)`), which is written to, never replaced.
    temporary: Option<NamedTempFile>,
}

impl Staged {
    /// # Errors
    /// Nothing can be written there: no such folder, a folder or a file in the way, no permission.
    pub(crate) fn open(path: &Path) -> Result<Staged, InputError> {
        let shown = path.display().to_string();
        let refuse = |message: String, help: &str| {
            Err(InputError::new(ErrorCode::Output, message).at(&shown).help(help))
        };
        // A link stays one, and its target is written.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let folder = target.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        let is_special = match std::fs::metadata(&target) {
            Ok(there) if there.is_dir() => {
                return refuse("cannot write the report: this is a folder".to_string(), "Name a file in it.");
            }
            Ok(there) => !there.is_file(),
            Err(_) => false,
        };
        if let Some(file) = folder.ancestors().find(|f| f.is_file()) {
            let message = format!("cannot write the report: {} is a file, not a folder", file.display());
            return refuse(message, "Give the report another place.");
        }
        if !is_special && !folder.exists() {
            let message = format!("cannot write the report: there is no folder {}", folder.display());
            return refuse(message, "Make the folder first, or give the report another place.");
        }
        let temporary = match is_special {
            true => None,
            false => match readable_temporary(folder) {
                Ok(file) => Some(file),
                Err(e) => {
                    let message = format!("cannot write the report: {}", said_by_system(&e));
                    return refuse(
                        message,
                        "Look at your permissions there, or give the report another place.",
                    );
                }
            },
        };
        Ok(Staged { shown, target, temporary })
    }

    /// Put every text in its place. None gets there before all are written, beside their places.
    ///
    /// # Errors
    /// A full disk, say; files that were there before are as they were.
    pub(crate) fn commit(all: Vec<(Staged, String)>) -> Result<(), InputError> {
        let fail = |shown: &str, e: &io::Error| {
            let message = format!("cannot write the report: {}", said_by_system(e));
            InputError::new(ErrorCode::Output, message).at(shown)
        };
        let mut ready = Vec::new();
        for (mut staged, text) in all {
            let text = screen::escaped_json(&text).into_owned();
            if let Some(file) = &mut staged.temporary {
                file.write_all(text.as_bytes()).map_err(|e| fail(&staged.shown, &e))?;
            }
            ready.push((staged, text));
        }
        for (staged, text) in ready {
            let placed = match staged.temporary {
                Some(file) => file.persist(&staged.target).map(|_| ()).map_err(|e| e.error),
                None => {
                    let device = std::fs::OpenOptions::new().write(true).open(&staged.target);
                    device.and_then(|mut device| device.write_all(text.as_bytes()))
                }
            };
            placed.map_err(|e| fail(&staged.shown, &e))?;
        }
        Ok(())
    }
}

/// A file that is added to, open.
#[derive(Debug)]
pub(crate) struct Appended {
    shown: String,
    file: std::fs::File,
}

impl Appended {
    /// # Errors
    /// Nothing can be added there.
    pub(crate) fn open(path: &Path) -> Result<Appended, InputError> {
        let shown = path.display().to_string();
        match std::fs::OpenOptions::new().create(true).append(true).open(path) {
            Ok(file) => Ok(Appended { shown, file }),
            Err(e) => {
                let message = format!("cannot write the summary: {}", said_by_system(&e));
                Err(InputError::new(ErrorCode::Output, message).at(shown))
            }
        }
    }

    pub(crate) fn append(mut self, text: &str) -> Outcome {
        match self.file.write_all(text.as_bytes()) {
            Ok(()) => Outcome::Clean,
            Err(e) => {
                let message = format!("cannot write the summary: {}", said_by_system(&e));
                error(&InputError::new(ErrorCode::Output, message).at(self.shown), false)
            }
        }
    }
}

/// Replaces what the file `path` holds by `bytes`, whole or not at all; it keeps its permissions, and a link stays one.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = path.canonicalize()?;
    let permissions = std::fs::metadata(&target)?.permissions();
    if permissions.readonly() {
        return Err(ErrorKind::PermissionDenied.into());
    }
    let folder = target.parent().unwrap_or(Path::new("."));
    let mut temporary = readable_temporary(folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().set_permissions(permissions)?;
    temporary.persist(&target).map(|_| ()).map_err(|e| e.error)
}

/// Temporary files are private unless told otherwise; a report is as readable as any new file.
fn readable_temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}
