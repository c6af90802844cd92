//! Numbers from bounds and divisors: exact rationals, the least common multiple of the divisors,
//! windows that may be one double wide.

use super::facts::{Facts, Types};
use super::lexicon;
use super::num::{Num, lcm, neighbour};
use super::solver::{Edge, Fail, Place, Solver};
use crate::schema::grader;
use num_bigint::BigInt;
use num_rational::BigRational;
use serde_json::{Number, Value};

/// Multiples of the step, or integers, that are looked at before giving up.
const TRIES: i128 = 4_096;

impl<'a> Solver<'a> {
    pub(crate) fn fits_number(&self, facts: &Facts<'a>, number: &Number) -> bool {
        let n = Num::of(number);
        let facts = &facts.number;
        let above = facts.lower.as_ref().is_none_or(|b| n > b.value || b.inclusive && n == b.value);
        let below = facts.upper.as_ref().is_none_or(|b| n < b.value || b.inclusive && n == b.value);
        above
            && below
            && facts.multiples.iter().all(|m| n.is_multiple_of(&Num::of(m)))
            && !facts.barred.iter().any(|m| n.is_multiple_of(&Num::of(m)))
    }

    pub(crate) fn realize_number(
        &mut self,
        facts: &Facts<'a>,
        types: Types,
        place: &Place<'_>,
    ) -> Result<Value, Fail> {
        let types = facts.types.and(types);
        let integral = !types.has(Types::FRACTION);
        let accept = |solver: &Self, value: &Value| {
            types.has(Types::of_value(value))
                && value.as_number().is_some_and(|n| solver.fits_number(facts, n))
                && !facts.bars(value)
        };
        let mut second = None;
        let is_listed = self.policy.variant < super::string::VARIED || self.policy.variant.is_multiple_of(3);
        if facts.taken.is_none() && self.policy.edge == Edge::Usual && is_listed {
            for value in self.usual_numbers(facts, integral, place) {
                if accept(self, &value) {
                    if divides_in_python(facts, &value) {
                        return Ok(value);
                    }
                    second.get_or_insert(value);
                }
            }
        }
        let mut candidates = Candidates::new(facts, types, self.policy.edge, self.policy.variant)
            .ok_or_else(|| self.doubtful())?;
        for value in candidates.by_ref() {
            self.step()?;
            if accept(self, &value) {
                if divides_in_python(facts, &value) {
                    return Ok(value);
                }
                second.get_or_insert(value);
            }
        }
        self.doubt |= !candidates.is_exhaustive(types);
        second.ok_or(Fail::Conflict)
    }

    /// The author's samples, then what a person would send.
    fn usual_numbers(&self, facts: &Facts<'a>, integral: bool, place: &Place<'_>) -> Vec<Value> {
        let mut out: Vec<Value> = Vec::new();
        if self.policy.variant == 0 {
            out.extend(
                facts
                    .notes
                    .samples
                    .iter()
                    .filter(|s| s.is_number() && !lexicon::is_empty_sample(s))
                    .map(|s| (*s).clone()),
            );
            for text in facts.notes.descriptions.iter().chain(&facts.notes.titles) {
                out.extend(
                    super::hints::values(text)
                        .into_iter()
                        .filter_map(|h| h.parse::<Number>().ok().map(Value::Number)),
                );
            }
        }
        out.extend(lexicon::numbers(self, integral, place));
        out
    }
}

/// Whether the packs' grader sees the divisors as the judge does: it divides doubles.
fn divides_in_python(facts: &Facts<'_>, value: &Value) -> bool {
    let numbers = &facts.number;
    let says = |divisor: &&Number, expected| grader::number::is_multiple(value, divisor) == Some(expected);
    numbers.multiples.iter().all(|m| says(m, true)) && numbers.barred.iter().all(|m| says(m, false))
}

/// Numbers that fit the bounds, in the order of trying.
struct Candidates {
    ready: std::vec::IntoIter<Value>,
    /// Multiples of the step between these factors, walked from `at`.
    walk: Option<Walk>,
    /// The bounds exclude each other.
    empty: bool,
}

impl Candidates {
    /// Whether every number in the bounds had its turn: all integers, or all multiples, of a window.
    fn is_exhaustive(&self, types: Types) -> bool {
        let all_integers = |w: &Walk| {
            let nothing_between = w.divided || (!types.has(Types::FRACTION) && matches!(w.step, Num::Int(_)));
            nothing_between && !w.skipped && w.first.is_some() && w.last.is_some() && w.count <= TRIES
        };
        self.empty || self.walk.as_ref().is_some_and(all_integers)
    }
}

struct Walk {
    /// The step comes from divisors, so that nothing lies between its multiples.
    divided: bool,
    step: Num,
    first: Option<BigInt>,
    last: Option<BigInt>,
    at: i128,
    from: BigInt,
    down: bool,
    /// Factors given so far.
    count: i128,
    /// A number was left out that JSON cannot hold exactly.
    skipped: bool,
}

impl Candidates {
    fn new(facts: &Facts<'_>, types: Types, edge: Edge, variant: u32) -> Option<Candidates> {
        let numbers = &facts.number;
        let integral = !types.has(Types::FRACTION);
        let mut step: Option<Num> = integral.then_some(Num::Int(1));
        for m in numbers.multiples.iter().map(|m| Num::of(m)) {
            if m <= Num::Int(0) {
                return None;
            }
            step = Some(match step {
                None => m.clone(),
                Some(s) => lcm(&s, &m)?,
            });
        }
        let (lower, upper) =
            (numbers.lower.as_ref().map(|b| &b.value), numbers.upper.as_ref().map(|b| &b.value));
        if matches!((lower, upper), (Some(l), Some(u)) if l > u) {
            return Some(Candidates { ready: Vec::new().into_iter(), walk: None, empty: true });
        }
        let mut ready = Vec::new();
        if !integral && step.is_none() {
            ready = between(lower, upper, types);
            ready.extend(numbers.barred.iter().flat_map(|m| off_multiples(&Num::of(m), lower, upper)));
            step = types.has(Types::INTEGER).then_some(Num::Int(1));
        }
        if edge == Edge::Greatest {
            ready.reverse();
        }
        // The least and the greatest are what they are in every round.
        let variant = if edge == Edge::Usual { i128::from(variant) } else { 0 };
        let shift = (facts.taken.as_ref().map_or(0, |t| t.len()) as i128) + variant;
        let walk = step.map(|step| {
            let first = lower.map(|l| l.factor(&step, true));
            let last = upper.map(|u| u.factor(&step, false));
            let down = first.is_none() && last.is_some() || edge == Edge::Greatest && last.is_some();
            let (zero, one) = (BigInt::from(0), BigInt::from(1));
            let from = match (&first, &last) {
                (_, Some(l)) if down => l.clone(),
                // One is a more telling number than zero, where both fit.
                (Some(f), l) if *f == zero && edge != Edge::Least && l.as_ref().is_none_or(|l| *l >= one) => {
                    one
                }
                (Some(f), _) => f.clone(),
                (None, _) => one,
            };
            Walk {
                step,
                first,
                last,
                at: shift.min(1 << 60),
                from,
                down,
                count: 0,
                skipped: false,
                divided: !numbers.multiples.is_empty(),
            }
        });
        Some(Candidates { ready: ready.into_iter(), walk, empty: false })
    }
}

impl Iterator for Candidates {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        if let Some(value) = self.ready.next() {
            return Some(value);
        }
        let walk = self.walk.as_mut()?;
        loop {
            let factor = walk.next()?;
            let value = walk.step.times(&factor);
            if let Some(json) = value.to_json() {
                return Some(json);
            }
            walk.skipped = true;
        }
    }
}

impl Walk {
    /// The next factor, wrapping round within the window where there is one.
    fn next(&mut self) -> Option<BigInt> {
        let (at, done) = (self.at, self.count);
        self.at += 1;
        self.count += 1;
        if done > TRIES || done > 16 && self.from.bits() > 128 {
            return None;
        }
        let offset = if self.down { &self.from - BigInt::from(at) } else { &self.from + BigInt::from(at) };
        let (Some(first), Some(last)) = (&self.first, &self.last) else { return Some(offset) };
        let size: BigInt = last - first + BigInt::from(1);
        // Each factor once: the walk may have begun in the middle.
        if BigInt::from(done) >= size {
            return None;
        }
        let wrapped = ((offset - first) % &size + &size) % &size;
        Some(first + wrapped)
    }
}

/// Numbers halfway between multiples of `divisor`, above or below a bound where there is one.
fn off_multiples(divisor: &Num, lower: Option<&Num>, upper: Option<&Num>) -> Vec<Value> {
    let half = divisor.rational() / BigRational::from_integer(2.into());
    let one_above =
        |bound: &Num| (bound.rational() / divisor.rational()).floor() * divisor.rational() + &half;
    let mut out = vec![half.clone(), -&half];
    if divisor.rational() != BigRational::from_integer(0.into()) {
        out.extend(lower.into_iter().chain(upper).flat_map(|bound| {
            let above = one_above(bound);
            [&above + divisor.rational(), &above - divisor.rational(), above]
        }));
    }
    out.into_iter().filter_map(|n| Num::ratio(n).to_json()).collect()
}

/// A few numbers between two bounds, integers first unless they are not wanted.
fn between(lower: Option<&Num>, upper: Option<&Num>, types: Types) -> Vec<Value> {
    let half = BigRational::new(1.into(), 2.into());
    let mut out: Vec<Num> = Vec::new();
    let mut near: Vec<f64> = Vec::new();
    match (lower, upper) {
        (Some(l), Some(u)) => {
            let (a, b) = (l.rational(), u.rational());
            let middle = (&a + &b) * &half;
            if types.has(Types::INTEGER) {
                out.push(Num::ratio(a.ceil()));
                out.push(Num::ratio(middle.round()));
                out.push(Num::ratio(b.floor()));
            }
            for digits in 1..=6u32 {
                let scale = BigRational::from_integer(BigInt::from(10).pow(digits));
                out.push(Num::ratio((&middle * &scale).round() / &scale));
            }
            near.extend(Num::ratio(middle).nearest().and_then(|n| n.as_f64()));
        }
        (Some(l), None) => {
            let up = l.rational().floor();
            out.push(Num::ratio(&up + BigRational::from_integer(1.into())));
            out.push(Num::ratio(up + &half));
        }
        (None, Some(u)) => {
            let down = u.rational().ceil();
            out.push(Num::ratio(&down - BigRational::from_integer(1.into())));
            out.push(Num::ratio(down - &half));
        }
        (None, None) => {
            out.push(Num::Int(1));
            out.extend(
                [(3, 2), (5, 2), (1, 4), (-1, 2)]
                    .map(|(n, d): (i32, i32)| Num::ratio(BigRational::new(n.into(), d.into()))),
            );
        }
    }
    for (bound, up) in [(lower, true), (upper, false)] {
        if let Some(bound) = bound {
            out.push(bound.clone());
            if let Some(f) = bound.nearest().and_then(|n| n.as_f64()) {
                near.extend([neighbour(f, up), f]);
            }
        }
    }
    let mut values: Vec<Value> = out.iter().filter_map(Num::to_json).collect();
    values.extend(near.into_iter().filter_map(Number::from_f64).map(Value::Number));
    values
}
