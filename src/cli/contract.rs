//! `verity contract check|init`.

use super::target::{self, SERVED, Served};
use super::{Outcome, Shared, input, out};
use crate::contract::short::Expanded;
use crate::contract::{Code, Contract, Failure, compile, init, short, tools, warn, whole};
use crate::error::{ErrorCode, InputError};
use crate::finding::Part;
use crate::manifest::{Completeness, Input};
use crate::report::screen::safe;
use crate::source::{self, Document, Framing};
use crate::yaml::{self, Loaded};
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
    Init(Init),
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
    #[command(flatten)]
    served: Served,
}

/// Draft a contract from a tool listing.
///
/// Shapes are those of inputSchema and outputSchema; two calls of each tool, accepted by its schema, are to have
/// different results. Behaviours, steps and oracles are yours to write: best in the short form (YAML).
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
struct Init {
    /// A tool listing, or `-` for standard input.
    #[arg(value_name = "LISTING", required_unless_present_any = SERVED)]
    listing: Option<PathBuf>,
    /// Write to this file; a name in .yaml means the short form.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The short form, or the full document.
    #[arg(long, value_enum, value_name = "FORM")]
    form: Option<Form>,
    /// The contract's name; the server's own if left out.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Compare the texts that tools without outputSchema return. (The contract is one that verity alone reads.)
    #[arg(long)]
    texts: bool,
    /// Any text; another seed gives other calls.
    #[arg(long, value_name = "TEXT", default_value = "")]
    seed: String,
    #[command(flatten)]
    served: Served,
}

#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// YAML that leaves out what has one answer.
    Yaml,
    /// Everything, as JSON.
    Json,
}

const EXAMPLES: &str = "\
Examples:
  verity contract init tools.json -o notes.contract.yaml
  verity contract check notes.contract.yaml
  verity contract check notes.contract.json --tools tools.json
  verity contract check notes.contract.json --server './server --quiet'

Exit codes: 0 sound, 1 a rule is broken, 2 no contract, or no listing.";

pub(crate) fn run(args: &Args, shared: &Shared) -> Outcome {
    match &args.command {
        Command::Check(args) => match check(args, shared) {
            Ok(text) => out::exact(&text),
            Err(refusal) => refusal.print(),
        },
        Command::Init(args) => match draft(args, shared) {
            Ok((text, None)) => out::stdout(&text),
            Ok((text, Some(file))) => out::file(&file, &text),
            Err(refusal) => refusal.print(),
        },
    }
}

/// The listing that is named, as a file or by its server, with its name; `None` where none is.
fn listing(file: Option<&Path>, served: &Served) -> Result<Option<(String, Input)>, InputError> {
    let named = file.map(|file| file.display().to_string());
    let document = match (target::one_of(named.as_deref(), served)?, file) {
        (Some(name), Some(file)) => source::parse(name, input::bytes(file)?)?,
        _ => match served.listing() {
            Some(document) => document?,
            None => return Ok(None),
        },
    };
    Ok(Some((document.path.clone(), Input::of_document(document)?)))
}

/// A first contract, and where it goes.
fn draft(args: &Init, shared: &Shared) -> Result<(String, Option<PathBuf>), Refusal> {
    let Some((shown, input)) = listing(args.listing.as_deref(), &args.served)? else {
        return Err(target::nothing_named().into());
    };
    if input.manifests.iter().any(|m| m.completeness != Completeness::Complete) {
        return Err(super::diff::incomplete(&shown).into());
    }
    let server = input.manifests.iter().find_map(|m| m.server.as_deref()).unwrap_or("server");
    let name = args.name.clone().unwrap_or_else(|| short::identifier_of(server));
    let wanted = init::Wanted { name: &name, seed: &args.seed, texts: args.texts };
    let draft = init::draft(&input.manifests, wanted);
    for note in &draft.notes {
        out::note(shared, note);
    }
    if draft.tools == 0 {
        let error =
            InputError::new(ErrorCode::NothingGradeable, "no tool of the listing can be in a contract")
                .at(shown);
        return Err(error.help("The notes above say why.").into());
    }
    // Nothing is handed out that would not compile.
    let expanded = short::expand(&draft.value).and_then(|full| {
        compile::check(&Contract::read(&full.value)?)?;
        Ok(full)
    });
    let expanded = expanded.map_err(|failure| Refusal::Failure { place: shown.clone(), failure })?;
    let is_yaml = |path: &PathBuf| path.extension().is_some_and(|e| e == "yaml" || e == "yml");
    let form = args.form.unwrap_or(match &args.output {
        Some(path) if is_yaml(path) => Form::Yaml,
        _ => Form::Json,
    });
    let text = match form {
        Form::Json => format!("{:#}\n", expanded.value),
        Form::Yaml => {
            let written = yaml::write(&draft.value).map_err(|e| InputError::new(ErrorCode::Internal, e))?;
            format!("{SHORT_FORM}{written}")
        }
    };
    Ok((text, args.output.clone()))
}

const SHORT_FORM: &str = "\
# A contract in the short form: `verity contract check FILE` prints the full document.
# Write behaviours, and what shows that they are met:
#   steps:   find: {tool: get_loan, with: {loanId: L-1}}
#   oracles: - check: {equality: [$find/title, Emma]}
";

fn check(args: &Check, shared: &Shared) -> Result<String, Refusal> {
    let read = Read::file(&args.file)?;
    let contract = read.contract()?;
    let mut warnings = warn::warnings(&contract);
    if let Some((shown, input)) = listing(args.tools.as_deref(), &args.served)? {
        let tools: Vec<_> = input.manifests.iter().flat_map(|m| &m.tools).collect();
        warnings.extend(tools::check(&contract, &tools).map_err(|failure| {
            // What is not in a part of a listing may be in the rest.
            let is_incomplete = input.manifests.iter().any(|m| m.completeness != Completeness::Complete);
            match failure.code {
                Code::ToolNotListed if is_incomplete => Refusal::Input(super::diff::incomplete(&shown)),
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

/// A document about contracts that was read: one JSON text, or a YAML document, which says everything once.
pub(crate) struct Read {
    path: String,
    text: Text,
    /// Of a contract in the short form.
    expanded: Option<Expanded>,
}

enum Text {
    Json(Document),
    Yaml(Loaded),
}

impl Read {
    /// # Errors
    /// The file cannot be read, or is neither JSON nor, by its name, YAML.
    pub(crate) fn file(path: &Path) -> Result<Read, Refusal> {
        let shown = if path.as_os_str() == "-" { "<stdin>".to_string() } else { path.display().to_string() };
        let bytes = input::bytes(path)?;
        let is_yaml = path.extension().is_some_and(|e| e == "yaml" || e == "yml");
        let text = if is_yaml { Text::yaml(&shown, &bytes)? } else { Text::json(&shown, bytes)? };
        let mut read = Read { path: shown, text, expanded: None };
        if let Text::Json(document) = &read.text {
            for segment in &document.segments {
                whole(segment).map_err(|failure| read.refusal(failure))?;
            }
        }
        if short::is_short(read.value()) {
            read.expanded = Some(short::expand(read.value()).map_err(|failure| read.refusal(failure))?);
        }
        Ok(read)
    }

    /// The document, expanded if it is a contract in the short form.
    pub(crate) fn value(&self) -> &Value {
        match (&self.expanded, &self.text) {
            (Some(expanded), _) => &expanded.value,
            (None, Text::Json(document)) => {
                document.segments.first().map_or(&Value::Null, |segment| &segment.value)
            }
            (None, Text::Yaml(loaded)) => &loaded.value,
        }
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
        let pointer = match &self.expanded {
            Some(expanded) => expanded.source_of(&failure.pointer),
            None => failure.pointer.clone(),
        };
        let at = match &self.text {
            Text::Json(document) => {
                // What a short form leaves out has the place of what it stands in.
                let above = std::iter::successors(Some(pointer.as_str()), |at| {
                    at.rsplit_once('/').map(|(above, _)| above)
                });
                above
                    .map(|at| document.locate(0, at, &failure.part))
                    .find_map(|span| span.map(|s| (s.line, s.column)))
            }
            Text::Yaml(loaded) if failure.part == Part::Key => Some(loaded.key_place(&pointer)),
            Text::Yaml(loaded) => Some(loaded.place(&pointer)),
        };
        let place = at.map_or(String::new(), |(line, column)| format!(":{line}:{column}"));
        let pointer = if pointer.is_empty() { pointer } else { format!(" {pointer}") };
        format!("{}{place}{pointer}", self.path)
    }
}

impl Text {
    fn json(shown: &str, bytes: Vec<u8>) -> Result<Text, InputError> {
        let document = source::parse(shown, bytes)?;
        if document.framing != Framing::Whole || document.segments.len() != 1 {
            let message = "one JSON document is expected here, and nothing else";
            return Err(InputError::new(ErrorCode::NotJson, message).at(shown));
        }
        Ok(Text::Json(document))
    }

    fn yaml(shown: &str, bytes: &[u8]) -> Result<Text, InputError> {
        let error = |message: String| InputError::new(ErrorCode::NotJson, message).at(shown);
        let text = std::str::from_utf8(bytes).map_err(|_| error("the file is no UTF-8 text".to_string()))?;
        let loaded = yaml::read(text).map_err(|e| error(e.message).line_column(e.line, e.column));
        let mut loaded = loaded?;
        short::dates_as_texts(&mut loaded.value);
        Ok(Text::Yaml(loaded))
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
