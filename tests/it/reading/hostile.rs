//! Inputs made to hurt: one clear message each, in little time.

use crate::support::verity;
use serde_json::Value;
use std::fs;
use std::path::Path;
use verity::error::{ErrorCode, InputError};
use verity::finding::Part;
use verity::{manifest, source};

fn error(bytes: impl Into<Vec<u8>>) -> InputError {
    match source::parse("x.json", bytes.into()) {
        Err(e) => e,
        Ok(document) => manifest::read(&document).unwrap_err(),
    }
}

fn place(e: &InputError) -> (ErrorCode, Option<usize>, Option<usize>) {
    (e.code, e.line, e.column)
}

#[test]
fn cut_off_json_has_a_place() {
    let text = "{\"tools\": [\n  {\"name\": \"é\", \"inputSchema\": {";
    assert_eq!(place(&error(text)), (ErrorCode::NotJson, Some(2), Some(33)));
    assert_eq!(place(&error("{\"tools\": [{\"name\": \"abc")), (ErrorCode::NotJson, Some(1), Some(25)));
    assert_eq!(place(&error("")), (ErrorCode::NotJson, Some(1), Some(1)));
}

#[test]
fn nesting_is_bounded() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{{\"tools\": {}1{}}}", open.repeat(100_000), close.repeat(100_000));
        let e = error(deep);
        assert_eq!(e.code, ErrorCode::TooLarge);
        assert!(e.message.contains("levels deep") && e.column.is_some(), "{e}");
    }
    // So deep that the paths alone would fill the memory: the depth is what is wrong all the same.
    let e = error(format!("{}1{}", "{\"properties\":".repeat(100_000), "}".repeat(100_000)));
    assert!(e.message.contains("levels deep"), "{e}");
    // Level 128 is opened by the 128th brace; each of the 127 before it stands with its key in 14 columns.
    assert_eq!(place(&e), (ErrorCode::TooLarge, Some(1), Some(127 * 14 + 1)));
    // 127 levels are read
    let schema = format!("{}{{}}{}", "{\"items\":".repeat(120), "}".repeat(120));
    let text = format!("{{\"tools\": [{{\"name\": \"a\", \"inputSchema\": {schema}}}]}}");
    let document = source::parse("x", text.into_bytes()).unwrap();
    let manifest = &manifest::read(&document).unwrap()[0];
    let deepest = format!("/tools/0/inputSchema{}", "/items".repeat(120));
    let span = manifest.locate(&document, &deepest, &Part::Value).unwrap();
    assert_eq!(span.length, 2);
}

#[test]
fn more_values_than_memory_has_room_for() {
    // 20 MB of text that would take gigabytes as values
    for text in [
        format!("{{\"tools\": [{}0]}}", "0,".repeat(10_000_000)),
        format!("{{\"tools\": [{}{{}}]}}", "{\"a\":1},".repeat(2_500_000)),
    ] {
        let e = error(text);
        assert_eq!(e.code, ErrorCode::TooLarge, "{e}");
    }
}

#[test]
fn long_keys_that_nest() {
    let key = "k".repeat(20_000);
    let text = format!("{{\"{key}\": {{\"{key}\": {{\"{key}\": [{}1]}}}}}}", "1,".repeat(20_000));
    let e = error(text);
    assert_eq!(e.code, ErrorCode::TooLarge, "{e}");
    assert!(e.message.contains("long keys"), "{e}");
}

#[test]
fn too_many_tools() {
    let tools = "{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"}},".repeat(50_000);
    let e = error(format!("[{}]", tools.trim_end_matches(',')));
    assert_eq!(e.code, ErrorCode::TooLarge);
    assert!(e.message.contains("50000") && e.message.contains("10000"), "{e}");
}

#[test]
fn one_bad_tool_costs_the_others_nothing() {
    let text = r#"{"tools": [null, "x", 3, [], {"name": null}, {"name": 7, "inputSchema": []}, {},
        {"name": "good", "description": null, "inputSchema": {"type": "object"}}]}"#;
    let document = source::parse("x", text.as_bytes().to_vec()).unwrap();
    let manifest = &manifest::read(&document).unwrap()[0];
    assert_eq!(manifest.tools.len(), 8);
    assert_eq!(manifest.tools[7].name(), Some("good"));
    let whole: Value = serde_json::from_str(text).unwrap();
    for (i, tool) in manifest.tools.iter().enumerate() {
        assert_eq!(tool.value, whole["tools"][i]);
    }
}

/// Thousands of places in one line of 2 MB: each is looked up in an index, not by reading the line.
#[test]
fn places_in_a_long_line_are_cheap() {
    let tool = |i: usize| {
        format!(
            "{{\"name\":\"t{i}\",\"description\":\"{}\\n\",\"inputSchema\":{{\"type\":\"object\"}}}}",
            "é".repeat(80)
        )
    };
    let tools: Vec<String> = (0..9000).map(tool).collect();
    let text = format!("{{\"tools\":[{}]}}", tools.join(","));
    assert!(text.len() > 2_000_000 && !text.contains('\n'));
    let document = source::parse("x", text.clone().into_bytes()).unwrap();
    let manifest = &manifest::read(&document).unwrap()[0];
    let mut last = 0;
    for i in 0..9000 {
        for below in ["/name", "/description", "/inputSchema/type"] {
            let span = manifest.locate(&document, &format!("/tools/{i}{below}"), &Part::Range(2..2)).unwrap();
            assert!(span.offset > last && span.line == 1);
            last = span.offset;
        }
    }
}

/// The same in one string of 3 MB with escapes.
#[test]
fn places_in_a_long_string_are_cheap() {
    let text = format!(
        "[{{\"name\":\"a\",\"description\":\"{}\",\"inputSchema\":{{}}}}]",
        "\\u00e9x".repeat(400_000)
    );
    let document = source::parse("x", text.into_bytes()).unwrap();
    let manifest = &manifest::read(&document).unwrap()[0];
    for i in (0..400_000).step_by(400) {
        let span =
            manifest.locate(&document, "/tools/0/description", &Part::Range(3 * i..3 * i + 2)).unwrap();
        assert_eq!((span.offset, span.length), (28 + 7 * i, 6));
    }
}

#[test]
fn what_is_no_listing_is_said() {
    for (text, part) in [
        (r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#, "JSON Schema"),
        (r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {}}"#, "JSON Schema"),
        (r#"{"openapi": "3.1.0", "info": {}, "paths": {}}"#, "OpenAPI"),
        (r#"{"name": "x", "version": "1.0.0", "dependencies": {}}"#, "package.json"),
        (r#"{"compilerOptions": {"strict": true}}"#, "tsconfig"),
        (r#"{"version": "2.1.0", "runs": []}"#, "SARIF"),
        (r#"["read", "write"]"#, "array of strings"),
        (r#"{"name": "agent", "tools": ["Read", "Write"]}"#, "without defining"),
        ("3", "single JSON number"),
        ("\"text\"", "single JSON string"),
        ("[]", "empty array"),
        ("{}", "empty object"),
        ("[1, 2]", "array of numbers"),
        (r#"{"tools": null}"#, "`tools` is null"),
        (r#"{"prompts": [{"name": "a"}]}"#, "listing of prompts"),
        (r#"[{"name": "a", "arguments": []}]"#, "listing of prompts"),
        (r#"{"content": [{"type": "text", "text": "x"}]}"#, "tool call"),
        (r#"{"jsonrpc": "2.0", "id": 1, "result": {"content": []}}"#, "none of them is a listing"),
        (r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#, "no answer"),
        (r#"{"mcpServers": {}}"#, "configuration of a client"),
        (r#"{"mcpServers": {"a b'c": {"command": "x"}}}"#, "configuration of a client"),
        (r#"{"tools": [{"type": "web_search"}, {"type": "file_search"}]}"#, "hosts"),
        (r#"{"version": 1, "tools": {"a": {"hash": "sha256:00"}}}"#, "digests of tools (a)"),
    ] {
        let e = error(text);
        assert!(e.message.contains(part), "{text}: {e}");
        assert!(matches!(e.code, ErrorCode::NotAManifest | ErrorCode::NoTools), "{text}: {e:?}");
        assert!(e.help.is_some() || e.code == ErrorCode::NoTools, "{text}: what is to be done?");
    }
}

/// Files that are none, through the binary: exit code 2 and a message that names the file.
#[cfg(unix)]
#[test]
fn files_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let make = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    make("empty.json", b"");
    make("binary.json", &[0, 159, 146, 150, 0, 1, 2]);
    make("gzip.json", b"\x1f\x8b\x08\x00garbage");
    fs::create_dir(folder.path().join("folder")).unwrap();
    let sparse = fs::File::create(folder.path().join("huge.json")).unwrap();
    sparse.set_len(1 << 30).unwrap();
    for (name, part) in [
        ("empty.json", "empty"),
        ("binary.json", "binary"),
        ("gzip.json", "gzip"),
        ("folder", "no *.json"),
        ("huge.json", "32 MiB"),
        ("missing.json", "no such file"),
        ("/dev/zero", "32 MiB"),
        ("/dev/null", "empty"),
    ] {
        let path =
            if name.starts_with('/') { Path::new(name).to_path_buf() } else { folder.path().join(name) };
        let out = verity().arg("lint").arg(&path).assert().code(2).get_output().clone();
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(said.contains(part) && said.contains(path.to_str().unwrap()), "{name}: {said}");
        assert!(said.lines().count() <= 3, "one clear message: {said}");
    }
}
