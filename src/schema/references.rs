//! Where a `$ref`, `$dynamicRef` or `$recursiveRef` leads, as the judge sees it.
//!
//! Plain local pointers, nearly all references in practice, are followed directly. A schema with
//! `$id`, anchors, dynamic references or references to a metaschema goes through the `referencing`
//! crate, which the judge itself resolves with; this module alone names it.

use super::dialect::Dialect;
use referencing::{Draft, Registry, Resolver, ResourceRef, Retrieve, SPECIFICATIONS, Uri};
use serde_json::Value;
use std::borrow::Cow;

const BASE: &str = "json-schema:///";

/// The documents that references may lead to: the schema itself and the known metaschemas.
pub struct References<'s> {
    root: &'s Value,
    draft: Draft,
    registry: Option<Registry<'s>>,
}

/// Base URI and dynamic scope at one place; `None` where plain pointers are all there is.
#[derive(Clone)]
pub struct Scope<'r>(Option<Resolver<'r>>);

impl PartialEq for Scope<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => {
                a.base_uri() == b.base_uri()
                    && a.dynamic_scope()
                        .iter()
                        .map(|u| u.as_str())
                        .eq(b.dynamic_scope().iter().map(|u| u.as_str()))
            }
            _ => false,
        }
    }
}

struct Nothing;

impl Retrieve for Nothing {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err(format!("`{uri}` is not part of the schema, and nothing is fetched").into())
    }
}

impl<'s> References<'s> {
    /// Index `schema`, if anything in it needs more than local pointers.
    #[must_use]
    pub fn new(schema: &'s Value, dialect: Dialect) -> References<'s> {
        let draft = draft(dialect);
        let registry = needs_registry(schema).then(|| {
            SPECIFICATIONS.add(BASE, schema).and_then(|b| b.draft(draft).retriever(Nothing).prepare()).ok()
        });
        References { root: schema, draft, registry: registry.flatten() }
    }

    /// The scope of the schema's root.
    #[must_use]
    pub fn root_scope(&self) -> Scope<'_> {
        let resolver = self.registry.as_ref().and_then(|registry| {
            let base = referencing::uri::from_str(BASE).ok()?;
            // An `$id` at the root makes it the base, as entering by the anonymous address does.
            registry.resolver(base).lookup("").ok().map(|found| found.into_inner().1)
        });
        Scope(resolver)
    }

    /// The scope within `schema`, met in `scope`, if it declares an `$id` of its own.
    #[must_use]
    pub fn enter<'r>(&'r self, scope: &Scope<'r>, schema: &Value) -> Option<Scope<'r>> {
        let resolver = scope.0.as_ref()?;
        let resource = ResourceRef::new(schema, self.draft);
        resource.id()?;
        resolver.in_subresource(resource).ok().map(|r| Scope(Some(r)))
    }

    /// The schema that `$ref` or `$dynamicRef` leads to, with its scope.
    #[must_use]
    pub fn follow<'r>(&'r self, scope: &Scope<'r>, reference: &str) -> Option<(&'r Value, Scope<'r>)> {
        match &scope.0 {
            Some(resolver) => {
                let (value, resolver, _) = resolver.lookup(reference).ok()?.into_inner();
                Some((value, Scope(Some(resolver))))
            }
            None => Some((local(self.root, reference)?, Scope(None))),
        }
    }

    /// Where a `$recursiveRef` (always `#`) leads.
    #[must_use]
    pub fn follow_recursive<'r>(&'r self, scope: &Scope<'r>) -> Option<(&'r Value, Scope<'r>)> {
        match &scope.0 {
            Some(resolver) => {
                let (value, resolver, _) = resolver.lookup_recursive_ref().ok()?.into_inner();
                Some((value, Scope(Some(resolver))))
            }
            None => Some((self.root, Scope(None))),
        }
    }
}

/// The place in `root` that a reference of the form `#` or `#/…` names.
#[must_use]
pub fn local<'v>(root: &'v Value, reference: &str) -> Option<&'v Value> {
    let fragment = reference.strip_prefix('#')?;
    if fragment.is_empty() || !fragment.contains('%') {
        return root.pointer(fragment);
    }
    root.pointer(&percent_decoded(fragment)?)
}

fn percent_decoded(text: &str) -> Option<Cow<'_, str>> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(b) = bytes.next() {
        if b != b'%' {
            out.push(b);
            continue;
        }
        let digits = [bytes.next()?, bytes.next()?];
        out.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(out).ok().map(Cow::Owned)
}

fn draft(dialect: Dialect) -> Draft {
    match dialect {
        Dialect::Draft4 => Draft::Draft4,
        Dialect::Draft6 => Draft::Draft6,
        Dialect::Draft7 => Draft::Draft7,
        Dialect::Draft201909 => Draft::Draft201909,
        Dialect::Draft202012 | Dialect::Unknown => Draft::Draft202012,
    }
}

/// Whether any member of the document names a base, an anchor, or a reference other than `#/…`.
/// Data that looks like one only costs the slower way.
fn needs_registry(schema: &Value) -> bool {
    let mut stack = vec![schema];
    while let Some(value) = stack.pop() {
        match value {
            Value::Array(items) => stack.extend(items),
            Value::Object(members) => {
                for (key, value) in members {
                    let told = match (key.as_str(), value) {
                        ("$ref", Value::String(r)) => !(r == "#" || r.starts_with("#/")),
                        (
                            "$id" | "id" | "$anchor" | "$dynamicRef" | "$dynamicAnchor" | "$recursiveRef",
                            Value::String(_),
                        ) => true,
                        _ => false,
                    };
                    if told {
                        return true;
                    }
                    stack.push(value);
                }
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn target(schema: &Value, reference: &str) -> Option<Value> {
        let references = References::new(schema, Dialect::of(schema));
        references.follow(&references.root_scope(), reference).map(|(value, _)| value.clone())
    }

    #[test]
    fn plain_pointers_and_anchors() {
        let schema =
            json!({"$defs": {"a b": {"enum": [1]}, "x": {"$anchor": "two", "enum": [2]}}, "$ref": "#two"});
        assert_eq!(target(&schema, "#/$defs/a%20b"), Some(json!({"enum": [1]})));
        assert_eq!(target(&schema, "#two").and_then(|s| s.get("enum").cloned()), Some(json!([2])));
        assert_eq!(target(&schema, "#three"), None);
    }

    #[test]
    fn metaschemas_are_known_and_nothing_else_is() {
        let schema = json!({"$ref": "http://json-schema.org/draft-07/schema#"});
        assert!(target(&schema, "http://json-schema.org/draft-07/schema#").is_some());
        assert_eq!(target(&schema, "https://example.org/other"), None);
    }

    #[test]
    fn a_dynamic_reference_leads_to_the_outermost_anchor() {
        let schema = json!({"$id": "https://example.org/outer", "$dynamicAnchor": "node", "title": "outer",
            "$defs": {"inner": {"$id": "https://example.org/inner", "$dynamicAnchor": "node", "title": "inner"}}});
        let references = References::new(&schema, Dialect::Draft202012);
        let (_, scope) = references.follow(&references.root_scope(), "inner").unwrap();
        let (found, _) = references.follow(&scope, "#node").unwrap();
        assert_eq!(found.get("title"), Some(&json!("outer")));
    }
}
