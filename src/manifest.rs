//! [`Document`](crate::source::Document) → [`Manifest`]: which tools a file lists, whatever its shape.

mod bundle;
mod capture;
mod digest;
mod draft;
mod entry;
mod faults;
mod foreign;
mod input;
mod jsonrpc;
mod leftover;
mod mcp;
mod place;
mod servers;

pub use capture::CAPTURE_FORMAT;
pub use draft::MAX_TOOLS;
pub use input::Input;

use crate::error::{ErrorCode, InputError};
use crate::source::{DefectKind, Document, Framing};
use draft::Draft;
use serde::Serialize;
use serde_json::Value;
use std::ops::Range;

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
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Completeness {
    #[default]
    Complete,
    /// The last page has a `nextCursor`; pointer and segment of it.
    Truncated { cursor: String, segment: usize, pointer: String },
    /// Something else of the file was not read: what, in words.
    Partly(String),
}

impl Completeness {
    /// Why tools are missing, in words; `None` if none are.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        match self {
            Completeness::Complete => None,
            Completeness::Truncated { .. } => Some(
                "the listing is not complete: its last page has a `nextCursor`, so tools are missing"
                    .to_string(),
            ),
            Completeness::Partly(what) => Some(format!("the listing is not complete: {what}")),
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Completeness::Partly(_) => {
                "Capture every server again and leave one listing a server in the file"
            }
            _ => "Fetch the other pages too and save them in one file",
        }
    }
}

/// The tools of one server, as one file lists them.
#[derive(Debug, Clone, Default)]
pub struct Manifest {
    /// The file, as the user named it.
    pub path: String,
    /// Kebab-case name of the recognised shape (`tools-object`, `jsonrpc-response`, …).
    pub shape: &'static str,
    /// Name of the server, where the file (or the user) states it.
    pub server: Option<String>,
    /// Revision to judge by, if not the newest: what the listing states, until a profile says otherwise.
    pub protocol: Option<Revision>,
    /// Revision that the listing itself states, whatever it is judged by.
    pub stated: Option<Revision>,
    /// Whether the listing is what a server sent, word by word (a JSON-RPC result), and no dump or
    /// definition file.
    pub is_wire: bool,
    /// Server instructions (from `initialize` or the listing), if any.
    pub instructions: Option<String>,
    /// Prompts, when the file lists them: raw values, for the text surfaces.
    pub prompts: Vec<Value>,
    /// Resources and resource templates of a captured server, each with its pointer (`/resources/0`).
    pub resources: Vec<(String, Value)>,
    pub tools: Vec<Tool>,
    /// Members of the listing object itself beside `tools` (`nextCursor`, `ttlMs`, …), in order.
    pub listing_fields: Vec<(String, Value)>,
    pub completeness: Completeness,
    /// Definitions without schemas by design (an MCPB manifest): schema rules cannot run.
    pub partial: Option<&'static str>,
    /// Lines between the messages that are none (a server's log on stdout); the first few of them.
    pub log_lines: Vec<LogLine>,
    /// How many there are.
    pub log_line_count: usize,
    /// Things a reader of the report should know ("2 log lines before the JSON were skipped").
    pub notes: Vec<String>,
    /// `sha256:…` of the normalised listing; independent of the file's formatting and shape.
    pub digest: String,
    /// Where `/instructions`, `/prompts/N` and listing fields stand: (normalised, segment, source pointer).
    pub places: Vec<(String, usize, String)>,
    /// What could not be held as written outside the tools: see [`LostText`].
    pub defects: Vec<LostText>,
    /// Pointers of duplicate keys outside the tools, with their count.
    pub duplicate_keys: Vec<(String, usize)>,
}

/// A line that is no JSON among a server's messages; `/log/N` in findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// From 1.
    pub line: usize,
    /// Byte range in the text of the document.
    pub range: Range<usize>,
    pub text: String,
}

/// A text that could not be held as written: kind, normalised pointer, text as written.
pub type LostText = (DefectKind, String, String);

/// One entry of the listing, under MCP's own field names.
#[derive(Debug, Clone, Default)]
pub struct Tool {
    /// Position among this server's tools: `/tools/{index}`.
    pub index: usize,
    /// The entry with MCP field names (`input_schema` → `inputSchema`, …); values verbatim.
    pub value: Value,
    pub origin: Origin,
    /// The API whose words the entry is written in (`openai-chat`); `None` for MCP's own.
    pub api: Option<&'static str>,
    /// Members that belong to the API which the file is written for, not to the tool (`strict`, …).
    pub foreign: Vec<(String, Value)>,
    /// What of this tool's text could not be held as written.
    pub defects: Vec<LostText>,
    /// Normalised pointers of duplicate keys within the tool, with their count.
    pub duplicate_keys: Vec<(String, usize)>,
}

/// Where a tool's parts stand in the document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origin {
    /// Which of the documents that were read together; 0 but for folders of snapshots, a file a tool.
    pub document: usize,
    pub segment: usize,
    /// Source pointer of the entry.
    pub pointer: String,
    /// Fields that stand elsewhere than under their own name: (normalised, source) relative pointers,
    /// such as (`/inputSchema`, `/toolSpec/inputSchema/json`).
    pub moved: Vec<(String, String)>,
    /// The name is the key that leads to the entry.
    pub name_is_key: bool,
}

impl Origin {
    /// Source pointer of a place in the tool (`/inputSchema/type` → `/tools/0/function/parameters/type`).
    fn source(&self, below: &str) -> String {
        let moved = self
            .moved
            .iter()
            .filter_map(|(to, from)| Some((to, from, below.strip_prefix(to.as_str())?)))
            .filter(|(_, _, rest)| rest.is_empty() || rest.starts_with('/'))
            .max_by_key(|(to, _, _)| to.len());
        match moved {
            Some((_, from, rest)) => format!("{}{from}{rest}", self.pointer),
            None => format!("{}{below}", self.pointer),
        }
    }

    /// The place in the tool of a source pointer within the entry; the reverse of [`Origin::source`].
    fn normalised(&self, source: &str) -> String {
        let below = source.strip_prefix(self.pointer.as_str()).unwrap_or(source);
        let moved = self
            .moved
            .iter()
            .filter_map(|(to, from)| Some((to, from, below.strip_prefix(from.as_str())?)))
            .filter(|(_, _, rest)| rest.is_empty() || rest.starts_with('/'))
            .max_by_key(|(_, from, _)| from.len());
        match moved {
            Some((to, _, rest)) => format!("{to}{rest}"),
            None => below.to_string(),
        }
    }
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

    /// `sha256:…` of the normalised entry.
    #[must_use]
    pub fn digest(&self) -> String {
        digest::of_tool(self)
    }

    /// Source pointer of a place in the tool: where `/inputSchema` stands in its segment.
    #[must_use]
    pub fn source_pointer(&self, below: &str) -> String {
        self.origin.source(below)
    }

    /// `/tools/{index}`.
    #[must_use]
    pub fn pointer(&self) -> String {
        format!("/tools/{}", self.index)
    }
}

impl Manifest {
    /// A listing of `tools` that was read from no file: as `{"tools": […]}` in one segment.
    pub fn of_tools(tools: impl IntoIterator<Item = Value>) -> Manifest {
        let tools = tools.into_iter().enumerate().map(|(index, value)| Tool {
            index,
            value,
            origin: Origin { pointer: format!("/tools/{index}"), ..Origin::default() },
            ..Tool::default()
        });
        Manifest { shape: "tools-object", tools: tools.collect(), ..Manifest::default() }
    }

    /// The revision to judge by: what the listing states, else the newest.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.protocol.unwrap_or(Revision::NEWEST)
    }
}

/// How a file of some shape is told and read. The first that fits is taken.
struct Shape {
    is: fn(&Value) -> bool,
    read: fn(&Document) -> Vec<(Draft, &'static str)>,
}

static SHAPES: &[Shape] = &[
    Shape { is: capture::is, read: capture::read },
    Shape { is: bundle::is, read: bundle::read },
    Shape { is: mcp::is_object, read: mcp::object },
    Shape { is: mcp::is_single, read: mcp::single },
    Shape { is: mcp::is_array, read: mcp::array },
    Shape { is: mcp::is_map, read: mcp::map },
    Shape { is: |_| true, read: servers::read },
];

/// All manifests (one a server) of a document.
///
/// # Errors
/// `NotAManifest`, `NoTools`, `ServerError`: nothing to judge is never a clean run.
pub fn read(document: &Document) -> Result<Vec<Manifest>, InputError> {
    manifests(document).map_err(|e| e.at(&document.path))
}

fn manifests(document: &Document) -> Result<Vec<Manifest>, InputError> {
    let drafts = drafts(document)?;
    let empty = drafts.iter().all(|(draft, _)| draft.has_no_tools());
    let mut manifests: Vec<Manifest> = Vec::new();
    for (draft, shape) in drafts {
        manifests.push(draft.finish(std::slice::from_ref(document), shape)?);
    }
    if empty {
        let goes_on = manifests.iter().any(|m| m.completeness != Completeness::Complete);
        return Err(if goes_on { no_tools_yet() } else { no_tools() });
    }
    drop_repeated(&mut manifests);
    leftover::mark(document, &mut manifests);
    note_skipped_lines(document, &mut manifests);
    Ok(manifests)
}

/// Leaves out listings that say what an earlier one of the same server says: a log of requests repeats
/// the tools again and again.
fn drop_repeated(manifests: &mut Vec<Manifest>) {
    let before = manifests.len();
    let mut seen = std::collections::BTreeSet::new();
    manifests.retain(|m| {
        seen.insert((m.server.clone(), m.digest.clone(), m.completeness == Completeness::Complete))
    });
    let repeated = before - manifests.len();
    if let (Some(first), true) = (manifests.first_mut(), repeated > 0) {
        first.notes.push(format!("{repeated} listings that repeat another of the file were passed over"));
    }
}

/// Says which lines of the file are no JSON. Around server-sent events there is always something.
fn note_skipped_lines(document: &Document, manifests: &mut [Manifest]) {
    if let (Some(manifest), [first, rest @ ..], Framing::Lines) =
        (manifests.first_mut(), document.skipped_lines.as_slice(), document.framing)
    {
        let note = match rest.len() {
            0 => format!("line {first} is no JSON and was skipped"),
            more => format!("line {first} and {more} more are no JSON and were skipped"),
        };
        manifest.notes.insert(0, note);
    }
}

fn no_tools_yet() -> InputError {
    InputError::new(ErrorCode::Incomplete, "the listing has no tools, and goes on: there is a `nextCursor`")
        .help("Nothing was checked. Ask for the next page with params {\"cursor\": …} and put all answers into the file.")
}

fn no_tools() -> InputError {
    InputError::new(ErrorCode::NoTools, "the listing has no tools").help(
        "Nothing was checked. If the server has tools, capture the listing again after it has started up.",
    )
}

fn drafts(document: &Document) -> Result<Vec<(Draft, &'static str)>, InputError> {
    let messages = jsonrpc::of_document(document);
    if !messages.is_empty() {
        return jsonrpc::read(document, &messages);
    }
    let Some(first) = document.segments.first() else { return Err(no_tools()) };
    if document.segments.len() > 1 {
        return mcp::lines(document);
    }
    let drafts = SHAPES.iter().find(|shape| (shape.is)(&first.value)).map(|shape| (shape.read)(document));
    match drafts {
        Some(drafts) if !drafts.is_empty() => Ok(drafts),
        _ => Err(foreign::error(&first.value, &document.path)),
    }
}
