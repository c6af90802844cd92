//! `--format NAME[=FILE]`: which reports are asked for, and their way to their places. Every place is opened before
//! anything is judged, and no file is replaced before all reports are there: a run leaves all of them, or none.

use super::{Outcome, Shared, out};
use crate::config::FailOn;
use crate::error::{ErrorCode, InputError};
use crate::report::human::Look;
use crate::report::{Format, Setting};
use crate::suggest;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Columns of a human report in a file.
const FILE_WIDTH: usize = 100;

/// The formats that a command has.
pub(super) trait Choice: Copy + PartialEq + 'static {
    const ALL: &'static [Self];
    /// As `--format` takes it.
    fn name(self) -> &'static str;
}

impl Choice for Format {
    const ALL: &'static [Format] = &Format::ALL;

    fn name(self) -> &'static str {
        Format::name(self)
    }
}

/// A report and where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Output<F = Format> {
    pub(super) format: F,
    /// `None`: standard output.
    pub(super) file: Option<PathBuf>,
}

impl<F: Choice> Output<F> {
    pub(super) fn parse(text: &str) -> Result<Output<F>, String> {
        let (name, file) = match text.split_once('=') {
            Some((_, "")) => return Err("no file name after `=`".to_string()),
            Some((name, "-")) => (name, None),
            Some((name, file)) => (name, Some(PathBuf::from(file))),
            None => (text, None),
        };
        let Some(format) = F::ALL.iter().copied().find(|f| f.name() == name) else {
            return Err(suggest::unknown("format", name, F::ALL.iter().map(|f| f.name())));
        };
        Ok(Output { format, file })
    }

    /// How the report is to look at its place, where people read it.
    pub(super) fn look(&self, shared: &Shared) -> Look {
        match self.file {
            Some(_) => Look::new(FILE_WIDTH, false),
            None => Look::new(out::width(), out::is_coloured(shared)),
        }
    }

    /// As [`Output::look`], with the rest that a lint report asks for; `here` is the folder that its paths start from.
    pub(super) fn setting<'s>(&self, here: &'s str, shared: &Shared, level: FailOn) -> Setting<'s> {
        let fails_from = match level {
            FailOn::At(severity) => Some(severity),
            FailOn::Never => None,
        };
        Setting { look: self.look(shared), base: here, fails_from }
    }
}

/// The working folder, absolute; empty where the system does not say.
pub(super) fn here() -> String {
    std::env::current_dir().map(|d| d.display().to_string()).unwrap_or_default()
}

/// The reports of a run, each with its open place.
#[derive(Debug)]
pub(super) struct Places<F = Format>(Vec<(Output<F>, Option<out::Staged>)>);

impl<F: Choice> Places<F> {
    /// Open every place. `inputs` are files that a report must not replace.
    ///
    /// # Errors
    /// Two reports in one place, a place that cannot be written, one that holds an input. Nothing is left behind.
    pub(super) fn open(outputs: Vec<Output<F>>, inputs: &[PathBuf]) -> Result<Places<F>, InputError> {
        two_in_one_place(&outputs).map_err(|message| InputError::new(ErrorCode::Usage, message))?;
        let inputs = existing(inputs);
        let open = |output: Output<F>| {
            let Some(file) = &output.file else { return Ok((output, None)) };
            is_not_read(file, &inputs)?;
            let staged = out::Staged::open(file)?;
            Ok((output, Some(staged)))
        };
        outputs.into_iter().map(open).collect::<Result<_, _>>().map(Places)
    }

    /// Put every report, as `render` has it, in its place: the files first, whole and all, then standard output.
    pub(super) fn write(self, render: impl Fn(&Output<F>) -> String) -> Outcome {
        let mut files = Vec::new();
        let mut screen = None;
        for (output, place) in self.0 {
            let text = render(&output);
            match place {
                Some(place) => files.push((place, text)),
                None => screen = Some(text),
            }
        }
        let written = match out::Staged::commit(files) {
            Ok(()) => Outcome::Clean,
            Err(e) => out::error(&e, false),
        };
        written.max(screen.map_or(Outcome::Clean, |text| out::stdout(&text)))
    }
}

/// Whether another file that is written, `file`, is one of its own: neither read (`inputs`) nor a report.
///
/// # Errors
/// It is not.
pub(super) fn stands_alone<F>(
    file: &Path,
    inputs: &[PathBuf],
    outputs: &[Output<F>],
) -> Result<(), InputError> {
    is_not_read(file, &existing(inputs))?;
    let place = real(file);
    match outputs.iter().any(|o| o.file.as_deref().is_some_and(|report| real(report) == place)) {
        true => Err(InputError::new(ErrorCode::Usage, one_place(file))),
        false => Ok(()),
    }
}

/// Whether `file` would be written into `folder`, or below it.
pub(super) fn lies_in(file: &Path, folder: &Path) -> bool {
    folder.canonicalize().is_ok_and(|folder| real(file).starts_with(folder))
}

/// The files among `inputs`, by their real names.
fn existing(inputs: &[PathBuf]) -> BTreeSet<PathBuf> {
    inputs.iter().filter_map(|i| i.canonicalize().ok()).collect()
}

fn is_not_read(file: &Path, inputs: &BTreeSet<PathBuf>) -> Result<(), InputError> {
    if file.canonicalize().is_ok_and(|real| inputs.contains(&real)) {
        return Err(InputError::new(ErrorCode::Usage, "the report would replace what is read")
            .at(file.display().to_string())
            .help("Give the report another file name."));
    }
    Ok(())
}

fn one_place(file: &Path) -> String {
    format!("two reports to one file, {}: give each a file of its own", file.display())
}

fn two_in_one_place<F>(outputs: &[Output<F>]) -> Result<(), String> {
    let mut places = BTreeSet::new();
    match outputs.iter().find(|o| !places.insert(o.file.as_deref().map(real))) {
        None => Ok(()),
        Some(Output { file: Some(file), .. }) => Err(one_place(file)),
        Some(_) => Err(
            "two reports to standard output: give one of them a file, such as `--format json=report.json`"
                .to_string(),
        ),
    }
}

/// The place that a path means, however it is written, whether or not there is a file yet.
fn real(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_path_buf(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn output(format: Format, file: Option<PathBuf>) -> Output {
        Output { format, file }
    }

    #[test]
    fn a_report_may_have_a_file() {
        assert_eq!(Output::<Format>::parse("json"), Ok(output(Format::Json, None)));
        assert_eq!(Output::<Format>::parse("sarif=a=b"), Ok(output(Format::Sarif, Some("a=b".into()))));
        assert!(Output::<Format>::parse("jsn").unwrap_err().contains("did you mean `json`?"));
        assert!(Output::<Format>::parse("json=").is_err());
        assert_eq!(Output::<Format>::parse("json=-"), Ok(output(Format::Json, None)), "standard output");
    }

    #[test]
    fn one_place_takes_one_report() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str| Some(dir.path().join(name));
        let two = |a, b| Places::open(vec![output(Format::Json, a), output(Format::Sarif, b)], &[]);
        assert!(two(file("a"), file("b")).is_ok());
        assert!(two(file("a"), None).is_ok());
        assert!(two(None, None).unwrap_err().message.contains("standard output"));
        let dotted = Some(dir.path().join(".").join("a"));
        assert!(two(file("a"), dotted).unwrap_err().message.starts_with("two reports to one file"));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "nothing is left behind");
    }

    #[test]
    fn a_place_that_cannot_be_written_costs_all_reports() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("tools.json"), "{}").unwrap();
        let refuse = |name: &str| {
            let outputs = vec![
                output(Format::Json, Some(dir.path().join("good.json"))),
                output(Format::Sarif, Some(dir.path().join(name))),
            ];
            let e = Places::open(outputs, &[dir.path().join("tools.json")]).unwrap_err();
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left behind");
            e.message
        };
        assert!(refuse("no/such/folder.json").contains("there is no folder"));
        assert!(refuse("tools.json/x.json").contains("is a file, not a folder"));
        assert!(refuse("tools.json").contains("would replace"));
        assert!(refuse("").contains("is a folder"));
    }

    #[test]
    fn all_reports_get_to_their_places() {
        let dir = tempfile::tempdir().unwrap();
        let outputs = ["json", "sarif"].map(|name| {
            Output::<Format>::parse(&format!("{name}={}", dir.path().join(name).display())).unwrap()
        });
        let places = Places::open(outputs.to_vec(), &[]).unwrap();
        assert_eq!(places.write(|o| format!("\"{}\"\n", o.format.name())), Outcome::Clean);
        assert_eq!(fs::read_to_string(dir.path().join("sarif")).unwrap(), "\"sarif\"\n");
        assert_eq!(fs::read_to_string(dir.path().join("json")).unwrap(), "\"json\"\n");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }
}
