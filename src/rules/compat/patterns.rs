//! Limits on regular expressions.

use super::Report;
use super::types::each;
use crate::finding::Part;
use crate::pointer;
use crate::profile::{Check, Syntax};
use crate::rules::schema::place;
use crate::rules::{SchemaSite, say};
use crate::schema::ecma;
use serde_json::Value;
use std::ops::Range;

/// What is wrong with a pattern, and where in it.
type Fault = (String, Range<usize>);

pub(super) fn check(check: &Check, site: &SchemaSite<'_>, out: &mut Report<'_, '_>) {
    let judge: &dyn Fn(&str) -> Option<Fault> = match check {
        Check::PatternSyntax { forbidden } => &|pattern| first_of(pattern, forbidden),
        Check::PatternAnchored => {
            &|pattern| unanchored(pattern).map(|why| (why.to_string(), 0..pattern.len()))
        }
        Check::PatternUnicode { .. } => &|pattern| {
            let fault = ecma::fault(pattern)?;
            Some((
                format!("is no JavaScript with the Unicode flag: {}", fault.reason),
                fault.range.unwrap_or(0..pattern.len()),
            ))
        },
        _ => return,
    };
    each(site, |i, node, members| {
        let Some(Value::String(pattern)) = members.get("pattern") else { return };
        if let Some((what, range)) = judge(pattern) {
            let message = format!("the pattern {} of {} {what}", say::quoted(pattern), place::name(site, i));
            let finding = out.emit(site.at(&pointer::child(&node.pointer, "pattern")), message);
            finding.evidence = pattern.get(range.clone()).map(str::to_string);
            finding.part = Part::Range(range);
        }
    });
}

fn unanchored(pattern: &str) -> Option<&'static str> {
    let escaped = pattern
        .strip_suffix('$')
        .is_some_and(|rest| rest.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1);
    match (pattern.starts_with('^'), pattern.ends_with('$') && !escaped) {
        (true, true) => None,
        (false, true) => Some("does not begin with `^`"),
        (true, false) => Some("does not end with `$`"),
        (false, false) => Some("neither begins with `^` nor ends with `$`"),
    }
}

/// The first construct of these, with its place in the pattern.
fn first_of(pattern: &str, forbidden: &[Syntax]) -> Option<Fault> {
    let mut chars = pattern.char_indices();
    let mut in_class = false;
    while let Some((at, c)) = chars.next() {
        let rest = pattern.get(at..).unwrap_or_default();
        let found = match c {
            '\\' => {
                let escaped = chars.next().map(|(_, c)| c)?;
                escape(escaped, in_class, rest).map(|syntax| (syntax, 1 + escaped.len_utf8()))
            }
            '[' if !in_class => {
                in_class = true;
                None
            }
            ']' => {
                in_class = false;
                None
            }
            '(' if !in_class => ["(?=", "(?!", "(?<=", "(?<!"]
                .iter()
                .find(|open| rest.starts_with(**open))
                .map(|open| (Syntax::LookAround, open.len())),
            _ => None,
        };
        if let Some((syntax, length)) = found.filter(|(s, _)| forbidden.contains(s)) {
            let text = rest.get(..length).unwrap_or_default();
            return Some((format!("has {} ({})", name(syntax), say::quoted(text)), at..at + length));
        }
    }
    None
}

fn escape(c: char, in_class: bool, rest: &str) -> Option<Syntax> {
    Some(match c {
        'd' | 'D' | 'w' | 'W' | 's' | 'S' => Syntax::ClassEscape,
        'b' | 'B' if !in_class => Syntax::WordBoundary,
        '1'..='9' if !in_class => Syntax::BackReference,
        'k' if rest.starts_with("\\k<") => Syntax::BackReference,
        'p' | 'P' => Syntax::UnicodeProperty,
        _ => return None,
    })
}

fn name(syntax: Syntax) -> &'static str {
    match syntax {
        Syntax::LookAround => "look-around",
        Syntax::BackReference => "a back-reference",
        Syntax::WordBoundary => "a word boundary",
        Syntax::UnicodeProperty => "a Unicode property",
        Syntax::ClassEscape => "a class escape",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Syntax; 5] = [
        Syntax::LookAround,
        Syntax::BackReference,
        Syntax::WordBoundary,
        Syntax::UnicodeProperty,
        Syntax::ClassEscape,
    ];

    #[test]
    fn constructs_are_told_from_what_looks_like_them() {
        let found = |p: &str| first_of(p, &ALL).and_then(|(_, range)| p.get(range).map(str::to_string));
        for (pattern, part) in [
            ("^(?!-)[a-z]+$", "(?!"),
            ("(?<=a)b", "(?<="),
            ("(a)\\1", "\\1"),
            ("(?<n>a)\\k<n>", "\\k"),
            ("\\bword", "\\b"),
            ("\\p{L}+", "\\p"),
            ("[\\d]", "\\d"),
        ] {
            assert_eq!(found(pattern).as_deref(), Some(part), "{pattern}");
        }
        for pattern in ["\\(?!", "[(?!]", "(?:a)", "(?<n>a)", "[\\b]", "\\\\d", "^[a-z0-9]{1,3}$", "\\."] {
            assert_eq!(found(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn anchors() {
        assert_eq!(unanchored("^a$"), None);
        assert_eq!(unanchored("^a\\\\$"), None);
        assert!(unanchored("^a\\$").is_some() && unanchored("a$").is_some() && unanchored("a").is_some());
    }
}
