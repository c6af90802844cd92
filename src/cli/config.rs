//! Which `verity.yaml` holds, and what it says.

use super::{Shared, input};
pub(crate) use crate::config::FailOn;
use crate::config::{self, Config, FILE, MAX_BYTES};
use crate::error::{ErrorCode, InputError};
use crate::finding::Finding;
use crate::profile::{self, Profile, Profiles};
use crate::rules;
use crate::suppress::{Baseline, Suppressor};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A name that people try.
const OTHER: &str = "verity.yml";

/// The configuration of this run, with the folder that its paths start from.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub config: Config,
    /// The file as messages name it; `None` where there is none.
    pub file: Option<PathBuf>,
}

impl Found {
    /// The file's name, for messages.
    pub fn name(&self) -> String {
        self.file.as_deref().unwrap_or(Path::new(FILE)).display().to_string()
    }

    /// What suppresses by the ignores and this baseline.
    pub fn suppressor<'c>(
        &'c self,
        baseline: Option<&'c (Baseline, String)>,
        today: &'c str,
    ) -> Suppressor<'c> {
        Suppressor::new(&self.config.ignores, baseline.map(|(b, _)| b), today)
    }

    /// A path of the configuration, seen from here.
    pub fn path(&self, written: &str) -> PathBuf {
        match self.file.as_deref().and_then(Path::parent) {
            Some(folder) if folder != Path::new("") => folder.join(written),
            _ => PathBuf::from(written),
        }
    }

    /// A released listing that the configuration names, seen from here: revisions of git are no paths.
    pub fn release(&self, written: &str) -> String {
        match written.starts_with("git:") || written == "-" {
            true => written.to_string(),
            false => self.path(written).display().to_string(),
        }
    }

    /// The profiles of the command line, else those of the configuration.
    ///
    /// # Errors
    /// A name that is no profile, a profile file that cannot be read or is none.
    pub fn profiles(&self, typed: &[String]) -> Result<Profiles, InputError> {
        let mut profiles = Profiles::default();
        if typed.is_empty() {
            for name in &self.config.profiles {
                add_profile(&mut profiles, name, &self.path(name))?;
            }
        }
        for name in typed.iter().map(|n| n.trim()) {
            add_profile(&mut profiles, name, Path::new(name))?;
        }
        Ok(profiles)
    }

    /// The baseline of the command line, else that of the configuration, with its name.
    ///
    /// # Errors
    /// It is missing or no baseline.
    pub fn baseline(&self, typed: Option<&Path>) -> Result<Option<(Baseline, String)>, InputError> {
        let path = match (typed, &self.config.baseline) {
            (Some(path), _) => path.to_path_buf(),
            (None, Some(written)) => self.path(written),
            (None, None) => return Ok(None),
        };
        let name = path.display().to_string();
        let help = "`verity lint --write-baseline FILE` writes one from the findings of today.";
        let text = read(&path, 64 << 20).map_err(|e| e.help(help))?;
        match Baseline::parse(&text) {
            Ok(baseline) => Ok(Some((baseline, name))),
            Err(message) => Err(InputError::new(ErrorCode::Usage, message).at(name).help(help)),
        }
    }

    /// The severities of one's own.
    pub fn set_severities<'f>(&self, findings: impl IntoIterator<Item = &'f mut Finding>) {
        if self.config.severities.is_empty() {
            return;
        }
        for finding in findings {
            // The last entry that fits holds, so that a pattern can come first and its exceptions after it.
            let own =
                self.config.severities.iter().rev().find(|(rule, _)| config::matches(rule, &finding.rule));
            if let Some((_, severity)) = own {
                finding.severity = *severity;
            }
        }
    }
}

/// Adds the profile of that name, or of one's own in the file at `path` where the name is one of a file.
///
/// # Errors
/// There is none of that name, or the file is no profile.
pub(super) fn add_profile(profiles: &mut Profiles, name: &str, path: &Path) -> Result<(), InputError> {
    match is_file(name) {
        true => own_profile(path).map(|own| profiles.add_client(own)),
        false => profiles.add(name).map_err(|e| InputError::new(ErrorCode::Usage, e)),
    }
}

fn is_file(profile: &str) -> bool {
    profile.ends_with(".yaml") || profile.ends_with(".yml") || profile.contains(['/', '\\'])
}

/// The configuration that `--config` names, else the nearest `verity.yaml` from here upwards.
///
/// # Errors
/// A named file that cannot be read; what is wrong in the file, with its place.
pub(crate) fn find(shared: &Shared) -> Result<Found, InputError> {
    let file = match &shared.config {
        Some(file) => file.clone(),
        None => match nearest() {
            Some(file) => file,
            None => {
                if Path::new(OTHER).is_file() {
                    super::out::note(
                        shared,
                        &format!("{OTHER} is not read: the configuration's name is {FILE}"),
                    );
                }
                return Ok(Found::default());
            }
        },
    };
    let text = read(&file, MAX_BYTES)?;
    let ids: Vec<&'static str> = rules::all().map(|r| r.info().id).collect();
    match config::parse(&text, &ids) {
        Ok(config) => Ok(Found { config, file: Some(file) }),
        Err(e) => Err(InputError::new(ErrorCode::Usage, e.message)
            .at(file.display().to_string())
            .line_column(e.line, e.column)),
    }
}

/// `verity.yaml` here, or in the nearest folder above that has one; written as a person would from here.
fn nearest() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let mut way = PathBuf::new();
    for folder in here.ancestors() {
        // A link that leads nowhere, or a folder of that name, is an error when it is read, not no configuration.
        if folder.join(FILE).symlink_metadata().is_ok() {
            return Some(way.join(FILE));
        }
        way.push("..");
    }
    None
}

fn read(path: &Path, most: u64) -> Result<String, InputError> {
    let fail =
        |message: String| InputError::new(ErrorCode::Unreadable, message).at(path.display().to_string());
    let mut bytes = Vec::new();
    let unreadable = |e: std::io::Error| input::unreadable(&e).at(path.display().to_string());
    let file = File::open(path).map_err(unreadable)?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > most {
        return Err(fail(format!("the file is larger than {} MiB", most >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| fail("the file is not UTF-8".to_string()))
}

/// A profile of the user's own.
fn own_profile(path: &Path) -> Result<&'static Profile, InputError> {
    let name = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
    let fail = |message: String| InputError::new(ErrorCode::Usage, message).at(path.display().to_string());
    if profile::client(name).is_some() {
        return Err(fail(
            "the profile has the name of one that comes with verity; call it otherwise".to_string(),
        ));
    }
    match profile::load(name, &read(path, MAX_BYTES)?) {
        Ok(profile) => Ok(Box::leak(Box::new(profile))),
        Err(e) => Err(fail(e.message).line_column(e.line, e.column)),
    }
}
