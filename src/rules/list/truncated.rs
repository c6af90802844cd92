//! MCP-MANIFEST-TRUNCATED: the listing goes on, and the rest of it is not there.

use crate::finding::{Confidence, Impact, Severity};
use crate::manifest::Completeness;
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, say};

pub(super) struct Truncated;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-MANIFEST-TRUNCATED",
    severity: Severity::Error,
    confidence: Confidence::High,
    impact: Impact::Constraint,
    summary: "The listing has a `nextCursor`: not all tools are there",
    rationale: "A server may answer `tools/list` in pages. As long as an answer has a `nextCursor`, there are more tools, and
nobody has looked at them: a clean report on the first page says nothing of a poisoned tool on the second. So a listing that
ends with a cursor is never a green run: the tools that are there are judged, and the exit code is 2. (`--allow-incomplete` makes
this finding a warning.)

Pages that follow one another in a file, as elements of an array, lines, or messages of a transcript, are put together;
only a cursor on the last of them is reported. An empty string is a cursor like any other: the specification forbids to take it for the
end. A null is no cursor.",
    help: "Ask for the next page with params {\"cursor\": …} until an answer has no nextCursor, and put all answers into the file",
    bad: r#"{
  "jsonrpc": "2.0",
  "id": 1,
  "result": {
    "tools": [
      {
        "name": "list_regions",
        "description": "List the regions that orders are shipped to.",
        "inputSchema": {"type": "object", "additionalProperties": false}
      }
    ],
    "nextCursor": "cGFnZTI="
  }
}"#,
    good: r#"[
  {
    "jsonrpc": "2.0",
    "id": 1,
    "result": {
      "tools": [
        {
          "name": "list_regions",
          "description": "List the regions that orders are shipped to.",
          "inputSchema": {"type": "object", "additionalProperties": false}
        }
      ],
      "nextCursor": "cGFnZTI="
    }
  },
  {
    "jsonrpc": "2.0",
    "id": 2,
    "result": {
      "tools": [
        {
          "name": "list_carriers",
          "description": "List the carriers that ship orders.",
          "inputSchema": {"type": "object", "additionalProperties": false}
        }
      ]
    }
  }
]"#,
    sources: &[
        "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination",
        "https://github.com/modelcontextprotocol/modelcontextprotocol/pull/1942",
    ],
};

impl Rule for Truncated {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn manifest(&self, view: &ManifestView<'_>, out: &mut Sink<'_>) {
        if let Completeness::Truncated { cursor, .. } = &view.manifest.completeness {
            let message = format!(
                "the listing goes on behind {}: nextCursor is {}",
                say::count(view.tools().len(), "tool"),
                say::quoted(cursor)
            );
            out.emit("/nextCursor", message).evidence = Some(cursor.chars().take(200).collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::list::TRUNCATED;
    use crate::rules::list::testing::{found, places};

    #[test]
    fn its_id_is_known() {
        assert_eq!(INFO.id, TRUNCATED);
    }

    #[test]
    fn only_a_cursor_at_the_end_counts() {
        let page = |id: u32, cursor: &str| {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{{"name":"t{id}"}}]{cursor}}}}}"#)
        };
        let (open, closed) = (page(1, r#","nextCursor":"x""#), page(2, ""));
        for (text, fires) in [
            (open.clone(), true),
            (page(1, r#","nextCursor":"""#), true),
            (page(1, r#","nextCursor":null"#), false),
            (closed.clone(), false),
            (format!("[{open},{closed}]"), false),
            (format!("{open}\n{closed}\n"), false),
            (format!("data: {open}\n\ndata: {closed}\n\n"), false),
            (format!("[{closed},{open}]"), true),
            (r#"{"tools": [{"name": "a", "inputSchema": {}}], "nextCursor": "p"}"#.to_string(), true),
        ] {
            let findings = found(&Truncated, &text);
            let expected: &[&str] = if fires { &["/nextCursor"] } else { &[] };
            assert_eq!(places(&findings), expected, "{text}");
            if fires {
                let span = findings[0].span.unwrap();
                assert!(text.get(span.offset..).unwrap().starts_with('"'), "{text}");
            }
        }
    }
}
