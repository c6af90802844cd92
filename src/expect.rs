//! Expectations over recorded calls: documents of the Agent Behavior Specification (ABS 0.1 and 0.2), read strictly.
//!
//! A document is a *session*: behaviors in order, each with evaluations, and evaluations of the whole. [`parse`] reads
//! it with every fault at its place, [`bind`] expands fragments and puts values into placeholders. What a document means
//! for a recording, `grade` says.

pub mod bind;
pub mod compare;
mod evaluation;
mod ignored;
pub mod init;
pub mod matching;
mod parse;
mod settings;
mod strict;

pub use bind::Bindings;
pub use evaluation::{Check, Evaluation, Selector};
pub use ignored::Ignored;
pub use parse::{Dataset, Raw, parse};
pub use settings::{ExtraCalls, Injected, Matching, Settings};

use compare::{Mode, Patterns};
use serde_json::Value;
use std::collections::BTreeMap;

/// A place in an expectation file, and what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    pub message: String,
    /// The document makes sense, and what it asks cannot be judged from a recording.
    pub is_not_judged: bool,
}

/// One session, bound: ready to be judged.
#[derive(Debug, Clone)]
pub struct Session {
    pub name: String,
    pub steps: Vec<Step>,
    pub evaluations: Vec<Evaluation>,
    pub settings: Settings,
    /// Compiled patterns of all matchers.
    pub patterns: Patterns,
    /// The values of `capture`, and how often: every one, in order.
    pub captures: Vec<(String, Value)>,
    /// What the placeholders were bound to from outside.
    pub bindings: BTreeMap<String, Value>,
}

impl Session {
    /// Ids of the checks that need a judgement from outside.
    #[must_use]
    pub fn asks_for_judgements(&self) -> Vec<&str> {
        let mut open: Vec<&Evaluation> =
            self.steps.iter().flat_map(|s| &s.evaluations).chain(&self.evaluations).collect();
        let mut found = Vec::new();
        while let Some(next) = open.pop() {
            match &next.check {
                Check::Recorded => found.push(next.id.as_str()),
                Check::AllOf(inner, _) | Check::AnyOf(inner, _) | Check::NoneOf(inner, _) => {
                    open.extend(inner)
                }
                _ => {}
            }
        }
        found
    }
}

/// What a behavior is to a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The assistant calls a tool.
    Call,
    /// A tool answers.
    Response,
    /// The assistant says something.
    Says,
    /// What others do: the situation, which is not judged.
    Context,
}

/// One behavior, bound.
#[derive(Debug, Clone)]
pub struct Step {
    /// Position among the session's behaviors, fragments expanded, from 1.
    pub number: usize,
    pub id: Option<String>,
    pub kind: Kind,
    pub actor: String,
    pub action: String,
    /// As the document has it.
    pub target: Option<String>,
    pub content: Option<Value>,
    /// `with` or `with_only`.
    pub arguments: Option<(Mode, Value)>,
    /// The variables that it captures.
    pub captures: Vec<String>,
    pub evaluations: Vec<Evaluation>,
    pub optional: bool,
    pub requires: Option<String>,
    /// What the assistant's text must be like.
    pub matches_when: Option<Check>,
    /// Where whole values come from variables: (variable, pointer in the arguments or the content).
    pub uses: Vec<(String, String)>,
    /// Every variable that occurs in it.
    pub variables: Vec<String>,
    /// Line of the file, from 1.
    pub line: usize,
}

impl Step {
    /// As reports name it.
    #[must_use]
    pub fn label(&self) -> String {
        let target = self.target.as_deref().map_or(String::new(), |t| format!(" {t}"));
        let id = self.id.as_deref().map_or(String::new(), |id| format!(" ({id})"));
        format!("step {}: {} {}{target}{id}", self.number, self.actor, self.action)
    }

    /// Whether its group of calls may come in any order.
    #[must_use]
    pub fn is_unordered(&self) -> bool {
        self.evaluations.iter().any(|e| matches!(&e.check, Check::ToolCall { ordered: false, .. }))
    }
}

/// What an actor's action is to a recording; `None` for one that leaves no trace in it, or that is not known.
#[must_use]
pub fn kind_of(actor: &str, action: &str) -> Option<Kind> {
    match (actor, action) {
        ("assistant" | "agent", action) if CALLS.contains(&action) => Some(Kind::Call),
        ("assistant" | "agent", action) if SAYS.contains(&action) => Some(Kind::Says),
        ("tool" | "external", action)
            if action == "responds" || action == "retrieves" || action == "stores" || action == "updates" =>
        {
            Some(Kind::Response)
        }
        ("user" | "human" | "system", _) => Some(Kind::Context),
        _ => None,
    }
}

/// Actions that reach a tool. (ABS, VOCABULARY.md, Execution.)
pub const CALLS: [&str; 5] = ["calls", "submits", "retrieves", "stores", "updates"];
/// Actions that are texts. A recording does not tell one from the other. (Communication.)
pub const SAYS: [&str; 10] = [
    "says",
    "asks",
    "responds",
    "informs",
    "greets",
    "clarifies",
    "confirms",
    "rejects",
    "suggests",
    "shows",
];
/// Actions that are known, and leave no trace in a recording.
pub const UNSEEN: [&str; 5] = ["selects", "uploads", "downloads", "approves", "hands_off"];
/// Who acts.
pub const ACTORS: [&str; 7] = ["user", "assistant", "agent", "tool", "system", "human", "external"];
