//! Every subschema of a schema, with its place and how it is reached.
//!
//! Only *schema positions* are visited: a parameter called `properties` or a `default` that looks
//! like a schema is data. References are not followed (their targets are visited where they stand).

use super::dialect::Dialect;
use crate::pointer;
use serde_json::Value;

/// How a subschema is reached from its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Via {
    Root,
    Property(String),
    PatternProperty(String),
    AdditionalProperties,
    UnevaluatedProperties,
    PropertyNames,
    DependentSchema(String),
    Items,
    PrefixItem(usize),
    AdditionalItems,
    UnevaluatedItems,
    Contains,
    AllOf(usize),
    AnyOf(usize),
    OneOf(usize),
    Not,
    If,
    Then,
    Else,
    /// An entry of `$defs` or `definitions`.
    Definition(String),
    ContentSchema,
}

impl Via {
    /// Whether the subschema constrains the same value as its parent.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        matches!(
            self,
            Via::AllOf(_)
                | Via::AnyOf(_)
                | Via::OneOf(_)
                | Via::Not
                | Via::If
                | Via::Then
                | Via::Else
                | Via::DependentSchema(_)
        )
    }
}

/// One subschema.
#[derive(Debug, Clone)]
pub struct Node<'s> {
    /// Pointer in the schema: `""` for the root.
    pub pointer: String,
    pub schema: &'s Value,
    pub via: Via,
    /// The dialect that applies here: the document's, unless this or a subschema around it declares its own.
    pub dialect: Dialect,
    /// Index of the parent in the walk; `None` for the root.
    pub parent: Option<usize>,
    pub depth: usize,
}

/// The most subschemas that are visited; what lies beyond is left to the size rule.
pub const MAX_NODES: usize = 200_000;
/// serde_json's own depth limit is below this; it guards values built otherwise.
pub const MAX_DEPTH: usize = 512;

/// All subschemas in document order, root first.
#[must_use]
pub fn walk(schema: &Value, dialect: Dialect) -> Vec<Node<'_>> {
    let mut nodes = Vec::new();
    visit(
        &mut nodes,
        Node { pointer: String::new(), schema, via: Via::Root, dialect, parent: None, depth: 0 },
    );
    nodes
}

fn visit<'s>(nodes: &mut Vec<Node<'s>>, node: Node<'s>) {
    if nodes.len() >= MAX_NODES || node.depth >= MAX_DEPTH {
        return;
    }
    let me = nodes.len();
    let (schema, dialect, depth, at) = (node.schema, node.dialect, node.depth, node.pointer.clone());
    nodes.push(node);
    let Value::Object(members) = schema else { return };
    let hides = dialect.ref_hides_siblings() && members.get("$ref").is_some_and(Value::is_string);
    for (keyword, value) in members {
        let definitions = matches!(keyword.as_str(), "$defs" | "definitions");
        if hides && !definitions {
            continue;
        }
        let place = pointer::child(&at, keyword);
        each_subschema(keyword, value, dialect, &mut |token, via, sub| {
            let pointer = match token {
                Some(token) => pointer::child(&place, &token),
                None => place.clone(),
            };
            let dialect = embedded_dialect(sub).unwrap_or(dialect);
            visit(nodes, Node { pointer, schema: sub, via, dialect, parent: Some(me), depth: depth + 1 });
        });
    }
}

/// The dialect that a subschema declares for itself and what is below it. By the specification only one
/// with an `$id` may; the judge, as Python's validator, heeds it without one.
fn embedded_dialect(schema: &Value) -> Option<Dialect> {
    schema.get("$schema")?.as_str().map(Dialect::from_uri)
}

/// Calls `found` for every subschema directly below `keyword: value`, with the token that leads to
/// it below the keyword. Values that are no schema (neither object nor boolean) are passed over.
fn each_subschema<'s>(
    keyword: &str,
    value: &'s Value,
    dialect: Dialect,
    found: &mut dyn FnMut(Option<String>, Via, &'s Value),
) {
    if !dialect.judge_applies(keyword) && !matches!(keyword, "$defs" | "definitions") {
        return;
    }
    let by_name: Option<fn(String) -> Via> = match keyword {
        "properties" => Some(Via::Property),
        "patternProperties" => Some(Via::PatternProperty),
        "dependentSchemas" | "dependencies" => Some(Via::DependentSchema),
        "$defs" | "definitions" => Some(Via::Definition),
        _ => None,
    };
    if let Some(via) = by_name {
        for (name, sub) in value.as_object().into_iter().flatten() {
            if is_schema(sub) {
                found(Some(name.clone()), via(name.clone()), sub);
            }
        }
        return;
    }
    let by_index: Option<fn(usize) -> Via> = match keyword {
        "allOf" => Some(Via::AllOf),
        "anyOf" => Some(Via::AnyOf),
        "oneOf" => Some(Via::OneOf),
        "prefixItems" => Some(Via::PrefixItem),
        "items" if value.is_array() && dialect <= Dialect::Draft201909 => Some(Via::PrefixItem),
        _ => None,
    };
    if let Some(via) = by_index {
        for (i, sub) in value.as_array().into_iter().flatten().enumerate() {
            if is_schema(sub) {
                found(Some(i.to_string()), via(i), sub);
            }
        }
        return;
    }
    let single = match keyword {
        "additionalProperties" => Via::AdditionalProperties,
        "unevaluatedProperties" => Via::UnevaluatedProperties,
        "propertyNames" => Via::PropertyNames,
        "items" => Via::Items,
        "additionalItems" => Via::AdditionalItems,
        "unevaluatedItems" => Via::UnevaluatedItems,
        "contains" => Via::Contains,
        "not" => Via::Not,
        "if" => Via::If,
        "then" => Via::Then,
        "else" => Via::Else,
        "contentSchema" => Via::ContentSchema,
        _ => return,
    };
    if is_schema(value) {
        found(None, single, value);
    }
}

fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pointers(schema: &Value) -> Vec<String> {
        walk(schema, Dialect::of(schema)).into_iter().map(|n| n.pointer).collect()
    }

    #[test]
    fn data_is_not_schema() {
        let schema = json!({"properties": {"properties": {"type": "string"}, "x": {"default": {"properties": {}}}},
            "enum": [{"items": {}}]});
        assert_eq!(pointers(&schema), ["", "/properties/properties", "/properties/x"]);
    }

    #[test]
    fn keywords_that_the_judge_applies_are_walked() {
        let schema = json!({"dependencies": {"a": {"type": "string"}, "b": ["c"]}, "additionalItems": {}, "items": [{}]});
        assert_eq!(pointers(&schema), ["", "/dependencies/a"], "2020-12");
        let mut old = schema.clone();
        old["$schema"] = json!("https://json-schema.org/draft/2019-09/schema");
        assert_eq!(pointers(&old), ["", "/dependencies/a", "/additionalItems", "/items/0"]);
    }

    #[test]
    fn an_embedded_resource_has_its_own_dialect() {
        let old = "http://json-schema.org/draft-07/schema#";
        let schema = json!({"properties": {"a": {"$schema": old, "$id": "urn:a", "items": [{}]}, "b": {"$schema": old, "items": [{}]}}});
        let nodes = walk(&schema, Dialect::Draft202012);
        let seen: Vec<_> = nodes.iter().map(|n| (n.pointer.as_str(), n.dialect)).collect();
        assert_eq!(
            seen,
            [
                ("", Dialect::Draft202012),
                ("/properties/a", Dialect::Draft7),
                ("/properties/a/items/0", Dialect::Draft7),
                ("/properties/b", Dialect::Draft7),
                ("/properties/b/items/0", Dialect::Draft7)
            ]
        );
    }

    /// Keywords that came with a draft, with a schema under each that refuses the value.
    fn telltales() -> [(&'static str, Value, Value); 4] {
        [
            ("const", json!(1), json!(2)),
            ("then", json!(false), json!(2)),
            ("dependentRequired", json!({"a": ["b"]}), json!({"a": 1})),
            ("prefixItems", json!([false]), json!([1])),
        ]
    }

    #[test]
    fn the_judge_reads_embedded_resources_so_too() {
        use crate::schema::judge::{Formats, Judge};
        let drafts = [
            "http://json-schema.org/draft-04/schema#",
            "http://json-schema.org/draft-06/schema#",
            "http://json-schema.org/draft-07/schema#",
            "https://json-schema.org/draft/2019-09/schema",
            "https://json-schema.org/draft/2020-12/schema",
        ];
        let inners: Vec<&str> = drafts.into_iter().chain(["https://example.org/mine"]).collect();
        for (outer, inner, id) in drafts.iter().flat_map(|o| {
            inners.iter().flat_map(move |i| [None, Some("$id"), Some("id")].map(|id| (o, i, id)))
        }) {
            for (keyword, says, value) in telltales() {
                let mut a = json!({"$schema": inner, keyword: says});
                if keyword == "then" {
                    a["if"] = json!(true);
                }
                if let Some(id) = id {
                    a[id] = json!("urn:verity:a");
                }
                let schema = json!({"$schema": outer, "properties": {"a": a}});
                let dialect = Dialect::of(&schema);
                let node = walk(&schema, dialect).into_iter().find(|n| n.pointer == "/properties/a").unwrap();
                let judge = Judge::compile(&schema, dialect, Formats::Annotate).unwrap();
                let refused = !judge.accepts(&json!({"a": value}));
                assert_eq!(node.dialect.judge_applies(keyword), refused, "{schema}: {:?}", node.dialect);
            }
        }
    }

    #[test]
    fn draft7_ref_hides_its_siblings_but_not_definitions() {
        let schema = json!({"$schema": "http://json-schema.org/draft-07/schema#",
            "$ref": "#/definitions/a", "properties": {"x": {}}, "definitions": {"a": {"items": [{}, true]}}});
        assert_eq!(
            pointers(&schema),
            ["", "/definitions/a", "/definitions/a/items/0", "/definitions/a/items/1"]
        );
    }
}
