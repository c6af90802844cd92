//! Shared by the integration tests: where things are, how verity is run.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

/// Third-party corpora beside the repository; tests that need them skip, saying so, where they are absent.
pub fn shared(path: &str) -> Option<PathBuf> {
    let full = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(path);
    if full.exists() {
        return Some(full);
    }
    eprintln!("skipped: {} is not here", full.display());
    None
}

/// A file of this repository's `fixtures/`.
pub fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(path)
}

/// The `verity` binary, in a scrubbed environment.
pub fn verity() -> assert_cmd::Command {
    let mut command = assert_cmd::Command::cargo_bin("verity").expect("the binary is built with the tests");
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}

/// A peer that a test has started, and that ends with the test.
pub struct Killed(pub std::process::Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Fails where `report` breaks the schema of this name that verity publishes.
pub fn check_schema(name: &str, report: &serde_json::Value) {
    use verity::schema::{Dialect, Judge, judge::Formats};
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas").join(name);
    let schema = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let judge = Judge::compile(&schema, Dialect::Draft202012, Formats::Assert).unwrap();
    assert_eq!(judge.violations(report), [], "{report:#}");
}
