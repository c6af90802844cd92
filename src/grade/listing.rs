//! What a listing says of the tools that were called: what arguments they take, what they promise, what they do.

use crate::schema::{Dialect, Judge, judge::Formats};
use serde_json::Value;
use std::collections::BTreeMap;

/// One tool, ready to be judged by.
#[derive(Debug)]
pub struct Tool {
    pub read_only: bool,
    pub idempotent: bool,
    required: Vec<String>,
    /// The inputSchema, where it states defaults.
    defaults: Option<Value>,
    input: Option<Judge>,
    output: Option<Judge>,
}

/// The tools of a listing, by name.
#[derive(Debug, Default)]
pub struct Listing {
    tools: BTreeMap<String, Tool>,
    /// What could not be used of it.
    pub notes: Vec<String>,
}

impl Listing {
    /// The listing of `tools`, entries under MCP's field names.
    #[must_use]
    pub fn new<'t>(tools: impl IntoIterator<Item = &'t Value>) -> Listing {
        let mut listing = Listing::default();
        for entry in tools {
            let Some(name) = entry.get("name").and_then(Value::as_str) else { continue };
            let hint = |key: &str| {
                entry.get("annotations").and_then(|a| a.get(key)).and_then(Value::as_bool) == Some(true)
            };
            let mut judge = |key: &str| {
                let schema = entry.get(key).filter(|s| s.is_object() || s.is_boolean())?;
                let compiled = Judge::compile(schema, Dialect::of(schema), Formats::Annotate);
                compiled
                    .map_err(|e| {
                        listing.notes.push(format!(
                            "the {key} of `{name}` cannot be used, so its calls are not held against it: {e}"
                        ))
                    })
                    .ok()
            };
            let (input, output) = (judge("inputSchema"), judge("outputSchema"));
            let names =
                entry.pointer("/inputSchema/required").and_then(Value::as_array).into_iter().flatten();
            let required = names.filter_map(Value::as_str).map(str::to_string).collect();
            let tool = Tool {
                read_only: hint("readOnlyHint"),
                idempotent: hint("idempotentHint"),
                required,
                defaults: entry.get("inputSchema").filter(|s| states_defaults(s)).cloned(),
                input,
                output,
            };
            listing.tools.insert(name.to_string(), tool);
        }
        listing
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.tools.get(name)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }
}

impl Tool {
    /// Why the tool does not take `arguments`; `None` where it does.
    #[must_use]
    pub fn refuses(&self, arguments: &Value) -> Option<String> {
        first_violation(self.input.as_ref()?, arguments)
    }

    /// Names of the arguments that its schema requires at the top.
    #[must_use]
    pub fn required(&self) -> Vec<String> {
        self.required.clone()
    }

    /// `arguments` with the defaults that the schema states under `properties`, at every depth, for what is left out.
    #[must_use]
    pub fn with_defaults(&self, arguments: &Value) -> Value {
        self.defaults.as_ref().map_or_else(|| arguments.clone(), |schema| filled(schema, arguments))
    }

    /// Whether it promises anything of its results.
    #[must_use]
    pub fn has_output(&self) -> bool {
        self.output.is_some()
    }

    /// Why `result` is not what the tool promises; `None` where it is.
    #[must_use]
    pub fn breaks_promise(&self, result: &Value) -> Option<String> {
        first_violation(self.output.as_ref()?, result)
    }
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn states_defaults(schema: &Value) -> bool {
    properties(schema).any(|(_, inner)| inner.get("default").is_some() || states_defaults(inner))
}

fn filled(schema: &Value, value: &Value) -> Value {
    let Value::Object(members) = value else { return value.clone() };
    let mut out = members.clone();
    for (key, inner) in properties(schema) {
        match (members.get(key), inner.get("default")) {
            (Some(given), _) => drop(out.insert(key.clone(), filled(inner, given))),
            (None, Some(default)) => drop(out.insert(key.clone(), default.clone())),
            (None, None) => {}
        }
    }
    Value::Object(out)
}

/// The first reason why `judge` refuses `value`: keyword and place.
pub(super) fn first_violation(judge: &Judge, value: &Value) -> Option<String> {
    if judge.accepts(value) {
        return None;
    }
    let first = judge.first_violations(value, 1);
    Some(first.first().map_or("refused".to_string(), |v| {
        let at = if v.instance_pointer.is_empty() { "the whole" } else { &v.instance_pointer };
        format!("`{}` at {at}: {}", v.keyword, crate::error::cut(&v.message))
    }))
}
