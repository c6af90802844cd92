//! Numbers by their mathematical value.

use serde_json::Number;
use std::cmp::Ordering;

/// Two numbers by their mathematical value. No double is rounded into an integer's place, or the other way round.
pub(super) fn order(a: &Number, b: &Number) -> Option<Ordering> {
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
