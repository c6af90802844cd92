//! Findings → human text and JSON. Report types are apart from the internal ones: a format is stable,
//! the code behind it is not.

pub mod excerpt;
pub mod human;
pub mod json;
pub mod screen;

use crate::error::InputError;
use crate::lint::LintedFile;
use human::Look;

/// A format of the lint report. A new one is a file below, and a line in each place here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Human,
    Json,
}

impl Format {
    pub const ALL: [Format; 2] = [Format::Human, Format::Json];

    /// As `--format` takes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::Human => "human",
            Format::Json => "json",
        }
    }

    /// The report of `files`; `errors` are inputs that could not be judged, or not wholly. The look is
    /// for people's formats alone.
    #[must_use]
    pub fn render(self, files: &[LintedFile], errors: &[InputError], look: Look) -> String {
        match self {
            Format::Human => human::render(files, errors, look),
            Format::Json => json::render(files, errors),
        }
    }
}
