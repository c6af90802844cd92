//! Names of which each word of a text may be one.

use std::collections::BTreeSet;

/// What the extractor must know of the tool and its neighbours.
#[derive(Debug, Default, Clone)]
pub struct Names {
    /// The tool's own name, folded.
    pub own: String,
    /// Names of its parameters, folded.
    pub parameters: NameSet,
    /// Values that its parameters take, folded: no names of tools.
    pub values: NameSet,
}

/// A set of names that knows of nearly all words at a glance that they are not in it.
#[derive(Debug, Default, Clone)]
pub struct NameSet {
    names: BTreeSet<String>,
    /// One bit for each sum of a name's length, first and last byte.
    sums: [u64; 4],
}

impl NameSet {
    #[must_use]
    pub fn contains(&self, word: &str) -> bool {
        let (place, bit) = sum(word);
        self.sums.get(place).is_some_and(|bits| bits & bit != 0) && self.names.contains(word)
    }
}

impl FromIterator<String> for NameSet {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> NameSet {
        let mut set = NameSet { names: names.into_iter().collect(), sums: [0; 4] };
        for name in &set.names {
            let (place, bit) = sum(name);
            if let Some(bits) = set.sums.get_mut(place) {
                *bits |= bit;
            }
        }
        set
    }
}

/// Place and bit of a word's sum.
fn sum(word: &str) -> (usize, u64) {
    let of = |byte: Option<&u8>| byte.map_or(0, |b| usize::from(*b));
    let bytes = word.as_bytes();
    let sum = of(bytes.first()) + 3 * of(bytes.last()) + 11 * bytes.len();
    (sum / 64 % 4, 1 << (sum % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in_and_nothing_else() {
        let names = ["city", "units", "", "größe", "a"];
        let set: NameSet = names.into_iter().map(str::to_string).collect();
        assert!(names.iter().all(|name| set.contains(name)));
        assert!(["cits", "unit", "b", "cxty", "größ"].iter().all(|word| !set.contains(word)));
    }
}
