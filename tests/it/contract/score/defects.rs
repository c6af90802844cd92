//! Whether the defect struck, and whether the evaluator saw it.

use super::*;

#[test]
fn a_defect_that_struck_and_was_seen() {
    let caught = scored(&record(), &probe());
    assert_eq!((caught.seen.result, caught.seen.detection), (Triggered::Triggered, Detection::Caught));
    assert_eq!(caught.seen.calls.satisfying, ["obs-find"]);
    assert_eq!(caught.invalid, Vec::<String>::new());
    assert_eq!(
        (caught.verdict, caught.basis.as_slice()),
        (Some(Verdict::Pass), &[][..]),
        "the contract did what it is for"
    );
    // Every input of the version is there, and decides it.
    let other = scored_with(
        &record(),
        &probe(),
        Some(preflight(true)),
        Some(isolation()),
        Some(evaluator()),
        Some(&digest('7')),
    );
    assert!(caught.scoring_version.is_some() && caught.scoring_version != other.scoring_version);
    assert_eq!(scored(&record(), &probe()), caught);
    let waiver =
        "W-001 waives `sibling-coverage` until 2027-10-01T00:00:00Z; nothing of this score is waived by it";
    assert_eq!(caught.notes, [waiver]);
}

#[test]
fn what_was_not_seen_not_there_or_not_to_be_seen() {
    let missed = scored(&with(record(), &[("/findings", json!([]))]), &probe());
    assert_eq!(
        (missed.seen.result, missed.seen.detection, missed.verdict),
        (Triggered::Triggered, Detection::Missed, Some(Verdict::Fail))
    );
    assert_eq!(missed.basis, ["P-001 was triggered and no finding says so"]);
    let low = with(probe(), &[("/defects/0/severity", json!("low"))]);
    assert_eq!(scored(&with(record(), &[("/findings", json!([]))]), &low).verdict, Some(Verdict::Concerns));
    let fine = [("/observations/1/responseBody/title", json!("Emma")), ("/findings", json!([]))];
    let quiet = scored(&with(record(), &fine), &probe());
    assert_eq!(
        (quiet.seen.result, quiet.seen.detection, quiet.verdict),
        (Triggered::NotTriggered, Detection::NothingToSee, Some(Verdict::Pass))
    );
    assert_eq!(quiet.seen.calls.refuting, ["obs-find"]);
    // A claim of a call on which it did not strike is no discovery.
    let claim = scored(
        &with(
            record(),
            &[
                ("/observations/1/responseBody/title", json!("Emma")),
                ("/findings/0/quotedEvidence/0/quote", json!("Emma")),
            ],
        ),
        &probe(),
    );
    assert_eq!((claim.seen.detection, claim.verdict), (Detection::UnwitnessedClaim, None));
    // One of other calls is another discovery, which is not about this signature.
    let other = scored(
        &with(
            record(),
            &[
                ("/findings/0/observationIds", json!(["obs-list"])),
                ("/findings/0/quotedEvidence/0/quote", json!("Emma")),
            ],
        ),
        &probe(),
    );
    assert_eq!((other.seen.detection, other.verdict), (Detection::Missed, Some(Verdict::Fail)));
    // The tool was never called by the evaluator.
    let baseline = scored(
        &with(record(), &[("/observations/1/provenance", json!("baseline")), ("/findings", json!([]))]),
        &probe(),
    );
    assert_eq!(
        (baseline.seen.result, baseline.verdict),
        (Triggered::InsufficientEvidence, Some(Verdict::Concerns))
    );
    assert!(baseline.basis.iter().any(|b| b.contains("never called")), "{:?}", baseline.basis);
    // Selected calls only; a call that the selector does not admit is not looked at.
    let selector = "/defectSignature/condition/selector/inputBinding/arguments/loanId";
    let elsewhere = scored(
        &with(record(), &[("/findings", json!([]))]),
        &with(probe(), &[(selector, json!({"literal": "L-8"}))]),
    );
    assert_eq!(
        (elsewhere.seen.result, elsewhere.verdict),
        (Triggered::InsufficientEvidence, Some(Verdict::Concerns)),
        "what nobody looked at did not fail to strike"
    );
    assert!(elsewhere.seen.calls.exercised);
    assert!(elsewhere.basis.iter().any(|b| b.contains("no call that the signature selects")));
    // Nothing that could be examined is no evidence, and no verdict.
    let listed = json!({"op": "for-any", "collection": {"pointer": "/interactions/observed/response-body/notes"}, "predicate": {"op": "existence", "operands": [{"pointer": "@/"}]}});
    let vacuous = scored(
        &with(record(), &[("/findings", json!([]))]),
        &with(probe(), &[("/defectSignature/condition/predicate", listed)]),
    );
    assert_eq!((vacuous.seen.result, vacuous.verdict), (Triggered::InsufficientEvidence, None));
    assert_eq!(vacuous.seen.calls.inconclusive, ["obs-find"]);
    assert!(
        vacuous.notes.iter().any(|n| n.contains("reads `notes`") && n.contains("hides the defect")),
        "{:?}",
        vacuous.notes
    );
}
