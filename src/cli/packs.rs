//! Manifests → packs, as `agent-tasks` and `gate` both export them, so that the gate tests what will be written.

use super::config::Found;
use super::{interrupt, target};
use crate::finding::{Finding, Severity};
use crate::lint;
use crate::manifest::{Input, Manifest};
use crate::pack::export::{self, Context, Pack};
use crate::pack::names;
use crate::rules::list::TRUNCATED;
use crate::suppress::Baseline;
use std::path::{Path, PathBuf};

/// The seed that is taken where none is given.
pub(super) const SEED: &str = "verity";

/// How to export.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    /// Name of the pack; by default the manifest's file name.
    pub(super) name: Option<String>,
    pub(super) seed: String,
    pub(super) context: Context,
    pub(super) include_flagged: bool,
}

/// Every manifest with what the rules find in it. What a project has looked at and ignores, or has in its baseline,
/// does not block an export; it travels in the README. A listing that goes on is a warning where it was taken as it is.
pub(super) fn judged<'i>(
    inputs: &'i [Input],
    found: &Found,
    baseline: Option<&(Baseline, String)>,
    today: &str,
    allow_incomplete: bool,
) -> Vec<(&'i Manifest, Vec<Finding>)> {
    let mut suppressor = found.suppressor(baseline, today);
    let judge = |manifest: &'i Manifest| {
        let mut findings = lint::find(manifest);
        for finding in findings.iter_mut().filter(|f| allow_incomplete && f.rule == TRUNCATED) {
            finding.severity = Severity::Warning;
        }
        found.set_severities(findings.iter_mut());
        suppressor.apply(&mut findings);
        (manifest, findings)
    };
    inputs.iter().flat_map(|i| &i.manifests).map(judge).collect()
}

/// The findings that stop an export, each with its manifest.
pub(super) fn blocking<'j>(judged: &'j [(&'j Manifest, Vec<Finding>)]) -> Vec<(&'j Manifest, &'j Finding)> {
    let errors = |all: &'j [Finding]| all.iter().filter(|f| f.is_at_least(Severity::Error));
    judged.iter().flat_map(|(m, all)| errors(all).map(move |f| (*m, f))).collect()
}

/// A pack per manifest, in their order.
pub(super) fn export(inputs: &[Input], judged: &[(&Manifest, Vec<Finding>)], wanted: &Wanted) -> Vec<Pack> {
    let own: Vec<String> =
        inputs.iter().flat_map(|i| i.manifests.iter().map(move |m| name_of(i, m))).collect();
    let folders = names::make_unique(own.iter().map(String::as_str));
    let is_single = judged.len() == 1;
    let one = |((manifest, findings), folder): (&(&Manifest, Vec<Finding>), String)| {
        let pack = match &wanted.name {
            Some(name) if is_single => name.clone(),
            Some(name) => format!("{name}-{folder}"),
            None => folder,
        };
        let options = export::Options {
            pack,
            seed: wanted.seed.clone(),
            context: wanted.context,
            include_flagged: wanted.include_flagged,
        };
        export::export(manifest, findings, &options)
    };
    judged.iter().zip(folders).map(one).collect()
}

/// What a pack is called by itself: after its file, or after its server where a file has several.
fn name_of(input: &Input, manifest: &Manifest) -> String {
    let is_served = input.path == target::NAME;
    let server = manifest.server.clone().filter(|_| input.manifests.len() > 1 || is_served);
    let stem = || match Path::new(&input.path).file_stem() {
        Some(stem) if !matches!(input.path.as_str(), "<stdin>" | target::NAME) => {
            stem.to_string_lossy().into_owned()
        }
        _ => "tools".to_string(),
    };
    server.unwrap_or_else(stem)
}

/// `output` itself for the one pack, else a folder in it.
pub(super) fn place(output: &Path, pack: &Pack, is_only: bool) -> PathBuf {
    if is_only { output.to_path_buf() } else { output.join(&pack.name) }
}

/// Whether somebody has pressed Ctrl-C since the first pack began to be written. The second time ends
/// the process at once.
pub(super) fn interrupted() -> impl Fn() -> bool {
    let watch = interrupt::watch();
    move || {
        let _ = &watch; // lives as long as the question can be asked
        interrupt::is_asked()
    }
}
