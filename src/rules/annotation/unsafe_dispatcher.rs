//! MCP-ANNOTATION-UNSAFE-DISPATCHER: one label for a tool that does many things.

use super::dispatch::{self, Choice, Dispatch};
use super::hints::Hints;
use super::prose;
use super::verbs::Act;
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::name::words;
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use serde_json::Value;

pub(super) struct UnsafeDispatcher;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-ANNOTATION-UNSAFE-DISPATCHER",
    severity: Severity::Warning,
    confidence: Confidence::Medium,
    impact: Impact::Agent,
    summary: "A tool that can do many things is labelled by its harmless ones",
    rationale: "Annotations hold for every call of a tool. Where an argument chooses what happens (`method:
DELETE`, `action: \"remove\"`), or names any other tool or command to run, the label must describe
the worst that can be asked for: a host that lets read-only tools pass lets the deletion pass, too.

Reported are tools marked read-only, or not destructive, with

- a `method`, `action`, `operation`, `command` … parameter among whose values some write (for \"not
  destructive\": some delete; `remove` and the like are information). `POST` alone is not enough,
  since many interfaces put long questions into a POST;
- a parameter that names a tool or action to run with its arguments, or holds a shell command or
  code. With \"not destructive\" this is information: it may be a decision, since the host then asks
  on every call.

A database statement in a tool marked read-only is information only: most such servers open the
database for reading. Tools whose description says that they are read-only, or run in a sandbox, are
not reported.",
    help: "Label the tool by the worst it can do, or split it into a reading tool and a writing one",
    bad: r#"{
  "tools": [
    {
      "name": "shop_api",
      "description": "Call the interface of the shop.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "method": {"type": "string", "enum": ["GET", "PUT", "DELETE"], "description": "HTTP method."},
          "path": {"type": "string", "description": "Path below the interface's root, such as `orders/17`."}
        },
        "required": ["method", "path"],
        "additionalProperties": false
      },
      "annotations": {"readOnlyHint": true}
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "shop_api",
      "description": "Call the interface of the shop.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "method": {"type": "string", "enum": ["GET", "PUT", "DELETE"], "description": "HTTP method."},
          "path": {"type": "string", "description": "Path below the interface's root, such as `orders/17`."}
        },
        "required": ["method", "path"],
        "additionalProperties": false
      },
      "annotations": {"readOnlyHint": false, "destructiveHint": true}
    }
  ]
}"#,
    sources: &["https://github.com/twentyhq/twenty/pull/24995"],
};

impl Rule for UnsafeDispatcher {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let Some(hints) = Hints::of(tool) else { return };
        let read_only = hints.read_only == Some(true);
        let tame = hints.destructive == Some(false);
        if !read_only && !tame {
            return;
        }
        let Some(found) = dispatch::of(tool) else { return };
        if read_only && prose::is_bound_to_reading(tool) {
            return;
        }
        let Some((what, severity, confidence)) = verdict(tool, &found, read_only) else { return };
        let (label, hint) =
            if read_only { ("read-only", "readOnlyHint") } else { ("not destructive", "destructiveHint") };
        let message = format!("{} is marked {label}, but {what}", say::tool(tool));
        let finding = out.emit(tool.at(&format!("/annotations/{hint}")), message);
        (finding.severity, finding.confidence) = (severity, confidence);
    }
}

fn verdict(tool: &ToolView<'_>, found: &Dispatch, read_only: bool) -> Option<(String, Severity, Confidence)> {
    let by_label = |warning: Confidence| {
        if read_only { (Severity::Warning, warning) } else { (Severity::Info, Confidence::Low) }
    };
    match found {
        Dispatch::Chooses { parameter, writing } => {
            let (severity, confidence) = gravity(writing, read_only)?;
            let counts = |c: &&Choice| read_only || c.act == Act::Destroys;
            let values: Vec<String> = writing.iter().filter(counts).map(|c| say::quoted(&c.value)).collect();
            let what = format!("its parameter {} can be {}", say::quoted(parameter), say::list(&values, 4));
            Some((what, severity, confidence))
        }
        Dispatch::RunsNamed { parameter } => {
            let (severity, confidence) = by_label(Confidence::Medium);
            Some((format!("it runs whatever {} names", say::quoted(parameter)), severity, confidence))
        }
        Dispatch::RunsCode { parameter } => {
            let (severity, confidence) = by_label(Confidence::Medium);
            Some((format!("it runs whatever {} holds", say::quoted(parameter)), severity, confidence))
        }
        Dispatch::RunsStatement { parameter } if read_only => {
            let what = format!("it runs whatever statement {} holds", say::quoted(parameter));
            let writes = says_that_statements_write(tool);
            let severity = if writes { Severity::Warning } else { Severity::Info };
            Some((what, severity, if writes { Confidence::Medium } else { Confidence::Low }))
        }
        Dispatch::RunsStatement { .. } => None,
    }
}

/// How much the values that write weigh against the label.
fn gravity(writing: &[Choice], read_only: bool) -> Option<(Severity, Confidence)> {
    let destroying = || writing.iter().filter(|c| c.act == Act::Destroys && c.strong);
    if read_only {
        return Some(if destroying().next().is_some() {
            (Severity::Warning, Confidence::High)
        } else if writing.iter().any(|c| c.strong && c.act != Act::Sends) {
            (Severity::Warning, Confidence::Medium)
        } else {
            (Severity::Info, Confidence::Low)
        });
    }
    // "Not destructive" is only wrong about what cannot be had back; what is removed from a list can.
    let grave = destroying().any(|c| {
        let verb = words::of(&c.value).into_iter().next().unwrap_or_default();
        matches!(verb.as_str(), "delete" | "destroy" | "erase" | "wipe" | "purge" | "truncate")
    });
    match (grave, destroying().next()) {
        (true, _) => Some((Severity::Warning, Confidence::Medium)),
        (false, Some(_)) => Some((Severity::Info, Confidence::Low)),
        (false, None) => None,
    }
}

/// Whether the description offers statements that write.
fn says_that_statements_write(tool: &ToolView<'_>) -> bool {
    let text = tool.tool.value.get("description").and_then(Value::as_str).unwrap_or_default();
    let mut words = text.split(|c: char| !c.is_ascii_alphabetic());
    words.any(|w| {
        matches!(w, "INSERT" | "UPDATE" | "DELETE" | "DROP" | "CREATE" | "ALTER" | "DDL" | "DML" | "MERGE")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;
    use serde_json::json;

    fn level(name: &str, description: &str, properties: Value, annotations: Value) -> Option<Severity> {
        let tool = json!({"name": name, "description": description, "annotations": annotations,
            "inputSchema": {"type": "object", "properties": properties}});
        check(&UnsafeDispatcher, &tool).first().map(|f| f.severity)
    }

    #[test]
    fn the_label_must_fit_the_worst() {
        let string = json!({"type": "string"});
        let method = json!({"method": {"enum": ["GET", "DELETE"]}});
        let call = json!({"toolName": string, "arguments": {"type": "object"}});
        let reads = json!({"readOnlyHint": true});
        let tame = json!({"readOnlyHint": false, "destructiveHint": false});
        let warning = Some(Severity::Warning);
        let info = Some(Severity::Info);
        assert_eq!(level("api", "Call it.", method.clone(), reads.clone()), warning);
        assert_eq!(level("api", "Call it.", method.clone(), tame.clone()), warning);
        assert_eq!(level("api", "Call it.", method, json!({"destructiveHint": true})), None);
        assert_eq!(
            level("issue", "Issues.", json!({"action": {"enum": ["get", "update"]}}), reads.clone()),
            warning
        );
        assert_eq!(
            level("issue", "Issues.", json!({"action": {"enum": ["get", "update"]}}), tame.clone()),
            None
        );
        let values = |list: &[&str]| json!({"action": {"enum": list}});
        assert_eq!(level("cart", "The cart.", values(&["add", "remove"]), tame.clone()), info);
        assert_eq!(level("view", "The view.", values(&["get", "set"]), reads.clone()), info);
        assert_eq!(level("mail", "Mail.", values(&["read", "send_to_folder"]), reads.clone()), info);
        assert_eq!(level("execute_tool", "Run a tool.", call.clone(), reads.clone()), warning);
        assert_eq!(level("execute_tool", "Run a tool.", call, tame.clone()), info);
        assert_eq!(level("run_shell", "Runs.", json!({"command": string}), reads.clone()), warning);
        assert_eq!(level("run_shell", "Runs in a sandbox.", json!({"command": string}), reads.clone()), None);
        assert_eq!(level("execute_sql", "Run SQL.", json!({"sql": string}), reads.clone()), info);
        assert_eq!(
            level("execute_sql", "Run SELECT, INSERT or DDL.", json!({"sql": string}), reads.clone()),
            warning
        );
        assert_eq!(level("execute_sql", "Run a read-only query.", json!({"sql": string}), reads), None);
        assert_eq!(level("execute_sql", "Run SQL.", json!({"sql": string}), tame), None);
    }
}
