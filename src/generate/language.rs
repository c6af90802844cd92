//! Patterns as sets of strings: the only module that names `regexsolver`.
//!
//! A search pattern `p` is the set of strings that contain a match; look-ahead becomes intersection
//! and complement; what is no regular language (back-references) is over-approximated, and said.
//! Automata are bounded by their number of states, never by time.

use super::pattern::{Node, Pattern};
use super::rng::{Key, mix};
use super::walk::Graph;
use regexsolver::Term;
use regexsolver::execution_profile::ExecutionProfileBuilder;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;

/// The most states an automaton may have.
const MAX_STATES: usize = 4_000;
/// Branches that anchored alternatives may multiply into.
const MAX_BRANCHES: usize = 256;

/// A set of strings.
#[derive(Debug, Clone)]
pub(crate) struct Language {
    term: Term,
    /// Whether the set is the one meant, or a larger one.
    pub(crate) exact: bool,
    /// Whether the judge surely means the same set: what is not in it does not match.
    pub(crate) certain: bool,
}

/// Why no set could be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooComplex;

/// Which strings of a language are wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) min: usize,
    pub(crate) max: Option<usize>,
    /// A length that reads well, where the language has it.
    pub(crate) usual: usize,
    pub(crate) count: usize,
    pub(crate) seed: u64,
}

fn bounded<T>(run: impl FnOnce() -> Result<T, regexsolver::error::EngineError>) -> Result<T, TooComplex> {
    let profile = ExecutionProfileBuilder::new().max_number_of_states(MAX_STATES).build();
    profile.run(|| run().map_err(|_| TooComplex))
}

impl Language {
    /// Every string.
    pub(crate) fn all() -> Language {
        Language { term: Term::new_total(), exact: true, certain: true }
    }

    /// The strings in which `pattern` finds a match.
    pub(crate) fn of(pattern: &Pattern) -> Result<Language, TooComplex> {
        let mut exact = true;
        let term = bounded(|| Ok(search(&pattern.root, &mut exact)))?.ok_or(TooComplex)?;
        // With look-around or references the judge's engine reads `\d` and `\w` as Unicode does.
        Ok(Language { term, exact, certain: exact && !pattern.root.looks_around() })
    }

    /// The strings that match `pattern`, written in regexsolver's own syntax, as a whole.
    pub(crate) fn whole(pattern: &str) -> Result<Language, TooComplex> {
        Ok(Language { term: bounded(|| Term::from_pattern(pattern))?, exact: true, certain: true })
    }

    pub(crate) fn and(&self, other: &Language) -> Result<Language, TooComplex> {
        let term = bounded(|| self.term.intersection([&other.term]))?;
        Ok(Language { term, exact: self.exact && other.exact, certain: self.certain && other.certain })
    }

    /// Strings that `other` does not hold; needs an exact `other` to be right.
    pub(crate) fn minus(&self, other: &Language) -> Result<Language, TooComplex> {
        let term = bounded(|| self.term.difference(&other.term))?;
        Ok(Language { term, exact: self.exact && other.exact, certain: self.certain && other.certain })
    }

    /// Up to `count` different strings of the language with a length in the band, made of letters and
    /// digits where there is a choice. Empty if there is none.
    pub(crate) fn strings(&self, key: &Key, wanted: Wanted) -> Result<Vec<String>, TooComplex> {
        let graph = self.graph()?;
        let lengths = graph.lengths(wanted.min, wanted.max).ok_or(TooComplex)?;
        let possible = lengths.possible(wanted.min);
        let mut out: Vec<String> = Vec::new();
        let Some(shortest) = possible.first() else { return Ok(out) };
        // Not the shortest alone: a few characters more read better and differ more.
        let usual =
            possible.iter().position(|l| *l >= wanted.usual.max(*shortest)).unwrap_or(possible.len() - 1);
        let rounds = wanted.count * 4 + 8;
        for round in 0..rounds {
            if out.len() >= wanted.count {
                break;
            }
            let length = possible.get((usual + round / 4) % possible.len()).copied().unwrap_or(*shortest);
            let place = mix(wanted.seed ^ (round as u64) << 32);
            if let Some(text) = lengths.string(length, key, place)
                && !out.contains(&text)
            {
                out.push(text);
            }
        }
        Ok(out)
    }

    fn graph(&self) -> Result<Graph, TooComplex> {
        let automaton = bounded(|| self.term.to_automaton())?;
        let states: Vec<usize> = automaton.states().collect();
        let index: BTreeMap<usize, usize> = states.iter().enumerate().map(|(i, s)| (*s, i)).collect();
        let mut edges = Vec::with_capacity(states.len());
        for state in &states {
            let mut out = Vec::new();
            for (condition, to) in automaton.transitions_from(*state) {
                let range = bounded(|| condition.to_range(automaton.spanning_set()))?;
                let ranges: Vec<(char, char)> = range
                    .0
                    .chunks_exact(2)
                    .filter_map(|pair| Some((pair.first()?.to_char(), pair.last()?.to_char())))
                    .collect();
                if let Some(to) = index.get(to).filter(|_| !ranges.is_empty()) {
                    out.push((*to, ranges));
                }
            }
            // The crate keeps them in a hash map.
            out.sort();
            edges.push(out);
        }
        let accepting = states.iter().map(|s| automaton.is_accepted(*s)).collect();
        let start = index.get(&automaton.start_state()).copied().ok_or(TooComplex)?;
        Ok(Graph { start, accepting, edges })
    }
}

/// Strings in which `root` finds a match.
fn search(root: &Node, exact: &mut bool) -> Option<Term> {
    let mut terms = Vec::new();
    for branch in starts(root)? {
        let mut items = branch;
        let mut anchored = false;
        while let Some(first) = items.front() {
            match first {
                Node::Start => anchored = true,
                _ => break,
            }
            items.pop_front();
        }
        let rest = suffix(items, exact, 0)?;
        terms.push(if anchored { rest } else { Term::new_total().concat([&rest]).ok()? });
    }
    union(terms)
}

/// `root` as sequences, with the alternatives that an anchor begins pulled to the top.
fn starts(root: &Node) -> Option<Vec<VecDeque<Node>>> {
    let mut done = Vec::new();
    let mut open = vec![VecDeque::from([root.clone()])];
    while let Some(mut items) = open.pop() {
        if done.len() + open.len() > MAX_BRANCHES {
            return None;
        }
        match items.front() {
            Some(first) if first.is_special() => match items.pop_front()? {
                Node::Cat(nodes) => {
                    for node in nodes.into_iter().rev() {
                        items.push_front(node);
                    }
                    open.push(items);
                }
                Node::Group(_, node) => {
                    items.push_front(*node);
                    open.push(items);
                }
                Node::Alt(branches) => {
                    for branch in branches.into_iter().rev() {
                        let mut items = items.clone();
                        items.push_front(branch);
                        open.push(items);
                    }
                }
                other => {
                    items.push_front(other);
                    done.push(items);
                }
            },
            _ => done.push(items),
        }
    }
    Some(done)
}

/// The strings that can stand from here to the end of the text.
fn suffix(mut items: VecDeque<Node>, exact: &mut bool, depth: usize) -> Option<Term> {
    if depth > 200 {
        return None;
    }
    let mut plain = String::new();
    let rest = loop {
        let Some(first) = items.pop_front() else { break Term::new_total() };
        if !first.is_special() {
            write_plain(&first, &mut plain)?;
            continue;
        }
        break special(first, items, exact, depth)?;
    };
    if plain.is_empty() {
        return Some(rest);
    }
    Term::from_pattern(&plain).ok()?.concat([&rest]).ok()
}

fn special(first: Node, mut items: VecDeque<Node>, exact: &mut bool, depth: usize) -> Option<Term> {
    match first {
        Node::End => {
            // What stands after the end must be empty.
            let possible = items.iter().all(Node::is_nullable);
            if items.iter().any(|n| n.is_special() && *n != Node::End) {
                *exact = false;
            }
            Some(if possible { Term::new_empty_string() } else { Term::new_empty() })
        }
        // A start after something: only where that something is empty; rare, and left open.
        Node::Start | Node::WordBorder | Node::Behind => {
            *exact = false;
            suffix(items, exact, depth + 1)
        }
        Node::BackReference(_) => {
            *exact = false;
            Term::new_total().concat([&suffix(items, exact, depth + 1)?]).ok()
        }
        Node::Ahead(holds, inner) => {
            let after = suffix(items, exact, depth + 1)?;
            let mut inner_exact = true;
            let seen = suffix(VecDeque::from([*inner]), &mut inner_exact, depth + 1)?;
            *exact &= inner_exact;
            match (holds, inner_exact) {
                (true, _) => after.intersection([&seen]).ok(),
                (false, true) => after.difference(&seen).ok(),
                (false, false) => Some(after),
            }
        }
        Node::Cat(nodes) => {
            for node in nodes.into_iter().rev() {
                items.push_front(node);
            }
            suffix(items, exact, depth + 1)
        }
        Node::Group(_, node) => {
            items.push_front(*node);
            suffix(items, exact, depth + 1)
        }
        Node::Alt(branches) => {
            let mut terms = Vec::new();
            for branch in branches {
                let mut items = items.clone();
                items.push_front(branch);
                terms.push(suffix(items, exact, depth + 1)?);
            }
            union(terms)
        }
        Node::Repeat(node, min, max) if max.is_some_and(|m| m <= 4) => {
            // Unrolled: (x){1,2} is x(x)?.
            let mut terms = Vec::new();
            for times in min..=max.unwrap_or(min) {
                let mut items = items.clone();
                for _ in 0..times {
                    items.push_front((*node).clone());
                }
                terms.push(suffix(items, exact, depth + 1)?);
            }
            union(terms)
        }
        Node::Repeat(..) => {
            *exact = false;
            Term::new_total().concat([&suffix(items, exact, depth + 1)?]).ok()
        }
        Node::Class(_) => None,
    }
}

fn union(mut terms: Vec<Term>) -> Option<Term> {
    let first = terms.pop()?;
    if terms.is_empty() { Some(first) } else { first.union(terms.iter()).ok() }
}

/// A node without specials in regexsolver's syntax.
fn write_plain(node: &Node, out: &mut String) -> Option<()> {
    match node {
        Node::Class(ranges) if ranges.is_empty() => {
            out.push_str("[^\\x{0}-\\x{10FFFF}]");
        }
        Node::Class(ranges) => {
            out.push('[');
            for (low, high) in ranges {
                write!(out, "\\x{{{:x}}}-\\x{{{:x}}}", *low as u32, *high as u32).ok()?;
            }
            out.push(']');
        }
        Node::Cat(nodes) => {
            out.push_str("(?:");
            for n in nodes {
                write_plain(n, out)?;
            }
            out.push(')');
        }
        Node::Alt(nodes) => {
            out.push_str("(?:");
            for (i, n) in nodes.iter().enumerate() {
                if i > 0 {
                    out.push('|');
                }
                write_plain(n, out)?;
            }
            out.push(')');
        }
        Node::Repeat(inner, min, max) => {
            out.push_str("(?:");
            write_plain(inner, out)?;
            match max {
                Some(max) => write!(out, "){{{min},{max}}}").ok()?,
                None => write!(out, "){{{min},}}").ok()?,
            }
        }
        Node::Group(_, inner) => write_plain(inner, out)?,
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language(pattern: &str) -> Language {
        Language::of(&Pattern::parse(pattern).unwrap()).unwrap()
    }

    fn strings(language: &Language, min: usize, max: usize) -> Vec<String> {
        let wanted = Wanted { min, max: Some(max), usual: 6, count: 5, seed: 1 };
        language.strings(&Key::new("t", "", ""), wanted).unwrap()
    }

    #[test]
    fn search_patterns_meet() {
        let both = language("foo").and(&language("bar$")).unwrap().and(&language("^.{6}$")).unwrap();
        assert_eq!(strings(&both, 0, 10), ["foobar"]);
        assert!(strings(&language("^a+$").and(&language("^b+$")).unwrap(), 0, 99).is_empty());
        assert!(strings(&language("^(abc)+$"), 4, 5).is_empty());
    }

    #[test]
    fn lookahead_is_intersection_and_complement() {
        let password = language(r"^(?=.*[A-Z])(?=.*[a-z])(?=.*\d)\w{4}$");
        let regex = fancy_regex::Regex::new(r"^(?=.*[A-Z])(?=.*[a-z])(?=.*\d)\w{4}$").unwrap();
        let found = strings(&password, 0, 9);
        assert!(!found.is_empty() && found.iter().all(|s| regex.is_match(s).unwrap()), "{found:?}");
        assert_eq!(strings(&language("^(?!a)[ab]$"), 0, 3), ["b"]);
    }

    #[test]
    fn anchors_inside_alternatives() {
        let mixed = language("^a|b$").minus(&language("^a")).unwrap();
        assert!(strings(&mixed, 1, 1).iter().all(|s| s == "b"));
        assert!(strings(&language("a$b"), 0, 9).is_empty());
    }
}
