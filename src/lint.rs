//! Documents → findings: run the rules on every manifest, place what they found in the file, sort.

use crate::error::{ErrorCode, InputError};
use crate::finding::{Finding, Severity};
use crate::manifest::{self, Completeness, Manifest, Revision};
use crate::rules;
use crate::source::Document;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Schemas nest, and the crates that judge them recurse; the bounds on depth are set for this stack.
pub const STACK_BYTES: usize = 256 << 20;

/// What to look for.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Revisions of the specification to judge by; empty: what the listing states, else the newest.
    pub revisions: Vec<Revision>,
    /// Ids of the rules to run; empty: all.
    pub only: BTreeSet<&'static str>,
    /// Ids of rules to leave out.
    pub ignore: BTreeSet<&'static str>,
    /// Name of the server, where the listing does not state one (or states another).
    pub server_name: Option<String>,
}

/// One input file with what was found in it.
#[derive(Debug)]
pub struct LintedFile {
    /// Its text, for excerpts.
    pub document: Document,
    /// One a server, in the order of the file.
    pub manifests: Vec<LintedManifest>,
}

/// The tools of one server, judged.
#[derive(Debug)]
pub struct LintedManifest {
    pub path: String,
    pub shape: &'static str,
    pub server: Option<String>,
    /// Names of the tools in listing order; `None` for an entry without one.
    pub tools: Vec<Option<String>>,
    pub digest: String,
    /// Revisions of the specification that it was judged by, oldest first.
    pub revisions: Vec<Revision>,
    pub completeness: Completeness,
    pub notes: Vec<String>,
    /// By position in the file, then rule id.
    pub findings: Vec<Finding>,
}

impl LintedManifest {
    /// How many findings of `severity` are not suppressed.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|f| f.suppressed.is_none() && f.severity == severity).count()
    }

    /// How many findings are suppressed.
    #[must_use]
    pub fn suppressed(&self) -> usize {
        self.findings.iter().filter(|f| f.suppressed.is_some()).count()
    }
}

/// Lint every document; results stand in input order, whatever ran first.
///
/// # Errors
/// For each document by itself: it is no manifest, holds no tools, or hits a bug in verity (which
/// costs this document, not the others).
pub fn documents(documents: Vec<Document>, options: &Options) -> Vec<Result<LintedFile, InputError>> {
    in_parallel(documents, |document| {
        let path = document.path.clone();
        catch_unwind(AssertUnwindSafe(|| lint_document(document, options))).unwrap_or_else(|_| {
            Err(InputError::new(ErrorCode::Internal, "this is a bug in verity; the file is not judged")
                .at(path))
        })
    })
}

fn lint_document(document: Document, options: &Options) -> Result<LintedFile, InputError> {
    let manifests = manifest::read(&document)?;
    let manifests = manifests.into_iter().map(|m| lint(m, &document, options)).collect();
    Ok(LintedFile { document, manifests })
}

/// `work` on every item, on threads with a stack as deep as the main thread's; results in order.
fn in_parallel<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    // Deep stacks take address space; many threads gain little on many small files.
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len()).min(16);
    if threads > 1
        && let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build()
    {
        return pool.install(|| items.into_par_iter().map(work).collect());
    }
    items.into_iter().map(work).collect()
}

/// Run the rules on one manifest of `document`.
#[must_use]
pub fn lint(mut manifest: Manifest, document: &Document, options: &Options) -> LintedManifest {
    if options.server_name.is_some() {
        manifest.server.clone_from(&options.server_name);
    }
    let revisions = match options.revisions.as_slice() {
        [] => vec![manifest.revision()],
        asked => asked.to_vec(),
    };
    let mut findings = Vec::new();
    for &revision in &revisions {
        manifest.protocol = Some(revision);
        findings.extend(rules::run(&manifest).into_iter().filter(|f| options.wants(&f.rule)));
    }
    for finding in &mut findings {
        finding.span = manifest.locate(document, &finding.pointer, &finding.part);
    }
    sort(&mut findings);
    if revisions.len() > 1 {
        findings.dedup();
    }
    LintedManifest {
        path: manifest.path,
        shape: manifest.shape,
        server: manifest.server,
        tools: manifest.tools.iter().map(|t| t.name().map(str::to_string)).collect(),
        digest: manifest.digest,
        revisions,
        completeness: manifest.completeness,
        notes: manifest.notes,
        findings,
    }
}

impl Options {
    fn wants(&self, rule: &str) -> bool {
        (self.only.is_empty() || self.only.contains(rule)) && !self.ignore.contains(rule)
    }
}

/// By position in the file, then rule id; what has no place comes last. The rest of the key makes
/// the order total, so that equal findings stand side by side.
fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        let key = |f: &Finding| f.span.map_or((usize::MAX, 0), |s| (s.offset, s.length));
        key(a)
            .cmp(&key(b))
            .then_with(|| a.rule.cmp(&b.rule))
            .then_with(|| a.pointer.cmp(&b.pointer))
            .then_with(|| a.message.cmp(&b.message))
    });
}
