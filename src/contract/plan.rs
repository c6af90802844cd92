//! The interaction plan: steps that select observations, never instructions.

use super::document::interaction_pointer;
use super::node::{self, Node, Read};
use super::pointer::Pointer;
use serde_json::Value;
use std::collections::BTreeMap;

/// Which recorded call is meant.
#[derive(Debug, Clone)]
pub struct Step {
    pub at: String,
    pub id: String,
    /// Left out by contracts whose operation ids are unique in all of them.
    pub interface: Option<String>,
    pub operation: String,
    /// What is bound on each channel, by channel name; only channels that bind something.
    pub bindings: BTreeMap<&'static str, BTreeMap<String, Binding>>,
    /// The step whose observation comes before.
    pub after: Option<String>,
    pub cardinality: Cardinality,
}

/// How many observations a step may select.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cardinality {
    ExactlyOne,
    AtMostOne,
    Any,
}

const CARDINALITIES: [(&str, Cardinality); 3] = [
    ("exactly-one", Cardinality::ExactlyOne),
    ("at-most-one", Cardinality::AtMostOne),
    ("any", Cardinality::Any),
];

/// What a key of a call has to hold.
#[derive(Debug, Clone, PartialEq)]
pub enum Binding {
    /// This value.
    Literal(Value),
    /// Whatever was sent.
    Any,
    /// A value of another type than the one declared.
    TypeViolating,
    /// What an earlier step's result holds there.
    Captured(Pointer),
    /// An account that the test data names.
    Principal(String),
}

const CHANNELS_BY_KIND: [&[&str]; 3] =
    [&["path", "query", "header", "body"], &["argument", "option", "environment", "stdin"], &["arguments"]];

impl Step {
    pub(super) fn read(node: &Node<'_>) -> Read<Step> {
        // Documents of version 5 are in use with and without the interface.
        let needed = ["stepId", "operationId", "inputBinding", "after", "cardinality"];
        let f = node.some_of(&needed, &["interfaceId"])?;
        Ok(Step {
            at: node.at.clone(),
            id: f.at("stepId").identifier()?,
            interface: if f.has("interfaceId") { Some(f.at("interfaceId").identifier()?) } else { None },
            operation: f.at("operationId").identifier()?,
            bindings: bindings(&f.at("inputBinding"))?,
            after: f.at("after").or_null(Node::identifier)?,
            cardinality: f.at("cardinality").word(&CARDINALITIES)?,
        })
    }
}

fn bindings(node: &Node<'_>) -> Read<BTreeMap<&'static str, BTreeMap<String, Binding>>> {
    // A kind is known by the one key that it alone has.
    let of_kind = |key: &str| node.peek(key).is_some();
    let [api, cli, mcp] = CHANNELS_BY_KIND;
    let channels = if of_kind("stdin") {
        cli
    } else if of_kind("body") {
        api
    } else {
        mcp
    };
    let f = node.object(channels)?;
    let mut out = BTreeMap::new();
    for channel in channels {
        let bound = f.at(channel);
        // HTTP may be sent exact bytes, which no key stands for.
        if *channel == "body" && bound.peek("kind").is_some_and(|kind| kind == "raw") {
            continue;
        }
        if let Some(keys) = bound.or_null(|n| n.map(node::key_name, Binding::read))? {
            if keys.is_empty() {
                return Err(bound.fault("a channel that binds nothing is `null`, not `{}`"));
            }
            out.insert(*channel, keys);
        }
    }
    Ok(out)
}

impl Binding {
    /// What a contract's step may bind.
    fn read(node: &Node<'_>) -> Read<Binding> {
        if node.peek("captured").is_some() {
            let pointer = node.object(&["captured"])?.at("captured");
            return interaction_pointer(&pointer).map(Binding::Captured);
        }
        if node.peek("principal").is_some() {
            return node.object(&["principal"])?.at("principal").identifier().map(Binding::Principal);
        }
        Binding::read_of_corpus(node)
    }

    /// What a probe's selector may bind: nothing that belongs to one contract.
    pub(super) fn read_of_corpus(node: &Node<'_>) -> Read<Binding> {
        if node.peek("literal").is_some() {
            return node.object(&["literal"])?.at("literal").json().map(Binding::Literal);
        }
        if node.peek("matcher").is_some() {
            let matcher = node.object(&["matcher"])?.at("matcher");
            let is_any = matcher.word(&[("any", true), ("type-violating", false)])?;
            return Ok(if is_any { Binding::Any } else { Binding::TypeViolating });
        }
        Err(node.fault(
            "a tagged binding is expected here: `{\"literal\": VALUE}`, `{\"matcher\": \"any\"}`, or in a contract \
             `{\"captured\": POINTER}` or `{\"principal\": NAME}`",
        ))
    }
}
