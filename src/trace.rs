//! Recorded calls: bytes of a recording in → [`Trace`], one model for every format. Pure: nothing is opened here.
//!
//! [`Recording`] takes a file line by line and finds out what it is ([`Format`]); a reader a format turns each JSON
//! text into calls, answers and texts; [`build`] pairs answers with calls by id. Calls keep their order.

mod anthropic;
mod archive;
mod atif;
mod build;
mod claude;
mod edit;
mod format;
mod found;
mod frame;
mod ids;
mod inspect;
mod langchain;
mod mcp;
mod numbers;
mod openai;
mod otlp;
mod parts;
mod promptfoo;
mod repeats;
mod responses;
mod rows;
mod simulator;
mod store;
mod tooltrace;

pub use archive::{MAX_ARCHIVE, is_archive, read_archive};
pub use build::MAX_KEPT;
pub use edit::Edit;
pub use format::Format;
pub use frame::{MAX_LINE, Recording};
pub use simulator::Fixtures;
pub use store::Outcome;

use crate::error::InputError;
use serde_json::{Value, json};
use store::{Context, Kept, Packed, Pool, value};

/// What a recording holds.
#[derive(Debug, Clone)]
pub struct Trace {
    pub format: Format,
    /// What a reader of the recording should know, in its order.
    pub findings: Vec<Finding>,
    /// Findings beyond the first [`build::MAX_FINDINGS`].
    pub more_findings: usize,
    /// What user and assistant said, in order.
    pub said: Vec<Said>,
    /// The tools that the recorded server listed, where it did and the listing is whole.
    pub listing: Option<Vec<Value>>,
    calls: Vec<Packed>,
    contexts: Vec<Context>,
    pool: Pool,
    sessions: Vec<String>,
}

/// Something about the recording that its calls do not show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Kebab-case.
    pub kind: &'static str,
    pub message: String,
    /// Number of the call, from 1.
    pub call: Option<usize>,
    /// From 1; 0 where there are no lines.
    pub line: usize,
}

/// A text of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// `user` or `assistant`.
    pub actor: &'static str,
    pub text: String,
    pub session: String,
    /// Its number among all events of the recording, as of [`Call::made`].
    pub at: u32,
}

/// The arguments of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Arguments<'t> {
    Value(Value),
    /// What was sent is no JSON.
    Text(&'t str),
    /// The recording does not hold them.
    NotRecorded,
}

/// One call of a recording.
#[derive(Debug, Clone, Copy)]
pub struct Call<'t> {
    trace: &'t Trace,
    packed: &'t Packed,
    context: &'t Context,
    index: usize,
}

/// The whole recording `bytes`; `path` is only shown.
///
/// # Errors
/// See [`Recording`].
pub fn read(path: &str, bytes: &[u8], fixtures: &Fixtures) -> Result<Trace, InputError> {
    if is_archive(bytes) {
        return read_archive(path, bytes);
    }
    let mut recording = Recording::new(path, fixtures.clone());
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        recording.line(line)?;
    }
    recording.finish()
}

impl Trace {
    /// Every call, in order.
    pub fn calls(&self) -> impl DoubleEndedIterator<Item = Call<'_>> + ExactSizeIterator {
        let whole =
            move |index: usize, packed| Call { trace: self, packed, context: self.context(packed), index };
        self.calls.iter().enumerate().map(move |(index, packed)| whole(index, packed))
    }

    /// The call at `index`, from 0.
    #[must_use]
    pub fn call(&self, index: usize) -> Option<Call<'_>> {
        let packed = self.calls.get(index)?;
        Some(Call { trace: self, packed, context: self.context(packed), index })
    }

    /// How many calls there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// The sessions, in the order of their first call or text.
    #[must_use]
    pub fn sessions(&self) -> &[String] {
        &self.sessions
    }

    /// What the assistant said last.
    #[must_use]
    pub fn final_answer(&self) -> Option<&str> {
        self.said.iter().rev().find(|s| s.actor == "assistant").map(|s| s.text.as_str())
    }

    /// Indices among [`Trace::said`] of what the assistant says last, in each run.
    #[must_use]
    pub fn final_answers(&self) -> Vec<usize> {
        let last = |is_own: &dyn Fn(&Said) -> bool| {
            self.said.iter().rposition(|s| s.actor == "assistant" && is_own(s))
        };
        if self.format.sessions_are_runs() {
            self.sessions.iter().filter_map(|session| last(&|s| s.session == *session)).collect()
        } else {
            last(&|_| true).into_iter().collect()
        }
    }

    /// This recording with `text` as what the assistant says in the end, where its format holds no texts.
    #[must_use]
    pub fn with_final_answer(mut self, text: &str) -> Trace {
        let last = self.calls.iter().map(|c| c.made.max(c.answered)).chain(self.said.iter().map(|s| s.at));
        let at = last.max().unwrap_or_default().saturating_add(1);
        let session = self.sessions.last().cloned().unwrap_or_default();
        self.said.push(Said { actor: "assistant", text: text.to_string(), session, at });
        self
    }

    fn context(&self, packed: &Packed) -> &Context {
        static NOTHING: Context =
            Context { tool: String::new(), server: None, session: String::new(), parent: None, member: None };
        self.contexts.get(packed.context as usize).unwrap_or(&NOTHING)
    }
}

impl<'t> Call<'t> {
    /// Position in the recording, from 1.
    #[must_use]
    pub fn number(&self) -> usize {
        self.index + 1
    }

    #[must_use]
    pub fn tool(&self) -> &'t str {
        &self.context.tool
    }

    #[must_use]
    pub fn server(&self) -> Option<&'t str> {
        self.context.server.as_deref()
    }

    #[must_use]
    pub fn session(&self) -> &'t str {
        &self.context.session
    }

    /// Id of the call that started the sub-agent which makes this one.
    #[must_use]
    pub fn parent(&self) -> Option<&'t str> {
        self.context.parent.as_deref()
    }

    #[must_use]
    pub fn id(&self) -> Option<&'t str> {
        Some(self.trace.pool.get(self.packed.id)).filter(|id| !id.is_empty())
    }

    #[must_use]
    pub fn arguments(&self) -> Arguments<'t> {
        let text = self.trace.pool.get(self.packed.arguments);
        match self.packed.kept {
            Kept::Json => value(text).map_or(Arguments::Text(text), Arguments::Value),
            Kept::Text => Arguments::Text(text),
            Kept::NotRecorded => Arguments::NotRecorded,
        }
    }

    /// The arguments as the recording has them, as text; empty where it has none. Equal texts are equal arguments.
    #[must_use]
    pub fn arguments_text(&self) -> &'t str {
        self.trace.pool.get(self.packed.arguments)
    }

    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.packed.outcome
    }

    /// Text of the answer, or what went wrong; empty where there is none.
    #[must_use]
    pub fn text(&self) -> &'t str {
        self.trace.pool.get(self.packed.text)
    }

    /// Structured content of the answer.
    #[must_use]
    pub fn structured(&self) -> Option<Value> {
        value(self.trace.pool.get(self.packed.structured))
    }

    /// What the answer says, as a value: its structured content, else its text, which may be JSON. `None` where there
    /// is no answer.
    #[must_use]
    pub fn payload(&self) -> Option<Value> {
        if matches!(self.outcome(), Outcome::Lost | Outcome::NotRecorded) && self.text().is_empty() {
            return None;
        }
        let text = || value(self.text()).unwrap_or_else(|| Value::String(self.text().to_string()));
        Some(self.structured().unwrap_or_else(text))
    }

    /// Its number among all events of the recording, from 1.
    #[must_use]
    pub fn made(&self) -> u32 {
        self.packed.made
    }

    /// The number of its answer; `None` where none came.
    #[must_use]
    pub fn answered(&self) -> Option<u32> {
        Some(self.packed.answered).filter(|at| *at > 0)
    }

    /// Line of the recording, from 1; 0 in an archive.
    #[must_use]
    pub fn line(&self) -> usize {
        self.packed.line as usize
    }

    /// What `verity trace` prints of it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let result = match (self.outcome(), self.text(), self.structured()) {
            (Outcome::Lost | Outcome::NotRecorded, "", None) => Value::Null,
            (outcome, text, structured) => {
                json!({ "kind": result_kind(outcome), "text": text, "structured": structured })
            }
        };
        let arguments = match self.arguments() {
            Arguments::Value(value) => value,
            Arguments::Text(text) => Value::String(text.to_string()),
            Arguments::NotRecorded => Value::Null,
        };
        let mut source = serde_json::Map::new();
        if let Some(member) = &self.context.member {
            source.insert("file".to_string(), json!(member));
        }
        if self.packed.line > 0 {
            source.insert("line".to_string(), json!(self.packed.line));
        }
        source.insert("pointer".to_string(), json!(self.trace.pool.get(self.packed.pointer)));
        let mut out = json!({ "index": self.number(), "tool": self.tool(), "server": self.server(), "call_id": self.id(),
            "arguments": arguments, "outcome": self.outcome().word(), "result": result, "source": source,
            "session": self.session(), "parent": self.parent() });
        let of_call = |f: &&Finding| f.call == Some(self.number());
        let findings: Vec<Value> = self
            .trace
            .findings_of(self.number())
            .iter()
            .filter(of_call)
            .map(|f| json!({ "kind": f.kind, "message": f.message }))
            .collect();
        if let (false, Value::Object(members)) = (findings.is_empty(), &mut out) {
            members.insert("findings".to_string(), Value::Array(findings));
        }
        out
    }
}

/// How an answer ended, in the words of reports.
#[must_use]
pub fn result_kind(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "result",
        Outcome::Refused => "error-result",
        Outcome::Protocol => "protocol-error",
        Outcome::Rejected => "rejected",
        Outcome::Lost => "lost",
        Outcome::NotRecorded => "not-recorded",
    }
}

impl Trace {
    /// The findings on a call: they are sorted by it, those on none first.
    fn findings_of(&self, call: usize) -> &[Finding] {
        let start = self.findings.partition_point(|f| f.call < Some(call));
        let end = self.findings.partition_point(|f| f.call <= Some(call));
        self.findings.get(start..end).unwrap_or_default()
    }
}
