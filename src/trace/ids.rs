//! Which ids a recording has had. Most are numbers one after the other, and a million of them are one range.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The ids of all sessions; a scope is a session.
#[derive(Debug, Default)]
pub(super) struct Ids {
    /// First and last number of each range, by scope.
    numbers: BTreeMap<u64, BTreeMap<u64, u64>>,
    others: BTreeSet<u64>,
}

/// A number for what is the same text in the same scope.
pub(super) fn hash(scope: u64, text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (scope, text).hash(&mut hasher);
    hasher.finish()
}

/// The number that `id` is, written as it always is.
fn number(id: &str) -> Option<u64> {
    let is_plain =
        id.len() <= 19 && id.bytes().all(|b| b.is_ascii_digit()) && (id == "0" || !id.starts_with('0'));
    if is_plain { id.parse().ok() } else { None }
}

impl Ids {
    pub(super) fn holds(&self, scope: u64, id: &str) -> bool {
        match number(id) {
            Some(n) => self
                .numbers
                .get(&scope)
                .is_some_and(|ranges| range(ranges, n).is_some_and(|(_, end)| n <= end)),
            None => self.others.contains(&hash(scope, id)),
        }
    }

    /// Whether the id is new.
    pub(super) fn add(&mut self, scope: u64, id: &str) -> bool {
        let Some(n) = number(id) else { return self.others.insert(hash(scope, id)) };
        let ranges = self.numbers.entry(scope).or_default();
        let (mut start, mut end) = (n, n);
        if let Some((before, last)) = range(ranges, n) {
            if n <= last {
                return false;
            }
            if last + 1 == n {
                start = before;
            }
        }
        if let Some(last) = ranges.remove(&(n + 1)) {
            end = last;
        }
        ranges.insert(start, end);
        true
    }
}

/// The last range that does not begin after `n`.
fn range(ranges: &BTreeMap<u64, u64>, n: u64) -> Option<(u64, u64)> {
    ranges.range(..=n).next_back().map(|(start, end)| (*start, *end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_follows_is_one_range() {
        let mut ids = Ids::default();
        for n in (0..500).chain(501..1000).chain([500]) {
            assert!(ids.add(1, &n.to_string()));
        }
        assert_eq!(ids.numbers[&1], BTreeMap::from([(0, 999)]));
        assert!(!ids.add(1, "7") && ids.add(2, "7") && ids.add(1, "007") && !ids.add(1, "007"));
        assert!(ids.add(1, "18446744073709551615") && !ids.add(1, "18446744073709551615"));
    }

    proptest! {
        #[test]
        fn each_is_new_once(all in prop::collection::vec((0u64..2, "[0-9]{1,2}|a"), 0..60)) {
            let mut ids = Ids::default();
            let mut set = BTreeSet::new();
            for (scope, id) in all {
                prop_assert_eq!(ids.holds(scope, &id), set.contains(&(scope, id.clone())));
                prop_assert_eq!(ids.add(scope, &id), set.insert((scope, id)));
            }
        }
    }
}
