//! Texts that agents read: changed, changed unseen, or giving orders now.

use super::{Change, Class};
use crate::rules::{diff as rules, say};
use crate::text::{fold, invisible};
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;

/// How a text changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextChange {
    None,
    /// A person sees no difference, and there is one.
    Unseen,
    Seen,
}

/// `text` with each run of plain white space as one blank, and none at its ends; a run of so much that it is no layout
/// stays as it is.
pub(super) fn collapsed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (run, word) in runs(text) {
        match run {
            _ if pushes(run) => out.push_str(run),
            "" => {}
            _ if out.is_empty() || word.is_empty() => {}
            _ => out.push(' '),
        }
        out.push_str(word);
    }
    out
}

/// Runs of plain white space, each with the word that follows.
fn runs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let run = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_whitespace()).len();
        let (run, tail) = rest.split_at_checked(run)?;
        let end = tail.find(|c: char| c.is_ascii_whitespace()).unwrap_or(tail.len());
        let (word, tail) = tail.split_at_checked(end)?;
        rest = tail;
        (!run.is_empty() || !word.is_empty()).then_some((run, word))
    })
}

/// Whether a run of white space pushes what follows out of sight, or spells something; a shorter one is layout.
fn pushes(run: &str) -> bool {
    run.len() >= fold::PUSH || run.bytes().filter(|b| *b == b'\n').count() >= fold::PUSH_LINES
}

/// `text` as a person sees it: nothing invisible or pushed out of sight, all white space alike, and the letters of
/// other scripts as the Latin ones that they look like.
fn seen(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for (run, word) in runs(text) {
        if pushes(run) && !visible.is_empty() {
            break;
        }
        visible.push_str(run);
        visible.push_str(word);
    }
    let visible: String = visible.chars().filter(|c| invisible::kind(*c).is_none()).collect();
    let letters: String = visible.nfc().map(latin).collect();
    shown(&letters)
}

/// The Latin letter that `c`, of another script, passes for, in its case.
fn latin(c: char) -> char {
    match fold::passes_for(c).filter(|_| fold::is_foreign(c)) {
        Some(plain) if c.is_uppercase() => plain.to_ascii_uppercase(),
        Some(plain) => plain,
        None => c,
    }
}

/// How the texts of one place changed.
pub(super) fn compare_sets(old: &BTreeSet<String>, new: &BTreeSet<String>) -> TextChange {
    let all = |set: &BTreeSet<String>, fold: fn(&str) -> String| -> BTreeSet<String> {
        set.iter().map(|t| fold(t)).filter(|t| !t.is_empty()).collect()
    };
    if old == new || all(old, collapsed) == all(new, collapsed) {
        TextChange::None
    } else if all(old, seen) == all(new, seen) {
        TextChange::Unseen
    } else {
        TextChange::Seen
    }
}

/// The change of a text called `what`.
pub(super) fn change(
    change: TextChange,
    pointer: String,
    what: &str,
    old: &BTreeSet<String>,
    new: &BTreeSet<String>,
) -> Change {
    if change == TextChange::Unseen {
        let hidden = |set: &BTreeSet<String>| -> usize {
            set.iter().map(|t| t.chars().filter(|c| invisible::kind(*c).is_some()).count()).sum()
        };
        let has = |test: fn(char) -> bool| old.iter().chain(new).any(|text| text.chars().any(test));
        let message = match (hidden(old), hidden(new)) {
            (0, 0) if new.iter().any(|text| runs(text).any(|(run, _)| pushes(run))) => {
                format!("{what} looks the same and is not: white space pushes something out of sight")
            }
            (0, 0) if !has(fold::is_foreign) => {
                format!("{what} looks the same and is not: white space changed for another kind of it")
            }
            (0, 0) => format!("{what} looks the same and is not: letters changed for others that look alike"),
            (was, is) if was == is => format!(
                "{what} looks the same and is not: its {} changed, or letters for others that look alike",
                say::count(is, "invisible character")
            ),
            (was, is) => format!(
                "{what} looks the same and is not: {} before, {is} now",
                say::count(was, "invisible character")
            ),
        };
        return Change::new(Class::Security, &rules::TEXT_INVISIBLE, pointer, message);
    }
    // What both have was not changed.
    let message = match (old.difference(new).next(), new.difference(old).next()) {
        (Some(old), Some(new)) => {
            let (old, new) = differing(&shown(old), &shown(new));
            format!("{what} was {} and is {}", say::quoted(&old), say::quoted(&new))
        }
        (None, Some(new)) => format!("{what} is new: {}", say::quoted(new)),
        (Some(old), None) => format!("{what} is gone: it was {}", say::quoted(old)),
        (None, None) => format!("{what} changed"),
    };
    Change::new(Class::Routing, &rules::DESCRIPTION, pointer, message)
}

/// `text` on one line, all white space alike.
fn shown(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Two texts from a little before the place where they differ.
fn differing(old: &str, new: &str) -> (String, String) {
    const BEFORE: usize = 20;
    let same = old.chars().zip(new.chars()).take_while(|(a, b)| a == b).count();
    if same <= 2 * BEFORE {
        return (old.to_string(), new.to_string());
    }
    let tail = |text: &str| format!("…{}", text.chars().skip(same - BEFORE).collect::<String>());
    (tail(old), tail(new))
}

/// Whether a title says no more than the name that it is made from (`Item Id` of `item_id`).
pub(super) fn is_name(title: &str, name: &str) -> bool {
    let bare = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    bare(title) == bare(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(old: &str, new: &str) -> TextChange {
        let set = |text: &str| BTreeSet::from([text.to_string()]);
        compare_sets(&set(old), &set(new))
    }

    #[test]
    fn what_is_seen_and_what_is_not() {
        assert_eq!(compare("Get one item.", "Get one  item.\n"), TextChange::None);
        assert_eq!(compare("Get one item.", "Get one it\u{200b}em."), TextChange::Unseen);
        assert_eq!(compare("Get one item.", "Get one item.\u{e0041}\u{e0042}"), TextChange::Unseen);
        assert_eq!(compare("Get one item.", "Get one \u{456}tem."), TextChange::Unseen);
        assert_eq!(compare("Get one item.", "Get an item."), TextChange::Seen);
        assert_eq!(compare("ИТЕМ get", "ИTЕМ get"), TextChange::Unseen, "a capital of another script");
        // A blank of another kind, blanks that spell something, and a text behind more blanks than a window is wide.
        assert_eq!(compare("Get one item.", "Get\u{a0}one item."), TextChange::Unseen);
        assert_eq!(
            compare("Get one item.", &format!("Get one item.{}", " \t".repeat(60))),
            TextChange::Unseen
        );
        assert_eq!(
            compare("Get one item.", &format!("Get one item.{}And more.", " ".repeat(2_000))),
            TextChange::Unseen
        );
        // Everybody sees these.
        for (old, new) in
            [("an order as json", "an order as JSON"), ("cafe", "café"), ("level l", "level 1"), ("O", "0")]
        {
            assert_eq!(compare(old, new), TextChange::Seen, "{old} {new}");
        }
        assert_eq!(compare_sets(&BTreeSet::new(), &BTreeSet::from([String::new()])), TextChange::None);
    }

    #[test]
    fn what_stayed_is_not_said_to_have_changed() {
        let set = |texts: &[&str]| texts.iter().map(|t| (*t).to_string()).collect::<BTreeSet<_>>();
        let (old, new) = (set(&["own", "of the definition"]), set(&["own"]));
        let said = change(TextChange::Seen, String::new(), "`description` of `a`", &old, &new).message;
        assert_eq!(said, "`description` of `a` is gone: it was `of the definition`");
    }

    #[test]
    fn titles_made_from_names_say_nothing() {
        assert!(is_name("Item Id", "item_id") && is_name("itemId", "item_id"));
        assert!(!is_name("Order", "item_id"));
    }
}
