//! Matchers: expected values that many values are, and their patterns.

use super::number::order;
use super::{Mode, fits, is_same};
use crate::expect::matching;
use crate::json_type;
use crate::pointer;
use crate::suggest;
use regex::Regex;
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The matchers that an expected value may hold, with what they take.
pub const MATCHERS: [(&str, &str); 9] = [
    ("$any", "true: any value"),
    ("$type", "the name of a JSON type, or a list of them"),
    ("$regex", "a pattern that a text must match somewhere"),
    ("$contains", "a part of the text, or a list of items that must all be in the list"),
    ("$range", "[from, to] that a number must lie in; null leaves an end open"),
    ("$approx", "[number, tolerance]"),
    ("$one_of", "a list of expected values"),
    ("$unordered", "a list of expected items, in any order"),
    ("$literal", "a value that is taken as it stands"),
];

const TYPES: [&str; 7] = ["null", "boolean", "object", "array", "number", "integer", "string"];

/// Compiled patterns of matchers.
#[derive(Debug, Clone, Default)]
pub struct Patterns(BTreeMap<String, Regex>);

/// Bytes of a compiled pattern.
const PATTERN_BYTES: usize = 1 << 20;

/// A pattern as verity understands it everywhere in expectations: linear time, so without look-around and
/// back-references.
///
/// # Errors
/// Why it is none.
pub fn pattern(text: &str) -> Result<Regex, String> {
    regex::RegexBuilder::new(text).size_limit(PATTERN_BYTES).build().map_err(|e| {
        let said = e.to_string();
        format!("not a pattern: {}", said.lines().last().unwrap_or_default().trim_start_matches("error: "))
    })
}

/// The matcher that `value` is, with what it takes.
pub(super) fn matcher(value: &Value) -> Option<(&str, &Value)> {
    let members = value.as_object().filter(|m| m.len() == 1)?;
    let (key, inner) = members.iter().next()?;
    key.starts_with('$').then_some((key.as_str(), inner))
}

/// Check every matcher in `value` and compile its pattern.
///
/// # Errors
/// With the pointer of the matcher: one that is not known, or does not take what it is given.
pub fn check(value: &Value, at: &str, patterns: &mut Patterns) -> Result<(), (String, String)> {
    if let Some((key, inner)) = matcher(value) {
        return check_matcher(key, inner, at, patterns);
    }
    match value {
        Value::Array(items) => {
            items.iter().enumerate().try_for_each(|(i, item)| check(item, &pointer::index(at, i), patterns))
        }
        Value::Object(members) => {
            members.iter().try_for_each(|(key, inner)| check(inner, &pointer::child(at, key), patterns))
        }
        _ => Ok(()),
    }
}

fn check_matcher(
    key: &str,
    inner: &Value,
    at: &str,
    patterns: &mut Patterns,
) -> Result<(), (String, String)> {
    let Some((_, takes)) = MATCHERS.iter().find(|(name, _)| *name == key) else {
        let names = MATCHERS.iter().map(|(name, _)| *name);
        let message =
            format!("{}; `$literal` keeps a value as it stands", suggest::unknown("matcher", key, names));
        return Err((at.to_string(), message));
    };
    let wrong = || Err((at.to_string(), format!("`{key}` takes {takes}")));
    let pair =
        |wanted: fn(&Value) -> bool| inner.as_array().is_some_and(|p| p.len() == 2 && p.iter().all(wanted));
    let is_fine = match key {
        "$any" => inner == &Value::Bool(true),
        "$type" => {
            let known = |v: &Value| v.as_str().is_some_and(|t| TYPES.contains(&t));
            known(inner) || inner.as_array().is_some_and(|l| !l.is_empty() && l.iter().all(known))
        }
        "$regex" => match inner.as_str() {
            Some(text) => {
                let compiled = pattern(text).map_err(|why| (at.to_string(), why))?;
                patterns.0.insert(text.to_string(), compiled);
                true
            }
            None => false,
        },
        "$contains" => inner.is_string() || inner.is_array(),
        "$range" => pair(|v| v.is_null() || v.is_number()),
        "$approx" => pair(Value::is_number),
        "$one_of" | "$unordered" => inner.is_array(),
        _ => true,
    };
    if !is_fine {
        return wrong();
    }
    match (key, inner) {
        ("$one_of" | "$unordered" | "$contains", Value::Array(items)) => {
            items.iter().enumerate().try_for_each(|(i, v)| check(v, &format!("{at}/{key}/{i}"), patterns))
        }
        _ => Ok(()),
    }
}

/// Whether `actual` is what the matcher `key` takes with `inner`.
pub(super) fn matches(key: &str, inner: &Value, actual: &Value, mode: Mode, patterns: &Patterns) -> bool {
    let fits = |expected: &Value, actual: &Value| fits(expected, actual, mode, patterns);
    match (key, inner, actual) {
        ("$any", _, _) => true,
        ("$literal", value, actual) => is_same(value, actual),
        ("$type", Value::String(name), actual) => is_of(actual, name),
        ("$type", Value::Array(names), actual) => {
            names.iter().filter_map(Value::as_str).any(|n| is_of(actual, n))
        }
        ("$regex", Value::String(text), Value::String(actual)) => {
            patterns.0.get(text).is_some_and(|p| p.is_match(actual))
        }
        ("$contains", Value::String(part), Value::String(actual)) => actual.contains(part.as_str()),
        ("$contains", Value::Array(wanted), Value::Array(actual)) => {
            pairs(wanted.len(), actual.len(), |w, a| {
                wanted.get(w).zip(actual.get(a)).is_some_and(|(w, a)| fits(w, a))
            })
        }
        ("$contains", part, Value::Array(actual)) => actual.iter().any(|a| fits(part, a)),
        ("$range", Value::Array(ends), Value::Number(actual)) => {
            let beyond = |end: Option<&Value>, wrong: Ordering| match end {
                Some(Value::Number(end)) => order(actual, end).is_none_or(|o| o == wrong),
                _ => false,
            };
            !beyond(ends.first(), Ordering::Less) && !beyond(ends.get(1), Ordering::Greater)
        }
        ("$approx", Value::Array(pair), Value::Number(actual)) => {
            let number = |v: Option<&Value>| v.and_then(Value::as_f64);
            match (number(pair.first()), number(pair.get(1)), actual.as_f64()) {
                (Some(wanted), Some(tolerance), Some(actual)) => (actual - wanted).abs() <= tolerance.abs(),
                _ => false,
            }
        }
        ("$one_of", Value::Array(choices), actual) => choices.iter().any(|c| fits(c, actual)),
        ("$unordered", Value::Array(wanted), Value::Array(actual)) => {
            wanted.len() == actual.len()
                && pairs(wanted.len(), actual.len(), |w, a| {
                    wanted.get(w).zip(actual.get(a)).is_some_and(|(w, a)| fits(w, a))
                })
        }
        _ => false,
    }
}

/// Whether every one of `wanted` finds a partner of its own among `given`.
fn pairs(wanted: usize, given: usize, fits: impl Fn(usize, usize) -> bool) -> bool {
    matching::maximum(wanted, given, fits).iter().all(Option::is_some)
}

fn is_of(value: &Value, name: &str) -> bool {
    match (name, value) {
        ("integer", Value::Number(n)) => !n.is_f64() || n.as_f64().is_some_and(|f| f.fract() == 0.0),
        _ => json_type::name(value) == name,
    }
}
