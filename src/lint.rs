//! Inputs → findings: run the rules on every manifest, place what they found in the file, sort.

use crate::bounds;
use crate::error::{ErrorCode, InputError};
use crate::finding::{Finding, Part, Severity, Span};
use crate::fingerprint;
use crate::manifest::{Completeness, Input, Manifest, Revision, Tool};
use crate::profile::{Profile, Profiles};
use crate::rules::compat::{self, Compat};
use crate::rules::{self, ManifestView, Rule};
use crate::source::Document;
use crate::text::reveal::{self, Revealed};
use crate::threads;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What to look for.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Revisions of the specification to judge by; empty: what the listing states, else the newest.
    pub revisions: Vec<Revision>,
    /// Clients by whose limits to judge as well.
    pub clients: Vec<&'static Profile>,
    /// Ids of the rules to run; empty: all.
    pub only: BTreeSet<&'static str>,
    /// Ids of rules to leave out.
    pub ignore: BTreeSet<&'static str>,
    /// Name of the server, where the listing does not state one (or states another).
    pub server_name: Option<String>,
    /// Take a listing that goes on elsewhere as it is: its finding is a warning.
    pub allow_incomplete: bool,
    /// Collect the texts that hide something from a person.
    pub show_hidden: bool,
}

/// A text that holds something which a person does not see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenText {
    /// `None` for texts of the listing itself, and of a tool without a name.
    pub tool: Option<String>,
    /// In the file's own JSON text.
    pub pointer: String,
    pub revealed: Revealed,
}

/// One input with what was found in it.
#[derive(Debug, Clone)]
pub struct LintedFile {
    /// Its text, for excerpts; a folder of snapshots has several.
    pub documents: Vec<Document>,
    /// One a server, in the order of the file.
    pub manifests: Vec<LintedManifest>,
}

impl LintedFile {
    /// The document in which a finding of `manifest` stands.
    #[must_use]
    pub fn document(&self, manifest: &LintedManifest, finding: &Finding) -> Option<&Document> {
        let tool = finding.tool_index().and_then(|i| manifest.tools.get(i));
        self.documents.get(tool.map_or(0, |t| t.document))
    }
}

/// A tool of a linted manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LintedTool {
    /// `None` for an entry without one.
    pub name: Option<String>,
    /// Which of the input's documents it stands in.
    pub document: usize,
    /// Where, if anything was found in it.
    pub span: Option<Span>,
}

/// The tools of one server, judged.
#[derive(Debug, Clone)]
pub struct LintedManifest {
    pub path: String,
    pub shape: &'static str,
    pub server: Option<String>,
    /// In listing order.
    pub tools: Vec<LintedTool>,
    pub digest: String,
    /// Revisions of the specification that it was judged by, oldest first.
    pub revisions: Vec<Revision>,
    /// Clients by whose limits it was judged.
    pub clients: Vec<&'static str>,
    pub completeness: Completeness,
    /// Why the listing has no schemas by design, if so: those were not judged.
    pub partial: Option<&'static str>,
    /// How many rules ran.
    pub rules: usize,
    pub notes: Vec<String>,
    /// Whether it was judged by calling its tools, not by its definitions.
    pub is_probe: bool,
    /// By position in the file, then rule id.
    pub findings: Vec<Finding>,
    /// With [`Options::show_hidden`], in document order.
    pub hidden: Vec<HiddenText>,
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

/// Lint every input; results stand in input order, whatever ran first.
///
/// # Errors
/// For an input that hits a bug in verity, which costs this one and not the others.
pub fn inputs(inputs: Vec<Input>, options: &Options) -> Vec<Result<LintedFile, InputError>> {
    let work = |input: Input| {
        let path = input.path.clone();
        catch_unwind(AssertUnwindSafe(|| lint_input(input, options))).map_err(|_| {
            InputError::new(ErrorCode::Internal, "this is a bug in verity; the file is not judged").at(path)
        })
    };
    let bytes: usize = inputs.iter().flat_map(|i| &i.documents).map(|d| d.text.len()).sum();
    match threads::pool(bytes) {
        Some(pool) => pool.install(|| inputs.into_par_iter().map(work).collect()),
        None => inputs.into_iter().map(work).collect(),
    }
}

/// Tools that one thread takes at a time, at least.
const TOOLS_AT_A_TIME: usize = 64;

fn lint_input(input: Input, options: &Options) -> LintedFile {
    let Input { mut documents, manifests, .. } = input;
    let manifests = manifests.into_iter().map(|m| lint(m, &documents, options)).collect();
    for document in &mut documents {
        // Only the text is needed from here on, and there may be thousands of files.
        document.segments = Vec::new();
    }
    LintedFile { documents, manifests }
}

/// Run the rules on one manifest of these documents.
#[must_use]
pub fn lint(mut manifest: Manifest, documents: &[Document], options: &Options) -> LintedManifest {
    if options.server_name.is_some() {
        manifest.server.clone_from(&options.server_name);
    }
    let revisions = match options.revisions.as_slice() {
        [] => vec![manifest.revision()],
        asked => asked.to_vec(),
    };
    let mut rules: Vec<&dyn Rule> = rules::core().filter(|r| options.wants(r.info().id)).collect();
    let limits = options.limits();
    let judged = rules.len() + limits.len();
    let mut findings = Vec::new();
    for (i, &revision) in revisions.iter().enumerate() {
        manifest.protocol = Some(revision);
        if i + 1 == revisions.len() {
            // The limits of clients do not ask for the revision: once is enough.
            rules.extend(limits.iter().map(|(rule, _)| *rule as &dyn Rule));
        }
        // Revision by revision: what two of them find in one place is one entry of a baseline.
        let mut found = run(&manifest, &rules);
        fingerprint::set(&manifest, &mut found);
        findings.append(&mut found);
    }
    for finding in &mut findings {
        if let Some(by) = limits.iter().find(|(rule, _)| rule.info().id == finding.rule).map(|(_, by)| *by) {
            finding.profile = Some(by.to_string());
        }
        if options.allow_incomplete && finding.rule == rules::list::TRUNCATED {
            finding.severity = Severity::Warning;
        }
    }
    let tools = place(&manifest, documents, &mut findings);
    if revisions.len() > 1 {
        findings.dedup();
    }
    let hidden = if options.show_hidden { hidden(&manifest, documents) } else { Vec::new() };
    LintedManifest {
        path: manifest.path,
        shape: manifest.shape,
        server: manifest.server,
        tools,
        digest: manifest.digest,
        revisions,
        clients: options.clients.iter().map(|c| c.name).collect(),
        completeness: manifest.completeness,
        partial: manifest.partial,
        rules: judged,
        notes: manifest.notes,
        is_probe: false,
        findings,
        hidden,
    }
}

/// Give every finding its place, and sort them by it; the tools, those with findings with their places.
fn place(manifest: &Manifest, documents: &[Document], findings: &mut [Finding]) -> Vec<LintedTool> {
    for finding in findings.iter_mut() {
        let document = documents.get(manifest.document_of(&finding.pointer));
        finding.span = document.and_then(|d| manifest.locate(d, &finding.pointer, &finding.part));
        finding.source_pointer = document.and_then(|d| manifest.source_pointer(d, &finding.pointer));
    }
    bounds::hold(findings);
    sort(findings, |f| manifest.document_of(&f.pointer));
    let mut tools: Vec<LintedTool> = manifest.tools.iter().map(LintedTool::of).collect();
    for index in findings.iter().filter_map(Finding::tool_index).collect::<BTreeSet<_>>() {
        if let Some(tool) = tools.get_mut(index) {
            let document = documents.get(tool.document);
            tool.span = document.and_then(|d| manifest.locate(d, &format!("/tools/{index}"), &Part::Value));
        }
    }
    tools
}

/// What was found by calling the tools of `manifest`, for the reports of findings.
#[must_use]
pub fn probed(manifest: Manifest, documents: Vec<Document>, mut findings: Vec<Finding>) -> LintedFile {
    let tools = place(&manifest, &documents, &mut findings);
    fingerprint::set(&manifest, &mut findings);
    let manifest = LintedManifest {
        tools,
        revisions: vec![manifest.revision()],
        path: manifest.path,
        shape: manifest.shape,
        server: manifest.server,
        digest: manifest.digest,
        clients: Vec::new(),
        completeness: manifest.completeness,
        partial: None,
        rules: rules::probe::RULES.len(),
        notes: manifest.notes,
        is_probe: true,
        findings,
        hidden: Vec::new(),
    };
    LintedFile { documents, manifests: vec![manifest] }
}

fn hidden(manifest: &Manifest, documents: &[Document]) -> Vec<HiddenText> {
    let view = ManifestView::new(manifest);
    let of_tools = view.tools().iter().flat_map(|t| t.surfaces().iter().map(|s| (t.tool.name(), s)));
    let all = view.surfaces().iter().map(|s| (None, s)).chain(of_tools);
    all.filter_map(|(tool, surface)| {
        let revealed = reveal::of(surface)?;
        let document = documents.get(manifest.document_of(&surface.pointer));
        let pointer = document.and_then(|d| manifest.source_pointer(d, &surface.pointer));
        let pointer = pointer.unwrap_or_else(|| surface.pointer.clone());
        Some(HiddenText { tool: tool.map(str::to_string), pointer, revealed })
    })
    .collect()
}

/// Every finding of every rule that holds for all clients, as [`rules::run`] has them; spans not yet set.
#[must_use]
pub(crate) fn find(manifest: &Manifest) -> Vec<Finding> {
    let mut findings = run(manifest, &rules::core().collect::<Vec<_>>());
    fingerprint::set(manifest, &mut findings);
    findings
}

/// What the rules find in one tool alone; spans not yet set.
#[must_use]
pub(crate) fn of_tool(manifest: &mut Manifest, index: usize, options: &Options) -> Vec<Finding> {
    let stated = manifest.protocol;
    let revisions = match options.revisions.as_slice() {
        [] => vec![manifest.revision()],
        asked => asked.to_vec(),
    };
    let core: Vec<&dyn Rule> = rules::core().filter(|r| options.wants(r.info().id)).collect();
    let limits = options.limits();
    let mut findings = Vec::new();
    for revision in revisions {
        manifest.protocol = Some(revision);
        findings.append(&mut rules::run_on_tools(&ManifestView::new(manifest), &core, index..index + 1));
    }
    let limits: Vec<&dyn Rule> = limits.iter().map(|(rule, _)| *rule as &dyn Rule).collect();
    findings.append(&mut rules::run_on_tools(&ManifestView::new(manifest), &limits, index..index + 1));
    manifest.protocol = stated;
    findings
}

/// All findings; the tools of a long listing are shared among the threads of the pool that runs this.
fn run(manifest: &Manifest, rules: &[&dyn Rule]) -> Vec<Finding> {
    let view = ManifestView::new(manifest);
    let mut findings = rules::run_on_listing(&view, rules);
    let tools = manifest.tools.len();
    if !threads::is_in_pool() || tools < 2 * TOOLS_AT_A_TIME {
        findings.append(&mut rules::run_on_tools(&view, rules, 0..tools));
        return findings;
    }
    // Each part has a view of its own, which costs a little for every tool: few parts, not small ones.
    let at_a_time = TOOLS_AT_A_TIME.max(tools / (4 * rayon::current_num_threads()));
    let starts: Vec<usize> = (0..tools).step_by(at_a_time).collect();
    let lint_part = |start| {
        let part = start..tools.min(start + at_a_time);
        rules::run_on_tools(&ManifestView::new(manifest), rules, part)
    };
    let parts: Vec<Vec<Finding>> = starts.into_par_iter().map(lint_part).collect();
    findings.extend(parts.into_iter().flatten());
    findings
}

impl LintedTool {
    fn of(tool: &Tool) -> LintedTool {
        LintedTool { name: tool.name().map(str::to_string), document: tool.origin.document, span: None }
    }
}

impl Options {
    /// The limits to judge by, each with the client by whose wish: those of the profiles, and those that
    /// were asked for by their ids.
    fn limits(&self) -> Vec<(&'static Compat, &'static str)> {
        let profiles = Profiles { revisions: Vec::new(), clients: self.clients.clone() };
        let mut limits: Vec<(&'static Compat, &'static str)> = Vec::new();
        for (profile, by) in profiles.effective() {
            limits.extend(
                compat::of(profile).into_iter().filter(|r| self.wants(r.limit.rule)).map(|r| (r, by)),
            );
        }
        if self.only.iter().any(|id| id.starts_with("MCP-COMPAT-")) {
            let asked =
                compat::all().filter(|r| self.only.contains(r.limit.rule) && self.wants(r.limit.rule));
            for rule in asked {
                if limits.iter().all(|(r, _)| r.limit.rule != rule.limit.rule) {
                    limits.push((rule, rule.profile.name));
                }
            }
        }
        limits
    }

    fn wants(&self, rule: &str) -> bool {
        (self.only.is_empty() || self.only.contains(rule)) && !self.ignore.contains(rule)
    }
}

/// By file, position in it, then rule id; what has no place comes last. The rest of the key makes the
/// order total, so that equal findings stand side by side.
fn sort(findings: &mut [Finding], document: impl Fn(&Finding) -> usize) {
    findings.sort_by(|a, b| {
        let key = |f: &Finding| (document(f), f.span.map_or((usize::MAX, 0), |s| (s.offset, s.length)));
        key(a)
            .cmp(&key(b))
            .then_with(|| a.rule.cmp(&b.rule))
            .then_with(|| a.pointer.cmp(&b.pointer))
            .then_with(|| a.message.cmp(&b.message))
            .then_with(|| a.fingerprint.cmp(&b.fingerprint))
    });
}
