//! What an export says of itself: for people, and as JSON (design §2).

use crate::finding::{Finding, Severity};
use crate::pack::export::Pack;
use crate::pack::write::Written;
use crate::report::screen::safe;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

/// One exported pack and what became of it.
#[derive(Debug, Clone)]
pub(super) struct Exported {
    pub(super) pack: Pack,
    pub(super) out: PathBuf,
    pub(super) counts: Counts,
    /// `None` where nothing was to be written.
    pub(super) written: Option<Written>,
}

/// Findings that are not suppressed, by severity.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    error: usize,
    warning: usize,
    info: usize,
}

pub(super) fn count(findings: &[Finding]) -> Counts {
    let of = |s: Severity| findings.iter().filter(|f| f.suppressed.is_none() && f.severity == s).count();
    Counts { error: of(Severity::Error), warning: of(Severity::Warning), info: of(Severity::Info) }
}

/// One object for one pack; for several, an object with a list of them.
pub(super) fn json(done: &[Exported]) -> String {
    let text = match done {
        [one] => {
            let mut value = json!({ "schema_version": 1 });
            if let (Some(all), Value::Object(own)) = (value.as_object_mut(), one_json(one)) {
                all.extend(own);
            }
            value
        }
        many => json!({ "schema_version": 1, "packs": many.iter().map(one_json).collect::<Vec<_>>() }),
    };
    format!("{text:#}\n")
}

fn one_json(one: &Exported) -> Value {
    let pack = &one.pack;
    let file = |name: &str| one.out.join(format!("{name}.yaml")).display().to_string().replace('\\', "/");
    let tasks: Vec<Value> = pack
        .tasks
        .iter()
        .map(|t| json!({ "id": format!("{}/{}", pack.name, t.name), "tool": t.tool, "file": file(&t.name) }))
        .collect();
    json!({
        "pack": pack.name,
        "server": pack.server,
        "out": one.out.display().to_string().replace('\\', "/"),
        "tool_count": pack.tasks.len() + pack.skipped.len(),
        "tasks": tasks,
        "skipped": pack.skipped,
        "findings": { "error": one.counts.error, "warning": one.counts.warning, "info": one.counts.info },
        "floor": pack.floor,
        "digest": pack.digest,
    })
}

/// A few lines for each pack.
pub(super) fn human(done: &[Exported]) -> String {
    let mut out = String::new();
    for one in done {
        human_one(&mut out, one);
    }
    out
}

fn human_one(out: &mut String, one: &Exported) {
    let pack = &one.pack;
    let folder = one.out.display().to_string();
    let tasks = plural(pack.tasks.len(), "task");
    let folder = safe(&folder);
    let _ = match one.written {
        _ if pack.tasks.is_empty() => writeln!(out, "{tasks}: nothing for {folder}"),
        Some(Written::Created) => writeln!(out, "{tasks} written to {folder}"),
        Some(Written::Replaced) => {
            writeln!(out, "{tasks} written to {folder}, in place of what was there")
        }
        Some(Written::Unchanged) => writeln!(out, "{tasks} in {folder}, unchanged"),
        None => writeln!(out, "{tasks} compared with {folder}"),
    };
    for task in &pack.tasks {
        let flagged = if task.poisoning_rules.is_empty() { "" } else { ", flagged" };
        let _ = writeln!(
            out,
            "  {}  {}, {}, {}{flagged}",
            shown(&task.tool),
            task.difficulty.as_str(),
            plural(task.constraints, "constraint"),
            plural(task.controls.len(), "control"),
        );
    }
    if !pack.skipped.is_empty() {
        let _ = writeln!(out, "left out:");
    }
    for left in &pack.skipped {
        let name = left.tool.clone().unwrap_or_else(|| format!("tool {} of the listing", left.index + 1));
        let rules =
            if left.rules.is_empty() { String::new() } else { format!(" [{}]", left.rules.join(", ")) };
        let _ =
            writeln!(out, "  {}  {}: {}{rules}", shown(&name), left.reason_code.as_str(), safe(&left.reason));
    }
    if pack.tasks.is_empty() {
        return;
    }
    let high = match pack.floor.is_high() {
        true if pack.floor.best() == pack.floor.tasks => ": the pack measures nothing",
        true => ": the pack measures little",
        false => "",
    };
    let _ = writeln!(
        out,
        "floor: an agent that reads nothing passes {} of {}{high}",
        pack.floor.best(),
        pack.floor.tasks
    );
    if one.written.is_some() {
        let _ = writeln!(out, "next: verity task test {folder}");
    }
}

/// A tool's name as a line of the report may hold it.
fn shown(name: &str) -> String {
    let cut: String = name.chars().take(60).collect();
    let more = if cut.len() < name.len() { "…" } else { "" };
    format!("{}{more}", safe(&cut))
}

fn plural(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
