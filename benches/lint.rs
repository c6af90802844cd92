//! How long linting takes: `cargo bench --bench lint`.
//!
//! The corpus is third-party material beside the repository; without it those benchmarks say so and
//! measure nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use verity::lint::Options;
use verity::threads::STACK_BYTES;

fn main() {
    // The engines recurse: the same stack as the binary's.
    let run = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(divan::main).expect("a thread");
    run.join().expect("benchmarks run");
}

/// The process alone: what a run costs that does nothing.
#[divan::bench(sample_count = 50)]
fn start_up(bencher: Bencher) {
    bencher.bench(|| verity(&["--version"]));
}

/// One real manifest in a process of its own.
#[divan::bench(sample_count = 20)]
fn one_manifest_alone(bencher: Bencher) {
    let Some(files) = corpus() else { return };
    // The median in size.
    let file = &files[files.len() / 2];
    bencher.bench(|| verity(&["lint", "--format", "json", file.to_str().unwrap()]));
}

/// Every manifest of the corpus in one call.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn corpus_in_one_call(bencher: Bencher) {
    let Some(files) = corpus() else { return };
    let folder = files[0].parent().unwrap().to_str().unwrap().to_string();
    bencher
        .counter(ItemsCount::new(files.len()))
        .bench(|| verity(&["lint", "-q", "--format", "json", &folder]));
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn corpus_for_people(bencher: Bencher) {
    let Some(files) = corpus() else { return };
    let folder = files[0].parent().unwrap().to_str().unwrap().to_string();
    bencher.bench(|| verity(&["lint", "-q", "--format", "human", &folder]));
}

/// Cost a tool: it must not grow with their number.
#[divan::bench(args = [10, 100, 1_000, 10_000], sample_count = 3, sample_size = 1)]
fn tools(bencher: Bencher, n: usize) {
    let text = synthetic(n).to_string();
    bencher.counter(ItemsCount::new(n)).bench(|| {
        let document = verity::source::parse("tools.json", text.clone().into_bytes()).expect("JSON");
        let input = verity::manifest::Input::of_document(document).expect("a manifest");
        black_box(verity::lint::inputs(vec![input], &Options::default()))
    });
}

/// Tools as servers have them: some arguments, a nested object, prose.
fn synthetic(n: usize) -> Value {
    let verbs = ["search", "create", "update", "list", "export"];
    let nouns = ["orders", "customers", "invoices", "regions", "tickets", "reports", "users"];
    let tool = |i: usize| {
        let (verb, noun) = (verbs[i % verbs.len()], nouns[i % nouns.len()]);
        json!({
            "name": format!("{verb}_{noun}_{i}"),
            "description": format!("{verb} {noun} of the account. Takes a query and a page size; answers with a page of {noun}."),
            "inputSchema": {
                "type": "object",
                "properties": {
                    "query": {"type": "string", "minLength": 1, "description": format!("What to {verb}.")},
                    "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
                    "order": {"enum": ["asc", "desc"]},
                    "filter": {"type": "object", "properties": {
                        "since": {"type": "string", "format": "date-time"},
                        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}
                    }, "additionalProperties": false}
                },
                "required": ["query"]
            },
            "annotations": {"readOnlyHint": verb == "search" || verb == "list"}
        })
    };
    json!({"tools": (0..n).map(tool).collect::<Vec<_>>()})
}

/// The corpus' files by size; `None`, said on stderr, where it is absent.
fn corpus() -> Option<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: {} is not here", folder.display());
        return None;
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    files.sort_by_key(|f| (f.metadata().map_or(0, |m| m.len()), f.clone()));
    Some(files)
}

fn verity(args: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_verity"));
    let status =
        command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).status().expect("verity runs");
    assert!(status.code().is_some_and(|code| code < 3), "{args:?}: {status}");
}
