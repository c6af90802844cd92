//! Several trials of a probe, what a contract leaves unlooked-at, and where it comes from.

use super::lending_desk;
use super::score::{digest, evaluator, finding, isolation, policy, preflight, probe, record, with};
use crate::support::{check_schema, verity};
use serde_json::{Value, json};
use verity::contract::{Contract, canonical, coverage};

/// A contract that keeps all seven disciplines.
const KEPT: &str = "
contract: shelf
tools:
  list_books:
    arguments: {shelf: string, author: string?}
    result: {books: array, total: number, last: string}
    success: /total
    roles: {/total: success-indicator, /books: collection}
    collections: {/books: {atMost: 50, set: catalogue}}
    witness: {calls: [{shelf: a}, {shelf: b}], differ: /total}
  put_book:
    changes: true
    arguments: {title: string}
    result: {done: boolean}
    success: /done
    roles: {/done: success-indicator}
    collections: {}
    witness: {calls: [{title: Emma}, {title: too long a title}], differ: /done}
behaviors:
  - says: A book that is put is on the shelf.
    criterion: It is the last one of the list.
    severity: material
    requirements: [local:SHELF-1]
    oracles: [O-001, O-002, O-003, O-004]
steps:
  put: {tool: put_book, with: {title: Emma}}
  list: {tool: list_books, with: {shelf: a, author: austen}, after: put}
  odd-list: {tool: list_books, with: {shelf: {matcher: type-violating}}}
  odd-put: {tool: put_book, with: {title: {matcher: type-violating}}}
oracles:
  - check: {all: [{equality: [$list/total, 1]}, {for-all: $list/books, holds: {op: set-membership, operands: [{pointer: '@/title'}, {referenceSet: catalogue}]}}, {equality: [$list/last, Emma]}]}
  - check: {all: [{equality: [$odd-list.status, 1]}, {equality: [$odd-put.status, 1]}]}
  - check: {equality: [$list/last, $put.arguments/title]}
  - check: {all: [{equality: [$list.arguments/shelf, a]}, {equality: [$list.arguments/author, austen]}]}
referenceSets: {catalogue: {keys: [title], members: [{title: Emma}], commentary: null}}
siblingGroups: {operations: [], parameters: [[shelf, author]]}
";

fn gaps(yaml: &str) -> Vec<(String, String)> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("c.yaml"), yaml).unwrap();
    let out = verity().current_dir(dir.path()).args(["contract", "check", "-q", "c.yaml"]).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let contract = Contract::read(&serde_json::from_slice(&out.stdout).unwrap()).unwrap();
    coverage::gaps(&contract).into_iter().map(|gap| (gap.rule.to_string(), gap.reason)).collect()
}

#[test]
fn disciplines_that_are_kept_and_those_that_are_not() {
    assert_eq!(gaps(KEPT), []);
    // One thing less, and one rule is not kept: what is taken out, the rule, and a word of the reason.
    let cases = [
        (
            "    roles: {/total: success-indicator, /books: collection}\n",
            "",
            "success-indicator-separation",
            "no roles",
        ),
        ("    success: /done\n", "", "success-indicator-separation", "`put-book` names no success indicator"),
        (", {equality: [$list/last, Emma]}", "", "whole-body", "of operation `list-books`"),
        (
            ", {equality: [$odd-put.status, 1]}",
            ", {equality: [$odd-list.status, 1]}",
            "malformed-input",
            "`put-book`",
        ),
        ("{title: {matcher: type-violating}}", "{title: Persuasion}", "malformed-input", "`put-book`"),
        ("    collections: {}\n", "", "per-record", "`put-book` does not say"),
        (
            "siblingGroups: {operations: [], parameters: [[shelf, author]]}\n",
            "",
            "sibling-cross-check",
            "does not say",
        ),
        (
            ", {equality: [$list.arguments/author, austen]}",
            ", {equality: [$list.arguments/shelf, a]}",
            "sibling-cross-check",
            "two of author, shelf",
        ),
        ("parameters: [[shelf, author]]", "parameters: [], operations: [[list-books, put-book]]", "", ""),
        (
            "holds: {op: set-membership, operands: [{pointer: '@/title'}, {referenceSet: catalogue}]}",
            "holds: {existence: $@/title}",
            "omission-and-completeness",
            "for-all with set-membership",
        ),
        (
            "{atMost: 50, set: catalogue}",
            "{exact: 50, set: catalogue}",
            "omission-and-completeness",
            "(covers-by-key)",
        ),
        (
            "  - check: {equality: [$list/last, $put.arguments/title]}",
            "  - check: {all: [{equality: [$list/last, Emma]}, {equality: [$put.arguments/title, Emma]}]}",
            "state-change-read-back",
            "`put-book` was sent",
        ),
    ];
    for (taken, put, rule, said) in cases {
        let edited = KEPT.replace(taken, put).replace("operations: [], parameters: [], ", "parameters: [], ");
        assert_ne!(edited, KEPT, "{taken}");
        let found = gaps(&edited);
        if rule.is_empty() {
            assert_eq!(found, [], "{taken}");
            continue;
        }
        // Without a word on lists, neither rule on lists is kept.
        let rules: Vec<&str> = found
            .iter()
            .map(|(rule, _)| rule.as_str())
            .filter(|r| rule == "omission-and-completeness" || *r != "omission-and-completeness")
            .collect();
        assert_eq!(rules, [rule], "{taken}: {found:?}");
        assert!(found.iter().any(|(r, reason)| r == rule && reason.contains(said)), "{taken}: {found:?}");
    }
}

#[test]
fn the_first_place_of_each_gap_is_named() {
    let contract = Contract::read(&lending_desk()).unwrap();
    let found = coverage::gaps(&contract);
    let rules: Vec<&str> = found.iter().map(|gap| gap.rule).collect();
    // Nothing is said to behave alike there, in so many words, so nothing has to be compared.
    let wanted = [
        "success-indicator-separation",
        "whole-body",
        "malformed-input",
        "per-record",
        "omission-and-completeness",
        "state-change-read-back",
    ];
    assert_eq!(rules, wanted);
    assert!(found.iter().all(|gap| gap.severity == "critical"), "the gravest behaviour's");
    let reason = |rule: &str| found.iter().find(|gap| gap.rule == rule).unwrap().reason.clone();
    assert_eq!(reason("per-record"), "operation `get-loan` does not say whether its result holds lists");
    assert!(reason("omission-and-completeness").contains("`/loans` of operation `list-loans`"));
    assert!(reason("state-change-read-back").contains("operation `borrow-book` was sent"));
}

struct Bench(tempfile::TempDir);

impl Bench {
    fn new() -> Bench {
        let bench = Bench(tempfile::tempdir().unwrap());
        for (name, value) in [
            ("c.json", lending_desk()),
            ("probe.json", probe()),
            ("policy.json", with(policy(), &[("/minimumTrialCount", json!(3))])),
            ("pre.json", preflight(true)),
            ("eval.json", evaluator()),
        ] {
            bench.write(name, &value);
        }
        bench
    }

    fn write(&self, name: &str, value: &Value) {
        std::fs::write(self.0.path().join(name), value.to_string()).unwrap();
    }

    /// Score these records, each with an isolation manifest of its run.
    fn score(&self, records: &[Value], more: &[&str]) -> (i32, Value, String) {
        let corpus = digest('8');
        let mut args: Vec<String> = [
            "score",
            "--contract",
            "c.json",
            "--probe",
            "probe.json",
            "--policy",
            "policy.json",
            "--preflight",
            "pre.json",
            "--evaluator",
            "eval.json",
            "--corpus-digest",
            &corpus,
            "--format",
            "json",
        ]
        .map(str::to_string)
        .into();
        for (i, record) in records.iter().enumerate() {
            let (name, manifest) = (format!("run-{i}.json"), format!("iso-{i}.json"));
            self.write(&name, record);
            let of_run =
                [("/runId", record["runId"].clone()), ("/contractDigest", record["contractDigest"].clone())];
            self.write(&manifest, &with(isolation(), &of_run));
            args.extend(["--record".to_string(), name, "--isolation".to_string(), manifest]);
        }
        let out = verity().current_dir(self.0.path()).args(&args).args(more).output().unwrap();
        let (text, err) = (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap());
        let report = serde_json::from_str(&text).unwrap_or(Value::Null);
        if !report.is_null() {
            check_schema("score-report.schema.json", &report);
        }
        (out.status.code().unwrap(), report, err)
    }
}

/// A trial in which the defect struck, and was seen or not.
fn trial(n: u64, is_seen: bool) -> Value {
    let findings = if is_seen { json!([finding("F-001", "obs-find", "(none)")]) } else { json!([]) };
    let run = json!(format!("run-{n}"));
    with(record(), &[("/trialIndex", json!(n)), ("/runId", run), ("/findings", findings)])
}

#[test]
fn a_defect_is_caught_by_more_of_the_trials_than_the_threshold() {
    let bench = Bench::new();
    // The records come in any order; what is reported first is the first trial.
    let (code, report, err) = bench.score(&[trial(3, true), trial(1, true), trial(2, true)], &[]);
    assert_eq!((code, &report["verdict"], err.as_str()), (0, &json!("CONCERNS"), ""));
    assert_eq!(report["run_id"], "run-1");
    assert_eq!(
        report["further_trials"].as_array().unwrap().iter().map(|t| &t["trial"]).collect::<Vec<_>>(),
        [2, 3]
    );
    assert_eq!(report["trials"], json!({"declared_minimum": 3, "completed": 3, "invalidated": []}));
    let caught = json!({"caught": 1, "exercised": 1, "rate": 1.0});
    assert_eq!(
        report["strength"]["vector"],
        json!({"defect": caught, "gameability": null, "zero-action": null})
    );
    assert_eq!(
        (&report["strength"]["comparable"], &report["strength"]["note"]),
        (&json!(true), &json!(null))
    );
    // The contract's gaps are all that speaks against it.
    let basis: Vec<&str> = report["basis"].as_array().unwrap().iter().map(|b| b.as_str().unwrap()).collect();
    assert!(basis.len() == 6 && basis.iter().all(|line| line.starts_with("coverage: ")), "{basis:?}");
    assert_eq!(report["coverage_gaps"].as_array().unwrap().len(), 6);
    // A trial that missed it fails, by its number; two of three still caught it.
    let (code, report, _) = bench.score(&[trial(1, true), trial(2, false), trial(3, true)], &[]);
    assert_eq!((code, &report["verdict"]), (1, &json!("FAIL")));
    assert_eq!(report["basis"][0], "trial 2: P-001 was triggered and no finding says so");
    assert_eq!(report["strength"]["vector"]["defect"]["caught"], 1);
    // A tie is no majority.
    let (_, report, _) = bench.score(&[trial(1, true), trial(2, false)], &[]);
    assert_eq!(report["strength"]["vector"]["defect"], json!({"caught": 0, "exercised": 1, "rate": 0.0}));
    assert_eq!(report["strength"]["comparable"], false);
    assert_eq!(report["strength"]["note"], "not to be compared: 2 of 3 trials");
    // In a trial in which the defect did not strike nobody could see it: it is no vote.
    let fine = [("/observations/1/responseBody/title", json!("Emma"))];
    let (_, report, _) =
        bench.score(&[trial(1, true), with(trial(2, false), &fine), with(trial(3, false), &fine)], &[]);
    assert_eq!(report["strength"]["vector"]["defect"]["rate"], 1.0);
    let (_, report, _) = bench.score(&[with(trial(1, false), &fine)], &[]);
    assert_eq!(report["strength"]["vector"]["defect"], json!({"caught": 0, "exercised": 0, "rate": null}));
}

#[test]
fn trials_that_do_not_count_or_are_no_set() {
    let bench = Bench::new();
    let broken = with(trial(2, true), &[("/invalidReason", json!("The network was down."))]);
    let (code, report, _) = bench.score(&[trial(1, true), broken, trial(3, true)], &[]);
    assert_eq!((code, &report["verdict"]), (2, &json!(null)));
    assert_eq!(report["trials"]["completed"], 2);
    assert_eq!(report["trials"]["invalidated"][0]["trial"], 2);
    assert_eq!(
        report["invalid"],
        json!(["trial 2: the record says that the run is invalid: The network was down."])
    );
    let other =
        with(trial(2, true), &[("/mode", json!("production")), ("/evaluatorRecommendation", json!("PASS"))]);
    let (code, report, _) = bench.score(&[trial(1, true), other, trial(1, true)], &[]);
    assert_eq!(code, 2);
    let said = report["invalid"].to_string();
    for found in [
        "the mode of trial 2 is production, not contract-scoring",
        "the recommendation of trial 2 is PASS, not FAIL",
        "two records say that they are trial 1",
    ] {
        assert!(said.contains(found), "{found}: {said}");
    }
    // Three that do not count, where two may be made again.
    let dead = |n| with(trial(n, true), &[("/invalidReason", json!("Down."))]);
    let (_, report, _) = bench.score(&[dead(1), dead(2), dead(3)], &[]);
    assert!(report["invalid"].to_string().contains("3 trials do not count"), "{}", report["invalid"]);
    // One manifest too few.
    bench.write("more.json", &trial(2, true));
    let (code, _, err) = bench.score(&[trial(1, true)], &["--record", "more.json"]);
    assert!(code == 2 && err.contains("2 records and 1 isolation manifests"), "{err}");
}

#[test]
fn what_is_only_thin_is_no_failure_under_strict() {
    let bench = Bench::new();
    // Gaps of a severity below the floor do not count.
    bench.write("policy.json", &with(policy(), &[("/minimumTrialCount", json!(3))]));
    let mut mild = lending_desk();
    for behavior in mild["behaviors"].as_array_mut().unwrap() {
        behavior["severity"] = json!("low");
    }
    bench.write("c.json", &mild);
    let of_mild = |record: Value| with(record, &[("/contractDigest", json!(canonical::digest(&mild)))]);
    let (code, report, _) = bench.score(&[of_mild(trial(1, true))], &["--strict"]);
    assert_eq!((code, &report["verdict"]), (0, &json!("CONCERNS")), "{:#}", report["basis"]);
    assert_eq!(
        report["basis"],
        json!(["1 of 3 trials that count, of those that the policy asks for before rates are compared"])
    );
    assert_eq!(report["strict_promotable"], false);
    let unsure = with(of_mild(trial(1, true)), &[("/findings/0/confidence", json!(0.1))]);
    let (code, report, _) = bench.score(&[unsure], &["--strict"]);
    assert_eq!(
        (code, &report["verdict"], &report["strict_promotable"]),
        (1, &json!("CONCERNS"), &json!(true))
    );
    // In production the evaluator's own advice counts; of a defective system it is only kept.
    let produced = |advice: &str| {
        with(
            of_mild(trial(1, true)),
            &[("/mode", json!("production")), ("/evaluatorRecommendation", json!(advice))],
        )
    };
    let basis = |advice: &str| bench.score(&[produced(advice)], &[]).1["basis"].to_string();
    assert!(basis("FAIL").contains("the evaluator recommends FAIL"));
    assert!(basis("CONCERNS").contains("the evaluator recommends CONCERNS"));
    assert!(!basis("PASS").contains("recommends"));
    let (_, report, _) = bench.score(&[of_mild(trial(1, true))], &[]);
    assert_eq!(report["recommendation"], "FAIL");
    assert!(!report["basis"].to_string().contains("recommends"));
}

#[test]
fn a_contract_accounts_for_its_revisions() {
    let bench = Bench::new();
    let origin = lending_desk();
    let mut first = lending_desk();
    first["parentDigest"] = json!(canonical::digest(&origin));
    first["revisionCount"] = json!(1);
    first["behaviors"][0]["description"] = json!("Said better.");
    let mut second = first.clone();
    second["parentDigest"] = json!(canonical::digest(&first));
    second["revisionCount"] = json!(2);
    for (name, value) in [("c.json", &second), ("c0.json", &origin), ("c1.json", &first)] {
        bench.write(name, value);
    }
    let run = with(trial(1, true), &[("/contractDigest", json!(canonical::digest(&second)))]);
    let lineage = |files: &[&str]| {
        let flags: Vec<&str> = files.iter().flat_map(|file| ["--ancestor", file]).collect();
        let (code, report, err) = bench.score(std::slice::from_ref(&run), &flags);
        assert_eq!(err, "");
        (code, report["remediation"].clone(), report)
    };
    let holds = json!({"length_consistent": true, "no_repeated_digest": true, "no_gap": true});
    let (code, found, _) = lineage(&["c1.json", "c0.json"]);
    assert_eq!((code, &found["lineage_chain"], &found["defects"]), (0, &holds, &json!([])));
    assert_eq!(
        (&found["revision_count"], &found["cap"], &found["cap_source"]),
        (&json!(2), &json!(3), &json!("caller-attested"))
    );
    // Not presented is not checked, and said.
    let (code, found, report) = lineage(&[]);
    assert_eq!((code, &found["lineage_chain"]), (0, &json!(null)));
    assert!(
        report["notes"].to_string().contains("revision 2 of the contract, and no ancestor was presented")
    );
    for (files, key, said) in [
        (&["c1.json"][..], "length_consistent", "2 ancestors, and 1 were presented"),
        (&["c0.json", "c1.json", "c1.json"], "no_repeated_digest", "is presented 2 times"),
        (&["c0.json", "c0.json"], "no_gap", "names the parent"),
    ] {
        let (code, found, report) = lineage(files);
        assert_eq!(
            (code, &found["lineage_chain"][key], &report["verdict"]),
            (1, &json!(false), &json!("FAIL")),
            "{files:?}"
        );
        assert!(found["defects"].to_string().contains(said), "{files:?} {found}");
    }
}
