//! Bounds checked before the crate sees a schema, so that a hostile one costs bounded time and memory.
//!
//! Each bound is far above what real tools have (a corpus of 7,572: at most 2,937 values, 84 branches, 2
//! conditionals in one schema) and below what was measured to cost a second.

use super::{CompileError, cases, patterns, work};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// JSON values in one schema.
pub const MAX_VALUES: usize = 200_000;
/// Branches of one `anyOf`/`oneOf`/`allOf`.
pub const MAX_BRANCHES: usize = 2_000;
/// Length of a chain of `$ref`s that step nowhere: the crate follows them by recursion.
pub const MAX_REF_CHAIN: usize = 100;
/// `$id`s below the root: compiling costs their number to the fourth power.
pub const MAX_IDENTIFIERS: usize = 40;
/// Steps that a backtracking pattern may take on one string.
pub const BACKTRACKS: usize = 100_000;
/// Bytes of one compiled pattern.
pub const PATTERN_BYTES: usize = 10 << 20;
/// Estimated size of all patterns of a schema once compiled, in characters to tell apart.
pub const MAX_PATTERN_COST: usize = 2_500_000;

/// What the algebra is asked at most. Unions multiply, conditionals double.
pub mod algebra {
    /// JSON values in one schema.
    pub const MAX_VALUES: usize = 20_000;
    /// Branches of all unions of a schema.
    pub const MAX_BRANCHES: usize = 800;
    /// Branches of one `oneOf`: each excludes every other, which costs more than their square.
    pub const MAX_EXCLUSIVE: usize = 128;
    /// `if`s, each of which doubles the cases.
    pub const MAX_CONDITIONALS: usize = 6;
    /// Entries of `dependentRequired`, `dependentSchemas` and `dependencies`, which split cases too.
    pub const MAX_DEPENDENTS: usize = 16;
    /// Names in one `required`.
    pub const MAX_REQUIRED: usize = 2_000;
    /// Estimated size of all patterns.
    pub const MAX_PATTERN_COST: usize = 1_000_000;
    /// Names in one `patternProperties`: each pair of them may share a key.
    pub const MAX_PATTERN_NAMES: usize = 64;
    /// Different values of `multipleOf`: their common multiples grow with each that meets.
    pub const MAX_MULTIPLES: usize = 24;
    /// Cases that the unions at one value multiply into. A corpus of 7,572 real schemas: at most 18.
    pub const MAX_CASES: u64 = 1_024;
}

/// What of a schema costs the crate more than its size.
#[derive(Debug, Default)]
struct Census {
    values: usize,
    widest: (usize, &'static str),
    branches: usize,
    exclusive: usize,
    conditionals: usize,
    dependents: usize,
    required: usize,
    identifiers: usize,
    references: usize,
    pattern_cost: usize,
    pattern_names: usize,
    multiples: BTreeSet<String>,
    looks: u64,
}

/// Counts by keyword alone, wherever it stands: a parameter called `if` counts as well, which only
/// makes the bounds a little tighter.
fn census(schema: &Value, cap: usize) -> Census {
    let mut census = Census::default();
    let mut stack = vec![schema];
    while let Some(v) = stack.pop() {
        census.values += 1;
        if census.values > cap {
            break;
        }
        match v {
            Value::Array(a) => stack.extend(a),
            Value::Object(o) => {
                for (keyword, value) in o {
                    census.count(keyword, value);
                    stack.push(value);
                }
            }
            _ => {}
        }
    }
    if schema.get("$id").or_else(|| schema.get("id")).is_some_and(Value::is_string) {
        census.identifiers = census.identifiers.saturating_sub(1);
    }
    census
}

impl Census {
    fn count(&mut self, keyword: &str, value: &Value) {
        let union = ["anyOf", "oneOf", "allOf"].into_iter().find(|k| *k == keyword);
        if let (Some(union), Some(branches)) = (union, value.as_array()) {
            self.widest = self.widest.max((branches.len(), union));
            self.branches += branches.len();
            if union == "oneOf" {
                self.exclusive = self.exclusive.max(branches.len());
            }
        }
        match keyword {
            "if" => self.conditionals += 1,
            "required" => self.required = self.required.max(value.as_array().map_or(0, Vec::len)),
            "dependentRequired" | "dependentSchemas" | "dependencies" => {
                self.dependents += value.as_object().map_or(0, serde_json::Map::len);
            }
            "$id" | "id" if value.is_string() => self.identifiers += 1,
            "$ref" | "$dynamicRef" | "$recursiveRef" if value.is_string() => self.references += 1,
            "pattern" => {
                let cost = value.as_str().map_or(0, patterns::cost);
                self.pattern_cost = self.pattern_cost.saturating_add(cost);
            }
            "patternProperties" => {
                let keys = value.as_object().into_iter().flatten();
                let cost = keys.map(|(k, _)| patterns::cost(k)).fold(0, usize::saturating_add);
                self.pattern_cost = self.pattern_cost.saturating_add(cost);
                self.pattern_names =
                    self.pattern_names.max(value.as_object().map_or(0, serde_json::Map::len));
            }
            "multipleOf" if self.multiples.len() <= algebra::MAX_MULTIPLES => {
                self.multiples.extend(value.as_number().map(ToString::to_string));
            }
            _ => {}
        }
    }
}

/// JSON values in `schema`, as far as [`MAX_VALUES`].
#[must_use]
pub fn values(schema: &Value) -> usize {
    census(schema, MAX_VALUES).values
}

/// How often the judge may look at one value, for each path through it; refuses what is over the judge's
/// bounds, with the bound as reason.
pub(super) fn check(schema: &Value) -> Result<u64, CompileError> {
    check_judge(schema).map(|census| census.looks)
}

fn check_judge(schema: &Value) -> Result<Census, CompileError> {
    let mut census = census(schema, MAX_VALUES);
    let (widest, union) = census.widest;
    let refuse = |reason: String| Err(CompileError::TooLarge(reason));
    if census.values > MAX_VALUES {
        return refuse(format!("the schema holds more than {MAX_VALUES} values"));
    }
    if widest > MAX_BRANCHES {
        return refuse(format!("`{union}` has more than {MAX_BRANCHES} branches"));
    }
    if census.identifiers > MAX_IDENTIFIERS {
        return refuse(format!("more than {MAX_IDENTIFIERS} subschemas have an `$id`"));
    }
    if census.pattern_cost > MAX_PATTERN_COST {
        return refuse("its patterns are too large once their repetitions are written out".to_string());
    }
    if census.references > 0 {
        check_ref_chains(schema)?;
        census.looks = work::check(schema)?;
    }
    Ok(census)
}

/// Refuses what is over the algebra's bounds, or the judge's.
pub(super) fn check_algebra(schema: &Value) -> Result<(), CompileError> {
    let census = check_judge(schema)?;
    let over = [
        (census.values, algebra::MAX_VALUES, "values"),
        (census.branches, algebra::MAX_BRANCHES, "branches"),
        (census.exclusive, algebra::MAX_EXCLUSIVE, "branches of one `oneOf`"),
        (census.conditionals, algebra::MAX_CONDITIONALS, "conditionals"),
        (census.dependents, algebra::MAX_DEPENDENTS, "dependent properties"),
        (census.required, algebra::MAX_REQUIRED, "names in one `required`"),
        (census.pattern_cost, algebra::MAX_PATTERN_COST, "characters in its patterns, written out,"),
        (census.pattern_names, algebra::MAX_PATTERN_NAMES, "names in one `patternProperties`"),
        (census.multiples.len(), algebra::MAX_MULTIPLES, "values of `multipleOf`"),
    ];
    let too_large = |most: u64, what: &str| {
        Err(CompileError::TooLarge(format!("more than {most} {what} in one schema are not reasoned about")))
    };
    if let Some((_, most, what)) = over.into_iter().find(|(n, most, _)| n > most) {
        return too_large(most as u64, what);
    }
    if census.branches > 1 && cases::most(schema) > algebra::MAX_CASES {
        return too_large(algebra::MAX_CASES, "cases of one value");
    }
    Ok(())
}

/// Refuses chains of local `$ref`s longer than [`MAX_REF_CHAIN`].
fn check_ref_chains(schema: &Value) -> Result<(), CompileError> {
    let mut next: BTreeMap<&str, &str> = BTreeMap::new();
    let mut stack = vec![schema];
    let mut starts = Vec::new();
    while let Some(v) = stack.pop() {
        match v {
            Value::Array(a) => stack.extend(a),
            Value::Object(o) => {
                if let Some(r) = o.get("$ref").and_then(Value::as_str) {
                    starts.push(r);
                }
                stack.extend(o.values());
            }
            _ => {}
        }
    }
    for start in starts.iter().copied() {
        let target = start.strip_prefix('#').and_then(|p| schema.pointer(p));
        if let Some(r) = target.and_then(|t| t.get("$ref")).and_then(Value::as_str) {
            next.insert(start, r);
        }
    }
    let mut length: BTreeMap<&str, usize> = BTreeMap::new();
    for start in starts {
        let (mut at, mut steps) = (start, 0);
        while let Some(&to) = next.get(at) {
            steps += 1 + length.get(to).copied().unwrap_or(0);
            if steps > MAX_REF_CHAIN {
                return Err(CompileError::TooLarge(format!(
                    "a chain of more than {MAX_REF_CHAIN} `$ref`s that lead to each other"
                )));
            }
            if length.contains_key(to) || to == start {
                break;
            }
            at = to;
        }
        length.insert(start, steps);
    }
    Ok(())
}
