//! What in a schema's shape decides whether that grader can use it: dialect, references, nesting,
//! and the keywords that Python `jsonschema` has its own ideas of.

mod graph;

use super::super::{Dialect, SchemaView};
use graph::Graph;
use serde_json::{Number, Value};
use std::collections::BTreeSet;

/// Deeper schemas overflow Python's recursion limit of 1000 in the metaschema check: it fails at 61
/// levels of `not: {not: …}` and at 81 of `allOf` (jsonschema 4.26, Python 3.11), less what the runner
/// itself has on the stack.
const MAX_SCHEMA_DEPTH: usize = 48;
/// Levels of JSON in a schema: js-yaml reads 100, six of which the task around it needs.
const MAX_JSON_DEPTH: usize = 90;
/// Levels of the instance times steps in place at each: recursion fails at some 490.
const MAX_EVALUATION: usize = 250;

/// What was gathered from the schema.
pub(super) struct Shape {
    pub(super) patterns: BTreeSet<String>,
    pub(super) divisors: Vec<Number>,
    /// Keywords that the judge applies and that grader does not: (subschema, keyword).
    pub(super) passed_over: Vec<(String, String)>,
    pub(super) traits: Traits,
}

/// Properties of the schema that make some instances unsure.
#[derive(Debug)]
pub(super) struct Traits {
    /// In draft 4, `1.0` is no integer for that grader.
    is_draft4: bool,
    has_unique_items: bool,
    /// Holds an integer beyond 2^53: comparing it with a float is exact in Python.
    has_large_integers: bool,
    /// Most steps in place (`$ref`, `allOf`, …) at one level.
    steps: usize,
}

impl Traits {
    pub(super) fn are_safe_for(&self, instance: &Value, depth: usize) -> bool {
        if (depth + 1) * (self.steps + 1) > MAX_EVALUATION {
            return false;
        }
        let mut stack = vec![instance];
        while let Some(value) = stack.pop() {
            match value {
                Value::Number(n) => {
                    let is_integral = n.is_f64() && n.as_f64().is_some_and(|f| f.fract() == 0.0);
                    let is_large = n.as_f64().is_some_and(|f| f.abs() >= 9_007_199_254_740_992.0);
                    if is_integral && (self.is_draft4 || self.has_large_integers && is_large) {
                        return false;
                    }
                }
                Value::Array(items) => {
                    // `uniq` sorts first, and lists that hold `1` and `true` sort as equal.
                    if self.has_unique_items && items.iter().any(|v| v.is_array() && holds_boolean(v)) {
                        return false;
                    }
                    stack.extend(items);
                }
                Value::Object(members) => stack.extend(members.values()),
                _ => {}
            }
        }
        true
    }
}

fn holds_boolean(value: &Value) -> bool {
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        match value {
            Value::Bool(_) => return true,
            Value::Array(items) => stack.extend(items),
            Value::Object(members) => stack.extend(members.values()),
            _ => {}
        }
    }
    false
}

/// The dialect that Python's `validator_for` chooses: by the exact URI, else 2020-12.
pub(super) fn python_dialect(schema: &Value) -> Result<Dialect, String> {
    let uri = match schema.get("$schema") {
        None => return Ok(Dialect::Draft202012),
        Some(Value::String(uri)) => uri,
        Some(_) => return Err("its $schema is no text".to_string()),
    };
    if uri.chars().any(|c| c.is_whitespace() || c.is_control())
        || uri.starts_with(|c: char| c.is_ascii_uppercase())
    {
        return Err("its $schema is spelled in a way that graders normalise differently".to_string());
    }
    Ok(match uri.strip_suffix('#').unwrap_or(uri) {
        "http://json-schema.org/draft-03/schema" => {
            return Err("it is written in draft-03, which verity does not judge".to_string());
        }
        "http://json-schema.org/draft-04/schema" => Dialect::Draft4,
        "http://json-schema.org/draft-06/schema" => Dialect::Draft6,
        "http://json-schema.org/draft-07/schema" => Dialect::Draft7,
        "https://json-schema.org/draft/2019-09/schema" => Dialect::Draft201909,
        _ => Dialect::Draft202012,
    })
}

/// Gather what the model needs.
///
/// # Errors
/// Why that grader cannot use the schema.
pub(super) fn examine(view: &SchemaView<'_>, dialect: Dialect) -> Result<Shape, String> {
    if json_depth(view.schema) > MAX_JSON_DEPTH {
        return Err(format!(
            "it nests more than {MAX_JSON_DEPTH} levels deep, which the packs' readers refuse"
        ));
    }
    let graph = Graph::of(view, dialect)?;
    let mut shape = Shape {
        patterns: BTreeSet::new(),
        divisors: Vec::new(),
        passed_over: Vec::new(),
        traits: Traits {
            is_draft4: dialect == Dialect::Draft4,
            has_unique_items: false,
            has_large_integers: has_large_integers(view.schema),
            steps: graph.steps,
        },
    };
    for node in &graph.nodes {
        if node.depth > MAX_SCHEMA_DEPTH {
            return Err(format!("its subschemas nest more than {MAX_SCHEMA_DEPTH} levels deep"));
        }
        if let Value::Object(members) = node.schema {
            keywords(members, &node.pointer, dialect, &mut shape)?;
        }
    }
    Ok(shape)
}

/// One subschema's own keywords.
fn keywords(
    members: &serde_json::Map<String, Value>,
    pointer: &str,
    dialect: Dialect,
    shape: &mut Shape,
) -> Result<(), String> {
    let is_root = pointer.is_empty();
    for (keyword, value) in members {
        match (keyword.as_str(), value) {
            ("pattern", Value::String(pattern)) => drop(shape.patterns.insert(pattern.clone())),
            ("patternProperties", Value::Object(patterns)) => {
                joinable(patterns, members.contains_key("additionalProperties"))?;
                shape.patterns.extend(patterns.keys().cloned());
            }
            ("multipleOf", Value::Number(divisor)) => shape.divisors.push(divisor.clone()),
            // No keywords to Python: `dependencies` is applied up to draft-07 alone, content never.
            ("dependencies", _) if !dialect.knows("dependencies") => {
                shape.passed_over.push((pointer.to_string(), keyword.clone()));
            }
            ("contentEncoding" | "contentMediaType", _) => {
                shape.passed_over.push((pointer.to_string(), keyword.clone()));
            }
            ("uniqueItems", Value::Bool(true)) => shape.traits.has_unique_items = true,
            ("$dynamicRef" | "$recursiveRef" | "$dynamicAnchor" | "$recursiveAnchor", _)
                if dialect.knows(keyword) =>
            {
                return Err(format!("it uses `{keyword}`, which graders resolve differently"));
            }
            ("unevaluatedProperties" | "unevaluatedItems", _) if dialect == Dialect::Draft201909 => {
                // It takes the keywords under `additionalProperties` for names of properties.
                return Err(format!("it uses `{keyword}` of 2019-09, which that grader decides wrongly"));
            }
            ("$schema", Value::String(_)) if !is_root => {
                return Err("a subschema changes the dialect with a $schema of its own".to_string());
            }
            ("$id" | "id", Value::String(_))
                if !is_root && (keyword == "$id" || dialect == Dialect::Draft4) =>
            {
                return Err(format!(
                    "a subschema has an `{keyword}` of its own, which graders resolve differently"
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

/// For `additionalProperties`, Python joins all patterns with `|` into one.
fn joinable(patterns: &serde_json::Map<String, Value>, is_joined: bool) -> Result<(), String> {
    if !is_joined {
        return Ok(());
    }
    let joined: Vec<&str> = patterns.keys().map(String::as_str).collect();
    if joined == [""] {
        return Err("an empty pattern beside additionalProperties, which that grader passes over".to_string());
    }
    // Groups count through all of them, and flags must stand at the very start.
    let is_fragile = |p: &&str| p.contains("(?") || p.contains('\\') && p.contains('(');
    if joined.len() > 1 && joined.iter().any(is_fragile) {
        return Err(
            "several patterns with groups beside additionalProperties, which that grader joins".to_string()
        );
    }
    Ok(())
}

fn has_large_integers(schema: &Value) -> bool {
    let mut stack = vec![schema];
    while let Some(value) = stack.pop() {
        match value {
            Value::Number(n)
                if !n.is_f64() && n.as_f64().is_some_and(|f| f.abs() >= 9_007_199_254_740_992.0) =>
            {
                return true;
            }
            Value::Array(items) => stack.extend(items),
            Value::Object(members) => stack.extend(members.values()),
            _ => {}
        }
    }
    false
}

fn json_depth(value: &Value) -> usize {
    let mut deepest = 0;
    let mut stack = vec![(value, 1)];
    while let Some((value, depth)) = stack.pop() {
        deepest = deepest.max(depth);
        match value {
            Value::Array(items) => stack.extend(items.iter().map(|v| (v, depth + 1))),
            Value::Object(members) => stack.extend(members.values().map(|v| (v, depth + 1))),
            _ => {}
        }
    }
    deepest
}
