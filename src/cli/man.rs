//! `verity man`: the manual pages, made of the same text as `--help`.

use super::{Outcome, Shared, out};
use crate::error::{ErrorCode, InputError, said_by_system};
use crate::suggest;
use clap::Command;
use std::path::{Path, PathBuf};

/// Print a manual page, for `man`.
///
/// Without COMMAND that of verity itself; with --out every page, as files for a `man1` folder.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The command whose page is meant: `lint`, or `task test`.
    #[arg(value_name = "COMMAND")]
    of: Vec<String>,
    /// Write all pages to this folder.
    #[arg(short, long, value_name = "DIR", conflicts_with = "of")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  verity man lint | man -l -
  verity man --out man1

Exit codes: 0 done, 2 no such command, or a folder that cannot be written.";

pub(crate) fn run(args: &Args, shared: &Shared) -> Outcome {
    let mut command = super::command();
    command.build();
    match &args.out {
        Some(folder) => write_all(&command, folder, shared),
        None => match find(&command, &args.of) {
            Ok(command) => out::stdout(&page(command)),
            Err(e) => out::error(&e, false),
        },
    }
}

fn find<'c>(root: &'c Command, words: &[String]) -> Result<&'c Command, InputError> {
    let mut at = root;
    for word in words {
        at = at.find_subcommand(word).ok_or_else(|| {
            let names = at.get_subcommands().filter(|c| !c.is_hide_set()).map(Command::get_name);
            InputError::new(ErrorCode::Usage, suggest::unknown("command", word, names))
        })?;
    }
    Ok(at)
}

/// `verity-task-test` for `verity task test`.
fn title(command: &Command) -> String {
    command.get_display_name().unwrap_or(command.get_name()).to_string()
}

/// The page as roff. It holds no date, so that the same version gives the same bytes.
fn page(command: &Command) -> String {
    let mut bytes = Vec::new();
    // Writing to memory does not fail.
    let _ = clap_mangen::Man::new(command.clone()).title(title(command)).render(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The command and those below it, each with the page's name.
fn all<'c>(command: &'c Command, pages: &mut Vec<(String, &'c Command)>) {
    pages.push((format!("{}.1", title(command)), command));
    for below in command.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help") {
        all(below, pages);
    }
}

fn write_all(command: &Command, folder: &Path, shared: &Shared) -> Outcome {
    if let Err(e) = std::fs::create_dir(folder).or_else(|e| if folder.is_dir() { Ok(()) } else { Err(e) }) {
        let error =
            InputError::new(ErrorCode::Output, format!("cannot make the folder: {}", said_by_system(&e)));
        let help = "A folder is made where the one above it is there; `mkdir -p` makes all of them.";
        return out::error(&error.at(folder.display().to_string()).help(help), false);
    }
    let mut pages = Vec::new();
    all(command, &mut pages);
    for (name, command) in &pages {
        let outcome = out::file(&folder.join(name), &page(command));
        if outcome != Outcome::Clean {
            return outcome;
        }
    }
    out::note(shared, &format!("{} pages are in {}", pages.len(), folder.display()));
    Outcome::Clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_with_its_options_and_examples() {
        let mut root = super::super::command();
        root.build();
        let mut pages = Vec::new();
        all(&root, &mut pages);
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        for name in ["verity.1", "verity-lint.1", "verity-task-test.1", "verity-gate.1", "verity-man.1"] {
            assert!(names.contains(&name), "{name} is not among {names:?}");
        }
        for (name, command) in &pages {
            let text = page(command);
            assert!(text.contains(".SH NAME") && text.contains(".SH SYNOPSIS"), "{name}");
            let title = name.trim_end_matches(".1");
            assert!(text.contains(&format!(".TH {title} 1")), "{name}: {text}");
            for option in command.get_opts().filter_map(clap::Arg::get_long) {
                assert!(text.contains(&option.replace('-', "\\-")), "{name} does not name --{option}");
            }
        }
        let lint = page(find(&root, &["lint".to_string()]).unwrap());
        assert!(lint.contains("tools.json"), "{lint}");
        let wrong = find(&root, &["lnt".to_string()]).unwrap_err();
        assert_eq!(wrong.message, "unknown command `lnt`: did you mean `lint`?");
    }
}
