//! Recordings that are broken, hostile, or none.

use super::{lines, read};
use crate::support;
use serde_json::{Value, json};
use std::fs;

fn rpc(id: Value, tool: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": {}}})
}

fn done(id: i64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}})
}

/// Line and message of the error.
fn error(text: &str) -> (Option<usize>, String) {
    let e = read(text).unwrap_err();
    assert!(e.path.as_deref() == Some("log"), "{e}");
    (e.line, e.message)
}

#[test]
fn a_log_that_is_cut_off_is_told_with_its_line() {
    let text = lines(&[rpc(json!(1), "a"), done(1), rpc(json!(2), "b")]);
    let (line, message) = error(&text[..text.len() - 9]);
    assert_eq!(line, Some(3));
    assert!(message.contains("cut off"), "{message}");
    let (line, message) = error("{\"messages\": [\n  {\"role\": \"user\",");
    assert_eq!(line, Some(2));
    assert!(message.contains("cut off"), "{message}");
    let (line, message) = error(&format!("{{\"jsonrpc\": \n{}", lines(&[rpc(json!(1), "a"), done(1)])));
    assert_eq!(line, Some(1));
    assert!(message.contains("not a JSON text"), "{message}");
}

#[test]
fn ids_that_tell_nothing_are_errors() {
    let twice = |a: Value, b: Value| error(&lines(&[rpc(a, "a"), rpc(b, "b"), done(1)]));
    assert_eq!(twice(json!(1), json!("1")).0, Some(2), "numbers and texts are compared as texts");
    let (line, message) = error(&lines(&[rpc(json!(1), "a"), done(1), rpc(json!(1), "a")]));
    assert_eq!(line, Some(3));
    assert!(message.contains("used by an earlier"), "{message}");
    let (line, message) = error(&lines(&[rpc(json!(1), "a"), done(1), done(1)]));
    assert_eq!(line, Some(3));
    assert!(message.contains("second"), "{message}");
    let (line, message) = error(&lines(&[rpc(json!(1), "a"), done(2)]));
    assert_eq!(line, Some(2));
    assert!(message.contains("no call before it"), "{message}");
    let orphan = json!({"messages": [{"role": "tool", "tool_call_id": "9", "content": "x"}]});
    assert!(error(&orphan.to_string()).1.contains("no call before it"));
}

#[test]
fn what_is_no_recording_is_said_with_what_was_seen() {
    let said = |text: &str| error(text).1;
    assert!(said("").contains("empty"));
    assert!(said("{\"tools\": [], \"x\": 1}").contains("an object with `tools`, `x`"));
    assert!(said("[[1], 2]").contains("a list of 2, the first of them a list"));
    assert!(said("hello\nworld\n").contains("no JSON was found in 2 lines"));
    assert!(said("\"text\"").contains("string"));
    let help = read("{}").unwrap_err().help.unwrap();
    assert!(help.contains("mcp-jsonrpc") && help.contains("atif"), "{help}");
    assert!(
        read("{\"schema_version\": \"ATIF-v2.0\", \"steps\": []}").unwrap_err().message.contains("ATIF 1.x")
    );
    assert!(read("{\"version\": 9, \"eval\": {}}").unwrap_err().message.contains("version 9"));
    assert!(
        read("{\"results\": {\"version\": 4, \"results\": []}}").unwrap_err().message.contains("version 4")
    );
}

#[test]
fn formats_are_not_mixed() {
    let claude = json!({"type": "user", "session_id": "s", "message": {"role": "user", "content": "x"}});
    let (line, message) = error(&lines(&[rpc(json!(1), "a"), done(1), claude]));
    assert_eq!(line, Some(3));
    assert!(message.contains("claude-stream") && message.contains("mcp-jsonrpc"), "{message}");
}

#[test]
fn a_servers_log_between_the_messages_is_counted() {
    let text = format!("starting up\n{}warning: slow\n{}", lines(&[rpc(json!(1), "a")]), lines(&[done(1)]));
    let trace = read(&text).unwrap();
    assert_eq!((trace.len(), trace.findings[0].kind, trace.findings[0].line), (1, "lines-skipped", 1));
}

#[test]
fn no_bytes_make_it_panic() {
    for bytes in [
        &b"\xff\xfe{"[..],
        b"\x80",
        b"{\"jsonrpc\":",
        b"PK\x03\x04",
        b"PK\x05\x06",
        b"data:",
        b"\xef\xbb\xbf",
    ] {
        assert!(verity::trace::read("log", bytes, &verity::trace::Fixtures::new()).is_err(), "{bytes:?}");
    }
    let deep = format!("{{\"jsonrpc\":\"2.0\",\"x\":{}", "[".repeat(100_000));
    assert!(read(&deep).is_err());
}

/// An archive of stored files.
fn archive(files: &[(&str, &[u8])], method: rawzip::CompressionMethod) -> Vec<u8> {
    use std::io::Write;
    let mut out = Vec::new();
    let mut writer = rawzip::ZipArchiveWriter::new(&mut out);
    for (name, bytes) in files {
        let (mut entry, config) = writer.new_file(name).compression_method(method).start().unwrap();
        let packed = match method {
            rawzip::CompressionMethod::STORE => bytes.to_vec(),
            rawzip::CompressionMethod::DEFLATE => miniz_oxide::deflate::compress_to_vec(bytes, 6),
            _ => ruzstd::encoding::compress_to_vec(*bytes, ruzstd::encoding::CompressionLevel::Fastest),
        };
        // The checksum is that of what is packed.
        let mut sum = config.wrap(std::io::sink());
        sum.write_all(bytes).unwrap();
        let (_, descriptor) = sum.finish().unwrap();
        entry.write_all(&packed).unwrap();
        entry.finish(descriptor).unwrap();
    }
    writer.finish().unwrap();
    out
}

const HEADER: &[u8] = br#"{"version": 2, "eval": {}}"#;

#[test]
fn an_eval_archive_is_read_and_bounded() {
    use rawzip::CompressionMethod as Method;
    let sample = br#"{"id": 1, "messages": [{"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": "f", "arguments": {"n": 1}}]}]}"#;
    let none = verity::trace::Fixtures::new();
    for method in [Method::STORE, Method::DEFLATE, Method::ZSTD] {
        let bytes = archive(&[("header.json", HEADER), ("samples/1_epoch_1.json", sample)], method);
        let trace = verity::trace::read("log", &bytes, &none).unwrap();
        assert_eq!(trace.len(), 1);
        assert_eq!(
            trace.call(0).unwrap().to_json()["source"],
            json!({"file": "samples/1_epoch_1.json", "pointer": "/messages/0/tool_calls/0"})
        );
        // One bit of the data, and the checksum tells.
        let mut broken = bytes.clone();
        let at = broken.windows(8).position(|w| w == b"samples/").unwrap() + 40;
        broken[at] ^= 1;
        assert!(verity::trace::read("log", &broken, &none).is_err(), "{method:?}");
        assert!(verity::trace::read("log", &bytes[..bytes.len() - 30], &none).is_err());
    }
    let bomb = vec![b' '; 70 << 20];
    for method in [Method::DEFLATE, Method::ZSTD] {
        let bytes = archive(&[("header.json", HEADER), ("samples/1_epoch_1.json", &bomb)], method);
        assert!(bytes.len() < 1 << 20);
        let e = verity::trace::read("log", &bytes, &none).unwrap_err();
        assert!(e.message.contains("unpacks to more"), "{e}");
    }
    let other = archive(&[("word/document.xml", b"<x/>")], Method::STORE);
    let e = verity::trace::read("log", &other, &none).unwrap_err();
    assert!(e.message.contains("no `header.json`") && e.message.contains("word/document.xml"), "{e}");
}

#[test]
fn the_command_prints_a_line_a_call_and_ends_with_2_for_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let good = folder.path().join("good.jsonl");
    fs::write(&good, lines(&[rpc(json!(1), "a\u{202e}"), done(1)])).unwrap();
    let out = support::verity().arg("trace").arg(&good).output().unwrap();
    assert_eq!(out.status.code(), Some(0));
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(!text.contains('\u{202e}') && text.lines().count() == 1);
    let call: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&call["index"], &call["outcome"], &call["call_id"]), (&json!(1), &json!("ok"), &json!("1")));
    let same = support::verity().args(["trace", "-"]).write_stdin(fs::read(&good).unwrap()).output().unwrap();
    assert_eq!(String::from_utf8(same.stdout).unwrap(), text);
    let bad = folder.path().join("bad.jsonl");
    fs::write(&bad, "{\"jsonrpc\": \"2.0\"}\n{\"jsonrpc").unwrap();
    let out = support::verity().arg("trace").arg(&bad).output().unwrap();
    assert_eq!((out.status.code(), out.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8(out.stderr).unwrap().contains("bad.jsonl:2:"));
    let out = support::verity().arg("trace").arg(folder.path().join("none")).output().unwrap();
    assert_eq!(out.status.code(), Some(2));
}

/// The recordings beside the repository, and what they hold.
#[test]
fn shared_recordings_are_read() {
    let Some(folder) = support::shared("traces") else { return };
    let expected: Value = serde_json::from_slice(&fs::read(folder.join("expected.json")).unwrap()).unwrap();
    for (name, wanted) in expected.as_object().unwrap() {
        let trace =
            verity::trace::read(name, &fs::read(folder.join(name)).unwrap(), &verity::trace::Fixtures::new())
                .unwrap();
        assert_eq!(trace.format.name(), wanted["format"].as_str().unwrap());
        let calls: Vec<Value> = trace.calls().map(|c| c.to_json()).collect();
        for (call, wanted) in calls.iter().zip(wanted["calls"].as_array().into_iter().flatten()) {
            for (key, value) in wanted.as_object().unwrap() {
                assert_eq!(&call[key], value, "{name}");
            }
        }
        assert!(!calls.is_empty());
    }
}
