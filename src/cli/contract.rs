//! `verity contract check`.

use super::{Outcome, Shared, input, out};
use crate::contract::{Code, Contract, Failure, compile, tools, warn, whole};
use crate::error::{ErrorCode, InputError};
use crate::manifest::{Completeness, Input};
use crate::report::screen::safe;
use crate::source::{self, Document, Framing};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Contracts over a tool server: what its tools take and return, and what is checked of them.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    Check(Check),
}

/// Is a contract sound? Prints its canonical JSON (RFC 8785), or the first rule that it breaks.
///
/// A contract of eval-quality's schemaVersion 5 with interfaces of kind `mcp` is read strictly: nothing is unknown,
/// nothing is absent, nothing has a default. What compiles and is probably not meant is said on stderr.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
struct Check {
    /// A contract, or `-` for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A tool listing: its tools have to be there, with the keys that the contract names.
    #[arg(long, value_name = "LISTING")]
    tools: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  verity contract check notes.contract.json
  verity contract check notes.contract.json --tools tools.json

Exit codes: 0 sound, 1 a rule is broken, 2 no contract, or no listing.";

pub(crate) fn run(args: &Args, shared: &Shared) -> Outcome {
    match &args.command {
        Command::Check(args) => match check(args, shared) {
            Ok(text) => out::exact(&text),
            Err(refusal) => refusal.print(),
        },
    }
}

fn check(args: &Check, shared: &Shared) -> Result<String, Refusal> {
    let read = Read::file(&args.file)?;
    let contract = read.contract()?;
    let mut warnings = warn::warnings(&contract);
    if let Some(listing) = &args.tools {
        let bytes = input::bytes(listing)?;
        let input = source::parse(&listing.display().to_string(), bytes).and_then(Input::of_document)?;
        let tools: Vec<_> = input.manifests.iter().flat_map(|m| &m.tools).collect();
        warnings.extend(tools::check(&contract, &tools).map_err(|failure| {
            // What is not in a part of a listing may be in the rest.
            let is_incomplete = input.manifests.iter().any(|m| m.completeness != Completeness::Complete);
            match failure.code {
                Code::ToolNotListed if is_incomplete => {
                    Refusal::Input(super::diff::incomplete(&listing.display().to_string()))
                }
                _ => read.refusal(failure),
            }
        })?);
    }
    for warning in warnings {
        let place = read.place(&Failure::new(Code::Parse, warning.pointer, ""));
        if !shared.quiet {
            out::stderr(&format!("warning: {}: {}\n", safe(&place), safe(&warning.text)));
        }
    }
    Ok(format!("{}\n", contract.canonical()))
}

/// A document about contracts that was read: one JSON text, which says everything once.
pub(crate) struct Read {
    document: Document,
}

impl Read {
    /// # Errors
    /// The file cannot be read, or is no JSON.
    pub(crate) fn file(path: &Path) -> Result<Read, Refusal> {
        let shown = if path.as_os_str() == "-" { "<stdin>".to_string() } else { path.display().to_string() };
        let document = source::parse(&shown, input::bytes(path)?)?;
        if document.framing != Framing::Whole || document.segments.len() != 1 {
            let message = "one JSON document is expected here, and nothing else";
            return Err(InputError::new(ErrorCode::NotJson, message).at(shown).into());
        }
        let read = Read { document };
        for segment in &read.document.segments {
            whole(segment).map_err(|failure| read.refusal(failure))?;
        }
        Ok(read)
    }

    pub(crate) fn value(&self) -> &Value {
        self.document.segments.first().map_or(&Value::Null, |segment| &segment.value)
    }

    /// The contract in it, compiled.
    ///
    /// # Errors
    /// It is none, or breaks a rule.
    pub(crate) fn contract(&self) -> Result<Contract, Refusal> {
        let contract = Contract::read(self.value()).map_err(|failure| self.refusal(failure))?;
        compile::check(&contract).map_err(|failure| self.refusal(failure))?;
        Ok(contract)
    }

    /// A failure about this document.
    pub(crate) fn refusal(&self, failure: Failure) -> Refusal {
        Refusal::Failure { place: self.place(&failure), failure }
    }

    /// `file:line:column /pointer`.
    fn place(&self, failure: &Failure) -> String {
        let mut place = self.document.path.clone();
        if let Some(span) = self.document.locate(0, &failure.pointer, &failure.part) {
            place.push_str(&format!(":{}:{}", span.line, span.column));
        }
        if !failure.pointer.is_empty() {
            place.push(' ');
            place.push_str(&failure.pointer);
        }
        place
    }
}

/// Why a command about contracts ends.
pub(crate) enum Refusal {
    /// A file that cannot be read.
    Input(InputError),
    /// What a document says, with its place.
    Failure { failure: Failure, place: String },
}

impl From<InputError> for Refusal {
    fn from(error: InputError) -> Refusal {
        Refusal::Input(error)
    }
}

impl Refusal {
    /// `verity: CODE: where: detail` on stderr; how the run ends by it.
    pub(crate) fn print(&self) -> Outcome {
        match self {
            // No JSON is no contract either, and its place is known.
            Refusal::Input(error) if error.code == ErrorCode::NotJson => {
                let place = match (&error.path, error.line, error.column) {
                    (Some(path), Some(line), Some(column)) => format!("{path}:{line}:{column}"),
                    (path, ..) => path.clone().unwrap_or_default(),
                };
                say(Code::Parse, &place, &error.message);
                Outcome::BadInput
            }
            Refusal::Input(error) => out::error(error, false),
            Refusal::Failure { failure, place } => {
                say(failure.code, place, &failure.detail);
                outcome(failure.code)
            }
        }
    }
}

fn say(code: Code, place: &str, detail: &str) {
    out::stderr(&format!("verity: {}: {}: {}\n", code.as_str(), safe(place), safe(detail)));
}

/// How a run ends by a failure of this code.
pub(crate) fn outcome(code: Code) -> Outcome {
    match code {
        Code::Parse => Outcome::BadInput,
        Code::ForbiddenTarget | Code::BudgetExhausted | Code::PortContractViolation => Outcome::Server,
        _ => Outcome::Failed,
    }
}
