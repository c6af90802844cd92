//! An attempt, read back: every part is what it was, or the attempt is none that can be judged.

use super::super::expectations;
use super::super::grade::case::Case;
use super::super::{input, recording};
use super::EXPECTATION;
use crate::error::{ErrorCode, InputError, cut, said_by_system};
use crate::expect::compare::{Mode, Patterns, difference, literal};
use crate::grade::attempt::chain::{self, Chain};
use crate::grade::attempt::{MANIFEST, Manifest, Part, Role};
use crate::sha256;
use crate::trace::{Fixtures, Trace};
use serde_json::Value;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// Bytes of a manifest: it names files, and holds variables.
const MAX_MANIFEST: u64 = 16 << 20;
/// Bytes of a line of rows.
const MAX_LINE: u64 = 128 << 20;

/// An attempt whose every part is as it was recorded.
pub(in crate::cli) struct Opened {
    pub(in crate::cli) manifest: Manifest,
    pub(in crate::cli) trace: Trace,
    pub(in crate::cli) case: Case,
    /// The report of the recorded verdict.
    pub(in crate::cli) verdict: Value,
    /// Where this version reads the recording otherwise than the one that recorded it.
    pub(in crate::cli) reading: Option<String>,
}

/// The attempt in `folder`.
///
/// # Errors
/// A part is missing, was changed, or cannot be used: an error of the attempt, not a verdict on the recording.
pub(in crate::cli) fn open(folder: &Path) -> Result<Opened, InputError> {
    let manifest = manifest(folder)?;
    let broken: Vec<InputError> =
        manifest.parts.iter().filter_map(|part| check(folder, part, &manifest).err()).collect();
    if let Some(first) = broken.first() {
        let mut first = first.clone();
        if broken.len() > 1 {
            first.message.push_str(&format!("; {} more parts are missing or changed", broken.len() - 1));
        }
        return Err(first);
    }
    let place = |role: Role| manifest.part(role).map(|part| folder.join(&part.file));
    let bytes = |role: Role| place(role).map(|path| input::bytes(&path)).transpose();
    let needed = |role: Role| {
        place(role)
            .ok_or_else(|| corrupt(folder, format!("{MANIFEST} names no part that is {}", role.word())))
    };
    let fixtures = match bytes(Role::Fixtures)? {
        Some(bytes) => serde_json::from_slice::<Fixtures>(&bytes)
            .map_err(|e| corrupt(folder, format!("the fixtures cannot be read: {e}")))?,
        None => Fixtures::new(),
    };
    let path = needed(Role::Recording)?;
    let mut trace =
        recording::of_file(&path, &path.display().to_string(), fixtures.clone()).map_err(recorded)?;
    let stream = match place(Role::Stream) {
        Some(path) => {
            Some(recording::of_file(&path, &path.display().to_string(), fixtures).map_err(recorded)?)
        }
        None => None,
    };
    if let Some(answer) = bytes(Role::Answer)? {
        trace = trace.with_final_answer(&String::from_utf8_lossy(&answer));
    } else if let Some(answer) = super::super::grade::answer_of(stream.as_ref(), &trace) {
        trace = trace.with_final_answer(&answer);
    }
    let expected = match manifest.part(Role::Expectation) {
        Some(_) => Some(
            expectations::read(&folder.join(EXPECTATION), manifest.options.session.as_deref())
                .map_err(recorded)?,
        ),
        None => None,
    };
    let judgements = match bytes(Role::Judgements)? {
        Some(bytes) => Some(expectations::judgements("judgements.json", bytes).map_err(recorded)?),
        None => None,
    };
    let tools = match bytes(Role::Listing)? {
        Some(bytes) => {
            let value: Value = serde_json::from_slice(&bytes)
                .map_err(|e| corrupt(folder, format!("the listing cannot be read: {e}")))?;
            Some(value.get("tools").and_then(Value::as_array).cloned().unwrap_or_default())
        }
        None => None,
    };
    let verdict = serde_json::from_slice(&bytes(Role::Verdict)?.unwrap_or_default())
        .map_err(|e| corrupt(folder, format!("the recorded verdict cannot be read: {e}")))?;
    let reading = reading(folder, &needed(Role::Rows)?, &manifest, &trace)?;
    let case = Case { expected, judgements, tools, stream, options: manifest.options.clone() };
    Ok(Opened { manifest, trace, case, verdict, reading })
}

/// An error of the attempt.
pub(in crate::cli) fn corrupt(folder: &Path, message: impl Into<String>) -> InputError {
    InputError::new(ErrorCode::BrokenAttempt, message)
        .at(folder.display().to_string())
        .help("What is in the folder is not what was recorded: nothing can be said of the recording.")
}

/// What was judged when it was recorded cannot be read now.
fn recorded(e: InputError) -> InputError {
    InputError { code: ErrorCode::BrokenAttempt, ..e }
}

fn manifest(folder: &Path) -> Result<Manifest, InputError> {
    let path = folder.join(MANIFEST);
    let bytes = match std::fs::metadata(&path) {
        Ok(there) if there.is_file() && there.len() <= MAX_MANIFEST => input::bytes(&path)?,
        Ok(_) => return Err(corrupt(folder, format!("{MANIFEST} is no manifest of an attempt"))),
        Err(_) => {
            let message = format!("no attempt: there is no {MANIFEST} in it");
            return Err(InputError::new(ErrorCode::BrokenAttempt, message)
                .at(folder.display().to_string())
                .help("`verity grade … --record FOLDER` makes one."));
        }
    };
    Manifest::read(&bytes).map_err(|why| corrupt(folder, format!("{MANIFEST}: {why}")))
}

/// Whether a part is there, byte for byte.
fn check(folder: &Path, part: &Part, manifest: &Manifest) -> Result<(), InputError> {
    let path = folder.join(&part.file);
    let wrong = |what: &str| corrupt(folder, format!("{} ({}) {what}", cut(&part.file), part.role.word()));
    let is_file = std::fs::metadata(&path).is_ok_and(|m| m.is_file());
    if !is_file {
        return Err(wrong("is missing"));
    }
    let file = File::open(&path);
    let digest = file.and_then(|mut file| sha256::copied(&mut file, &mut io::sink()));
    let (bytes, sha256) = digest.map_err(|e| wrong(&format!("cannot be read: {}", said_by_system(&e))))?;
    if sha256 == part.sha256 && bytes == part.bytes {
        return Ok(());
    }
    let mut what =
        format!("was changed: it has the digest {sha256}, and was recorded with {}", cut(&part.sha256));
    if part.role == Role::Recording
        && let Some(row) = changed_row(folder, &path, manifest)
    {
        what = format!("was changed: {row}");
    }
    Err(wrong(&what))
}

/// In a recording that was changed: the first row that is another, as far as that can be told.
fn changed_row(folder: &Path, path: &Path, manifest: &Manifest) -> Option<String> {
    let rows = folder.join(&manifest.part(Role::Rows)?.file);
    match recording::of_file(path, "", Fixtures::new()) {
        Ok(trace) => first_difference(&rows, &trace).ok().flatten(),
        Err(e) => Some(format!("it cannot be read any more ({})", e.message)),
    }
}

/// Whether this version reads the recording as the one did that recorded it.
fn reading(
    folder: &Path,
    rows: &Path,
    manifest: &Manifest,
    trace: &Trace,
) -> Result<Option<String>, InputError> {
    let now = Chain::of(trace.rows());
    if now.last() == manifest.rows.sha256 && now.count() == manifest.rows.count {
        return Ok(None);
    }
    let found = first_difference(rows, trace).map_err(|e| {
        corrupt(folder, format!("the recording's rows cannot be read: {}", said_by_system(&e)))
    })?;
    Ok(Some(found.unwrap_or_else(|| "the recording's rows have another digest".to_string())))
}

/// The first row of `trace` that is not the recorded one, in words.
fn first_difference(rows: &Path, trace: &Trace) -> io::Result<Option<String>> {
    let mut reader = BufReader::new(File::open(rows)?);
    let mut now = trace.rows();
    let mut line = String::new();
    for number in 0.. {
        line.clear();
        reader.by_ref().take(MAX_LINE).read_line(&mut line)?;
        let was = chain::of_line(&line).map(|(row, _)| row);
        return Ok(match (was, now.next()) {
            (None, None) => None,
            (Some(was), Some(is)) => match difference(&literal(&was), &is, Mode::Exact, &Patterns::default())
            {
                None => continue,
                Some(d) => Some(format!("row {number}: {}", d.sentence())),
            },
            (Some(was), None) => Some(format!("row {number} is missing: {}", words(&was))),
            (None, Some(is)) => Some(format!("row {number} was not recorded: {}", words(&is))),
        });
    }
    Ok(None)
}

fn words(row: &Value) -> String {
    let text = |key: &str| row.get(key).and_then(Value::as_str).map(cut);
    let kind = text("row").unwrap_or_default();
    text("tool").map_or(kind.clone(), |tool| format!("{kind} to `{tool}`"))
}
