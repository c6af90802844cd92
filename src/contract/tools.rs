//! A contract beside a listing: are the tools there, and do their schemas know the keys that the contract names?

use super::document::Contract;
use super::failure::{Code, Failure};
use super::interface::{KeyedShape, Operation};
use super::warn::Warning;
use crate::manifest::Tool;
use crate::pointer::{child, index};
use crate::schema::judge::{Formats, Judge};
use crate::schema::{Dialect, references};
use crate::suggest;
use serde_json::{Value, json};

/// Compare every operation of `contract` with the tool of its name.
///
/// A contract speaks of keys; what a schema says of them is gathered through `$ref`, `allOf` and the branches of
/// unions. A tool without an outputSchema promises nothing, which is a warning.
///
/// # Errors
/// [`Code::ToolNotListed`], [`Code::ArgumentNotListed`], [`Code::ResultNotListed`]: the first of them.
pub fn check(contract: &Contract, tools: &[&Tool]) -> Result<Vec<Warning>, Failure> {
    let mut warnings = Vec::new();
    for operation in contract.interfaces.iter().flat_map(|i| &i.operations) {
        let Some(tool) = tools.iter().find(|tool| tool.name() == Some(&operation.tool)) else {
            let names = tools.iter().filter_map(|tool| tool.name());
            let said = suggest::unknown("tool", &operation.tool, names);
            return Err(Failure::new(
                Code::ToolNotListed,
                child(&operation.at, "toolName"),
                format!("the listing has no such tool: {said}"),
            ));
        };
        let at = format!("{}/requestShape/arguments", operation.at);
        keys_are_in(
            &operation.arguments,
            &at,
            tool.input_schema(),
            operation,
            "inputSchema",
            Code::ArgumentNotListed,
        )?;
        warnings.extend(required_arguments(operation, tool));
        match tool.output_schema() {
            Some(schema) => {
                let at = format!("{}/responseDescriptor", operation.at);
                let shape = &operation.descriptor.shape;
                keys_are_in(shape, &at, Some(schema), operation, "outputSchema", Code::ResultNotListed)?;
            }
            None if !operation.descriptor.shape.is_empty() => {
                let text = format!(
                    "the tool `{}` declares no outputSchema: it promises no structuredContent at all",
                    operation.tool
                );
                warnings.push(Warning { pointer: format!("{}/responseDescriptor", operation.at), text });
            }
            None => {}
        }
    }
    Ok(warnings)
}

fn keys_are_in(
    shape: &KeyedShape,
    at: &str,
    schema: Option<&Value>,
    operation: &Operation,
    what: &str,
    code: Code,
) -> Result<(), Failure> {
    let gathered = schema.map(gather).unwrap_or_default();
    for (list, keys) in [("requiredKeys", &shape.required), ("permittedKeys", &shape.permitted)] {
        for (i, key) in keys.iter().enumerate() {
            if !gathered.iter().any(|schema| declares(schema, key)) {
                let names = gathered
                    .iter()
                    .filter_map(|s| s.get("properties")?.as_object())
                    .flat_map(|p| p.keys().map(String::as_str));
                let near =
                    suggest::closest(key, names).map_or(String::new(), |near| format!("; it has `{near}`"));
                let detail = format!("the {what} of `{}` declares no `{key}`{near}", operation.tool);
                return Err(Failure::new(code, index(&format!("{at}/{list}"), i), detail));
            }
        }
    }
    Ok(())
}

/// An argument that the schema requires and the contract does not: a call by the contract would be refused.
fn required_arguments(operation: &Operation, tool: &Tool) -> Vec<Warning> {
    let required =
        tool.input_schema().and_then(|s| s.get("required")).and_then(Value::as_array).into_iter().flatten();
    let missing = required
        .filter_map(Value::as_str)
        .filter(|key| !operation.arguments.required.iter().any(|k| k == key));
    let warning = |key: &str| Warning {
        pointer: format!("{}/requestShape/arguments/requiredKeys", operation.at),
        text: format!("the inputSchema of `{}` requires `{key}`, the contract does not", operation.tool),
    };
    missing.map(warning).collect()
}

/// Subschemas that one schema may gather.
const MOST: usize = 1_000;

/// Every subschema that says something of the same value as `root`.
pub(super) fn gather(root: &Value) -> Vec<&Value> {
    let (mut out, mut open): (Vec<&Value>, Vec<&Value>) = (Vec::new(), vec![root]);
    while let Some(schema) = open.pop() {
        if out.len() >= MOST || out.iter().any(|known| std::ptr::eq(*known, schema)) {
            continue;
        }
        out.push(schema);
        let reference = schema.get("$ref").or_else(|| schema.get("$dynamicRef")).and_then(Value::as_str);
        open.extend(reference.and_then(|reference| references::local(root, reference)));
        for keyword in ["allOf", "anyOf", "oneOf"] {
            open.extend(schema.get(keyword).and_then(Value::as_array).into_iter().flatten());
        }
        open.extend(["if", "then", "else"].into_iter().filter_map(|keyword| schema.get(keyword)));
        for keyword in ["dependentSchemas", "dependencies"] {
            open.extend(schema.get(keyword).and_then(Value::as_object).into_iter().flat_map(|o| o.values()));
        }
    }
    out
}

fn declares(schema: &Value, key: &str) -> bool {
    let is_named = schema.get("properties").is_some_and(|properties| properties.get(key).is_some());
    let is_required =
        schema.get("required").and_then(Value::as_array).is_some_and(|keys| keys.iter().any(|k| k == key));
    is_named
        || is_required
        || schema.get("patternProperties").and_then(Value::as_object).is_some_and(|patterns| {
            patterns.keys().any(|pattern| {
                let schema = json!({ "pattern": pattern });
                Judge::compile(&schema, Dialect::Draft202012, Formats::Annotate)
                    .is_ok_and(|judge| judge.accepts(&json!(key)))
            })
        })
}
