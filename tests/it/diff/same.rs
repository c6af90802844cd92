//! A listing does not differ from itself, however it is written.

use crate::support::shared;
use serde_json::{Map, Value};
use std::fs;
use verity::diff::{Options, diff};
use verity::manifest::{self, Manifest};
use verity::source;

fn read(text: &str) -> Option<Vec<Manifest>> {
    manifest::read(&source::parse("tools.json", text.as_bytes().to_vec()).ok()?).ok()
}

/// `value` with the members of every object the other way round.
fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            Value::Object(members.iter().rev().map(|(k, v)| (k.clone(), reversed(v))).collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.iter().map(reversed).collect()),
        other => other.clone(),
    }
}

/// The tools the other way round as well.
fn turned(manifest: &Manifest) -> Value {
    let tools: Vec<Value> = manifest.tools.iter().rev().map(|t| reversed(&t.value)).collect();
    serde_json::json!({ "tools": tools })
}

#[test]
fn no_corpus_manifest_differs_from_itself() {
    let Some(corpus) = shared("corpus") else { return };
    let mut files = Vec::new();
    let mut folders = vec![corpus];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "json") {
                files.push(path);
            }
        }
    }
    files.sort();
    let step = (files.len() / 60).max(1);
    let mut compared = 0;
    for path in files.iter().step_by(step) {
        let Some(manifests) =
            fs::read_to_string(path).ok().filter(|t| t.len() < 400_000).and_then(|t| read(&t))
        else {
            continue;
        };
        for manifest in &manifests {
            let one = std::slice::from_ref(manifest);
            assert_eq!(diff(one, one, &Options::default()).changes, [], "{}", path.display());
            // Tools of one name are told apart by their order alone.
            let names: std::collections::BTreeSet<_> = manifest.tools.iter().map(|t| t.name()).collect();
            let Some(other) =
                read(&turned(manifest).to_string()).filter(|_| names.len() == manifest.tools.len())
            else {
                continue;
            };
            let changes: Vec<_> = diff(one, &other, &Options::default()).changes;
            assert_eq!(changes, [], "{}", path.display());
            compared += 1;
        }
    }
    assert!(compared >= 5, "only {compared} of {} files were compared", files.len());
}
