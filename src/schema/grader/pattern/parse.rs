//! The syntax of Python's `re`, after `re/_parser.py` of Python 3.11 to 3.13.

mod escape;

use super::Refused;
use super::class::{Item, Set};
use std::collections::BTreeMap;

/// A parsed pattern.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) root: Node,
    pub(super) ignores_case: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    Set(Set),
    /// `.`: all but a line feed, or all.
    Any {
        all: bool,
    },
    At(At),
    Concat(Vec<Node>),
    Alternate(Vec<Node>),
    /// `max` is `None` for no bound.
    Repeat {
        node: Box<Node>,
        min: u32,
        max: Option<u32>,
        is_lazy: bool,
    },
    /// A group, with its number if it captures.
    Group {
        number: Option<usize>,
        node: Box<Node>,
    },
    Look {
        node: Box<Node>,
        is_negative: bool,
        behind: Option<usize>,
    },
    Reference(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    /// `\A`, or `^` without MULTILINE.
    Start,
    LineStart,
    /// `\Z`.
    End,
    /// `$`: at the end, or before a line feed that ends the text.
    EndOrLastLine,
    LineEnd,
    Boundary {
        negated: bool,
        ascii: bool,
    },
}

#[derive(Debug, Clone, Copy, Default)]
struct Flags {
    ignore_case: bool,
    multiline: bool,
    dot_all: bool,
    ascii: bool,
}

/// Patterns nest by recursion here and in Python.
const MAX_DEPTH: usize = 60;
/// Bounds beyond this are cut off: such repetitions are not modelled anyway.
const MAX_REPEAT: u64 = 4_294_967_294;

pub(super) fn parse(pattern: &str) -> Result<Parsed, Refused> {
    let mut parser = Parser {
        chars: pattern.chars().collect(),
        at: 0,
        groups: 0,
        open: Vec::new(),
        names: BTreeMap::new(),
        depth: 0,
        ignores_case: false,
        in_look_behind: false,
    };
    let flags = parser.global_flags()?;
    let root = parser.alternatives(flags)?;
    if parser.peek().is_some() {
        return Err(python("unbalanced parenthesis"));
    }
    Ok(Parsed { root, ignores_case: parser.ignores_case })
}

fn python(why: &str) -> Refused {
    Refused::ByPython(why.to_string())
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    groups: usize,
    open: Vec<usize>,
    names: BTreeMap<String, usize>,
    depth: usize,
    ignores_case: bool,
    in_look_behind: bool,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek();
        self.at += usize::from(c.is_some());
        c
    }

    fn eat(&mut self, c: char) -> bool {
        let is_next = self.peek() == Some(c);
        self.at += usize::from(is_next);
        is_next
    }

    fn eat_text(&mut self, text: &str) -> bool {
        let is_next = text.chars().enumerate().all(|(i, c)| self.chars.get(self.at + i) == Some(&c));
        if is_next {
            self.at += text.chars().count();
        }
        is_next
    }

    fn while_matching(&mut self, max: usize, accept: impl Fn(char) -> bool) -> String {
        let mut text = String::new();
        while text.chars().count() < max && self.peek().is_some_and(&accept) {
            text.extend(self.next());
        }
        text
    }

    /// `(?im)` at the very start; further on, Python refuses them (3.11) or warns.
    fn global_flags(&mut self) -> Result<Flags, Refused> {
        let mut flags = Flags::default();
        loop {
            let start = self.at;
            if !self.eat_text("(?") {
                return Ok(flags);
            }
            let letters = self.while_matching(20, |c| c.is_ascii_alphabetic());
            if letters.is_empty() || letters.starts_with('P') || !self.eat(')') {
                self.at = start;
                return Ok(flags);
            }
            self.set_flags(&mut flags, &letters, true)?;
        }
    }

    fn set_flags(&mut self, flags: &mut Flags, letters: &str, on: bool) -> Result<(), Refused> {
        for letter in letters.chars() {
            match letter {
                'i' => {
                    flags.ignore_case = on;
                    self.ignores_case |= on;
                }
                'm' => flags.multiline = on,
                's' => flags.dot_all = on,
                'a' => flags.ascii = on,
                'u' => flags.ascii = !on && flags.ascii,
                'x' => return Err(Refused::NotModelled("verbose patterns")),
                'L' => return Err(python("bad inline flags: cannot use 'L' flag with a str pattern")),
                _ => return Err(python("unknown flag")),
            }
        }
        Ok(())
    }

    fn alternatives(&mut self, flags: Flags) -> Result<Node, Refused> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Refused::NotModelled("such deep nesting"));
        }
        let mut branches = vec![self.sequence(flags)?];
        while self.eat('|') {
            branches.push(self.sequence(flags)?);
        }
        self.depth -= 1;
        Ok(match branches.len() {
            1 => branches.remove(0),
            _ => Node::Alternate(branches),
        })
    }

    fn sequence(&mut self, flags: Flags) -> Result<Node, Refused> {
        let mut items: Vec<Node> = Vec::new();
        while let Some(c) = self.peek() {
            if matches!(c, '|' | ')') {
                break;
            }
            self.at += 1;
            match c {
                '\\' => items.push(self.escape(flags)?),
                '[' => items.push(self.set(flags)?),
                '.' => items.push(Node::Any { all: flags.dot_all }),
                '^' if flags.multiline => items.push(Node::At(At::LineStart)),
                '^' => items.push(Node::At(At::Start)),
                '$' if flags.multiline => items.push(Node::At(At::LineEnd)),
                '$' => items.push(Node::At(At::EndOrLastLine)),
                '(' => items.extend(self.group(flags)?),
                '*' => self.repeat(&mut items, 0, None)?,
                '+' => self.repeat(&mut items, 1, None)?,
                '?' => self.repeat(&mut items, 0, Some(1))?,
                '{' => match self.bounds()? {
                    Some((min, max)) => self.repeat(&mut items, min, max)?,
                    None => items.push(literal('{', flags)),
                },
                c => items.push(literal(c, flags)),
            }
        }
        Ok(if items.len() == 1 { items.remove(0) } else { Node::Concat(items) })
    }

    /// What stands in braces, if it is a quantifier: `{2}`, `{2,}`, `{,3}`, `{2,3}`, `{,}`.
    fn bounds(&mut self) -> Result<Option<(u32, Option<u32>)>, Refused> {
        let start = self.at;
        if self.peek() == Some('}') {
            return Ok(None);
        }
        let low = self.while_matching(usize::MAX, |c| c.is_ascii_digit());
        let high =
            if self.eat(',') { self.while_matching(usize::MAX, |c| c.is_ascii_digit()) } else { low.clone() };
        if !self.eat('}') {
            self.at = start;
            return Ok(None);
        }
        let number = |digits: &str| match digits.parse::<u64>() {
            Ok(n) if n <= MAX_REPEAT => Ok(n as u32),
            _ => Err(python("the repetition number is too large")),
        };
        let min = if low.is_empty() { 0 } else { number(&low)? };
        let max = if high.is_empty() { None } else { Some(number(&high)?) };
        if max.is_some_and(|max| max < min) {
            return Err(python("min repeat greater than max repeat"));
        }
        Ok(Some((min, max)))
    }

    fn repeat(&mut self, items: &mut Vec<Node>, min: u32, max: Option<u32>) -> Result<(), Refused> {
        let item = match items.pop() {
            None | Some(Node::At(_)) => return Err(python("nothing to repeat")),
            Some(Node::Repeat { .. }) => return Err(python("multiple repeat")),
            Some(item) => item,
        };
        let is_lazy = self.eat('?');
        if !is_lazy && self.peek() == Some('+') {
            // Possessive since 3.11, an error before.
            return Err(Refused::NotModelled("possessive quantifiers"));
        }
        items.push(Node::Repeat { node: Box::new(item), min, max, is_lazy });
        Ok(())
    }

    /// After `(`. `None` for a comment.
    fn group(&mut self, flags: Flags) -> Result<Option<Node>, Refused> {
        if !self.eat('?') {
            return self.capture(flags, None).map(Some);
        }
        match self.next() {
            None => Err(python("unexpected end of pattern")),
            Some('P') => self.named(flags),
            Some(':') => self.inner(flags, None).map(Some),
            Some('#') => loop {
                match self.next() {
                    None => return Err(python("missing ), unterminated comment")),
                    Some(')') => return Ok(None),
                    Some(_) => {}
                }
            },
            Some('=') => self.look(flags, false, false).map(Some),
            Some('!') => self.look(flags, true, false).map(Some),
            Some('<') => match self.next() {
                Some('=') => self.look(flags, false, true).map(Some),
                Some('!') => self.look(flags, true, true).map(Some),
                None => Err(python("unexpected end of pattern")),
                Some(c) => Err(python(&format!("unknown extension ?<{c}"))),
            },
            Some('(') => Err(Refused::NotModelled("conditional groups")),
            Some('>') => Err(Refused::NotModelled("atomic groups")),
            Some(c) if c == '-' || c.is_ascii_alphabetic() => {
                self.at -= 1;
                self.scoped(flags).map(Some)
            }
            Some(c) => Err(python(&format!("unknown extension ?{c}"))),
        }
    }

    /// `(?i-s:…)`.
    fn scoped(&mut self, mut flags: Flags) -> Result<Node, Refused> {
        let on = self.while_matching(20, |c| c.is_ascii_alphabetic());
        self.set_flags(&mut flags, &on, true)?;
        if self.eat('-') {
            let off = self.while_matching(20, |c| c.is_ascii_alphabetic());
            if off.is_empty() {
                return Err(python("missing flag"));
            }
            if off.contains(['a', 'u', 'L']) {
                return Err(python("bad inline flags: cannot turn off flags 'a', 'u' and 'L'"));
            }
            self.set_flags(&mut flags, &off, false)?;
        }
        match self.next() {
            Some(':') => self.inner(flags, None),
            Some(')') => Err(python("global flags not at the start of the expression")),
            _ => Err(python("missing -, : or )")),
        }
    }

    fn inner(&mut self, flags: Flags, number: Option<usize>) -> Result<Node, Refused> {
        let node = Box::new(self.alternatives(flags)?);
        if !self.eat(')') {
            return Err(python("missing ), unterminated subpattern"));
        }
        Ok(Node::Group { number, node })
    }

    fn capture(&mut self, flags: Flags, name: Option<String>) -> Result<Node, Refused> {
        self.groups += 1;
        let number = self.groups;
        if let Some(name) = name
            && self.names.insert(name, number).is_some()
        {
            return Err(python("redefinition of group name"));
        }
        self.open.push(number);
        let node = self.inner(flags, Some(number))?;
        self.open.pop();
        Ok(node)
    }

    /// After `(?P`.
    fn named(&mut self, flags: Flags) -> Result<Option<Node>, Refused> {
        let end = match self.next() {
            Some('<') => '>',
            Some('=') => ')',
            _ => return Err(python("unknown extension ?P")),
        };
        let name = self.while_matching(usize::MAX, |c| c != end);
        if !self.eat(end) {
            return Err(python("missing group name or its end"));
        }
        if !name.is_ascii() {
            return Err(Refused::NotModelled("group names beyond ASCII"));
        }
        let is_word = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if name.is_empty() || !is_word || name.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(python("bad character in group name"));
        }
        if end == '>' {
            return self.capture(flags, Some(name)).map(Some);
        }
        match self.names.get(&name).copied() {
            Some(number) => self.reference(number).map(Some),
            None => Err(python("unknown group name")),
        }
    }

    fn reference(&mut self, number: usize) -> Result<Node, Refused> {
        if number == 0 || number > self.groups {
            return Err(python("invalid group reference"));
        }
        if self.open.contains(&number) {
            return Err(python("cannot refer to an open group"));
        }
        if self.in_look_behind || self.ignores_case {
            return Err(Refused::NotModelled("a group reference here"));
        }
        Ok(Node::Reference(number))
    }

    fn look(&mut self, flags: Flags, is_negative: bool, is_behind: bool) -> Result<Node, Refused> {
        let was = self.in_look_behind;
        self.in_look_behind |= is_behind;
        let node = self.inner(flags, None)?;
        self.in_look_behind = was;
        let behind = match is_behind {
            false => None,
            true => {
                Some(fixed_width(&node).ok_or_else(|| python("look-behind requires fixed-width pattern"))?)
            }
        };
        Ok(Node::Look { node: Box::new(node), is_negative, behind })
    }
}

fn literal(c: char, flags: Flags) -> Node {
    set_of(Item::Char(c), flags)
}

fn set_of(item: Item, flags: Flags) -> Node {
    Node::Set(Set { items: vec![item], negated: false, ignore_case: flags.ignore_case })
}

/// The width of what `node` matches, if it is always the same.
fn fixed_width(node: &Node) -> Option<usize> {
    match node {
        Node::Set(_) | Node::Any { .. } => Some(1),
        Node::At(_) | Node::Look { .. } => Some(0),
        Node::Concat(items) => items.iter().try_fold(0usize, |sum, n| sum.checked_add(fixed_width(n)?)),
        Node::Alternate(branches) => {
            let mut widths = branches.iter().map(fixed_width);
            let first = widths.next()??;
            widths.all(|w| w == Some(first)).then_some(first)
        }
        Node::Repeat { node, min, max, .. } => {
            let width = fixed_width(node)?;
            if *max == Some(*min) { width.checked_mul(*min as usize) } else { (width == 0).then_some(0) }
        }
        Node::Group { node, .. } => fixed_width(node),
        Node::Reference(_) => None,
    }
}
