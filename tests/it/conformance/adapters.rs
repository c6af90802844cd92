//! Our own adapters, over servers that run: stdio (needs python3) and Streamable HTTP.

use crate::live::http::{Answer, Request, Server};
use serde_json::json;
use std::cell::Cell;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use verity::conformance::{self, Bench, INTERFACE, Scenario, Subject, TOOL};
use verity::mcp::{Allowed, AllowedPort, Command, Endpoint, Limits, Target};
use verity::probe::{CallRequest, Fault, Observation, Port};

thread_local! {
    // A session asks on the thread that waits for it.
    static ABORT_AT: Cell<Option<Instant>> = const { Cell::new(None) };
}

fn is_aborted() -> bool {
    ABORT_AT.get().is_some_and(|at| Instant::now() >= at)
}

struct Adapter {
    port: AllowedPort,
    calls: Box<dyn Fn() -> usize>,
}

impl Adapter {
    fn over(target: Target, scenario: Scenario, calls: Box<dyn Fn() -> usize>) -> Box<dyn Subject> {
        let elapsed = Duration::from_secs(if scenario == Scenario::Slow { 1 } else { 120 });
        let limits = Limits { elapsed, output_bytes: 1_000_000, abort: is_aborted, ..Limits::default() };
        let allowed = Allowed { interface: INTERFACE.into(), tools: vec![TOOL.into()], target, limits };
        Box::new(Adapter { port: AllowedPort(vec![allowed]), calls })
    }
}

impl Port for Adapter {
    fn call(&mut self, request: &CallRequest) -> Result<Observation, Fault> {
        self.port.call(request)
    }
}

impl Subject for Adapter {
    fn underlying_calls(&self) -> usize {
        (self.calls)()
    }

    fn allows(&self, interface: &str, tool: &str) -> bool {
        self.port.authorize(interface, tool).is_ok()
    }

    fn call_and_abort(&mut self, request: &CallRequest, after: Duration) -> Result<Observation, Fault> {
        ABORT_AT.set(Some(Instant::now() + after));
        let result = self.call(request);
        ABORT_AT.set(None);
        result
    }
}

struct OverStdio(TempDir);

impl Bench for OverStdio {
    fn subject(&self, scenario: Scenario) -> Box<dyn Subject + '_> {
        let fresh = self.0.path().join(format!("{}.log", std::fs::read_dir(self.0.path()).unwrap().count()));
        std::fs::write(&fresh, "").unwrap();
        let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/live/echo.py");
        let mode = format!("{scenario:?}");
        let argv =
            ["python3".into(), server.display().to_string(), mode, fresh.display().to_string()].to_vec();
        let calls = move || std::fs::read_to_string(&fresh).unwrap().lines().count();
        Adapter::over(Target::Command(Command { argv, ..Command::default() }), scenario, Box::new(calls))
    }
}

/// The same server over HTTP; results as a JSON text or as an event.
struct OverHttp {
    with_events: bool,
}

impl OverHttp {
    fn answer(scenario: Scenario, with_events: bool, request: &Request) -> Answer {
        let mut result = match request.method.as_str() {
            "initialize" => {
                json!({"protocolVersion": request.body["params"]["protocolVersion"], "capabilities": {},
                "serverInfo": {"name": "echo", "version": "1"}})
            }
            "tools/call" => {
                let text = request.body["params"]["arguments"]["text"].as_str().unwrap();
                json!({"content": [], "structuredContent": {"echo": text, "length": text.chars().count()}})
            }
            _ => return Answer::new(202),
        };
        if request.method == "tools/call" {
            match scenario {
                Scenario::Answers => {}
                Scenario::ToolError => result["isError"] = json!(true),
                Scenario::Malformed => result["isError"] = json!("no"),
                Scenario::Dies => return Answer::raw(b""),
                Scenario::Hangs | Scenario::Slow => {
                    return Answer::new(200)
                        .header("Content-Type", "text/event-stream")
                        .chunked(": wait\n\n")
                        .and_hang();
                }
                Scenario::Floods => {
                    return Answer::new(200)
                        .header("Content-Type", "application/json")
                        .body(&" ".repeat(4_000_000));
                }
            }
        }
        let body = json!({"jsonrpc": "2.0", "id": request.body["id"], "result": result});
        match with_events {
            true => Answer::new(200)
                .header("Content-Type", "text/event-stream")
                .chunked(&format!("data: {body}\n\n")),
            false => Answer::new(200).header("Content-Type", "application/json").body(&body.to_string()),
        }
    }
}

impl Bench for OverHttp {
    fn subject(&self, scenario: Scenario) -> Box<dyn Subject + '_> {
        let with_events = self.with_events;
        let server = Server::start(move |request| OverHttp::answer(scenario, with_events, request));
        let target = Target::Endpoint(Endpoint { url: server.url(), token: None });
        let calls = move || server.seen().iter().filter(|r| r.method == "tools/call").count();
        Adapter::over(target, scenario, Box::new(calls))
    }
}

/// One assertion is about a second of the clock, which a machine that is busy with other things may lose for us. An adapter
/// at fault is late each time; any other assertion has to hold the first time.
fn is_certified(bench: &dyn Bench) {
    for _ in 0..5 {
        let outcomes = conformance::run(bench);
        if conformance::is_certified(&outcomes) {
            return;
        }
        let others = outcomes.iter().filter(|o| o.fault.is_some() && o.assertion != "abort-within-budget");
        assert_eq!(others.collect::<Vec<_>>(), Vec::<&conformance::Outcome>::new());
    }
    panic!("an aborted call comes back too late, five times over");
}

#[test]
fn our_stdio_adapter_is_certified() {
    is_certified(&OverStdio(TempDir::new().unwrap()));
}

#[test]
fn our_http_adapter_is_certified() {
    is_certified(&OverHttp { with_events: false });
    is_certified(&OverHttp { with_events: true });
}
