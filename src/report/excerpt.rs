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
    /// The lines of `document` at `span`, none wider than `width` columns.
    #[must_use]
    pub fn of(document: &Document, span: &Span, width: usize) -> Option<Excerpt> {
        Excerpt::at(&document.text, byte_range(document, span)?, span.line, width)
    }

    /// The lines at `range` of `text`, the first of which has the number `line`.
    fn at(text: &str, range: Range<usize>, line: usize, width: usize) -> Option<Excerpt> {
        let before = text.get(..range.start)?;
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let rest = text.get(range.start..)?;
        let first_line = first_line(rest);
        let labelled = first_line.len().min(range.len());
        let mut window = Window { width, ..Window::default() };
        window.render(before.get(line_start..)?, first_line.get(..labelled)?, first_line.get(labelled..)?);
        let mut excerpt = Excerpt {
            is_whole: labelled == range.len() && window.label_is_whole,
            text: window.out,
            label: window.label,
            line,
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
    let bom = match document.encoding {
        Encoding::Utf8 => 0,
        Encoding::Utf8Bom => 3,
        Encoding::Utf16Le | Encoding::Utf16Be => {
            let start = document.offset_of(span.line, span.column)?;
            let end = document.offset_of(span.end_line, span.end_column)?;
            return Some(start..end.max(start));
        }
    };
    let start = span.offset.checked_sub(bom)?;
    Some(start..start.checked_add(span.length)?)
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str, what: &str, width: usize) -> (String, String) {
        let at = text.find(what).unwrap();
        let excerpt = Excerpt::at(text, at..at + what.len(), 1, width).unwrap();
        let label = excerpt.text.get(excerpt.label.clone()).unwrap().to_string();
        (excerpt.text, label)
    }

    #[test]
    fn what_fits_is_shown_whole_without_its_indent() {
        assert_eq!(shown("[\n    {\"a\": 1},\n  2]", "1", 20), ("{\"a\": 1},".to_string(), "1".to_string()));
        assert_eq!(shown("0123456789", "45", 10), ("0123456789".to_string(), "45".to_string()));
    }

    #[test]
    fn a_long_line_is_cut_on_both_sides() {
        let line = format!("{}NEEDLE{}", "a".repeat(50), "b".repeat(50));
        // 20 columns: a third (6, one of them the mark) before, 6 for the label, the rest after.
        assert_eq!(shown(&line, "NEEDLE", 20), ("…aaaaaNEEDLEbbbbbbb…".to_string(), "NEEDLE".to_string()));
        // At the end of the line there is more room before.
        let line = format!("{}NEEDLE", "a".repeat(50));
        assert_eq!(shown(&line, "NEEDLE", 20), ("…aaaaaaaaaaaaaNEEDLE".to_string(), "NEEDLE".to_string()));
    }

    #[test]
    fn a_long_label_is_cut_and_marked() {
        let line = format!("ab{}cd", "x".repeat(100));
        let (text, label) = shown(&line, &"x".repeat(100), 12);
        assert_eq!((text.as_str(), label.as_str()), ("abxxxxxxxxx…", "xxxxxxxxx…"));
    }

    #[test]
    fn wide_and_hidden_characters_count_as_they_are_shown() {
        // Each ideograph takes two columns, the zero-width space eight.
        assert_eq!(shown("日本\u{200b}語", "語", 14).0, "日本\\u{200b}語");
        assert_eq!(shown("日本\u{200b}語", "語", 13).0, "…本\\u{200b}語");
        assert_eq!(shown("日本\u{200b}語", "語", 12).0, "…\\u{200b}語");
    }

    #[test]
    fn an_opening_bracket_brings_the_lines_after_it() {
        let text = "[\r\n  {\r\n    \"name\": \"t\",\r\n    \"x\": 1\r\n  }\r\n]";
        let what = text.get(text.find('{').unwrap()..=text.find('}').unwrap()).unwrap();
        let (text, label) = shown(text, what, 40);
        assert_eq!((text.as_str(), label.as_str()), ("{\n  \"name\": \"t\",\n  \"x\": 1", "{"));
    }

    #[test]
    fn a_place_outside_the_text_gives_nothing() {
        assert_eq!(Excerpt::at("é", 1..2, 1, 40), None, "inside a character");
        assert_eq!(Excerpt::at("abc", 7..8, 1, 40), None);
    }

    proptest! {
        #[test]
        fn no_line_is_too_wide_and_none_acts(
            text in r"(\PC|[\n\r\t\x1b\u{202e}\u{200b}\u{e0041}日é{}]){0,200}",
            at in 0.0..1.0f64, length in 0.0..1.0f64, width in 20usize..120,
        ) {
            let boundary = |part: f64| {
                let mut at = (text.len() as f64 * part) as usize;
                while !text.is_char_boundary(at) { at -= 1; }
                at
            };
            let start = boundary(at);
            let end = boundary(at + (1.0 - at) * length).max(start);
            let excerpt = Excerpt::at(&text, start..end, 1, width).unwrap();
            prop_assert!(excerpt.text.get(excerpt.label.clone()).is_some());
            prop_assert!(excerpt.label.end <= excerpt.text.split('\n').next().unwrap().len());
            for line in excerpt.text.split('\n') {
                prop_assert!(width_of(line) <= width, "{} > {width}: {line:?}", width_of(line));
                prop_assert_eq!(crate::report::screen::safe(line), line);
            }
        }
    }
}
