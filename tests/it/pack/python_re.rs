//! The model of Python's `re` against Python's `re`.

use super::readers::{python, python_has};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use verity::schema::grader::pattern::{Pattern, Refused};

/// Pieces that make patterns with meaning, and with mistakes.
const PIECES: &[&str] = &[
    "a", "b", "ab", "-", ".", "^", "$", "|", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{,2}", "{2,}",
    "{", "}", "(", ")", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?P<n>", "(?P=n)", "\\1", "\\2", "\\d", "\\D",
    "\\w", "\\W", "\\s", "\\S", "\\b", "\\B", "\\A", "\\Z", "\\.", "\\/", "\\-", "\\n", "\\t", "\\x41",
    "\\u0062", "\\p{L}", "\\k", "\\0", "\\07", "\\101", "[", "]", "[ab]", "[^a]", "[a-c]", "[\\d_]",
    "[\\w.-]", "[]a]", "[^]]", "[a-]", "[-a]", "[b-a]", "[\\d-z]", "é", "٣", " ", "(?i)", "(?i:", "(?s:",
    "(?#x)", "(?-i:", "1", "_", "\\\\", "&&", "~", "[[]",
];

const TEXTS: &[&str] = &[
    "", "a", "b", "ab", "ba", "aab", "abab", "aaa", "a\n", "\n", "a\nb", "1", "12", "٣", "é", "e\u{301}",
    "_", "-", "a-b", ".", "a.b", " ", "\u{1c}", "\u{feff}", "\u{a0}", "]", "[", "^", "{2}", "a{2}", "{", "/",
    "\\", "A", "AB", "\t", "aé", "b1_", "x", "(", "&", "~", "\r", "\u{2028}", "n", "p{L}",
];

fn check(patterns: &[String]) -> (usize, usize, Vec<String>) {
    let lines: String = patterns.iter().map(|p| format!("{}\n", json!([p, TEXTS]))).collect();
    let answers = python("python_re.py", &lines);
    let (mut modelled, mut accepted, mut wrong) = (0, 0, Vec::new());
    for (pattern, answer) in patterns.iter().zip(answers.lines()) {
        let answer: Value = serde_json::from_str(answer).unwrap();
        accepted += usize::from(!answer.is_null());
        match (Pattern::new(pattern), answer) {
            (Err(Refused::ByPython(_)), Value::Null) => modelled += 1,
            (Err(Refused::ByPython(why)), _) => {
                wrong.push(format!("{pattern}: Python takes it; we say {why}"))
            }
            (Err(Refused::NotModelled(_)), _) => {}
            (Ok(_), Value::Null) => wrong.push(format!("{pattern}: Python refuses it")),
            (Ok(compiled), answer) => {
                modelled += 1;
                for (text, found) in TEXTS.iter().zip(answer.as_array().unwrap()) {
                    if compiled.search(text).is_some_and(|ours| ours != found.as_bool().unwrap()) {
                        wrong.push(format!("{pattern} in {text:?}: Python says {found}"));
                    }
                }
            }
        }
    }
    (modelled, accepted, wrong)
}

#[test]
fn patterns_mean_what_python_says() {
    if !python_has("re, json") {
        return;
    }
    let pieces = prop::collection::vec(proptest::sample::select(PIECES), 1..8).prop_map(|p| p.concat());
    let mut runner =
        TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let patterns: Vec<String> =
        (0..20_000).map(|_| pieces.new_tree(&mut runner).unwrap().current()).collect();
    let (modelled, accepted, wrong) = check(&patterns);
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.iter().take(20).cloned().collect::<Vec<_>>().join("\n")
    );
    assert!(
        modelled > patterns.len() * 9 / 10 && accepted > patterns.len() / 10,
        "{modelled} modelled, {accepted} accepted"
    );
}
