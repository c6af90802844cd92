//! The contract document: every declaration, read strictly. Nothing has a default: absent, `null`, `[]` and `{}`
//! are different answers.

mod parts;

pub use parts::{
    Behavior, Budgets, Link, Oracle, Polarity, ReferenceSet, SEVERITIES, ScopedResource, Severity,
    SiblingGroups, TestData, Waiver,
};
pub(super) use parts::{budgets, interaction_pointer};

use super::canonical;
use super::extension;
use super::failure::{Code, Failure};
use super::interface::{FixtureReset, Interface, Operation};
use super::node::{self, Fields, Node, Read};
use super::plan::Step;
use super::rubric::Rubric;
use parts::{behavior, oracle, reference_set, scoped_resource, sibling_groups, test_data, waiver};
use serde_json::Value;
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
