//! SARIF 2.1.0 (OASIS), within the limits of GitHub code scanning.

use super::screen::safe;
use super::{file_of, findings, path};
use crate::bounds;
use crate::error::InputError;
use crate::finding::{Finding, Severity, Span};
use crate::lint::LintedFile;
use crate::rules::{self, RuleInfo, page};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Results beyond which GitHub refuses a run
/// (<https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning>).
pub const MAX_RESULTS: usize = 25_000;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool,
    column_kind: &'static str,
    invocations: [Invocation; 1],
    results: Vec<Outcome<'a>>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    rules: Vec<Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<'a> {
    rule_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: Value,
    locations: [Value; 1],
    partial_fingerprints: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressions: Option<Value>,
    properties: Value,
}

/// The log of one run. Paths are relative to `base` where they lie in it.
#[must_use]
pub fn render(files: &[LintedFile], errors: &[InputError], base: &str) -> String {
    let mut all: Vec<_> = findings(files).collect();
    let total = all.len();
    if total > MAX_RESULTS {
        // The gravest stay, in their order.
        let mut severities: Vec<Severity> = all.iter().map(|(_, _, f)| f.severity).collect();
        severities.sort_by_key(|s| std::cmp::Reverse(*s));
        let least = severities.get(MAX_RESULTS - 1).copied().unwrap_or(Severity::Info);
        let mut room = MAX_RESULTS - severities.iter().filter(|s| **s > least).count();
        all.retain(|(_, _, f)| {
            f.severity > least
                || f.severity == least && room > 0 && {
                    room -= 1;
                    true
                }
        });
    }
    let known: BTreeMap<&str, &'static RuleInfo> = rules::all().map(|r| (r.info().id, r.info())).collect();
    let mut used: Vec<&'static RuleInfo> = Vec::new();
    let mut index: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, _, finding) in &all {
        if let (Some(info), false) =
            (known.get(finding.rule.as_str()), index.contains_key(finding.rule.as_str()))
        {
            index.insert(info.id, used.len());
            used.push(info);
        }
    }
    let results = all
        .iter()
        .map(|(file, manifest, finding)| {
            let uri = path::uri(file_of(file, manifest, finding), base);
            result(finding, &uri, index.get(finding.rule.as_str()).copied())
        })
        .collect();
    let mut notes: Vec<Value> = errors.iter().map(|e| notification("error", &e.to_string())).collect();
    if total > MAX_RESULTS {
        let text = format!(
            "{} of {total} findings are here: GitHub takes no more; the gravest were kept",
            MAX_RESULTS
        );
        notes.push(notification("warning", &text));
    }
    let log = Log {
        schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "verity",
                    semantic_version: env!("CARGO_PKG_VERSION"),
                    rules: used.into_iter().map(rule).collect(),
                },
            },
            column_kind: "unicodeCodePoints",
            invocations: [Invocation {
                execution_successful: errors.is_empty(),
                tool_execution_notifications: notes,
            }],
            results,
        }],
    };
    serde_json::to_string_pretty(&log).unwrap_or_default() + "\n"
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn notification(level: &str, text: &str) -> Value {
    json!({"level": level, "message": {"text": plain(text)}})
}

/// Text in which nothing is a link: `[…](…)` would be one in SARIF (§3.11.6).
fn plain(text: &str) -> String {
    safe(text).replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
}

fn rule(info: &RuleInfo) -> Value {
    let mut properties = json!({"precision": page::confidence(info.confidence),
        "tags": [info.family().to_ascii_lowercase()]});
    if info.family() == "POISON" {
        // On GitHub: 7.0 and above is high, 4.0 and above medium.
        let score = match info.severity {
            Severity::Error => "8.5",
            Severity::Warning => "6.5",
            Severity::Info => "3.5",
        };
        if let Some(members) = properties.as_object_mut() {
            members.insert("security-severity".to_string(), json!(score));
            members.insert("tags".to_string(), json!(["security", "poison"]));
        }
    }
    let summary = page::capitalised(info.summary);
    json!({
        "id": info.id,
        "shortDescription": {"text": summary},
        "fullDescription": {"text": summary},
        "help": {"text": format!("{}.", info.help), "markdown": page::page(info)},
        "defaultConfiguration": {"level": level(info.severity)},
        "properties": properties,
    })
}

fn result<'a>(finding: &'a Finding, uri: &str, rule_index: Option<usize>) -> Outcome<'a> {
    let mut location = json!({"physicalLocation": {"artifactLocation": {"uri": uri}}});
    // GitHub shows no result without a line.
    let region = finding.span.map_or_else(|| json!({"startLine": 1}), region);
    if let Some(physical) = location.get_mut("physicalLocation").and_then(Value::as_object_mut) {
        physical.insert("region".to_string(), region);
    }
    let tool = finding.tool.as_deref().map(bounds::name);
    let pointer = bounds::pointer(&finding.pointer);
    // The file is named beside it.
    let source = finding.source_pointer.as_deref().map(bounds::pointer);
    if let Some(tool) = &tool
        && let Some(members) = location.as_object_mut()
    {
        let name = safe(tool).into_owned();
        let full = format!("{name}{}", source.unwrap_or(pointer));
        members.insert(
            "logicalLocations".to_string(),
            json!([{"name": name, "fullyQualifiedName": safe(&full), "kind": "function"}]),
        );
    }
    let mut text = finding.message.clone();
    if let Some(witness) = &finding.witness {
        let shown: String = witness.to_string().chars().take(500).collect();
        text.push_str(&format!(". Witness: {shown}"));
    }
    Outcome {
        rule_id: &finding.rule,
        rule_index,
        level: level(finding.severity),
        message: json!({"text": plain(&text)}),
        locations: [location],
        partial_fingerprints: json!({"verity/v1": finding.fingerprint}),
        suppressions: finding
            .suppressed
            .as_ref()
            .map(|why| json!([{"kind": "external", "status": "accepted", "justification": plain(why)}])),
        properties: json!({"pointer": pointer, "sourcePointer": source, "tool": tool, "profile": finding.profile,
            "confidence": finding.confidence, "impact": finding.impact, "witness": finding.witness,
            "evidence": finding.evidence.as_deref().map(shortened)}),
    }
}

/// The longest evidence that is shown, in characters: an upload has a limit of its own.
const EVIDENCE: usize = 500;

fn shortened(evidence: &str) -> String {
    let end = evidence.char_indices().nth(EVIDENCE).map(|(at, _)| at);
    let short = end.and_then(|end| evidence.get(..end)).map(|head| format!("{head}…"));
    safe(short.as_deref().unwrap_or(evidence)).into_owned()
}

fn region(span: Span) -> Value {
    json!({"startLine": span.line, "startColumn": span.column, "endLine": span.end_line,
        "endColumn": span.end_column, "byteOffset": span.offset, "byteLength": span.length})
}
