//! MCP-LIST-LOG-LINE: the server writes its log between the messages.

use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, say};

pub(super) struct LogLine;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-LIST-LOG-LINE",
    severity: Severity::Warning,
    confidence: Confidence::Medium,
    impact: Impact::Server,
    summary: "Lines that are no message stand among the server's messages",
    rationale: "On the stdio transport, standard output belongs to the protocol: a server must write nothing to it that is no valid
MCP message. A greeting or a log line there makes strict clients close the connection, and makes the others guess. Logs belong on
standard error.

The rule sees what was captured. If standard error was captured into the same file (`2>&1`), the server is innocent: that is why the
confidence is medium. Lines around server-sent events (HTTP headers, comments) are not meant.",
    help: "Let the server log to stderr; capture stdout alone",
    bad: r#"Orders server 1.2 is ready
{"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "list_regions", "description": "List the regions that orders are shipped to.", "inputSchema": {"type": "object", "additionalProperties": false}}]}}"#,
    good: r#"{
  "jsonrpc": "2.0",
  "id": 1,
  "result": {
    "tools": [
      {
        "name": "list_regions",
        "description": "List the regions that orders are shipped to.",
        "inputSchema": {"type": "object", "additionalProperties": false}
      }
    ]
  }
}"#,
    sources: &["https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio"],
};

impl Rule for LogLine {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn manifest(&self, view: &ManifestView<'_>, out: &mut Sink<'_>) {
        let lines = &view.manifest.log_lines;
        let Some(first) = lines.first() else { return };
        let more = match view.manifest.log_line_count {
            0 | 1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        let message = format!("line {}{more} is no message: {}", first.line, say::quoted(&first.text));
        out.emit("/log/0", message).evidence = Some(first.text.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::list::testing::found;

    #[test]
    fn only_among_messages() {
        let message = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{}}]}}"#;
        let text = format!("ready\n{message}\nclosing 1\nclosing 2\n");
        let findings = found(&LogLine, &text);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].message, "line 1 and 2 more is no message: `ready`");
        assert_eq!((findings[0].span.unwrap().offset, findings[0].span.unwrap().length), (0, 5));
        for quiet in [
            message.to_string(),
            format!("{message}\n\n"),
            format!("HTTP/1.1 200 OK\n\ndata: {message}\n\n"),
            "a note\n[{\"name\": \"a\", \"inputSchema\": {}}]\n".to_string(),
        ] {
            assert_eq!(found(&LogLine, &quiet), [], "{quiet}");
        }
    }
}
