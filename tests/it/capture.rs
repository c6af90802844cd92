//! `verity capture` and `--server`: what a server publishes, as it sent it, from servers of every kind. Needs python3.

use crate::support::verity;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub fn server() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/live/server.py").display().to_string()
}

/// As much time as a slow machine may need, unless the flags say otherwise.
fn capture(flags: &[&str], mode: &str) -> Output {
    let timeout: &[&str] = if flags.contains(&"--timeout") { &[] } else { &["--timeout", "120"] };
    let args = ["--", "python3", &server(), mode];
    verity().arg("capture").args(timeout).args(flags).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The fault of a server: exit code 3, nothing on standard output, and this in the message.
fn fault(flags: &[&str], mode: &str, said: &str) {
    let out = capture(flags, mode);
    let err = text(&out.stderr);
    assert_eq!(out.status.code(), Some(3), "{mode}: {err}");
    assert_eq!(text(&out.stdout), "", "{mode}");
    assert!(err.starts_with("error: ") && err.contains(said), "{mode}: {err}");
}

#[test]
fn every_text_is_kept_as_it_was_sent() {
    let out = capture(&[], "plain");
    let (listing, err) = (text(&out.stdout), text(&out.stderr));
    assert_eq!(out.status.code(), Some(0), "{err}");
    assert_eq!(err, "note: captured odd-server 1.2.3, protocol 2025-11-25, 2 tools, 1 prompt, 1 resource\n");
    // Unknown members, the digits of numbers, a key that occurs twice.
    assert!(listing.contains("\"x-unknown\": [\n        1.50,\n        1E+2\n      ],"), "{listing}");
    assert!(
        listing.contains(
            "\"description\": \"The time, said twice.\",\n      \"description\": \"The time in UTC.\","
        ),
        "{listing}"
    );
    assert!(!listing.contains("nextCursor"), "all pages are there");
    let value: Value = serde_json::from_str(&listing).unwrap();
    let head = &value["capture"];
    assert_eq!((&head["format"], &head["protocol"]), (&1.into(), &"2025-11-25".into()));
    assert_eq!(
        (&head["name"], &head["version"], head.get("date")),
        (&"odd-server".into(), &"1.2.3".into(), None)
    );
    assert_eq!(value["initialize"]["instructions"], "Ask for sums.");
    assert_eq!(value["prompts"][0]["name"], "sum_up");
    assert_eq!(value["resources"][0]["uri"], "file:///a");
    assert_eq!(value.get("resourceTemplates"), None);
    assert_eq!(
        text(&capture(&[], "plain").stdout),
        listing,
        "the same bytes, although the cursor is another one"
    );
}

#[test]
fn what_was_captured_is_read_back() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("tools.json");
    let out = capture(&["-q", "--date", "-o", file.to_str().unwrap()], "plain");
    assert_eq!(
        (out.status.code(), text(&out.stdout), text(&out.stderr)),
        (Some(0), String::new(), String::new())
    );
    let captured: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(captured["capture"]["date"].as_str().unwrap().len(), "2026-11-30".len());
    let out = verity().args(["lint", "--format", "json"]).arg(&file).output().unwrap();
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    let manifest = &report["manifests"][0];
    assert_eq!(
        (&manifest["shape"], &manifest["server"], &manifest["tool_count"]),
        (&"capture".into(), &"odd-server".into(), &2.into())
    );
    assert_eq!(manifest["digest"], captured["capture"]["listing"]);
    assert_eq!(report["profiles"], serde_json::json!(["mcp-2025-11-25"]), "the revision that was agreed on");
    // The reader sees that a key occurs twice, which no value in memory shows.
    let rules: Vec<&str> =
        manifest["findings"].as_array().unwrap().iter().map(|f| f["rule"].as_str().unwrap()).collect();
    assert!(
        rules.contains(&"MCP-SCHEMA-DUPLICATE-KEY") || rules.iter().any(|r| r.contains("DUPLICATE")),
        "{rules:?}"
    );
}

#[test]
fn a_named_server_stands_for_a_file() {
    let line = format!("python3 '{}' plain", server());
    let dir = TempDir::new().unwrap();
    let run = |args: &[&str]| {
        let out = verity()
            .current_dir(dir.path())
            .args(args)
            .args(["--timeout", "120", "--server", &line])
            .output()
            .unwrap();
        (out.status.code(), text(&out.stdout), text(&out.stderr))
    };
    let (code, out, err) = run(&["lint", "--format", "json", "--fail-on", "never"]);
    assert_eq!(code, Some(0), "{err}");
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["manifests"][0]["path"], "<server>");
    assert_eq!(report["manifests"][0]["server"], "odd-server");
    let (code, lock, err) = run(&["lock"]);
    assert_eq!(code, Some(0), "{err}");
    std::fs::write(dir.path().join("verity.lock"), lock).unwrap();
    let (code, out, err) = run(&["diff", "verity.lock"]);
    assert_eq!(code, Some(0), "{out}{err}");
    let (code, out, err) = run(&["generate", "--count", "2"]);
    assert_eq!((code, out.lines().count()), (Some(0), 2), "{err}");
    let (code, contract, err) = run(&["contract", "init", "-o", "contract.yaml"]);
    assert_eq!((code, contract.as_str()), (Some(0), ""), "{err}");
    let (code, _, err) = run(&["contract", "check", "contract.yaml"]);
    assert_eq!(code, Some(0), "{err}");
    let (code, out, err) = run(&["agent-tasks", "-o", "pack", "--allow-findings"]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(dir.path().join("pack").join("README.md").exists() || dir.path().join("pack").exists());
    let (code, out, _) = run(&["gate", "--old", "verity.lock", "--format", "json", "--fail-on", "never"]);
    let gate: Value = serde_json::from_str(&out).unwrap();
    assert_ne!(code, Some(3), "{gate}");
    let (code, _, err) = run(&["lint", "tools.json"]);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("a server and a file are named"), "{err}");
}

#[test]
fn the_faults_of_a_server_are_told_apart() {
    fault(&[], "chatter", "what is no JSON-RPC message: Listening on standard input");
    fault(&[], "binary", "no UTF-8");
    fault(&[], "future", "version 2099-01-01");
    fault(&[], "refuses", "answers initialize with an error: Method not found (code -32601)");
    fault(&[], "dies-later", "the server ended (exit code 0) before it answered");
    fault(&[], "half", "what is no JSON-RPC message: {\"jsonrpc\":\"2.0\",\"id\":2");
    fault(&[], "no-array", "has no array `tools`: {\"tools\":\"later\"}");
    fault(&[], "circle", "goes round in circles: cursor again came before");
    fault(&[], "endless", "goes on after 1000 pages");
    fault(&[], "many", "lists more than 10000 entries");
    fault(&[], "flood", "more on standard output than it may");
    fault(&[], "flood-blank", "more on standard output than it may");
    fault(&["--max-bytes", "1000000"], "flood", "more on standard output than it may");
    fault(&["--max-bytes", "1000000"], "flood-small", "more on standard output than it may");
    fault(&["--max-bytes", "1000000"], "flood-messages", "more on standard output than it may");
    fault(&[], "flood-log", "more on standard error than it may");
}

#[test]
fn nothing_takes_longer_than_it_may() {
    for mode in ["hang", "deaf", "wrong-ids"] {
        fault(&["--timeout", "1"], mode, "did not finish within 1 s");
    }
    fault(&["--timeout", "120"], "mute", "closed its standard output");
}

#[test]
fn odd_servers_that_still_speak_the_protocol() {
    for (mode, revision) in
        [("speaks-first", "2025-11-25"), ("text-ids", "2025-11-25"), ("old", "2024-11-05")]
    {
        let out = capture(&[], mode);
        assert_eq!(out.status.code(), Some(0), "{mode}: {}", text(&out.stderr));
        let listing: Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(listing["capture"]["protocol"], revision, "{mode}");
        assert_eq!(listing["tools"].as_array().unwrap().len(), 2, "{mode}");
    }
}

#[test]
fn the_newest_revision_has_no_initialize() {
    for flags in [&[][..], &["--protocol", "2026-07-28"]] {
        let out = capture(flags, "newest");
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        let listing: Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(listing["capture"]["protocol"], "2026-07-28");
        assert_eq!(listing["capture"]["name"], "newest");
        assert_eq!(listing["discover"]["supportedVersions"][0], "2025-11-25");
        assert_eq!(listing["pages"]["tools"][0]["ttlMs"], 60000);
        let mut lint = verity();
        let out = lint.args(["lint", "--format", "json", "-"]).write_stdin(out.stdout).output().unwrap();
        let report: Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(report["profiles"], serde_json::json!(["mcp-2026-07-28"]));
    }
    fault(&["--protocol", "2026-07-28"], "plain", "answers server/discover with an error");
}

/// Whatever takes a server's listing ends by the server's fault, and leaves nothing half done.
#[test]
fn every_command_ends_by_the_fault_of_its_server() {
    let dir = TempDir::new().unwrap();
    std::fs::write(
        dir.path().join("old.json"),
        "{\"tools\": [{\"name\": \"a\", \"inputSchema\": {\"type\": \"object\"}}]}",
    )
    .unwrap();
    for args in [
        &["lint", "--format", "sarif=out.sarif"][..],
        &["agent-tasks", "-o", "pack"],
        &["diff", "old.json"],
        &["lock", "-o", "verity.lock"],
        &["gate", "--old", "old.json"],
        &["generate"],
        &["contract", "init", "-o", "contract.yaml"],
    ] {
        for (mode, said) in [("chatter", "no JSON-RPC message"), ("dies-later", "ended (exit code 0)")] {
            let line = format!("python3 '{}' {mode}", server());
            let out = verity()
                .current_dir(dir.path())
                .args(args)
                .args(["--timeout", "120", "--server", &line])
                .output()
                .unwrap();
            let err = text(&out.stderr);
            assert_eq!(out.status.code(), Some(3), "{args:?} {mode}: {err}");
            assert!(err.contains(said), "{args:?} {mode}: {err}");
        }
    }
    for name in ["pack", "verity.lock", "contract.yaml"] {
        assert!(!dir.path().join(name).exists(), "{name}");
    }
}

#[test]
fn no_tools_is_no_listing() {
    let out = capture(&[], "none");
    assert_eq!((out.status.code(), text(&out.stdout)), (Some(2), String::new()));
    assert!(text(&out.stderr).contains("no tools"), "{}", text(&out.stderr));
}

#[test]
fn what_cannot_be_started() {
    let said = |args: &[&str]| {
        let out = verity().arg("capture").args(args).output().unwrap();
        (out.status.code(), text(&out.stderr))
    };
    let (code, err) = said(&["--", "no-such-command-here", "x"]);
    assert_eq!(code, Some(3), "{err}");
    assert!(err.contains("there is no command `no-such-command-here`"), "{err}");
    let (code, err) = said(&["--", "/etc/passwd"]);
    assert_eq!(code, Some(3), "{err}");
    assert!(err.contains("may not be run"), "{err}");
    let (code, err) = said(&[]);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("no server is named"), "{err}");
}

/// The environment is empty but for PATH and what is declared; what is declared is shown nowhere.
#[test]
fn a_server_gets_what_is_declared_and_no_more() {
    let run = |flags: &[&str]| {
        let mut command = verity();
        command
            .env("TOKEN", "a-long-secret")
            .env("OTHER", "x")
            .args(["capture", "--timeout", "120"])
            .args(flags);
        text(&command.args(["--", "python3", &server(), "die"]).output().unwrap().stderr)
    };
    let err = run(&[]);
    assert!(err.contains("ended (exit code 7)") && err.contains("token=None"), "{err}");
    let err = run(&["--env", "TOKEN"]);
    assert!(err.contains("token=***") && !err.contains("a-long-secret"), "{err}");
    let err = run(&["--env", "TOKEN=given-value"]);
    assert!(err.contains("token=***") && !err.contains("given-value"), "{err}");
}

#[test]
fn a_revision_that_is_asked_for_is_the_one_that_is_spoken() {
    let run = |mode: &str, revision: &str| {
        let args = ["capture", "--timeout", "120", "--protocol", revision, "--", "python3", &server(), mode];
        let out = verity().args(args).output().unwrap();
        (out.status.code(), text(&out.stdout), text(&out.stderr))
    };
    let (code, out, err) = run("old", "2025-06-18");
    assert_eq!((code, out.as_str()), (Some(3), ""));
    assert!(
        err.contains("answers with revision 2024-11-05 of the protocol; 2025-06-18 is asked for"),
        "{err}"
    );
    let (code, out, err) = run("plain", "2025-06-18");
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("\"protocol\": \"2025-06-18\""), "{out}");
}

/// The bytes of a listing are the server's: with a secret in them they are not altered, and not kept.
#[test]
fn a_server_that_publishes_its_environment() {
    let secret = "s3cret/\"of a server\"-0123456789";
    let run = |args: &[&str], mode: &str| {
        let mut command = verity();
        command.env("TOKEN", secret).args(args).args(["--timeout", "120", "--", "python3", &server(), mode]);
        let out = command.output().unwrap();
        (out.status.code(), text(&out.stdout), text(&out.stderr))
    };
    for args in [["capture", "--env", "TOKEN"], ["probe", "--env", "TOKEN"]] {
        let (code, out, err) = run(&args, "publishes");
        assert_eq!((code, out.as_str()), (Some(3), ""), "{args:?} {err}");
        assert!(err.contains("holds what it was given to keep (TOKEN)") && !err.contains("s3cret"), "{err}");
    }
    // What the user writes out is known to whoever reads the command, and the listing is kept as it is.
    let (code, out, err) = run(&["capture", "--env", &format!("TOKEN={secret}")], "publishes");
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains(&serde_json::json!(secret).to_string()[1..30]), "{out}");
    // A message that was cut off in the middle of it.
    for args in [["capture", "--env", "TOKEN"], ["probe", "--env", "TOKEN"]] {
        let (code, _, err) = run(&args, "tells-why");
        assert_eq!(code, Some(3));
        assert!(err.contains("...***…") && !err.contains("s3cr"), "{err}");
    }
}

/// Whether a process of this number lives (and is no zombie).
#[cfg(target_os = "linux")]
fn lives(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[cfg(target_os = "linux")]
pub fn dies(file: &Path) -> bool {
    let pid = std::fs::read_to_string(file).unwrap();
    assert!(pid.parse::<u32>().is_ok(), "{pid:?}");
    let start = Instant::now();
    while lives(&pid) {
        if start.elapsed() > Duration::from_secs(120) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}

#[cfg(target_os = "linux")]
fn with_child(mode: &str, timeout: &str) -> (TempDir, PathBuf, Vec<String>) {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("pid");
    let args = ["capture", "--timeout", timeout, "--", "python3", &server(), mode, file.to_str().unwrap()];
    let args = args.map(str::to_string).to_vec();
    (dir, file, args)
}

#[cfg(target_os = "linux")]
#[test]
fn children_of_a_server_die_with_it() {
    let (_dir, file, args) = with_child("child", "120");
    let out = verity().args(args).output().unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(dies(&file), "an orphan is left");
    // Over its time. A slow machine may not have started the child by then: it is given more.
    let is_there = |file: &Path| std::fs::read_to_string(file).is_ok_and(|pid| !pid.is_empty());
    for timeout in ["2", "10", "120"] {
        let (_dir, file, args) = with_child("hang-child", timeout);
        let out = verity().args(args).output().unwrap();
        assert_eq!(out.status.code(), Some(3), "{}", text(&out.stderr));
        if is_there(&file) {
            assert!(dies(&file), "an orphan is left");
            return;
        }
    }
    panic!("the child never came up");
}

/// However a server is bad, its children do not outlive it.
#[cfg(target_os = "linux")]
#[test]
fn no_bad_server_leaves_an_orphan() {
    for mode in [
        "die",
        "dies-later",
        "half",
        "chatter",
        "binary",
        "future",
        "refuses",
        "no-array",
        "circle",
        "many",
        "mute",
        "flood",
        "flood-log",
        "flood-messages",
    ] {
        let dir = TempDir::new().unwrap();
        let file = dir.path().join("pid");
        let args =
            ["capture", "--timeout", "120", "--max-bytes", "1000000", "--", "python3", &server(), mode];
        let out = verity().args(args).arg(&file).arg("child").output().unwrap();
        assert_eq!(out.status.code(), Some(3), "{mode}: {}", text(&out.stderr));
        assert!(dies(&file), "{mode}: an orphan is left");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_interruption_leaves_nothing_behind() {
    for signal in ["INT", "TERM"] {
        let (_dir, file, args) = with_child("hang-child", "600");
        let binary = assert_cmd::cargo::cargo_bin("verity");
        let child = std::process::Command::new(binary)
            .args(args)
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        while !std::fs::read_to_string(&file).is_ok_and(|pid| !pid.is_empty()) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let kill = format!("kill -{signal} {}", child.id());
        assert!(std::process::Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        let out = child.wait_with_output().unwrap();
        assert_eq!(out.status.code(), Some(3));
        assert!(text(&out.stderr).starts_with("error: interrupted"), "{}", text(&out.stderr));
        assert!(dies(&file), "{signal}: an orphan is left");
    }
}
