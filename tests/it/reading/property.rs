//! Whatever the encoding and the framing: the same tools, and every value at its place.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use verity::finding::{Part, Span};
use verity::manifest::{self, Manifest};
use verity::source::{self, Document};

/// Texts with what makes offsets hard: escapes, pairs, long runs, many bytes a character.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{0,8}",
        "[\\x00-\\x1f\"\\\\/]{1,6}",
        "[é日😀\u{1f468}\u{200d}\u{2028}]{1,6}",
        proptest::collection::vec(any::<char>(), 0..6).prop_map(|c| c.into_iter().collect()),
        ("[a-zé\\n]{1,3}", 1500_usize..3000).prop_map(|(s, n)| s.repeat(n)),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter_map("finite", |f| f.is_finite().then(|| Value::from(f))),
        "[a-z\"\\\\é😀]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec(("[a-z~/\"é]{0,3}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn tool() -> impl Strategy<Value = Value> {
    (text(), text(), value()).prop_map(|(name, description, properties)| {
        json!({"name": name, "description": description,
            "inputSchema": {"type": "object", "properties": properties}})
    })
}

/// How white space and escapes are written.
#[derive(Debug, Clone, Copy)]
enum Style {
    Compact,
    Pretty,
    Crlf,
    /// Everything beyond ASCII as `\u….`
    Escaped,
}

fn write(value: &Value, style: Style) -> String {
    match style {
        Style::Compact => value.to_string(),
        Style::Pretty => serde_json::to_string_pretty(value).unwrap(),
        Style::Crlf => serde_json::to_string_pretty(value).unwrap().replace('\n', "\r\n"),
        Style::Escaped => {
            let mut out = String::new();
            for c in value.to_string().chars() {
                if c.is_ascii() {
                    out.push(c);
                } else {
                    let mut units = [0; 2];
                    for unit in c.encode_utf16(&mut units) {
                        out.push_str(&format!("\\u{unit:04X}"));
                    }
                }
            }
            out
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Encoding {
    Utf8,
    Bom,
    Utf16Le,
    Utf16Be,
    BareUtf16Le,
}

fn encode(text: &str, encoding: Encoding) -> Vec<u8> {
    let le = || text.encode_utf16().flat_map(u16::to_le_bytes);
    match encoding {
        Encoding::Utf8 => text.as_bytes().to_vec(),
        Encoding::Bom => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        Encoding::Utf16Le => b"\xff\xfe".iter().copied().chain(le()).collect(),
        Encoding::Utf16Be => {
            b"\xfe\xff".iter().copied().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect()
        }
        Encoding::BareUtf16Le => le().collect(),
    }
}

/// The bytes of the file, decoded again: what a span must point at.
fn decode(bytes: &[u8], encoding: Encoding) -> String {
    let units = |rest: &[u8], from: fn([u8; 2]) -> u16| {
        String::from_utf16(&rest.chunks(2).map(|p| from([p[0], p[1]])).collect::<Vec<_>>()).unwrap()
    };
    match encoding {
        Encoding::Utf8 | Encoding::Bom => String::from_utf8(bytes.to_vec()).unwrap(),
        Encoding::Utf16Le | Encoding::BareUtf16Le => units(bytes, u16::from_le_bytes),
        Encoding::Utf16Be => units(bytes, u16::from_be_bytes),
    }
}

/// Ways to put a listing into a file; the texts of all that follow are written by `style`.
fn frame(tools: &[Value], framing: usize, style: Style) -> String {
    let response = |id: usize, tools: &[Value], more: bool| {
        let mut result = json!({"tools": tools});
        if more {
            result["nextCursor"] = json!(format!("page {}", id + 1));
        }
        json!({"jsonrpc": "2.0", "id": id, "result": result})
    };
    let (first, second) = tools.split_at(tools.len() / 2);
    match framing {
        0 => write(&json!(tools), style),
        1 => write(&json!({"server": "s", "tools": tools}), style),
        2 => write(&response(1, tools, false), style),
        3 => write(&json!([response(1, first, true), response(2, second, false)]), style),
        4 => format!("{}\n{}\n", response(1, first, true), response(2, second, false)),
        5 => format!(
            "{}{}",
            write(&response(1, first, true), style),
            write(&response(2, second, false), style)
        ),
        6 => format!("Starting é server\n[info] ok\n{}\nbye", write(&response(1, tools, false), style)),
        7 => format!("event: message\r\nid: 7\r\ndata: {}\r\n\r\n", response(1, tools, false)),
        8 => {
            let text = serde_json::to_string_pretty(&response(1, tools, false)).unwrap();
            format!(": hello\nevent: message\ndata: {}\n\n", text.replace('\n', "\ndata: "))
        }
        9 => tools.iter().map(|t| format!("{t}\n")).collect(),
        _ => write(&json!({"one": {"tools": tools}}), style),
    }
}

/// Every pointer of `value` with its value and its key.
fn pointers(at: &str, key: Option<&str>, value: &Value, out: &mut Vec<(String, Option<String>, Value)>) {
    out.push((at.to_string(), key.map(str::to_string), value.clone()));
    match value {
        Value::Object(members) => {
            for (k, v) in members {
                pointers(&verity::pointer::child(at, k), Some(k), v, out);
            }
        }
        Value::Array(items) => {
            for (i, v) in items.iter().enumerate() {
                pointers(&verity::pointer::index(at, i), None, v, out);
            }
        }
        _ => {}
    }
}

/// What stands at `span`; also holds line and column against a plain count.
fn at(bytes: &[u8], span: Span, encoding: Encoding) -> String {
    let bom = match encoding {
        Encoding::Utf8 | Encoding::BareUtf16Le => 0,
        Encoding::Bom => 3,
        Encoding::Utf16Le | Encoding::Utf16Be => 2,
    };
    let count = |upto: usize| {
        let before = decode(&bytes[bom..upto], encoding);
        let line = before.rsplit('\n').next().unwrap();
        (before.matches('\n').count() + 1, line.chars().count() + 1)
    };
    assert_eq!((span.line, span.column), count(span.offset));
    assert_eq!((span.end_line, span.end_column), count(span.offset + span.length));
    decode(&bytes[span.offset..span.offset + span.length], encoding)
}

/// In an event, a value may run over several `data:` lines.
fn unframed(text: &str) -> String {
    text.replace("\ndata:", "\n")
}

fn read(bytes: Vec<u8>) -> (Document, Vec<Manifest>) {
    let document = source::parse("tools.json", bytes).unwrap();
    let manifests = manifest::read(&document).unwrap();
    (document, manifests)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_framing_and_encoding_reads_the_same(
        tools in proptest::collection::vec(tool(), 1..5),
        framing in 0_usize..11,
        style in prop_oneof![Just(Style::Compact), Just(Style::Pretty), Just(Style::Crlf), Just(Style::Escaped)],
        encoding in prop_oneof![Just(Encoding::Utf8), Just(Encoding::Bom), Just(Encoding::Utf16Le),
            Just(Encoding::Utf16Be), Just(Encoding::BareUtf16Le)],
        pick in any::<prop::sample::Index>(),
        range in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
    ) {
        let bytes = encode(&frame(&tools, framing, style), encoding);
        let (document, manifests) = read(bytes.clone());
        prop_assert_eq!(manifests.len(), 1);
        let manifest = &manifests[0];
        let read_tools: Vec<Value> = manifest.tools.iter().map(|t| t.value.clone()).collect();
        prop_assert_eq!(&read_tools, &tools);
        let (_, plain) = read(json!(tools).to_string().into_bytes());
        prop_assert_eq!(&manifest.digest, &plain[0].digest);
        prop_assert!(manifest.tools.iter().all(|t| t.defects.is_empty() && t.duplicate_keys.is_empty()));

        let mut all = Vec::new();
        for (i, tool) in tools.iter().enumerate() {
            pointers(&format!("/tools/{i}"), None, tool, &mut all);
        }
        let (pointer, key, value) = &all[pick.index(all.len())];
        let span = manifest.locate(&document, pointer, &Part::Value).unwrap();
        let there: Value = serde_json::from_str(&unframed(&at(&bytes, span, encoding))).unwrap();
        prop_assert_eq!(&there, value);
        if let Some(key) = key {
            let span = manifest.locate(&document, pointer, &Part::Key).unwrap();
            let there: Value = serde_json::from_str(&at(&bytes, span, encoding)).unwrap();
            prop_assert_eq!(there.as_str(), Some(key.as_str()));
        }
        if let Value::String(text) = value {
            let borders: Vec<usize> = (0..=text.len()).filter(|i| text.is_char_boundary(*i)).collect();
            let (a, b) = (borders[range.0.index(borders.len())], borders[range.1.index(borders.len())]);
            let (a, b) = (a.min(b), a.max(b));
            let span = manifest.locate(&document, pointer, &Part::Range(a..b)).unwrap();
            let there: String = serde_json::from_str(&format!("\"{}\"", at(&bytes, span, encoding))).unwrap();
            prop_assert_eq!(there.as_str(), &text[a..b]);
        }
    }

    /// What no value can hold costs nothing but itself: the other values and all places stay.
    #[test]
    fn substitutions_keep_places(
        tools in proptest::collection::vec(tool(), 1..4),
        bad in prop_oneof![Just("\"x\\ud800y\""), Just("1e999"), Just("-1.5E+400"), Just("\"\\uDFFF\\uD800\"")],
        at_end in any::<bool>(),
    ) {
        let mut tools = tools;
        let odd = json!({"name": "odd", "inputSchema": {"type": "object", "default": "@@"}});
        if at_end { tools.push(odd) } else { tools.insert(0, odd) }
        let text = json!({"tools": tools}).to_string().replace("\"@@\"", bad);
        let (document, manifests) = read(text.clone().into_bytes());
        prop_assert_eq!(document.text.as_str(), text.as_str());
        for (i, tool) in tools.iter().enumerate() {
            let read = &manifests[0].tools[i];
            if tool["name"] == "odd" && tool["inputSchema"]["default"] == "@@" {
                prop_assert!(!read.defects.is_empty());
                let place = format!("/tools/{i}/inputSchema/default");
                prop_assert!(read.defects.iter().all(|(_, at, _)| *at == place));
                let span = manifests[0].locate(&document, &place, &Part::Value).unwrap();
                prop_assert_eq!(&text[span.offset..span.offset + bad.len()], bad);
            } else {
                prop_assert!(read.defects.is_empty());
                prop_assert_eq!(&read.value, tool);
                let place = format!("/tools/{i}/description");
                let span = manifests[0].locate(&document, &place, &Part::Value).unwrap();
                let there: Value = serde_json::from_str(&text[span.offset..span.offset + span.length]).unwrap();
                prop_assert_eq!(&there, &tool["description"]);
            }
        }
    }

    /// Any bytes end in a document or in an error with a message, never in a panic.
    #[test]
    fn any_bytes_are_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(document) = source::parse("x", bytes) {
            let _ = manifest::read(&document);
        }
    }

    /// The same for texts that are nearly JSON.
    #[test]
    fn broken_json_is_an_answer(tools in proptest::collection::vec(tool(), 1..3), framing in 0_usize..11,
        cut in any::<prop::sample::Index>(), put in "[\\[\\]{}\":,\\\\\nud8e0-9 ]{0,3}")
    {
        let mut text = frame(&tools, framing, Style::Pretty);
        let borders: Vec<usize> = (0..=text.len()).filter(|i| text.is_char_boundary(*i)).collect();
        let place = borders[cut.index(borders.len())];
        text.insert_str(place, &put);
        for text in [text.clone(), text[..place].to_string()] {
            match source::parse("x", text.clone().into_bytes()) {
                Ok(document) => { let _ = manifest::read(&document); }
                Err(e) => {
                    prop_assert!(!e.message.is_empty());
                    let lines = text.split('\n').count();
                    prop_assert!(e.line.is_some_and(|l| l >= 1 && l <= lines), "{e}");
                    let line = text.split('\n').nth(e.line.unwrap() - 1).unwrap();
                    prop_assert!(e.column.is_some_and(|c| c >= 1 && c <= line.chars().count() + 1), "{e}");
                }
            }
        }
    }
}
