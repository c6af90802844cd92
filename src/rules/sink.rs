//! Where a rule puts its findings.

use super::{RuleInfo, ToolView};
use crate::finding::{Finding, Part, Severity};
use serde_json::Value;

/// The most findings that one rule reports of one tool (or of the listing). A file of a few megabytes can break a
/// rule a million times; nobody reads more than these, and the last one says how many there were.
pub const MOST: usize = 200;

/// Takes the findings of one rule, for one tool or for the listing.
pub struct Sink<'i> {
    info: &'i RuleInfo,
    tool: Option<String>,
    findings: Vec<Finding>,
    /// Findings kept and left out for the tool at hand.
    kept: usize,
    left_out: usize,
    /// Severity of the gravest that was left out: it must not be lost.
    gravest: Option<Severity>,
}

impl<'i> Sink<'i> {
    /// A sink for what the rule `info` finds in the listing.
    #[must_use]
    pub fn new(info: &'i RuleInfo) -> Sink<'i> {
        Sink { info, tool: None, findings: Vec::new(), kept: 0, left_out: 0, gravest: None }
    }

    /// A sink for what the rule `info` finds in one tool.
    #[must_use]
    pub fn for_tool(info: &'i RuleInfo, tool: &ToolView<'_>) -> Sink<'i> {
        Sink { tool: tool.tool.name().map(str::to_string), ..Sink::new(info) }
    }

    /// Whether the next finding is only counted: a witness for it would be work for nothing.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.kept >= MOST
    }

    /// What `make` gives, unless the next finding is only counted.
    pub fn unless_full<T>(&self, make: impl FnOnce() -> Option<T>) -> Option<T> {
        if self.is_full() { None } else { make() }
    }

    /// What was emitted.
    #[must_use]
    pub fn into_findings(mut self) -> Vec<Finding> {
        self.settle();
        self.findings
    }

    /// Emit a finding of this rule at `pointer` (in the normalised listing); the returned finding
    /// can be refined: `out.emit(p, "…").evidence = Some(…)`.
    pub fn emit(&mut self, pointer: impl Into<String>, message: impl Into<String>) -> &mut Finding {
        let tool = self.tool.clone();
        self.push(tool, pointer.into(), message.into())
    }

    /// As [`Sink::emit`], for a rule that looks at the whole listing and finds something in one tool.
    pub fn emit_for(
        &mut self,
        tool: &ToolView<'_>,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> &mut Finding {
        self.push(tool.tool.name().map(str::to_string), pointer.into(), message.into())
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

    fn push(&mut self, tool: Option<String>, pointer: String, message: String) -> &mut Finding {
        if self.findings.last().is_some_and(|last| last.tool != tool) {
            self.settle();
        }
        if self.kept < MOST {
            self.kept += 1;
            self.findings.push(self.finding(tool, pointer, message));
        } else {
            self.replace_last(pointer, message);
        }
        let last = self.findings.len() - 1;
        #[allow(clippy::indexing_slicing)] // there are MOST or the one pushed above
        &mut self.findings[last]
    }

    fn finding(&self, tool: Option<String>, pointer: String, message: String) -> Finding {
        Finding {
            rule: self.info.id.to_string(),
            severity: self.info.severity,
            confidence: self.info.confidence,
            fingerprint: String::new(),
            tool,
            profile: None,
            pointer,
            source_pointer: None,
            part: Part::Value,
            span: None,
            message,
            evidence: None,
            witness: None,
            impact: self.info.impact,
            help: self.info.help.to_string(),
            suppressed: None,
        }
    }

    /// The last place is the one that stands for all that are left out; a million of them must cost little.
    fn replace_last(&mut self, pointer: String, message: String) {
        let Some(last) = self.findings.last_mut() else { return };
        self.left_out += 1;
        self.gravest = self.gravest.max(Some(last.severity));
        (last.pointer, last.message) = (pointer, message);
        (last.severity, last.confidence) = (self.info.severity, self.info.confidence);
        (last.part, last.evidence, last.witness) = (Part::Value, None, None);
        if last.help != self.info.help {
            last.help = self.info.help.to_string();
        }
    }

    /// Done with one tool: say how many findings were left out.
    fn settle(&mut self) {
        if self.left_out > 0
            && let Some(last) = self.findings.last_mut()
        {
            last.message
                .push_str(&format!(" (one of {} like it that are not all listed)", self.left_out + 1));
            last.severity = last.severity.max(self.gravest.unwrap_or(last.severity));
        }
        (self.kept, self.left_out, self.gravest) = (0, 0, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;
    use crate::rules::testing::manifest;
    use serde_json::json;

    #[test]
    fn a_flood_ends_in_one_finding_that_counts_the_rest() {
        let manifest = manifest(&json!([{"name": "a"}, {"name": "b"}]));
        let (a, b) = (ToolView::new(&manifest.tools[0]), ToolView::new(&manifest.tools[1]));
        let rule = rules::find("MCP-TOOL-INVALID").unwrap();
        let mut sink = Sink::new(rule.info());
        for i in 0..MOST + 50 {
            let finding = sink.emit_for(&a, format!("/tools/0/{i}"), "wrong");
            finding.severity = if i == MOST + 10 { Severity::Error } else { Severity::Warning };
        }
        sink.emit_for(&b, "/tools/1", "wrong");
        let found = sink.into_findings();
        assert_eq!(found.len(), MOST + 1);
        assert_eq!(found[MOST - 2].message, "wrong");
        assert_eq!(found[MOST - 1].severity, Severity::Error, "the error among those left out is not lost");
        assert_eq!(found[MOST - 1].message, "wrong (one of 51 like it that are not all listed)");
        assert_eq!((found[MOST].tool.as_deref(), found[MOST].message.as_str()), (Some("b"), "wrong"));
    }
}
