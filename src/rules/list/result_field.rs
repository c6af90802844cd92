//! MCP-LIST-RESULT-FIELD: the result of `tools/list` lacks what revision 2026-07-28 demands.

use crate::finding::{Confidence, Impact, Severity};
use crate::manifest::Revision;
use crate::pointer;
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, say};
use serde_json::Value;

pub(super) struct ResultField;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-LIST-RESULT-FIELD",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Server,
    summary: "The result of tools/list lacks `resultType`, `ttlMs` or `cacheScope`, or has a wrong one",
    rationale: "Since revision 2026-07-28 the result of `tools/list` must say what kind of result it is (`resultType`), how long a
client may keep it (`ttlMs`, milliseconds, 0 for not at all) and who may share it (`cacheScope`, `public` or `private`). A client of that
revision may refuse a result without them, or cache one user's tools for another.

The rule judges only what a server sent (a JSON-RPC result), and only if the listing itself states that revision: in its
request's `_meta`, in `initialize` or `server/discover`, or by having a `resultType`. Dumps and definition files have no result, and
older revisions no such members.",
    help: "Send resultType \"complete\", ttlMs as a whole number from 0, and cacheScope \"private\" or \"public\"",
    bad: r#"{
  "jsonrpc": "2.0",
  "id": 1,
  "result": {
    "resultType": "complete",
    "ttlMs": "5000",
    "tools": [
      {
        "name": "list_regions",
        "description": "List the regions that orders are shipped to.",
        "inputSchema": {"type": "object", "additionalProperties": false}
      }
    ]
  }
}"#,
    good: r#"{
  "jsonrpc": "2.0",
  "id": 1,
  "result": {
    "resultType": "complete",
    "ttlMs": 5000,
    "cacheScope": "private",
    "tools": [
      {
        "name": "list_regions",
        "description": "List the regions that orders are shipped to.",
        "inputSchema": {"type": "object", "additionalProperties": false}
      }
    ]
  }
}"#,
    sources: &["https://modelcontextprotocol.io/specification/2026-07-28/schema#listtoolsresult"],
};

/// A member, whether a value is right for it, and what would be.
type Member = (&'static str, fn(&Value) -> bool, &'static str);

const MEMBERS: &[Member] = &[
    ("resultType", Value::is_string, "a string"),
    ("ttlMs", is_duration, "a whole number from 0"),
    ("cacheScope", |v| matches!(v.as_str(), Some("public" | "private")), "\"public\" or \"private\""),
];

fn is_duration(value: &Value) -> bool {
    value.as_u64().is_some() || value.as_f64().is_some_and(|n| n >= 0.0 && n.fract() == 0.0)
}

impl Rule for ResultField {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn manifest(&self, view: &ManifestView<'_>, out: &mut Sink<'_>) {
        let manifest = view.manifest;
        let states = manifest.is_wire && manifest.stated == Some(Revision::V2026_07_28);
        if !states || view.revision() < Revision::V2026_07_28 {
            return;
        }
        for (name, is_right, wanted) in MEMBERS {
            match manifest.listing_fields.iter().find(|(key, _)| key == name) {
                None => {
                    out.emit("", format!("the result of tools/list has no `{name}`"));
                }
                Some((_, value)) if !is_right(value) => {
                    let message = format!(
                        "`{name}` of the result is {}, not {wanted}",
                        if value.is_string() { say::quoted(&say::shown(value)) } else { say::shown(value) }
                    );
                    out.emit(pointer::child("", name), message).evidence = Some(say::shown(value));
                }
                Some(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::list::testing::{found, places};

    fn result(members: &str) -> String {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{{members}"tools":[{{"name":"a","inputSchema":{{}}}}]}}}}"#
        )
    }

    #[test]
    fn only_what_a_server_of_that_revision_sent() {
        let asked = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
        for (text, expected) in [
            (result(r#""resultType":"complete","ttlMs":0,"cacheScope":"private","#), &[][..]),
            (result(r#""resultType":"complete","#), &["", ""]),
            (format!("{asked}\n{}", result("")), &["", "", ""]),
            (result(r#""resultType":"complete","ttlMs":-1,"cacheScope":"all","#), &["/ttlMs", "/cacheScope"]),
            (result(r#""resultType":"complete","ttlMs":1.5,"cacheScope":null,"#), &["/ttlMs", "/cacheScope"]),
            (result(""), &[]),
            (result(r#""ttlMs":-1,"#), &[]),
            (r#"{"tools":[{"name":"a","inputSchema":{}}],"resultType":"complete"}"#.to_string(), &[]),
        ] {
            assert_eq!(places(&found(&ResultField, &text)), expected, "{text}");
        }
    }
}
