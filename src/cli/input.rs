//! INPUT arguments → what was read: files, folders, `-` for standard input, `./tools.json` by default.

mod file;
mod folder;

pub(super) use file::unreadable;

use super::config::Found;
use super::target::{self, Served};
use crate::error::{ErrorCode, InputError};
use crate::manifest::Input;
use crate::source;
use crate::suppress::Scope;
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// What the arguments named, read; in the order of the arguments, a folder's files sorted.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    pub inputs: Vec<Input>,
    /// What was named and cannot be judged. Never empty when `inputs` is.
    pub errors: Vec<InputError>,
    /// What a person should know of how the input was taken.
    pub notes: Vec<String>,
}

/// The file that is read when none is named.
pub(crate) const DEFAULT: &str = "tools.json";

/// What is read for these arguments: they, else what verity.yaml says, else `./tools.json`.
pub(crate) fn named(arguments: &[PathBuf], found: &Found) -> Vec<PathBuf> {
    match (arguments, found.config.manifests.as_slice()) {
        ([], []) => vec![PathBuf::from(DEFAULT)],
        ([], stated) => stated.iter().map(|m| found.path(m)).collect(),
        (typed, _) => typed.to_vec(),
    }
}

/// Which of the project's files these arguments are, as far as verity.yaml says.
pub(crate) fn scope(arguments: &[PathBuf], found: &Found) -> Scope {
    let real = |path: &PathBuf| path.canonicalize().ok();
    let typed: Vec<PathBuf> = arguments.iter().filter_map(real).collect();
    let all = named(&[], found);
    let are_all = || all.iter().all(|path| real(path).is_some_and(|path| typed.contains(&path)));
    if arguments.is_empty() || found.file.is_none() || are_all() {
        Scope::Whole
    } else if found.config.manifests.is_empty() {
        Scope::Named
    } else {
        Scope::Part
    }
}

/// Read everything that `arguments` name. Files of a folder that hold no tools are skipped and counted;
/// a *named* file without tools is an error, and so is a folder in which none is left.
/// Where a server is named, its listing is the input.
pub(crate) fn collect(arguments: &[PathBuf], served: &Served, found: &Found) -> Inputs {
    let mut out = Inputs::default();
    if let (Some(file), true) = (arguments.first(), served.is_asked()) {
        let file = file.display().to_string();
        out.errors.extend(target::one_of(Some(&file), served).err());
        return out;
    }
    if let Some(document) = served.listing() {
        out.take(document.and_then(Input::of_document));
        return out;
    }
    let named = named(arguments, found);
    if arguments.is_empty() && !found.config.manifests.is_empty() {
        let names: Vec<String> = named.iter().map(|p| p.display().to_string()).collect();
        out.notes.push(format!("no input was named: reading {}, as {} says", names.join(", "), found.name()));
    } else if arguments.is_empty() {
        if !Path::new(DEFAULT).exists() {
            out.errors.push(
                InputError::new(
                    ErrorCode::Usage,
                    format!("no input was named, and there is no ./{DEFAULT} here"),
                )
                .help("Name a file or a folder, such as tools.json, or `-` for standard input."),
            );
            return out;
        }
        out.notes.push(format!("no input was named: reading ./{DEFAULT}"));
    }
    let mut stdin_taken = false;
    for argument in &named {
        if argument.as_os_str() == "-" {
            let bytes = if stdin_taken { Err(file::stdin_twice()) } else { file::read_stdin() };
            stdin_taken = true;
            out.take(bytes.and_then(|bytes| input("<stdin>", bytes)));
        } else if argument.is_dir() {
            out.folder(argument);
        } else {
            out.take(file::read(argument).and_then(|bytes| input(&argument.display().to_string(), bytes)));
        }
    }
    out
}

/// The bytes of a named file, or of standard input for `-`.
pub(crate) fn bytes(argument: &Path) -> Result<Vec<u8>, InputError> {
    if argument.as_os_str() == "-" { file::read_stdin() } else { file::read(argument) }
}

fn input(path: &str, bytes: Vec<u8>) -> Result<Input, InputError> {
    source::parse(path, bytes).and_then(Input::of_document)
}

impl Inputs {
    fn take(&mut self, result: Result<Input, InputError>) {
        match result {
            Ok(input) => self.inputs.push(input),
            Err(error) => self.errors.push(error),
        }
    }

    fn folder(&mut self, folder: &Path) {
        let found = match folder::walk(folder) {
            Ok(found) => found,
            Err(error) => return self.errors.push(error),
        };
        let files: usize = found.iter().map(folder::Found::files).sum();
        // Reading is cheap: threads only pay for a folder of many files.
        let read: Vec<folder::Read> = if files < 16 {
            found.iter().map(folder::Found::read).collect()
        } else {
            found.par_iter().map(folder::Found::read).collect()
        };
        let (mut skipped, before) = (Vec::new(), self.inputs.len() + self.errors.len());
        for read in read {
            skipped.extend(read.skipped);
            self.inputs.extend(read.input);
            self.errors.extend(read.errors);
        }
        let shown = folder.display();
        if self.inputs.len() + self.errors.len() == before {
            self.errors.push(folder::nothing(folder, &skipped));
        } else if !skipped.is_empty() {
            let some: Vec<_> = skipped.iter().take(3).cloned().collect();
            let more = if skipped.len() > some.len() { ", …" } else { "" };
            let files = if skipped.len() == 1 { "file" } else { "files" };
            self.notes.push(format!(
                "{shown}: {} {files} without tools skipped ({}{more})",
                skipped.len(),
                some.join(", ")
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::string_slice)]

    use super::*;
    use std::fs;

    const LISTING: &str = r#"{"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}"#;

    /// A folder with these files, and the names of the listings that are found in it.
    fn found(files: &[(&str, &str)]) -> (Vec<String>, Inputs) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let inputs = collect(&[folder.path().to_path_buf()], &Served::default(), &Found::default());
        let name = |i: &Input| {
            let below = Path::new(&i.path).strip_prefix(folder.path()).unwrap();
            below.to_string_lossy().replace('\\', "/")
        };
        (inputs.inputs.iter().map(name).collect(), inputs)
    }

    #[test]
    fn a_folder_is_searched() {
        let (names, inputs) = found(&[
            ("z.json", LISTING),
            ("a/b.JSONL", LISTING),
            ("a/notes.txt", LISTING),
            (".hidden/c.json", LISTING),
            ("node_modules/d.json", LISTING),
            ("package.json", r#"{"name": "x", "dependencies": {}}"#),
            ("tsconfig.json", "{ // comment\n \"compilerOptions\": {}}"),
        ]);
        assert_eq!(names, ["a/b.JSONL", "z.json"]);
        assert_eq!(inputs.errors, []);
        assert_eq!(inputs.notes.len(), 1);
        assert!(inputs.notes[0].contains("2 files without tools"), "{}", inputs.notes[0]);
    }

    #[test]
    fn snapshots_of_a_folder_are_one_manifest() {
        let (names, inputs) = found(&[
            (
                "__toolsnaps__/b.snap",
                r#"{"name": "b", "description": "B.", "inputSchema": {"type": "object"}}"#,
            ),
            ("__toolsnaps__/a.snap", "{\n\"name\": \"a\", \"inputSchema\": {\"type\": \"object\"}}"),
            ("__snapshots__/jest.snap", "// Jest Snapshot v1\nexports[`x`] = `1`;"),
        ]);
        assert_eq!(names, ["__toolsnaps__"]);
        assert_eq!(inputs.errors, []);
        let (input, manifest) = (&inputs.inputs[0], &inputs.inputs[0].manifests[0]);
        assert_eq!(manifest.shape, "toolsnaps");
        assert_eq!(manifest.tools.iter().filter_map(|t| t.name()).collect::<Vec<_>>(), ["a", "b"]);
        let part = crate::finding::Part::Value;
        let span = input.locate(manifest, "/tools/0/name", &part).unwrap();
        assert_eq!((span.line, span.column), (2, 9));
        let span = input.locate(manifest, "/tools/1/name", &part).unwrap();
        assert_eq!((span.line, span.column), (1, 10));
        assert!(input.document(manifest, "/tools/1/name").unwrap().path.ends_with("b.snap"));
    }

    #[test]
    fn a_broken_listing_is_no_file_without_tools() {
        let (names, inputs) =
            found(&[("a.json", &LISTING[..40]), ("b.json", "{\"x\": 1,"), ("c.json", LISTING)]);
        assert_eq!(names, ["c.json"]);
        assert_eq!(inputs.errors.iter().map(|e| e.code).collect::<Vec<_>>(), [ErrorCode::NotJson]);
        assert!(inputs.errors[0].path.as_deref().unwrap().ends_with("a.json"));
    }

    #[test]
    fn nothing_to_judge_is_an_error() {
        for files in [&[][..], &[("a.json", "{}")], &[("a.json", "{\"tools\": []}"), ("b.json", "[1]")]] {
            let (_, inputs) = found(files);
            assert_eq!(inputs.errors.iter().map(|e| e.code).collect::<Vec<_>>(), [ErrorCode::NoTools]);
        }
        let missing = collect(&[PathBuf::from("/no/such/file.json")], &Served::default(), &Found::default());
        assert_eq!(missing.errors[0].code, ErrorCode::Unreadable);
        assert_eq!(missing.errors[0].path.as_deref(), Some("/no/such/file.json"));
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_round_in_circles() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.json"), LISTING).unwrap();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).unwrap();
        std::os::unix::fs::symlink("itself.json", folder.path().join("itself.json")).unwrap();
        std::os::unix::fs::symlink("a.json", folder.path().join("b.json")).unwrap();
        let inputs = collect(&[folder.path().to_path_buf()], &Served::default(), &Found::default());
        assert_eq!(inputs.inputs.len(), 2, "the file and the link to it");
    }

    #[cfg(unix)]
    #[test]
    fn what_never_ends_is_cut_off() {
        let inputs = collect(&[PathBuf::from("/dev/zero")], &Served::default(), &Found::default());
        assert_eq!(inputs.errors[0].code, ErrorCode::TooLarge);
        let inputs = collect(&[PathBuf::from("/dev/null")], &Served::default(), &Found::default());
        assert_eq!(inputs.errors[0].code, ErrorCode::NotJson);
    }
}
