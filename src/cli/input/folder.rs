//! A folder as input: which of its files are listings.

use super::{file, input};
use crate::error::{ErrorCode, InputError};
use crate::manifest::Input;
use crate::source;
use std::fs;
use std::path::{Path, PathBuf};

/// Bounds on the walk: a folder that is larger is no folder of listings.
const MAX_ENTRIES: usize = 100_000;
const MAX_FILES: usize = 10_000;
const MAX_DEPTH: usize = 32;
/// Bound on the size of all files that are read together.
const MAX_TOTAL: u64 = 256 << 20;

/// A file, or the snapshots of a folder, each of which is one tool.
pub(super) enum Found {
    File(PathBuf),
    Snapshots { folder: PathBuf, files: Vec<PathBuf> },
}

/// What became of it.
#[derive(Default)]
pub(super) struct Read {
    pub input: Option<Input>,
    pub errors: Vec<InputError>,
    /// Files without tools.
    pub skipped: Vec<String>,
}

/// The candidates in `folder` and below it, sorted by path: `*.json`, `*.jsonl`, `*.ndjson`, `*.snap`.
/// Hidden files and folders and `node_modules` are left out, links to folders not followed.
pub(super) fn walk(folder: &Path) -> Result<Vec<Found>, InputError> {
    let mut walk = Walk { found: Vec::new(), entries: 0, files: 0, bytes: 0 };
    walk.visit(folder, MAX_DEPTH)
        .map_err(|e| if e.path.is_some() { e } else { e.at(folder.display().to_string()) })?;
    Ok(walk.found)
}

struct Walk {
    found: Vec<Found>,
    entries: usize,
    files: usize,
    bytes: u64,
}

impl Walk {
    fn visit(&mut self, folder: &Path, depth: usize) -> Result<(), InputError> {
        let Some(depth) = depth.checked_sub(1) else { return Err(too_large("nests deeper than 32 folders")) };
        let mut entries = Vec::new();
        for entry in fs::read_dir(folder).map_err(|e| unreadable(folder, &e))? {
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                return Err(too_large("holds more than 100,000 entries"));
            }
            entries.push(entry.map_err(|e| unreadable(folder, &e))?);
        }
        entries.sort_by_key(fs::DirEntry::file_name);
        let mut snapshots = Vec::new();
        for entry in entries {
            let (name, path) = (entry.file_name(), entry.path());
            if name.as_encoded_bytes().starts_with(b".") || name == "node_modules" {
                continue;
            }
            let kind = entry.file_type().map_err(|e| unreadable(&path, &e))?;
            let extension = path.extension().map(|e| e.to_ascii_lowercase());
            let extension = extension.as_deref().and_then(|e| e.to_str()).unwrap_or_default();
            if kind.is_dir() {
                self.visit(&path, depth)?;
            } else if matches!(extension, "json" | "jsonl" | "ndjson" | "snap")
                && self.is_file(&path, kind)?
            {
                if extension == "snap" {
                    snapshots.push(path);
                } else {
                    self.found.push(Found::File(path));
                }
            }
        }
        if !snapshots.is_empty() {
            self.found.push(Found::Snapshots { folder: folder.to_path_buf(), files: snapshots });
        }
        Ok(())
    }

    /// Whether `path` is a regular file, or a link to one; counts it.
    fn is_file(&mut self, path: &Path, kind: fs::FileType) -> Result<bool, InputError> {
        // A link that leads nowhere may have been a listing: reading it says so.
        let Ok(metadata) = fs::metadata(path) else { return Ok(kind.is_file() || kind.is_symlink()) };
        if !metadata.is_file() {
            return Ok(false);
        }
        self.files += 1;
        if metadata.len() <= source::MAX_BYTES as u64 {
            self.bytes += metadata.len();
        }
        if self.files > MAX_FILES {
            return Err(too_large("holds more than 10,000 JSON files"));
        }
        if self.bytes > MAX_TOTAL {
            return Err(too_large("holds more than 256 MiB of JSON"));
        }
        Ok(true)
    }
}

impl Found {
    pub fn files(&self) -> usize {
        match self {
            Found::File(_) => 1,
            Found::Snapshots { files, .. } => files.len(),
        }
    }

    /// Reads it; what holds no tools is skipped, what cannot be read or is a broken listing is an error.
    pub fn read(&self) -> Read {
        let mut out = Read::default();
        match self {
            Found::File(path) => {
                let shown = path.display().to_string();
                out.sort(&shown, path, |bytes| input(&shown, bytes), |out, input| out.input = Some(input));
            }
            Found::Snapshots { folder, files } => {
                let mut documents = Vec::new();
                for path in files {
                    let shown = path.display().to_string();
                    let parse = |bytes| {
                        let document = source::parse(&shown, bytes)?;
                        Input::is_snapshot(&document).map(|()| document)
                    };
                    out.sort(&shown, path, parse, |_, document| documents.push(document));
                }
                if !documents.is_empty() {
                    match Input::of_snapshots(&folder.display().to_string(), documents) {
                        Ok(input) => out.input = Some(input),
                        Err(error) => out.errors.push(error),
                    }
                }
            }
        }
        out
    }
}

impl Read {
    /// Reads and parses one file and puts it where it belongs.
    fn sort<T>(
        &mut self,
        shown: &str,
        path: &Path,
        parse: impl FnOnce(Vec<u8>) -> Result<T, InputError>,
        take: impl FnOnce(&mut Read, T),
    ) {
        let bytes = match file::read(path) {
            Ok(bytes) => bytes,
            Err(e) if e.code == ErrorCode::TooLarge => return self.skipped.push(shown.to_string()),
            Err(e) => return self.errors.push(e),
        };
        let speaks_of_tools = mentions_tools(&bytes);
        match parse(bytes) {
            Ok(value) => take(self, value),
            // Nobody can say whether bytes that are no text hold a listing, as of a compressed one.
            Err(e) if e.code == ErrorCode::Unreadable => self.errors.push(e),
            // A listing that is broken must not pass for a file without tools.
            Err(e) if speaks_of_tools && matches!(e.code, ErrorCode::NotJson | ErrorCode::TooLarge) => {
                self.errors.push(e);
            }
            Err(_) => self.skipped.push(shown.to_string()),
        }
    }
}

/// Whether bytes that may be no JSON speak of tool schemas.
fn mentions_tools(bytes: &[u8]) -> bool {
    ["\"inputSchema\"", "\"input_schema\"", "\"tools\""]
        .iter()
        .any(|word| bytes.windows(word.len()).any(|w| w == word.as_bytes()))
}

/// The error for a folder without listings.
pub(super) fn nothing(folder: &Path, skipped: &[String]) -> InputError {
    let message = match skipped.len() {
        0 => "the folder has no *.json, *.jsonl or *.snap file".to_string(),
        1 => "the only JSON file of the folder lists no tools".to_string(),
        n => format!("none of the {n} JSON files of the folder lists tools"),
    };
    InputError::new(ErrorCode::NoTools, message)
        .at(folder.display().to_string())
        .help("Nothing was checked. Hidden folders and node_modules are left out; name a file to see why it is skipped.")
}

fn too_large(what: &str) -> InputError {
    InputError::new(ErrorCode::TooLarge, format!("the folder {what}"))
        .help("Name the files, or a folder that holds only listings.")
}

fn unreadable(path: &Path, error: &std::io::Error) -> InputError {
    InputError::new(ErrorCode::Unreadable, format!("the folder cannot be read: {error}"))
        .at(path.display().to_string())
}
