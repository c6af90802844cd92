//! Servers over Streamable HTTP, good and bad: what is sent to them, and what comes of what they send.

mod busy;
pub mod http;
mod tls;

use crate::support::verity;
use http::{Answer, Request, Server};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

const TOOLS: &str = r#"{"tools": [{"name": "add", "x": 1.50, "inputSchema": {"type": "object"}}]}"#;

/// The body of the answer to a request, for a server of 2025.
fn result(request: &Request) -> Option<String> {
    let result = match request.method.as_str() {
        "initialize" => {
            let version = &request.body["params"]["protocolVersion"];
            json!({"protocolVersion": version, "capabilities": {}, "serverInfo": {"name": "web", "version": "1"}})
                .to_string()
        }
        "tools/list" => TOOLS.to_string(),
        _ => return None,
    };
    Some(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}", request.body["id"]))
}

fn as_json(request: &Request) -> Answer {
    match result(request) {
        Some(body) => Answer::new(200).header("Content-Type", "application/json").body(&body),
        None => Answer::new(202),
    }
}

fn capture(server: &Server, flags: &[&str]) -> (Option<i32>, String, String) {
    let mut command = verity();
    command
        .env("MY_TOKEN", "s3cret-t0ken")
        .env("http_proxy", "http://127.0.0.1:1")
        .env("ALL_PROXY", "http://127.0.0.1:1");
    let out =
        command.args(["capture", "--timeout", "120", "--url", &server.url()]).args(flags).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (out.status.code(), text(out.stdout), text(out.stderr))
}

#[test]
fn a_json_text_or_a_stream_of_events() {
    let with_events = |request: &Request| match result(request) {
        Some(body) => {
            let noise = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {}});
            let body = format!(
                ": hello\r\nid: 1\r\ndata: {noise}\r\n\r\nevent: ping\ndata: keep alive\n\nevent: message\ndata: {body}\n\n"
            );
            Answer::new(200).header("Content-Type", "text/event-stream; charset=utf-8").chunked(&body)
        }
        None => Answer::new(202),
    };
    let (code, plain, err) = capture(&Server::start(as_json), &[]);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(err, "note: captured web 1, protocol 2025-11-25, 1 tool\n");
    assert!(plain.contains("\"x\": 1.50,"), "{plain}");
    let (code, events, err) = capture(&Server::start(with_events), &[]);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(events, plain);
}

/// Until 2025-06-18 several messages could come as one.
#[test]
fn batches_are_taken_apart() {
    let batch = |request: &Request| {
        let body = result(request)?;
        let noise = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {}});
        let ping = json!({"jsonrpc": "2.0", "id": "p", "method": "ping"});
        Some(format!("[{noise}, {ping}, {{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{{}}}}, {body}]"))
    };
    let as_json = move |request: &Request| match batch(request) {
        Some(body) => Answer::new(200).header("Content-Type", "application/json").body(&body),
        None => Answer::new(202),
    };
    let as_events = move |request: &Request| match batch(request) {
        Some(body) => {
            let body = format!("data: []\n\ndata: {body}\n\n");
            Answer::new(200).header("Content-Type", "text/event-stream").body(&body)
        }
        None => Answer::new(202),
    };
    for server in [Server::start(as_json), Server::start(as_events)] {
        let (code, listing, err) = capture(&server, &["--protocol", "2025-03-26"]);
        assert_eq!(code, Some(0), "{err}");
        assert!(listing.contains("\"x\": 1.50,"), "{listing}");
        let answers = server.seen().into_iter().filter(|r| r.body["result"] == json!({})).count();
        assert_eq!(answers, 2, "each ping is answered");
    }
}

/// A server may close a connection that it left open just when the next request is on its way. That request cannot be
/// sent twice, as it may have been read: so each has a connection of its own.
#[test]
fn a_connection_that_the_server_closes_is_not_used_again() {
    let server = Server::start(|request| as_json(request).and_linger());
    let (code, listing, err) = capture(&server, &[]);
    assert_eq!(code, Some(0), "{err}");
    assert!(listing.contains("\"x\": 1.50,"), "{listing}");
    assert_eq!(server.seen().len(), 3, "nothing is sent twice");
}

#[test]
fn sessions_revisions_and_tokens_are_sent_along() {
    let server = Server::start(|request| match request.method.as_str() {
        "initialize" => as_json(request).header("Mcp-Session-Id", "abc-1"),
        _ => as_json(request),
    });
    let (code, out, err) = capture(&server, &["--token-env", "MY_TOKEN"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(!out.contains("s3cret") && !err.contains("s3cret"));
    let seen = server.seen();
    let methods: Vec<&str> = seen.iter().map(|r| r.method.as_str()).collect();
    assert_eq!(methods, ["initialize", "notifications/initialized", "tools/list", "DELETE"]);
    for (i, request) in seen.iter().enumerate() {
        assert_eq!(request.header("authorization"), Some("Bearer s3cret-t0ken"));
        let later = |value| if i > 0 { Some(value) } else { None };
        assert_eq!(request.header("mcp-session-id"), later("abc-1"), "{}", request.method);
        assert_eq!(request.header("mcp-protocol-version"), later("2025-11-25"), "{}", request.method);
    }
    assert_eq!(seen[0].header("accept"), Some("application/json, text/event-stream"));
    assert_eq!(seen[0].header("content-type"), Some("application/json"));
}

#[test]
fn a_server_of_the_newest_revision() {
    let server = Server::start(|request| {
        let newest = request.header("mcp-protocol-version") == Some("2026-07-28")
            && request.header("mcp-method") == Some(&request.method);
        let result = match request.method.as_str() {
            "server/discover" if newest => {
                json!({"resultType": "complete", "supportedVersions": ["2026-07-28"],
                "capabilities": {}, "ttlMs": 1, "cacheScope": "public"})
            }
            "tools/list" if newest => serde_json::from_str(TOOLS).unwrap(),
            _ => {
                let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32020, "message": "no such header"}});
                return Answer::new(400).header("Content-Type", "application/json").body(&error.to_string());
            }
        };
        let body = json!({"jsonrpc": "2.0", "id": request.body["id"], "result": result});
        Answer::new(200).header("Content-Type", "application/json").body(&body.to_string())
    });
    let (code, out, err) = capture(&server, &[]);
    assert_eq!(code, Some(0), "{err}");
    let listing: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(listing["capture"]["protocol"], "2026-07-28");
    let (code, _, err) = capture(&server, &["--protocol", "2025-06-18"]);
    assert_eq!(code, Some(3));
    assert!(err.contains("answers initialize with an error: no such header (code -32020)"), "{err}");
}

/// Exit code 3, nothing on standard output, this in the message.
fn fault(answer: impl Fn(&Request) -> Answer + Send + Sync + 'static, said: &str) {
    let server = Server::start(answer);
    let (code, out, err) = capture(&server, &[]);
    assert_eq!((code, out.as_str()), (Some(3), ""), "{err}");
    assert!(err.starts_with("error: ") && err.contains(said), "{said}: {err}");
}

#[test]
fn the_faults_of_a_server_are_told_apart() {
    let page = |status| Answer::new(status).header("Content-Type", "text/html").body("<html>\nno</html>");
    fault(move |_| page(200), "answers with text/html, which is no JSON-RPC message");
    fault(move |_| page(404), "answers initialize with HTTP status 404\n");
    fault(move |_| page(401), "HTTP status 401\n  Name the variable that holds the token: --token-env");
    fault(|_| Answer::new(500).body("out of memory"), "HTTP status 500: out of memory");
    fault(|_| Answer::raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nnonsense"), "");
    fault(|_| Answer::raw(b"SSH-2.0-OpenSSH_9.9\r\n"), "what the server answers is no HTTP");
    fault(|_| Answer::new(202), "answers a request with HTTP status 202 and nothing else");
    fault(|_| Answer::new(304), "answers initialize with HTTP status 304");
    fault(
        |_| Answer::new(200).header("Content-Type", "application/json").body("Please sign in"),
        "no JSON-RPC message: Please sign in\n  Give the address",
    );
    fault(|_| Answer::raw(b""), "");
    fault(
        |_| {
            Answer::raw(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{\"id\":1",
            )
        },
        "",
    );
    fault(
        |_| Answer::raw(&[&b"HTTP/1.1 200 OK\r\nX-Long: "[..], &[b'x'; 1 << 20], b"\r\n\r\n"].concat()),
        "",
    );
    fault(
        |request| {
            let body = result(request).unwrap_or_default().replace("\"id\":1,", "\"id\":77,");
            Answer::new(200).header("Content-Type", "application/json").body(&body)
        },
        "ended its answer before it had answered",
    );
    let future = |request: &Request| {
        let body = result(request).unwrap_or_default().replace("2025-11-25", "2099-01-01");
        Answer::new(200).header("Content-Type", "application/json").body(&body)
    };
    fault(future, "version 2099-01-01");
    let stream = |body: &str| Answer::new(200).header("Content-Type", "text/event-stream").body(body);
    fault(move |_| stream(": nothing\n\n"), "ended its answer before it had answered");
    fault(move |_| stream("data: nonsense\n\n"), "what is no JSON-RPC message: nonsense");
    fault(
        |request| match request.method.as_str() {
            "notifications/initialized" => Answer::new(400).body("no session"),
            _ => as_json(request),
        },
        "answers a notification with HTTP status 400: no session",
    );
    fault(
        |_| {
            let body = [&b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}"[..]].concat();
            Answer::new(200).header("Content-Type", "application/json").bytes(&body)
        },
        "no UTF-8",
    );
}

#[test]
fn no_redirect_is_followed() {
    let other = Server::start(as_json);
    let to = other.url();
    for status in [301, 302, 303, 307, 308] {
        let to = to.clone();
        fault(move |_| Answer::new(status).header("Location", &to), "that is not followed");
    }
    assert_eq!(other.seen().len(), 0, "nobody was asked");
}

#[test]
fn streams_that_never_close() {
    // The answer is there: what the stream does after it matters to nobody.
    let open = |request: &Request| match result(request) {
        Some(body) => Answer::new(200)
            .header("Content-Type", "text/event-stream")
            .chunked(&format!("data: {body}\n\n"))
            .and_hang(),
        None => Answer::new(202),
    };
    let (code, _, err) = capture(&Server::start(open), &[]);
    assert_eq!(code, Some(0), "{err}");
    // It is not there, and never comes.
    let silent = |_: &Request| {
        Answer::new(200).header("Content-Type", "text/event-stream").chunked(": wait\n\n").and_hang()
    };
    let server = Server::start(silent);
    let out = verity().args(["capture", "--timeout", "1", "--url", &server.url()]).output().unwrap();
    assert_eq!(out.status.code(), Some(3));
    let err = String::from_utf8(out.stderr).unwrap();
    assert!(err.contains("did not finish within 1 s") || err.contains("did not answer in time"), "{err}");
    // It never ends.
    let flood = |_: &Request| {
        Answer::new(200)
            .header("Content-Type", "text/event-stream")
            .chunked(&": x\n\n".repeat(500_000))
            .and_hang()
    };
    let long = |_: &Request| {
        Answer::new(200).header("Content-Type", "application/json").chunked(&"[".repeat(3_000_000))
    };
    let (code, _, err) = capture(&Server::start(long), &["--max-bytes", "1000000"]);
    assert_eq!(code, Some(3));
    assert!(err.contains("more bytes than it may"), "{err}");
    let (code, _, err) = capture(&Server::start(flood), &["--max-bytes", "1000000"]);
    assert_eq!(code, Some(3));
    assert!(err.contains("more bytes than it may"), "{err}");
}

/// Since 2025-11-25 a server may close a stream before it has answered, and is asked to go on with it.
#[test]
fn a_stream_that_is_closed_is_gone_on_with() {
    let stream = |body: &str| Answer::new(200).header("Content-Type", "text/event-stream").body(body);
    let asked = std::sync::Mutex::new(String::new());
    let server = Server::start(move |request| match request.method.as_str() {
        "tools/list" => {
            *asked.lock().unwrap() = result(request).unwrap();
            stream("id: e-7\nretry: 10\ndata:\n\n")
        }
        // The first time there is news, and no answer yet.
        "GET" => match request.header("last-event-id") {
            Some("e-7") => stream(
                "id: e-8\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n",
            ),
            Some("e-8") => stream(&format!("id: e-9\ndata: {}\n\n", asked.lock().unwrap())),
            other => panic!("{other:?}"),
        },
        _ => as_json(request),
    });
    let (code, listing, err) = capture(&server, &[]);
    assert_eq!(code, Some(0), "{err}");
    assert!(listing.contains("\"x\": 1.50,"), "{listing}");
    let seen = server.seen();
    let methods: Vec<&str> = seen.iter().map(|r| r.method.as_str()).collect();
    assert_eq!(methods, ["initialize", "notifications/initialized", "tools/list", "GET", "GET"]);
    assert_eq!(seen[4].header("mcp-protocol-version"), Some("2025-11-25"));
    assert_eq!(seen[4].header("accept"), Some("application/json, text/event-stream"));
    // One that knows nothing of it has ended without an answer.
    let server = Server::start(move |request| match request.method.as_str() {
        "tools/list" => stream("id: 1\nretry: 10\ndata:\n\n"),
        "GET" => Answer::new(405),
        _ => as_json(request),
    });
    let (code, _, err) = capture(&server, &[]);
    assert_eq!(code, Some(3));
    assert!(err.contains("ended its answer before it had answered"), "{err}");
}

/// "When a client receives HTTP 404 in response to a request containing an Mcp-Session-Id, it MUST start a new session."
#[test]
fn a_session_that_the_server_has_lost_is_begun_anew() {
    let lost = |most: usize| {
        let (begun, asked) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Server::start(move |request| match request.method.as_str() {
            "initialize" => {
                assert_eq!(request.header("mcp-session-id"), None, "a new one");
                as_json(request)
                    .header("Mcp-Session-Id", &format!("s-{}", begun.fetch_add(1, Ordering::SeqCst)))
            }
            "tools/list" if asked.fetch_add(1, Ordering::SeqCst) < most => {
                let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32001, "message": "Session not found"}});
                Answer::new(404).header("Content-Type", "application/json").body(&error.to_string())
            }
            _ => as_json(request),
        })
    };
    let server = lost(1);
    let (code, listing, err) = capture(&server, &[]);
    assert_eq!(code, Some(0), "{err}");
    assert!(listing.contains("\"x\": 1.50,"), "{listing}");
    let seen = server.seen();
    let sessions: Vec<_> = seen.iter().map(|r| (r.method.as_str(), r.header("mcp-session-id"))).collect();
    let (first, second) = (Some("s-0"), Some("s-1"));
    let wanted = [
        ("initialize", None),
        ("notifications/initialized", first),
        ("tools/list", first),
        ("initialize", None),
        ("notifications/initialized", second),
        ("tools/list", second),
        ("DELETE", second),
    ];
    assert_eq!(sessions, wanted);
    // Once: a server that loses every session is no server.
    let (code, _, err) = capture(&lost(usize::MAX), &[]);
    assert_eq!(code, Some(3));
    assert!(err.contains("tools/list with HTTP status 404: the session is not known"), "{err}");
}

#[test]
fn a_listing_that_holds_the_token_is_not_kept() {
    let server = Server::start(|request| match request.method.as_str() {
        "tools/list" => {
            let told = request.header("authorization").unwrap().to_string();
            let tool = json!({"name": "add", "description": told, "inputSchema": {"type": "object"}});
            let body = json!({"jsonrpc": "2.0", "id": request.body["id"], "result": {"tools": [tool]}});
            Answer::new(200).header("Content-Type", "application/json").body(&body.to_string())
        }
        _ => as_json(request),
    });
    let (code, out, err) = capture(&server, &["--token-env", "MY_TOKEN"]);
    assert_eq!((code, out.as_str()), (Some(3), ""));
    assert!(err.contains("given to keep (the token)") && !err.contains("s3cret"), "{err}");
}

#[test]
fn addresses_that_are_refused_before_anything_is_sent() {
    for (url, code, said) in [
        ("file:///etc/passwd", 2, "no address"),
        ("ftp://example.com/mcp", 2, "only http and https are spoken"),
        ("example.com/mcp", 2, "no address"),
        ("https://user:word@example.com/", 3, "password"),
    ] {
        let out = verity().args(["capture", "--url", url]).output().unwrap();
        let err = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(code), "{err}");
        assert!(err.contains(said) && !err.contains("user:word"), "{err}");
    }
    let out =
        verity().args(["capture", "--url", "https://x.test/", "--token-env", "UNSET"]).output().unwrap();
    assert_eq!(out.status.code(), Some(2));
}
