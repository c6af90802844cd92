//! Bytes of one file or of standard input, bounded in size and, where nothing may ever come, in time.

use crate::error::{ErrorCode, InputError};
use crate::source::{self, MAX_BYTES};
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

/// How long a pipe or a device may take to deliver its text.
const PATIENCE: Duration = Duration::from_secs(8);

/// The bytes of a named file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, InputError> {
    let shown = path.display().to_string();
    let metadata = std::fs::metadata(path).map_err(|e| unreadable(&e).at(&shown))?;
    let result = if metadata.is_file() {
        // The size is a hint for memory alone: a file may grow, and /proc says 0.
        let hint = usize::try_from(metadata.len()).unwrap_or(usize::MAX).min(MAX_BYTES + 1);
        if hint > MAX_BYTES {
            return Err(source::too_large().at(shown));
        }
        File::open(path).map_err(|e| unreadable(&e)).and_then(|file| read_capped(file, hint))
    } else {
        patiently(path)
    };
    result.map_err(|e| e.at(shown))
}

/// A pipe, a device, a socket: opening or reading one may take for ever.
fn patiently(path: &Path) -> Result<Vec<u8>, InputError> {
    let (sender, receiver) = mpsc::channel();
    let path = path.to_path_buf();
    let reader = std::thread::Builder::new().spawn(move || {
        let bytes = File::open(path).map_err(|e| unreadable(&e)).and_then(|file| read_capped(file, 0));
        let _ = sender.send(bytes); // nobody listens after the time is up
    });
    if let Err(e) = reader {
        return Err(unreadable(&e));
    }
    receiver.recv_timeout(PATIENCE).unwrap_or_else(|_| {
        let message =
            format!("no end of text came within {} s; this is a pipe or a device", PATIENCE.as_secs());
        Err(InputError::new(ErrorCode::Unreadable, message)
            .help("Name a file, or pipe the listing into standard input: … | verity lint -"))
    })
}

/// Standard input, to its end.
pub(super) fn read_stdin() -> Result<Vec<u8>, InputError> {
    let stdin = io::stdin();
    let result = if stdin.is_terminal() {
        Err(InputError::new(ErrorCode::Unreadable, "standard input is a terminal, not a listing")
            .help("Pipe a listing into verity (… | verity lint -), or name a file."))
    } else {
        read_capped(stdin.lock(), 0)
    };
    result.map_err(|e| e.at("<stdin>"))
}

pub(super) fn stdin_twice() -> InputError {
    InputError::new(ErrorCode::Usage, "standard input (`-`) was named more than once").at("<stdin>")
}

fn read_capped(reader: impl Read, hint: usize) -> Result<Vec<u8>, InputError> {
    let mut bytes = Vec::with_capacity(hint);
    let limit = MAX_BYTES as u64 + 1;
    reader.take(limit).read_to_end(&mut bytes).map_err(|e| unreadable(&e))?;
    if bytes.len() > MAX_BYTES {
        return Err(source::too_large());
    }
    Ok(bytes)
}

/// What the system says of a file that cannot be read, and what to do.
pub(in crate::cli) fn unreadable(error: &io::Error) -> InputError {
    let (message, help) = match error.kind() {
        io::ErrorKind::NotFound => {
            ("there is no such file", "Look at the spelling and at the current folder.")
        }
        io::ErrorKind::PermissionDenied => ("permission denied", "Look at the file's permissions."),
        io::ErrorKind::IsADirectory => ("this is a folder", "Name a file in it."),
        _ => return InputError::new(ErrorCode::Unreadable, format!("cannot be read: {error}")),
    };
    InputError::new(ErrorCode::Unreadable, message).help(help)
}
