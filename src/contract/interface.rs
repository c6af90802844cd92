//! Interfaces and their operations: what a call takes, what it returns, and the witness that its arguments matter.

use super::expression::Expression;
use super::lexical;
use super::node::{self, Fields, Node, Read};
use super::pointer;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// How an interface is reached. Only [`Kind::Mcp`] is judged; the others are refused by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Api,
    Web,
    Cli,
    Mcp,
}

const KINDS: [(&str, Kind); 4] =
    [("api", Kind::Api), ("web", Kind::Web), ("cli", Kind::Cli), ("mcp", Kind::Mcp)];

impl Kind {
    #[must_use]
    pub fn name(self) -> &'static str {
        KINDS.into_iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

/// A server by a name of the contract's own; a policy says what that is.
#[derive(Debug, Clone)]
pub struct Interface {
    pub at: String,
    pub id: String,
    pub kind: Kind,
    /// Of an `mcp` interface; the operations of other kinds are of other shapes, and are not read.
    pub operations: Vec<Operation>,
}

/// One tool, as the contract has it.
#[derive(Debug, Clone)]
pub struct Operation {
    pub at: String,
    pub id: String,
    /// In the server's own spelling.
    pub tool: String,
    /// Whether a call is meant to change anything.
    pub changes_state: bool,
    pub arguments: KeyedShape,
    pub descriptor: Descriptor,
    /// What of a result differs from call to call and is left out of comparisons (unescaped tokens).
    pub volatile: Vec<Vec<String>>,
    pub witness: Option<Witness>,
}

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
    pub(super) fn read(node: &Node<'_>) -> Read<KeyedShape> {
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
    fn read(node: &Node<'_>) -> Read<Descriptor> {
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

fn descriptor_pointer(node: &Node<'_>) -> Read<Vec<String>> {
    let tokens = node.value.as_str().and_then(pointer::tokens);
    tokens.ok_or_else(|| {
        node.fault("a JSON Pointer into the result is expected here (`/matches`, or `` for all of it)")
    })
}

/// Two calls, and the relation that their results have if the arguments matter.
#[derive(Debug, Clone)]
pub struct Witness {
    pub at: String,
    pub id: String,
    pub channel: String,
    pub legs: [WitnessLeg; 2],
    pub relation: Expression,
}

#[derive(Debug, Clone)]
pub struct WitnessLeg {
    pub at: String,
    pub id: String,
    pub inputs: Inputs,
}

/// What one call sends.
#[derive(Debug, Clone, PartialEq)]
pub enum Inputs {
    /// A tool call's arguments.
    Arguments(Map<String, Value>),
    /// Shaped for an interface that speaks HTTP, or for a command: read so that compiling can say so.
    OfKind(Kind),
}

/// Channels that a witness may vary, of every interface kind.
const WITNESS_CHANNELS: [&str; 8] =
    ["path", "query", "body", "argument", "option", "environment", "stdin", "arguments"];

impl Witness {
    fn read(node: &Node<'_>) -> Read<Witness> {
        let f = node.object(&["witnessId", "channel", "legs", "relation"])?;
        let legs = f.at("legs");
        let legs: [WitnessLeg; 2] = legs
            .list(WitnessLeg::read)?
            .try_into()
            .map_err(|found: Vec<_>| legs.fault(format!("a witness has two legs, not {}", found.len())))?;
        Ok(Witness {
            at: node.at.clone(),
            id: f.at("witnessId").identifier()?,
            channel: f.at("channel").word(&WITNESS_CHANNELS.map(|c| (c, c)))?.to_string(),
            legs,
            relation: Expression::read(&f.at("relation"))?,
        })
    }
}

impl WitnessLeg {
    fn read(node: &Node<'_>) -> Read<WitnessLeg> {
        let f = node.object(&["legId", "inputs"])?;
        Ok(WitnessLeg {
            at: node.at.clone(),
            id: f.at("legId").identifier()?,
            inputs: Inputs::read(&f.at("inputs"))?,
        })
    }
}

impl Inputs {
    /// The kinds are told apart by the one key that each alone has.
    pub(super) fn read(node: &Node<'_>) -> Read<Inputs> {
        let texts = |n: &Node<'_>| n.map(node::key_name, Node::string);
        if node.peek("stdin").is_some() {
            let f = node.object(&["argument", "option", "environment", "stdin"])?;
            f.at("argument").json_object()?;
            f.at("option").json_object()?;
            texts(&f.at("environment"))?;
            sent(&f.at("stdin"), &["json", "text", "absent"])?;
            return Ok(Inputs::OfKind(Kind::Cli));
        }
        if node.peek("body").is_some() {
            let f = node.object(&["path", "query", "header", "body"])?;
            f.at("path").json_object()?;
            f.at("query").json_object()?;
            texts(&f.at("header"))?;
            sent(&f.at("body"), &["json", "raw", "absent"])?;
            return Ok(Inputs::OfKind(Kind::Api));
        }
        node.object(&["arguments"])?.at("arguments").json_object().map(Inputs::Arguments)
    }

    /// The arguments of a tool call.
    #[must_use]
    pub fn arguments(&self) -> Option<&Map<String, Value>> {
        match self {
            Inputs::Arguments(arguments) => Some(arguments),
            Inputs::OfKind(_) => None,
        }
    }
}

/// A tagged body of another interface kind.
fn sent(node: &Node<'_>, kinds: &[&str]) -> Read<()> {
    let kind = node.peek("kind").and_then(Value::as_str).filter(|kind| kinds.contains(kind));
    match kind {
        Some("absent") => node.object(&["kind"]).map(|_| ()),
        Some("json") => node.object(&["kind", "value"])?.at("value").json().map(|_| ()),
        Some("text") => node.object(&["kind", "value"])?.at("value").string().map(|_| ()),
        Some("raw") => {
            let f = node.object(&["kind", "base64", "contentType"])?;
            f.at("base64").string()?;
            f.at("contentType").non_empty().map(|_| ())
        }
        _ => {
            Err(node
                .fault(format!("an object whose `kind` is one of {} is expected here", node::listed(kinds))))
        }
    }
}

/// The call that puts the fixture back as it was.
#[derive(Debug, Clone)]
pub struct FixtureReset {
    pub at: String,
    pub leg: String,
    pub interface: String,
    pub operation: String,
    pub inputs: Inputs,
}

impl FixtureReset {
    pub(super) fn read(node: &Node<'_>) -> Read<FixtureReset> {
        let f = node.object(&["legId", "interfaceId", "operationId", "inputs"])?;
        Ok(FixtureReset {
            at: node.at.clone(),
            leg: f.at("legId").identifier()?,
            interface: f.at("interfaceId").identifier()?,
            operation: f.at("operationId").identifier()?,
            inputs: Inputs::read(&f.at("inputs"))?,
        })
    }
}

impl Interface {
    pub(super) fn read(node: &Node<'_>) -> Read<Interface> {
        let f = node.object(&["logicalId", "kind", "operations"])?;
        let kind = f.at("kind").word(&KINDS)?;
        let operations = f.at("operations");
        Ok(Interface {
            at: node.at.clone(),
            id: f.at("logicalId").identifier()?,
            kind,
            operations: match kind {
                Kind::Mcp => operations.list(Operation::read)?,
                _ => operations.list(|n| n.json_object().map(|_| ())).map(|_| Vec::new())?,
            },
        })
    }
}

impl Operation {
    fn read(node: &Node<'_>) -> Read<Operation> {
        let f = node.object(&[
            "operationId",
            "toolName",
            "stateChangeMarker",
            "requestShape",
            "descriptorChannel",
            "responseDescriptor",
            "volatilePointers",
            "sensitivityWitness",
        ])?;
        f.at("descriptorChannel").object(&["kind"])?.at("kind").word(&[("structured-result", ())])?;
        Ok(Operation {
            at: node.at.clone(),
            id: f.at("operationId").identifier()?,
            tool: f.at("toolName").form(
                "a tool's name (letters, digits, `_` and `-`; never an address)",
                lexical::is_tool_name,
            )?,
            changes_state: f.at("stateChangeMarker").boolean()?,
            arguments: KeyedShape::read(&f.at("requestShape").object(&["arguments"])?.at("arguments"))?,
            descriptor: Descriptor::read(&f.at("responseDescriptor"))?,
            volatile: f.at("volatilePointers").list(descriptor_pointer)?,
            witness: f.at("sensitivityWitness").or_null(Witness::read)?,
        })
    }
}
