//! Numbers as exact rationals. A JSON number means its shortest decimal text, which is how both
//! judges read `0.01`.

use num_bigint::BigInt;
use num_rational::BigRational;
use serde_json::{Number, Value};
use std::cmp::Ordering;

/// An exact number; small integers, nearly all there are, stay cheap.
#[derive(Debug, Clone)]
pub(crate) enum Num {
    Int(i128),
    Ratio(Box<BigRational>),
}

impl Num {
    pub(crate) fn of(number: &Number) -> Num {
        if let Some(i) = number.as_i64() {
            return Num::Int(i.into());
        }
        if let Some(u) = number.as_u64() {
            return Num::Int(u.into());
        }
        parse_decimal(&number.to_string()).unwrap_or(Num::Int(0))
    }

    pub(crate) fn of_value(value: &Value) -> Option<Num> {
        value.as_number().map(Num::of)
    }

    pub(crate) fn ratio(value: BigRational) -> Num {
        if value.is_integer()
            && let Ok(i) = i128::try_from(value.numer())
        {
            return Num::Int(i);
        }
        Num::Ratio(Box::new(value))
    }

    pub(crate) fn rational(&self) -> BigRational {
        match self {
            Num::Int(i) => BigRational::from_integer(BigInt::from(*i)),
            Num::Ratio(r) => (**r).clone(),
        }
    }

    pub(crate) fn is_integer(&self) -> bool {
        match self {
            Num::Int(_) => true,
            Num::Ratio(r) => r.is_integer(),
        }
    }

    /// Whether this is `divisor` times an integer.
    pub(crate) fn is_multiple_of(&self, divisor: &Num) -> bool {
        match (self, divisor) {
            (_, Num::Int(0)) => false,
            (Num::Int(a), Num::Int(b)) => a % b == 0,
            _ => {
                // A quotient of rationals would be reduced, bit by bit for a thousand bits.
                let (a, b) = (self.rational(), divisor.rational());
                let (left, right) = (a.numer() * b.denom(), a.denom() * b.numer());
                right != BigInt::ZERO && left % right == BigInt::ZERO
            }
        }
    }

    /// The JSON number that reads back as exactly this, if a double or a 64-bit integer holds it.
    pub(crate) fn to_json(&self) -> Option<Value> {
        if let Num::Int(i) = self {
            if let Ok(i) = i64::try_from(*i) {
                return Some(Value::from(i));
            }
            if let Ok(u) = u64::try_from(*i) {
                return Some(Value::from(u));
            }
        }
        let nearest = self.nearest()?;
        (Num::of(&nearest) == *self).then_some(Value::Number(nearest))
    }

    /// The double nearest to this.
    pub(crate) fn nearest(&self) -> Option<Number> {
        let text = decimal_text(&self.rational());
        text.parse::<f64>().ok().filter(|f| f.is_finite()).and_then(Number::from_f64)
    }
}

impl PartialEq for Num {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Num {}

impl PartialOrd for Num {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Num {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Num::Int(a), Num::Int(b)) => a.cmp(b),
            _ => self.rational().cmp(&other.rational()),
        }
    }
}

/// `-12.5e3` and the like, as serde_json writes them.
fn parse_decimal(text: &str) -> Option<Num> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((m, e)) => (m, e.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: BigInt = format!("{whole}{fraction}").parse().ok()?;
    let exponent = exponent - i32::try_from(fraction.len()).ok()?;
    let scale = BigInt::from(10).pow(exponent.unsigned_abs());
    Some(Num::ratio(if exponent >= 0 {
        BigRational::from_integer(digits * scale)
    } else {
        BigRational::new(digits, scale)
    }))
}

/// Decimal text with enough digits that the nearest double is found by parsing it.
fn decimal_text(value: &BigRational) -> String {
    if value.is_integer() {
        return value.numer().to_string();
    }
    let whole = value.trunc();
    // 1,100 digits reach below the smallest subnormal; 40 beyond the magnitude are plenty otherwise.
    let magnitude = value.denom().to_string().len().saturating_sub(value.numer().to_string().len());
    let digits = u32::try_from(magnitude + 40).unwrap_or(1100).min(1100);
    let scaled = (value * BigRational::from_integer(BigInt::from(10).pow(digits))).trunc();
    let _ = whole;
    format!("{}e-{digits}", scaled.numer())
}

/// The next double above (`up`) or below `number`.
pub(crate) fn neighbour(number: f64, up: bool) -> f64 {
    if up { number.next_up() } else { number.next_down() }
}

/// Least common multiple of two positive numbers.
pub(crate) fn lcm(a: &Num, b: &Num) -> Option<Num> {
    if let (Num::Int(a), Num::Int(b)) = (a, b) {
        let gcd = gcd(a.unsigned_abs(), b.unsigned_abs());
        let gcd = i128::try_from(gcd).ok().filter(|g| *g > 0)?;
        return (a / gcd).checked_mul(*b).map(Num::Int);
    }
    let (a, b) = (a.rational(), b.rational());
    let common = a.denom() * b.denom();
    let left = a.numer() * b.denom();
    let right = b.numer() * a.denom();
    let gcd = big_gcd(left.clone(), right.clone());
    if gcd == BigInt::from(0) {
        return None;
    }
    Some(Num::ratio(BigRational::new(left * right / gcd, common)))
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn big_gcd(mut a: BigInt, mut b: BigInt) -> BigInt {
    let zero = BigInt::from(0);
    while b != zero {
        let rest = &a % &b;
        a = std::mem::replace(&mut b, rest);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn num(v: &Value) -> Num {
        Num::of_value(v).unwrap()
    }

    #[test]
    fn decimals_are_what_they_look_like() {
        assert!(num(&json!(4.36)).is_multiple_of(&num(&json!(0.01))));
        assert!(!num(&json!(4.365)).is_multiple_of(&num(&json!(0.01))));
        assert!(num(&json!(1e308)).is_multiple_of(&num(&json!(-2.5e-7))));
        assert!(!num(&json!(2.5e-7)).is_multiple_of(&num(&json!(1e308))));
        assert!(num(&json!(1e308)) > num(&json!(1e307)));
        assert_eq!(num(&json!(2.0)), num(&json!(2)));
        assert_eq!(num(&json!(0.1)).to_json(), Some(json!(0.1)));
        assert_eq!(num(&json!(1e-7)).to_json(), Some(json!(1e-7)));
        assert_eq!(num(&json!(5e-324)).to_json(), Some(json!(5e-324)));
        let third = Num::ratio(BigRational::new(1.into(), 3.into()));
        assert_eq!(third.to_json(), None);
        assert_eq!(third.nearest().and_then(|n| n.as_f64()), Some(1.0 / 3.0));
    }

    #[test]
    fn least_common_multiples() {
        assert_eq!(lcm(&num(&json!(6)), &num(&json!(10))), Some(Num::Int(30)));
        assert_eq!(lcm(&num(&json!(1)), &num(&json!(1.5))), Some(Num::Int(3)));
        assert_eq!(lcm(&num(&json!(0.1)), &num(&json!(0.25))), Some(num(&json!(0.5))));
    }
}
