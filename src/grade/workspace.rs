//! The files of a task, in memory.

use std::collections::BTreeMap;

/// Texts by path; every path is relative, with `/`, without `.` and `..`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Workspace {
    files: BTreeMap<String, String>,
}

/// Why a path cannot be in a workspace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    #[error("the path is empty")]
    Empty,
    #[error("the path leaves the workspace")]
    Leaves,
    #[error("the path names a folder")]
    Folder,
}

impl Workspace {
    /// The text at `path`, if there is such a file.
    ///
    /// # Errors
    /// See [`PathError`].
    pub fn get(&self, path: &str) -> Result<Option<&str>, PathError> {
        Ok(self.files.get(&normal(path)?).map(String::as_str))
    }

    /// Create or overwrite a file.
    ///
    /// # Errors
    /// See [`PathError`]; `Folder` where a file is in the way of the folder or the other way round.
    pub fn put(&mut self, path: &str, text: String) -> Result<(), PathError> {
        let path = normal(path)?;
        let below = format!("{path}/");
        let is_folder = self.files.range(below.clone()..).next().is_some_and(|(p, _)| p.starts_with(&below));
        let mut above = path.as_str();
        while let Some((parent, _)) = above.rsplit_once('/') {
            if self.files.contains_key(parent) {
                return Err(PathError::Folder);
            }
            above = parent;
        }
        if is_folder {
            return Err(PathError::Folder);
        }
        self.files.insert(path, text);
        Ok(())
    }

    /// Whether `path` is a file or a folder with files.
    ///
    /// # Errors
    /// See [`PathError`].
    pub fn exists(&self, path: &str) -> Result<bool, PathError> {
        let path = match normal(path) {
            Err(PathError::Folder) => return Ok(true),
            other => other?,
        };
        let below = format!("{path}/");
        let folder = self.files.range(below.clone()..).next().is_some_and(|(p, _)| p.starts_with(&below));
        Ok(folder || self.files.contains_key(&path))
    }
}

/// `path` with `.`, `..` and doubled slashes resolved.
fn normal(path: &str) -> Result<String, PathError> {
    if path.trim().is_empty() {
        return Err(PathError::Empty);
    }
    let is_drive =
        path.as_bytes().get(1) == Some(&b':') && path.starts_with(|c: char| c.is_ascii_alphabetic());
    if path.starts_with(['/', '\\']) || is_drive || path.contains('\0') {
        return Err(PathError::Leaves);
    }
    let mut parts: Vec<&str> = Vec::new();
    // A backslash separates on Windows: what leaves the workspace on one platform is refused on all.
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop().ok_or(PathError::Leaves)?;
            }
            part => parts.push(part),
        }
    }
    if parts.is_empty() { Err(PathError::Folder) } else { Ok(parts.join("/")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside() {
        for path in ["/etc/passwd", "../x", "a/../../x", "\\x", "C:\\x", "a\\..\\..\\x", "", " "] {
            assert!(Workspace::default().put(path, String::new()).is_err(), "{path:?}");
        }
        let mut files = Workspace::default();
        files.put("./a//b/../call.json", "{}".into()).unwrap();
        assert_eq!(files.get("a/call.json").unwrap(), Some("{}"));
        assert!(files.exists("a").unwrap() && !files.exists("b").unwrap());
        assert_eq!(files.put("a", String::new()), Err(PathError::Folder));
        assert_eq!(files.put("a/call.json/x", String::new()), Err(PathError::Folder));
    }
}
