//! MCP-SCHEMA-UNDECIDED.

use crate::finding::{Confidence, Impact, Severity};
use crate::generate::{self, GenerateVerdict, Options};
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView};
use crate::schema::judge::Formats;

pub struct Undecided;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-UNDECIDED",
    severity: Severity::Info,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "whether the schema accepts anything, or everything, is not known",
    rationale: "verity proves that a schema can be satisfied by showing a value, and that it cannot by an algebra of \
        schemas or an exhaustive search. Here neither came to an end within its bounds, so the silence of \
        MCP-SCHEMA-UNSATISFIABLE or of the VACUOUS rules means nothing for this schema. It may well be sound; a \
        person, or a simpler schema, has to tell.",
    help: "Write the schema in a simpler way (fewer branches that overlap, patterns without look-around), or check it by hand",
    bad: r#"{"tools": [{"name": "find", "description": "Find.", "inputSchema": {"type": "object",
        "properties": {"q": {"type": "string", "pattern": "^(a+)b\\1b\\1$", "minLength": 40, "maxLength": 40}},
        "required": ["q"], "additionalProperties": false}}]}"#,
    good: r#"{"tools": [{"name": "find", "description": "Find.", "inputSchema": {"type": "object",
        "properties": {"q": {"type": "string", "pattern": "^[a-z]{1,10}$"}}, "required": ["q"],
        "additionalProperties": false}}]}"#,
    sources: &[
        "Attouche and others, Witness Generation for JSON Schema, VLDB 2022: deciding it takes exponential time",
    ],
};

impl Rule for Undecided {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        let what = if site.is_input { "inputSchema" } else { "outputSchema" };
        let open = site.search().filter(|s| s.verdict == GenerateVerdict::Unknown);
        let (question, why) = match (open, &site.view.verdict().vacuity_unknown) {
            (Some(search), _) => ("any value", &search.reason),
            (None, Some(why)) if !refuses_something(site) => ("every object", why),
            (None, _) => return,
        };
        let why: String = why.chars().take(200).collect();
        let message = format!("whether the `{what}` accepts {question} is undecided: {why}");
        out.emit(site.at(""), message);
    }
}

/// Whether the generator knows an object that the schema refuses: then it does not accept every one.
fn refuses_something(site: &SchemaSite<'_>) -> bool {
    let options = Options { seed: "", name: "", count: 1, invalid: 8, formats: Formats::Annotate };
    generate::generate(&site.view, &options).invalid.iter().any(|m| m.instance.is_object())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::{Value, json};

    fn found(schema: Value) -> Vec<String> {
        check(&Undecided, &json!([{"name": "a", "inputSchema": schema}]))
            .into_iter()
            .map(|f| f.message)
            .collect()
    }

    #[test]
    fn says_what_neither_proof_nor_search_settles() {
        // Three equal runs and two letters are never 40 long, which takes arithmetic to see.
        let open = found(json!({"type": "object", "required": ["q"], "properties": {"q": {"type": "string",
            "pattern": "^(a+)b\\1b\\1$", "minLength": 40, "maxLength": 40}}}));
        assert_eq!(open.len(), 1);
        assert!(
            open[0].starts_with("whether the `inputSchema` accepts any value is undecided: "),
            "{open:?}"
        );
        // Too many branches for the algebra, none of which refuses anything that is tried.
        let wide: Vec<Value> =
            (0..900).map(|i| json!({"not": {"required": [format!("k{i}"), "z"]}})).collect();
        let open = found(json!({"type": "object", "anyOf": wide}));
        assert!(open.len() == 1 && open[0].contains("accepts every object is undecided"), "{open:?}");
    }

    #[test]
    fn is_quiet_where_a_value_settles_it() {
        for settled in [
            json!({"type": "object", "properties": {"a": {"pattern": "^(?!secret$)"}}}),
            json!({"type": "object", "propertyNames": {"pattern": "^(?!secret$)"}}),
            json!({"type": "object", "required": ["q"], "properties": {"q": {"type": "string",
                "pattern": "^(a+)b\\1b\\1$", "minLength": 41, "maxLength": 41}}}),
            json!({"type": "object"}),
            json!(true),
        ] {
            assert_eq!(found(settled.clone()), Vec::<String>::new(), "{settled}");
        }
    }
}
