//! What a release changed: for people, for programs, for a comment on a pull request.

use super::human::Look;
use super::json::SCHEMA_VERSION;
use super::screen;
use crate::diff::{Change, Class, Diff};
use crate::markdown::{text, text_up_to};
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write as _;

/// Characters of a message or a witness for people; the JSON report has all of it.
const LONG: usize = 600;
/// Changes in a table of Markdown; a comment may have 65,536 characters.
const MOST: usize = 60;
/// Changes on a screen.
const MOST_SHOWN: usize = 2_000;

/// The two releases, as the user named them.
#[derive(Debug, Clone, Copy)]
pub struct Names<'n> {
    pub old: &'n str,
    pub new: &'n str,
}

#[derive(Serialize)]
struct Report<'a> {
    schema_version: u32,
    verity: &'static str,
    old: &'a str,
    new: &'a str,
    verdict: &'static str,
    required_bump: &'static str,
    fails: bool,
    suppressed: usize,
    changes: &'a [Change],
}

fn verdict(diff: &Diff) -> &'static str {
    diff.verdict().map_or("none", Class::name)
}

/// `diff --format json`, as `schemas/diff-report.schema.json` describes it, with a final line feed.
#[must_use]
pub fn json(diff: &Diff, names: Names<'_>) -> String {
    format!("{:#}\n", value(diff, names))
}

/// The JSON report as a value, for reports that hold it.
#[must_use]
pub fn value(diff: &Diff, names: Names<'_>) -> Value {
    let report = Report {
        schema_version: SCHEMA_VERSION,
        verity: env!("CARGO_PKG_VERSION"),
        old: names.old,
        new: names.new,
        verdict: verdict(diff),
        required_bump: diff.required_bump(),
        fails: diff.fails(),
        suppressed: diff.suppressed(),
        changes: &diff.changes,
    };
    serde_json::to_value(&report).unwrap_or_default()
}

/// What the changes amount to, in a line.
fn conclusion(diff: &Diff) -> String {
    let Some(gravest) = diff.verdict() else {
        return "No change in meaning: no new version is needed for the tools.".to_string();
    };
    let all = [
        Class::Breaking,
        Class::Security,
        Class::Routing,
        Class::Warning,
        Class::Additive,
        Class::Compatible,
    ];
    let counts: Vec<String> = all
        .into_iter()
        .filter(|class| diff.count(*class) > 0)
        .map(|class| format!("{} {}", diff.count(class), class.name()))
        .collect();
    let suppressed = match diff.suppressed() {
        0 => String::new(),
        n => format!(" ({n} suppressed)"),
    };
    format!(
        "{}{suppressed}: verdict {}, required bump: {}.",
        counts.join(", "),
        gravest.name(),
        diff.required_bump()
    )
}

fn shown(witness: &Value) -> String {
    let text = witness.to_string();
    match text.char_indices().nth(LONG) {
        Some((at, _)) => {
            format!("{}… ({} characters)", text.get(..at).unwrap_or_default(), text.chars().count())
        }
        None => text,
    }
}

/// Whose change it is, as a heading.
fn owner(change: &Change) -> String {
    let tool = change.tool.as_deref().unwrap_or("the listing");
    match &change.server {
        Some(server) => format!("{server} / {tool}"),
        None => tool.to_string(),
    }
}

/// The report as text that is safe for the screen.
#[must_use]
pub fn human(diff: &Diff, names: Names<'_>, look: Look) -> String {
    let mut out = format!("{} → {}\n", screen::safe(names.old), screen::safe(names.new));
    let mut last = None;
    for change in diff.changes.iter().take(MOST_SHOWN) {
        let owner = owner(change);
        if last.as_ref() != Some(&owner) {
            let _ = write!(
                out,
                "\n{}\n\n",
                look.paint(Style::new().bold(), &screen::safe(&screen::cut(&owner, LONG)))
            );
            last = Some(owner);
        }
        let mark = look.paint(style(change.class), change.class.name());
        let message = screen::safe(&screen::cut(&change.message, LONG)).into_owned();
        // The mark is measured without its colour.
        let first = format!("  {}[{}]: ", change.class.name(), change.rule);
        let wrapped = look.wrap(&first, "    ", &message);
        let _ = writeln!(out, "{}", wrapped.replacen(change.class.name(), &mark, 1));
        if let Some(witness) = &change.witness {
            let _ = writeln!(out, "{}", look.wrap("    witness: ", "      ", &screen::safe(&shown(witness))));
        }
        if let Some(reason) = &change.suppressed {
            let _ = writeln!(
                out,
                "{}",
                look.wrap("    suppressed: ", "      ", &screen::safe(&screen::cut(reason, LONG)))
            );
        }
    }
    if diff.changes.len() > MOST_SHOWN {
        let _ =
            writeln!(out, "\n… and {} more; --format json has them all.", diff.changes.len() - MOST_SHOWN);
    }
    let _ = write!(out, "\n{}\n", look.wrap("", "", &conclusion(diff)));
    screen::without_commands(out)
}

fn style(class: Class) -> Style {
    let colour = match class {
        Class::Breaking | Class::Security => AnsiColor::Red,
        Class::Routing | Class::Warning => AnsiColor::Yellow,
        Class::Additive | Class::Compatible => AnsiColor::Cyan,
    };
    colour.on_default().bold()
}

/// The message, and why the change is meant, for a cell of a table.
fn what(change: &Change) -> String {
    let message = text_up_to(&change.message, 300);
    match &change.suppressed {
        Some(reason) => format!("{message} (suppressed: {})", text_up_to(reason, 300)),
        None => message,
    }
}

/// The report as Markdown in which nothing of a manifest is markup.
#[must_use]
pub fn markdown(diff: &Diff, names: Names<'_>) -> String {
    let mut out =
        format!("## verity diff\n\n{} → {}\n\n**{}**\n", text(names.old), text(names.new), conclusion(diff));
    if diff.changes.is_empty() {
        return out;
    }
    out.push_str("\n| | Tool | Rule | What | Witness |\n|---|---|---|---|---|\n");
    for change in diff.changes.iter().take(MOST) {
        let mark = match change.fails() {
            true => format!("**{}**", change.class.name()),
            false => change.class.name().to_string(),
        };
        let witness = change.witness.as_ref().map_or_else(String::new, |w| text_up_to(&w.to_string(), 200));
        let _ = writeln!(
            out,
            "| {mark} | {} | `{}` | {} | {witness} |",
            text(&owner(change)),
            change.rule,
            what(change)
        );
    }
    if diff.changes.len() > MOST {
        let _ = writeln!(out, "\n… and {} more.", diff.changes.len() - MOST);
    }
    out.push_str("\n`verity explain RULE` says what a rule means and what to do.\n");
    out
}
