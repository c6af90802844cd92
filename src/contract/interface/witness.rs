//! The pair of calls that tells whether arguments matter, and what calls send.

use super::Kind;
use crate::contract::expression::Expression;
use crate::contract::node::{self, Node, Read};
use serde_json::{Map, Value};

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
    pub(super) fn read(node: &Node<'_>) -> Read<Witness> {
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
    pub(in crate::contract) fn read(node: &Node<'_>) -> Read<Inputs> {
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
    pub(in crate::contract) fn read(node: &Node<'_>) -> Read<FixtureReset> {
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
