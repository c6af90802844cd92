//! `verity lint --fix`: the library's repairs, written to the files or shown.

use super::{Outcome, Shared, out};
use crate::error::{ErrorCode, InputError, said_by_system};
use crate::fix::{self, Attempt, Fixed};
use crate::lint::{self, LintedFile, Options};
use crate::manifest::Input;
use crate::report::screen;
use crate::source::Document;
use crate::threads;
use std::path::Path;

/// Lines about single findings beyond which they are counted.
const MAX_LINES: usize = 50;

/// Repairs `inputs` and says on stderr what became of each finding that has a repair. Returns what is to be
/// judged now, what became of the repairs, and whether all that should be written was.
pub(super) fn run(
    inputs: Vec<Input>,
    options: &Options,
    diff: bool,
    shared: &Shared,
    suppress: impl Fn(&mut [LintedFile]),
) -> (Vec<Input>, Vec<Attempt>, Outcome) {
    let results = lint::inputs(inputs.clone(), options);
    let (mut files, mut judged, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for (input, result) in inputs.into_iter().zip(results) {
        match result {
            Ok(file) => {
                files.push(file);
                judged.push(input);
            }
            Err(_) => rest.push(input), // the lint that follows says why
        }
    }
    suppress(&mut files);
    let findings = files.iter().flat_map(|f| &f.manifests).flat_map(|m| &m.findings);
    let all = findings.filter(|f| f.suppressed.is_none() && !f.rule.starts_with("MCP-CONFIG-")).count();
    let (mut outcome, mut attempts, mut now) = (Outcome::Clean, Vec::new(), Vec::new());
    for (input, file) in judged.into_iter().zip(&files) {
        let before = input.clone();
        let bytes = input.documents.iter().map(|d| d.text.len()).sum();
        let mut fixed = match threads::pool(bytes) {
            Some(pool) => pool.install(|| fix::input(input, file, options)),
            None => fix::input(input, file, options),
        };
        let texts = std::mem::take(&mut fixed.texts);
        for (document, text) in before.documents.iter().zip(&texts) {
            let Some(text) = text else { continue };
            if diff {
                outcome = outcome.max(out::stdout(&shown(document, text)));
            } else if let Err(e) = write(document, text) {
                outcome = outcome.max(out::error(&e, false));
                refuse(&mut fixed, &document.path);
                fixed.input = before.clone();
            }
        }
        attempts.append(&mut fixed.attempts);
        now.push(fixed.input);
    }
    say(&attempts, all, diff, shared);
    now.append(&mut rest);
    (now, attempts, outcome)
}

/// The diff, with nothing in it that acts on a screen; JSON hides nothing by an escape.
fn shown(document: &Document, text: &str) -> String {
    screen::escaped_json(&fix::unified(&screen::safe(&document.path), &document.text, text)).into_owned()
}

fn write(document: &Document, text: &str) -> Result<(), InputError> {
    let path = Path::new(&document.path);
    let error = |message: String| InputError::new(ErrorCode::Output, message).at(&document.path);
    if document.path == "<stdin>" {
        return Err(error("standard input cannot be repaired in its place".to_string())
            .help("Name the file, or look at the changes with --fix --diff."));
    }
    let bytes = document.encoded(text);
    let is_as_read = std::fs::read(path).is_ok_and(|now| now == document.encoded(&document.text));
    if !is_as_read {
        return Err(error("the file is no longer what was read; nothing is written".to_string())
            .help("Run it again when nothing else writes the file."));
    }
    out::replace(path, &bytes).map_err(|e| error(format!("cannot be written: {}", said_by_system(&e))))
}

/// What was not written is not repaired.
fn refuse(fixed: &mut Fixed, path: &str) {
    for attempt in fixed.attempts.iter_mut().filter(|a| a.path == path && a.outcome.is_ok()) {
        attempt.outcome = Err("the file could not be written".to_string());
    }
}

fn say(attempts: &[Attempt], all: usize, diff: bool, shared: &Shared) {
    let would = if diff { "would fix" } else { "fixed" };
    for attempt in attempts.iter().take(MAX_LINES) {
        let (finding, kind) = (&attempt.finding, attempt.fixer.kind.name());
        let line = finding.span.map_or(String::new(), |s| format!(":{}:{}", s.line, s.column));
        let what = match &attempt.outcome {
            Ok(()) => format!("{would} ({kind}): {}", attempt.fixer.does),
            Err(why) => format!("left: {why}"),
        };
        out::note(shared, &format!("{}{line}: {} {what}", attempt.path, finding.rule));
    }
    if attempts.len() > MAX_LINES {
        out::note(shared, &format!("… and {} more", attempts.len() - MAX_LINES));
    }
    let fixed = attempts.iter().filter(|a| a.outcome.is_ok()).count();
    let rest = all.saturating_sub(fixed);
    let needs = if rest == 1 { "1 needs a person".to_string() } else { format!("{rest} need a person") };
    out::note(shared, &format!("{would} {fixed} of {all}; {needs}"));
    let untried =
        attempts.iter().filter(|a| a.outcome.as_ref().is_err_and(|why| why == fix::TOO_MUCH)).count();
    if untried > 0 {
        let again = "another run may get further; what it leaves needs a person";
        out::note(
            shared,
            &format!(
                "{untried} of these were not tried to the end: there was too much to try at once; {again}"
            ),
        );
    }
}
