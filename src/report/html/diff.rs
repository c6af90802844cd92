//! The page of `verity diff`.

use super::text::{escaped, json, visible_up_to};
use super::{MOST, filters, page};
use crate::diff::{Change, Class, Diff};
use crate::report::diff::Names;
use crate::rules::say::count_are;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Characters of a message or a value.
const LONG: usize = 2_000;

/// The report.
#[must_use]
pub fn diff(diff: &Diff, names: Names<'_>) -> String {
    let bump = diff.required_bump();
    let class = if diff.fails() { "failed" } else { "passed" };
    let suppressed = match diff.suppressed() {
        0 => String::new(),
        n => format!(" ({n} suppressed)"),
    };
    let verdict = match diff.verdict() {
        None => "No change in meaning".to_string(),
        Some(gravest) => format!("{}: the next version is a {bump} one{suppressed}", gravest.name()),
    };
    let mut body = format!(
        "<header><p class=\"brand\">verity diff</p><h1>{} → {}</h1><p class=\"verdict {class}\">{verdict}</p></header>\n<main id=\"main\">\n",
        visible_up_to(names.old, 200),
        visible_up_to(names.new, 200)
    );
    section(&mut body, diff);
    body.push_str("</main>\n");
    page(&format!("verity diff: {} → {}", names.old, names.new), &body)
}

/// Every change, the gravest first.
pub(super) fn section(body: &mut String, diff: &Diff) {
    let mut changes: Vec<&Change> = diff.changes.iter().collect();
    changes.sort_by_key(|c| std::cmp::Reverse(c.class));
    let (mut rules, mut tools, mut levels) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for change in changes.iter().take(MOST) {
        rules.insert(change.rule.to_string());
        tools.extend(change.tool.clone());
        if !levels.contains(&change.class.name()) {
            levels.push(change.class.name());
        }
    }
    if changes.len() > 1 {
        body.push_str(&filters(
            &levels,
            &rules.into_iter().collect::<Vec<_>>(),
            &tools.into_iter().collect::<Vec<_>>(),
        ));
    }
    body.push_str("<section class=\"tool\"><div class=\"findings\">\n");
    for change in changes.iter().take(MOST) {
        let level = change.class.name();
        let colour = match change.class {
            Class::Breaking | Class::Security => "error",
            Class::Routing | Class::Warning => "warning",
            Class::Additive | Class::Compatible => "info",
        };
        let _ = write!(
            body,
            "<article class=\"finding {colour}\" data-level=\"{level}\" data-rule=\"{}\" data-tool=\"{}\"><h4><span class=\"badge\">{level}</span> \
             <code>{}</code> <span class=\"of\">{}</span></h4><p class=\"message\" dir=\"auto\">{}</p>",
            change.rule,
            change.tool.as_deref().map(escaped).unwrap_or_default(),
            change.rule,
            change.tool.as_deref().map_or("the listing".to_string(), |t| visible_up_to(t, 120)),
            visible_up_to(&change.message, LONG)
        );
        if let Some(witness) = &change.witness {
            let _ = write!(
                body,
                "<p class=\"label\">Witness</p><pre tabindex=\"0\">{}</pre>",
                json(witness, LONG)
            );
        }
        if let Some(reason) = &change.suppressed {
            let _ = write!(body, "<p class=\"label\">Suppressed</p><p>{}</p>", visible_up_to(reason, LONG));
        }
        let _ = writeln!(
            body,
            "<p class=\"place\"><code>{}</code></p></article>",
            visible_up_to(&change.pointer, 200)
        );
    }
    body.push_str("</div></section>\n");
    if changes.len() > MOST {
        let _ = writeln!(
            body,
            "<p class=\"notice\">{} left out here; <code>--format json</code> has them all.</p>",
            count_are(changes.len() - MOST, "more change")
        );
    }
}
