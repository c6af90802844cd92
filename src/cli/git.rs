//! A file as it was in a revision: `git:REV:path`. The one place that starts a program, which is `git`; it is told
//! nothing but what the user typed, through no shell, and to fetch nothing. A build without `live` starts not even that.

use crate::error::{ErrorCode, InputError};
use std::path::Path;

/// The bytes of `git:REV:path` in the repository of `folder`, or of here; `None` for what is no such name.
pub(super) fn read(typed: &str, folder: Option<&Path>) -> Option<Result<Vec<u8>, InputError>> {
    let name = typed.strip_prefix("git:")?;
    Some(parts(name).and_then(|(revision, path)| show(revision, path, folder)).map_err(|e| e.at(typed)))
}

/// Revision and path.
fn parts(name: &str) -> Result<(&str, &str), InputError> {
    let usage = |message: &str| {
        Err(InputError::new(ErrorCode::Usage, message)
            .help("Write git:REV:path, such as git:v1.2.0:tools.json or git:HEAD~1:./tools.json."))
    };
    let Some((revision, path)) = name.split_once(':') else {
        return usage("the revision has no path");
    };
    // What begins with a dash would be an option to git; it is told that there are none, too.
    let is_odd = |c: char| c.is_control() || c.is_whitespace();
    if revision.is_empty() || revision.starts_with('-') || revision.contains(is_odd) {
        return usage("this is no revision");
    }
    if path.is_empty() || path.contains(char::is_control) {
        return usage("the revision has no path");
    }
    Ok((revision, path))
}

#[cfg(not(feature = "live"))]
fn show(revision: &str, path: &str, _folder: Option<&Path>) -> Result<Vec<u8>, InputError> {
    let message = "this build of verity starts no program, and so no git";
    let help = format!("Write the file down first: git show {revision}:{path} > old.json");
    Err(InputError::new(ErrorCode::Usage, message).help(help))
}

#[cfg(feature = "live")]
use run::show;

#[cfg(feature = "live")]
mod run {
    use crate::error::{ErrorCode, InputError, cut};
    use crate::source::{self, MAX_BYTES};
    use std::io::{ErrorKind, Read};
    use std::path::Path;
    use std::process::{Command, Stdio};

    pub(super) fn show(revision: &str, path: &str, folder: Option<&Path>) -> Result<Vec<u8>, InputError> {
        // `cat-file blob` runs no filter and no textconv program; without lazy fetches it opens no connection.
        let child = Command::new("git")
            .current_dir(folder.filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new(".")))
            .args(["--no-pager", "cat-file", "blob"])
            .arg(format!("{revision}:{path}"))
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.map_err(|e| match e.kind() {
            ErrorKind::NotFound => {
                InputError::new(ErrorCode::Unreadable, "there is no `git` to read the revision with")
            }
            _ => InputError::new(ErrorCode::Unreadable, format!("git cannot be started: {e}")),
        })?;
        let mut bytes = Vec::new();
        let limit = MAX_BYTES as u64 + 1;
        let read = child.stdout.take().map(|out| out.take(limit).read_to_end(&mut bytes));
        if bytes.len() > MAX_BYTES {
            let _ = child.kill();
            let _ = child.wait();
            return Err(source::too_large());
        }
        let out = child.wait_with_output();
        match (read, out) {
            (Some(Ok(_)), Ok(out)) if out.status.success() => Ok(bytes),
            (_, Ok(out)) => Err(refused(&String::from_utf8_lossy(&out.stderr))),
            (_, Err(e)) => Err(InputError::new(ErrorCode::Unreadable, format!("git did not answer: {e}"))),
        }
    }

    fn refused(said: &str) -> InputError {
        let line = said.lines().find(|l| !l.trim().is_empty()).unwrap_or("nothing").trim();
        let line = line.trim_start_matches("fatal: ");
        InputError::new(ErrorCode::Unreadable, format!("git has no such file: {}", cut(line))).help(
            "Look at the revision (`git log`, `git tag`) and the path: it counts from the top of the repository; begin it with \
             ./ to count from here. A shallow clone has no old revisions.",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(parts("v1.2:a/b.json").unwrap(), ("v1.2", "a/b.json"));
        assert_eq!(parts("HEAD~1:./a:b.json").unwrap(), ("HEAD~1", "./a:b.json"));
        for bad in ["", "HEAD", ":a", "--output=x:a", "a b:c", "HEAD:", "a\nb:c", "HEAD:a\u{1b}"] {
            assert_eq!(parts(bad).unwrap_err().code, ErrorCode::Usage, "{bad}");
        }
        assert!(read("tools.json", None).is_none());
    }
}
