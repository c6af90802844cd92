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
use crate::manifest::{Input, Manifest, Tool};
use crate::rules;
use crate::rules::fix::Fixer;
use crate::source::{Document, Encoding, Framing, Replacement};
use crate::threads;
use round::{Counts, counts, worse};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The members of a tool that are repaired.
const MEMBERS: [&str; 2] = ["inputSchema", "outputSchema"];
/// Bytes of tools that are judged or proven equal in one listing, added up: what bounds the time. Each tool has a share
/// by its size, so that what one takes is not missing for the next.
const MAX_WORK: usize = 48 << 20;
/// The share of one tool at most.
const MAX_WORK_OF_ONE: usize = 8 << 20;
/// Tools that are repaired in one copy of the listing, at least.
const TOOLS_AT_A_TIME: usize = 8;
/// Why a repair was not tried any more.
pub const TOO_MUCH: &str = "there was too much to try at once";

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
    for (manifest, linted) in input.manifests.iter().zip(&linted.manifests) {
        let mut work = manifest.clone();
        if options.server_name.is_some() {
            work.server.clone_from(&options.server_name);
        }
        let all = to_repair(&linted.findings);
        let of_one = |found: &(usize, ToRepair<'_>)| manifest.tools.get(found.0).map_or(0, size);
        let whole: usize = all.iter().map(of_one).sum();
        let share = |tool: &(usize, ToRepair<'_>)| share(of_one(tool), whole);
        // A repair keeps the texts, so that a tool in which nothing was hidden is not read for it again and again. All
        // rules see the result.
        let poisoned: BTreeSet<usize> =
            linted.findings.iter().filter(|f| is_poison(&f.rule)).filter_map(Finding::tool_index).collect();
        let mut unread = options.clone();
        unread.ignore.extend(rules::poison::RULES.iter().map(|r| r.info().id));
        let parts: Vec<&[(usize, ToRepair<'_>)]> = threads::parts(&all, TOOLS_AT_A_TIME);
        let done = threads::each(&parts, |part| {
            let mut copy = work.clone();
            let repair = |tool: &(usize, ToRepair<'_>)| {
                let options = if poisoned.contains(&tool.0) { options } else { &unread };
                let attempts = tool_of(&input, manifest, &mut copy, tool, options, share(tool));
                (tool.0, copy.tools.get(tool.0).map(|t| t.value.clone()), attempts)
            };
            part.iter().map(repair).collect::<Vec<_>>()
        });
        for (index, value, mut of_tool) in done.into_iter().flatten() {
            if let (Some(tool), Some(value)) = (work.tools.get_mut(index), value) {
                tool.value = value;
            }
            attempts.append(&mut of_tool);
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

/// What is to be repaired in one tool, and the rules of which a finding is suppressed.
#[derive(Default)]
struct ToRepair<'f> {
    findings: Vec<&'f Finding>,
    known: BTreeSet<&'f str>,
}

/// The tools in which something is to be repaired, by position.
fn to_repair(findings: &[Finding]) -> Vec<(usize, ToRepair<'_>)> {
    let mut of_tools: BTreeMap<usize, ToRepair<'_>> = BTreeMap::new();
    for finding in findings.iter().filter(|f| fixer(f).is_some()) {
        let Some(tool) = finding.tool_index() else { continue };
        let of_tool = of_tools.entry(tool).or_default();
        match &finding.suppressed {
            None => of_tool.findings.push(finding),
            Some(_) => drop(of_tool.known.insert(&finding.rule)),
        }
    }
    of_tools.into_iter().filter(|(_, of_tool)| !of_tool.findings.is_empty()).collect()
}

fn size(tool: &Tool) -> usize {
    tool.value.to_string().len()
}

/// What may be spent on a tool of `size` among tools of `whole` in all.
fn share(size: usize, whole: usize) -> usize {
    let share = (MAX_WORK as u128 * size as u128).checked_div(whole as u128).unwrap_or(0);
    usize::try_from(share).map_or(MAX_WORK_OF_ONE, |share| share.min(MAX_WORK_OF_ONE))
}

/// Repairs one tool of `work`, a copy of `manifest`.
fn tool_of(
    input: &Input,
    manifest: &Manifest,
    work: &mut Manifest,
    (index, to_repair): &(usize, ToRepair<'_>),
    options: &Options,
    mut work_left: usize,
) -> Vec<Attempt> {
    let (index, findings) = (*index, &to_repair.findings);
    let document = manifest.tools.get(index).and_then(|t| input.documents.get(t.origin.document));
    let path = document.map_or(input.path.as_str(), |d| d.path.as_str());
    let outcomes: Vec<(Finding, Result<(), String>)> =
        match document.map_or(Err("it has no file"), |d| writable(d, manifest, index)) {
            Ok(()) => round::tool(work, index, findings, &to_repair.known, options, &mut work_left),
            Err(why) => {
                let why = format!("cannot be written back: {why}");
                findings.iter().map(|f| ((*f).clone(), Err(why.clone()))).collect()
            }
        };
    let attempt = |(finding, outcome): (Finding, Result<(), String>)| {
        let fixer = fixer(&finding)?;
        Some(Attempt { finding, path: path.to_string(), fixer, outcome })
    };
    outcomes.into_iter().filter_map(attempt).collect()
}

fn fixer(finding: &Finding) -> Option<Fixer> {
    // Poisoned text is never repaired by a machine: a person has to ask how it got there.
    rules::find(&finding.rule).filter(|_| !is_poison(&finding.rule))?.fixer()
}

fn is_poison(rule: &str) -> bool {
    rule.starts_with("MCP-POISON-")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_tool_takes_is_not_missing_for_another() {
        assert_eq!(share(100, 100), MAX_WORK_OF_ONE, "alone");
        assert_eq!(share(1_000, 48_000), (48 << 20) / 48, "by its size");
        assert_eq!(share(7, 0), 0);
        let sizes = [10, 2_000, 90_000, 40];
        let whole = sizes.iter().sum();
        assert!(sizes.iter().map(|size| share(*size, whole)).sum::<usize>() <= MAX_WORK);
    }
}
