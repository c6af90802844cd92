//! MCP-SCHEMA-FOREIGN-KEYWORD.

use super::place;
use crate::finding::{Confidence, Impact, Part, Severity};
use crate::pointer;
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView};
use crate::schema::judge::PlaceJudges;
use crate::schema::reach::Step;
use crate::schema::{Node, vocabulary, witness};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

pub struct ForeignKeyword;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-FOREIGN-KEYWORD",
    severity: Severity::Info,
    confidence: Confidence::High,
    impact: Impact::Constraint,
    summary: "an OpenAPI keyword, which JSON Schema ignores",
    rationale: "Schemas that were made from OpenAPI carry keywords that JSON Schema does not have. `nullable: true` \
        does *not* allow `null`: a client that sends it is refused. `example` and `discriminator` are not read. \
        Shown for information; the fix is mechanical.",
    help: "`nullable: true` becomes \"type\": [\"string\", \"null\"], `example` becomes `examples` (a list), \
        `discriminator` can be left out",
    bad: r#"{"tools": [{"name": "note", "description": "Set or clear a note.", "inputSchema": {"type": "object",
        "properties": {"text": {"type": "string", "nullable": true}}}}]}"#,
    good: r#"{"tools": [{"name": "note", "description": "Set or clear a note.", "inputSchema": {"type": "object",
        "properties": {"text": {"type": ["string", "null"]}},
        "additionalProperties": false}}]}"#,
    sources: &["OpenAPI 3.0.3, Schema Object; OpenAPI 3.1 dropped `nullable`"],
};

impl Rule for ForeignKeyword {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        let no_null = refuse_null(site);
        for (i, node) in site.view.nodes().iter().enumerate() {
            let Some(members) = node.schema.as_object() else { continue };
            for (keyword, value) in members {
                let Some(help) = foreign(keyword, value, members) else { continue };
                let is_nullable = keyword == "nullable";
                if is_nullable && !no_null.contains(&i) {
                    continue; // null is allowed all the same
                }
                let witness =
                    out.unless_full(|| witness::refused(&site.view, i, &Value::Null).filter(|_| is_nullable));
                let effect =
                    if is_nullable { ": null is refused all the same" } else { " and has no effect" };
                let finding = out.emit_with_witness(
                    site.at(&pointer::child(&node.pointer, keyword)),
                    format!("`{keyword}` of {} is OpenAPI's{effect}", place::name(site, i)),
                    witness,
                );
                finding.part = Part::Key;
                finding.help = help.to_string();
            }
        }
    }
}

/// Subschemas with `nullable: true` where null is refused all the same: by the subschema that holds all that
/// is said of the value there, so `anyOf` with a `null` beside it is heard.
fn refuse_null(site: &SchemaSite<'_>) -> BTreeSet<usize> {
    let view = &site.view;
    let whole = |node: usize| {
        let way = view.reach().way(node).filter(|_| !view.reach().is_inverse(node))?;
        let in_place = way.iter().rev().take_while(|(_, step)| *step == Step::Same);
        Some(in_place.last().map_or(node, |(from, _)| *from))
    };
    let nullable =
        |n: &Node<'_>| n.schema.as_object().is_some_and(|m| m.get("nullable") == Some(&Value::Bool(true)));
    let asked: Vec<(usize, &str)> = view
        .nodes()
        .iter()
        .enumerate()
        .filter(|(_, n)| nullable(n))
        .filter_map(|(i, _)| Some((i, view.nodes().get(whole(i)?)?.pointer.as_str())))
        .collect();
    let places: Vec<&str> = asked.iter().map(|(_, place)| *place).collect();
    let judges = (!places.is_empty()).then(|| PlaceJudges::compile(view.schema, view.dialect, &places));
    let Some(Ok(judges)) = judges else { return BTreeSet::new() };
    let refuses = |(n, (i, _)): (usize, &(usize, &str))| (!judges.accepts(n, &Value::Null)).then_some(*i);
    asked.iter().enumerate().filter_map(refuses).collect()
}

fn foreign(keyword: &str, value: &Value, members: &Map<String, Value>) -> Option<&'static str> {
    let is_schema = members.keys().any(|k| vocabulary::is_keyword(k) && k != "example");
    match keyword {
        "nullable" if value == &Value::Bool(true) => {
            Some("Write \"type\": [\"string\", \"null\"] (with the type at hand)")
        }
        "example" if is_schema => Some("Write \"examples\": [ … ], a list"),
        "discriminator" | "xml" | "externalDocs" if value.is_object() => {
            Some("Leave it out: nothing reads it here")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::json;

    fn found(property: Value) -> Vec<String> {
        let tool = json!([{"name": "a", "inputSchema": {"type": "object", "properties": {"p": property}}}]);
        check(&ForeignKeyword, &tool)
            .into_iter()
            .map(|f| f.pointer.replace("/tools/0/inputSchema/properties/p/", ""))
            .collect()
    }

    #[test]
    fn fires() {
        assert_eq!(
            found(json!({"type": "string", "nullable": true, "example": "x"})),
            ["nullable", "example"]
        );
    }

    #[test]
    fn is_quiet() {
        for property in [
            json!({"type": ["string", "null"], "nullable": true}),
            json!({"anyOf": [{"type": "string", "nullable": true}, {"type": "null"}]}),
            json!({"type": "string", "nullable": false}),
            json!({"type": "object", "properties": {"nullable": {"type": "boolean"}, "example": {"type": "string"}}}),
        ] {
            assert!(found(property.clone()).is_empty(), "{property}");
        }
    }
}
