//! How long it takes to read a log of a million calls, to judge it, and to match a thousand expectations with a thousand
//! calls: `cargo bench --bench grade`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use serde_json::json;
use std::collections::BTreeMap;
use verity::expect;
use verity::grade::calls::{self, Order, Sessions};
use verity::grade::listing::Listing;
use verity::threads::STACK_BYTES;
use verity::trace::{self, Fixtures, Recording, Trace};

/// Calls of a long log.
const CALLS: usize = 1_000_000;
/// Expectations, and calls that they are matched with.
const EXPECTED: usize = 1_000;

fn main() {
    // The engines recurse: the same stack as the binary's.
    let run = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(divan::main).expect("a thread");
    run.join().expect("benchmarks run");
}

/// An MCP log of look-ups, and of a write for every third call.
fn log(calls: usize) -> Vec<String> {
    let pair = |i: usize| {
        let tool = if i.is_multiple_of(3) { "send" } else { "look" };
        let call = json!({"jsonrpc": "2.0", "id": i, "method": "tools/call",
            "params": {"name": tool, "arguments": {"query": format!("item {i}"), "limit": i % 50}}});
        let text = json!({"matches": [format!("alpha {i}")], "total": 1}).to_string();
        let answer =
            json!({"jsonrpc": "2.0", "id": i, "result": {"content": [{"type": "text", "text": text}]}});
        [format!("{call}\n"), format!("{answer}\n")]
    };
    (0..calls).flat_map(pair).collect()
}

fn listing() -> Listing {
    let schema =
        json!({"type": "object", "required": ["query"], "properties": {"query": {"type": "string"}}});
    Listing::new(&[
        json!({"name": "look", "inputSchema": schema, "annotations": {"readOnlyHint": true}}),
        json!({"name": "send", "inputSchema": schema}),
    ])
}

fn read(lines: &[String]) -> Trace {
    let mut recording = Recording::new("log", Fixtures::new());
    lines.iter().for_each(|line| recording.line(line.as_bytes()).unwrap());
    recording.finish().unwrap()
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn read_a_log(bencher: Bencher) {
    let lines = log(CALLS);
    bencher.counter(ItemsCount::new(CALLS)).bench(|| black_box(read(black_box(&lines))));
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn judge_how_calls_went(bencher: Bencher) {
    let trace = read(&log(CALLS));
    let order = Order { listing: Some(listing()), ..Order::default() };
    bencher.counter(ItemsCount::new(CALLS)).bench(|| black_box(calls::judge(black_box(&trace), &order)));
}

/// Expectations that may be met in any order, each by one call alone: all of them are compared with all calls.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn match_in_any_order(bencher: Bencher) {
    judge_matching(bencher, true);
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn match_in_order(bencher: Bencher) {
    judge_matching(bencher, false);
}

fn judge_matching(bencher: Bencher, is_unordered: bool) {
    let step = |i: usize| {
        let mut step = json!({"actor": "assistant", "action": "calls", "target": "t", "with": {"query": format!("item {i}")}});
        if is_unordered && i + 1 == EXPECTED {
            step["evaluations"] = json!([{"type": "tool_call", "ordered": false}]);
        }
        step
    };
    let document =
        json!({"session": "s", "behaviors": (0..EXPECTED).map(step).collect::<Vec<_>>()}).to_string();
    let session = expect::bind::bind(&expect::parse(&document).unwrap()[0], &BTreeMap::new(), false).unwrap();
    let row = |i: usize| {
        // In any order the last is asked for first.
        let n = if is_unordered { EXPECTED - 1 - i } else { i };
        let arguments = json!({"query": format!("item {n}"), "limit": n});
        format!(
            "{}\n",
            json!({"tool": "t", "arguments": arguments, "result": {"exit_code": 0, "stdout": "", "stderr": ""}})
        )
    };
    let text: String = (0..EXPECTED).map(row).collect();
    let trace = trace::read("log", text.as_bytes(), &Fixtures::new()).unwrap();
    let order = Order { sessions: Sessions::All(vec![session]), ..Order::default() };
    assert_eq!(calls::judge(&trace, &order).outcome().word(), "passed");
    bencher.bench(|| black_box(calls::judge(black_box(&trace), &order)));
}
