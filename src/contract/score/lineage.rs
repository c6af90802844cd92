//! The revisions of a contract: does what was presented of them hang together?

use super::super::canonical;
use super::super::document::Contract;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// How often a contract was revised, and whether its history holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Remediation {
    pub revision_count: u64,
    /// Of the policy: more revisions than these are too many to still be about the same thing.
    pub cap: u64,
    /// Nobody here counts revisions: the cap is the caller's word.
    pub cap_source: &'static str,
    /// `None` where no ancestor was presented of a contract that has some.
    pub lineage_chain: Option<LineageChain>,
    /// What is wrong with it.
    pub defects: Vec<String>,
}

/// The three things that a chain is checked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LineageChain {
    pub length_consistent: bool,
    pub no_repeated_digest: bool,
    pub no_gap: bool,
}

/// One document of the chain.
struct Member {
    digest: String,
    parent: Option<String>,
    revision: u64,
}

impl Member {
    fn of(value: &Value) -> Member {
        Member {
            digest: canonical::digest(value),
            parent: value.get("parentDigest").and_then(Value::as_str).map(str::to_string),
            revision: value.get("revisionCount").and_then(Value::as_u64).unwrap_or_default(),
        }
    }
}

/// Check `contract` with the earlier revisions of it, which may come in any order.
pub(super) fn remediation(contract: &Contract, ancestors: &[Value], cap: u64) -> Remediation {
    let own = Member::of(&contract.value);
    let revision_count = own.revision;
    let cap_source = "caller-attested";
    if ancestors.is_empty() && revision_count > 0 {
        return Remediation { revision_count, cap, cap_source, lineage_chain: None, defects: Vec::new() };
    }
    let members: Vec<Member> = ancestors.iter().map(Member::of).chain([own]).collect();
    let length_consistent = members.len() as u64 == revision_count + 1;
    let mut defects = Vec::new();
    if !length_consistent {
        defects.push(format!(
            "revision {revision_count} has {revision_count} ancestors, and {} were presented",
            members.len() - 1
        ));
    }
    let repeated = repeated(&members);
    let gaps = gaps(&members);
    let chain =
        LineageChain { length_consistent, no_repeated_digest: repeated.is_empty(), no_gap: gaps.is_empty() };
    defects.extend(repeated);
    defects.extend(gaps);
    Remediation { revision_count, cap, cap_source, lineage_chain: Some(chain), defects }
}

fn repeated(members: &[Member]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for member in members {
        *counts.entry(&member.digest).or_default() += 1;
    }
    let twice = counts.into_iter().filter(|(_, count)| *count > 1);
    twice.map(|(digest, count)| format!("{digest} is presented {count} times")).collect()
}

/// What is wrong with what a document says of the one before it.
fn gap(member: &Member, by_digest: &BTreeMap<&str, &Member>) -> Option<String> {
    let Member { digest, revision, .. } = member;
    match (&member.parent, *revision) {
        (None, 0) => None,
        (Some(_), 0) => Some(format!("{digest} is an origin (revision 0) and names a parent")),
        (None, n) => Some(format!("{digest} is revision {n} and names no parent")),
        (Some(parent), n) => match by_digest.get(parent.as_str()) {
            None => Some(format!("{digest} names the parent {parent}, which was not presented")),
            Some(before) if before.revision + 1 != n => {
                Some(format!("{digest} is revision {n}, and its parent is {}", before.revision))
            }
            Some(_) => None,
        },
    }
}

/// Every revision but the first names the one before it, and there is one of each.
fn gaps(members: &[Member]) -> Vec<String> {
    let by_digest: BTreeMap<&str, &Member> = members.iter().map(|m| (m.digest.as_str(), m)).collect();
    let mut out: BTreeSet<String> = members.iter().filter_map(|member| gap(member, &by_digest)).collect();
    let mut of_revision: BTreeMap<u64, BTreeSet<&str>> = BTreeMap::new();
    for member in members {
        of_revision.entry(member.revision).or_default().insert(&member.digest);
    }
    for (revision, digests) in of_revision.into_iter().filter(|(_, digests)| digests.len() > 1) {
        out.insert(format!("{} documents claim to be revision {revision}", digests.len()));
    }
    if members.iter().all(|member| member.revision != 0) {
        out.insert("no origin (revision 0) was presented".to_string());
    }
    out.into_iter().collect()
}
