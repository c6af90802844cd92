//! MCP-USAGE-PARAMETER-UNDESCRIBED: parameters that nothing explains.

use super::parameters::{self, Parameter, Prose};
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use serde_json::Value;
use std::cell::LazyCell;

pub(super) struct Undescribed;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-USAGE-PARAMETER-UNDESCRIBED",
    severity: Severity::Warning,
    confidence: Confidence::Medium,
    impact: Impact::Agent,
    summary: "Parameters of a tool are described nowhere",
    rationale: "An agent fills a parameter by its name and what is written about it. Without a word about
`a`, `n` or `data` it guesses, and a call with a wrong guess is often accepted. Wrong and missing
parameter texts are the most common fault of published tools.

There is one finding for a tool, and it names the parameters. It is a **warning** where a *required*
parameter has a name that tells nothing (a letter or two, `data`, `params` …; but not where all
parameters are numbers, as in `add(a, b)`), and **information** where at least two parameters, and
half of them or more, are undescribed although their names are readable.

A parameter counts as described if its schema has a description or a telling title, also in a
branch, in the items or behind a `$ref`; if the tool's own description speaks of it, as docstrings
do; or if its values explain it (`enum`, `format`, examples, an object with named members). A
parameter `user_id` alone is never reported.",
    help: "Add a `description` to each parameter: what it means, its unit or form, an example where the form matters",
    bad: r#"{
  "tools": [
    {
      "name": "move_stock",
      "description": "Move goods between two shelves.",
      "inputSchema": {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "n": {"type": "integer"}},
        "required": ["a", "b", "n"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "move_stock",
      "description": "Move goods between two shelves.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "from_shelf": {"type": "string", "description": "Code of the shelf to take from, such as `A-17`."},
          "to_shelf": {"type": "string", "description": "Code of the shelf to put on."},
          "pieces": {"type": "integer", "description": "How many pieces to move."}
        },
        "required": ["from_shelf", "to_shelf", "pieces"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    sources: &["https://github.com/mick-gsk/drift/issues/110", "https://arxiv.org/abs/2602.18914"],
};

impl Rule for Undescribed {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let Some(root) = tool.tool.input_schema() else { return };
        let text = tool.tool.value.get("description").and_then(Value::as_str).unwrap_or_default();
        let all = parameters::of(tool);
        let prose = LazyCell::new(|| Prose::of(text));
        let bare: Vec<&Parameter<'_>> = all
            .iter()
            .filter(|p| !p.is_described(root) && !p.shows_its_values(root) && !prose.mentions(p.name))
            .collect();
        let opaque: Vec<&Parameter<'_>> =
            bare.iter().copied().filter(|p| p.required && p.is_opaque()).collect();
        // `add(a, b)`, `tap(x, y)`: where there are only numbers, letters are how people write them.
        let arithmetic = all.iter().all(|p| p.is_number());
        let many = bare.len() >= 2 && bare.len() * 2 >= all.len();
        if opaque.is_empty() && !many || arithmetic && bare.len() < 2 {
            return;
        }
        let names = |list: &[&Parameter<'_>]| {
            let names: Vec<String> = list.iter().map(|p| say::quoted(p.name)).collect();
            say::list(&names, 6)
        };
        let who = say::tool(tool);
        let (n, of) = (bare.len(), say::count(all.len(), "parameter"));
        let at = tool.at("/inputSchema/properties");
        if opaque.is_empty() || arithmetic {
            let message = format!("{n} of {of} of {who} {} described nowhere: {}", are(n), names(&bare));
            let finding = out.emit(at, message);
            (finding.severity, finding.confidence) = (Severity::Info, Confidence::Low);
        } else {
            let (are, opaque) = (are(n), names(&opaque));
            let message = format!(
                "{n} of {of} of {who} {are} described nowhere, and no name tells what to pass as {opaque}"
            );
            out.emit(at, message);
        }
    }
}

fn are(n: usize) -> &'static str {
    if n == 1 { "is" } else { "are" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    fn level(properties: Value, required: Value, description: &str) -> Option<Severity> {
        let tool = json!({"name": "t", "description": description,
            "inputSchema": {"type": "object", "properties": properties, "required": required}});
        let found = check(&Undescribed, &tool);
        assert!(found.iter().all(|f| f.pointer == "/tools/0/inputSchema/properties"));
        places(&found).first().map(|p| p.1)
    }

    #[test]
    fn opaque_and_required_is_a_warning() {
        let s = json!({"type": "string"});
        assert_eq!(level(json!({"a": s, "b": s}), json!(["a", "b"]), "Move."), Some(Severity::Warning));
        assert_eq!(
            level(json!({"data": s, "mode": {"enum": ["x"]}}), json!(["data"]), "Do."),
            Some(Severity::Warning)
        );
        assert_eq!(level(json!({"data": s}), json!(["data"]), "Do it with the data given."), None);
    }

    #[test]
    fn letters_for_numbers_are_information() {
        let n = json!({"type": "number"});
        let s = json!({"type": "string"});
        assert_eq!(level(json!({"a": n, "b": n}), json!(["a", "b"]), "Add."), Some(Severity::Info));
        assert_eq!(level(json!({"x": n}), json!(["x"]), "Sine."), None);
        assert_eq!(
            level(json!({"a": s, "b": s, "n": n}), json!(["a", "b", "n"]), "Move money."),
            Some(Severity::Warning)
        );
    }

    #[test]
    fn many_readable_names_are_information() {
        let s = json!({"type": "string"});
        let described = json!({"type": "string", "description": "x"});
        assert_eq!(level(json!({"user_id": s, "start": s}), json!(["user_id"]), "Do."), Some(Severity::Info));
        assert_eq!(level(json!({"user_id": s}), json!(["user_id"]), "Do."), None);
        assert_eq!(
            level(
                json!({"user_id": s, "start": s, "c": described, "d": described, "e": described}),
                json!([]),
                "Do."
            ),
            None
        );
        assert_eq!(
            level(json!({"q": s, "user": described}), json!([]), "Do."),
            None,
            "one optional parameter"
        );
    }

    #[test]
    fn what_is_explained_somewhere_is_not_reported() {
        let s = json!({"type": "string"});
        let doc = "Do.\n\nArgs:\n    a: first\n    b: second";
        assert_eq!(level(json!({"a": s, "b": s}), json!(["a", "b"]), doc), None);
        assert_eq!(
            level(json!({"a": {"enum": ["x"]}, "b": {"format": "date"}}), json!(["a", "b"]), "Do."),
            None
        );
        assert_eq!(level(json!({}), json!([]), "Do."), None);
    }
}
