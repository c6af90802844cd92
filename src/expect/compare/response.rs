//! Declared responses, which are examples of what a tool answers.

use super::matcher::{Patterns, matcher};
use super::{Difference, Mode, differ};
use crate::json_type::{self, with_article};
use crate::pointer;
use serde_json::Value;

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
