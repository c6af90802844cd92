//! What single answers show: their shape, their match with outputSchema, their size, and orders to the agent in them.

mod orders;

use super::port::Observation;
use crate::contract::observation::ToolResult;
use crate::error::cut;
use crate::manifest::Tool;
use crate::schema::SchemaView;
use serde_json::{Value, json};

pub(super) use orders::{Search, is_graver};

/// Texts of an answer beyond which clients cut it off: Claude Code takes 25,000 tokens of some 4 bytes.
pub(super) const MOST_BYTES: usize = 100_000;

/// What is wrong with the shape of an answer; `None` for a result of `tools/call`, and for an error of the protocol.
pub(super) fn shape_fault(answer: &Observation) -> Option<String> {
    if answer.is_protocol_error {
        return error_fault(&answer.envelope);
    }
    if is_question(answer) {
        return None;
    }
    let Some(result) = answer.envelope.as_object() else { return Some("it is no object".to_string()) };
    match result.get("content") {
        None => return Some("it has no `content`".to_string()),
        Some(Value::Array(blocks)) => {
            let odd = blocks.iter().enumerate().find_map(|(i, block)| Some((i, block_fault(block)?)));
            if let Some((i, fault)) = odd {
                return Some(format!("block {i} of its `content` {fault}"));
            }
        }
        Some(_) => return Some("its `content` is no array".to_string()),
    }
    match result.get("isError") {
        None | Some(Value::Bool(_)) => None,
        Some(_) => Some("its `isError` is no boolean".to_string()),
    }
}

/// What an error of the protocol lacks: JSON-RPC has a number and a text in each.
fn error_fault(error: &Value) -> Option<String> {
    let Some(members) = error.as_object() else { return Some("its `error` is no object".to_string()) };
    match (members.get("code").map(Value::is_i64), members.get("message").map(Value::is_string)) {
        (Some(true), Some(true)) => None,
        (Some(true), _) => Some("its `error` has no text `message`".to_string()),
        _ => Some("its `error` has no whole number `code`".to_string()),
    }
}

/// What a block of content lacks (`ContentBlock` of the MCP schema); a type that is not known lacks nothing.
fn block_fault(block: &Value) -> Option<String> {
    let text = |of: &Value, key: &str| of.get(key).is_some_and(Value::is_string);
    let Some(of_type) = block.get("type").and_then(Value::as_str) else {
        return Some("has no `type`".to_string());
    };
    let needed: &[&str] = match of_type {
        "text" => &["text"],
        "image" | "audio" => &["data", "mimeType"],
        "resource_link" => &["uri", "name"],
        _ => &[],
    };
    if let Some(key) = needed.iter().find(|key| !text(block, key)) {
        return Some(format!("is of type `{of_type}` and has no text `{key}`"));
    }
    if of_type != "resource" {
        return None;
    }
    match block.get("resource").filter(|resource| resource.is_object()) {
        None => Some("is of type `resource` and has no object `resource`".to_string()),
        Some(resource) if !text(resource, "uri") => Some("has a `resource` without a text `uri`".to_string()),
        Some(resource) if !text(resource, "text") && !text(resource, "blob") => {
            Some("has a `resource` with neither a `text` nor a `blob`".to_string())
        }
        Some(_) => None,
    }
}

/// The server asks something back before it answers (2026-07-28); nobody is here to say it.
pub(super) fn is_question(answer: &Observation) -> bool {
    answer.envelope.get("resultType") == Some(&json!("input_required"))
}

/// How an answer stands to the tool's outputSchema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Output {
    Kept,
    /// How it breaks it.
    Broken(String),
    /// Why nobody can say.
    Unjudged(String),
}

/// How a successful answer stands to the tool's outputSchema; `None` where it promises nothing, or there is none.
pub(super) fn output(tool: &Tool, answer: &Observation) -> Option<Output> {
    let schema = tool.output_schema()?;
    if answer.is_error || is_question(answer) {
        return None;
    }
    let view = SchemaView::new(schema);
    let judge = match view.judge() {
        Ok(judge) => judge,
        Err(why) => return Some(Output::Unjudged(format!("its outputSchema cannot be judged by: {why}"))),
    };
    let ToolResult::Json(value) = &answer.result else {
        return Some(Output::Broken("there is no `structuredContent`".to_string()));
    };
    let Some(violation) = judge.first_violations(value, 1).into_iter().next() else {
        return Some(Output::Kept);
    };
    let place = if violation.instance_pointer.is_empty() { "it" } else { &violation.instance_pointer };
    let breaks = format!("`structuredContent`: {} breaks `{}`", cut(place), cut(&violation.schema_pointer));
    Some(Output::Broken(breaks))
}

/// Data that no outputSchema describes: which kind.
pub(super) fn undeclared(tool: &Tool, answer: &Observation) -> Option<&'static str> {
    if tool.output_schema().is_some() || answer.is_error {
        return None;
    }
    if answer.result != ToolResult::Absent {
        return Some("`structuredContent`");
    }
    let text = answer.text();
    let text = text.trim();
    let is_data = text.starts_with(['{', '[']) && serde_json::from_str::<Value>(text).is_ok();
    is_data.then_some("a text that is JSON")
}

/// How many bytes of text an answer holds.
pub(super) fn size(answer: &Observation) -> usize {
    let structured = match &answer.result {
        ToolResult::Json(value) if answer.envelope.get("content").is_none() => value.to_string().len(),
        _ => 0,
    };
    answer.text().len() + structured
}

/// Whether an answer holds nothing: what it was asked for met nothing, and would have met nothing however it was asked.
pub(super) fn is_empty(answer: &Observation) -> bool {
    let text = answer.text();
    let said = text.trim();
    match &answer.result {
        // Some servers wrap their text: {"content": "No matches found"}.
        ToolResult::Json(value) => holding(value, 16) == Holding::Nothing,
        _ => match serde_json::from_str::<Value>(said) {
            Ok(value @ (Value::Object(_) | Value::Array(_) | Value::Null)) => {
                holding(&value, 16) == Holding::Nothing
            }
            _ => says_nothing(said),
        },
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Holding {
    /// Says neither that something is there nor that nothing is: `true`, `0`.
    Neutral,
    Nothing,
    Something,
}

fn holding(value: &Value, depth: usize) -> Holding {
    let Some(depth) = depth.checked_sub(1) else { return Holding::Something };
    match value {
        Value::Null => Holding::Nothing,
        Value::Bool(_) => Holding::Neutral,
        Value::Number(n) if n.as_f64() == Some(0.0) => Holding::Neutral,
        Value::String(text) if says_nothing(text.trim()) => Holding::Nothing,
        Value::Array(items) if items.is_empty() => Holding::Nothing,
        Value::Object(members) if members.is_empty() => Holding::Nothing,
        Value::Object(members) => {
            members.values().map(|member| holding(member, depth)).max().unwrap_or(Holding::Nothing)
        }
        Value::Number(_) | Value::String(_) | Value::Array(_) => Holding::Something,
    }
}

/// "No matches found", "0 results".
fn says_nothing(text: &str) -> bool {
    const MOST: usize = 120;
    let lower = text.to_lowercase();
    let begins =
        ["no ", "none", "nothing", "0 ", "empty", "[]", "{}"].iter().any(|word| lower.starts_with(word));
    let holds = ["not found", "no results", "no match", "0 results", "nothing found"]
        .iter()
        .any(|p| lower.contains(p));
    text.len() <= MOST && (text.is_empty() || begins || holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(extra: Value) -> Tool {
        let mut value = json!({"name": "get_note", "inputSchema": {"type": "object"}});
        value.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        Tool { value, ..Tool::default() }
    }

    fn said(text: &str) -> Observation {
        Observation::of_result(json!({"content": [{"type": "text", "text": text}]}))
    }

    #[test]
    fn shapes() {
        let fault = |value| shape_fault(&Observation::of_result(value));
        assert_eq!(fault(json!({"content": [], "isError": false})), None);
        assert_eq!(fault(json!({"resultType": "input_required"})), None);
        assert_eq!(fault(json!([])).unwrap(), "it is no object");
        assert_eq!(fault(json!({"structuredContent": {}})).unwrap(), "it has no `content`");
        assert_eq!(fault(json!({"content": "text"})).unwrap(), "its `content` is no array");
        assert_eq!(
            fault(json!({"content": [{"type": "text", "text": ""}, {"text": ""}]})).unwrap(),
            "block 1 of its `content` has no `type`"
        );
        assert_eq!(fault(json!({"content": [], "isError": "no"})).unwrap(), "its `isError` is no boolean");
    }

    #[test]
    fn blocks_of_content() {
        let fault = |block: Value| shape_fault(&Observation::of_result(json!({"content": [block]})));
        let resource = |resource: Value| json!({"type": "resource", "resource": resource});
        for sound in [
            json!({"type": "text", "text": ""}),
            json!({"type": "image", "data": "", "mimeType": "image/png"}),
            json!({"type": "audio", "data": "", "mimeType": "audio/wav"}),
            json!({"type": "resource_link", "uri": "a:b", "name": "b"}),
            resource(json!({"uri": "a:b", "text": ""})),
            resource(json!({"uri": "a:b", "blob": ""})),
            json!({"type": "of-tomorrow"}),
        ] {
            assert_eq!(fault(sound.clone()), None, "{sound}");
        }
        for (broken, said) in [
            (json!("text"), "has no `type`"),
            (json!({"type": "text", "text": null}), "is of type `text` and has no text `text`"),
            (json!({"type": "image"}), "is of type `image` and has no text `data`"),
            (json!({"type": "audio", "data": ""}), "is of type `audio` and has no text `mimeType`"),
            (
                json!({"type": "resource_link", "uri": "a:b"}),
                "is of type `resource_link` and has no text `name`",
            ),
            (json!({"type": "resource"}), "is of type `resource` and has no object `resource`"),
            (resource(json!({"text": "x"})), "has a `resource` without a text `uri`"),
            (resource(json!({"uri": "a:b"})), "has a `resource` with neither a `text` nor a `blob`"),
        ] {
            assert_eq!(fault(broken).unwrap(), format!("block 0 of its `content` {said}"));
        }
        let error = |error| shape_fault(&Observation::of_error(error));
        assert_eq!(error(json!({"code": -32602, "message": ""})), None);
        assert_eq!(error(json!("just text")).unwrap(), "its `error` is no object");
        assert_eq!(
            error(json!({"code": "1", "message": ""})).unwrap(),
            "its `error` has no whole number `code`"
        );
        assert_eq!(error(json!({"code": 1})).unwrap(), "its `error` has no text `message`");
    }

    #[test]
    fn promises_of_output() {
        let schema = json!({"outputSchema": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}});
        let of = |value| output(&tool(schema.clone()), &Observation::of_result(value));
        let broken = |said: &str| Some(Output::Broken(said.to_string()));
        assert_eq!(of(json!({"structuredContent": {"n": 1}})), Some(Output::Kept));
        assert_eq!(
            of(json!({"structuredContent": {"n": "1"}, "isError": true})),
            None,
            "an error promises nothing"
        );
        assert_eq!(
            of(json!({"structuredContent": {"n": "1"}})),
            broken("`structuredContent`: /n breaks `/properties/n/type`")
        );
        assert_eq!(
            of(json!({"structuredContent": {}})),
            broken("`structuredContent`: it breaks `/required`")
        );
        assert_eq!(of(json!({"content": []})), broken("there is no `structuredContent`"));
        assert_eq!(output(&tool(json!({})), &said("x")), None);
        // By what nobody can judge nothing was kept.
        for nonsense in [
            json!({"properties": {"n": {"$ref": "#/$defs/none"}}}),
            json!({"properties": {"n": {"$ref": "https://example.com/n.json"}}}),
            json!({"type": "objekt"}),
            json!({"properties": {"n": {"pattern": "("}}}),
            json!("x"),
        ] {
            let tool = tool(json!({"outputSchema": nonsense}));
            let output = output(&tool, &Observation::of_result(json!({"structuredContent": {"n": "x"}})));
            assert!(matches!(output, Some(Output::Unjudged(_))), "{nonsense}: {output:?}");
        }
    }

    #[test]
    fn data_without_a_schema() {
        let plain = tool(json!({}));
        assert_eq!(undeclared(&plain, &said(" {\"a\": 1} ")), Some("a text that is JSON"));
        assert_eq!(undeclared(&plain, &said("[1]")), Some("a text that is JSON"));
        for prose in ["42", "{unfinished", "null", "", "[see above] and so on"] {
            assert_eq!(undeclared(&plain, &said(prose)), None, "{prose}");
        }
        assert_eq!(undeclared(&tool(json!({"outputSchema": {}})), &said("[1]")), None);
    }

    #[test]
    fn answers_that_hold_nothing() {
        let data = |value| Observation::of_result(json!({"content": [], "structuredContent": value}));
        for nothing in [
            said(""),
            said("No matches found"),
            said("{\"entities\": [], \"relations\": []}"),
            said("Search complete: 0 results."),
            data(json!({"content": "No matches found"})),
            data(json!({"ok": true, "total": 0, "items": [], "next": null})),
        ] {
            assert!(is_empty(&nothing), "{nothing:?}");
        }
        for something in [
            said("It is done."),
            said("[1]"),
            said("0.5"),
            said("Notes on finding nothing are many. ".repeat(9).as_str()),
            data(json!({"total": 0, "items": [{}]})),
            data(json!({"title": "x"})),
            // An answer to a question, not the lack of one.
            data(json!({"is_prime": false})),
            data(json!({"sum": 0})),
        ] {
            assert!(!is_empty(&something), "{something:?}");
        }
    }
}
