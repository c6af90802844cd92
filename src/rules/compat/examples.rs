//! A listing that breaks a limit and one that keeps it, made of what the limit demands.

use crate::profile::{Check, Counted, MustBe, Side, Syntax, Which};
use serde_json::{Map, Value, json};

/// A listing that breaks the limit, and one that keeps it, as JSON texts.
pub(super) fn of(check: &Check) -> (String, String) {
    let (bad, good) = listings(check).unwrap_or_else(|| {
        let (bad, good) = schemas(check);
        let of = match check {
            Check::RootKeywords { of, .. }
            | Check::RootType { of }
            | Check::Formats { of, .. }
            | Check::References { of, .. }
            | Check::PatternUnicode { of } => *of,
            _ => Side::Input,
        };
        (with_schema(bad, of), with_schema(good, of))
    });
    (bad.to_string(), good.to_string())
}

fn listing(tool: Value) -> Value {
    json!({"tools": [tool]})
}

/// A tool that breaks no limit, with these members changed.
fn tool(members: Value) -> Value {
    let mut tool = json!({"name": "find_room", "title": "Find a room", "description": "Find a free room.",
        "inputSchema": closed(json!({"place": {"type": "string", "description": "Town."}})),
        "annotations": {"readOnlyHint": true, "destructiveHint": false, "openWorldHint": false}});
    if let (Some(tool), Value::Object(members)) = (tool.as_object_mut(), members) {
        tool.extend(members);
    }
    tool
}

fn with_schema(schema: Value, of: Side) -> Value {
    let member = if of == Side::Input { "inputSchema" } else { "outputSchema" };
    listing(tool(json!({ member: schema })))
}

/// An object schema with all of `properties`, all required, and no others.
fn closed(properties: Value) -> Value {
    let required: Vec<&String> = properties.as_object().into_iter().flat_map(Map::keys).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn one(property: Value) -> Value {
    closed(json!({"place": property}))
}

/// Limits on what stands beside the schemas.
fn listings(check: &Check) -> Option<(Value, Value)> {
    let named = |name: &str| listing(tool(json!({ "name": name })));
    let described = |text: String| listing(tool(json!({ "description": text })));
    let many = |n: usize| {
        let tools: Vec<Value> =
            (0..n).map(|i| json!({"name": format!("room_{i}"), "inputSchema": {"type": "object"}})).collect();
        json!({ "tools": tools })
    };
    let good = listing(tool(json!({})));
    Some(match check {
        Check::NamePattern { .. } => (named("Find room!"), good),
        Check::NameLength { max, .. } => (named(&"find_room_".repeat(max / 10 + 1)), good),
        Check::ToolCount { max } => (many(max + 1), many(2)),
        Check::DescriptionLength { max, .. } => (described("Find a free room. ".repeat(max / 18 + 1)), good),
        Check::DescriptionNotEmpty => (described(String::new()), good),
        Check::ExplicitHints { .. } => (listing(tool(json!({"annotations": {}}))), good),
        Check::TitleMember => (listing(tool(json!({"title": ""}))), good),
        Check::Count { of: what @ (Counted::OptionalParameters | Counted::UnionParameters), max, .. } => {
            let schema = |n: usize| {
                let kind = if *what == Counted::UnionParameters {
                    json!(["string", "null"])
                } else {
                    json!("string")
                };
                let properties: Map<String, Value> =
                    (0..n).map(|i| (format!("p{i}"), json!({"type": kind}))).collect();
                json!({"type": "object", "properties": properties, "additionalProperties": false})
            };
            (with_schema(schema(max + 1), Side::Input), with_schema(schema(2), Side::Input))
        }
        _ => return None,
    })
}

/// Limits on a schema: one that breaks it, one that keeps it.
fn schemas(check: &Check) -> (Value, Value) {
    let good = closed(json!({"place": {"type": "string"}}));
    let bad = match check {
        Check::RootKeywords { forbidden, .. } => {
            with(&good, first(forbidden), keyword_value(first(forbidden)))
        }
        Check::RootType { .. } => {
            json!({"anyOf": [good.clone(), closed(json!({"id": {"type": "integer"}}))]})
        }
        Check::PropertiesMember { .. } => json!({"type": "object"}),
        Check::PropertiesMap => json!({"type": "object", "properties": []}),
        Check::ItemsMember => one(json!({"type": "array"})),
        Check::ItemsSchema => {
            one(json!({"type": "array", "items": [{"type": "number"}, {"type": "number"}]}))
        }
        Check::PropertyKeys { .. } => closed(json!({"filter[place]": {"type": "string"}})),
        Check::KeywordsAllowed { .. } => {
            return (
                one(json!({"type": "integer", "exclusiveMinimum": 0})),
                json!({"type": "object", "properties": {"place": {"type": "string"}}}),
            );
        }
        Check::KeywordsForbidden { forbidden } => {
            one(with(&json!({"type": "string"}), first(forbidden), keyword_value(first(forbidden))))
        }
        Check::KeywordValues { keyword, .. } => {
            one(json!({"type": "array", "items": {"type": "string"}, keyword: 7}))
        }
        Check::AdditionalProperties { must: MustBe::False } => {
            json!({"type": "object", "properties": {"place": {"type": "string"}}})
        }
        Check::AdditionalProperties { must: MustBe::Boolean } => {
            one(json!({"type": "object", "additionalProperties": {"type": "string"}}))
        }
        Check::AllRequired => with(&good, "required", json!([])),
        Check::TypeMember { .. } => one(json!({"description": "Town."})),
        Check::SingleType => one(json!({"type": ["string", "null"]})),
        Check::EnumOfStrings => one(json!({"type": "integer", "enum": [1, 2]})),
        Check::EnumType => one(json!({"enum": ["near", "far"]})),
        Check::EnumNotEmpty => one(json!({"type": "string", "enum": ["near", ""]})),
        Check::Formats { .. } => one(json!({"type": "string", "format": "place-name"})),
        Check::RequiredDeclared => with(&good, "required", json!(["place", "hour"])),
        Check::Alone { keyword } => {
            return (
                one(json!({"description": "Town.", keyword: kinds()})),
                one(json!({ keyword: kinds() })),
            );
        }
        Check::NestedComposition { keywords } => one(
            json!({first(keywords): [{"type": "string"}, {"type": "object", "properties": {"id": {"type": "integer"}}}]}),
        ),
        Check::Depth { max } => nested(max + 1),
        Check::Count { of: Counted::EnumValues, max, .. } => one(values(max + 1, 1)),
        Check::Count { of: Counted::NameCharacters, max, .. } => one(values(max / 100 + 1, 100)),
        Check::Count { of: Counted::MaxItems, max, .. } => {
            one(json!({"type": "array", "items": {"type": "string"}, "maxItems": max + 1}))
        }
        Check::Count { max, .. } => {
            closed(Value::Object((0..=*max).map(|i| (format!("p{i}"), json!({"type": "string"}))).collect()))
        }
        Check::EnumCharacters { values_over, max } => one(values(values_over + 1, max / values_over + 1)),
        Check::References { forbidden, .. } => references(*forbidden),
        Check::BooleanSchemas => one(json!(true)),
        Check::PatternSyntax { forbidden } => one(json!({"type": "string", "pattern": pattern(forbidden)})),
        Check::PatternAnchored => one(json!({"type": "string", "pattern": "[a-z]+"})),
        Check::PatternUnicode { .. } => one(json!({"type": "string", "pattern": "^[0-9]{2}\\:[0-9]{2}$"})),
        Check::Repetitions { max } => one(json!({"type": "string", "minLength": max + 1})),
        Check::Dialects { .. } => {
            let old = with(&good, "dependencies", json!({"place": ["hour"]}));
            with(&old, "$schema", json!("http://json-schema.org/draft-07/schema#"))
        }
        _ => json!({}),
    };
    (bad, good)
}

fn first(names: &[String]) -> &str {
    names.first().map_or("", String::as_str)
}

fn with(schema: &Value, keyword: &str, value: Value) -> Value {
    let mut schema = schema.clone();
    if let Some(members) = schema.as_object_mut() {
        members.insert(keyword.to_string(), value);
    }
    schema
}

/// A value that the keyword takes.
fn keyword_value(keyword: &str) -> Value {
    match keyword {
        "allOf" | "anyOf" | "oneOf" => json!([{"required": ["place"]}, {"required": ["hour"]}]),
        "not" | "if" | "then" | "else" => json!({"required": ["hour"]}),
        "$defs" | "definitions" => json!({"place": {"type": "string"}}),
        "enum" => json!([{"place": "Bern"}]),
        _ => json!(1),
    }
}

fn kinds() -> Value {
    json!([{"type": "string"}, {"type": "integer"}])
}

fn nested(levels: usize) -> Value {
    (0..levels)
        .fold(json!({"type": "string"}), |inner, _| closed(json!({"part": inner})))
        .pointer("")
        .map_or_else(|| json!({}), |inner| closed(json!({"place": inner})))
}

fn values(n: usize, length: usize) -> Value {
    let values: Vec<String> = (0..n).map(|i| format!("{i:0>length$}")).collect();
    json!({"type": "string", "enum": values})
}

fn references(which: Which) -> Value {
    let target = match which {
        Which::Any => json!({"type": "string"}),
        Which::Recursive => json!({"type": "object", "properties": {"inner": {"$ref": "#/$defs/Place"}}}),
    };
    let mut schema = closed(json!({"place": {"$ref": "#/$defs/Place"}}));
    if let Some(members) = schema.as_object_mut() {
        members.insert("$defs".to_string(), json!({ "Place": target }));
    }
    schema
}

fn pattern(forbidden: &[Syntax]) -> &'static str {
    match forbidden.first() {
        Some(Syntax::BackReference) => "^(a|b)\\1$",
        Some(Syntax::WordBoundary) => "^\\bRoom$",
        Some(Syntax::UnicodeProperty) => "^\\p{L}+$",
        Some(Syntax::ClassEscape) => "^\\d+$",
        _ => "^(?!-)[a-z-]+$",
    }
}
