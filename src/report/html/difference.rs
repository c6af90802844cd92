//! Two JSON values beside each other: what was expected and is not there, what is there and was not expected.

use super::text::{visible, visible_up_to};
use crate::lines::{self, Step};
use serde_json::Value;

/// Lines of a value that are compared; longer ones are shown one after the other.
const MOST_LINES: usize = 400;

/// Markup of what was expected and what is there, line by line; `most` characters of each.
pub(super) fn difference(expected: Option<&Value>, actual: Option<&Value>, most: usize) -> String {
    let text = |value: Option<&Value>| value.map_or(String::new(), |v| format!("{v:#}"));
    let (wanted, given) = (text(expected), text(actual));
    let lines = |text: &str| text.lines().count();
    let whole = |label: &str, text: &str| {
        format!("<p class=\"label\">{label}</p><pre tabindex=\"0\">{}</pre>", visible_up_to(text, most))
    };
    match (expected, actual) {
        (Some(_), None) => whole("Expected", &wanted),
        (None, Some(_)) => whole("Found", &given),
        (None, None) => String::new(),
        _ if wanted.len().max(given.len()) > most || lines(&wanted).max(lines(&given)) > MOST_LINES => {
            whole("Expected", &wanted) + &whole("Found", &given)
        }
        _ => {
            let mut body = String::from(
                "<p class=\"label\">Expected (−) and found (+)</p><pre class=\"diff\" tabindex=\"0\">",
            );
            for line in compared(&wanted, &given) {
                match line {
                    Line::Both(text) => body.push_str(&format!("  {}\n", visible(text))),
                    Line::Expected(text) => body.push_str(&format!("<del>− {}</del>\n", visible(text))),
                    Line::Found(text) => body.push_str(&format!("<ins>+ {}</ins>\n", visible(text))),
                }
            }
            body.push_str("</pre>");
            body
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Line<'t> {
    Both(&'t str),
    Expected(&'t str),
    Found(&'t str),
}

/// The lines of both texts, as many as possible of them together.
fn compared<'t>(wanted: &'t str, given: &'t str) -> Vec<Line<'t>> {
    // A comma at the end is no difference to a reader.
    let plain = |text: &'t str| text.lines().map(|line| line.trim_end_matches(',')).collect::<Vec<_>>();
    let (mut wanted_lines, mut given_lines) = (wanted.lines(), given.lines());
    let line = |step: Step| match step {
        Step::Keep => {
            wanted_lines.next();
            given_lines.next().map(Line::Both)
        }
        Step::Delete => wanted_lines.next().map(Line::Expected),
        Step::Insert => given_lines.next().map(Line::Found),
    };
    lines::compared(&plain(wanted), &plain(given)).into_iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_both_have_stands_once() {
        let found = compared("{\n  \"a\": 1,\n  \"b\": 2\n}", "{\n  \"a\": 1,\n  \"b\": 3,\n  \"c\": 4\n}");
        assert_eq!(
            found,
            [
                Line::Both("{"),
                Line::Both("  \"a\": 1,"),
                Line::Expected("  \"b\": 2"),
                Line::Found("  \"b\": 3,"),
                Line::Found("  \"c\": 4"),
                Line::Both("}")
            ]
        );
    }

    #[test]
    fn markup_stays_text() {
        let page = difference(Some(&json!("</pre><b>")), Some(&json!("\u{202e}")), 1000);
        assert!(page.contains("<del>− &quot;&lt;/pre&gt;&lt;b&gt;&quot;</del>"), "{page}");
        assert!(!page.contains('\u{202e}'));
        assert_eq!(difference(None, None, 10), "");
        assert!(difference(Some(&json!("x".repeat(50))), Some(&json!(1)), 10).contains("more characters"));
    }
}
