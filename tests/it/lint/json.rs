//! The JSON report and its schema: neither changes without the other.

use super::made::{document, finding, linted, span};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use verity::error::{ErrorCode, InputError};
use verity::finding::{Confidence, Impact, Severity, Span};
use verity::report::json::{Errors, Fix, Manifest, Repair, Report, ReportedFinding, Summary, render};
use verity::schema::{Dialect, Judge, judge::Formats};

fn schema() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/lint-report.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Why `report` breaks the published schema, if it does; formats asserted.
pub fn violations(report: &Value) -> Vec<String> {
    let judge = Judge::compile(&schema(), Dialect::Draft202012, Formats::Assert).unwrap();
    judge.violations(report).into_iter().map(|v| format!("{}: {}", v.instance_pointer, v.message)).collect()
}

/// A report with a value in every field. A new field of a type does not compile here until it is
/// given one, and is then missed in the schema by the tests below.
fn full(witness: &Value, errors: &[InputError]) -> Value {
    let span = Span { line: 3, column: 20, end_line: 3, end_column: 27, offset: 71, length: 7 };
    let fix = Fix { kind: "equal", does: "delete it" };
    let repair = Repair {
        rule: "MCP-TOOL-INVALID",
        tool: Some("t"),
        path: "tools.json",
        pointer: "/tools/0",
        fix,
        outcome: "left",
        reason: Some("r"),
    };
    let finding = ReportedFinding {
        rule: "MCP-TOOL-INVALID",
        severity: Severity::Error,
        confidence: Confidence::Medium,
        tool: Some("t".into()),
        profile: Some("openai"),
        pointer: "/tools/0",
        source_pointer: Some("/result/tools/0"),
        span: Some(span),
        file: Some("a.snap"),
        message: "m",
        evidence: Some("e"),
        witness: Some(witness),
        impact: Impact::Request,
        help: "h",
        fix: Some(fix),
        fingerprint: "f",
        suppressed: Some("s"),
    };
    let digest = format!("sha256:{}", "0a".repeat(32));
    let manifest = Manifest {
        path: "tools.json",
        shape: "tools-object",
        server: Some("s"),
        tool_count: 1,
        digest: &digest,
        findings: vec![finding],
        suppressed: 1,
    };
    let report = Report {
        schema_version: 1,
        verity: "0.1.0",
        profiles: vec!["mcp-2026-07-28".to_string()],
        manifests: vec![manifest],
        summary: Summary { error: 0, warning: 0, info: 0, suppressed: 1 },
        fixes: Some(vec![repair]),
        errors: Errors { error: errors.first(), errors: Some(errors) },
    };
    serde_json::to_value(report).unwrap()
}

fn error() -> InputError {
    InputError::new(ErrorCode::NotJson, "m").at("p").line_column(1, 2)
}

#[test]
fn the_schema_accepts_a_full_report_and_an_error_alone() {
    assert_eq!(violations(&full(&json!({"a": 1}), &[error(), error()])), Vec::<String>::new());
    assert_eq!(violations(&json!({"schema_version": 1, "error": error()})), Vec::<String>::new());
    for (errors, keys) in [
        (vec![error()], json!(["schema_version", "error"])),
        (vec![error(), error()], json!(["schema_version", "error", "errors"])),
    ] {
        let alone: Value = serde_json::from_str(&render(&[], &errors)).unwrap();
        assert_eq!(violations(&alone), Vec::<String>::new());
        assert_eq!(json!(alone.as_object().unwrap().keys().collect::<Vec<_>>()), keys);
    }
}

#[test]
fn the_schema_refuses_what_is_no_report() {
    let good = full(&json!({}), &[error(), error()]);
    let broken = |change: &dyn Fn(&mut Value)| {
        let mut report = good.clone();
        change(&mut report);
        assert_ne!(violations(&report), Vec::<String>::new(), "{report:#}");
    };
    broken(&|r| r["schema_version"] = json!(2));
    broken(&|r| r["more"] = json!(true));
    broken(&|r| drop(r.as_object_mut().unwrap().remove("summary")));
    broken(&|r| r["manifests"][0]["findings"][0]["severity"] = json!("fatal"));
    broken(&|r| r["manifests"][0]["findings"][0]["span"]["line"] = json!(0));
    broken(&|r| r["manifests"][0]["findings"][0]["pointer"] = json!("tools/0"));
    broken(&|r| drop(r["manifests"][0].as_object_mut().unwrap().remove("server")));
    broken(&|r| drop(r["manifests"][0]["findings"][0].as_object_mut().unwrap().remove("profile")));
    broken(&|r| r["manifests"][0]["digest"] = json!("sha256:0"));
    broken(&|r| r["error"]["code"] = json!("whatever"));
}

/// The members that the types write are those that the schema lists, at every level.
#[test]
fn the_schema_lists_the_members_of_the_types() {
    let (schema, report) = (schema(), full(&json!(null), &[error(), error()]));
    let pairs = [
        ("", ""),
        ("/properties/summary", "/summary"),
        ("/$defs/manifest", "/manifests/0"),
        ("/$defs/finding", "/manifests/0/findings/0"),
        ("/$defs/fix", "/manifests/0/findings/0/fix"),
        ("/$defs/repair", "/fixes/0"),
        ("/$defs/finding/properties/span", "/manifests/0/findings/0/span"),
        ("/$defs/error", "/error"),
    ];
    for (in_schema, in_report) in pairs {
        let listed = schema.pointer(in_schema).unwrap();
        let keys = |v: &Value| v.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
        let written = keys(report.pointer(in_report).unwrap());
        assert_eq!(keys(&listed["properties"]), written, "{in_schema}");
        assert_eq!(listed["additionalProperties"], json!(false), "{in_schema}");
        if !in_schema.is_empty() {
            let mut required: BTreeSet<String> = serde_json::from_value(listed["required"].clone()).unwrap();
            if in_schema == "/$defs/finding" {
                assert!(required.insert("file".to_string()), "`file` alone may be absent");
            }
            assert_eq!(required, written, "every member is always there: {in_schema}");
        }
    }
}

/// `error.code` in the schema is the list of the codes that there are.
#[test]
fn the_schema_lists_the_error_codes() {
    let all = [
        ErrorCode::NoTools,
        ErrorCode::Incomplete,
        ErrorCode::Unreadable,
        ErrorCode::NotJson,
        ErrorCode::NotAManifest,
        ErrorCode::TooLarge,
        ErrorCode::ServerError,
        ErrorCode::NothingGradeable,
        ErrorCode::Findings,
        ErrorCode::Output,
        ErrorCode::NotAPack,
        ErrorCode::NotARecording,
        ErrorCode::NotAnExpectation,
        ErrorCode::NotJudged,
        ErrorCode::NotAControl,
        ErrorCode::BrokenAttempt,
        ErrorCode::ForbiddenTarget,
        ErrorCode::PortFailure,
        ErrorCode::BudgetExhausted,
        ErrorCode::Aborted,
        ErrorCode::PortContractViolation,
        ErrorCode::Usage,
        ErrorCode::Internal,
    ];
    // Does not compile when a code is added: add it above, too.
    for code in all {
        match code {
            ErrorCode::NoTools
            | ErrorCode::Incomplete
            | ErrorCode::Unreadable
            | ErrorCode::NotJson
            | ErrorCode::NotAManifest
            | ErrorCode::TooLarge
            | ErrorCode::ServerError
            | ErrorCode::NothingGradeable
            | ErrorCode::Findings
            | ErrorCode::Output
            | ErrorCode::NotAPack
            | ErrorCode::NotARecording
            | ErrorCode::NotAnExpectation
            | ErrorCode::NotJudged
            | ErrorCode::NotAControl
            | ErrorCode::BrokenAttempt
            | ErrorCode::ForbiddenTarget
            | ErrorCode::PortFailure
            | ErrorCode::BudgetExhausted
            | ErrorCode::Aborted
            | ErrorCode::PortContractViolation
            | ErrorCode::Usage
            | ErrorCode::Internal => {}
        }
    }
    assert_eq!(schema()["$defs"]["error"]["properties"]["code"]["enum"], json!(all));
}

#[test]
fn suppressed_findings_are_listed_and_not_counted() {
    let text = "{\"tools\":[{\"name\":\"t\"}]}";
    let at = Some(span(text, "\"t\""));
    let mut suppressed = finding("MCP-TOOL-INVALID", Severity::Error, "/tools/0/name", at, "m");
    suppressed.suppressed = Some("accepted".to_string());
    let counted = finding("MCP-NAME-LENGTH", Severity::Warning, "/tools/0/name", at, "m");
    let report = render(&[linted(document("t.json", text), &["t"], vec![suppressed, counted])], &[]);
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["summary"], json!({"error": 0, "warning": 1, "info": 0, "suppressed": 1}));
    assert_eq!(report["manifests"][0]["suppressed"], json!(1));
    assert_eq!(report["manifests"][0]["findings"].as_array().unwrap().len(), 2);
    assert_eq!(
        report["manifests"][0]["findings"][0]["span"],
        json!({"line": 1, "column": 19, "end_line": 1, "end_column": 22, "offset": 18, "length": 3})
    );
}
