//! Servers over HTTP that do not let everybody call them, or not so often.

use super::http::{Answer, Request, Server};
use crate::support::verity;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server with one tool, whose calls are answered by `call`, given their arguments; `None` is an answer of the tool.
fn server(call: impl Fn(&Value) -> Option<Answer> + Send + Sync + 'static) -> Server {
    server_of(true, call)
}

fn server_of(read_only: bool, call: impl Fn(&Value) -> Option<Answer> + Send + Sync + 'static) -> Server {
    Server::start(move |request: &Request| {
        let result = match request.method.as_str() {
            "initialize" => {
                let result = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "busy"}});
                let body = json!({"jsonrpc": "2.0", "id": request.body["id"], "result": result});
                let answer = Answer::new(200).header("Content-Type", "application/json");
                return answer.header("Mcp-Session-Id", "one").body(&body.to_string());
            }
            "tools/list" => json!({"tools": [{"name": "now", "description": "The time in UTC.",
                "inputSchema": {"type": "object", "additionalProperties": false}, "annotations": {"readOnlyHint": read_only}}]}),
            "tools/call" => match call(&request.body["params"]["arguments"]) {
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
    probe_with(server, &[])
}

/// Exit code, report, and how many calls reached the server.
fn probe_with(server: &Server, flags: &[&str]) -> (Option<i32>, Value, usize) {
    let args = ["probe", "--format", "json", "--timeout", "120", "--url", &server.url()];
    let out = verity().args(args).args(flags).output().unwrap();
    let made = server.seen().iter().filter(|request| request.method == "tools/call").count();
    (out.status.code(), serde_json::from_slice(&out.stdout).unwrap(), made)
}

#[test]
fn a_call_that_is_put_off_is_made_later() {
    let calls = AtomicUsize::new(0);
    let busy = server(move |_| {
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
        probe(&server(|_| Some(Answer::new(429).header("Retry-After", "0").body("slow down"))));
    assert_eq!((code, made), (Some(3), 5), "{report}");
    assert_eq!(report["fault"]["code"], "forbidden-target");
    assert!(report["fault"]["detail"].as_str().unwrap().contains("HTTP status 429: slow down"), "{report}");
    // It asks for more time than a call may take.
    let (code, _, made) =
        probe(&server(|_| Some(Answer::new(429).header("Retry-After", "3600").body("closed"))));
    assert_eq!((code, made), (Some(3), 1));
}

/// What a 503 left undone nobody knows: it is no word that the call was not carried out.
#[test]
fn a_call_is_sent_again_where_the_server_puts_it_off_and_nowhere_else() {
    let busy =
        |status: u16| move |_: &Value| Some(Answer::new(status).header("Retry-After", "0").body("busy"));
    let (code, report, made) = probe(&server(busy(503)));
    assert_eq!((code, made), (Some(1), 2), "two calls, each sent once: {report:#}");
    assert_eq!(report["findings"][0]["rule"], "MCP-PROBE-HTTP-ERROR");
    // What may change something is not sent twice, whatever is said of it: put off, or in a session that was lost.
    for (status, code) in [(503, 1), (500, 1), (429, 0), (404, 0)] {
        let (ended, report, made) = probe_with(&server_of(false, busy(status)), &["--allow-writes", "now=1"]);
        assert_eq!((ended, made), (Some(code), 1), "{status}: {report:#}");
        let check = &report["checks"][0];
        assert_eq!(check["outcome"], if code == 1 { "failed" } else { "exempt" }, "{status}: {report:#}");
        if code == 0 {
            let note = check["note"].as_str().unwrap();
            assert!(note.starts_with("not called again, as it may change something: the server "), "{note}");
        }
    }
    // A call that only reads is made again in a new session, once.
    let (_, _, made) = probe(&server(busy(404)));
    assert_eq!(made, 4, "two calls, each in two sessions");
}

#[test]
fn a_call_that_nobody_may_make_is_no_fault_of_the_tool() {
    for status in [401, 403] {
        let (code, report, made) = probe(&server(move |_| Some(Answer::new(status).body("who are you?"))));
        assert_eq!((code, made), (Some(3), 1), "{report}");
        assert_eq!(report["fault"]["code"], "forbidden-target");
    }
}

/// A server that fails on a call is there all the same: it is said how it answered, not that it ended.
#[test]
fn an_error_of_http_is_found_at_the_tool() {
    let (code, report, made) = probe(&server(|_| Some(Answer::new(500).body("out of memory"))));
    assert_eq!((code, made), (Some(1), 2), "a tool that fails so is let be: {report}");
    let found = report["findings"].as_array().unwrap();
    let [only] = found.as_slice() else { panic!("{report:#}") };
    assert_eq!((&only["rule"], &only["severity"]), (&json!("MCP-PROBE-HTTP-ERROR"), &json!("error")));
    let said = "the server answers tools/call with HTTP status 500: out of memory";
    let message = format!("a call of tool `now` is answered by an error of HTTP: {said}");
    assert_eq!(only["message"], message.as_str());
    assert_eq!(only["witness"]["calls"][0]["fault"], said);
    // At arguments that break the inputSchema alone, it is the way of refusing that is wrong.
    let bad = server(|arguments| (arguments != &json!({})).then(|| Answer::new(400).body("bad request")));
    let (code, report, _) = probe(&bad);
    assert_eq!(code, Some(0), "{report:#}");
    let found = report["findings"].as_array().unwrap();
    let [only] = found.as_slice() else { panic!("{report:#}") };
    assert_eq!((&only["rule"], &only["severity"]), (&json!("MCP-PROBE-HTTP-ERROR"), &json!("warning")));
    assert!(only["message"].as_str().unwrap().starts_with("an invalid call of tool `now` is"), "{only:#}");
}
