//! For the unit tests of rules: a manifest built by hand, one rule run on it.

use super::{Rule, run_rules};
use crate::finding::{Finding, Severity};
use crate::manifest::{Manifest, Revision};
use serde_json::Value;

/// A manifest of `tools` that states no revision.
pub fn manifest(tools: &Value) -> Manifest {
    let tools = tools.as_array().cloned().unwrap_or_else(|| vec![tools.clone()]);
    Manifest { path: "tools.json".into(), ..Manifest::of_tools(tools) }
}

/// What `rule` says of `tools` (an array of tools, or one tool).
pub fn check(rule: &dyn Rule, tools: &Value) -> Vec<Finding> {
    run_rules(&manifest(tools), [rule])
}

/// As [`check`], in a listing that states `revision`.
pub fn check_in(rule: &dyn Rule, revision: Revision, tools: &Value) -> Vec<Finding> {
    let mut manifest = manifest(tools);
    manifest.protocol = Some(revision);
    run_rules(&manifest, [rule])
}

/// Pointer and severity of each finding, the part that most tests are about.
pub fn places(findings: &[Finding]) -> Vec<(&str, Severity)> {
    findings.iter().map(|f| (f.pointer.as_str(), f.severity)).collect()
}
