//! Bounds checked before the crate sees a schema, so that a hostile one costs bounded time and memory.

use super::CompileError;
use serde_json::Value;
use std::collections::BTreeMap;

/// JSON values in one schema.
pub const MAX_VALUES: usize = 200_000;
/// Branches of one `anyOf`/`oneOf`/`allOf`.
pub const MAX_BRANCHES: usize = 2_000;
/// Length of a chain of `$ref`s that step nowhere.
pub const MAX_REF_CHAIN: usize = 100;
/// Steps that a backtracking pattern may take on one string.
pub const BACKTRACKS: usize = 100_000;
/// Bytes of one compiled pattern.
pub const PATTERN_BYTES: usize = 10 << 20;
/// Values in a schema beyond which the algebra is not asked.
pub const MAX_ALGEBRA_VALUES: usize = 20_000;

/// Number of JSON values in `schema`, counted up to `cap`.
#[must_use]
pub fn count_values(schema: &Value, cap: usize) -> usize {
    let mut n = 0;
    let mut stack = vec![schema];
    while let Some(v) = stack.pop() {
        n += 1;
        if n >= cap {
            return n;
        }
        match v {
            Value::Array(a) => stack.extend(a),
            Value::Object(o) => stack.extend(o.values()),
            _ => {}
        }
    }
    n
}

/// Refuses what is over the bounds, with the bound as reason.
pub(super) fn check(schema: &Value, max_values: usize) -> Result<(), CompileError> {
    if count_values(schema, max_values + 1) > max_values {
        return Err(CompileError::TooLarge(format!("the schema holds more than {max_values} values")));
    }
    let mut stack = vec![schema];
    while let Some(v) = stack.pop() {
        match v {
            Value::Array(a) => stack.extend(a),
            Value::Object(o) => {
                for (k, v) in o {
                    let branches =
                        matches!(k.as_str(), "anyOf" | "oneOf" | "allOf").then(|| v.as_array()).flatten();
                    if branches.is_some_and(|b| b.len() > MAX_BRANCHES) {
                        return Err(CompileError::TooLarge(format!(
                            "`{k}` has more than {} branches",
                            MAX_BRANCHES
                        )));
                    }
                    stack.push(v);
                }
            }
            _ => {}
        }
    }
    check_ref_chains(schema)
}

/// Refuses chains of local `$ref`s longer than [`MAX_REF_CHAIN`]: the crate follows them by recursion.
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
                    "a chain of more than {} `$ref`s that lead to each other",
                    MAX_REF_CHAIN
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
