//! `--summary`: a report as Markdown, added to the step's summary on GitHub.

use super::output::{self, Output};
use super::{Shared, out};
use crate::error::InputError;
use std::path::PathBuf;

/// `--summary[=FILE]` as a command takes it.
#[derive(clap::Args, Debug)]
pub(super) struct Summary {
    /// Append the report as Markdown to the file that $GITHUB_STEP_SUMMARY names, or to this one.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    summary: Option<Option<PathBuf>>,
}

impl Summary {
    /// The file that is added to, open, if one was asked for. `read` and `outputs` are other files of this run.
    ///
    /// # Errors
    /// It is one of those, or nothing can be added there.
    pub fn open<F>(
        &self,
        shared: &Shared,
        read: &[PathBuf],
        outputs: &[Output<F>],
    ) -> Result<Option<out::Appended>, InputError> {
        let Some(asked) = &self.summary else { return Ok(None) };
        let stated = || std::env::var_os("GITHUB_STEP_SUMMARY").filter(|v| !v.is_empty()).map(PathBuf::from);
        match asked.clone().or_else(stated) {
            Some(file) => {
                output::stands_alone(&file, read, outputs)?;
                out::Appended::open(&file).map(Some)
            }
            None => {
                out::note(
                    shared,
                    "GITHUB_STEP_SUMMARY is not set, so no summary is written; --summary=FILE names a file",
                );
                Ok(None)
            }
        }
    }
}
