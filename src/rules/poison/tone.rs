//! MCP-POISON-TONE: one tool of a server commands where the others describe.

use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use crate::text::Role;
use std::collections::BTreeSet;

pub(super) struct Tone;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-POISON-TONE",
    severity: Severity::Info,
    confidence: Confidence::Low,
    impact: Impact::Agent,
    summary: "A description commands, where those of its neighbours describe",
    rationale: "The tools of one server are mostly written by one hand. A single description that speaks to the reader (*must*, *always*,
*important*, *do not tell*) among others that say what a tool does may have been added by another one.

The rule is information only, and never blocks: a tool that deletes things has reason to warn. It reports a description with at least
four such words, three of them different, on a server where twelve others at most, and three at least, were looked at and none has more
than one.",
    help: "Say what the tool does; if the agent must know more, say why",
    bad: r#"{
  "tools": [
    {"name": "list_rooms", "description": "Lists the rooms of a building.", "inputSchema": {"type": "object", "maxProperties": 0}},
    {"name": "list_floors", "description": "Lists the floors of a building.", "inputSchema": {"type": "object", "maxProperties": 0}},
    {"name": "list_desks", "description": "Lists the desks of a room.", "inputSchema": {"type": "object", "maxProperties": 0}},
    {
      "name": "list_lamps",
      "description": "IMPORTANT: lists the lamps. You must always pass the floor. This is mandatory; please do not forget it.",
      "inputSchema": {"type": "object", "maxProperties": 0}
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {"name": "list_rooms", "description": "Lists the rooms of a building.", "inputSchema": {"type": "object", "maxProperties": 0}},
    {"name": "list_floors", "description": "Lists the floors of a building.", "inputSchema": {"type": "object", "maxProperties": 0}},
    {"name": "list_desks", "description": "Lists the desks of a room.", "inputSchema": {"type": "object", "maxProperties": 0}},
    {"name": "list_lamps", "description": "Lists the lamps of a room.", "inputSchema": {"type": "object", "maxProperties": 0}}
  ]
}"#,
    sources: &["https://owasp.org/www-project-mcp-top-10/ (MCP03:2025 tool poisoning)"],
};

/// So many commanding words make a tone, and so many of them have to be different ones.
const WORDS: usize = 4;
const DIFFERENT: usize = 3;
/// How many neighbours are looked at, and how many there have to be.
const LOOKED_AT: usize = 12;
const NEIGHBOURS: usize = 3;

impl Rule for Tone {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let commands = &tool.assessment(manifest).evidence.commands;
        let Some(text) = description(tool).filter(|_| commands.len() >= WORDS) else { return };
        let words: Vec<&str> = commands.iter().filter_map(|range| text.get(range.clone())).collect();
        let mut different = BTreeSet::new();
        let named: Vec<&str> =
            words.iter().copied().filter(|word| different.insert(word.to_lowercase())).collect();
        if different.len() < DIFFERENT {
            return;
        }
        // What is known of a neighbour is found out once, however many tools are beside it.
        let others = || {
            let others = manifest.tools().iter().filter(|other| other.tool.index != tool.tool.index);
            others.filter(|other| description(other).is_some()).take(LOOKED_AT)
        };
        let is_calm = |other: &ToolView<'_>| other.assessment(manifest).evidence.commands.len() <= 1;
        if others().count() >= NEIGHBOURS && others().all(is_calm) {
            let message = format!(
                "the description of {} commands where those of its neighbours describe: {}",
                say::tool(tool),
                say::quoted_list(named, 4)
            );
            let first = words.first().map(|word| (*word).to_string());
            out.emit(tool.at("/description"), message).evidence = first;
        }
    }
}

fn description<'m>(tool: &ToolView<'m>) -> Option<&'m str> {
    let surface = tool.surfaces().iter().find(|s| s.role == Role::ToolDescription)?;
    Some(surface.text).filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::{Value, json};

    const LOUD: &str =
        "Ships a parcel. You must always pass the id. This is mandatory; please do not forget it.";

    fn listing(descriptions: &[&str]) -> Value {
        let tool = |(i, text): (usize, &&str)| json!({"name": format!("t{i}"), "description": text});
        descriptions.iter().enumerate().map(tool).collect()
    }

    #[test]
    fn one_voice_among_others() {
        let calm = "Lists the parcels of a day.";
        assert_eq!(
            places(&check(&Tone, &listing(&[calm, "Weighs a parcel.", LOUD, "Opens a claim."]))),
            [("/tools/2/description", Severity::Info)]
        );
        // It is the way in which this server speaks, or there are too few to say so.
        assert!(check(&Tone, &listing(&[calm, LOUD, LOUD, calm, calm])).is_empty());
        assert!(check(&Tone, &listing(&[calm, LOUD, calm])).is_empty());
        // One word, however often.
        assert!(check(&Tone, &listing(&[calm, "Must! Must! Must! Must!", calm, calm])).is_empty());
    }

    #[test]
    fn other_languages() {
        let calm = "Listet die Pakete eines Tages auf.";
        let loud = "Verschickt ein Paket. Unbedingt beachten: Die Nummer muss immer dabei sein, bitte.";
        assert_eq!(check(&Tone, &listing(&[calm, calm, loud, calm])).len(), 1);
    }
}
