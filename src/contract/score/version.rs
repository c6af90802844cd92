//! What two scores have to share to be compared.

use super::super::canonical;
use super::Inputs;
use serde_json::{Value, json};

/// What two scores have to share to be compared.
pub(super) fn scoring_inputs(inputs: &Inputs<'_>) -> Value {
    json!({
        "contractSchemaVersion": inputs.contract.value.get("schemaVersion"),
        "corpusDigest": inputs.corpus_digest,
        "fixtureDigest": inputs.preflight.map(|p| &p.fixture_digest),
        "evaluatorConfigurationDigest": inputs.evaluator.map(canonical::digest),
        "scoringPolicyDigest": canonical::digest(inputs.policy.1),
        "mode": inputs.record.mode.name(),
    })
}

/// Rates over trials may be compared where the corpus, the probe and the policy are the same.
pub(super) fn comparability_key(inputs: &Inputs<'_>) -> Option<String> {
    let corpus = inputs.corpus_digest?;
    let policy = canonical::digest(inputs.policy.1);
    let key = json!({"corpusDigest": corpus, "probe": inputs.probe.id, "scoringPolicyDigest": policy});
    Some(canonical::digest(&key))
}
