//! Calls → findings, and for every tool a record of what was checked, so that nothing that was not looked at passes for
//! sound.

mod answers;
mod calls;
mod caps;
mod listing;
mod single;

pub use listing::After;

use super::port::Observation;
use super::results;
use super::suite::{Asked, Outcome, Round, ToolRun};
use crate::contract::preflight::{CheckRecord, Outcome as Checked};
use crate::error::cut;
use crate::finding::{Confidence, Finding, Severity};
use crate::generate::Mutant;
use crate::manifest::{Manifest, Revision, Tool};
use crate::rules::probe as rules;
use crate::rules::{RuleInfo, Sink, ToolView};
use calls::{is_refusal_in_prose, is_same, shown};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What a probe came to.
#[derive(Debug, Clone, Default)]
pub struct Judged {
    pub findings: Vec<Finding>,
    /// In the order of the tools; `operation_id` is the tool's name.
    pub checks: Vec<CheckRecord>,
}

/// Judge all calls. `announced`: whether the server has said that its listing would be another one after them.
#[must_use]
pub fn judge(manifest: &Manifest, runs: &[ToolRun], after: After<'_>, announced: bool) -> Judged {
    let mut judged = Judged::default();
    for run in runs {
        let Some(tool) = manifest.tools.get(run.index) else { continue };
        let mut judge = OfTool { tool, run, revision: manifest.revision(), judged: &mut judged };
        match &run.left_out {
            Some(reason) => judge.check("answers", Checked::Exempt, Some(format!("not called: {reason}"))),
            None => judge.all(),
        }
    }
    listing::listing(manifest, after, announced, &mut judged);
    judged
}

struct OfTool<'j> {
    tool: &'j Tool,
    run: &'j ToolRun,
    revision: Revision,
    judged: &'j mut Judged,
}

/// The keywords that say which members there may be: most validators drop what they do not know.
const OF_UNKNOWN_MEMBERS: [&str; 3] = ["additionalProperties", "unevaluatedProperties", "propertyNames"];

impl OfTool<'_> {
    fn all(&mut self) {
        self.answers();
        self.results();
        self.repeats();
        let uncapped = self.caps();
        self.arguments(&uncapped);
        self.refuses();
    }

    fn check(&mut self, kind: &'static str, outcome: Checked, note: Option<String>) {
        let operation_id = Some(self.run.name.clone());
        self.judged.checks.push(CheckRecord { kind, operation_id, outcome, note });
    }

    /// A finding about the tool, with these calls as its witness.
    fn find(
        &mut self,
        info: &'static RuleInfo,
        below: &str,
        message: String,
        calls: &[&Asked],
    ) -> &mut Finding {
        let mut sink = Sink::for_tool(info, &ToolView::new(self.tool));
        let witness = json!({"calls": calls.iter().map(|asked| shown(asked)).collect::<Vec<_>>()});
        sink.emit_with_witness(format!("{}{below}", self.tool.pointer()), message, Some(witness));
        self.judged.findings.extend(sink.into_findings());
        let last = self.judged.findings.len() - 1;
        #[allow(clippy::indexing_slicing)] // the one pushed above
        &mut self.judged.findings[last]
    }

    fn name(&self) -> String {
        cut(&self.run.name)
    }

    /// Is the same call the same?
    fn repeats(&mut self) {
        let run = self.run;
        let Some(base) = run.base() else { return };
        let Some(again) = run.again.as_ref().filter(|again| again.answer().is_some()) else {
            let why = run.why_stopped(Round::Again).unwrap_or("the same call was not answered again");
            return self.check("repeatable", Checked::Exempt, Some(why.to_string()));
        };
        if is_same(base, again) {
            return self.check("repeatable", Checked::Satisfied, None);
        }
        let message = format!("tool `{}` answers the same call differently", self.name());
        self.find(&rules::UNSTABLE, "", message, &[base, again]);
        self.check("repeatable", Checked::Exempt, Some("the result changes from call to call".to_string()));
    }

    /// Does every argument matter?
    fn arguments(&mut self, uncapped: &BTreeSet<String>) {
        const KIND: &str = "arguments-matter";
        let run = self.run;
        let Some(base) = run.base() else { return };
        let mut tried: BTreeMap<&str, Vec<&Asked>> = BTreeMap::new();
        for (argument, asked) in run.varied.iter().filter(|(_, asked)| asked.answer().is_some()) {
            tried.entry(argument).or_default().push(asked);
        }
        match &run.again {
            _ if tried.is_empty() => {
                let why = run.why_stopped(Round::Varied).unwrap_or("no argument could be changed alone");
                return self.check(KIND, Checked::Exempt, Some(why.to_string()));
            }
            Some(again) if is_same(base, again) => {}
            _ => {
                let note =
                    "whether a difference comes of an argument cannot be told: the result changes by itself";
                return self.check(KIND, Checked::Exempt, Some(note.to_string()));
            }
        }
        let ignored: Vec<(&str, &Asked)> = tried
            .iter()
            .filter(|(_, all)| all.iter().all(|asked| is_same(base, asked)))
            .filter_map(|(argument, all)| Some((*argument, *all.first()?)))
            .collect();
        let (name, is_own) = (self.name(), run.is_own);
        if ignored.is_empty() {
            return match run.why_stopped(Round::Varied) {
                None => self.check(KIND, Checked::Satisfied, None),
                Some(why) => {
                    self.check(KIND, Checked::Exempt, Some(format!("not every argument was tried: {why}")))
                }
            };
        }
        let names: Vec<String> = ignored.iter().map(|(argument, _)| format!("`{}`", cut(argument))).collect();
        let names = names.join(", ");
        // Where nothing is met, nothing that narrows or sorts it can show.
        if base.success().is_some_and(results::is_empty) {
            let note =
                format!("no difference by {names}, and the result is empty: give it arguments with --args");
            return self.check(KIND, Checked::Exempt, Some(note));
        }
        let is_meant = |argument: &str| run.meant.contains(argument);
        if ignored.len() == tried.len()
            && let Some((_, asked)) = ignored.first()
        {
            let message = format!(
                "tool `{name}` answers the same, whatever is asked: {} of its arguments changed nothing",
                ignored.len()
            );
            let finding = self.find(&rules::ALL_IGNORED, "/inputSchema", message, &[base, asked]);
            // Arguments of nobody's meet nothing so easily that this is a question, not a charge.
            if !is_own || !ignored.iter().any(|(argument, _)| is_meant(argument)) {
                finding.severity = Severity::Info;
            }
        } else {
            // A made-up value that meets nothing (a pattern to leave out, a date) is no evidence.
            // Of a cap that caps nothing that is said already.
            let unsaid = |argument: &str| is_meant(argument) && !uncapped.contains(argument);
            for (argument, asked) in ignored.iter().filter(|(argument, _)| unsaid(argument)) {
                let place =
                    format!("/inputSchema/properties/{}", argument.replace('~', "~0").replace('/', "~1"));
                let message = format!("argument `{}` of tool `{name}` made no difference", cut(argument));
                let finding = self.find(&rules::ARGUMENT_IGNORED, &place, message, &[base, asked]);
                if !is_own {
                    (finding.severity, finding.confidence) = (Severity::Info, Confidence::Low);
                }
            }
        }
        let is_charge = is_own && ignored.iter().any(|(argument, _)| is_meant(argument));
        let outcome = if is_charge { Checked::Failed } else { Checked::Exempt };
        self.check(KIND, outcome, Some(format!("no difference by {names}")));
    }

    /// Are arguments refused that its own schema refuses?
    fn refuses(&mut self) {
        const KIND: &str = "refuses-invalid";
        let run = self.run;
        let name = self.name();
        // What is no answer refuses nothing.
        let is_answer = |a: &&Observation| !a.is_protocol_error || results::shape_fault(a).is_none();
        let answered: Vec<(&Mutant, &Asked, &Observation)> = run
            .broken
            .iter()
            .filter_map(|(mutant, asked)| Some((mutant, asked, asked.answer().filter(is_answer)?)))
            .collect();
        let is_accepted =
            |a: &Observation| !a.is_error && !results::is_question(a) && !is_refusal_in_prose(a);
        let accepted: Vec<(&Mutant, &Asked)> = answered
            .iter()
            .filter(|(_, _, a)| is_accepted(a))
            .map(|(mutant, asked, _)| (*mutant, *asked))
            .collect();
        let of_unknown = |mutant: &Mutant| OF_UNKNOWN_MEMBERS.contains(&mutant.keyword.as_str());
        for is_unknown in [false, true] {
            let these: Vec<_> =
                accepted.iter().filter(|(mutant, _)| of_unknown(mutant) == is_unknown).collect();
            let Some((mutant, asked)) = these.first() else { continue };
            let places: Vec<String> =
                these.iter().take(4).map(|(m, _)| format!("`{}`", cut(&m.pointer))).collect();
            let more = if these.len() > 4 { ", …" } else { "" };
            let message = format!(
                "tool `{name}` accepts arguments that its inputSchema refuses: by {}{more}",
                places.join(", ")
            );
            let below = format!("/inputSchema{}", mutant.pointer);
            let witness: Vec<&Asked> = run.base().into_iter().chain([*asked]).collect();
            let finding = self.find(&rules::INVALID_ACCEPTED, &below, message, &witness);
            if is_unknown {
                finding.severity = Severity::Info;
            }
        }
        let code =
            |a: &Observation| a.envelope.get("code").and_then(Value::as_i64).filter(|_| a.is_protocol_error);
        if let Some((_, asked, _)) = answered.iter().find(|(_, _, a)| code(a) == Some(-32603)) {
            let message = format!("tool `{name}` answers invalid arguments with an internal error (-32603)");
            self.find(&rules::INVALID_INTERNAL, "", message, &[asked]);
        }
        let by_protocol = answered.iter().find(|(_, _, a)| code(a).is_some_and(|code| code != -32603));
        if let Some((_, asked, _)) = by_protocol.filter(|_| self.revision >= Revision::V2025_11_25) {
            let message = format!("tool `{name}` refuses invalid arguments by an error of the protocol");
            self.find(&rules::INVALID_PROTOCOL_ERROR, "", message, &[asked]);
        }
        if answered.is_empty() {
            let why = run.why_stopped(Round::Broken).unwrap_or("no call with invalid arguments was answered");
            return self.check(KIND, Checked::Exempt, Some(why.to_string()));
        }
        let wrong = accepted.iter().filter(|(mutant, _)| !of_unknown(mutant)).count();
        let (outcome, note) = match wrong {
            0 if run.base().is_none() => {
                (Checked::Exempt, Some("it refuses the valid calls, too".to_string()))
            }
            0 => match run.why_stopped(Round::Broken) {
                None => (Checked::Satisfied, None),
                Some(why) => {
                    let note =
                        format!("refused {} calls, and more were meant to be made: {why}", answered.len());
                    (Checked::Exempt, Some(note))
                }
            },
            n => (Checked::Failed, Some(format!("accepted {n} of {} invalid calls", answered.len()))),
        };
        self.check(KIND, outcome, note);
    }
}
