//! The generator over the distinct input schemas of the corpus beside the repository: cold (parse,
//! compile, canonicalise, verdict, one instance), warm (instances judged), and a mutant a site.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use divan::Bencher;
use divan::counter::ItemsCount;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use verity::generate::{Options, generate};
use verity::schema::SchemaView;
use verity::schema::judge::Formats;

fn main() {
    // Deep schemas recurse; the program itself runs on such a stack too.
    let worker = std::thread::Builder::new().stack_size(256 << 20).spawn(divan::main);
    worker.unwrap().join().unwrap();
}

/// Texts of the distinct schemas, of the corpus if it is there, else a few of our own.
fn schemas() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let mut out = BTreeSet::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(text) = std::fs::read_to_string(entry.path()) else { continue };
        let Ok(listing) = serde_json::from_str::<Value>(&text) else { continue };
        for tool in listing["tools"].as_array().into_iter().flatten() {
            if tool["inputSchema"].is_object() {
                out.insert(tool["inputSchema"].to_string());
            }
        }
    }
    if out.is_empty() {
        out.insert(
            r#"{"type":"object","required":["q"],"properties":{"q":{"type":"string","minLength":1}}}"#
                .to_string(),
        );
        out.insert(
            r#"{"type":"object","properties":{"n":{"type":"integer","minimum":1,"maximum":9}}}"#.to_string(),
        );
    }
    out.into_iter().collect()
}

fn options(count: usize, invalid: usize) -> Options<'static> {
    Options { seed: "", name: "bench", count, invalid, formats: Formats::Annotate }
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn cold(bencher: Bencher) {
    let texts = schemas();
    bencher.counter(ItemsCount::new(texts.len())).bench_local(|| {
        let mut found = 0;
        for text in &texts {
            let schema: Value = serde_json::from_str(text).unwrap();
            found += generate(&SchemaView::new(&schema), &options(1, 0)).valid.len();
        }
        found
    });
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn twenty_instances_each(bencher: Bencher) {
    let texts = schemas();
    let values: Vec<Value> = texts.iter().map(|t| serde_json::from_str(t).unwrap()).collect();
    let views: Vec<SchemaView<'_>> = values.iter().map(SchemaView::new).collect();
    let total: usize = views.iter().map(|v| generate(v, &options(20, 0)).valid.len()).sum();
    bencher
        .counter(ItemsCount::new(total))
        .bench_local(|| views.iter().map(|v| generate(v, &options(20, 0)).valid.len()).sum::<usize>());
}

/// Warm: what an instance costs once the schema is known, judging included.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn a_thousand_instances_each(bencher: Bencher) {
    let texts = schemas();
    let values: Vec<Value> = texts.iter().step_by(20).map(|t| serde_json::from_str(t).unwrap()).collect();
    let views: Vec<SchemaView<'_>> = values.iter().map(SchemaView::new).collect();
    let total: usize = views.iter().map(|v| generate(v, &options(1_000, 0)).valid.len()).sum();
    bencher
        .counter(ItemsCount::new(total))
        .bench_local(|| views.iter().map(|v| generate(v, &options(1_000, 0)).valid.len()).sum::<usize>());
}

#[divan::bench(sample_count = 2, sample_size = 1)]
fn a_mutant_a_site(bencher: Bencher) {
    let texts = schemas();
    let values: Vec<Value> = texts.iter().map(|t| serde_json::from_str(t).unwrap()).collect();
    let views: Vec<SchemaView<'_>> = values.iter().map(SchemaView::new).collect();
    bencher
        .bench_local(|| views.iter().map(|v| generate(v, &options(1, 10_000)).invalid.len()).sum::<usize>());
}
