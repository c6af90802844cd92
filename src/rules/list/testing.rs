//! For the tests of rules about the text of a listing: a file, one rule run on it.

use crate::finding::Finding;
use crate::rules::{Rule, run_rules};
use crate::{manifest, source};

/// What `rule` says of a file with `text`, with the places in it.
pub fn found(rule: &dyn Rule, text: &str) -> Vec<Finding> {
    let document = source::parse("tools.json", text.as_bytes().to_vec()).unwrap();
    let mut findings = Vec::new();
    for manifest in manifest::read(&document).unwrap() {
        let mut new = run_rules(&manifest, [rule]);
        for finding in &mut new {
            finding.span = manifest.locate(&document, &finding.pointer, &finding.part);
        }
        findings.append(&mut new);
    }
    findings
}

pub fn places(findings: &[Finding]) -> Vec<&str> {
    findings.iter().map(|f| f.pointer.as_str()).collect()
}
