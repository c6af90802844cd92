//! Yet more instances where every combination of the leaves that were found is used: one leaf of one of them
//! becomes a neighbour that nobody has seen. It costs no search, and the judge decides as always.

use super::mix::leaves;
use serde_json::Value;

/// Instances whose leaves grow.
const MAX_BASES: usize = 8;
/// Refusals in a row after which a way is given up.
const MAX_REFUSALS: u32 = 3;

/// Neighbours of the leaves of some instances, each way in its turn.
pub(crate) struct Grower {
    bases: Vec<Value>,
    ways: Vec<Way>,
    turn: usize,
}

/// One leaf of one instance, and what is done to it.
struct Way {
    base: usize,
    place: String,
    step: Step,
    /// How far from the leaf the next neighbour is.
    distance: u64,
    refusals: u32,
}

#[derive(Clone, Copy)]
enum Step {
    /// `notes` → `notes 2`.
    Count,
    /// `notes` → `notes2`, where no blank is allowed.
    CountClosely,
    /// `ab1` → `ab2`, … `ac0`: each letter and digit counts in its own alphabet, and the length stays.
    Odometer,
    Up,
    Down,
}

impl Grower {
    pub(crate) fn new(instances: &[Value]) -> Grower {
        let bases: Vec<Value> = instances.iter().take(MAX_BASES).cloned().collect();
        let mut ways = Vec::new();
        for (base, instance) in bases.iter().enumerate() {
            for (place, leaf) in leaves(instance) {
                let steps: &[Step] = match leaf {
                    Value::String(text) if is_structured(text) => &[],
                    Value::String(_) => &[Step::Count, Step::CountClosely, Step::Odometer],
                    Value::Number(_) => &[Step::Up, Step::Down],
                    _ => &[],
                };
                let way = |&step| Way { base, place: place.clone(), step, distance: 0, refusals: 0 };
                ways.extend(steps.iter().map(way));
            }
        }
        Grower { bases, ways, turn: 0 }
    }

    /// The next neighbour; `None` when every way is at its end. Say with [`Grower::refused`] if it was no use.
    pub(crate) fn next(&mut self) -> Option<Value> {
        while !self.ways.is_empty() {
            self.turn = (self.turn + 1) % self.ways.len();
            let way = self.ways.get_mut(self.turn)?;
            way.distance += 1;
            let mut value = self.bases.get(way.base)?.clone();
            let grown = value.pointer(&way.place).and_then(|leaf| neighbour(leaf, way.step, way.distance));
            if let Some((grown, leaf)) = grown.zip(value.pointer_mut(&way.place)) {
                *leaf = grown;
                return Some(value);
            }
            self.ways.swap_remove(self.turn);
        }
        None
    }

    /// What [`Grower::next`] gave last was refused, or is not new.
    pub(crate) fn refused(&mut self) {
        let Some(way) = self.ways.get_mut(self.turn) else { return };
        way.refusals += 1;
        if way.refusals >= MAX_REFUSALS {
            self.ways.swap_remove(self.turn);
        }
    }

    /// What [`Grower::next`] gave last was of use.
    pub(crate) fn accepted(&mut self) {
        if let Some(way) = self.ways.get_mut(self.turn) {
            way.refusals = 0;
        }
    }
}

/// Dates, addresses, paths, numbers in text: a neighbour of one reads like none.
fn is_structured(text: &str) -> bool {
    let marks = text.chars().filter(|c| c.is_ascii_punctuation()).count();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let is_one_word = !text.contains(char::is_whitespace);
    text.contains(['/', '@', ':', '\\', '{', '<'])
        || marks + digits > 4
        || (marks > 0 && digits > 1)
        || (is_one_word && text.contains(['.', '+', ',']))
}

fn neighbour(leaf: &Value, step: Step, distance: u64) -> Option<Value> {
    let count = distance.checked_add(1)?;
    match (step, leaf) {
        (Step::Count, Value::String(text)) if !text.is_empty() => Some(format!("{text} {count}").into()),
        (Step::CountClosely, Value::String(text)) => Some(format!("{text}{count}").into()),
        (Step::Odometer, Value::String(text)) => odometer(text, distance).map(Value::from),
        (Step::Up, Value::Number(_)) => moved(leaf, i64::try_from(distance).ok()?),
        (Step::Down, Value::Number(_)) => moved(leaf, i64::try_from(distance).ok()?.checked_neg()?),
        _ => None,
    }
}

/// Whole steps keep a fraction what it is; beyond 2^53 nothing is certain.
fn moved(leaf: &Value, by: i64) -> Option<Value> {
    const EXACT: i64 = 1 << 53;
    if let Some(n) = leaf.as_i64() {
        let to = n.checked_add(by)?;
        return (-EXACT..=EXACT).contains(&to).then(|| to.into());
    }
    let n = leaf.as_f64()?;
    #[allow(clippy::cast_precision_loss, reason = "`by` counts instances")]
    let to = n + by as f64;
    (n.fract() != 0.0 && to.fract() != 0.0 && to.abs() < 1e9)
        .then(|| serde_json::Number::from_f64(to))
        .flatten()
        .map(Value::Number)
}

/// `text`, whose letters and digits are the digits of a number, plus `distance`; `None` past the last one.
fn odometer(text: &str, distance: u64) -> Option<String> {
    let mut left = distance;
    let mut letters: Vec<char> = text.chars().collect();
    for letter in letters.iter_mut().rev() {
        let (first, size) = match letter {
            '0'..='9' => ('0', 10),
            'a'..='z' => ('a', 26),
            'A'..='Z' => ('A', 26),
            _ => continue,
        };
        let sum = u64::from(*letter as u32 - first as u32) + left;
        *letter = char::from_u32(first as u32 + u32::try_from(sum % size).ok()?)?;
        left = sum / size;
        if left == 0 {
            return Some(letters.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeSet;

    #[test]
    fn an_odometer_counts_within_each_alphabet_and_stops_at_its_end() {
        assert_eq!(odometer("ab9", 1).as_deref(), Some("ac0"));
        assert_eq!(odometer("A-y", 3).as_deref(), Some("B-b"));
        assert_eq!(odometer("é5", 4).as_deref(), Some("é9"));
        assert_eq!(odometer("é5", 5), None);
        assert_eq!(odometer("", 1), None);
    }

    #[test]
    fn numbers_move_by_whole_steps_and_stay_exact() {
        assert_eq!(moved(&json!(5), -7), Some(json!(-2)));
        assert_eq!(moved(&json!(0.5), 2), Some(json!(2.5)));
        assert_eq!(moved(&json!(9_007_199_254_740_992_i64), 1), None);
        assert_eq!(moved(&json!(2.0), 1), None);
    }

    #[test]
    fn a_text_with_a_form_of_its_own_does_not_grow() {
        for text in ["2024-05-17", "a@b.example", "src/main.rs", "12:30", "+1-555", "10.5", "db.example.com"]
        {
            assert!(is_structured(text), "{text}");
            assert_eq!(Grower::new(&[json!({ "x": text })]).next(), None);
        }
        for text in ["Send it, please.", "oak", "user-2", "v1"] {
            assert!(!is_structured(text), "{text}");
        }
    }

    #[test]
    fn a_way_that_is_refused_three_times_in_a_row_ends_and_the_others_go_on() {
        let mut grower = Grower::new(&[json!({"name": "oak"})]);
        let mut kept = BTreeSet::new();
        // Three small letters, nothing else.
        for _ in 0..40 {
            let Some(value) = grower.next() else { break };
            let name = value["name"].as_str().unwrap_or_default().to_string();
            if name.len() == 3 {
                grower.accepted();
                assert!(kept.insert(name));
            } else {
                grower.refused();
            }
        }
        assert_eq!(kept.len(), 34, "40 less three refusals of two ways");
        assert!(kept.contains("oal") && kept.contains("obs"));
    }
}
