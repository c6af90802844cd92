//! The formats, and how each is told from the others.

use super::parts::{items, text};
use serde_json::Value;

/// How calls were recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// MCP messages between client and server, one a line, bare or wrapped with time and direction.
    McpJsonRpc,
    /// OpenAI chat completions: transcripts, responses, streamed chunks.
    OpenAiChat,
    /// OpenAI Responses: responses, items, streamed events.
    OpenAiResponses,
    /// LangChain messages, as they are dumped.
    LangChain,
    /// Anthropic messages: transcripts, responses, streamed events.
    AnthropicMessages,
    /// What Claude Code prints with `--output-format stream-json`, and its own transcripts.
    ClaudeStream,
    /// OpenTelemetry spans in OTLP JSON, by the GenAI and MCP conventions.
    Otlp,
    /// promptfoo results, version 3.
    Promptfoo,
    /// Inspect logs, `.json` and `.eval`.
    Inspect,
    /// Agent Trajectory Interchange Format, 1.x.
    Atif,
    /// The trace of the runner that packs are written for.
    Tooltrace,
    /// A row a call: tool, arguments, and a result with exit code, stdout and stderr.
    Simulator,
    /// verity's own form of a recording, as attempts hold it.
    Rows,
}

/// Whether a JSON text is of a format.
type Looks = fn(&Value) -> bool;

/// The formats, those with the surest marks first.
const FORMATS: [(Format, &str, Looks); 13] = [
    (Format::Rows, "rows", super::rows::is_row),
    (Format::Atif, "atif", is_atif),
    (Format::Otlp, "otlp", is_otlp),
    (Format::Promptfoo, "promptfoo", is_promptfoo),
    (Format::Inspect, "inspect", is_inspect),
    (Format::McpJsonRpc, "mcp-jsonrpc", is_mcp),
    (Format::Tooltrace, "tooltrace", is_tooltrace),
    (Format::Simulator, "tool-trace", is_simulator),
    (Format::ClaudeStream, "claude-stream", is_claude),
    (Format::OpenAiResponses, "openai-responses", is_responses),
    (Format::LangChain, "langchain", super::langchain::is_langchain),
    (Format::AnthropicMessages, "anthropic-messages", is_anthropic),
    (Format::OpenAiChat, "openai-chat", is_openai),
];

impl Format {
    /// The format of the JSON text `value`, if it is one that is known.
    #[must_use]
    pub fn of(value: &Value) -> Option<Format> {
        FORMATS.iter().find(|(_, _, looks)| looks(value)).map(|(format, _, _)| *format)
    }

    #[must_use]
    pub fn name(self) -> &'static str {
        FORMATS.iter().find(|(format, _, _)| *format == self).map_or("", |(_, name, _)| name)
    }

    /// The format that is called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Format> {
        FORMATS.iter().find(|(_, known, _)| *known == name).map(|(format, _, _)| *format)
    }

    /// The names of all formats.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FORMATS.iter().map(|(_, name, _)| *name)
    }

    /// Written beside the tools, call by call, as they happen: a call without an answer has lost it. Elsewhere the
    /// recording is the conversation, which may end with calls that nobody has carried out yet.
    #[must_use]
    pub fn is_wire(self) -> bool {
        matches!(self, Format::McpJsonRpc | Format::ClaudeStream | Format::Tooltrace | Format::Simulator)
    }

    /// Whether a recording of this format has a place for answers that is always filled.
    #[must_use]
    pub fn records_answers(self) -> bool {
        !matches!(self, Format::Promptfoo | Format::Otlp)
    }

    /// Whether it holds what the assistant says.
    #[must_use]
    pub fn records_texts(self) -> bool {
        !matches!(self, Format::McpJsonRpc | Format::Otlp | Format::Tooltrace | Format::Simulator)
    }

    /// Whether its sessions are runs of their own, each to be judged by itself.
    #[must_use]
    pub fn sessions_are_runs(self) -> bool {
        matches!(
            self,
            Format::Promptfoo
                | Format::Inspect
                | Format::LangChain
                | Format::OpenAiChat
                | Format::OpenAiResponses
                | Format::AnthropicMessages
        )
    }
}

fn has(value: &Value, key: &str) -> bool {
    value.get(key).is_some()
}

fn is_atif(value: &Value) -> bool {
    text(value, "schema_version").is_some_and(|v| v.starts_with("ATIF-"))
}

fn is_otlp(value: &Value) -> bool {
    has(value, "resourceSpans") || has(value, "resource_spans")
}

fn is_promptfoo(value: &Value) -> bool {
    let inner = value.get("results").filter(|r| r.is_object()).unwrap_or(value);
    inner.get("results").is_some_and(Value::is_array)
        && (has(inner, "version") || has(inner, "prompts") || has(value, "evalId"))
}

fn is_inspect(value: &Value) -> bool {
    value.get("eval").is_some_and(Value::is_object) && value.get("version").is_some_and(Value::is_number)
}

fn is_mcp(value: &Value) -> bool {
    match value {
        Value::Array(batch) => batch.first().is_some_and(super::mcp::is_message),
        _ => super::mcp::is_message(value) || super::mcp::wrapped(value).is_some(),
    }
}

fn is_tooltrace(value: &Value) -> bool {
    let version =
        value.get("schema_version").is_some_and(|v| v.as_u64() == Some(1) || v.as_str() == Some("1"));
    version && has(value, "seq") && text(value, "type").is_some()
}

fn is_simulator(value: &Value) -> bool {
    text(value, "tool").is_some()
        && has(value, "arguments")
        && value.get("result").is_some_and(|r| r.is_null() || super::simulator::exit_code(r).is_some())
}

fn is_claude(value: &Value) -> bool {
    let Some(kind) = text(value, "type") else { return false };
    let session = has(value, "session_id") || has(value, "sessionId");
    match kind {
        "system" => session || has(value, "subtype"),
        "assistant" | "user" => value.get("message").is_some_and(Value::is_object),
        "result" => has(value, "subtype") || session,
        "stream_event" => has(value, "event"),
        _ => false,
    }
}

fn is_responses_item(value: &Value) -> bool {
    matches!(
        text(value, "type"),
        Some(
            "function_call"
                | "function_call_output"
                | "mcp_call"
                | "custom_tool_call"
                | "custom_tool_call_output"
        )
    )
}

fn is_responses(value: &Value) -> bool {
    let holds = |key: &str| items(value, key).iter().any(is_responses_item);
    match value {
        Value::Array(all) => all.iter().any(is_responses_item),
        _ => {
            text(value, "object") == Some("response")
                || text(value, "type").is_some_and(|t| t.starts_with("response."))
                || is_responses_item(value)
                || holds("output")
                || holds("input")
                || items(value, "output").iter().any(|i| text(i, "type") == Some("message"))
        }
    }
}

fn is_anthropic_block(value: &Value) -> bool {
    let kind = text(value, "type").unwrap_or_default();
    kind.ends_with("tool_use") || kind.ends_with("tool_result")
}

fn is_anthropic(value: &Value) -> bool {
    let message = |m: &Value| items(m, "content").iter().any(is_anthropic_block);
    let stream = [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ];
    match value {
        Value::Array(all) => all.iter().any(message),
        _ => {
            text(value, "type").is_some_and(|t| t == "message" && has(value, "role") || stream.contains(&t))
                || items(value, "messages").iter().any(message)
                || message(value)
        }
    }
}

fn is_openai(value: &Value) -> bool {
    let message = |m: &Value| {
        text(m, "role")
            .is_some_and(|r| ["system", "developer", "user", "assistant", "tool", "function"].contains(&r))
            && (has(m, "content") || has(m, "tool_calls") || has(m, "function_call"))
    };
    match value {
        Value::Array(all) => !all.is_empty() && all.iter().all(message),
        _ => {
            text(value, "object").is_some_and(|o| o.starts_with("chat.completion"))
                || value.get("choices").is_some_and(Value::is_array)
                || items(value, "messages").iter().any(message)
                || message(value)
        }
    }
}
