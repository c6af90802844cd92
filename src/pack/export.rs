//! Manifest and findings → pack. Pure: the files come out as texts.

use super::solve::{self, Proofs};
use super::task::{Difficulty, ReasonCode, Skipped, TOOLS_FILE, Task, Travelling, is_poisoning};
use super::{floor, marker, names, readme};
use crate::finding::{Finding, Part, Severity};
use crate::manifest::{Manifest, Tool};
use crate::pack::floor::Floor;
use crate::pack::targets::tooltrace::{self, Source};
use crate::schema::SchemaView;
use crate::sha256;
use crate::threads;
use crate::yaml;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the agent finds in its workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// The task's own tool.
    Tool,
    /// The whole listing less the flagged tools, so that choosing among tools is part of the task.
    Manifest,
}

/// How to export.
#[derive(Debug, Clone)]
pub struct Options {
    /// Name of the pack; made safe.
    pub pack: String,
    /// Same listing, seed and options: the same bytes.
    pub seed: String,
    pub context: Context,
    /// Export tools with poisoning findings too, tagged.
    pub include_flagged: bool,
}

/// A pack, ready to be written.
#[derive(Debug, Clone)]
pub struct Pack {
    pub name: String,
    pub server: Option<String>,
    pub tasks: Vec<Task>,
    pub skipped: Vec<Skipped>,
    pub floor: Floor,
    /// Findings that are not told as a tool's reason to be left out; all of them travel.
    pub findings: Vec<Travelling>,
    /// File names and texts, sorted by name: the tasks and a README.md. Empty without tasks.
    pub files: BTreeMap<String, String>,
    /// `sha256:…` over names and texts.
    pub digest: String,
}

/// Export `manifest`, whose findings are `findings`.
#[must_use]
pub fn export(manifest: &Manifest, findings: &[Finding], options: &Options) -> Pack {
    let flags = Flags::of(manifest, findings);
    let name = names::make_safe(&options.pack);
    let safe = names::make_unique(manifest.tools.iter().map(|t| t.name().unwrap_or_default()));
    let listing = (options.context == Context::Manifest).then(|| Listing::of(manifest, &flags));
    let named: Vec<(&Tool, String)> = manifest.tools.iter().zip(safe).collect();
    let results = threads::each(&named, |(tool, safe)| {
        let flagged = flags.by_tool.get(&tool.index).map(Vec::as_slice).unwrap_or_default();
        task(tool, safe, flagged, manifest, listing.as_ref(), options)
    });
    let (mut tasks, mut skipped) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(task) => tasks.push(task),
            Err(left_out) => skipped.push(left_out),
        }
    }
    let mut of_tools: BTreeMap<usize, Vec<Travelling>> = BTreeMap::new();
    for finding in findings.iter().filter(|f| !is_poisoning(f)) {
        if let Some(index) = finding.tool_index() {
            of_tools.entry(index).or_default().push(Travelling::of(finding));
        }
    }
    for task in &mut tasks {
        task.findings = of_tools.remove(&task.index).unwrap_or_default();
        task.findings.sort();
        task.findings.dedup();
    }
    let mut pack = Pack {
        name,
        server: manifest.server.clone(),
        floor: floor::measure(&tasks),
        tasks,
        skipped,
        findings: travelling(findings),
        files: BTreeMap::new(),
        digest: String::new(),
    };
    pack.files = files(&pack, manifest, options);
    pack.digest = digest_of(&pack.files);
    pack
}

/// Findings as the README lists them, sorted and each once.
fn travelling(findings: &[Finding]) -> Vec<Travelling> {
    let mut all: Vec<Travelling> = findings.iter().map(Travelling::of).collect();
    all.sort();
    all.dedup();
    all
}

/// Poisoning findings that keep a tool out, by the tool's position.
struct Flags {
    by_tool: BTreeMap<usize, Vec<(String, bool)>>,
}

impl Flags {
    fn of(manifest: &Manifest, findings: &[Finding]) -> Flags {
        let listed: BTreeSet<usize> = manifest.tools.iter().map(|t| t.index).collect();
        let mut by_tool: BTreeMap<usize, Vec<(String, bool)>> = BTreeMap::new();
        for finding in findings.iter().filter(|f| is_poisoning(f) && f.is_at_least(Severity::Warning)) {
            let Some(index) = finding.tool_index().filter(|i| listed.contains(i)) else { continue };
            let on_name = finding.pointer == format!("/tools/{index}/name") || finding.part == Part::Key;
            by_tool.entry(index).or_default().push((finding.rule.clone(), on_name));
        }
        Flags { by_tool }
    }
}

/// The listing as agents of a `--context manifest` pack see it.
struct Listing {
    text: Arc<str>,
    /// How many tools of the listing have each description.
    descriptions: BTreeMap<String, usize>,
}

impl Listing {
    fn of(manifest: &Manifest, flags: &Flags) -> Listing {
        let clean = manifest.tools.iter().filter(|t| !flags.by_tool.contains_key(&t.index));
        let tools: Vec<&Value> = clean.map(|t| &t.value).collect();
        let mut descriptions = BTreeMap::new();
        for text in tools.iter().filter_map(|t| t.get("description").and_then(Value::as_str)) {
            *descriptions.entry(text.to_string()).or_insert(0) += 1;
        }
        Listing { text: tools_text(&json!({ "tools": tools })).into(), descriptions }
    }
}

fn task(
    tool: &Tool,
    safe: &str,
    flagged: &[(String, bool)],
    manifest: &Manifest,
    listing: Option<&Listing>,
    options: &Options,
) -> Result<Task, Skipped> {
    let mut rules: Vec<String> = flagged.iter().map(|(rule, _)| rule.clone()).collect();
    rules.sort();
    rules.dedup();
    let leave_out = |reason_code, reason: String| Skipped {
        tool: tool.name().map(str::to_string),
        index: tool.index,
        reason_code,
        reason,
        rules: rules.clone(),
        hides_name: flagged.iter().any(|(_, on_name)| *on_name),
    };
    if !rules.is_empty() && !options.include_flagged {
        let reason = "its text may steer an agent (--include-flagged exports it all the same)";
        return Err(leave_out(ReasonCode::Flagged, reason.to_string()));
    }
    let (schema, name) =
        solve::gradeable_parts(tool, manifest.partial).map_err(|(code, reason)| leave_out(code, reason))?;
    let view = SchemaView::new(schema);
    let Proofs { solution, controls, constraints } =
        solve::prove(&view, &options.seed, name).map_err(|(code, reason)| leave_out(code, reason))?;
    let own = || tools_text(&json!({ "tools": [tool.value] }));
    // A flagged tool is not in the common listing; who exports it wants it read.
    let shared = listing.filter(|_| rules.is_empty());
    Ok(Task {
        name: safe.to_string(),
        tool: name.to_string(),
        index: tool.index,
        objective: objective(tool, name, shared),
        tools_json: shared.map_or_else(|| own().into(), |l| Arc::clone(&l.text)),
        schema: schema.clone(),
        solution,
        controls,
        constraints,
        difficulty: Difficulty::of(constraints),
        digest: digest_of_value(&tool.value),
        poisoning_rules: rules,
        findings: Vec::new(),
    })
}

/// A file that the runner's `read_file` gives whole: it cuts at 256 KiB.
const READABLE_BYTES: usize = 250 << 10;

/// Indented where that can be read in one piece, else compact.
fn tools_text(listing: &Value) -> String {
    let mut text = serde_json::to_string_pretty(listing).unwrap_or_default();
    if text.len() > READABLE_BYTES {
        text = listing.to_string();
    }
    text.push('\n');
    text
}

/// Longest quotation of a manifest's text in an objective, in characters.
const QUOTE_CHARS: usize = 200;

fn objective(tool: &Tool, name: &str, listing: Option<&Listing>) -> String {
    let description = tool.value.get("description").and_then(Value::as_str).unwrap_or_default();
    let first_line = description.lines().next().unwrap_or_default().trim();
    let is_telling =
        listing.is_some_and(|l| l.descriptions.get(description) == Some(&1)) && !first_line.is_empty();
    let (what, which) = if is_telling {
        let what = format!(
            "{TOOLS_FILE} lists the tools of a server. Choose the one that is described with {}.",
            quote(first_line)
        );
        (what, "that tool")
    } else if listing.is_some() {
        (
            format!("{TOOLS_FILE} lists the tools of a server. Choose the one named {}.", quote(name)),
            "that tool",
        )
    } else {
        (format!("{TOOLS_FILE} holds the definition of the tool {}.", quote(name)), "it")
    };
    format!(
        "{what} Read its inputSchema. Then write call.json: one JSON object, the arguments of one call to {which} \
         that its inputSchema accepts. Write the arguments alone, without the tool's name around them."
    )
}

/// `text` in quotes, on one line, control characters escaped, cut.
fn quote(text: &str) -> String {
    let mut cut: String = text.chars().take(QUOTE_CHARS).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    Value::String(cut).to_string()
}

fn files(pack: &Pack, manifest: &Manifest, options: &Options) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    if pack.tasks.is_empty() {
        return files;
    }
    let source = Source {
        pack: &pack.name,
        server: pack.server.as_deref(),
        digest: &manifest.digest,
        seed: &options.seed,
        verity: env!("CARGO_PKG_VERSION"),
    };
    let file = |task: &Task| {
        // The serializer writes every JSON value; an empty file would fail every check.
        let text = yaml::write(&tooltrace::document(task, &source)).unwrap_or_default();
        (format!("{}.yaml", task.name), marker::mark_yaml(&text))
    };
    files.extend(threads::each(&pack.tasks, file));
    files.insert("README.md".to_string(), marker::mark_markdown(&readme::render(pack, &source)));
    files
}

fn digest_of(files: &BTreeMap<String, String>) -> String {
    let mut hash = Sha256::new();
    for (name, text) in files {
        for part in [name.as_bytes(), text.as_bytes()] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
    }
    sha256::spelled(&hash.finalize())
}

fn digest_of_value(value: &Value) -> String {
    sha256::prefixed(value.to_string().as_bytes())
}
