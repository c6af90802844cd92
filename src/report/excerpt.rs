//! A few lines of a manifest around a finding, made safe for the screen and cut to its width: a
//! minified manifest is one line of 700 kB, and any manifest may try to paint the screen.
//!
//! The text is shown as written in the file: JSON escapes are not decoded, what hides is shown.

use super::screen::Screen;
use crate::finding::Span;
use crate::source::{Document, Encoding};
use std::ops::Range;
use unicode_width::UnicodeWidthChar;

/// What is shown of a file for one finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// One or more lines of safe text, without a final line feed.
    pub text: String,
    /// Byte range of the finding in `text`, on its first line.
    pub label: Range<usize>,
    /// Number of the first line in the file, from 1.
    pub line: usize,
    /// Whether the label shows the finding whole.
    pub is_whole: bool,
}

/// Lines that follow a value's opening bracket, so that one sees which value it is.
const LINES_AFTER_BRACKET: usize = 2;
const CUT: char = '…';

impl Excerpt {
    /// The lines at `span`, none wider than `width` columns.
    #[must_use]
    pub fn of(document: &Document, span: &Span, width: usize) -> Option<Excerpt> {
        let text = document.text.as_str();
        let range = byte_range(document, span)?;
        let before = text.get(..range.start)?;
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let rest = text.get(range.start..)?;
        let first_line = first_line(rest);
        let labelled = first_line.len().min(range.len());
        let mut line = Window { width, ..Window::default() };
        line.render(before.get(line_start..)?, first_line.get(..labelled)?, first_line.get(labelled..)?);
        let mut excerpt = Excerpt {
            is_whole: labelled == range.len() && line.label_is_whole,
            text: line.out,
            label: line.label,
            line: span.line,
        };
        if !excerpt.is_whole && first_line.trim_end().len() <= 1 {
            let indent = indent_of(before.get(line_start..)?);
            let following = rest.split('\n').skip(1).take(LINES_AFTER_BRACKET);
            for line in following.take_while(|line| !line.trim().is_empty()) {
                excerpt.text.push('\n');
                push_line(&mut excerpt.text, line.strip_prefix(indent).unwrap_or(line), width);
            }
        }
        Some(excerpt)
    }
}

/// The line that `text` begins with, without its end.
fn first_line(text: &str) -> &str {
    let line = text.split('\n').next().unwrap_or("");
    line.strip_suffix('\r').unwrap_or(line)
}

fn indent_of(line: &str) -> &str {
    let trimmed = line.trim_start_matches([' ', '\t']);
    line.get(..line.len() - trimmed.len()).unwrap_or("")
}

/// Where `span` stands in the document's text.
fn byte_range(document: &Document, span: &Span) -> Option<Range<usize>> {
    let text = document.text.as_str();
    let bom = match document.encoding {
        Encoding::Utf8 => 0,
        Encoding::Utf8Bom => 3,
        Encoding::Utf16Le | Encoding::Utf16Be => {
            let start = offset_of(text, span.line, span.column)?;
            let end = offset_of(text, span.end_line, span.end_column)?;
            return Some(start..end.max(start));
        }
    };
    let start = span.offset.checked_sub(bom)?;
    let end = start.checked_add(span.length)?.min(text.len());
    (text.is_char_boundary(start) && text.is_char_boundary(end)).then_some(start..end)
}

/// Byte offset of a line and column (both from 1, columns in characters).
fn offset_of(text: &str, line: usize, column: usize) -> Option<usize> {
    let mut start = 0;
    for _ in 1..line {
        start += text.get(start..)?.find('\n')? + 1;
    }
    let rest = text.get(start..)?;
    let within = rest.char_indices().nth(column.checked_sub(1)?).map_or(rest.len(), |(at, _)| at);
    Some(start + within)
}

/// One line of at most `width` columns around its label.
#[derive(Default)]
struct Window {
    width: usize,
    out: String,
    label: Range<usize>,
    label_is_whole: bool,
}

impl Window {
    fn render(&mut self, before: &str, label: &str, after: &str) {
        let before = before.trim_start();
        // Whatever fits is shown; of a line that is too long the label comes first, what stands
        // before it may have a third, and what follows gets the rest.
        let label_columns = columns(label, self.width);
        let after_columns = columns(after, self.width);
        let for_before = self
            .width
            .saturating_sub(label_columns + after_columns)
            .max((self.width / 3).min(self.width.saturating_sub(label_columns)))
            .max(self.width / 6);
        let head = tail(before, for_before);
        let mut left = self.width.saturating_sub(columns(&head, self.width));
        self.out.push_str(&head);
        let start = self.out.len();
        let shown = self.fill(label, &mut left, after.is_empty());
        self.label_is_whole = shown;
        self.label = start..self.out.len();
        if shown {
            self.fill(after, &mut left, true);
        }
    }

    /// Append as much of `text` as fits into `left` columns, with a mark if it is cut; whether all
    /// of it fitted. Unless it is the `last` text of the line, a column is kept for the mark after it.
    fn fill(&mut self, text: &str, left: &mut usize, last: bool) -> bool {
        let width = columns(text, *left);
        if width < *left || (last && width == *left) {
            push_safe(&mut self.out, text);
            *left -= width;
            return true;
        }
        let mut screen = Screen::default();
        let mut piece = String::new();
        for c in text.chars() {
            piece.clear();
            screen.push(&mut piece, c);
            let wide = width_of(&piece);
            if wide + 1 > *left {
                break;
            }
            self.out.push_str(&piece);
            *left -= wide;
        }
        if *left > 0 {
            self.out.push(CUT);
            *left -= 1;
        }
        false
    }
}

/// The end of `text`, safe, in at most `width` columns, with a mark if something was cut off.
fn tail(text: &str, width: usize) -> String {
    if columns(text, width) <= width {
        let mut out = String::new();
        push_safe(&mut out, text);
        return out;
    }
    let mut start = text.len();
    let mut left = width.saturating_sub(1);
    for (at, c) in text.char_indices().rev() {
        let mut piece = String::new();
        Screen::default().push(&mut piece, c);
        let wide = width_of(&piece);
        if wide > left {
            break;
        }
        left -= wide;
        start = at;
    }
    let mut out = if width > 0 { CUT.to_string() } else { String::new() };
    push_safe(&mut out, text.get(start..).unwrap_or(""));
    out
}

/// Append a whole line, cut at `width` columns.
fn push_line(out: &mut String, line: &str, width: usize) {
    let mut window = Window { width, ..Window::default() };
    let mut left = width;
    window.fill(line.strip_suffix('\r').unwrap_or(line), &mut left, true);
    out.push_str(&window.out);
}

fn push_safe(out: &mut String, text: &str) {
    let mut screen = Screen::default();
    for c in text.chars() {
        screen.push(out, c);
    }
}

/// Columns that `text` takes once it is safe; the count stops a little above `enough`.
fn columns(text: &str, enough: usize) -> usize {
    let mut screen = Screen::default();
    let (mut piece, mut sum) = (String::new(), 0);
    for c in text.chars() {
        piece.clear();
        screen.push(&mut piece, c);
        sum += width_of(&piece);
        if sum > enough {
            break;
        }
    }
    sum
}

/// Columns of safe text, character by character as the terminal (and miette) count them.
fn width_of(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}
