//! The parts of a contract that are no more than what they declare: behaviours, oracles, waivers, test data.

use super::super::expression::{Expression, Op};
use super::super::lexical;
use super::super::node::{self, Node, Read};
use super::super::pointer::Pointer;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What the system under test is held to.
#[derive(Debug, Clone)]
pub struct Behavior {
    pub at: String,
    pub id: String,
    pub severity: Severity,
    pub observable_success_criterion: Option<String>,
    pub requirement_links: Vec<Link>,
    pub risk_links: Vec<Link>,
    /// Ids of oracles; one that is not declared is a warning, no failure.
    pub oracles: Vec<String>,
}

/// How grave it is that a behaviour is missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Low,
    Material,
    Critical,
}

/// The words of [`Severity`].
pub const SEVERITIES: [(&str, Severity); 3] =
    [("low", Severity::Low), ("material", Severity::Material), ("critical", Severity::Critical)];

/// An identifier of a scheme outside the contract.
#[derive(Debug, Clone)]
pub struct Link {
    pub scheme: String,
    pub id: String,
}

/// A direction for the evaluator, and the check that enforces it.
#[derive(Debug, Clone)]
pub struct Oracle {
    pub at: String,
    pub id: String,
    pub direction: Option<Direction>,
    pub check: Option<Expression>,
    pub polarity: Polarity,
}

/// What the evaluator is told to look at.
#[derive(Debug, Clone)]
pub struct Direction {
    pub evidence_targets: Vec<Pointer>,
    pub relation: Op,
    pub polarity: Polarity,
}

/// Whether a check is to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Polarity {
    ExpectsHold,
    ExpectsViolation,
}

const POLARITIES: [(&str, Polarity); 2] =
    [("expects-hold", Polarity::ExpectsHold), ("expects-violation", Polarity::ExpectsViolation)];

/// A rule that is set aside, and who answers for it.
#[derive(Debug, Clone)]
pub struct Waiver {
    pub at: String,
    pub id: String,
    pub rule: Option<String>,
    pub rationale: Option<String>,
    pub condition: Option<String>,
    pub approval: Option<String>,
    pub expires_at: Option<String>,
}

/// Members that a collection is compared with, by the values of `keys`.
#[derive(Debug, Clone)]
pub struct ReferenceSet {
    pub at: String,
    pub keys: Vec<String>,
    pub members: Vec<Map<String, Value>>,
}

/// Operations and parameters that ought to behave alike.
#[derive(Debug, Clone)]
pub struct SiblingGroups {
    pub operations: Vec<Vec<String>>,
    pub parameters: Vec<Vec<String>>,
}

/// A resource that the evaluator is pointed at: any is refused.
#[derive(Debug, Clone)]
pub struct ScopedResource {
    pub reference: String,
    pub kind: String,
}

/// What has to be there before a run. Names only, never credentials.
#[derive(Debug, Clone)]
pub struct TestData {
    pub principals: Option<BTreeMap<String, String>>,
    pub resources: Option<BTreeMap<String, String>>,
}

/// What a run may cost.
#[derive(Debug, Clone)]
pub struct Budgets {
    pub max_tool_calls: u64,
    pub max_wall_clock_minutes: u64,
    /// A decimal, as money is never a double.
    pub max_cost_usd: String,
}

pub(super) fn behavior(node: &Node<'_>) -> Read<Behavior> {
    let f = node.object(&[
        "id",
        "description",
        "severity",
        "observableSuccessCriterion",
        "requirementLinks",
        "riskLinks",
        "oracles",
    ])?;
    f.at("description").string()?;
    Ok(Behavior {
        at: node.at.clone(),
        id: f.at("id").numbered("B")?,
        severity: f.at("severity").word(&SEVERITIES)?,
        observable_success_criterion: f.at("observableSuccessCriterion").or_null(Node::string)?,
        requirement_links: f.at("requirementLinks").list(link)?,
        risk_links: f.at("riskLinks").list(link)?,
        oracles: f.at("oracles").list(|n| n.numbered("O"))?,
    })
}

fn link(node: &Node<'_>) -> Read<Link> {
    let f = node.object(&["scheme", "id"])?;
    Ok(Link { scheme: f.at("scheme").non_empty()?, id: f.at("id").non_empty()? })
}

pub(super) fn oracle(node: &Node<'_>) -> Read<Oracle> {
    let f = node.object(&["id", "direction", "check", "polarity", "commentary"])?;
    f.at("commentary").or_null(Node::string)?;
    Ok(Oracle {
        at: node.at.clone(),
        id: f.at("id").numbered("O")?,
        direction: f.at("direction").or_null(direction)?,
        check: f.at("check").or_null(Expression::read)?,
        polarity: f.at("polarity").word(&POLARITIES)?,
    })
}

fn direction(node: &Node<'_>) -> Read<Direction> {
    let f = node.object(&["evidenceTargets", "relation", "polarity", "scope", "negativeDomain"])?;
    f.at("scope").or_null(Node::string)?;
    f.at("negativeDomain").or_null(Node::string)?;
    Ok(Direction {
        evidence_targets: f.at("evidenceTargets").list(interaction_pointer)?,
        relation: f.at("relation").word(&Op::ALL.map(|op| (op.name(), op)))?,
        polarity: f.at("polarity").word(&POLARITIES)?,
    })
}

/// A pointer rooted at an interaction; `@/…` is not allowed here.
pub(in super::super) fn interaction_pointer(node: &Node<'_>) -> Read<Pointer> {
    let pointer = node.value.as_str().and_then(Pointer::parse).filter(|p| !p.is_bound());
    pointer.ok_or_else(|| {
        node.fault(
            "a pointer `/interactions/STEP/…` is expected here: below the step, `response-body` and a path, \
             `response-status`, or `call-inputs/arguments` and a path",
        )
    })
}

pub(super) fn waiver(node: &Node<'_>) -> Read<Waiver> {
    let f = node.object(&["id", "rule", "rationale", "condition", "approval", "expiresAt"])?;
    let text = |key: &str| f.at(key).or_null(Node::string);
    Ok(Waiver {
        at: node.at.clone(),
        id: f.at("id").numbered("W")?,
        rule: text("rule")?,
        rationale: text("rationale")?,
        condition: text("condition")?,
        approval: text("approval")?,
        expires_at: f
            .at("expiresAt")
            .or_null(|n| n.form("an instant in UTC (`2027-01-31T00:00:00Z`)", lexical::is_utc_instant))?,
    })
}

pub(super) fn reference_set(node: &Node<'_>) -> Read<ReferenceSet> {
    let f = node.object(&["keys", "members", "commentary"])?;
    f.at("commentary").or_null(Node::string)?;
    Ok(ReferenceSet {
        at: node.at.clone(),
        keys: f.at("keys").list_of(1, Node::non_empty)?,
        members: f.at("members").list(Node::json_object)?,
    })
}

pub(super) fn sibling_groups(node: &Node<'_>) -> Read<SiblingGroups> {
    let f = node.object(&["operations", "parameters"])?;
    // A group of one has nobody to be compared with.
    Ok(SiblingGroups {
        operations: f.at("operations").list(|n| n.list_of(2, Node::identifier))?,
        parameters: f.at("parameters").list(|n| n.list_of(2, Node::non_empty))?,
    })
}

pub(super) fn scoped_resource(node: &Node<'_>) -> Read<ScopedResource> {
    let f = node.object(&["reference", "kind"])?;
    Ok(ScopedResource { reference: f.at("reference").non_empty()?, kind: f.at("kind").non_empty()? })
}

pub(super) fn test_data(node: &Node<'_>) -> Read<TestData> {
    let f = node.object(&["setup", "cleanup", "principals", "resources"])?;
    f.at("setup").or_null(Node::string)?;
    f.at("cleanup").or_null(Node::string)?;
    let declared = |key: &str| {
        f.at(key).or_null(|n| n.map(node::identifier_key, |n| n.object(&["kind"])?.at("kind").non_empty()))
    };
    Ok(TestData { principals: declared("principals")?, resources: declared("resources")? })
}

pub(in super::super) fn budgets(node: &Node<'_>) -> Read<Budgets> {
    let f = node.object(&["maxToolCalls", "maxWallClockMinutes", "maxCostUsd"])?;
    Ok(Budgets {
        max_tool_calls: f.at("maxToolCalls").count(0)?,
        max_wall_clock_minutes: f.at("maxWallClockMinutes").count(0)?,
        max_cost_usd: f
            .at("maxCostUsd")
            .form("a decimal as a string (`\"0.25\"`)", lexical::is_unsigned_decimal)?,
    })
}
