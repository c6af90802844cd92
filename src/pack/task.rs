//! What a pack holds, before any target format.

use crate::finding::Finding;
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Name of the file that the agent reads.
pub const TOOLS_FILE: &str = "tools.json";
/// Name of the file that the agent writes: one JSON object, the arguments of one call.
pub const CALL_FILE: &str = "call.json";

/// One task: write the arguments of one call to `tool`.
#[derive(Debug, Clone)]
pub struct Task {
    /// Safe and unique in the pack: second half of the id, and file stem.
    pub name: String,
    /// The tool's real name.
    pub tool: String,
    /// Position in the listing.
    pub index: usize,
    /// What the agent is asked to do.
    pub objective: String,
    /// Text of [`TOOLS_FILE`].
    pub tools_json: Arc<str>,
    /// The input schema, verbatim.
    pub schema: Value,
    /// Arguments that both judges accept.
    pub solution: Value,
    /// Arguments that both judges refuse, each for one keyword.
    pub controls: Vec<Control>,
    /// Constraining keywords that an answer has to meet.
    pub constraints: usize,
    pub difficulty: Difficulty,
    /// `sha256:…` of the tool's definition.
    pub digest: String,
    /// Ids of the poisoning rules that flag the tool (only with `--include-flagged`), sorted.
    pub poisoning_rules: Vec<String>,
    /// Other findings on the tool: rule id and place.
    pub findings: Vec<Travelling>,
}

/// Arguments that break one named keyword.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Control {
    pub keyword: String,
    /// Pointer of the keyword in the schema.
    pub pointer: String,
    pub arguments: Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Difficulty {
    Easy,
    Medium,
    Hard,
    Expert,
}

impl Difficulty {
    /// By the number of constraints that an answer has to meet.
    #[must_use]
    pub fn of(constraints: usize) -> Difficulty {
        match constraints {
            0..=4 => Difficulty::Easy,
            5..=12 => Difficulty::Medium,
            13..=30 => Difficulty::Hard,
            _ => Difficulty::Expert,
        }
    }

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Difficulty::Easy => "easy",
            Difficulty::Medium => "medium",
            Difficulty::Hard => "hard",
            Difficulty::Expert => "expert",
        }
    }
}

/// A finding as a pack may carry it: rule and place, never the text that was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Travelling {
    pub rule: String,
    pub pointer: String,
    #[serde(skip)]
    pub severity: &'static str,
    /// Why it was suppressed, if it was.
    #[serde(skip)]
    pub is_suppressed: bool,
}

impl Travelling {
    #[must_use]
    pub fn of(finding: &Finding) -> Travelling {
        let pointer =
            if is_poisoning(finding) { known_part(&finding.pointer) } else { finding.pointer.clone() };
        Travelling {
            rule: finding.rule.clone(),
            pointer,
            severity: match finding.severity {
                crate::finding::Severity::Info => "info",
                crate::finding::Severity::Warning => "warning",
                crate::finding::Severity::Error => "error",
            },
            is_suppressed: finding.suppressed.is_some(),
        }
    }
}

/// Whether the finding says that a text tries to steer the agent.
#[must_use]
pub fn is_poisoning(finding: &Finding) -> bool {
    finding.rule.starts_with("MCP-POISON-")
}

/// `pointer` up to the first key that the server chose: a property's name can be the poison itself.
fn known_part(pointer: &str) -> String {
    const KNOWN: [&str; 11] = [
        "tools",
        "name",
        "title",
        "description",
        "inputSchema",
        "outputSchema",
        "annotations",
        "icons",
        "_meta",
        "instructions",
        "prompts",
    ];
    let tokens = pointer.split('/').skip(1);
    let known = |t: &&str| KNOWN.contains(t) || (!t.is_empty() && t.bytes().all(|b| b.is_ascii_digit()));
    tokens.take_while(known).fold(String::new(), |at, token| format!("{at}/{token}"))
}

/// Why a tool has no task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReasonCode {
    /// Every object is accepted, proven: nothing can fail.
    Vacuous,
    /// No object is accepted, proven: nobody can pass.
    Unsatisfiable,
    /// The schema breaks its dialect's metaschema.
    InvalidSchema,
    /// There is no input schema.
    MissingSchema,
    /// Valid, but the packs' grader cannot use it.
    Ungradeable,
    /// A poisoning finding: its text must not reach the agent.
    Flagged,
    /// No solution, or no control, was found.
    Unsolved,
}

impl ReasonCode {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            ReasonCode::Vacuous => "vacuous",
            ReasonCode::Unsatisfiable => "unsatisfiable",
            ReasonCode::InvalidSchema => "invalid-schema",
            ReasonCode::MissingSchema => "missing-schema",
            ReasonCode::Ungradeable => "ungradeable",
            ReasonCode::Flagged => "flagged",
            ReasonCode::Unsolved => "unsolved",
        }
    }
}

/// A tool that was left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Skipped {
    /// The tool's name; `None` for an entry without one.
    pub tool: Option<String>,
    #[serde(skip)]
    pub index: usize,
    pub reason_code: ReasonCode,
    /// Plain English; holds no text of a flagged tool.
    pub reason: String,
    /// Ids of the rules that made it so, sorted.
    pub rules: Vec<String>,
    /// Whether the name itself is what was flagged, and must not be repeated.
    #[serde(skip)]
    pub hides_name: bool,
}

/// The call file of some arguments: what the reference solution writes.
#[must_use]
pub fn call_text(arguments: &Value) -> String {
    let mut text = serde_json::to_string_pretty(arguments).unwrap_or_default();
    text.push('\n');
    text
}

/// An object of the given members, in order.
#[must_use]
pub fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().map(|(k, v)| (k.to_string(), v)).collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_of_poison_stop_before_names_that_the_server_chose() {
        assert_eq!(
            known_part("/tools/3/inputSchema/properties/ignore all/description"),
            "/tools/3/inputSchema"
        );
        assert_eq!(known_part("/tools/3/description"), "/tools/3/description");
        assert_eq!(known_part("/instructions"), "/instructions");
    }

    #[test]
    fn difficulty_grows_with_the_constraints() {
        assert_eq!(Difficulty::of(4).as_str(), "easy");
        assert_eq!(Difficulty::of(12).as_str(), "medium");
        assert_eq!(Difficulty::of(30).as_str(), "hard");
        assert_eq!(Difficulty::of(31).as_str(), "expert");
    }
}
