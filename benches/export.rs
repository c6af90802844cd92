//! How long exporting and testing packs takes: `cargo bench --bench export`.
//!
//! The corpus is third-party material beside the repository; without it those benchmarks say so and
//! measure nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use serde_json::{Value, json};
use std::path::Path;
use verity::finding::Finding;
use verity::grade;
use verity::manifest::{self, Manifest};
use verity::pack::export::{Context, Options, Pack, export};
use verity::threads::STACK_BYTES;
use verity::yaml;
use verity::{rules, source};

fn main() {
    // The engines recurse: the same stack as the binary's.
    let run = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(divan::main).expect("a thread");
    run.join().expect("benchmarks run");
}

/// Every pack of the corpus, linted before; without writing it.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn export_corpus(bencher: Bencher) {
    let all = corpus();
    bencher.counter(tools(&all)).bench(|| all.iter().map(|(m, f)| pack(m, f).tasks.len()).sum::<usize>());
}

/// Every task of those packs, read from its text and tested.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn test_corpus(bencher: Bencher) {
    let all = corpus();
    let texts: Vec<String> = all.iter().flat_map(|(m, f)| pack(m, f).files.into_values()).collect();
    bencher.counter(ItemsCount::new(texts.len())).bench(|| texts.iter().filter(|t| passes(t)).count());
}

/// The cost of a tool must not grow with the number of tools.
#[divan::bench(args = [10, 100, 1000, 10_000], sample_count = 3, sample_size = 1)]
fn export_tools(bencher: Bencher, count: usize) {
    let (manifest, findings) = synthetic(count);
    bencher.counter(ItemsCount::new(count)).bench(|| black_box(pack(&manifest, &findings)));
}

fn pack(manifest: &Manifest, findings: &[Finding]) -> Pack {
    let options =
        Options { pack: "bench".into(), seed: "s".into(), context: Context::Tool, include_flagged: false };
    export(manifest, findings, &options)
}

fn passes(text: &str) -> bool {
    yaml::read(text).is_ok_and(|document| grade::task::test(&document.value).passed())
}

fn tools(all: &[(Manifest, Vec<Finding>)]) -> ItemsCount {
    ItemsCount::new(all.iter().map(|(m, _)| m.tools.len()).sum::<usize>())
}

fn corpus() -> Vec<(Manifest, Vec<Finding>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: {} is not here", folder.display());
        return Vec::new();
    };
    let mut files: Vec<_> = entries.map(|e| e.unwrap().path()).collect();
    files.sort();
    files.iter().flat_map(|f| read(std::fs::read(f).unwrap())).collect()
}

fn read(bytes: Vec<u8>) -> Vec<(Manifest, Vec<Finding>)> {
    let document = source::parse("tools.json", bytes).unwrap();
    let with_findings = |m: Manifest| {
        let findings = rules::run(&m);
        (m, findings)
    };
    manifest::read(&document).unwrap().into_iter().map(with_findings).collect()
}

fn synthetic(count: usize) -> (Manifest, Vec<Finding>) {
    let tool = |i: usize| -> Value {
        json!({"name": format!("tool_{i}"), "description": "Does something useful.", "inputSchema": {
            "type": "object", "required": ["query"], "additionalProperties": false, "properties": {
                "query": {"type": "string", "minLength": 1}, "limit": {"type": "integer", "minimum": 1, "maximum": 100},
                "order": {"enum": ["asc", "desc"]}}}})
    };
    let listing = json!({ "tools": (0..count).map(tool).collect::<Vec<_>>() });
    read(listing.to_string().into_bytes()).remove(0)
}
