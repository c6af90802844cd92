//! Plain scalars as PyYAML's `safe_load` resolves them (YAML 1.1, with PyYAML's own deviations:
//! `1e5` is a string, `y` and `n` are strings). The patterns follow `yaml/resolver.py` of PyYAML 6.

use regex::Regex;
use serde_json::{Number, Value};
use std::sync::LazyLock;

/// What a plain scalar stands for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Resolved {
    Value(Value),
    /// A date or time: no JSON value, an object of its own kind in Python.
    Timestamp,
    /// `<<` as a key: merge the value's members into this mapping.
    Merge,
    /// `=`, which PyYAML's safe loader refuses to construct.
    ValueKey,
}

static FLOAT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*)$",
    )
    .ok()
});
static INT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?:[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$",
    )
    .ok()
});
static TIMESTAMP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)$",
    )
    .ok()
});

fn matches(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|r| r.is_match(text))
}

/// The value of the plain scalar `text`.
pub(super) fn plain(text: &str) -> Resolved {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Resolved::Value(Value::Null),
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return Resolved::Value(Value::Bool(true));
        }
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Resolved::Value(Value::Bool(false));
        }
        "<<" => return Resolved::Merge,
        "=" => return Resolved::ValueKey,
        _ => {}
    }
    // Numbers begin with one of these; a long text is no number either.
    if text.len() <= 1_000 && text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
        if matches(&INT, text) {
            return Resolved::Value(integer(text));
        }
        if matches(&FLOAT, text) {
            return Resolved::Value(float(text).map_or(Value::Null, Value::Number));
        }
        if matches(&TIMESTAMP, text) {
            return Resolved::Timestamp;
        }
    }
    Resolved::Value(Value::String(text.to_string()))
}

/// An integer in any of YAML 1.1's bases; one that neither i64 nor u64 holds becomes a float.
pub(super) fn integer(text: &str) -> Value {
    let clean = text.replace('_', "");
    let (negative, digits) = match clean.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, clean.strip_prefix('+').unwrap_or(&clean)),
    };
    let magnitude = if let Some(binary) = digits.strip_prefix("0b") {
        u64::from_str_radix(binary, 2).ok()
    } else if let Some(hex) = digits.strip_prefix("0x") {
        u64::from_str_radix(hex, 16).ok()
    } else if digits.contains(':') {
        sixty(digits)
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(digits, 8).ok()
    } else {
        digits.parse().ok()
    };
    match magnitude {
        Some(n) if !negative => Value::from(n),
        Some(n) if n <= i64::MIN.unsigned_abs() => Value::from((n as i64).wrapping_neg()),
        _ => clean.parse::<f64>().ok().and_then(Number::from_f64).map_or(Value::Null, Value::Number),
    }
}

fn sixty(digits: &str) -> Option<u64> {
    digits.split(':').try_fold(0u64, |sum, part| sum.checked_mul(60)?.checked_add(part.parse().ok()?))
}

/// A float; `None` for infinities (no JSON value) and texts that are none.
pub(super) fn float(text: &str) -> Option<Number> {
    let clean = text.replace('_', "");
    if !clean.contains(':') {
        return clean.parse::<f64>().ok().and_then(Number::from_f64);
    }
    let (negative, digits) = match clean.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, clean.strip_prefix('+').unwrap_or(&clean)),
    };
    let sum = digits.split(':').try_fold(0f64, |sum, part| Some(sum * 60.0 + part.parse::<f64>().ok()?))?;
    Number::from_f64(if negative { -sum } else { sum })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn plain_scalars_as_pyyaml_reads_them() {
        // Worked out with PyYAML 6.0.3: yaml.safe_load(text).
        for (text, value) in [
            ("on", json!(true)),
            ("No", json!(false)),
            ("y", json!("y")),
            ("1:30", json!(90)),
            ("012", json!(10)),
            ("089", json!("089")),
            ("1_000", json!(1000)),
            ("0x1F", json!(31)),
            ("-0b11", json!(-3)),
            ("1e5", json!("1e5")),
            ("1.0e+5", json!(100_000.0)),
            ("1.e+1", json!(10.0)),
            ("1:30.5", json!(90.5)),
            ("-9223372036854775808", json!(i64::MIN)),
            ("18446744073709551615", json!(u64::MAX)),
            ("~", json!(null)),
            ("", json!(null)),
            ("nan", json!("nan")),
            ("0o17", json!("0o17")),
        ] {
            assert_eq!(plain(text), Resolved::Value(value), "{text}");
        }
        assert_eq!(plain("2024-01-01"), Resolved::Timestamp);
        assert_eq!(plain("2024-1-1"), Resolved::Value(json!("2024-1-1")));
        assert_eq!(plain("2024-01-01 10:00:00"), Resolved::Timestamp);
        assert_eq!(plain("<<"), Resolved::Merge);
        assert_eq!(plain("="), Resolved::ValueKey);
    }
}
