//! Records that cannot be trusted have no verdict.

use super::*;

#[test]
fn records_that_cannot_be_trusted_have_no_verdict() {
    let why = |score: &Score| {
        assert_eq!(score.verdict, None);
        score.invalid.join("\n")
    };
    let bare = scored_with(&record(), &probe(), None, None, None, None);
    let said = why(&bare);
    for missing in [
        "no pre-flight verdict",
        "no isolation manifest",
        "no evaluator configuration",
        "corpus is not named",
    ] {
        assert!(said.contains(missing), "{missing}: {said}");
    }
    assert_eq!(bare.scoring_version, None);
    let failed = scored_with(
        &record(),
        &probe(),
        Some(preflight(false)),
        Some(isolation()),
        Some(evaluator()),
        Some(&digest('8')),
    );
    assert!(why(&failed).contains("did not pass (state-reset)"));
    for (edit, said) in [
        (("/checks/0/outcome", json!("failed")), "says that it passed, and that checks failed (state-reset)"),
        (("/checks", json!([])), "holds no check"),
    ] {
        let odd = with(preflight(true), &[edit]);
        let odd = scored_with(
            &record(),
            &probe(),
            Some(odd),
            Some(isolation()),
            Some(evaluator()),
            Some(&digest('8')),
        );
        assert!(odd.verdict.is_none() && why(&odd).contains(said), "{:?}", odd.invalid);
    }
    let leaky = with(
        isolation(),
        &[
            ("/forbiddenInputAccounting/source-code/withheld", json!(false)),
            ("/observedToolCalls", json!(["shell"])),
            ("/runId", json!("run-2")),
            ("/violation", json!("A mount.")),
        ],
    );
    let said = why(&scored_with(
        &record(),
        &probe(),
        Some(preflight(true)),
        Some(leaky),
        Some(evaluator()),
        Some(&digest('8')),
    ));
    for found in [
        "`source-code` was not withheld",
        "the tool `shell` was used",
        "another run: run-2, not run-1",
        "not isolated: A mount.",
    ] {
        assert!(said.contains(found), "{found}: {said}");
    }
    let edits: [(&str, Value, &str); 9] = [
        ("/contractDigest", json!(digest('0')), "of another contract"),
        ("/evaluatorConfigurationDigest", json!(digest('0')), "of another evaluator configuration"),
        ("/invalidReason", json!("The network was down."), "says that the run is invalid"),
        ("/findings/0/quotedEvidence/0/quote", json!("never said"), "F-001 quotes `never said`"),
        (
            "/findings/0/observationIds",
            json!(["obs-find", "obs-gone"]),
            "F-001 cites the observation obs-gone",
        ),
        ("/oracleDispositions/0/observationIds", json!(["obs-lost"]), "O-001 cites the observation obs-lost"),
        (
            "/oracleDispositions/4",
            json!({"oracleId": "O-001", "disposition": "held", "observationIds": [], "note": null}),
            "says nothing of O-005",
        ),
        ("/observations/0/observationId", json!("obs-find"), "observation obs-find occurs twice"),
        (
            "/judgeResults",
            json!([{"rubricId": "R-001", "criterionId": "RC-001", "score": null, "note": null}]),
            "the judge gave R-001/RC-001 no score",
        ),
    ];
    for (at, value, found) in edits {
        let said = why(&scored(&with(record(), &[(at, value)]), &probe()));
        assert!(said.contains(found), "{found}: {said}");
    }
    let unqualified = scored(&record(), &with(probe(), &[("/qualification/rollbackVerified", json!(false))]));
    assert!(why(&unqualified).contains("qualification-evidence-unverified"));
    assert_eq!(
        (unqualified.seen.result, unqualified.seen.calls.satisfying.len()),
        (Triggered::InsufficientEvidence, 0)
    );
    // In production, what an oracle shows of the system counts.
    let production = scored(&with(record(), &[("/mode", json!("production"))]), &probe());
    assert_eq!(production.verdict, Some(Verdict::Fail));
    assert_eq!(production.basis, ["O-003 is violated"]);
    let unsure = scored(
        &with(record(), &[("/findings/0/confidence", json!(0.5)), ("/findings/0/oracleId", json!(null))]),
        &probe(),
    );
    assert_eq!((unsure.verdict, unsure.basis.len()), (Some(Verdict::Concerns), 2));
}
