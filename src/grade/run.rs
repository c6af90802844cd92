//! One run of a recording, as expectations look at it: its calls by tool, its events in order.

use crate::expect::compare::is_same;
use crate::trace::{Arguments, Call, Said, Trace};
use serde_json::Value;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// More calls than this are not kept parsed: what they hold is read anew each time it is asked for.
const MAX_PARSED: usize = 20_000;

/// Something that happened.
#[derive(Debug, Clone, Copy)]
pub(super) struct Event {
    /// Its number in the recording.
    pub(super) at: u32,
    pub(super) what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// A call, by its position in the run.
    Call(usize),
    /// The answer to that call.
    Answer(usize),
    /// A text, by its position among the run's.
    Said(usize),
}

/// The calls and texts of one run.
pub(super) struct Run<'t> {
    /// Its name, where the recording has several.
    pub(super) name: Option<String>,
    pub(super) trace: &'t Trace,
    /// Indices of its calls in the recording, in order.
    calls: Vec<u32>,
    pub(super) said: Vec<&'t Said>,
    by_tool: BTreeMap<&'t str, Vec<usize>>,
    parsed: Vec<OnceCell<Sent>>,
    events: OnceCell<Vec<Event>>,
}

/// The arguments of a call, parsed.
#[derive(Debug, Clone)]
pub(super) enum Sent {
    Value(Value),
    Text(String),
    NotRecorded,
}

impl<'t> Run<'t> {
    /// The runs of a recording: its sessions where each is one, else all of it.
    pub(super) fn all(trace: &'t Trace) -> Vec<Run<'t>> {
        let sessions = trace.sessions();
        if !trace.format.sessions_are_runs() || sessions.len() < 2 {
            return vec![Run::of(trace, None)];
        }
        sessions.iter().map(|s| Run::of(trace, Some(s))).collect()
    }

    fn of(trace: &'t Trace, session: Option<&str>) -> Run<'t> {
        let is_own = |s: &str| session.is_none_or(|session| session == s);
        let mut by_tool: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut calls = Vec::new();
        for call in trace.calls().filter(|c| is_own(c.session())) {
            by_tool.entry(call.tool()).or_default().push(calls.len());
            calls.push(u32::try_from(call.number() - 1).unwrap_or(u32::MAX));
        }
        let said = trace.said.iter().filter(|s| is_own(&s.session)).collect();
        let parsed = if calls.len() <= MAX_PARSED { vec![OnceCell::new(); calls.len()] } else { Vec::new() };
        Run {
            name: session.map(str::to_string),
            trace,
            calls,
            said,
            by_tool,
            parsed,
            events: OnceCell::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.calls.len()
    }

    /// The call at a position in the run.
    pub(super) fn call(&self, position: usize) -> Option<Call<'t>> {
        self.trace.call(*self.calls.get(position)? as usize)
    }

    /// Its number in the recording, from 1.
    pub(super) fn number(&self, position: usize) -> usize {
        self.calls.get(position).map_or(0, |i| *i as usize + 1)
    }

    pub(super) fn calls(&self) -> impl DoubleEndedIterator<Item = (usize, Call<'t>)> + '_ {
        (0..self.len()).filter_map(|position| Some((position, self.call(position)?)))
    }

    /// Positions of the calls to what a document calls `target`.
    pub(super) fn calls_to(&self, target: &str) -> Vec<usize> {
        if let Some(positions) = self.by_tool.get(target)
            && !target.contains("__")
        {
            return positions.clone();
        }
        // With the server in the name.
        let is_it = |p: &usize| self.call(*p).is_some_and(|c| is_called(&c, target));
        let mut positions: Vec<usize> = self
            .by_tool
            .iter()
            .filter(|(tool, _)| target.ends_with(**tool))
            .flat_map(|(_, positions)| positions.iter().copied().filter(is_it))
            .collect();
        positions.sort_unstable();
        positions
    }

    /// The tools that were called.
    pub(super) fn tools(&self) -> impl Iterator<Item = &'t str> + '_ {
        self.by_tool.keys().copied()
    }

    /// What the call at `position` sent.
    pub(super) fn with_sent<T>(&self, position: usize, look: impl FnOnce(&Sent) -> T) -> T {
        let read = || match self.call(position).map(|c| c.arguments()) {
            Some(Arguments::Value(value)) => Sent::Value(value),
            Some(Arguments::Text(text)) => Sent::Text(text.to_string()),
            Some(Arguments::NotRecorded) | None => Sent::NotRecorded,
        };
        match self.parsed.get(position) {
            Some(kept) => look(kept.get_or_init(read)),
            None => look(&read()),
        }
    }

    /// Everything that happened, in order.
    pub(super) fn events(&self) -> &[Event] {
        self.events.get_or_init(|| {
            let calls = self.calls().flat_map(|(p, call)| {
                let answer = call.answered().map(|at| Event { at, what: What::Answer(p) });
                [Some(Event { at: call.made(), what: What::Call(p) }), answer].into_iter().flatten()
            });
            let said = self.said.iter().enumerate().map(|(i, s)| Event { at: s.at, what: What::Said(i) });
            let mut all: Vec<Event> = calls.chain(said).collect();
            all.sort_by_key(|e| e.at);
            all
        })
    }

    /// What the assistant said last.
    pub(super) fn final_answer(&self) -> Option<&'t Said> {
        self.said.iter().rev().find(|s| s.actor == "assistant").copied()
    }
}

/// Whether `call` is one to `target`: the tool's name, alone or with its server's.
pub(super) fn is_called(call: &Call<'_>, target: &str) -> bool {
    call.tool() == target
        || call.server().is_some_and(|server| {
            let rest = target.strip_prefix("mcp__").unwrap_or(target).strip_prefix(server);
            rest.is_some_and(|r| ["/", ".", ":", "__"].iter().any(|s| r.strip_prefix(s) == Some(call.tool())))
        })
}

/// Whether two calls send the same.
pub(super) fn same_arguments(a: &Call<'_>, b: &Call<'_>) -> bool {
    if a.arguments_text() == b.arguments_text() {
        return a.arguments() != Arguments::NotRecorded;
    }
    match (a.arguments(), b.arguments()) {
        (Arguments::Value(a), Arguments::Value(b)) => is_same(&a, &b),
        _ => false,
    }
}
