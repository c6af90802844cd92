//! Does a tool answer at all?

use super::calls::first_words;
use super::{Checked, OfTool, rules};
use crate::error::cut;
use crate::finding::Severity;
use crate::probe::results;
use crate::probe::suite::{Asked, Outcome, Round};

impl OfTool<'_> {
    pub(super) fn answers(&mut self) {
        let run = self.run;
        let name = self.name();
        let first = |which: fn(&Outcome) -> Option<&String>| {
            run.calls().find_map(|asked| Some((asked, which(&asked.outcome)?)))
        };
        let ended = first(|outcome| match outcome {
            Outcome::Ended(how) => Some(how),
            _ => None,
        });
        let refused = first(|outcome| match outcome {
            Outcome::Refused(how) => Some(how),
            _ => None,
        });
        let late = first(|outcome| match outcome {
            Outcome::Late(how) => Some(how),
            _ => None,
        });
        if let Some((asked, how)) = ended {
            let message = format!("a call of tool `{name}` ends the session: {}", cut(how));
            self.find(&rules::CRASH, "", message, &[asked]);
        }
        if let Some((asked, how)) = refused {
            // Wrong arguments are to be refused, if not in this way.
            let is_invalid = run.broken.iter().any(|(_, broken)| std::ptr::eq(broken, asked));
            let what = if is_invalid { "an invalid call" } else { "a call" };
            let message = format!("{what} of tool `{name}` is answered by an error of HTTP: {}", cut(how));
            let finding = self.find(&rules::HTTP_ERROR, "", message, &[asked]);
            if is_invalid {
                finding.severity = Severity::Warning;
            }
        }
        if let Some((asked, how)) = late {
            let message = format!("a call of tool `{name}` is not answered: {}", cut(how));
            self.find(&rules::NO_ANSWER, "", message, &[asked]);
        }
        let put_off = first(|outcome| match outcome {
            Outcome::PutOff(how) => Some(how),
            _ => None,
        });
        let misshapen = run.calls().find_map(|asked| results::shape_fault(asked.answer()?));
        let failed = ended.or(refused).or(late).map(|(_, how)| how.clone()).or(misshapen);
        let (outcome, note) = match (run.base(), failed, put_off) {
            (_, Some(how), _) => (Checked::Failed, Some(how)),
            (Some(_), None, _) => (Checked::Satisfied, None),
            (None, None, _) if run.first.is_empty() => {
                let why = run.why_stopped(Round::First).unwrap_or("no arguments are known for it");
                (Checked::Exempt, Some(format!("not called: {why}")))
            }
            (None, None, Some((_, how))) => {
                let note = format!("not called again, as it may change something: {}", cut(how));
                (Checked::Exempt, Some(note))
            }
            (None, None, None) => {
                let said = run.first.last().and_then(Asked::answer).map(first_words).unwrap_or_default();
                let tried = run.first.len();
                let note = format!(
                    "answered all {tried} valid calls with an error ({said}): give it arguments with --args"
                );
                (Checked::Exempt, Some(note))
            }
        };
        self.check("answers", outcome, note);
    }
}
