//! MCP-USAGE-BOILERPLATE: the same sentences in many descriptions.

use super::size;
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) struct Boilerplate;

/// Characters from which a line or a sentence is a text of its own.
const LINE: usize = 60;
/// Tools that must have it.
const TOOLS: usize = 4;
/// Estimated tokens that the repetitions must cost together.
const COST: usize = 500;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-USAGE-BOILERPLATE",
    severity: Severity::Info,
    confidence: Confidence::High,
    impact: Impact::Agent,
    summary: "The same text stands in the descriptions of many tools",
    rationale: "What every tool says tells none of them apart: it is paid for once per tool and turn, it
pushes what is particular out of sight in clients that cut descriptions, and a search by keyword
finds all tools for its words.

The rule counts lines of at least 60 characters that stand in at least four tools, and such sentences
of the other lines, and reports them once, for the listing, when the repetitions together cost more
than 500 estimated tokens (four characters a token). What all tools have in common belongs into the server's `instructions`.",
    help: "Move the common text into the server's `instructions`, and keep in each description what is particular to the tool",
    bad: BAD,
    good: r#"{
  "tools": [
    {
      "name": "open_valve",
      "description": "Open a valve of the plant. Takes about ten seconds.",
      "inputSchema": {
        "type": "object",
        "properties": {"valve": {"type": "string", "description": "Name of the valve."}},
        "required": ["valve"],
        "additionalProperties": false
      }
    },
    {
      "name": "close_valve",
      "description": "Close a valve of the plant. Fails while the pump behind it runs.",
      "inputSchema": {
        "type": "object",
        "properties": {"valve": {"type": "string", "description": "Name of the valve."}},
        "required": ["valve"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    sources: &["https://www.anthropic.com/engineering/writing-tools-for-agents"],
};

/// One tool of the bad example; they differ in their first sentence only.
macro_rules! valve {
    ($name:literal, $first:literal) => {
        concat!(
            r#"{"name": ""#,
            $name,
            r#"", "description": ""#,
            $first,
            r#"\nThe plant is in Altdorf; its valves are named by hall, row and number, counted from the gate. "#,
            r#"Before each call make sure that the plant is not in its nightly maintenance window, which begins at two and ends at four, "#,
            r#"and that the operator on duty has been told. Times are local. Results carry the state of the valve and the time of its last inspection, "#,
            r#"which is made every spring by the owner of the hall and entered into the book of the plant.", "#,
            r#""inputSchema": {"type": "object", "properties": {"valve": {"type": "string", "description": "Name of the valve."}}, "#,
            r#""required": ["valve"], "additionalProperties": false}}"#
        )
    };
}
const BAD: &str = concat!(
    r#"{"tools": ["#,
    valve!("open_valve", "Open a valve."),
    ", ",
    valve!("close_valve", "Close a valve."),
    ", ",
    valve!("inspect_valve", "Enter an inspection of a valve."),
    ", ",
    valve!("lock_valve", "Lock a valve until it is unlocked."),
    ", ",
    valve!("unlock_valve", "Unlock a valve."),
    ", ",
    valve!("label_valve", "Change the label of a valve."),
    "]}"
);

impl Rule for Boilerplate {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn manifest(&self, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let mut texts = Counts::new();
        for (i, tool) in manifest.tools().iter().enumerate() {
            count(&mut texts, i, lines(tool));
        }
        texts.retain(|_, (n, _)| *n >= TOOLS);
        let mut sentences = Counts::new();
        for (i, tool) in manifest.tools().iter().enumerate() {
            let rest = lines(tool).filter(|line| !texts.contains_key(line));
            count(
                &mut sentences,
                i,
                rest.flat_map(|line| line.split_inclusive(['.', '!', '?', '。'])).map(str::trim),
            );
        }
        texts.extend(sentences);
        let common = || texts.iter().filter(|(_, (n, _))| *n >= TOOLS);
        let waste = |line: &str, n: usize| size::tokens_of_text(line) * (n - 1);
        let cost: usize = common().map(|(line, (n, _))| waste(line, *n)).sum();
        if cost <= COST {
            return;
        }
        let Some((line, (n, first))) =
            common().max_by_key(|(line, (n, first))| (waste(line, *n), usize::MAX - first))
        else {
            return;
        };
        let Some(tool) = manifest.tools().get(*first) else { return };
        let many = common().count();
        let message = format!(
            "repeating {} in many descriptions costs about {cost} tokens (estimated from characters); the worst stands in {n} of {} tools: {}",
            say::count(many, "passage"),
            manifest.tools().len(),
            say::quoted(line)
        );
        let finding = out.emit(tool.at("/description"), message);
        finding.evidence = Some(line.chars().take(200).collect());
    }
}

/// How many tools have a text, and the first of them.
type Counts<'t> = BTreeMap<&'t str, (usize, usize)>;

fn lines<'t>(tool: &'t ToolView<'_>) -> impl Iterator<Item = &'t str> {
    let text = tool.tool.value.get("description").and_then(Value::as_str).unwrap_or_default();
    text.lines().map(str::trim)
}

/// Counts what stands in the tool at `index`, once each.
fn count<'t>(counts: &mut Counts<'t>, index: usize, texts: impl Iterator<Item = &'t str>) {
    let mut seen: Vec<&str> = Vec::new();
    for text in texts.filter(|text| text.len() >= LINE).take(200) {
        if !seen.contains(&text) {
            seen.push(text);
            counts.entry(text).or_insert((0, index)).0 += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn counted_for_the_listing() {
        let line = "Every sentence of this line stands in each of the tools, word for word. ".repeat(10);
        let tools = |n: usize, text: &str| -> Value {
            (0..n)
                .map(|i| json!({"name": format!("t{i}"), "description": format!("Does {i}.\n{text}")}))
                .collect()
        };
        // 720 characters are 180 tokens (the blank at the end is trimmed): three repetitions cost 537
        let found = check(&Boilerplate, &tools(4, &line));
        assert_eq!(places(&found), [("/tools/0/description", Severity::Info)]);
        assert!(found[0].message.contains("costs about 537 tokens"), "{}", found[0].message);
        assert!(check(&Boilerplate, &tools(3, &line)).is_empty());
        assert!(check(&Boilerplate, &tools(9, "A short line in every tool.")).is_empty());
    }

    #[test]
    fn sentences_count_where_the_lines_differ() {
        let sentence =
            "Every request is made with the token of the account, and its answer is kept for five minutes.";
        let tools = |n: usize| -> Value {
            (0..n).map(|i| json!({"name": format!("t{i}"), "description": format!("Does {i}. {sentence} See {i}.")})).collect()
        };
        // 93 characters are 23 tokens: 22 repetitions cost 506, 19 cost 437.
        let found = check(&Boilerplate, &tools(23));
        assert_eq!(places(&found), [("/tools/0/description", Severity::Info)]);
        assert!(
            found[0].message.contains("1 passage in many descriptions costs about 506 tokens"),
            "{}",
            found[0].message
        );
        assert!(check(&Boilerplate, &tools(20)).is_empty());
    }
}
