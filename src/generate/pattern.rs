//! Patterns as trees: ECMA-262 syntax, read leniently, for sampling ([`Pattern::sample`]) and for the
//! set algebra of [`super::language`]. Whether a string matches is asked of the judge alone.

use super::rng::{Key, mix};

/// Characters as sorted, disjoint, inclusive ranges.
pub(crate) type CharSet = Vec<(char, char)>;

/// A node of a pattern.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    /// One character of the set.
    Class(CharSet),
    Cat(Vec<Node>),
    Alt(Vec<Node>),
    Repeat(Box<Node>, u32, Option<u32>),
    /// A capturing group, by number.
    Group(usize, Box<Node>),
    BackReference(usize),
    Start,
    End,
    /// `\b`, `\B`: a word begins or ends here, or none does.
    WordBorder(bool),
    /// `(?=…)`, `(?!…)`: what follows does, or does not, begin with it.
    Ahead(bool, Box<Node>),
    /// `(?<=…)`, `(?<!…)`: what precedes does, or does not, end with it.
    Behind(bool, Box<Node>),
}

impl Node {
    /// Whether anchors, look-around or references are somewhere inside.
    pub(crate) fn is_special(&self) -> bool {
        match self {
            Node::Class(_) => false,
            Node::Cat(nodes) | Node::Alt(nodes) => nodes.iter().any(Node::is_special),
            Node::Repeat(node, ..) | Node::Group(_, node) => node.is_special(),
            _ => true,
        }
    }

    /// Whether look-around or a back-reference is somewhere inside.
    pub(crate) fn looks_around(&self) -> bool {
        match self {
            Node::Cat(nodes) | Node::Alt(nodes) => nodes.iter().any(Node::looks_around),
            Node::Repeat(node, ..) | Node::Group(_, node) => node.looks_around(),
            Node::Ahead(..) | Node::Behind(..) | Node::BackReference(_) => true,
            _ => false,
        }
    }

    /// Whether what precedes is asked for somewhere inside.
    pub(crate) fn looks_behind(&self) -> bool {
        match self {
            Node::Cat(nodes) | Node::Alt(nodes) => nodes.iter().any(Node::looks_behind),
            Node::Repeat(node, ..) | Node::Group(_, node) | Node::Ahead(_, node) => node.looks_behind(),
            Node::Behind(..) | Node::WordBorder(_) => true,
            _ => false,
        }
    }

    /// Whether `\b` or `\B` is somewhere inside.
    pub(crate) fn has_border(&self) -> bool {
        match self {
            Node::Cat(nodes) | Node::Alt(nodes) => nodes.iter().any(Node::has_border),
            Node::Repeat(node, ..) | Node::Group(_, node) | Node::Ahead(_, node) | Node::Behind(_, node) => {
                node.has_border()
            }
            Node::WordBorder(_) => true,
            _ => false,
        }
    }

    /// The least and the most characters that it spans; `None` where there is no bound, or none is known.
    pub(crate) fn widths(&self) -> (u32, Option<u32>) {
        match self {
            Node::Class(_) => (1, Some(1)),
            Node::Cat(nodes) => nodes.iter().map(Node::widths).fold((0, Some(0)), |(least, most), (a, b)| {
                (least.saturating_add(a), most.zip(b).and_then(|(m, b)| m.checked_add(b)))
            }),
            Node::Alt(nodes) => {
                let mut widths = nodes.iter().map(Node::widths);
                let first = widths.next().unwrap_or((0, Some(0)));
                widths.fold(first, |(least, most), (a, b)| (least.min(a), most.zip(b).map(|(m, b)| m.max(b))))
            }
            Node::Repeat(node, min, max) => {
                let (least, most) = node.widths();
                let most = match (most, max) {
                    (Some(0), _) => Some(0),
                    (Some(most), Some(max)) => most.checked_mul(*max),
                    _ => None,
                };
                (least.saturating_mul(*min), most)
            }
            Node::Group(_, node) => node.widths(),
            Node::BackReference(_) => (0, None),
            _ => (0, Some(0)),
        }
    }

    /// Whether a back-reference is somewhere inside, outside look-around.
    pub(crate) fn refers_back(&self) -> bool {
        match self {
            Node::Cat(nodes) | Node::Alt(nodes) => nodes.iter().any(Node::refers_back),
            Node::Repeat(node, ..) | Node::Group(_, node) => node.refers_back(),
            Node::BackReference(_) => true,
            _ => false,
        }
    }

    /// Whether the empty string matches, anchors and look-around taken as met.
    pub(crate) fn is_nullable(&self) -> bool {
        match self {
            Node::Class(_) => false,
            Node::Cat(nodes) => nodes.iter().all(Node::is_nullable),
            Node::Alt(nodes) => nodes.iter().any(Node::is_nullable),
            Node::Repeat(node, min, _) => *min == 0 || node.is_nullable(),
            Node::Group(_, node) => node.is_nullable(),
            _ => true,
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pub(crate) root: Node,
    pub(crate) groups: usize,
    /// Whether `\d`, `\w` or `\s` occurs, which engines read in more than one way.
    pub(crate) has_shorthand: bool,
}

impl Pattern {
    /// Whether `\d` and its like mean one thing: with look-around or references the judge's engine reads them as
    /// Unicode does.
    pub(crate) fn is_read_one_way(&self) -> bool {
        !(self.has_shorthand && (self.root.looks_around() || self.root.looks_behind()))
    }

    /// A string that the pattern probably matches; `stretch` asks for more repetitions.
    pub(crate) fn sample(&self, key: &Key, place: u64, stretch: u32) -> Option<String> {
        let mut sampler = Sampler {
            key,
            place,
            draws: 0,
            stretch,
            captures: vec![None; self.groups + 1],
            out: String::new(),
        };
        sampler.node(&self.root)?;
        Some(sampler.out)
    }
}

struct Sampler<'k> {
    key: &'k Key,
    place: u64,
    draws: u64,
    stretch: u32,
    captures: Vec<Option<String>>,
    out: String,
}

const LONGEST_SAMPLE: usize = 200_000;

impl Sampler<'_> {
    fn draw(&mut self, n: usize) -> usize {
        self.draws += 1;
        self.key.below(mix(self.place ^ self.draws), 7, n)
    }

    fn node(&mut self, node: &Node) -> Option<()> {
        if self.out.len() > LONGEST_SAMPLE {
            return None;
        }
        match node {
            Node::Class(ranges) => {
                let c = self.character(ranges)?;
                self.out.push(c);
            }
            Node::Cat(nodes) => {
                for n in nodes {
                    self.node(n)?;
                }
            }
            Node::Alt(nodes) => {
                let i = self.draw(nodes.len());
                self.node(nodes.get(i)?)?;
            }
            Node::Repeat(inner, min, max) => {
                let times = self.times(*min, *max);
                for _ in 0..times {
                    self.node(inner)?;
                }
            }
            Node::Group(index, inner) => {
                let from = self.out.len();
                self.node(inner)?;
                let text = self.out.get(from..).map(str::to_string);
                if let Some(slot) = self.captures.get_mut(*index) {
                    *slot = text;
                }
            }
            Node::BackReference(index) => {
                if let Some(Some(text)) = self.captures.get(*index) {
                    let text = text.clone();
                    self.out.push_str(&text);
                }
            }
            _ => {}
        }
        Some(())
    }

    fn times(&mut self, min: u32, max: Option<u32>) -> u32 {
        let room = max.map_or(u32::MAX, |m| m.saturating_sub(min));
        // A person writes a few of whatever may repeat; an optional part now and then.
        let usual = match (min, max) {
            (0, Some(1)) => self.draw(2),
            (0, None) | (1, None) => 3 + self.draw(4),
            (_, Some(_)) => self.draw(usize::try_from(room.min(6)).unwrap_or(6) + 1),
            _ => self.draw(3),
        };
        let more = u32::try_from(usual).unwrap_or(0).saturating_add(self.stretch);
        min.saturating_add(more.min(room))
    }

    /// A character of the set: a lower-case letter or digit where there is one.
    fn character(&mut self, ranges: &[(char, char)]) -> Option<char> {
        for (low, high) in [('a', 'z'), ('0', '9'), ('A', 'Z'), ('!', '~'), (' ', ' ')] {
            let within: Vec<(char, char)> = ranges
                .iter()
                .filter(|(a, b)| *a <= high && *b >= low)
                .map(|(a, b)| ((*a).max(low), (*b).min(high)))
                .collect();
            let total: u32 = within.iter().map(|(a, b)| *b as u32 - *a as u32 + 1).sum();
            if total > 0 {
                let mut at = u32::try_from(self.draw(total as usize)).unwrap_or(0);
                for (a, b) in within {
                    let size = b as u32 - a as u32 + 1;
                    if at < size {
                        return char::from_u32(a as u32 + at);
                    }
                    at -= size;
                }
            }
        }
        ranges.first().map(|(a, _)| *a)
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    fn sample(pattern: &str) -> String {
        Pattern::parse(pattern).unwrap().sample(&Key::new("t", "", ""), 1, 0).unwrap()
    }

    #[test]
    fn samples_match() {
        for pattern in [
            r"^[A-Z]{3}-\d+$",
            r"^([a-z]{2})-\1$",
            r"^(?<y>\d{4})-\k<y>$",
            r"^[\w.+-]+@example\.(com|org)$",
            r"^\u0041\x42[^a-z]$",
            r"^(?:a|b){2,3}?c*$",
            r"^\p{Lu}$",
            r"^[a-]{2}$",
            r"^\{x\}{2}$",
        ] {
            let regex = fancy_regex::Regex::new(&pattern.replace(r"\u0041", "A")).unwrap();
            let text = sample(pattern);
            assert!(regex.is_match(&text).unwrap(), "{pattern} {text}");
        }
    }

    #[test]
    fn not_understood_is_said() {
        for pattern in ["(", "a**", "[z-a]", "(?i)a", "*"] {
            assert!(Pattern::parse(pattern).is_none(), "{pattern}");
        }
    }
}
