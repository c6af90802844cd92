//! Strings of an automaton, by length: which lengths there are, and walks of a chosen length.

use super::pattern::CharSet;
use super::rng::{Key, mix};
use std::collections::BTreeSet;

/// A state, and the characters that lead there.
pub(crate) type Edge = (usize, CharSet);

/// A finite automaton, possibly with several ways for one character.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) start: usize,
    pub(crate) accepting: Vec<bool>,
    /// For each state: where its characters lead.
    pub(crate) edges: Vec<Vec<Edge>>,
}

/// Work (edges times length) beyond which lengths are not counted.
const MAX_WORK: usize = 20_000_000;

/// From which states an accepting one is reached in exactly `k` characters.
pub(crate) struct Lengths<'g> {
    graph: &'g Graph,
    /// `ends[k]` as a bit set of states.
    ends: Vec<Vec<u64>>,
}

impl Graph {
    /// Reachability for lengths up to `max`, or as far as any new length can lie beyond `min`: by the
    /// pumping lemma a language with a string of at least `min` characters has one within as many more
    /// as there are states. `None` where that is too much work.
    pub(crate) fn lengths(&self, min: usize, max: Option<usize>) -> Option<Lengths<'_>> {
        let states = self.edges.len();
        let edges: usize = self.edges.iter().map(Vec::len).sum();
        let most = max.unwrap_or(usize::MAX).min(min.checked_add(states + 8)?);
        if most.checked_mul(edges + 1)? > MAX_WORK {
            return None;
        }
        let words = states.div_ceil(64);
        let mut ends: Vec<Vec<u64>> = Vec::with_capacity(most + 1);
        let mut last = vec![0u64; words];
        for (state, _) in self.accepting.iter().enumerate().filter(|(_, a)| **a) {
            set(&mut last, state);
        }
        for _ in 0..most {
            let mut next = vec![0u64; words];
            for (state, edges) in self.edges.iter().enumerate() {
                if edges.iter().any(|(to, _)| has(&last, *to)) {
                    set(&mut next, state);
                }
            }
            ends.push(std::mem::replace(&mut last, next));
        }
        ends.push(last);
        Some(Lengths { graph: self, ends })
    }
}

fn set(bits: &mut [u64], at: usize) {
    if let Some(word) = bits.get_mut(at / 64) {
        *word |= 1 << (at % 64);
    }
}

fn has(bits: &[u64], at: usize) -> bool {
    bits.get(at / 64).is_some_and(|word| word & (1 << (at % 64)) != 0)
}

impl Lengths<'_> {
    /// The lengths from `min` on that strings have.
    pub(crate) fn possible(&self, min: usize) -> Vec<usize> {
        let all = self.ends.iter().enumerate().skip(min);
        all.filter(|(_, ends)| has(ends, self.graph.start)).map(|(k, _)| k).collect()
    }

    /// Adds every string of exactly `length` characters to `out`; `None` where `out` would hold more than `most`.
    pub(crate) fn every(&self, length: usize, most: usize, out: &mut BTreeSet<String>) -> Option<()> {
        let mut open = vec![(self.graph.start, String::new())];
        let mut steps = 0;
        while let Some((state, text)) = open.pop() {
            let done = text.chars().count();
            if done == length {
                out.insert(text);
            } else {
                let ends = self.ends.get(length - done - 1)?;
                for (to, ranges) in self.graph.edges.get(state)?.iter().filter(|(to, _)| has(ends, *to)) {
                    for c in ranges.iter().flat_map(|(low, high)| *low..=*high) {
                        open.push((*to, format!("{text}{c}")));
                        if open.len() > most {
                            return None;
                        }
                    }
                }
            }
            // Several ways for one character would count the same texts again and again.
            steps += 1;
            if out.len() > most || steps > most * 64 {
                return None;
            }
        }
        Some(())
    }

    /// A string of exactly `length` characters, by draws at `place`; plain characters are preferred.
    pub(crate) fn string(&self, length: usize, key: &Key, place: u64) -> Option<String> {
        let mut state = self.graph.start;
        let mut out = String::with_capacity(length);
        for k in (0..length).rev() {
            let ends = self.ends.get(k)?;
            let edges = self.graph.edges.get(state)?.iter().filter(|(to, _)| has(ends, *to));
            let edges: Vec<&Edge> = edges.collect();
            let turn = mix(place ^ (length - k) as u64);
            let (to, c) = choose(&edges, key, turn)?;
            out.push(c);
            state = to;
        }
        Some(out)
    }
}

/// Characters by preference: what people type stands first.
const CLASSES: [&[(char, char)]; 6] = [
    &[('a', 'z')],
    &[('0', '9')],
    &[('A', 'Z')],
    &[('-', '-'), ('_', '_'), ('.', '/')],
    &[(' ', '~')],
    &[('\u{a1}', '\u{d7ff}')],
];

/// A character and where it leads: of the class most preferred, all of its characters equally likely.
fn choose(edges: &[&Edge], key: &Key, turn: u64) -> Option<(usize, char)> {
    // Letters and digits both have their turn where both are possible.
    let swap = key.below(turn, 21, 4) == 0;
    for i in 0..CLASSES.len() {
        let class = match (i, swap) {
            (0, true) => CLASSES.get(1),
            (1, true) => CLASSES.first(),
            _ => CLASSES.get(i),
        }?;
        let mut within: Vec<(usize, char, u32)> = Vec::new();
        for (to, ranges) in edges {
            for (low, high) in ranges {
                for (from, until) in *class {
                    let (a, b) = (*low.max(from), *high.min(until));
                    if a <= b {
                        within.push((*to, a, b as u32 - a as u32 + 1));
                    }
                }
            }
        }
        let total: u32 = within.iter().map(|(_, _, n)| *n).sum();
        if total == 0 {
            continue;
        }
        let mut at = u32::try_from(key.below(turn, 22, total as usize)).ok()?;
        for (to, from, n) in within {
            if at < n {
                return Some((to, char::from_u32(from as u32 + at)?));
            }
            at -= n;
        }
    }
    let (to, ranges) = edges.first()?;
    ranges.first().map(|(c, _)| (*to, *c))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(abc)+`
    fn abc() -> Graph {
        let edge = |to, c| vec![(to, vec![(c, c)])];
        Graph {
            start: 0,
            accepting: vec![false, false, false, true],
            edges: vec![edge(1, 'a'), edge(2, 'b'), edge(3, 'c'), edge(1, 'a')],
        }
    }

    #[test]
    fn lengths_are_exact() {
        let graph = abc();
        assert_eq!(graph.lengths(0, Some(9)).unwrap().possible(0), [3, 6, 9]);
        assert!(graph.lengths(4, Some(5)).unwrap().possible(4).is_empty());
        assert_eq!(graph.lengths(7, None).unwrap().possible(7).first(), Some(&9));
        let text = graph.lengths(6, Some(6)).unwrap().string(6, &Key::new("t", "", ""), 1);
        assert_eq!(text.as_deref(), Some("abcabc"));
    }
}
