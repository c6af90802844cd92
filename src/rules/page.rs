//! A rule's page, from the rule's own text: what `docs/rules/` holds and `verity explain` shows.

use super::fix::FixKind;
use super::{Rule, RuleInfo, compat};
use crate::finding::{Confidence, Impact, Severity};
use crate::profile::{self, Profile};
use serde_json::Value;
use std::fmt::Write;

/// The page of one rule, in Markdown.
#[must_use]
pub fn page(info: &RuleInfo) -> String {
    let mut out = format!("# {}\n\n{}.\n\n", info.id, capitalised(info.summary));
    let severity = severity(info.severity);
    let confidence = confidence(info.confidence);
    let _ =
        writeln!(out, "Severity **{severity}** · confidence **{confidence}** · {}\n", impact(info.impact));
    let _ = writeln!(out, "## Why\n\n{}\n", info.rationale.trim());
    if let Some(measured) = super::poison::measured::prose(info.id) {
        let _ = writeln!(out, "## Measured\n\n{measured}\n");
    }
    let _ = writeln!(out, "## What to do\n\n{}.\n", info.help);
    let rule = super::find(info.id);
    if let Some(fixer) = rule.and_then(Rule::fixer) {
        let proof = match fixer.kind {
            FixKind::Repair => {
                "The schema was not valid, so its meaning cannot be compared: what is ambiguous is left alone."
            }
            _ => {
                "It is done where the algebra proves that the same arguments are accepted, and left alone elsewhere."
            }
        };
        let _ = writeln!(out, "`verity lint --fix` can {}. {proof}\n", fixer.does);
    }
    if let Some((bad, good)) = rule.map(Rule::examples).filter(|(bad, _)| !bad.is_empty()) {
        let _ = writeln!(out, "## Example\n\nReported:\n\n```json\n{}\n```\n", laid_out(&bad));
        let _ = writeln!(out, "Quiet:\n\n```json\n{}\n```", laid_out(&good));
    }
    if !info.sources.is_empty() {
        out.push_str("\n## Sources\n\n");
        for source in info.sources {
            let link = source.starts_with("http");
            let _ = if link { writeln!(out, "- <{source}>") } else { writeln!(out, "- {source}") };
        }
    }
    out
}

/// The table of all rules, in Markdown, family by family.
#[must_use]
pub fn index() -> String {
    let mut out = String::from(
        "# Rules\n\nEvery rule of `verity lint`. `verity explain RULE` shows the same pages in the terminal. The severity is the usual \
         one; a finding can carry another where its page says so.\n",
    );
    for family in super::families().into_iter().filter(|f| *f != "COMPAT") {
        let _ = write!(
            out,
            "\n## {family}\n\n| Rule | Severity | Confidence | What it finds |\n|---|---|---|---|\n"
        );
        for info in super::all().map(|r| r.info()).filter(|i| i.family() == family) {
            let (severity, confidence) = (severity(info.severity), confidence(info.confidence));
            let summary = capitalised(info.summary).replace('|', "\\|");
            let _ = writeln!(out, "| [{0}]({0}.md) | {severity} | {confidence} | {summary} |", info.id);
        }
    }
    out.push_str(
        "\n## COMPAT\n\nThe limits of clients and model APIs: [a page a client](../profiles/README.md).\n",
    );
    out
}

/// The page of a client's limits, in Markdown: `docs/profiles/<name>.md`.
#[must_use]
pub fn profile(profile: &'static Profile) -> String {
    let mut out = format!(
        "# {}\n\n{} Profile `{}`, last looked at on {}.\n",
        profile.title, profile.about, profile.name, profile.observed
    );
    for base in &profile.extends {
        let _ = writeln!(out, "\nThe limits of [{base}]({base}.md) hold here, too.");
    }
    let _ = write!(out, "\n| Limit | Severity | Known from | Seen |\n|---|---|---|---|\n");
    for limit in &profile.limits {
        let anchor = limit.rule.to_ascii_lowercase();
        let (severity, kind) = (severity(limit.severity), limit.kind.name());
        let _ = writeln!(out, "| [{}](#{anchor}) | {severity} | {kind} | {} |", limit.rule, limit.observed);
    }
    for rule in compat::of(profile) {
        let section = page(rule.info()).replace("\n## ", "\n### ").replacen("# ", "## ", 1);
        let _ = write!(out, "\n{section}");
    }
    out
}

/// The table of all profiles, in Markdown: `docs/profiles/README.md`.
#[must_use]
pub fn profiles() -> String {
    let mut out = String::from(
        "# Profiles\n\nWhat clients and model APIs refuse or lose, as data: `src/profiles/*.yaml`. `verity lint --profile NAME` judges by \
         one, `--profile all` by every one.\n\n| Profile | Client | Limits | Seen |\n|---|---|---|---|\n",
    );
    for p in profile::clients() {
        let _ =
            writeln!(out, "| [{0}]({0}.md) | {1} | {2} | {3} |", p.name, p.title, p.limits.len(), p.observed);
    }
    out
}

/// The first letter as at the start of a sentence.
#[must_use]
pub fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// An example as a person lays out JSON: an object or array on one line where it fits, else a member a line.
/// An example whose text says more than its value (duplicate keys, escapes of invisible characters) stays as it is.
fn laid_out(example: &str) -> String {
    let example = example.trim();
    match serde_json::from_str::<Value>(example) {
        Ok(value) if serde_json::to_string(&value).is_ok_and(|s| s == without_blanks(example)) => {
            layout(&value, 0)
        }
        _ => example.to_string(),
    }
}

/// The JSON text without the white space between its tokens.
fn without_blanks(json: &str) -> String {
    let (mut inside, mut escaped) = (false, false);
    json.chars()
        .filter(|&c| {
            let keep = inside || !c.is_whitespace();
            inside ^= c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            keep
        })
        .collect()
}

/// Columns of an example.
const EXAMPLE_WIDTH: usize = 100;

/// Characters of a string in an example, beyond which its start is shown.
const LONG: usize = 400;

/// Members or items of an example, beyond which the first few are shown.
const MANY: usize = 20;

fn shortened(n: usize, parts: impl Iterator<Item = String>) -> Vec<String> {
    if n <= MANY {
        return parts.collect();
    }
    let mut shown: Vec<String> = parts.take(3).collect();
    shown.push(format!("… ({} more)", n - shown.len()));
    shown
}

fn layout(value: &Value, indent: usize) -> String {
    let (open, close, parts) = match value {
        Value::Object(members) => {
            let part =
                |(k, v): (&String, &Value)| format!("{}: {}", Value::from(k.as_str()), layout(v, indent + 2));
            ('{', '}', shortened(members.len(), members.iter().map(part)))
        }
        Value::Array(items) => {
            ('[', ']', shortened(items.len(), items.iter().map(|v| layout(v, indent + 2))))
        }
        // The long texts of a few examples would hide the rest.
        Value::String(text) if text.chars().count() > LONG => {
            let start: String = text.chars().take(LONG / 2).collect();
            return Value::from(format!("{start}… ({} characters)", text.chars().count())).to_string();
        }
        other => return other.to_string(),
    };
    let line = format!("{open}{}{close}", parts.join(", "));
    // A tool always takes lines of its own, so that its fields stand below each other.
    let short = line.len() + indent <= EXAMPLE_WIDTH && !line.contains('\n');
    if short && indent > 4 || parts.is_empty() {
        return line;
    }
    let (pad, outer) = (" ".repeat(indent + 2), " ".repeat(indent));
    format!("{open}\n{pad}{}\n{outer}{close}", parts.join(&format!(",\n{pad}")))
}

/// As reports write it.
#[must_use]
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

/// As reports write it.
#[must_use]
pub fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::High => "high",
        Confidence::Medium => "medium",
        Confidence::Low => "low",
    }
}

/// What an impact means, as the end of a line of facts.
#[must_use]
pub fn impact(impact: Impact) -> &'static str {
    match impact {
        Impact::Tool => "the tool cannot be used, or not as meant",
        Impact::Server => "strict clients drop all tools of the server",
        Impact::Request => "the model API refuses the whole request",
        Impact::Constraint => "something is silently lost",
        Impact::Agent => "the agent, or its host, is led astray",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_laid_out() {
        let packed = r#"{"tools": [{"name": "a",  "inputSchema":
            {"type": "object"}}, 3]}"#;
        let expected = "{\n  \"tools\": [\n    {\n      \"name\": \"a\",\n      \"inputSchema\": {\"type\": \"object\"}\n    },\n    3\n  ]\n}";
        assert_eq!(laid_out(packed), expected);
        assert_eq!(laid_out(expected), expected);
    }

    #[test]
    fn what_a_value_cannot_hold_stays_as_written() {
        for text in [r#"{"a": 1, "a": 2}"#, r#"{"a": "\u200b"}"#, r#"{"a": 1.0e2}"#, "not json"] {
            assert_eq!(laid_out(text), text);
        }
    }
}
