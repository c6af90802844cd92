//! `--log FILE` and `--resume`: the calls of a probe on disk, as they are made.

use crate::error::{ErrorCode, InputError, said_by_system};
use crate::mcp::Secrets;
use crate::probe::log::{Log, Write as WriteLine};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// A log that is read is at most so long.
const MOST: u64 = 1 << 30;

/// A log that is open; nothing is written yet.
pub(super) struct OnDisk {
    file: File,
    shown: String,
    /// What an earlier run has written.
    known: Option<Log>,
}

fn unwritable(why: &str, shown: &str) -> InputError {
    InputError::new(ErrorCode::Output, format!("the log cannot be written: {why}")).at(shown)
}

impl OnDisk {
    /// Open a log: a new one, or one to go on with.
    ///
    /// # Errors
    /// It cannot be written; it is there and is not to be gone on with; it is none.
    pub(super) fn open(path: &Path, resume: bool) -> Result<OnDisk, InputError> {
        let shown = path.display().to_string();
        let mut options = OpenOptions::new();
        options.read(true).write(true).truncate(false);
        let file = match (options.create(resume).create_new(!resume).open(path), resume) {
            (Ok(file), _) => file,
            (Err(e), false) if e.kind() == ErrorKind::AlreadyExists => {
                let message = "there is a log of this name already";
                let error = InputError::new(ErrorCode::Output, message).at(&shown);
                return Err(
                    error.help("--resume goes on with it; else name another file, or remove this one.")
                );
            }
            (Err(e), _) => return Err(unwritable(&said_by_system(&e), &shown)),
        };
        let mut text = String::new();
        let read = (&file).take(MOST + 1).read_to_string(&mut text);
        read.map_err(|e| InputError::new(ErrorCode::Unreadable, said_by_system(&e)).at(&shown))?;
        if text.len() as u64 > MOST {
            return Err(InputError::new(ErrorCode::TooLarge, "the log is larger than 1 GiB").at(&shown));
        }
        let known = match text.is_empty() {
            true => None,
            false => Some(Log::read(&text).map_err(|(line, what)| {
                InputError::new(ErrorCode::Usage, what).at(&shown).line_column(line, 1)
            })?),
        };
        Ok(OnDisk { file, shown, known })
    }

    /// The log for a server whose listing has this digest, and where its lines go. Secrets are hidden in them.
    ///
    /// # Errors
    /// The log is of another listing; it cannot be written.
    pub(super) fn begin(
        self,
        listing: &str,
        secrets: Secrets,
    ) -> Result<(Log, WriteLine<'static>), InputError> {
        let OnDisk { mut file, shown, known } = self;
        if known.as_ref().is_some_and(|log| log.listing != listing) {
            let message = "the log is of another listing: the server's tools are not what they were";
            let error = InputError::new(ErrorCode::Usage, message).at(shown);
            return Err(error.help("Begin anew, with another file for --log."));
        }
        let log = known.unwrap_or_else(|| Log::new(listing));
        let failed = |why: String| unwritable(&why, &shown);
        // Half a line of a run that was killed is written over.
        let whole = log.whole as u64;
        file.set_len(whole)
            .and_then(|()| file.seek(SeekFrom::Start(whole)))
            .map_err(|e| failed(said_by_system(&e)))?;
        let mut write = move |line: &str| {
            let line = secrets.hidden(line);
            file.write_all(line.as_bytes()).map_err(|e| said_by_system(&e))
        };
        if whole == 0 {
            write(&log.head()).map_err(failed)?;
        }
        Ok((log, Box::new(write)))
    }
}
