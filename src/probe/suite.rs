//! The calls of a probe without a contract, in rounds: every tool once, again with the same arguments, with one
//! argument changed, with a small cap where much came back, with arguments that its schema refuses. Bounded in calls, the same for the same answers and seed.

use super::arguments::Material;
use super::caps;
use super::port::{CallRequest, Fault, FaultCode, Observation, Server};
use crate::generate::Mutant;
use crate::manifest::{Manifest, Tool};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// How to probe.
#[derive(Debug, Clone)]
pub struct Settings {
    pub seed: String,
    /// Calls in all, at most.
    pub max_calls: usize,
    /// Tools that are not read-only by their own hint and may be called all the same, with how many times.
    pub writes: BTreeMap<String, usize>,
    /// Arguments of the user's own, by tool.
    pub given: BTreeMap<String, Vec<Map<String, Value>>>,
    /// Calls of an earlier run that were begun, and of which nothing more is known, by tool: see [`super::log`].
    pub begun: BTreeMap<String, usize>,
}

/// Arguments that are tried until one call succeeds.
const TRIES: usize = 3;
/// A tool that ended the server or did not answer so often is let be.
const HURTS: usize = 2;
/// A server that let so many calls after one another run out of their time is asked no more: each one costs the whole of it.
const SILENT: usize = 4;

/// Bytes of answers that are kept to be judged, about; what comes after that is not asked for.
const MOST_KEPT: usize = 128 << 20;

/// What came of one call.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Answered(Observation),
    /// The server went, or spoke no protocol any more; how.
    Ended(String),
    /// HTTP said no, and nobody why in a message of the protocol; how.
    Refused(String),
    /// Over its time or size; how.
    Late(String),
    /// The server would have it made again later, and it is not: it may change something.
    PutOff(String),
}

/// The calls of a tool, by what they are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Round {
    First,
    Again,
    Varied,
    Capped,
    Broken,
}

/// Why calls that were meant to be made were not. Of several bounds of the whole probe, the first here is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// The bound on all calls.
    Calls,
    /// The bound on the time of all calls together.
    Time,
    /// The bound on what is kept of the answers.
    Kept,
    /// The bound on calls of a tool that may change something.
    Writes,
    /// The tool ended the server, or did not answer, too often.
    Hurts,
    /// The server does not answer any more.
    Silent,
}

impl Stop {
    /// Whether it is a bound of the whole probe, and not of one tool.
    #[must_use]
    pub fn is_of_all(self) -> bool {
        matches!(self, Stop::Calls | Stop::Time | Stop::Kept | Stop::Silent)
    }

    /// As a note says it.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Stop::Calls => "the number of calls is bounded (--max-calls)",
            Stop::Time => "the time of the probe as a whole is over (--max-time)",
            Stop::Kept => "the answers are too large to keep more of them",
            Stop::Writes => "it may not be called more often (--allow-writes)",
            Stop::Hurts => "it is let be after two calls that brought no answer",
            Stop::Silent => "the server let four calls after one another run out of their time",
        }
    }
}

/// One call.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    pub arguments: Map<String, Value>,
    pub outcome: Outcome,
}

impl Asked {
    /// The answer, if there is one.
    #[must_use]
    pub fn answer(&self) -> Option<&Observation> {
        match &self.outcome {
            Outcome::Answered(observation) => Some(observation),
            _ => None,
        }
    }

    /// The answer of a call that went well.
    #[must_use]
    pub fn success(&self) -> Option<&Observation> {
        self.answer().filter(|o| !o.is_error)
    }
}

/// All calls of one tool.
#[derive(Debug, Clone, Default)]
pub struct ToolRun {
    /// Position in the listing.
    pub index: usize,
    pub name: String,
    /// Why it was not called at all.
    pub left_out: Option<String>,
    /// Valid calls until one succeeded; the last of them is what the others are compared with.
    pub first: Vec<Asked>,
    /// The same call once more.
    pub again: Option<Asked>,
    /// The same call with this argument changed.
    pub varied: Vec<(String, Asked)>,
    /// The same call with this argument, a cap on what comes back, made small.
    pub capped: Vec<(String, Asked)>,
    /// Arguments that were given a value that is more than made up: the user's, or one that the schema names.
    pub meant: BTreeSet<String>,
    /// Calls that the inputSchema refuses.
    pub broken: Vec<(Mutant, Asked)>,
    /// Whether the arguments are of somebody who knows the tool.
    pub is_own: bool,
    /// The rounds in which calls that were meant to be made were not, and why.
    pub stopped: BTreeMap<Round, Stop>,
}

impl ToolRun {
    /// Every call in its order.
    pub fn calls(&self) -> impl Iterator<Item = &Asked> {
        let varied = self.varied.iter().chain(&self.capped).map(|(_, asked)| asked);
        let broken = self.broken.iter().map(|(_, asked)| asked);
        self.first.iter().chain(&self.again).chain(varied).chain(broken)
    }

    /// The valid call that went well.
    #[must_use]
    pub fn base(&self) -> Option<&Asked> {
        self.first.last().filter(|asked| asked.success().is_some())
    }

    /// Whether calls were left out for a bound of the whole probe.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.stopped.values().any(|stop| stop.is_of_all())
    }

    /// Why calls of this round were left out, as a note says it.
    #[must_use]
    pub fn why_stopped(&self, round: Round) -> Option<&'static str> {
        self.stopped.get(&round).map(|stop| stop.reason())
    }

    fn hurts(&self) -> usize {
        self.calls().filter(|asked| asked.answer().is_none()).count()
    }
}

struct Suite<'s> {
    server: &'s mut dyn Server,
    /// Calls that may still be made.
    left: usize,
    progress: &'s mut dyn FnMut(usize, &str),
    made: usize,
    /// What the answers take in memory, about.
    kept: usize,
    /// Calls that may still be made of tools that may change something: by name, since that is all that a call says.
    writes: BTreeMap<String, usize>,
    /// Calls without an answer in time since the last one that had one.
    silent: usize,
}

/// An entry of the listing with what it is called with.
struct Subject<'m> {
    tool: &'m Tool,
    material: Material,
    is_read: bool,
    run: ToolRun,
}

/// Make the calls. `progress` hears the number of each call and the tool's name before it is made.
///
/// # Errors
/// A fault that is no tool's: the server cannot be started (again), or somebody interrupted.
pub fn run(
    manifest: &Manifest,
    server: &mut dyn Server,
    settings: &Settings,
    progress: &mut dyn FnMut(usize, &str),
) -> Result<Vec<ToolRun>, Fault> {
    let mut subjects: Vec<Subject<'_>> =
        manifest.tools.iter().map(|tool| Subject::of(tool, manifest, settings)).collect();
    let left_of = |(name, times): (&String, &usize)| (name.clone(), settings.left_of(name, *times));
    let writes = settings.writes.iter().map(left_of).collect();
    let mut suite = Suite { server, left: settings.max_calls, progress, made: 0, kept: 0, writes, silent: 0 };
    let rounds = [Suite::first, Suite::again, Suite::varied, Suite::capped, Suite::broken];
    for round in rounds {
        for subject in subjects.iter_mut().filter(|s| s.run.left_out.is_none()) {
            round(&mut suite, subject)?;
        }
    }
    Ok(subjects.into_iter().map(|subject| subject.run).collect())
}

/// What a value takes in memory, about.
fn weight(value: &Value) -> usize {
    const EACH: usize = 72;
    EACH + match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(members) => members.iter().map(|(key, value)| key.len() + weight(value)).sum(),
        _ => 0,
    }
}

/// Whether the tool says of itself that it changes nothing.
fn is_read_only(tool: &Tool) -> bool {
    tool.value.pointer("/annotations/readOnlyHint") == Some(&Value::Bool(true))
}

impl Settings {
    /// How often a tool that may change something may be called, where the user allows so many calls of it.
    fn left_of(&self, name: &str, times: usize) -> usize {
        times.saturating_sub(self.begun.get(name).copied().unwrap_or_default())
    }
}

impl<'m> Subject<'m> {
    fn of(tool: &'m Tool, manifest: &Manifest, settings: &Settings) -> Subject<'m> {
        let name = tool.name().unwrap_or_default().to_string();
        let given = settings.given.get(&name).map(Vec::as_slice).unwrap_or_default();
        let begun = settings.begun.get(&name).copied().unwrap_or_default();
        // Which of two tools of one name a call meets, the server alone knows.
        let mut of_name = manifest.tools.iter().filter(|other| other.name() == tool.name());
        let is_read = of_name.all(is_read_only);
        let allowed = settings.writes.get(&name).map(|times| settings.left_of(&name, *times));
        let allowed = if is_read { usize::MAX } else { allowed.unwrap_or_default() };
        let mut run = ToolRun { index: tool.index, name, ..ToolRun::default() };
        let material = match () {
            () if run.name.is_empty() => Err("it has no name".to_string()),
            () if allowed == 0 && settings.writes.contains_key(&run.name) => Err(format!(
                "it was called before the probe was interrupted, and whether that was carried out is not known \
                 (--allow-writes {}={})",
                run.name,
                begun + 1
            )),
            () if allowed == 0 && is_read_only(tool) => Err(format!(
                "another tool of its name is not read-only by its own hint (--allow-writes {})",
                run.name
            )),
            () if allowed == 0 => {
                Err(format!("it is not read-only by its own hint (--allow-writes {})", run.name))
            }
            () => Material::of(tool, &settings.seed, given),
        };
        let material = material.unwrap_or_else(|reason| {
            run.left_out = Some(reason);
            Material::default()
        });
        run.is_own = material.is_own;
        Subject { tool, material, is_read, run }
    }
}

impl Suite<'_> {
    /// Why this tool may not be called once more.
    fn stop(&self, subject: &Subject<'_>) -> Option<Stop> {
        let is_spent = || self.writes.get(&subject.run.name).is_none_or(|left| *left == 0);
        match () {
            () if !subject.is_read && is_spent() => Some(Stop::Writes),
            () if subject.run.hurts() >= HURTS => Some(Stop::Hurts),
            () if self.silent >= SILENT => Some(Stop::Silent),
            () if self.left == 0 => Some(Stop::Calls),
            () if self.server.is_over() => Some(Stop::Time),
            () if self.kept > MOST_KEPT => Some(Stop::Kept),
            () => None,
        }
    }

    /// One call, if there is room for it.
    fn ask(
        &mut self,
        subject: &mut Subject<'_>,
        round: Round,
        arguments: &Map<String, Value>,
    ) -> Result<Option<Asked>, Fault> {
        if let Some(stop) = self.stop(subject) {
            subject.run.stopped.insert(round, stop);
            return Ok(None);
        }
        self.server.ready()?;
        self.left -= 1;
        self.made += 1;
        if let Some(left) = self.writes.get_mut(&subject.run.name).filter(|_| !subject.is_read) {
            *left -= 1;
        }
        (self.progress)(self.made, &subject.run.name);
        let tool = subject.run.name.clone();
        let (interface, is_read) = (String::new(), subject.is_read);
        let request = CallRequest { interface, tool, arguments: arguments.clone(), is_read };
        let outcome = match self.server.call(&request) {
            Ok(observation) => {
                self.kept = self.kept.saturating_add(weight(&observation.envelope));
                Outcome::Answered(observation)
            }
            Err(fault) => match fault.code {
                FaultCode::PortFailure if !is_read && matches!(fault.status, Some(404 | 429)) => {
                    Outcome::PutOff(fault.detail)
                }
                FaultCode::PortFailure if fault.status.is_some() => Outcome::Refused(fault.detail),
                FaultCode::PortFailure | FaultCode::PortContractViolation => Outcome::Ended(fault.detail),
                FaultCode::BudgetExhausted => Outcome::Late(fault.detail),
                FaultCode::Aborted | FaultCode::ForbiddenTarget => return Err(fault),
            },
        };
        self.silent = if matches!(outcome, Outcome::Late(_)) { self.silent + 1 } else { 0 };
        Ok(Some(Asked { arguments: arguments.clone(), outcome }))
    }

    fn first(&mut self, subject: &mut Subject<'_>) -> Result<(), Fault> {
        for arguments in subject.material.tries(subject.tool).into_iter().take(TRIES) {
            let Some(asked) = self.ask(subject, Round::First, &arguments)? else { break };
            let done = asked.success().is_some();
            subject.run.first.push(asked);
            if done {
                break;
            }
        }
        Ok(())
    }

    fn again(&mut self, subject: &mut Subject<'_>) -> Result<(), Fault> {
        if let Some(arguments) = subject.run.base().map(|base| base.arguments.clone()) {
            subject.run.again = self.ask(subject, Round::Again, &arguments)?;
        }
        Ok(())
    }

    fn varied(&mut self, subject: &mut Subject<'_>) -> Result<(), Fault> {
        let Some(base) = subject.run.base().map(|base| base.arguments.clone()) else { return Ok(()) };
        for variation in subject.material.variations(subject.tool, &base) {
            if variation.is_meant {
                subject.run.meant.insert(variation.argument.clone());
            }
            for arguments in variation.calls {
                let Some(asked) = self.ask(subject, Round::Varied, &arguments)? else { return Ok(()) };
                subject.run.varied.push((variation.argument.clone(), asked));
            }
        }
        Ok(())
    }

    fn capped(&mut self, subject: &mut Subject<'_>) -> Result<(), Fault> {
        for cap in caps::caps(subject.tool) {
            let Some(arguments) = caps::call(subject.tool, &subject.run, &cap) else { continue };
            let Some(asked) = self.ask(subject, Round::Capped, &arguments)? else { return Ok(()) };
            subject.run.capped.push((cap, asked));
        }
        Ok(())
    }

    fn broken(&mut self, subject: &mut Subject<'_>) -> Result<(), Fault> {
        for mutant in subject.material.broken.clone() {
            let Value::Object(arguments) = &mutant.instance else { continue };
            let Some(asked) = self.ask(subject, Round::Broken, arguments)? else { return Ok(()) };
            subject.run.broken.push((mutant, asked));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
