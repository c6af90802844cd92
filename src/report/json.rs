//! `lint --format json`, as `schemas/lint-report.schema.json` describes it. The types here are the
//! format: version 1 only gains members.

use crate::error::InputError;
use crate::finding::{Confidence, Finding, Impact, Severity, Span};
use crate::lint::{LintedFile, LintedManifest};
use serde::Serialize;
use serde_json::Value;

/// The version of the format.
pub const SCHEMA_VERSION: u32 = 1;

/// The whole report.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    pub schema_version: u32,
    pub verity: &'static str,
    /// What was judged by, such as `mcp-2026-07-28`.
    pub profiles: Vec<String>,
    pub manifests: Vec<Manifest<'a>>,
    pub summary: Summary,
    /// What could not be judged, or not wholly: the run ends with exit code 2.
    #[serde(flatten)]
    pub errors: Errors<'a>,
}

/// The report of a run that judged nothing.
#[derive(Debug, Serialize)]
pub struct Failure<'a> {
    pub schema_version: u32,
    #[serde(flatten)]
    pub errors: Errors<'a>,
}

/// Errors in the input.
#[derive(Debug, Default, Serialize)]
pub struct Errors<'a> {
    /// The first, if there is any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'a InputError>,
    /// All, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<&'a [InputError]>,
}

impl<'a> Errors<'a> {
    fn of(errors: &'a [InputError]) -> Self {
        Errors { error: errors.first(), errors: Some(errors).filter(|all| all.len() > 1) }
    }
}

/// The tools of one server.
#[derive(Debug, Serialize)]
pub struct Manifest<'a> {
    pub path: &'a str,
    pub shape: &'a str,
    pub server: Option<&'a str>,
    pub tool_count: usize,
    pub digest: &'a str,
    pub findings: Vec<ReportedFinding<'a>>,
    pub suppressed: usize,
}

#[derive(Debug, Serialize)]
pub struct ReportedFinding<'a> {
    pub rule: &'a str,
    pub severity: Severity,
    pub confidence: Confidence,
    pub tool: Option<&'a str>,
    pub profile: Option<&'a str>,
    pub pointer: &'a str,
    pub span: Option<Span>,
    /// The file of `span`, where `path` of the manifest is a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'a str>,
    pub message: &'a str,
    pub evidence: Option<&'a str>,
    pub witness: Option<&'a Value>,
    pub impact: Impact,
    pub help: &'a str,
    pub fingerprint: &'a str,
    pub suppressed: Option<&'a str>,
}

/// Findings that count, by severity, and those that do not.
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    pub error: usize,
    pub warning: usize,
    pub info: usize,
    pub suppressed: usize,
}

/// The report as JSON text with a final line feed.
#[must_use]
pub fn render(files: &[LintedFile], errors: &[InputError]) -> String {
    let mut text = match files {
        [] if !errors.is_empty() => failure(errors),
        _ => serde_json::to_string_pretty(&report(files, errors)).unwrap_or_default(),
    };
    text.push('\n');
    text
}

/// The report of `files`.
#[must_use]
pub fn report<'a>(files: &'a [LintedFile], errors: &'a [InputError]) -> Report<'a> {
    let manifests = || files.iter().flat_map(|f| f.manifests.iter().map(move |m| (f, m)));
    let mut revisions: Vec<_> = manifests().flat_map(|(_, m)| m.revisions.iter().copied()).collect();
    revisions.sort_unstable();
    revisions.dedup();
    let clients =
        manifests().next().into_iter().flat_map(|(_, m)| m.clients.iter().map(|c| (*c).to_string()));
    Report {
        schema_version: SCHEMA_VERSION,
        verity: env!("CARGO_PKG_VERSION"),
        profiles: revisions.into_iter().map(|r| format!("mcp-{}", r.as_str())).chain(clients).collect(),
        manifests: manifests().map(|(file, m)| Manifest::of(file, m)).collect(),
        summary: Summary::of(files),
        errors: Errors::of(errors),
    }
}

/// The report of a run that judged nothing, without a final line feed.
#[must_use]
pub fn failure(errors: &[InputError]) -> String {
    let failure = Failure { schema_version: SCHEMA_VERSION, errors: Errors::of(errors) };
    serde_json::to_string_pretty(&failure).unwrap_or_default()
}

impl<'a> Manifest<'a> {
    fn of(file: &'a LintedFile, linted: &'a LintedManifest) -> Self {
        let of_file = |f| {
            let path = file.document(linted, f).map(|d| d.path.as_str());
            ReportedFinding::of(f, path.filter(|path| *path != linted.path))
        };
        Manifest {
            path: &linted.path,
            shape: linted.shape,
            server: linted.server.as_deref(),
            tool_count: linted.tools.len(),
            digest: &linted.digest,
            findings: linted.findings.iter().map(of_file).collect(),
            suppressed: linted.suppressed(),
        }
    }
}

impl<'a> ReportedFinding<'a> {
    fn of(finding: &'a Finding, file: Option<&'a str>) -> Self {
        ReportedFinding {
            rule: &finding.rule,
            severity: finding.severity,
            confidence: finding.confidence,
            tool: finding.tool.as_deref(),
            profile: finding.profile.as_deref(),
            pointer: &finding.pointer,
            span: finding.span,
            file,
            message: &finding.message,
            evidence: finding.evidence.as_deref(),
            witness: finding.witness.as_ref(),
            impact: finding.impact,
            help: &finding.help,
            fingerprint: &finding.fingerprint,
            suppressed: finding.suppressed.as_deref(),
        }
    }
}

impl Summary {
    /// The counts over all manifests of `files`.
    #[must_use]
    pub fn of(files: &[LintedFile]) -> Summary {
        let mut sum = Summary::default();
        for manifest in files.iter().flat_map(|f| &f.manifests) {
            sum.error += manifest.count(Severity::Error);
            sum.warning += manifest.count(Severity::Warning);
            sum.info += manifest.count(Severity::Info);
            sum.suppressed += manifest.suppressed();
        }
        sum
    }
}
