//! `verity task validate|test`.

use super::{Format, Outcome, Shared, out};
use crate::pack::check::{self, Checked, Depth, Problem};
use crate::pack::read;
use crate::report::screen::safe;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Check a pack: against the task schema, or by replaying its solutions and controls.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    /// Check every task file of a pack against the task schema.
    Validate(Which),
    /// Replay every reference solution and every control of a pack.
    Test(Which),
}

#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
struct Which {
    /// A pack's folder, a folder of packs, or one task file.
    #[arg(value_name = "PACK")]
    pack: PathBuf,
    /// How to print the result.
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Format::Human)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  verity task validate packs/orders     are the files what a runner takes?
  verity task test packs/orders         does every solution pass, and every control fail?
  verity task test packs                all packs of a folder

Exit codes: 0 all well, 1 a task is wrong, 2 no pack, or something that cannot be judged here.";

pub(crate) fn run(args: &Args, shared: &Shared) -> Outcome {
    let (which, is_test) = match &args.command {
        Command::Validate(which) => (which, false),
        Command::Test(which) => (which, true),
    };
    let packs = match read::packs(&which.pack) {
        Ok(packs) => packs,
        Err(e) => return out::error(&e, which.format == Format::Json),
    };
    let depth = if is_test { Depth::Test } else { Depth::Validate };
    let mut told = Told::default();
    for pack in &packs {
        let mut checked = check::pack(&pack.files, depth);
        told.0.good += checked.good;
        told.0.problems.append(&mut checked.problems);
    }
    let printed = match which.format {
        Format::Json => out::stdout(&told.json(is_test)),
        Format::Human => told.print(is_test, shared),
    };
    told.outcome().max(printed)
}

/// What there is to say about the packs.
#[derive(Default)]
struct Told(Checked);

impl Told {
    fn outcome(&self) -> Outcome {
        let worst = |p: &Problem| if p.is_not_judged { Outcome::BadInput } else { Outcome::Failed };
        self.0.problems.iter().map(worst).max().unwrap_or(Outcome::Clean)
    }

    fn json(&self, is_test: bool) -> String {
        let problems: Vec<Value> = self
            .0
            .problems
            .iter()
            .map(|p| {
                let kind = if p.is_not_judged { "not-judged" } else { "failed" };
                json!({ "file": p.file, "line": p.line, "pointer": p.pointer, "task": p.task, "kind": kind,
                    "message": p.message })
            })
            .collect();
        let (good, list) = if is_test { ("passed", "problems") } else { ("valid", "errors") };
        format!("{:#}\n", json!({ good: self.0.good, list: problems }))
    }

    fn print(&self, is_test: bool, shared: &Shared) -> Outcome {
        for p in &self.0.problems {
            let line = p.line.map_or(String::new(), |line| format!(":{line}"));
            let not_judged = if p.is_not_judged { "not judged: " } else { "" };
            let at = p
                .pointer
                .as_ref()
                .filter(|at| !at.is_empty())
                .map_or(String::new(), |at| format!(" at {at}"));
            out::stderr(&format!("{}{line}: {not_judged}{}{}\n", safe(&p.file), safe(&p.message), safe(&at)));
        }
        let failed = self.0.problems.iter().filter(|p| !p.is_not_judged).count();
        let not_judged = self.0.problems.len() - failed;
        let mut line = match (is_test, self.0.good) {
            (true, n) => format!("{n} passed"),
            (false, 1) => "1 task valid".to_string(),
            (false, n) => format!("{n} tasks valid"),
        };
        for (n, what) in
            [(failed, if failed == 1 { "problem" } else { "problems" }), (not_judged, "not judged")]
        {
            if n > 0 {
                line.push_str(&format!(", {n} {what}"));
            }
        }
        if shared.quiet && self.0.problems.is_empty() {
            Outcome::Clean
        } else {
            out::stdout(&format!("{line}\n"))
        }
    }
}
