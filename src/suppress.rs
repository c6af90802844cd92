//! Findings that are known: ignores of `verity.yaml` and the baseline. A suppressed finding stays in the
//! report and does not count; what suppresses nothing any more is a finding itself.

use crate::config::{Ignore, matches};
use crate::finding::{Finding, Part};
use crate::pointer;
use crate::rules::RuleInfo;
use crate::rules::config::{EXPIRED, STALE, UNUSED};
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
}

impl<'c> Suppressor<'c> {
    /// `today` (`2026-11-30`) decides which ignores have expired.
    #[must_use]
    pub fn new(ignores: &'c [Ignore], baseline: Option<&'c Baseline>, today: &'c str) -> Suppressor<'c> {
        Suppressor { ignores, baseline, today, used: vec![false; ignores.len()], seen: Vec::new() }
    }

    /// Suppress what is known among the findings of one manifest.
    pub fn apply(&mut self, findings: &mut [Finding]) {
        for finding in findings {
            let known = self.baseline.is_some_and(|b| b.entries.contains_key(&finding.fingerprint));
            if known {
                self.seen.push(finding.fingerprint.clone());
            }
            let mut reason = None;
            for (ignore, used) in self.ignores.iter().zip(&mut self.used) {
                if covers(ignore, finding) {
                    *used = true;
                    if reason.is_none() && !is_over(ignore, self.today) {
                        reason = Some(ignore.reason.clone());
                    }
                }
            }
            finding.suppressed = reason.or_else(|| known.then(|| "in the baseline".to_string()));
        }
    }

    /// What the configuration itself is found at, once everything was judged. `config` and `baseline` are
    /// the files' names; a run of some rules alone cannot say that an ignore has no use.
    #[must_use]
    pub fn findings(mut self, config: &str, baseline: &str, all_rules_ran: bool) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (ignore, used) in self.ignores.iter().zip(&self.used) {
            let what = format!("{config}:{}: the ignore of {}{}", ignore.line, ignore.rule, of_tool(ignore));
            if is_over(ignore, self.today) {
                let until = ignore.expires.as_deref().unwrap_or_default();
                findings.push(finding(&EXPIRED, format!("{what} expired after {until}")));
            } else if !used && all_rules_ran {
                findings.push(finding(&UNUSED, format!("{what} suppresses nothing")));
            }
        }
        self.seen.sort();
        let gone = |e: &&Entry| self.seen.binary_search(&e.fingerprint).is_err();
        let stale = self.baseline.iter().flat_map(|b| b.entries.values()).filter(gone);
        for entry in stale.filter(|_| all_rules_ran) {
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

fn covers(ignore: &Ignore, finding: &Finding) -> bool {
    let tool = match (&ignore.tool, &finding.tool) {
        (None, _) => true,
        (Some(pattern), Some(tool)) => matches(pattern, tool),
        (Some(_), None) => false,
    };
    let place = |wanted: &String| {
        let below = finding.tool_index().and_then(|i| finding.pointer.strip_prefix(&format!("/tools/{i}")));
        pointer::is_within(below.unwrap_or(&finding.pointer), wanted)
    };
    tool && matches(&ignore.rule, &finding.rule) && ignore.pointer.as_ref().is_none_or(place)
}

fn finding(info: &RuleInfo, message: String) -> Finding {
    Finding {
        rule: info.id.to_string(),
        severity: info.severity,
        confidence: info.confidence,
        tool: None,
        profile: None,
        pointer: String::new(),
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

    #[test]
    fn an_ignore_covers_what_it_names() {
        let finding = found("MCP-A-B", Some("run_job"), "/tools/4/inputSchema/properties/a/minimum", "1");
        let covers = |rule, tool, pointer| super::covers(&ignore(rule, tool, pointer, None), &finding);
        assert!(
            covers("MCP-A-B", None, None)
                && covers("MCP-*", Some("run_*"), Some("/inputSchema/properties/a"))
        );
        assert!(!covers("MCP-A", None, None));
        assert!(!covers("MCP-A-B", Some("stop_*"), None));
        assert!(!covers("MCP-A-B", None, Some("/inputSchema/properties/ab")));
        let listing = found("MCP-A-B", None, "/nextCursor", "2");
        assert!(super::covers(&ignore("MCP-A-B", None, Some("/nextCursor"), None), &listing));
        assert!(!super::covers(&ignore("MCP-A-B", Some("*"), None, None), &listing));
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
            suppressor.findings("verity.yaml", "", true).into_iter().map(|f| f.message).collect();
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
        let said = suppressor.findings("", "known.json", true);
        assert_eq!(said.len(), 1);
        assert_eq!((said[0].rule.as_str(), said[0].severity), ("MCP-CONFIG-BASELINE-STALE", Severity::Info));
        assert!(
            Baseline::parse("{\"schema_version\": 2, \"findings\": []}").unwrap_err().contains("version 2")
        );
        assert!(Baseline::parse("{}").unwrap_err().contains("no baseline"));
        assert!(Baseline::parse("[").unwrap_err().contains("not JSON"));
    }
}
