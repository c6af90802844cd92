//! `lint --format json`, as `schemas/lint-report.schema.json` describes it. The types here are the
//! format: version 1 only gains members.

use crate::bounds;
use crate::error::InputError;
use crate::finding::{Confidence, Finding, Impact, Severity, Span};
use crate::fix::Attempt;
use crate::lint::{LintedFile, LintedManifest};
use crate::rules::{self, fix::Fixer};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;

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
    /// What became of each finding that has a repair; with `--fix` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixes: Option<Vec<Repair<'a>>>,
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
    pub tool: Option<Cow<'a, str>>,
    pub profile: Option<&'a str>,
    pub pointer: &'a str,
    /// Of the same place in the JSON text of the file in which `span` stands.
    pub source_pointer: Option<&'a str>,
    pub span: Option<Span>,
    /// The file of `span`, where `path` of the manifest is a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'a str>,
    pub message: &'a str,
    pub evidence: Option<&'a str>,
    pub witness: Option<&'a Value>,
    pub impact: Impact,
    pub help: &'a str,
    /// The repair that `--fix` tries, and keeps only where it is proven that nothing else changes.
    pub fix: Option<Fix>,
    pub fingerprint: &'a str,
    pub suppressed: Option<&'a str>,
}

/// A mechanical repair.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Fix {
    /// `equal` (the same is accepted) or `repair` (the schema was no valid one).
    pub kind: &'static str,
    /// In the imperative: "delete the repeated value".
    pub does: &'static str,
}

/// What became of a finding that has a repair.
#[derive(Debug, Serialize)]
pub struct Repair<'a> {
    pub rule: &'a str,
    pub tool: Option<&'a str>,
    /// The file that the tool stands in.
    pub path: &'a str,
    /// In the listing as it was.
    pub pointer: &'a str,
    #[serde(flatten)]
    pub fix: Fix,
    /// `fixed`, `would-fix` (with `--diff`) or `left`.
    pub outcome: &'static str,
    /// Why it is left.
    pub reason: Option<&'a str>,
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

/// As [`render`], with what became of the repairs; `is_trial`: nothing was written.
#[must_use]
pub fn render_fixed(
    files: &[LintedFile],
    errors: &[InputError],
    attempts: &[Attempt],
    is_trial: bool,
) -> String {
    if files.is_empty() {
        return render(files, errors);
    }
    let repair = |attempt| Repair::of(attempt, is_trial);
    let report = Report { fixes: Some(attempts.iter().map(repair).collect()), ..report(files, errors) };
    serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"
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
    let known = fixers();
    Report {
        schema_version: SCHEMA_VERSION,
        verity: env!("CARGO_PKG_VERSION"),
        profiles: revisions.into_iter().map(|r| format!("mcp-{}", r.as_str())).chain(clients).collect(),
        manifests: manifests().map(|(file, m)| Manifest::of(file, m, &known)).collect(),
        summary: Summary::of(files),
        fixes: None,
        errors: Errors::of(errors),
    }
}

/// The report of a run that judged nothing, without a final line feed.
#[must_use]
pub fn failure(errors: &[InputError]) -> String {
    let failure = Failure { schema_version: SCHEMA_VERSION, errors: Errors::of(errors) };
    serde_json::to_string_pretty(&failure).unwrap_or_default()
}

/// Repairs by the ids of their rules.
type Fixers = BTreeMap<&'static str, Fix>;

fn fixers() -> Fixers {
    rules::all().filter_map(|rule| Some((rule.info().id, Fix::of(rule.fixer()?)))).collect()
}

impl Fix {
    fn of(fixer: Fixer) -> Fix {
        Fix { kind: fixer.kind.name(), does: fixer.does }
    }
}

impl<'a> Repair<'a> {
    fn of(attempt: &'a Attempt, is_trial: bool) -> Repair<'a> {
        let finding = &attempt.finding;
        let outcome = match (&attempt.outcome, is_trial) {
            (Ok(()), false) => "fixed",
            (Ok(()), true) => "would-fix",
            (Err(_), _) => "left",
        };
        Repair {
            rule: &finding.rule,
            tool: finding.tool.as_deref(),
            path: &attempt.path,
            pointer: bounds::pointer(&finding.pointer),
            fix: Fix::of(attempt.fixer),
            outcome,
            reason: attempt.outcome.as_ref().err().map(String::as_str),
        }
    }
}

impl<'a> Manifest<'a> {
    fn of(file: &'a LintedFile, linted: &'a LintedManifest, known: &Fixers) -> Self {
        let of_file = |f| {
            let path = file.document(linted, f).map(|d| d.path.as_str());
            ReportedFinding::of(f, path.filter(|path| *path != linted.path), known)
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
    fn of(finding: &'a Finding, file: Option<&'a str>, known: &Fixers) -> Self {
        ReportedFinding {
            rule: &finding.rule,
            severity: finding.severity,
            confidence: finding.confidence,
            tool: finding.tool.as_deref().map(bounds::name),
            profile: finding.profile.as_deref(),
            pointer: bounds::pointer(&finding.pointer),
            source_pointer: finding.source_pointer.as_deref().map(bounds::pointer),
            span: finding.span,
            file,
            message: &finding.message,
            evidence: finding.evidence.as_deref(),
            witness: finding.witness.as_ref(),
            impact: finding.impact,
            help: &finding.help,
            fix: known.get(finding.rule.as_str()).copied(),
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
