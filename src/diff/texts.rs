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

/// `text` with each run of white space as one blank.
pub(super) fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `text` as a person sees it: nothing invisible, and one letter for all that look like it.
fn seen(text: &str) -> String {
    let visible: String = text.chars().filter(|c| invisible::kind(*c).is_none()).collect();
    let folded = visible.nfkc().map(|c| fold::passes_for(c).unwrap_or(c)).collect::<String>();
    collapsed(&folded)
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
        let message = match (hidden(old), hidden(new)) {
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
    let message = match (old.iter().next(), new.iter().next()) {
        (Some(old), Some(new)) => {
            let (old, new) = differing(old, new);
            format!("{what} was {} and is {}", say::quoted(&old), say::quoted(&new))
        }
        (None, Some(new)) => format!("{what} is new: {}", say::quoted(new)),
        (Some(old), None) => format!("{what} is gone: it was {}", say::quoted(old)),
        (None, None) => format!("{what} changed"),
    };
    Change::new(Class::Routing, &rules::DESCRIPTION, pointer, message)
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
        assert_eq!(compare_sets(&BTreeSet::new(), &BTreeSet::from([String::new()])), TextChange::None);
    }

    #[test]
    fn titles_made_from_names_say_nothing() {
        assert!(is_name("Item Id", "item_id") && is_name("itemId", "item_id"));
        assert!(!is_name("Order", "item_id"));
    }
}
