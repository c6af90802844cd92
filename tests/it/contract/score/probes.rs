//! Probes qualify, or every reason is said.

use super::*;

#[test]
fn probes_qualify_or_every_reason_is_said() {
    let contract = Contract::read(&lending_desk()).unwrap();
    let codes = |edits: &[(&str, Value)]| {
        let probe = &Probe::read_all(&with(probe(), edits)).unwrap()[0];
        let home = probe.signature.as_ref().and_then(|s| qualify::home(s, &contract)).map(|(_, o)| o);
        let qualified = qualify::qualify(probe, home);
        assert_eq!(qualified.qualified, qualified.failures.is_empty());
        qualified.failures.into_iter().map(|f| f.code).collect::<Vec<_>>()
    };
    let predicate = |value: Value| [("/defectSignature/condition/predicate", value)];
    let exists = |pointer: &str| json!({"op": "existence", "operands": [{"pointer": pointer}]});
    let body = "/interactions/observed/response-body/title";
    let none: [&str; 0] = [];
    assert_eq!(codes(&[]), none);
    assert_eq!(
        codes(&[("/qualification/rollbackVerified", json!(false))]),
        ["qualification-evidence-unverified"]
    );
    assert_eq!(codes(&[("/defects/0/source", json!("natural"))]), ["qualification-route-incompatible"]);
    assert_eq!(codes(&[("/defects", json!([]))]), ["qualification-route-incompatible"]);
    assert_eq!(codes(&[("/probeClass", json!("gameability"))]), ["qualification-route-incompatible"]);
    let mut natural = probe()["defects"][0].clone();
    natural["source"] = json!("natural");
    assert_eq!(
        codes(&[("/defects", json!([probe()["defects"][0], natural]))]),
        ["qualification-defect-sources-mixed", "qualification-route-incompatible"]
    );
    assert_eq!(codes(&[("/defectSignature", json!(null))]), ["signature-absent"]);
    let canary = json!({"route": "canary", "indicts": "fixture", "nonDetectionEvidence": artifact()});
    assert_eq!(
        codes(&[("/probeClass", json!("canary")), ("/qualification", canary.clone())]),
        ["signature-present-on-canary"]
    );
    assert_eq!(
        codes(&[
            ("/probeClass", json!("canary")),
            ("/qualification", canary),
            ("/defectSignature", json!(null))
        ]),
        none
    );
    assert_eq!(
        codes(&[("/defectSignature/observableChannel", json!("call-inputs"))]),
        ["signature-observable-channel-not-response-side", "condition-channels-underspecified"]
    );
    assert_eq!(
        codes(&[("/defectSignature/observableChannel", json!("stdout"))]),
        ["condition-text-channel-on-api", "condition-channels-underspecified"]
    );
    assert_eq!(
        codes(&[("/defectSignature/observableChannel", json!("response-status"))]),
        ["condition-channels-underspecified"]
    );
    // Two channels, one of them what came back.
    let echo = json!({"op": "equality", "operands": [{"pointer": body}, {"pointer": "/interactions/observed/call-inputs/arguments/loanId"}]});
    assert_eq!(
        codes(&[
            ("/defectSignature/observableChannel", json!("response-status")),
            ("/defectSignature/condition/predicate", echo)
        ]),
        none
    );
    assert_eq!(
        codes(&predicate(exists("/interactions/observed/call-inputs/arguments/loanId"))),
        ["condition-channels-underspecified"]
    );
    let sent = exists("/interactions/observed/call-inputs/arguments/loanId");
    assert_eq!(
        codes(&predicate(json!({"op": "any", "operands": [exists(body), sent]}))),
        ["condition-disjunct-without-response-channel"]
    );
    assert_eq!(codes(&predicate(json!({"op": "all", "operands": [exists(body), sent]}))), none);
    assert_eq!(
        codes(&predicate(
            json!({"op": "all", "operands": [exists(body), exists("/interactions/find/response-body/title")]})
        )),
        ["condition-pointer-not-observation-rooted"]
    );
    assert_eq!(
        codes(&predicate(
            json!({"op": "all", "operands": [exists(body), exists("/interactions/observed/artifact/log")]})
        )),
        ["condition-artifact-channel-contract-local"]
    );
    assert_eq!(
        codes(&predicate(
            json!({"op": "all", "operands": [exists(body), exists("/interactions/observed/stderr")]})
        )),
        ["condition-text-channel-on-api", "condition-pointer-unwritable"]
    );
    assert_eq!(
        codes(&predicate(
            json!({"op": "set-membership", "operands": [{"pointer": body}, {"referenceSet": "catalogue"}]})
        )),
        ["condition-reference-set-operand"]
    );
    assert_eq!(
        codes(&predicate(json!({"op": "regex", "operands": [{"pointer": body}], "pattern": "^a|b$"}))),
        ["condition-regex-illegal"]
    );
    assert_eq!(
        codes(&predicate(
            json!({"op": "all", "operands": [exists(body), {"op": "existence", "operands": [{"literal": 1}]}]})
        )),
        ["condition-operand-illegal"]
    );
    assert_eq!(
        codes(&predicate(json!({"op": "all", "operands": [exists(body), exists("@/x")]}))),
        ["condition-bound-element-outside-quantifier"]
    );
    let each =
        |of: &str, holds: Value| json!({"op": "for-all", "collection": {"pointer": of}, "predicate": holds});
    assert_eq!(codes(&predicate(each(body, exists("@/")))), ["condition-quantifier-over-non-collection"]);
    let notes = "/interactions/observed/response-body/notes";
    assert_eq!(codes(&predicate(each(notes, each("@/x", exists("@/"))))), ["condition-quantifier-nesting"]);
    // Elements come from what came back, too.
    assert_eq!(
        codes(&predicate(each(notes, json!({"op": "any", "operands": [exists("@/a"), exists("@/b")]})))),
        none
    );
    assert_eq!(
        codes(&predicate(exists("/interactions/observed/response-body/author"))),
        ["condition-pointer-unwritable"]
    );
    let selector = |binding: Value| [("/defectSignature/condition/selector/inputBinding/arguments", binding)];
    assert_eq!(
        codes(&selector(json!({"number": {"matcher": "any"}}))),
        ["condition-selector-key-undeclared"]
    );
    assert_eq!(codes(&selector(json!({"loanId": {"matcher": "type-violating"}}))), none);
    // Without the operation, what depends on its declarations is not checked, and that is said.
    let lost = Probe::read_all(&with(
        probe(),
        &[
            ("/defectSignature/toolName", json!("get_loans")),
            ("/defectSignature/condition/predicate", exists("/interactions/observed/response-body/author")),
        ],
    ))
    .unwrap();
    let unchecked = qualify::qualify(&lost[0], None);
    assert!(unchecked.qualified && !unchecked.declarations_checked);
    let mut api = probe();
    api["defectSignature"] = json!({"interfaceKind": "api", "method": "GET", "pathTemplate": "/x", "observableChannel": "response-body", "condition": api["defectSignature"]["condition"]});
    assert_eq!(
        qualify::qualify(&Probe::read_all(&api).unwrap()[0], None).failures[0].code,
        "signature-interface-kind-unsupported"
    );
}
