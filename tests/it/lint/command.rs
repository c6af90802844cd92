//! `verity lint` through the binary: exit codes, what stands on stdout and stderr, flags.

use super::json::violations;
use crate::support::verity;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

/// A folder of files, and verity run in it.
pub struct Bench(TempDir);

impl Bench {
    pub fn new(files: &[(&str, &str)]) -> Bench {
        let bench = Bench(TempDir::new().unwrap());
        for (name, text) in files {
            bench.write(name, text.as_bytes());
        }
        bench
    }

    pub fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), bytes).unwrap();
    }

    fn run(&self, args: &[&str]) -> Run {
        self.run_with(args, b"")
    }

    /// As [`Bench::run`], in an address space of `kilobytes` where the system has such a limit.
    pub fn run_in(&self, kilobytes: usize, args: &[&str]) -> Run {
        if !cfg!(target_os = "linux") {
            return self.run(args);
        }
        let verity = assert_cmd::cargo::cargo_bin("verity");
        let script = format!("ulimit -v {kilobytes} && exec \"$0\" \"$@\"");
        let output = assert_cmd::Command::new("sh")
            .env_clear()
            .current_dir(self.0.path())
            .args(["-c", &script, verity.to_str().unwrap()])
            .args(args)
            .timeout(std::time::Duration::from_secs(300))
            .output()
            .unwrap();
        Run::of(output)
    }

    fn run_with(&self, args: &[&str], stdin: &[u8]) -> Run {
        let output = verity()
            .current_dir(self.0.path())
            .args(args)
            .write_stdin(stdin)
            .timeout(std::time::Duration::from_secs(300))
            .output()
            .unwrap();
        Run::of(output)
    }
}

#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Run {
    fn of(output: Output) -> Run {
        Run {
            code: output.status.code().expect("ended by itself"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Stdout as one JSON report that the published schema accepts.
    pub fn report(&self) -> Value {
        let report: Value = serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"));
        assert_eq!(violations(&report), Vec::<String>::new(), "{self:?}");
        report
    }

    /// The error code of a run that judged nothing, with a message on stderr that names `path`.
    pub fn error(&self, path: &str) -> String {
        assert_eq!(self.code, 2, "{self:?}");
        let report = self.report();
        assert!(report.get("manifests").is_none(), "{self:?}");
        assert!(self.err.starts_with("error: ") && self.err.contains(path), "{self:?}");
        report["error"]["code"].as_str().unwrap().to_string()
    }
}

const CLEAN: &str = r#"{"tools": [{"name": "search_orders", "title": "Search orders",
  "description": "Search the orders of one customer, newest first.",
  "inputSchema": {"type": "object", "properties": {"customer": {"type": "string", "minLength": 1, "description": "Customer number."}},
    "required": ["customer"], "additionalProperties": false},
  "outputSchema": {"type": "object", "properties": {"orders": {"type": "array", "items": {"type": "string"}}}, "required": ["orders"]},
  "annotations": {"readOnlyHint": true, "openWorldHint": false}}]}"#;

/// Errors: an entry without a name, and one that is no object.
const BROKEN: &str = r#"{"tools": [{"description": "Search the orders.",
  "inputSchema": {"type": "object", "properties": {"n": {"type": "integer", "minimum": 5, "maximum": 4}}, "required": ["n"]}}, 7]}"#;

#[test]
fn a_clean_manifest_is_0_and_says_what_that_means() {
    let bench = Bench::new(&[("tools.json", CLEAN)]);
    let run = bench.run(&["lint", "tools.json"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("in 1 tool of tools.json"), "{run:?}");
    let report = bench.run(&["lint", "tools.json", "--format", "json"]).report();
    assert_eq!(report["profiles"], json!(["mcp-2026-07-28"]));
    assert_eq!(report["manifests"][0]["tool_count"], 1);
    assert_eq!(report["summary"]["error"], 0);
}

#[test]
fn fail_on_decides_between_0_and_1() {
    let bench = Bench::new(&[("tools.json", BROKEN)]);
    for (level, code) in [("error", 1), ("warning", 1), ("info", 1), ("never", 0)] {
        let run = bench.run(&["lint", "tools.json", "--fail-on", level, "--format", "json"]);
        assert_eq!(run.code, code, "{level}: {run:?}");
        assert!(run.report()["summary"]["error"].as_u64().unwrap() > 0);
    }
}

#[test]
fn rules_are_chosen_by_id() {
    let bench = Bench::new(&[("tools.json", BROKEN)]);
    let rules = |run: &Run| -> Vec<String> {
        let report = run.report();
        let findings = report["manifests"][0]["findings"].as_array().unwrap().clone();
        findings.iter().map(|f| f["rule"].as_str().unwrap().to_string()).collect()
    };
    let all = bench.run(&["lint", "tools.json", "--format", "json"]);
    let first = rules(&all).first().unwrap().clone();
    let only = bench.run(&["lint", "tools.json", "--format", "json", "--only", &first.to_lowercase()]);
    assert!(rules(&only).iter().all(|r| *r == first) && !rules(&only).is_empty());
    let others = bench.run(&["lint", "tools.json", "--format", "json", "--ignore", &first]);
    assert!(rules(&others).iter().all(|r| *r != first));
    assert_eq!(rules(&others).len() + rules(&only).len(), rules(&all).len());

    let run = bench.run(&["lint", "tools.json", "--format", "json", "--only", &first[..first.len() - 1]]);
    assert_eq!(run.report()["error"]["code"], "usage");
    assert!(run.err.contains(&format!("did you mean `{first}`?")), "{run:?}");
    assert_eq!(run.code, 2);
}

#[test]
fn usage_errors_are_2_and_json_where_json_was_asked_for() {
    let bench = Bench::new(&[("tools.json", CLEAN)]);
    for args in [
        &["lint", "tools.json", "--format", "json", "--nonsense"][..],
        &["lint", "--format=json", "tools.json", "--fail-on", "sometimes"],
        &["lint", "tools.json", "--format", "json", "--profile", "gemni"],
        &["lint", "tools.json", "--format", "json", "--format", "human"],
        &["lint", "tools.json", "--format", "json", "--format", "sarif"],
    ] {
        let run = bench.run(args);
        assert_eq!(
            (run.code, run.report()["error"]["code"].as_str()),
            (2, Some("usage")),
            "{args:?}: {run:?}"
        );
        assert!(!run.err.is_empty());
    }
    let run = bench.run(&["lint", "tools.json", "--nonsense"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""), "{run:?}");
}

#[test]
fn the_profiles_of_a_run_are_listed() {
    let bench = Bench::new(&[("tools.json", CLEAN)]);
    let run = bench.run(&["lint", "tools.json", "--format", "json", "--profile", "openai,mcp-2025-06-18"]);
    assert_eq!(run.report()["profiles"], json!(["mcp-2025-06-18", "openai"]));
    assert_eq!(run.err, "");
}

#[test]
fn several_revisions_are_judged_together() {
    let tool = r#"{"name": "a b", "inputSchema": {"type": "object", "properties": {"x": {"minimum": "1"}}}, "icons": [], "execution": {"taskSupport": "optional"}}"#;
    let bench = Bench::new(&[("tools.json", &format!("{{\"tools\": [{tool}, {tool}]}}"))]);
    let findings = |profile: &str| -> Vec<Value> {
        let report = bench.run(&["lint", "tools.json", "--format", "json", "--profile", profile]).report();
        report["manifests"][0]["findings"].as_array().unwrap().clone()
    };
    let (old, new) = (findings("mcp-2024-11-05"), findings("mcp-2026-07-28"));
    let both = findings("mcp-2024-11-05,mcp-2026-07-28");
    assert!(old.iter().chain(&new).all(|f| both.contains(f)));
    assert!(both.iter().all(|f| old.contains(f) || new.contains(f)));
    assert!(both.iter().enumerate().all(|(i, f)| !both[..i].contains(f)), "each once");
    let report =
        bench.run(&["lint", "tools.json", "--format", "json", "--profile", "mcp-2026-07-28,mcp-2024-11-05"]);
    assert_eq!(report.report()["profiles"], json!(["mcp-2024-11-05", "mcp-2026-07-28"]));
}

#[test]
fn reports_go_where_they_are_sent() {
    let bench = Bench::new(&[("tools.json", BROKEN)]);
    let run = bench.run(&["lint", "tools.json", "--format", "human", "--format", "json=out/../report.json"]);
    assert!(
        run.code == 2 && run.err.contains("cannot write the report"),
        "the folder `out` is not there: {run:?}"
    );
    let run = bench.run(&["lint", "tools.json", "--format", "human", "--format", "json=report.json"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.out.contains("of tools.json"), "{run:?}");
    let report: Value = serde_json::from_slice(&std::fs::read(bench.path("report.json")).unwrap()).unwrap();
    assert_eq!(violations(&report), Vec::<String>::new());
    let same = bench.run(&["lint", "tools.json", "--format", "json"]).report();
    assert_eq!(report, same);
    let names: Vec<_> = std::fs::read_dir(bench.0.path()).unwrap().flatten().map(|e| e.file_name()).collect();
    assert_eq!(names.len(), 2, "nothing is left lying about: {names:?}");

    let run = bench.run(&["lint", "missing.json", "--format", "human=r.txt", "--format", "json=report.json"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""), "{run:?}");
    let report: Value = serde_json::from_slice(&std::fs::read(bench.path("report.json")).unwrap()).unwrap();
    assert_eq!(report["error"]["code"], "unreadable", "no report of an earlier run is left to be believed");
    assert!(std::fs::read_to_string(bench.path("r.txt")).unwrap().starts_with("Nothing was judged"));

    let twice = bench.run(&["lint", "tools.json", "--format", "human=r", "--format", "json=r"]);
    assert!(twice.code == 2 && twice.err.contains("two reports to one file"), "{twice:?}");
}

#[cfg(unix)]
#[test]
fn a_device_is_written_to_and_a_link_stays_a_link() {
    let bench = Bench::new(&[("tools.json", CLEAN), ("real.json", "old")]);
    std::os::unix::fs::symlink("real.json", bench.path("link.json")).unwrap();
    assert_eq!(bench.run(&["lint", "tools.json", "--format", "json=link.json"]).code, 0);
    assert!(bench.path("link.json").is_symlink());
    assert!(std::fs::read_to_string(bench.path("real.json")).unwrap().contains("schema_version"));
    let run = bench.run(&["lint", "tools.json", "--format", "json=/dev/stdout"]);
    assert_eq!((run.code, &run.report()["schema_version"]), (0, &json!(1)));
    assert!(Path::new("/dev/stdout").is_symlink(), "the device was replaced by a file");
}

#[test]
fn one_bad_file_never_costs_the_others() {
    let bench = Bench::new(&[
        ("a.json", BROKEN),
        ("b.json", "{\"tools\": [}"),
        ("c.json", CLEAN),
        ("d.json", "{\"tools\": []}"),
    ]);
    let run =
        bench.run(&["lint", "a.json", "b.json", "c.json", "d.json", "missing.json", "--format", "json"]);
    assert_eq!(run.code, 2, "the highest that applies: {run:?}");
    let report = run.report();
    let paths: Vec<_> = report["manifests"].as_array().unwrap().iter().map(|m| m["path"].clone()).collect();
    assert_eq!(paths, [json!("a.json"), json!("c.json")]);
    let errors: Vec<_> =
        report["errors"].as_array().unwrap().iter().map(|e| (e["path"].clone(), e["code"].clone())).collect();
    assert!(errors.contains(&(json!("b.json"), json!("not-json"))), "{errors:?}");
    assert!(errors.contains(&(json!("d.json"), json!("no-tools"))), "{errors:?}");
    assert!(errors.contains(&(json!("missing.json"), json!("unreadable"))), "{errors:?}");
    assert_eq!(errors.len(), 3);
    for name in ["b.json:1:12", "d.json", "missing.json"] {
        assert!(run.err.contains(name), "{name}: {run:?}");
    }
    let human = bench.run(&["lint", "a.json", "b.json", "c.json"]);
    assert_eq!(human.code, 2);
    assert!(human.out.contains("1 input could not be judged"), "{human:?}");
}

#[test]
fn an_incomplete_listing_is_reported_and_2() {
    let open = format!("{}, \"nextCursor\": \"c2\"}}", CLEAN.trim_end().strip_suffix('}').unwrap());
    let bench = Bench::new(&[("tools.json", &open)]);
    let run = bench.run(&["lint", "tools.json", "--format", "json"]);
    assert_eq!(run.code, 2, "{run:?}");
    let report = run.report();
    assert_eq!(report["error"]["code"], "incomplete");
    assert_eq!(report["manifests"][0]["tool_count"], 1);
    assert!(run.err.contains("--allow-incomplete"), "the way out is named: {run:?}");
    let run = bench.run(&["lint", "tools.json", "--format", "json", "--allow-incomplete"]);
    assert!(run.code < 2, "{run:?}");
    let report = run.report();
    assert!(report.get("error").is_none());
    assert_eq!(report["summary"]["error"], 0, "a warning: {report:#}");
    let rules: Vec<_> =
        report["manifests"][0]["findings"].as_array().unwrap().iter().map(|f| f["rule"].clone()).collect();
    if verity::rules::find("MCP-MANIFEST-TRUNCATED").is_some() {
        assert!(rules.contains(&json!("MCP-MANIFEST-TRUNCATED")), "{rules:?}");
    }
}

#[test]
fn tools_json_is_the_default_and_named() {
    let bench = Bench::new(&[("tools.json", CLEAN)]);
    let run = bench.run(&["lint", "--format", "json"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.err.contains("tools.json"), "stderr says what was taken: {run:?}");
    let run = Bench::new(&[]).run(&["lint", "--format", "json"]);
    assert_eq!(run.code, 2);
    assert_eq!(run.report()["error"]["code"], "usage");
    assert!(run.err.contains("tools.json"), "{run:?}");
}

#[test]
fn standard_input_and_folders() {
    let bench = Bench::new(&[
        ("d/a.json", CLEAN),
        ("d/package.json", "{\"name\": \"x\"}"),
        ("d/notes.txt", "no"),
        ("d/e/b.json", BROKEN),
    ]);
    let run = bench.run_with(&["lint", "-", "--format", "json"], CLEAN.as_bytes());
    assert_eq!((run.code, &run.report()["manifests"][0]["path"]), (0, &json!("<stdin>")), "{run:?}");
    let run = bench.run(&["lint", "d", "--format", "json"]);
    let report = run.report();
    assert!(report.get("errors").is_none(), "files without tools are skipped in a folder: {report:#}");
    assert!(run.err.contains("1 file"), "and counted: {run:?}");
    let run = Bench::new(&[("d/package.json", "{\"name\": \"x\"}")]).run(&["lint", "d", "--format", "json"]);
    assert_eq!(run.code, 2, "none left: {run:?}");
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    use std::process::{Command, Stdio};
    let tools: Vec<Value> = (0..3000).map(|i| json!({"name": format!("tool {i}")})).collect();
    let bench = Bench::new(&[("tools.json", &json!({"tools": tools}).to_string())]);
    for format in ["human", "json"] {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("verity"))
            .current_dir(bench.0.path())
            .args(["lint", "tools.json", "--fail-on", "never", "--format", format])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said() {
    use std::process::{Command, Stdio};
    let bench = Bench::new(&[("tools.json", CLEAN)]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(assert_cmd::cargo::cargo_bin("verity"))
        .current_dir(bench.0.path())
        .args(["lint", "tools.json"])
        .stdout(Stdio::from(full))
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("cannot write to standard output"),
        "{output:?}"
    );
}

#[test]
fn what_cannot_be_read_is_one_clear_error() {
    let bench = Bench::new(&[
        ("empty.json", ""),
        ("text.json", "hello"),
        ("number.json", "3"),
        ("error.json", r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#),
    ]);
    bench.write("binary.json", &[0, 159, 146, 150, 0, 1, 2, 255]);
    let code = |file: &str| bench.run(&["lint", file, "--format", "json"]).error(file);
    assert_eq!(code("missing.json"), "unreadable");
    assert_eq!(code("text.json"), "not-json");
    assert_eq!(code("number.json"), "not-a-manifest");
    assert_eq!(code("error.json"), "server-error");
    assert!(["not-json", "unreadable"].contains(&code("empty.json").as_str()));
    assert!(["not-json", "unreadable"].contains(&code("binary.json").as_str()));
}

#[test]
fn names_and_paths_cannot_paint_the_screen() {
    let evil = "a\u{1b}[2J\u{202e}b.json";
    let bench = Bench::new(&[(evil, "{"), ("tools.json", CLEAN)]);
    for args in [
        &["lint", evil][..],
        &["lint", "--only", "\u{1b}[31mX", "tools.json"],
        &["lint", "tools.json", "--\u{1b}[31m"],
        &["lint", "tools.json", "--format", "json=\u{1b}[31m/x"],
    ] {
        let run = bench.run(args);
        assert_eq!(run.code, 2, "{run:?}");
        let hostile = |c: char| c == '\u{1b}' || c == '\u{202e}';
        assert!(!run.err.contains(hostile) && !run.out.contains(hostile), "{run:?}");
    }
}

#[test]
fn the_order_of_findings_does_not_depend_on_threads() {
    let files: Vec<(String, String)> =
        (0..12).map(|i| (format!("{i}.json"), [BROKEN, CLEAN][i % 2].to_string())).collect();
    let bench = Bench::new(&files.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect::<Vec<_>>());
    let mut args = vec!["lint", "--format", "json"];
    args.extend(files.iter().map(|(n, _)| n.as_str()));
    let one = bench.run(&args).out;
    for _ in 0..3 {
        assert_eq!(bench.run(&args).out, one);
    }
}

#[test]
fn completions_complete() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = Bench::new(&[]).run(&["completions", shell]);
        assert_eq!(run.code, 0);
        assert!(run.out.contains("agent-tasks") && run.out.contains("fail-on"), "{shell}");
    }
}
