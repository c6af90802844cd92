//! [`Document`](crate::source::Document) → [`Manifest`]: which tools a file lists, whatever its shape.

use crate::error::InputError;
use crate::finding::{Part, Span};
use crate::source::{DefectKind, Document};
use serde::Serialize;
use serde_json::Value;

/// A revision of the MCP specification, by date; ordered by age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Revision {
    #[serde(rename = "2024-11-05")]
    V2024_11_05,
    #[serde(rename = "2025-03-26")]
    V2025_03_26,
    #[serde(rename = "2025-06-18")]
    V2025_06_18,
    #[serde(rename = "2025-11-25")]
    V2025_11_25,
    #[serde(rename = "2026-07-28")]
    V2026_07_28,
}

impl Revision {
    pub const NEWEST: Revision = Revision::V2026_07_28;
    pub const ALL: [Revision; 5] = [
        Revision::V2024_11_05,
        Revision::V2025_03_26,
        Revision::V2025_06_18,
        Revision::V2025_11_25,
        Revision::V2026_07_28,
    ];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Revision::V2024_11_05 => "2024-11-05",
            Revision::V2025_03_26 => "2025-03-26",
            Revision::V2025_06_18 => "2025-06-18",
            Revision::V2025_11_25 => "2025-11-25",
            Revision::V2026_07_28 => "2026-07-28",
        }
    }

    #[must_use]
    pub fn parse(s: &str) -> Option<Revision> {
        Revision::ALL.into_iter().find(|r| r.as_str() == s)
    }
}

/// Whether all tools of the server are there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Completeness {
    Complete,
    /// The last page has a `nextCursor`; pointer and segment of it.
    Truncated {
        cursor: String,
        segment: usize,
        pointer: String,
    },
}

/// The tools of one server, as one file lists them.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// The file, as the user named it.
    pub path: String,
    /// Kebab-case name of the recognised shape (`tools-object`, `jsonrpc-response`, …).
    pub shape: &'static str,
    /// Name of the server, where the file (or the user) states it.
    pub server: Option<String>,
    /// Revision that the listing states.
    pub protocol: Option<Revision>,
    /// Server instructions (from `initialize` or the listing), if any.
    pub instructions: Option<String>,
    /// Prompts, when the file lists them: raw values, for the text surfaces.
    pub prompts: Vec<Value>,
    pub tools: Vec<Tool>,
    /// Members of the listing object itself beside `tools` (`nextCursor`, `ttlMs`, …), in order.
    pub listing_fields: Vec<(String, Value)>,
    pub completeness: Completeness,
    /// Definitions without schemas by design (an MCPB manifest): schema rules cannot run.
    pub partial: Option<&'static str>,
    /// Things a reader of the report should know ("2 log lines before the JSON were skipped").
    pub notes: Vec<String>,
    /// `sha256:…` of the normalised listing; independent of the file's formatting and shape.
    pub digest: String,
    /// Where `/instructions`, `/prompts/N` and listing fields stand: (normalised, segment, source pointer).
    pub places: Vec<(String, usize, String)>,
}

/// One entry of the listing, under MCP's own field names.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Position among this server's tools: `/tools/{index}`.
    pub index: usize,
    /// The entry with MCP field names (`input_schema` → `inputSchema`, …); values verbatim.
    pub value: Value,
    pub origin: Origin,
    /// What of this tool's text could not be held as written: (kind, normalised pointer, text).
    pub defects: Vec<(DefectKind, String, String)>,
    /// Normalised pointers of duplicate keys within the tool, with their count.
    pub duplicate_keys: Vec<(String, usize)>,
}

/// Where a tool's parts stand in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub segment: usize,
    /// Source pointer of the entry.
    pub pointer: String,
    /// Fields that stand elsewhere than under their own name: (normalised, source) relative pointers,
    /// such as (`/inputSchema`, `/toolSpec/inputSchema/json`).
    pub moved: Vec<(String, String)>,
}

impl Tool {
    /// The name, if it is a string.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.value.get("name").and_then(Value::as_str)
    }

    /// `inputSchema` as written, if present.
    #[must_use]
    pub fn input_schema(&self) -> Option<&Value> {
        self.value.get("inputSchema")
    }

    #[must_use]
    pub fn output_schema(&self) -> Option<&Value> {
        self.value.get("outputSchema")
    }

    /// `/tools/{index}`.
    #[must_use]
    pub fn pointer(&self) -> String {
        format!("/tools/{}", self.index)
    }
}

impl Manifest {
    /// The revision to judge by: what the listing states, else the newest.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.protocol.unwrap_or(Revision::NEWEST)
    }

    /// Where a pointer of the normalised listing stands in the file.
    #[must_use]
    pub fn locate(&self, document: &Document, pointer: &str, part: &Part) -> Option<Span> {
        let _ = (document, pointer, part);
        todo!("reading")
    }
}

/// All manifests (one a server) of a document.
///
/// # Errors
/// `NotAManifest`, `NoTools`, `ServerError`: nothing to judge is never a clean run.
pub fn read(document: &Document) -> Result<Vec<Manifest>, InputError> {
    let _ = document;
    todo!("reading")
}
