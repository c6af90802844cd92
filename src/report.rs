//! Findings → reports for people, programs and CI. Report types are apart from the internal ones: a format
//! is stable, the code behind it is not.

pub mod answers;
pub mod diff;
pub mod excerpt;
pub mod gate;
pub mod github;
pub mod grade;
pub mod hidden;
pub mod html;
pub mod human;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod path;
pub mod probe;
pub mod replay;
pub mod sarif;
pub mod screen;

use crate::error::InputError;
use crate::finding::{Finding, Severity};
use crate::lint::{LintedFile, LintedManifest};
use human::Look;

/// A format of the lint report. A new one is a file below, and a line in each place here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Human,
    Json,
    Sarif,
    Junit,
    Github,
    Markdown,
    Html,
}

/// What a report needs to know beyond the findings.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'s> {
    /// For the format that people read on a screen.
    pub look: Look,
    /// The folder that the paths of the report are relative to, absolute; empty: as they are.
    pub base: &'s str,
    /// The severity from which the run fails; `None`: never.
    pub fails_from: Option<Severity>,
}

impl Format {
    pub const ALL: [Format; 7] = [
        Format::Human,
        Format::Json,
        Format::Sarif,
        Format::Junit,
        Format::Github,
        Format::Markdown,
        Format::Html,
    ];

    /// As `--format` takes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::Human => "human",
            Format::Json => "json",
            Format::Sarif => "sarif",
            Format::Junit => "junit",
            Format::Github => "github",
            Format::Markdown => "markdown",
            Format::Html => "html",
        }
    }

    /// The report of `files`; `errors` are inputs that could not be judged, or not wholly.
    #[must_use]
    pub fn render(self, files: &[LintedFile], errors: &[InputError], setting: Setting<'_>) -> String {
        match self {
            Format::Human => human::render(files, errors, setting.look),
            Format::Json => json::render(files, errors),
            Format::Sarif => sarif::render(files, errors, setting.base),
            Format::Junit => junit::render(files, errors, setting),
            Format::Github => github::render(files, errors, setting.base),
            Format::Markdown => markdown::render(files, errors),
            Format::Html => html::lint(files, errors),
        }
    }
}

/// Every finding with where it stands.
fn findings(files: &[LintedFile]) -> impl Iterator<Item = (&LintedFile, &LintedManifest, &Finding)> {
    files.iter().flat_map(|file| {
        file.manifests.iter().flat_map(move |m| m.findings.iter().map(move |finding| (file, m, finding)))
    })
}

/// The file that a finding stands in.
fn file_of<'f>(file: &'f LintedFile, manifest: &'f LintedManifest, finding: &Finding) -> &'f str {
    file.document(manifest, finding).map_or(manifest.path.as_str(), |d| d.path.as_str())
}
