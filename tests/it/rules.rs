//! The rules as a product: texts, docs, ids.

mod crosstalk;

use crate::support::verity;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use verity::rules::{self, page};
use verity::{manifest, profile, source};

fn infos() -> Vec<&'static rules::RuleInfo> {
    rules::core().map(|r| r.info()).collect()
}

fn repo(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn ids_are_unique_and_well_formed() {
    let mut seen = BTreeSet::new();
    for info in rules::all().map(|r| r.info()) {
        assert!(seen.insert(info.id), "{} is registered twice", info.id);
        let parts: Vec<_> = info.id.split('-').collect();
        let upper =
            |p: &&str| !p.is_empty() && p.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
        assert!(
            parts.len() >= 3 && parts[0] == "MCP" && parts.iter().all(upper),
            "{}: MCP-<FAMILY>-<NAME>",
            info.id
        );
    }
}

#[test]
fn every_rule_has_its_texts() {
    for rule in rules::core() {
        let (info, (bad, good)) = (rule.info(), rule.examples());
        let id = info.id;
        for (what, text) in [("summary", info.summary), ("help", info.help)] {
            assert!(text.trim() == text && !text.is_empty(), "{id}: {what} is empty or has outer blanks");
            assert!(
                !text.ends_with('.') && !text.contains('\n'),
                "{id}: {what} is one line without a full stop"
            );
        }
        assert!(info.summary.len() <= 120, "{id}: a summary has one short line");
        assert!(info.rationale.len() > 80, "{id}: the rationale teaches nothing");
        assert!(!info.sources.is_empty(), "{id}: where does the rule come from?");
        for (what, example) in [("bad", &bad), ("good", &good)] {
            assert!(!example.trim().is_empty(), "{id}: no {what} example");
            let read =
                source::parse("tools.json", example.as_bytes().to_vec()).and_then(|d| manifest::read(&d));
            assert!(read.is_ok(), "{id}: {what} is no manifest: {}", read.unwrap_err());
        }
        assert_ne!(bad, good, "{id}: one example for both");
    }
}

/// A file below `src/rules/<family>/` that holds a rule must be in its family's `RULES`.
#[test]
fn every_rule_file_is_registered() {
    let known: BTreeSet<&str> = infos().iter().map(|i| i.id).collect();
    let mut ids = 0;
    for family in fs::read_dir(repo("src/rules")).unwrap() {
        let family = family.unwrap().path();
        if !family.is_dir() {
            continue;
        }
        for file in fs::read_dir(&family).unwrap() {
            let file = file.unwrap().path();
            // What several rules share lies in folders of its own.
            if file.is_dir() {
                continue;
            }
            let text = fs::read_to_string(&file).unwrap();
            for rest in text.split("id: \"MCP-").skip(1) {
                let id = format!("MCP-{}", rest.split('"').next().unwrap());
                assert!(known.contains(id.as_str()), "{id} of {} is not registered", file.display());
                ids += 1;
            }
        }
    }
    assert_eq!(ids, known.len(), "a rule's id is written out in its file");
}

/// `docs/rules/` is written from the rules' texts. `VERITY_UPDATE_DOCS=1 cargo test docs_` rewrites it.
#[test]
fn docs_say_what_the_rules_say() {
    let mut wanted: Vec<(String, String)> = infos()
        .into_iter()
        .chain(rules::config::RULES.iter().map(|r| r.info()))
        .chain(rules::diff::RULES.iter().map(|r| r.info()))
        .chain(rules::probe::RULES.iter().map(|r| r.info()))
        .map(|i| (format!("{}.md", i.id), page::page(i)))
        .collect();
    wanted.push(("README.md".to_string(), page::index()));
    check_pages("docs/rules", &wanted);
}

/// As for the rules: `docs/profiles/` comes from the profiles' data.
#[test]
fn docs_say_what_the_profiles_say() {
    let mut wanted: Vec<(String, String)> =
        profile::clients().iter().map(|p| (format!("{}.md", p.name), page::profile(p))).collect();
    wanted.push(("README.md".to_string(), page::profiles()));
    check_pages("docs/profiles", &wanted);
}

fn check_pages(folder: &str, wanted: &[(String, String)]) {
    let path = repo(folder);
    let names: BTreeSet<&str> = wanted.iter().map(|(name, _)| name.as_str()).collect();
    let there: Vec<PathBuf> =
        fs::read_dir(&path).map_or_else(|_| Vec::new(), |d| d.map(|f| f.unwrap().path()).collect());
    let stray = |p: &&PathBuf| !names.contains(p.file_name().unwrap().to_str().unwrap());
    if std::env::var_os("VERITY_UPDATE_DOCS").is_some() {
        fs::create_dir_all(&path).unwrap();
        there.iter().filter(stray).for_each(|p| fs::remove_file(p).unwrap());
        for (name, text) in wanted {
            fs::write(path.join(name), text).unwrap();
        }
    }
    let hint = "run VERITY_UPDATE_DOCS=1 cargo test docs_";
    for (name, text) in wanted {
        let found = fs::read_to_string(path.join(name)).unwrap_or_default();
        assert!(found.replace("\r\n", "\n") == *text, "{folder}/{name} is not what the source says: {hint}");
    }
    let strays: Vec<_> =
        fs::read_dir(&path).unwrap().map(|f| f.unwrap().path()).filter(|p| stray(&p)).collect();
    assert!(strays.is_empty(), "nothing has these pages: {strays:?}: {hint}");
}

#[test]
fn the_list_as_json_has_every_rule() {
    let out = verity().args(["rules", "--format", "json"]).assert().success().get_output().stdout.clone();
    let list: Value = serde_json::from_slice(&out).unwrap();
    let listed: Vec<&str> =
        list["rules"].as_array().unwrap().iter().map(|r| r["id"].as_str().unwrap()).collect();
    assert_eq!(listed, rules::all().map(|r| r.info().id).collect::<Vec<_>>());
    let invalid = list["rules"].as_array().unwrap().iter().find(|r| r["id"] == "MCP-TOOL-INVALID").unwrap();
    for (key, value) in
        [("severity", "error"), ("confidence", "high"), ("impact", "server"), ("family", "TOOL")]
    {
        assert_eq!(invalid[key], value, "{key}");
    }
}

#[test]
fn explain_takes_any_case_and_says_what_was_meant() {
    let page = verity().args(["explain", "mcp-tool-invalid"]).assert().success().get_output().stdout.clone();
    let page = String::from_utf8(page).unwrap();
    assert!(page.starts_with("MCP-TOOL-INVALID\n"), "{page}");
    assert!(page.contains("\"get_weather\"") && page.contains("What to do"), "{page}");
    let slip = verity().args(["explain", "MCP-TOOL-INVLAID"]).assert().code(2).get_output().stderr.clone();
    assert!(String::from_utf8(slip).unwrap().contains("did you mean `MCP-TOOL-INVALID`?"));
}
