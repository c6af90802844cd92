//! Attempts: a recording, what it was judged by and the verdict, bound together so that the verdict can be repeated.
//!
//! [`Manifest`] names every part with its digest, [`chain`] binds the recording row by row, [`compare`] says how two
//! verdicts differ, and [`control`] makes the one stated change to a recording that a named check must notice.

pub mod chain;
pub mod compare;
pub mod control;

use crate::expect::{ExtraCalls, Injected};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The version of the manifest.
pub const VERSION: u32 = 1;
/// The manifest's file name.
pub const MANIFEST: &str = "attempt.json";

/// What an attempt consists of: `attempt.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub schema_version: u32,
    /// The version of verity that judged.
    pub verity: String,
    pub recording: Recorded,
    pub options: Options,
    /// Every other file of the folder.
    pub parts: Vec<Part>,
    pub rows: Rows,
    pub verdict: Summary,
    /// Digest of all of this but this member, canonical (RFC 8785); see [`chain::digest`].
    pub sha256: String,
}

/// The recording that was judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// As the user named it.
    pub path: String,
    pub format: String,
    pub calls: usize,
}

/// What the command line said.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    pub variables: BTreeMap<String, Value>,
    pub faults: BTreeMap<String, Injected>,
    pub extra_calls: Option<ExtraCalls>,
    pub session: Option<String>,
    pub row: Option<usize>,
    pub mutate: bool,
    pub min_mutation_score: Option<f64>,
}

/// What a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The recording, byte for byte.
    Recording,
    /// The recording as rows, each with its link of the chain.
    Rows,
    /// The expectation file.
    Expectation,
    /// The rows that a document of it is judged with.
    Dataset,
    Listing,
    Judgements,
    /// The files that recorded calls refer to, as one object.
    Fixtures,
    /// The model's own stream.
    Stream,
    /// The final answer.
    Answer,
    /// The report of the verdict.
    Verdict,
}

impl Role {
    /// In words.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Role::Recording => "the recording",
            Role::Rows => "the recording's rows",
            Role::Expectation => "the expectation file",
            Role::Dataset => "the dataset",
            Role::Listing => "the listing",
            Role::Judgements => "the judgements",
            Role::Fixtures => "the fixtures",
            Role::Stream => "the model's stream",
            Role::Answer => "the final answer",
            Role::Verdict => "the verdict",
        }
    }
}

/// A file of an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    pub role: Role,
    /// In the attempt's folder, with `/`.
    pub file: String,
    pub bytes: u64,
    pub sha256: String,
}

/// The chain over a recording's rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rows {
    pub count: usize,
    /// The last link: it depends on every row.
    pub sha256: String,
}

/// How the judgement ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    pub status: String,
    pub call_quality: String,
}

impl Manifest {
    /// The digest of what it says.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let Value::Object(members) = &mut value {
            members.remove("sha256");
        }
        chain::digest(&value)
    }

    /// This manifest, sealed with its digest.
    #[must_use]
    pub fn sealed(mut self) -> Manifest {
        self.sha256 = self.digest();
        self
    }

    /// The manifest that `bytes` hold.
    ///
    /// # Errors
    /// Why they hold none, or one that somebody has changed.
    pub fn read(bytes: &[u8]) -> Result<Manifest, String> {
        let value: Value = serde_json::from_slice(bytes).map_err(|e| format!("not JSON: {e}"))?;
        match value.get("schema_version").and_then(Value::as_u64) {
            Some(version) if version == u64::from(VERSION) => {}
            Some(version) => {
                return Err(format!("an attempt of version {version}; this verity reads {VERSION}"));
            }
            None => return Err("no attempt of verity: it has no `schema_version`".to_string()),
        }
        let manifest: Manifest =
            serde_json::from_value(value).map_err(|e| format!("no attempt of verity: {e}"))?;
        if manifest.digest() != manifest.sha256 {
            return Err("it was changed after it was written: its digest is another one".to_string());
        }
        match manifest.parts.iter().find(|p| !is_inside(&p.file)) {
            Some(part) => {
                Err(format!("`{}` is no file in the attempt's folder", crate::error::cut(&part.file)))
            }
            None => Ok(manifest),
        }
    }

    /// The one part of a role.
    #[must_use]
    pub fn part(&self, role: Role) -> Option<&Part> {
        self.parts.iter().find(|p| p.role == role)
    }
}

/// Whether `file` is a path that stays in its folder, on every system.
fn is_inside(file: &str) -> bool {
    !file.contains(['\\', ':', '\0']) && file.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn manifest() -> Manifest {
        Manifest {
            schema_version: VERSION,
            verity: "1.2.3".to_string(),
            recording: Recorded { path: "run.jsonl".into(), format: "openai-chat".into(), calls: 2 },
            options: Options {
                variables: BTreeMap::from([("id".to_string(), json!(9_007_199_254_740_993_u64))]),
                faults: BTreeMap::from([("send".to_string(), Injected::Lost)]),
                extra_calls: Some(ExtraCalls::AllowReadOnly),
                ..Options::default()
            },
            parts: vec![Part {
                role: Role::Recording,
                file: "recording".into(),
                bytes: 3,
                sha256: "sha256:0".into(),
            }],
            rows: Rows { count: 3, sha256: "sha256:1".into() },
            verdict: Summary { status: "passed".into(), call_quality: "clean".into() },
            sha256: String::new(),
        }
        .sealed()
    }

    #[test]
    fn a_manifest_comes_back_and_no_other() {
        let text = serde_json::to_string(&manifest()).unwrap();
        assert!(text.contains("\"allow-readonly\"") && text.contains("\"lost\""), "{text}");
        assert_eq!(Manifest::read(text.as_bytes()), Ok(manifest()));
        // One digit beyond what a double holds.
        for (from, to) in
            [("passed", "failed"), ("9007199254740993", "9007199254740992"), ("\"count\":3", "\"count\":4")]
        {
            let changed = text.replace(from, to);
            assert_ne!(changed, text);
            assert!(Manifest::read(changed.as_bytes()).unwrap_err().contains("was changed"), "{from}");
        }
        assert!(Manifest::read(b"{}").unwrap_err().contains("schema_version"));
        assert!(Manifest::read(b"{\"schema_version\": 2}").unwrap_err().contains("version 2"));
        assert!(Manifest::read(b"[").unwrap_err().contains("not JSON"));
    }

    #[test]
    fn no_part_lies_outside() {
        for file in ["../x", "/etc/passwd", "a//b", "a/./b", "C:x", "a\\b", ""] {
            let mut other = manifest();
            other.parts[0].file = file.to_string();
            let text = serde_json::to_string(&other.sealed()).unwrap();
            assert!(Manifest::read(text.as_bytes()).unwrap_err().contains("no file in"), "{file}");
        }
    }
}
