//! What a session may start or reach. All of it comes from the user's command line or policy, nothing from a manifest.

use super::budget::Abort;
use super::secrets::Secrets;
use crate::manifest::Revision;
use crate::source;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The one thing a session talks to.
#[derive(Debug, Clone)]
pub enum Target {
    Command(Command),
    Endpoint(Endpoint),
}

/// A program to start: no shell, no environment but PATH and what is declared.
#[derive(Clone, Default)]
pub struct Command {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Declared variables; a PATH among them holds instead of the caller's.
    pub env: Vec<(String, String)>,
    /// Names of those whose values were taken from the caller's own environment: no listing may hold them.
    pub kept: Vec<String>,
    /// `None`: the current folder.
    pub folder: Option<PathBuf>,
}

/// A Streamable HTTP endpoint.
#[derive(Clone)]
pub struct Endpoint {
    pub url: String,
    /// Bearer token; never printed.
    pub token: Option<String>,
}

impl Endpoint {
    /// Whether the address is one that can be asked at all.
    ///
    /// # Errors
    /// What is wrong with it, and what to do.
    pub fn is_address(&self) -> Result<(), (&'static str, &'static str)> {
        super::http::address(&self.url).map(drop).map_err(|wrong| (wrong, super::http::WHOLE))
    }
}

// Values of variables, arguments and tokens may be secrets: they are not shown, not even in debug output.
impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command").field("program", &self.argv.first()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").finish_non_exhaustive()
    }
}

impl Target {
    /// Texts that no output may show.
    #[must_use]
    pub fn secrets(&self) -> Secrets {
        match self {
            Target::Command(command) => {
                let declared = || command.env.iter().filter(|(name, _)| name != "PATH");
                let kept = declared().filter(|(name, _)| command.kept.contains(name)).cloned();
                Secrets::of(declared().map(|(_, value)| value.as_str())).keeping(kept)
            }
            Target::Endpoint(endpoint) => {
                let kept = endpoint.token.iter().map(|token| ("the token".to_string(), token.clone()));
                Secrets::of_token(endpoint.token.as_deref()).keeping(kept)
            }
        }
    }
}

/// What a session may take at most.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// For everything from the start of the server to its end.
    pub elapsed: Duration,
    /// Bytes that the server may send in all: on standard output, or as HTTP answers.
    pub output_bytes: usize,
    /// Bytes that it may log on standard error.
    pub log_bytes: usize,
    /// Asked while the session waits.
    pub abort: Abort,
    /// The revision to offer; `None`: the newest that both sides know.
    pub revision: Option<Revision>,
    /// Whether a server that answers with another one is refused.
    pub is_exact: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            elapsed: Duration::from_secs(30),
            output_bytes: source::MAX_BYTES,
            log_bytes: 16 << 20,
            abort: || false,
            revision: None,
            is_exact: false,
        }
    }
}
