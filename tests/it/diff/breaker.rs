//! Changes that were once judged wrong: each with its nearest neighbour that has to be judged as before.

use super::{diff_with, expect, kinds, tool};
use serde_json::{Value, json};

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

fn with_output(output: Value) -> Value {
    json!({"tools": [{"name": "find", "description": "Find items.", "inputSchema": {"type": "object"}, "outputSchema": output}]})
}

/// A reader passes over what is new, and fails by what he knows.
#[test]
fn a_field_that_every_new_result_has_hides_no_break() {
    let old = json!({"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]});
    let new = json!({"type": "object", "properties": {"total": {"type": "boolean"}, "currency": {"const": "EUR"}},
        "required": ["total", "currency"]});
    let report = expect(
        &with_output(old.clone()),
        &with_output(new),
        &[
            ("breaking", "OUTPUT-WIDENED"),
            ("additive", "OUTPUT-FIELD-ADDED"),
            ("compatible", "OUTPUT-NARROWED"),
        ],
    );
    let witness = &report["changes"][0]["witness"];
    assert!(witness["total"].is_boolean() && witness["currency"] == "EUR", "{witness}");
    // The new field alone breaks nobody.
    let mut more = old.clone();
    more["properties"]["currency"] = json!({"const": "EUR"});
    more["required"] = json!(["total", "currency"]);
    expect(&with_output(old.clone()), &with_output(more), &[("additive", "OUTPUT-FIELD-ADDED")]);
    // A required field under a new name: the old name is missing.
    let renamed = json!({"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]});
    let (code, report) = diff_with(&with_output(old), &with_output(renamed), &[]);
    assert_eq!(code, 1);
    assert!(!kinds(&report).iter().any(|(_, rule)| rule == "OUTPUT-UNDECIDED"), "{report:#}");
}

/// Arguments are an object, whether a schema says so or not.
#[test]
fn only_objects_are_calls() {
    let typed = tool(object(json!({"a": {"type": "string"}})));
    for root in [json!({}), json!({"type": ["object", "null"]}), json!({"type": ["array", "object"]})] {
        let mut open = root;
        open["properties"] = json!({"a": {"type": "string"}});
        expect(&tool(open.clone()), &typed, &[]);
        expect(&typed, &tool(open), &[]);
    }
    // Of objects, all is said as before.
    let open = tool(json!({"properties": {"a": {"type": ["string", "integer"]}}}));
    expect(&open, &typed, &[("breaking", "INPUT-NARROWED")]);
}

#[test]
fn every_argument_that_leaves_a_closed_object_is_refused() {
    let of = |names: &[&str]| {
        let properties: Value = names.iter().map(|n| ((*n).to_string(), json!({"type": "string"}))).collect();
        tool(json!({"type": "object", "properties": properties, "additionalProperties": false}))
    };
    let report = expect(
        &of(&["id", "region", "note"]),
        &of(&["id"]),
        &[("breaking", "ARGUMENT-REMOVED"), ("breaking", "ARGUMENT-REMOVED")],
    );
    for (change, name) in report["changes"].as_array().unwrap().iter().zip(["region", "note"]) {
        assert!(change["message"].as_str().unwrap().ends_with("calls that have it are refused"), "{change}");
        assert!(change["witness"][name].is_string(), "{change}");
        assert_eq!(change["witness"].as_object().map(serde_json::Map::len), Some(1), "{change}");
    }
}

/// What is made of one witness for another argument holds nothing that it does not need.
#[test]
fn hundreds_of_arguments_that_are_gone_have_a_short_witness_each() {
    let of = |n: usize| {
        let properties: Value = (0..n).map(|i| (format!("a{i}"), json!({"type": "string"}))).collect();
        tool(json!({"type": "object", "properties": properties, "additionalProperties": false}))
    };
    let (code, report) = diff_with(&of(400), &of(1), &[]);
    let changes = report["changes"].as_array().unwrap();
    let members = |change: &Value| change["witness"].as_object().map(serde_json::Map::len);
    assert_eq!((code, changes.len()), (1, 399));
    assert!(changes.iter().filter(|change| members(change) == Some(1)).count() >= 398, "{report:#}");
}

/// The last argument of a nested object goes as the others did.
#[test]
fn an_object_that_says_nothing_any_more_has_lost_its_arguments() {
    let of = |nested: Value| tool(object(json!({"f": {"type": "object", "properties": nested}})));
    let both = json!({"b": {"type": "string"}, "c": {"type": "string"}});
    expect(&of(both.clone()), &of(json!({"c": {"type": "string"}})), &[("breaking", "ARGUMENT-REMOVED")]);
    expect(&of(both), &of(json!({})), &[("breaking", "ARGUMENT-REMOVED"), ("breaking", "ARGUMENT-REMOVED")]);
}

#[test]
fn a_name_that_two_tools_have_is_no_new_tool() {
    let one = json!({"name": "pay", "description": "Pays a bill.", "inputSchema": object(json!({"id": {"type": "string"}}))});
    let mut two = one.clone();
    two["inputSchema"] = object(json!({"iban": {"type": "string"}}));
    let (one, both) = (json!({"tools": [one]}), json!({"tools": [one, two]}));
    expect(&one, &both, &[("breaking", "TOOL-ADDED")]);
    expect(&both, &one, &[("warning", "TOOL-REMOVED")]);
}

#[test]
fn one_more_reason_to_refuse_what_is_refused_is_no_news() {
    let list = |name: &str| (name.to_string(), json!({"type": "array"}));
    let of = |names: &[&str]| tool(object(names.iter().map(|n| list(n)).collect()));
    let refused = |old: &Value, new: &Value| {
        let (_, report) = diff_with(old, new, &["--profile", "openai"]);
        let all = kinds(&report);
        all.iter().find(|(_, rule)| rule == "CLIENT-REFUSES").map(|(class, _)| class.clone())
    };
    assert_eq!(refused(&of(&[]), &of(&["a"])).as_deref(), Some("breaking"));
    assert_eq!(refused(&of(&["a"]), &of(&["a", "b"])).as_deref(), Some("warning"));
}
