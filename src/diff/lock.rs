//! `verity lock`: digests of each tool, part by part. A listing that was approved once and says something else now
//! (a "rug pull") is told by them, though not how it changed.

use super::{Change, Class, Diff, meaning};
use crate::error::{ErrorCode, InputError};
use crate::finding::Severity;
use crate::manifest::{Manifest, Tool};
use crate::rules::{self, ManifestView, diff as of_diff, say};
use crate::sha256;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Version of the format.
pub const VERSION: u64 = 1;
/// The member that tells a lock file.
const MARK: &str = "verity_lock";

/// A lock file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    verity_lock: u64,
    servers: Vec<Server>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Server {
    server: Option<String>,
    /// Of the server's instructions; none where the listing has none.
    instructions: Option<String>,
    /// By name; tools of one name in the order of the listing.
    tools: Vec<Locked>,
}

/// Digests of one tool's parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Locked {
    name: String,
    /// Description and title.
    description: String,
    /// What the input schema accepts, without its texts.
    input: String,
    /// Texts, defaults and formats of the input schema.
    input_texts: String,
    output: String,
    output_texts: String,
    /// Hints, after their defaults where the specification has some.
    annotations: String,
    /// Everything else: task support, `_meta`, icons.
    other: String,
}

impl Lock {
    /// The lock of these manifests.
    #[must_use]
    pub fn of(manifests: &[Manifest]) -> Lock {
        let server = |manifest: &Manifest| {
            let mut tools: Vec<Locked> = manifest.tools.iter().map(Locked::of).collect();
            tools.sort_by(|a, b| a.name.cmp(&b.name));
            Server {
                server: manifest.server.clone(),
                instructions: manifest.instructions.as_ref().map(|text| digest(&json!(text))),
                tools,
            }
        };
        Lock { verity_lock: VERSION, servers: manifests.iter().map(server).collect() }
    }

    /// The file's text, with a final line feed.
    #[must_use]
    pub fn to_json(&self) -> String {
        format!("{}\n", serde_json::to_string_pretty(self).unwrap_or_default())
    }

    /// How many tools are locked.
    #[must_use]
    pub fn len(&self) -> usize {
        self.servers.iter().map(|s| s.tools.len()).sum()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The lock that `value` holds; `None` where it is no lock file at all.
    #[must_use]
    pub fn parse(value: &Value) -> Option<Result<Lock, InputError>> {
        let version = value.as_object()?.get(MARK)?;
        let help = "`verity lock tools.json -o FILE` writes it anew, from the listing that was approved.";
        if *version != json!(VERSION) {
            let message = format!("a lock of version {version}, and this verity reads version {VERSION}");
            return Some(Err(InputError::new(ErrorCode::NotAManifest, message).help(help)));
        }
        Some(Lock::deserialize(value).map_err(|e| {
            InputError::new(ErrorCode::NotAManifest, format!("a lock file that is damaged: {e}")).help(help)
        }))
    }

    /// What of `new` is not as it was locked.
    #[must_use]
    pub fn compare(&self, new: &[Manifest]) -> Diff {
        let fresh = Lock::of(new);
        let mut changes = Vec::new();
        let single = self.servers.len() == 1 && new.len() == 1;
        let mut seen = BTreeSet::new();
        for (i, locked) in self.servers.iter().enumerate() {
            let at = if single { Some(0) } else { new.iter().position(|m| m.server == locked.server) };
            let mut of_server = match at.and_then(|at| Some((new.get(at)?, fresh.servers.get(at)?))) {
                Some((manifest, fresh)) => {
                    seen.insert(at.unwrap_or(i));
                    server(locked, fresh, manifest)
                }
                None => locked.tools.iter().map(gone).collect(),
            };
            if !single {
                of_server.iter_mut().for_each(|c| c.server.clone_from(&locked.server));
            }
            changes.append(&mut of_server);
        }
        for (i, manifest) in new.iter().enumerate().filter(|(i, _)| !seen.contains(i)) {
            let nothing = Server { server: None, instructions: None, tools: Vec::new() };
            let Some(fresh) = fresh.servers.get(i) else { continue };
            let mut of_server = server(&nothing, fresh, manifest);
            of_server.iter_mut().for_each(|c| c.server.clone_from(&manifest.server));
            changes.append(&mut of_server);
        }
        Diff::sorted(changes)
    }
}

impl Locked {
    fn of(tool: &Tool) -> Locked {
        let field = |name: &str| tool.value.get(name).cloned().unwrap_or(Value::Null);
        let meaning = |name: &str| digest(&meaning::of(&field(name)));
        let texts = |name: &str| digest(&json!([field(name), meaning::of(&field(name))]));
        let known = ["name", "description", "title", "inputSchema", "outputSchema", "annotations"];
        let other =
            tool.value.as_object().into_iter().flatten().filter(|(k, _)| !known.contains(&k.as_str()));
        let other: serde_json::Map<String, Value> = other.map(|(k, v)| (k.clone(), v.clone())).collect();
        Locked {
            name: tool.name().unwrap_or_default().to_string(),
            description: digest(&json!([field("description"), field("title")])),
            input: meaning("inputSchema"),
            input_texts: texts("inputSchema"),
            output: meaning("outputSchema"),
            output_texts: texts("outputSchema"),
            annotations: digest(&annotations(&field("annotations"))),
            other: digest(&Value::Object(other)),
        }
    }
}

/// Annotations with the specification's defaults written out.
fn annotations(stated: &Value) -> Value {
    let mut all = json!({"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true});
    if let (Some(all), Some(stated)) = (all.as_object_mut(), stated.as_object()) {
        all.extend(stated.iter().map(|(k, v)| (k.clone(), v.clone())));
    }
    all
}

/// `sha256:…` of a value, whatever the order of its members.
fn digest(value: &Value) -> String {
    sha256::prefixed(sorted(value).to_string().as_bytes())
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let by_key: BTreeMap<&String, Value> = members.iter().map(|(k, v)| (k, sorted(v))).collect();
            Value::Object(by_key.into_iter().map(|(k, v)| (k.clone(), v)).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

fn gone(locked: &Locked) -> Change {
    let message = format!("tool {} is gone", say::quoted(&locked.name));
    let mut change = Change::new(Class::Breaking, &of_diff::TOOL_REMOVED, "", message);
    change.tool = Some(locked.name.clone());
    change
}

fn server(locked: &Server, fresh: &Server, manifest: &Manifest) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut at: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for tool in manifest.tools.iter().rev() {
        at.entry(tool.name().unwrap_or_default()).or_default().push(tool.index);
    }
    let mut now: BTreeMap<&str, Vec<&Locked>> = BTreeMap::new();
    for tool in fresh.tools.iter().rev() {
        now.entry(&tool.name).or_default().push(tool);
    }
    let mut looked_at = Vec::new();
    for was in &locked.tools {
        let Some(is) = now.get_mut(was.name.as_str()).and_then(Vec::pop) else {
            changes.push(gone(was));
            continue;
        };
        let index = at.get_mut(was.name.as_str()).and_then(Vec::pop).unwrap_or_default();
        if was != is {
            looked_at.push(index);
            parts(was, is, index, &mut changes);
        }
    }
    for (name, left) in now {
        for _ in left {
            let index = at.get_mut(name).and_then(Vec::pop).unwrap_or_default();
            looked_at.push(index);
            let message = format!("tool {} is new: it was not locked", say::quoted(name));
            let mut change =
                Change::new(Class::Security, &of_diff::LOCKED_CHANGED, format!("/tools/{index}"), message);
            change.tool = Some(name.to_string());
            changes.push(change);
        }
    }
    let instructions = match (&locked.instructions, &fresh.instructions) {
        (was, is) if was == is => None,
        (None, _) => Some("the server has instructions, and none were locked"),
        (_, None) => Some("the server has no instructions any more, and some were locked"),
        _ => Some("the server's instructions are not what was locked; how they changed cannot be told"),
    };
    if let Some(message) = instructions {
        changes.push(Change::new(Class::Security, &of_diff::LOCKED_CHANGED, "/instructions", message));
    }
    poison(manifest, &looked_at, instructions.is_some(), &mut changes);
    changes
}

fn parts(was: &Locked, is: &Locked, index: usize, out: &mut Vec<Change>) {
    let all = [
        (was.annotations != is.annotations, "annotations", "its annotations are"),
        (was.description != is.description, "description", "its description or title is"),
        (was.input != is.input, "inputSchema", "what its inputSchema accepts is"),
        (
            was.input_texts != is.input_texts && was.input == is.input,
            "inputSchema",
            "a text or default in its inputSchema is",
        ),
        (was.output != is.output, "outputSchema", "what its outputSchema promises is"),
        (
            was.output_texts != is.output_texts && was.output == is.output,
            "outputSchema",
            "a text in its outputSchema is",
        ),
        (was.other != is.other, "", "a field beside schemas, texts and annotations is"),
    ];
    for (_, field, what) in all.into_iter().filter(|(differs, ..)| *differs) {
        let message = format!("{what} not what was locked; how it changed cannot be told");
        let below = if field.is_empty() { String::new() } else { format!("/{field}") };
        let mut change =
            Change::new(Class::Security, &of_diff::LOCKED_CHANGED, format!("/tools/{index}{below}"), message);
        change.tool = Some(is.name.clone());
        out.push(change);
    }
}

/// Orders to the agent in what is not as it was locked.
fn poison(manifest: &Manifest, at: &[usize], instructions: bool, out: &mut Vec<Change>) {
    let view = ManifestView::new(manifest);
    let mut found = Vec::new();
    for index in at {
        found.append(&mut rules::run_on_tools(&view, rules::poison::RULES, *index..*index + 1));
    }
    if instructions {
        let of_listing = rules::run_on_listing(&view, rules::poison::RULES);
        found.extend(of_listing.into_iter().filter(|f| f.pointer.starts_with("/instructions")));
    }
    for finding in
        found.into_iter().filter(|f| f.severity >= Severity::Warning && !f.rule.ends_with("-OUTSIZED"))
    {
        let message = format!("{} ({})", finding.message, finding.rule);
        let mut change = Change::new(Class::Security, &of_diff::TEXT_POISONED, finding.pointer, message);
        change.tool = finding.tool;
        out.push(change);
    }
}
