//! Findings that are known: ignores of `verity.yaml` and the baseline. A suppressed finding stays in the
//! report and does not count; what suppresses nothing any more is a finding itself. Changes of a release that are
//! meant are ignored the same way, by the MCP-DIFF rules.

use crate::config::{Ignore, matches};
use crate::diff::Diff;
use crate::finding::{self, Finding, Part};
use crate::pointer;
use crate::rules::config::{EXPIRED, STALE, UNUSED};
use crate::rules::{self, RuleInfo};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the baseline's format.
pub const BASELINE_VERSION: u32 = 1;

/// Findings of an earlier run, by fingerprint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline {
    entries: BTreeMap<String, Entry>,
}

/// One of them. Only the fingerprint counts; the rest is for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub fingerprint: String,
    pub rule: String,
    pub tool: Option<String>,
    pub pointer: String,
}

#[derive(Serialize, Deserialize)]
struct File {
    schema_version: u32,
    #[serde(default)]
    verity: String,
    findings: Vec<Entry>,
}

impl Baseline {
    /// The findings that count, to be known from now on.
    #[must_use]
    pub fn of<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Baseline {
        let counted = findings.into_iter().filter(|f| f.suppressed.is_none());
        let entry = |f: &Finding| Entry {
            fingerprint: f.fingerprint.clone(),
            rule: f.rule.clone(),
            tool: f.tool.clone(),
            pointer: f.pointer.clone(),
        };
        Baseline { entries: counted.map(|f| (f.fingerprint.clone(), entry(f))).collect() }
    }

    /// How many findings are known.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// As a file, sorted by rule, tool and place, so that a diff of two shows what changed.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut findings: Vec<Entry> = self.entries.values().cloned().collect();
        findings.sort_by(|a, b| (&a.rule, &a.tool, &a.pointer).cmp(&(&b.rule, &b.tool, &b.pointer)));
        let file = File {
            schema_version: BASELINE_VERSION,
            verity: env!("CARGO_PKG_VERSION").to_string(),
            findings,
        };
        serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
    }

    /// Read a file that [`Baseline::to_json`] wrote.
    ///
    /// # Errors
    /// What is wrong with it: no JSON, no baseline, one of another version.
    pub fn parse(text: &str) -> Result<Baseline, String> {
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|e| format!("the baseline is not JSON: {e}"))?;
        match value.get("schema_version").and_then(serde_json::Value::as_u64) {
            Some(v) if v == u64::from(BASELINE_VERSION) => {}
            Some(v) => {
                return Err(format!(
                    "the baseline is of version {v}, and this verity reads version {BASELINE_VERSION}: write it anew with --write-baseline"
                ));
            }
            None => {
                return Err(
                    "the file is no baseline: `schema_version` is missing; --write-baseline writes one"
                        .to_string(),
                );
            }
        }
        let file = File::deserialize(value).map_err(|e| format!("the file is no baseline: {e}"))?;
        Ok(Baseline { entries: file.findings.into_iter().map(|e| (e.fingerprint.clone(), e)).collect() })
    }
}

/// Marks findings as suppressed, and remembers what was of use.
#[derive(Debug)]
pub struct Suppressor<'c> {
    ignores: &'c [Ignore],
    baseline: Option<&'c Baseline>,
    today: &'c str,
    used: Vec<bool>,
    seen: Vec<String>,
    compared: bool,
    scope: Scope,
    /// The names of the tools that were judged, where others may stand in files that were not.
    tools: Vec<String>,
}

/// Which of a project's files were judged, as far as verity.yaml says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// All that there are.
    Whole,
    /// Files that were named, where verity.yaml names none: there may be others.
    Named,
    /// Not all that verity.yaml names.
    Part,
}

/// Which rules had their say on a manifest, and so, which ignores can be said to have no use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ran {
    EveryRule,
    /// `--only`, `--ignore`.
    SomeRules,
    /// None: two releases were compared, and that is all.
    NoRule,
}

impl<'c> Suppressor<'c> {
    /// `today` (`2026-11-30`) decides which ignores have expired.
    #[must_use]
    pub fn new(ignores: &'c [Ignore], baseline: Option<&'c Baseline>, today: &'c str) -> Suppressor<'c> {
        Suppressor {
            ignores,
            baseline,
            today,
            used: vec![false; ignores.len()],
            seen: Vec::new(),
            compared: false,
            scope: Scope::Whole,
            tools: Vec::new(),
        }
    }

    /// Says that these tools alone were looked at: what is known of others is neither unused nor gone.
    pub fn saw_only(&mut self, tools: impl IntoIterator<Item = String>, scope: Scope) {
        self.tools = tools.into_iter().collect();
        self.scope = scope;
    }

    /// Whether every tool that is meant was looked at; `None` stands for any tool, or none.
    fn saw(&self, tool: Option<&str>) -> bool {
        match (self.scope, tool) {
            (Scope::Whole, _) => true,
            (_, Some(pattern)) => self.tools.iter().any(|name| matches(pattern, name)),
            (_, None) => false,
        }
    }

    /// Suppress what is known among the findings of one manifest.
    pub fn apply(&mut self, findings: &mut [Finding]) {
        for finding in findings {
            let known = self.baseline.is_some_and(|b| b.entries.contains_key(&finding.fingerprint));
            if known {
                self.seen.push(finding.fingerprint.clone());
            }
            let reason = self.reason(&finding.rule, finding.tool.as_deref(), &finding.pointer);
            finding.suppressed = reason.or_else(|| known.then(|| "in the baseline".to_string()));
        }
    }

    /// Suppress the changes that are meant. `by_meaning` is false where the old release is a lock: digests show few
    /// kinds of change, so that an ignore of another kind may have its use all the same.
    pub fn apply_to_changes(&mut self, diff: &mut Diff, by_meaning: bool) {
        self.compared |= by_meaning;
        for change in &mut diff.changes {
            change.suppressed = self.reason(change.rule, change.tool.as_deref(), &change.pointer);
        }
    }

    /// The reason of the first ignore that covers this and holds. Each that covers it was of use.
    fn reason(&mut self, rule: &str, tool: Option<&str>, pointer: &str) -> Option<String> {
        let mut reason = None;
        for (ignore, used) in self.ignores.iter().zip(&mut self.used) {
            if covers(ignore, rule, tool, pointer) {
                *used = true;
                if reason.is_none() && !is_over(ignore, self.today) {
                    reason = Some(ignore.reason.clone());
                }
            }
        }
        reason
    }

    /// Whether everything that the ignore is meant for could have been found in this run.
    fn is_judged(&self, ignore: &Ignore, ran: Ran) -> bool {
        // A probe has chosen its calls: what it did not find this time it may find with the next seed.
        let saw = self.saw(ignore.tool.as_deref()) || self.is_perhaps_of_others(ignore);
        let is_of_one = is_of_diff(ignore) || is_of_lint(ignore) && saw;
        is_of_one && (self.compared || !is_of_diff(ignore)) && (ran == Ran::EveryRule || !is_of_lint(ignore))
    }

    /// Whether the ignore may be meant for a file that was not named, if there is one.
    fn is_perhaps_of_others(&self, ignore: &Ignore) -> bool {
        self.scope == Scope::Named && ignore.tool.is_none()
    }

    /// What the configuration itself is found at, once everything was judged. `config` and `baseline` are
    /// the files' names; a run that could not find what an ignore is meant for cannot say that it has no use.
    #[must_use]
    pub fn findings(mut self, config: &str, baseline: &str, ran: Ran) -> Vec<Finding> {
        let mut findings = Vec::new();
        let concerns = |ignore: &Ignore| ran != Ran::NoRule || is_of_diff(ignore);
        for (ignore, used) in self.ignores.iter().zip(&self.used).filter(|(ignore, _)| concerns(ignore)) {
            let what = format!("{config}:{}: the ignore of {}{}", ignore.line, ignore.rule, of_tool(ignore));
            if is_over(ignore, self.today) {
                let until = ignore.expires.as_deref().unwrap_or_default();
                findings.push(finding(&EXPIRED, format!("{what} expired after {until}")));
            } else if !used && self.is_judged(ignore, ran) {
                let mut unused = finding(&UNUSED, format!("{what} suppresses nothing"));
                if self.is_perhaps_of_others(ignore) && !is_of_diff(ignore) {
                    unused.message.push_str(" in the files that were named");
                    unused.severity = finding::Severity::Info;
                }
                findings.push(unused);
            }
        }
        self.seen.sort();
        let gone = |e: &&Entry| self.seen.binary_search(&e.fingerprint).is_err();
        let stale = self.baseline.iter().flat_map(|b| b.entries.values()).filter(gone);
        let stale = stale.filter(|entry| self.saw(entry.tool.as_deref()));
        for entry in stale.filter(|_| ran == Ran::EveryRule) {
            let tool = entry.tool.as_deref().map(|t| format!(" in tool `{t}`")).unwrap_or_default();
            let message = format!("{baseline}: {}{tool} at {} no longer occurs", entry.rule, entry.pointer);
            findings.push(finding(&STALE, message));
        }
        findings
    }
}

fn of_tool(ignore: &Ignore) -> String {
    ignore.tool.as_deref().map(|t| format!(" in tool `{t}`")).unwrap_or_default()
}

fn is_over(ignore: &Ignore, today: &str) -> bool {
    ignore.expires.as_deref().is_some_and(|last| last < today)
}

/// Whether the ignore can cover changes of a release.
fn is_of_diff(ignore: &Ignore) -> bool {
    rules::diff::RULES.iter().any(|rule| matches(&ignore.rule, rule.info().id))
}

/// Whether it can cover findings in a listing. (Limits of one's own profiles are in no list of rules.)
fn is_of_lint(ignore: &Ignore) -> bool {
    let of_lint = |id: &str| !id.starts_with("MCP-DIFF-") && !is_of_probe(id) && matches(&ignore.rule, id);
    let of_probe = rules::probe::RULES.iter().any(|rule| matches(&ignore.rule, rule.info().id));
    !is_of_diff(ignore) && !of_probe || rules::all().any(|rule| of_lint(rule.info().id))
}

fn is_of_probe(rule: &str) -> bool {
    rule.starts_with("MCP-PROBE-")
}

fn covers(ignore: &Ignore, rule: &str, tool: Option<&str>, pointer: &str) -> bool {
    let tool = match (&ignore.tool, tool) {
        (None, _) => true,
        (Some(pattern), Some(tool)) => matches(pattern, tool),
        (Some(_), None) => false,
    };
    let place = |wanted: &String| {
        let below = finding::tool_index(pointer).and_then(|i| pointer.strip_prefix(&format!("/tools/{i}")));
        pointer::is_within(below.unwrap_or(pointer), wanted)
    };
    tool && matches(&ignore.rule, rule) && ignore.pointer.as_ref().is_none_or(place)
}

fn finding(info: &RuleInfo, message: String) -> Finding {
    Finding {
        rule: info.id.to_string(),
        severity: info.severity,
        confidence: info.confidence,
        tool: None,
        profile: None,
        pointer: String::new(),
        source_pointer: None,
        part: Part::Value,
        span: None,
        message,
        evidence: None,
        witness: None,
        impact: info.impact,
        help: info.help.to_string(),
        fingerprint: String::new(),
        suppressed: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Severity;

    fn found(rule: &str, tool: Option<&str>, pointer: &str, print: &str) -> Finding {
        Finding {
            rule: rule.into(),
            tool: tool.map(Into::into),
            pointer: pointer.into(),
            fingerprint: print.into(),
            ..finding(&UNUSED, "m".into())
        }
    }

    fn ignore(rule: &str, tool: Option<&str>, pointer: Option<&str>, expires: Option<&str>) -> Ignore {
        Ignore {
            rule: rule.into(),
            tool: tool.map(Into::into),
            pointer: pointer.map(Into::into),
            reason: "known".into(),
            expires: expires.map(Into::into),
            line: 3,
        }
    }

    fn is_covered(ignore: &Ignore, f: &Finding) -> bool {
        covers(ignore, &f.rule, f.tool.as_deref(), &f.pointer)
    }

    /// What of two ignores (of a change, of a finding) and one of both kinds is called unused.
    fn unused(ran: Ran, by_meaning: Option<bool>) -> Vec<String> {
        let ignores = ["MCP-DIFF-DEFAULT", "MCP-TOOL-DESCRIPTION-MISSING", "MCP-*"]
            .map(|rule| ignore(rule, Some("none"), None, None));
        let mut suppressor = Suppressor::new(&ignores, None, "2026-11-30");
        if let Some(by_meaning) = by_meaning {
            suppressor.apply_to_changes(&mut Diff::default(), by_meaning);
        }
        let said = suppressor.findings("verity.yaml", "", ran).into_iter();
        said.map(|f| f.message.split(' ').nth(4).unwrap_or_default().to_string()).collect()
    }

    #[test]
    fn only_who_could_have_used_an_ignore_calls_it_unused() {
        let (change, finding, both) = ("MCP-DIFF-DEFAULT", "MCP-TOOL-DESCRIPTION-MISSING", "MCP-*");
        assert_eq!(unused(Ran::EveryRule, None), [finding], "lint");
        assert_eq!(unused(Ran::NoRule, Some(true)), [change], "diff");
        assert_eq!(unused(Ran::NoRule, Some(false)), [""; 0], "diff with a lock");
        assert_eq!(unused(Ran::EveryRule, Some(true)), [change, finding, both], "gate");
        assert_eq!(unused(Ran::EveryRule, Some(false)), [finding], "gate with a lock");
        assert_eq!(unused(Ran::SomeRules, None), [""; 0], "lint --only");
    }

    #[test]
    fn a_comparison_has_nothing_to_say_of_other_ignores_that_are_over() {
        let over = |rule| ignore(rule, None, None, Some("2026-11-29"));
        let ignores = [over("MCP-TOOL-INVALID"), over("MCP-DIFF-DEFAULT")];
        let said = Suppressor::new(&ignores, None, "2026-11-30").findings("verity.yaml", "", Ran::NoRule);
        assert_eq!(said.len(), 1);
        assert!(said[0].message.contains("MCP-DIFF-DEFAULT expired"), "{}", said[0].message);
    }

    #[test]
    fn an_ignore_covers_what_it_names() {
        let finding = found("MCP-A-B", Some("run_job"), "/tools/4/inputSchema/properties/a/minimum", "1");
        let covers = |rule, tool, pointer| is_covered(&ignore(rule, tool, pointer, None), &finding);
        assert!(
            covers("MCP-A-B", None, None)
                && covers("MCP-*", Some("run_*"), Some("/inputSchema/properties/a"))
        );
        assert!(!covers("MCP-A", None, None));
        assert!(!covers("MCP-A-B", Some("stop_*"), None));
        assert!(!covers("MCP-A-B", None, Some("/inputSchema/properties/ab")));
        let listing = found("MCP-A-B", None, "/nextCursor", "2");
        assert!(is_covered(&ignore("MCP-A-B", None, Some("/nextCursor"), None), &listing));
        assert!(!is_covered(&ignore("MCP-A-B", Some("*"), None, None), &listing));
    }

    #[test]
    fn expired_and_unused_ignores_are_findings() {
        let ignores = [
            ignore("MCP-A-*", None, None, Some("2026-11-30")),
            ignore("MCP-A-B", None, None, Some("2026-11-29")),
            ignore("MCP-C-D", Some("x"), None, None),
        ];
        let mut all =
            [found("MCP-A-B", Some("t"), "/tools/0", "1"), found("MCP-E-F", Some("t"), "/tools/0", "2")];
        let mut suppressor = Suppressor::new(&ignores, None, "2026-11-30");
        suppressor.apply(&mut all);
        assert_eq!(all.each_ref().map(|f| f.suppressed.as_deref()), [Some("known"), None]);
        let said: Vec<_> =
            suppressor.findings("verity.yaml", "", Ran::EveryRule).into_iter().map(|f| f.message).collect();
        assert_eq!(
            said,
            [
                "verity.yaml:3: the ignore of MCP-A-B expired after 2026-11-29",
                "verity.yaml:3: the ignore of MCP-C-D in tool `x` suppresses nothing"
            ]
        );
    }

    #[test]
    fn a_baseline_knows_by_fingerprint_and_says_what_is_gone() {
        let old = [found("MCP-A-B", Some("t"), "/tools/0/name", "1"), found("MCP-A-C", None, "", "2")];
        let baseline = Baseline::parse(&Baseline::of(&old).to_json()).unwrap();
        assert_eq!(baseline, Baseline::of(&old));
        let mut new = [found("MCP-A-B", Some("t"), "/tools/7/name", "1"), found("MCP-A-D", None, "", "3")];
        let mut suppressor = Suppressor::new(&[], Some(&baseline), "2026-11-30");
        suppressor.apply(&mut new);
        assert_eq!(new.each_ref().map(|f| f.suppressed.is_some()), [true, false]);
        let said = suppressor.findings("", "known.json", Ran::EveryRule);
        assert_eq!(said.len(), 1);
        assert_eq!((said[0].rule.as_str(), said[0].severity), ("MCP-CONFIG-BASELINE-STALE", Severity::Info));
        assert!(
            Baseline::parse("{\"schema_version\": 2, \"findings\": []}").unwrap_err().contains("version 2")
        );
        assert!(Baseline::parse("{}").unwrap_err().contains("no baseline"));
        assert!(Baseline::parse("[").unwrap_err().contains("not JSON"));
    }
}
