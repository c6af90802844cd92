//! Escapes and sets: `\d`, `\x41`, `[a-z_]`.

use super::super::Refused;
use super::super::class::{Item, Kind, Named, Set};
use super::{At, Flags, Node, Parser, literal, python, set_of};

impl Parser {
    /// After a backslash outside a set.
    pub(super) fn escape(&mut self, flags: Flags) -> Result<Node, Refused> {
        let Some(c) = self.next() else { return Err(python("bad escape (end of pattern)")) };
        if let Some(named) = named_class(c, flags) {
            return Ok(set_of(Item::Named(named), flags));
        }
        match c {
            'A' => Ok(Node::At(At::Start)),
            'Z' => Ok(Node::At(At::End)),
            'b' | 'B' => Ok(Node::At(At::Boundary { negated: c == 'B', ascii: flags.ascii })),
            '0' => {
                let digits = self.while_matching(2, |c| ('0'..='7').contains(&c));
                code_point(&format!("0{digits}"), 8).map(|c| literal(c, flags))
            }
            '1'..='9' => self.number_escape(c, flags),
            c => self.character(c).map(|c| literal(c, flags)),
        }
    }

    /// `\12` is a group, `\123` an octal number if all three digits are octal.
    fn number_escape(&mut self, first: char, flags: Flags) -> Result<Node, Refused> {
        let mut digits = first.to_string();
        if self.peek().is_some_and(|c| c.is_ascii_digit()) {
            digits.extend(self.next());
            let is_octal = |c: char| ('0'..='7').contains(&c);
            if digits.chars().all(is_octal) && self.peek().is_some_and(is_octal) {
                digits.extend(self.next());
                return octal(&digits).map(|c| literal(c, flags));
            }
        }
        self.reference(digits.parse().unwrap_or(usize::MAX))
    }

    /// An escaped character that stands for one character, in a set or outside.
    fn character(&mut self, c: char) -> Result<char, Refused> {
        Ok(match c {
            'a' => '\u{7}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'x' | 'u' | 'U' => {
                let length = match c {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                let digits = self.while_matching(length, |c| c.is_ascii_hexdigit());
                if digits.len() != length {
                    return Err(python(&format!("incomplete escape \\{c}")));
                }
                code_point(&digits, 16)?
            }
            'N' => return Err(Refused::NotModelled("characters by name")),
            // New in 3.14; an error before.
            'z' => return Err(Refused::NotModelled("`\\z`")),
            c if c.is_ascii_alphanumeric() => return Err(python(&format!("bad escape \\{c}"))),
            c => c,
        })
    }

    /// After `[`.
    pub(super) fn set(&mut self, flags: Flags) -> Result<Node, Refused> {
        let negated = self.eat('^');
        let unterminated = || python("unterminated character set");
        let mut items: Vec<Item> = Vec::new();
        loop {
            let c = self.next().ok_or_else(unterminated)?;
            if c == ']' && !items.is_empty() {
                break;
            }
            let low = self.member(c, flags)?;
            if !self.eat('-') {
                items.push(low);
                continue;
            }
            let c = self.next().ok_or_else(unterminated)?;
            if c == ']' {
                items.extend([low, Item::Char('-')]);
                break;
            }
            match (low, self.member(c, flags)?) {
                (Item::Char(low), Item::Char(high)) if low <= high => items.push(Item::Range(low, high)),
                _ => return Err(python("bad character range")),
            }
        }
        Ok(Node::Set(Set { items, negated, ignore_case: flags.ignore_case }))
    }

    fn member(&mut self, c: char, flags: Flags) -> Result<Item, Refused> {
        if c != '\\' {
            return Ok(Item::Char(c));
        }
        let Some(c) = self.next() else { return Err(python("bad escape (end of pattern)")) };
        if let Some(named) = named_class(c, flags) {
            return Ok(Item::Named(named));
        }
        match c {
            'b' => Ok(Item::Char('\u{8}')),
            '0'..='7' => {
                let digits = self.while_matching(2, |c| ('0'..='7').contains(&c));
                octal(&format!("{c}{digits}")).map(Item::Char)
            }
            c => self.character(c).map(Item::Char),
        }
    }
}

fn octal(digits: &str) -> Result<char, Refused> {
    match u32::from_str_radix(digits, 8) {
        Ok(n) if n <= 0o377 => code_point(digits, 8),
        _ => Err(python("octal escape value outside of range 0-0o377")),
    }
}

fn code_point(digits: &str, radix: u32) -> Result<char, Refused> {
    let n = u32::from_str_radix(digits, radix).map_err(|_| python("bad escape"))?;
    if (0xd800..0xe000).contains(&n) {
        return Err(Refused::NotModelled("half a surrogate pair"));
    }
    char::from_u32(n).ok_or_else(|| python("bad escape: no such character"))
}

fn named_class(c: char, flags: Flags) -> Option<Named> {
    let kind = match c.to_ascii_lowercase() {
        'd' => Kind::Digit,
        's' => Kind::Space,
        'w' => Kind::Word,
        _ => return None,
    };
    Some(Named { kind, negated: c.is_ascii_uppercase(), ascii: flags.ascii })
}
