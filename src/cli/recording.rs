//! A recording from disk or standard input, line by line: it may be longer than memory.

use super::input;
use crate::error::{ErrorCode, InputError, said_by_system};
use crate::trace::{self, Fixtures, MAX_ARCHIVE, MAX_LINE, Recording, Trace};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// Bytes of all files that recorded calls may refer to.
const MAX_FIXTURES: usize = 64 << 20;
/// Folders in folders.
const MAX_DEPTH: usize = 16;

/// The recording that `path` names; `-` is standard input. `fixtures` is a folder of files that calls refer to.
pub(super) fn read(path: &Path, fixtures: Option<&Path>) -> Result<Trace, InputError> {
    let fixtures = fixtures.map(folder).transpose()?.unwrap_or_default();
    of_file(path, &path.display().to_string(), fixtures)
}

/// As [`read`], with the files themselves; messages name the recording as `shown`.
pub(super) fn of_file(path: &Path, shown: &str, fixtures: Fixtures) -> Result<Trace, InputError> {
    if path.as_os_str() == "-" {
        return lines("<stdin>", BufReader::new(io::stdin().lock()), fixtures);
    }
    // Pipes and devices may never end; they are read as any input is, within its bounds.
    if !std::fs::metadata(path).is_ok_and(|m| m.is_file()) {
        return trace::read(shown, &input::bytes(path)?, &fixtures);
    }
    let file = File::open(path).map_err(|e| unreadable(&e).at(shown))?;
    lines(shown, BufReader::with_capacity(1 << 18, file), fixtures)
}

fn unreadable(e: &io::Error) -> InputError {
    InputError::new(ErrorCode::Unreadable, format!("cannot be read: {}", said_by_system(e)))
}

fn lines(shown: &str, mut reader: impl BufRead, fixtures: Fixtures) -> Result<Trace, InputError> {
    let failed = |e: &io::Error| unreadable(e).at(shown);
    if trace::is_archive(reader.fill_buf().map_err(|e| failed(&e))?) {
        let mut bytes = Vec::new();
        reader.take(MAX_ARCHIVE as u64 + 1).read_to_end(&mut bytes).map_err(|e| failed(&e))?;
        return trace::read_archive(shown, &bytes);
    }
    let mut recording = Recording::new(shown, fixtures);
    let mut line = Vec::new();
    loop {
        line.clear();
        let limit = MAX_LINE as u64 + 1;
        if reader.by_ref().take(limit).read_until(b'\n', &mut line).map_err(|e| failed(&e))? == 0 {
            return recording.finish();
        }
        recording.line(&line)?;
    }
}

/// The files of a folder, by their paths in it.
pub(super) fn folder(path: &Path) -> Result<Fixtures, InputError> {
    let mut found = Fixtures::new();
    let mut left = MAX_FIXTURES;
    walk(path, "", 0, &mut found, &mut left).map_err(|e| e.at(path.display().to_string()))?;
    Ok(found)
}

fn walk(
    path: &Path,
    below: &str,
    depth: usize,
    found: &mut Fixtures,
    left: &mut usize,
) -> Result<(), InputError> {
    for entry in std::fs::read_dir(path).map_err(|e| unreadable(&e))? {
        let entry = entry.map_err(|e| unreadable(&e))?;
        let kind = entry.file_type().map_err(|e| unreadable(&e))?;
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        if kind.is_dir() && depth < MAX_DEPTH {
            walk(&entry.path(), &format!("{name}/"), depth + 1, found, left)?;
        } else if kind.is_file() {
            let mut bytes = Vec::new();
            let file = File::open(entry.path()).map_err(|e| unreadable(&e))?;
            file.take(*left as u64 + 1).read_to_end(&mut bytes).map_err(|e| unreadable(&e))?;
            *left = left.checked_sub(bytes.len()).ok_or_else(|| {
                let message = format!("the folder's files have more than {} MiB", MAX_FIXTURES >> 20);
                InputError::new(ErrorCode::TooLarge, message)
            })?;
            // Calls refer to text; a picture among the files is none.
            if let Ok(text) = String::from_utf8(bytes) {
                found.insert(name, text);
            }
        }
    }
    Ok(())
}

/// What a person should know of the recording, in the order of its calls; of many, the first.
pub(super) fn notes(trace: &Trace, shown: &str) -> Vec<String> {
    const MOST: usize = 5;
    let place = |f: &trace::Finding| match (f.call, f.line) {
        (Some(call), 0) => format!("{shown}: call {call}: "),
        (Some(call), line) => format!("{shown}:{line}: call {call}: "),
        (None, 0) => format!("{shown}: "),
        (None, line) => format!("{shown}:{line}: "),
    };
    let mut notes: Vec<String> =
        trace.findings.iter().take(MOST).map(|f| format!("{}{} [{}]", place(f), f.message, f.kind)).collect();
    let more = trace.findings.len().saturating_sub(MOST) + trace.more_findings;
    if more > 0 {
        notes.push(format!("{shown}: {more} more such notes"));
    }
    notes
}
