//! JUnit XML, as CI systems read it: a suite a manifest, a case a tool and family of rules.

use super::screen::safe;
use super::{Setting, file_of, path};
use crate::bounds;
use crate::error::InputError;
use crate::finding::{Finding, Severity};
use crate::lint::{LintedFile, LintedManifest};
use crate::rules;
use crate::rules::page;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The report. A case fails by what makes the run fail; other findings are its output.
#[must_use]
pub fn render(files: &[LintedFile], errors: &[InputError], setting: Setting<'_>) -> String {
    let mut suites: Vec<Suite> = Vec::new();
    for file in files {
        suites.extend(file.manifests.iter().map(|m| suite(file, m, setting)));
    }
    if !errors.is_empty() {
        suites.push(of_errors(errors));
    }
    let (tests, failures, broken) =
        suites.iter().fold((0, 0, 0), |sum, s| (sum.0 + s.tests, sum.1 + s.failures, sum.2 + s.errors));
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<testsuites name=\"verity\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{broken}\">"
    );
    for s in &suites {
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">",
            xml(&s.name),
            s.tests,
            s.failures,
            s.errors
        );
        if s.suppressed > 0 {
            let _ = writeln!(
                out,
                "    <properties><property name=\"suppressed\" value=\"{}\"/></properties>",
                s.suppressed
            );
        }
        out.push_str(&s.cases);
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

#[derive(Default)]
struct Suite {
    name: String,
    suppressed: usize,
    tests: usize,
    failures: usize,
    errors: usize,
    cases: String,
}

/// Text for XML 1.0: what acts is made visible, what is markup is escaped.
pub(super) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in safe(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            // XML has neither of these.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

fn suite(file: &LintedFile, manifest: &LintedManifest, setting: Setting<'_>) -> Suite {
    let mut families = rules::families();
    // A family that was not asked for must not look like one that passed.
    let has_changes = manifest.findings.iter().any(is_change);
    // What was called is judged by its answers alone.
    let is_probe = manifest.is_probe;
    families.retain(|f| !is_probe || *f == "PROBE");
    families.retain(|f| match *f {
        "COMPAT" => !manifest.clients.is_empty(),
        "DIFF" => has_changes,
        "PROBE" => is_probe,
        _ => true,
    });
    let mut by_case: BTreeMap<(Option<usize>, &str), Vec<&Finding>> = BTreeMap::new();
    for finding in &manifest.findings {
        let family = finding.rule.split('-').nth(1).unwrap_or_default();
        // MCP-INPUT-SCHEMA-… is an old name of the schema family.
        let family = families.iter().find(|f| **f == family).copied().unwrap_or("SCHEMA");
        by_case.entry((finding.tool_index(), family)).or_default().push(finding);
    }
    let name = path::relative(&manifest.path, setting.base);
    let suppressed = manifest.findings.iter().filter(|f| f.suppressed.is_some()).count();
    let mut suite = Suite { name: name.clone(), suppressed, ..Suite::default() };
    if let Some(server) = &manifest.server {
        suite.name = format!("{name} ({server})");
    }
    let places = std::iter::once(None).chain((0..manifest.tools.len()).map(Some));
    for place in places {
        let who = match place {
            None => "the listing".to_string(),
            Some(i) => manifest
                .tools
                .get(i)
                .and_then(|t| t.name.as_deref().map(|name| bounds::name(name).into_owned()))
                .unwrap_or_else(|| format!("the tool at position {}", i + 1)),
        };
        for family in &families {
            let found = by_case.get(&(place, *family)).map(Vec::as_slice).unwrap_or_default();
            suite.case(&name, &who, family, found, |f| line(file, manifest, f, setting));
        }
    }
    suite
}

impl Suite {
    fn case(
        &mut self,
        class: &str,
        who: &str,
        family: &str,
        found: &[&Finding],
        line: impl Fn(&Finding) -> (bool, String),
    ) {
        self.tests += 1;
        let head = format!("    <testcase classname=\"{}\" name=\"{}: {family}\"", xml(class), xml(who));
        if found.is_empty() {
            let _ = writeln!(self.cases, "{head}/>");
            return;
        }
        let lines: Vec<(bool, String)> = found.iter().map(|f| line(f)).collect();
        let join = |fails: bool| {
            let some: Vec<String> = lines.iter().filter(|l| l.0 == fails).map(|l| xml(&l.1)).collect();
            some.join("\n")
        };
        let (failing, other) = (join(true), join(false));
        let _ = writeln!(self.cases, "{head}>");
        if !failing.is_empty() {
            self.failures += 1;
            let first = lines.iter().find(|l| l.0).map(|l| l.1.as_str()).unwrap_or_default();
            let _ = writeln!(self.cases, "      <failure message=\"{}\">{failing}</failure>", xml(first));
        }
        if !other.is_empty() {
            let _ = writeln!(self.cases, "      <system-out>{other}</system-out>");
        }
        self.cases.push_str("    </testcase>\n");
    }
}

/// Whether the finding makes the run fail, and what it says in one line.
fn line(
    file: &LintedFile,
    manifest: &LintedManifest,
    finding: &Finding,
    setting: Setting<'_>,
) -> (bool, String) {
    let place = path::relative(file_of(file, manifest, finding), setting.base);
    let at = finding.span.map_or(place.clone(), |s| format!("{place}:{}:{}", s.line, s.column));
    let severity = page::severity(finding.severity);
    // What a release breaks fails the gate whatever lint is told.
    let fails = setting.fails_from.is_some_and(|level| finding.is_at_least(level))
        || is_change(finding) && finding.is_at_least(Severity::Error);
    let reason = finding.suppressed.as_ref().map(|why| format!(" (suppressed: {why})")).unwrap_or_default();
    let text = format!("{at}: {severity} {}: {}{reason}", finding.rule, finding.message);
    (fails && finding.suppressed.is_none(), text)
}

fn is_change(finding: &Finding) -> bool {
    finding.rule.starts_with("MCP-DIFF-")
}

fn of_errors(errors: &[InputError]) -> Suite {
    let mut suite = Suite { name: "inputs".to_string(), ..Suite::default() };
    for error in errors {
        suite.tests += 1;
        suite.errors += 1;
        let name = error.path.as_deref().unwrap_or("input");
        let _ = writeln!(
            suite.cases,
            "    <testcase classname=\"inputs\" name=\"{}\">\n      <error message=\"{}\"/>\n    </testcase>",
            xml(name),
            xml(&error.to_string())
        );
    }
    suite
}
