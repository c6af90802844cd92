//! Every document that we write is read as what was meant, by PyYAML and by js-yaml.

use super::readers::{as_javascript, from_javascript, js_yaml, pyyaml, same};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};

/// Texts that YAML readers are known to take for something else, or to lose.
const HOSTILE: &[&str] = &[
    "on",
    "off",
    "yes",
    "no",
    "y",
    "n",
    "Y",
    "N",
    "true",
    "TRUE",
    "null",
    "Null",
    "~",
    "",
    " ",
    "2024-01-01",
    "2024-01-01T00:00:00Z",
    "2024-01-01 10:00:00",
    "1:30",
    "1:30.5",
    "190:20:30",
    "012",
    "0o14",
    "08",
    "1_000",
    "1_0.5",
    "0x1F",
    "0b101",
    "1e5",
    "1e+5",
    "1.0e5",
    "1.e5",
    "1.",
    ".5",
    "+1",
    "-1",
    ".inf",
    "-.inf",
    ".nan",
    "=",
    "<<",
    "-",
    "- a",
    "?",
    "? a",
    ":",
    ": a",
    "a: b",
    "a:",
    "a :b",
    "# c",
    "a # c",
    "a#c",
    "!tag",
    "!!str x",
    "&a",
    "*a",
    "%x",
    "%YAML 1.1",
    "@x",
    "`x",
    "|",
    ">",
    "|-",
    "> x",
    "'",
    "''",
    "\"",
    "\"\"",
    "'a",
    "\"a",
    "a'b\"c",
    "{",
    "}",
    "[",
    "]",
    "{}",
    "[]",
    "{a: 1}",
    "[a]",
    ",",
    "a, b",
    "---",
    "--- a",
    "...",
    "...\n",
    "  lead",
    "trail  ",
    "tab\t",
    "\ttab",
    "nl\n",
    "\nnl",
    "a\nb",
    "a\nb\n",
    "a\n\nb\n",
    " a\n b\n",
    "a\n b\n",
    "a\n\tb\n",
    "a\r\nb\r\n",
    "a\rb",
    "\n",
    "\n\n",
    "a \nb\n",
    "- a\n- b\n",
    "a: b\nc: d\n",
    "# a\nb\n",
    "---\na\n",
    "...\na\n",
    "%a\nb\n",
    "\\",
    "\\n",
    "\\u0041",
    "a\\",
    "\u{0}",
    "\u{7}",
    "\u{1b}[31m",
    "\u{7f}",
    "\u{80}",
    "\u{85}",
    "a\u{85}b",
    "\u{9f}",
    "\u{a0}",
    "\u{a0}a\u{a0}",
    "\u{ad}",
    "\u{2028}",
    "a\u{2028}b",
    "\u{2029}",
    "\u{feff}",
    "\u{feff}b",
    "b\u{feff}",
    "\u{fffd}",
    "\u{fffe}",
    "\u{ffff}",
    "\u{1f600}",
    "a\u{1f600}\n\u{1f600}\n",
    "\u{1fffe}",
    "\u{10ffff}",
    "\u{e000}",
    "e\u{301}",
    "\u{202e}abc",
    "検索",
    "ü",
    "__proto__",
    "constructor",
    "toString",
    "0",
    "1",
    "-0",
    "4294967295",
    "9007199254740993",
];

fn numbers() -> Vec<Value> {
    let floats = [
        1e16,
        1e5,
        -0.0,
        0.0,
        5e-324,
        1e308,
        f64::MAX,
        f64::MIN_POSITIVE,
        1.0,
        -1.0,
        0.1,
        1e21,
        1e22,
        1e-7,
        123_456_789.5,
        100.0,
    ];
    let integers = [0, 1, -1, 9_007_199_254_740_993, i64::MAX, i64::MIN, 1_000_000_000_000_000_000];
    let mut all: Vec<Value> = floats.into_iter().map(Value::from).collect();
    all.extend(integers.into_iter().map(Value::from));
    all.push(Value::from(u64::MAX));
    all
}

fn documents() -> Vec<Value> {
    let mut docs = Vec::new();
    for text in HOSTILE {
        docs.push(json!({ "v": text }));
        docs.push(json!({ *text: text }));
        docs.push(json!({ *text: { *text: [text, { *text: [] }, [[text], {}]] } }));
    }
    docs.push(json!({ "numbers": numbers(), "nested": [[numbers()], { "n": numbers() }] }));
    docs.push(json!({"empty": [{}, [], [[]], [{}], {"a": {}}, {"b": []}, "", null]}));
    docs.push(json!([]));
    docs.push(json!({}));
    for n in [120, 1000, 1022, 1023, 1024, 1025, 2000] {
        docs.push(json!({ "k".repeat(n): 1, "outer": { "ü".repeat(n): { "x ".repeat(n): [1] } } }));
        docs.push(json!([{ "\u{1f600}".repeat(n): "v" }, { "\u{85}".repeat(n): "v" }]));
        docs.push(json!({ "v": "word ".repeat(n), "lines": format!("{}\nb\n", "word".repeat(n)) }));
    }
    // js-yaml stops at 100 levels; serde_json, which reads the scripts' output here, at 128, and a map
    // is printed as three.
    let (mut maps, mut lists) = (json!("leaf"), json!("leaf"));
    for _ in 0..38 {
        maps = json!({ "k": maps });
    }
    for _ in 0..95 {
        lists = json!([lists]);
    }
    docs.push(json!({ "maps": maps }));
    docs.push(json!({ "lists": lists }));
    docs
}

fn json_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        proptest::sample::select(HOSTILE).prop_map(str::to_string),
        ".{0,12}",
        "[ \\-:#,\\[\\]{}&*!|>'\"%@`\n\ta0.~]{0,8}",
        "(\\PC{0,6}\n){1,3}",
    ]
    .boxed();
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        proptest::num::f64::NORMAL.prop_map(Value::from),
        proptest::sample::select(numbers()),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((text.clone(), inner), 0..5)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

#[test]
fn both_readers_read_what_was_meant() {
    let mut docs = documents();
    let mut runner =
        TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    docs.extend((0..600).map(|_| json_value().new_tree(&mut runner).unwrap().current()));
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<_> = (0..docs.len()).map(|i| folder.path().join(format!("{i}.yaml"))).collect();
    for (doc, file) in docs.iter().zip(&files) {
        std::fs::write(file, verity::yaml::write(doc).unwrap()).unwrap();
    }
    let mut lost = Vec::new();
    for (doc, file) in docs.iter().zip(&files) {
        let read = verity::yaml::read(&std::fs::read_to_string(file).unwrap());
        match read {
            Ok(read) if same(doc, &read.value) => {}
            other => lost.push(format!("verity: {doc} became {other:?}")),
        }
    }
    for (doc, read) in docs.iter().zip(pyyaml(&files).unwrap_or_default()) {
        if !same(doc, &read) {
            lost.push(format!("PyYAML: {doc} became {read}"));
        }
    }
    for (doc, read) in docs.iter().zip(js_yaml(&files).unwrap_or_default()) {
        if as_javascript(doc) != from_javascript(&read) {
            lost.push(format!("js-yaml: {doc} became {read}"));
        }
    }
    assert!(lost.is_empty(), "{} of {} documents lost:\n{}", lost.len(), docs.len(), shown(&lost));
}

fn shown(lost: &[String]) -> String {
    lost.iter().take(30).map(|l| l.chars().take(400).collect::<String>()).collect::<Vec<_>>().join("\n")
}
