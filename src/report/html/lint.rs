//! The page of `verity lint`: each tool's findings, and its definition beside them.

use super::text::{escaped, json, visible, visible_up_to};
use super::{MOST, count, filters, page, tally};
use crate::bounds;
use crate::error::InputError;
use crate::finding::{Finding, Severity};
use crate::lint::{LintedFile, LintedManifest};
use crate::report::json::Summary;
use crate::rules::page::severity;
use crate::rules::say::count_are;
use crate::source::Document;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Bytes of a definition that are shown, and of all together.
const SOURCE: usize = 24 << 10;
const ALL_SOURCES: usize = 4 << 20;
/// Characters of a message, and of a value.
const LONG: usize = 2_000;

/// The report.
#[must_use]
pub fn lint(files: &[LintedFile], errors: &[InputError]) -> String {
    let sum = Summary::of(files);
    let paths: Vec<&str> = files.iter().flat_map(|f| &f.manifests).map(|m| m.path.as_str()).collect();
    let name = match paths.as_slice() {
        [one] => (*one).to_string(),
        many => count(many.len(), "manifest"),
    };
    let conclusion = match (errors.is_empty(), sum.error, sum.warning + sum.info) {
        (false, ..) => ("failed", "Not judged, or not wholly".to_string()),
        (_, 0, 0) => ("passed", "Nothing found".to_string()),
        (_, 0, _) => ("passed", "No errors".to_string()),
        (_, n, _) => ("failed", format!("{} to repair", count(n, "error"))),
    };
    let mut body = format!(
        "<header><p class=\"brand\">verity lint</p><h1>{}</h1><p class=\"verdict {}\">{}</p></header>\n<main id=\"main\">\n",
        visible_up_to(&name, 200),
        conclusion.0,
        conclusion.1
    );
    section(&mut body, files, errors);
    body.push_str("</main>\n");
    page(&format!("verity lint: {name}"), &body)
}

/// Counts, filters and every finding: a part of this page, and of the gate's.
pub(super) fn section(body: &mut String, files: &[LintedFile], errors: &[InputError]) {
    let sum = Summary::of(files);
    let _ = writeln!(
        body,
        "<ul class=\"tallies\">{}{}{}{}</ul>",
        tally("error", sum.error, "error"),
        tally("warning", sum.warning, "warning"),
        tally("info", sum.info, "note"),
        if sum.suppressed == 0 {
            String::new()
        } else {
            format!("<li><b>{}</b> suppressed</li>", sum.suppressed)
        }
    );
    for error in errors {
        let help = error.help.as_deref().map(|h| format!("<br>{}", visible(h))).unwrap_or_default();
        let _ = writeln!(
            body,
            "<p class=\"notice\"><strong>Not judged, or not wholly:</strong> {}{help}</p>",
            visible_up_to(&error.to_string(), LONG)
        );
    }
    let (mut rules, mut tools) = (BTreeSet::new(), BTreeSet::new());
    let shown = || {
        files.iter().flat_map(|f| &f.manifests).flat_map(|m| &m.findings).filter(|f| f.suppressed.is_none())
    };
    for finding in shown().take(MOST) {
        rules.insert(finding.rule.clone());
        tools.extend(finding.tool.clone());
    }
    let total = shown().count();
    if total > 1 {
        body.push_str(&filters(
            &["error", "warning", "info"],
            &rules.into_iter().collect::<Vec<_>>(),
            &tools.into_iter().collect::<Vec<_>>(),
        ));
    }
    let mut left = Left { findings: MOST, source: ALL_SOURCES };
    for file in files {
        for manifest in &file.manifests {
            self::manifest(body, file, manifest, &mut left);
        }
    }
    if total > MOST {
        let _ = writeln!(
            body,
            "<p class=\"notice\">{} left out here; <code>--format json</code> has them all.</p>",
            count_are(total - MOST, "more finding")
        );
    }
}

/// What may still be written.
struct Left {
    findings: usize,
    source: usize,
}

fn manifest(body: &mut String, file: &LintedFile, manifest: &LintedManifest, left: &mut Left) {
    let server = manifest
        .server
        .as_deref()
        .map(|s| format!(" · server {}", visible_up_to(s, 100)))
        .unwrap_or_default();
    let _ = writeln!(
        body,
        "<section class=\"manifest\"><h2>{}</h2><p class=\"facts\">{}{server} · {} · {} suppressed</p>",
        visible_up_to(&manifest.path, 300),
        count(manifest.tools.len(), "tool"),
        count(manifest.rules, "rule"),
        manifest.suppressed()
    );
    let open: Vec<&Finding> = manifest.findings.iter().filter(|f| f.suppressed.is_none()).collect();
    if open.is_empty() {
        body.push_str("<p class=\"clean\">Nothing found.</p>\n");
    }
    // In the order of the file; what is about the listing stands where its place is.
    let mut groups: Vec<(Option<usize>, Vec<&Finding>)> = Vec::new();
    for finding in open.into_iter().take(left.findings) {
        match groups.iter_mut().find(|(tool, _)| *tool == finding.tool_index()) {
            Some((_, findings)) => findings.push(finding),
            None => groups.push((finding.tool_index(), vec![finding])),
        }
    }
    for (tool, findings) in groups {
        left.findings -= findings.len();
        let tool = tool.and_then(|i| manifest.tools.get(i));
        let name = match tool {
            Some(tool) => {
                tool.name.as_deref().map_or("a tool without a name".to_string(), |n| visible_up_to(n, 120))
            }
            None => "The listing".to_string(),
        };
        let _ = writeln!(
            body,
            "<section class=\"tool\"><h3>{name}</h3><div class=\"beside\"><div class=\"findings\">"
        );
        for finding in &findings {
            self::finding(body, finding);
        }
        body.push_str("</div>");
        let document = tool.and_then(|t| file.documents.get(t.document));
        if let (Some(document), Some(span)) = (document, tool.and_then(|t| t.span)) {
            source(body, document, (span.offset, span.length), &findings, &mut left.source);
        }
        body.push_str("</div></section>\n");
    }
    body.push_str("</section>\n");
}

fn finding(body: &mut String, finding: &Finding) {
    let level = severity(finding.severity);
    let place = match (finding.span, finding.source_pointer.as_deref().unwrap_or(&finding.pointer)) {
        (Some(span), pointer) => format!(
            "line {}, column {} · <code>{}</code>",
            span.line,
            span.column,
            visible_up_to(pointer, 200)
        ),
        (None, pointer) => format!("<code>{}</code>", visible_up_to(pointer, 200)),
    };
    let _ = write!(
        body,
        "<article class=\"finding {level}\" data-level=\"{level}\" data-rule=\"{}\" data-tool=\"{}\"><h4><span class=\"badge\">{level}</span> <code>{}</code></h4>\
         <p class=\"message\" dir=\"auto\">{}</p>",
        escaped(&finding.rule),
        finding.tool.as_deref().map(|tool| escaped(&bounds::name(tool))).unwrap_or_default(),
        escaped(&finding.rule),
        visible_up_to(&finding.message, LONG)
    );
    if let Some(evidence) = &finding.evidence {
        let _ = write!(
            body,
            "<p class=\"label\">Found</p><pre tabindex=\"0\">{}</pre>",
            visible_up_to(evidence, LONG)
        );
    }
    if let Some(witness) = &finding.witness {
        let _ =
            write!(body, "<p class=\"label\">Witness</p><pre tabindex=\"0\">{}</pre>", json(witness, LONG));
    }
    let _ = writeln!(
        body,
        "<p class=\"help\"><strong>What to do:</strong> {}.</p><p class=\"place\">{place}</p></article>",
        visible_up_to(&finding.help, LONG)
    );
}

/// The tool's own text with its line numbers, and marks where the findings are.
fn source(
    body: &mut String,
    document: &Document,
    (offset, length): (usize, usize),
    findings: &[&Finding],
    left: &mut usize,
) {
    let unit = document.text_range(offset, length);
    let Some(range) = unit else { return };
    let Some(text) = document.text.get(range.clone()) else { return };
    let most = SOURCE.min(*left);
    let cut = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    if cut == 0 {
        return;
    }
    *left -= cut;
    let end = range.start + cut;
    let mut marks: Vec<(usize, usize, Severity)> = findings
        .iter()
        .filter_map(|f| {
            let span = f.span?;
            let at = document.text_range(span.offset, span.length)?;
            // Of what goes over several lines, the first one is marked.
            let lines = document.text.get(at.clone())?;
            let stop = at.start + lines.find('\n').unwrap_or(lines.len());
            (at.start >= range.start && stop <= end && at.len() < text.len())
                .then_some((at.start, stop, f.severity))
        })
        .collect();
    marks.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(b.2.cmp(&a.2)));
    let line = document.text.get(..range.start).map_or(1, |before| before.matches('\n').count() + 1);
    let _ = write!(
        body,
        "<details class=\"source\" open><summary>Definition, from line {line}</summary><pre tabindex=\"0\" aria-label=\"Definition\">"
    );
    let mut at = range.start;
    for (start, stop, level) in marks {
        if start < at {
            continue; // within the one before
        }
        let _ = write!(
            body,
            "{}<mark class=\"{}\">{}</mark>",
            visible(document.text.get(at..start).unwrap_or_default()),
            severity(level),
            visible(document.text.get(start..stop).unwrap_or_default())
        );
        at = stop;
    }
    body.push_str(&visible(document.text.get(at..end).unwrap_or_default()));
    if cut < text.len() {
        let _ = write!(
            body,
            "\n<em>… {} of this definition left out</em>",
            count_are(text.len() - cut, "more byte")
        );
    }
    body.push_str("</pre></details>");
}
