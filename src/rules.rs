//! The rules. A rule is one file: its [`RuleInfo`] holds the one text from which the docs page, the
//! SARIF rule and `verity explain` come, its hooks see a prepared view and emit symbolic findings.
//! To add a rule, write its file and add one line to its family's `RULES`.
//!
//! Rules are pure: no IO, no clock, no randomness, no global state.

pub mod annotation;
pub mod list;
pub mod name;
pub mod poison;
pub mod schema;
pub mod tool;
pub mod usage;
pub mod vacuous;

pub mod page;
pub mod say;
#[cfg(test)]
pub(crate) mod testing;
mod view;

pub use view::{ManifestView, SchemaSite, ToolView};

use crate::finding::{Confidence, Finding, Impact, Part, Severity};
use crate::manifest::Manifest;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::ops::Range;

/// Everything there is to say about a rule.
#[derive(Debug)]
pub struct RuleInfo {
    /// `MCP-<FAMILY>-<NAME>`, stable for ever.
    pub id: &'static str,
    pub severity: Severity,
    pub confidence: Confidence,
    pub impact: Impact,
    /// One line: what is wrong, without a full stop.
    pub summary: &'static str,
    /// Markdown: why it hurts, and how the rule decides.
    pub rationale: &'static str,
    /// What to do about a finding: the `help` of every finding.
    pub help: &'static str,
    /// A manifest (JSON) on which the rule fires.
    pub bad: &'static str,
    /// The same, repaired: the rule is quiet.
    pub good: &'static str,
    /// Where the rule comes from: spec section, issue, paper.
    pub sources: &'static [&'static str],
}

impl RuleInfo {
    /// `POISON` of `MCP-POISON-INSTRUCTION`.
    #[must_use]
    pub fn family(&self) -> &'static str {
        self.id.split('-').nth(1).unwrap_or("")
    }
}

/// A rule implements the narrowest hook it needs; every hook is called once for what it names.
pub trait Rule: Sync {
    fn info(&self) -> &'static RuleInfo;

    /// The listing as a whole.
    fn manifest(&self, _manifest: &ManifestView<'_>, _out: &mut Sink<'_>) {}

    /// One tool.
    fn tool(&self, _tool: &ToolView<'_>, _manifest: &ManifestView<'_>, _out: &mut Sink<'_>) {}

    /// One schema of a tool (input or output) that is an object or a boolean.
    fn schema(&self, _site: &SchemaSite<'_>, _tool: &ToolView<'_>, _out: &mut Sink<'_>) {}
}

/// All families, in report order.
static FAMILIES: &[&[&dyn Rule]] = &[
    list::RULES,
    tool::RULES,
    name::RULES,
    schema::RULES,
    vacuous::RULES,
    usage::RULES,
    annotation::RULES,
    poison::RULES,
];

/// Every rule, in registry order.
pub fn all() -> impl Iterator<Item = &'static dyn Rule> {
    FAMILIES.iter().flat_map(|family| family.iter().copied())
}

/// The names of the families (`LIST`, `TOOL`, …) that have rules, in registry order.
#[must_use]
pub fn families() -> Vec<&'static str> {
    let mut families: Vec<&'static str> = Vec::new();
    for rule in all() {
        if !families.contains(&rule.info().family()) {
            families.push(rule.info().family());
        }
    }
    families
}

/// The rule with this id (any case), if there is one.
#[must_use]
pub fn find(id: &str) -> Option<&'static dyn Rule> {
    all().find(|r| r.info().id.eq_ignore_ascii_case(id))
}

/// Where a rule puts its findings.
pub struct Sink<'i> {
    info: &'i RuleInfo,
    tool: Option<String>,
    findings: Vec<Finding>,
}

impl<'i> Sink<'i> {
    /// A sink for findings of the rule `info`.
    #[must_use]
    pub fn new(info: &'i RuleInfo) -> Sink<'i> {
        Sink { info, tool: None, findings: Vec::new() }
    }

    /// What was emitted.
    #[must_use]
    pub fn into_findings(self) -> Vec<Finding> {
        self.findings
    }

    /// Emit a finding of this rule at `pointer` (in the normalised listing); the returned finding
    /// can be refined: `out.emit(p, "…").evidence = Some(…)`.
    pub fn emit(&mut self, pointer: impl Into<String>, message: impl Into<String>) -> &mut Finding {
        let pointer = pointer.into();
        let fingerprint = fingerprint(self.info.id, self.tool.as_deref(), &pointer);
        self.findings.push(Finding {
            rule: self.info.id.to_string(),
            severity: self.info.severity,
            confidence: self.info.confidence,
            tool: self.tool.clone(),
            profile: None,
            pointer,
            part: Part::Value,
            span: None,
            message: message.into(),
            evidence: None,
            witness: None,
            impact: self.info.impact,
            help: self.info.help.to_string(),
            fingerprint,
            suppressed: None,
        });
        let last = self.findings.len() - 1;
        #[allow(clippy::indexing_slicing)] // pushed the line before
        &mut self.findings[last]
    }

    /// As [`Sink::emit`], for a rule that looks at the whole listing and finds something in one tool.
    pub fn emit_for(
        &mut self,
        tool: &ToolView<'_>,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> &mut Finding {
        let before = std::mem::replace(&mut self.tool, tool.tool.name().map(str::to_string));
        self.emit(pointer, message);
        self.tool = before;
        let last = self.findings.len() - 1;
        #[allow(clippy::indexing_slicing)] // emitted three lines above
        &mut self.findings[last]
    }

    /// The finding that was emitted last.
    pub fn last_mut(&mut self) -> Option<&mut Finding> {
        self.findings.last_mut()
    }

    /// As [`Sink::emit`], with a witness: an argument object that shows the defect.
    pub fn emit_with_witness(
        &mut self,
        pointer: impl Into<String>,
        message: impl Into<String>,
        witness: Option<Value>,
    ) -> &mut Finding {
        let finding = self.emit(pointer, message);
        finding.witness = witness;
        finding
    }
}

/// Digest of rule, tool name and schema pointer. Array positions of the tool do not enter it, so a
/// baseline survives reordering.
fn fingerprint(rule: &str, tool: Option<&str>, pointer: &str) -> String {
    let mut below = pointer;
    if let (Some(_), Some(rest)) = (tool, pointer.strip_prefix("/tools/")) {
        below = rest.find('/').map_or("", |at| rest.get(at..).unwrap_or(""));
    }
    let mut hash = Sha256::new();
    for part in [rule, tool.unwrap_or(""), below] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    hash.finalize().iter().take(16).map(|b| format!("{b:02x}")).collect()
}

/// Every finding of every rule on `manifest`, in the order listing, tools, families; spans not yet set.
#[must_use]
pub fn run(manifest: &Manifest) -> Vec<Finding> {
    run_rules(manifest, all())
}

/// As [`run`], of these rules only, each on its own sink: no rule sees what another one found.
pub fn run_rules<'r>(manifest: &Manifest, rules: impl IntoIterator<Item = &'r dyn Rule>) -> Vec<Finding> {
    let rules: Vec<&dyn Rule> = rules.into_iter().collect();
    let view = ManifestView::new(manifest);
    let mut findings = run_on_listing(&view, &rules);
    findings.append(&mut run_on_tools(&view, &rules, 0..manifest.tools.len()));
    findings
}

/// What `rules` find in the listing as a whole.
#[must_use]
pub fn run_on_listing(view: &ManifestView<'_>, rules: &[&dyn Rule]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in rules {
        let mut sink = Sink::new(rule.info());
        rule.manifest(view, &mut sink);
        findings.append(&mut sink.findings);
    }
    findings
}

/// What `rules` find in the tools at these positions: a long listing is linted in parts, each with a
/// view of its own.
#[must_use]
pub fn run_on_tools(view: &ManifestView<'_>, rules: &[&dyn Rule], at: Range<usize>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for tool in view.tools().get(at).unwrap_or_default() {
        for rule in rules {
            let mut sink = Sink::new(rule.info());
            sink.tool = tool.tool.name().map(str::to_string);
            rule.tool(tool, view, &mut sink);
            for site in tool.schemas() {
                rule.schema(site, tool, &mut sink);
            }
            findings.append(&mut sink.findings);
        }
    }
    findings
}
