//! The packs' grader (Python `jsonschema` 4), modelled where it differs from the judge: patterns by
//! Python `re`, `multipleOf` by float division, the metaschema checked first, no remote `$ref`,
//! bounded nesting (see pack-format.md, "The grader").
//!
//! The judge alone says whether a value is valid. The model says where that grader may not agree:
//! schemas that it cannot use are refused as a whole ([`refusal`]), and for the others every pattern
//! and every divisor is asked in both ways about every text and number of an instance. Where all
//! answers agree, so do the graders. What the model is unsure of, it neither [`accepts`] nor [`refuses`].

pub mod number;
pub mod pattern;
mod shape;

use super::judge::{Formats, Judge, metaschema_violations};
use super::{Dialect, SchemaView};
use pattern::Pattern;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Questions (patterns times texts, divisors times numbers) asked about one instance.
const MAX_QUESTIONS: usize = 200_000;

/// A schema as that grader takes it.
#[derive(Debug)]
pub struct Grader {
    /// The judge on the schema as that grader takes it, where that is another one: in the dialect
    /// that it chooses, without the keywords that it passes over.
    as_taken: Option<Judge>,
    /// Each pattern in both ways.
    patterns: Vec<(Pattern, Judge)>,
    /// Each `multipleOf` in both ways.
    divisors: Vec<(serde_json::Number, Judge)>,
    traits: shape::Traits,
}

impl Grader {
    /// Prepare the model for `view`.
    ///
    /// # Errors
    /// Why that grader cannot use the schema, or why verity will not vouch for it.
    pub fn of(view: &SchemaView<'_>) -> Result<Grader, String> {
        let dialect = shape::python_dialect(view.schema)?;
        let shape = shape::examine(view, dialect)?;
        let is_other = dialect != known(view.dialect);
        if is_other && !metaschema_violations(view.schema, dialect).is_empty() {
            return Err(format!(
                "that grader takes its $schema for {}, and the schema breaks that",
                dialect.name()
            ));
        }
        let as_taken = match shape.passed_over.as_slice() {
            [] if !is_other => None,
            places => {
                let taken = without(view.schema, places);
                Some(Judge::compile(&taken, dialect, Formats::Annotate).map_err(|e| e.to_string())?)
            }
        };
        let mut patterns = Vec::new();
        for text in shape.patterns {
            let python = Pattern::new(&text).map_err(|e| format!("the pattern `{}`: {e}", short(&text)))?;
            let ours = Judge::compile(&json!({ "pattern": text }), dialect, Formats::Annotate);
            patterns.push((python, ours.map_err(|e| e.to_string())?));
        }
        let mut divisors = Vec::new();
        for divisor in shape.divisors {
            let ours = Judge::compile(&json!({ "multipleOf": divisor }), dialect, Formats::Annotate);
            divisors.push((divisor, ours.map_err(|e| e.to_string())?));
        }
        Ok(Grader { as_taken, patterns, divisors, traits: shape.traits })
    }

    /// Whether that grader surely says of `instance` what the judge says.
    fn agrees(&self, instance: &Value, judged: bool) -> bool {
        let parts = Parts::of(instance);
        let questions = self.patterns.len() * parts.texts.len() + self.divisors.len() * parts.numbers.len();
        questions <= MAX_QUESTIONS
            && self.as_taken.as_ref().is_none_or(|taken| taken.accepts(instance) == judged)
            && self.traits.are_safe_for(instance, parts.depth)
            && self.patterns.iter().all(|(python, ours)| {
                parts.texts.iter().all(|text| python.search(text) == Some(ours.accepts(&json!(text))))
            })
            && self.divisors.iter().all(|(divisor, ours)| {
                let same = |n: &&Value| number::is_multiple(n, divisor) == Some(ours.accepts(n));
                parts.numbers.iter().all(same)
            })
    }
}

/// The dialect that an unknown one is judged as.
fn known(dialect: Dialect) -> Dialect {
    if dialect == Dialect::Unknown { Dialect::Draft202012 } else { dialect }
}

/// `schema` without its `$schema` and without the members at `places`: (subschema, keyword).
fn without(schema: &Value, places: &[(String, String)]) -> Value {
    let mut schema = schema.clone();
    let root = (String::new(), "$schema".to_string());
    for (pointer, keyword) in places.iter().chain([&root]) {
        if let Some(members) = schema.pointer_mut(pointer).and_then(Value::as_object_mut) {
            members.shift_remove(keyword);
        }
    }
    schema
}

fn short(text: &str) -> String {
    let cut: String = text.chars().take(60).collect();
    if cut.len() < text.len() { format!("{cut}…") } else { cut }
}

/// What an instance is made of.
struct Parts<'v> {
    /// String values and keys.
    texts: BTreeSet<&'v str>,
    numbers: Vec<&'v Value>,
    depth: usize,
}

impl<'v> Parts<'v> {
    fn of(instance: &'v Value) -> Parts<'v> {
        let mut parts = Parts { texts: BTreeSet::new(), numbers: Vec::new(), depth: 0 };
        let mut stack = vec![(instance, 1)];
        while let Some((value, depth)) = stack.pop() {
            parts.depth = parts.depth.max(depth);
            match value {
                Value::String(text) => drop(parts.texts.insert(text)),
                Value::Number(_) => parts.numbers.push(value),
                Value::Array(items) => stack.extend(items.iter().map(|v| (v, depth + 1))),
                Value::Object(members) => {
                    parts.texts.extend(members.keys().map(String::as_str));
                    stack.extend(members.values().map(|v| (v, depth + 1)));
                }
                Value::Null | Value::Bool(_) => {}
            }
        }
        parts
    }
}

/// Why that grader cannot use the schema at all, if so.
#[must_use]
pub fn refusal(view: &SchemaView<'_>) -> Option<String> {
    view.grader().err().cloned()
}

/// Whether the judge accepts `instance`, and that grader surely does, too.
#[must_use]
pub fn accepts(view: &SchemaView<'_>, instance: &Value) -> bool {
    agreed(view, instance) == Some(true)
}

/// Whether the judge refuses `instance`, and that grader surely does, too.
#[must_use]
pub fn refuses(view: &SchemaView<'_>, instance: &Value) -> bool {
    agreed(view, instance) == Some(false)
}

/// Whether that grader surely accepts `instance` too, which the judge has accepted.
#[must_use]
pub fn follows(view: &SchemaView<'_>, instance: &Value) -> bool {
    view.grader().is_ok_and(|grader| grader.agrees(instance, true))
}

/// Whether both graders accept `instance`; `None` where they may differ.
#[must_use]
pub fn agreed(view: &SchemaView<'_>, instance: &Value) -> Option<bool> {
    let judged = view.judge().ok()?.accepts(instance);
    let grader = view.grader().ok()?;
    grader.agrees(instance, judged).then_some(judged)
}
