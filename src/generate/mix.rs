//! More instances from those that were found: the leaves of one in the place of another's. It costs no search,
//! and the judge decides as always.

use super::facts::canonical;
use crate::pointer;
use serde_json::Value;
use std::collections::BTreeMap;

/// Instances that are mixed, leaves of one that are exchanged, and values of each.
const MAX_BASES: usize = 32;
const MAX_LEAVES: usize = 24;
const MAX_VALUES: usize = 64;

/// Combinations of the leaves of some instances, each instance in its turn.
pub(crate) struct Mixer {
    /// The values that were seen at each place, where there are several; bases share them.
    columns: BTreeMap<String, Vec<Value>>,
    bases: Vec<Base>,
    turn: usize,
}

/// An instance whose leaves take every value that was seen at their places.
struct Base {
    instance: Value,
    places: Vec<String>,
    /// The number of the next combination.
    next: u64,
    combinations: u64,
}

impl Mixer {
    pub(crate) fn new(instances: &[Value]) -> Mixer {
        let instances = instances.get(..instances.len().min(MAX_BASES)).unwrap_or_default();
        let mut columns: BTreeMap<String, BTreeMap<String, Value>> = BTreeMap::new();
        for instance in instances {
            for (place, leaf) in leaves(instance) {
                let values = columns.entry(place).or_default();
                if values.len() < MAX_VALUES {
                    values.insert(canonical(leaf), leaf.clone());
                }
            }
        }
        let columns: BTreeMap<String, Vec<Value>> = columns
            .into_iter()
            .filter(|(_, values)| values.len() > 1)
            .map(|(place, values)| (place, values.into_values().collect()))
            .collect();
        let bases = instances.iter().map(|instance| {
            let places: Vec<String> = leaves(instance)
                .into_iter()
                .map(|(place, _)| place)
                .filter(|p| columns.contains_key(p))
                .collect();
            let counts = places.iter().filter_map(|p| columns.get(p)).map(|values| values.len() as u64);
            let combinations = counts.fold(1, u64::saturating_mul);
            Base { instance: instance.clone(), places, next: 0, combinations }
        });
        Mixer { bases: bases.filter(|b| !b.places.is_empty()).collect(), columns, turn: 0 }
    }

    /// The next combination, of another instance each time; `None` when there are no more.
    pub(crate) fn next(&mut self) -> Option<Value> {
        for _ in 0..self.bases.len() {
            let at = self.turn % self.bases.len();
            self.turn += 1;
            if let Some(value) = self.bases.get_mut(at).and_then(|base| base.next(&self.columns)) {
                return Some(value);
            }
        }
        None
    }
}

impl Base {
    fn next(&mut self, columns: &BTreeMap<String, Vec<Value>>) -> Option<Value> {
        if self.next >= self.combinations {
            return None;
        }
        let mut number = self.next;
        self.next += 1;
        let mut value = self.instance.clone();
        for place in &self.places {
            let values = columns.get(place)?;
            let count = values.len() as u64;
            let chosen = values.get(usize::try_from(number % count).ok()?)?;
            *value.pointer_mut(place)? = chosen.clone();
            number /= count;
        }
        Some(value)
    }
}

/// Strings, numbers and booleans with their pointers, in document order; the root is none.
pub(super) fn leaves(instance: &Value) -> Vec<(String, &Value)> {
    fn walk<'v>(value: &'v Value, place: String, out: &mut Vec<(String, &'v Value)>) {
        if out.len() >= MAX_LEAVES {
            return;
        }
        match value {
            Value::Object(members) => {
                members.iter().for_each(|(k, v)| walk(v, pointer::child(&place, k), out));
            }
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(i, v)| walk(v, pointer::index(&place, i), out));
            }
            Value::Null => {}
            leaf => out.push((place, leaf)),
        }
    }
    let mut out = Vec::new();
    if instance.is_object() || instance.is_array() {
        walk(instance, String::new(), &mut out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeSet;

    #[test]
    fn every_combination_comes_once_for_each_instance() {
        let seen = [json!({"a": 1, "b": "x"}), json!({"a": 2, "b": "y"}), json!({"a": 3})];
        let mut mixer = Mixer::new(&seen);
        let all: Vec<Value> = std::iter::from_fn(|| mixer.next()).collect();
        // Two instances of three times two combinations, one of three.
        assert_eq!(all.len(), 15);
        let different: BTreeSet<String> = all.iter().map(canonical).collect();
        assert_eq!(different.len(), 9);
        assert!(all.contains(&json!({"a": 3, "b": "x"})) && all.contains(&json!({"a": 1})));
    }

    #[test]
    fn nothing_to_exchange() {
        for seen in
            [vec![json!({"a": 1})], vec![json!(1), json!(2)], vec![json!({"a": 1}), json!({"a": 1.0})]]
        {
            assert_eq!(Mixer::new(&seen).next(), None);
        }
    }
}
