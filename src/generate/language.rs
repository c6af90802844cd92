//! Patterns as sets of strings: the only module that names `regexsolver`.
//!
//! A search pattern `p` is the set of strings that contain a match; look-ahead becomes intersection
//! and complement; what is no regular language (back-references) is over-approximated, and said.
//! Automata are bounded by their number of states, never by time.

mod behind;
mod outer;
mod term;

use super::pattern::Pattern;
use super::rng::{Key, mix};
use super::walk::Graph;
use regexsolver::Term;
use regexsolver::execution_profile::ExecutionProfileBuilder;
use std::collections::{BTreeMap, BTreeSet};

/// The most states an automaton may have.
const MAX_STATES: usize = 4_000;

/// A set of strings.
#[derive(Debug, Clone)]
pub(crate) struct Language {
    term: Term,
    /// Whether the set is the one meant, or a larger one.
    pub(crate) exact: bool,
    /// Whether all that the judge accepts is surely in it.
    pub(crate) complete: bool,
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
        Language { term: Term::new_total(), exact: true, complete: true }
    }

    /// The strings in which `pattern` finds a match.
    pub(crate) fn of(pattern: &Pattern) -> Result<Language, TooComplex> {
        let mut exact = true;
        let term = bounded(|| Ok(term::search(&pattern.root, &mut exact)))?.ok_or(TooComplex)?;
        Ok(Language { term, exact, complete: !pattern.root.has_border() && pattern.is_read_one_way() })
    }

    /// As [`Language::of`], but perhaps more strings, so that more often none can be missing: what cannot be
    /// written as a set, or is read in several ways, is left out.
    pub(crate) fn around(pattern: &Pattern) -> Result<Language, TooComplex> {
        let root = outer::of(&pattern.root);
        let term = bounded(|| Ok(term::search(&root, &mut false)))?.ok_or(TooComplex)?;
        Ok(Language { term, exact: false, complete: pattern.is_read_one_way() })
    }

    /// The strings that match `pattern`, written in regexsolver's own syntax, as a whole.
    pub(crate) fn whole(pattern: &str) -> Result<Language, TooComplex> {
        Ok(Language { term: bounded(|| Term::from_pattern(pattern))?, exact: true, complete: true })
    }

    pub(crate) fn and(&self, other: &Language) -> Result<Language, TooComplex> {
        let term = bounded(|| self.term.intersection([&other.term]))?;
        Ok(Language { term, exact: self.exact && other.exact, complete: self.complete && other.complete })
    }

    /// Strings that `other` does not hold; needs an exact `other` to be right.
    pub(crate) fn minus(&self, other: &Language) -> Result<Language, TooComplex> {
        let term = bounded(|| self.term.difference(&other.term))?;
        Ok(Language { term, exact: self.exact && other.exact, complete: self.complete && other.complete })
    }

    /// The language without `texts`.
    pub(crate) fn without<'t>(&self, texts: impl Iterator<Item = &'t str>) -> Result<Language, TooComplex> {
        let mut out = self.clone();
        for text in texts {
            let mut plain = String::new();
            text.chars().for_each(|c| plain.push_str(&format!("[\\x{{{:x}}}]", u32::from(c))));
            let alone = if plain.is_empty() {
                Term::new_empty_string()
            } else {
                bounded(|| Term::from_pattern(&plain))?
            };
            out.term = bounded(|| out.term.difference(&alone))?;
        }
        Ok(out)
    }

    /// Whether `text` is in the set.
    #[cfg(test)]
    pub(crate) fn holds(&self, text: &str) -> bool {
        bounded(|| self.term.matches(text)).unwrap()
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

    /// All strings of the language with a length in the band, unless there are more than `most`.
    pub(crate) fn every(&self, min: usize, max: Option<usize>, most: usize) -> Option<Vec<String>> {
        let graph = self.graph().ok()?;
        let lengths = graph.lengths(min, max)?;
        let possible = lengths.possible(min);
        // With a string as long as there are states there are longer ones without end.
        let is_endless = max.is_none() && possible.last().is_some_and(|last| *last >= graph.edges.len());
        let mut out = BTreeSet::new();
        for length in possible.iter().filter(|_| !is_endless) {
            lengths.every(*length, most, &mut out)?;
        }
        (!is_endless).then(|| out.into_iter().collect())
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
