//! Patterns that ask for what precedes: look-behind and the borders of words. Here the set of texts that may
//! stand before grows from the left, and each question cuts it.

use super::super::pattern::Node;
use super::term::{MAX_DEPTH, begins, starts, suffix, union, unrolled, write_plain};
use regexsolver::Term;
use std::collections::VecDeque;

/// Whole texts: one of `before`, then what `items` match, then anything. `ended` says of what stands before them
/// all whether it ends in a letter of a word, if that is known; nothing does not.
pub(super) fn whole(
    mut before: Term,
    ended: Option<bool>,
    mut items: VecDeque<Node>,
    exact: &mut bool,
    depth: usize,
) -> Option<Term> {
    if depth > MAX_DEPTH {
        return None;
    }
    let mut plain = String::new();
    loop {
        let first = items.pop_front();
        match first {
            Some(node) if !node.is_special() => {
                write_plain(&node, &mut plain)?;
                continue;
            }
            _ if !plain.is_empty() => {
                before = before.concat([&Term::from_pattern(&plain).ok()?]).ok()?;
                plain.clear();
            }
            _ => {}
        }
        match first {
            None => return before.concat([&Term::new_total()]).ok(),
            Some(Node::End) => {
                if items.iter().any(|n| n.is_special() && *n != Node::End) {
                    *exact = false;
                }
                return Some(if items.iter().all(Node::is_nullable) { before } else { Term::new_empty() });
            }
            Some(Node::Behind(holds, inner)) => before = ends(before, holds, &inner, exact)?,
            Some(Node::WordBorder(is_border)) => {
                return border(&before, ended, is_border, items, exact, depth);
            }
            Some(Node::Ahead(holds, inner)) => {
                let after = after(items, None, exact, depth)?;
                return before.concat([&begins(&after, holds, *inner, exact, depth)?]).ok();
            }
            Some(Node::Start) => *exact = false,
            Some(Node::Cat(nodes)) => nodes.into_iter().rev().for_each(|n| items.push_front(n)),
            Some(Node::Group(_, node)) => items.push_front(*node),
            Some(Node::Alt(branches)) => {
                let ways = branches.into_iter().map(|branch| {
                    let mut items = items.clone();
                    items.push_front(branch);
                    items
                });
                return each(&before, ended, ways, exact, depth);
            }
            Some(Node::Repeat(node, min, max)) if max.is_some_and(|m| m <= 4) => {
                let ways = unrolled(&node, min..=max.unwrap_or(min), &items);
                return each(&before, ended, ways, exact, depth);
            }
            Some(Node::BackReference(_) | Node::Repeat(..) | Node::Class(_)) => {
                *exact = false;
                before = before.concat([&Term::new_total()]).ok()?;
            }
        }
    }
}

fn each(
    before: &Term,
    ended: Option<bool>,
    ways: impl Iterator<Item = VecDeque<Node>>,
    exact: &mut bool,
    depth: usize,
) -> Option<Term> {
    let mut terms = Vec::new();
    for items in ways {
        terms.push(whole(before.clone(), ended, items, exact, depth + 1)?);
    }
    union(terms)
}

/// The texts of `before` that do, or do not, end with `inner`.
fn ends(before: Term, holds: bool, inner: &Node, exact: &mut bool) -> Option<Term> {
    let mut terms = Vec::new();
    for mut items in starts(inner)? {
        let is_anchored = items.front() == Some(&Node::Start);
        while items.front() == Some(&Node::Start) {
            items.pop_front();
        }
        if items.iter().any(Node::is_special) {
            // Left open: what is asked for is no plain text.
            *exact = false;
            return Some(before);
        }
        let mut plain = String::new();
        for node in &items {
            write_plain(node, &mut plain)?;
        }
        let end =
            if plain.is_empty() { Term::new_empty_string() } else { Term::from_pattern(&plain).ok()? };
        terms.push(if is_anchored { end } else { Term::new_total().concat([&end]).ok()? });
    }
    let seen = union(terms)?;
    if holds { before.intersection([&seen]).ok() } else { before.difference(&seen).ok() }
}

/// At a border, a letter of a word stands on one side and none on the other.
fn border(
    before: &Term,
    ended: Option<bool>,
    is_border: bool,
    items: VecDeque<Node>,
    exact: &mut bool,
    depth: usize,
) -> Option<Term> {
    let word = Node::Class(vec![('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]);
    let nothing = Term::new_empty_string();
    let is_nothing_possible = before.matches("").ok()?;
    *exact &= !is_nothing_possible || ended.is_some();
    let something = before.difference(&nothing).ok()?;
    let mut terms = Vec::new();
    for ends_in_word in [true, false] {
        let mut before = ends(something.clone(), ends_in_word, &word, exact)?;
        if is_nothing_possible && ended.is_none_or(|ended| ended == ends_in_word) {
            before = before.union([&nothing]).ok()?;
        }
        let after = after(items.clone(), Some(ends_in_word), exact, depth)?;
        let after = begins(&after, ends_in_word != is_border, word.clone(), exact, depth)?;
        terms.push(before.concat([&after]).ok()?);
    }
    union(terms)
}

/// What may follow, where it is asked how it begins: what it asks for itself must lie within it.
fn after(items: VecDeque<Node>, ended: Option<bool>, exact: &mut bool, depth: usize) -> Option<Term> {
    if items.iter().any(Node::looks_behind) && sees_enough(&items, ended) {
        return whole(Term::new_empty_string(), ended, items, exact, depth + 1);
    }
    suffix(items, exact, depth + 1)
}

fn sees_enough(items: &VecDeque<Node>, ended: Option<bool>) -> bool {
    let mut passed = 0u32;
    items.iter().all(|node| {
        let enough = furthest(node, ended).is_some_and(|wide| wide <= passed);
        passed = passed.saturating_add(node.widths().0);
        enough
    })
}

/// How many characters back `node` looks at most; `None` where that has no bound.
fn furthest(node: &Node, ended: Option<bool>) -> Option<u32> {
    match node {
        Node::Cat(nodes) | Node::Alt(nodes) => {
            nodes.iter().try_fold(0, |most, n| Some(most.max(furthest(n, ended)?)))
        }
        Node::Repeat(node, ..) | Node::Group(_, node) | Node::Ahead(_, node) => furthest(node, ended),
        Node::Behind(_, inner) => inner.widths().1,
        Node::WordBorder(_) => Some(u32::from(ended.is_none())),
        _ => Some(0),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::pattern::Pattern;
    use super::super::{Language, Wanted};
    use crate::generate::rng::Key;

    fn strings(pattern: &str, min: usize, max: usize) -> Vec<String> {
        let language = Language::of(&Pattern::parse(pattern).unwrap()).unwrap();
        assert!(language.exact, "{pattern}");
        let wanted = Wanted { min, max: Some(max), usual: 6, count: 12, seed: 1 };
        language.strings(&Key::new("t", "", ""), wanted).unwrap()
    }

    #[test]
    fn what_is_found_matches_and_what_is_empty_has_no_match() {
        for (pattern, longest) in [
            (r"^[a-z]+(?<=ing)$", 5),
            (r"^[a-z]{3,4}(?<!xyz)$", 4),
            (r"(?<=\$)[0-9]{2}(?![0-9])", 6),
            (r"(?<=^|,)ab(?=,|$)", 6),
            (r"\bcat\b.*\bdog\b", 9),
            (r"^\w+\b \b\w+$", 5),
            (r"a\Bb\B", 5),
            (r"^(?:[a-c](?<!b)){3}$", 3),
            (r"^(?!ab).{2}(?<=b.)c$", 3),
        ] {
            let regex = fancy_regex::Regex::new(pattern).unwrap();
            let found = strings(pattern, 0, longest);
            assert!(!found.is_empty(), "{pattern}");
            for text in found {
                assert!(regex.is_match(&text).unwrap(), "{pattern}: {text:?}");
            }
        }
    }

    #[test]
    fn every_short_text_is_judged_as_the_engine_does() {
        let texts: Vec<String> = (0..=4u32)
            .flat_map(|n| (0..3usize.pow(n)).map(move |i| (n, i)))
            .map(|(n, i)| (0..n).map(|d| ['a', 'b', '-'][i / 3usize.pow(d) % 3]).collect())
            .collect();
        for pattern in [
            r"(?<=a)b",
            r"(?<!a)b$",
            r"^(?<=a)",
            r"\ba",
            r"a\b",
            r"\Bb",
            r"^a\b-\bb",
            r"(?<=^a)-",
            r"(?:a|-)(?<=-)b",
            r"(?=a)a(?<=a)\b",
            r"\b\b",
        ] {
            let Some(tree) = Pattern::parse(pattern) else { panic!("{pattern}") };
            let language = Language::of(&tree).unwrap();
            let regex = fancy_regex::Regex::new(pattern).unwrap();
            for text in &texts {
                let matches = regex.is_match(text).unwrap();
                // What matches is in the set; what is in an exact set matches.
                if matches || language.exact {
                    assert_eq!(language.holds(text), matches, "{pattern}: {text:?}");
                }
            }
        }
    }

    #[test]
    fn nothing_ends_in_two_ways() {
        assert!(strings(r"^[a-z]+(?<=ing)(?<=ed)$", 0, 40).is_empty());
        assert!(strings(r"a\bb", 0, 40).is_empty());
    }
}
