//! How long it takes to compare two releases: `cargo bench --bench diff`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use serde_json::{Value, json};
use verity::diff::{Options, diff};
use verity::manifest::{Input, Manifest};
use verity::threads::STACK_BYTES;

/// As many tools as the largest listings have.
const TOOLS: usize = 400;

fn main() {
    // The engines recurse: the same stack as the binary's.
    let run = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(divan::main).expect("a thread");
    run.join().expect("benchmarks run");
}

/// Nothing changed: what a comparison costs at least.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn the_same_release(bencher: Bencher) {
    compare(bencher, &listing(|_| Release::Old), &listing(|_| Release::Old));
}

/// The usual release: one tool in twenty changed, in one of the ways that tools change.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn a_release_with_a_few_changes(bencher: Bencher) {
    compare(
        bencher,
        &listing(|_| Release::Old),
        &listing(|i| if i % 20 == 0 { change(i / 20) } else { Release::Old }),
    );
}

/// Every tool changed, and for most a witness is looked for.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn a_release_that_changes_every_tool(bencher: Bencher) {
    compare(bencher, &listing(|_| Release::Old), &listing(change));
}

fn compare(bencher: Bencher, old: &Value, new: &Value) {
    let (old, new) = (manifests(old), manifests(new));
    let found = diff(&old, &new, &Options::default());
    eprintln!("{} changes", found.changes.len());
    bencher
        .counter(ItemsCount::new(TOOLS))
        .bench(|| black_box(diff(black_box(&old), black_box(&new), &Options::default())));
}

fn manifests(listing: &Value) -> Vec<Manifest> {
    let document = verity::source::parse("tools.json", listing.to_string().into_bytes()).expect("JSON");
    Input::of_document(document).expect("a manifest").manifests
}

/// What a tool is in a release.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Release {
    Old,
    /// A smaller `maximum`.
    Narrowed,
    /// One more optional argument.
    Extended,
    /// An argument that must be given now.
    Demanding,
    /// The same schema behind a `$ref`.
    Rewritten,
    /// Another description.
    Reworded,
    /// A nested pattern that takes less.
    Stricter,
}

fn change(i: usize) -> Release {
    use Release::{Demanding, Extended, Narrowed, Reworded, Rewritten, Stricter};
    [Narrowed, Extended, Demanding, Rewritten, Reworded, Stricter][i % 6]
}

fn listing(release: impl Fn(usize) -> Release) -> Value {
    json!({"tools": (0..TOOLS).map(|i| tool(i, release(i))).collect::<Vec<_>>()})
}

/// A tool as servers have them: some arguments, a nested object with a list and a pattern, prose, a result.
fn tool(i: usize, release: Release) -> Value {
    let verbs = ["search", "create", "update", "list", "export"];
    let nouns = ["orders", "customers", "invoices", "regions", "tickets", "reports", "users"];
    let (verb, noun) = (verbs[i % verbs.len()], nouns[i % nouns.len()]);
    let is = |wanted: Release| release == wanted;
    let kept =
        if is(Release::Reworded) { "Archived ones are left out." } else { "Archived ones are among them." };
    let code = if is(Release::Stricter) { "^[A-Z]{2}-[0-9]{4}$" } else { "^[A-Z]{2,3}-[0-9]{4,6}$" };
    let order = json!({"type": "string", "enum": ["asc", "desc", "none"]});
    let mut schema = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 1, "description": format!("What to {verb}.")},
            "limit": {"type": "integer", "minimum": 1, "maximum": if is(Release::Narrowed) { 50 } else { 100 }, "default": 20},
            "order": order.clone(),
            "filter": {"type": "object", "properties": {
                "since": {"type": "string", "format": "date-time"},
                "codes": {"type": "array", "items": {"type": "string", "pattern": code}, "uniqueItems": true, "maxItems": 20}
            }, "additionalProperties": false}
        },
        "required": if is(Release::Demanding) { json!(["query", "order"]) } else { json!(["query"]) },
        "additionalProperties": false
    });
    if is(Release::Extended) {
        schema["properties"]["region"] =
            json!({"type": "string", "description": "Only those of this region."});
    }
    if is(Release::Rewritten) {
        schema["properties"]["order"] = json!({"$ref": "#/$defs/order"});
        schema["$defs"] = json!({"order": order});
    }
    json!({
        "name": format!("{verb}_{noun}_{i}"),
        "description": format!("{verb} {noun} of the account, a page at a time. {kept}"),
        "inputSchema": schema,
        "outputSchema": {
            "type": "object",
            "properties": {
                "items": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}, "total": {"type": "number"}}, "required": ["id"]}},
                "next": {"type": ["string", "null"]}
            },
            "required": ["items"]
        },
        "annotations": {"readOnlyHint": verb == "search" || verb == "list"}
    })
}
