//! A server of the official Rust SDK (`tests/peers/rmcp`): typed tools, schemas of schemars, pages, over every transport that
//! it speaks. And what its types would lose of a listing, had we read it with them.

use super::{Seen, installed, run, seen, words};
use crate::live::http::{Answer, Request, Server};
use crate::support::Killed;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const TOOLS: [&str; 5] = ["describe_part", "find_part", "list_parts", "take_part", "weight_each"];

fn peer(mode: &str) -> Option<Vec<String>> {
    let program = installed("rmcp/debug/rmcp-peer")?;
    Some(words(&[program.to_str().unwrap(), mode]))
}

/// The server over HTTP, and its address.
fn served(mode: &str) -> Option<(Killed, String)> {
    let argv = peer(mode)?;
    let mut child = Killed(Command::new(&argv[0]).args(&argv[1..]).stdout(Stdio::piped()).spawn().unwrap());
    let mut url = String::new();
    BufReader::new(child.0.stdout.take().unwrap()).read_line(&mut url).unwrap();
    Some((child, url.trim().to_string()))
}

#[test]
fn tools_in_pages_with_structured_results_and_errors() {
    let Some(server) = peer("stdio") else { return };
    let dir = TempDir::new().unwrap();
    let own = json!({
        "find_part": [{"name": "bolt"}, {"name": "gear"}],
        "describe_part": [{"name": "bolt"}, {"name": "gear"}],
        "list_parts": [{"shelf": "low"}, {"shelf": "low", "limit": 1}, {"shelf": "high"}],
        "weight_each": [{"grams": 90, "parts": 3}, {"grams": 90, "parts": 2}],
    });
    std::fs::write(dir.path().join("own.json"), own.to_string()).unwrap();
    let seen = seen(dir.path(), &server, &["--args", "own.json"]);
    assert_eq!(seen.tools(), BTreeSet::from(TOOLS), "two in a page, three pages");
    for tool in ["find_part", "list_parts", "weight_each"] {
        seen.satisfied(tool, &["answers", "output-schema", "repeatable", "arguments-matter"]);
    }
    // serde refuses what is of another type; a length or a range is only written into the schema, and nobody looks at it.
    seen.satisfied("weight_each", &["refuses-invalid"]);
    seen.satisfied("find_part", &["refuses-invalid"]);
    for tool in ["describe_part", "list_parts"] {
        assert_eq!(seen.outcome(tool, "refuses-invalid"), "failed", "{tool}");
        assert!(seen.found[tool].contains("warning MCP-PROBE-INVALID-ACCEPTED"), "{:?}", seen.found);
    }
    assert_eq!(seen.outcome("take_part", "answers"), "exempt", "it is a write");
    let others = |what: &&String| what.starts_with("error") || what.starts_with("warning MCP-PROBE");
    let others: BTreeSet<_> = seen.found.values().flatten().filter(others).collect();
    assert_eq!(others.into_iter().collect::<Vec<_>>(), ["warning MCP-PROBE-INVALID-ACCEPTED"]);
    seen.satisfied("", &["listing-stable"]);
}

#[test]
fn every_revision_over_every_transport() {
    let Some(stdio) = peer("stdio") else { return };
    let (Some(events), Some(json)) = (served("http"), served("http-json")) else { return };
    let dir = TempDir::new().unwrap();
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] {
        let capture = ["capture", "--protocol", revision];
        let (code, by_stdio, err) = run(dir.path(), &capture, &stdio);
        assert_eq!(code, Some(0), "{revision}: {err}");
        let listing: Value = serde_json::from_str(&by_stdio).unwrap();
        assert_eq!(listing["capture"]["protocol"], revision);
        assert_eq!(listing["tools"].as_array().unwrap().len(), TOOLS.len());
        for (_, url) in [&events, &json] {
            let (code, by_http, err) = run(dir.path(), &[&capture[..], &["--url", url]].concat(), &[]);
            assert_eq!(code, Some(0), "{revision} {url}: {err}");
            assert_eq!(by_http, by_stdio, "{revision} {url}");
        }
    }
    // Calls, too: in sessions (2025), and in requests of their own (2026).
    let probe = ["probe", "--format", "json", "--max-calls", "12"];
    for (url, revision) in [(&events.1, "2025-11-25"), (&events.1, "2026-07-28"), (&json.1, "2026-07-28")] {
        let flags = [&probe[..], &["--protocol", revision, "--url", url]].concat();
        let (code, report, err) = run(dir.path(), &flags, &[]);
        assert!(matches!(code, Some(0 | 1)), "{url} {revision}: {err}");
        let seen = Seen::of_report(&report);
        assert_eq!(seen.report["calls"], 12);
        seen.satisfied("weight_each", &["answers", "output-schema"]);
        seen.satisfied("", &["listing-stable"]);
    }
}

/// A listing as a careless or hostile server sends it, in one text.
const ODD: &str = r#"{"z-tier": [1.50, 1E+2], "name": "odd", "description": "Sums up.", "deprecated": true,
    "inputSchema": {"type": "object", "properties": {"b": {"const": 10000000000000000000000}, "a": {}}},
    "annotations": {"x-owner": "ops", "readOnlyHint": true}}"#;
const TWICE: &str = r#"{"name": "twice", "description": "Looks harmless.", "description": "Is not.", "inputSchema": {"type": "object"}}"#;

fn typed(tools: &str) -> Option<Output> {
    let argv = peer("typed")?;
    let mut child = Command::new(&argv[0]);
    child.args(&argv[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    child.stdin.take().unwrap().write_all(format!("{{\"tools\": [{tools}]}}").as_bytes()).unwrap();
    Some(child.wait_with_output().unwrap())
}

/// The text without the white space between tokens. (There is none within the strings here.)
fn tight(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn bytes_survive_that_the_sdks_types_drop() {
    // What the types leave of it: no unknown member, another order, another number; and nothing at all where a key occurs twice.
    let Some(left) = typed(ODD) else { return };
    let left = String::from_utf8(left.stdout).unwrap();
    for gone in ["z-tier", "deprecated", "x-owner", "10000000000000000000000"] {
        assert!(ODD.contains(gone) && !left.contains(gone), "{gone}: {left}");
    }
    assert!(left.starts_with(r#"{"tools":[{"name":"odd","description":"Sums up.","#), "{left}");
    let refused = typed(TWICE).unwrap();
    assert!(!refused.status.success());
    let err = String::from_utf8(refused.stderr).unwrap();
    assert!(err.contains("duplicate field `description`"), "{err}");

    // What we keep: every token of both.
    let server = Server::start(|request: &Request| {
        let result = match request.method.as_str() {
            "initialize" => {
                r#"{"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "odd"}}"#
                    .to_string()
            }
            "tools/list" => format!("{{\"tools\": [{ODD}, {TWICE}]}}"),
            _ => return Answer::new(202),
        };
        let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}", request.body["id"]);
        Answer::new(200).header("Content-Type", "application/json").body(&body)
    });
    let dir = TempDir::new().unwrap();
    let (code, listing, err) = run(dir.path(), &["capture", "--url", &server.url()], &[]);
    assert_eq!(code, Some(0), "{err}");
    assert!(tight(&listing).contains(&tight(&format!("\"tools\": [{ODD}, {TWICE}]"))), "{listing}");
}
