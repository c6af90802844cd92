//! `multipleOf` as Python computes it: `instance / divisor` in floats where the divisor is a float,
//! `instance % divisor` where it is an integer.

use serde_json::{Number, Value};

/// Integers up to this are exact in a double.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Whether Python takes `instance` for a multiple; `None` where its fallback to fractions decides,
/// or a number is too large to follow.
#[must_use]
pub fn is_multiple(instance: &Value, divisor: &Number) -> Option<bool> {
    let Value::Number(instance) = instance else { return Some(true) };
    if divisor.is_f64() {
        let quotient = instance.as_f64()? / divisor.as_f64()?;
        return quotient.is_finite().then(|| quotient.fract() == 0.0);
    }
    if let (Some(n), Some(d)) = (integer(instance), integer(divisor)) {
        return n.checked_rem(d).map(|rest| rest == 0);
    }
    let (n, d) = (instance.as_f64()?, divisor.as_f64()?);
    (d.abs() <= EXACT && d != 0.0).then(|| n % d == 0.0)
}

fn integer(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn float_division_as_in_python() {
        // Draft202012Validator({"multipleOf": d}).is_valid(n) of jsonschema 4.26.
        for (n, d, expected) in [
            (json!(19.99), json!(0.01), Some(false)),
            (json!(0.03), json!(0.01), Some(true)),
            (json!(7), json!(2), Some(false)),
            (json!(7.5), json!(2.5), Some(true)),
            (json!(8.0), json!(2), Some(true)),
            (json!(-9), json!(3), Some(true)),
            (json!(1e308), json!(0.5), None),
            (json!(u64::MAX), json!(5), Some(true)),
            (json!("x"), json!(5), Some(true)),
        ] {
            let Value::Number(divisor) = &d else { unreachable!() };
            assert_eq!(is_multiple(&n, divisor), expected, "{n} by {d}");
        }
    }
}
