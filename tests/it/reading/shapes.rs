//! Every shape in which tool definitions are found.

use crate::support::shared;
use serde_json::Value;
use std::fs;
use verity::error::ErrorCode;
use verity::{manifest, source};

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
                for m in &manifests {
                    for tool in &m.tools {
                        let name =
                            m.locate(&document, &format!("{}/name", tool.pointer()), &Default::default());
                        assert!(name.is_some());
                    }
                }
            }
            Err(error) => {
                assert_eq!(wanted, 0, "{name}: {error}");
                assert!(error.help.is_some(), "{name}: {error}");
                assert_ne!(error.code, ErrorCode::Usage);
                eprintln!("{error}\n   {}", error.help.clone().unwrap());
            }
        }
    }
}
