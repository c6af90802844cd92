//! Folders that appear whole or not at all: made beside their place, and renamed into it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A folder that nobody takes for a result, with the permissions of any new folder.
pub(crate) fn hidden_folder(parent: &Path) -> io::Result<tempfile::TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".verity-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    builder.tempdir_in(parent)
}

/// Put `staged` at `place`. A folder cannot be renamed over one that is not empty, so what is there
/// steps aside first, comes back if the second step fails, and is removed at the end.
pub(crate) fn swap(place: &Path, staged: tempfile::TempDir, is_there: bool, parent: &Path) -> io::Result<()> {
    let mut aside = None;
    if is_there {
        let folder = hidden_folder(parent)?;
        let old = folder.path().join("old");
        fs::rename(place, &old)?;
        aside = Some((folder, old));
    }
    if let Err(e) = fs::rename(staged.path(), place) {
        if let Some((folder, old)) = aside
            && fs::rename(&old, place).is_err()
        {
            // Better a stray folder than a lost one.
            let _ = folder.keep();
        }
        return Err(e);
    }
    let _ = staged.keep();
    Ok(())
}

/// The folders above a target; those that had to be made are removed again unless kept.
pub(crate) struct Parents {
    pub(crate) folder: PathBuf,
    made: Vec<PathBuf>,
}

impl Parents {
    /// The folders above `target`, made where they are not there yet.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn create(target: &Path) -> io::Result<Parents> {
        let folder = match target.parent() {
            Some(p) if !p.as_os_str().is_empty() => p.to_path_buf(),
            _ => PathBuf::from("."),
        };
        let mut made: Vec<PathBuf> = folder
            .ancestors()
            .take_while(|p| !p.as_os_str().is_empty() && !p.exists())
            .map(Path::to_path_buf)
            .collect();
        made.reverse();
        let parents = Parents { folder, made };
        fs::create_dir_all(&parents.folder)?;
        Ok(parents)
    }

    /// What was made stays.
    pub(crate) fn keep(mut self) {
        self.made.clear();
    }
}

impl Drop for Parents {
    fn drop(&mut self) {
        for folder in self.made.iter().rev() {
            // Fails, rightly, where somebody else has put something in.
            let _ = fs::remove_dir(folder);
        }
    }
}
