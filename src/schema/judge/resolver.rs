//! Where references lead, as the judge resolves them.

use super::super::dialect::Dialect;
use super::draft;
use serde_json::Value;
use std::collections::BTreeMap;

/// Where a reference leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destination<'s> {
    /// A value in this document.
    Here(&'s Value),
    /// The metaschema of the document's own dialect, which every judge knows.
    Known,
    /// Another document.
    Elsewhere,
    /// A place in this document that does not exist.
    Nowhere,
}

/// Resolves the references of one document as the judge does, `$id`s and anchors included.
#[derive(Debug)]
pub struct Resolver<'s> {
    /// Every value of the document by address: what a lookup gives *is* one of them, or foreign.
    values: BTreeMap<*const Value, &'s Value>,
    dialect: Dialect,
    registry: jsonschema::Registry<'s>,
}

/// Answers every request with the schema `true`, so that one external `$ref` hides no other.
struct AnythingGoes;

impl jsonschema::Retrieve for AnythingGoes {
    fn retrieve(
        &self,
        _: &jsonschema::Uri<String>,
    ) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Value::Bool(true))
    }
}

impl<'s> Resolver<'s> {
    /// `None` for a document whose identifiers make no sense.
    #[must_use]
    pub fn new(schema: &'s Value, dialect: Dialect) -> Option<Resolver<'s>> {
        let draft = draft(dialect);
        let registry = jsonschema::Registry::new()
            .add("verity:/document", draft.create_resource_ref(schema))
            .ok()?
            .retriever(AnythingGoes)
            .draft(draft)
            .retrieve_known_draft_meta_schemas(false)
            .prepare()
            .ok()?;
        Some(Resolver { values: by_address(schema), dialect, registry })
    }

    /// Where `reference` leads when it stands below `ancestors` (the schemas from the root down to
    /// the one that holds it, each of which may change the base URI).
    #[must_use]
    pub fn resolve(&self, ancestors: &[&'s Value], reference: &str) -> Destination<'s> {
        let (document, _) = reference.split_once('#').unwrap_or((reference, ""));
        match self.lookup(ancestors, reference) {
            Some(Some(here)) => Destination::Here(here),
            _ if document.is_empty() || matches!(self.lookup(ancestors, document), Some(Some(_))) => {
                Destination::Nowhere
            }
            _ if self.is_own_metaschema(document) => Destination::Known,
            _ => Destination::Elsewhere,
        }
    }

    fn is_own_metaschema(&self, uri: &str) -> bool {
        let dialect = Dialect::from_uri(uri);
        dialect != Dialect::Unknown && draft(dialect) == draft(self.dialect)
    }

    /// `None` for an error, `Some(None)` for a value of another document.
    fn lookup(&self, ancestors: &[&'s Value], reference: &str) -> Option<Option<&'s Value>> {
        let draft = draft(self.dialect);
        let mut resolver = self.registry.resolver(jsonschema::uri::from_str("verity:/document").ok()?);
        for schema in ancestors {
            resolver = resolver.in_subresource(draft.create_resource_ref(schema)).ok()?;
        }
        let found = resolver.lookup(reference).ok()?;
        Some(self.values.get(&std::ptr::from_ref(found.contents())).copied())
    }
}

fn by_address(root: &Value) -> BTreeMap<*const Value, &Value> {
    let mut found = BTreeMap::new();
    let mut stack = vec![root];
    while let Some(v) = stack.pop() {
        found.insert(std::ptr::from_ref(v), v);
        match v {
            Value::Array(a) => stack.extend(a),
            Value::Object(o) => stack.extend(o.values()),
            _ => {}
        }
    }
    found
}
