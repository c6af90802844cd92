//! Expected and actual values: equal by meaning, partly or wholly, and where they first differ.
//!
//! Numbers are compared by value (`1` and `1.0` are one number), `true` is no number, the order of keys means nothing,
//! that of items does. An expected value of one member whose key begins with `$` is a *matcher* (see [`MATCHERS`]).

use crate::json_type::{self, with_article};
use crate::pointer;
use crate::suggest;
use regex::Regex;
use serde_json::{Number, Value, json};
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

/// How much of an object is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Further keys are fine, at every depth.
    Partial,
    /// The same keys.
    Exact,
}

/// Where two values first differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// JSON Pointer in the actual value.
    pub pointer: String,
    /// `None`: nothing was expected there.
    pub expected: Option<Value>,
    /// `None`: nothing is there.
    pub actual: Option<Value>,
    /// In words.
    pub why: String,
}

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
fn matcher(value: &Value) -> Option<(&str, &Value)> {
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

/// Where `actual` first differs from `expected`; `None` where it is what was expected.
#[must_use]
pub fn difference(expected: &Value, actual: &Value, mode: Mode, patterns: &Patterns) -> Option<Difference> {
    differ(expected, actual, mode, "", patterns)
}

fn differ(expected: &Value, actual: &Value, mode: Mode, at: &str, patterns: &Patterns) -> Option<Difference> {
    let wrong = |why: String| {
        let (expected, actual) = (Some(expected.clone()), Some(actual.clone()));
        Some(Difference { pointer: at.to_string(), expected, actual, why })
    };
    if let Some((key, inner)) = matcher(expected) {
        return match matches(key, inner, actual, mode, patterns) {
            true => None,
            false => wrong(format!("does not match `{key}`")),
        };
    }
    match (expected, actual) {
        (Value::Object(wanted), Value::Object(given)) => {
            for (key, value) in wanted {
                let at = pointer::child(at, key);
                let Some(there) = given.get(key) else {
                    let why = "missing".to_string();
                    return Some(Difference {
                        pointer: at,
                        expected: Some(value.clone()),
                        actual: None,
                        why,
                    });
                };
                if let Some(difference) = differ(value, there, mode, &at, patterns) {
                    return Some(difference);
                }
            }
            let extra = given.iter().find(|(key, _)| mode == Mode::Exact && !wanted.contains_key(*key))?;
            let (pointer, actual) = (pointer::child(at, extra.0), Some(extra.1.clone()));
            Some(Difference { pointer, expected: None, actual, why: "not expected".to_string() })
        }
        (Value::Array(wanted), Value::Array(given)) => {
            if wanted.len() != given.len() {
                return wrong(format!("{} items, not {}", given.len(), wanted.len()));
            }
            let pairs = wanted.iter().zip(given).enumerate();
            pairs.into_iter().find_map(|(i, (w, g))| differ(w, g, mode, &pointer::index(at, i), patterns))
        }
        (Value::Number(a), Value::Number(b)) => match order(a, b) {
            Some(Ordering::Equal) => None,
            _ => wrong("another number".to_string()),
        },
        (a, b) if a == b => None,
        (a, b) if json_type::name(a) == json_type::name(b) => {
            wrong(format!("another {}", json_type::name(a)))
        }
        (a, b) => wrong(format!("{}, not {}", with_article(b), with_article(a))),
    }
}

fn matches(key: &str, inner: &Value, actual: &Value, mode: Mode, patterns: &Patterns) -> bool {
    let fits = |expected: &Value, actual: &Value| differ(expected, actual, mode, "", patterns).is_none();
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
    super::matching::maximum(wanted, given, fits).iter().all(Option::is_some)
}

/// `value` as an expected value, in which nothing is a matcher.
#[must_use]
pub fn literal(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(literal).collect(),
        Value::Object(_) if matcher(value).is_some() => json!({ "$literal": value }),
        Value::Object(members) => members.iter().map(|(k, v)| (k.clone(), literal(v))).collect(),
        other => other.clone(),
    }
}

/// Whether two values are the same, without any matcher.
#[must_use]
pub fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, a)| b.get(k).is_some_and(|b| is_same(a, b)))
        }
        (Value::Number(a), Value::Number(b)) => order(a, b) == Some(Ordering::Equal),
        (a, b) => a == b,
    }
}

/// Two numbers by their mathematical value. No double is rounded into an integer's place, or the other way round.
fn order(a: &Number, b: &Number) -> Option<Ordering> {
    let integer = |n: &Number| n.as_i64().map(i128::from).or_else(|| n.as_u64().map(i128::from));
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        (None, None) => a.as_f64()?.partial_cmp(&b.as_f64()?),
        (Some(a), None) => with_double(a, b.as_f64()?),
        (None, Some(b)) => with_double(b, a.as_f64()?).map(Ordering::reverse),
    }
}

fn with_double(integer: i128, double: f64) -> Option<Ordering> {
    // Every integer here has less than 65 bits; the whole part of a double within those is exact as i128.
    if double.abs() > 1e20 {
        return 0.0.partial_cmp(&double);
    }
    let whole = double.trunc();
    let by_whole = integer.cmp(&(whole as i128));
    Some(by_whole.then(0.0.partial_cmp(&(double - whole))?))
}

fn is_of(value: &Value, name: &str) -> bool {
    match (name, value) {
        ("integer", Value::Number(n)) => !n.is_f64() || n.as_f64().is_some_and(|f| f.fract() == 0.0),
        _ => json_type::name(value) == name,
    }
}

/// Whether the payload of a response is what `declared` is an example of: the same keys with values of the same types,
/// at every depth; further keys are fine. `None` where it is.
#[must_use]
pub fn incompatible(declared: &Value, actual: &Value, patterns: &Patterns) -> Option<Difference> {
    unlike(declared, actual, "", patterns)
}

fn unlike(declared: &Value, actual: &Value, at: &str, patterns: &Patterns) -> Option<Difference> {
    let wrong = |why: String| {
        let (expected, actual) = (Some(declared.clone()), Some(actual.clone()));
        Some(Difference { pointer: at.to_string(), expected, actual, why })
    };
    if matcher(declared).is_some() {
        return differ(declared, actual, Mode::Partial, at, patterns);
    }
    match (declared, actual) {
        (Value::Object(wanted), Value::Object(given)) => wanted.iter().find_map(|(key, value)| {
            let at = pointer::child(at, key);
            match given.get(key) {
                Some(there) => unlike(value, there, &at, patterns),
                None => {
                    let why = "missing".to_string();
                    Some(Difference { pointer: at, expected: Some(value.clone()), actual: None, why })
                }
            }
        }),
        // The items of a declared list are examples: each one that is there is like one of them.
        (Value::Array(examples), Value::Array(given)) => {
            let first = examples.first()?;
            given.iter().enumerate().find_map(|(i, item)| {
                let is_like = examples.iter().any(|e| unlike(e, item, "", patterns).is_none());
                if is_like { None } else { unlike(first, item, &pointer::index(at, i), patterns) }
            })
        }
        (a, b) if json_type::name(a) == json_type::name(b) => None,
        (a, b) => wrong(format!("{}, not {}", with_article(b), with_article(a))),
    }
}

impl Difference {
    /// On one line: where, what was expected, what is there.
    #[must_use]
    pub fn sentence(&self) -> String {
        let at =
            if self.pointer.is_empty() { "the whole".to_string() } else { format!("`{}`", self.pointer) };
        match (&self.expected, &self.actual) {
            (Some(wanted), None) => format!("{at} is missing; expected {}", short(wanted)),
            (None, Some(given)) => format!("{at} was not expected: {}", short(given)),
            (Some(wanted), Some(given)) => {
                format!("{at} is {}; expected {} ({})", short(given), short(wanted), self.why)
            }
            (None, None) => format!("{at}: {}", self.why),
        }
    }

    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({ "pointer": self.pointer, "expected": self.expected, "actual": self.actual, "why": self.why })
    }
}

/// A value on one line, cut off where it is long.
#[must_use]
pub fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(160) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(value: &Value) -> Patterns {
        let mut patterns = Patterns::default();
        check(value, "", &mut patterns).unwrap();
        patterns
    }

    fn partial(expected: Value, actual: Value) -> Option<String> {
        difference(&expected, &actual, Mode::Partial, &patterns(&expected)).map(|d| d.sentence())
    }

    #[test]
    fn partial_at_every_depth_and_exact_at_none() {
        assert_eq!(partial(json!({"a": {"b": 1}}), json!({"c": 0, "a": {"d": 2, "b": 1.0}})), None);
        let exact = |e: Value, a: Value| {
            difference(&e, &a, Mode::Exact, &Patterns::default()).map(|d| (d.pointer, d.why))
        };
        assert_eq!(
            exact(json!({"a": {"b": 1}}), json!({"a": {"d": 2, "b": 1}})),
            Some(("/a/d".into(), "not expected".into()))
        );
        assert_eq!(exact(json!({"b": [{}], "a": 1}), json!({"a": 1, "b": [{}]})), None);
        assert_eq!(exact(json!({}), json!({"a~/": 1})).unwrap().0, "/a~0~1");
    }

    #[test]
    fn the_first_difference_says_what_and_where() {
        assert_eq!(
            partial(json!({"a": [1, {"b": "x"}]}), json!({"a": [1, {"b": "y"}]})).unwrap(),
            "`/a/1/b` is \"y\"; expected \"x\" (another string)"
        );
        assert_eq!(
            partial(json!({"n": 1}), json!({"n": "1"})).unwrap(),
            "`/n` is \"1\"; expected 1 (a string, not a number)"
        );
        assert_eq!(
            partial(json!({"n": true}), json!({"n": 1})).unwrap(),
            "`/n` is 1; expected true (a number, not a boolean)"
        );
        assert_eq!(partial(json!({"n": null}), json!({})).unwrap(), "`/n` is missing; expected null");
        assert_eq!(
            partial(json!([1]), json!([1, 2])).unwrap(),
            "the whole is [1,2]; expected [1] (2 items, not 1)"
        );
    }

    #[test]
    fn numbers_by_value() {
        let same =
            |a: &str, b: &str| is_same(&serde_json::from_str(a).unwrap(), &serde_json::from_str(b).unwrap());
        for (a, b) in [
            ("1", "1.0"),
            ("100", "1e2"),
            ("0", "-0.0"),
            ("9007199254740992", "9007199254740992.0"),
            ("1e300", "1e300"),
        ] {
            assert!(same(a, b) && same(b, a), "{a} {b}");
        }
        // A double near a large integer is another number.
        for (a, b) in [
            ("9007199254740993", "9007199254740992.0"),
            ("1", "1.0000000001"),
            ("18446744073709551615", "18446744073709551616.0"),
            ("-1", "1"),
        ] {
            assert!(!same(a, b) && !same(b, a), "{a} {b}");
        }
    }

    #[test]
    fn matchers() {
        let pass = [
            (json!({"$any": true}), json!(null)),
            (json!({"$type": ["string", "null"]}), json!("x")),
            (json!({"$type": "integer"}), json!(2.0)),
            (json!({"$regex": "^T-[0-9]+$"}), json!("T-12")),
            (json!({"$contains": "b"}), json!("abc")),
            (json!({"$contains": [2, 1]}), json!([1, 2, 3])),
            (json!({"$range": [1, null]}), json!(1.0)),
            (json!({"$approx": [0.3, 1e-9]}), json!(0.1 + 0.2)),
            (json!({"$one_of": [{"a": 1}, 2]}), json!({"a": 1, "b": 2})),
            (json!({"$unordered": [{}, {"a": 1}]}), json!([{"a": 1}, {"b": 1}])),
            (json!({"$literal": {"$any": true}}), json!({"$any": true})),
            (json!({"$a": 1, "$b": 2}), json!({"$a": 1, "$b": 2})),
        ];
        for (expected, actual) in pass {
            assert_eq!(partial(expected.clone(), actual.clone()), None, "{expected} {actual}");
        }
        let fail = [
            (json!({"$type": "integer"}), json!(2.5)),
            (json!({"$type": "number"}), json!(true)),
            (json!({"$regex": "^T-[0-9]+$"}), json!("xT-12")),
            (json!({"$contains": [1, 1]}), json!([1, 2])),
            (json!({"$range": [1, 2]}), json!(2.5)),
            (json!({"$unordered": [1, 2]}), json!([1, 2, 2])),
            (json!({"$literal": {"$any": true}}), json!(1)),
        ];
        for (expected, actual) in fail {
            assert!(partial(expected.clone(), actual.clone()).is_some(), "{expected} {actual}");
        }
    }

    #[test]
    fn matchers_that_make_no_sense_are_told() {
        let error = |value: Value| check(&value, "", &mut Patterns::default()).unwrap_err();
        assert_eq!(error(json!({"a": [{"$regx": "x"}]})).0, "/a/0");
        assert!(error(json!({"$regx": "x"})).1.contains("did you mean `$regex`"));
        assert!(error(json!({"$regex": "("})).1.contains("not a pattern"));
        assert!(error(json!({"$range": [1]})).1.contains("[from, to]"));
        assert!(error(json!({"$one_of": [{"$type": "text"}]})).1.contains("JSON type"));
    }

    #[test]
    fn a_declared_response_is_an_example() {
        let like = |d: Value, a: Value| incompatible(&d, &a, &patterns(&d)).map(|d| d.pointer);
        assert_eq!(like(json!({"s": "x", "n": 1}), json!({"s": "y", "n": 2.5, "z": 0})), None);
        assert_eq!(like(json!({"s": "x"}), json!({"s": 1})), Some("/s".into()));
        assert_eq!(like(json!({"s": {"t": 1}}), json!({"s": {}})), Some("/s/t".into()));
        assert_eq!(like(json!({"l": [{"id": 1}]}), json!({"l": []})), None);
        assert_eq!(
            like(json!({"l": [{"id": 1}]}), json!({"l": [{"id": 2}, {"id": "x"}]})),
            Some("/l/1/id".into())
        );
        assert_eq!(like(json!({"l": []}), json!({"l": [1, "x"]})), None);
        assert_eq!(like(json!({"l": [1, "x"]}), json!({"l": ["y", 2]})), None);
        assert_eq!(like(json!({"n": null}), json!({"n": 1})), Some("/n".into()));
        assert_eq!(like(json!({"n": {"$range": [1, 2]}}), json!({"n": 3})), Some("/n".into()));
    }
}
