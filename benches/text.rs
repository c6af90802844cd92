//! How fast texts are read: the labelled corpora in one call, and plain megabytes on one core.
//!
//! The corpora stand beside the repository (`../shared/poison`); without them, made-up tools take their place.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use divan::counter::{BytesCount, ItemsCount};
use serde_json::{Value, json};
use verity::manifest::Manifest;
use verity::rules;

fn main() {
    divan::main();
}

const PROSE: &str = "Returns the orders of a customer, newest first. Call `find_customer` before, and pass its id. Dates are in UTC; \
    an empty list means that there are none. Passwords are never returned, and the user is asked before anything is deleted. ";

fn corpora() -> Vec<Value> {
    let mut tools = Vec::new();
    for name in ["benign", "poisoned"] {
        let path = format!("{}/../shared/poison/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        tools.extend(text.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()["tool"].clone()));
    }
    if tools.is_empty() {
        let made = |i| json!({"name": format!("tool_{i}"), "description": PROSE.repeat(4)});
        tools.extend((0..5_400).map(made));
    }
    tools
}

fn poison(manifest: &Manifest) -> usize {
    rules::run_rules(manifest, rules::all().filter(|r| r.info().family() == "POISON")).len()
}

/// All labelled tools as one listing, on one core.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn labelled_tools(bencher: divan::Bencher<'_, '_>) {
    let listing = Manifest::of_tools(corpora());
    bencher.counter(ItemsCount::new(listing.tools.len())).bench(|| poison(&listing));
}

/// Four megabytes of description.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn description_bytes(bencher: divan::Bencher<'_, '_>) {
    let text = PROSE.repeat(160);
    let tools: Vec<Value> = (0..100).map(|i| json!({"name": format!("t{i}"), "description": text})).collect();
    let bytes = text.len() * tools.len();
    let listing = Manifest::of_tools(tools);
    bencher.counter(BytesCount::new(bytes)).bench(|| poison(&listing));
}
