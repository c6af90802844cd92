//! The two-valued operators, over operands that are there or not.

use super::super::canonical;
use super::super::expression::Test;
use super::super::interface::{KeyedShape, TypeName};
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Values that an operator looks at, at most: what two lists of these lengths cost.
pub(super) fn cost(values: &[Option<&Value>]) -> u64 {
    values.iter().flatten().map(|value| size(value)).sum::<u64>() + 1
}

fn size(value: &Value) -> u64 {
    match value {
        Value::Array(items) => items.iter().map(size).sum::<u64>() + 1,
        Value::Object(members) => members.values().map(size).sum::<u64>() + 1,
        Value::String(text) => 1 + text.len() as u64 / 64,
        _ => 1,
    }
}

/// Whether a leaf that examines something holds. What is absent, or of another type, does not make it true.
pub(super) fn holds(test: &Test, values: &[Option<&Value>]) -> bool {
    let first = values.first().copied().flatten();
    let second = values.get(1).copied().flatten();
    match test {
        Test::Equality(..) | Test::DeepEquality(..) => {
            matches!((first, second), (Some(a), Some(b)) if canonical::equal(a, b))
        }
        Test::Containment(..) => matches!((first, second), (Some(a), Some(b)) if contains(a, b)),
        Test::Existence(_) => first.is_some(),
        Test::Absence(_) => first.is_none(),
        Test::SetMembership { .. } => matches!((first, second), (Some(value), Some(Value::Array(set)))
            if set.iter().any(|member| canonical::equal(member, value))),
        Test::Ordering { key, is_descending, .. } => first.and_then(Value::as_array).is_some_and(|items| {
            items
                .windows(2)
                .all(|pair| matches!(pair, [a, b] if in_order(a.get(key), b.get(key), *is_descending)))
        }),
        Test::CountTolerance { expected, tolerance, is_relative, .. } => first
            .and_then(Value::as_array)
            .is_some_and(|items| is_about(items.len() as u64, *expected, *tolerance, *is_relative)),
        Test::Shape { shape, .. } => first.is_some_and(|value| has_shape(value, shape)),
        Test::CoversByKey { expected_key, actual_key, .. } => match (first, second) {
            (Some(Value::Array(expected)), Some(Value::Array(actual))) => {
                covers(expected, expected_key, actual, actual_key)
            }
            _ => false,
        },
        Test::Regex { .. }
        | Test::Not(_)
        | Test::All(_)
        | Test::Any(_)
        | Test::ForAll { .. }
        | Test::ForAny { .. } => false,
    }
}

/// A list holds an element, or every member of a list, which is always read as a set; a text holds a text.
fn contains(container: &Value, wanted: &Value) -> bool {
    match (container, wanted) {
        (Value::Array(items), Value::Array(wanted)) => {
            let held: BTreeSet<String> = items.iter().map(canonical::text).collect();
            wanted.iter().all(|member| held.contains(&canonical::text(member)))
        }
        (Value::Array(items), wanted) => items.iter().any(|item| canonical::equal(item, wanted)),
        (Value::String(text), Value::String(wanted)) => text.contains(wanted.as_str()),
        _ => false,
    }
}

fn in_order(a: Option<&Value>, b: Option<&Value>, is_descending: bool) -> bool {
    let order = match (a, b) {
        (Some(Value::Number(a)), Some(Value::Number(b))) => a.as_f64().partial_cmp(&b.as_f64()),
        // By UTF-16 code units, as ECMAScript compares texts.
        (Some(Value::String(a)), Some(Value::String(b))) => Some(a.encode_utf16().cmp(b.encode_utf16())),
        _ => None,
    };
    match order {
        Some(Ordering::Equal) => true,
        Some(Ordering::Less) => !is_descending,
        Some(Ordering::Greater) => is_descending,
        None => false,
    }
}

/// Unrounded: `relative` is whole per cent of what is expected.
fn is_about(count: u64, expected: u64, tolerance: u64, is_relative: bool) -> bool {
    let off = u128::from(count.abs_diff(expected));
    match is_relative {
        true => off * 100 <= u128::from(expected) * u128::from(tolerance),
        false => off <= u128::from(tolerance),
    }
}

fn has_shape(value: &Value, shape: &KeyedShape) -> bool {
    let Value::Object(members) = value else { return false };
    shape.required.iter().all(|key| members.contains_key(key))
        && members.keys().all(|key| shape.permits(key))
        && members.iter().all(|(key, value)| shape.type_of(key).is_none_or(|t| t == TypeName::of(value)))
}

/// Each expected member has one actual element of its key, and none is left over.
fn covers(expected: &[Value], expected_key: &str, actual: &[Value], actual_key: &str) -> bool {
    let keys = |items: &[Value], key: &str| -> Option<Vec<String>> {
        let mut keys: Vec<String> =
            items.iter().map(|item| item.get(key).map(canonical::text)).collect::<Option<_>>()?;
        keys.sort_unstable();
        Some(keys)
    };
    match (keys(expected, expected_key), keys(actual, actual_key)) {
        (Some(expected), Some(actual)) => {
            expected == actual && expected.windows(2).all(|pair| matches!(pair, [a, b] if a != b))
        }
        _ => false,
    }
}
