//! Repairs of what was found: mechanical ones that keep the meaning, written into the file's own text.
//!
//! A rule proposes ([`crate::rules::fix`]); this room decides. A repair is kept only when the schema algebra
//! proves that the same values are accepted (or, where the schema was no valid one, when it has fewer faults),
//! no text that an agent reads has changed, its finding is gone and no other one has come.

mod round;
mod schema;
mod unified;

pub use unified::unified;

use crate::error::InputError;
use crate::finding::{Finding, Severity};
use crate::lint::{self, LintedFile, Options};
use crate::manifest::{Input, Manifest};
use crate::rules;
use crate::rules::fix::Fixer;
use crate::source::{Document, Encoding, Framing, Replacement};
use round::{Counts, counts, worse};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The members of a tool that are repaired.
const MEMBERS: [&str; 2] = ["inputSchema", "outputSchema"];
/// Bytes of tools that are judged or proven equal in one input, added up: what bounds the time.
const MAX_WORK: usize = 10 << 20;
/// What became of a finding whose rule has a repair.
#[derive(Debug, Clone)]
pub struct Attempt {
    pub finding: Finding,
    /// The file it stands in.
    pub path: String,
    pub fixer: Fixer,
    /// Why it was not repaired.
    pub outcome: Result<(), String>,
}

/// One input, repaired.
#[derive(Debug)]
pub struct Fixed {
    /// What is to be judged now: the input as it is after the repairs.
    pub input: Input,
    /// The new text of each document that changed.
    pub texts: Vec<Option<String>>,
    /// In the order of the findings.
    pub attempts: Vec<Attempt>,
}

/// Repairs what `linted` (of this very input, suppressed findings marked) says of `input`.
#[must_use]
pub fn input(input: Input, linted: &LintedFile, options: &Options) -> Fixed {
    let mut attempts = Vec::new();
    let mut repaired: Vec<Manifest> = Vec::new();
    let mut work_left = MAX_WORK;
    for (manifest, findings) in input.manifests.iter().zip(&linted.manifests) {
        let mut work = manifest.clone();
        if options.server_name.is_some() {
            work.server.clone_from(&options.server_name);
        }
        let mut of_tools: BTreeMap<usize, Vec<&Finding>> = BTreeMap::new();
        let mut known: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
        for finding in findings.findings.iter().filter(|f| fixer(f).is_some()) {
            match (finding.tool_index(), &finding.suppressed) {
                (Some(tool), None) => of_tools.entry(tool).or_default().push(finding),
                (Some(tool), Some(_)) => drop(known.entry(tool).or_default().insert(&finding.rule)),
                _ => {}
            }
        }
        for (index, findings) in of_tools {
            let known = known.remove(&index).unwrap_or_default();
            let document = manifest.tools.get(index).and_then(|t| input.documents.get(t.origin.document));
            let path = document.map_or(input.path.as_str(), |d| d.path.as_str());
            let outcomes: Vec<(Finding, Result<(), String>)> =
                match document.map_or(Err("it has no file"), |d| writable(d, manifest, index)) {
                    Ok(()) => round::tool(&mut work, index, &findings, &known, options, &mut work_left),
                    Err(why) => {
                        let why = format!("cannot be written back: {why}");
                        findings.iter().map(|f| ((*f).clone(), Err(why.clone()))).collect()
                    }
                };
            for (finding, outcome) in outcomes {
                let Some(fixer) = fixer(&finding) else { continue };
                attempts.push(Attempt { finding, path: path.to_string(), fixer, outcome });
            }
        }
        repaired.push(work);
    }
    let unchanged = |input: Input, mut attempts: Vec<Attempt>, why: &str| {
        let texts = input.documents.iter().map(|_| None).collect();
        for attempt in attempts.iter_mut().filter(|a| a.outcome.is_ok()) {
            attempt.outcome = Err(why.to_string());
        }
        Fixed { input, texts, attempts }
    };
    if attempts.iter().all(|a| a.outcome.is_err()) {
        return unchanged(input, attempts, "");
    }
    match written(&input, &repaired, linted, options) {
        Ok((input, texts)) => Fixed { input, texts, attempts },
        Err(why) => unchanged(input, attempts, &why),
    }
}

fn fixer(finding: &Finding) -> Option<Fixer> {
    // Poisoned text is never repaired by a machine: a person has to ask how it got there.
    rules::find(&finding.rule).filter(|r| r.info().family() != "POISON")?.fixer()
}

/// Whether the text of a tool can be changed in its place.
fn writable(document: &Document, manifest: &Manifest, index: usize) -> Result<(), &'static str> {
    match document.encoding {
        Encoding::Utf8 | Encoding::Utf8Bom => {}
        Encoding::Utf16Le | Encoding::Utf16Be => return Err("the file is UTF-16; save it as UTF-8"),
    }
    if document.framing == Framing::Sse {
        return Err("the file records server-sent events; save the listing itself");
    }
    if document.segments.len() > 1 && manifest.is_wire {
        return Err("the file records what was sent; repair the server, or save the listing itself");
    }
    let Some(tool) = manifest.tools.get(index) else { return Err("it has no place in the file") };
    if !tool.duplicate_keys.is_empty() {
        return Err("a key of this tool occurs twice, and readers differ on which one counts");
    }
    if !tool.defects.is_empty() {
        return Err("this tool has a value that cannot be held as it is written");
    }
    Ok(())
}

/// The documents with the repaired schemas in their texts, read and judged anew.
fn written(
    input: &Input,
    repaired: &[Manifest],
    linted: &LintedFile,
    options: &Options,
) -> Result<(Input, Vec<Option<String>>), String> {
    let mut replacements: Vec<Vec<Replacement>> = input.documents.iter().map(|_| Vec::new()).collect();
    // Values are kept by the tools alone; the places, by the documents.
    for (old, new) in input.manifests.iter().zip(repaired) {
        for (old, new) in old.tools.iter().zip(&new.tools) {
            for member in MEMBERS {
                let (Some(was), Some(is)) = (old.value.get(member), new.value.get(member)) else { continue };
                if was == is {
                    continue;
                }
                let place = old.source_pointer(&format!("/{member}"));
                let document = input.documents.get(old.origin.document);
                let replacement = document.and_then(|d| d.rewritten(old.origin.segment, &place, was, is));
                let all = replacements.get_mut(old.origin.document);
                let (Some(replacement), Some(all)) = (replacement, all) else {
                    return Err("cannot be written back: the file has the schema in another form".to_string());
                };
                all.push(replacement);
            }
        }
    }
    let mut texts = Vec::new();
    for (document, replacements) in input.documents.iter().zip(replacements) {
        texts.push(match replacements.is_empty() {
            true => None,
            false => Some(
                document.replaced(replacements).ok_or("cannot be written back: two tools share one text")?,
            ),
        });
    }
    let after =
        input.with_texts(&texts).map_err(|e: InputError| format!("the result could not be read: {e}"))?;
    let values = |manifests: &[Manifest]| -> Vec<Vec<Value>> {
        manifests.iter().map(|m| m.tools.iter().map(|t| t.value.clone()).collect()).collect()
    };
    if values(&after.manifests) != values(repaired) {
        return Err("cannot be written back: the file holds the tool more than once".to_string());
    }
    let judged = lint::inputs(vec![after.clone()], options).into_iter().next();
    let Some(Ok(judged)) = judged else { return Err("the result could not be judged".to_string()) };
    let all = |file: &LintedFile| {
        counts(file.manifests.iter().flat_map(|m| &m.findings).filter(|f| !f.rule.starts_with("MCP-CONFIG-")))
    };
    // Tool by tool, what a repair uncovers was weighed already.
    let gravest = |counts: &Counts| counts.values().map(|(_, severity)| *severity).max();
    let (before, after_all) = (all(linted), all(&judged));
    let repaired = gravest(&before).unwrap_or(Severity::Warning).max(Severity::Warning);
    match worse(&before, &after_all, repaired) {
        Some(rule) => Err(format!("all together, {rule} would find something new")),
        None => Ok((after, texts)),
    }
}
