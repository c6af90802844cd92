//! What stands beside a run record: the pre-flight's verdict, the scoring policy, the isolation manifest and the
//! evaluator's configuration.

use super::document::{FORBIDDEN_INPUTS, SEVERITIES, Severity, lineage};
use super::lexical;
use super::node::{Node, Read};
use super::record::resource_use;
use serde_json::Value;

/// A pre-flight's verdict, as it was written.
#[derive(Debug, Clone)]
pub struct PreflightVerdict {
    pub fixture_digest: String,
    pub passed: bool,
    /// How many checks it holds.
    pub checks: usize,
    /// Kinds of the checks that failed.
    pub failed: Vec<String>,
}

impl PreflightVerdict {
    /// # Errors
    /// [`super::Code::Parse`].
    pub fn read(value: &Value) -> Read<PreflightVerdict> {
        let keys =
            ["schemaVersion", "parentDigest", "revisionCount", "runId", "fixtureDigest", "passed", "checks"];
        let f = Node::root(value).object(&keys)?;
        lineage(&f)?;
        f.at("runId").non_empty()?;
        let failed = f.at("checks").list(|n| {
            let f = n.some_of(&["kind", "operationId", "outcome", "note"], &["interfaceId"])?;
            let kinds = [
                "interface-present",
                "input-sensitivity",
                "state-reset",
                "clean-control",
                "seeded-faults-scoped",
                "seeded-fault-fired",
            ];
            let kind = f.at("kind").word(&kinds.map(|kind| (kind, kind)))?;
            f.at("operationId").or_null(Node::identifier)?;
            f.at("note").or_null(Node::string)?;
            let has_failed =
                f.at("outcome").word(&[("satisfied", false), ("failed", true), ("exempt", false)])?;
            Ok(has_failed.then(|| kind.to_string()))
        })?;
        Ok(PreflightVerdict {
            fixture_digest: f.at("fixtureDigest").digest()?,
            passed: f.at("passed").boolean()?,
            checks: failed.len(),
            failed: failed.into_iter().flatten().collect(),
        })
    }
}

/// By what thresholds a run is scored.
#[derive(Debug, Clone)]
pub struct ScoringPolicy {
    pub severity_floor: Severity,
    /// From 0 to 1.
    pub confidence_threshold: f64,
    pub minimum_trial_count: u64,
    /// Trials that do not count and may be made again, at most.
    pub re_execution_cap: u64,
    /// Revisions of the contract, at most.
    pub remediation_cap: u64,
    /// From 0 to 1: more of the trials than this have to catch a defect.
    pub catch_threshold: f64,
}

impl ScoringPolicy {
    /// # Errors
    /// [`super::Code::Parse`].
    pub fn read(value: &Value) -> Read<ScoringPolicy> {
        let needed = [
            "schemaVersion",
            "parentDigest",
            "revisionCount",
            "policyId",
            "severityFloor",
            "confidenceThreshold",
            "minimumTrialCount",
            "reExecutionCap",
            "remediationCap",
            "regexMatchStepBudget",
        ];
        let f = Node::root(value).some_of(&needed, &["catchThreshold"])?;
        lineage(&f)?;
        f.at("policyId").identifier()?;
        f.at("regexMatchStepBudget").count(1)?;
        Ok(ScoringPolicy {
            severity_floor: f.at("severityFloor").word(&SEVERITIES)?,
            confidence_threshold: share(&f.at("confidenceThreshold"))?,
            minimum_trial_count: f.at("minimumTrialCount").count(1)?,
            re_execution_cap: f.at("reExecutionCap").count(0)?,
            remediation_cap: f.at("remediationCap").count(0)?,
            // Policies of the first version have none: a majority, then.
            catch_threshold: if f.has("catchThreshold") { share(&f.at("catchThreshold"))? } else { 0.5 },
        })
    }
}

fn share(node: &Node<'_>) -> Read<f64> {
    let number = node.value.as_f64().filter(|n| (0.0..=1.0).contains(n));
    number.ok_or_else(|| node.fault("a number from 0 to 1 is expected here"))
}

/// What the harness kept from the evaluator, and what it saw it use.
#[derive(Debug, Clone)]
pub struct IsolationManifest {
    pub run_id: String,
    pub contract_digest: String,
    pub evaluator_configuration_digest: String,
    /// Everything that makes the run one that was not isolated.
    pub violations: Vec<String>,
}

impl IsolationManifest {
    /// # Errors
    /// [`super::Code::Parse`].
    pub fn read(value: &Value) -> Read<IsolationManifest> {
        let f = Node::root(value).object(&[
            "schemaVersion",
            "parentDigest",
            "revisionCount",
            "runId",
            "contractId",
            "conditionArm",
            "modelSnapshot",
            "systemPromptDigest",
            "contractDigest",
            "evaluatorConfigurationDigest",
            "workspaceIdentity",
            "allowedMounts",
            "observedMounts",
            "networkAllowlist",
            "observedNetworkTargets",
            "toolAllowlist",
            "observedToolCalls",
            "resourceCeilings",
            "actualResourceUse",
            "forbiddenInputAccounting",
            "violation",
        ])?;
        lineage(&f)?;
        f.at("contractId").identifier()?;
        f.at("systemPromptDigest").digest()?;
        for key in ["conditionArm", "modelSnapshot", "workspaceIdentity"] {
            f.at(key).non_empty()?;
        }
        ceilings(&f.at("resourceCeilings"))?;
        resource_use(&f.at("actualResourceUse"))?;
        let mut violations: Vec<String> = f.at("violation").or_null(Node::non_empty)?.into_iter().collect();
        for (what, allowed, observed) in [
            ("mount", "allowedMounts", "observedMounts"),
            ("network target", "networkAllowlist", "observedNetworkTargets"),
            ("tool", "toolAllowlist", "observedToolCalls"),
        ] {
            let allowed = f.at(allowed).list(Node::non_empty)?;
            let outside =
                f.at(observed).list(Node::non_empty)?.into_iter().filter(|seen| !allowed.contains(seen));
            violations.extend(outside.map(|seen| format!("the {what} `{seen}` was used and is not allowed")));
        }
        let accounting = f.at("forbiddenInputAccounting").object(&FORBIDDEN_INPUTS)?;
        for name in FORBIDDEN_INPUTS {
            let entry = accounting.at(name).object(&["withheld", "note"])?;
            entry.at("note").or_null(Node::string)?;
            if !entry.at("withheld").boolean()? {
                violations.push(format!("`{name}` was not withheld from the evaluator"));
            }
        }
        Ok(IsolationManifest {
            run_id: f.at("runId").non_empty()?,
            contract_digest: f.at("contractDigest").digest()?,
            evaluator_configuration_digest: f.at("evaluatorConfigurationDigest").digest()?,
            violations,
        })
    }
}

fn ceilings(node: &Node<'_>) -> Read<()> {
    let keys = ["maxToolCalls", "maxInputTokens", "maxOutputTokens", "maxWallClockMinutes", "maxCostUsd"];
    let f = node.object(&keys)?;
    for key in ["maxToolCalls", "maxInputTokens", "maxOutputTokens"] {
        f.at(key).count(1)?;
    }
    let minutes = f.at("maxWallClockMinutes");
    if minutes.value.as_f64().is_none_or(|n| n <= 0.0) {
        return Err(minutes.fault("a number above 0 is expected here"));
    }
    let is_positive =
        |s: &str| lexical::is_unsigned_decimal(s) && s.bytes().any(|b| (b'1'..=b'9').contains(&b));
    f.at("maxCostUsd").form("a decimal above 0 as a string (`\"0.25\"`)", is_positive).map(|_| ())
}

/// Read an evaluator's configuration; what it says only counts by its digest.
///
/// # Errors
/// [`super::Code::Parse`].
pub fn evaluator_configuration(value: &Value) -> Read<()> {
    let f = Node::root(value).object(&[
        "schemaVersion",
        "parentDigest",
        "revisionCount",
        "sealedBriefDigest",
        "evaluatorIdentity",
        "modelSnapshot",
        "systemPromptDigest",
        "decodingParameters",
        "toolInventory",
        "permissionInventory",
        "budgets",
        "seed",
        "judgeConfiguration",
    ])?;
    lineage(&f)?;
    for key in ["sealedBriefDigest", "systemPromptDigest"] {
        f.at(key).digest()?;
    }
    for key in ["evaluatorIdentity", "modelSnapshot"] {
        f.at(key).non_empty()?;
    }
    for key in ["toolInventory", "permissionInventory"] {
        f.at(key).list(Node::string)?;
    }
    f.at("decodingParameters").json_object()?;
    super::document::budgets(&f.at("budgets"))?;
    f.at("seed").or_null(Node::integer)?;
    f.at("judgeConfiguration").or_null(|n| {
        let f = n.object(&["modelSnapshot", "systemPromptDigest"])?;
        f.at("modelSnapshot").non_empty()?;
        f.at("systemPromptDigest").or_null(Node::digest).map(|_| ())
    })?;
    Ok(())
}
