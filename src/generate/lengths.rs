//! Strings of a wanted length where a pattern has back-references, which no regular language holds: the
//! length of each group that is referred to is fixed first, then the rest is fitted round it.

use super::pattern::{Node, Pattern};
use super::rng::{Key, mix};

/// Longer strings are not fitted.
const MAX_LENGTH: usize = 128;
/// Combinations of group lengths that are tried.
const MAX_COMBINATIONS: usize = 300;
/// Larger patterns are not fitted.
const MAX_NODES: usize = 100;

/// Lengths as a set: bit `n` for a string of `n` characters.
type Lengths = Vec<bool>;

/// A string of `min` to `max` characters whose parts stand where the pattern has them; look-around is not
/// heeded. `None` where no combination of lengths fits, or none was found within the bounds.
pub(crate) fn sample(pattern: &Pattern, key: &Key, place: u64, min: usize, max: usize) -> Option<String> {
    let (min, max) = (min, max.min(MAX_LENGTH));
    if min > max || nodes(&pattern.root) > MAX_NODES {
        return None;
    }
    let mut referred = Vec::new();
    references(&pattern.root, &mut referred);
    referred.sort_unstable();
    referred.dedup();
    let mut fit = Fit { cap: max, fixed: vec![None; pattern.groups + 1], left: MAX_COMBINATIONS };
    let wanted = fit.choose(&pattern.root, &referred, min)?;
    let captures = vec![None; pattern.groups + 1];
    let mut writer = Writer { fit, key, place, draws: 0, captures, out: String::new() };
    writer.write(&pattern.root, wanted)?;
    Some(writer.out)
}

/// What [`sample`] costs at most, in steps of about a microsecond.
pub(crate) fn effort(pattern: &Pattern) -> usize {
    let nodes = nodes(&pattern.root);
    if nodes > MAX_NODES { 1 } else { 1_000 + 1_000 * nodes }
}

fn nodes(node: &Node) -> usize {
    1 + match node {
        Node::Cat(parts) | Node::Alt(parts) => parts.iter().map(nodes).sum(),
        Node::Repeat(inner, ..) | Node::Group(_, inner) => nodes(inner),
        _ => 0,
    }
}

/// The groups that are referred to.
fn references(node: &Node, out: &mut Vec<usize>) {
    match node {
        Node::Cat(nodes) | Node::Alt(nodes) => nodes.iter().for_each(|n| references(n, out)),
        Node::Repeat(inner, ..) | Node::Group(_, inner) => references(inner, out),
        Node::BackReference(index) => out.push(*index),
        _ => {}
    }
}

struct Fit {
    cap: usize,
    /// The length of each group that is referred to.
    fixed: Vec<Option<usize>>,
    left: usize,
}

impl Fit {
    /// Fixes the groups' lengths, small ones first, until the whole can be `min` long or more; how long then.
    fn choose(&mut self, root: &Node, open: &[usize], min: usize) -> Option<usize> {
        let Some((group, rest)) = open.split_first() else {
            self.left = self.left.checked_sub(1)?;
            let lengths = self.lengths(root);
            return (min..=self.cap).find(|n| has(&lengths, *n));
        };
        for length in 0..=self.cap {
            if self.left == 0 {
                return None;
            }
            *self.fixed.get_mut(*group)? = Some(length);
            if let Some(found) = self.choose(root, rest, min) {
                return Some(found);
            }
        }
        None
    }

    fn only(&self, length: usize) -> Lengths {
        (0..=self.cap).map(|n| n == length).collect()
    }

    /// How long what the node matches can be.
    fn lengths(&self, node: &Node) -> Lengths {
        match node {
            Node::Class(set) if set.is_empty() => vec![false; self.cap + 1],
            Node::Class(_) => self.only(1),
            Node::Cat(nodes) => nodes.iter().fold(self.only(0), |sum, n| self.sum(&sum, &self.lengths(n))),
            Node::Alt(nodes) => nodes.iter().fold(vec![false; self.cap + 1], |all, n| {
                all.into_iter().zip(self.lengths(n)).map(|(a, b)| a || b).collect()
            }),
            Node::Repeat(inner, min, max) => self.repeated(&self.lengths(inner), *min, *max),
            Node::Group(index, inner) => {
                let inner = self.lengths(inner);
                match self.fixed.get(*index).copied().flatten() {
                    Some(length) if has(&inner, length) => self.only(length),
                    Some(_) => vec![false; self.cap + 1],
                    None => inner,
                }
            }
            Node::BackReference(index) => self.only(self.fixed.get(*index).copied().flatten().unwrap_or(0)),
            _ => self.only(0),
        }
    }

    fn sum(&self, left: &Lengths, right: &Lengths) -> Lengths {
        let mut out = vec![false; self.cap + 1];
        let some = |set: &Lengths| set.iter().enumerate().filter(|(_, is)| **is).map(|(n, _)| n).collect();
        let (left, right): (Vec<usize>, Vec<usize>) = (some(left), some(right));
        for a in left {
            for slot in right.iter().filter_map(|b| a.checked_add(*b)) {
                if let Some(slot) = out.get_mut(slot) {
                    *slot = true;
                }
            }
        }
        out
    }

    fn repeated(&self, once: &Lengths, min: u32, max: Option<u32>) -> Lengths {
        let cap = u32::try_from(self.cap).unwrap_or(u32::MAX);
        let mut sum = self.only(0);
        for _ in 0..min.min(cap + 1) {
            let next = self.sum(&sum, once);
            if next == sum {
                break;
            }
            sum = next;
        }
        let mut all = sum.clone();
        for _ in 0..max.map_or(cap, |m| m.saturating_sub(min)).min(cap) {
            sum = self.sum(&sum, once);
            let wider: Lengths = all.iter().zip(&sum).map(|(a, b)| *a || *b).collect();
            if wider == all {
                break;
            }
            all = wider;
        }
        all
    }
}

fn has(set: &Lengths, length: usize) -> bool {
    set.get(length).copied().unwrap_or(false)
}

struct Writer<'k> {
    fit: Fit,
    key: &'k Key,
    place: u64,
    draws: u64,
    captures: Vec<Option<String>>,
    out: String,
}

impl Writer<'_> {
    fn draw(&mut self, n: usize) -> usize {
        self.draws += 1;
        self.key.below(mix(self.place ^ self.draws), 9, n)
    }

    /// Writes what the node matches, `length` characters of it.
    fn write(&mut self, node: &Node, length: usize) -> Option<()> {
        match node {
            Node::Class(set) => {
                let mut letters = set.iter().filter(|(a, b)| *a <= 'z' && *b >= 'a');
                let c = match letters.next() {
                    Some((a, b)) => {
                        let (low, high) = (u32::from(*a.max(&'a')), u32::from(*b.min(&'z')));
                        let at = self.draw(usize::try_from(high - low + 1).ok()?);
                        char::from_u32(low + u32::try_from(at).ok()?)?
                    }
                    None => set
                        .iter()
                        .find(|(_, b)| *b >= ' ')
                        .map(|(a, _)| *a.max(&' '))
                        .or(set.first().map(|(a, _)| *a))?,
                };
                self.out.push(c);
            }
            Node::Cat(nodes) => self.parts(nodes, length)?,
            Node::Alt(nodes) => {
                let fitting: Vec<&Node> =
                    nodes.iter().filter(|n| has(&self.fit.lengths(n), length)).collect();
                let chosen = self.draw(fitting.len().max(1));
                self.write(fitting.get(chosen)?, length)?;
            }
            Node::Repeat(inner, min, max) => self.repeat(inner, *min, *max, length)?,
            Node::Group(index, inner) => {
                let from = self.out.len();
                self.write(inner, length)?;
                let text = self.out.get(from..).map(str::to_string);
                *self.captures.get_mut(*index)? = text;
            }
            Node::BackReference(index) => {
                // A group that was not passed is an empty text; then the lengths do not add up.
                let text = self.captures.get(*index)?.clone().unwrap_or_default();
                if text.chars().count() != length {
                    return None;
                }
                self.out.push_str(&text);
            }
            _ => {}
        }
        Some(())
    }

    fn parts(&mut self, nodes: &[Node], length: usize) -> Option<()> {
        // What the parts from each one on can be together.
        let mut rests = vec![self.fit.only(0)];
        for node in nodes.iter().rev() {
            let last = rests.last()?;
            rests.push(self.fit.sum(&self.fit.lengths(node), last));
        }
        let mut left = length;
        for (i, node) in nodes.iter().enumerate() {
            let rest = rests.get(nodes.len() - 1 - i)?;
            let own = self.fit.lengths(node);
            let part = (0..=left).find(|n| has(&own, *n) && has(rest, left - n))?;
            self.write(node, part)?;
            left -= part;
        }
        (left == 0).then_some(())
    }

    fn repeat(&mut self, inner: &Node, min: u32, max: Option<u32>, length: usize) -> Option<()> {
        let once = self.fit.lengths(inner);
        let (mut left, mut done) = (length, 0_u32);
        while left > 0 || done < min {
            let more = max.map(|m| m.checked_sub(done + 1)).map_or(Some(None), |m| m.map(Some))?;
            let rest = self.fit.repeated(&once, min.saturating_sub(done + 1), more);
            let part =
                (0..=left).find(|n| has(&once, *n) && (*n > 0 || done < min) && has(&rest, left - n))?;
            if part == 0 && left == 0 && done > 1_000 {
                break;
            }
            self.write(inner, part)?;
            left -= part;
            done += 1;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pattern: &str, min: usize, max: usize) -> Option<String> {
        sample(&Pattern::parse(pattern).unwrap(), &Key::new("t", "", ""), 1, min, max)
    }

    #[test]
    fn equal_parts_fill_a_window() {
        for (pattern, min, max) in [
            (r"^(a+)b\1b\1$", 41, 41),
            (r"^(a+)b\1b\1$", 5, 5),
            (r"^(\w{2,9})-\1-(\d+)-\2$", 30, 31),
            (r"^(a|bb)(c*)\1\2d{3,}$", 21, 21),
            (r"^(?<q>['x])[a-z ]*\k<q>$", 12, 12),
        ] {
            let text = of(pattern, min, max).unwrap_or_else(|| panic!("{pattern}"));
            let length = text.chars().count();
            assert!((min..=max).contains(&length), "{pattern}: {text}");
            let regex = fancy_regex::Regex::new(pattern).unwrap();
            assert!(regex.is_match(&text).unwrap(), "{pattern}: {text}");
        }
    }

    #[test]
    fn what_cannot_be_is_not_written() {
        assert_eq!(of(r"^(a+)b\1b\1$", 40, 40), None, "three equal runs and two letters");
        assert_eq!(of(r"^(a{3})\1$", 1, 5), None);
        assert_eq!(of(r"^(a)\1$", 300, 400), None, "beyond what is fitted");
        assert_eq!(of(r"^((((a*)b*)c*)d*)\1\2\3\4$", 127, 127), None, "after a bounded search");
    }
}
