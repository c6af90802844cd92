//! The README shows what the commands in it print: every `console` block is run and compared.

use crate::support;
use std::fs;
use std::path::Path;

/// One `$ verity …` line with the output below it.
struct Shown {
    command: String,
    output: String,
}

fn console_blocks(readme: &str) -> Vec<Vec<Shown>> {
    let mut blocks = Vec::new();
    for block in readme.split("```console\n").skip(1) {
        let body = block.split("```").next().unwrap();
        let mut shown: Vec<Shown> = Vec::new();
        for line in body.lines() {
            if let Some(command) = line.strip_prefix("$ verity ") {
                shown.push(Shown { command: command.to_string(), output: String::new() });
            } else {
                let last = shown.last_mut().expect("a console block begins with a command");
                last.output.push_str(line);
                last.output.push('\n');
            }
        }
        blocks.push(shown);
    }
    blocks
}

/// What a terminal of 100 columns shows: standard output and then standard error.
fn run(command: &str, folder: &Path) -> String {
    let out = support::verity().args(command.split(' ')).current_dir(folder).output().unwrap();
    let text = [out.stdout, out.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    let mut lines: String = text.lines().map(|l| format!("{}\n", l.trim_end())).collect();
    if lines.trim().is_empty() {
        lines.clear();
    }
    lines
}

fn copy_fixtures(to: &Path) {
    for folder in ["mcp", "config"] {
        let target = to.join("fixtures").join(folder);
        fs::create_dir_all(&target).unwrap();
        for entry in fs::read_dir(support::fixture(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                fs::copy(&path, target.join(path.file_name().unwrap())).unwrap();
            }
        }
    }
}

/// `VERITY_UPDATE_DOCS=1` writes the blocks anew.
#[test]
fn shows_what_the_commands_print() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    copy_fixtures(folder.path());
    let mut fresh = readme.clone();
    let mut commands = 0;
    for block in console_blocks(&readme) {
        let was: String = block.iter().map(|s| format!("$ verity {}\n{}", s.command, s.output)).collect();
        let is: String = block
            .iter()
            .map(|s| format!("$ verity {}\n{}", s.command, run(&s.command, folder.path())))
            .collect();
        commands += block.len();
        fresh = fresh.replacen(&format!("```console\n{was}```"), &format!("```console\n{is}```"), 1);
    }
    assert!(commands >= 7, "the README's commands were not found");
    if std::env::var_os("VERITY_UPDATE_DOCS").is_some() {
        fs::write(&path, &fresh).unwrap();
    } else {
        let drift: Vec<_> = readme.lines().zip(fresh.lines()).filter(|(was, is)| was != is).take(3).collect();
        assert!(readme == fresh, "run VERITY_UPDATE_DOCS=1 cargo test --test it readme: {drift:#?}");
    }
}

#[test]
fn names_the_two_commands_that_ci_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let ci = fs::read_to_string(root.join(".ci/run")).unwrap();
    for name in ["main-job", "tests"] {
        assert_eq!(readme.matches(&format!("<!-- ci:{name} -->\n```sh\n")).count(), 1, "{name}");
        assert!(ci.contains(&format!("readme_command {name}")), "CI does not run {name}");
    }
}
