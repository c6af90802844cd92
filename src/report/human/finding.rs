//! One finding, drawn by miette: its message, an excerpt of the manifest, evidence, witness, help.

use super::fold::shorten;
use super::{Look, style_of, word_of};
use crate::finding::{Finding, Impact, Severity};
use crate::report::excerpt::Excerpt;
use crate::report::screen::safe;
use crate::source::Document;
use anstyle::{AnsiColor, Style};
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents,
    SourceCode, SourceSpan, SpanContents,
};
use std::fmt::{self, Write as _};

/// Characters of a message, of evidence or of help beyond which it is cut.
const MAX_TEXT: usize = 600;
const HINT: Style = AnsiColor::Cyan.on_default();

/// Append `finding` with its excerpt.
pub(super) fn render(
    out: &mut String,
    finding: &Finding,
    document: Option<&Document>,
    with_help: bool,
    look: Look,
) {
    let drawn = Drawn::new(finding, document, look);
    let theme = if look.colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    // miette keeps two columns free at the right; they are ours to use.
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(look.width + 2)
        .with_word_splitter(textwrap::WordSplitter::NoHyphenation)
        .with_links(false)
        .with_context_lines(0)
        .without_cause_chain();
    if handler.render_report(out, &drawn).is_err() {
        let _ = writeln!(out, "{}", look.wrap("  ", "  ", &drawn.title));
    }
    footer(out, finding, &drawn, with_help, look);
}

fn footer(out: &mut String, finding: &Finding, drawn: &Drawn, with_help: bool, look: Look) {
    let mut line = |name: &str, text: &str| {
        let first = format!("    {} ", look.paint(HINT, &format!("{name}:")));
        let _ = writeln!(out, "{}", look.wrap(&first, "      ", text));
    };
    if let Some(evidence) = finding.evidence.as_deref().map(safe)
        && !drawn.shows(&evidence)
    {
        line("evidence", &shorten(&evidence, MAX_TEXT));
    }
    if let Some(witness) = &finding.witness {
        let text = safe(&witness.to_string()).into_owned();
        // One line: a witness is copied, and a broken one is of no use.
        line("witness", &shorten(&text, look.width.saturating_sub("    witness: ".len())));
    }
    if with_help && let Some(reach) = reach(finding.impact) {
        line("reach", reach);
    }
    if with_help && !finding.help.is_empty() {
        line("help", &shorten(&safe(&finding.help), MAX_TEXT));
    }
}

/// Damage that goes beyond what one expects of a finding.
fn reach(impact: Impact) -> Option<&'static str> {
    match impact {
        Impact::Server => Some("clients drop every tool of this server"),
        Impact::Request => Some("the API refuses every request that offers this tool"),
        Impact::Tool | Impact::Constraint | Impact::Agent => None,
    }
}

/// A finding as miette wants it.
#[derive(Debug)]
struct Drawn {
    severity: Severity,
    title: String,
    source: Option<Source>,
}

/// The excerpt under the name and place that its frame bears.
#[derive(Debug)]
struct Source {
    excerpt: Excerpt,
    path: String,
    column: usize,
}

impl Drawn {
    fn new(finding: &Finding, document: Option<&Document>, look: Look) -> Drawn {
        let word = look.paint(style_of(finding.severity), word_of(finding.severity));
        let message = shorten(&safe(&finding.message), MAX_TEXT);
        let source = finding.span.zip(document).and_then(|(span, document)| {
            let gutter = span.line.saturating_add(2).to_string().len() + " │ ".len() + 1;
            let excerpt = Excerpt::of(document, &span, look.width.saturating_sub(gutter))?;
            let place = format!(":{}:{}", span.line, span.column);
            let room = look.width.saturating_sub(gutter + place.len() + 3);
            Some(Source { excerpt, path: end_of(&safe(&document.path), room), column: span.column })
        });
        Drawn { severity: finding.severity, title: format!("{word}[{}]: {message}", finding.rule), source }
    }

    /// Whether the excerpt already shows this text under its label.
    fn shows(&self, text: &str) -> bool {
        self.source.as_ref().is_some_and(|s| {
            s.excerpt.is_whole
                && s.excerpt.text.get(s.excerpt.label.clone()).is_some_and(|l| l.contains(text))
        })
    }
}

/// The last `max` characters: of a path, the end tells most.
fn end_of(path: &str, max: usize) -> String {
    let length = path.chars().count();
    if length <= max {
        return path.to_string();
    }
    std::iter::once('…').chain(path.chars().skip(length + 1 - max.max(1))).collect()
}

impl fmt::Display for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)
    }
}

impl std::error::Error for Drawn {}

impl Diagnostic for Drawn {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Info => miette::Severity::Advice,
        })
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|s| s as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = self.source.as_ref()?.excerpt.label.clone();
        Some(Box::new(std::iter::once(LabeledSpan::new(None, label.start, label.len()))))
    }
}

impl SourceCode for Source {
    /// Always the whole excerpt: it was cut to measure before.
    fn read_span<'a>(
        &'a self,
        _span: &SourceSpan,
        _lines_before: usize,
        _lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let text = self.excerpt.text.as_str();
        Ok(Box::new(MietteSpanContents::new_named(
            self.path.clone(),
            text.as_bytes(),
            (0, text.len()).into(),
            self.excerpt.line.saturating_sub(1),
            self.column.saturating_sub(1),
            text.split('\n').count(),
        )))
    }
}
