//! OpenTelemetry spans in OTLP JSON: `execute_tool` spans (GenAI conventions) and `tools/call` spans (MCP conventions).

use super::build::{Builder, NewAnswer, NewArguments, NewCall};
use super::frame::Reader;
use super::parts::{content, id, items, text};
use super::store::Outcome;
use crate::error::InputError;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Spans may come in any order, so all of those that are calls are kept until the end.
#[derive(Default)]
pub(super) struct Otlp {
    spans: Vec<Span>,
    /// Parents of all spans, calls or not.
    parents: BTreeMap<String, String>,
    others: usize,
}

/// A span that is a call.
pub(super) struct Span {
    pub(super) id: String,
    pub(super) parent: String,
    pub(super) trace: String,
    /// Nanoseconds.
    pub(super) start: u128,
    pub(super) tool: String,
    /// Of an MCP client or server, not of the agent.
    pub(super) is_mcp: bool,
    pub(super) attributes: Map<String, Value>,
    pub(super) failure: Option<String>,
    pub(super) is_over: bool,
    pub(super) line: usize,
    pub(super) pointer: String,
}

impl Reader for Otlp {
    fn value(&mut self, value: &Value, b: &mut Builder) -> Result<(), InputError> {
        let either = |v: &Value, a: &str, other: &str| -> (String, Vec<Value>) {
            if v.get(a).is_some() {
                (a.to_string(), items(v, a).to_vec())
            } else {
                (other.to_string(), items(v, other).to_vec())
            }
        };
        let (resources_key, resources) = either(value, "resourceSpans", "resource_spans");
        for (r, resource) in resources.iter().enumerate() {
            let (scopes_key, scopes) = either(resource, "scopeSpans", "scope_spans");
            for (s, scope) in scopes.iter().enumerate() {
                for (n, span) in items(scope, "spans").iter().enumerate() {
                    self.span(span, format!("/{resources_key}/{r}/{scopes_key}/{s}/spans/{n}"), b);
                }
            }
        }
        Ok(())
    }

    fn end(&mut self, b: &mut Builder) -> Result<(), InputError> {
        if self.spans.is_empty() && self.others > 0 {
            let message = format!(
                "none of the {} spans is a tool call (`execute_tool` or MCP `tools/call`)",
                self.others
            );
            b.find("no-call-spans", message, None);
        }
        emit(std::mem::take(&mut self.spans), &self.parents, b)
    }
}

impl Otlp {
    fn span(&mut self, span: &Value, pointer: String, b: &Builder) {
        let member = |a: &str, other: &str| {
            text(span, a).or_else(|| text(span, other)).unwrap_or_default().to_string()
        };
        let (own, parent) = (member("spanId", "span_id"), member("parentSpanId", "parent_span_id"));
        if !parent.is_empty() {
            self.parents.insert(own.clone(), parent.clone());
        }
        let attributes: Map<String, Value> = items(span, "attributes")
            .iter()
            .filter_map(|a| Some((text(a, "key")?.to_string(), any_value(a.get("value")?))))
            .collect();
        let time = |a: &str, other: &str| {
            let value = span.get(a).or_else(|| span.get(other)).and_then(id);
            value.and_then(|t| t.parse::<u128>().ok()).unwrap_or_default()
        };
        let status = span.get("status");
        let code = status.and_then(|s| s.get("code"));
        let is_error = code.is_some_and(|c| c.as_u64() == Some(2) || c.as_str() == Some("STATUS_CODE_ERROR"));
        let said = status.and_then(|s| text(s, "message"));
        let name = text(span, "name").unwrap_or_default();
        match call_span(name, &attributes) {
            Some((tool, is_mcp)) => self.spans.push(Span {
                failure: failure(&attributes, is_error, said),
                id: own,
                parent,
                trace: member("traceId", "trace_id"),
                start: time("startTimeUnixNano", "start_time_unix_nano"),
                is_over: time("endTimeUnixNano", "end_time_unix_nano") > 0,
                tool,
                is_mcp,
                attributes,
                line: b.line(),
                pointer,
            }),
            None => self.others += 1,
        }
    }
}

/// Why a span says that its call failed.
pub(super) fn failure(attributes: &Map<String, Value>, is_error: bool, said: Option<&str>) -> Option<String> {
    let kind = attributes.get("error.type").and_then(Value::as_str);
    let text = said.filter(|s| !s.is_empty()).or(kind).unwrap_or("error");
    (is_error || kind.is_some()).then(|| text.to_string())
}

/// The tool that a span calls, and whether it is an MCP span.
pub(super) fn call_span(name: &str, attributes: &Map<String, Value>) -> Option<(String, bool)> {
    let attribute = |key: &str| attributes.get(key).and_then(Value::as_str);
    let named = |prefix: &str| name.strip_prefix(prefix).map(str::trim).filter(|n| !n.is_empty());
    let is_mcp = attribute("mcp.method.name") == Some("tools/call")
        || attribute("mcp.method.name").is_none()
            && attribute("gen_ai.operation.name").is_none()
            && named("tools/call ").is_some();
    let executes = attribute("gen_ai.operation.name") == Some("execute_tool")
        || attribute("gen_ai.operation.name").is_none() && named("execute_tool ").is_some();
    if !is_mcp && !executes {
        return None;
    }
    let tool = attribute("gen_ai.tool.name").or_else(|| attribute("mcp.tool.name"));
    let tool = tool.or_else(|| named("execute_tool ")).or_else(|| named("tools/call ")).unwrap_or_default();
    Some((tool.to_string(), is_mcp))
}

/// An OTLP `AnyValue` as JSON.
fn any_value(value: &Value) -> Value {
    let inner = |key: &str| value.get(key);
    if let Some(text) = inner("stringValue").or_else(|| inner("string_value")) {
        return text.clone();
    }
    if let Some(number) = inner("intValue").or_else(|| inner("int_value")) {
        // 64-bit integers are texts in OTLP JSON.
        return match number.as_str().and_then(|t| t.parse::<i64>().ok()) {
            Some(n) => Value::from(n),
            None => number.clone(),
        };
    }
    if let Some(plain) =
        ["doubleValue", "double_value", "boolValue", "bool_value", "bytesValue"].iter().find_map(|k| inner(k))
    {
        return plain.clone();
    }
    if let Some(list) = inner("arrayValue").or_else(|| inner("array_value")) {
        return items(list, "values").iter().map(any_value).collect();
    }
    if let Some(map) = inner("kvlistValue").or_else(|| inner("kvlist_value")) {
        let member = |m: &Value| Some((text(m, "key")?.to_string(), any_value(m.get("value")?)));
        return Value::Object(items(map, "values").iter().filter_map(member).collect());
    }
    Value::Null
}

/// The calls of `spans`, by time. A span below another call of the same tool is that call seen from nearer the tool.
pub(super) fn emit(
    mut spans: Vec<Span>,
    parents: &BTreeMap<String, String>,
    b: &mut Builder,
) -> Result<(), InputError> {
    spans.sort_by_key(|span| span.start);
    let at: BTreeMap<String, usize> =
        spans.iter().enumerate().map(|(i, s)| (s.id.clone(), i)).filter(|(id, _)| !id.is_empty()).collect();
    let above = |start: usize| -> Option<usize> {
        let mut id = spans.get(start)?.parent.clone();
        // A chain of parents that runs in a circle ends after as many steps as there are spans.
        for _ in 0..=parents.len() {
            if let Some(found) = at.get(&id).filter(|found| **found != start) {
                return Some(*found);
            }
            id = parents.get(&id)?.clone();
        }
        None
    };
    let owners: Vec<Option<usize>> = (0..spans.len()).map(above).collect();
    let mut merged: BTreeSet<usize> = BTreeSet::new();
    let mut nearer: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (i, owner) in owners.iter().enumerate() {
        let Some(owner) = *owner else { continue };
        let is_same = spans.get(i).zip(spans.get(owner)).is_some_and(|(s, o)| s.is_mcp && s.tool == o.tool);
        if is_same {
            merged.insert(i);
            nearer.entry(owner).or_default().push(i);
        }
    }
    for (i, span) in spans.iter().enumerate() {
        if merged.contains(&i) {
            continue;
        }
        let mut views = vec![span];
        let mut queue: Vec<usize> = nearer.get(&i).cloned().unwrap_or_default();
        while let Some(next) = queue.pop() {
            views.extend(spans.get(next));
            queue.extend(nearer.get(&next).into_iter().flatten());
        }
        let parent = owners.get(i).copied().flatten().and_then(|o| spans.get(o)).map(call_id);
        call(span, &views, parent.as_deref(), b)?;
    }
    Ok(())
}

fn call_id(span: &Span) -> String {
    attribute(&[span], "gen_ai.tool.call.id").and_then(id).unwrap_or_else(|| span.id.clone())
}

fn attribute<'s>(views: &[&'s Span], key: &str) -> Option<&'s Value> {
    views.iter().find_map(|s| s.attributes.get(key))
}

fn call(span: &Span, views: &[&Span], parent: Option<&str>, b: &mut Builder) -> Result<(), InputError> {
    let session = attribute(views, "gen_ai.conversation.id").or_else(|| attribute(views, "mcp.session.id"));
    b.enter(session.and_then(Value::as_str).unwrap_or(&span.trace));
    b.text(span.line, "");
    // Traces that were exported twice have each span twice.
    let id = attribute(views, "gen_ai.tool.call.id").and_then(id);
    let arguments = NewArguments::text(attribute(views, "gen_ai.tool.call.arguments"));
    let server = attribute(views, "mcp.server.name").or_else(|| attribute(views, "server.address"));
    let new = NewCall {
        tool: &span.tool,
        server: server.and_then(Value::as_str),
        parent,
        id: id.as_deref(),
        arguments,
        pointer: &span.pointer,
    };
    let index = b.call(&new)?;
    if let Some(id) = &id {
        b.close(id);
    }
    let result = attribute(views, "gen_ai.tool.call.result");
    let failure = views.iter().find_map(|s| s.failure.as_deref());
    let answer = match (failure, result) {
        (Some(why), result) => NewAnswer::of(result.map_or(why.to_string(), |r| content(Some(r))), true),
        (None, Some(result)) => NewAnswer {
            structured: Some(result).filter(|r| r.is_object()),
            ..NewAnswer::of(content(Some(result)), false)
        },
        (None, None) if span.is_over => NewAnswer::of(String::new(), false),
        (None, None) => NewAnswer { outcome: Outcome::NotRecorded, ..NewAnswer::default() },
    };
    b.settle(index, &answer)
}
