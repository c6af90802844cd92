//! Servers that people use, at pinned versions: captured, linted and probed. `tools/real_servers.sh` installs them to
//! target/mcp-servers (`VERITY_MCP_SERVERS` names another folder); what is not there is skipped, aloud.

mod rmcp;

use crate::support::{Killed, check_schema, verity};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The program of an npm package, or of the virtual environment; `None`, aloud, where it is not installed.
fn installed(path: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("VERITY_MCP_SERVERS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("target/mcp-servers"), PathBuf::from);
    let file = folder.join(path);
    if file.exists() {
        return Some(file);
    }
    eprintln!("skipped: {} is not here; tools/real_servers.sh installs it", file.display());
    None
}

fn npm(name: &str) -> Option<PathBuf> {
    installed(&format!("npm/node_modules/@modelcontextprotocol/server-{name}/dist/index.js"))
}

fn words(argv: &[&str]) -> Vec<String> {
    argv.iter().map(ToString::to_string).collect()
}

/// Run verity on a server; exit code, standard output and standard error.
fn run(dir: &Path, args: &[&str], server: &[String]) -> (Option<i32>, String, String) {
    let mut command = verity();
    command.current_dir(dir).args(args);
    // The first start of a large package reads hundreds of files.
    command.args(["--timeout", "120"]);
    if !server.is_empty() {
        command.arg("--").args(server);
    }
    let out = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (out.status.code(), text(out.stdout), text(out.stderr))
}

/// What came of a server.
struct Seen {
    listing: Value,
    /// Findings of lint and of the probe, by tool: severity and rule.
    found: BTreeMap<String, BTreeSet<String>>,
    report: Value,
}

/// Capture twice, lint, probe: what holds of every server that is sound.
fn seen(dir: &Path, server: &[String], flags: &[&str]) -> Seen {
    let (code, listing, err) = run(dir, &["capture"], server);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(run(dir, &["capture", "-q"], server).1, listing, "an unchanged server, the same bytes");
    std::fs::write(dir.join("tools.json"), &listing).unwrap();
    let out = verity().current_dir(dir).args(["lint", "--format", "json", "tools.json"]).output().unwrap();
    let lint: Value = serde_json::from_slice(&out.stdout).unwrap();
    check_schema("lint-report.schema.json", &lint);
    let (code, probe, err) = run(dir, &[&["probe", "--format", "json"], flags].concat(), server);
    assert!(matches!(code, Some(0 | 1)), "{err}");
    let mut seen = Seen::of_report(&probe);
    seen.listing = serde_json::from_str(&listing).unwrap();
    seen.add(&lint["manifests"][0]["findings"]);
    seen
}

impl Seen {
    /// Of a probe alone.
    fn of_report(text: &str) -> Seen {
        let report: Value = serde_json::from_str(text).unwrap();
        check_schema("probe-report.schema.json", &report);
        let findings = report["findings"].clone();
        let mut seen = Seen { listing: Value::Null, found: BTreeMap::new(), report };
        seen.add(&findings);
        seen
    }

    fn add(&mut self, findings: &Value) {
        for finding in findings.as_array().unwrap() {
            let what =
                format!("{} {}", finding["severity"].as_str().unwrap(), finding["rule"].as_str().unwrap());
            let tool = finding["tool"].as_str().unwrap_or("").to_string();
            self.found.entry(tool).or_default().insert(what);
        }
    }

    fn tools(&self) -> BTreeSet<&str> {
        let tools = self.listing["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
    }

    fn outcome(&self, tool: &str, kind: &str) -> &str {
        let checks = self.report["checks"].as_array().unwrap();
        let of_tool = |c: &&Value| c["kind"] == kind && c["operationId"].as_str().unwrap_or("") == tool;
        checks.iter().find(of_tool).map_or("none", |c| c["outcome"].as_str().unwrap())
    }

    /// These checks of the tool are satisfied, one by one.
    fn satisfied(&self, tool: &str, kinds: &[&str]) {
        for kind in kinds {
            assert_eq!(self.outcome(tool, kind), "satisfied", "{tool} {kind}: {:#}", self.report["checks"]);
        }
    }

    /// These servers are the protocol's own: nothing about them is an error, and none of their tools was seen to do what it
    /// does not say. A finding here is ours to look at first.
    fn is_sound(&self) {
        let grave = |what: &&String| what.starts_with("error") || what.starts_with("warning MCP-PROBE");
        let grave: Vec<_> = self
            .found
            .iter()
            .map(|(tool, all)| (tool, all.iter().filter(grave).collect::<Vec<_>>()))
            .filter(|(_, all)| !all.is_empty())
            .collect();
        assert_eq!(grave, [], "{:#}", self.report["findings"]);
        self.satisfied("", &["listing-stable"]);
        assert_ne!(self.report["calls"], 0);
    }
}

const SOUND: [&str; 4] = ["answers", "repeatable", "arguments-matter", "refuses-invalid"];

#[test]
fn server_everything() {
    let Some(program) = npm("everything") else { return };
    let dir = TempDir::new().unwrap();
    // Ten seconds a call, unless asked for less.
    let own = json!({"trigger-long-running-operation": [{"duration": 0.1, "steps": 1}, {"duration": 0.1, "steps": 2}]});
    std::fs::write(dir.path().join("own.json"), own.to_string()).unwrap();
    let server = words(&["node", program.to_str().unwrap(), "stdio"]);
    let seen = seen(dir.path(), &server, &["--args", "own.json", "--max-calls", "60"]);
    seen.is_sound();
    seen.satisfied("echo", &SOUND);
    seen.satisfied("get-sum", &SOUND);
    seen.satisfied("get-structured-content", &["answers", "output-schema", "refuses-invalid"]);
    // Not read-only by its own hint, and so not called.
    assert_eq!(seen.outcome("toggle-simulated-logging", "answers"), "exempt");
    assert!(seen.found["get-env"].contains("info MCP-PROBE-OUTPUT-UNDECLARED"), "{:?}", seen.found);
    assert!(seen.listing["prompts"].is_array() && seen.listing["resourceTemplates"].is_array());
}

/// The server on a port that was free a moment ago, once it says that it listens; `None` where somebody else was quicker.
fn over_http(program: &Path) -> Option<(Killed, u16)> {
    let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
    let mut command = Command::new("node");
    command.arg(program).arg("streamableHttp").env("PORT", port.to_string());
    let mut server = Killed(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap());
    let mut log = BufReader::new(server.0.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("listening on port") {
        line.clear();
        if log.read_line(&mut line).unwrap() == 0 {
            return None;
        }
    }
    // Read on, or the server would wait for somebody to do it.
    std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
    Some((server, port))
}

/// The official SDK's Streamable HTTP, with sessions and server-sent events.
#[test]
fn server_everything_over_http() {
    let Some(program) = npm("everything") else { return };
    let Some((_server, port)) = (0..5).find_map(|_| over_http(&program)) else {
        panic!("the server does not come up");
    };
    let dir = TempDir::new().unwrap();
    let url = format!("http://127.0.0.1:{port}/mcp");
    let (code, listing, err) = run(dir.path(), &["capture", "--url", &url], &[]);
    assert_eq!(code, Some(0), "{err}");
    let listing: Value = serde_json::from_str(&listing).unwrap();
    let stdio = run(dir.path(), &["capture"], &words(&["node", program.to_str().unwrap(), "stdio"])).1;
    let stdio: Value = serde_json::from_str(&stdio).unwrap();
    assert_eq!(listing["tools"], stdio["tools"], "the same server, whatever carries it");
    let (code, report, err) =
        run(dir.path(), &["probe", "--format", "json", "--max-calls", "12", "--url", &url], &[]);
    assert_eq!(code, Some(0), "{err}");
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!((&report["passed"], &report["calls"]), (&json!(true), &json!(12)), "{report:#}");
}

#[test]
fn server_filesystem() {
    let Some(program) = npm("filesystem") else { return };
    let dir = TempDir::new().unwrap();
    let scratch = dir.path().join("scratch");
    std::fs::create_dir(&scratch).unwrap();
    std::fs::write(scratch.join("a.txt"), "one\ntwo\nthree\n").unwrap();
    std::fs::write(scratch.join("b.md"), "# A longer text\n".repeat(9)).unwrap();
    let at = |name: &str| scratch.join(name).display().to_string();
    let own = json!({
        "read_text_file": [{"path": at("a.txt")}, {"path": at("b.md")}, {"path": at("a.txt"), "head": 1}],
        "list_directory_with_sizes": [{"path": at(""), "sortBy": "name"}],
        "search_files": [{"path": at(""), "pattern": "*.txt"}, {"path": at(""), "pattern": "*.md"}],
        "get_file_info": [{"path": at("a.txt")}, {"path": at("b.md")}],
    });
    std::fs::write(dir.path().join("own.json"), own.to_string()).unwrap();
    let server = words(&["node", program.to_str().unwrap(), scratch.to_str().unwrap()]);
    let seen = seen(dir.path(), &server, &["--args", "own.json"]);
    seen.is_sound();
    for tool in own.as_object().unwrap().keys() {
        seen.satisfied(tool, &["answers", "output-schema", "refuses-invalid"]);
    }
    // (A pattern to leave out, made up, leaves nothing out: open for search_files.)
    for tool in ["read_text_file", "list_directory_with_sizes"] {
        seen.satisfied(tool, &["arguments-matter"]);
    }
    let files: BTreeSet<_> =
        std::fs::read_dir(&scratch).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(files, BTreeSet::from(["a.txt".to_string(), "b.md".to_string()]), "nothing was written");
}

#[test]
fn server_memory() {
    let Some(program) = npm("memory") else { return };
    let dir = TempDir::new().unwrap();
    let server = words(&["node", program.to_str().unwrap()]);
    let file = format!("MEMORY_FILE_PATH={}", dir.path().join("memory.json").display());
    // What it remembers, said by ourselves: two entities, one write.
    let entity = |name: &str| json!({"name": name, "entityType": "person", "observations": ["reads"]});
    let own = json!({"create_entities": [{"entities": [entity("ann"), entity("bob")]}]});
    std::fs::write(dir.path().join("write.json"), own.to_string()).unwrap();
    let write = [
        "probe",
        "--format",
        "json",
        "--env",
        &file,
        "--args",
        "write.json",
        "--allow-writes",
        "create_entities",
    ];
    let (code, report, err) = run(dir.path(), &[&write[..], &["--max-calls", "1"]].concat(), &server);
    assert!(matches!(code, Some(0 | 1)), "{report}{err}");
    let own = json!({"search_nodes": [{"query": "ann"}, {"query": "bob"}], "open_nodes": [{"names": ["ann"]}, {"names": ["bob"]}]});
    std::fs::write(dir.path().join("own.json"), own.to_string()).unwrap();
    let (code, report, err) =
        run(dir.path(), &["probe", "--format", "json", "--env", &file, "--args", "own.json"], &server);
    assert_eq!(code, Some(0), "{report}{err}");
    let with_data = serde_json::from_str::<Value>(&report).unwrap();
    let seen = seen(dir.path(), &server, &[]);
    seen.is_sound();
    assert_eq!(seen.tools().len(), 9);
    let filled = Seen { report: with_data, ..seen };
    for tool in ["search_nodes", "open_nodes"] {
        filled.satisfied(
            tool,
            &["answers", "output-schema", "repeatable", "arguments-matter", "refuses-invalid"],
        );
    }
    assert_eq!(filled.outcome("delete_entities", "answers"), "exempt");
}

#[test]
fn mcp_server_time() {
    let Some(program) = installed("venv/bin/mcp-server-time") else { return };
    let dir = TempDir::new().unwrap();
    let seen = seen(dir.path(), &words(&[program.to_str().unwrap(), "--local-timezone", "UTC"]), &[]);
    seen.is_sound();
    assert_eq!(seen.tools(), BTreeSet::from(["convert_time", "get_current_time"]));
    seen.satisfied("convert_time", &["answers", "arguments-matter", "refuses-invalid"]);
}

#[test]
fn mcp_server_git() {
    let Some(program) = installed("venv/bin/mcp-server-git") else { return };
    let dir = TempDir::new().unwrap();
    let repository = dir.path().join("repository");
    std::fs::create_dir(&repository).unwrap();
    std::fs::write(repository.join("a.txt"), "one\n").unwrap();
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command
            .current_dir(&repository)
            .args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
            .args(args);
        assert!(command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success());
    };
    git(&["init"]);
    git(&["add", "."]);
    git(&["commit", "-m", "first"]);
    std::fs::write(repository.join("a.txt"), "two\n").unwrap();
    git(&["commit", "-am", "second"]);
    std::fs::write(repository.join("a.txt"), "three\n").unwrap();
    let path = repository.to_str().unwrap();
    let own = json!({
        "git_status": [{"repo_path": path}],
        "git_diff": [{"repo_path": path, "target": "HEAD"}, {"repo_path": path, "target": "HEAD~1"}],
        "git_log": [{"repo_path": path, "max_count": 1}, {"repo_path": path, "max_count": 2}],
        "git_show": [{"repo_path": path, "revision": "HEAD"}, {"repo_path": path, "revision": "HEAD~1"}],
    });
    std::fs::write(dir.path().join("own.json"), own.to_string()).unwrap();
    let server = words(&[program.to_str().unwrap(), "--repository", path]);
    let seen = seen(dir.path(), &server, &["--args", "own.json"]);
    seen.is_sound();
    for tool in own.as_object().unwrap().keys() {
        seen.satisfied(tool, &["answers", "refuses-invalid"]);
    }
    seen.satisfied("git_show", &["arguments-matter"]);
    assert_eq!(seen.outcome("git_commit", "answers"), "exempt");
}
