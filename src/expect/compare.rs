//! Expected and actual values: equal by meaning, partly or wholly, and where they first differ.
//!
//! Numbers are compared by value (`1` and `1.0` are one number), `true` is no number, the order of keys means nothing,
//! that of items does. An expected value of one member whose key begins with `$` is a *matcher* (see [`MATCHERS`]).

mod matcher;
mod number;
mod response;

pub use matcher::{MATCHERS, Patterns, check, pattern};
pub use response::incompatible;

use crate::json_type::{self, with_article};
use crate::pointer;
use matcher::{matcher, matches};
use number::order;
use serde_json::{Value, json};
use std::cmp::Ordering;

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

/// Where `actual` first differs from `expected`; `None` where it is what was expected.
#[must_use]
pub fn difference(expected: &Value, actual: &Value, mode: Mode, patterns: &Patterns) -> Option<Difference> {
    differ(expected, actual, mode, "", patterns)
}

/// Whether `actual` is what was expected: as [`difference`], without the words for what is not.
#[must_use]
pub fn fits(expected: &Value, actual: &Value, mode: Mode, patterns: &Patterns) -> bool {
    if let Some((key, inner)) = matcher(expected) {
        return matches(key, inner, actual, mode, patterns);
    }
    match (expected, actual) {
        (Value::Object(wanted), Value::Object(given)) => {
            (mode == Mode::Partial || wanted.len() == given.len())
                && wanted.iter().all(|(key, w)| given.get(key).is_some_and(|g| fits(w, g, mode, patterns)))
        }
        (Value::Array(wanted), Value::Array(given)) => {
            wanted.len() == given.len() && wanted.iter().zip(given).all(|(w, g)| fits(w, g, mode, patterns))
        }
        (Value::Number(a), Value::Number(b)) => order(a, b) == Some(Ordering::Equal),
        (a, b) => a == b,
    }
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
    use proptest::prelude::*;

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

    /// Two values, often alike.
    fn pair() -> impl Strategy<Value = (Value, Value)> {
        let leaf = prop_oneof![
            Just(json!(null)),
            Just(json!(1)),
            Just(json!(1.0)),
            Just(json!(true)),
            Just(json!("a")),
            Just(json!({"$type": "number"})),
            Just(json!({"$unordered": [1, {"$any": true}]})),
        ];
        let value = leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
                prop::collection::btree_map("[ab]", inner, 0..3)
                    .prop_map(|m| Value::Object(m.into_iter().collect())),
            ]
        });
        prop_oneof![(value.clone(), value.clone()), value.prop_map(|v| (v.clone(), v))]
    }

    proptest! {
        #[test]
        fn what_fits_has_no_difference((expected, actual) in pair()) {
            let patterns = Patterns::default();
            for mode in [Mode::Partial, Mode::Exact] {
                prop_assert_eq!(fits(&expected, &actual, mode, &patterns), difference(&expected, &actual, mode, &patterns).is_none());
            }
        }
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
