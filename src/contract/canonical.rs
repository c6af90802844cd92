//! RFC 8785: the one text of a JSON value, its digest, and equality as that text has it.

use crate::sha256;
use serde_json::{Number, Value};

/// Largest integer that every double-based reader holds exactly.
pub const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// `value` as RFC 8785 writes it: keys by UTF-16 code units, numbers as ECMAScript prints doubles.
#[must_use]
pub fn text(value: &Value) -> String {
    // It fails for values that no `Value` holds: keys that are no strings, numbers that are not finite.
    serde_json_canonicalizer::to_string(value).unwrap_or_else(|_| value.to_string())
}

/// `sha256:` and 64 hexadecimal digits of the canonical text.
#[must_use]
pub fn digest(value: &Value) -> String {
    sha256::prefixed(text(value).as_bytes())
}

/// Whether both values have one canonical text, as far as doubles hold their numbers: `1` is `1.0`, the order of
/// members does not count.
#[must_use]
pub fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => numbers_equal(a, b),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

/// Integers beyond the doubles' range, which only a server's answer can hold, are told apart exactly.
fn numbers_equal(a: &Number, b: &Number) -> bool {
    a == b || (!both_integers(a, b) && a.as_f64() == b.as_f64())
}

fn both_integers(a: &Number, b: &Number) -> bool {
    !a.is_f64() && !b.is_f64()
}

/// Whether a number belongs to a contract's value domain: a finite double, and if integral, in the safe range.
#[must_use]
pub fn is_in_domain(number: &Number) -> bool {
    number.as_f64().is_some_and(|n| n.is_finite() && (n.fract() != 0.0 || n.abs() <= MAX_SAFE_INTEGER))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The worked example of RFC 8785, section 3.2.4, and its key-sorting example of 3.2.3.
    #[test]
    fn text_is_that_of_the_rfc() {
        let written = r#"{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}"#;
        let value: Value = serde_json::from_str(written).unwrap();
        let wanted = "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
            \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
        assert_eq!(text(&value), wanted);
        let keys =
            json!({"\u{20ac}": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5, "\u{80}": 6, "\u{f6}": 7});
        assert_eq!(
            text(&keys),
            "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"\u{f6}\":7,\"\u{20ac}\":1,\"\u{1f600}\":5,\"\u{fb33}\":3}"
        );
    }

    #[test]
    fn numbers_are_doubles() {
        assert_eq!(
            text(&json!([1.0, -0.0, 1e21, 1e20, 0.1, 5e-324])),
            "[1,0,1e+21,100000000000000000000,0.1,5e-324]"
        );
        assert_eq!(
            digest(&json!({})),
            "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
        );
    }

    #[test]
    fn equality_is_that_of_the_text() {
        for (a, b) in [
            (json!(1), json!(1.0)),
            (json!(0.0), json!(-0.0)),
            (json!({"a": 1, "b": 2}), json!({"b": 2.0, "a": 1})),
        ] {
            assert!(equal(&a, &b) && text(&a) == text(&b), "{a} {b}");
        }
        let different = [
            (json!(1), json!(true)),
            (json!("1"), json!(1)),
            (json!([1, 2]), json!([2, 1])),
            (json!(null), json!({})),
            (json!({"a": null}), json!({})),
        ];
        for (a, b) in different {
            assert!(!equal(&a, &b) && text(&a) != text(&b), "{a} {b}");
        }
        assert!(!equal(&json!(9_007_199_254_740_993_u64), &json!(9_007_199_254_740_992_u64)));
    }

    #[test]
    fn the_domain_ends_with_the_safe_integers() {
        for (number, is_in) in [
            ("9007199254740991", true),
            ("9007199254740992", false),
            ("-9007199254740991", true),
            ("1e20", false),
            ("0.5", true),
            ("1e-7", true),
            ("18446744073709551615", false),
        ] {
            let Value::Number(n) = serde_json::from_str(number).unwrap() else { unreachable!() };
            assert_eq!(is_in_domain(&n), is_in, "{number}");
        }
    }
}
