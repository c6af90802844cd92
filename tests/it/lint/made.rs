//! Documents and findings made by hand, for tests of the reports.

use verity::finding::{Confidence, Finding, Impact, Part, Severity, Span};
use verity::lint::{LintedFile, LintedManifest, LintedTool};
use verity::manifest::{Completeness, Revision};
use verity::source::Document;

pub fn document(path: &str, text: &str) -> Document {
    Document::of_text(path, text)
}

/// The place of the first `what` in `text`, counted here and not by the code under test.
pub fn span(text: &str, what: &str) -> Span {
    let offset = text.find(what).unwrap();
    let position = |at: usize| {
        let before = &text[..at];
        (before.matches('\n').count() + 1, before.rsplit('\n').next().unwrap().chars().count() + 1)
    };
    let ((line, column), (end_line, end_column)) = (position(offset), position(offset + what.len()));
    Span { line, column, end_line, end_column, offset, length: what.len() }
}

pub fn finding(rule: &str, severity: Severity, pointer: &str, span: Option<Span>, message: &str) -> Finding {
    Finding {
        rule: rule.to_string(),
        severity,
        confidence: Confidence::High,
        tool: None,
        profile: None,
        pointer: pointer.to_string(),
        source_pointer: None,
        part: Part::Value,
        span,
        message: message.to_string(),
        evidence: None,
        witness: None,
        impact: Impact::Tool,
        help: format!("What to do about {rule}."),
        fingerprint: String::new(),
        suppressed: None,
    }
}

pub fn linted(document: Document, tools: &[&str], findings: Vec<Finding>) -> LintedFile {
    let manifest = LintedManifest {
        path: document.path.clone(),
        shape: "tools-object",
        server: None,
        tools: tools
            .iter()
            .map(|t| LintedTool { name: (!t.is_empty()).then(|| t.to_string()), document: 0, span: None })
            .collect(),
        digest: "sha256:0".to_string(),
        revisions: vec![Revision::NEWEST],
        clients: Vec::new(),
        completeness: Completeness::Complete,
        partial: None,
        rules: verity::rules::core().count(),
        notes: Vec::new(),
        is_probe: false,
        findings,
        hidden: Vec::new(),
    };
    LintedFile { documents: vec![document], manifests: vec![manifest] }
}
