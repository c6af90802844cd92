//! Probes: what a corpus knows of a system, above all the defects that were seeded in it.

use super::document::{self, SEVERITIES, Severity};
use super::expression::Expression;
use super::extension;
use super::failure::{Code, Failure};
use super::interface::{Inputs, Kind};
use super::lexical;
use super::node::{self, Node, Read};
use super::plan::Binding;
use super::pointer::INPUT_CHANNELS;
use serde_json::Value;
use std::collections::BTreeMap;

/// The version that is read.
pub const SCHEMA_VERSION: i64 = 5;

/// One probe.
#[derive(Debug, Clone)]
pub struct Probe {
    pub at: String,
    pub id: String,
    pub class: Class,
    pub behavior: String,
    pub qualification: Qualification,
    /// A control in which nothing is wrong.
    pub is_expected_clean: bool,
    pub defects: Vec<Defect>,
    pub signature: Option<Signature>,
}

/// What a probe is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Defect,
    Gameability,
    ZeroAction,
    Canary,
}

const CLASSES: [(&str, Class); 4] = [
    ("defect", Class::Defect),
    ("gameability", Class::Gameability),
    ("zero-action", Class::ZeroAction),
    ("canary", Class::Canary),
];

/// How a probe earned its ground truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    Historical,
    ControlledMutation,
    Gameability,
    Canary,
    CleanControl,
}

const ROUTES: [(&str, Route); 5] = [
    ("historical", Route::Historical),
    ("controlled-mutation", Route::ControlledMutation),
    ("gameability", Route::Gameability),
    ("canary", Route::Canary),
    ("clean-control", Route::CleanControl),
];

/// The route, and what its evidence says of itself.
#[derive(Debug, Clone)]
pub struct Qualification {
    pub at: String,
    pub route: Route,
    /// Of a historical route, that its oracle held for both revisions; of a mutation, that it was taken back.
    pub is_verified: bool,
}

/// A defect that was put into the system.
#[derive(Debug, Clone)]
pub struct Defect {
    pub at: String,
    pub id: String,
    pub behavior: String,
    pub severity: Severity,
    pub source: Origin,
    pub witness: Option<Manifestation>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Natural,
    ControlledMutation,
}

/// A call, and the relation that holds of it when the defect has struck.
#[derive(Debug, Clone)]
pub struct Manifestation {
    pub at: String,
    pub leg: String,
    pub interface: String,
    pub operation: String,
    pub inputs: Inputs,
    pub relation: Expression,
}

/// How a defect is known in what an evaluator observed, whatever the contract.
#[derive(Debug, Clone)]
pub struct Signature {
    pub at: String,
    pub kind: Kind,
    /// Of an `mcp` signature.
    pub tool: Option<String>,
    /// A channel of evidence, as pointers spell it.
    pub channel: &'static str,
    /// What calls are looked at, by input channel; only channels that bind something.
    pub bindings: BTreeMap<&'static str, BTreeMap<String, Binding>>,
    pub predicate: Expression,
}

/// A check of a corpus, which knows nothing of our extension.
fn check(node: &Node<'_>) -> Read<Expression> {
    let check = Expression::read(node)?;
    extension::refuse_in(&check)?;
    Ok(check)
}

/// Every channel of evidence.
pub const EVIDENCE_CHANNELS: [&str; 8] = [
    "response-body",
    "response-headers",
    "response-status",
    "call-inputs",
    "stdout",
    "stderr",
    "exit-code",
    "artifact",
];

const COMMON: [&str; 13] = [
    "schemaVersion",
    "parentDigest",
    "revisionCount",
    "probeId",
    "probeClass",
    "behaviorId",
    "systemId",
    "implementationDigest",
    "artifactDigest",
    "commitDigest",
    "rationale",
    "qualification",
    "expectedClean",
];

impl Probe {
    /// The probes of a file: one, or an array of them.
    ///
    /// # Errors
    /// [`Code::Parse`], [`Code::SchemaVersionMismatch`].
    pub fn read_all(value: &Value) -> Read<Vec<Probe>> {
        let root = Node::root(value);
        if value.is_array() { root.list(Probe::read) } else { Probe::read(&root).map(|probe| vec![probe]) }
    }

    fn read(node: &Node<'_>) -> Read<Probe> {
        let stamp = node.peek("schemaVersion").and_then(Value::as_i64).filter(|n| *n >= 1);
        if let Some(other) = stamp.filter(|n| *n != SCHEMA_VERSION) {
            let detail =
                format!("the probe says version {other}; probes of version {SCHEMA_VERSION} are read");
            return Err(Failure::new(
                Code::SchemaVersionMismatch,
                format!("{}/schemaVersion", node.at),
                detail,
            ));
        }
        let is_expected_clean = node.peek("expectedClean") == Some(&Value::Bool(true));
        let own: &[&str] = if is_expected_clean { &["defects"] } else { &["defects", "defectSignature"] };
        let keys: Vec<&str> = COMMON.iter().chain(own).copied().collect();
        let f = node.object(&keys)?;
        document::lineage(&f)?;
        f.at("expectedClean").boolean()?;
        for key in ["systemId", "rationale"] {
            f.at(key).non_empty()?;
        }
        for key in ["implementationDigest", "artifactDigest", "commitDigest"] {
            f.at(key).digest()?;
        }
        let defects = f.at("defects").list(Defect::read)?;
        if is_expected_clean && !defects.is_empty() {
            return Err(f.at("defects").fault("a probe that is expected to be clean seeds no defect"));
        }
        Ok(Probe {
            at: node.at.clone(),
            id: f.at("probeId").numbered("P")?,
            class: f.at("probeClass").word(&CLASSES)?,
            behavior: f.at("behaviorId").numbered("B")?,
            qualification: Qualification::read(&f.at("qualification"))?,
            is_expected_clean,
            defects,
            signature: if is_expected_clean {
                None
            } else {
                f.at("defectSignature").or_null(Signature::read)?
            },
        })
    }
}

impl Qualification {
    fn read(node: &Node<'_>) -> Read<Qualification> {
        let route = match node.peek("route") {
            Some(value) => Node { value, at: format!("{}/route", node.at) }.word(&ROUTES)?,
            None => return Err(node.fault("a qualification says by which `route` it was earned")),
        };
        let references: &[&str];
        let (digests, texts, flag): (&[&str], &[&str], Option<&str>);
        match route {
            Route::Historical => {
                references = &["failBeforeEvidence", "passAfterEvidence"];
                (digests, texts, flag) = (&["fixCommitDigest"], &[], Some("oracleStableAcrossRevisions"));
            }
            Route::ControlledMutation => {
                references = &["targetArtifact", "baselinePassEvidence", "mutatedFailEvidence"];
                texts = &["mutationSource", "mutationOperator", "expectedObservableFailure"];
                (digests, flag) = (&[], Some("rollbackVerified"));
            }
            Route::Gameability => {
                references = &["naiveOracleSatisfiedEvidence", "disciplinedOracleRejectedEvidence"];
                (digests, texts, flag) = (&[], &["degenerateResponse"], None);
            }
            Route::Canary => {
                references = &["nonDetectionEvidence"];
                (digests, texts, flag) = (&[], &["indicts"], None);
            }
            Route::CleanControl => {
                references = &["baselinePassEvidence"];
                (digests, texts, flag) = (&["revisionCommitDigest"], &["noKnownDefectStatement"], None);
            }
        }
        let keys: Vec<&str> =
            ["route"].iter().chain(references).chain(digests).chain(texts).copied().chain(flag).collect();
        let f = node.object(&keys)?;
        references.iter().try_for_each(|key| artifact_reference(&f.at(key)))?;
        digests.iter().try_for_each(|key| f.at(key).digest().map(|_| ()))?;
        texts.iter().try_for_each(|key| f.at(key).non_empty().map(|_| ()))?;
        if route == Route::Canary {
            f.at("indicts").word(&[("corpus", ()), ("fixture", ())])?;
        }
        let is_verified = flag.map_or(Ok(true), |key| f.at(key).boolean())?;
        Ok(Qualification { at: node.at.clone(), route, is_verified })
    }
}

/// A public artifact has a path, a private one an opaque handle; both a digest.
pub(super) fn artifact_reference(node: &Node<'_>) -> Read<()> {
    let f = node.object(&["storage", "path", "privateRef", "digest"])?;
    let is_public = f.at("storage").word(&[("public", true), ("private", false)])?;
    let (named, null) = if is_public { ("path", "privateRef") } else { ("privateRef", "path") };
    f.at(named).non_empty()?;
    if !f.at(null).value.is_null() {
        return Err(f.at(null).fault(format!("`{null}` is `null` beside a `{named}`")));
    }
    f.at("digest").digest().map(|_| ())
}

impl Defect {
    fn read(node: &Node<'_>) -> Read<Defect> {
        let f = node.object(&[
            "defectId",
            "behaviorId",
            "summary",
            "severity",
            "oracleEvidence",
            "source",
            "manifestationWitness",
        ])?;
        f.at("summary").non_empty()?;
        f.at("oracleEvidence").list(artifact_reference)?;
        Ok(Defect {
            at: node.at.clone(),
            id: f.at("defectId").numbered("D")?,
            behavior: f.at("behaviorId").numbered("B")?,
            severity: f.at("severity").word(&SEVERITIES)?,
            source: f
                .at("source")
                .word(&[("natural", Origin::Natural), ("controlled-mutation", Origin::ControlledMutation)])?,
            witness: f.at("manifestationWitness").or_null(Manifestation::read)?,
        })
    }
}

impl Manifestation {
    fn read(node: &Node<'_>) -> Read<Manifestation> {
        let f = node.object(&["legId", "interfaceId", "operationId", "inputs", "relation"])?;
        Ok(Manifestation {
            at: node.at.clone(),
            leg: f.at("legId").identifier()?,
            interface: f.at("interfaceId").identifier()?,
            operation: f.at("operationId").identifier()?,
            inputs: Inputs::read(&f.at("inputs"))?,
            relation: check(&f.at("relation"))?,
        })
    }
}

impl Signature {
    fn read(node: &Node<'_>) -> Read<Signature> {
        let kind = match node.peek("interfaceKind") {
            Some(value) => {
                let kinds = [("mcp", Kind::Mcp), ("api", Kind::Api), ("web", Kind::Web), ("cli", Kind::Cli)];
                Node { value, at: format!("{}/interfaceKind", node.at) }.word(&kinds)?
            }
            None => return Err(node.fault("a signature says its `interfaceKind`")),
        };
        let identity: &[&str] = match kind {
            Kind::Mcp => &["toolName"],
            Kind::Cli => &["invocation"],
            Kind::Api | Kind::Web => &["method", "pathTemplate"],
        };
        let keys: Vec<&str> =
            ["interfaceKind", "observableChannel", "condition"].iter().chain(identity).copied().collect();
        let f = node.object(&keys)?;
        let condition = f.at("condition").object(&["selector", "predicate"])?;
        let inputs = condition.at("selector").object(&["inputBinding"])?.at("inputBinding");
        let channels = inputs.object(&INPUT_CHANNELS)?;
        let mut bindings = BTreeMap::new();
        for channel in INPUT_CHANNELS {
            let bound = channels.at(channel);
            if let Some(keys) = bound.or_null(|n| n.map(node::key_name, Binding::read_of_corpus))? {
                if keys.is_empty() {
                    return Err(bound.fault("a channel that binds nothing is `null`, not `{}`"));
                }
                bindings.insert(channel, keys);
            }
        }
        let tool =
            |n: Node<'_>| n.form("a tool's name (letters, digits, `_` and `-`)", lexical::is_tool_name);
        Ok(Signature {
            at: node.at.clone(),
            kind,
            tool: if kind == Kind::Mcp { Some(tool(f.at("toolName"))?) } else { None },
            channel: f.at("observableChannel").word(&EVIDENCE_CHANNELS.map(|c| (c, c)))?,
            bindings,
            predicate: check(&condition.at("predicate"))?,
        })
    }
}
