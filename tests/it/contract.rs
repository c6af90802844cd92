//! `verity contract`, and the library below it.

mod cli;
mod compile;
mod evaluate;
mod parse;
mod preflight;
mod score;
mod short;
mod trials;

use crate::support::{fixture, shared};
use serde_json::{Value, json};
use verity::contract::Contract;

/// A contract that compiles, with every kind of declaration in it.
fn lending_desk() -> Value {
    serde_json::from_str(&std::fs::read_to_string(fixture("contracts/lending-desk.json")).unwrap()).unwrap()
}

/// An edit of a document: a place, and what stands there then; `None` takes it away.
type Edit = (&'static str, Option<Value>);

fn set(at: &'static str, value: Value) -> Edit {
    (at, Some(value))
}

fn gone(at: &'static str) -> Edit {
    (at, None)
}

fn edited(edits: &[Edit]) -> Value {
    let mut document = lending_desk();
    for (at, value) in edits {
        let (parent, last) = at.rsplit_once('/').unwrap();
        let parent = document.pointer_mut(parent).unwrap_or_else(|| panic!("{at}"));
        let last = last.replace("~1", "/");
        match (parent, value) {
            (Value::Object(members), Some(value)) => drop(members.insert(last, value.clone())),
            (Value::Object(members), None) => {
                drop(members.shift_remove(&last).unwrap_or_else(|| panic!("{at}")))
            }
            (Value::Array(items), Some(value)) if last == "-" => items.push(value.clone()),
            (Value::Array(items), Some(value)) => items[last.parse::<usize>().unwrap()] = value.clone(),
            (Value::Array(items), None) => drop(items.remove(last.parse().unwrap())),
            _ => panic!("{at}"),
        }
    }
    document
}

/// The code and the place of what is wrong with a document; `ok` where nothing is.
fn outcome(document: &Value) -> (String, String) {
    let checked = Contract::read(document).and_then(|contract| verity::contract::compile::check(&contract));
    match checked {
        Ok(()) => ("ok".to_string(), String::new()),
        Err(failure) => (failure.code.as_str().to_string(), failure.pointer),
    }
}

/// Assert the code of each case, and its place; `""` stands for a document that compiles.
fn check_all(cases: &[(&str, &str, Vec<Edit>)]) {
    for (code, at, edits) in cases {
        let (found, pointer) = outcome(&edited(edits));
        let wanted = if code.is_empty() { "ok" } else { code };
        assert_eq!((found.as_str(), pointer.as_str()), (wanted, *at), "{edits:?}");
    }
}

/// Every case of the corpus beside the repository has its code.
#[test]
fn the_shared_cases_have_their_codes() {
    let Some(path) = shared("live/contract-cases.jsonl") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let mut seen = 0;
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let wanted = case["code"].as_str().unwrap_or("ok");
        assert_eq!(outcome(&case["contract"]).0, wanted, "{}", case["id"]);
        seen += 1;
    }
    assert!(seen >= 16, "{seen}");
}

#[test]
fn the_fixture_compiles() {
    assert_eq!(outcome(&lending_desk()), ("ok".to_string(), String::new()));
    let contract = Contract::read(&lending_desk()).unwrap();
    assert_eq!(contract.interfaces[0].operations.len(), 4);
    // Reading and printing keeps every value.
    let printed: Value = serde_json::from_str(&contract.canonical()).unwrap();
    assert_eq!(printed, lending_desk());
    assert!(contract.canonical().starts_with("{\"behaviors\":[{\"description\":"));
    assert_eq!(json!(contract.id), lending_desk()["contractId"]);
}
