//! The rules. A rule is one file: its [`RuleInfo`] holds the one text from which the docs page, the
//! SARIF rule and `verity explain` come, its hooks see a prepared view and emit symbolic findings.
//! To add a rule, write its file and add one line to its family's `RULES`.
//!
//! Rules are pure: no IO, no clock, no randomness, no global state.

pub mod annotation;
pub mod compat;
pub mod config;
pub mod diff;
pub mod list;
pub mod name;
pub mod poison;
pub mod probe;
pub mod schema;
pub mod tool;
pub mod usage;
pub mod vacuous;

pub mod fix;
pub mod page;
pub mod say;
mod sink;
#[cfg(test)]
pub(crate) mod testing;
mod view;

pub use sink::Sink;
pub use view::{ManifestView, SchemaSite, ToolView};

use crate::finding::{Confidence, Finding, Impact, Severity};
use crate::manifest::Manifest;
use fix::Fixer;
use std::borrow::Cow;
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
    /// A manifest (JSON) on which the rule fires; see [`Rule::examples`].
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

    /// A manifest (JSON) on which the rule fires, and the same, repaired: those of its [`RuleInfo`], unless the rule
    /// makes them of data when they are asked for, as pages and tests do and a run of lint does not.
    fn examples(&self) -> (Cow<'static, str>, Cow<'static, str>) {
        (self.info().bad.into(), self.info().good.into())
    }

    /// The mechanical repair of its findings, where there is one.
    fn fixer(&self) -> Option<Fixer> {
        None
    }

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

/// The rules that hold for every client, in registry order.
pub fn core() -> impl Iterator<Item = &'static dyn Rule> {
    FAMILIES.iter().flat_map(|family| family.iter().copied())
}

/// Every rule, in registry order: those for every client, the limits of each client, those about the
/// configuration, those about two releases, those about a live server.
pub fn all() -> impl Iterator<Item = &'static dyn Rule> {
    let limits = compat::all().map(|rule| rule as &dyn Rule);
    let elsewhere = [config::RULES, diff::RULES, probe::RULES];
    core().chain(limits).chain(elsewhere.into_iter().flatten().copied())
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

/// Every finding of every rule that holds for all clients on `manifest`, in the order listing, tools, families; spans not yet set.
#[must_use]
pub fn run(manifest: &Manifest) -> Vec<Finding> {
    run_rules(manifest, core())
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
        findings.append(&mut sink.into_findings());
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
            let mut sink = Sink::for_tool(rule.info(), tool);
            rule.tool(tool, view, &mut sink);
            for site in tool.schemas() {
                rule.schema(site, tool, &mut sink);
            }
            findings.append(&mut sink.into_findings());
        }
    }
    findings
}
