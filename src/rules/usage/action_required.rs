//! MCP-USAGE-ACTION-REQUIRED: one tool for many actions, whose `required` fits only some of them.

use super::parameters::{self, Parameter};
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::name::words;
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};
use serde_json::Value;

pub(super) struct ActionRequired;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-USAGE-ACTION-REQUIRED",
    severity: Severity::Warning,
    confidence: Confidence::Medium,
    impact: Impact::Agent,
    summary: "A tool with an action parameter requires arguments that only some actions use, or leaves them to prose",
    rationale: "A tool whose `action` (or `operation`, `mode`, `command` …) chooses between several things
needs other arguments for each of them. A flat `required` cannot say so. If it lists what only one
action needs, every other action must be called with invented values; if it leaves them out, nothing
stops a call without them, and the agent finds out by an error.

It is a **warning** when a required parameter says in its description that it belongs to some of the
actions only (\"for create\", \"only used with `delete`\"), and **information** when an optional one
says that some action requires it, when the tool's description lists a required parameter under some
of the actions only, or when the action is all that is required of a tool with three actions and
three other parameters or more. Schemas that tell actions apart (`oneOf`, `anyOf`, `if`,
`dependentRequired`, `dependentSchemas`) are not reported.",
    help: "Split the tool by action, or describe each action by a branch of `oneOf` with its own `required`",
    bad: r#"{
  "tools": [
    {
      "name": "labels",
      "description": "List, create or delete labels.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "action": {"type": "string", "enum": ["list", "create", "delete"], "description": "What to do."},
          "color": {"type": "string", "description": "Colour of the label, only used by create."}
        },
        "required": ["action", "color"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "create_label",
      "description": "Create a label.",
      "inputSchema": {
        "type": "object",
        "properties": {"color": {"type": "string", "description": "Colour of the label."}},
        "required": ["color"],
        "additionalProperties": false
      }
    }
  ]
}"#,
    sources: &["https://www.anthropic.com/engineering/writing-tools-for-agents"],
};

impl Rule for ActionRequired {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let Some(schema) = tool.tool.input_schema() else { return };
        let told_apart =
            ["oneOf", "anyOf", "allOf", "if", "dependentRequired", "dependentSchemas", "dependencies"];
        if told_apart.iter().any(|k| schema.get(*k).is_some()) {
            return;
        }
        let all = parameters::of(tool);
        let Some((selector, actions)) = all.iter().find_map(|p| Some((p, actions(p)?))) else { return };
        let others: Vec<&Parameter<'_>> = all.iter().filter(|p| p.name != selector.name).collect();
        let mut forced = Vec::new();
        let mut left_to_prose = Vec::new();
        for parameter in &others {
            let Some(some) = belongs_to(parameter, selector.name, &actions) else { continue };
            if parameter.required {
                forced.push(format!("{} ({})", say::quoted(parameter.name), say::list(&some, 3)));
            } else if says_required(parameter) {
                left_to_prose.push(format!("{} ({})", say::quoted(parameter.name), say::list(&some, 3)));
            }
        }
        let who = say::tool(tool);
        let choice = say::quoted(selector.name);
        if !forced.is_empty() {
            let these = say::list(&forced, 4);
            let message = format!("{who} always requires what only some values of {choice} use: {these}");
            out.emit(tool.at("/inputSchema/required"), message);
            return;
        }
        let text = tool.tool.value.get("description").and_then(Value::as_str).unwrap_or_default();
        let in_some = required_by_some(text, &actions, &others);
        let (at, message) = if !left_to_prose.is_empty() {
            let these = say::list(&left_to_prose, 4);
            (
                "/inputSchema",
                format!("{who} says in prose alone what some values of {choice} require: {these}"),
            )
        } else if !in_some.is_empty() {
            let these = say::list(&in_some, 4);
            let message = format!(
                "{who} always requires {these}, which its description gives to some values of {choice} only"
            );
            ("/inputSchema/required", message)
        } else if is_bare_choice(selector, &actions, &others) {
            let n = others.len();
            let message = format!(
                "{who} requires {choice} alone, and no schema says which of the other {n} parameters each action needs"
            );
            ("/inputSchema", message)
        } else {
            return;
        };
        let finding = out.emit(tool.at(at), message);
        (finding.severity, finding.confidence) = (Severity::Info, Confidence::Low);
    }
}

/// Whether the action is all that is required, although several things can be done to several ends.
fn is_bare_choice(selector: &Parameter<'_>, actions: &[String], others: &[&Parameter<'_>]) -> bool {
    let is_action = words::of(selector.name)
        .last()
        .is_some_and(|w| matches!(w.as_str(), "action" | "operation" | "op" | "command" | "subcommand"));
    is_action
        && selector.required
        && actions.len() >= 3
        && others.len() >= 3
        && others.iter().all(|p| !p.required)
}

/// Required parameters that the tool's description lists under some of the actions only ("create: title, owner").
fn required_by_some(text: &str, actions: &[String], others: &[&Parameter<'_>]) -> Vec<String> {
    let text: String = text.chars().take(4_000).collect();
    // Where each action's own part begins: its name, then a colon, a bracket or a dash.
    let mut starts: Vec<usize> = Vec::new();
    for action in actions.iter().filter(|a| a.len() > 1) {
        let found = text.match_indices(action.as_str()).find(|(at, found)| {
            let before = text.get(..*at).and_then(|s| s.chars().next_back());
            let after = text.get(at + found.len()..).unwrap_or_default();
            let after = after.trim_start_matches(['`', '\'', '"', '*', ' ']);
            !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
                && after.starts_with([':', '(', '-', '–', '—', '='])
        });
        starts.extend(found.map(|(at, _)| at));
    }
    starts.sort_unstable();
    if starts.len() < 2 {
        return Vec::new();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let parts: Vec<&str> = starts.iter().zip(ends).filter_map(|(start, end)| text.get(*start..end)).collect();
    let parts: Vec<Vec<String>> =
        parts.iter().map(|p| words::of(p.split("\n\n").next().unwrap_or_default())).collect();
    let named_in = |p: &Parameter<'_>| {
        let name = words::of(p.name);
        parts.iter().filter(|part| !name.is_empty() && part.windows(name.len()).any(|w| w == name)).count()
    };
    let some = others.iter().filter(|p| p.required).filter(|p| (1..parts.len()).contains(&named_in(p)));
    some.map(|p| say::quoted(p.name)).collect()
}

/// The actions that a parameter chooses between, if that is what it is for.
fn actions(parameter: &Parameter<'_>) -> Option<Vec<String>> {
    let words = words::of(parameter.name);
    let last = words.last()?;
    let names = [
        "action",
        "operation",
        "op",
        "command",
        "mode",
        "method",
        "type",
        "kind",
        "task",
        "verb",
        "subcommand",
    ];
    // The `auth-method` of a call is no action.
    if !names.contains(&last.as_str()) || last == "method" && words.len() > 1 {
        return None;
    }
    let values = parameter.schema.get("enum")?.as_array()?;
    let values: Vec<String> = values.iter().filter_map(Value::as_str).map(str::to_string).collect();
    (values.len() >= 2).then_some(values)
}

/// The actions that the description of a parameter ties it to; `None` if it names none or all of them.
fn belongs_to(parameter: &Parameter<'_>, selector: &str, actions: &[String]) -> Option<Vec<String>> {
    let text = parameter.schema.get("description").and_then(Value::as_str)?;
    let text: String = text.chars().take(1_000).collect();
    let said = words::of(&text);
    let of_actions: Vec<String> = actions.iter().flat_map(|a| words::of(a)).collect();
    let in_brackets = bracketed(&text, selector, actions);
    let mut found: Vec<String> = Vec::new();
    for action in actions {
        let action_words = words::of(action);
        if action_words.is_empty() {
            continue;
        }
        let tied = in_brackets.contains(&action_words)
            || said
                .windows(action_words.len())
                .enumerate()
                .any(|(at, window)| window == action_words && is_tied(&said, at, selector, &of_actions));
        if tied {
            found.push(say::quoted(action));
        }
    }
    (!found.is_empty() && found.len() < actions.len()).then_some(found)
}

/// The actions that a bracket holds and nothing else: "(for create)", "[create, delete]", "(action=create only)".
fn bracketed(text: &str, selector: &str, actions: &[String]) -> Vec<Vec<String>> {
    const LINKS: &[&str] = &[
        "for", "with", "in", "on", "only", "when", "if", "is", "the", "used", "by", "and", "or", "required",
        "actions",
    ];
    let selector = words::of(selector);
    let actions: Vec<Vec<String>> = actions.iter().map(|a| words::of(a)).filter(|a| !a.is_empty()).collect();
    let mut found = Vec::new();
    for group in text.split(['(', '[']).skip(1).filter_map(|rest| rest.split([')', ']']).next()) {
        let said: Vec<String> = words::of(group);
        let (mut at, mut here) = (0, Vec::new());
        while let Some(rest) = said.get(at..).filter(|rest| !rest.is_empty()) {
            if let Some(action) = actions.iter().filter(|a| rest.starts_with(a)).max_by_key(|a| a.len()) {
                at += action.len();
                here.push(action.clone());
            } else if rest.first().is_some_and(|w| LINKS.contains(&w.as_str()) || selector.contains(w)) {
                at += 1;
            } else {
                here.clear();
                break;
            }
        }
        found.append(&mut here);
    }
    found
}

/// Whether the words before position `at` tie what follows to an action: "for create", "only used by
/// create", "when action is create", "required for create and update".
fn is_tied(words: &[String], at: usize, selector: &str, of_actions: &[String]) -> bool {
    let before = words.iter().take(at).rev().map(String::as_str);
    // in "for list, create and delete" each stands behind the same "for"
    let in_series = |w: &&str| matches!(*w, "and" | "or") || of_actions.iter().any(|a| a == w);
    let before: Vec<&str> = before.skip_while(in_series).take(6).collect();
    let selector = words::of(selector);
    let names_selector = selector.last().is_some_and(|s| before.iter().take(3).any(|w| w == s));
    let ties = ["only", "required", "used", "needed", "when", "if", "mandatory", "ignored", "applies"];
    let links = ["for", "by", "with", "in", "on", "to", "the", "is", "when"];
    let tied = before.iter().any(|w| ties.contains(w));
    tied && (names_selector || before.first().is_some_and(|w| links.contains(w)))
}

fn says_required(parameter: &Parameter<'_>) -> bool {
    let text = parameter.schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let text: String = text.chars().take(1_000).collect();
    let words = words::of(&text);
    words.iter().enumerate().any(|(i, w)| {
        let negated = i.checked_sub(1).and_then(|j| words.get(j)).is_some_and(|w| w == "not");
        matches!(w.as_str(), "required" | "mandatory" | "must") && !negated
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::json;

    fn level(properties: Value, required: Value) -> Option<(String, Severity)> {
        let mut all = json!({"action": {"enum": ["list", "create", "delete"]}});
        all.as_object_mut().unwrap().extend(properties.as_object().unwrap().clone());
        let tool =
            json!({"name": "t", "inputSchema": {"type": "object", "properties": all, "required": required}});
        let found = check(&ActionRequired, &tool);
        places(&found).first().map(|(pointer, severity)| ((*pointer).to_string(), *severity))
    }

    #[test]
    fn required_for_some_actions_only() {
        let warning = Some(("/tools/0/inputSchema/required".to_string(), Severity::Warning));
        for text in [
            "Only used by create",
            "Name (required for create)",
            "Needed when action is delete",
            "Required for create and delete.",
            "Title (for create)",
            "Title [create/delete]",
            "Title (action=create only)",
        ] {
            assert_eq!(
                level(json!({"name": {"description": text}}), json!(["action", "name"])),
                warning,
                "{text}"
            );
        }
        for text in [
            "Name of the thing to create",
            "Used by list, create and delete; required for list, create, delete",
            "Name",
            "The list of names",
            "Names (list of words)",
            "Names (for list, create and delete)",
            "Names (e.g. create)",
        ] {
            assert_eq!(
                level(json!({"name": {"description": text}}), json!(["action", "name"])),
                None,
                "{text}"
            );
        }
    }

    #[test]
    fn left_to_prose() {
        let info = Some(("/tools/0/inputSchema".to_string(), Severity::Info));
        assert_eq!(level(json!({"name": {"description": "Required for create"}}), json!(["action"])), info);
        assert_eq!(
            level(json!({"name": {"description": "Only used by create, not required"}}), json!(["action"])),
            None
        );
    }

    #[test]
    fn listed_by_action_in_the_description() {
        let tool = |text: &str, required: Value| {
            json!({"name": "t", "description": text, "inputSchema": {"type": "object", "required": required,
                "properties": {"action": {"enum": ["list", "create"]}, "title": {"type": "string"}}}})
        };
        let told = "Notes.\n- list: all notes\n- create: needs title";
        assert_eq!(
            places(&check(&ActionRequired, &tool(told, json!(["action", "title"])))),
            [("/tools/0/inputSchema/required", Severity::Info)]
        );
        assert!(check(&ActionRequired, &tool(told, json!(["action"]))).is_empty());
        assert!(
            check(&ActionRequired, &tool("Notes. list: by title; create: title", json!(["action", "title"])))
                .is_empty()
        );
        assert!(
            check(&ActionRequired, &tool("List or create notes.", json!(["action", "title"]))).is_empty()
        );
    }

    #[test]
    fn the_action_alone_is_required() {
        let s = json!({"type": "string"});
        let info = Some(("/tools/0/inputSchema".to_string(), Severity::Info));
        assert_eq!(level(json!({"id": s, "title": s, "body": s}), json!(["action"])), info);
        assert_eq!(level(json!({"id": s, "title": s}), json!(["action"])), None);
        assert_eq!(level(json!({"id": s, "title": s, "body": s}), json!(["action", "id"])), None);
    }

    #[test]
    fn branches_tell_actions_apart() {
        let tool = json!({"name": "t", "inputSchema": {"type": "object", "oneOf": [{}], "required": ["action", "name"],
            "properties": {"action": {"enum": ["list", "create"]}, "name": {"description": "Only used by create"}}}});
        assert!(check(&ActionRequired, &tool).is_empty());
    }
}
