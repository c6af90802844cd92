//! Repairs of what was found: mechanical ones that keep the meaning, written into the file's own text.
//!
//! A rule proposes ([`crate::rules::fix`]); this room decides. A repair is kept only when the schema algebra
//! proves that the same values are accepted (or, where the schema was no valid one, when it has fewer faults),
//! no text that an agent reads has changed, its finding is gone and no other one has come.

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
use serde_json::Value;
use std::collections::BTreeMap;

/// Repairs of one tool that are tried one by one, when they do not go together.
const MAX_SINGLE: usize = 12;
/// How often a tool is looked at again for what earlier repairs made possible.
const MAX_ROUNDS: usize = 3;
/// Bytes of tools that are judged or proven equal in one input, added up: what bounds the time.
const MAX_WORK: usize = 4 << 20;
/// Why a repair was not tried any more.
const TOO_MUCH: &str =
    "there was too much to try at once; repair the rest of the tool first, or run it again";

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
        for finding in findings.findings.iter().filter(|f| f.suppressed.is_none() && fixer(f).is_some()) {
            if let Some(tool) = finding.tool_index() {
                of_tools.entry(tool).or_default().push(finding);
            }
        }
        for (index, findings) in of_tools {
            let document = manifest.tools.get(index).and_then(|t| input.documents.get(t.origin.document));
            let path = document.map_or(input.path.as_str(), |d| d.path.as_str());
            let outcomes = match document.map_or(Err("it has no file"), |d| writable(d, manifest, index)) {
                Ok(()) => tool(&mut work, index, &findings, options, &mut work_left),
                Err(why) => findings.iter().map(|_| Err(format!("cannot be written back: {why}"))).collect(),
            };
            for (finding, outcome) in findings.into_iter().zip(outcomes) {
                let Some(fixer) = fixer(finding) else { continue };
                attempts.push(Attempt { finding: finding.clone(), path: path.to_string(), fixer, outcome });
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

type Counts = BTreeMap<(String, Option<String>), (usize, Severity)>;

/// How often each rule (and profile) speaks, and how gravely at most.
fn counts<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Counts {
    let mut counts = Counts::new();
    for finding in findings {
        let entry = counts.entry((finding.rule.clone(), finding.profile.clone()));
        let (n, gravest) = entry.or_insert((0, finding.severity));
        *n += 1;
        *gravest = finding.severity.max(*gravest);
    }
    counts
}

/// A rule that speaks oftener than before, and as gravely as what is repaired. What a graver fault has hidden, such as
/// that a schema constrains nothing, may be seen now.
fn worse(before: &Counts, after: &Counts, repaired: Severity) -> Option<String> {
    let was = |rule| before.get(rule).map_or(0, |(n, _)| *n);
    let mut more = after.iter().filter(|(rule, (n, gravest))| was(rule) < *n && *gravest >= repaired);
    more.next().map(|((rule, _), _)| rule.clone())
}

/// Repairs one tool of `manifest`; what became of each finding.
fn tool(
    manifest: &mut Manifest,
    index: usize,
    findings: &[&Finding],
    options: &Options,
    work_left: &mut usize,
) -> Vec<Result<(), String>> {
    let size = manifest.tools.get(index).map_or(0, |t| t.value.to_string().len());
    let mut outcomes: Vec<Result<(), String>> = findings.iter().map(|_| Err(TOO_MUCH.to_string())).collect();
    for _ in 0..MAX_ROUNDS {
        let open: Vec<usize> =
            (0..findings.len()).filter(|i| outcomes.get(*i).is_some_and(Result::is_err)).collect();
        if open.is_empty() || !spend(work_left, size * (2 + open.len())) {
            break;
        }
        if !round(manifest, index, findings, &open, &mut outcomes, options, (size, work_left)) {
            break;
        }
    }
    outcomes
}

/// Tries the open findings, all together and else one by one. Whether anything was repaired.
fn round(
    manifest: &mut Manifest,
    index: usize,
    findings: &[&Finding],
    open: &[usize],
    outcomes: &mut [Result<(), String>],
    options: &Options,
    (size, work_left): (usize, &mut usize),
) -> bool {
    let Some(before) = manifest.tools.get(index).map(|t| t.value.clone()) else { return false };
    let counted = counts(&lint::of_tool(manifest, index, options));
    let set = |manifest: &mut Manifest, value: Value| {
        if let Some(tool) = manifest.tools.get_mut(index) {
            tool.value = value;
        }
        counts(&lint::of_tool(manifest, index, options))
    };
    // From the last to the first: places behind a repair may have moved.
    let (mut value, mut done) = (before.clone(), Vec::new());
    for &i in open.iter().rev() {
        let Some(finding) = findings.get(i) else { continue };
        match propose(&value, finding) {
            Ok(better) => {
                value = better;
                done.push(i);
            }
            Err(why) => outcomes.iter_mut().skip(i).take(1).for_each(|o| *o = Err(why.clone())),
        }
    }
    if done.is_empty() {
        return false;
    }
    let after = set(manifest, value);
    let all_gone = findings
        .iter()
        .enumerate()
        .filter(|(i, _)| done.contains(i))
        .all(|(_, f)| is_fewer(&counted, &after, f));
    let repaired =
        findings.iter().enumerate().filter(|(i, _)| done.contains(i)).map(|(_, f)| f.severity).min();
    if worse(&counted, &after, repaired.unwrap_or(Severity::Info)).is_none() && all_gone {
        outcomes.iter_mut().enumerate().filter(|(i, _)| done.contains(i)).for_each(|(_, o)| *o = Ok(()));
        return true;
    }
    let (mut value, mut counted, mut any) = (before, counted, false);
    for (n, i) in done.into_iter().enumerate() {
        let (Some(finding), Some(outcome)) = (findings.get(i), outcomes.get_mut(i)) else { continue };
        if n >= MAX_SINGLE || !spend(work_left, size * 4) {
            *outcome = Err(TOO_MUCH.to_string());
            continue;
        }
        let better = match propose(&value, finding) {
            Ok(better) => better,
            Err(why) => {
                *outcome = Err(why);
                continue;
            }
        };
        let after = set(manifest, better.clone());
        *outcome = match worse(&counted, &after, finding.severity) {
            Some(rule) => Err(format!("{rule} would find something new")),
            None if !is_fewer(&counted, &after, finding) => Err("the finding would not be gone".to_string()),
            None => Ok(()),
        };
        if outcome.is_ok() {
            (value, counted, any) = (better, after, true);
        }
    }
    set(manifest, value);
    any
}

fn spend(left: &mut usize, work: usize) -> bool {
    match left.checked_sub(work) {
        Some(rest) => *left = rest,
        None => *left = 0,
    }
    *left > 0
}

fn is_fewer(before: &Counts, after: &Counts, finding: &Finding) -> bool {
    // The client for whom a limit is reported may be another one than the limit's own.
    let of = |counts: &Counts| -> usize {
        counts.iter().filter(|((rule, _), _)| *rule == finding.rule).map(|(_, (n, _))| n).sum()
    };
    of(after) < of(before)
}

/// The tool with the finding repaired, if it can be proven that nothing else changes.
fn propose(tool: &Value, finding: &Finding) -> Result<Value, String> {
    let person = || "this one needs a person".to_string();
    let below = finding.pointer.strip_prefix("/tools/").and_then(|rest| rest.split_once('/'));
    let (_, below) = below.ok_or_else(person)?;
    let (member, at) = match below.split_once('/') {
        Some((member, _)) => (member, below.get(member.len()..).unwrap_or_default()),
        None => (below, ""),
    };
    if !matches!(member, "inputSchema" | "outputSchema") {
        return Err(person());
    }
    let (old, fixer) = (tool.get(member).ok_or_else(person)?, fixer(finding).ok_or_else(person)?);
    let new = schema::repaired(old, at, &fixer)?;
    let mut tool = tool.clone();
    if let Some(place) = tool.get_mut(member) {
        *place = new;
    }
    Ok(tool)
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
            for member in ["inputSchema", "outputSchema"] {
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
