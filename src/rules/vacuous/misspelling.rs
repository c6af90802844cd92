//! MCP-VACUOUS-MISSPELLING.

use super::misspell;
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView, annotation, say};
use crate::schema::witness;
use serde_json::{Map, Value};

pub struct Misspelling;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-VACUOUS-MISSPELLING",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Agent,
    summary: "all parameters are optional and any other name is accepted: a misspelt argument passes unnoticed",
    rationale: "Where nothing is required and the object is open, a call with a misspelt or invented parameter is \
        *valid*: the server ignores the argument and works with its defaults, and the agent believes that it was \
        heard. `additionalProperties: false` turns that silence into an error which the model can correct.\n\n\
        It is a warning where that does harm: the tool has more than one parameter to confuse, and its name and \
        description say that it changes something. Else it is information: most frameworks leave the object open, and \
        an answer that ignores a filter is seen to be too long.\n\n\
        The witness is such a call, accepted by the judge. A tool that requires something is not reported: there the \
        agent at least learns that the name it meant is missing. Nor is an object that is open on purpose \
        (`additionalProperties` or `patternProperties` present).",
    help: "Add \"additionalProperties\": false to the schema, or require what the tool cannot do without",
    bad: r#"{"tools": [{"name": "set_limits", "description": "Set the limits.", "inputSchema": {"type": "object",
        "properties": {"timeout_seconds": {"type": "integer", "minimum": 1}, "retries": {"type": "integer"}}}}]}"#,
    good: r#"{"tools": [{"name": "set_limits", "description": "Set the limits.", "inputSchema": {"type": "object",
        "properties": {"timeout_seconds": {"type": "integer", "minimum": 1}, "retries": {"type": "integer"}},
        "additionalProperties": false}}]}"#,
    sources: &["SEP-1303: validation errors as tool results let the model correct itself"],
};

impl Rule for Misspelling {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, tool: &ToolView<'_>, out: &mut Sink<'_>) {
        let root = site.view.schema.as_object();
        let Some(members) = root.filter(|_| site.is_input && !site.view.verdict().vacuous) else { return };
        let on_purpose =
            ["additionalProperties", "patternProperties", "unevaluatedProperties", "propertyNames"];
        if on_purpose.iter().any(|k| members.contains_key(*k)) {
            return;
        }
        let Ok(judge) = site.view.judge() else { return };
        let declared = members.get("properties").and_then(Value::as_object);
        let Some(declared) = declared.filter(|d| !d.is_empty()) else { return };
        if !judge.accepts(&Value::Object(Map::new())) {
            return;
        }
        // The longest name is the likeliest to be misspelt, and the easiest to see misspelt.
        let named = declared.iter().max_by_key(|(k, _)| k.chars().count().min(20));
        let Some((name, schema)) = named else { return };
        let Some(wrong) = misspell(name).filter(|w| !declared.contains_key(w)) else { return };
        let value = witness::plausible(&site.view, schema, 0);
        let call = Value::Object(Map::from_iter([(wrong.clone(), value)]));
        if !judge.accepts(&call) {
            return;
        }
        let harms = declared.len() > 1 && annotation::seems_to_write(tool);
        let finding = out.emit_with_witness(
            site.at(""),
            format!(
                "{} requires nothing and accepts any name: {} instead of {} passes unnoticed",
                say::tool(tool),
                say::quoted(&wrong),
                say::quoted(name)
            ),
            Some(call),
        );
        if !harms {
            finding.severity = Severity::Info;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::json;

    fn found(schema: Value) -> Vec<Value> {
        check(&Misspelling, &json!([{"name": "a", "inputSchema": schema}]))
            .into_iter()
            .filter_map(|f| f.witness)
            .collect()
    }

    #[test]
    fn fires_with_a_misspelt_call() {
        assert_eq!(
            found(
                json!({"type": "object", "properties": {"timeout_seconds": {"type": "integer", "minimum": 1}}})
            ),
            [json!({"timeout_secodns": 1})]
        );
        assert_eq!(
            found(json!({"type": "object", "properties": {"q": {"type": "string"}}})),
            [json!({"qq": "example"})]
        );
    }

    #[test]
    fn a_warning_where_it_does_harm() {
        let severity = |name: &str, annotations: Value, properties: Value| {
            let tool = json!([{"name": name, "description": "Update the limits of the store.", "annotations": annotations, "inputSchema": {"type": "object", "properties": properties}}]);
            check(&Misspelling, &tool)[0].severity
        };
        let two = || json!({"timeout": {"type": "integer"}, "retries": {"type": "integer"}});
        assert_eq!(severity("update_limits", json!({}), two()), Severity::Warning);
        assert_eq!(severity("update_limits", json!({"readOnlyHint": true}), two()), Severity::Info);
        assert_eq!(severity("get_limits", json!({}), two()), Severity::Info);
        assert_eq!(
            severity("update_limits", json!({}), json!({"timeout": {"type": "integer"}})),
            Severity::Info
        );
    }

    #[test]
    fn is_quiet() {
        let properties = json!({"timeout": {"type": "integer"}});
        for schema in [
            json!({"type": "object", "properties": properties, "additionalProperties": false}),
            json!({"type": "object", "properties": properties, "additionalProperties": true}),
            json!({"type": "object", "properties": properties, "required": ["timeout"]}),
            json!({"type": "object", "properties": properties, "anyOf": [{"required": ["timeout"]}]}),
            json!({"type": "object", "properties": {}}),
            json!({"type": "object", "properties": {"x": {}}}),
        ] {
            assert!(found(schema.clone()).is_empty(), "{schema}");
        }
    }
}
