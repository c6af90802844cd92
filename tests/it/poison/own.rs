//! Whole listings that were written for this purpose (`own.jsonl`): attacks as their authors would put them, and honest tools in
//! the same words. The weights were fitted on them, so the figures say what must not get lost, not what to expect elsewhere.

use serde_json::Value;
use verity::finding::Severity;
use verity::{manifest, rules, source};

/// How many are reported at warning or error, of how many.
fn reported(label: &str) -> (usize, usize) {
    let (mut hits, mut all) = (0, 0);
    for line in include_str!("own.jsonl").lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        if entry["label"] != label {
            continue;
        }
        let bytes = serde_json::to_vec(&entry["manifest"]).unwrap();
        let document = source::parse("own.json", bytes).unwrap();
        let loud = manifest::read(&document).unwrap().iter().any(|listing| {
            let poison = rules::all().filter(|rule| rule.info().family() == "POISON");
            rules::run_rules(listing, poison).iter().any(|f| f.severity >= Severity::Warning)
        });
        hits += usize::from(loud);
        all += 1;
    }
    (hits, all)
}

#[test]
fn most_attacks_of_our_own_are_reported_and_few_honest_tools() {
    let (attacks, all_attacks) = reported("attack");
    assert!(attacks * 100 >= all_attacks * 60, "{attacks} of {all_attacks} attacks");
    let (honest, all_honest) = reported("honest");
    assert!(honest * 100 <= all_honest * 5, "{honest} of {all_honest} honest listings");
}
