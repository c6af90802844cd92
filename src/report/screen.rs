//! Text for a terminal: nothing that a manifest says reaches the screen raw.
//!
//! Manifests are hostile input: an escape sequence repaints the screen, a bidi control reorders the
//! line, a tag character hides an order. [`safe`] shows each of them as what it is. Every string
//! that verity prints for people goes through it, names, paths and error messages included.

use crate::unseen::{acts, is_presentation, is_unseen};
use std::borrow::Cow;
use std::fmt::Write as _;

/// More marks than this on one letter are no script but a tower that paints over other lines.
const MAX_MARKS: usize = 4;

/// JSON text in which nothing acts or hides: such characters can only stand in strings, and become
/// `\u` escapes there. What people read went through [`safe`] and is left as it is.
#[must_use]
pub fn escaped_json(text: &str) -> Cow<'_, str> {
    let acts = |c: char| acts(c) || c == '\u{7f}';
    if !text.chars().any(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 64);
    let mut units = [0; 2];
    for c in text.chars() {
        match acts(c) {
            true => c.encode_utf16(&mut units).iter().for_each(|u| {
                let _ = write!(out, "\\u{u:04x}");
            }),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// `text` on one line, with everything that would act or hide made visible: `␛`, `\n`, `\u{200b}`.
#[must_use]
pub fn safe(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|b| (b' '..=b'~').contains(&b)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut screen = Screen::default();
    for c in text.chars() {
        screen.push(&mut out, c);
    }
    Cow::Owned(out)
}

/// As [`safe`] for text of several lines: line feeds stay.
#[must_use]
pub fn safe_lines(text: &str) -> String {
    text.split('\n').map(safe).collect::<Vec<_>>().join("\n")
}

/// `text`, of several lines and already safe, with nothing that the runner of GitHub Actions would take for a command of
/// its workflow: it reads `::name::` at the start of a line, behind blanks too, and `##[name]` anywhere
/// (`ActionCommand.cs` in <https://github.com/actions/runner>).
#[must_use]
pub fn without_commands(text: String) -> String {
    if !text.contains("::") && !text.contains("##[") {
        return text;
    }
    let line = |line: &str| {
        let line = line.replace("##[", "#\\u{23}[");
        let indent = line.len() - line.trim_start().len();
        match line.get(indent..).and_then(|rest| rest.strip_prefix("::")) {
            Some(rest) => format!("{}\\u{{3a}}:{rest}", line.get(..indent).unwrap_or_default()),
            None => line,
        }
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// What has to be remembered from one character to the next.
#[derive(Default)]
pub(crate) struct Screen {
    before: Option<char>,
    marks: usize,
}

impl Screen {
    /// Append `c` to `out` as it may be shown.
    pub(crate) fn push(&mut self, out: &mut String, c: char) {
        let before = self.before.replace(c);
        if c.is_ascii() && !c.is_ascii_control() {
            self.marks = 0;
            out.push(c);
        } else if is_unseen(c) && !(is_presentation(c) && before.is_some_and(takes_presentation)) {
            self.marks = 0;
            escape(out, c);
        } else if unicode_width::UnicodeWidthChar::width(c) == Some(0) {
            self.marks += 1;
            if self.marks > MAX_MARKS { escape(out, c) } else { out.push(c) }
        } else {
            self.marks = 0;
            out.push(c);
        }
    }
}

fn takes_presentation(c: char) -> bool {
    matches!(c, '#' | '*' | '0'..='9' | '\u{a9}' | '\u{ae}' | '\u{203c}'..='\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

fn escape(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{7f}' => out.push('\u{2421}'),
        // Control Pictures: U+2400 shows U+0000, and so on.
        '\0'..='\u{1f}' => out.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}')),
        c => {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        }
    }
}

/// At most `most` characters of a message, and an ellipsis for what is left out.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_a_command_of_a_workflow() {
        let text = "a ::error::b\n   ::error::c\n::add-mask::d ##[error]e\n\u{2003}::f".to_string();
        let shown =
            "a ::error::b\n   \\u{3a}:error::c\n\\u{3a}:add-mask::d #\\u{23}[error]e\n\u{2003}\\u{3a}:f";
        assert_eq!(without_commands(text), shown);
        assert_eq!(without_commands("plain # text\n".to_string()), "plain # text\n");
    }

    #[test]
    fn what_acts_or_hides_is_shown() {
        assert_eq!(safe("plain ~text~"), "plain ~text~");
        assert_eq!(safe("a\u{1b}[31mb\u{9b}0m"), "a\u{241b}[31mb\\u{9b}0m");
        assert_eq!(safe("one\r\ntwo\tthree\0"), "one\\r\\ntwo\\tthree\u{2400}");
        assert_eq!(safe("a\u{200b}b\u{202e}c\u{2066}d"), "a\\u{200b}b\\u{202e}c\\u{2066}d");
        assert_eq!(safe("x\u{e0041}\u{e007f}"), "x\\u{e0041}\\u{e007f}");
        assert_eq!(safe("\u{feff}\u{ad}\u{3164}\u{2800}"), "\\u{feff}\\u{ad}\\u{3164}\\u{2800}");
        assert_eq!(safe_lines("a\nb\u{1b}c"), "a\nb\u{241b}c");
    }

    #[test]
    fn innocent_scripts_and_emoji_stay() {
        for text in ["größe", "日本語のツール", "שלום", "नमस्ते", "⚠\u{fe0f} beware", "1\u{fe0f}\u{20e3}"]
        {
            assert_eq!(safe(text), text);
        }
        assert_eq!(safe("a\u{fe0f}"), "a\\u{fe0f}", "a selector after a letter selects nothing");
    }

    #[test]
    fn towers_of_marks_are_cut() {
        let tower = format!("a{}", "\u{300}".repeat(6));
        assert_eq!(safe(&tower), format!("a{}\\u{{300}}\\u{{300}}", "\u{300}".repeat(4)));
    }
}
