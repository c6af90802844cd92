//! Patterns into terms of the set algebra: anchors, look-ahead, alternatives; what precedes is asked for in
//! [`super::behind`].

use super::super::pattern::Node;
use super::behind;
use regexsolver::Term;
use std::collections::VecDeque;
use std::fmt::Write;

/// Branches that anchored alternatives may multiply into.
const MAX_BRANCHES: usize = 256;
/// Nodes taken apart inside each other.
pub(super) const MAX_DEPTH: usize = 200;

/// Strings in which `root` finds a match.
pub(super) fn search(root: &Node, exact: &mut bool) -> Option<Term> {
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
        if items.iter().any(Node::looks_behind) {
            let before = if anchored { Term::new_empty_string() } else { Term::new_total() };
            terms.push(behind::whole(before, Some(false), items, exact, 0)?);
            continue;
        }
        let rest = suffix(items, exact, 0)?;
        terms.push(if anchored { rest } else { Term::new_total().concat([&rest]).ok()? });
    }
    union(terms)
}

/// `root` as sequences, with the alternatives that an anchor begins pulled to the top.
pub(super) fn starts(root: &Node) -> Option<Vec<VecDeque<Node>>> {
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
pub(super) fn suffix(mut items: VecDeque<Node>, exact: &mut bool, depth: usize) -> Option<Term> {
    if depth > MAX_DEPTH {
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
        Node::Start | Node::WordBorder(_) | Node::Behind(..) => {
            *exact = false;
            suffix(items, exact, depth + 1)
        }
        Node::BackReference(_) => {
            *exact = false;
            Term::new_total().concat([&suffix(items, exact, depth + 1)?]).ok()
        }
        Node::Ahead(holds, inner) => {
            let after = suffix(items, exact, depth + 1)?;
            begins(&after, holds, *inner, exact, depth)
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
            for items in unrolled(&node, min..=max.unwrap_or(min), &items) {
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

/// The texts of `after` that do, or do not, begin with `inner`.
pub(super) fn begins(after: &Term, holds: bool, inner: Node, exact: &mut bool, depth: usize) -> Option<Term> {
    let mut inner_exact = true;
    let seen = suffix(VecDeque::from([inner]), &mut inner_exact, depth + 1)?;
    *exact &= inner_exact;
    match (holds, inner_exact) {
        (true, _) => after.intersection([&seen]).ok(),
        (false, true) => after.difference(&seen).ok(),
        (false, false) => Some(after.clone()),
    }
}

/// Each way in which a repetition of a few times can be written out before `items`.
pub(super) fn unrolled(
    node: &Node,
    times: std::ops::RangeInclusive<u32>,
    items: &VecDeque<Node>,
) -> impl Iterator<Item = VecDeque<Node>> {
    times.map(move |times| {
        let mut items = items.clone();
        (0..times).for_each(|_| items.push_front(node.clone()));
        items
    })
}

pub(super) fn union(mut terms: Vec<Term>) -> Option<Term> {
    let first = terms.pop()?;
    if terms.is_empty() { Some(first) } else { first.union(terms.iter()).ok() }
}

/// A node without specials in regexsolver's syntax.
pub(super) fn write_plain(node: &Node, out: &mut String) -> Option<()> {
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
