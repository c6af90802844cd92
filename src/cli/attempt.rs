//! Attempts on disk: a folder with everything that a verdict rests on.

mod open;

pub(super) use open::{Opened, corrupt, open};

use super::grade::case::Case;
use super::{interrupt, recording};
use crate::error::{ErrorCode, InputError, said_by_system};
use crate::grade::attempt::chain::Chain;
use crate::grade::attempt::{MANIFEST, Manifest, Part, Recorded, Role, Rows, Summary, VERSION};
use crate::grade::verdict::Verdict;
use crate::sha256;
use crate::staging::{Parents, hidden_folder, swap};
use crate::trace::{Fixtures, Trace};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Where the expectation file lies in an attempt; its datasets lie beside it.
const EXPECTATION: &str = "expectation/document.yaml";

/// An attempt that is being made: beside its place, where nothing is yet.
pub(super) struct Recorder {
    place: PathBuf,
    is_there: bool,
    /// Goes before the folders that were made for it.
    folder: TempDir,
    parents: Parents,
    parts: Vec<Part>,
    /// An interruption leaves no half of an attempt.
    _watch: interrupt::Watch,
}

impl Recorder {
    /// # Errors
    /// Something is there already, and `force` does not say that it may go; or nothing can be written there.
    pub(super) fn open(place: &Path, force: bool) -> Result<Recorder, InputError> {
        check_place(place, force)?;
        let _watch = interrupt::watch();
        let fail = |e: &io::Error| failed(place, e);
        let parents = Parents::create(place).map_err(|e| fail(&e))?;
        let folder = hidden_folder(&parents.folder).map_err(|e| fail(&e))?;
        Ok(Recorder {
            place: place.to_path_buf(),
            is_there: place.exists(),
            folder,
            parents,
            parts: Vec::new(),
            _watch,
        })
    }

    /// Keep what `from` holds as the part `file`; where the copy is.
    ///
    /// # Errors
    /// It cannot be read, or not be written; `shown` names it.
    pub(super) fn copy(
        &mut self,
        role: Role,
        file: &str,
        mut from: impl Read,
        shown: &str,
    ) -> Result<PathBuf, InputError> {
        let to = self.folder.path().join(file);
        let made = match to.parent() {
            Some(folder) => fs::create_dir_all(folder),
            None => Ok(()),
        };
        let mut target = made.and_then(|()| File::create(&to)).map_err(|e| failed(&self.place, &e))?;
        let (bytes, sha256) = sha256::copied(&mut from, &mut target).map_err(|e| {
            InputError::new(ErrorCode::Unreadable, format!("cannot be recorded: {}", said_by_system(&e)))
                .at(shown)
        })?;
        self.parts.push(Part { role, file: file.to_string(), bytes, sha256 });
        self.go_on()?;
        Ok(to)
    }

    /// Whether nobody wants an end.
    fn go_on(&self) -> Result<(), InputError> {
        if interrupt::is_asked() {
            return Err(InputError::new(ErrorCode::Output, "interrupted; nothing was written")
                .at(self.place.display().to_string()));
        }
        Ok(())
    }

    fn put(&mut self, role: Role, file: &str, bytes: &[u8]) -> Result<(), InputError> {
        self.copy(role, file, bytes, file).map(|_| ())
    }

    /// The recording that `path` names, `-` for standard input: kept, and then read from what was kept.
    ///
    /// # Errors
    /// As for any recording.
    pub(super) fn recording(
        &mut self,
        path: &Path,
        role: Role,
        shown: &str,
        fixtures: Fixtures,
    ) -> Result<Trace, InputError> {
        let file = if role == Role::Stream { "stream" } else { "recording" };
        let unreadable = |e: &io::Error| {
            InputError::new(ErrorCode::Unreadable, format!("cannot be read: {}", said_by_system(e))).at(shown)
        };
        let copy = if path.as_os_str() == "-" {
            self.copy(role, file, io::stdin().lock(), shown)?
        } else {
            if path.is_dir() {
                return Err(
                    InputError::new(ErrorCode::Unreadable, "this is a folder, not a recording").at(shown)
                );
            }
            self.copy(role, file, File::open(path).map_err(|e| unreadable(&e))?, shown)?
        };
        recording::of_file(&copy, shown, fixtures)
    }

    /// What the case holds beside recordings.
    ///
    /// # Errors
    /// The disk is full, say.
    pub(super) fn case(&mut self, case: &Case, sources: &Sources) -> Result<(), InputError> {
        if let Some(expected) = &case.expected {
            self.put(Role::Expectation, EXPECTATION, &expected.bytes)?;
            for (path, bytes) in &expected.datasets {
                if path.contains('\\') {
                    let message =
                        "a dataset with `\\` in its path cannot be recorded: systems read it differently";
                    return Err(InputError::new(ErrorCode::Output, message).at(path));
                }
                let parts: Vec<&str> = path.split('/').filter(|p| !matches!(*p, "" | ".")).collect();
                self.put(Role::Dataset, &format!("expectation/{}", parts.join("/")), bytes)?;
            }
        }
        if let Some(tools) = &case.tools {
            self.put(Role::Listing, "listing.json", format!("{:#}\n", json!({ "tools": tools })).as_bytes())?;
        }
        if let Some(bytes) = &sources.judgements {
            self.put(Role::Judgements, "judgements.json", bytes)?;
        }
        if !sources.fixtures.is_empty() {
            let text = serde_json::to_string(&sources.fixtures).unwrap_or_default();
            self.put(Role::Fixtures, "fixtures.json", text.as_bytes())?;
        }
        if let Some(answer) = &sources.answer {
            self.put(Role::Answer, "answer.txt", answer.as_bytes())?;
        }
        Ok(())
    }

    /// Bind it all, and put the folder in its place. Gives the manifest.
    ///
    /// # Errors
    /// Nothing is there then, or what was there before.
    pub(super) fn finish(
        mut self,
        path: &str,
        case: &Case,
        trace: &Trace,
        verdict: &Verdict,
        report: &Value,
    ) -> Result<Manifest, InputError> {
        let chain = self.rows(trace)?;
        self.put(Role::Verdict, "verdict.json", format!("{report:#}\n").as_bytes())?;
        self.go_on()?;
        let manifest = Manifest {
            schema_version: VERSION,
            verity: env!("CARGO_PKG_VERSION").to_string(),
            recording: Recorded {
                path: path.to_string(),
                format: trace.format.name().to_string(),
                calls: trace.len(),
            },
            options: case.options.clone(),
            parts: std::mem::take(&mut self.parts),
            rows: Rows { count: chain.count(), sha256: chain.last().to_string() },
            verdict: Summary {
                status: verdict.outcome().word().to_string(),
                call_quality: verdict.quality.word().to_string(),
            },
            sha256: String::new(),
        }
        .sealed();
        let text = serde_json::to_string_pretty(&manifest).unwrap_or_default();
        let place = self.place;
        fs::write(self.folder.path().join(MANIFEST), format!("{text}\n")).map_err(|e| failed(&place, &e))?;
        swap(&place, self.folder, self.is_there, &self.parents.folder).map_err(|e| failed(&place, &e))?;
        self.parents.keep();
        Ok(manifest)
    }

    /// The rows, line by line: a recording may have millions.
    fn rows(&mut self, trace: &Trace) -> Result<Chain, InputError> {
        let file = "rows.jsonl";
        let (chain, bytes, sha256) =
            write_rows(&self.folder.path().join(file), trace).map_err(|e| failed(&self.place, &e))?;
        self.parts.push(Part { role: Role::Rows, file: file.to_string(), bytes, sha256 });
        Ok(chain)
    }
}

fn write_rows(path: &Path, trace: &Trace) -> io::Result<(Chain, u64, String)> {
    let mut chain = Chain::default();
    let mut out = BufWriter::new(File::create(path)?);
    for row in trace.rows() {
        out.write_all(chain.line(row).as_bytes())?;
    }
    out.flush()?;
    let (bytes, sha256) = sha256::copied(&mut File::open(path)?, &mut io::sink())?;
    Ok((chain, bytes, sha256))
}

/// What a case was made of and does not hold itself.
#[derive(Debug, Default)]
pub(super) struct Sources {
    pub(super) judgements: Option<Vec<u8>>,
    pub(super) fixtures: Fixtures,
    pub(super) answer: Option<String>,
}

/// What is at `place` may be replaced: nothing, or with `force` an older attempt.
fn check_place(place: &Path, force: bool) -> Result<(), InputError> {
    let refuse = |message: &str, help: &str| {
        Err(InputError::new(ErrorCode::Output, message).at(place.display().to_string()).help(help))
    };
    let plain: PathBuf = place.components().collect();
    let Ok(there) = fs::symlink_metadata(&plain) else { return Ok(()) };
    if there.file_type().is_symlink() {
        return refuse(
            "a link is in the way, and an attempt replaces nothing through a link",
            "Name another folder.",
        );
    }
    if !there.is_dir() {
        return refuse("a file is in the way: an attempt is a folder", "Name another folder.");
    }
    if fs::read_dir(&plain).is_ok_and(|mut entries| entries.next().is_none()) {
        return Ok(());
    }
    if !force {
        return refuse(
            "the folder is there already",
            "Name another folder, or replace this attempt with --force.",
        );
    }
    let is_attempt = fs::read(plain.join(MANIFEST)).is_ok_and(|bytes| {
        serde_json::from_slice::<Value>(&bytes)
            .is_ok_and(|v| v.get("parts").is_some() && v.get("rows").is_some())
    });
    let is_here = std::env::current_dir().and_then(fs::canonicalize);
    let holds_here =
        is_here.is_ok_and(|here| fs::canonicalize(&plain).is_ok_and(|place| here.starts_with(place)));
    if !is_attempt || holds_here || plain.join(".git").exists() {
        return refuse("--force replaces an older attempt, and this folder is none", "Name another folder.");
    }
    Ok(())
}

fn failed(place: &Path, e: &io::Error) -> InputError {
    InputError::new(ErrorCode::Output, format!("cannot write the attempt: {}", said_by_system(e)))
        .at(place.display().to_string())
        .help("Check the disk's space and your permissions there; nothing was changed.")
}
