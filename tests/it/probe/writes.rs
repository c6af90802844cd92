//! Tools that may change something are called as often as the user allows. (Over HTTP: see `live::busy`.)

use super::answers::{look_up, probe, says};
use serde_json::{Value, json};

/// A server that lists `wipe` once for each of these, as an entry that says of itself whether it only reads.
fn server(read_only: &[bool]) -> Value {
    let entry = |hint: &bool| look_up(&json!({"name": "wipe", "annotations": {"readOnlyHint": hint}}));
    says(&json!({"tools": read_only.iter().map(entry).collect::<Vec<_>>()}))
}

#[test]
fn a_name_that_is_listed_twice_reads_only_if_every_entry_says_so() {
    for entries in [[true, false], [false, true]] {
        let run = probe(&server(&entries), &[]);
        assert_eq!((run.calls.len(), run.code), (0, Some(2)), "{entries:?}: {}", run.err);
        let notes = run.report["checks"].as_array().unwrap().iter().filter_map(|c| c["note"].as_str());
        assert!(notes.filter(|note| note.contains("(--allow-writes wipe)")).count() == 2, "{}", run.report);
    }
    assert!(probe(&server(&[true, true]), &[]).calls.len() > 2);
}

#[test]
fn what_is_allowed_is_allowed_of_a_name() {
    for (flag, made) in [("wipe", 1), ("wipe=3", 3)] {
        for entries in [&[false, false][..], &[true, false], &[false, true], &[false]] {
            let run = probe(&server(entries), &["--allow-writes", flag]);
            assert_eq!(run.calls.len(), made, "{flag} {entries:?}");
        }
    }
    let run = probe(&server(&[false]), &["--allow-writes", "wipe"]);
    let spent = "it may not be called more often (--allow-writes)";
    assert_eq!(run.check(Some("wipe"), "answers"), ("satisfied", ""));
    for kind in ["repeatable", "arguments-matter", "refuses-invalid"] {
        assert_eq!(run.check(Some("wipe"), kind), ("exempt", spent), "{kind}");
    }
}
