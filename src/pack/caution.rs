//! What a pack must not replace: files of others, repositories, the manifest, what a link hides.

use super::marker;
use super::write::{Files, entries, own_text};
use crate::error::{ErrorCode, InputError};
use std::fs;
use std::path::{Path, PathBuf};

/// Who may be in the way of a replacement.
#[derive(Debug, Clone, Default)]
pub struct Caution {
    /// Replace a folder that holds files which verity did not write.
    pub force: bool,
    /// Files that must not be in the folder even then: the manifest itself.
    pub protected: Vec<PathBuf>,
}

/// A link may be replaced *through*, as a pack's folder may well live elsewhere, but not by force: what
/// --force deletes is what its user sees at the path, and a link does not show it.
pub(super) fn check_link(target: &Path, real: Option<&Path>, caution: &Caution) -> Result<(), InputError> {
    // `link/` would be what the link leads to.
    let plain: PathBuf = target.components().collect();
    let is_link = fs::symlink_metadata(plain).is_ok_and(|m| m.file_type().is_symlink());
    let refuse = |message: String, help: &str| {
        Err(InputError::new(ErrorCode::Output, message).at(target.display().to_string()).help(help))
    };
    match real {
        _ if !is_link => Ok(()),
        None => {
            refuse("the link leads nowhere".to_string(), "Delete the link, or name another folder with -o.")
        }
        Some(real) if caution.force => refuse(
            format!("--force does not delete through a link, and this one leads to {}", real.display()),
            "Name that folder itself with -o if all in it may go.",
        ),
        Some(_) => Ok(()),
    }
}

pub(super) fn check_replaceable(
    target: &Path,
    real: &Path,
    files: &Files,
    caution: &Caution,
) -> Result<(), InputError> {
    let refuse = |message: &str, help: &str| {
        Err(InputError::new(ErrorCode::Output, message).at(target.display().to_string()).help(help))
    };
    if !real.is_dir() {
        return refuse(
            "a file is in the way: a pack is a folder, and this is a file",
            "Name a folder with -o, or move the file.",
        );
    }
    let all = entries(real)?;
    if std::env::current_dir().and_then(fs::canonicalize).is_ok_and(|here| here.starts_with(real)) {
        return refuse(
            "the pack would replace the folder you are in",
            "Change to the folder above, or name another folder with -o.",
        );
    }
    let foreign: Vec<&str> = all
        .iter()
        .filter(|(name, path)| !is_own_name(name) || !own_text(path).is_some_and(|t| marker::is_ours(&t)))
        // A file that is just what would be written is nobody's loss.
        .filter(|(name, path)| files.get(name).is_none_or(|text| own_text(path).as_ref() != Some(text)))
        .map(|(name, _)| name.as_str())
        .collect();
    if foreign.is_empty() {
        return Ok(());
    }
    let is_protected = |p: &PathBuf| fs::canonicalize(p).is_ok_and(|p| p.starts_with(real));
    if foreign.contains(&".git") || caution.protected.iter().any(is_protected) {
        return refuse(
            "the folder holds a repository or the manifest itself, and a pack replaces its whole folder",
            "Name a folder of its own with -o.",
        );
    }
    if caution.force {
        return Ok(());
    }
    let named = foreign.iter().take(3).copied().collect::<Vec<_>>().join(", ");
    let more = if foreign.len() > 3 { format!(" and {} more", foreign.len() - 3) } else { String::new() };
    refuse(
        &format!(
            "the folder holds files that verity did not write, or that were edited since: {named}{more}"
        ),
        "Name another folder with -o, or replace all that is in this one with --force.",
    )
}

fn is_own_name(name: &str) -> bool {
    name == "README.md" || name.strip_suffix(".yaml").is_some_and(super::names::is_safe)
}
