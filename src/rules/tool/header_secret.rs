//! MCP-TOOL-HEADER-SECRET: a secret is sent where every proxy reads it.

use super::header::{self, KEYWORD};
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::name::words;
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use serde_json::Value;

pub(super) struct HeaderSecret;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-TOOL-HEADER-SECRET",
    severity: Severity::Warning,
    confidence: Confidence::Medium,
    impact: Impact::Agent,
    summary: "`x-mcp-header` repeats a parameter that looks like a secret in an HTTP header",
    rationale: "The header exists so that proxies, load balancers and logs can read the argument. The
specification says that servers should not mark passwords, keys, tokens or personal data with it:
they end in access logs.

A parameter looks like a secret when its name or its header has a word such as `password`, `secret`,
`api_key` or `token`, when its `format` is `password`, or when it is `writeOnly`. A page token, a
token *count* and the like are not secrets.",
    help: "Take `x-mcp-header` from the parameter; let intermediaries route on something that may be logged",
    bad: r#"{
  "tools": [
    {
      "name": "open_session",
      "description": "Open a session with the archive and return its id.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "api_key": {"type": "string", "description": "Key of the archive.", "x-mcp-header": "Archive-Key"}
        },
        "required": ["api_key"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "open_session",
      "description": "Open a session with the archive and return its id.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "archive": {"type": "string", "description": "Name of the archive.", "x-mcp-header": "Archive"},
          "api_key": {"type": "string", "description": "Key of the archive."}
        },
        "required": ["api_key"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    sources: &["https://modelcontextprotocol.io/specification/2026-07-28/server/tools"],
};

impl Rule for HeaderSecret {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        for declared in header::declarations(tool, manifest) {
            let schema = declared.schema;
            let marked = schema.get("format").and_then(Value::as_str) == Some("password")
                || schema.get("writeOnly") == Some(&Value::Bool(true));
            let header = declared.value.as_str().unwrap_or_default();
            if !marked && !is_secret(&declared.parameter) && !is_secret(header) {
                continue;
            }
            let message = format!(
                "`{KEYWORD}` sends {} of {}, which looks like a secret, in a header that proxies read and log",
                declared.parameter,
                say::tool(tool)
            );
            out.emit(declared.pointer, message);
        }
    }
}

/// Words that alone name a secret.
const SECRET: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "secrets",
    "credential",
    "credentials",
    "apikey",
    "bearer",
    "jwt",
    "authorization",
    "ssn",
    "cvv",
    "otp",
];
/// Pairs of words that name one together.
const SECRET_PAIRS: &[(&str, &str)] = &[
    ("api", "key"),
    ("access", "key"),
    ("private", "key"),
    ("signing", "key"),
    ("encryption", "key"),
    ("secret", "key"),
    ("card", "number"),
];
/// Words beside `token` with which it is no secret.
const HARMLESS_TOKEN: &[&str] = &[
    "page",
    "next",
    "continuation",
    "cursor",
    "pagination",
    "sync",
    "max",
    "min",
    "count",
    "limit",
    "budget",
    "type",
    "symbol",
    "name",
    "mint",
    "address",
    "contract",
    "usage",
    "progress",
];

/// Whether a name speaks of a secret.
fn is_secret(name: &str) -> bool {
    let words = words::of(name);
    let has = |w: &str| words.iter().any(|x| x == w);
    let token = has("token") && !HARMLESS_TOKEN.iter().any(|w| has(w));
    token
        || SECRET.iter().any(|w| has(w))
        || words.windows(2).any(|pair| {
            SECRET_PAIRS
                .iter()
                .any(|(a, b)| pair.first().is_some_and(|x| x == a) && pair.last().is_some_and(|x| x == b))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    #[test]
    fn names_of_secrets() {
        for secret in [
            "password",
            "api_key",
            "apiKey",
            "X-API-Key",
            "accessToken",
            "Authorization",
            "client_secret",
            "jwt",
        ] {
            assert!(is_secret(secret), "{secret}");
        }
        for plain in [
            "region",
            "page_token",
            "maxTokens",
            "next-token",
            "key",
            "tenant",
            "token_count",
            "keyboard",
            "secretary",
        ] {
            assert!(!is_secret(plain), "{plain}");
        }
    }

    #[test]
    fn by_name_header_or_format() {
        let property = |name: &str, schema: Value| json!({"name": "a", "inputSchema": {"type": "object", "properties": {name: schema}}});
        for (name, schema) in [
            ("password", json!({"type": "string", "x-mcp-header": "P"})),
            ("p", json!({"type": "string", "x-mcp-header": "Authorization"})),
            ("p", json!({"type": "string", "format": "password", "x-mcp-header": "P"})),
        ] {
            let found = check(&HeaderSecret, &property(name, schema));
            let at = format!("/tools/0/inputSchema/properties/{name}/x-mcp-header");
            assert_eq!(places(&found), [(at.as_str(), Severity::Warning)]);
        }
        assert!(check(&HeaderSecret, &property("password", json!({"type": "string"}))).is_empty());
    }
}
