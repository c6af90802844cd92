//! Markup that a rendered view does not show, and pseudo-tags that speak to a model.

use std::ops::Range;

/// A stretch of text inside markup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub kind: Kind,
    /// Bytes of the text, the markup itself included.
    pub range: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// `<!-- … -->`, a Markdown link-definition comment, CDATA or a processing instruction.
    Comment,
    /// An HTML element that is styled not to be seen, or `script`, `style`, `template`.
    Hidden,
    /// Link or image titles and alternative texts.
    Title,
    /// `<important>`, `[SYSTEM]`: a tag that is no HTML; its name in lower case.
    Tag(String),
}

/// How many open elements are remembered.
const MAX_OPEN: usize = 32;
/// The longest tag that is read.
const MAX_TAG: usize = 400;

/// All markup spans of `text`, by start; one pass.
#[must_use]
pub fn spans(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut open: Vec<(String, usize, bool)> = Vec::new();
    let mut at = 0;
    let opens = |b: &u8| matches!(b, b'<' | b'[');
    while let Some(next) = text.as_bytes().get(at..).and_then(|rest| rest.iter().position(opens)) {
        let start = at + next;
        let rest = text.get(start..).unwrap_or("");
        if let Some(len) = comment(rest) {
            found.push(Span { kind: Kind::Comment, range: start..start + len });
            at = start + len;
        } else if let Some(len) = link_title(rest) {
            found.push(Span { kind: Kind::Title, range: start..start + len });
            at = start + len;
        } else if let Some(tag) = Tag::read(rest) {
            at = start + tag.len;
            tag.place(start, &mut open, &mut found);
        } else {
            at = start + 1;
        }
    }
    // A tag in brackets that is never closed is a heading, not a wrapping.
    for (name, start, hidden) in
        open.into_iter().filter(|(_, start, _)| text.get(*start..).is_some_and(|t| t.starts_with('<')))
    {
        push_element(&mut found, name, start..text.len(), hidden);
    }
    found.sort_by_key(|s| (s.range.start, s.range.end));
    found
}

/// Length of a comment at the start of `rest`. An unclosed one hides all that follows.
fn comment(rest: &str) -> Option<usize> {
    for (open, close) in [
        ("<!--", "-->"),
        ("<![CDATA[", "]]>"),
        ("<?", "?>"),
        ("[//]:", "\n"),
        ("[comment]:", "\n"),
        ("[_]:", "\n"),
    ] {
        if rest.get(..open.len()).is_some_and(|r| r.eq_ignore_ascii_case(open)) {
            let body = rest.get(open.len()..)?;
            return Some(body.find(close).map_or(rest.len(), |i| open.len() + i + close.len()));
        }
    }
    None
}

/// `[label](target "title")`: length, if a title or an empty label hides text from the rendered view.
fn link_title(rest: &str) -> Option<usize> {
    let window = prefix(rest, MAX_TAG);
    let close = window.find("](")?;
    if window.get(..close)?.contains('\n') {
        return None;
    }
    let end = close + window.get(close..)?.find(')')?;
    let target = window.get(close..end)?;
    (target.contains(" \"") || close <= 1).then_some(end + 1)
}

fn prefix(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}

struct Tag {
    name: String,
    len: usize,
    closes: bool,
    empty: bool,
    hides: bool,
    /// `[SYSTEM: do this]`: it holds what it says.
    says: bool,
}

impl Tag {
    /// `<name …>`, `</name>`, `[NAME]`, `[/NAME]`.
    fn read(rest: &str) -> Option<Tag> {
        let bracket = rest.starts_with('[');
        let window = prefix(rest, MAX_TAG);
        let end = window.find(if bracket { ']' } else { '>' })?;
        let body = window.get(1..end)?;
        let (closes, body) = body.strip_prefix('/').map_or((false, body), |b| (true, b));
        let body = body.trim_matches(|c: char| c == '|' || c == '<' || c == '[');
        let name: String =
            body.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-')).take(40).collect();
        if name.len() < 2
            || (bracket && !name.chars().all(|c| c.is_ascii_uppercase() || matches!(c, '_' | '-')))
        {
            return None;
        }
        let says = bracket
            && body
                .get(name.len()..)
                .is_some_and(|rest| rest.starts_with(':') && rest.split_whitespace().count() >= 3);
        let name = name.to_lowercase();
        let attributes = body.to_lowercase();
        let hides = matches!(name.as_str(), "script" | "style" | "template" | "noscript")
            || hidden_style(&attributes);
        Some(Tag { len: end + 1, closes, empty: body.ends_with('/'), hides, says, name })
    }

    fn place(self, start: usize, open: &mut Vec<(String, usize, bool)>, found: &mut Vec<Span>) {
        if self.closes {
            if let Some(i) = open.iter().rposition(|(name, _, _)| *name == self.name) {
                let (name, from, hidden) = open.remove(i);
                push_element(found, name, from..start + self.len, hidden);
            }
        } else if self.says {
            push_element(found, self.name, start..start + self.len, false);
        } else if !self.empty && (self.hides || !is_html(&self.name)) {
            if open.len() == MAX_OPEN {
                open.remove(0);
            }
            open.push((self.name, start, self.hides));
        }
    }
}

fn push_element(found: &mut Vec<Span>, name: String, range: Range<usize>, hidden: bool) {
    let kind = if hidden { Kind::Hidden } else { Kind::Tag(name) };
    found.push(Span { kind, range });
}

fn hidden_style(attributes: &str) -> bool {
    let squeezed: String = attributes.chars().filter(|c| !c.is_whitespace()).collect();
    [
        "display:none",
        "visibility:hidden",
        "opacity:0",
        "font-size:0",
        "size=\"0\"",
        "size='0'",
        "size=0",
        "font-size:1px",
        "color:transparent",
        "color:white",
        "color:#fff",
        "height:0",
        "left:-9999",
        "text-indent:-9999",
        "aria-hidden=\"true\"",
    ]
    .iter()
    .any(|s| squeezed.contains(s))
        || attributes.split_whitespace().skip(1).any(|word| word == "hidden")
}

fn is_html(name: &str) -> bool {
    const HTML: &[&str] = &[
        "a",
        "abbr",
        "article",
        "aside",
        "audio",
        "b",
        "blockquote",
        "body",
        "br",
        "button",
        "canvas",
        "caption",
        "cite",
        "code",
        "col",
        "colgroup",
        "dd",
        "del",
        "details",
        "dfn",
        "div",
        "dl",
        "dt",
        "em",
        "embed",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "head",
        "header",
        "hr",
        "html",
        "i",
        "iframe",
        "img",
        "input",
        "ins",
        "kbd",
        "label",
        "legend",
        "li",
        "link",
        "main",
        "map",
        "mark",
        "math",
        "meta",
        "nav",
        "object",
        "ol",
        "option",
        "p",
        "path",
        "pre",
        "progress",
        "q",
        "s",
        "samp",
        "section",
        "select",
        "small",
        "source",
        "span",
        "strong",
        "sub",
        "summary",
        "sup",
        "svg",
        "table",
        "tbody",
        "td",
        "textarea",
        "tfoot",
        "th",
        "thead",
        "time",
        "title",
        "tr",
        "u",
        "ul",
        "var",
        "video",
        "wbr",
    ];
    HTML.binary_search(&name).is_ok()
}

#[cfg(test)]
#[allow(clippy::string_slice)] // a test may panic
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        spans(text).into_iter().map(|s| (s.kind, &text[s.range])).collect()
    }

    #[test]
    fn what_a_page_does_not_show() {
        assert_eq!(kinds("a <!-- b --> c"), [(Kind::Comment, "<!-- b -->")]);
        assert_eq!(kinds("a <!-- b"), [(Kind::Comment, "<!-- b")]);
        assert_eq!(kinds("[//]: # (b)\nc"), [(Kind::Comment, "[//]: # (b)\n")]);
        assert_eq!(
            kinds("x <span style='display: none'>b</span> y"),
            [(Kind::Hidden, "<span style='display: none'>b</span>")]
        );
        assert_eq!(
            kinds("[ok](https://e.org \"read me\")"),
            [(Kind::Title, "[ok](https://e.org \"read me\")")]
        );
        assert_eq!(kinds("<Urgent>b</urgent>"), [(Kind::Tag("urgent".to_string()), "<Urgent>b</urgent>")]);
        assert_eq!(kinds("[INST]b[/INST]"), [(Kind::Tag("inst".to_string()), "[INST]b[/INST]")]);
    }

    #[test]
    fn plain_markup_is_plain() {
        for text in ["<b>bold</b>", "a < b and c > d", "[link](https://e.org)", "array[0]", "see [1] and [2]"]
        {
            assert_eq!(kinds(text), [], "{text}");
        }
    }

    #[test]
    fn many_open_tags_stay_cheap() {
        assert!(spans(&"<important>".repeat(100_000)).len() <= MAX_OPEN);
    }
}
