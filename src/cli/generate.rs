//! `verity generate`.

use super::config;
use super::input::{self, Inputs};
use super::target::{SERVED, Served};
use super::{Outcome, Shared, out, usage_error};
use crate::error::{ErrorCode, InputError};
use crate::generate::{self, GenerateVerdict, Generated, Options};
use crate::manifest::Tool;
use crate::schema::SchemaView;
use crate::schema::judge::Formats;
use clap::ValueEnum;
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Seeded arguments for each tool, valid or breaking exactly one keyword, as JSON lines.
///
/// Every valid instance was accepted by the judge, every invalid one refused for the named keyword
/// alone. The same input and seed give the same lines everywhere.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A tool listing, or `-` for standard input; `./tools.json` if left out.
    #[arg(value_name = "MANIFEST", conflicts_with = "schemas")]
    manifest: Option<PathBuf>,
    /// Read a JSON Schema a line instead, of any root type.
    #[arg(long, value_name = "FILE.jsonl", conflicts_with_all = SERVED)]
    schemas: Option<PathBuf>,
    /// Distinct valid instances a schema, at most.
    #[arg(long, value_name = "N", default_value_t = 1)]
    count: usize,
    /// Instances that break exactly one keyword, at most.
    #[arg(long, value_name = "N", default_value_t = 0)]
    invalid: usize,
    /// Any text; another seed gives other values.
    #[arg(long, value_name = "TEXT", default_value = "")]
    seed: String,
    /// Whether `format` refuses values, or only describes them.
    #[arg(long, value_enum, value_name = "MODE", default_value_t = FormatMode::Annotate)]
    formats: FormatMode,
    #[command(flatten)]
    served: Served,
}

const EXAMPLES: &str = "\
Examples:
  verity generate tools.json
  verity generate tools.json --count 5 --invalid 3 --seed nightly
  verity generate --schemas schemas.jsonl --formats assert

Exit codes: 0 done, 2 input that cannot be read, 3 a live server's fault.";

/// The most instances or mutants of one schema.
const MOST: usize = 100_000;

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum FormatMode {
    Annotate,
    Assert,
}

/// A line of the output.
#[derive(Serialize)]
struct Line<'a> {
    tool: Option<&'a str>,
    #[serde(flatten)]
    generated: Generated,
}

pub(crate) fn run(args: &Args, shared: &Shared) -> Outcome {
    if args.count > MOST || args.invalid > MOST {
        return usage_error(format!("--count and --invalid are at most {MOST}"), false);
    }
    match &args.schemas {
        Some(file) => match schema_lines(args, file) {
            Ok(text) => out::stdout(&text),
            Err(e) => out::error(&e, false),
        },
        None => manifest_lines(args, shared),
    }
}

fn manifest_lines(args: &Args, shared: &Shared) -> Outcome {
    let found = match config::find(shared) {
        Ok(found) => found,
        Err(e) => return out::error(&e, false),
    };
    let Inputs { inputs, errors, notes } = input::collect(args.manifest.as_slice(), &args.served, &found);
    notes.iter().for_each(|note| out::note(shared, note));
    let mut outcome = Outcome::Clean;
    for manifest in inputs.iter().flat_map(|input| &input.manifests) {
        let mut text = String::new();
        for tool in &manifest.tools {
            push_line(&mut text, tool.name(), of_tool(args, tool));
        }
        outcome = outcome.max(out::stdout(&text));
        if let Some(reason) = manifest.completeness.reason() {
            let error = InputError::new(ErrorCode::Incomplete, reason).at(manifest.path.as_str());
            let help = format!("{}.", manifest.completeness.help());
            outcome = outcome.max(out::error(&error.help(help), false));
        }
    }
    for error in &errors {
        outcome = outcome.max(out::error(error, false));
    }
    outcome
}

fn of_tool(args: &Args, tool: &Tool) -> Generated {
    match tool.input_schema() {
        Some(schema @ (Value::Object(_) | Value::Bool(_))) => {
            of_schema(args, schema, tool.name().unwrap_or(""))
        }
        Some(_) => nothing("the tool's inputSchema is neither an object nor a boolean"),
        None => nothing("the tool has no inputSchema"),
    }
}

fn schema_lines(args: &Args, file: &Path) -> Result<String, InputError> {
    let bytes = input::bytes(file)?;
    let shown = file.display().to_string();
    let mut text = String::new();
    for (i, line) in bytes.split(|b| *b == b'\n').enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let schema: Value = serde_json::from_slice(line).map_err(|e| {
            InputError::new(ErrorCode::NotJson, e.to_string())
                .at(shown.as_str())
                .line_column(i + 1, e.column())
                .help("give one JSON Schema a line")
        })?;
        let generated = match &schema {
            Value::Object(_) | Value::Bool(_) => of_schema(args, &schema, &(i + 1).to_string()),
            _ => nothing("the line is not a schema: neither an object nor a boolean"),
        };
        push_line(&mut text, None, generated);
    }
    Ok(text)
}

fn of_schema(args: &Args, schema: &Value, name: &str) -> Generated {
    let formats = match args.formats {
        FormatMode::Annotate => Formats::Annotate,
        FormatMode::Assert => Formats::Assert,
    };
    let options = Options { seed: &args.seed, name, count: args.count, invalid: args.invalid, formats };
    generate::generate(&SchemaView::new(schema), &options)
}

/// The line of a tool without a schema: it stands, so that lines match tools in order.
fn nothing(reason: &str) -> Generated {
    Generated { verdict: GenerateVerdict::Unknown, reason: Some(reason.to_string()), ..Generated::default() }
}

fn push_line(text: &mut String, tool: Option<&str>, generated: Generated) {
    if let Ok(line) = serde_json::to_string(&Line { tool, generated }) {
        text.push_str(&line);
        text.push('\n');
    }
}
