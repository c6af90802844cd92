//! Servers over HTTP that do not let everybody call them, or not so often.

use super::http::{Answer, Request, Server};
use crate::support::verity;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server with one tool, whose calls are answered by `call`; `None` is an answer of the tool.
fn server(call: impl Fn() -> Option<Answer> + Send + Sync + 'static) -> Server {
    Server::start(move |request: &Request| {
        let result = match request.method.as_str() {
            "initialize" => {
                json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "busy"}})
            }
            "tools/list" => json!({"tools": [{"name": "now", "description": "The time in UTC.",
                "inputSchema": {"type": "object", "additionalProperties": false}, "annotations": {"readOnlyHint": true}}]}),
            "tools/call" => match call() {
                Some(refused) => return refused,
                None => json!({"content": [{"type": "text", "text": "It is noon."}]}),
            },
            _ => return Answer::new(202),
        };
        let body = json!({"jsonrpc": "2.0", "id": request.body["id"], "result": result});
        Answer::new(200).header("Content-Type", "application/json").body(&body.to_string())
    })
}

fn probe(server: &Server) -> (Option<i32>, Value, usize) {
    let args = ["probe", "--format", "json", "--timeout", "60", "--url", &server.url()];
    let out = verity().args(args).output().unwrap();
    let made = server.seen().iter().filter(|request| request.method == "tools/call").count();
    (out.status.code(), serde_json::from_slice(&out.stdout).unwrap(), made)
}

#[test]
fn a_call_that_is_put_off_is_made_later() {
    let calls = AtomicUsize::new(0);
    let busy = server(move || {
        let put_off = || Answer::new(429).header("Retry-After", "0").body("slow down");
        calls.fetch_add(1, Ordering::SeqCst).is_multiple_of(2).then(put_off)
    });
    let (code, report, made) = probe(&busy);
    assert_eq!(code, Some(0), "{report:#}");
    let checks = report["checks"].as_array().unwrap();
    let answers = checks.iter().find(|check| check["kind"] == "answers").unwrap();
    assert_eq!(answers["outcome"], "satisfied", "{report:#}");
    assert_eq!(made as u64, 2 * report["calls"].as_u64().unwrap(), "each was put off once");
    // A server that is always busy says nothing about its tools.
    let (code, report, made) =
        probe(&server(|| Some(Answer::new(429).header("Retry-After", "0").body("slow down"))));
    assert_eq!((code, made), (Some(3), 5), "{report}");
    assert_eq!(report["fault"]["code"], "forbidden-target");
    assert!(report["fault"]["detail"].as_str().unwrap().contains("HTTP status 429: slow down"), "{report}");
    // It asks for more time than a call may take.
    let (code, _, made) =
        probe(&server(|| Some(Answer::new(503).header("Retry-After", "3600").body("closed"))));
    assert_eq!((code, made), (Some(3), 1));
}

#[test]
fn a_call_that_nobody_may_make_is_no_fault_of_the_tool() {
    for status in [401, 403] {
        let (code, report, made) = probe(&server(move || Some(Answer::new(status).body("who are you?"))));
        assert_eq!((code, made), (Some(3), 1), "{report}");
        assert_eq!(report["fault"]["code"], "forbidden-target");
    }
    // One that fails on a call is found at it.
    let (code, report, _) = probe(&server(|| Some(Answer::new(500).body("out of memory"))));
    assert_eq!(code, Some(1), "{report}");
    assert_eq!(report["findings"][0]["rule"], "MCP-PROBE-CRASH");
}
