//! A baseline knows a finding by its rule, tool and place: a listing in another order has none that is new.

use crate::support::{fixture, shared};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use verity::lint::{self, Options};
use verity::manifest::Input;
use verity::profile::Profiles;
use verity::suppress::{Baseline, Ran, Suppressor};
use verity::{rules, source};

/// The list of tools in a listing as servers send it, as dumps hold it, or by itself.
fn tools_of(root: &mut Value) -> Option<&mut Vec<Value>> {
    let at = ["", "/tools", "/result/tools"].into_iter().find(|at| {
        root.pointer(at)
            .and_then(Value::as_array)
            .is_some_and(|t| t.len() > 1 && t.iter().any(|t| t.get("name").is_some()))
    })?;
    root.pointer_mut(at)?.as_array_mut()
}

/// What lint with the baseline `known` says of the file: findings that are new, and entries that are gone.
fn news(text: &str, known: Option<&Baseline>, options: &Options) -> (Baseline, Vec<String>) {
    let input = Input::of_document(source::parse("tools.json", text.as_bytes().to_vec()).unwrap()).unwrap();
    let mut file = lint::inputs(vec![input], options).remove(0).unwrap();
    let mut suppressor = Suppressor::new(&[], known, "2026-11-30");
    file.manifests.iter_mut().for_each(|m| suppressor.apply(&mut m.findings));
    let findings = || file.manifests.iter().flat_map(|m| &m.findings);
    let said = |f: &verity::finding::Finding| format!("{} {:?} {}: {}", f.rule, f.tool, f.pointer, f.message);
    let mut news: Vec<String> = findings().filter(|f| f.suppressed.is_none()).map(said).collect();
    let baseline = Baseline::of(findings());
    news.extend(suppressor.findings("", "", Ran::EveryRule).into_iter().map(|f| f.message));
    (baseline, news)
}

/// Whether a baseline of the listing in the file covers it in any order; `None` where the file has no list.
fn holds(what: &str, text: &str, options: &Options, orders: u32) -> Option<()> {
    let mut root: Value = serde_json::from_str(text).ok()?;
    let tools = tools_of(&mut root)?.clone();
    Input::of_document(source::parse("tools.json", root.to_string().into_bytes()).ok()?).ok()?;
    let (baseline, _) = news(&root.to_string(), None, options);
    let runner = &mut TestRunner::deterministic();
    let mut in_order = |order: Vec<Value>| {
        *tools_of(&mut root).unwrap() = order;
        let (_, news) = news(&root.to_string(), Some(&baseline), options);
        assert!(news.is_empty(), "{what}: in another order, {news:#?}");
    };
    in_order(tools.iter().rev().cloned().collect());
    for _ in 0..orders {
        let shuffled = Just(tools.clone()).prop_shuffle();
        in_order(shuffled.new_tree(runner).unwrap().current());
    }
    Some(())
}

fn options() -> Options {
    let mut profiles = Profiles::default();
    profiles.add("all").unwrap();
    Options { clients: profiles.clients, ..Options::default() }
}

fn files_below(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files_below(&path, out);
        } else if path.extension().is_some_and(|e| e == "json") {
            out.push(path);
        }
    }
}

#[test]
fn a_baseline_covers_its_listing_in_any_order() {
    let options = options();
    let mut files = Vec::new();
    files_below(&fixture(""), &mut files);
    let texts = files.iter().filter_map(|p| Some((p.display().to_string(), fs::read_to_string(p).ok()?)));
    let tried = texts.filter_map(|(name, text)| holds(&name, &text, &options, 4)).count();
    assert!(tried >= 5, "{tried} fixtures hold a list of tools");
    let examples = rules::core().map(|r| (r.info().id, r.examples().0));
    let tried = examples.filter_map(|(id, text)| holds(id, &text, &options, 4)).count();
    assert!(tried >= 6, "{tried} examples hold a list of tools");
}

#[test]
fn tools_without_names_and_with_one_name_are_told_apart_by_their_number() {
    let one = r#"{"tools": [{"description": "a"}, {"name": "b", "inputSchema": {"type": "object"}}]}"#;
    let two = r#"{"tools": [{"description": "a"}, {"description": "c"}, {"name": "b", "inputSchema": {"type": "object"}}]}"#;
    let options = Options { only: ["MCP-TOOL-NAME-MISSING"].into(), ..Options::default() };
    let (known, _) = news(one, None, &options);
    let (both, new) = news(two, Some(&known), &options);
    assert_eq!((known.len(), new.len(), both.len()), (1, 1, 1), "{new:?}");
    let twins = r#"{"tools": [{"name": "a"}, {"name": "a", "title": "x"}, {"name": "a", "title": "y"}, {"name": "b"}]}"#;
    holds("twins", twins, &self::options(), 8).unwrap();
}

#[test]
fn corpus_baselines_cover_their_listings_in_any_order() {
    let Some(corpus) = shared("corpus") else { return };
    let mut files = Vec::new();
    files_below(&corpus, &mut files);
    let options = options();
    let mut tried = 0;
    for path in files.iter().step_by(12) {
        let text = fs::read_to_string(path).unwrap();
        if text.len() < 150_000 {
            tried += holds(&path.display().to_string(), &text, &options, 1).map_or(0, |()| 1);
        }
    }
    assert!(tried > 30, "{tried}");
}
