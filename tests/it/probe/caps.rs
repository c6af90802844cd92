//! Caps on the number of results, over a server whose tools keep them or do not.

use crate::support::{check_schema, verity};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tempfile::TempDir;

/// The report, and the calls that the server took.
fn probe(flags: &[&str]) -> (Value, Vec<String>) {
    let dir = TempDir::new().unwrap();
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/live/lists.py");
    let mut command = verity();
    command.current_dir(dir.path()).args(["probe", "--timeout", "120", "--format", "json"]).args(flags);
    let out = command.arg("--").arg("python3").arg(server).arg("calls").output().unwrap();
    let err = String::from_utf8_lossy(&out.stderr);
    let report = serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{e}: {err}"));
    check_schema("probe-report.schema.json", &report);
    let calls = std::fs::read_to_string(dir.path().join("calls")).unwrap_or_default();
    (report, calls.lines().map(str::to_string).collect())
}

fn of_rule<'r>(report: &'r Value, rule: &str) -> Vec<&'r Value> {
    report["findings"].as_array().unwrap().iter().filter(|f| f["rule"] == rule).collect()
}

#[test]
fn caps_that_are_not_kept_are_found() {
    let (report, _) = probe(&["--max-calls", "400"]);
    let found = of_rule(&report, "MCP-PROBE-LIMIT-EXCEEDED");
    let messages: BTreeMap<&str, &str> =
        found.iter().map(|f| (f["tool"].as_str().unwrap(), f["message"].as_str().unwrap())).collect();
    let message = |tool: &str, argument: &str, cap: u64, items: u64| {
        format!("argument `{argument}` of tool `{tool}` is {cap}, and `/notes` holds {items} items")
    };
    let one_more = found.iter().find(|f| f["tool"] == "one_too_many").unwrap();
    let cap = one_more["witness"]["calls"][1]["arguments"]["max_results"].as_u64().unwrap();
    let wanted = [
        ("ignores", message("ignores", "limit", 1, 12)),
        ("ignores_in_text", message("ignores_in_text", "pageSize", 1, 12)),
        ("ignores_what_it_says", message("ignores_what_it_says", "count", 1, 12)),
        ("one_too_many", message("one_too_many", "max_results", cap, cap + 1)),
    ];
    assert_eq!(messages, wanted.iter().map(|(tool, message)| (*tool, message.as_str())).collect());
    assert!(found.iter().all(|f| f["severity"] == "warning"), "{found:#?}");
    let mut outcomes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for check in report["checks"].as_array().unwrap().iter().filter(|c| c["kind"] == "caps-kept") {
        let tools = outcomes.entry(check["outcome"].as_str().unwrap()).or_default();
        tools.insert(check["operationId"].as_str().unwrap());
    }
    let wanted = BTreeMap::from([
        ("satisfied", BTreeSet::from(["keeps", "keeps_beside_tags", "keeps_in_text"])),
        ("failed", BTreeSet::from(["ignores", "ignores_in_text", "ignores_what_it_says", "one_too_many"])),
        // Two lists that do not care, one note, no list: nothing that proves anything.
        ("exempt", BTreeSet::from(["prose", "short", "two_lists"])),
    ]);
    assert_eq!(outcomes, wanted, "a cap of characters, or of what is created, is none");
}

#[test]
fn two_calls_that_differ_in_the_cap_alone_prove_it() {
    let (report, _) = probe(&["--max-calls", "400"]);
    let found = of_rule(&report, "MCP-PROBE-LIMIT-EXCEEDED");
    let ignores = found.iter().find(|f| f["tool"] == "ignores").unwrap();
    assert_eq!(ignores["pointer"], "/tools/3/inputSchema/properties/limit");
    let calls = ignores["witness"]["calls"].as_array().unwrap();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0]["arguments"]["shelf"], calls[1]["arguments"]["shelf"]);
    assert_eq!(calls[1]["arguments"]["limit"], 1);
    assert_ne!(calls[0]["arguments"].get("limit"), Some(&json!(1)));
    // It is said once.
    for finding in of_rule(&report, "MCP-PROBE-ARGUMENT-IGNORED") {
        assert_ne!(finding["tool"], "ignores", "{finding:#}");
    }
}

#[test]
fn caps_are_tried_within_the_calls_that_may_be_made() {
    let (report, calls) = probe(&["--max-calls", "30"]);
    assert_eq!((calls.len(), &report["calls"]), (30, &json!(30)));
    // A small cap that was among the calls already is not asked for again.
    let own = json!({"ignores": [{"shelf": "low", "limit": 9}, {"shelf": "low", "limit": 2}]});
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("own.json");
    std::fs::write(&file, own.to_string()).unwrap();
    let (report, calls) = probe(&["--max-calls", "400", "--args", file.to_str().unwrap()]);
    let of_tool: Vec<&String> = calls.iter().filter(|call| call.contains("\"ignores\"")).collect();
    let with =
        |limit: &str| of_tool.iter().filter(|call| call.contains(&format!("\"limit\": {limit}}}"))).count();
    assert_eq!((with("2"), with("1")), (1, 0), "{of_tool:#?}");
    let found = of_rule(&report, "MCP-PROBE-LIMIT-EXCEEDED");
    let ignores = found.iter().find(|f| f["tool"] == "ignores").unwrap();
    assert_eq!(ignores["message"], "argument `limit` of tool `ignores` is 2, and `/notes` holds 12 items");
}
