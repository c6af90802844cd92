//! The finding model. Rules emit symbolic findings (pointer + part); [`crate::source`] places them
//! in the file once, at the end.

use serde::Serialize;
use serde_json::Value;
use std::ops::Range;

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Info,
    Warning,
    Error,
}

/// How sure verity is; an axis of its own beside severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    Low,
    Medium,
    High,
}

/// How far the damage goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Impact {
    /// This tool cannot be used, or not as meant.
    Tool,
    /// Clients drop all tools of the server.
    Server,
    /// The API refuses the whole request.
    Request,
    /// A constraint is silently lost.
    Constraint,
    /// What the agent may be led to do.
    Agent,
}

/// Which part of the value at a finding's pointer is meant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Part {
    /// The whole value.
    #[default]
    Value,
    /// The object key that leads to the value.
    Key,
    /// A byte range of the *decoded* string value (or of the decoded key, for `KeyRange`).
    Range(Range<usize>),
    KeyRange(Range<usize>),
}

/// A place in the file itself. Line and column count from 1, column in characters; offset and
/// length in bytes of the file as it is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Span {
    pub line: usize,
    pub column: usize,
    pub end_line: usize,
    pub end_column: usize,
    pub offset: usize,
    pub length: usize,
}

/// One finding, as reports print it (design §2).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    pub rule: String,
    pub severity: Severity,
    pub confidence: Confidence,
    /// Name of the tool; `None` for findings about the listing or other texts.
    pub tool: Option<String>,
    /// Client whose limit a COMPAT finding is about.
    pub profile: Option<String>,
    /// JSON Pointer in the normalised listing: `/tools/N/…`, `/instructions`, `/prompts/N/…`.
    pub pointer: String,
    /// JSON Pointer of the same place in the file's own JSON text, or of the nearest value around it that is there; `None`
    /// until the finding has its place, and for what is no JSON (`/log/N`).
    pub source_pointer: Option<String>,
    #[serde(skip)]
    pub part: Part,
    pub span: Option<Span>,
    pub message: String,
    /// The exact text that was found, or its decoded form.
    pub evidence: Option<String>,
    /// An argument object that shows the defect, accepted or refused by the judge as `message` says.
    pub witness: Option<Value>,
    pub impact: Impact,
    pub help: String,
    /// Digest of rule, tool name and schema pointer; independent of array position and wording. Empty until the
    /// finding has its place.
    pub fingerprint: String,
    /// Why and by whom the finding is suppressed, when it is.
    pub suppressed: Option<String>,
}

impl Finding {
    /// N of `/tools/N/…`.
    #[must_use]
    pub fn tool_index(&self) -> Option<usize> {
        tool_index(&self.pointer)
    }

    /// Whether the finding blocks: neither suppressed nor below `level`.
    #[must_use]
    pub fn is_at_least(&self, level: Severity) -> bool {
        self.suppressed.is_none() && self.severity >= level
    }
}

/// Index of the tool that a pointer into a normalised listing leads to.
#[must_use]
pub(crate) fn tool_index(pointer: &str) -> Option<usize> {
    pointer.strip_prefix("/tools/")?.split('/').next()?.parse().ok()
}
