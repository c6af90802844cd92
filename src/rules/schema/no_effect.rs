//! MCP-SCHEMA-KEYWORD-WITHOUT-EFFECT.

use super::place;
use crate::finding::{Confidence, Impact, Part, Severity};
use crate::pointer;
use crate::rules::fix::{self, FixKind, Fixer};
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView};
use crate::schema::judge::JsonType;
use crate::schema::walk::Node;
use crate::schema::{Dialect, vocabulary, witness};
use serde_json::{Map, Value};

pub struct NoEffect;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-KEYWORD-WITHOUT-EFFECT",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Constraint,
    summary: "a keyword that cannot refuse anything where it stands",
    rationale: "JSON Schema ignores, without a word, a keyword that is about another type of value: `minLength` on a \
        number, `properties` on an array, `minimum` on a string. The same goes for `then` without `if`, \
        `minContains` without `contains`, `additionalItems` without a list in `items`, keywords beside `$ref` up to \
        draft-07, and keywords of another draft. Whoever wrote it believes in a limit that is not there, and the \
        server gets values it does not expect.\n\n\
        Keywords that would say nothing anyway (`properties: {}`, `required: []`, `minItems: 0`) are not reported. \
        `dependencies` from 2019-09 on is reported with the truth about it: some validators heed it, others do not, and \
        the witness is a call on which they disagree.",
    help: "Delete the keyword, or write the one that fits the type (see the message)",
    bad: r#"{"tools": [{"name": "set_pin", "description": "Set the PIN.", "inputSchema": {"type": "object",
        "properties": {"pin": {"type": "integer", "minLength": 4, "maxLength": 8}}, "required": ["pin"]}}]}"#,
    good: r#"{"tools": [{"name": "set_pin", "description": "Set the PIN.", "inputSchema": {"type": "object",
        "properties": {"pin": {"type": "string", "minLength": 4, "maxLength": 8}}, "required": ["pin"]}}]}"#,
    sources: &["JSON Schema 2020-12 core, 7.6.1: assertions about other types are ignored"],
};

impl Rule for NoEffect {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn fixer(&self) -> Option<Fixer> {
        Some(Fixer {
            kind: FixKind::Equal,
            does: "delete the keyword (`dependencies`: write its two successors)",
            apply: delete_keyword,
        })
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        for (i, node) in site.view.nodes().iter().enumerate() {
            let Some(members) = node.schema.as_object() else { continue };
            for (keyword, value) in members {
                if says_nothing_anyway(keyword, value) {
                    continue;
                }
                let Some(why) = why(keyword, members, node.dialect) else { continue };
                let (of, reason) = (place::name(site, i), &why.reason);
                let message = if why.disputed {
                    format!("`{keyword}` of {of} depends on who reads it: {reason}")
                } else {
                    format!("`{keyword}` of {of} has no effect: {reason}")
                };
                let witness = out.unless_full(|| {
                    if why.disputed {
                        disputed_call(site, i, node.schema, value)
                    } else {
                        witness_of(site, i, node)
                    }
                });
                let finding = out.emit(site.at(&pointer::child(&node.pointer, keyword)), message);
                finding.part = Part::Key;
                finding.witness = witness;
                if why.harmless {
                    finding.severity = Severity::Info;
                }
                if let Some(meant) = why.meant {
                    finding.help = format!("Did you mean {meant}? Else delete `{keyword}`");
                }
            }
        }
    }
}

pub(super) struct Why {
    reason: String,
    meant: Option<String>,
    harmless: bool,
    /// The judge heeds the keyword and other validators do not.
    disputed: bool,
}

impl Why {
    fn new(reason: impl Into<String>) -> Option<Why> {
        Some(Why { reason: reason.into(), meant: None, harmless: false, disputed: false })
    }
}

/// Why `keyword` refuses nothing beside the other members of its schema; `None` if it may.
pub(super) fn why(keyword: &str, members: &Map<String, Value>, dialect: Dialect) -> Option<Why> {
    if dialect.ref_hides_siblings() && members.get("$ref").is_some_and(Value::is_string) {
        let beside = keyword != "$ref" && vocabulary::asserts(keyword);
        return beside
            .then(|| Why::new(format!("{} ignores what stands beside `$ref`", dialect.name())))
            .flatten();
    }
    if keyword == "dependencies" && dialect >= Dialect::Draft201909 {
        return Some(Why {
            reason: format!(
                "{} split it into `dependentRequired` and `dependentSchemas`; Ajv and the judge still heed it, Python's \
                 jsonschema and others that keep to {0} do not",
                dialect.name()
            ),
            meant: Some("`dependentRequired` (lists of names) or `dependentSchemas` (schemas)".to_string()),
            harmless: false,
            disputed: true,
        });
    }
    if vocabulary::asserts(keyword) && !dialect.knows(keyword) {
        let mut why = Why::new(format!("{} does not know it", dialect.name()))?;
        why.meant = successor(keyword).map(|k| format!("`{k}`"));
        return Some(why);
    }
    let alone = |needed: &str| !members.contains_key(needed);
    match keyword {
        "then" | "else" if alone("if") => return Why::new("there is no `if` beside it"),
        "if" if alone("then") && alone("else") => {
            return Why::new("there is no `then` and no `else` beside it");
        }
        "minContains" | "maxContains" if alone("contains") => {
            return Why::new("there is no `contains` beside it");
        }
        "additionalItems" if !members.get("items").is_some_and(Value::is_array) => {
            return Why::new("there is no list of schemas in `items` beside it");
        }
        _ => {}
    }
    wrong_type(keyword, members)
}

/// What an older keyword became.
fn successor(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "additionalItems" => "items",
        "prefixItems" => "items",
        "dependentRequired" | "dependentSchemas" => "dependencies",
        "$recursiveRef" => "$dynamicRef",
        _ => return None,
    })
}

fn wrong_type(keyword: &str, members: &Map<String, Value>) -> Option<Why> {
    let about = vocabulary::about(keyword).filter(|_| vocabulary::asserts(keyword))?;
    let types: Vec<&str> = match members.get("type")? {
        Value::String(t) => vec![t],
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let fits = |t: &&str| match about {
        JsonType::Number => matches!(*t, "number" | "integer"),
        JsonType::String => *t == "string",
        JsonType::Array => *t == "array",
        _ => *t == "object",
    };
    let known =
        |t: &&str| matches!(*t, "string" | "number" | "integer" | "boolean" | "object" | "array" | "null");
    if types.is_empty() || types.iter().any(fits) || !types.iter().all(known) {
        return None;
    }
    let (noun, is) = match about {
        JsonType::Number => ("numbers", types.join(" or ")),
        JsonType::String => ("strings", types.join(" or ")),
        JsonType::Array => ("arrays", types.join(" or ")),
        _ => ("objects", types.join(" or ")),
    };
    let counterpart = types.iter().find_map(|t| counterpart(keyword, t));
    Some(Why {
        reason: format!("it is about {noun}, and the type is {is}"),
        meant: counterpart.map(|k| format!("`{k}`")),
        // Generators stamp it on everything, and nobody believes in it.
        harmless: keyword == "additionalProperties",
        disputed: false,
    })
}

/// The keyword that says of `kind` what `keyword` says of another type.
fn counterpart(keyword: &str, kind: &str) -> Option<&'static str> {
    let minimum = keyword.starts_with("min") || keyword == "exclusiveMinimum";
    let maximum = keyword.starts_with("max") || keyword == "exclusiveMaximum";
    Some(match (kind, minimum, maximum) {
        ("string", true, _) => "minLength",
        ("string", _, true) => "maxLength",
        ("number" | "integer", true, _) => "minimum",
        ("number" | "integer", _, true) => "maximum",
        ("array", true, _) => "minItems",
        ("array", _, true) => "maxItems",
        ("object", true, _) => "minProperties",
        ("object", _, true) => "maxProperties",
        ("array", ..) if matches!(keyword, "properties" | "required") => "items",
        _ => return None,
    })
}

/// Values with which a keyword refuses nothing wherever it stands.
pub(super) fn says_nothing_anyway(keyword: &str, value: &Value) -> bool {
    match value {
        Value::Object(o) => o.is_empty(),
        Value::Array(a) => a.is_empty(),
        Value::Bool(b) => *b != (keyword == "uniqueItems"),
        Value::Number(n) => {
            n.as_u64() == Some(0) && matches!(keyword, "minLength" | "minItems" | "minProperties")
        }
        _ => false,
    }
}

/// Arguments that the judge accepts, with a value that the keyword was perhaps meant to refuse.
fn witness_of(site: &SchemaSite<'_>, i: usize, node: &Node<'_>) -> Option<Value> {
    let value = witness::plausible(&site.view, node.schema, 0);
    witness::accepted(&site.view, i, &value)
}

/// A call that the judge refuses because of `dependencies`, and a validator that ignores them accepts.
fn disputed_call(site: &SchemaSite<'_>, i: usize, schema: &Value, dependencies: &Value) -> Option<Value> {
    const MOST: usize = 5;
    let plausible = witness::plausible(&site.view, schema, 0);
    let full = plausible.as_object().cloned().unwrap_or_default();
    dependencies.as_object()?.keys().take(MOST).find_map(|name| {
        let declared = schema.get("properties").and_then(|p| p.get(name)).unwrap_or(&Value::Null);
        let mut object = full.clone();
        object.insert(name.clone(), witness::plausible(&site.view, declared, 0));
        let call = witness::refused_as_is(&site.view, i, &Value::Object(object))?;
        let violations = site.view.judge().ok()?.violations(&call);
        violations.iter().all(|v| v.evaluation_path.contains("dependencies")).then_some(call)
    })
}

/// Deletes the keyword where it stands without any effect; one of another draft is a person's to translate, but
/// for `dependencies`, which the newer keywords say exactly.
fn delete_keyword(schema: &mut Value, at: &str, dialect: Dialect) -> bool {
    let Some((members, keyword)) = fix::holder(schema, at) else { return false };
    let Some(why) = why(&keyword, members, dialect) else { return false };
    if why.disputed {
        return translate_dependencies(members);
    }
    let is_foreign = vocabulary::asserts(&keyword) && !dialect.knows(&keyword);
    !is_foreign && members.shift_remove(&keyword).is_some()
}

fn translate_dependencies(members: &mut Map<String, Value>) -> bool {
    let Some(each) = members.get("dependencies").and_then(Value::as_object) else { return false };
    if each.values().all(Value::is_array) {
        fix::rename(members, "dependencies", "dependentRequired")
    } else if each.values().all(|v| v.is_object() || v.is_boolean()) {
        fix::rename(members, "dependencies", "dependentSchemas")
    } else {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::json;

    fn found_in(dialect: &str, property: Value) -> Vec<(String, Severity, String)> {
        let tool = json!([{"name": "a", "inputSchema": {"$schema": dialect, "type": "object", "properties": {"p": property}}}]);
        check(&NoEffect, &tool)
            .into_iter()
            .map(|f| (f.pointer.replace("/tools/0/inputSchema/properties/p/", ""), f.severity, f.help))
            .collect()
    }

    fn found(property: Value) -> Vec<String> {
        found_in("https://json-schema.org/draft/2020-12/schema", property)
            .into_iter()
            .map(|(k, ..)| k)
            .collect()
    }

    #[test]
    fn about_another_type() {
        assert_eq!(
            found(json!({"type": "integer", "minLength": 4, "maxLength": 8})),
            ["minLength", "maxLength"]
        );
        assert_eq!(
            found(json!({"type": "string", "minimum": 1, "items": {"type": "string"}})),
            ["minimum", "items"]
        );
        assert_eq!(found(json!({"type": "array", "properties": {"a": {}}})), ["properties"]);
        assert_eq!(found(json!({"type": ["string", "null"], "multipleOf": 2})), ["multipleOf"]);
        let help = &found_in(
            "https://json-schema.org/draft/2020-12/schema",
            json!({"type": "array", "minLength": 1}),
        )[0]
        .2;
        assert!(help.contains("`minItems`"), "{help}");
        let closed = found_in(
            "https://json-schema.org/draft/2020-12/schema",
            json!({"type": "string", "additionalProperties": false}),
        );
        assert_eq!(closed[0].1, Severity::Info);
    }

    #[test]
    fn without_its_partner_or_in_the_wrong_draft() {
        assert_eq!(found(json!({"then": {"type": "string"}, "minContains": 1})), ["then", "minContains"]);
        assert_eq!(found(json!({"if": {"type": "string"}})), ["if"]);
        assert_eq!(found(json!({"type": "object", "dependencies": {"a": ["b"]}})), ["dependencies"]);
        let draft7 = "http://json-schema.org/draft-07/schema#";
        let beside = found_in(draft7, json!({"$ref": "#", "minLength": 3, "description": "fine"}));
        assert_eq!(beside.iter().map(|f| f.0.as_str()).collect::<Vec<_>>(), ["minLength"]);
        assert_eq!(found_in(draft7, json!({"prefixItems": [{"type": "string"}]})).len(), 1);
        assert_eq!(found_in(draft7, json!({"dependentRequired": {"a": ["b"]}})).len(), 1);
        assert_eq!(found_in("http://json-schema.org/draft-04/schema#", json!({"const": 5})).len(), 1);
    }

    #[test]
    fn dependencies_are_disputed_from_2019_on() {
        let schema = json!({"type": "object", "required": ["q"], "dependencies": {"cc": ["number"]},
            "properties": {"q": {"type": "string"}, "cc": {"type": "string"}, "number": {"type": "string"}}});
        let found = check(&NoEffect, &json!([{"name": "a", "inputSchema": schema.clone()}]));
        assert!(!found[0].message.contains("no effect") && found[0].message.contains("who reads it"));
        let call = json!({"q": "example", "cc": "example"});
        assert_eq!(found[0].witness.as_ref(), Some(&call));
        let dialect = Dialect::Draft202012;
        let judge =
            |s: &Value| crate::schema::Judge::compile(s, dialect, crate::schema::judge::Formats::Annotate);
        assert!(!judge(&schema).unwrap().accepts(&call), "the judge heeds it");
        let ignored = crate::schema::probe::without(&schema, &["dependencies"]);
        assert!(judge(&ignored).unwrap().accepts(&call), "whoever ignores it does not refuse the call");
    }

    #[test]
    fn is_quiet() {
        for property in [
            json!({"type": "string", "minLength": 1, "format": "date"}),
            json!({"type": ["string", "integer"], "minLength": 1, "minimum": 0}),
            json!({"minLength": 1}),
            json!({"anyOf": [{"minLength": 1}]}),
            json!({"type": "string", "properties": {}, "required": [], "minItems": 0, "uniqueItems": false}),
            json!({"type": "object", "properties": {"minimum": {"type": "string"}, "then": {"type": "string"}}}),
            json!({"type": "integer", "format": "int64", "minimum": 1}),
            json!({"type": "string", "default": {"type": "string", "minimum": 1}}),
            json!({"$ref": "#", "minLength": 3}),
        ] {
            assert!(found(property.clone()).is_empty(), "{property}");
        }
    }
}
