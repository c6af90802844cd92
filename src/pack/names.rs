//! Names for ids and files. Tool names come from strangers (`../x`, `CON`, `検索`, 300 characters,
//! `A` beside `a`); what leaves this module is portable, short and unique.

use crate::sha256;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// Longest id half and file stem, in bytes.
pub const MAX_LEN: usize = 80;

/// Hexadecimal digits of the digest that marks a changed name.
const DIGEST_LEN: usize = 8;

/// Whether `name` can be an id half and a file stem as it is: `[a-z0-9][a-z0-9._-]*`, at most
/// [`MAX_LEN`] bytes, and no device of Windows (`con`, `nul.txt`, `com1`).
#[must_use]
pub fn is_safe(name: &str) -> bool {
    let first_is_plain = name.bytes().next().is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    first_is_plain && name.len() <= MAX_LEN && name.chars().all(is_allowed) && !is_device(name)
}

/// `name` itself where it is safe; else its readable part and a digest of the whole, so that two
/// names that look alike after cleaning stay apart. Never empty.
#[must_use]
pub fn make_safe(name: &str) -> String {
    if is_safe(name) {
        return name.to_string();
    }
    let stem = readable(name, MAX_LEN - DIGEST_LEN - 1);
    let digest = digest(name);
    if stem.is_empty() || is_device(&stem) { format!("tool-{digest}") } else { format!("{stem}-{digest}") }
}

/// One safe name for each of `names`, in order, all different. Names that are safe keep their
/// spelling, wherever they stand; of several equal names the first keeps it.
#[must_use]
pub fn make_unique<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    let names: Vec<&str> = names.into_iter().collect();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut out: Vec<Option<String>> = vec![None; names.len()];
    // The number that each name's next twin is tried with: all before it are taken.
    let mut next: BTreeMap<&str, usize> = BTreeMap::new();
    let passes: [fn(&str) -> bool; 2] = [is_safe, |name| !is_safe(name)];
    for mine in passes {
        for (name, slot) in names.iter().zip(&mut out).filter(|(name, _)| mine(name)) {
            let unique = first_free(&make_safe(name), name, &taken, next.entry(name).or_insert(2));
            taken.insert(unique.clone());
            *slot = Some(unique);
        }
    }
    out.into_iter().flatten().collect()
}

/// `wanted`, or the first of `wanted-DIGEST-N` that nobody has, from `n` on; `n` moves beyond it.
fn first_free(wanted: &str, name: &str, taken: &BTreeSet<String>, n: &mut usize) -> String {
    if !taken.contains(wanted) {
        return wanted.to_string();
    }
    // Room for the digest and a counter of any length that fits in memory.
    let stem = readable(wanted, MAX_LEN - DIGEST_LEN - 22);
    let digest = digest(name);
    loop {
        let candidate = format!("{stem}-{digest}-{n}");
        *n += 1;
        if !taken.contains(&candidate) {
            return candidate;
        }
    }
}

/// The letters, digits and separators of `name` in lower case, runs of anything else as one `-`,
/// cut to `max` bytes; starts with a letter or digit, ends with one, or is empty.
fn readable(name: &str, max: usize) -> String {
    let mut out = String::new();
    for c in name.chars() {
        let c = c.to_ascii_lowercase();
        if out.len() >= max {
            break;
        }
        if is_allowed(c) && (c.is_ascii_alphanumeric() || !out.is_empty()) {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    out.truncate(out.trim_end_matches(['-', '.', '_']).len());
    out
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_' | '-')
}

/// Names that Windows keeps for devices, with or without an extension:
/// <https://learn.microsoft.com/windows/win32/fileio/naming-a-file>.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix).is_some_and(|n| n.len() == 1 && n.bytes().all(|b| b.is_ascii_digit()))
    };
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

fn digest(name: &str) -> String {
    let hash = Sha256::digest(name.as_bytes());
    sha256::hex(hash.get(..DIGEST_LEN / 2).unwrap_or(&hash))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn safe_names_stay_as_they_are() {
        for name in ["search_orders", "a", "0", "a.b-c_d", "com10", "console"] {
            assert_eq!(make_safe(name), name);
        }
    }

    #[test]
    fn unsafe_names_get_a_digest() {
        // Digests by `printf '%s' NAME | sha256sum`.
        assert_eq!(make_safe("getWeather"), "getweather-ac154bbc");
        assert_eq!(make_safe("a/b"), "a-b-c14cddc0");
        assert_eq!(make_safe("A/B"), "a-b-998d3ed8");
        assert_eq!(make_safe("../x"), "x-d6b96a97");
        assert_eq!(make_safe(".."), "tool-5ec1f7e7");
        assert_eq!(make_safe("CON"), "tool-a3dbc4b6");
        assert_eq!(make_safe("検索"), "tool-1b6b1a6f");
        assert_eq!(make_safe(""), "tool-e3b0c442");
        assert_eq!(make_safe("con.txt").split('-').next(), Some("tool"));
    }

    #[test]
    fn equal_names_are_told_apart_and_the_first_keeps_its_spelling() {
        let names = make_unique(["A", "a", "a", "b"]);
        assert_eq!(names.len(), 4);
        assert_eq!(names[1], "a");
        assert_eq!(names[3], "b");
        assert!(names[2].starts_with("a-") && names[2].ends_with("-2"), "{names:?}");
    }

    #[test]
    fn ten_thousand_equal_names_are_numbered_without_gaps() {
        // An attempt a number a twin would be fifty million.
        let names = make_unique(std::iter::repeat_n("same", 10_000).chain(["same-0967115f-10001"]));
        assert_eq!(names[0], "same");
        assert_eq!(names[1], "same-0967115f-2");
        assert_eq!(names[9_999], "same-0967115f-10000");
        assert_eq!(names[10_000], "same-0967115f-10001");
    }

    #[test]
    fn a_name_made_to_collide_with_a_derived_one_does_not() {
        let derived = make_safe("A");
        let names = make_unique(["A", derived.as_str()]);
        assert_eq!(names[1], derived, "the name that is safe as it is keeps its spelling");
        assert_ne!(names[0], names[1]);
    }

    proptest! {
        #[test]
        fn any_names_become_safe_and_unique(names in prop::collection::vec(
            prop_oneof![".*", "[A-Ca-c./ ]{0,4}", "(con|CON|nul|lpt1)(\\.[a-z])?", "[x]{70,90}"], 0..20)) {
            let safe = make_unique(names.iter().map(String::as_str));
            prop_assert_eq!(safe.len(), names.len());
            let distinct: BTreeSet<String> = safe.iter().map(|s| s.to_lowercase()).collect();
            prop_assert_eq!(distinct.len(), safe.len());
            for name in &safe {
                prop_assert!(is_safe(name), "{} is not safe", name);
            }
        }
    }
}
