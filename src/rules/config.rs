//! MCP-CONFIG-*: what is wrong with verity.yaml and the baseline. No manifest shows it: `suppress` finds it
//! once everything was judged.

use super::{Rule, RuleInfo};
use crate::finding::{Confidence, Impact, Severity};

struct OfConfig(&'static RuleInfo);

impl Rule for OfConfig {
    fn info(&self) -> &'static RuleInfo {
        self.0
    }
}

/// For lists of rules, and so that their severities can be set.
pub static RULES: &[&dyn Rule] = &[&OfConfig(&EXPIRED), &OfConfig(&UNUSED), &OfConfig(&STALE)];

const NO_EXAMPLE: &str = "";

pub static EXPIRED: RuleInfo = RuleInfo {
    id: "MCP-CONFIG-IGNORE-EXPIRED",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Constraint,
    summary: "an ignore whose last day is over",
    rationale: "An ignore with `expires` is a promise to look again. After that day it suppresses nothing: what it \
        covered counts again, and verity says where the entry stands.",
    help: "Repair what was ignored and delete the entry, or give it a new day and say why",
    bad: NO_EXAMPLE,
    good: NO_EXAMPLE,
    sources: &["verity.yaml, `ignores`"],
};

pub static UNUSED: RuleInfo = RuleInfo {
    id: "MCP-CONFIG-IGNORE-UNUSED",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Constraint,
    summary: "an ignore that suppresses nothing",
    rationale: "What it covered is repaired, or its rule, tool or pointer was never right. Left in place it would \
        silence a later finding that nobody has looked at.",
    help: "Delete the entry, or correct its rule, tool or pointer",
    bad: NO_EXAMPLE,
    good: NO_EXAMPLE,
    sources: &["verity.yaml, `ignores`"],
};

pub static STALE: RuleInfo = RuleInfo {
    id: "MCP-CONFIG-BASELINE-STALE",
    severity: Severity::Info,
    confidence: Confidence::High,
    impact: Impact::Constraint,
    summary: "an entry of the baseline that no longer occurs",
    rationale: "The finding was repaired, or its tool is gone. The baseline can only shrink by being written anew; \
        until then the same finding could come back unseen.",
    help: "Write the baseline anew with --write-baseline",
    bad: NO_EXAMPLE,
    good: NO_EXAMPLE,
    sources: &["verity lint --baseline"],
};
