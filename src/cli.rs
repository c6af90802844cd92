//! Command line: arguments → library call → [`Outcome`]. One file a command.

mod agent_tasks;
mod completions;
mod explain;
mod generate;
mod input;
mod lint;
mod rules;
mod task;

use clap::{Parser, Subcommand, ValueEnum};
use std::process::ExitCode;

/// Every way a run can end; the exit code is the highest that applies (design §1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Clean, or below `--fail-on`.
    Clean,
    /// Findings, a failed test, a breaking change.
    Failed,
    /// Usage or input: unreadable, no tools, incomplete, nothing gradeable.
    BadInput,
    /// A live server: unreachable, over budget, refused by policy.
    Server,
    /// A bug in verity.
    Internal,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        ExitCode::from(match outcome {
            Outcome::Clean => 0,
            Outcome::Failed => 1,
            Outcome::BadInput => 2,
            Outcome::Server => 3,
            Outcome::Internal => 4,
        })
    }
}

#[derive(Parser, Debug)]
#[command(
    name = "verity",
    version,
    about = "Is this MCP tool surface sound, and can agents be measured on it?"
)]
struct Cli {
    #[command(flatten)]
    shared: Shared,
    #[command(subcommand)]
    command: Command,
}

/// Flags that every command takes.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct Shared {
    /// When to colour what is printed; NO_COLOR is honoured.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    color: Color,
    /// Print nothing but results and errors.
    #[arg(short, long, global = true)]
    quiet: bool,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Subcommand, Debug)]
enum Command {
    Lint(lint::Args),
    AgentTasks(agent_tasks::Args),
    Task(task::Args),
    Generate(generate::Args),
    Rules(rules::Args),
    Explain(explain::Args),
    Completions(completions::Args),
}

/// Run the command line of this process.
#[must_use]
pub fn main() -> Outcome {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // clap prints help and version to stdout, usage errors to stderr; a closed pipe is no error.
            let _ = e.print();
            return if e.use_stderr() { Outcome::BadInput } else { Outcome::Clean };
        }
    };
    match cli.command {
        Command::Lint(args) => lint::run(&args, &cli.shared),
        Command::AgentTasks(args) => agent_tasks::run(&args, &cli.shared),
        Command::Task(args) => task::run(&args, &cli.shared),
        Command::Generate(args) => generate::run(&args, &cli.shared),
        Command::Rules(args) => rules::run(&args, &cli.shared),
        Command::Explain(args) => explain::run(&args, &cli.shared),
        Command::Completions(args) => completions::run(&args, &cli.shared),
    }
}
