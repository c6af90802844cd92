//! `verity completions`.

use super::{Outcome, Shared, out};
use clap_complete::Shell;

/// Print a script that completes verity's command line in your shell.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Whose language the script is in.
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  verity completions bash > ~/.local/share/bash-completion/completions/verity
  verity completions zsh > ~/.zfunc/_verity
  verity completions fish > ~/.config/fish/completions/verity.fish

Exit codes: 0 printed, 2 no such shell.";

pub(crate) fn run(args: &Args, _shared: &Shared) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::command(), "verity", &mut script);
    out::stdout(&String::from_utf8_lossy(&script))
}
