//! Command line: arguments → library call → [`Outcome`]. One file a command.

mod agent_tasks;
mod answers;
mod attempt;
#[cfg(feature = "live")]
mod capture;
mod completions;
mod config;
mod contract;
mod diff;
mod expect;
mod expectations;
mod explain;
mod fix;
mod gate;
mod generate;
mod git;
mod grade;
mod input;
mod interrupt;
mod lint;
mod lock;
mod man;
pub(crate) mod out;
mod output;
mod packs;
mod probe;
mod profiles;
mod recording;
mod replay;
mod rules;
mod score;
mod summary;
mod target;
mod task;
mod today;
mod trace;

use crate::error::{ErrorCode, InputError};
use crate::report::screen;
use crate::threads::STACK_BYTES;
use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::panic::PanicHookInfo;
use std::path::PathBuf;
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

impl Outcome {
    /// The exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Outcome::Clean => 0,
            Outcome::Failed => 1,
            Outcome::BadInput => 2,
            Outcome::Server => 3,
            Outcome::Internal => 4,
        }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        ExitCode::from(outcome.code())
    }
}

impl From<ErrorCode> for Outcome {
    fn from(code: ErrorCode) -> Outcome {
        match code {
            ErrorCode::Findings => Outcome::Failed,
            ErrorCode::Internal => Outcome::Internal,
            ErrorCode::ForbiddenTarget
            | ErrorCode::PortFailure
            | ErrorCode::BudgetExhausted
            | ErrorCode::Aborted
            | ErrorCode::PortContractViolation => Outcome::Server,
            _ => Outcome::BadInput,
        }
    }
}

/// Is this MCP tool surface sound, and can agents be measured on it?
///
/// An MCP server publishes tools: a name, a description, a JSON Schema of the arguments. Agents read
/// them and call them. verity reads a saved `tools/list` answer and says what is wrong with it. It starts
/// or reaches a server only where the command line names one.
#[derive(Parser, Debug)]
#[command(name = "verity", version, after_help = EXAMPLES, propagate_version = true)]
struct Cli {
    #[command(flatten)]
    shared: Shared,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  verity lint tools.json                     what is wrong with these tools?
  verity agent-tasks tools.json -o packs/x   export a benchmark pack from them
  verity task test packs/x                   does the pack hold what it promises?
  verity diff released.json tools.json       what does the new release break?
  verity gate --old released.json            all of that before a release, one verdict
  verity capture -o tools.json -- npx my-mcp save what a real server publishes
  verity explain MCP-POISON-INSTRUCTION      why a rule exists, and what to do

Exit codes: 0 clean, 1 findings, 2 bad input or usage, 3 a live server, 4 a bug in verity.";

/// Flags that every command takes.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct Shared {
    /// When to colour what is printed; `auto` asks NO_COLOR and whether a terminal reads it.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    color: Color,
    /// Use this verity.yaml, not the nearest one from here upwards.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
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

/// How a command prints its result, where there are these two ways.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// For people.
    Human,
    /// For programs; errors are printed as JSON, too.
    Json,
}

#[derive(Subcommand, Debug)]
enum Command {
    Lint(lint::Args),
    AgentTasks(agent_tasks::Args),
    Task(task::Args),
    Generate(generate::Args),
    Diff(diff::Args),
    Lock(lock::Args),
    Gate(gate::Args),
    Trace(trace::Args),
    Grade(grade::Args),
    Replay(replay::Args),
    Expect(expect::Args),
    Contract(contract::Args),
    Score(score::Args),
    #[cfg(feature = "live")]
    Capture(capture::Args),
    Probe(probe::Args),
    Rules(rules::Args),
    Profiles(profiles::Args),
    Explain(explain::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// The command line itself, for completions and documentation.
#[must_use]
pub(crate) fn command() -> clap::Command {
    Cli::command()
}

/// Run `work` for the command line `typed`, on a thread with a deep stack. Where it panics, that is one
/// plain message and [`Outcome::Internal`].
#[must_use]
pub fn guarded(typed: Vec<OsString>, work: fn(&[OsString]) -> Outcome) -> Outcome {
    std::panic::set_hook(Box::new(say_bug));
    let json = asks_for_json(&typed);
    match std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || work(&typed)) {
        Ok(worker) => worker.join().unwrap_or_else(|_| crashed(json)),
        Err(e) => no_thread(&e),
    }
}

/// Run the command line `typed`, whose first word is the program's name.
#[must_use]
pub fn main(typed: &[OsString]) -> Outcome {
    let cli = match Cli::try_parse_from(typed) {
        Ok(cli) => cli,
        Err(e) => return not_parsed(&e, typed),
    };
    match cli.command {
        Command::Lint(args) => lint::run(&args, &cli.shared),
        Command::AgentTasks(args) => agent_tasks::run(&args, &cli.shared),
        Command::Task(args) => task::run(&args, &cli.shared),
        Command::Generate(args) => generate::run(&args, &cli.shared),
        Command::Diff(args) => diff::run(&args, &cli.shared),
        Command::Lock(args) => lock::run(&args, &cli.shared),
        Command::Gate(args) => gate::run(&args, &cli.shared),
        Command::Expect(args) => expect::run(&args, &cli.shared),
        Command::Grade(args) => grade::run(&args, &cli.shared),
        Command::Replay(args) => replay::run(&args, &cli.shared),
        Command::Trace(args) => trace::run(&args, &cli.shared),
        Command::Contract(args) => contract::run(&args, &cli.shared),
        Command::Score(args) => score::run(&args, &cli.shared),
        #[cfg(feature = "live")]
        Command::Capture(args) => capture::run(&args, &cli.shared),
        Command::Probe(args) => probe::run(&args, &cli.shared),
        Command::Rules(args) => rules::run(&args, &cli.shared),
        Command::Profiles(args) => profiles::run(&args, &cli.shared),
        Command::Explain(args) => explain::run(&args, &cli.shared),
        Command::Completions(args) => completions::run(&args, &cli.shared),
        Command::Man(args) => man::run(&args, &cli.shared),
    }
}

/// Help and version are results; anything else is a usage error, in JSON too where JSON was asked for.
fn not_parsed(e: &clap::Error, typed: &[OsString]) -> Outcome {
    if !e.use_stderr() {
        // A closed pipe is no error.
        let _ = e.print();
        return Outcome::Clean;
    }
    let text = e.to_string();
    out::stderr(&screen::safe_lines(&text));
    if asks_for_json(typed) {
        let first = text.lines().next().unwrap_or_default();
        let message = first.strip_prefix("error: ").unwrap_or(first);
        out::json_error(&InputError::new(ErrorCode::Usage, message));
    }
    Outcome::BadInput
}

/// Whether the command line, which could not be parsed, asks for JSON on stdout.
fn asks_for_json(typed: &[OsString]) -> bool {
    let next = typed.iter().skip(1).map(Some).chain([None]);
    typed.iter().zip(next).any(|(word, next)| {
        word == "--format=json" || word == "--format" && next.is_some_and(|next| next == "json")
    })
}

/// A command line that parses but makes no sense.
pub(crate) fn usage_error(message: impl Into<String>, json: bool) -> Outcome {
    out::error(&InputError::new(ErrorCode::Usage, message), json)
}

/// The panic hook: one plain message. What a panic quotes may come from a manifest, so it is made
/// safe and short.
fn say_bug(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map_or(String::new(), |l| format!(" at {}:{}", l.file(), l.line()));
    let payload = panic.payload();
    let said = payload.downcast_ref::<&str>().copied();
    let said = said.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let text: String = said.unwrap_or("no message").chars().take(300).collect();
    out::stderr(&format!(
        "error: this is a bug in verity{place}: {}\n  Please report it with the command line and, if you may, \
         the input.\n",
        screen::safe(&text)
    ));
}

/// How a run ends that a panic ended; [`say_bug`] has spoken on stderr.
fn crashed(json: bool) -> Outcome {
    if json {
        out::json_error(&InputError::new(ErrorCode::Internal, "this is a bug in verity; stderr says where"));
    }
    Outcome::Internal
}

/// How a run ends that cannot begin: the system refuses the thread that all work is done on.
fn no_thread(e: &std::io::Error) -> Outcome {
    out::stderr(&format!("error: the system gives verity no thread to work on: {e}\n"));
    Outcome::Internal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clap_agrees_with_the_definitions() {
        command().debug_assert();
    }

    /// What a newcomer finds on every page: an example, what the exit codes mean, and lines that fit a terminal.
    #[test]
    fn help_shows_an_example_and_the_exit_codes_in_80_columns() {
        fn check(command: &clap::Command, path: &str, pages: &mut usize) {
            let help = command.clone().term_width(80).render_long_help().to_string();
            assert!(help.contains("Examples:\n"), "{path}: {help}");
            assert!(help.contains("Exit codes: 0 "), "{path}: {help}");
            let long: Vec<&str> = help.lines().filter(|l| l.chars().count() > 80).collect();
            assert_eq!(long, Vec::<&str>::new(), "{path}");
            let undescribed: Vec<_> = command.get_arguments().filter(|a| a.get_help().is_none()).collect();
            assert!(undescribed.is_empty(), "{path}: {undescribed:?}");
            *pages += 1;
            let below = command.get_subcommands().filter(|c| c.get_name() != "help" && !c.is_hide_set());
            below.for_each(|c| check(c, &format!("{path} {}", c.get_name()), pages));
        }
        let mut root = command();
        root.build();
        let mut pages = 0;
        check(&root, "verity", &mut pages);
        assert!(pages >= 14, "{pages}");
    }

    /// No test of its own: what [`a_bug_is_one_message_and_exit_code_4`] runs in a process of its own,
    /// since the hook and the exit code are the process's. A test binary exits with 101, `verity` with
    /// the code.
    #[test]
    #[ignore = "ends the process; another test runs it"]
    fn a_run_that_hits_a_bug() {
        let typed = ["verity", "lint", "--format", "json"].map(OsString::from).to_vec();
        let outcome = guarded(typed, |_| panic!("a tool named \u{1b}[31m{}", "x".repeat(1000)));
        std::process::exit(i32::from(outcome.code()));
    }

    #[test]
    fn a_bug_is_one_message_and_exit_code_4() {
        let child = "cli::tests::a_run_that_hits_a_bug";
        let mut run = std::process::Command::new(std::env::current_exe().unwrap());
        let out =
            run.args(["--exact", child, "--ignored", "--nocapture", "--test-threads=1"]).output().unwrap();
        assert_eq!(out.status.code(), Some(4));
        let stderr = String::from_utf8(out.stderr).unwrap();
        let lines: Vec<&str> = stderr.lines().collect();
        assert_eq!(lines.len(), 2, "{stderr}");
        let (place, said) = lines[0].split_once(": a tool named ").unwrap();
        assert!(place.starts_with("error: this is a bug in verity at src"), "{stderr}");
        assert!(!said.contains('\u{1b}') && said.contains("xxx") && said.len() < 400, "{stderr}");
        assert!(lines[1].contains("report it"), "{stderr}");
        let stdout = String::from_utf8(out.stdout).unwrap();
        // What the test harness says stands before it.
        let (_, report) = stdout.split_once("... ").unwrap();
        let error: serde_json::Value = serde_json::from_str(report).unwrap();
        assert_eq!(error["error"]["code"], "internal");
    }

    #[test]
    fn json_is_recognised_without_a_parse() {
        let asks = |line: &str| asks_for_json(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert!(asks("verity lint --format json"));
        assert!(asks("verity --nonsense lint --format=json x"));
        assert!(!asks("verity lint --format human json"));
        assert!(!asks("verity lint --format"));
        assert!(!asks("verity lint --format json=out.json"), "stdout is not the report's place");
    }
}
