//! Every shape in which tool definitions are found: our own small files, and the shared collection.

use crate::support::{fixture, shared, verity};
use serde_json::{Value, json};
use std::fs;
use verity::error::{ErrorCode, InputError};
use verity::finding::Part;
use verity::manifest::{self, Completeness, Input, Manifest, Revision};
use verity::source::{self, Document};

fn document(name: &str) -> Document {
    source::parse(name, fs::read(fixture("reading").join(name)).unwrap()).unwrap()
}

fn read(name: &str) -> Input {
    Input::of_document(document(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn refused(name: &str) -> InputError {
    manifest::read(&document(name)).map(|m| panic!("{name} is a manifest: {m:?}")).unwrap_err()
}

fn tools(manifest: &Manifest) -> Vec<&str> {
    manifest.tools.iter().map(|t| t.name().unwrap()).collect()
}

const BOTH: &[&str] = &["track_order", "list_regions"];
const TRACK: &[&str] = &["track_order"];
const REGIONS: &[&str] = &["list_regions"];

/// File, shape, and the server and tools of each manifest.
type Expected<'a> = (&'a str, &'a str, &'a [(Option<&'a str>, &'a [&'a str])]);

const SHAPES: &[Expected<'static>] = &[
    ("bare-array.json", "bare-array", &[(None, BOTH)]),
    ("tools-object.json", "tools-object", &[(None, BOTH)]),
    ("single-tool.json", "single-tool", &[(None, TRACK)]),
    ("tool-map.json", "tool-map", &[(None, BOTH)]),
    ("one-tool-a-line.jsonl", "json-lines", &[(None, BOTH)]),
    ("labelled.jsonl", "json-lines", &[(None, BOTH)]),
    ("fenced.md", "tools-object", &[(None, TRACK)]),
    ("bom-crlf.json", "tools-object", &[(None, TRACK)]),
    ("utf16.json", "tools-object", &[(None, TRACK)]),
    ("jsonrpc-response.json", "jsonrpc-response", &[(None, BOTH)]),
    ("jsonrpc-2026.json", "jsonrpc-response", &[(Some("orders"), BOTH)]),
    ("result-only.json", "jsonrpc-response", &[(None, TRACK)]),
    ("incomplete.json", "jsonrpc-response", &[(None, TRACK)]),
    ("recorded.json", "jsonrpc-response", &[(None, BOTH)]),
    ("pages.json", "jsonrpc-pages", &[(None, BOTH)]),
    ("transcript.jsonl", "jsonrpc-transcript", &[(Some("orders"), BOTH)]),
    ("transcript-listed-twice.jsonl", "jsonrpc-transcript", &[(Some("orders"), BOTH)]),
    ("transcript-two-servers.jsonl", "jsonrpc-pages", &[(Some("orders"), TRACK), (Some("billing"), REGIONS)]),
    ("client-log.log", "jsonrpc-transcript", &[(None, BOTH)]),
    ("log-before.txt", "jsonrpc-transcript", &[(None, TRACK)]),
    ("sse.txt", "sse", &[(None, BOTH)]),
    ("sse-multi-line.txt", "sse", &[(None, TRACK)]),
    ("curl-i.txt", "sse", &[(None, TRACK)]),
    ("server-map.json", "server-map", &[(Some("orders"), TRACK), (Some("shop"), REGIONS)]),
    ("server-map-tools.json", "server-map", &[(Some("orders"), TRACK), (Some("shop"), REGIONS)]),
    ("server-list.json", "server-list", &[(Some("orders"), TRACK), (Some("shop"), REGIONS)]),
    ("mcp-scan.json", "mcp-scan-result", &[(Some("orders"), BOTH)]),
    ("lock-file.json", "lock-file", &[(None, BOTH)]),
    ("lock-file-servers.json", "lock-file", &[(Some("orders"), TRACK)]),
    ("openai-chat.json", "openai-chat", &[(None, BOTH)]),
    ("openai-request.json", "openai-chat", &[(None, TRACK)]),
    ("openai-responses.json", "openai-responses", &[(None, TRACK)]),
    ("openai-functions.json", "openai-functions", &[(None, TRACK)]),
    ("anthropic.json", "anthropic", &[(None, TRACK)]),
    ("python-dump.json", "anthropic", &[(None, TRACK)]),
    ("bedrock.json", "bedrock-converse", &[(None, BOTH)]),
    ("gemini.json", "gemini", &[(None, TRACK)]),
    ("gemini-schema.json", "gemini", &[(None, TRACK)]),
    ("mcpb.json", "mcpb-manifest", &[(Some("orders"), TRACK)]),
    ("dxt.json", "mcpb-manifest", &[(Some("orders"), TRACK)]),
    ("mcpb-static.json", "mcpb-manifest", &[(Some("orders"), BOTH)]),
    ("docker-registry.json", "docker-registry", &[(None, BOTH)]),
];

#[test]
fn each_shape_is_read() {
    for (name, shape, expected) in SHAPES {
        let input = read(name);
        let found: Vec<(Option<&str>, Vec<&str>)> =
            input.manifests.iter().map(|m| (m.server.as_deref(), tools(m))).collect();
        let expected: Vec<(Option<&str>, Vec<&str>)> =
            expected.iter().map(|(server, tools)| (*server, tools.to_vec())).collect();
        assert_eq!(found, expected, "{name}");
        assert!(input.manifests.iter().all(|m| m.shape == *shape), "{name}: {}", input.manifests[0].shape);
    }
}

/// Every shape has a fixture in the table, and every fixture a test.
#[test]
fn each_fixture_is_tested() {
    let text = include_str!("shapes.rs");
    for file in fs::read_dir(fixture("reading")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(text.contains(&format!("\"{name}\"")), "{name} is not tested");
    }
}

/// The schema of the first tool is the same wherever it stands, digest included, and is found there.
#[test]
fn the_same_tool_in_each_shape() {
    let plain = &read("single-tool.json").manifests[0];
    let (tool, digest) = (&plain.tools[0].value, plain.tools[0].digest());
    let other = [
        "gemini.json",
        "gemini-schema.json",
        "mcpb.json",
        "dxt.json",
        "docker-registry.json",
        "python-dump.json",
        "utf16.json",
        "lock-file-servers.json",
    ];
    for (name, _, _) in SHAPES {
        let input = read(name);
        let manifest = &input.manifests[0];
        if !other.contains(name) {
            assert_eq!(&manifest.tools[0].value, tool, "{name}");
            assert_eq!(manifest.tools[0].digest(), digest, "{name}");
        }
        let text = &input.documents[0].text;
        if input.documents[0].encoding != source::Encoding::Utf8 {
            continue;
        }
        let at = |pointer: &str| {
            let span = input.locate(manifest, pointer, &Part::Value).unwrap();
            &text[span.offset..span.offset + span.length]
        };
        assert_eq!(at("/tools/0/name"), "\"track_order\"", "{name}");
        assert_eq!(at("/tools/0/description"), "\"Say where an order is.\"", "{name}");
        if manifest.partial.is_none() {
            let number = at("/tools/0/inputSchema/properties/number/description");
            assert_eq!(number, "\"Number of the order.\"", "{name}");
        }
    }
    let digests: Vec<String> = [
        "bare-array.json",
        "tools-object.json",
        "jsonrpc-response.json",
        "pages.json",
        "sse.txt",
        "openai-chat.json",
        "bedrock.json",
        "tool-map.json",
        "one-tool-a-line.jsonl",
        "lock-file.json",
    ]
    .iter()
    .map(|name| read(name).manifests[0].digest.clone())
    .collect();
    assert!(
        digests.iter().all(|d| d == &digests[0] && d.starts_with("sha256:") && d.len() == 71),
        "{digests:?}"
    );
    assert_ne!(digests[0], plain.digest);
}

#[test]
fn what_a_session_says_beside_the_tools() {
    let input = read("transcript.jsonl");
    let m = &input.manifests[0];
    assert_eq!(
        (m.protocol, m.stated, m.is_wire),
        (Some(Revision::V2025_11_25), Some(Revision::V2025_11_25), true)
    );
    assert_eq!(m.instructions.as_deref(), Some("Ask for the number of the order first."));
    assert_eq!(m.prompts, [json!({"name": "apology", "description": "Apologise for a late order."})]);
    assert_eq!(m.completeness, Completeness::Complete, "the cursor of the first page is not the last");
    let at = |pointer: &str| input.locate(m, pointer, &Part::Value).unwrap();
    assert_eq!((at("/instructions").line, at("/prompts/0/description").line), (2, 11));
    assert_eq!((at("/tools/0/name").line, at("/tools/1/name").line), (7, 9));

    let scan = read("mcp-scan.json");
    assert_eq!(scan.manifests[0].instructions, m.instructions);
    assert_eq!(scan.manifests[0].protocol, Some(Revision::V2025_11_25));
    let bundle = read("mcpb-static.json");
    assert_eq!(bundle.manifests[0].instructions, m.instructions);
    assert_eq!(bundle.manifests[0].partial, None);
    assert_eq!(read("jsonrpc-2026.json").manifests[0].stated, Some(Revision::V2026_07_28));
    assert_eq!(read("jsonrpc-response.json").manifests[0].stated, None);
    let two = read("transcript-two-servers.jsonl");
    assert_eq!(two.manifests[1].instructions.as_deref(), Some("Never guess an amount."));
}

#[test]
fn what_the_reader_has_to_say() {
    let notes = |name: &str| read(name).manifests[0].notes.join("; ");
    for (name, part) in [
        ("transcript-listed-twice.jsonl", "more than once"),
        ("log-before.txt", "line 1 and 1 more are no JSON"),
        ("fenced.md", "are no JSON"),
        ("openai-responses.json", "web_search"),
        ("anthropic.json", "web_search_20250305"),
        ("bedrock.json", "cachePoint"),
        ("gemini.json", "googleSearch"),
        ("gemini.json", "type names"),
        ("mcpb.json", "tools_generated"),
    ] {
        assert!(notes(name).contains(part), "{name}: {}", notes(name));
    }
    for name in ["tools-object.json", "sse.txt", "curl-i.txt", "transcript.jsonl", "gemini-schema.json"] {
        assert_eq!(notes(name), "", "{name}");
    }
    let lines = &read("log-before.txt").manifests[0].log_lines;
    assert_eq!(
        lines.iter().map(|l| (l.line, l.text.as_str())).collect::<Vec<_>>(),
        [(1, "Orders server 1.0.0 is ready"), (2, "listening on stdio")]
    );
}

#[test]
fn what_belongs_to_the_api_is_set_aside() {
    let input = read("openai-chat.json");
    let tool = &input.manifests[0].tools[0];
    assert_eq!(tool.api, Some("openai-chat"));
    assert_eq!(tool.foreign, [("type".to_string(), json!("function")), ("strict".to_string(), json!(true))]);
    let dump = &read("python-dump.json").manifests[0].tools[0].value.clone();
    assert_eq!(dump["annotations"], json!({"readOnlyHint": true, "openWorldHint": false}));
    assert_eq!(
        dump.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["name", "description", "inputSchema", "annotations"]
    );
    let gemini = &read("gemini.json").manifests[0].tools[0].value["inputSchema"];
    assert_eq!(
        (&gemini["type"], &gemini["properties"]["number"]["type"]),
        (&json!("object"), &json!("integer"))
    );
    assert_eq!(
        read("gemini-schema.json").manifests[0].tools[0].value["outputSchema"],
        json!({"type": "object"})
    );
}

#[test]
fn partial_manifests_are_said_to_be() {
    for name in ["mcpb.json", "dxt.json", "docker-registry.json"] {
        let m = &read(name).manifests[0];
        assert!(m.partial.is_some_and(|why| why.contains("schema")), "{name}");
        assert!(m.tools.iter().all(|t| t.input_schema().is_none()));
    }
}

#[test]
fn a_cursor_at_the_end_is_seen() {
    for (name, complete) in [("incomplete.json", false), ("pages.json", true), ("python-dump.json", true)] {
        let m = &read(name).manifests[0];
        assert_eq!(m.completeness == Completeness::Complete, complete, "{name}");
    }
    let Completeness::Truncated { cursor, .. } = &read("incomplete.json").manifests[0].completeness else {
        panic!("an empty string is a cursor")
    };
    assert_eq!(cursor, "");
}

#[test]
fn snapshots_are_read_one_by_one_too() {
    for (name, tool) in [
        ("__toolsnaps__/track_order.snap", "track_order"),
        ("__toolsnaps__/list_regions.snap", "list_regions"),
    ] {
        let input = read(name);
        assert_eq!((input.manifests[0].shape, tools(&input.manifests[0])), ("single-tool", vec![tool]));
    }
}

/// A folder is read through the command line: snapshots are one manifest, other files one each.
#[test]
fn folders_are_read() {
    let report = |path: &str| -> Value {
        let out =
            verity().args(["lint", "--format", "json"]).arg(fixture("reading").join(path)).output().unwrap();
        serde_json::from_slice(&out.stdout).unwrap()
    };
    let snapshots = report("__toolsnaps__");
    let manifests = snapshots["manifests"].as_array().unwrap();
    assert_eq!(manifests.len(), 1);
    assert_eq!((&manifests[0]["shape"], &manifests[0]["tool_count"]), (&json!("toolsnaps"), &json!(2)));
    let all = report("");
    let shapes: Vec<&str> =
        all["manifests"].as_array().unwrap().iter().map(|m| m["shape"].as_str().unwrap()).collect();
    let servers = 4; // files with two servers, of which one is a transcript
    let files =
        SHAPES.iter().filter(|(name, _, _)| name.ends_with(".json") || name.ends_with(".jsonl")).count();
    assert_eq!(shapes.len(), files + servers + 1);
    assert_eq!(shapes.first(), Some(&"toolsnaps"), "by name, folders among files");
}

/// What cannot be read may have been a listing: the folder is not green without it.
#[cfg(unix)]
#[test]
fn a_folder_is_not_green_over_what_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(fixture("mcp/tools_v1.json"), folder.path().join("a.json")).unwrap();
    std::fs::write(folder.path().join("settings.json"), "{\"a\": 1}").unwrap();
    let lint = || verity().args(["lint", "--format", "json"]).arg(folder.path()).output().unwrap();
    assert_eq!(lint().status.code(), Some(0), "a file without tools is skipped");
    std::fs::write(folder.path().join("packed.json"), b"\x1f\x8b\x08\0\0\0\0\0\0\x03").unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path().join("lost.json")).unwrap();
    let out = lint();
    assert_eq!(out.status.code(), Some(2));
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(report["errors"].as_array().map(Vec::len), Some(2), "{report}");
}

#[test]
fn files_without_tools_say_what_to_do() {
    for (name, code, said, help) in [
        ("registry-server.json", ErrorCode::NotAManifest, "registry", "--method tools/list"),
        (
            "client-config.json",
            ErrorCode::NotAManifest,
            "servers: orders",
            "--config client-config.json --server orders",
        ),
        ("vscode-config.json", ErrorCode::NotAManifest, "servers: orders", "Verity starts nothing"),
        ("jsonrpc-error.json", ErrorCode::ServerError, "Server not initialized (code -32000)", "initialize"),
        ("empty.json", ErrorCode::NoTools, "no tools", "Nothing was checked"),
        ("empty-page.json", ErrorCode::Incomplete, "goes on", "next page"),
        ("digests-only.json", ErrorCode::NotAManifest, "digests", "--method tools/list"),
    ] {
        let e = refused(name);
        assert_eq!(e.code, code, "{name}: {e}");
        assert!(e.message.contains(said), "{name}: {e}");
        assert!(e.help.as_deref().unwrap_or_default().contains(help), "{name}: {:?}", e.help);
        assert_eq!(e.path.as_deref(), Some(name));
    }
    assert_eq!(refused("jsonrpc-error.json").line, Some(4));
}

/// The shared collection of shapes, as its index describes them.
#[test]
fn shared_formats_are_read() {
    let Some(folder) = shared("formats") else { return };
    let index: Vec<Value> = serde_json::from_slice(&fs::read(folder.join("index.json")).unwrap()).unwrap();
    for shape in index {
        let name = shape["file"].as_str().unwrap();
        let document = source::parse(name, fs::read(folder.join(name)).unwrap()).unwrap();
        let wanted = shape["tools"].as_u64().unwrap() as usize;
        match manifest::read(&document) {
            Ok(manifests) => {
                let tools: usize = manifests.iter().map(|m| m.tools.len()).sum();
                assert_eq!(tools, wanted, "{name}");
                assert_eq!(manifests[0].shape, shape["kind"], "{name}");
                for tool in manifests.iter().flat_map(|m| m.tools.iter().map(move |t| (m, t))) {
                    let name = format!("{}/name", tool.1.pointer());
                    assert!(tool.0.locate(&document, &name, &Part::Value).is_some());
                }
            }
            Err(error) => {
                assert_eq!(wanted, 0, "{name}: {error}");
                assert!(error.help.is_some(), "{name}: {error}");
            }
        }
    }
}

/// Every real listing is read whole, and every value of some tools is found where it stands.
#[test]
fn shared_corpus_is_read() {
    let Some(folder) = shared("corpus") else { return };
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let plain: Value = serde_json::from_slice(&bytes).unwrap();
        let document = source::parse("x", bytes).unwrap();
        let manifests = manifest::read(&document).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert_eq!(manifests.len(), 1, "{}", path.display());
        let tools: Vec<&Value> = manifests[0].tools.iter().map(|t| &t.value).collect();
        assert_eq!(
            tools,
            plain["tools"].as_array().unwrap().iter().collect::<Vec<_>>(),
            "{}",
            path.display()
        );
        for (i, tool) in tools.iter().enumerate().step_by(7) {
            let span = manifests[0].locate(&document, &format!("/tools/{i}"), &Part::Value).unwrap();
            let there: Value =
                serde_json::from_str(&document.text[span.offset..span.offset + span.length]).unwrap();
            assert_eq!(&there, *tool);
        }
    }
}
