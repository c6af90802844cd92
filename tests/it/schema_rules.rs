//! The SCHEMA and VACUOUS rules on whole listings: their own examples, traps, real reports, hostile schemas.

mod hostile;
mod soundness;

use crate::support::shared;
use serde_json::{Value, json};
use verity::finding::{Finding, Severity};
use verity::manifest::Revision;
use verity::{manifest, rules, source};

/// What the two families say of a listing.
fn check(listing: &Value) -> Vec<Finding> {
    let document = source::parse("tools.json", serde_json::to_vec(listing).unwrap()).unwrap();
    let families = || rules::all().filter(|r| matches!(r.info().family(), "INPUT" | "SCHEMA" | "VACUOUS"));
    let mut found = Vec::new();
    for mut manifest in manifest::read(&document).unwrap() {
        if let Some(revision) =
            listing.get("protocolVersion").and_then(Value::as_str).and_then(Revision::parse)
        {
            manifest.protocol = Some(revision);
        }
        found.extend(rules::run_rules(&manifest, families()));
    }
    found
}

fn tool(schema: Value) -> Value {
    json!({"tools": [{"name": "t", "description": "A tool.", "inputSchema": schema}]})
}

/// Rule and pointer of everything above info.
fn loud(listing: &Value) -> Vec<String> {
    let found = check(listing);
    found
        .iter()
        .filter(|f| f.severity > Severity::Info)
        .map(|f| format!("{} {}", f.rule, f.pointer))
        .collect()
}

#[test]
fn every_rule_fires_on_its_bad_example_and_the_families_are_quiet_on_the_good_ones() {
    let families =
        || rules::all().map(|r| r.info()).filter(|i| matches!(i.family(), "INPUT" | "SCHEMA" | "VACUOUS"));
    let mut wrong = Vec::new();
    for info in families() {
        let example = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        if !check(&example(info.bad)).iter().any(|f| f.rule == info.id) {
            wrong.push(format!("{} is quiet on its bad example", info.id));
        }
        // What is said of the good example must at least be no more than information.
        let good = check(&example(info.good));
        wrong.extend(
            good.iter()
                .filter(|f| f.rule == info.id)
                .map(|f| format!("{} fires on its good example", f.rule)),
        );
        let others =
            good.iter().filter(|f| f.severity > Severity::Info && f.rule != "MCP-VACUOUS-MISSPELLING");
        wrong.extend(others.map(|f| format!("{} on the good example of {}: {}", f.rule, info.id, f.message)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_parameter_that_is_called_like_a_keyword_is_a_parameter() {
    let mut properties = serde_json::Map::new();
    for name in [
        "properties",
        "type",
        "required",
        "$ref",
        "pattern",
        "items",
        "enum",
        "default",
        "minimum",
        "anyOf",
        "additionalProperties",
        "maxLenght",
        "nullable",
        "$schema",
        "if",
        "then",
        "not",
        "const",
        "examples",
        "min",
    ] {
        properties.insert(name.to_string(), json!({"type": "string", "description": "A parameter."}));
    }
    let listing =
        tool(json!({"type": "object", "properties": properties, "required": ["type", "required", "$ref"],
        "additionalProperties": false}));
    assert_eq!(loud(&listing), Vec::<String>::new());
}

#[test]
fn data_that_looks_like_a_schema_is_data() {
    let schema = json!({"type": "float", "required": true, "minimum": 5, "maximum": 1, "maxLenght": 3, "$ref": "#/nowhere",
        "pattern": "(?P<x>a)", "enum": [1, 1], "items": [{}], "anyOf": [{"not": {}}]});
    let listing =
        tool(json!({"type": "object", "required": ["s"], "additionalProperties": false, "properties": {
        "s": {"type": "object", "description": "A schema to store.", "default": schema, "examples": [schema],
            "properties": {"name": {"type": "string"}}},
        "c": {"const": schema}, "e": {"enum": [schema, {"other": schema}]}}}));
    assert_eq!(loud(&listing), Vec::<String>::new());
}

#[test]
fn the_newest_revision_is_not_held_to_the_oldest() {
    let modern = json!({"tools": [{"name": "files.list", "description": "List files.", "inputSchema": {"type": "object",
        "properties": {"folder": {"type": "string"}, "any": true}, "required": ["folder"], "additionalProperties": false,
        "oneOf": [{"required": ["folder"]}]}, "outputSchema": {"type": "array", "items": {"type": "string"}}}]});
    assert!(loud(&modern).iter().all(|f| f.starts_with("MCP-VACUOUS-PARAMETER")), "{:?}", loud(&modern));
    let mut old = modern.clone();
    old["protocolVersion"] = json!("2025-06-18");
    let found = loud(&old);
    assert!(
        found.contains(&"MCP-SCHEMA-OUTPUT-NOT-OBJECT /tools/0/outputSchema/type".to_string()),
        "{found:?}"
    );
    assert!(
        found.contains(&"MCP-SCHEMA-BOOLEAN-PROPERTY /tools/0/inputSchema/properties/any".to_string()),
        "{found:?}"
    );
}

#[test]
fn one_cause_is_said_once() {
    let crossed = json!({"type": "object", "required": ["o"], "properties": {"o": {"type": "object", "required": ["w"],
        "properties": {"w": {"type": "integer", "minimum": 9, "maximum": 1, "default": 5}}}}});
    assert_eq!(
        loud(&tool(crossed)),
        [
            "MCP-SCHEMA-PARAMETER-UNSATISFIABLE /tools/0/inputSchema/properties/o/properties/w",
            "MCP-SCHEMA-DEFAULT-REFUSED /tools/0/inputSchema/properties/o/properties/w/default"
        ]
    );
    let closed =
        json!({"type": "object", "properties": {}, "required": ["x"], "additionalProperties": false});
    assert_eq!(loud(&tool(closed)), ["MCP-SCHEMA-REQUIRED-UNDECLARED /tools/0/inputSchema/required/0"]);
    let misspelt = json!({"type": "object", "properties": {"price": {"type": "float", "minimum": "0"}}, "required": ["price"]});
    assert_eq!(
        loud(&tool(misspelt)),
        [
            "MCP-SCHEMA-INVALID /tools/0/inputSchema/properties/price/type",
            "MCP-SCHEMA-INVALID /tools/0/inputSchema/properties/price/minimum"
        ]
    );
}

/// Reports from real issue trackers: what must be said, and not of the repaired twin.
#[test]
fn real_reports_are_found_and_their_repairs_pass() {
    let Some(cases) = shared("cases/lint-cases.jsonl") else { return };
    let families = [
        "root-not-object",
        "metaschema-invalid",
        "malformed-property-schema",
        "unsatisfiable-schema",
        "dead-branch",
        "default-violates-schema",
        "ref-dangling",
        "ref-external",
        "pattern-invalid",
        "pattern-portability",
        "output-vacuous",
        "vacuous-parameter",
        "unsound-open-object",
        "required-names-undeclared-property",
        "items-array-form-removed",
        "openapi-keyword-in-json-schema",
        "pattern-unanchored",
    ];
    let mut seen = 0;
    let mut wrong = Vec::new();
    for line in std::fs::read_to_string(cases).unwrap().lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        if !families.contains(&case["class"].as_str().unwrap())
            || case["expect"].as_str().unwrap().starts_with("NO ")
        {
            continue;
        }
        seen += 1;
        let place = case["where"].as_str().unwrap();
        let near = |f: &Finding| {
            f.pointer.starts_with(place)
                || place.strip_prefix(&f.pointer).is_some_and(|rest| rest.matches('/').count() <= 1)
        };
        let of = |listing: &Value| -> Vec<String> {
            check(listing).iter().filter(|f| near(f)).map(|f| f.rule.clone()).collect()
        };
        let fixed = of(&case["fixed"]);
        if !of(&case["manifest"]).iter().any(|rule| !fixed.contains(rule)) {
            wrong.push(format!("{}: {:?}, fixed: {fixed:?}", case["id"], of(&case["manifest"])));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(seen > 10, "only {seen} cases");
}
