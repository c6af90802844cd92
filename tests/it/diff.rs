//! `verity diff` and `verity lock`: what changed, how grave it is, and what shows it.

mod breaker;
mod cases;
mod ignores;
mod inputs;
mod same;

use crate::support::verity;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A listing of one tool with this input schema.
pub fn tool(input: Value) -> Value {
    json!({"tools": [{"name": "find", "description": "Find items.", "inputSchema": input}]})
}

/// Exit code and report of the diff of two listings.
pub fn diff_with(old: &Value, new: &Value, args: &[&str]) -> (i32, Value) {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("old.json"), old.to_string()).unwrap();
    fs::write(dir.path().join("new.json"), new.to_string()).unwrap();
    run(dir.path(), &[&["old.json", "new.json"], args].concat())
}

pub fn run(dir: &Path, args: &[&str]) -> (i32, Value) {
    let out = verity().current_dir(dir).args(["diff", "--format", "json"]).args(args).output().unwrap();
    let report = serde_json::from_slice(&out.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&out.stderr)));
    (out.status.code().unwrap(), report)
}

/// Class and rule of every change, without the family's prefix.
pub fn kinds(report: &Value) -> Vec<(String, String)> {
    let text = |v: &Value| v.as_str().unwrap().to_string();
    report["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| (text(&c["class"]), text(&c["rule"]).replace("MCP-DIFF-", "")))
        .collect()
}

pub fn expect(old: &Value, new: &Value, wanted: &[(&str, &str)]) -> Value {
    let (code, report) = diff_with(old, new, &[]);
    let wanted: Vec<(String, String)> = wanted.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
    assert_eq!(kinds(&report), wanted, "{report:#}");
    let fails = wanted.iter().any(|(class, _)| class == "breaking" || class == "security");
    assert_eq!(code, i32::from(fails), "{report:#}");
    report
}
