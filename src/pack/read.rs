//! Packs from disk: any folder of task files, also one that verity did not write.

use crate::error::{ErrorCode, InputError};
use crate::yaml;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders below a pack are searched this deep for task files that no runner would run.
const MAX_DEPTH: usize = 8;
/// Task files in one pack.
const MAX_FILES: usize = 100_000;

/// One task file: its path as shown, and its text or why there is none.
#[derive(Debug, Clone)]
pub struct TaskFile {
    pub path: String,
    /// File name without its extension.
    pub stem: String,
    pub text: Result<String, String>,
    /// In a folder below the pack's: `task validate` of the runner reads it, its `task test` does not.
    pub is_nested: bool,
}

/// A folder with task files.
#[derive(Debug, Clone)]
pub struct PackFolder {
    pub path: String,
    pub files: Vec<TaskFile>,
}

/// The pack at `path`; where a folder has no task files of its own, the packs in its folders.
///
/// # Errors
/// `Unreadable`, or `NotAPack` where there is no task file.
pub fn packs(path: &Path) -> Result<Vec<PackFolder>, InputError> {
    let shown = path.display().to_string();
    let metadata = fs::metadata(path).map_err(|e| {
        InputError::new(ErrorCode::Unreadable, e.to_string()).at(&shown).help("Name a pack's folder.")
    })?;
    if metadata.is_file() {
        let files = vec![task_file(path, false)];
        return Ok(vec![PackFolder { path: shown, files }]);
    }
    let (files, folders) = list(path)?;
    if !files.is_empty() {
        return Ok(vec![pack(path, files, &folders)?]);
    }
    let mut packs = Vec::new();
    for folder in &folders {
        let (files, below) = list(folder)?;
        if !files.is_empty() {
            packs.push(pack(folder, files, &below)?);
        }
    }
    if packs.is_empty() {
        let message = "no task files (*.yaml, *.yml) in it or in the folders in it";
        return Err(InputError::new(ErrorCode::NotAPack, message)
            .at(&shown)
            .help("Export a pack first: verity agent-tasks tools.json -o FOLDER"));
    }
    Ok(packs)
}

fn pack(folder: &Path, files: Vec<PathBuf>, below: &[PathBuf]) -> Result<PackFolder, InputError> {
    let mut all: Vec<TaskFile> = files.iter().map(|p| task_file(p, false)).collect();
    let mut open: Vec<(PathBuf, usize)> = below.iter().map(|p| (p.clone(), 1)).collect();
    while let Some((folder, depth)) = open.pop() {
        let (files, below) = list(&folder)?;
        all.extend(files.iter().map(|p| task_file(p, true)));
        if depth < MAX_DEPTH && all.len() < MAX_FILES {
            open.extend(below.into_iter().map(|p| (p, depth + 1)));
        }
    }
    all.sort_by(|a, b| (a.is_nested, &a.path).cmp(&(b.is_nested, &b.path)));
    Ok(PackFolder { path: folder.display().to_string(), files: all })
}

/// Task files and folders in `folder`, sorted; hidden folders and links to folders are passed over.
fn list(folder: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>), InputError> {
    let unreadable = |e: &std::io::Error| {
        InputError::new(ErrorCode::Unreadable, e.to_string()).at(folder.display().to_string())
    };
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder).map_err(|e| unreadable(&e))? {
        let entry = entry.map_err(|e| unreadable(&e))?;
        let kind = entry.file_type().map_err(|e| unreadable(&e))?;
        let path = entry.path();
        let is_task = path.extension().is_some_and(|e| e == "yaml" || e == "yml");
        if kind.is_dir() {
            if !entry.file_name().to_string_lossy().starts_with('.') {
                folders.push(path);
            }
        } else if is_task && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    files.truncate(MAX_FILES);
    folders.sort();
    Ok((files, folders))
}

fn task_file(path: &Path, is_nested: bool) -> TaskFile {
    let size = fs::metadata(path).map(|m| m.len());
    let text = match size {
        Ok(size) if size > yaml::MAX_BYTES as u64 => {
            Err(format!("{size} bytes are more than verity reads of one task"))
        }
        Ok(_) => fs::read(path).map_err(|e| e.to_string()).and_then(|bytes| {
            String::from_utf8(bytes)
                .map_err(|e| format!("not UTF-8 at byte {}", e.utf8_error().valid_up_to()))
        }),
        Err(e) => Err(e.to_string()),
    };
    TaskFile {
        path: path.display().to_string(),
        stem: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        text,
        is_nested,
    }
}
