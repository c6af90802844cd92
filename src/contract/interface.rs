//! Interfaces and their operations: what a call takes, what it returns, and the witness that its arguments matter.

mod shape;
mod witness;

pub use shape::{Collection, Descriptor, KeyedShape, Role, TYPES, TypeName};
pub use witness::{FixtureReset, Inputs, Witness, WitnessLeg};

use super::lexical;
use super::node::{Node, Read};
use shape::descriptor_pointer;

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
