//! A probe that goes on where an earlier one was ended, and what it keeps to itself.

use crate::support::verity;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

fn command(dir: &Path, flags: &[&str], mode: &str) -> assert_cmd::Command {
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/live/tools.py");
    let mut command = verity();
    // As much time as a slow machine may need, unless the flags say otherwise.
    let timeout: &[&str] = if flags.contains(&"--timeout") { &[] } else { &["--timeout", "120"] };
    command.current_dir(dir).arg("probe").args(timeout).args(flags);
    command.args(["--format", "json", "--", "python3"]).arg(server).arg("calls").args(mode.split(' '));
    command
}

fn probe(dir: &Path, flags: &[&str]) -> Output {
    command(dir, flags, "").output().unwrap()
}

fn report(out: &Output) -> Value {
    let err = String::from_utf8_lossy(&out.stderr);
    serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{e}: {err}"))
}

fn said(out: &Output) -> (Option<i32>, String) {
    (out.status.code(), String::from_utf8(out.stderr.clone()).unwrap())
}

/// The calls that the server took.
fn calls(dir: &Path) -> Vec<String> {
    std::fs::read_to_string(dir.join("calls")).unwrap_or_default().lines().map(str::to_string).collect()
}

#[test]
fn what_was_answered_is_not_asked_again() {
    let (at_once, in_parts) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let writes = ["--allow-writes", "write_note=3"];
    let whole = report(&probe(at_once.path(), &writes));
    let dir = in_parts.path();
    for most in ["7", "40", "200"] {
        let log = ["--log", "log.jsonl", "--resume", "--max-calls", most];
        let out = probe(dir, &[&writes[..], &log[..]].concat());
        if most == "200" {
            assert_eq!(report(&out), whole, "the same report as of one run");
            assert!(said(&out).1.contains("note: 40 calls are answered already\n"), "{}", said(&out).1);
        }
    }
    let (mut asked, mut once) = (calls(dir), calls(at_once.path()));
    asked.sort();
    once.sort();
    assert_eq!(asked, once);
    // All of it is there: a server that is not asked anything answers all the same.
    let out = probe(dir, &[&writes[..], &["--log", "log.jsonl", "--resume"][..]].concat());
    assert_eq!(report(&out), whole);
    assert_eq!(calls(dir).len(), once.len());
}

#[test]
fn a_write_without_an_answer_counts_as_made() {
    let dir = TempDir::new().unwrap();
    let log = dir.path().join("log.jsonl");
    probe(dir.path(), &["--max-calls", "1", "--log", "log.jsonl"]);
    let head = std::fs::read_to_string(&log).unwrap().lines().next().unwrap().to_string();
    let begun = json!({"call": 1, "tool": "write_note", "arguments": {"n": 1}});
    // And half a line, as a process that was killed leaves it.
    std::fs::write(&log, format!("{head}\n{begun}\n{{\"call\":1,\"res")).unwrap();
    std::fs::remove_file(dir.path().join("calls")).unwrap();
    let flags = ["--log", "log.jsonl", "--resume", "--allow-writes", "write_note"];
    let out = probe(dir.path(), &flags);
    let report = report(&out);
    let check =
        report["checks"].as_array().unwrap().iter().find(|c| c["operationId"] == "write_note").unwrap();
    assert!(check["note"].as_str().unwrap().contains("(--allow-writes write_note=2)"), "{check}");
    assert!(calls(dir.path()).iter().all(|call| !call.contains("write_note")));
    for line in std::fs::read_to_string(&log).unwrap().lines() {
        serde_json::from_str::<Value>(line).unwrap();
    }
}

#[test]
fn logs_that_are_not_gone_on_with() {
    let dir = TempDir::new().unwrap();
    let log = dir.path().join("log.jsonl");
    probe(dir.path(), &["--max-calls", "1", "--log", "log.jsonl"]);
    let before = std::fs::read(&log).unwrap();
    let (code, err) = said(&probe(dir.path(), &["--log", "log.jsonl"]));
    assert_eq!(code, Some(2));
    assert!(err.contains("there is a log of this name already") && err.contains("--resume"), "{err}");
    assert_eq!(std::fs::read(&log).unwrap(), before);
    let other = String::from_utf8(before).unwrap().replace("\"sha256:", "\"sha256:0");
    std::fs::write(&log, other).unwrap();
    let (code, err) = said(&probe(dir.path(), &["--log", "log.jsonl", "--resume"]));
    assert_eq!(code, Some(2));
    assert!(err.contains("the log is of another listing"), "{err}");
    std::fs::write(&log, "{\"tools\": []}\n").unwrap();
    let (code, err) = said(&probe(dir.path(), &["--log", "log.jsonl", "--resume"]));
    assert_eq!(code, Some(2));
    assert!(err.contains("log.jsonl:1:1: this is no log of a probe"), "{err}");
    let (code, _) = said(&probe(dir.path(), &["--log", "no/such/folder/log", "--resume"]));
    assert_eq!(code, Some(2));
    assert_eq!(calls(dir.path()).len(), 1, "nothing was called");
}

#[test]
fn findings_that_are_known_stand_in_a_baseline() {
    let dir = TempDir::new().unwrap();
    let out = probe(dir.path(), &["--write-baseline", "known.json"]);
    assert_eq!(said(&out).0, Some(0), "{}", said(&out).1);
    let found = report(&out)["findings"].as_array().unwrap().len();
    let out = probe(dir.path(), &["--baseline", "known.json"]);
    assert_eq!(said(&out).0, Some(0), "{}", said(&out).1);
    let known = report(&out);
    let known = known["findings"].as_array().unwrap();
    assert_eq!(known.len(), found);
    assert!(known.iter().all(|f| f["suppressed"] == "in the baseline"), "{known:?}");
    // What is new counts.
    let baseline = std::fs::read_to_string(dir.path().join("known.json")).unwrap();
    let mut value: Value = serde_json::from_str(&baseline).unwrap();
    value["findings"].as_array_mut().unwrap().retain(|f| f["rule"] != "MCP-PROBE-CRASH");
    std::fs::write(dir.path().join("known.json"), value.to_string()).unwrap();
    let out = probe(dir.path(), &["--baseline", "known.json"]);
    assert_eq!(said(&out).0, Some(1));
    assert_eq!(said(&probe(dir.path(), &["--baseline", "missing.json"])).0, Some(2));
}

/// Interrupted while a tool does not answer: nothing is left behind but the log, from which the rest is done.
#[cfg(target_os = "linux")]
#[test]
fn an_interruption_can_be_gone_on_from() {
    let dir = TempDir::new().unwrap();
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/live/tools.py");
    let mut first = std::process::Command::new(assert_cmd::cargo::cargo_bin("verity"));
    first.current_dir(dir.path()).args(["probe", "--timeout", "600", "--log", "log.jsonl", "--", "python3"]);
    first.arg(server).args(["calls", "hangs", "child"]).stdout(Stdio::null()).stderr(Stdio::piped());
    let running = first.spawn().unwrap();
    let is_hanging = || calls(dir.path()).last().is_some_and(|call| call.contains("hangs"));
    let child = dir.path().join("calls.pid");
    while !is_hanging() || std::fs::read_to_string(&child).unwrap_or_default().is_empty() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let kill = format!("kill -INT {}", running.id());
    assert!(std::process::Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    let (code, err) = said(&running.wait_with_output().unwrap());
    assert_eq!(code, Some(3), "{err}");
    assert!(err.contains("interrupted") && err.contains("--resume goes on from log.jsonl"), "{err}");
    assert!(crate::capture::dies(&child), "an orphan is left");
    let made = calls(dir.path()).len();
    std::fs::remove_file(dir.path().join("calls")).unwrap();
    let out = command(dir.path(), &["--log", "log.jsonl", "--resume"], "hangs wakes").output().unwrap();
    assert_eq!(said(&out).0, Some(1));
    let later = calls(dir.path());
    // The call that was cut off is made again; those before it are not.
    assert!(later[0].contains("hangs"), "{later:?}");
    assert_eq!(report(&out)["calls"], made - 1 + later.len());
}

/// A tool that says what is in its environment shows it to nobody by way of us.
#[test]
fn what_a_server_was_given_to_keep_is_in_no_report() {
    let dir = TempDir::new().unwrap();
    let flags = [
        "--env",
        "TOKEN",
        "--log",
        "log.jsonl",
        "--format",
        "html=report.html",
        "--format",
        "sarif=out.sarif",
    ];
    let out = command(dir.path(), &flags, "tell").env("TOKEN", "a-long-\"secret\"").output().unwrap();
    let report = report(&out);
    assert!(report.to_string().contains("the token is ***"), "{report}");
    let mut written = String::from_utf8([out.stdout, out.stderr].concat()).unwrap();
    for file in ["log.jsonl", "report.html", "out.sarif"] {
        written.push_str(&std::fs::read_to_string(dir.path().join(file)).unwrap());
    }
    assert!(!written.contains("a-long-"), "{written}");
}
