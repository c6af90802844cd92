//! The repairs of one tool, tried together and, where they may not stay, in halves, until nothing is left that can be
//! repaired.

use super::{MEMBERS, TOO_MUCH, fixer, schema};
use crate::finding::{Finding, Severity};
use crate::lint::{self, Options};
use crate::manifest::Manifest;
use crate::pointer;
use crate::rules::fix::FixKind;
use crate::schema::Dialect;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// How often a tool is looked at again for what earlier repairs made possible, or left behind.
const MAX_ROUNDS: usize = 8;
/// Why a finding has no repair after all.
const PERSON: &str = "this one needs a person";
pub(super) type Counts = BTreeMap<(String, Option<String>), (usize, Severity)>;

/// How often each rule (and profile) speaks, and how gravely at most.
pub(super) fn counts<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Counts {
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
pub(super) fn worse(before: &Counts, after: &Counts, repaired: Severity) -> Option<String> {
    let was = |rule| before.get(rule).map_or(0, |(n, _)| *n);
    let mut more = after.iter().filter(|(rule, (n, gravest))| was(rule) < *n && *gravest >= repaired);
    more.next().map(|((rule, _), _)| rule.clone())
}

/// A finding in words that hold from round to round.
type Key = (String, String);

fn key(finding: &Finding) -> Key {
    (finding.rule.clone(), finding.pointer.clone())
}

/// By place, items of a list by their number, so that a round does not depend on how its findings came.
fn sort(findings: &mut [Finding]) {
    findings.sort_by_cached_key(|f| {
        let place: Vec<(Option<usize>, String)> =
            pointer::tokens(&f.pointer).map(|token| (token.parse().ok(), token)).collect();
        (place, f.rule.clone())
    });
}

/// Repairs one tool of `manifest`, round by round, until nothing is left that can be repaired: what becomes of each of
/// `findings`, and of those that a repair has moved or made. `known`: rules of which a finding is suppressed.
pub(super) fn tool(
    manifest: &mut Manifest,
    index: usize,
    findings: &[&Finding],
    known: &BTreeSet<&str>,
    options: &Options,
    work_left: &mut usize,
) -> Vec<(Finding, Result<(), String>)> {
    let mut open: Vec<Finding> = findings.iter().map(|f| (*f).clone()).collect();
    let mut repaired: Vec<Finding> = Vec::new();
    let mut left: BTreeMap<Key, String> = BTreeMap::new();
    let size = manifest.tools.get(index).map_or(0, |t| t.value.to_string().len());
    let (mut is_done, is_affordable) = (false, spend(work_left, size));
    let mut found = if is_affordable { lint::of_tool(manifest, index, options) } else { Vec::new() };
    for _ in 0..MAX_ROUNDS {
        if open.is_empty() || !is_affordable {
            break;
        }
        sort(&mut open);
        let (outcomes, now) = round(manifest, index, &open, found, options, work_left);
        let any = outcomes.iter().any(Result::is_ok);
        left.clear();
        for (finding, outcome) in open.iter().zip(outcomes) {
            match outcome {
                Ok(()) => repaired.push(finding.clone()),
                Err(why) => drop(left.insert(key(finding), why)),
            }
        }
        let is_open = |f: &&Finding| fixer(f).is_some() && !known.contains(f.rule.as_str());
        open = now.iter().filter(is_open).cloned().collect();
        found = now;
        if !any {
            is_done = true;
            break;
        }
    }
    let there: BTreeSet<Key> = open.iter().map(key).collect();
    let done: BTreeSet<Key> = repaired.iter().map(key).collect();
    let why = |k: &Key| left.get(k).filter(|_| is_done).cloned().unwrap_or_else(|| TOO_MUCH.to_string());
    let mut out = Vec::new();
    for finding in findings {
        let k = key(finding);
        // What another repair has taken along is repaired, too.
        let is_gone = done.contains(&k) || !there.contains(&k);
        out.push(((*finding).clone(), if is_gone { Ok(()) } else { Err(why(&k)) }));
    }
    let first: BTreeSet<Key> = findings.iter().map(|f| key(f)).collect();
    let made = repaired.into_iter().filter(|f| !first.contains(&key(f)) && !there.contains(&key(f)));
    out.extend(made.map(|f| (f, Ok(()))));
    out
}

/// Tries the open findings of a tool in which all of `found` is: what became of each, and all that is found then.
fn round(
    manifest: &mut Manifest,
    index: usize,
    open: &[Finding],
    found: Vec<Finding>,
    options: &Options,
    work_left: &mut usize,
) -> (Vec<Result<(), String>>, Vec<Finding>) {
    let outcomes = open.iter().map(|_| Err(TOO_MUCH.to_string())).collect();
    // Those of one rule about one keyword go well or ill together. From the last to the first: places behind a
    // repair may have moved.
    let mut classes: BTreeMap<(u8, &str, &str), Vec<usize>> = BTreeMap::new();
    for (i, finding) in open.iter().enumerate().rev() {
        let Some(fixer) = fixer(finding) else { continue };
        let keyword = finding.pointer.rsplit('/').next().filter(|k| k.parse::<usize>().is_err());
        let class = (order(fixer.kind), finding.rule.as_str(), keyword.unwrap_or_default());
        classes.entry(class).or_default().push(i);
    }
    let mut round = Round { manifest, index, open, options, work_left, outcomes, found };
    for chosen in classes.values() {
        if let Some(fixer) = chosen.first().and_then(|i| open.get(*i)).and_then(fixer) {
            round.attempt(chosen, fixer.kind);
        }
    }
    (round.outcomes, round.found)
}

/// A valid schema first: only of such can be proven what they accept.
fn order(kind: FixKind) -> u8 {
    match kind {
        FixKind::Repair => 0,
        FixKind::EqualObjects => 1,
        FixKind::Equal => 2,
    }
}

struct Round<'a> {
    manifest: &'a mut Manifest,
    index: usize,
    open: &'a [Finding],
    options: &'a Options,
    work_left: &'a mut usize,
    outcomes: Vec<Result<(), String>>,
    /// In the tool as it is now.
    found: Vec<Finding>,
}

impl Round<'_> {
    /// Repairs the chosen findings together; where that may not stay, each half of them by itself.
    fn attempt(&mut self, chosen: &[usize], kind: FixKind) {
        let Some(before) = self.manifest.tools.get(self.index).map(|t| t.value.clone()) else { return };
        if chosen.is_empty() || *self.work_left == 0 {
            return;
        }
        let (after, edited) = self.edited(&before, chosen);
        if edited.is_empty() {
            return;
        }
        match self.judged(&before, after, &edited, kind) {
            Ok(()) => edited.iter().for_each(|i| self.set(*i, Ok(()))),
            Err(why) => match edited.as_slice() {
                [one] => self.set(*one, Err(why)),
                several => {
                    let (first, second) = several.split_at(several.len() / 2);
                    self.attempt(first, kind);
                    self.attempt(second, kind);
                }
            },
        }
    }

    /// The tool with what the rules propose, and the findings for which they do.
    fn edited(&mut self, before: &Value, chosen: &[usize]) -> (Value, Vec<usize>) {
        let (mut value, mut edited) = (before.clone(), Vec::new());
        // Where references cannot be written out for one of them, they cannot for the others.
        let mut stuck: BTreeSet<String> = BTreeSet::new();
        for i in chosen {
            let Some(finding) = self.open.get(*i) else { continue };
            let is_reference =
                ["/$ref", "/$defs", "/definitions"].iter().any(|r| finding.pointer.ends_with(r));
            let member = finding.pointer.split('/').nth(3).unwrap_or_default();
            if !(is_reference && stuck.contains(member)) && edit(&mut value, finding) {
                edited.push(*i);
            } else {
                if is_reference {
                    stuck.insert(member.to_string());
                }
                self.set(*i, Err(PERSON.to_string()));
            }
        }
        (value, edited)
    }

    /// Makes `after` of the tool, if it means the same and is better.
    fn judged(
        &mut self,
        before: &Value,
        after: Value,
        edited: &[usize],
        kind: FixKind,
    ) -> Result<(), String> {
        let size = before.to_string().len() + after.to_string().len();
        if !spend(self.work_left, size) {
            return Err(TOO_MUCH.to_string());
        }
        for member in MEMBERS {
            if let (Some(old), Some(new)) = (before.get(member), after.get(member))
                && old != new
            {
                schema::is_same(old, new, kind)?;
            }
        }
        self.put(after);
        let found = lint::of_tool(self.manifest, self.index, self.options);
        let chosen = || edited.iter().filter_map(|i| self.open.get(*i));
        let (was, is) = (counts(&self.found), counts(&found));
        let gravest = chosen().map(|f| f.severity).min().unwrap_or(Severity::Info);
        let refused = match worse(&was, &is, gravest) {
            Some(rule) => Err(format!("{rule} would find something new")),
            None if !chosen().all(|f| is_fewer(&was, &is, f)) => {
                Err("the finding would not be gone".to_string())
            }
            None => Ok(()),
        };
        match refused {
            Ok(()) => self.found = found,
            Err(_) => self.put(before.clone()),
        }
        refused
    }

    fn put(&mut self, value: Value) {
        if let Some(tool) = self.manifest.tools.get_mut(self.index) {
            tool.value = value;
        }
    }

    fn set(&mut self, i: usize, outcome: Result<(), String>) {
        if let Some(slot) = self.outcomes.get_mut(i) {
            *slot = outcome;
        }
    }
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

/// Repairs the finding in the tool as its rule would have it; whether it did.
fn edit(tool: &mut Value, finding: &Finding) -> bool {
    let below = finding.pointer.strip_prefix("/tools/").and_then(|rest| rest.split_once('/'));
    let Some((_, below)) = below else { return false };
    let (member, at) = match below.split_once('/') {
        Some((member, _)) => (member, below.get(member.len()..).unwrap_or_default()),
        None => (below, ""),
    };
    let place = tool.get_mut(member).filter(|_| MEMBERS.contains(&member));
    let (Some(schema), Some(fixer)) = (place, fixer(finding)) else { return false };
    let dialect = Dialect::of(schema);
    (fixer.apply)(schema, at, dialect)
}
