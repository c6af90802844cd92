//! Text from outside as markup that shows it: nothing in it is a tag, and nothing hides.

use crate::rules::say::count;
use crate::unseen::{is_presentation, is_unseen};
use serde_json::Value;

/// `text` for an attribute or an element, with every hidden character in words: `[U+200B]`.
pub(super) fn escaped(text: &str) -> String {
    visible(text).replace("<span class=\"unseen\">", "[").replace("</span>", "]")
}

/// `text` as markup; what a person would not see stands there as a mark of its own.
pub(super) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            '\r' if chars.peek() == Some(&'\n') => {}
            c if is_hidden(c) => {
                let mut run = vec![c];
                while let Some(next) = chars.next_if(|c| is_hidden(*c) && !matches!(c, '\n' | '\t' | '\r')) {
                    run.push(next);
                }
                out.push_str(&format!("<span class=\"unseen\">{}</span>", named(&run)));
            }
            c => out.push(c),
        }
    }
    out
}

/// As [`visible`], cut after `most` characters.
pub(super) fn visible_up_to(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => {
            let kept = visible(text.get(..at).unwrap_or_default());
            format!("{kept}… ({})", count(text.chars().count() - most, "more character"))
        }
        None => visible(text),
    }
}

/// A JSON value, laid out, cut after `most` characters.
pub(super) fn json(value: &Value, most: usize) -> String {
    visible_up_to(&format!("{value:#}"), most)
}

fn is_hidden(c: char) -> bool {
    is_unseen(c) && !is_presentation(c)
}

/// A run of hidden characters in words, and what the letters of the tag block spell.
fn named(run: &[char]) -> String {
    const SHOWN: usize = 3;
    let names: Vec<String> = run.iter().take(SHOWN).map(|c| format!("U+{:04X}", u32::from(*c))).collect();
    let more =
        if run.len() > SHOWN { format!(" … {} hidden characters", run.len()) } else { String::new() };
    let letter = |c: &char| {
        u32::from(*c).checked_sub(0xe0000).and_then(char::from_u32).filter(|c| (' '..='~').contains(c))
    };
    let spelled: String = run.iter().filter_map(letter).take(400).collect();
    let spelled = match spelled.is_empty() {
        true => String::new(),
        false => format!(
            ": “{}”",
            spelled.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
        ),
    };
    format!("{}{more}{spelled}", names.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        assert_eq!(
            visible("</script><img src=x onerror='a'>&\""),
            "&lt;/script&gt;&lt;img src=x onerror=&#39;a&#39;&gt;&amp;&quot;"
        );
        assert_eq!(
            visible("a\u{202e}b\u{1b}[31m"),
            "a<span class=\"unseen\">U+202E</span>b<span class=\"unseen\">U+001B</span>[31m"
        );
        assert_eq!(escaped("a\u{200b}"), "a[U+200B]");
        let tags: String = "hi<".chars().filter_map(|c| char::from_u32(0xe0000 + u32::from(c))).collect();
        assert_eq!(visible(&tags), "<span class=\"unseen\">U+E0068 U+E0069 U+E003C: “hi&lt;”</span>");
        assert_eq!(visible_up_to("abcdef", 4), "abcd… (2 more characters)");
    }
}
