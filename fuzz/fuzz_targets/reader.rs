//! Any bytes: `source::parse` and `manifest::read` end in tools or in one error, and every place that
//! they name is in the file.
//!
//! Run: `RUSTC_BOOTSTRAP=1 cargo fuzz run -s none reader fuzz/corpus/reader fixtures/reading`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use verity::finding::{Part, Span};
use verity::manifest::{self, Manifest};
use verity::source::{self, Document, Encoding};

fuzz_target!(|bytes: &[u8]| {
    let document = match source::parse("fuzz", bytes.to_vec()) {
        Ok(document) => document,
        Err(error) => {
            assert!(!error.message.is_empty());
            assert!(error.line != Some(0) && error.column != Some(0));
            assert!(serde_json::from_slice::<Value>(bytes).is_err(), "JSON was refused: {error}");
            return;
        }
    };
    if let (Ok(plain), Encoding::Utf8) = (serde_json::from_slice::<Value>(bytes), document.encoding) {
        assert_eq!(document.segments.len(), 1);
        assert_eq!(document.segments[0].value, plain, "serde_json alone says what JSON is");
    }
    match manifest::read(&document) {
        Ok(manifests) => {
            assert!(!manifests.is_empty());
            for manifest in &manifests {
                check(manifest, &document, bytes.len());
            }
        }
        Err(error) => assert!(!error.message.is_empty()),
    }
});

/// Every tool, and every value of the first ones, is found in the file.
fn check(manifest: &Manifest, document: &Document, size: usize) {
    assert!(manifest.digest.starts_with("sha256:"));
    let inside = |span: Span| {
        assert!(span.offset + span.length <= size, "{span:?} is beyond {size}");
        assert!(span.line >= 1 && span.column >= 1);
        assert!((span.line, span.column) <= (span.end_line, span.end_column));
    };
    for (i, tool) in manifest.tools.iter().enumerate().take(50) {
        let mut pointers = vec![(format!("/tools/{i}"), &tool.value)];
        let mut at = 0;
        while let Some((pointer, value)) = pointers.get(at).cloned() {
            at += 1;
            if at > 200 {
                break;
            }
            match value {
                Value::Object(members) => {
                    pointers.extend(members.iter().map(|(k, v)| (verity::pointer::child(&pointer, k), v)));
                }
                Value::Array(items) => {
                    pointers.extend(
                        items.iter().enumerate().map(|(i, v)| (verity::pointer::index(&pointer, i), v)),
                    );
                }
                _ => {}
            }
            let span = manifest.locate(document, &pointer, &Part::Value).expect("every value has a place");
            inside(span);
            if let Value::String(text) = value {
                let half = text.len() / 2;
                for range in [0..half, half..text.len(), 1..1, 0..usize::MAX] {
                    inside(manifest.locate(document, &pointer, &Part::Range(range)).expect("a place"));
                }
            }
            inside(manifest.locate(document, &pointer, &Part::Key).expect("a place"));
        }
    }
    for pointer in
        ["", "/instructions", "/prompts/0", "/nextCursor", "/log/0", "/tools/99999/name", "/nothing/~2"]
    {
        inside(manifest.locate(document, pointer, &Part::KeyRange(0..3)).expect("a place"));
    }
    for lost in manifest.defects.iter().chain(manifest.tools.iter().flat_map(|t| &t.defects)) {
        inside(manifest.locate(document, &lost.1, &Part::Value).expect("a place"));
    }
}
