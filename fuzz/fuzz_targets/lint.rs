//! Any bytes, as a file and as the input schema of a tool: the rules end, every finding has its place in
//! the file, both reports can be made of it, and nothing of it acts on the screen.
//!
//! Run: `RUSTC_BOOTSTRAP=1 cargo fuzz run -s none lint fuzz/corpus/lint fixtures -- -dict=fuzz/json.dict`.
#![no_main]

mod tree;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use serde_json::Value;
use textwrap::core::display_width;
use verity::lint::{self, LintedFile, Options};
use verity::manifest::Input;
use verity::report::human::{self, Look};
use verity::report::json;
use verity::{rules, source};

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    tree::mutate(data, size, max_size, seed).unwrap_or_else(|| fuzzer_mutate(data, size, max_size))
});

fuzz_target!(|bytes: &[u8]| {
    lint_file(bytes.to_vec());
    if let Ok(text) = std::str::from_utf8(bytes)
        && serde_json::from_str::<Value>(text).is_ok()
    {
        let listing =
            format!("{{\"tools\":[{{\"name\":\"fuzz\",\"description\":\"Fuzz.\",\"inputSchema\":{text}}}]}}");
        lint_file(listing.into_bytes());
    }
});

fn lint_file(bytes: Vec<u8>) {
    let size = bytes.len();
    let Ok(document) = source::parse("fuzz", bytes) else { return };
    let Ok(input) = Input::of_document(document) else { return };
    let files: Vec<LintedFile> =
        lint::inputs(vec![input], &Options::default()).into_iter().map(|r| r.expect("no bug")).collect();
    for manifest in files.iter().flat_map(|f| &f.manifests) {
        let mut last = 0;
        for finding in &manifest.findings {
            assert!(
                rules::find(&finding.rule).is_some()
                    && !finding.message.is_empty()
                    && !finding.help.is_empty()
            );
            let span = finding.span.expect("every finding has a place");
            assert!(span.offset >= last, "findings stand in the order of the file");
            assert!(span.line >= 1 && span.column >= 1 && span.offset + span.length <= size, "{span:?}");
            last = span.offset;
        }
    }
    for width in [60, 100] {
        let screen = human::render(&files, &[], Look::new(width, false));
        for line in screen.lines() {
            // A word of the manifest in a finding's title is not broken.
            let has_long_word = line.split(' ').any(|word| display_width(word) > width / 2);
            assert!(has_long_word || display_width(line) <= width, "{line}");
            assert_eq!(verity::report::screen::safe(line), line);
        }
    }
    let report: Value = serde_json::from_str(&json::render(&files, &[])).expect("a report is JSON");
    let tools: usize = files.iter().flat_map(|f| &f.manifests).map(|m| m.tools.len()).sum();
    let reported = report["manifests"].as_array().expect("manifests");
    assert_eq!(reported.iter().filter_map(|m| m["tool_count"].as_u64()).sum::<u64>(), tools as u64);
}
