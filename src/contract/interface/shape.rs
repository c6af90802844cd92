//! What an object holds: keys with their types, and what is declared of a result.

use crate::contract::node::{self, Fields, Node, Read};
use crate::contract::pointer;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A type name of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeName {
    String,
    Number,
    Boolean,
    Object,
    Array,
    Null,
}

/// The words of [`TypeName`].
pub const TYPES: [(&str, TypeName); 6] = [
    ("string", TypeName::String),
    ("number", TypeName::Number),
    ("boolean", TypeName::Boolean),
    ("object", TypeName::Object),
    ("array", TypeName::Array),
    ("null", TypeName::Null),
];

impl TypeName {
    /// Whether nothing can stand below such a value.
    #[must_use]
    pub fn is_scalar(self) -> bool {
        !matches!(self, TypeName::Object | TypeName::Array)
    }

    #[must_use]
    pub fn name(self) -> &'static str {
        TYPES.into_iter().find(|(_, t)| *t == self).map_or("", |(name, _)| name)
    }

    #[must_use]
    pub fn of(value: &Value) -> TypeName {
        match value {
            Value::String(_) => TypeName::String,
            Value::Number(_) => TypeName::Number,
            Value::Bool(_) => TypeName::Boolean,
            Value::Object(_) => TypeName::Object,
            Value::Array(_) => TypeName::Array,
            Value::Null => TypeName::Null,
        }
    }
}

/// Keys of an object and their types. `permitted` is closed, and need not contain `required`.
#[derive(Debug, Clone, Default)]
pub struct KeyedShape {
    pub required: Vec<String>,
    pub permitted: Vec<String>,
    /// A key that is missing is not declared; `None` is declared without a type.
    pub types: BTreeMap<String, Option<TypeName>>,
    /// `permitted`, to look up.
    allowed: BTreeSet<String>,
    /// Both lists, to look up.
    declared: BTreeSet<String>,
}

impl KeyedShape {
    pub(in crate::contract) fn read(node: &Node<'_>) -> Read<KeyedShape> {
        KeyedShape::of(&node.object(&["requiredKeys", "permittedKeys", "types"])?)
    }

    fn of(f: &Fields<'_>) -> Read<KeyedShape> {
        let required = f.at("requiredKeys").list(Node::non_empty)?;
        let permitted = f.at("permittedKeys").list(Node::non_empty)?;
        let types = f.at("types").map(node::key_name, type_name)?;
        let allowed: BTreeSet<String> = permitted.iter().cloned().collect();
        let declared = allowed.iter().chain(&required).cloned().collect();
        Ok(KeyedShape { required, permitted, types, allowed, declared })
    }

    /// Whether the key stands in either list.
    #[must_use]
    pub fn declares(&self, key: &str) -> bool {
        self.declared.contains(key)
    }

    /// Whether an object of this shape may have the key.
    #[must_use]
    pub fn permits(&self, key: &str) -> bool {
        self.allowed.contains(key)
    }

    /// The type of a key, where one is stated.
    #[must_use]
    pub fn type_of(&self, key: &str) -> Option<TypeName> {
        self.types.get(key).copied().flatten()
    }

    /// Whether no key is named at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.declared.is_empty() && self.types.is_empty()
    }
}

fn type_name(node: &Node<'_>) -> Read<Option<TypeName>> {
    node.or_null(|n| n.word(&TYPES))
}

/// What `structuredContent` holds.
#[derive(Debug, Clone)]
pub struct Descriptor {
    pub shape: KeyedShape,
    pub success_indicator: Option<String>,
    pub channel_roles: Option<BTreeMap<String, Role>>,
    pub collections: Option<Vec<Collection>>,
}

/// What a part of a result is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    SuccessIndicator,
    Diagnostic,
    Payload,
    Collection,
}

const ROLES: [(&str, Role); 4] = [
    ("success-indicator", Role::SuccessIndicator),
    ("diagnostic", Role::Diagnostic),
    ("payload", Role::Payload),
    ("collection", Role::Collection),
];

/// A place of a result that holds a list.
#[derive(Debug, Clone)]
pub struct Collection {
    /// Unescaped tokens; none for the whole result.
    pub tail: Vec<String>,
    pub reference_set: Option<String>,
    /// The most items it may have.
    pub most: u64,
    /// It always has that many.
    pub is_exact: bool,
}

impl Descriptor {
    pub(super) fn read(node: &Node<'_>) -> Read<Descriptor> {
        let f = node.object(&[
            "requiredKeys",
            "permittedKeys",
            "types",
            "successIndicator",
            "channelRoles",
            "collectionLocations",
        ])?;
        Ok(Descriptor {
            shape: KeyedShape::of(&f)?,
            success_indicator: f
                .at("successIndicator")
                .or_null(|n| descriptor_pointer(n).map(|_| ()).and_then(|()| n.string()))?,
            channel_roles: f.at("channelRoles").or_null(|n| {
                n.map(
                    |n, key| match pointer::tokens(key) {
                        Some(_) => Ok(()),
                        None => Err(n.fault(format!("`{key}` is no JSON Pointer into the result (`/ok`)"))),
                    },
                    |n| n.word(&ROLES),
                )
            })?,
            collections: f.at("collectionLocations").or_null(|n| n.list(collection))?,
        })
    }

    /// Whether a list is declared at this place.
    #[must_use]
    pub fn is_collection(&self, tail: &[String]) -> bool {
        self.collections.iter().flatten().any(|c| c.tail == tail)
    }
}

fn collection(node: &Node<'_>) -> Read<Collection> {
    let f = node.object(&["pointer", "referenceSet", "expectedCardinality"])?;
    let cardinality = f.at("expectedCardinality");
    let bound = match cardinality.peek("mode").and_then(Value::as_str) {
        Some("exact") => "count",
        Some("at-most" | "page-bounded") => "max",
        _ => {
            let fault = "one of `{\"mode\": \"exact\", \"count\": N}`, `{\"mode\": \"at-most\", \"max\": N}` and \
                         `{\"mode\": \"page-bounded\", \"max\": N}` is expected here";
            return Err(cardinality.fault(fault));
        }
    };
    Ok(Collection {
        tail: descriptor_pointer(&f.at("pointer"))?,
        reference_set: f.at("referenceSet").or_null(Node::identifier)?,
        most: cardinality.object(&["mode", bound])?.at(bound).count(0)?,
        is_exact: bound == "count",
    })
}

pub(super) fn descriptor_pointer(node: &Node<'_>) -> Read<Vec<String>> {
    let tokens = node.value.as_str().and_then(pointer::tokens);
    tokens.ok_or_else(|| {
        node.fault("a JSON Pointer into the result is expected here (`/matches`, or `` for all of it)")
    })
}
