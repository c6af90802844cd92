//! `verity rules`.

use super::{Format, Outcome, Shared, out};
use crate::rules::{self, RuleInfo, page};
use serde_json::{Value, json};

/// List the rules.
///
/// `verity explain RULE` shows one rule's page: why it exists, an example, what to do.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// How to print the list.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Human)]
    format: Format,
    /// Only the rules whose id has this part, in any case: `poison`, `MCP-TOOL`.
    #[arg(value_name = "PART")]
    part: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  verity rules
  verity rules poison --format json

Exit codes: 0 listed, 2 no rule has PART in its id.";

pub(crate) fn run(args: &Args, _shared: &Shared) -> Outcome {
    let part = args.part.as_deref().unwrap_or_default().to_ascii_uppercase();
    let listed: Vec<&RuleInfo> = rules::all().map(|r| r.info()).filter(|i| i.id.contains(&part)).collect();
    let json = args.format == Format::Json;
    if listed.is_empty() {
        let families = rules::families().join(", ");
        return super::usage_error(
            format!("no rule has `{part}` in its id; the families are {families}"),
            json,
        );
    }
    let text = if json { format!("{:#}\n", as_json(&listed)) } else { table(&listed) };
    out::stdout(&text)
}

fn as_json(listed: &[&RuleInfo]) -> Value {
    let rules: Vec<Value> = listed
        .iter()
        .map(|info| {
            json!({
                "id": info.id,
                "family": info.family(),
                "severity": info.severity,
                "confidence": info.confidence,
                "impact": info.impact,
                "summary": info.summary,
                "rationale": info.rationale,
                "help": info.help,
                "sources": info.sources,
            })
        })
        .collect();
    json!({"schema_version": 1, "rules": rules})
}

/// A line a rule, by family, summaries wrapped under themselves.
fn table(listed: &[&RuleInfo]) -> String {
    let widest = listed.iter().map(|info| info.id.len()).max().unwrap_or(0);
    let width = super::explain::width();
    // Beside the ids there must be room for a few words; else the summaries stand below them.
    let beside = width >= widest + 45;
    let indent = if beside { " ".repeat(widest + 13) } else { " ".repeat(6) };
    let mut text = String::new();
    for family in rules::families() {
        let of_family: Vec<&&RuleInfo> = listed.iter().filter(|i| i.family() == family).collect();
        if of_family.is_empty() {
            continue;
        }
        text.push_str(&format!("{family}\n"));
        for info in of_family {
            let head = format!("  {:<9}{:<widest$}  ", page::severity(info.severity), info.id);
            let first = if beside { head.as_str() } else { indent.as_str() };
            if !beside {
                text.push_str(head.trim_end());
                text.push('\n');
            }
            let options = textwrap::Options::new(width).initial_indent(first).subsequent_indent(&indent);
            text.push_str(&textwrap::fill(&page::capitalised(info.summary), options));
            text.push('\n');
        }
        text.push('\n');
    }
    let n = listed.len();
    text.push_str(&format!("{n} rules. `verity explain RULE` says why one exists and what to do.\n"));
    text
}
