//! `verity task validate|test`.

use super::{Format, Outcome, Shared, out};
use crate::grade::{task, validate};
use crate::pack::read::{self, PackFolder, TaskFile};
use crate::report::screen::safe;
use crate::yaml;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Check a pack: against the task schema, or by replaying its solutions and controls.
#[derive(clap::Args, Debug)]
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
    let mut told = Told::default();
    for pack in &packs {
        judge_pack(pack, is_test, &mut told);
    }
    let printed = match which.format {
        Format::Json => out::stdout(&told.json(is_test)),
        Format::Human => told.print(is_test, shared),
    };
    told.outcome().max(printed)
}

/// One thing that is wrong with a pack.
struct Problem {
    file: String,
    line: Option<usize>,
    pointer: Option<String>,
    task: Option<String>,
    /// Not wrong, as far as anybody can tell here; not passed either.
    is_not_judged: bool,
    message: String,
}

/// What there is to say about the packs.
#[derive(Default)]
struct Told {
    good: usize,
    problems: Vec<Problem>,
}

fn judge_pack(pack: &PackFolder, is_test: bool, told: &mut Told) {
    let mut ids: BTreeMap<String, String> = BTreeMap::new();
    for file in &pack.files {
        let before = told.problems.len();
        judge_file(file, is_test, &mut ids, told);
        if told.problems.len() == before {
            told.good += 1;
        }
    }
}

fn judge_file(file: &TaskFile, is_test: bool, ids: &mut BTreeMap<String, String>, told: &mut Told) {
    let problem = |message: String| Problem {
        file: file.path.clone(),
        line: None,
        pointer: None,
        task: None,
        is_not_judged: false,
        message,
    };
    if file.is_nested {
        let message = "in a folder below the pack's: the runner validates it and never runs it";
        told.problems.push(problem(message.to_string()));
        return;
    }
    let text = match &file.text {
        Ok(text) => text,
        Err(why) => return told.problems.push(problem(why.clone())),
    };
    let document = match yaml::read(text) {
        Ok(document) => document,
        Err(e) => {
            let message = format!("column {}: {}", e.column, e.message);
            return told.problems.push(Problem { line: Some(e.line), ..problem(message) });
        }
    };
    let id = document.value.get("id").and_then(Value::as_str).map(str::to_string);
    let found = validate::validate(&document.value);
    let is_valid = found.is_empty();
    told.problems.extend(found.into_iter().map(|p| Problem {
        line: Some(document.line(&p.pointer)),
        pointer: Some(p.pointer),
        task: id.clone(),
        ..problem(p.message)
    }));
    if let Some(id) = &id
        && let Some(other) = ids.insert(id.clone(), file.path.clone())
    {
        let message = format!("the id {id} is also that of {other}");
        told.problems.push(Problem {
            line: Some(document.line("/id")),
            task: Some(id.clone()),
            ..problem(message)
        });
    }
    if is_test && is_valid {
        let tested = task::test(&document.value);
        let as_problem =
            |message, is_not_judged| Problem { task: id.clone(), is_not_judged, ..problem(message) };
        told.problems.extend(tested.failures.into_iter().map(|m| as_problem(m, false)));
        told.problems.extend(tested.not_judged.into_iter().map(|m| as_problem(m, true)));
    }
}

impl Told {
    fn outcome(&self) -> Outcome {
        let worst = |p: &Problem| if p.is_not_judged { Outcome::BadInput } else { Outcome::Failed };
        self.problems.iter().map(worst).max().unwrap_or(Outcome::Clean)
    }

    fn json(&self, is_test: bool) -> String {
        let problems: Vec<Value> = self
            .problems
            .iter()
            .map(|p| {
                let kind = if p.is_not_judged { "not-judged" } else { "failed" };
                json!({ "file": p.file, "line": p.line, "pointer": p.pointer, "task": p.task, "kind": kind,
                    "message": p.message })
            })
            .collect();
        let (good, list) = if is_test { ("passed", "problems") } else { ("valid", "errors") };
        format!("{:#}\n", json!({ good: self.good, list: problems }))
    }

    fn print(&self, is_test: bool, shared: &Shared) -> Outcome {
        for p in &self.problems {
            let line = p.line.map_or(String::new(), |line| format!(":{line}"));
            let not_judged = if p.is_not_judged { "not judged: " } else { "" };
            let at = p
                .pointer
                .as_ref()
                .filter(|at| !at.is_empty())
                .map_or(String::new(), |at| format!(" at {at}"));
            out::stderr(&format!("{}{line}: {not_judged}{}{}\n", safe(&p.file), safe(&p.message), safe(&at)));
        }
        let failed = self.problems.iter().filter(|p| !p.is_not_judged).count();
        let not_judged = self.problems.len() - failed;
        let mut line = match (is_test, self.good) {
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
        if shared.quiet && self.problems.is_empty() {
            Outcome::Clean
        } else {
            out::stdout(&format!("{line}\n"))
        }
    }
}
