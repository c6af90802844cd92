//! A sealed run record: what one evaluator did, saw and found.

use super::document::{SEVERITIES, Severity, lineage};
use super::failure::{Code, Failure};
use super::node::{Node, Read};
use super::observation::{Call, ToolResult};
use super::plan::Step;
use super::pointer::INPUT_CHANNELS;
use super::probe::{EVIDENCE_CHANNELS, artifact_reference};
use super::{interface::Interface, lexical};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The versions that are read: 6 gave quotations an artifact, 7 observations their interface.
pub const SCHEMA_VERSIONS: [i64; 3] = [5, 6, 7];

#[derive(Debug, Clone)]
pub struct RunRecord {
    pub run_id: String,
    pub mode: Mode,
    /// Of the trials of one probe, from 1.
    pub trial_index: u64,
    /// What the evaluator advises: `PASS`, `CONCERNS` or `FAIL`.
    pub recommendation: &'static str,
    pub contract_digest: String,
    pub evaluator_configuration_digest: String,
    pub dispositions: Vec<Disposition>,
    pub findings: Vec<Finding>,
    /// By `sequence`.
    pub calls: Vec<Recorded>,
    /// Places in `calls`, by id.
    places: BTreeMap<String, usize>,
    pub judged_without_score: Vec<String>,
    pub is_incomplete: bool,
    pub invalid_reason: Option<String>,
}

/// What is under test: the system, or the contract (on a system that is knowingly defective).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Production,
    ContractScoring,
}

impl Mode {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Mode::Production => "production",
            Mode::ContractScoring => "contract-scoring",
        }
    }
}

/// What the evaluator says of an oracle.
#[derive(Debug, Clone)]
pub struct Disposition {
    pub oracle: String,
    /// `held`, `violated` or `not-attempted`.
    pub value: &'static str,
    pub observations: Vec<String>,
}

/// What the evaluator claims.
#[derive(Debug, Clone)]
pub struct Finding {
    pub id: String,
    pub is_defect: bool,
    pub oracle: Option<String>,
    pub probe: String,
    pub severity: Severity,
    /// From 0 to 1.
    pub confidence: f64,
    pub observations: Vec<String>,
    /// Texts, each with the channel that it was read on.
    pub quotes: Vec<(String, &'static str)>,
}

/// One observed call.
#[derive(Debug, Clone)]
pub struct Recorded {
    pub id: String,
    /// Orders the calls of a record; its place in the file does not.
    pub sequence: u64,
    pub interface: Option<String>,
    pub operation: String,
    /// The evaluation's own action, not a fixture's.
    pub is_chosen: bool,
    pub principal: Option<String>,
    pub call: Call,
}

impl Recorded {
    /// Whether this is a call of the step's operation.
    #[must_use]
    pub fn is_of(&self, step: &Step) -> bool {
        let same = |a: &Option<String>, b: &Option<String>| a.is_none() || b.is_none() || a == b;
        self.operation == step.operation && same(&self.interface, &step.interface)
    }

    /// Whether this is a call of an operation of `interface`.
    #[must_use]
    pub fn is_through(&self, interface: &Interface, operation: &str) -> bool {
        self.operation == operation && self.interface.as_ref().is_none_or(|named| *named == interface.id)
    }
}

impl RunRecord {
    /// Read a run record strictly.
    ///
    /// # Errors
    /// [`Code::Parse`], [`Code::SchemaVersionMismatch`].
    pub fn read(value: &Value) -> Read<RunRecord> {
        let root = Node::root(value);
        let stamp = root.peek("schemaVersion").and_then(Value::as_i64).filter(|n| *n >= 1);
        if let Some(other) = stamp.filter(|n| !SCHEMA_VERSIONS.contains(n)) {
            let detail = format!("the record says version {other}; records of the versions 5 to 7 are read");
            return Err(Failure::new(Code::SchemaVersionMismatch, "/schemaVersion", detail));
        }
        let f = root.object(&[
            "schemaVersion",
            "parentDigest",
            "revisionCount",
            "runId",
            "conditionArm",
            "mode",
            "trialIndex",
            "contractDigest",
            "sealedBriefDigest",
            "evaluatorConfigurationDigest",
            "evaluatorRecommendation",
            "oracleDispositions",
            "findings",
            "observations",
            "judgeResults",
            "actionsArtifact",
            "isolationManifestArtifact",
            "resourceUse",
            "evidenceDisclosure",
            "invalidReason",
        ])?;
        lineage(&f)?;
        f.at("conditionArm").non_empty()?;
        f.at("sealedBriefDigest").digest()?;
        artifact_reference(&f.at("actionsArtifact"))?;
        artifact_reference(&f.at("isolationManifestArtifact"))?;
        resource_use(&f.at("resourceUse"))?;
        let disclosure = f.at("evidenceDisclosure").object(&["truncationBound", "reportedIncomplete"])?;
        disclosure.at("truncationBound").or_null(|n| n.count(0))?;
        let mut calls = f.at("observations").list(observation)?;
        let mut seen = BTreeSet::new();
        if let Some(twice) = calls.iter().find(|call| !seen.insert(call.sequence)) {
            let detail = format!("two observations have the sequence {}", twice.sequence);
            return Err(f.at("observations").fault(detail));
        }
        calls.sort_by_key(|call| call.sequence);
        let places = calls.iter().enumerate().rev().map(|(i, call)| (call.id.clone(), i)).collect();
        Ok(RunRecord {
            run_id: f.at("runId").non_empty()?,
            mode: f
                .at("mode")
                .word(&[("production", Mode::Production), ("contract-scoring", Mode::ContractScoring)])?,
            trial_index: f.at("trialIndex").count(1)?,
            recommendation: f
                .at("evaluatorRecommendation")
                .word(&["PASS", "CONCERNS", "FAIL"].map(|word| (word, word)))?,
            contract_digest: f.at("contractDigest").digest()?,
            evaluator_configuration_digest: f.at("evaluatorConfigurationDigest").digest()?,
            dispositions: f.at("oracleDispositions").list(disposition)?,
            findings: f.at("findings").list(finding)?,
            calls,
            places,
            judged_without_score: f.at("judgeResults").list(judged)?.into_iter().flatten().collect(),
            is_incomplete: disclosure.at("reportedIncomplete").boolean()?,
            invalid_reason: f.at("invalidReason").or_null(Node::string)?,
        })
    }

    /// The call of this id.
    #[must_use]
    pub fn call(&self, id: &str) -> Option<&Recorded> {
        self.calls.get(*self.places.get(id)?)
    }
}

/// What a run used: counts, a time, and money as text.
pub(super) fn resource_use(node: &Node<'_>) -> Read<()> {
    let f = node.object(&["toolCalls", "inputTokens", "outputTokens", "wallClockSeconds", "costUsd"])?;
    for key in ["toolCalls", "inputTokens", "outputTokens"] {
        f.at(key).count(0)?;
    }
    let seconds = f.at("wallClockSeconds");
    if seconds.value.as_f64().is_none_or(|n| n < 0.0) {
        return Err(seconds.fault("a number from 0 is expected here"));
    }
    f.at("costUsd").form("a decimal as a string (`\"0.25\"`)", lexical::is_unsigned_decimal).map(|_| ())
}

fn disposition(node: &Node<'_>) -> Read<Disposition> {
    let f = node.object(&["oracleId", "disposition", "observationIds", "note"])?;
    f.at("note").or_null(Node::string)?;
    Ok(Disposition {
        value: f.at("disposition").word(&["held", "violated", "not-attempted"].map(|word| (word, word)))?,
        oracle: f.at("oracleId").numbered("O")?,
        observations: f.at("observationIds").list(Node::identifier)?,
    })
}

fn judged(node: &Node<'_>) -> Read<Option<String>> {
    let f = node.object(&["rubricId", "criterionId", "score", "note"])?;
    f.at("note").or_null(Node::string)?;
    let (rubric, criterion) = (f.at("rubricId").numbered("R")?, f.at("criterionId").numbered("RC")?);
    let score = f.at("score").or_null(Node::integer)?;
    Ok(score.is_none().then(|| format!("{rubric}/{criterion}")))
}

fn finding(node: &Node<'_>) -> Read<Finding> {
    const COMMON: [&str; 10] = [
        "findingType",
        "findingId",
        "oracleId",
        "probeId",
        "behaviorId",
        "severity",
        "summary",
        "confidence",
        "observationIds",
        "evidenceArtifacts",
    ];
    let is_defect = node.peek("findingType").is_some_and(|kind| kind == "defect");
    let keys: Vec<&str> = COMMON.into_iter().chain(is_defect.then_some("quotedEvidence")).collect();
    let f = node.object(&keys)?;
    f.at("findingType").word(&[("defect", ()), ("observation", ()), ("confirmation", ())])?;
    f.at("behaviorId").or_null(|n| n.numbered("B"))?;
    f.at("summary").non_empty()?;
    f.at("evidenceArtifacts").list(artifact_reference)?;
    let confidence = f.at("confidence");
    let Some(sure) = confidence.value.as_f64().filter(|n| (0.0..=1.0).contains(n)) else {
        return Err(confidence.fault("a number from 0 to 1 is expected here"));
    };
    // Who claims a defect shows where it was seen.
    let least = usize::from(is_defect);
    Ok(Finding {
        id: f.at("findingId").numbered("F")?,
        is_defect,
        oracle: f.at("oracleId").or_null(|n| n.numbered("O"))?,
        probe: f.at("probeId").numbered("P")?,
        severity: f.at("severity").word(&SEVERITIES)?,
        confidence: sure,
        observations: f.at("observationIds").list_of(least, Node::identifier)?,
        quotes: if is_defect { f.at("quotedEvidence").list_of(1, quote)? } else { Vec::new() },
    })
}

fn quote(node: &Node<'_>) -> Read<(String, &'static str)> {
    let f = node.some_of(&["quote", "channel"], &["artifactId"])?;
    if f.has("artifactId") {
        f.at("artifactId").or_null(Node::identifier)?;
    }
    Ok((f.at("quote").non_empty()?, f.at("channel").word(&EVIDENCE_CHANNELS.map(|c| (c, c)))?))
}

fn observation(node: &Node<'_>) -> Read<Recorded> {
    let needed = [
        "observationId",
        "sequence",
        "operationId",
        "provenance",
        "principal",
        "callInputs",
        "responseBody",
        "responseHeaders",
        "responseStatus",
        "stdout",
        "stderr",
        "exitCode",
        "artifacts",
    ];
    let f = node.some_of(&needed, &["interfaceId"])?;
    let inputs = f.at("callInputs").object(&INPUT_CHANNELS)?;
    let sent: BTreeMap<&str, Option<Map<String, Value>>> = INPUT_CHANNELS
        .iter()
        .map(|channel| Ok((*channel, inputs.at(channel).or_null(Node::json_object)?)))
        .collect::<Read<_>>()?;
    f.at("responseHeaders").or_null(Node::json_object)?;
    f.at("exitCode").or_null(Node::integer)?;
    let status = f.at("responseStatus").or_null(|n| n.count(0))?;
    let body = match f.at("responseBody").value {
        Value::Null => ToolResult::Absent,
        value => ToolResult::Json(value.clone()),
    };
    // A record has no other place for the text of an answer.
    let text = f.at("responseBody").value.as_str().map(str::to_string);
    let arguments = sent.get("arguments").cloned().flatten().unwrap_or_default();
    let mut call = Call::new(arguments, body, false).with_text(text.as_deref());
    call.status = status.map_or(Value::Null, Value::from);
    Ok(Recorded {
        id: f.at("observationId").identifier()?,
        sequence: f.at("sequence").count(1)?,
        interface: if f.has("interfaceId") { Some(f.at("interfaceId").identifier()?) } else { None },
        operation: f.at("operationId").identifier()?,
        is_chosen: f.at("provenance").word(&[("baseline", false), ("evaluator-chosen", true)])?,
        principal: f.at("principal").or_null(Node::identifier)?,
        call,
    })
}
