//! MCP-ANNOTATION-IDEMPOTENT-REPEATS: what happens twice when it is called twice is said to happen once.

use super::acts::{self, Ground};
use super::hints::Hints;
use super::verbs;
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::name::words;
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};

pub(super) struct IdempotentRepeats;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-ANNOTATION-IDEMPOTENT-REPEATS",
    severity: Severity::Warning,
    confidence: Confidence::Medium,
    impact: Impact::Agent,
    summary: "A tool that sends or appends is marked idempotent",
    rationale: "`idempotentHint: true` says that a second call with the same arguments changes nothing more,
so a host may repeat a call whose answer was lost. A message that is sent twice arrives twice, an
entry that is appended twice stands there twice, and a payment is made twice.

The rule looks at tools whose name says send, reply, append, pay, charge or increment. It is a
warning where the description begins with such a verb as well, and information otherwise. A tool
that takes a key against repetition (`idempotency_key`, `request_id`) is not reported.",
    help: "Set `idempotentHint: false`, or let callers pass a key by which repetitions are recognised",
    bad: r#"{
  "tools": [
    {
      "name": "send_message",
      "description": "Send a message to a channel.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "channel": {"type": "string", "description": "Name of the channel."},
          "text": {"type": "string", "description": "What to say."}
        },
        "required": ["channel", "text"],
        "additionalProperties": false
      },
      "annotations": {"readOnlyHint": false, "destructiveHint": false, "idempotentHint": true}
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "send_message",
      "description": "Send a message to a channel.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "channel": {"type": "string", "description": "Name of the channel."},
          "text": {"type": "string", "description": "What to say."}
        },
        "required": ["channel", "text"],
        "additionalProperties": false
      },
      "annotations": {"readOnlyHint": false, "destructiveHint": false, "idempotentHint": false}
    }
  ]
}"#,
    sources: &["https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations"],
};

/// Verbs whose work adds up.
const ADDS_UP: &[&str] = &["send", "reply", "tweet", "broadcast", "append", "pay", "charge", "increment"];

impl Rule for IdempotentRepeats {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let Some(hints) = Hints::of(tool) else { return };
        if hints.idempotent != Some(true) || hints.read_only == Some(true) || has_key(tool) {
            return;
        }
        let Some(claim) = acts::of(tool) else { return };
        if !ADDS_UP.contains(&claim.verb.word) || claim.ground < Ground::Named {
            return;
        }
        let verb = claim.verb.word;
        let message =
            format!("{} is marked idempotent, but to {verb} twice is not the same as once", say::tool(tool));
        let finding = out.emit(tool.at("/annotations/idempotentHint"), message);
        let agreed = claim.lead.is_some_and(|lead| verbs::base(verb).is_some_and(|v| v.act == lead.act));
        if !agreed {
            (finding.severity, finding.confidence) = (Severity::Info, Confidence::Low);
        }
    }
}

/// Whether a parameter tells repetitions apart.
fn has_key(tool: &ToolView<'_>) -> bool {
    let properties = tool.tool.input_schema().and_then(|s| s.get("properties")).and_then(|p| p.as_object());
    properties.into_iter().flatten().any(|(name, _)| {
        let words = words::of(name).join(" ");
        ["idempotency", "idempotent", "request id", "client id", "dedup", "nonce", "uuid"]
            .iter()
            .any(|k| words.contains(k))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn what_adds_up_is_not_idempotent() {
        let marked = json!({"readOnlyHint": false, "idempotentHint": true});
        let found = check(
            &IdempotentRepeats,
            &json!([
                {"name": "send_mail", "description": "Sends a mail.", "annotations": marked},
                {"name": "append_row", "annotations": marked},
                {"name": "set_mail", "description": "Sets it.", "annotations": marked},
                {"name": "get_sent_mail", "annotations": marked},
                {"name": "send_mail", "annotations": {"idempotentHint": false}},
                {"name": "send_mail", "annotations": {"idempotentHint": true, "readOnlyHint": true}},
                {"name": "send_mail", "annotations": marked, "inputSchema": {"properties": {"idempotencyKey": {}}}}
            ]),
        );
        assert_eq!(
            places(&found),
            [
                ("/tools/0/annotations/idempotentHint", Severity::Warning),
                ("/tools/1/annotations/idempotentHint", Severity::Info)
            ]
        );
    }
}
