//! Patterns on which a backtracking engine takes for ever: a repetition of a repetition, with nothing in
//! between that says where one turn ends and the next begins.
//!
//! `^(a+)+$` splits thirty letters in 2^29 ways before it gives up. Only what is plainly so is named;
//! `^([a-z]+,)+$` is fine, for the comma settles each turn.

use regex_syntax::hir::{Hir, HirKind, Repetition};

/// Turns of a bounded repetition from which on it is as bad as an unbounded one.
const MANY: u32 = 20;

/// Whether matching may take time exponential in the length of the text. Patterns beyond regular
/// expressions proper (look-around, back-references) are not judged.
#[must_use]
pub fn is_exponential(pattern: &str) -> bool {
    if pattern.len() > super::ecma::MAX_PATTERN || !pattern.contains('(') {
        return false;
    }
    let parser =
        regex_syntax::ParserBuilder::new().nest_limit(100).unicode(true).utf8(false).build().parse(pattern);
    parser.is_ok_and(|hir| search(&hir, false))
}

/// Whether a doubtful repetition stands in `hir`; `may_fail`: something behind `hir` can fail to match,
/// which is what sends the engine back.
fn search(hir: &Hir, may_fail: bool) -> bool {
    match hir.kind() {
        HirKind::Repetition(r) => (may_fail && is_doubtful(r)) || search(&r.sub, may_fail || r.min > 1),
        HirKind::Capture(c) => search(&c.sub, may_fail),
        HirKind::Alternation(branches) => branches.iter().any(|b| search(b, may_fail)),
        HirKind::Concat(parts) => {
            let mut behind = may_fail;
            parts.iter().rev().any(|part| {
                let found = search(part, behind);
                behind |= !is_nullable(part) || matches!(part.kind(), HirKind::Look(_));
                found
            })
        }
        _ => false,
    }
}

/// Many turns of something that is itself long or short as it likes, with no mandatory part beside.
fn is_doubtful(outer: &Repetition) -> bool {
    if outer.max.is_some_and(|max| max < MANY) {
        return false;
    }
    let body = uncaptured(&outer.sub);
    match body.kind() {
        HirKind::Repetition(inner) => is_long(inner),
        HirKind::Concat(parts) => {
            let mut long = parts
                .iter()
                .map(uncaptured)
                .filter(|p| matches!(p.kind(), HirKind::Repetition(r) if is_long(r)));
            let has_long = long.next().is_some();
            let rest_is_optional = parts
                .iter()
                .map(uncaptured)
                .all(|p| is_nullable(p) || matches!(p.kind(), HirKind::Repetition(r) if is_long(r)));
            has_long && rest_is_optional && parts.iter().filter(|p| !is_nullable(p)).count() <= 1
        }
        _ => false,
    }
}

fn is_long(r: &Repetition) -> bool {
    r.max.is_none_or(|max| max >= MANY && max != r.min) && !is_nullable(&r.sub)
}

fn is_nullable(hir: &Hir) -> bool {
    hir.properties().minimum_len() == Some(0)
}

fn uncaptured(hir: &Hir) -> &Hir {
    match hir.kind() {
        HirKind::Capture(c) => uncaptured(&c.sub),
        _ => hir,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential() {
        for pattern in [
            "^(a+)+$",
            "^(a*)*$",
            "^([a-zA-Z]+)*$",
            r"^(\w+\s?)*$",
            "(x+)+y",
            "^((ab)*)+c",
            "^(a{1,50}){1,50}$",
            "^(a|(b+)+)$",
        ] {
            assert!(is_exponential(pattern), "{pattern}");
        }
    }

    #[test]
    fn harmless() {
        for pattern in [
            "^([a-z]+,)*[a-z]+$",
            "^(a+)$",
            "(a+)+",
            "^a+b+$",
            "^([a-z0-9]+(-[a-z0-9]+)*)$",
            r"^(\d{1,3}\.){3}\d{1,3}$",
            r"^[.\-A-Za-z0-9]+([=!,]{1,2}[./\-A-Za-z0-9]+)+$",
            "^(?!(a+)+$)",
            "^(a+){2}$",
            "^(ab?)+$",
            "^[(a+)+]$",
            "((a+)+)+",
            "^((a{30}){30})+$",
            r"^\((a+)\)+$",
        ] {
            assert!(!is_exponential(pattern), "{pattern}");
        }
    }
}
