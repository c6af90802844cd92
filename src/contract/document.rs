//! The contract document: every declaration, read strictly. Nothing has a default: absent, `null`, `[]` and `{}`
//! are different answers.

use super::canonical;
use super::expression::{Expression, Op};
use super::extension;
use super::failure::{Code, Failure};
use super::interface::{FixtureReset, Interface, Operation};
use super::lexical;
use super::node::{self, Fields, Node, Read};
use super::plan::Step;
use super::pointer::Pointer;
use super::rubric::Rubric;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The version that is read.
pub const SCHEMA_VERSION: i64 = 5;

/// What an evaluator is never given: a contract has to name all seven.
pub const FORBIDDEN_INPUTS: [&str; 7] = [
    "original-spec",
    "source-code",
    "repository",
    "builder-transcript",
    "implementation-logs",
    "comparator-results",
    "human-labels",
];

/// A contract, as declared. Where it stands in the document, a part knows as `at`, a JSON Pointer.
#[derive(Debug, Clone)]
pub struct Contract {
    pub id: String,
    pub behaviors: Vec<Behavior>,
    pub oracles: Vec<Oracle>,
    pub rubrics: Vec<Rubric>,
    pub waivers: Vec<Waiver>,
    pub reference_sets: Option<BTreeMap<String, ReferenceSet>>,
    pub sibling_groups: Option<SiblingGroups>,
    pub steps: Vec<Step>,
    pub scoped_resources: Option<Vec<ScopedResource>>,
    pub forbidden_inputs: Vec<&'static str>,
    pub test_data: TestData,
    pub budgets: Budgets,
    pub safety_limits: Vec<String>,
    pub required_evidence: Vec<String>,
    pub probe_step_bound: Option<u64>,
    pub fixture_reset: Option<FixtureReset>,
    pub interfaces: Vec<Interface>,
    /// Whether texts of answers may be looked at: see [`extension`].
    pub reads_text: bool,
    /// The document that was read.
    pub value: Value,
}

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

const KEYS: [&str; 20] = [
    "schemaVersion",
    "contractId",
    "parentDigest",
    "revisionCount",
    "sourceSpecDigest",
    "behaviors",
    "oracles",
    "rubrics",
    "waivers",
    "referenceSets",
    "siblingGroups",
    "interactionPlan",
    "scopedResources",
    "forbiddenInputs",
    "testData",
    "budgets",
    "safetyLimits",
    "requiredEvidence",
    "probeStepBound",
    "fixtureReset",
];

impl Contract {
    /// Read a contract. It is well-formed then, and [`super::compile::check`] says whether it is sound.
    ///
    /// # Errors
    /// [`Code::Parse`] for the first thing that is unknown, absent or of another type;
    /// [`Code::SchemaVersionMismatch`] for a document of another version.
    pub fn read(value: &Value) -> Read<Contract> {
        let root = Node::root(value);
        let stamp = root.peek("schemaVersion").and_then(Value::as_i64).filter(|n| *n >= 1);
        if let Some(other) = stamp.filter(|n| *n != SCHEMA_VERSION) {
            let detail =
                format!("the document says version {other}; contracts of version {SCHEMA_VERSION} are read");
            return Err(Failure::new(Code::SchemaVersionMismatch, "/schemaVersion", detail));
        }
        let reads_text = root.peek("schemaVersion").is_some_and(|stamp| stamp == extension::STAMP);
        let keys: Vec<&str> = KEYS.into_iter().chain(["permittedInterfaces"]).collect();
        let f = root.object(&keys)?;
        if reads_text {
            origin(&f)?
        } else {
            lineage(&f)?
        }
        f.at("sourceSpecDigest").or_null(Node::digest)?;
        let contract = Contract {
            id: f.at("contractId").identifier()?,
            behaviors: f.at("behaviors").list_of(1, behavior)?,
            oracles: f.at("oracles").list(oracle)?,
            rubrics: f.at("rubrics").list(Rubric::read)?,
            waivers: f.at("waivers").list(waiver)?,
            reference_sets: f.at("referenceSets").or_null(|n| n.map(node::identifier_key, reference_set))?,
            sibling_groups: f.at("siblingGroups").or_null(sibling_groups)?,
            steps: f.at("interactionPlan").list(Step::read)?,
            scoped_resources: f.at("scopedResources").or_null(|n| n.list(scoped_resource))?,
            forbidden_inputs: f
                .at("forbiddenInputs")
                .list(|n| n.word(&FORBIDDEN_INPUTS.map(|name| (name, name))))?,
            test_data: test_data(&f.at("testData"))?,
            budgets: budgets(&f.at("budgets"))?,
            safety_limits: f.at("safetyLimits").list(Node::string)?,
            required_evidence: f.at("requiredEvidence").list(Node::string)?,
            probe_step_bound: f.at("probeStepBound").or_null(|n| n.count(0))?,
            fixture_reset: f.at("fixtureReset").or_null(FixtureReset::read)?,
            interfaces: f.at("permittedInterfaces").list(Interface::read)?,
            reads_text,
            value: value.clone(),
        };
        if !reads_text {
            extension::refuse(&contract)?;
        }
        Ok(contract)
    }

    /// The one text of this contract (RFC 8785).
    #[must_use]
    pub fn canonical(&self) -> String {
        canonical::text(&self.value)
    }

    /// The operations that a step may mean: one, unless it names none that is declared, or several.
    pub fn operations_of<'c>(
        &'c self,
        step: &'c Step,
    ) -> impl Iterator<Item = (&'c Interface, &'c Operation)> {
        let interfaces =
            self.interfaces.iter().filter(|i| step.interface.as_ref().is_none_or(|named| *named == i.id));
        interfaces
            .flat_map(|i| i.operations.iter().map(move |o| (i, o)))
            .filter(|(_, o)| o.id == step.operation)
    }

    /// The operation that a step calls, where it is one.
    #[must_use]
    pub fn operation_of<'c>(&'c self, step: &'c Step) -> Option<(&'c Interface, &'c Operation)> {
        let mut found = self.operations_of(step);
        let first = found.next();
        if found.next().is_some() { None } else { first }
    }

    /// The reference set of this name.
    #[must_use]
    pub fn reference_set(&self, name: &str) -> Option<&ReferenceSet> {
        self.reference_sets.as_ref()?.get(name)
    }
}

/// The three keys that say where a document comes from; an origin has no parent.
pub(super) fn lineage(f: &Fields<'_>) -> Read<()> {
    f.at("schemaVersion").count(1)?;
    origin(f)
}

fn origin(f: &Fields<'_>) -> Read<()> {
    f.at("parentDigest").or_null(Node::digest)?;
    f.at("revisionCount").count(0).map(|_| ())
}

fn behavior(node: &Node<'_>) -> Read<Behavior> {
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

fn oracle(node: &Node<'_>) -> Read<Oracle> {
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
pub(super) fn interaction_pointer(node: &Node<'_>) -> Read<Pointer> {
    let pointer = node.value.as_str().and_then(Pointer::parse).filter(|p| !p.is_bound());
    pointer.ok_or_else(|| {
        node.fault(
            "a pointer `/interactions/STEP/…` is expected here: below the step, `response-body` and a path, \
             `response-status`, or `call-inputs/arguments` and a path",
        )
    })
}

fn waiver(node: &Node<'_>) -> Read<Waiver> {
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

fn reference_set(node: &Node<'_>) -> Read<ReferenceSet> {
    let f = node.object(&["keys", "members", "commentary"])?;
    f.at("commentary").or_null(Node::string)?;
    Ok(ReferenceSet {
        at: node.at.clone(),
        keys: f.at("keys").list_of(1, Node::non_empty)?,
        members: f.at("members").list(Node::json_object)?,
    })
}

fn sibling_groups(node: &Node<'_>) -> Read<SiblingGroups> {
    let f = node.object(&["operations", "parameters"])?;
    // A group of one has nobody to be compared with.
    Ok(SiblingGroups {
        operations: f.at("operations").list(|n| n.list_of(2, Node::identifier))?,
        parameters: f.at("parameters").list(|n| n.list_of(2, Node::non_empty))?,
    })
}

fn scoped_resource(node: &Node<'_>) -> Read<ScopedResource> {
    let f = node.object(&["reference", "kind"])?;
    Ok(ScopedResource { reference: f.at("reference").non_empty()?, kind: f.at("kind").non_empty()? })
}

fn test_data(node: &Node<'_>) -> Read<TestData> {
    let f = node.object(&["setup", "cleanup", "principals", "resources"])?;
    f.at("setup").or_null(Node::string)?;
    f.at("cleanup").or_null(Node::string)?;
    let declared = |key: &str| {
        f.at(key).or_null(|n| n.map(node::identifier_key, |n| n.object(&["kind"])?.at("kind").non_empty()))
    };
    Ok(TestData { principals: declared("principals")?, resources: declared("resources")? })
}

pub(super) fn budgets(node: &Node<'_>) -> Read<Budgets> {
    let f = node.object(&["maxToolCalls", "maxWallClockMinutes", "maxCostUsd"])?;
    Ok(Budgets {
        max_tool_calls: f.at("maxToolCalls").count(0)?,
        max_wall_clock_minutes: f.at("maxWallClockMinutes").count(0)?,
        max_cost_usd: f
            .at("maxCostUsd")
            .form("a decimal as a string (`\"0.25\"`)", lexical::is_unsigned_decimal)?,
    })
}
