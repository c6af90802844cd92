//! What single answers show.

use super::{Checked, OfTool, rules};
use crate::contract::observation::ToolResult;
use crate::finding::Finding;
use crate::probe::results::{self, Output};
use crate::probe::suite::Asked;

impl OfTool<'_> {
    /// What single answers show, each kind once.
    pub(super) fn results(&mut self) {
        let run = self.run;
        let name = self.name();
        let tool = self.tool;
        let answered = || run.calls().filter_map(|asked| Some((asked, asked.answer()?)));
        if let Some((asked, fault)) =
            answered().find_map(|(asked, a)| Some((asked, results::shape_fault(a)?)))
        {
            self.find(
                &rules::RESULT_SHAPE,
                "",
                format!("an answer of tool `{name}` is no result of a call: {fault}"),
                &[asked],
            );
        }
        self.output();
        if let Some((asked, what)) =
            run.base().and_then(|base| Some((base, results::undeclared(tool, base.success()?)?)))
        {
            let message = format!("tool `{name}` returns {what}, and declares no outputSchema");
            self.find(&rules::OUTPUT_UNDECLARED, "", message, &[asked]);
        }
        let large = answered()
            .map(|(asked, a)| (asked, results::size(a)))
            .find(|(_, size)| *size > results::MOST_BYTES);
        if let Some((asked, size)) = large {
            let message = format!("a result of tool `{name}` holds {size} bytes of text");
            self.find(&rules::RESULT_OUTSIZED, "", message, &[asked]);
        }
        self.orders();
    }

    /// Do results keep the outputSchema?
    fn output(&mut self) {
        let (run, tool) = (self.run, self.tool);
        let outputs = || {
            let answered = run.calls().filter_map(|asked| Some((asked, asked.answer()?)));
            answered.filter_map(|(asked, answer)| Some((asked, results::output(tool, answer)?)))
        };
        let broken = outputs().find_map(|(asked, output)| match output {
            Output::Broken(how) => Some((asked, how)),
            _ => None,
        });
        if let Some((asked, fault)) = &broken {
            let message =
                format!("a result of tool `{}` does not match its outputSchema: {fault}", self.name());
            self.find(&rules::OUTPUT_SCHEMA, "/outputSchema", message, &[asked]);
        }
        let first = outputs().next().map(|(_, output)| output);
        let (outcome, note) = match (tool.output_schema(), broken, first) {
            (_, Some((_, fault)), _) => (Checked::Failed, Some(fault)),
            (None, ..) => {
                let base = run.base().and_then(Asked::success);
                let is_text = base.is_some_and(|o| o.result == ToolResult::Absent);
                let text = if is_text { ", and returns text alone" } else { "" };
                (Checked::Exempt, Some(format!("it declares no outputSchema{text}")))
            }
            (Some(_), None, Some(Output::Unjudged(why))) => (Checked::Exempt, Some(why)),
            (Some(_), None, None) if run.base().is_some() => {
                (Checked::Exempt, Some("no call of it was answered to the end".to_string()))
            }
            (Some(_), None, None) => (Checked::Exempt, Some("no call of it succeeded".to_string())),
            (Some(_), None, Some(_)) => (Checked::Satisfied, None),
        };
        self.check("output-schema", outcome, note);
    }

    /// Do results give orders to the agent? Of all that do the gravest is said.
    fn orders(&mut self) {
        let (run, name) = (self.run, self.name());
        let mut search = results::Search::new(self.tool);
        let mut gravest: Option<(&Asked, Finding)> = None;
        let mut is_answered = false;
        for (asked, answer) in run.calls().filter_map(|asked| Some((asked, asked.answer()?))) {
            is_answered = true;
            let Some(found) = search.poison(answer) else { continue };
            if gravest.as_ref().is_none_or(|(_, gravest)| results::is_graver(&found, gravest)) {
                gravest = Some((asked, found));
            }
        }
        let (outcome, note) = match (&gravest, search.limit()) {
            (Some(_), _) => (Checked::Failed, None),
            (None, Some(limit)) => (Checked::Exempt, Some(limit)),
            (None, None) => (Checked::Satisfied, None),
        };
        if let Some((asked, found)) = gravest {
            let message = format!(
                "a result of tool `{name}` gives orders to the agent ({}): {}",
                found.rule, found.message
            );
            let finding = self.find(&rules::RESULT_POISON, "", message, &[asked]);
            (finding.severity, finding.confidence, finding.evidence) =
                (found.severity, found.confidence, found.evidence);
        }
        if is_answered {
            self.check("clean-results", outcome, note);
        }
    }
}
