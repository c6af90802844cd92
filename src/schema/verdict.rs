//! Three-valued verdicts: satisfiable, unsatisfiable or unknown; and vacuous or not.

use super::SchemaView;
use super::judge::Proof;
use serde_json::{Value, json};

/// Whether any argument object is accepted. `Unknown` says why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Satisfiability {
    Yes,
    /// Proven by the algebra.
    No,
    Unknown(String),
}

/// What is known of a schema as a set of argument objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub satisfiability: Satisfiability,
    /// Proven: every JSON object is accepted. `false` covers "not proven".
    pub vacuous: bool,
}

/// Decide by the algebra, and by a few values that the judge itself accepts.
#[must_use]
pub fn decide(view: &SchemaView<'_>) -> Verdict {
    let algebra = match view.algebra() {
        Ok(algebra) => algebra,
        Err(e) => return Verdict { satisfiability: Satisfiability::Unknown(e.to_string()), vacuous: false },
    };
    let vacuous = algebra.covers_plain(&json!({"type": "object"})) == Proof::Yes;
    let satisfiability = match algebra.satisfiable() {
        Proof::Yes => Satisfiability::Yes,
        Proof::No => Satisfiability::No,
        Proof::Unknown if judged_easily(view) => Satisfiability::Yes,
        Proof::Unknown => Satisfiability::Unknown("the schema algebra could not decide".to_string()),
    };
    Verdict { satisfiability, vacuous }
}

fn judged_easily(view: &SchemaView<'_>) -> bool {
    let tries: [Value; 4] = [json!({}), json!([]), json!(""), json!(0)];
    view.judge().is_ok_and(|judge| tries.iter().any(|v| judge.accepts(v)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(schema: &Value) -> Verdict {
        SchemaView::new(schema).verdict().clone()
    }

    #[test]
    fn vacuity_is_proven_not_guessed() {
        assert!(verdict(&json!({"type": "object"})).vacuous);
        assert!(verdict(&json!({"type": "object", "properties": {"a": {}}})).vacuous);
        assert!(verdict(&json!({"type": "object", "anyOf": [true]})).vacuous);
        assert!(!verdict(&json!({"type": "object", "additionalProperties": false})).vacuous);
        assert!(!verdict(&json!({"type": "object", "properties": {"a": {"type": "string"}}})).vacuous);
    }

    #[test]
    fn conflicts_are_proven() {
        let schema = json!({"type": "object", "required": ["p"],
            "properties": {"p": {"type": "integer", "minimum": 5, "maximum": 4}}});
        assert_eq!(verdict(&schema).satisfiability, Satisfiability::No);
    }
}
