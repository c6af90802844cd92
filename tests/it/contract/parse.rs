//! Strict reading: every key, no default, every written form.

use super::{Edit, check_all, edited, gone, lending_desk, set};
use serde_json::{Value, json};
use verity::contract::{Code, Contract};

fn parse(at: &'static str, edits: Vec<Edit>) -> (&'static str, &'static str, Vec<Edit>) {
    ("parse", at, edits)
}

#[test]
fn every_key_of_every_object_is_needed_and_no_other_is_known() {
    // Keys below these are the author's own.
    let open = ["types", "channelRoles", "arguments", "principals", "members", "referenceSets", "literal"];
    fn visit(value: &Value, at: &str, open: &[&str], objects: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                let name = at.rsplit('/').next().unwrap_or_default();
                let is_shape = members.contains_key("requiredKeys");
                let is_member = at.contains("/members/");
                if (!open.contains(&name) || is_shape) && !is_member {
                    objects.push(at.to_string());
                }
                members.iter().for_each(|(key, value)| visit(value, &format!("{at}/{key}"), open, objects));
            }
            Value::Array(items) => {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(i, value)| visit(value, &format!("{at}/{i}"), open, objects));
            }
            _ => {}
        }
    }
    let document = lending_desk();
    let mut objects = Vec::new();
    visit(&document, "", &open, &mut objects);
    assert!(objects.len() > 80, "{}", objects.len());
    for at in objects {
        let mut more = document.clone();
        more.pointer_mut(&at).unwrap().as_object_mut().unwrap().insert("note".to_string(), json!(1));
        let failure = Contract::read(&more).map(|_| ()).unwrap_err();
        assert_eq!(failure.code, Code::Parse, "{at}: an unknown key");
        let keys: Vec<String> = document.pointer(&at).unwrap().as_object().unwrap().keys().cloned().collect();
        // Documents of this version are in use with and without it.
        let is_optional = |key: &str| key == "interfaceId" && at.starts_with("/interactionPlan/");
        for key in keys.into_iter().filter(|key| !is_optional(key)) {
            let mut less = document.clone();
            less.pointer_mut(&at).unwrap().as_object_mut().unwrap().shift_remove(&key);
            let failure = Contract::read(&less).map(|_| ()).unwrap_err();
            assert_eq!(failure.code, Code::Parse, "{at}/{key} is gone");
        }
    }
}

#[test]
fn written_forms() {
    check_all(&[
        parse("/contractId", vec![set("/contractId", json!("Lending Desk"))]),
        parse("/behaviors/0/id", vec![set("/behaviors/0/id", json!("B-1"))]),
        parse("/behaviors/0/severity", vec![set("/behaviors/0/severity", json!("high"))]),
        parse("/behaviors", vec![set("/behaviors", json!([]))]),
        parse(
            "/behaviors/0/requirementLinks/0/id",
            vec![set("/behaviors/0/requirementLinks/0/id", json!(""))],
        ),
        parse("/parentDigest", vec![set("/parentDigest", json!("sha256:0"))]),
        parse("/revisionCount", vec![set("/revisionCount", json!(-1))]),
        parse("/schemaVersion", vec![set("/schemaVersion", json!("5"))]),
        parse("/forbiddenInputs/7", vec![set("/forbiddenInputs/-", json!("weather"))]),
        parse("/budgets/maxCostUsd", vec![set("/budgets/maxCostUsd", json!(1.5))]),
        parse("/budgets/maxCostUsd", vec![set("/budgets/maxCostUsd", json!("-1"))]),
        parse("/budgets/maxToolCalls", vec![set("/budgets/maxToolCalls", json!(1.5))]),
        parse("/probeStepBound", vec![set("/probeStepBound", json!(-2))]),
        parse("/safetyLimits/0", vec![set("/safetyLimits/0", json!(3))]),
        parse("/waivers/0/expiresAt", vec![set("/waivers/0/expiresAt", json!("2027-10-01T00:00:00+02:00"))]),
        parse("/siblingGroups/operations/0", vec![set("/siblingGroups/operations/-", json!(["list-loans"]))]),
        parse("/referenceSets/catalogue/keys", vec![set("/referenceSets/catalogue/keys", json!([]))]),
        parse(
            "/referenceSets/catalogue/members/0",
            vec![set("/referenceSets/catalogue/members/0", json!("Emma"))],
        ),
        parse(
            "/referenceSets/The Catalogue",
            vec![set(
                "/referenceSets/The Catalogue",
                json!({"keys": ["a"], "members": [], "commentary": null}),
            )],
        ),
        parse("/permittedInterfaces/0/kind", vec![set("/permittedInterfaces/0/kind", json!("grpc"))]),
        parse(
            "/permittedInterfaces/0/logicalId",
            vec![set("/permittedInterfaces/0/logicalId", json!("https://desk"))],
        ),
        parse(
            "/permittedInterfaces/0/operations/0/toolName",
            vec![set("/permittedInterfaces/0/operations/0/toolName", json!("desk.example:80/list"))],
        ),
        parse(
            "/permittedInterfaces/0/operations/0/descriptorChannel/kind",
            vec![set("/permittedInterfaces/0/operations/0/descriptorChannel/kind", json!("text"))],
        ),
        parse(
            "/permittedInterfaces/0/operations/0/stateChangeMarker",
            vec![set("/permittedInterfaces/0/operations/0/stateChangeMarker", json!(null))],
        ),
        parse(
            "/permittedInterfaces/0/operations/0/volatilePointers/0",
            vec![set("/permittedInterfaces/0/operations/0/volatilePointers/0", json!("asOf"))],
        ),
        parse(
            "/permittedInterfaces/0/operations/0/requestShape/arguments/types/page",
            vec![set(
                "/permittedInterfaces/0/operations/0/requestShape/arguments/types/page",
                json!("integer"),
            )],
        ),
        parse(
            "/permittedInterfaces/0/operations/0/responseDescriptor/channelRoles/total",
            vec![set(
                "/permittedInterfaces/0/operations/0/responseDescriptor/channelRoles/total",
                json!("payload"),
            )],
        ),
        parse(
            "/permittedInterfaces/0/operations/0/responseDescriptor/collectionLocations/0/expectedCardinality/max",
            vec![set(
                "/permittedInterfaces/0/operations/0/responseDescriptor/collectionLocations/0/expectedCardinality",
                json!({"mode": "exact", "max": 3}),
            )],
        ),
        parse(
            "/permittedInterfaces/0/operations/0/sensitivityWitness/legs",
            vec![gone("/permittedInterfaces/0/operations/0/sensitivityWitness/legs/1")],
        ),
        parse(
            "/permittedInterfaces/0/operations/0/sensitivityWitness/channel",
            vec![set("/permittedInterfaces/0/operations/0/sensitivityWitness/channel", json!("header"))],
        ),
        parse("/interactionPlan/0/cardinality", vec![set("/interactionPlan/0/cardinality", json!("one"))]),
        parse(
            "/interactionPlan/0/inputBinding/arguments",
            vec![set("/interactionPlan/0/inputBinding/arguments", json!({}))],
        ),
        parse(
            "/interactionPlan/0/inputBinding/arguments/title",
            vec![set("/interactionPlan/0/inputBinding/arguments/title", json!("Emma"))],
        ),
        parse(
            "/interactionPlan/0/inputBinding/arguments/title/matcher",
            vec![set("/interactionPlan/0/inputBinding/arguments/title", json!({"matcher": "some"}))],
        ),
        parse(
            "/interactionPlan/1/inputBinding/arguments/loanId/captured",
            vec![set("/interactionPlan/1/inputBinding/arguments/loanId/captured", json!("@/loanId"))],
        ),
        ("", "", vec![set("/interactionPlan/0/inputBinding/arguments/title/literal", json!(null))]),
        ("", "", vec![set("/probeStepBound", json!(0)), set("/revisionCount", json!(3.0))]),
    ]);
}

#[test]
fn expressions() {
    let check = |expression: Value| vec![set("/oracles/4/check", expression)];
    let title = || json!({"pointer": "/interactions/find/response-body/title"});
    check_all(&[
        parse("/oracles/4/check/op", check(json!({"op": "equals", "operands": [title(), title()]}))),
        parse("/oracles/4/check", check(json!({"operands": []}))),
        parse("/oracles/4/check/operands", check(json!({"op": "equality", "operands": [title()]}))),
        parse("/oracles/4/check/operands", check(json!({"op": "existence", "operands": [title(), title()]}))),
        parse(
            "/oracles/4/check/operands",
            check(json!({"op": "all", "operands": [{"op": "existence", "operands": [title()]}]})),
        ),
        parse("/oracles/4/check/operands", check(json!({"op": "not", "operands": []}))),
        parse(
            "/oracles/4/check/operands/0",
            check(json!({"op": "existence", "operands": ["/interactions/find/response-body"]})),
        ),
        parse(
            "/oracles/4/check/operands/0/literal",
            check(
                json!({"op": "existence", "operands": [{"pointer": "/interactions/find/response-body", "literal": 1}]}),
            ),
        ),
        parse(
            "/oracles/4/check/operands/0/pointer",
            check(
                json!({"op": "existence", "operands": [{"pointer": "/interactions/find/response-status/x"}]}),
            ),
        ),
        parse(
            "/oracles/4/check/operands/0/pointer",
            check(json!({"op": "existence", "operands": [{"pointer": "/find/response-body"}]})),
        ),
        parse(
            "/oracles/4/check/operands/1/literal",
            check(json!({"op": "set-membership", "operands": [title(), {"literal": []}]})),
        ),
        parse(
            "/oracles/4/check/operands/1/literal",
            check(json!({"op": "set-membership", "operands": [title(), {"literal": "Emma"}]})),
        ),
        parse(
            "/oracles/4/check/operands/1/pointer",
            check(json!({"op": "set-membership", "operands": [title(), title()]})),
        ),
        parse(
            "/oracles/4/check/expected",
            check(
                json!({"op": "count-tolerance", "operands": [title()], "expected": -1, "tolerance": 0, "relative": false}),
            ),
        ),
        parse(
            "/oracles/4/check",
            check(json!({"op": "count-tolerance", "operands": [title()], "expected": 1, "tolerance": 0})),
        ),
        parse(
            "/oracles/4/check/order",
            check(json!({"op": "ordering", "operands": [title()], "key": "a", "order": "up"})),
        ),
        parse("/oracles/4/check/pattern", vec![set("/oracles/4/check/pattern", json!(null))]),
        parse(
            "/oracles/4/check/operands/1/literal/a/0",
            check(
                json!({"op": "equality", "operands": [title(), {"literal": {"a": [9_007_199_254_740_992_u64]}}]}),
            ),
        ),
        parse("/oracles/4/direction/relation", vec![set("/oracles/4/direction/relation", json!("=="))]),
        parse(
            "/oracles/4/direction/evidenceTargets/0",
            vec![set("/oracles/4/direction/evidenceTargets/0", json!("@/loanId"))],
        ),
    ]);
}

#[test]
fn what_is_misspelled_is_guessed() {
    let said = |edits: &[Edit]| Contract::read(&edited(edits)).map(|_| ()).unwrap_err().detail;
    let unknown = said(&[set("/budgets/maxToolCall", json!(3))]);
    assert_eq!(unknown, "unknown key `maxToolCall`: did you mean `maxToolCalls`?");
    let word = said(&[set("/oracles/0/polarity", json!("expect-hold"))]);
    assert!(word.contains("did you mean `expects-hold`?"), "{word}");
    let absent = said(&[gone("/waivers")]);
    assert!(absent.contains("`waivers` is absent") && absent.contains("nothing has a default"), "{absent}");
}

#[test]
fn another_version_is_said_to_be_one() {
    for version in [1, 4, 6] {
        let failure = Contract::read(&json!({ "schemaVersion": version })).map(|_| ()).unwrap_err();
        assert_eq!((failure.code, failure.pointer.as_str()), (Code::SchemaVersionMismatch, "/schemaVersion"));
    }
    for none in [json!({}), json!([]), json!(null), json!("5"), json!({"schemaVersion": 0})] {
        assert_eq!(Contract::read(&none).map(|_| ()).unwrap_err().code, Code::Parse, "{none}");
    }
}
