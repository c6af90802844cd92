//! promptfoo results, version 3: a run a row, with its calls in the response's metadata, its output, or its spans.

use super::build::{Builder, NewAnswer, NewArguments, NewCall};
use super::frame::Reader;
use super::otlp::{self, Span};
use super::parts::{content, items, server_and_tool, text};
use crate::error::InputError;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

pub(super) struct Promptfoo;

impl Reader for Promptfoo {
    fn value(&mut self, value: &Value, b: &mut Builder) -> Result<(), InputError> {
        let nested = value.get("results").filter(|r| r.is_object());
        let (inner, base) = nested.map_or((value, ""), |inner| (inner, "/results"));
        if let Some(version) = inner.get("version").filter(|v| v.as_u64() != Some(3)) {
            return Err(b.fault(format!("promptfoo results of version {version}: verity reads version 3")));
        }
        for (i, row) in items(inner, "results").iter().enumerate() {
            b.enter(&format!("row {}", i + 1));
            self::row(value, row, i, &format!("{base}/results/{i}"), b)?;
        }
        Ok(())
    }
}

fn row(all: &Value, row: &Value, index: usize, at: &str, b: &mut Builder) -> Result<(), InputError> {
    b.turn();
    let prompt = row.get("prompt").and_then(|p| text(p, "raw")).unwrap_or_default();
    b.say("user", prompt)?;
    let calls = |v: Option<&'_ Value>| {
        v.map(|m| items(m, "toolCalls")).filter(|c| !c.is_empty()).map(<[Value]>::to_vec)
    };
    let response = row.get("response");
    let output = response.and_then(|r| r.get("output"));
    let metadata = response.and_then(|r| r.get("metadata"));
    let found = if let Some(list) = calls(metadata) {
        Some((list, format!("{at}/response/metadata/toolCalls")))
    } else if let Some(list) = calls(row.get("metadata")) {
        Some((list, format!("{at}/metadata/toolCalls")))
    } else {
        output.and_then(output_calls).map(|list| (list, format!("{at}/response/output")))
    };
    match found {
        Some((list, place)) => {
            for (i, one) in list.iter().enumerate() {
                call(one, &format!("{place}/{i}"), b)?;
            }
        }
        None => spans(all, row, index, b)?,
    }
    if let Some(said) = output.and_then(Value::as_str).filter(|_| output.and_then(output_calls).is_none()) {
        b.turn();
        b.say("assistant", said)?;
    }
    Ok(())
}

/// The calls in a provider's output: OpenAI's `tool_calls`, alone or in a message, or that as text.
fn output_calls(output: &Value) -> Option<Vec<Value>> {
    let is_call =
        |v: &Value| v.get("function").is_some_and(Value::is_object) || text(v, "type") == Some("tool_use");
    match output {
        Value::Array(list) if list.iter().any(is_call) => {
            Some(list.iter().filter(|v| is_call(v)).cloned().collect())
        }
        Value::Object(_) if is_call(output) => Some(vec![output.clone()]),
        Value::Object(_) => Some(items(output, "tool_calls").to_vec()).filter(|c| !c.is_empty()),
        Value::String(json) if json.trim_start().starts_with(['[', '{']) => {
            let value: Value = serde_json::from_str(json).ok()?;
            if value.is_string() { None } else { output_calls(&value) }
        }
        _ => None,
    }
}

fn call(one: &Value, at: &str, b: &mut Builder) -> Result<(), InputError> {
    let index = match text(one, "name") {
        // As agent SDKs report their calls.
        Some(name) => {
            let (server, tool) = server_and_tool(name, &[]);
            let arguments = NewArguments::text(one.get("input").or_else(|| one.get("arguments")));
            let (parent, id) = (text(one, "parentToolUseId"), text(one, "id"));
            b.call(&NewCall { tool, server, parent, id, arguments, pointer: at })?
        }
        None => super::openai::call(one, at, b)?,
    };
    if let Some(id) = text(one, "id") {
        b.close(id);
    }
    let is_error = one.get("is_error").and_then(Value::as_bool).unwrap_or(false);
    match one.get("output").filter(|o| !o.is_null()) {
        Some(output) => b.settle(index, &NewAnswer::of(content(Some(output)), is_error)),
        None if is_error => b.settle(index, &NewAnswer::of(String::new(), true)),
        None => Ok(()),
    }
}

/// The calls of a row that only its trace has.
fn spans(all: &Value, row: &Value, index: usize, b: &mut Builder) -> Result<(), InputError> {
    let own = text(row, "traceId");
    let of_row = |t: &&Value| match own {
        Some(id) => text(t, "traceId") == Some(id),
        None => {
            t.pointer("/metadata/testIdx").and_then(Value::as_u64)
                == row.get("testIdx").and_then(Value::as_u64)
                && t.pointer("/metadata/promptIdx").and_then(Value::as_u64)
                    == row.get("promptIdx").and_then(Value::as_u64)
                && row.get("testIdx").is_some()
        }
    };
    let session = format!("row {}", index + 1);
    for (t, trace) in items(all, "traces").iter().enumerate().filter(|(_, t)| of_row(t)) {
        let mut found = Vec::new();
        let mut parents = BTreeMap::new();
        for (n, span) in items(trace, "spans").iter().enumerate() {
            let (id, parent) =
                (text(span, "spanId").unwrap_or_default(), text(span, "parentSpanId").unwrap_or_default());
            parents.insert(id.to_string(), parent.to_string());
            let mut attributes: Map<String, Value> =
                span.get("attributes").and_then(Value::as_object).cloned().unwrap_or_default();
            let Some((tool, is_mcp)) = otlp::call_span(text(span, "name").unwrap_or_default(), &attributes)
            else {
                continue;
            };
            attributes.insert("gen_ai.conversation.id".to_string(), Value::from(session.clone()));
            let is_error = span.get("statusCode").and_then(Value::as_u64) == Some(2);
            // Milliseconds, with fractions.
            let time = |key: &str| span.get(key).and_then(Value::as_f64).unwrap_or_default().max(0.0);
            found.push(Span {
                id: id.to_string(),
                parent: parent.to_string(),
                trace: own.unwrap_or_default().to_string(),
                start: (time("startTime") * 1e6) as u128,
                failure: otlp::failure(&attributes, is_error, text(span, "statusMessage")),
                is_over: time("endTime") > 0.0,
                tool,
                is_mcp,
                attributes,
                line: b.line(),
                pointer: format!("/traces/{t}/spans/{n}"),
            });
        }
        otlp::emit(found, &parents, b)?;
    }
    b.enter(&session);
    Ok(())
}
