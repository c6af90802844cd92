//! What is wrong with an input, as one message with place and remedy. Findings are never errors.

use serde::Serialize;

/// Machine-readable reason of an input error (`error.code` in JSON reports, design §1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorCode {
    /// A manifest was read, and holds no tool.
    NoTools,
    /// The listing has a `nextCursor`: not all tools are there.
    Incomplete,
    /// The file cannot be opened or read.
    Unreadable,
    /// The bytes are not JSON (with line and column).
    NotJson,
    /// JSON, but of another kind than a listing of tools.
    NotAManifest,
    /// Larger, deeper or longer than verity reads.
    TooLarge,
    /// The server answered with an error instead of a listing.
    ServerError,
    /// No tool of the manifest can be graded.
    NothingGradeable,
    /// Findings at error level stop an export.
    Findings,
    /// The output place cannot be written, or holds files that verity did not write.
    Output,
    /// Not a pack.
    NotAPack,
    /// No recording of calls that is known, or one that contradicts itself.
    NotARecording,
    /// No expectation document, or one that makes no sense.
    NotAnExpectation,
    /// What was asked cannot be judged from what is here.
    NotJudged,
    /// No negative control, or one that cannot be applied.
    NotAControl,
    /// No attempt, or one whose parts are not what was recorded.
    BrokenAttempt,
    /// A live server: not allowed by what was said.
    ForbiddenTarget,
    /// A live server: cannot be started or reached, or does not speak the protocol.
    PortFailure,
    /// A live server: over its time or size.
    BudgetExhausted,
    /// A live server: interrupted.
    Aborted,
    /// A live server: an answer that belongs to no question.
    PortContractViolation,
    /// The command line makes no sense.
    Usage,
    /// A bug in verity.
    Internal,
}

/// One clear message: what is wrong, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{}{message}", place(path.as_deref(), *line, *column))]
pub struct InputError {
    pub code: ErrorCode,
    pub message: String,
    pub path: Option<String>,
    /// From 1.
    pub line: Option<usize>,
    /// From 1, in characters.
    pub column: Option<usize>,
    /// What to do next; shown after the message.
    #[serde(skip)]
    pub help: Option<String>,
}

impl InputError {
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), path: None, line: None, column: None, help: None }
    }

    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    #[must_use]
    pub fn line_column(mut self, line: usize, column: usize) -> Self {
        (self.line, self.column) = (Some(line), Some(column));
        self
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

fn place(path: Option<&str>, line: Option<usize>, column: Option<usize>) -> String {
    match (path, line, column) {
        (Some(p), Some(l), Some(c)) => format!("{p}:{l}:{c}: "),
        (Some(p), _, _) => format!("{p}: "),
        _ => String::new(),
    }
}

/// What the system says of an output place, without the random name of a temporary file in it.
#[must_use]
pub fn said_by_system(e: &std::io::Error) -> String {
    let text = e.to_string();
    match text.rfind(" at path \"") {
        Some(at) => text.get(..at).unwrap_or_default().to_string(),
        None => text,
    }
}

/// Foreign text for a message: on one line, cut off after 120 characters. (What else acts on a screen is
/// made harmless where messages are printed.)
#[must_use]
pub fn cut(text: &str) -> String {
    let mut out = String::new();
    for (i, c) in text.chars().enumerate() {
        if i == 120 {
            out.push('…');
            break;
        }
        if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}
