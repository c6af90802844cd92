//! `verity replay`.

use super::attempt::{self, Opened};
use super::grade::case::Judged;
use super::output::{self, Choice, Output, Places};
use super::{Outcome, Shared, grade, input, out, recording};
use crate::error::{ErrorCode, InputError};
use crate::grade::attempt::compare;
use crate::grade::attempt::control::{Control, MAX_ROWS};
use crate::grade::streams;
use crate::grade::verdict::{Status, Verdict};
use crate::report::replay::{self as report, Again, Controlled, Replayed};
use crate::trace::{self, Fixtures};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Judge recorded attempts again: is the verdict the same?
///
/// An attempt is a folder that `verity grade --record` made. Nothing is started, and no model is asked: the recording in
/// it is judged by what is in it. A part that is missing or was changed is an error of the attempt, never a verdict on the
/// recording.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Folders of attempts.
    #[arg(value_name = "ATTEMPT", required = true)]
    attempts: Vec<PathBuf>,
    /// A negative control: JSON with `reason`, `parent`, `check` and a `patch` (RFC 6902) of the rows. May be given
    /// several times.
    #[arg(long, value_name = "FILE")]
    control: Vec<PathBuf>,
    /// Write the rows that the control makes of the recording to this file.
    #[arg(long, value_name = "FILE", requires = "control")]
    derived: Option<PathBuf>,
    /// The model's own stream of the same run: the recording must have the same calls, one for one.
    #[arg(long, value_name = "STREAM")]
    against: Option<PathBuf>,
    /// The digest that the attempt must have, as `verity grade --record` printed it.
    #[arg(long, value_name = "DIGEST")]
    digest: Option<String>,
    /// `human`, `json` or `html` (one page of all attempts); `NAME=FILE` writes it to a file. May be given several times.
    #[arg(long, value_name = "NAME[=FILE]", value_parser = Output::<Format>::parse)]
    format: Vec<Output<Format>>,
}

const EXAMPLES: &str = "\
Examples:
  verity replay attempts/1
  verity replay attempts/* --format json=replay.json --format html=replay.html
  verity replay attempts/1 --control controls/wrong-order.json

Exit codes: 0 the same verdict, passed; 1 a named check failed, another verdict, or a
control that no check notices; 2 an attempt that is broken or could not be judged.";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Human,
    Json,
    Html,
}

impl Choice for Format {
    const ALL: &'static [Format] = &[Format::Human, Format::Json, Format::Html];

    fn name(self) -> &'static str {
        match self {
            Format::Human => "human",
            Format::Json => "json",
            Format::Html => "html",
        }
    }
}

pub(crate) fn run(args: &Args, shared: &Shared) -> Outcome {
    let outputs = match args.format.as_slice() {
        [] => vec![Output { format: Format::Human, file: None }],
        given => given.to_vec(),
    };
    let json = outputs.iter().any(|o| o.format == Format::Json && o.file.is_none());
    let read: Vec<PathBuf> = args.control.iter().chain(&args.against).cloned().collect();
    let ready = check(args, &outputs).and_then(|()| Places::open(outputs, &read));
    let (places, controls) = match ready.and_then(|places| Ok((places, controls(args)?))) {
        Ok(ready) => ready,
        Err(e) => {
            let outcome = out::error(&e, false);
            return if json { outcome.max(out::stdout(&report::failure(&e))) } else { outcome };
        }
    };
    let all: Vec<Replayed> = args
        .attempts
        .iter()
        .map(|folder| Replayed { path: folder.display().to_string(), ended: again(args, folder, &controls) })
        .collect();
    let written = places.write(|output| match output.format {
        Format::Human => report::human(&all, output.look(shared)),
        Format::Json => report::json(&all),
        Format::Html => report::html(&all),
    });
    all.iter().map(ended).fold(written, Outcome::max)
}

fn check(args: &Args, outputs: &[Output<Format>]) -> Result<(), InputError> {
    let usage = |message: &str| Err(InputError::new(ErrorCode::Usage, message));
    if args.attempts.len() > 1
        && (!args.control.is_empty() || args.against.is_some() || args.digest.is_some())
    {
        return usage("--control, --against and --digest are about one attempt: name one alone");
    }
    if args.derived.is_some() && args.control.len() > 1 {
        return usage("--derived is about one control: name one alone");
    }
    let written = outputs.iter().filter_map(|o| o.file.as_ref()).chain(&args.derived);
    let folders = || args.attempts.iter();
    if let Some(file) = written.into_iter().find(|file| folders().any(|folder| output::lies_in(file, folder)))
    {
        let message = "this would be written into an attempt, which is kept as it was recorded";
        return Err(InputError::new(ErrorCode::Usage, message)
            .at(file.display().to_string())
            .help("Give it another place."));
    }
    let inputs: Vec<PathBuf> = args.control.iter().chain(&args.against).cloned().collect();
    args.derived.as_ref().map_or(Ok(()), |file| output::stands_alone(file, &inputs, outputs))
}

fn controls(args: &Args) -> Result<Vec<(String, Control)>, InputError> {
    let one = |path: &PathBuf| {
        let shown = path.display().to_string();
        let control = Control::read(&input::bytes(path)?)
            .map_err(|why| InputError::new(ErrorCode::NotAControl, why).at(&shown))?;
        Ok((shown, control))
    };
    args.control.iter().map(one).collect()
}

/// How the run ends by one attempt.
fn ended(replayed: &Replayed) -> Outcome {
    match &replayed.ended {
        Err(e) => out::error(e, false),
        Ok(again) => {
            let is_fine = again.is_same() && again.controls.iter().all(Controlled::holds);
            grade::outcome(&again.verdict).max(if is_fine { Outcome::Clean } else { Outcome::Failed })
        }
    }
}

/// The attempt in `folder`, judged again.
fn again(args: &Args, folder: &Path, controls: &[(String, Control)]) -> Result<Again, InputError> {
    let opened = attempt::open(folder)?;
    let shown = folder.display().to_string();
    if let Some(wanted) = args.digest.as_ref().filter(|d| **d != opened.manifest.sha256) {
        let message = format!(
            "this is another attempt: its digest is {}, not {}",
            opened.manifest.sha256,
            crate::error::cut(wanted)
        );
        return Err(attempt::corrupt(folder, message));
    }
    let Judged { mut verdict, mutation } = opened.case.judge(&opened.trace, &shown)?;
    let mut again = Again {
        recording: opened.manifest.recording.path.clone(),
        verity: opened.manifest.verity.clone(),
        status: opened.manifest.verdict.status.clone(),
        digest: opened.manifest.sha256.clone(),
        notes: recording::notes(&opened.trace, &opened.manifest.recording.path),
        changes: Vec::new(),
        reading: opened.reading.clone(),
        controls: Vec::new(),
        trace: opened.trace.clone(),
        verdict: verdict.clone(),
        mutation,
    };
    again.changes = compare::changes(&opened.verdict, &crate::report::grade::value(&again.graded()));
    for (path, control) in controls {
        again.controls.push(controlled(args, &opened, path, control, &verdict, &shown)?);
    }
    if let Some(path) = &args.against {
        if opened.case.stream.is_some() {
            let message = "the attempt holds the model's own stream already: --against would replace it";
            return Err(InputError::new(ErrorCode::Usage, message).at(shown));
        }
        let stream = recording::read(path, None)?;
        verdict.checks.push(streams::agree(&opened.trace, &stream));
        again.verdict = verdict;
    }
    Ok(again)
}

/// The one change made, and judged.
fn controlled(
    args: &Args,
    opened: &Opened,
    path: &str,
    control: &Control,
    before: &Verdict,
    shown: &str,
) -> Result<Controlled, InputError> {
    let wrong = |why: String| InputError::new(ErrorCode::NotAControl, why).at(path);
    if opened.manifest.rows.count > MAX_ROWS {
        return Err(wrong(format!("the recording has more than {MAX_ROWS} rows: split it by session")));
    }
    let (rows, chain) = control.derive(opened.trace.rows().collect()).map_err(wrong)?;
    let text = lines(&rows);
    let changed = trace::read(path, text.as_bytes(), &Fixtures::new()).map_err(|e| {
        wrong(format!(
            "the changed rows are no recording (row {}): {}",
            e.line.map_or(0, |l| l - 1),
            e.message
        ))
    })?;
    if let Some(file) = &args.derived {
        out::write(file, &text)?;
    }
    let after = opened.case.verdict(&changed, shown)?;
    let noticed = control.judge(before, &after).map_err(wrong)?;
    let failed = |verdict: &Verdict| -> Vec<String> {
        verdict.checks.iter().filter(|c| c.status == Status::Failed).map(|c| c.full_name()).collect()
    };
    let known = failed(before);
    let others =
        failed(&after).into_iter().filter(|name| *name != control.check && !known.contains(name)).collect();
    Ok(Controlled {
        path: path.to_string(),
        reason: control.reason.clone(),
        check: control.check.clone(),
        noticed,
        others,
        sha256: chain.last().to_string(),
    })
}

fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}
