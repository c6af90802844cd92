//! Events of a reader → [`Trace`]: answers meet their calls by id, never by position.

pub(super) use super::found::{NewAnswer, NewArguments, NewCall};
use super::ids::{Ids as Seen, hash};
use super::store::{Context, Kept, Outcome, Packed, Piece, Pool};
use super::{Finding, Format, Said, Trace, numbers, repeats};
use crate::error::{ErrorCode, InputError, cut};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Findings that are kept.
pub(super) const MAX_FINDINGS: usize = 1000;
/// Bytes of arguments, answers and texts that are kept of one recording.
pub const MAX_KEPT: usize = 768 << 20;

/// How ids of calls may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ids {
    /// Once in a session.
    Once,
    /// Again, when the call before has its answer.
    WhenAnswered,
    /// At will: answers meet their calls otherwise.
    Free,
}

/// Collects what a reader finds.
#[derive(Debug)]
pub(super) struct Builder {
    format: Format,
    ids: Ids,
    calls: Vec<Packed>,
    contexts: Vec<Context>,
    known: BTreeMap<Context, u32>,
    pool: Pool,
    said: Vec<Said>,
    findings: Vec<Finding>,
    more_findings: usize,
    sessions: Vec<String>,
    known_sessions: BTreeSet<String>,
    said_bytes: usize,
    session: String,
    scope: u64,
    member: Option<String>,
    line: usize,
    /// Keys that occur twice in one object of the JSON text that is read, once asked.
    repeated: Option<Vec<String>>,
    raw: String,
    open: BTreeMap<(u64, String), u32>,
    seen: Seen,
    turns: BTreeMap<String, u32>,
    events: u32,
    /// Outcomes are as the reader says, for calls without an answer, too.
    is_told: bool,
    pub(super) listing: Option<Vec<Value>>,
}

impl Builder {
    pub(super) fn new(format: Format) -> Builder {
        Builder {
            format,
            ids: if format.is_wire() { Ids::Once } else { Ids::WhenAnswered },
            calls: Vec::new(),
            contexts: Vec::new(),
            known: BTreeMap::new(),
            pool: Pool::default(),
            said: Vec::new(),
            findings: Vec::new(),
            more_findings: 0,
            sessions: Vec::new(),
            known_sessions: BTreeSet::new(),
            said_bytes: 0,
            session: String::new(),
            scope: hash(0, ""),
            member: None,
            line: 0,
            repeated: None,
            raw: String::new(),
            open: BTreeMap::new(),
            seen: Seen::default(),
            turns: BTreeMap::new(),
            events: 0,
            is_told: false,
            listing: None,
        }
    }

    /// What comes are rows of a recording in another format.
    pub(super) fn take_rows_of(&mut self, format: Format) {
        (self.format, self.ids, self.is_told) = (format, Ids::Free, true);
    }

    /// The JSON text that comes next, and its line.
    pub(super) fn text(&mut self, line: usize, raw: &str) {
        (self.line, self.repeated) = (line, None);
        self.raw.clear();
        self.raw.push_str(raw);
    }

    /// The file of an archive that comes next.
    pub(super) fn member(&mut self, name: &str) {
        self.member = Some(name.to_string());
    }

    /// What follows belongs to this session: ids count within it.
    pub(super) fn enter(&mut self, session: &str) {
        if self.session != session {
            self.session = session.to_string();
            self.scope = hash(0, session);
        }
    }

    pub(super) fn session(&self) -> &str {
        &self.session
    }

    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// A turn of the conversation begins: what was called in the ones before has been answered, or never will be.
    pub(super) fn turn(&mut self) {
        *self.turns.entry(self.session.clone()).or_default() += 1;
    }

    /// An error at the JSON text that is read.
    pub(super) fn fault(&self, message: impl Into<String>) -> InputError {
        let message = message.into();
        let message = match &self.member {
            Some(member) => format!("{}: {message}", cut(member)),
            None => message,
        };
        let error = InputError::new(ErrorCode::NotARecording, message);
        if self.line > 0 { error.line_column(self.line, 1) } else { error }
    }

    pub(super) fn find(&mut self, kind: &'static str, message: String, call: Option<usize>) {
        if self.findings.len() >= MAX_FINDINGS {
            self.more_findings += 1;
            return;
        }
        self.findings.push(Finding { kind, message, call, line: self.line });
    }

    /// What `actor` said; nothing for blank text.
    pub(super) fn say(&mut self, actor: &'static str, text: &str) -> Result<(), InputError> {
        if text.trim().is_empty() {
            return Ok(());
        }
        self.note_session();
        let session = self.session.clone();
        let at = self.event();
        self.said.push(Said { actor, text: text.to_string(), session, at });
        self.said_bytes += text.len();
        self.within_bounds()
    }

    /// The next event's number, from 1.
    fn event(&mut self) -> u32 {
        self.events = self.events.saturating_add(1);
        self.events
    }

    fn within_bounds(&self) -> Result<(), InputError> {
        if self.pool.bytes() + self.said_bytes <= MAX_KEPT {
            return Ok(());
        }
        let message = format!(
            "arguments, results and texts of the recording add up to more than {} MiB",
            MAX_KEPT >> 20
        );
        Err(InputError::new(ErrorCode::TooLarge, message).help("Split the recording by session."))
    }

    fn note_session(&mut self) {
        if self.sessions.last() != Some(&self.session) && self.known_sessions.insert(self.session.clone()) {
            self.sessions.push(self.session.clone());
        }
    }

    /// A call.
    ///
    /// # Errors
    /// Its id is that of a call which may still be answered, or, on the wire, of any other.
    pub(super) fn call(&mut self, new: &NewCall<'_>) -> Result<usize, InputError> {
        self.note_session();
        let number = self.calls.len() + 1;
        let context = self.context(new);
        let id = new.id.unwrap_or_default();
        if !id.is_empty() && self.ids != Ids::Free {
            self.open_id(id, number)?;
        }
        let (kept, arguments) = self.arguments(new, number);
        let packed = Packed {
            context,
            line: u32::try_from(self.line).unwrap_or(u32::MAX),
            turn: self.turns.get(&self.session).copied().unwrap_or_default(),
            made: self.event(),
            answered: 0,
            id: self.pool.add(id),
            arguments,
            kept,
            pointer: self.pointer(new.pointer),
            outcome: Outcome::Lost,
            text: Piece::default(),
            structured: Piece::default(),
        };
        self.calls.push(packed);
        self.within_bounds()?;
        Ok(number - 1)
    }

    /// The pointer of a call is that of the one before in most logs.
    fn pointer(&mut self, pointer: &str) -> Piece {
        match self.calls.last().map(|c| c.pointer) {
            Some(last) if self.pool.get(last) == pointer => last,
            _ => self.pool.add(pointer),
        }
    }

    fn open_id(&mut self, id: &str, number: usize) -> Result<(), InputError> {
        let key = (self.scope, id.to_string());
        if let Some(other) = self.open.get(&key) {
            let message = format!(
                "the id `{}` is that of call {} too, which has no answer yet: nobody can tell their answers apart",
                cut(id),
                other + 1
            );
            return Err(self.fault(message).help("Record each session in a file of its own."));
        }
        if !self.seen.add(self.scope, id) {
            if self.ids == Ids::Once {
                let message = format!("the id `{}` was used by an earlier request of this session", cut(id));
                return Err(self.fault(message).help(
                    "JSON-RPC ids are used once in a session; record each session in a file of its own.",
                ));
            }
            self.find("id-reused", format!("the id `{}` was used by an earlier call", cut(id)), Some(number));
        }
        self.open.insert(key, u32::try_from(number - 1).unwrap_or(u32::MAX));
        Ok(())
    }

    fn context(&mut self, new: &NewCall<'_>) -> u32 {
        let owned = |text: Option<&str>| text.map(str::to_string);
        let context = Context {
            tool: new.tool.to_string(),
            server: owned(new.server),
            session: self.session.clone(),
            parent: owned(new.parent),
            member: self.member.clone(),
        };
        if let Some(known) = self.known.get(&context) {
            return *known;
        }
        let at = u32::try_from(self.contexts.len()).unwrap_or(u32::MAX);
        self.contexts.push(context.clone());
        self.known.insert(context, at);
        at
    }

    fn arguments(&mut self, new: &NewCall<'_>, number: usize) -> (Kept, Piece) {
        match new.arguments {
            NewArguments::NotRecorded => {
                let message = "the recording does not hold the arguments of this call".to_string();
                self.find("arguments-not-recorded", message, Some(number));
                (Kept::NotRecorded, Piece::default())
            }
            NewArguments::Value(value) => {
                self.find_repeats(number);
                self.find_shape(value, number);
                (Kept::Json, self.pool.add(&value.to_string()))
            }
            // What an API sends for a tool without parameters.
            NewArguments::Text("") => (Kept::Json, self.pool.add("{}")),
            NewArguments::Text(text) => match numbers::parse(text) {
                Ok((value, _)) => {
                    let repeated = repeats::keys(text);
                    self.say_repeats(&repeated, number);
                    self.find_shape(&value, number);
                    (Kept::Json, self.pool.add(&value.to_string()))
                }
                Err(e) => {
                    let message = format!("the arguments are not JSON: {e}");
                    self.find("arguments-not-json", message, Some(number));
                    (Kept::Text, self.pool.add(text))
                }
            },
        }
    }

    fn find_shape(&mut self, value: &Value, number: usize) {
        if !value.is_object() {
            let message = "the arguments are not a JSON object".to_string();
            self.find("arguments-not-an-object", message, Some(number));
        }
    }

    fn find_repeats(&mut self, number: usize) {
        if self.repeated.is_none() {
            self.repeated = Some(repeats::keys(&self.raw));
        }
        let repeated = self.repeated.clone().unwrap_or_default();
        self.say_repeats(&repeated, number);
    }

    fn say_repeats(&mut self, repeated: &[String], number: usize) {
        if let Some(key) = repeated.first() {
            let message = format!(
                "the key `{}` stands twice in one object; the last one counts here, and other readers may take the first",
                cut(key)
            );
            self.find("duplicate-key", message, Some(number));
        }
    }

    /// Whether a call with this id waits for its answer.
    pub(super) fn is_open(&self, id: &str) -> bool {
        self.open.contains_key(&(self.scope, id.to_string()))
    }

    /// Whether a call with this id has been seen.
    pub(super) fn is_known(&self, id: &str) -> bool {
        self.seen.holds(self.scope, id)
    }

    /// The answer to the call with this id.
    ///
    /// # Errors
    /// No call waits for it.
    pub(super) fn answer(&mut self, id: &str, answer: &NewAnswer<'_>) -> Result<(), InputError> {
        match self.open.remove(&(self.scope, id.to_string())) {
            Some(index) => self.settle(index as usize, answer),
            None if self.is_known(id) => {
                Err(self.fault(format!("a second result for the call with id `{}`", cut(id))))
            }
            None => Err(self
                .fault(format!("a result for the id `{}`, and no call before it has that id", cut(id)))
                .help("The recording is cut off at its start, or its lines are out of order.")),
        }
    }

    /// The answer to the call at `index`, from 0.
    ///
    /// # Errors
    /// More text than is kept.
    pub(super) fn settle(&mut self, index: usize, answer: &NewAnswer<'_>) -> Result<(), InputError> {
        let text = self.pool.add(&answer.text);
        let structured = answer.structured.map(|v| self.pool.add(&v.to_string())).unwrap_or_default();
        let answered = self.event();
        if let Some(call) = self.calls.get_mut(index) {
            call.answered = answered;
            (call.outcome, call.text, call.structured) = (answer.outcome, text, structured);
        }
        self.within_bounds()
    }

    /// The call at `index`, which has no answer, ended so.
    pub(super) fn leave(&mut self, index: usize, outcome: Outcome) {
        if let Some(call) = self.calls.get_mut(index) {
            call.outcome = outcome;
        }
    }

    /// Whether the call at `index` has its answer.
    pub(super) fn is_answered(&self, index: usize) -> bool {
        self.calls.get(index).is_some_and(|c| c.answered > 0)
    }

    /// The call with this id has its answer inline, or none will be told from another's.
    pub(super) fn close(&mut self, id: &str) {
        self.open.remove(&(self.scope, id.to_string()));
    }

    /// What was collected. In a transcript, what was called in the last turn is not answered *yet*.
    pub(super) fn finish(mut self) -> Trace {
        let records_answers = self.format.records_answers();
        let is_told = self.is_told;
        let is_open = |c: &&mut Packed| !is_told && c.outcome == Outcome::Lost && c.text == Piece::default();
        for call in self.calls.iter_mut().filter(is_open) {
            let session = self.contexts.get(call.context as usize).map_or("", |c| c.session.as_str());
            let is_last = self.turns.get(session).copied().unwrap_or_default() == call.turn;
            if !records_answers || !self.format.is_wire() && is_last {
                call.outcome = Outcome::NotRecorded;
            }
        }
        self.findings.sort_by_key(|f| f.call);
        Trace {
            format: self.format,
            findings: self.findings,
            more_findings: self.more_findings,
            said: self.said,
            listing: self.listing,
            calls: self.calls,
            contexts: self.contexts,
            pool: self.pool,
            sessions: self.sessions,
        }
    }
}
