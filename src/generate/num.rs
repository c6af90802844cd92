//! Numbers as exact rationals. A JSON number means its shortest decimal text, which is how both
//! judges read `0.01`.

use num_bigint::BigInt;
use num_rational::BigRational;
use serde_json::{Number, Value};
use std::cmp::Ordering;

/// An exact number; small integers and fractions, nearly all there are, stay cheap.
#[derive(Debug, Clone)]
pub(crate) enum Num {
    Int(i128),
    /// A numerator and a denominator above one, without a common factor.
    Small(i64, i64),
    /// What neither of the others holds.
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
        match (i64::try_from(value.numer()), i64::try_from(value.denom())) {
            (Ok(n), Ok(d)) if d > 1 => Num::Small(n, d),
            _ => Num::Ratio(Box::new(value)),
        }
    }

    /// `numerator / denominator`, which is positive, if small numbers hold it.
    fn small(numerator: i128, denominator: i128) -> Option<Num> {
        let common = i128::try_from(gcd(numerator.unsigned_abs(), denominator.unsigned_abs())).ok()?;
        let (n, d) = (numerator.checked_div(common)?, denominator.checked_div(common)?);
        if d == 1 {
            return Some(Num::Int(n));
        }
        Some(Num::Small(n.try_into().ok()?, d.try_into().ok()?))
    }

    /// Numerator and denominator, if small numbers hold them.
    fn parts(&self) -> Option<(i128, i128)> {
        match self {
            Num::Int(i) => i64::try_from(*i).ok().map(|i| (i.into(), 1)),
            Num::Small(n, d) => Some(((*n).into(), (*d).into())),
            Num::Ratio(_) => None,
        }
    }

    /// How often `step`, which is positive, goes into this, rounded down or up.
    pub(crate) fn factor(&self, step: &Num, up: bool) -> BigInt {
        if let (Some((a, b)), Some((c, d))) = (self.parts(), step.parts())
            && let (Some(left), Some(right)) = (a.checked_mul(d), b.checked_mul(c))
            && right > 0
        {
            let rest = i128::from(up && left.rem_euclid(right) != 0);
            return BigInt::from(left.div_euclid(right) + rest);
        }
        let exact = self.rational() / step.rational();
        if up { exact.ceil().to_integer() } else { exact.floor().to_integer() }
    }

    /// This, `factor` times.
    pub(crate) fn times(&self, factor: &BigInt) -> Num {
        if let (Some((n, d)), Ok(factor)) = (self.parts(), i64::try_from(factor))
            && let Some(product) = n.checked_mul(factor.into())
            && let Some(value) = Num::small(product, d)
        {
            return value;
        }
        let step = self.rational();
        // Of two integers nothing is to be reduced, which takes long where they are.
        Num::ratio(if step.is_integer() {
            BigRational::from_integer(step.numer() * factor)
        } else {
            step * BigRational::from_integer(factor.clone())
        })
    }

    pub(crate) fn rational(&self) -> BigRational {
        match self {
            Num::Int(i) => BigRational::from_integer(BigInt::from(*i)),
            Num::Small(n, d) => BigRational::new_raw(BigInt::from(*n), BigInt::from(*d)),
            Num::Ratio(r) => (**r).clone(),
        }
    }

    pub(crate) fn is_integer(&self) -> bool {
        match self {
            Num::Int(_) => true,
            Num::Small(..) => false,
            Num::Ratio(r) => r.is_integer(),
        }
    }

    /// Whether this is `divisor` times an integer.
    pub(crate) fn is_multiple_of(&self, divisor: &Num) -> bool {
        match (self, divisor) {
            (_, Num::Int(0)) => false,
            (Num::Int(a), Num::Int(b)) => a % b == 0,
            _ => {
                if let (Some((a, b)), Some((c, d))) = (self.parts(), divisor.parts())
                    && let (Some(left), Some(right)) = (a.checked_mul(d), b.checked_mul(c))
                {
                    return right != 0 && left % right == 0;
                }
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
        // Of two numbers that doubles hold exactly, the quotient is the nearest double.
        const EXACT: i64 = 1 << 53;
        if let Num::Small(n, d) = self
            && n.abs() <= EXACT
            && *d <= EXACT
        {
            #[expect(clippy::cast_precision_loss, reason = "both are below 2^53")]
            return Number::from_f64(*n as f64 / *d as f64);
        }
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
            _ => match (self.parts(), other.parts()) {
                // Products of two 64-bit numbers fit.
                (Some((a, b)), Some((c, d))) => (a * d).cmp(&(c * b)),
                _ => self.rational().cmp(&other.rational()),
            },
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
    let exponent = exponent - i32::try_from(fraction.len()).ok()?;
    let digits = format!("{whole}{fraction}");
    if let (Ok(digits), -18..=0) = (digits.parse::<i64>(), exponent)
        && let Some(value) = Num::small(digits.into(), 10_i128.pow(exponent.unsigned_abs()))
    {
        return Some(value);
    }
    let digits: BigInt = digits.parse().ok()?;
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
    fn small_fractions_are_what_large_ones_are() {
        let small = Num::Small(-7, 2);
        let large = Num::Ratio(Box::new(small.rational()));
        assert_eq!(small, large);
        assert_eq!(num(&json!(-3.5)).parts(), Some((-7, 2)));
        assert_eq!(num(&json!(2.50)).parts(), Some((5, 2)));
        for (value, step, down, up) in [(-7, 2, -4, -3), (7, 2, 3, 4), (8, 2, 4, 4), (-8, 2, -4, -4)] {
            for (value, step) in [
                (Num::Int(value), Num::Int(step)),
                (Num::Small(2 * value as i64 + 1, 2), Num::Int(step)),
                (Num::Ratio(Box::new(Num::Int(value).rational())), Num::Int(step)),
            ] {
                let whole = value.is_integer();
                let (d, u) = (value.factor(&step, false), value.factor(&step, true));
                let exact = value.rational() / step.rational();
                assert_eq!((d.clone(), u.clone()), (exact.floor().to_integer(), exact.ceil().to_integer()));
                if whole {
                    assert_eq!((d, u), (down.into(), up.into()));
                }
            }
        }
        assert_eq!(Num::Small(1, 2).times(&4.into()), Num::Int(2));
        assert_eq!(Num::Small(i64::MAX, 2).times(&i64::MAX.into()).rational(), {
            BigRational::new(BigInt::from(i64::MAX) * BigInt::from(i64::MAX), 2.into())
        });
        assert!(Num::Small(i64::MAX, 2) > Num::Small(i64::MIN, 3) && Num::Small(1, 3) < Num::Int(1));
        assert_eq!(Num::Small(1, 3).nearest().and_then(|n| n.as_f64()), Some(1.0 / 3.0));
        assert!(
            Num::Small(3, 2).is_multiple_of(&Num::Small(1, 2))
                && !Num::Small(3, 2).is_multiple_of(&Num::Int(1))
        );
    }

    #[test]
    fn least_common_multiples() {
        assert_eq!(lcm(&num(&json!(6)), &num(&json!(10))), Some(Num::Int(30)));
        assert_eq!(lcm(&num(&json!(1)), &num(&json!(1.5))), Some(Num::Int(3)));
        assert_eq!(lcm(&num(&json!(0.1)), &num(&json!(0.25))), Some(num(&json!(0.5))));
    }
}
