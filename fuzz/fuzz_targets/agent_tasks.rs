//! Any bytes, as a file and as the input schema of a tool: every pack that comes of it holds what it
//! promises. Every solution passes, every control fails, names are safe, the same bytes come twice,
//! and what is written is what was made.
//!
//! Run: `RUSTC_BOOTSTRAP=1 cargo fuzz run -s none agent_tasks fuzz/corpus/agent_tasks fixtures -- -dict=fuzz/json.dict`.
#![no_main]

mod tree;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use serde_json::Value;
use std::collections::BTreeSet;
use verity::grade::{task, validate};
use verity::manifest::{Input, Manifest};
use verity::pack::export::{self, Context, Options, Pack};
use verity::pack::names;
use verity::pack::write::{self, Caution};
use verity::schema::SchemaView;
use verity::{rules, source, yaml};

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    tree::mutate(data, size, max_size, seed).unwrap_or_else(|| fuzzer_mutate(data, size, max_size))
});

fuzz_target!(|bytes: &[u8]| {
    pack_file(bytes.to_vec());
    if let Ok(text) = std::str::from_utf8(bytes)
        && serde_json::from_str::<Value>(text).is_ok()
    {
        let listing =
            format!("{{\"tools\":[{{\"name\":\"fuzz\",\"description\":\"Fuzz.\",\"inputSchema\":{text}}}]}}");
        pack_file(listing.into_bytes());
    }
});

fn pack_file(bytes: Vec<u8>) {
    let options = Options {
        pack: format!("fuzz {}", bytes.len() % 3),
        seed: "fuzz".to_string(),
        context: if bytes.len() % 2 == 0 { Context::Tool } else { Context::Manifest },
        include_flagged: bytes.len() % 4 < 2,
    };
    let Ok(document) = source::parse("fuzz", bytes) else { return };
    let Ok(input) = Input::of_document(document) else { return };
    for manifest in &input.manifests {
        let findings = rules::run(manifest);
        let pack = export::export(manifest, &findings, &options);
        let again = export::export(manifest, &findings, &options);
        assert!(pack.files == again.files && pack.digest == again.digest, "the same input, other bytes");
        check(manifest, &pack);
    }
}

fn check(manifest: &Manifest, pack: &Pack) {
    assert_eq!(pack.tasks.len() + pack.skipped.len(), manifest.tools.len());
    assert!(pack.skipped.iter().all(|s| !s.reason.is_empty()));
    if pack.tasks.is_empty() {
        assert!(pack.files.is_empty());
        return;
    }
    assert_eq!(pack.files.len(), pack.tasks.len() + 1);
    let mut stems = BTreeSet::new();
    for (name, text) in pack.files.iter().filter(|(name, _)| *name != "README.md") {
        let stem = name.strip_suffix(".yaml").expect("a task file");
        assert!(names::is_safe(stem) && stems.insert(stem.to_lowercase()), "{name}");
        let read = yaml::read(text).expect("what was written is read").value;
        assert_eq!(validate::validate(&read), [], "{name}");
        let tested = task::test(&read);
        assert!(tested.passed(), "{name}: {tested:?}");
    }
    for task in &pack.tasks {
        let own = &manifest.tools.iter().find(|t| t.index == task.index).expect("a tool").value;
        assert_eq!(own.get("inputSchema").or(own.get("input_schema")).unwrap_or(&task.schema), &task.schema);
        let view = SchemaView::new(&task.schema);
        let judge = view.judge().expect("a schema that compiles");
        assert!(task.solution.is_object() && judge.accepts(&task.solution), "{}", task.solution);
        assert!(!task.controls.is_empty());
        for control in &task.controls {
            assert!(!judge.accepts(&control.arguments), "{}", control.arguments);
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("a/pack");
    write::replace(&target, &pack.files, &Caution::default(), &|| false).expect("it can be written");
    assert_eq!(write::differences(&target, &pack.files).expect("it can be read"), []);
}
