//! MCP-SCHEMA-REDUNDANT.

use super::{no_effect, place};
use crate::finding::{Confidence, Impact, Part, Severity};
use crate::generate::{self, GenerateVerdict};
use crate::pointer;
use crate::rules::fix::{self, FixKind, Fixer};
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView, say};
use crate::schema::judge::{Algebra, Formats, Proof, limits};
use crate::schema::vocabulary::{self, about};
use crate::schema::{Dialect, SchemaView};
use serde_json::{Map, Value, json};

pub struct Redundant;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-REDUNDANT",
    severity: Severity::Info,
    confidence: Confidence::High,
    impact: Impact::Constraint,
    summary: "a keyword that refuses nothing which its neighbours do not refuse already",
    rationale: "A bound that no value can break alone protects nothing: `minLength: 1` beside a pattern that needs \
        four characters, `minimum` beside an `enum`, `minProperties: 1` beside `required`. It is often what is left \
        of an earlier version, and the one that was meant to be stricter; whoever tightens it later wonders why \
        nothing changes. A test that tries every constraint cannot try this one.\n\n\
        Each finding is proven: the schema without the keyword accepts the same values. Keywords that say nothing by \
        themselves (`minLength: 0`, `propertyNames: {\"type\": \"string\"}`), `type` beside anything, and `format` are not reported; nor are keywords about \
        another type of value, which are MCP-SCHEMA-KEYWORD-WITHOUT-EFFECT.",
    help: "Delete the keyword, or write the bound that was meant",
    bad: r#"{"tools": [{"name": "set_level", "description": "Set the level.", "inputSchema": {"type": "object",
        "properties": {"level": {"type": "integer", "enum": [1, 2, 3], "maximum": 5}}, "required": ["level"],
        "additionalProperties": false}}]}"#,
    good: r#"{"tools": [{"name": "set_level", "description": "Set the level.", "inputSchema": {"type": "object",
        "properties": {"level": {"type": "integer", "enum": [1, 2, 3]}}, "required": ["level"],
        "additionalProperties": false}}]}"#,
    sources: &["JSON Schema 2020-12 validation, 6: each assertion applies independently of the others"],
};

/// The most keywords of one schema that are asked about, and the most values of a subschema.
const MAX_QUESTIONS: usize = 60;
const MAX_VALUES: usize = 200;

impl Rule for Redundant {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn fixer(&self) -> Option<Fixer> {
        Some(Fixer {
            kind: FixKind::Equal,
            does: "delete the keyword",
            apply: |schema, at, _| fix::remove(schema, at),
        })
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        let mut left = MAX_QUESTIONS;
        for (i, node) in site.view.nodes().iter().enumerate() {
            let Some(members) = node.schema.as_object() else { continue };
            let dialect = site.view.dialect;
            let asked: Vec<&str> = suspects(members, dialect).collect();
            if asked.is_empty() || left == 0 || !site.view.reach().is_used(i) || refers(node.schema) {
                continue;
            }
            left = left.saturating_sub(asked.len());
            for (keyword, implied_by) in redundant(members, &asked, dialect) {
                let finding = out.emit(
                    site.at(&pointer::child(&node.pointer, keyword)),
                    format!(
                        "`{keyword}` of {} refuses nothing that {} does not refuse already",
                        place::name(site, i),
                        implied_by.map_or("the rest of the schema".to_string(), say::quoted),
                    ),
                );
                finding.part = Part::Key;
            }
        }
    }
}

/// Keywords that their neighbours may imply: those that speak of the same values as another one.
fn suspects(members: &Map<String, Value>, dialect: Dialect) -> impl Iterator<Item = &str> {
    let asserting = move || {
        members.iter().filter(move |(k, v)| {
            let silent = no_effect::says_nothing_anyway(k, v) || *k == "propertyNames" && **v == any_name();
            vocabulary::asserts(k) && dialect.knows(k) && !silent
        })
    };
    let listed = members.contains_key("enum") || members.contains_key("const");
    let splits = ["anyOf", "oneOf", "not", "allOf", "if", "$ref", "$dynamicRef", "$recursiveRef"];
    asserting().map(|(k, _)| k.as_str()).filter(move |keyword| {
        let is_bound = about(keyword).is_some() && !holds_schemas(keyword);
        let beside = |other: &str| {
            other != *keyword
                && !never_implies(other, keyword)
                && (splits.contains(&other) || about(other).is_some() && about(other) == about(keyword))
        };
        let candidate = is_bound && (listed || asserting().any(|(other, _)| beside(other)))
            || *keyword == "multipleOf" && members.get("type").is_some_and(|t| t == "integer")
            || *keyword == "not" && members.len() > 1
            || *keyword == "enum" && members.contains_key("const");
        candidate && no_effect::why(keyword, members, dialect).is_none()
    })
}

/// Whether `other` alone says nothing that `keyword` could follow from, while both leave a value: an upper bound of a
/// lower one, and what the empty object or array satisfies of a keyword that refuses that. These stand together nearly
/// everywhere, and to prove it each time was a fifth of what a lint costs.
fn never_implies(other: &str, keyword: &str) -> bool {
    const LOWER: &[&str] = &["minimum", "exclusiveMinimum"];
    const UPPER: &[&str] = &["maximum", "exclusiveMaximum"];
    match keyword {
        "minimum" | "exclusiveMinimum" => UPPER.contains(&other),
        "maximum" | "exclusiveMaximum" => LOWER.contains(&other),
        "minLength" => other == "maxLength",
        "maxLength" => other == "minLength",
        "maxItems" => other == "minItems",
        "maxProperties" => other == "minProperties",
        "required" | "minProperties" => matches!(
            other,
            "properties"
                | "patternProperties"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "propertyNames"
                | "maxProperties"
                | "dependencies"
                | "dependentRequired"
                | "dependentSchemas"
        ),
        "minItems" => matches!(
            other,
            "items" | "prefixItems" | "additionalItems" | "unevaluatedItems" | "uniqueItems" | "maxItems"
        ),
        _ => false,
    }
}

/// What generators write beside `additionalProperties`: names are strings, whatever a schema says.
fn any_name() -> Value {
    json!({"type": "string"})
}

/// Keywords that say of a value's parts what those must be: without them other keywords mean something else.
fn holds_schemas(keyword: &str) -> bool {
    matches!(
        keyword,
        "properties"
            | "patternProperties"
            | "additionalProperties"
            | "items"
            | "prefixItems"
            | "additionalItems"
            | "contains"
            | "minContains"
            | "maxContains"
            | "unevaluatedProperties"
            | "unevaluatedItems"
            | "dependencies"
            | "dependentSchemas"
    )
}

fn refers(schema: &Value) -> bool {
    match schema {
        Value::Object(o) => {
            o.iter().any(|(k, v)| matches!(k.as_str(), "$ref" | "$dynamicRef" | "$recursiveRef") || refers(v))
        }
        Value::Array(a) => a.iter().any(refers),
        _ => false,
    }
}

/// Those of `asked` that can be deleted without change, one after the other: of two that imply each
/// other, one. Each with the neighbour that alone implies it, if one does.
fn redundant<'m>(
    members: &'m Map<String, Value>,
    asked: &[&'m str],
    dialect: Dialect,
) -> Vec<(&'m str, Option<&'m str>)> {
    let mut rest: Map<String, Value> =
        members.iter().filter(|(k, _)| vocabulary::asserts(k)).map(|(k, v)| (k.clone(), v.clone())).collect();
    let whole = Value::Object(rest.clone());
    if limits::values(&whole) > MAX_VALUES {
        return Vec::new();
    }
    let mut found = Vec::new();
    for keyword in asked {
        let Some(value) = rest.shift_remove(*keyword) else { continue };
        if !implies(&rest, keyword, &value, dialect) {
            rest.insert((*keyword).to_string(), value);
            continue;
        }
        let by = members.keys().map(String::as_str).filter(|k| rest.contains_key(*k) && *k != "type");
        let alone = |other: &&str| {
            let kept = ["type", *other].into_iter();
            let pair = kept.filter_map(|k| Some((k.to_string(), rest.get(k)?.clone()))).collect();
            implies(&pair, keyword, &value, dialect)
        };
        found.push((*keyword, by.into_iter().find(alone)));
    }
    found
}

/// Whether every value that `rest` accepts satisfies the keyword.
fn implies(rest: &Map<String, Value>, keyword: &str, value: &Value, dialect: Dialect) -> bool {
    let rest = Value::Object(rest.clone());
    let keyword_alone = json!({ keyword: value });
    let of = |schema: &Value| Algebra::of(schema, dialect, Formats::Annotate);
    let (Ok(narrow), Ok(wide)) = (of(&rest), of(&keyword_alone)) else { return false };
    // What accepts nothing implies everything, and is reported as that.
    match wide.covers(&narrow) {
        Proof::Yes => narrow.satisfiable() != Proof::No,
        _ => {
            keyword.ends_with("Length")
                && rest.get("pattern").is_some()
                && pattern_implies(&rest, keyword, value)
        }
    }
}

/// Whether the pattern alone bounds the length: by the generator's proof that no string breaks it.
fn pattern_implies(rest: &Value, keyword: &str, value: &Value) -> bool {
    let (Some(bound), Some(pattern)) = (value.as_u64(), rest.get("pattern")) else { return false };
    let breaks = match (keyword, bound.checked_sub(1)) {
        ("minLength", Some(most)) => json!({"type": "string", "pattern": pattern, "maxLength": most}),
        ("maxLength", _) => {
            json!({"type": "string", "pattern": pattern, "minLength": bound.saturating_add(1)})
        }
        _ => return false,
    };
    let options = generate::Options { seed: "", name: "", count: 1, invalid: 0, formats: Formats::Annotate };
    generate::generate(&SchemaView::new(&breaks), &options).verdict == GenerateVerdict::Unsatisfiable
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;

    fn found(property: Value) -> Vec<String> {
        let tool = json!([{"name": "a", "inputSchema": {"type": "object", "properties": {"p": property}}}]);
        let findings = check(&Redundant, &tool);
        findings.into_iter().map(|f| f.message.replace(" of `p` refuses nothing that ", " < ")).collect()
    }

    #[test]
    fn implied_by_a_neighbour() {
        for (property, expected) in [
            (json!({"type": "integer", "enum": [1, 2], "maximum": 5}), "`maximum` < `enum`"),
            (
                json!({"type": "integer", "minimum": 1, "exclusiveMinimum": 0}),
                "`minimum` < `exclusiveMinimum`",
            ),
            (json!({"type": "string", "pattern": "^[0-9]{4}$", "minLength": 1}), "`minLength` < `pattern`"),
            (json!({"type": "string", "pattern": "^[0-9]{4}$", "maxLength": 4}), "`maxLength` < `pattern`"),
            (json!({"type": "string", "const": "abc", "pattern": "b"}), "`pattern` < `const`"),
            (
                json!({"type": "object", "required": ["a", "b"], "minProperties": 2}),
                "`minProperties` < `required`",
            ),
            (json!({"type": "array", "maxItems": 1, "uniqueItems": true}), "`uniqueItems` < `maxItems`"),
            (json!({"type": "integer", "multipleOf": 1}), "`multipleOf` < the rest of the schema"),
            (
                json!({"type": "integer", "minimum": 1, "maximum": 9, "exclusiveMaximum": 9}),
                "`maximum` < `exclusiveMaximum`",
            ),
            (json!({"type": "string", "not": {"type": "null"}}), "`not` < the rest of the schema"),
            (
                json!({"type": "string", "minLength": 2, "anyOf": [{"minLength": 3}, {"const": "ab"}]}),
                "`minLength` < `anyOf`",
            ),
            (json!({"type": "string", "maxLength": 9, "allOf": [{"maxLength": 8}]}), "`maxLength` < `allOf`"),
        ] {
            assert_eq!(
                found(property.clone()),
                [format!("{expected} does not refuse already")],
                "{property}"
            );
        }
    }

    #[test]
    fn of_two_that_imply_each_other_one() {
        let both = json!({"type": "integer", "exclusiveMinimum": 0, "minimum": 1, "enum": [1, 2]});
        assert_eq!(found(both).len(), 2, "the enum stays");
    }

    #[test]
    fn is_quiet() {
        for property in [
            json!({"type": "string", "minLength": 0, "enum": ["a"]}),
            json!({"type": "string", "enum": ["a", "b"]}),
            json!({"type": "integer", "minimum": 1, "maximum": 5}),
            json!({"type": "string", "minLength": 1, "maxLength": 1}),
            json!({"type": "array", "minItems": 0, "maxItems": 0}),
            json!({"type": "integer", "enum": [1, 2, 9], "maximum": 5}),
            json!({"type": "number", "exclusiveMinimum": 0, "maximum": 9}),
            json!({"type": "string", "pattern": "^[0-9]{4}", "maxLength": 4}),
            json!({"type": "string", "pattern": "a", "minLength": 2}),
            json!({"type": "integer", "enum": [1, 2], "minLength": 5}),
            json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false, "required": ["a"]}),
            json!({"type": "object", "properties": {"a": {}}, "additionalProperties": true}),
            json!({"type": "array", "items": {"enum": ["a", "b", "c", "d"]}, "uniqueItems": true, "minItems": 1, "maxItems": 3}),
            json!({"type": "object", "propertyNames": {"type": "string"}, "additionalProperties": {"type": "string"}}),
            json!({"type": "string", "format": "date", "pattern": "^\\d{4}"}),
            json!({"type": "integer", "minimum": 5, "maximum": 4, "multipleOf": 3}),
            json!({"type": "string", "anyOf": [{"type": "string"}, {"type": "null"}]}),
        ] {
            assert!(found(property.clone()).is_empty(), "{property} {:?}", found(property.clone()));
        }
    }
}
