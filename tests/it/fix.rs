//! `verity lint --fix`: what it changes means what it meant, and nothing else changes.

use crate::support::{shared, verity};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use verity::fix::{self, Fixed};
use verity::lint::{self, Options};
use verity::manifest::Input;
use verity::profile::Profiles;
use verity::rules::{self, fix::FixKind};
use verity::schema::Dialect;
use verity::schema::judge::{Algebra, Formats, Proof};
use verity::source;

fn options() -> Options {
    let mut profiles = Profiles::default();
    profiles.add("all").unwrap();
    Options { clients: profiles.clients, ..Options::default() }
}

fn read(path: &str, bytes: &[u8]) -> Option<Input> {
    Input::of_document(source::parse(path, bytes.to_vec()).ok()?).ok()
}

fn fixed(input: Input, options: &Options) -> Fixed {
    let linted = lint::inputs(vec![input.clone()], options).remove(0).unwrap();
    fix::input(input, &linted, options)
}

/// Whether each accepts what the other one accepts.
fn is_equal(old: &Value, new: &Value) -> bool {
    let (a, b) = (Dialect::of(old), Dialect::of(new));
    let set = |schema: &Value, dialect| Algebra::of(schema, dialect, Formats::Annotate).unwrap();
    let (old, new) = (set(old, a), set(new, b));
    a == b && old.covers(&new) == Proof::Yes && new.covers(&old) == Proof::Yes
}

/// All that must be true of a repaired input; how many findings were repaired.
fn check(input: Input, options: &Options, what: &str) -> usize {
    let before = input.clone();
    let done = fixed(input, options);
    let repaired = done.attempts.iter().filter(|a| a.outcome.is_ok()).count();
    assert_eq!(repaired > 0, done.texts.iter().any(Option::is_some), "{what}");
    for attempt in done.attempts.iter().filter(|a| a.outcome.is_ok()) {
        assert!(!attempt.finding.rule.starts_with("MCP-POISON-"), "{what}: {}", attempt.finding.rule);
    }
    if repaired == 0 {
        return 0;
    }
    for (old, new) in before.manifests.iter().zip(&done.input.manifests) {
        assert_eq!(old.tools.len(), new.tools.len(), "{what}");
        for (i, (old, new)) in old.tools.iter().zip(&new.tools).enumerate() {
            for member in ["inputSchema", "outputSchema"] {
                let of = |a: &&fix::Attempt| {
                    a.outcome.is_ok() && a.finding.pointer.starts_with(&format!("/tools/{i}/{member}"))
                };
                let all_equal = done.attempts.iter().filter(of).all(|a| a.fixer.kind == FixKind::Equal);
                let (Some(was), Some(is)) = (old.value.get(member), new.value.get(member)) else { continue };
                if was != is {
                    assert!(
                        done.attempts.iter().any(|a| of(&a)),
                        "{what}: {member} changed without a reason"
                    );
                    assert!(!all_equal || is_equal(was, is), "{what}: {was} → {is}");
                }
            }
            let rest = |tool: &Value| {
                let mut rest = tool.as_object().cloned().unwrap_or_default();
                rest.retain(|k, _| k != "inputSchema" && k != "outputSchema");
                rest
            };
            assert_eq!(rest(&old.value), rest(&new.value), "{what}");
        }
    }
    for (document, text) in before.documents.iter().zip(&done.texts) {
        let Some(text) = text else { continue };
        untouched(&document.text, text, what);
    }
    let again = fixed(done.input, options);
    assert!(again.texts.iter().all(Option::is_none), "{what}: a second run changes something");
    repaired
}

/// Outside the schemas, byte for byte the same: with every schema cut out, both texts are equal.
fn untouched(old: &str, new: &str, what: &str) {
    let outside = |text: &str| {
        let document = source::parse("a.json", text.as_bytes().to_vec()).unwrap();
        let manifests = verity::manifest::read(&document).unwrap();
        let mut spans: Vec<(usize, usize)> = Vec::new();
        for tool in manifests.iter().flat_map(|m| &m.tools) {
            for member in ["/inputSchema", "/outputSchema"] {
                let at = tool.source_pointer(member);
                if let Some(span) = document.locate(tool.origin.segment, &at, &verity::finding::Part::Value) {
                    spans.push((span.offset, span.offset + span.length));
                }
            }
        }
        spans.sort_unstable();
        let (mut rest, mut at) = (String::new(), 0);
        for (start, end) in spans {
            rest.push_str(&text[at..start.max(at)]);
            rest.push('¤');
            at = end.max(at);
        }
        rest + &text[at..]
    };
    assert_eq!(outside(old), outside(new), "{what}");
}

#[test]
fn every_repair_of_a_rule_mends_its_own_example() {
    // What the examples show beside the fault makes a few of them a person's, and so do proofs that fail.
    let (mut mended, mut left) = (0, Vec::new());
    for rule in rules::all().filter(|r| r.fixer().is_some()) {
        let id = rule.info().id;
        let input = read("bad.json", rule.examples().0.as_bytes()).unwrap();
        let only = Options { only: [id].into(), ..options() };
        check(input.clone(), &options(), id);
        let done = fixed(input, &only);
        assert!(!done.attempts.is_empty(), "{id}: its example has no finding");
        let why: Vec<_> = done.attempts.iter().filter_map(|a| a.outcome.clone().err()).collect();
        if why.is_empty() { mended += 1 } else { left.push(format!("{id}: {}", why.join("; "))) }
    }
    eprintln!("{mended} mended; left: {left:#?}");
    assert!(mended >= 10, "{mended} mended; left: {left:#?}");
}

#[test]
fn examples_of_all_rules_keep_their_meaning() {
    for rule in rules::all() {
        let examples = rule.examples();
        for text in [examples.0, examples.1] {
            if let Some(input) = read("example.json", text.as_bytes()) {
                check(input, &options(), rule.info().id);
            }
        }
    }
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|e| e == "json" || e == "jsonl") {
            out.push(path);
        }
    }
}

#[test]
fn the_corpus_keeps_its_meaning() {
    let Some(corpus) = shared("corpus") else { return };
    let mut all = Vec::new();
    files(&corpus, &mut all);
    let (mut read_files, mut repaired) = (0, 0);
    // Every few files: the whole is thousands of tools.
    let every = std::env::var("VERITY_FIX_EVERY").ok().and_then(|n| n.parse().ok()).unwrap_or(23);
    for path in all.iter().step_by(every) {
        let bytes = fs::read(path).unwrap();
        if bytes.len() > 100_000 {
            continue;
        }
        if let Some(input) = read(&path.display().to_string(), &bytes) {
            read_files += 1;
            repaired += check(input, &options(), &path.display().to_string());
        }
    }
    eprintln!("{read_files} files, {repaired} repairs");
    assert!(read_files > 10 && repaired > 0, "{read_files} files, {repaired} repairs");
}

const LISTING: &str = "\u{feff}{\r\n\t\"tools\": [\r\n\t\t{\"name\":\"sort\",   \"description\":\"Sort the list \\u00e9.\",\r\n\t\t \"inputSchema\": {\"type\": \"object\",\r\n\t\t\t\"properties\": {\"order\": {\"type\": \"string\", \"enum\": [\"asc\",  \"desc\", \"asc\"], \"description\": \"The order.\"},\r\n\t\t\t\t\"n\": {\"type\": \"float\", \"description\": \"How many.\", \"required\": true}},\r\n\t\t\t\"additionalProperties\": false}}\r\n\t]\r\n}\r\n";

/// What one repair leaves for another is repaired in the same run: a definition that is written where it is used
/// brings its `const`, its excluded bound and its list of types along.
#[test]
fn repairs_go_on_until_nothing_is_left_to_repair() {
    let text = r##"{"tools": [{"name": "list_posts", "description": "List the posts.", "inputSchema": {"type": "object",
        "properties": {"a": {"$ref": "#/$defs/x", "description": "One."}, "b": {"type": "array", "items": {"$ref": "#/$defs/x"}},
            "c": {"allOf": [{"$ref": "#/$defs/y"}], "description": "How many."}, "d": {"$ref": "#/$defs/z"}},
        "$defs": {"x": {"const": "post"}, "y": {"type": "integer", "exclusiveMinimum": 0},
            "z": {"type": ["string", "null"], "minLength": 1}}}}]}"##;
    let expected = serde_json::json!({"type": "object",
        "properties": {"a": {"type": "string", "enum": ["post"], "description": "One."},
            "b": {"type": "array", "items": {"type": "string", "enum": ["post"]}},
            "c": {"description": "How many.", "type": "integer", "minimum": 1},
            "d": {"anyOf": [{"type": "string", "minLength": 1}, {"type": "null"}]}}});
    let mut profiles = Profiles::default();
    profiles.add("gemini").unwrap();
    let options = Options { clients: profiles.clients, ..Options::default() };
    let done = fixed(read("a.json", text.as_bytes()).unwrap(), &options);
    assert_eq!(done.input.manifests[0].tools[0].value["inputSchema"], expected);
    assert!(done.attempts.iter().all(|a| a.outcome.is_ok()), "{:#?}", done.attempts);
    check(read("a.json", text.as_bytes()).unwrap(), &options, "definitions");
}

#[test]
fn the_command_writes_the_repair_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tools.json");
    fs::write(&path, LISTING).unwrap();
    let run = |args: &[&str]| {
        let out = verity().args(args).current_dir(folder.path()).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
    };
    let (_, diff, said) = run(&["lint", "--fix", "--diff", "tools.json"]);
    assert!(diff.contains("-\t\t\t\"properties\": {\"order\": {\"type\": \"string\", \"enum\": [\"asc\",  \"desc\", \"asc\"]"), "{diff}");
    assert!(
        diff.contains(
            "+\t\t\t\"properties\": {\"order\": {\"type\": \"string\", \"enum\": [\"asc\",  \"desc\"]"
        ),
        "{diff}"
    );
    assert!(said.contains("would fix 3 of "), "{said}");
    assert_eq!(fs::read_to_string(&path).unwrap(), LISTING, "--diff writes nothing");
    let (code, report, said) = run(&["lint", "--fix", "--format", "json", "tools.json"]);
    let expected = LISTING
        .replace("[\"asc\",  \"desc\", \"asc\"]", "[\"asc\",  \"desc\"]")
        .replace(
            "{\"type\": \"float\", \"description\": \"How many.\", \"required\": true}",
            "{\"type\": \"number\", \"description\": \"How many.\"}",
        )
        .replace(
            "\t\t\t\"additionalProperties\": false}",
            "\t\t\t\"additionalProperties\": false,\r\n\t\t\t\"required\": [\"n\"]}",
        );
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    assert_eq!(code, 0, "no error is left: {report}");
    let report: Value = serde_json::from_str(&report).unwrap();
    crate::support::check_schema("lint-report.schema.json", &report);
    let fixed: Vec<_> =
        report["fixes"].as_array().unwrap().iter().filter(|f| f["outcome"] == "fixed").collect();
    assert_eq!(
        (fixed.len(), &fixed[0]["pointer"]),
        (3, &Value::from("/tools/0/inputSchema/properties/order/enum/2"))
    );
    assert!(said.contains("fixed (repair)") && said.contains("fixed (equal)"), "{said}");
    let (_, _, said) = run(&["lint", "--fix", "-q", "tools.json"]);
    assert_eq!(said, "");
    assert_eq!(fs::read_to_string(&path).unwrap(), expected, "a second run changes nothing");
}

#[test]
fn what_cannot_be_written_back_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let utf16: Vec<u8> =
        "\u{feff}".encode_utf16().chain(LISTING[3..].encode_utf16()).flat_map(u16::to_le_bytes).collect();
    fs::write(folder.path().join("wide.json"), &utf16).unwrap();
    let one_line = serde_json::from_str::<Value>(&LISTING[3..]).unwrap().to_string();
    let sse = format!("event: message\ndata: {{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{one_line}}}\n\n");
    fs::write(folder.path().join("events.json"), &sse).unwrap();
    let out = verity()
        .args(["lint", "--fix", "wide.json", "events.json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(said.contains("UTF-16") && said.contains("server-sent events"), "{said}");
    assert!(said.contains("fixed 0 of"), "{said}");
    assert_eq!(out.status.code(), Some(1), "the errors are still there");
    assert_eq!(fs::read(folder.path().join("wide.json")).unwrap(), utf16);
    assert_eq!(fs::read_to_string(folder.path().join("events.json")).unwrap(), sse);
    let out = verity().args(["lint", "--fix", "-"]).write_stdin(LISTING).output().unwrap();
    assert_eq!(out.status.code(), Some(2), "standard input has no place to write to");
    let out = verity().args(["lint", "--fix", "--diff", "--format", "json", "tools.json"]).output().unwrap();
    assert_eq!(out.status.code(), Some(2), "two things on standard output");
}
