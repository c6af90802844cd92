//! Every rule on every rule's examples, and on the fixtures: a false alarm on somebody else's example
//! shows in one snapshot that a person reads.

use crate::support::fixture;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use verity::finding::{Finding, Severity};
use verity::{manifest, rules, source};

/// What all rules say of a manifest, through the same door as a file.
fn lint(name: &str, text: &str) -> Vec<Finding> {
    let document = source::parse(name, text.as_bytes().to_vec()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let manifests = manifest::read(&document).unwrap_or_else(|e| panic!("{name}: {e}"));
    manifests.iter().flat_map(rules::run).collect()
}

/// Most examples have no annotations, to stay short; saying so each time would drown the rest.
const EXPECTED_EVERYWHERE: &str = "MCP-ANNOTATION-ABSENT";

/// `RULE severity` for each, with the number of times, without `own`.
fn tally(findings: &[Finding], own: &str) -> String {
    let mut counts: BTreeMap<(&str, Severity), usize> = BTreeMap::new();
    for finding in findings.iter().filter(|f| f.rule != own && f.rule != EXPECTED_EVERYWHERE) {
        *counts.entry((&finding.rule, finding.severity)).or_default() += 1;
    }
    let mut out = String::new();
    for ((rule, severity), n) in counts {
        let times = if n > 1 { format!(" × {n}") } else { String::new() };
        let _ = writeln!(out, "    {rule} {}{times}", rules::page::severity(severity));
    }
    out
}

#[test]
fn each_rule_fires_on_its_bad_example_and_not_on_its_good_one() {
    for rule in rules::core() {
        let info = rule.info();
        let own = |text: &str| lint(info.id, text).iter().filter(|f| f.rule == info.id).count();
        assert!(own(info.bad) > 0, "{} is quiet on its own bad example", info.id);
        assert_eq!(own(info.good), 0, "{} fires on its own good example", info.id);
    }
}

#[test]
fn the_bad_example_shows_the_usual_severity() {
    for rule in rules::core() {
        let info = rule.info();
        let found = lint(info.id, info.bad);
        let usual = found.iter().any(|f| f.rule == info.id && f.severity == info.severity);
        assert!(usual, "{}: no finding of its bad example is {:?}", info.id, info.severity);
    }
}

/// The snapshot lists what *other* rules say of each example. Reading it: a line under `good` that is more than
/// information is a false alarm until someone has said why not.
#[test]
fn what_other_rules_say_of_each_example() {
    let mut out = String::new();
    for rule in rules::core() {
        let info = rule.info();
        let (bad, good) =
            (tally(&lint(info.id, info.bad), info.id), tally(&lint(info.id, info.good), info.id));
        if bad.is_empty() && good.is_empty() {
            continue;
        }
        let _ = writeln!(out, "{}", info.id);
        for (which, said) in [("bad", bad), ("good", good)] {
            if !said.is_empty() {
                let _ = write!(out, "  {which}:\n{said}");
            }
        }
    }
    insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "../snapshots" }, {
        insta::assert_snapshot!("crosstalk_examples", out);
    });
}

#[test]
fn no_good_example_is_worse_than_information() {
    for rule in rules::core() {
        let info = rule.info();
        let loud: Vec<String> = lint(info.id, info.good)
            .iter()
            .filter(|f| f.severity > Severity::Info)
            .map(|f| format!("{} at {}: {}", f.rule, f.pointer, f.message))
            .collect();
        assert!(loud.is_empty(), "the good example of {} is reported: {loud:#?}", info.id);
    }
}

#[test]
fn what_the_rules_say_of_the_fixtures() {
    let mut files: Vec<_> = fs::read_dir(fixture("mcp")).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    let mut out = String::new();
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "json")) {
        let name = file.file_name().unwrap().to_str().unwrap();
        let _ = writeln!(out, "{name}");
        for finding in lint(name, &fs::read_to_string(file).unwrap()) {
            let severity = rules::page::severity(finding.severity);
            let _ = writeln!(out, "  {severity:<7} {} {}", finding.rule, finding.pointer);
        }
    }
    insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "../snapshots" }, {
        insta::assert_snapshot!("crosstalk_fixtures", out);
    });
}
