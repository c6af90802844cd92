//! The pre-release gate: what lint says of the listing, what a comparison with the released one says, and whether
//! the exported pack holds what it promises → one verdict with reasons. Pure; `cli::gate` reads and writes.

pub mod changes;

use crate::diff::{Change, Diff};
use crate::error::{ErrorCode, InputError};
use crate::finding::{Finding, Severity};
use crate::lint::LintedFile;
use crate::pack::check::Problem;
use crate::pack::floor::Floor;
use crate::pack::task::Skipped;
use changes::Placed;
use serde::Serialize;

/// Everything that a run of the gate found, with the verdict on it.
#[derive(Debug)]
pub struct Gate {
    pub verdict: Verdict,
    pub lint: Linted,
    pub comparison: Comparison,
    pub exports: Exports,
}

/// What lint says.
#[derive(Debug)]
pub struct Linted {
    /// In the order of the inputs; empty where none could be read.
    pub files: Vec<LintedFile>,
    /// Inputs that could not be judged, or not wholly.
    pub errors: Vec<InputError>,
    /// The severity from which findings fail; `None`: never.
    pub fails_from: Option<Severity>,
}

/// What became of the comparison with the released listing.
#[derive(Debug)]
pub enum Comparison {
    /// No released listing was named.
    NoOld,
    /// It cannot be made: OLD cannot be read, or the new listing.
    Impossible(InputError),
    Made {
        /// As the user named them.
        old: String,
        new: String,
        diff: Diff,
        /// What of it someone should look at, as findings in the new listing.
        placed: Vec<Placed>,
    },
}

/// What became of the pack, or of a pack per server.
#[derive(Debug)]
pub enum Exports {
    /// Nothing was exported: findings stop it, or the listing cannot be read.
    Refused(InputError),
    Made(Vec<TestedPack>),
}

/// A pack that was exported, and replayed.
#[derive(Debug, Clone)]
pub struct TestedPack {
    pub name: String,
    pub server: Option<String>,
    /// The manifest's path.
    pub manifest: String,
    /// The folder it was written to; `None`: it was tested in memory alone.
    pub out: Option<String>,
    pub tasks: usize,
    pub skipped: Vec<Skipped>,
    pub floor: Floor,
    pub digest: String,
    /// What the self-test found; none: every solution passes and every control fails.
    pub problems: Vec<Problem>,
}

/// The three things that the gate asks, in the order of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    Lint,
    Diff,
    Pack,
}

/// How a step ended; the gravest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    Passed,
    /// There was nothing to do, and the report says why.
    Skipped,
    Failed,
    /// It could not be done. Never a pass.
    NotJudged,
}

/// One reason why a step did not pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// Id of the rule, where one was broken.
    pub rule: Option<String>,
    pub tool: Option<String>,
    pub message: String,
}

/// How one step ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    pub step: Step,
    pub status: Status,
    /// In a line: what was looked at and what came of it.
    pub summary: String,
    /// Why it did not pass: all of it, the gravest first. Empty for a pass.
    pub reasons: Vec<Reason>,
}

/// The verdict: a part for each step, in the order lint, diff, pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub parts: Vec<Part>,
}

impl Step {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Step::Lint => "lint",
            Step::Diff => "diff",
            Step::Pack => "pack",
        }
    }
}

impl Status {
    /// For people: `not judged`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Status::Passed => "passed",
            Status::Skipped => "skipped",
            Status::Failed => "failed",
            Status::NotJudged => "not judged",
        }
    }
}

impl Verdict {
    /// The gravest of the parts; what was skipped does not hold up a pass.
    #[must_use]
    pub fn status(&self) -> Status {
        match self.parts.iter().map(|p| p.status).max() {
            Some(Status::Skipped) => Status::Passed,
            Some(status) => status,
            None => Status::NotJudged,
        }
    }

    #[must_use]
    pub fn passed(&self) -> bool {
        self.status() == Status::Passed
    }
}

impl Gate {
    /// The verdict on what the three steps found.
    #[must_use]
    pub fn of(lint: Linted, comparison: Comparison, exports: Exports) -> Gate {
        let parts = vec![lint.part(), comparison.part(), exports.part()];
        Gate { verdict: Verdict { parts }, lint, comparison, exports }
    }

    /// The linted files with the changes of the release among their findings, for formats that know findings alone.
    #[must_use]
    pub fn annotated(&self) -> Vec<LintedFile> {
        let mut files = self.lint.files.clone();
        let Comparison::Made { placed, .. } = &self.comparison else { return files };
        for one in placed {
            let manifest = files.get_mut(one.input).and_then(|f| f.manifests.get_mut(one.manifest));
            if let Some(manifest) = manifest {
                manifest.findings.push(one.finding.clone());
            }
        }
        files
    }

    /// Everything that held the gate up and is no finding: what could not be judged, and what is wrong with a pack.
    #[must_use]
    pub fn errors(&self) -> Vec<InputError> {
        let mut errors = self.lint.errors.clone();
        if let Comparison::Impossible(e) = &self.comparison {
            errors.push(e.clone());
        }
        match &self.exports {
            Exports::Refused(e) => errors.push(e.clone()),
            Exports::Made(packs) => errors.extend(packs.iter().flat_map(TestedPack::errors)),
        }
        errors
    }
}

impl Linted {
    fn part(&self) -> Part {
        let manifests = || self.files.iter().flat_map(|f| &f.manifests);
        let fails = |f: &&Finding| self.fails_from.is_some_and(|level| f.is_at_least(level));
        let mut failing: Vec<&Finding> = manifests().flat_map(|m| &m.findings).filter(fails).collect();
        failing.sort_by_key(|f| std::cmp::Reverse(f.severity));
        let mut reasons: Vec<Reason> = self.errors.iter().map(Reason::of_error).collect();
        reasons.extend(failing.iter().map(|f| Reason::of_finding(f)));
        let status = match (self.errors.is_empty() && !self.files.is_empty(), failing.is_empty()) {
            (false, _) => Status::NotJudged,
            (true, false) => Status::Failed,
            (true, true) => Status::Passed,
        };
        Part { step: Step::Lint, status, summary: self.summary(), reasons }
    }

    /// `2 errors, 1 warning, 3 info in 4 tools (1 suppressed)`.
    fn summary(&self) -> String {
        let manifests = || self.files.iter().flat_map(|f| &f.manifests);
        if self.files.is_empty() {
            return "no listing could be read".to_string();
        }
        let of = |severity| manifests().map(|m| m.count(severity)).sum::<usize>();
        let tools: usize = manifests().map(|m| m.tools.len()).sum();
        let suppressed: usize = manifests().map(|m| m.suppressed()).sum();
        let mut text = format!(
            "{}, {}, {} info in {}",
            count(of(Severity::Error), "error"),
            count(of(Severity::Warning), "warning"),
            of(Severity::Info),
            count(tools, "tool")
        );
        if suppressed > 0 {
            text.push_str(&format!(" ({suppressed} suppressed)"));
        }
        match self.fails_from {
            None => text.push_str("; no finding fails the gate (`fail_on: never`)"),
            Some(Severity::Error) => {}
            Some(Severity::Warning) => text.push_str("; it fails from warnings on"),
            Some(Severity::Info) => text.push_str("; any finding fails it"),
        }
        text
    }
}

impl Comparison {
    fn part(&self) -> Part {
        let (status, summary, reasons) = match self {
            Comparison::NoOld => (
                Status::Skipped,
                "no released listing was named, so nothing was compared: a first release, or name it with \
                 --old or as gate.old in verity.yaml"
                    .to_string(),
                Vec::new(),
            ),
            Comparison::Impossible(e) => (
                Status::NotJudged,
                "the listing could not be compared with the released one".to_string(),
                vec![Reason::of_error(e)],
            ),
            Comparison::Made { old, diff, .. } => {
                // What could not be told is no pass; who has looked at it says so under `ignores`.
                let stops = |c: &&Change| c.fails() || c.is_undecided();
                let reasons: Vec<Reason> = diff.changes.iter().filter(stops).map(Reason::of_change).collect();
                let status = if reasons.is_empty() { Status::Passed } else { Status::Failed };
                (status, diff_summary(old, diff), reasons)
            }
        };
        Part { step: Step::Diff, status, summary, reasons }
    }
}

fn diff_summary(old: &str, diff: &Diff) -> String {
    let suppressed = match diff.suppressed() {
        0 => String::new(),
        n => format!(" ({n} suppressed)"),
    };
    match diff.changes.len() {
        0 => format!("no change in meaning since {old}"),
        n => {
            format!("{} since {old}{suppressed}, required bump: {}", count(n, "change"), diff.required_bump())
        }
    }
}

impl Exports {
    fn part(&self) -> Part {
        let (status, summary, reasons) = match self {
            Exports::Refused(e) => {
                let status = if e.code == ErrorCode::Findings { Status::Failed } else { Status::NotJudged };
                (status, "no pack was exported".to_string(), vec![Reason::of_error(e)])
            }
            Exports::Made(packs) => {
                let reasons: Vec<Reason> = packs.iter().flat_map(TestedPack::reasons).collect();
                let status = packs.iter().map(TestedPack::status).max().unwrap_or(Status::NotJudged);
                (status, summary(packs), reasons)
            }
        };
        Part { step: Step::Pack, status, summary, reasons }
    }
}

fn summary(packs: &[TestedPack]) -> String {
    let tasks: usize = packs.iter().map(|p| p.tasks).sum();
    let skipped: usize = packs.iter().map(|p| p.skipped.len()).sum();
    let mut text = count(tasks, "task");
    if packs.len() > 1 {
        text.push_str(&format!(" in {} packs", packs.len()));
    }
    if skipped > 0 {
        text.push_str(&format!(", {} left out", count(skipped, "tool")));
    }
    if tasks > 0 && packs.iter().all(|p| p.problems.is_empty()) {
        text.push_str("; every solution passes and every control fails");
    }
    text
}

impl TestedPack {
    fn status(&self) -> Status {
        let of = |p: &Problem| if p.is_not_judged { Status::NotJudged } else { Status::Failed };
        match self.tasks {
            0 => Status::NotJudged,
            _ => self.problems.iter().map(of).max().unwrap_or(Status::Passed),
        }
    }

    fn nothing_gradeable(&self) -> String {
        format!(
            "none of the {} of {} can be graded, so no agent could be measured on them",
            count(self.skipped.len(), "tool"),
            self.manifest
        )
    }

    fn errors(&self) -> Vec<InputError> {
        if self.tasks == 0 {
            return vec![InputError::new(ErrorCode::NothingGradeable, self.nothing_gradeable())];
        }
        // A pack that verity made and that does not hold is no fault of the listing's.
        let error = |p: &Problem| {
            InputError::new(ErrorCode::NotAPack, format!("pack {}: {}: {}", self.name, p.file, p.message))
        };
        self.problems.iter().map(error).collect()
    }

    fn reasons(&self) -> Vec<Reason> {
        if self.tasks == 0 {
            let message = self.nothing_gradeable();
            let each = self.skipped.iter().map(|s| Reason {
                rule: None,
                tool: s.tool.clone().filter(|_| !s.hides_name),
                message: format!("{}: {}", s.reason_code.as_str(), s.reason),
            });
            return [Reason { rule: None, tool: None, message }].into_iter().chain(each).collect();
        }
        let reason = |p: &Problem| Reason {
            rule: None,
            tool: None,
            message: match p.is_not_judged {
                true => format!("{}: not judged: {}", p.file, p.message),
                false => format!("{}: {}", p.file, p.message),
            },
        };
        self.problems.iter().map(reason).collect()
    }
}

impl Reason {
    fn of_error(e: &InputError) -> Reason {
        Reason { rule: None, tool: None, message: e.to_string() }
    }

    fn of_finding(f: &Finding) -> Reason {
        Reason { rule: Some(f.rule.clone()), tool: f.tool.clone(), message: f.message.clone() }
    }

    fn of_change(c: &Change) -> Reason {
        Reason { rule: Some(c.rule.to_string()), tool: c.tool.clone(), message: c.message.clone() }
    }
}

fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::Class;
    use crate::lint::{self, Options};
    use crate::manifest::Input;
    use crate::source;

    fn linted(listing: &str, fails_from: Option<Severity>) -> Linted {
        let input = Input::of_document(source::parse("tools.json", listing.into()).unwrap()).unwrap();
        let files = lint::inputs(vec![input], &Options::default()).into_iter().map(Result::unwrap).collect();
        Linted { files, errors: Vec::new(), fails_from }
    }

    fn made(changes: &[Class]) -> Comparison {
        let change = |class: &Class| Change {
            class: *class,
            rule: "MCP-DIFF-TOOL-REMOVED",
            server: None,
            tool: Some("book".into()),
            pointer: "/tools/0".into(),
            message: "gone".into(),
            witness: None,
            suppressed: None,
        };
        let diff = Diff { changes: changes.iter().map(change).collect() };
        Comparison::Made { old: "released.json".into(), new: "tools.json".into(), diff, placed: Vec::new() }
    }

    fn pack(tasks: usize, problems: &[bool]) -> Exports {
        let problem = |is_not_judged: &bool| Problem {
            file: "book.yaml".into(),
            line: None,
            pointer: None,
            task: None,
            is_not_judged: *is_not_judged,
            message: "the reference solution fails".into(),
        };
        Exports::Made(vec![TestedPack {
            name: "tools".into(),
            server: None,
            manifest: "tools.json".into(),
            out: None,
            tasks,
            skipped: Vec::new(),
            floor: Floor { baselines: Vec::new(), tasks },
            digest: String::new(),
            problems: problems.iter().map(problem).collect(),
        }])
    }

    /// No errors; one warning, since the tool has no description.
    const WARNS: &str =
        r#"{"tools": [{"name": "book", "inputSchema": {"type": "object", "additionalProperties": false}}]}"#;

    fn statuses(gate: &Gate) -> [Status; 3] {
        [0, 1, 2].map(|i| gate.verdict.parts[i].status)
    }

    #[test]
    fn all_three_must_pass_and_a_first_release_may() {
        let gate = Gate::of(linted(WARNS, Some(Severity::Error)), Comparison::NoOld, pack(2, &[]));
        assert_eq!(statuses(&gate), [Status::Passed, Status::Skipped, Status::Passed]);
        assert!(gate.verdict.passed());
        assert!(gate.verdict.parts[1].summary.contains("first release"));
        assert_eq!(gate.verdict.parts[2].summary, "2 tasks; every solution passes and every control fails");
    }

    #[test]
    fn each_part_has_its_reasons() {
        let gate = Gate::of(
            linted(WARNS, Some(Severity::Warning)),
            made(&[Class::Breaking, Class::Additive]),
            pack(2, &[false]),
        );
        assert_eq!(statuses(&gate), [Status::Failed; 3]);
        assert_eq!(gate.verdict.status(), Status::Failed);
        let [lint, diff, pack] = [0, 1, 2].map(|i| &gate.verdict.parts[i].reasons);
        assert_eq!(lint.len(), 1);
        assert_eq!(lint[0].rule.as_deref(), Some("MCP-TOOL-DESCRIPTION-MISSING"));
        assert_eq!(diff.len(), 1, "what does not break is no reason");

        assert_eq!(pack[0].message, "book.yaml: the reference solution fails");
        assert!(
            gate.verdict.parts[1].summary.ends_with("2 changes since released.json, required bump: major")
        );
    }

    #[test]
    fn a_change_that_nobody_could_tell_is_no_pass_until_someone_looked() {
        let mut comparison = made(&[Class::Warning]);
        let Comparison::Made { diff, .. } = &mut comparison else { unreachable!() };
        diff.changes[0].rule = crate::rules::diff::OUTPUT_UNDECIDED.id;
        let mut looked_at = diff.clone();
        looked_at.changes[0].suppressed = Some("looked at".into());
        let status = |comparison| statuses(&Gate::of(linted(WARNS, None), comparison, pack(2, &[])))[1];
        assert_eq!(status(comparison), Status::Failed);
        let suppressed =
            Comparison::Made { old: "a".into(), new: "b".into(), diff: looked_at, placed: Vec::new() };
        assert_eq!(status(suppressed), Status::Passed);
        assert_eq!(status(made(&[Class::Warning])), Status::Passed);
    }

    #[test]
    fn what_is_not_judged_is_never_a_pass() {
        let empty = || Linted { files: Vec::new(), errors: Vec::new(), fails_from: None };
        let error = || InputError::new(ErrorCode::Unreadable, "no such file").at("released.json");
        let refused = |code| Exports::Refused(InputError::new(code, "3 findings"));
        for (lint, comparison, exports, expected) in [
            (empty(), Comparison::NoOld, pack(1, &[]), Status::NotJudged),
            (linted(WARNS, None), Comparison::Impossible(error()), pack(1, &[]), Status::NotJudged),
            (linted(WARNS, None), made(&[]), pack(0, &[]), Status::NotJudged),
            (linted(WARNS, None), made(&[]), pack(2, &[false, true]), Status::NotJudged),
            (linted(WARNS, None), made(&[]), Exports::Made(Vec::new()), Status::NotJudged),
            (linted(WARNS, None), made(&[]), refused(ErrorCode::Incomplete), Status::NotJudged),
            (linted(WARNS, None), made(&[]), refused(ErrorCode::Findings), Status::Failed),
            (linted(WARNS, None), made(&[Class::Routing]), pack(1, &[]), Status::Passed),
            (linted(WARNS, None), made(&[Class::Security]), pack(1, &[]), Status::Failed),
        ] {
            let gate = Gate::of(lint, comparison, exports);
            assert_eq!(gate.verdict.status(), expected, "{:#?}", gate.verdict);
            assert_eq!(gate.verdict.passed(), expected == Status::Passed);
        }
        let mut incomplete = linted(WARNS, None);
        incomplete.errors.push(error());
        assert_eq!(Gate::of(incomplete, made(&[]), pack(1, &[])).verdict.status(), Status::NotJudged);
    }
}
