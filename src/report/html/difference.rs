//! Two JSON values beside each other: what was expected and is not there, what is there and was not expected.

use super::text::{visible, visible_up_to};
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

/// The lines of both texts, as many as possible of them together (a longest common subsequence).
fn compared<'t>(wanted: &'t str, given: &'t str) -> Vec<Line<'t>> {
    // A comma at the end is no difference to a reader.
    let plain = |line: &'t str| line.trim_end_matches(',');
    let (a, b): (Vec<&str>, Vec<&str>) = (wanted.lines().collect(), given.lines().collect());
    let width = b.len() + 1;
    let mut common = vec![0u16; (a.len() + 1) * width];
    let at = |i: usize, j: usize| i * width + j;
    let read = |common: &[u16], i: usize, j: usize| common.get(at(i, j)).copied().unwrap_or_default();
    for (i, x) in a.iter().enumerate().rev() {
        for (j, y) in b.iter().enumerate().rev() {
            let longest = match plain(x) == plain(y) {
                true => read(&common, i + 1, j + 1) + 1,
                false => read(&common, i + 1, j).max(read(&common, i, j + 1)),
            };
            if let Some(slot) = common.get_mut(at(i, j)) {
                *slot = longest;
            }
        }
    }
    let mut lines = Vec::new();
    let (mut i, mut j) = (0, 0);
    loop {
        match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) if plain(x) == plain(y) => {
                lines.push(Line::Both(y));
                (i, j) = (i + 1, j + 1);
            }
            (Some(x), other) if other.is_none() || read(&common, i + 1, j) >= read(&common, i, j + 1) => {
                lines.push(Line::Expected(x));
                i += 1;
            }
            (_, Some(y)) => {
                lines.push(Line::Found(y));
                j += 1;
            }
            _ => return lines,
        }
    }
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
