//! Foreign text in Markdown: it cannot become markup, a link, a mention or a table row.

use regex::Regex;
use std::sync::LazyLock;

/// Longest text of the manifest that is shown, in characters.
const MAX_CHARS: usize = 120;
/// `text` as inert Markdown: on one line, everything unseen made visible, every character that could
/// be markup escaped, cut to [`MAX_CHARS`].
#[must_use]
pub fn text(text: &str) -> String {
    text_up_to(text, MAX_CHARS)
}

/// As [`text`], cut to so many characters.
#[must_use]
pub fn text_up_to(text: &str, max_chars: usize) -> String {
    let cut: String = text.chars().take(max_chars).collect();
    let is_cut = cut.len() < text.len();
    let mut out = String::with_capacity(cut.len() + 8);
    let mut chars = seen(&cut).chars().collect::<Vec<_>>().into_iter().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let is_inside = before.is_alphanumeric() && chars.peek().is_some_and(|next| next.is_alphanumeric());
        before = c;
        match c {
            // Inside a word it marks nothing.
            '_' if is_inside => out.push('_'),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // `:` `@` and `.` would make bare links and mentions of addresses.
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '#' | '+' | '!' | '|' | '~'
            | '^' | '$' => {
                out.push('\\');
                out.push(c);
            }
            '@' => out.push_str("&#64;"),
            c => out.push(c),
        }
    }
    // `https://…` and `www.…` become links by themselves.
    let out = out.replace("://", "&#58;//").replace("www.", "www&#46;");
    if is_cut { format!("{out}…") } else { out }
}

/// `text` on one line, with everything that shows nothing or acts on a screen as `\u{…}`.
fn seen(text: &str) -> String {
    static SEEN: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^[\p{L}\p{M}\p{N}\p{P}\p{S}&&\P{DI}&&[^\u{2800}]]$").ok());
    let mut buffer = [0; 4];
    text.chars().fold(String::new(), |mut out, c| {
        let is_seen = c == ' ' || SEEN.as_ref().is_some_and(|r| r.is_match(c.encode_utf8(&mut buffer)));
        if is_seen {
            out.push(c)
        } else {
            out.extend(c.escape_unicode())
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_text() {
        assert_eq!(text("a|b\nc"), "a\\|b\\\\u\\{a\\}c");
        assert_eq!(text("search_orders _x_"), "search_orders \\_x\\_");
        assert_eq!(text("<img src=x>"), "&lt;img src=x&gt;");
        assert_eq!(text("[x](https://e.org)"), "\\[x\\]\\(https&#58;//e.org\\)");
        assert_eq!(text("a\u{1b}[31m\u{202e}"), "a\\\\u\\{1b\\}\\[31m\\\\u\\{202e\\}");
        assert_eq!(text("@me `x` <!-- y -->"), "&#64;me \\`x\\` &lt;\\!-- y --&gt;");
        assert_eq!(text(&"x".repeat(200)), format!("{}…", "x".repeat(120)));
    }
}
