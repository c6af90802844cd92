//! Character classes of Python's `re` on text: Unicode by default, ASCII under `(?a)`.

use regex::Regex;
use std::sync::LazyLock;

/// A member of a class, or a class by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    Char(char),
    Range(char, char),
    Named(Named),
}

/// `\d`, `\s`, `\w` and their negations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) kind: Kind,
    pub(super) negated: bool,
    pub(super) ascii: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Digit,
    Space,
    Word,
}

/// A set of characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Set {
    pub(super) items: Vec<Item>,
    pub(super) negated: bool,
    pub(super) ignore_case: bool,
}

impl Set {
    pub(super) fn contains(&self, c: char) -> bool {
        let mut found = self.items.iter().any(|i| i.contains(c));
        if self.ignore_case && !found {
            found = self
                .items
                .iter()
                .any(|i| i.contains(c.to_ascii_lowercase()) || i.contains(c.to_ascii_uppercase()));
        }
        found != self.negated
    }
}

impl Item {
    fn contains(&self, c: char) -> bool {
        match self {
            Item::Char(own) => *own == c,
            Item::Range(low, high) => (*low..=*high).contains(&c),
            Item::Named(named) => named.contains(c),
        }
    }
}

impl Named {
    pub(super) fn contains(self, c: char) -> bool {
        let is_in = match self.kind {
            Kind::Digit if c.is_ascii() || self.ascii => c.is_ascii_digit(),
            Kind::Digit => unicode(&DIGIT, c),
            Kind::Space => is_space(c, self.ascii),
            Kind::Word => is_word(c, self.ascii),
        };
        is_in != self.negated
    }
}

/// What `str.isspace` says: more controls than White_Space, and no U+FEFF.
fn is_space(c: char, ascii: bool) -> bool {
    match c {
        ' ' | '\t'..='\r' => true,
        _ if ascii => false,
        '\u{1c}'..='\u{1f}' | '\u{85}' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' => true,
        '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => true,
        _ => false,
    }
}

/// What `str.isalnum` says, and the underscore: letters and numbers, no combining marks.
pub(super) fn is_word(c: char, ascii: bool) -> bool {
    if c.is_ascii() || ascii {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    unicode(&ALNUM, c)
}

static DIGIT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\p{Nd}$").ok());
static ALNUM: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^[\p{L}\p{N}]$").ok());

fn unicode(class: &LazyLock<Option<Regex>>, c: char) -> bool {
    class.as_ref().is_some_and(|r| r.is_match(c.encode_utf8(&mut [0; 4])))
}
