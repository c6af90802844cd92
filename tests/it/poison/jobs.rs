//! A tool's name is no licence: an SSH tool uses a key, but has nobody read it out, and "SSH weather" is no SSH tool. Nor is it
//! a crime: a tool for hosts reads `~/.ssh/config`.

use super::blocking;
use serde_json::Value;

#[test]
fn a_word_in_the_name_does_not_excuse_what_is_handed_over() {
    let wrong: Vec<String> = include_str!("jobs.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|entry| blocking(&entry["tool"]).is_empty() == (entry["label"] == "attack"))
        .map(|entry| format!("{} {}", entry["label"], entry["tool"]))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
