//! MCP-SCHEMA-DEAD-BRANCH.

use super::place;
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::fix::{self, FixKind, Fixer};
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView, say};
use crate::schema::empty::{self, DeadBecause};
use crate::schema::walk::Via;
use crate::schema::witness;
use serde_json::Value;

pub struct DeadBranch;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-DEAD-BRANCH",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Constraint,
    summary: "an alternative that no value can take",
    rationale: "A branch of `anyOf` or `oneOf` that nothing satisfies is offered to the agent and always refused: \
        `{\"not\": {}}` (zod's `undefined`, dumped), a `null` branch beside `type: string`, an `integer` branch \
        beside a `number` branch in `oneOf` (every integer matches both, and `oneOf` then refuses it). An `if` that \
        never or always holds makes `then` or `else` dead text.\n\n\
        Proven by the schema algebra, keywords beside the branch included. Branches that merely overlap are not \
        reported; a `null` branch that a `type` beside it forbids is for information only.",
    help: "Delete the branch; or correct what contradicts it. For `oneOf` with overlapping branches write `anyOf`",
    bad: r#"{"tools": [{"name": "upload", "description": "Upload a file.", "inputSchema": {"type": "object",
        "properties": {"alias": {"anyOf": [{"not": {}}, {"type": "string"}]}}}}]}"#,
    good: r#"{"tools": [{"name": "upload", "description": "Upload a file.", "inputSchema": {"type": "object",
        "properties": {"alias": {"type": "string"}},
        "additionalProperties": false}}]}"#,
    sources: &[
        "langchain-ai/langsmith-mcp-server#69 and others: `not: {}` refused by OpenAI strict mode and Gemini",
    ],
};

impl Rule for DeadBranch {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn fixer(&self) -> Option<Fixer> {
        Some(Fixer {
            kind: FixKind::Equal,
            does: "delete the branch that nothing matches",
            apply: delete_branch,
        })
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        for dead in empty::dead_branches(&site.view) {
            let Some(node) = site.view.nodes().get(dead.node) else { continue };
            let keyword = match node.via {
                Via::OneOf(_) => "oneOf",
                Via::If => "if",
                _ => "anyOf",
            };
            let of = place::name(site, dead.node);
            let message = match &dead.why {
                DeadBecause::Itself(parts) if parts.is_empty() => {
                    format!(
                        "a branch of `{keyword}` of {of} is {}, which matches nothing",
                        place::value(node.schema)
                    )
                }
                DeadBecause::Itself(parts) => format!(
                    "a branch of `{keyword}` of {of} matches nothing: {} exclude each other",
                    place::conflict(&node.pointer, parts)
                ),
                DeadBecause::Siblings(names) => {
                    let names: Vec<String> = names.iter().map(|n| say::quoted(n)).collect();
                    format!(
                        "a branch of `{keyword}` of {of} can never be taken: nothing matches it together with {} \
                         beside it",
                        say::list(&names, 5)
                    )
                }
                DeadBecause::Covered => format!(
                    "a branch of `oneOf` of {of} can never be taken: whatever matches it matches another branch too, \
                     and `oneOf` allows only one"
                ),
                DeadBecause::NeverHolds => {
                    format!("the `if` of {of} never holds, so its `then` never applies")
                }
                DeadBecause::AlwaysHolds => {
                    format!("the `if` of {of} always holds, so its `else` never applies")
                }
            };
            let witness =
                out.unless_full(|| witness_of(site, dead.node, node.schema)).filter(|_| keyword != "if");
            let finding = out.emit_with_witness(site.at(&node.pointer), message, witness);
            if matches!(dead.why, DeadBecause::Siblings(_))
                && node.schema.get("type").is_some_and(|t| t == "null")
            {
                // A `null` that the type beside it forbids: whoever wants none leaves the argument out.
                finding.severity = Severity::Info;
            }
        }
    }
}

/// Arguments with what the branch seems to offer, refused.
fn witness_of(site: &SchemaSite<'_>, node: usize, branch: &Value) -> Option<Value> {
    let offered = witness::plausible(&site.view, branch, 0);
    [offered, Value::Null, serde_json::json!({})].iter().find_map(|v| witness::refused(&site.view, node, v))
}

/// Deletes a branch of `anyOf` or `oneOf` that is not the only one; an `if` means something to its neighbours.
fn delete_branch(schema: &mut Value, at: &str, _: crate::schema::Dialect) -> bool {
    let list = crate::pointer::split_last(at).and_then(|(list, _)| crate::pointer::split_last(list));
    list.is_some_and(|(_, keyword)| matches!(keyword.as_str(), "anyOf" | "oneOf")) && fix::remove(schema, at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::json;

    fn found(property: Value) -> Vec<(String, Option<Value>)> {
        let tool = json!([{"name": "a", "inputSchema": {"type": "object", "properties": {"p": property}}}]);
        check(&DeadBranch, &tool)
            .into_iter()
            .map(|f| (f.pointer.replace("/tools/0/inputSchema/properties/p", ""), f.witness))
            .collect()
    }

    #[test]
    fn fires() {
        assert_eq!(found(json!({"anyOf": [{"not": {}}, {"type": "string"}]}))[0].0, "/anyOf/0");
        assert_eq!(
            found(json!({"oneOf": [{"type": "number"}, {"type": "integer"}]})),
            [("/oneOf/1".into(), Some(json!({"p": 1})))]
        );
        assert_eq!(
            found(json!({"type": "string", "anyOf": [{"minLength": 1}, {"type": "null"}]})),
            [("/anyOf/1".into(), Some(json!({"p": null})))]
        );
        assert_eq!(
            found(json!({"type": "string", "if": {"type": "number"}, "then": {"minLength": 2}})),
            [("/if".into(), None)]
        );
    }

    #[test]
    fn is_quiet() {
        for property in [
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            json!({"oneOf": [{"type": "string", "maxLength": 5}, {"type": "string", "minLength": 3}]}),
            json!({"type": "object", "properties": {"a": {}, "b": {}}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}),
            json!({"type": ["string", "null"], "anyOf": [{"type": "string"}, {"type": "null"}]}),
            json!({"not": {"type": "string"}}),
            json!({"if": {"type": "string"}, "then": {"minLength": 1}, "else": {"type": "number"}}),
        ] {
            assert!(found(property.clone()).is_empty(), "{property}");
        }
    }
}
