//! Judges of subschemas in their context.

use super::super::dialect::Dialect;
use super::{
    CompileError, Formats, Violation, compile_error, draft, limits, options, reference_error, violation,
};
use serde_json::Value;

/// Judges of several places of one schema. Each judges values as the subschema there would in place:
/// references resolve against the whole document. Compiling them together costs one compilation.
#[derive(Debug)]
pub struct PlaceJudges {
    validator: jsonschema::Validator,
}

impl PlaceJudges {
    /// Compile the subschemas of `schema` at `places` (pointers).
    ///
    /// # Errors
    /// See [`CompileError`]; one place that cannot be compiled refuses all.
    pub fn compile(schema: &Value, dialect: Dialect, places: &[&str]) -> Result<PlaceJudges, CompileError> {
        const DOCUMENT: &str = "verity:/document";
        limits::check(schema)?;
        let draft = draft(dialect);
        let registry = jsonschema::Registry::new()
            .add(DOCUMENT, draft.create_resource_ref(schema))
            .and_then(|builder| {
                builder.retriever(NoRetriever).draft(draft).retrieve_known_draft_meta_schemas(false).prepare()
            })
            .map_err(|e| reference_error(&e))?;
        let properties = places
            .iter()
            .enumerate()
            .map(|(i, place)| {
                let fragment = percent_encode(place);
                (i.to_string(), serde_json::json!({"$ref": format!("{DOCUMENT}#{fragment}")}))
            })
            .collect::<serde_json::Map<_, _>>();
        options(dialect, Formats::Annotate)
            .with_registry(&registry)
            .build(&serde_json::json!({"properties": properties}))
            .map(|validator| PlaceJudges { validator })
            .map_err(|e| compile_error(&e))
    }

    /// Whether the subschema at place number `place` accepts `value`.
    #[must_use]
    pub fn accepts(&self, place: usize, value: &Value) -> bool {
        self.validator.is_valid(&Self::wrap(place, value))
    }

    /// Why the subschema at place number `place` refuses `value`; empty if it does not.
    #[must_use]
    pub fn violations(&self, place: usize, value: &Value) -> Vec<Violation> {
        let wrapped = Self::wrap(place, value);
        let mut found: Vec<Violation> = self.validator.iter_errors(&wrapped).map(|e| violation(&e)).collect();
        let prefix = format!("/{place}");
        for v in &mut found {
            if let Some(below) = v.instance_pointer.strip_prefix(&prefix) {
                v.instance_pointer = below.to_string();
            }
        }
        found
    }

    fn wrap(place: usize, value: &Value) -> Value {
        Value::Object(std::iter::once((place.to_string(), value.clone())).collect())
    }
}

/// Refuses every document but those in the registry.
struct NoRetriever;

impl jsonschema::Retrieve for NoRetriever {
    fn retrieve(
        &self,
        uri: &jsonschema::Uri<String>,
    ) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err(format!("`{uri}` is outside the document, and verity fetches nothing").into())
    }
}

/// A JSON Pointer as the fragment of a URI.
fn percent_encode(pointer: &str) -> String {
    let mut out = String::with_capacity(pointer.len());
    for byte in pointer.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'$' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
