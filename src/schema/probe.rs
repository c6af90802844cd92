//! Questions about schemas that the document does not hold: "this branch, beside those keywords".
//!
//! Each question is a schema of its own, put among the document's definitions so that references
//! resolve as they do in place; all questions of a document are then answered by one call.

use super::SchemaView;
use super::judge::{self, CompileError, PlaceJudges};
use crate::pointer;
use serde_json::{Map, Value};

/// Questions about one document.
#[derive(Debug)]
pub struct Probes {
    document: Value,
    definitions: &'static str,
    places: Vec<String>,
    dialect: super::Dialect,
}

impl Probes {
    /// `None` where the document cannot take definitions: a boolean, or one with identifiers that
    /// move the base of references.
    #[must_use]
    pub fn new(view: &SchemaView<'_>) -> Option<Probes> {
        let definitions = view.dialect.definitions_keyword();
        let mut document = view.schema.as_object()?.clone();
        if view.nodes().iter().skip(1).any(|n| n.schema.get("$id").or_else(|| n.schema.get("id")).is_some()) {
            return None;
        }
        if !document.get(definitions).is_none_or(Value::is_object) {
            return None;
        }
        document.entry(definitions).or_insert_with(|| Value::Object(Map::new()));
        Some(Probes {
            document: Value::Object(document),
            definitions,
            places: Vec::new(),
            dialect: view.dialect,
        })
    }

    /// Ask about `schema`; the number of the question.
    pub fn add(&mut self, schema: Value) -> usize {
        let number = self.places.len();
        let name = format!("verity probe {number}");
        self.places.push(pointer::child(&format!("/{}", self.definitions), &name));
        if let Some(map) = self.document.get_mut(self.definitions).and_then(Value::as_object_mut) {
            map.insert(name, schema);
        }
        number
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// For each question: whether the schema provably accepts nothing.
    ///
    /// # Errors
    /// See [`CompileError`].
    pub fn accept_nothing(&self) -> Result<Vec<bool>, CompileError> {
        let places: Vec<&str> = self.places.iter().map(String::as_str).collect();
        judge::accept_nothing(&self.document, self.dialect, &places)
    }

    /// The judge of each question, by number.
    ///
    /// # Errors
    /// See [`CompileError`].
    pub fn judges(&self) -> Result<PlaceJudges, CompileError> {
        let places: Vec<&str> = self.places.iter().map(String::as_str).collect();
        PlaceJudges::compile(&self.document, self.dialect, &places)
    }
}

/// The members of `schema` without `left_out`, as a schema.
#[must_use]
pub fn without(schema: &Value, left_out: &[&str]) -> Value {
    match schema.as_object() {
        Some(members) => Value::Object(
            members
                .iter()
                .filter(|(k, _)| !left_out.contains(&k.as_str()))
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect(),
        ),
        None => schema.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn questions_are_answered_in_the_document() {
        let schema = json!({"$defs": {"n": {"type": "number"}}});
        let view = SchemaView::new(&schema);
        let mut probes = Probes::new(&view).unwrap();
        probes.add(json!({"allOf": [{"$ref": "#/$defs/n"}, {"type": "string"}]}));
        probes.add(json!({"$ref": "#/$defs/n"}));
        assert_eq!(probes.accept_nothing().unwrap(), [true, false]);
        let judges = probes.judges().unwrap();
        assert!(
            judges.accepts(1, &json!(5)) && !judges.accepts(1, &json!("x")) && !judges.accepts(0, &json!(5))
        );
    }
}
