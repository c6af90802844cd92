//! Packs onto disk: whole or not at all. The new folder is made beside the old one and takes its
//! place by renaming; whatever goes wrong before that leaves the old one as it was.

pub use super::caution::Caution;
use super::caution::{check_link, check_replaceable};
use crate::error::{ErrorCode, InputError, said_by_system};
use crate::staging::{Parents, hidden_folder, swap};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Larger files in a pack's folder are not ours, whatever they hold.
const MAX_OWN_BYTES: u64 = 64 << 20;

/// File names and texts of a pack.
pub type Files = BTreeMap<String, String>;

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    Created,
    Replaced,
    /// Every file was there already, byte for byte.
    Unchanged,
}

/// How a folder differs from the pack that belongs there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    Missing(String),
    Changed(String),
    /// A file (or folder) that the pack does not have.
    Extra(String),
}

/// Make `target` hold `files` and nothing else. `stop` is asked between files; when it says yes,
/// nothing is changed.
///
/// # Errors
/// `Output`: foreign files in the folder, a place that must not be replaced, a full or read-only disk,
/// an interruption. The folder is then as it was.
pub fn replace(
    target: &Path,
    files: &Files,
    caution: &Caution,
    stop: &dyn Fn() -> bool,
) -> Result<Written, InputError> {
    let real = fs::canonicalize(target).ok();
    check_link(target, real.as_deref(), caution)?;
    if let Some(real) = &real {
        check_replaceable(target, real, files, caution)?;
        if differences(real, files)?.is_empty() {
            return Ok(Written::Unchanged);
        }
    }
    let place = real.as_deref().unwrap_or(target);
    let parents = Parents::create(place).map_err(|e| no_parent(place, target, &e))?;
    let staged = stage(&parents.folder, files, stop).map_err(|e| e.at_target(target))?;
    swap(place, staged, real.is_some(), &parents.folder).map_err(|e| {
        failed(target, "cannot put the pack in place at", &e)
            .help("A pack replaces its folder whole; where that is a mount point, name a folder in it. Nothing was changed.")
    })?;
    parents.keep();
    Ok(if real.is_some() { Written::Replaced } else { Written::Created })
}

/// How `target` differs from `files`; line ends do not count (version control changes them).
///
/// # Errors
/// `Output` where the folder cannot be read. A folder that is not there lacks every file.
pub fn differences(target: &Path, files: &Files) -> Result<Vec<Difference>, InputError> {
    let mut found = Vec::new();
    let mut present: BTreeMap<String, PathBuf> = BTreeMap::new();
    if target.exists() {
        for entry in entries(target)? {
            present.insert(entry.0, entry.1);
        }
    }
    for (name, text) in files {
        match present.remove(name) {
            None => found.push(Difference::Missing(name.clone())),
            Some(path) if own_text(&path).is_some_and(|t| t.replace("\r\n", "\n") == *text) => {}
            Some(_) => found.push(Difference::Changed(name.clone())),
        }
    }
    found.extend(present.into_keys().map(Difference::Extra));
    Ok(found)
}

/// Names and paths in a folder, sorted.
pub(super) fn entries(folder: &Path) -> Result<Vec<(String, PathBuf)>, InputError> {
    let unreadable = |e: &io::Error| failed(folder, "cannot read", e);
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| unreadable(&e))? {
        let entry = entry.map_err(|e| unreadable(&e))?;
        all.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
    }
    all.sort();
    Ok(all)
}

/// The text of a regular file that is small enough to be one of ours.
pub(super) fn own_text(path: &Path) -> Option<String> {
    let metadata = fs::symlink_metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > MAX_OWN_BYTES {
        return None;
    }
    fs::read_to_string(path).ok()
}

/// Write the files into a new folder beside the target; dropping it removes it.
fn stage(parent: &Path, files: &Files, stop: &dyn Fn() -> bool) -> Result<tempfile::TempDir, StageError> {
    let staged = hidden_folder(parent).map_err(StageError::Io)?;
    for (name, text) in files {
        if stop() {
            return Err(StageError::Interrupted);
        }
        fs::write(staged.path().join(name), text).map_err(StageError::Io)?;
    }
    if stop() { Err(StageError::Interrupted) } else { Ok(staged) }
}

enum StageError {
    Interrupted,
    Io(io::Error),
}

impl StageError {
    fn at_target(self, target: &Path) -> InputError {
        match self {
            StageError::Io(e) => failed(target, "cannot write the pack beside", &e),
            StageError::Interrupted => InputError::new(ErrorCode::Output, "interrupted; nothing was written")
                .at(target.display().to_string()),
        }
    }
}

/// Why the folders above `place` cannot be made; most often one of them is a file.
fn no_parent(place: &Path, target: &Path, e: &io::Error) -> InputError {
    match place.ancestors().skip(1).find(|p| p.is_file()) {
        Some(file) => {
            let message = format!("{} is a file, so that no folder can be made in it", file.display());
            InputError::new(ErrorCode::Output, message)
                .at(target.display().to_string())
                .help("Name a folder with -o, or move the file. Nothing was changed.")
        }
        None => failed(target, "cannot create the folder for", e),
    }
}

fn failed(target: &Path, what: &str, e: &io::Error) -> InputError {
    InputError::new(ErrorCode::Output, format!("{what} {}: {}", target.display(), said_by_system(e)))
        .help("Check the disk's space and your permissions there; nothing was changed.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::marker;

    fn files(names: &[&str]) -> Files {
        names.iter().map(|n| (n.to_string(), marker::mark_yaml(&format!("name: {n}\n")))).collect()
    }

    fn go(target: &Path, names: &[&str], force: bool) -> Result<Written, InputError> {
        replace(target, &files(names), &Caution { force, protected: vec![] }, &|| false)
    }

    fn listing(folder: &Path) -> Vec<String> {
        entries(folder).unwrap().into_iter().map(|e| e.0).collect()
    }

    #[test]
    fn a_second_export_replaces_the_first_and_leaves_nothing_stale() {
        let root = tempfile::tempdir().unwrap();
        let target = root.path().join("packs/orders");
        assert_eq!(go(&target, &["a.yaml", "b.yaml"], false).unwrap(), Written::Created);
        assert_eq!(go(&target, &["a.yaml", "b.yaml"], false).unwrap(), Written::Unchanged);
        assert_eq!(go(&target, &["b.yaml", "c.yaml"], false).unwrap(), Written::Replaced);
        assert_eq!(listing(&target), ["b.yaml", "c.yaml"]);
        assert_eq!(listing(&root.path().join("packs")), ["orders"], "no temporary folder is left");
    }

    #[test]
    fn foreign_and_edited_files_are_not_touched_without_force() {
        let root = tempfile::tempdir().unwrap();
        let target = root.path().join("pack");
        go(&target, &["a.yaml"], false).unwrap();
        fs::write(target.join("notes.txt"), "mine").unwrap();
        let e = go(&target, &["b.yaml"], false).unwrap_err();
        assert!(e.message.contains("notes.txt"), "{e}");
        assert_eq!(listing(&target), ["a.yaml", "notes.txt"]);
        fs::remove_file(target.join("notes.txt")).unwrap();
        fs::write(target.join("a.yaml"), format!("{}edited: true\n", files(&["a.yaml"])["a.yaml"])).unwrap();
        assert!(go(&target, &["b.yaml"], false).unwrap_err().message.contains("a.yaml"));
        assert_eq!(go(&target, &["b.yaml"], true).unwrap(), Written::Replaced);
        assert_eq!(listing(&target), ["b.yaml"]);
    }

    #[test]
    fn even_force_spares_repositories_and_the_manifest() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("repo")).unwrap();
        fs::create_dir(root.path().join("repo/.git")).unwrap();
        assert!(go(&root.path().join("repo"), &["a.yaml"], true).is_err());
        let with_manifest = root.path().join("in");
        fs::create_dir(&with_manifest).unwrap();
        fs::write(with_manifest.join("tools.json"), "{}").unwrap();
        let caution = Caution { force: true, protected: vec![with_manifest.join("tools.json")] };
        assert!(replace(&with_manifest, &files(&["a.yaml"]), &caution, &|| false).is_err());
        assert_eq!(listing(&with_manifest), ["tools.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn force_deletes_nothing_through_a_link() {
        let root = tempfile::tempdir().unwrap();
        let (real, link) = (root.path().join("real"), root.path().join("link"));
        fs::create_dir(&real).unwrap();
        fs::write(real.join("notes.txt"), "mine").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        for path in [link.clone(), root.path().join("link/")] {
            let e = go(&path, &["a.yaml"], true).unwrap_err();
            assert!(e.message.contains("through a link") && e.message.contains("real"), "{e}");
        }
        assert_eq!(listing(&real), ["notes.txt"]);
        fs::remove_file(real.join("notes.txt")).unwrap();
        assert_eq!(go(&link, &["a.yaml"], false).unwrap(), Written::Replaced);
        assert!(link.is_symlink() && listing(&real) == ["a.yaml"], "the link stays");
        fs::remove_dir_all(&real).unwrap();
        assert!(go(&link, &["a.yaml"], false).unwrap_err().message.contains("leads nowhere"));
    }

    #[test]
    fn a_file_on_the_way_is_named() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("notes");
        fs::write(&file, "mine").unwrap();
        for below in ["notes/pack", "notes/a/pack"] {
            let e = go(&root.path().join(below), &["a.yaml"], true).unwrap_err();
            assert!(e.message.contains("notes is a file"), "{e}");
        }
        assert!(go(&file, &["a.yaml"], true).unwrap_err().message.contains("a file is in the way"));
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    }

    #[test]
    fn an_interruption_changes_nothing() {
        let root = tempfile::tempdir().unwrap();
        let target = root.path().join("new/pack");
        let asked = std::cell::Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() > 1
        };
        let e = replace(&target, &files(&["a.yaml", "b.yaml"]), &Caution::default(), &stop).unwrap_err();
        assert!(e.message.contains("interrupted"), "{e}");
        assert_eq!(listing(root.path()), Vec::<String>::new(), "the folder made for it is gone again");
    }

    #[test]
    fn a_failure_in_the_middle_changes_nothing() {
        let root = tempfile::tempdir().unwrap();
        let target = root.path().join("pack");
        go(&target, &["a.yaml"], false).unwrap();
        // A name that no file system takes stands for a disk that fills up.
        let mut broken = files(&["b.yaml"]);
        broken.insert("x".repeat(300), String::new());
        assert!(replace(&target, &broken, &Caution::default(), &|| false).is_err());
        assert_eq!(listing(&target), ["a.yaml"]);
        assert_eq!(listing(root.path()), ["pack"]);
    }

    #[cfg(unix)]
    #[test]
    fn the_message_about_a_folder_that_nobody_may_write_names_no_temporary_file() {
        // Not even an administrator makes a folder in /proc.
        if !Path::new("/proc/self").exists() {
            return;
        }
        let e = go(Path::new("/proc/pack"), &["a.yaml"], false).unwrap_err();
        assert!(e.message.starts_with("cannot write the pack beside /proc/pack: "), "{e}");
        assert!(!e.message.contains(".verity-"), "{e}");
    }

    #[test]
    fn differences_are_named() {
        let root = tempfile::tempdir().unwrap();
        let target = root.path().join("pack");
        go(&target, &["a.yaml", "b.yaml", "c.yaml"], false).unwrap();
        fs::write(target.join("a.yaml"), "edited").unwrap();
        fs::write(target.join("b.yaml"), files(&["b.yaml"])["b.yaml"].replace('\n', "\r\n")).unwrap();
        let found = differences(&target, &files(&["a.yaml", "b.yaml", "d.yaml"])).unwrap();
        assert_eq!(
            found,
            [
                Difference::Changed("a.yaml".into()),
                Difference::Missing("d.yaml".into()),
                Difference::Extra("c.yaml".into())
            ]
        );
        assert_eq!(differences(&root.path().join("none"), &files(&["a.yaml"])).unwrap().len(), 1);
    }
}
