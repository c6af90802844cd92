//! The command line.

use super::{edited, gone, lending_desk, set};
use crate::support::{fixture, verity};
use serde_json::{Value, json};
use std::path::Path;

struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

fn run(args: &[&str], folder: &Path) -> Run {
    let out = verity().current_dir(folder).args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run { code: out.status.code().unwrap(), stdout: text(out.stdout), stderr: text(out.stderr) }
}

fn written(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

#[test]
fn a_sound_contract_is_printed_canonically() {
    let path = fixture("contracts/lending-desk.json");
    let ran = run(&["contract", "check", path.to_str().unwrap(), "-q"], Path::new("."));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(
        ran.stdout.starts_with("{\"behaviors\":[{\"description\":\"A book")
            && ran.stdout.ends_with("\"}}]}\n")
            || ran.stdout.ends_with("}\n")
    );
    assert_eq!(serde_json::from_str::<Value>(&ran.stdout).unwrap(), lending_desk());
    // Canonical text is its own canonical text, characters that act on a screen included.
    let text = edited(&[set("/safetyLimits/0", json!("a\u{202e}b\u{7f}é"))]).to_string();
    let folder = written(&[("c.json", &text)]);
    let first = run(&["contract", "check", "c.json", "-q"], folder.path());
    assert!(first.stdout.contains("a\u{202e}b\u{7f}é"), "{}", first.stdout);
    std::fs::write(folder.path().join("d.json"), &first.stdout).unwrap();
    assert_eq!(run(&["contract", "check", "d.json", "-q"], folder.path()).stdout, first.stdout);
}

#[test]
fn what_is_wrong_is_one_line_with_its_place() {
    let broken = serde_json::to_string_pretty(&edited(&[set("/waivers/0/rule", json!(null))])).unwrap();
    let unknown = serde_json::to_string_pretty(&edited(&[set("/budgets/maxCalls", json!(1))])).unwrap();
    let line = |text: &str, needle: &str| text.lines().position(|l| l.contains(needle)).unwrap() + 1;
    let twice = lending_desk().to_string().replacen('{', "{\"contractId\":\"x\",", 1);
    let huge = lending_desk().to_string().replace("\"maxToolCalls\":30", "\"maxToolCalls\":1e999");
    let folder = written(&[
        ("broken.json", &broken),
        ("unknown.json", &unknown),
        ("twice.json", &twice),
        ("no.json", "{\"a\": }"),
        ("lines.json", "{}\n{}\n"),
        ("huge.json", &huge),
    ]);
    let check = |file: &str| run(&["contract", "check", file], folder.path());
    let ran = check("broken.json");
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    let rule = line(&broken, "\"rule\": null");
    assert!(
        ran.stderr.starts_with(&format!(
            "verity: waiver-incomplete: broken.json:{rule}:15 /waivers/0/rule: W-001 says no `rule`"
        )),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.stderr.lines().count(), 1);
    let ran = check("unknown.json");
    let key = line(&unknown, "maxCalls");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr
            .starts_with(&format!("verity: parse: unknown.json:{key}:5 /budgets/maxCalls: unknown key")),
        "{}",
        ran.stderr
    );
    let ran = check("twice.json");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.starts_with("verity: parse: twice.json:1:")
            && ran.stderr.contains("`contractId` occurs 2 times"),
        "{}",
        ran.stderr
    );
    let ran = check("no.json");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.starts_with("verity: parse: no.json:1:7: "), "{}", ran.stderr);
    assert!(check("lines.json").stderr.starts_with("verity: parse: lines.json: one JSON document"));
    let ran = check("huge.json");
    assert!(ran.code == 2 && ran.stderr.contains("no reader keeps `1e999`"), "{}", ran.stderr);
    let ran = check("absent.json");
    assert!(ran.code == 2 && ran.stderr.starts_with("error: absent.json: "), "{}", ran.stderr);
}

#[test]
fn tools_of_a_listing_have_the_keys() {
    let tool = |name: &str, arguments: Value, required: Value, result: Option<Value>| {
        let mut tool = json!({"name": name, "inputSchema": {"type": "object", "properties": arguments, "required": required}});
        if let Some(result) = result {
            tool["outputSchema"] = json!({"type": "object", "properties": result});
        }
        tool
    };
    let listing = |get: Value| {
        json!({"tools": [
            // By way of a reference and of a union's branch.
            {"name": "list_loans", "inputSchema": {"type": "object", "$ref": "#/$defs/page", "$defs": {"page": {"properties": {"page": {"type": "number"}}}}, "properties": {"member": {}}, "required": ["member"]},
             "outputSchema": {"type": "object", "anyOf": [{"properties": {"loans": {}}}, {"properties": {"total": {}}, "patternProperties": {"^as": {}}}]}},
            get,
            tool("borrow_book", json!({"member": {}, "title": {}, "days": {}}), json!(["member", "title"]), Some(json!({"accepted": {}, "loanId": {}, "dueAt": {}}))),
            tool("reset_desk", json!({}), json!([]), Some(json!({"done": {}}))),
        ]}).to_string()
    };
    let results = || Some(json!({"loanId": {}, "title": {}, "open": {}, "notes": {}}));
    let contract = lending_desk().to_string();
    let ran = |tools: &str| {
        let folder = written(&[("c.json", &contract), ("tools.json", tools)]);
        run(&["contract", "check", "c.json", "--tools", "tools.json"], folder.path())
    };
    let fine = ran(&listing(tool("get_loan", json!({"loanId": {}}), json!(["loanId"]), results())));
    assert_eq!(fine.code, 0, "{}", fine.stderr);
    let renamed = ran(&listing(tool("get_loans", json!({"loanId": {}}), json!([]), results())));
    assert_eq!(renamed.code, 1);
    assert!(
        renamed.stderr.starts_with("verity: tool-not-listed: c.json:1:")
            && renamed.stderr.contains("did you mean `get_loans`?"),
        "{}",
        renamed.stderr
    );
    let argument = ran(&listing(tool("get_loan", json!({"loan_id": {}}), json!([]), results())));
    assert!(
        argument.code == 1
            && argument.stderr.contains("verity: argument-not-listed: ")
            && argument.stderr.contains("no `loanId`; it has `loan_id`"),
        "{}",
        argument.stderr
    );
    let result = ran(&listing(tool(
        "get_loan",
        json!({"loanId": {}}),
        json!([]),
        Some(json!({"loanId": {}, "title": {}, "open": {}})),
    )));
    assert!(
        result.code == 1
            && result.stderr.contains("verity: result-not-listed: ")
            && result.stderr.contains("/permittedKeys/3: "),
        "{}",
        result.stderr
    );
    let prose =
        ran(&listing(tool("get_loan", json!({"loanId": {}, "desk": {}}), json!(["loanId", "desk"]), None)));
    assert_eq!(prose.code, 0);
    assert!(
        prose.stderr.contains("declares no outputSchema") && prose.stderr.contains("requires `desk`"),
        "{}",
        prose.stderr
    );
    let incomplete = ran(&json!({"tools": [], "nextCursor": "x"}).to_string());
    assert_eq!(incomplete.code, 2);
}

#[test]
fn what_is_probably_not_meant_is_said() {
    let edits = [
        set(
            "/oracles/0/check/operands/1/operands/0/pointer",
            json!("/interactions/borrow/response-body/loanId"),
        ),
        set("/oracles/0/direction/evidenceTargets/1", json!("/interactions/borrow/response-body/loanId")),
        set("/interactionPlan/1/after", json!(null)),
        set("/interactionPlan/2/after", json!(null)),
        set("/interactionPlan/1/inputBinding/arguments/loanId", json!({"literal": "L-1"})),
        set("/behaviors/1/oracles/0", json!("O-300")),
        set(
            "/permittedInterfaces/0/operations/0/responseDescriptor/collectionLocations/0/referenceSet",
            json!("shelf"),
        ),
        set("/permittedInterfaces/0/operations/3/responseDescriptor/permittedKeys/-", json!("isError")),
        set(
            "/interactionPlan/-",
            json!({"stepId": "lost", "interfaceId": "desk", "operationId": "gone", "inputBinding": {"arguments": null}, "after": "nobody", "cardinality": "any"}),
        ),
    ];
    let folder = written(&[("c.json", &edited(&edits).to_string())]);
    let ran = run(&["contract", "check", "c.json"], folder.path());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let wanted = [
        "/behaviors/1/oracles/0: B-002 names the oracle O-300",
        "/oracles/0/check: O-001 believes what the write `borrow` says of itself",
        "/oracles/1/check: `/interactions/list/response-body/loans` may be empty",
        "/interactionPlan/3/operationId: step `lost` calls operation `gone`",
        "/interactionPlan/3/after: no step `nobody`",
        "collectionLocations/0/referenceSet: the contract declares no reference set `shelf`",
        "/responseDescriptor: `isError` belongs to the answer",
    ];
    for text in wanted {
        assert!(ran.stderr.contains(text), "{text}\n{}", ran.stderr);
    }
    assert_eq!(ran.stderr.lines().count(), wanted.len(), "{}", ran.stderr);
    // Read back, of a fixed length, about the tool's own result: nothing is left to say.
    let quiet = [
        set(
            "/permittedInterfaces/0/operations/0/responseDescriptor/collectionLocations/0/expectedCardinality",
            json!({"mode": "exact", "count": 2}),
        ),
        gone("/waivers/0"),
    ];
    let folder = written(&[("c.json", &edited(&quiet).to_string())]);
    assert_eq!(run(&["contract", "check", "c.json"], folder.path()).stderr, "");
}
