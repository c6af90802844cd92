//! Documents are read strictly; `verity score`.

use super::*;

#[test]
fn documents_are_read_strictly() {
    let broken = |at: &str, value: Value| {
        RunRecord::read(&with(record(), &[(at, value)])).map(|_| ()).map_err(|f| f.code.as_str()).unwrap_err()
    };
    assert_eq!(broken("/observations/0/sequence", json!(2)), "parse");
    assert_eq!(broken("/observations/0/sequence", json!(0)), "parse");
    assert_eq!(broken("/findings/0/observationIds", json!([])), "parse");
    assert_eq!(broken("/findings/0/confidence", json!(1.5)), "parse");
    assert_eq!(broken("/mode", json!("practice")), "parse");
    assert_eq!(broken("/resourceUse/wallClockSeconds", json!(-1)), "parse");
    assert_eq!(broken("/actionsArtifact/path", json!("x")), "parse");
    assert_eq!(broken("/schemaVersion", json!(4)), "schema-version-mismatch");
    assert!(ScoringPolicy::read(&with(policy(), &[("/confidenceThreshold", json!(2))])).is_err());
    assert!(
        IsolationManifest::read(&with(isolation(), &[("/resourceCeilings/maxCostUsd", json!("0.00"))]))
            .is_err()
    );
    assert!(PreflightVerdict::read(&with(preflight(true), &[("/checks/0/kind", json!("weather"))])).is_err());
    let mut clean = probe();
    clean["expectedClean"] = json!(true);
    assert!(Probe::read_all(&clean).is_err(), "a clean probe has no signature");
    clean.as_object_mut().unwrap().shift_remove("defectSignature");
    assert!(Probe::read_all(&clean).is_err(), "and no defect");
}

#[test]
fn the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let write =
        |name: &str, value: &Value| std::fs::write(folder.path().join(name), value.to_string()).unwrap();
    for (name, value) in [
        ("c.json", lending_desk()),
        ("record.json", record()),
        ("probe.json", probe()),
        ("policy.json", policy()),
        ("pre.json", preflight(true)),
        ("iso.json", isolation()),
        ("eval.json", evaluator()),
    ] {
        write(name, &value);
    }
    let corpus = digest('8');
    let whole = [
        "--preflight",
        "pre.json",
        "--isolation",
        "iso.json",
        "--evaluator",
        "eval.json",
        "--corpus-digest",
        &corpus,
    ];
    let run = |more: &[&str]| {
        let base = [
            "score",
            "--contract",
            "c.json",
            "--record",
            "record.json",
            "--probe",
            "probe.json",
            "--policy",
            "policy.json",
        ];
        let out = verity().current_dir(folder.path()).args(base).args(more).output().unwrap();
        (
            out.status.code().unwrap(),
            String::from_utf8(out.stdout).unwrap(),
            String::from_utf8(out.stderr).unwrap(),
        )
    };
    let (code, stdout, stderr) = run(&[&whole[..], &["--format", "json", "--out", "evidence.json"]].concat());
    assert_eq!((code, stderr.as_str()), (0, ""));
    let report: Value = serde_json::from_str(&stdout).unwrap();
    check_schema("score-report.schema.json", &report);
    assert_eq!((&report["result"], &report["verdict"]), (&json!("triggered"), &json!("CONCERNS")));
    // The trial passes; what the contract leaves unlooked-at is a concern.
    let basis = report["basis"].as_array().unwrap();
    assert!(basis.iter().all(|line| line.as_str().unwrap().starts_with("coverage: ")), "{basis:?}");
    assert_eq!((&report["outcome"], &report["exit_code"]), (&json!("caught"), &json!(0)));
    assert_eq!(report["trials"]["completed"], 1);
    let said = report["statements"].as_array().unwrap();
    assert_eq!(said.len(), lending_desk()["oracles"].as_array().unwrap().len());
    assert_eq!(std::fs::read_to_string(folder.path().join("evidence.json")).unwrap(), stdout);
    let (code, stdout, _) = run(&whole);
    assert_eq!(code, 0);
    assert!(
        stdout.starts_with("P-001: triggered (obs-find); a finding cites it\n")
            && stdout.ends_with("\nCONCERNS\n"),
        "{stdout}"
    );
    let (code, stdout, _) = run(&["--format", "json"]);
    assert_eq!(code, 2);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    check_schema("score-report.schema.json", &report);
    let of = |key: &str| report[key].clone();
    assert_eq!(
        (of("outcome"), of("exit_code"), of("comparability_key")),
        (json!("infrastructure-error"), json!(2), json!(null))
    );
    write("record.json", &with(record(), &[("/findings", json!([]))]));
    let (code, stdout, _) = run(&[&whole[..], &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &report["outcome"], &report["exit_code"]), (1, &json!("missed"), &json!(1)));
    write("record.json", &with(record(), &[("/findings/0/confidence", json!(0.1))]));
    assert_eq!((run(&whole).0, run(&[&whole[..], &["--strict"]].concat()).0), (0, 1));
    write("probe.json", &json!([probe(), with(probe(), &[("/probeId", json!("P-002"))])]));
    let (code, _, stderr) = run(&whole);
    assert!(code == 2 && stderr.contains("name it with --probe-id (there are P-001, P-002)"), "{stderr}");
    assert_eq!(run(&[&whole[..], &["--probe-id", "P-001"]].concat()).0, 0);
    write("record.json", &with(record(), &[("/mode", json!("practice"))]));
    let (code, _, stderr) = run(&whole);
    assert!(
        code == 2 && stderr.starts_with("verity: parse: record.json:1:") && stderr.contains(" /mode: "),
        "{stderr}"
    );
}
