//! The short form, and contracts drafted from a listing.

use super::lending_desk;
use crate::support::{fixture, verity};
use serde_json::{Value, json};
use std::path::Path;
use verity::contract::{Code, Contract, compile, short};

const LENDING_DESK: &str = r#"
contract: lending-desk
interface: desk
tools:
  list_loans:
    arguments: {member: string, page: number?}
    result: {loans: array, total: number, asOf: any?}
    roles: {/loans: collection, /total: payload}
    collections: {/loans: {atMost: 50, set: catalogue}}
    volatile: [/asOf]
    witness: {calls: [{member: ann}, {member: bob}], differ: /loans}
  get_loan:
    arguments: {loanId: string}
    result: {loanId: string, title: string, open: boolean, notes: any?}
    success: /open
    witness: {calls: [{loanId: L-1}, {loanId: L-2}], differ: /title}
  borrow_book:
    changes: true
    arguments: {member: string, title: string, days: number?}
    result: {accepted: boolean, loanId: string, dueAt: string?}
    success: /accepted
    roles: {}
    volatile: [/dueAt]
    witness: {calls: [{member: ann, title: Emma}, {member: ann, title: No such book}], differ: /accepted}
  reset_desk:
    changes: true
    result: {done: boolean}
    success: /done
behaviors:
  - says: A book that is borrowed is on loan afterwards.
    criterion: The loan can be read back, with the title that was asked for.
    severity: critical
    requirements: [tracker:LEND-7]
    oracles: [O-001, O-002]
  - says: Only titles of the catalogue are lent.
    criterion: Every title on loan is one of the catalogue.
    risks: [tracker:RISK-2]
    oracles: [O-003, O-004]
steps:
  borrow: {tool: borrow_book, with: {member: {principal: reader}, title: Emma}}
  find: {tool: get_loan, with: {loanId: $borrow/loanId}, after: borrow}
  list: {tool: list_loans, with: {member: {matcher: any}}, after: borrow, count: any}
oracles:
  - check: {all: [{equality: [$borrow/accepted, true]}, {existence: $find/title}]}
  - check: {for-any: $list/loans, holds: {equality: [$@/title, Emma]}}
    scope: After the loan.
    commentary: The list is read back.
  - check: {set-membership: $find/title, in: {referenceSet: catalogue}}
  - check: {covers-by-key: $list/loans, set: catalogue, expectedKey: title, actualKey: title}
    expect: violation
  - check: {regex: $find/loanId, pattern: "^L-[0-9]+$"}
referenceSets:
  catalogue: {keys: [title], members: [{title: Emma}, {title: Ulysses}], commentary: null}
siblingGroups: {operations: [], parameters: []}
testData: {setup: null, cleanup: null, principals: {reader: {kind: account}}, resources: null}
budgets: {maxToolCalls: 30, maxWallClockMinutes: 10, maxCostUsd: "1.50"}
safetyLimits: [No book is lent to a real member.]
fixtureReset: {legId: desk-reset, interfaceId: desk, operationId: reset-desk, inputs: {arguments: {}}}
waivers:
  - {id: W-001, rule: sibling-coverage, rationale: There is one list only., condition: null, approval: "Desk lead, 2026-10-01", expiresAt: "2027-10-01T00:00:00Z"}
"#;

fn expanded(yaml: &str) -> Value {
    let loaded = verity::yaml::read(yaml).unwrap();
    assert!(short::is_short(&loaded.value));
    short::expand(&loaded.value).unwrap().value
}

fn refused(yaml: &str) -> (Code, String, String) {
    let failure = short::expand(&verity::yaml::read(yaml).unwrap().value).map(|_| ()).unwrap_err();
    (failure.code, failure.pointer, failure.detail)
}

/// The short form of the fixture says all that the fixture says, but for its rubric and the names of its legs.
#[test]
fn the_short_form_expands_to_the_full_document() {
    let full = expanded(LENDING_DESK);
    compile::check(&Contract::read(&full).unwrap()).unwrap();
    let mut wanted = lending_desk();
    wanted["rubrics"] = json!([]);
    // No collections and none declared are different answers: the fixture has the other one here.
    wanted["permittedInterfaces"][0]["operations"][2]["responseDescriptor"]["collectionLocations"] =
        json!(null);
    for (from, to) in [
        ("list-a", "list-loans-a"),
        ("list-b", "list-loans-b"),
        ("list-witness", "list-loans-witness"),
        ("get-a", "get-loan-a"),
        ("get-b", "get-loan-b"),
        ("get-witness", "get-loan-witness"),
        ("borrow-a", "borrow-book-a"),
        ("borrow-b", "borrow-book-b"),
        ("borrow-witness", "borrow-book-witness"),
    ] {
        let text = wanted.to_string().replace(&format!("\"{from}\""), &format!("\"{to}\""));
        wanted = serde_json::from_str(&text.replace(&format!("/{from}/"), &format!("/{to}/"))).unwrap();
    }
    for key in wanted.as_object().unwrap().keys() {
        assert_eq!(full[key], wanted[key], "{key}");
    }
    assert_eq!(full.as_object().unwrap().len(), 21);
}

#[test]
fn a_plain_date_is_a_text() {
    let text = LENDING_DESK
        .replace("with: {loanId: $borrow/loanId}", "with: {loanId: 2026-11-30}")
        .replace("[$@/title, Emma]", "[$@/title, 2026-11-30]");
    let full = expanded(&text);
    let find = &full["interactionPlan"][1]["inputBinding"]["arguments"]["loanId"];
    assert_eq!(find, &json!({"literal": "2026-11-30"}));
    assert_eq!(full["oracles"][1]["check"]["predicate"]["operands"][1], json!({"literal": "2026-11-30"}));
    // And in a full document that is written in YAML.
    let folder = tempfile::TempDir::new().unwrap();
    let full = lending_desk().to_string();
    let full = full.replace("\"2027-10-01T00:00:00Z\"", " 2027-10-01T00:00:00Z");
    std::fs::write(folder.path().join("c.yaml"), &full).unwrap();
    let out =
        verity().current_dir(folder.path()).args(["contract", "check", "-q", "c.yaml"]).output().unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(full.contains("\"expiresAt\": 2027"));
    assert!(String::from_utf8_lossy(&out.stdout).contains(r#""expiresAt":"2027-10-01T00:00:00Z""#));
}

#[test]
fn every_operator_and_operand_has_a_short_form() {
    let check = |yaml: &str| {
        let text = format!(
            "contract: c\ntools: {{t: {{result: {{a: any}}}}}}\nsteps: {{s: {{tool: t}}}}\noracles: [{{check: {yaml}}}]\n"
        );
        expanded(&text)["oracles"][0]["check"].clone()
    };
    let a = json!({"pointer": "/interactions/s/response-body/a"});
    let cases = [
        (
            "{deep-equality: [$s, $s.status]}",
            json!({"op": "deep-equality", "operands": [{"pointer": "/interactions/s/response-body"}, {"pointer": "/interactions/s/response-status"}]}),
        ),
        ("{containment: [$s/a, [1]]}", json!({"op": "containment", "operands": [a, {"literal": [1]}]})),
        (
            "{equality: [$s.arguments/q, {literal: $5}]}",
            json!({"op": "equality", "operands": [{"pointer": "/interactions/s/call-inputs/arguments/q"}, {"literal": "$5"}]}),
        ),
        (
            "{absence: /interactions/s/response-body/a}",
            json!({"op": "absence", "operands": [{"literal": "/interactions/s/response-body/a"}]}),
        ),
        (
            "{not: {existence: $s/a}}",
            json!({"op": "not", "operands": [{"op": "existence", "operands": [a]}]}),
        ),
        (
            "{any: [{existence: $s/a}, {absence: $s/a}]}",
            json!({"op": "any", "operands": [{"op": "existence", "operands": [a]}, {"op": "absence", "operands": [a]}]}),
        ),
        (
            "{set-membership: $s/a, in: [x]}",
            json!({"op": "set-membership", "operands": [a, {"literal": ["x"]}]}),
        ),
        (
            "{ordering: $s/a, key: k}",
            json!({"op": "ordering", "operands": [a], "key": "k", "order": "ascending"}),
        ),
        (
            "{count-tolerance: $s/a, expected: 3}",
            json!({"op": "count-tolerance", "operands": [a], "expected": 3, "tolerance": 0, "relative": false}),
        ),
        (
            "{shape: $s/a, keys: {n: number, t: any?}}",
            json!({"op": "shape", "operands": [a], "descriptor": {"requiredKeys": ["n"], "permittedKeys": ["n", "t"], "types": {"n": "number", "t": null}}}),
        ),
        (
            "{for-all: $s/a, holds: {existence: $@/}}",
            json!({"op": "for-all", "collection": a, "predicate": {"op": "existence", "operands": [{"pointer": "@/"}]}}),
        ),
        // The full form may stand anywhere.
        (
            "{op: existence, operands: [{pointer: /interactions/s/response-body/a}]}",
            json!({"op": "existence", "operands": [a]}),
        ),
    ];
    for (yaml, wanted) in cases {
        assert_eq!(check(yaml), wanted, "{yaml}");
    }
    // A witness's relation speaks of its two calls.
    let witness = |relation: &str| {
        expanded(&format!(
            "contract: c\ntools: {{getIt: {{arguments: {{q: string}}, result: {{a: any}}, witness: {{calls: [{{q: x}}, {{q: y}}], {relation}}}}}}}\n"
        ))
    };
    let relation = &witness("relation: {all: [{equality: [$a/a, $b/a]}, {existence: $b.status}]}")["permittedInterfaces"]
        [0]["operations"][0]["sensitivityWitness"]["relation"];
    assert_eq!(
        relation["operands"][0]["operands"][1],
        json!({"pointer": "/interactions/get-it-b/response-body/a"})
    );
    assert_eq!(
        witness("same: /a")["permittedInterfaces"][0]["operations"][0]["sensitivityWitness"]["relation"]["op"],
        "deep-equality"
    );
}

#[test]
fn slips_have_their_place() {
    let parse = |yaml: &str, pointer: &str, said: &str| {
        let (code, at, detail) = refused(yaml);
        assert_eq!((code, at.as_str()), (Code::Parse, pointer), "{detail}");
        assert!(detail.contains(said), "{detail}");
    };
    parse("contract: c\ntool: {}", "/tool", "did you mean `tools`?");
    parse("contract: C", "/contract", "an identifier");
    parse(
        "contract: c\ntools: {t: {arguments: {q: sting}}}",
        "/tools/t/arguments/q",
        "did you mean `string`?",
    );
    parse(
        "contract: c\ntools: {t: {arguments: {q: string}, witness: {calls: [{q: a}], differ: /a}}}",
        "/tools/t/witness/calls",
        "two calls, not 1",
    );
    parse(
        "contract: c\ntools: {t: {arguments: {q: string}, witness: {calls: [{q: a}, {q: b}]}}}",
        "/tools/t/witness",
        "one of `differ`",
    );
    for place in ["text", ".texts", ".json.a", "title"] {
        parse(
            &format!(
                "contract: c\ntools: {{t: {{arguments: {{q: string}}, witness: {{calls: [{{q: a}}, {{q: b}}], differ: {place}}}}}}}"
            ),
            "/tools/t/witness/differ",
            "a path in the result",
        );
    }
    parse("contract: c\nsteps: {s: {tool: t}}", "/steps/s/tool", "unknown tool `t`");
    parse("contract: c\ntools: {t: {}}\nsteps: {S: {tool: t}}", "/steps/S", "no identifier");
    parse("contract: c\nbehaviors: [{says: x}]", "/behaviors/0", "`criterion` is absent");
    parse(
        "contract: c\nbehaviors: [{says: x, criterion: y, requirements: [LEND-7]}]",
        "/behaviors/0/requirements/0",
        "tracker:LEND-7",
    );
    parse(
        "contract: c\noracles: [{check: {equals: [1, 2]}}]",
        "/oracles/0/check",
        "unknown operator `equals`",
    );
    parse(
        "contract: c\noracles: [{check: {equality: [$s.body, 2]}}]",
        "/oracles/0/check/equality/0",
        "$STEP/path",
    );
    parse("contract: c\noracles: [{check: {regex: $s/a}}]", "/oracles/0/check", "`pattern` is absent");
}

fn run(args: &[&str], folder: &Path) -> (i32, String, String) {
    let out = verity().current_dir(folder).args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
}

#[test]
fn what_breaks_a_rule_is_placed_in_the_short_form() {
    let folder = tempfile::tempdir().unwrap();
    let write = |text: &str| std::fs::write(folder.path().join("c.yaml"), text).unwrap();
    let check = || run(&["contract", "check", "c.yaml", "-q"], folder.path());
    write(LENDING_DESK);
    let (code, stdout, _) = check();
    assert_eq!(code, 0);
    assert_eq!(serde_json::from_str::<Value>(&stdout).unwrap(), expanded(LENDING_DESK));
    let line = |needle: &str| LENDING_DESK.lines().position(|l| l.contains(needle)).unwrap() + 1;
    let broken = [
        (
            "existence: $find/title",
            "existence: $find/author",
            "unreachable-check-evidence",
            line("$find/title}]"),
            "/oracles/0/check/all/1",
        ),
        (
            "title: Emma}}",
            "titel: Emma}}",
            "undeclared-mandatory-input",
            line("borrow: {tool"),
            "/steps/borrow/with/titel",
        ),
        (
            "{loanId: L-2}",
            "{loanId: L-1}",
            "malformed-operator-expression",
            line("{loanId: L-2}"),
            "/tools/get_loan/witness/legs",
        ),
        ("count: any", "count: one", "parse", line("count: any"), "/steps/list/count"),
        (
            "severity: critical",
            "severity: grave",
            "parse",
            line("severity: critical"),
            "/behaviors/0/severity",
        ),
    ];
    for (from, to, wanted, at, pointer) in broken {
        write(&LENDING_DESK.replacen(from, to, 1));
        let (_, _, stderr) = check();
        assert!(
            stderr.starts_with(&format!("verity: {wanted}: c.yaml:{at}:"))
                && stderr.contains(&format!(" {pointer}")),
            "{to}: {stderr}"
        );
    }
    write("contract: [");
    let (code, _, stderr) = check();
    assert!(code == 2 && stderr.starts_with("verity: parse: c.yaml:"), "{stderr}");
    // A full document in YAML is one, too.
    write(&verity::yaml::write(&lending_desk()).unwrap());
    assert_eq!(check().0, 0);
}

#[test]
fn a_contract_is_drafted_from_a_listing() {
    let folder = tempfile::tempdir().unwrap();
    let listing = json!({"serverInfo": {"name": "Lending Desk"}, "tools": [
        {"name": "searchLoans", "annotations": {"readOnlyHint": true},
         "inputSchema": {"type": "object", "properties": {"limit": {"type": "integer", "minimum": 1}, "member": {"$ref": "#/$defs/m"}, "kind": {"enum": ["a", "b"]}}, "required": ["member"], "$defs": {"m": {"type": "string", "minLength": 2}}},
         "outputSchema": {"type": "object", "properties": {"ok": {"type": "boolean"}, "requestId": {"type": "string"}, "total": {"type": "integer"}, "loans": {"type": "array", "maxItems": 50}, "extra": {"type": ["string", "null"]}}, "required": ["ok", "total", "loans"]}},
        {"name": "reset_desk", "inputSchema": {"type": "object"}},
        {"name": "search_loans", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}},
        {"name": "fixed", "inputSchema": {"type": "object", "properties": {"only": {"const": 1}}, "required": ["only"], "additionalProperties": false}},
        {"name": "desk/close", "inputSchema": {"type": "object"}},
    ]});
    std::fs::write(folder.path().join("tools.json"), listing.to_string()).unwrap();
    let (code, _, stderr) =
        run(&["contract", "init", "tools.json", "-o", "c.yaml", "--name", "desk"], folder.path());
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stderr.contains("`fixed` is left out: no two calls") && stderr.contains("`desk/close` is left out"),
        "{stderr}"
    );
    let text = std::fs::read_to_string(folder.path().join("c.yaml")).unwrap();
    let draft = verity::yaml::read(&text).unwrap().value;
    let search = &draft["tools"]["searchLoans"];
    assert_eq!(search["arguments"], json!({"limit": "number?", "member": "string", "kind": "string?"}));
    assert_eq!(
        search["result"],
        json!({"ok": "boolean", "requestId": "string?", "total": "number", "loans": "array", "extra": "any?"})
    );
    assert_eq!(
        (&search["success"], &search["collections"], &search["volatile"]),
        (&json!("/ok"), &json!({"/loans": 50}), &json!(["/requestId"]))
    );
    assert_eq!(search["witness"]["differ"], "/loans");
    assert_eq!(search.get("changes"), None);
    // The calls differ in the argument that says what is looked for.
    let calls = search["witness"]["calls"].as_array().unwrap();
    assert_ne!(calls[0]["member"], calls[1]["member"]);
    let rest = |call: &Value| {
        let mut rest = call.as_object().unwrap().clone();
        rest.shift_remove("member");
        rest
    };
    assert_eq!(rest(&calls[0]), rest(&calls[1]));
    assert_eq!(draft["tools"]["reset_desk"], json!({"changes": true}));
    assert_eq!(draft["tools"]["search_loans"]["operation"], "search-loans-2");
    let (code, stdout, stderr) =
        run(&["contract", "check", "c.yaml", "--tools", "tools.json"], folder.path());
    assert_eq!(code, 0, "{stderr}");
    // The full document is what the short form expands to; the same again is the same.
    let (_, full, _) = run(&["contract", "init", "tools.json", "--name", "desk", "-q"], folder.path());
    assert_eq!(
        serde_json::from_str::<Value>(&full).unwrap(),
        serde_json::from_str::<Value>(&stdout).unwrap()
    );
    assert_eq!(run(&["contract", "init", "tools.json", "--name", "desk", "-q"], folder.path()).1, full);
    let (_, other, _) =
        run(&["contract", "init", "tools.json", "--name", "desk", "-q", "--seed", "other"], folder.path());
    assert_ne!(other, full);
    // A tool that promises nothing is compared by its text where that is asked for.
    let (code, _, _) =
        run(&["contract", "init", "tools.json", "-o", "t.yaml", "--name", "desk", "--texts"], folder.path());
    assert_eq!(code, 0);
    let texts = std::fs::read_to_string(folder.path().join("t.yaml")).unwrap();
    let texts = verity::yaml::read(&texts).unwrap().value;
    assert_eq!(texts["tools"]["search_loans"]["witness"]["differ"], ".text");
    assert_eq!(texts["tools"]["searchLoans"], draft["tools"]["searchLoans"]);
    // Nothing to make one of.
    for (listing, said) in [
        (json!({"tools": []}), "no tools"),
        (
            json!({"tools": [{"name": "a b", "inputSchema": {"type": "object"}}]}),
            "no tool of the listing can be in a contract",
        ),
        (json!({"tools": [], "nextCursor": "x"}), ""),
    ] {
        std::fs::write(folder.path().join("none.json"), listing.to_string()).unwrap();
        let (code, stdout, stderr) = run(&["contract", "init", "none.json"], folder.path());
        assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
        assert!(stderr.contains(said), "{stderr}");
    }
}

/// Each real listing that a contract can be drafted from gives one that compiles and fits it.
#[test]
fn drafts_of_the_fixtures_compile() {
    for name in ["tools_v1.json", "tools_v2.json"] {
        let path = fixture("mcp").join(name);
        let folder = tempfile::tempdir().unwrap();
        let path = path.to_str().unwrap();
        assert_eq!(run(&["contract", "init", path, "-o", "c.yml", "-q"], folder.path()).0, 0);
        let (code, _, stderr) = run(&["contract", "check", "c.yml", "-q", "--tools", path], folder.path());
        assert_eq!(code, 0, "{stderr}");
    }
}
